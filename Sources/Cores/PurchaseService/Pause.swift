import Runtime

/// The wait before another try, which may end early: at once by ``wake()``, and within limits when the network is back.
@MainActor final class Pause {
  private var sleep: Task<Void, any Error>?
  private(set) var isWoken = false
  /// Whether the network was said to be back since the try began.
  private var isNetworkBack = false
  /// Whether that ends the sleep.
  private var canEndEarly = false
  /// How many tries in a row were early because the network was back, and failed.
  private(set) var earlyTries = 0

  /// A try begins: what happened before does not end the wait after it.
  func tries() { (isWoken, isNetworkBack) = (false, false) }

  /// Waits before the next try, or until the task is cancelled.
  /// - Parameters:
  ///   - label: what the timer delivers as.
  ///   - least: how much of it is waited for also when the network is back.
  func wait(_ label: String, for duration: Duration, atLeast least: Duration, _ environment: PurchaseEnvironment) async {
    await sleep(label, for: least, environment)
    canEndEarly = true
    if !isNetworkBack { await sleep(label, for: duration - least, environment) }
    canEndEarly = false
    // After a whole wait in which the network did not come back, its next return counts as the first.
    if !isWoken { earlyTries = isNetworkBack ? earlyTries + 1 : 0 }
  }

  /// How much of a wait remains although the network is back: nothing at first. A server can be up and fail at this request: after early
  /// tries that failed, the network's return shortens a wait only to the back-off for that many early tries.
  func least(of wait: Duration, _ retry: RetryPolicy) -> Duration {
    earlyTries == 0 ? .zero : min(retry.backoff.wait(after: earlyTries, chance: 0), wait)
  }

  private func sleep(_ label: String, for duration: Duration, _ environment: PurchaseEnvironment) async {
    guard !isWoken, !Task.isCancelled, duration > .zero else { return }
    let sleep = Task { try await environment.effects.sleep(label, for: duration, on: environment.clock) }
    self.sleep = sleep
    await withTaskCancellationHandler {
      _ = try? await sleep.value
    } onCancel: {
      sleep.cancel()
    }
    self.sleep = nil
  }

  /// Ends a wait early, or skips the next: the session was renewed, the store reported a change, or a person requested a check.
  func wake() {
    isWoken = true
    sleep?.cancel()
  }

  /// Ends a wait early, or skips the next, within the limits of ``wait(_:for:atLeast:_:)``.
  func networkIsBack() {
    isNetworkBack = true
    if canEndEarly { sleep?.cancel() }
  }
}
