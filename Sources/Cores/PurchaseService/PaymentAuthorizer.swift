import Foundation

/// A payment provider's token for a person's authorization; it can be charged once, for one order. Never printed.
public struct PaymentToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// The provider's text; a secret.
  public let rawValue: String

  public init(_ rawValue: String) { self.rawValue = rawValue }
  /// Does not reveal the token.
  public var description: String { "PaymentToken" }
  /// A mirror without children, so that dumps do not show the token.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a person is asked to pay for.
public struct OrderSummary: Equatable, Sendable {
  /// The transaction, which is the order's identifier and its idempotency key.
  public let id: UUID
  /// The product that the person is asked to pay for.
  public let product: Product
  /// The total with tax.
  public let total: Price

  public init(id: UUID, product: Product, total: Price) {
    self.id = id
    self.product = product
    self.total = total
  }
}

/// How asking a person for money ended, if it did not fail.
public enum PaymentAuthorization: Equatable, Sendable {
  /// The provider will charge this token.
  case authorized(PaymentToken)
  /// The person thought better of it.
  case cancelled
}

/// Asks a person to authorize a payment: a payment sheet with a saved method, a provider's page in the browser, a stub.
///
/// All that an authorizer does is to turn a person's agreement into a ``PaymentToken``; the store charges it afterwards, under the
/// transaction's identifier, so two calls for one order never charge twice. With a page in the browser, the person agrees (`started`) by
/// submitting it, which the provider reports; leaving before that is a cancellation.
///
///     struct SheetAuthorizer: PaymentAuthorizer {
///       func authorize(_ order: OrderSummary, started: @escaping @Sendable () async -> Void) async throws -> PaymentAuthorization {
///         guard let card = await sheet.ask(order.total) else { return .cancelled }
///         await started()
///         return .authorized(PaymentToken(try await provider.token(card, order.id)))
///       }
///     }
public protocol PaymentAuthorizer: Sendable {
  /// Asks the person, and waits for the answer. Nothing is charged. Called off the main actor; cancelled when the person leaves.
  /// - Parameters:
  ///   - order: what to ask for.
  ///   - started: to be called when the person has agreed, before the provider's token is requested. From then on the purchase can no
  ///       longer be cancelled.
  /// - Throws: ``PaymentAuthorizationError``; anything else gets a general sentence.
  func authorize(_ order: OrderSummary, started: @escaping @Sendable () async -> Void) async throws -> PaymentAuthorization
}

/// Why a payment provider gave no token.
public struct PaymentAuthorizationError: Error, Equatable, Sendable {
  /// For people: what happened, and what to do.
  public let sentence: String

  public init(sentence: String) { self.sentence = sentence }
}
