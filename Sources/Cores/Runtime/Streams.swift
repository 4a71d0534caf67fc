import Synchronization

/// Any number of listeners to something that happens off the main actor, each with a stream of its own. Safe from any thread.
public final class Streams<Value: Sendable>: Sendable {
  private let listeners = Mutex<[AsyncStream<Value>.Continuation]>([])

  /// Has no listeners yet.
  public init() {}

  deinit { listeners.withLock { for continuation in $0 { continuation.finish() } } }

  /// A new stream for this caller, of every value from here on.
  public func all() -> AsyncStream<Value> { stream(.unbounded) { nil } }

  /// A new stream for this caller, which starts with the present value and skips to the newest.
  /// - Parameter present: called at once, while no ``tell(_:)`` runs, so that an older value never comes after a newer one.
  public func newest(_ present: () -> Value) -> AsyncStream<Value> { stream(.bufferingNewest(1)) { present() } }

  private func stream(_ policy: AsyncStream<Value>.Continuation.BufferingPolicy, _ first: () -> Value?) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: policy)
    listeners.withLock { listeners in
      if let first = first() { continuation.yield(first) }
      listeners.append(continuation)
    }
    return stream
  }

  /// Sends a value to all listeners.
  /// - Parameter value: called at once, while no other ``tell(_:)`` runs; not at all without listeners.
  public func tell(_ value: () -> Value) {
    listeners.withLock { listeners in
      guard !listeners.isEmpty else { return }
      let value = value()
      // A stream that has ended is found here and not by its termination handler, which runs under the lock that a yield takes too.
      listeners.removeAll { if case .terminated = $0.yield(value) { true } else { false } }
    }
  }
}
