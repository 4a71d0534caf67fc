/// A value with any number of listeners, each with a stream of its own.
///
/// Every stream starts with the last value, skips to the newest one and never gives the same twice in a row: a slow reader is never behind,
/// and misses a change that was reverted before it read. Readers hold their owner weakly and end with their screen. Isolated to the main
/// actor.
@MainActor public final class LastValue<Value: Equatable & Sendable> {
  /// One stream's place in the sequence of values.
  @MainActor private final class Reader {
    private var newest: Value
    private var given: Value?
    private var isFinished = false
    private var waiting: CheckedContinuation<Void, Never>?

    init(_ value: Value) { newest = value }

    func take(_ value: Value) {
      newest = value
      wake()
    }

    /// A value that was not given yet is still given.
    func end() {
      isFinished = true
      wake()
    }

    func next() async -> Value? {
      while newest == given {
        if isFinished { return nil }
        // Looks again once the present changes of the value are done.
        await withCheckedContinuation { waiting = $0 }
      }
      given = newest
      return newest
    }

    private func wake() {
      waiting?.resume()
      waiting = nil
    }
  }

  private struct WeakReader { weak var reader: Reader? }

  private var readers: [WeakReader] = []

  /// The value; setting an equal one reaches no stream.
  public var value: Value {
    didSet {
      guard value != oldValue else { return }
      for entry in readers { entry.reader?.take(value) }
    }
  }

  /// - Parameter value: what the first stream starts with.
  public init(_ value: Value) { self.value = value }

  /// A new stream for this caller.
  public func stream() -> AsyncStream<Value> {
    let reader = Reader(value)
    readers.removeAll { $0.reader == nil }
    readers.append(WeakReader(reader: reader))
    return AsyncStream {
      await reader.next()
    } onCancel: {
      Task { @MainActor in reader.end() }
    }
  }

  isolated deinit { for entry in readers { entry.reader?.end() } }
}

extension AsyncStream<Void> {
  /// A stream that emits whenever one of several streams does, without the value; it ends with the first that ends.
  package static func ticks<Value: Sendable>(of streams: AsyncStream<Value>...) -> AsyncStream<Void> {
    let (ticks, continuation) = makeStream(bufferingPolicy: .bufferingNewest(1))
    let tasks = streams.map { stream in
      Task {
        for await _ in stream { continuation.yield() }
        continuation.finish()
      }
    }
    continuation.onTermination = { _ in for task in tasks { task.cancel() } }
    return ticks
  }
}
