/// A value with any number of listeners, each with a stream of its own.
///
/// Every stream starts with the last value and keeps only the newest one that was not read yet, so a slow reader skips and is never behind.
/// Readers hold their owner weakly and end with their screen. Isolated to the main actor.
@MainActor public final class LastValue<Value: Equatable & Sendable> {
  private var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
  private var nextID = 0

  /// The value; setting an equal one tells nobody.
  public var value: Value {
    didSet {
      guard value != oldValue else { return }
      for continuation in continuations.values { continuation.yield(value) }
    }
  }

  /// - Parameter value: what the first stream starts with.
  public init(_ value: Value) { self.value = value }

  /// A new stream for this caller.
  public func stream() -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
    nextID += 1
    let id = nextID
    continuations[id] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { @MainActor in self?.continuations[id] = nil }
    }
    continuation.yield(value)
    return stream
  }

  isolated deinit { for continuation in continuations.values { continuation.finish() } }
}
