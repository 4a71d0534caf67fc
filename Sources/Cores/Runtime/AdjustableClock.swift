import Foundation
import Synchronization

/// A clock over another one that can run faster, stand still or be moved on: for testers, who cannot wait a month for a renewal.
///
/// Wall time and uptime move together; both only go forwards, and changes of the wall clock underneath are followed. A sleeper on it wakes
/// when *its* time has come, also when the rate changes meanwhile. Safe from any thread.
public final class AdjustableClock: AppClock, Sendable {
  /// Thirty days pass in thirty seconds.
  public static let monthInThirtySeconds = 86_400

  private struct State {
    var rate: Int
    /// How far ahead of the clock underneath this one was at ``mark``.
    var ahead: Duration
    /// The uptime underneath when the rate was set.
    var mark: Duration
    var sleeps: [UInt64: Task<Void, any Error>] = [:]
    var nextID: UInt64 = 0

    func ahead(at uptime: Duration) -> Duration { ahead + (uptime - mark) * (rate - 1) }
  }

  private let base: any AppClock
  private let state: Mutex<State>
  /// Each clock has a boot of its own, since it does not know how far another one was ahead.
  public let boot: String

  /// - Parameters:
  ///   - base: the clock underneath.
  ///   - rate: see ``rate``.
  ///   - ahead: how far ahead of it this one starts, to continue an earlier one.
  public init(_ base: any AppClock, rate: Int = 1, ahead: Duration = .zero) {
    self.base = base
    let mark = base.uptime
    boot = "\(base.boot) adjusted from \(mark) by \(ahead)"
    state = Mutex(State(rate: max(rate, 0), ahead: ahead, mark: mark))
  }

  /// How many seconds pass here in one underneath, 0 or more. At 0 the clock stands still and moves by ``step(by:)`` alone.
  public var rate: Int {
    get { state.withLock { $0.rate } }
    set { change { $0.rate = max(newValue, 0) } }
  }

  /// How far ahead of the clock underneath this one is; less than zero after it ran slower.
  public var ahead: Duration { state.withLock { $0.ahead(at: base.uptime) } }

  /// Moves the clock forwards at once and wakes the sleepers that are due. A negative duration does nothing.
  public func step(by duration: Duration) { change { $0.ahead += max(duration, .zero) } }

  /// The wall clock's time.
  public var now: Date { base.now + ahead.seconds }
  /// The uptime of the clock underneath, plus the time that this one added.
  public var uptime: Duration { state.withLock { Self.uptime($0, base) } }

  private static func uptime(_ state: borrowing State, _ base: any AppClock) -> Duration {
    let uptime = base.uptime
    return uptime + state.ahead(at: uptime)
  }

  private func change(_ change: (inout State) -> Void) {
    let sleeps = state.withLock { state in
      let uptime = base.uptime
      state.ahead = state.ahead(at: uptime)
      state.mark = uptime
      change(&state)
      return state.sleeps.values
    }
    // Each looks again how long it has to wait.
    for sleep in sleeps { sleep.cancel() }
  }

  /// Waits until `duration` has passed on this clock.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(for duration: Duration) async throws {
    let (id, due) = state.withLock { state in
      state.nextID += 1
      return (state.nextID, Self.uptime(state, base) + duration)
    }
    while true {
      try Task.checkCancellation()
      let sleep: Task<Void, any Error>? = state.withLock { state in
        let left = due - Self.uptime(state, base)
        guard left > .zero else { return nil }
        let task = Task { [base, wait = Self.wait(left, rate: state.rate)] in try await base.sleep(for: wait) }
        state.sleeps[id] = task
        return task
      }
      guard let sleep else { return }
      await withTaskCancellationHandler {
        _ = try? await sleep.value
      } onCancel: {
        sleep.cancel()
      }
      state.withLock { $0.sleeps[id] = nil }
    }
  }

  /// Rounded up: an attosecond too early would be a sleep for nothing.
  private static func wait(_ left: Duration, rate: Int) -> Duration {
    // While the clock stands still, only a change of its rate or time wakes the sleeper.
    guard rate > 0 else { return .seconds(10 * 365 * 86_400) }
    return (left + Duration(secondsComponent: 0, attosecondsComponent: Int64(rate - 1))) / rate
  }
}
