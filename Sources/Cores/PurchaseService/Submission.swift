/// One transaction on its way through the store: there is never a second for the same transaction. Later callers wait for this one.
@MainActor final class Submission<Purchasable: Hashable & Sendable> {
  var transaction: Transaction
  var onProgress: (@MainActor (PurchaseProgress) -> Void)?

  private var answer: PurchaseOutcome<Purchasable>?
  private var waiting: [CheckedContinuation<PurchaseOutcome<Purchasable>, Never>] = []
  let pause = Pause()
  /// Whether the caller has left: it does not wait between tries, and does not hear the end.
  private(set) var isLeft = false
  /// Why it is asked about again, during the wait for that.
  var reason: PendingReason?
  private var watching: [CheckedContinuation<Void, Never>] = []

  init(_ transaction: Transaction) { self.transaction = transaction }

  /// The end, or that it is pending: whichever comes first.
  func firstAnswer() async -> PurchaseOutcome<Purchasable> {
    if let answer { return answer }
    return await withCheckedContinuation { waiting.append($0) }
  }

  /// The caller has left: it is told that the purchase is pending as soon as that waits, and the end is told by a notice.
  func leave() {
    isLeft = true
    if let reason { report(.pending(reason)) }
  }

  /// Answers the waiting callers; each is answered once.
  /// - Returns: whether no caller has heard this answer: it left, was given another one before, or asked in an earlier run.
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

  /// Returns once the store has been asked again, whatever came of it.
  func nextTry() async { await withCheckedContinuation { watching.append($0) } }

  /// A try has ended: resumes those that wait for one.
  func tried() {
    let told = watching
    watching = []
    for continuation in told { continuation.resume() }
  }
}
