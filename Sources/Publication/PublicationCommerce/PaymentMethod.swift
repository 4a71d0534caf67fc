import PublicationAPI
import PublicationClient
import PurchaseService
import Runtime

/// A way to pay that the payment sheet offers.
public struct PaymentMethod: Sendable, Identifiable {
  /// Stable, for the sheet's choice.
  public let id: String
  /// The name in the list.
  public let name: String
  /// One line below it; may be empty.
  public let detail: String
  /// The payment sheet's sentence while the person is asked elsewhere; `nil` for a method by which they agree as they press "Pay".
  public let question: String?
  /// Asks the person for money by this method.
  public let authorizer: any PaymentAuthorizer
  /// Shows the page again on which the person agrees; `nil` for a method without one.
  public let openAgain: (@MainActor @Sendable () -> Void)?

  public init(
    id: String, name: String, detail: String = "", question: String? = nil, authorizer: any PaymentAuthorizer,
    openAgain: (@MainActor @Sendable () -> Void)? = nil
  ) {
    self.id = id
    self.name = name
    self.detail = detail
    self.question = question
    self.authorizer = authorizer
    self.openAgain = openAgain
  }

  /// The publication's own page in the system's browser.
  /// - Parameters:
  ///   - authorizer: opens it, and waits for the result.
  ///   - openAgain: opens it once more.
  public static func browser(_ authorizer: any PaymentAuthorizer, openAgain: @escaping @MainActor @Sendable () -> Void) -> PaymentMethod {
    PaymentMethod(
      id: "browser", name: "Pay in the browser", detail: "On the publication's own page.",
      question: "Waiting for you to pay in the browser…", authorizer: authorizer, openAgain: openAgain)
  }

  /// The cards that the stub payment provider knows; none of them costs anything.
  public static let testCards = [
    PaymentMethod(
      id: "approved", name: "Test card", detail: "Every payment succeeds.", authorizer: FixedTokenAuthorizer(token: "tok_approved")),
    PaymentMethod(
      id: "declined", name: "Declined test card", detail: "The bank says no.", authorizer: FixedTokenAuthorizer(token: "tok_declined")),
    PaymentMethod(
      id: "insufficient_funds", name: "Empty test card", detail: "The account has too little money.",
      authorizer: FixedTokenAuthorizer(token: "tok_insufficient_funds")),
  ]

  /// The cards that need an approval or a page to end: only a publication with an operator and pages of its own has those.
  static let testCardsOfServers = [
    PaymentMethod(
      id: "deferred", name: "Test card with approval", detail: "The bank takes its time to say yes or no.",
      authorizer: FixedTokenAuthorizer(token: "tok_deferred")),
    PaymentMethod(
      id: "interrupted", name: "Test card to confirm", detail: "The bank asks you to confirm in your browser.",
      authorizer: FixedTokenAuthorizer(token: "tok_interrupted")),
  ]

  /// What a publication's readers may pay with.
  /// - Parameters:
  ///   - publication: the publication's details; `nil` before its first answer.
  ///   - client: sends the requests of the reader who is signed in when a payment begins.
  ///   - openWeb: shows an address in the system browser.
  public static func offered(
    by publication: PublicationInfo?, client: APIClient, clock: any AppClock,
    openWeb: @escaping @MainActor @Sendable (_ url: String) -> Void
  ) -> [PaymentMethod] {
    guard publication?.hostedCheckout == true else { return testCards }
    let checkout = HostedCheckoutAuthorizer(client: client, clock: clock, open: openWeb)
    return testCards + [browser(checkout, openAgain: checkout.openAgain)] + testCardsOfServers
  }
}

/// Agrees at once with a known token: a saved method, or a test card. Pressing "Pay" was the agreement.
public struct FixedTokenAuthorizer: PaymentAuthorizer {
  private let token: PaymentToken
  /// - Parameter token: what the provider charges.
  public init(token: String) { self.token = PaymentToken(token) }

  /// See `PaymentAuthorizer`.
  /// - Throws: nothing.
  public func authorize(_ order: OrderSummary, started: @escaping @Sendable () async -> Void) async throws -> PaymentAuthorization {
    await started()
    return .authorized(token)
  }
}
