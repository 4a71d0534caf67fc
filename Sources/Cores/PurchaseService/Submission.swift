/// One transaction on its way through the store: there is never a second for the same transaction. Whoever comes later waits for this one.
@MainActor final class Submission<Purchasable: Hashable & Sendable> {
  var transaction: Transaction
  var onStage: (@MainActor (PurchaseStage) -> Void)?

  private var answer: PurchaseOutcome<Purchasable>?
  private var waiting: [CheckedContinuation<PurchaseOutcome<Purchasable>, Never>] = []
  let pause = Pause()
  /// Whether whoever asked does not sit through waits, and is not there to hear the end.
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

  /// Whoever asked has left: they are told that it is pending as soon as it waits, and its end is to be told otherwise.
  func leave() {
    isLeft = true
    if let reason { report(.pending(reason)) }
  }

  /// Tells whoever waits; each is told once.
  /// - Returns: whether nobody has heard this answer: whoever asked has left, was told another one before, or asked in an earlier run.
  @discardableResult func report(_ outcome: PurchaseOutcome<Purchasable>) -> Bool {
    defer { answer = outcome }
    let isUnheard = (waiting.isEmpty || isLeft) && answer != outcome
    let told = waiting
    waiting = []
    // From here on the stages are nobody's business: whoever asked has an answer.
    onStage = nil
    for continuation in told { continuation.resume(returning: outcome) }
    return isUnheard
  }

  /// Returns once the store has been asked again, whatever came of it.
  func nextTry() async { await withCheckedContinuation { watching.append($0) } }

  /// A try is over: whoever wanted to know can look.
  func tried() {
    let told = watching
    watching = []
    for continuation in told { continuation.resume() }
  }
}
