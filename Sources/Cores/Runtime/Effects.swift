import Synchronization

/// The one door by which state-holding code leaves the main actor and comes back.
///
/// Each completion is numbered as it arrives. An input, a timer or such a completion is a *delivery*, the only thing that changes state;
/// tests and scenarios count them through ``onDelivery``. Isolated to the main actor, like all state that a person can see.
@MainActor public final class Effects {
  /// One delivery: its place in the order of all, and what it was.
  public struct Delivery: Equatable, Sendable {
    /// 1 for the first of the process.
    public let number: Int
    /// What the caller named it, such as `"feed.load"`.
    public let label: String
  }

  /// Called before the delivered value reaches the caller that awaits it.
  public var onDelivery: ((Delivery) -> Void)?
  /// How many effects have been started and not delivered.
  public private(set) var inFlight = 0
  /// How many timers have been started and have not ended. Once those that are due have been delivered, as many sleep on their clock.
  public private(set) var timers = 0
  /// Whether ``stop()`` was called.
  public private(set) var isStopped = false
  private var deliveries = 0
  private var settling: [(held: Int, continuation: CheckedContinuation<Void, Never>)] = []
  /// Timers on clocks that are moved by hand, and how many of them such a clock has asleep. It counts them on other threads.
  private var manualTimers = 0
  private nonisolated let asleep = Mutex(0)

  /// Nothing is under way yet. The app has one instance, and each test one of its own.
  public init() {}

  /// Numbers a delivery that no effect requested: an input, a signal of the desktop.
  public func deliver(_ label: String) {
    deliveries += 1
    onDelivery?(Delivery(number: deliveries, label: label))
  }

  /// Starts and delivers nothing from here on: a caller that awaits an effect waits for ever, as in a process that was killed. For
  /// scenarios and tests, which cannot end a process of their own.
  public func stop() { isStopped = true }

  private func suspendIfStopped() async {
    if isStopped { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
  }

  /// Runs `work` off the main actor and delivers its result.
  /// - Throws: what `work` throws, delivered in the same way.
  public func run<Value: Sendable>(
    _ label: String, _ work: @escaping @concurrent @Sendable () async throws -> Value
  ) async throws -> Value {
    await suspendIfStopped()
    inFlight += 1
    let result = await perform { try await EffectKind.$current.withValue(.effect) { try await work() } }
    return try await delivered(label, result)
  }

  /// Asks an actor that has a thread of its own, and delivers its answer. The call does not use the shared pool, so two threads fewer are
  /// woken. What `question` does before and after the actor, it does on the main actor.
  /// - Throws: what `question` throws, delivered in the same way.
  public func call<Value: Sendable>(
    _ label: String, _ work: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    await suspendIfStopped()
    inFlight += 1
    let result: Result<Value, any Error>
    do { result = .success(try await work()) } catch { result = .failure(error) }
    return try await delivered(label, result)
  }

  private func delivered<Value>(_ label: String, _ result: Result<Value, any Error>) async throws -> Value {
    await suspendIfStopped()
    deliver(label)
    inFlight -= 1
    if settling.contains(where: { inFlight <= $0.held }) {
      // After the main actor's jobs that are already queued, so that the next effect, started from this one, is counted.
      Task { @MainActor in self.wakeSettled() }
    }
    return try result.get()
  }

  /// Waits on a clock and delivers the end of it. Timers are not in flight: ``settled(holding:)`` does not wait for a clock to be moved.
  /// - Throws: `CancellationError` when the task is cancelled; a cancelled timer delivers nothing.
  public func sleep(_ label: String, for duration: Duration, on clock: any AppClock) async throws {
    await suspendIfStopped()
    timers += 1
    let manual = clock as? ManualClock
    if manual != nil { manualTimers += 1 }
    let result = await perform {
      try await EffectKind.$current.withValue(.timer) {
        guard let manual else { return try await clock.sleep(for: duration) }
        try await manual.sleep(for: duration) { change in self.asleep.withLock { $0 += change } }
      }
    }
    await suspendIfStopped()
    timers -= 1
    if manual != nil { manualTimers -= 1 }
    try result.get()
    deliver(label)
  }

  /// Waits for a task to end, but not for longer than `patience`. The task continues after that.
  /// - Parameters:
  ///   - label: names the timer among the deliveries.
  ///   - patience: how long the task may take.
  ///   - clock: what that is measured by.
  ///   - task: what is waited for.
  /// - Returns: whether it ended in time.
  @discardableResult public func wait(
    _ label: String, for patience: Duration, on clock: any AppClock, until task: Task<Void, Never>
  ) async -> Bool {
    await task.ends { try? await self.sleep(label, for: patience, on: clock) }
  }

  private nonisolated func perform<Value: Sendable>(
    _ work: @escaping @concurrent @Sendable () async throws -> Value
  ) async -> Result<Value, any Error> {
    do { return .success(try await work()) } catch { return .failure(error) }
  }

  /// Returns when nothing is in flight, all timers of a ``ManualClock`` sleep on it, and the deliveries' consequences have run: tests wait for
  /// this instead of sleeping.
  /// - Parameter held: how many effects may still be in flight, because the test holds their answers.
  public func settled(holding held: Int = 0) async {
    var seen = -1
    while inFlight > held || isTimerAwake || seen != deliveries {
      if inFlight > held { await withCheckedContinuation { settling.append((held, $0)) } }
      seen = deliveries
      // A delivery's consequences are jobs of the main actor, some of which start others before the next effect begins. Values of streams come
      // by way of the global executor.
      for hop in 0..<Self.hops where inFlight <= held {
        if hop % 4 == 3 { await Self.hopOffMainActor() } else { await Task.yield() }
      }
    }
  }

  /// Whether a clock was moved to where a timer ends that was not delivered yet, or does not know a timer yet.
  private var isTimerAwake: Bool { !isStopped && manualTimers > asleep.withLock { $0 } }

  private static let hops = 32

  @concurrent private nonisolated static func hopOffMainActor() async { await Task.yield() }

  private func wakeSettled() {
    let waiting = settling.filter { inFlight <= $0.held }
    settling.removeAll { inFlight <= $0.held }
    for waiter in waiting { waiter.continuation.resume() }
  }
}

/// Which part of ``Effects`` the present task belongs to, for clocks that count their sleepers.
public enum EffectKind: Sendable {
  /// For ``Effects/run(_:_:)``, which is in flight meanwhile.
  case effect
  /// The task is a timer, of ``Effects/sleep(_:for:on:)``.
  case timer

  /// `nil` for all other work.
  @TaskLocal public static var current: EffectKind?
}
