import Foundation

/// The store's queue of payments: takes authorized transactions, charges them once, and reports their state.
public protocol QueueProcessor: Sendable {
  /// Whether this person on this device may buy at all.
  var canMakePayments: Bool { get }
  /// Submits a transaction, with its identifier as idempotency key: submitting it again never charges again. Called off the main actor,
  /// once at a time for each transaction, and never cancelled. It must act for ``Transaction/user`` or for no user
  /// (``SubmissionOutcome/unauthorized``). A transaction that was charged, and whose receipt was refused, is submitted again without a
  /// ``Transaction/token``: only its state is requested.
  func add(_ transaction: Transaction) async -> SubmissionOutcome
  /// Tells the store that the transaction is over and need not be reported again. A second call changes nothing.
  /// - Throws: anything; the call is then repeated at the next start.
  func finish(_ transaction: Transaction) async throws
  /// All signed receipts in force for the user, without those of spent consumables. A store that can should sign each again: the device
  /// takes the time of signing as the store's time.
  /// - Throws: ``StoreError``.
  func restore(user: String) async throws -> [String]
  /// Why a receipt that was in force is no longer listed: a sentence for the person, or `nil` without a revocation, such as when another
  /// subscription replaced it. Called off the main actor.
  func revocationReason(of transaction: UUID, user: String) async -> String?
  /// The answer of a person who was asked outside of a program that ended meanwhile, such as on a page in a browser. Called off the main
  /// actor, at the next start, for a transaction that the person had not agreed to in the program.
  /// - Returns: the token, if the person has agreed. Otherwise `nil`; the queue then withdraws the page.
  func authorizationMeanwhile(of transaction: Transaction) async -> PaymentToken?
  /// Cancels a payment that waits for the person (``SubmissionOutcome/interrupted(_:url:)``), so that it is declined when it is submitted
  /// again. Changes nothing about one that is over. Called off the main actor.
  /// - Throws: ``StoreError``.
  func cancel(_ transaction: UUID, user: String) async throws
  /// Changes in the store that answer no request, such as an approval days later. Ends when there is nothing to expect.
  func observe() -> AsyncStream<QueueUpdate>
}

extension QueueProcessor {
  /// `nil`, for a store whose authorizers ask in this program alone.
  public func authorizationMeanwhile(of transaction: Transaction) async -> PaymentToken? { nil }

  /// For a store that never interrupts a payment.
  /// - Throws: ``StoreError`` of the kind ``StoreError/Kind/refused``.
  public func cancel(_ transaction: UUID, user: String) async throws {
    throw StoreError(.refused, code: "not_offered", sentence: "This store cannot cancel a payment.")
  }

  /// A general sentence, for a store that gives no reasons.
  public func revocationReason(of transaction: UUID, user: String) async -> String? {
    "The store has taken this purchase back, so its access has ended."
  }
}

/// A change in the store that answers no request.
public enum QueueUpdate: Equatable, Sendable {
  /// Something changed about this transaction: submit it, if it is ours and not over.
  case transaction(UUID)
  /// Receipts were added or removed: request them again.
  case receipts
  /// The store revoked this purchase, for instance with a refund: access ends. The reason is a sentence for the person.
  case revoked(UUID, reason: String)
}

/// The outcome of submitting a transaction.
public enum SubmissionOutcome: Equatable, Sendable {
  /// Charged. The answer lists these products as bought.
  case accepted(receipt: String, listed: Set<Product.ID>)
  /// A bank or another person, such as a parent, has yet to approve. It may take days; it is not known whether it will be charged. The
  /// sentence says for whom to wait.
  case deferred(String)
  /// The person has to act first, such as on a page of their bank: a sentence, and the address of that page, if there is one.
  case interrupted(String, url: String? = nil)
  /// The payment provider declined; nothing was charged. The sentence says why.
  case declined(String)
  /// The store does not sell this product.
  case unknownProduct(String)
  /// Any other definite no: a code and a sentence.
  case refused(code: String, sentence: String)
  /// The session has ended, or another user's is open.
  case unauthorized
  /// Not now; how long to wait, when the store said so.
  case busy(retryAfter: Duration?)
  /// No answer, no intelligible one, or an internal error of the store; it is not known whether it was charged.
  case unavailable(reason: String, retryAfter: Duration? = nil)
  /// An answer whose receipt did not verify.
  case unverified(reason: String)
  /// The device granted access by itself while the store was unreachable; nothing was charged yet.
  case computedOnDevice

  /// From the status of an HTTP answer without success.
  /// - Parameters:
  ///   - status: 300 to 599.
  ///   - saysUnknownProduct: whether the body says that this product is not sold.
  ///   - saysDeclined: whether the body says that the provider declined.
  ///   - isFromStore: whether the body is the store's own, rather than a proxy's on the way.
  ///   - retryAfter: how long the store asks to be left alone.
  ///   - code: the refusal's, for programs.
  ///   - sentence: the refusal's, for people.
  public init(
    status: Int, saysUnknownProduct: Bool = false, saysDeclined: Bool = false, isFromStore: Bool, retryAfter: Duration? = nil,
    code: String, sentence: String
  ) {
    switch status {
    case 401 where isFromStore: self = .unauthorized
    case 408, 425, 429: self = .busy(retryAfter: retryAfter)
    // A proxy's page is no decision of the store's, with any status.
    case 400..<500 where !isFromStore: self = .unavailable(reason: "status \(status)", retryAfter: retryAfter)
    case 400..<500 where saysUnknownProduct: self = .unknownProduct(sentence)
    case 400..<500 where saysDeclined: self = .declined(sentence)
    case 400..<500: self = .refused(code: code, sentence: sentence)
    default: self = .unavailable(reason: "status \(status)", retryAfter: retryAfter)
    }
  }
}
