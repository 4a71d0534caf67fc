import Synchronization

/// Work that concurrent callers share: one piece of work for each key, whose result all callers get.
///
/// A caller that is cancelled gets `CancellationError` at once. Work without callers is cancelled, and the next caller begins it again. Safe
/// from any thread.
public final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Value, any Error>

  private struct Piece {
    let number: Int
    var waiting: [Int: Waiter]
    var task: Task<Void, Never>?
  }

  private struct State {
    var pieces: [Key: Piece] = [:]
    var lastNumber = 0

    mutating func next() -> Int {
      lastNumber += 1
      return lastNumber
    }
  }

  private let state = Mutex(State())

  /// Nothing is under way yet.
  public init() {}

  /// How many pieces of work are under way.
  public var count: Int { state.withLock { $0.pieces.count } }

  /// How many wait for the work of a key.
  public func waiting(for key: Key) -> Int { state.withLock { $0.pieces[key]?.waiting.count ?? 0 } }

  /// The result of the work under way for a key, or of `work`, which is begun when there is none.
  /// - Throws: what the work throws; `CancellationError` when the caller is cancelled.
  public func value(for key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let number = state.withLock { $0.next() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let isCancelled = state.withLock { state in
          // The task is marked before its handler runs: a handler that ran too early to find this waiter is seen here.
          if Task.isCancelled { return true }
          if state.pieces[key] == nil {
            let piece = state.next()
            state.pieces[key] = Piece(number: piece, waiting: [:])
            state.pieces[key]?.task = Task {
              do { self.end(key, piece, .success(try await work())) } catch { self.end(key, piece, .failure(error)) }
            }
          }
          state.pieces[key]?.waiting[number] = waiter
          return false
        }
        if isCancelled { waiter.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      leave(key, number)
    }
  }

  private func end(_ key: Key, _ number: Int, _ result: Result<Value, any Error>) {
    let waiting = state.withLock { state -> [Waiter] in
      guard let piece = state.pieces[key], piece.number == number else { return [] }
      state.pieces[key] = nil
      return piece.waiting.sorted { $0.key < $1.key }.map(\.value)
    }
    for waiter in waiting { waiter.resume(with: result) }
  }

  private func leave(_ key: Key, _ number: Int) {
    let (waiter, abandoned) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
      guard let waiter = state.pieces[key]?.waiting.removeValue(forKey: number) else { return (nil, nil) }
      guard let piece = state.pieces[key], piece.waiting.isEmpty else { return (waiter, nil) }
      state.pieces[key] = nil
      return (waiter, piece.task)
    }
    abandoned?.cancel()
    waiter?.resume(throwing: CancellationError())
  }
}
