import Runtime

/// One transaction on its way through the store: there is never a second for the same transaction. Whoever comes later waits for this one.
@MainActor final class Submission<Purchasable: Hashable & Sendable> {
  var transaction: Transaction
  var onStage: (@MainActor (PurchaseStage) -> Void)?

  private var answer: PurchaseOutcome<Purchasable>?
  private var waiting: [CheckedContinuation<PurchaseOutcome<Purchasable>, Never>] = []
  private var sleep: Task<Void, any Error>?
  private(set) var isWoken = false
  /// Whether the network was said to be back since the try began.
  private var isNetworkBack = false
  /// Whether that ends the sleep.
  private var canEndEarly = false
  /// How many tries in a row came early for that, and were in vain.
  private(set) var earlyTries = 0
  private var watching: [CheckedContinuation<Void, Never>] = []

  init(_ transaction: Transaction) { self.transaction = transaction }

  /// The end, or that it is pending: whichever comes first.
  func firstAnswer() async -> PurchaseOutcome<Purchasable> {
    if let answer { return answer }
    return await withCheckedContinuation { waiting.append($0) }
  }

  /// Tells whoever waits; each is told once.
  /// - Returns: whether nobody has heard this answer: whoever asked was told another one before, or asked in an earlier run.
  @discardableResult func report(_ outcome: PurchaseOutcome<Purchasable>) -> Bool {
    defer { answer = outcome }
    let isUnheard = waiting.isEmpty && answer != outcome
    let told = waiting
    waiting = []
    // From here on the stages are nobody's business: whoever asked has an answer.
    onStage = nil
    for continuation in told { continuation.resume(returning: outcome) }
    return isUnheard
  }

  /// A try begins: what happened before does not end the wait after it.
  func tries() { (isWoken, isNetworkBack) = (false, false) }

  /// Returns once the store has been asked again, whatever came of it.
  func nextTry() async { await withCheckedContinuation { watching.append($0) } }

  /// A try is over: whoever wanted to know can look.
  func tried() {
    let told = watching
    watching = []
    for continuation in told { continuation.resume() }
  }

  /// Waits before the next try.
  /// - Parameter least: how much of it is waited for also when the network is back.
  func pause(for duration: Duration, atLeast least: Duration, _ environment: PurchaseEnvironment) async {
    tried()
    await sleep(for: least, environment)
    canEndEarly = true
    if !isNetworkBack { await sleep(for: duration - least, environment) }
    canEndEarly = false
    // A whole wait without a word: whoever is heard of after that is back.
    if !isWoken { earlyTries = isNetworkBack ? earlyTries + 1 : 0 }
  }

  private func sleep(for duration: Duration, _ environment: PurchaseEnvironment) async {
    guard !isWoken, duration > .zero else { return }
    let sleep = Task { try await environment.effects.sleep("purchase.wait", for: duration, on: environment.clock) }
    self.sleep = sleep
    _ = try? await sleep.value
    self.sleep = nil
  }

  /// Ends a wait early, or leaves out the next: the session was renewed, something happened in the store, or a person wants to know.
  func wake() {
    isWoken = true
    sleep?.cancel()
  }

  /// Ends a wait early, or leaves out the next, as far as ``pause(for:atLeast:_:)`` lets it.
  func networkIsBack() {
    isNetworkBack = true
    if canEndEarly { sleep?.cancel() }
  }
}
