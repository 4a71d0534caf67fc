/// A value, and those who are told of its changes. Isolated to the main actor.
///
/// An observer is told before the assignment returns, so that what follows from a change is there with it. A task that waits for a value reads
/// a stream, which starts with the last value, skips to the newest and never gives the same twice in a row: a slow reader is never behind, and
/// misses a change that was reverted before it read.
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

  private struct Observer {
    let number: Int
    let call: @MainActor (Value) -> Void
    var told: Value?
  }

  private var readers: [WeakReader] = []
  private var observers: [Observer] = []
  private var observed = 0
  private var isTelling = false

  /// The value. An equal one is not told.
  public var value: Value {
    didSet {
      guard value != oldValue else { return }
      for entry in readers { entry.reader?.take(value) }
      tell()
    }
  }

  /// - Parameter value: what it is at first.
  public init(_ value: Value) { self.value = value }

  /// Calls an observer at once, and then with each later value, before the assignment returns. Where an observer assigns another value, the
  /// others are told that one, in the order in which they came.
  /// - Returns: what has to be held for as long as the observer is to be called.
  public func observe(_ observer: @escaping @MainActor (Value) -> Void) -> Observation {
    observed += 1
    let number = observed
    observers.append(Observer(number: number, call: observer, told: value))
    tell { observer(value) }
    return Observation { [weak self] in self?.observers.removeAll { $0.number == number } }
  }

  /// - Parameter first: told before the others; a change that it makes is told when it has returned.
  private func tell(_ first: () -> Void = {}) {
    let isWithinAnother = isTelling
    isTelling = true
    defer { isTelling = isWithinAnother }
    first()
    // The outer one goes on until all are told.
    guard !isWithinAnother else { return }
    while let next = observers.firstIndex(where: { $0.told != .some(value) }) {
      observers[next].told = value
      observers[next].call(value)
    }
  }

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
