import HTTPTransport
import Synchronization

/// Limits how many requests of each session run at a time. Further ones wait in their order. So a client with many requests delays itself,
/// and others wait only for those few. The caller decides what counts as a session: for searches it is a reader.
final class Turns: Sendable {
  private struct Session {
    var working = 0
    var waiting: [CheckedContinuation<Bool, Never>] = []
  }

  static let most = 8
  /// More than any client sends at a time.
  static let longestQueue = 64
  private let mostAtATime: Int
  private let longestQueue: Int
  private let sessions = Mutex<[String: Session]>([:])

  /// - Parameters:
  ///   - most: how many of a session are worked on at a time.
  ///   - longestQueue: how many more may wait.
  init(_ most: Int = Turns.most, longestQueue: Int = Turns.longestQueue) {
    mostAtATime = most
    self.longestQueue = longestQueue
  }

  /// How many requests of a session are worked on or wait.
  func count(_ session: String) -> Int { sessions.withLock { $0[session].map { $0.working + $0.waiting.count } ?? 0 } }

  /// Does `work` when it is the session's turn.
  /// - Throws: what `work` throws; ``Refusal`` with 429 when too many wait, with 499 when the client left meanwhile.
  nonisolated(nonsending) func take<Value>(
    _ session: String, _ work: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    guard await enter(session) else {
      throw Refusal(
        response: .problem(429, .busy, "Too much is asked for at a time in this session. Try again in a moment.", retryAfter: 1))
    }
    defer { leave(session) }
    // 499 is what proxies call a client that closed the connection; no client reads it.
    if Task.isCancelled { throw Refusal(response: Response(499)) }
    return try await work()
  }

  /// - Returns: `false` when the queue is full.
  private func enter(_ session: String) async -> Bool {
    await withCheckedContinuation { continuation in
      let mayWork: Bool? = sessions.withLock { sessions in
        var entry = sessions[session] ?? Session()
        defer { sessions[session] = entry }
        if entry.working < mostAtATime {
          entry.working += 1
          return true
        }
        guard entry.waiting.count < longestQueue else { return false }
        entry.waiting.append(continuation)
        return nil
      }
      if let mayWork { continuation.resume(returning: mayWork) }
    }
  }

  private func leave(_ session: String) {
    let next: CheckedContinuation<Bool, Never>? = sessions.withLock { sessions in
      guard var entry = sessions[session] else { return nil }
      defer { sessions[session] = entry.working == 0 ? nil : entry }
      // The place goes to the request that waits longest.
      if !entry.waiting.isEmpty { return entry.waiting.removeFirst() }
      entry.working -= 1
      return nil
    }
    next?.resume(returning: true)
  }
}
