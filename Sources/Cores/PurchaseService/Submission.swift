/// One transaction on its way through the store: there is at most one for each transaction, and later callers wait for it.
@MainActor final class Submission<Purchasable: Hashable & Sendable> {
  var transaction: Transaction
  var onProgress: (@MainActor (PurchaseProgress) -> Void)?
  /// Whether it failed, and only the store is still to be told: the product can be bought again.
  var hasFailed = false

  private var answer: PurchaseOutcome<Purchasable>?
  private var waiting: [CheckedContinuation<PurchaseOutcome<Purchasable>, Never>] = []
  let pause = Pause()
  /// Whether the caller has left: it does not wait between tries, and does not get the outcome.
  private(set) var isLeft = false
  /// Why the request is repeated, during the wait for that.
  var reason: PendingReason?
  private var watching: [CheckedContinuation<Void, Never>] = []

  init(_ transaction: Transaction) { self.transaction = transaction }

  /// The end, or that it is pending: whichever comes first.
  func firstAnswer() async -> PurchaseOutcome<Purchasable> {
    if let answer { return answer }
    return await withCheckedContinuation { waiting.append($0) }
  }

  /// The caller has left: it gets the outcome pending as soon as the purchase waits, and a notice gives the final outcome.
  func leave() {
    isLeft = true
    if let reason { report(.pending(reason)) }
  }

  /// Answers the waiting callers; each is answered once.
  /// - Returns: whether no caller got this outcome: it left, got another one before, or called in an earlier run.
  @discardableResult func report(_ outcome: PurchaseOutcome<Purchasable>) -> Bool {
    defer { answer = outcome }
    let isUnheard = (waiting.isEmpty || isLeft) && answer != outcome
    let told = waiting
    waiting = []
    // The caller has an answer: its progress is no longer reported.
    onProgress = nil
    for continuation in told { continuation.resume(returning: outcome) }
    return isUnheard
  }

  /// Returns after the next request to the store, with any result.
  func nextTry() async { await withCheckedContinuation { watching.append($0) } }

  /// A try has ended: resumes those that wait for one.
  func tried() {
    let told = watching
    watching = []
    for continuation in told { continuation.resume() }
  }
}
