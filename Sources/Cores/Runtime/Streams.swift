import Synchronization

/// Any number of listeners to something that happens off the main actor, each with a stream of its own. Safe from any thread.
public final class Streams<Value: Sendable>: Sendable {
  private struct Listeners {
    var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
    var nextID = 0
  }

  private let listeners = Mutex(Listeners())

  /// Without listeners.
  public init() {}

  deinit { listeners.withLock { for continuation in $0.continuations.values { continuation.finish() } } }

  /// A new stream for this caller, of every value from here on.
  public func all() -> AsyncStream<Value> { stream(.unbounded) { nil } }

  /// A new stream for this caller, which starts with the present value and skips to the newest.
  /// - Parameter present: called at once, while nobody tells, so that an older value never comes after a newer one.
  public func newest(_ present: () -> Value) -> AsyncStream<Value> { stream(.bufferingNewest(1)) { present() } }

  private func stream(_ policy: AsyncStream<Value>.Continuation.BufferingPolicy, _ first: () -> Value?) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: policy)
    let id = listeners.withLock { listeners in
      listeners.nextID += 1
      listeners.continuations[listeners.nextID] = continuation
      if let first = first() { continuation.yield(first) }
      return listeners.nextID
    }
    continuation.onTermination = { [weak self] _ in _ = self?.listeners.withLock { $0.continuations.removeValue(forKey: id) } }
    return stream
  }

  /// Tells everyone.
  /// - Parameter value: called at once, while nobody else tells; not at all without listeners.
  public func tell(_ value: () -> Value) {
    listeners.withLock { listeners in
      guard !listeners.continuations.isEmpty else { return }
      let value = value()
      for continuation in listeners.continuations.values { continuation.yield(value) }
    }
  }
}
