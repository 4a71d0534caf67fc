import Foundation
import Glibc
import Synchronization

/// Time, as every core sees it. Nothing below the executables reads `Date()` or sleeps by other means.
public protocol AppClock: Sendable {
  /// The wall clock's time, which people can set back and forth.
  var now: Date { get }
  /// Time since some fixed point, which never goes back while the machine is up.
  var uptime: Duration { get }
  /// Names the boot that ``uptime`` counts from: two readings of ``uptime`` can be compared when this is the same for both.
  var boot: String { get }
  /// Waits.
  /// - Throws: `CancellationError` when the task is cancelled before the time is over.
  func sleep(for duration: Duration) async throws
}

/// The machine's own clock.
public struct SystemClock: AppClock {
  // Where the kernel does not name the boot, each process counts as one of its own: the time between two processes is then unknown.
  private static let bootID =
    (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
    ?? UUID().uuidString

  /// Has no state: every instance reads the same clocks.
  public init() {}

  /// The wall clock's time.
  public var now: Date { Date() }
  /// Time since the machine was started, including the time in suspend.
  public var uptime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
  /// The kernel's identifier of this boot.
  public var boot: String { Self.bootID }
  /// Waits on the continuous clock.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(for duration: Duration) async throws { try await ContinuousClock().sleep(for: duration) }
}

/// A clock that stands still until it is moved: for tests, scenarios and testers.
///
/// Safe from any thread: one lock guards all of its state.
public final class ManualClock: AppClock, Sendable {
  private struct Sleeper {
    let id: UInt64
    let due: Duration
    let continuation: CheckedContinuation<Void, any Error>
    let count: (@Sendable (Int) -> Void)?
  }

  private struct State {
    var now: Date
    var uptime: Duration = .zero
    var boots = 1
    var sleepers: [Sleeper] = []
    var cancelled: Set<UInt64> = []
    var nextID: UInt64 = 0
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  /// - Parameter now: what the wall clock shows at the start.
  public init(now: Date = Date(timeIntervalSince1970: 1_700_000_000)) { state = Mutex(State(now: now)) }

  /// What the wall clock shows.
  public var now: Date { state.withLock { $0.now } }
  /// How far the clock has been moved since the last ``reboot()``.
  public var uptime: Duration { state.withLock { $0.uptime } }
  /// `boot-1` before the first ``reboot()``.
  public var boot: String { state.withLock { "boot-\($0.boots)" } }
  /// How many tasks sleep on this clock.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// How long until the first of them wakes; `nil` while no task sleeps.
  public var nextDue: Duration? { state.withLock { state in state.sleepers.map(\.due).min().map { $0 - state.uptime } } }

  /// Moves both clocks forwards and wakes the sleepers that are due, earliest first.
  public func advance(by duration: Duration) {
    let due: [Sleeper] = state.withLock { state in
      state.uptime += duration
      state.now += duration.seconds
      let due = state.sleepers.filter { $0.due <= state.uptime }.sorted { $0.due < $1.due }
      state.sleepers.removeAll { $0.due <= state.uptime }
      for sleeper in due { sleeper.count?(-1) }
      return due
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Counts ``uptime`` from zero again, like a machine after a restart. The wall clock stands still meanwhile; each sleeper has as long to
  /// sleep as before.
  public func reboot() {
    state.withLock { state in
      state.sleepers = state.sleepers.map { Sleeper(id: $0.id, due: $0.due - state.uptime, continuation: $0.continuation, count: $0.count) }
      state.uptime = .zero
      state.boots += 1
    }
  }

  /// Sets the wall clock alone, as a person would.
  public func setNow(_ date: Date) { state.withLock { $0.now = date } }

  /// Returns once at least `count` tasks sleep on this clock, so that a test can move it at the right moment.
  public func waitForSleepers(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state in
        if state.sleepers.count >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if ready { continuation.resume() }
    }
  }

  /// Waits until the clock has been moved by `duration`.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(for duration: Duration) async throws { try await sleep(for: duration, count: nil) }

  /// The same, and calls `count` with 1 when the sleep begins and with -1 when it is over, before anything else can see the clock.
  /// - Throws: `CancellationError` when the task is cancelled.
  package func sleep(for duration: Duration, count: (@Sendable (Int) -> Void)?) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        enum Outcome { case wake, cancel, wait([CheckedContinuation<Void, Never>]) }
        let outcome: Outcome = state.withLock { state in
          if state.cancelled.remove(id) != nil { return .cancel }
          if duration <= .zero { return .wake }
          state.sleepers.append(Sleeper(id: id, due: state.uptime + duration, continuation: continuation, count: count))
          count?(1)
          let ready = state.waiters.filter { $0.count <= state.sleepers.count }.map(\.continuation)
          state.waiters.removeAll { $0.count <= state.sleepers.count }
          return .wait(ready)
        }
        switch outcome {
        case .wake: continuation.resume()
        case .cancel: continuation.resume(throwing: CancellationError())
        case .wait(let ready): for waiter in ready { waiter.resume() }
        }
      }
    } onCancel: {
      let sleeper: Sleeper? = state.withLock { state in
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        count?(-1)
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}

extension Duration {
  /// The same length in seconds, for Foundation's dates.
  public var seconds: TimeInterval {
    let (seconds, attoseconds) = components
    return TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18
  }
}
