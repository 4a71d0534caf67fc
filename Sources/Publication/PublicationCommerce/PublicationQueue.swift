import Foundation
import PublicationAPI
import PublicationClient
import PurchaseService
import Runtime

/// The publication's orders as a payment queue: begins an order under the transaction's identifier, then charges it. Copies share one watch
/// of the orders: give the same queue to every path of one publication.
public struct PublicationQueue: QueueProcessor {
  private let account: @Sendable (_ user: Reader.ID) async -> APIClient?
  private let watch: OrderWatch
  /// Whether this device may pay; the publication has no rule against it.
  public let canMakePayments: Bool

  /// - Parameters:
  ///   - account: a client whose token stays this reader's, or `nil` while another reader or none is signed in. The reader is compared and
  ///       the client made in one step, so that one reader's payment never goes out under another's name:
  ///
  ///         { user in await MainActor.run { session.state.user?.id == user ? client.pinned() : nil } }
  ///   - canMakePayments: false where a purchase could not be followed to its end.
  ///   - clock: paces the looks at what changed; see ``observe()``.
  ///   - pace: how long it is from one look to the next.
  public init(
    canMakePayments: Bool = true, clock: any AppClock = SystemClock(), pace: Duration = .seconds(300),
    account: @escaping @Sendable (_ user: Reader.ID) async -> APIClient?
  ) {
    self.account = account
    self.canMakePayments = canMakePayments
    watch = OrderWatch(account: account, clock: clock, pace: pace)
  }

  /// Puts the order, compares its total with the one that was agreed to, and charges it.
  public func add(_ transaction: Transaction) async -> SubmissionOutcome {
    guard let client = await account(transaction.user) else { return .unauthorized }
    do throws(ClientError) {
      let order = try await client.beginOrder(transaction.id, product: transaction.productID, currency: transaction.price?.currency)
      // A declined order may be charged again, but this transaction ends.
      if let answer = outcome(order, transaction) { return answer }
      guard order.totalMinorUnits == transaction.price?.minorUnits, order.currency == transaction.price?.currency else {
        return .refused(
          code: "price_changed", sentence: "The price has changed, so nothing was charged. Look at the new price and try again.")
      }
      guard let token = transaction.token else { return .refused(code: "no_token", sentence: "The payment was not authorized.") }
      let charged = try await client.charge(transaction.id, paymentToken: token.rawValue)
      return outcome(charged, transaction) ?? .unavailable(reason: "a charged order in state \(charged.state.rawValue)")
    } catch {
      return SubmissionOutcome(error)
    }
  }

  /// The outcome of an order; `nil` while it is open.
  private func outcome(_ order: Order, _ transaction: Transaction) -> SubmissionOutcome? {
    guard order.id == transaction.id.uuidString else { return .unavailable(reason: "the answer is another order's") }
    watch.note(order, of: transaction.user)
    switch order.state {
    case .open: return nil
    case .deferred:
      return .deferred("The payment waits for approval, by your bank or by whoever pays for you. Nothing was charged yet.")
    case .interrupted:
      return .interrupted("Your bank wants you to confirm the payment in your browser. Nothing was charged yet.", url: order.actionURL)
    case .declined: return .declined(order.declineReason ?? "The payment was declined.")
    case .refunded: return .refused(code: "refunded", sentence: order.refundReason ?? "The payment was given back.")
    case .paid:
      guard let receipt = order.receipt else { return .unavailable(reason: "a paid order without a receipt") }
      return .accepted(receipt: receipt, listed: order.credited == false ? [] : [order.productID])
    }
  }

  /// What the reader answered on the checkout page; one that they have not answered is withdrawn.
  public func authorizationMeanwhile(of transaction: Transaction) async -> PaymentToken? {
    guard let client = await account(transaction.user), let page = try? await client.cancelCheckout(transaction.id),
      page.state == .authorized
    else { return nil }
    return page.paymentToken.map(PaymentToken.init)
  }

  /// Withdraws the page on which the reader is to confirm, and with it the payment.
  /// - Throws: `StoreError`.
  public func cancel(_ transaction: UUID, user: String) async throws {
    guard let client = await account(user) else {
      throw StoreError(.unauthorized, code: "other_user", sentence: "Sign in to cancel this payment.")
    }
    do throws(ClientError) { try await client.cancelCheckout(transaction) } catch { throw StoreError(error) }
  }

  /// Does nothing: the publication has no list of unfinished transactions.
  /// - Throws: nothing.
  public func finish(_ transaction: Transaction) async throws {}

  /// The receipts in force.
  /// - Throws: `StoreError`.
  public func restore(user: String) async throws -> [String] {
    guard let client = await account(user) else {
      throw StoreError(.unauthorized, code: "other_user", sentence: "Sign in to restore what you bought.")
    }
    do throws(ClientError) {
      let receipts = try await client.entitlements()
      watch.checkNow(for: user)
      return receipts
    } catch { throw StoreError(error) }
  }

  /// Why the publication gave an order's payment back; `nil` for an order that was not refunded, or while the publication is unreachable.
  public func revocationReason(of transaction: UUID, user: String) async -> String? {
    guard let client = await account(user), let order = try? await client.order(transaction), order.state == .refunded else { return nil }
    return order.refundReason ?? "The payment was given back."
  }

  /// Refunds, approvals and purchases made elsewhere: looks at the reader's orders after each ``restore(user:)``, and then every few
  /// minutes.
  public func observe() -> AsyncStream<QueueUpdate> { watch.updates() }
}

extension SubmissionOutcome {
  /// From a call that failed.
  init(_ error: ClientError) {
    switch error {
    case .problem(let problem, let retryAfter):
      self.init(
        status: problem.status, saysUnknownProduct: problem.code == .unknownProduct, saysDeclined: problem.code == .paymentDeclined,
        isFromStore: problem.isPublications, retryAfter: retryAfter, code: problem.code.rawValue,
        sentence: problem.title)
    case .offline, .unacceptable, .undecodable, .cancelled: self = .unavailable(reason: "\(error)")
    }
  }
}
