import HTTPTransport
import Synchronization

/// Limits how many requests of each session run at a time. Further ones wait in their order. So a client with many requests delays itself,
/// and others wait only for those few. The caller decides what counts as a session: for searches it is a reader.
///
/// Where all sessions together have too many that wait, the newest of the session with the most of them gives way: requests that wait have
/// connections, of which there are only so many.
final class RequestTurns: Sendable {
  private struct Session {
    var working = 0
    /// Resumed with `nil` when it is their turn, and with the answer when they get none.
    var waiting: [CheckedContinuation<Response?, Never>] = []
  }

  private struct State {
    var sessions: [String: Session] = [:]
    /// How many wait, of all sessions together, and how many may.
    var waiting = 0
    var mostWaiting = Int.max
  }

  static let most = 8
  /// More than any client sends at a time.
  static let longestQueue = 64
  private let mostAtATime: Int
  private let longestQueue: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - most: how many of a session are worked on at a time.
  ///   - longestQueue: how many more may wait.
  init(_ most: Int = RequestTurns.most, longestQueue: Int = RequestTurns.longestQueue) {
    mostAtATime = most
    self.longestQueue = longestQueue
  }

  /// How many requests of a session are worked on or wait.
  func count(_ session: String) -> Int { state.withLock { $0.sessions[session].map { $0.working + $0.waiting.count } ?? 0 } }

  /// From now on so many requests may wait, of all sessions together.
  func limitWaiting(_ most: Int) { state.withLock { $0.mostWaiting = most } }

  /// Does `work` when it is the session's turn.
  /// - Throws: what `work` throws; ``Refusal`` with 429 when too many of the session wait, with 503 when too many of all sessions do, with
  ///   499 when the client left meanwhile.
  nonisolated(nonsending) func take<Value>(
    _ session: String, _ work: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    if let refusal = await enter(session) { throw Refusal(response: refusal) }
    defer { leave(session) }
    // 499 is what proxies call a client that closed the connection; no client reads it.
    if Task.isCancelled { throw Refusal(response: Response(499)) }
    return try await work()
  }

  private static let tooMany = Response.problem(
    429, .busy, "Too much is asked for at a time in this session. Try again in a moment.", retryAfter: 1)
  private static let busy = Response.problem(
    503, .busy, "Too much is asked for at the moment, most of it by you. Try again in a few seconds.", retryAfter: 3)

  /// - Returns: the answer when the queue is full.
  private func enter(_ session: String) async -> Response? {
    await withCheckedContinuation { continuation in
      let (resumed, answer): (CheckedContinuation<Response?, Never>?, Response?) = state.withLock { state in
        var entry = state.sessions[session] ?? Session()
        if entry.working < mostAtATime {
          entry.working += 1
          state.sessions[session] = entry
          return (continuation, nil)
        }
        guard entry.waiting.count < longestQueue else { return (continuation, Self.tooMany) }
        entry.waiting.append(continuation)
        state.sessions[session] = entry
        state.waiting += 1
        guard state.waiting > state.mostWaiting else { return (nil, nil) }
        // Of several with as many it is the one that comes now.
        let most = state.sessions.max { $0.value.waiting.count < $1.value.waiting.count }
        let greediest = most.flatMap { $0.value.waiting.count > entry.waiting.count ? $0.key : nil } ?? session
        state.waiting -= 1
        return (state.sessions[greediest]?.waiting.removeLast(), Self.busy)
      }
      resumed?.resume(returning: answer)
    }
  }

  private func leave(_ session: String) {
    let next: CheckedContinuation<Response?, Never>? = state.withLock { state in
      guard var entry = state.sessions[session] else { return nil }
      defer { state.sessions[session] = entry.working == 0 ? nil : entry }
      // The place goes to the request that waits longest.
      if !entry.waiting.isEmpty {
        state.waiting -= 1
        return entry.waiting.removeFirst()
      }
      entry.working -= 1
      return nil
    }
    next?.resume(returning: nil)
  }
}

extension RequestTurns {
  /// Does one part of long work, such as an import, while no other part of any is done. However much long work is under way, a request waits
  /// for one part at each of its steps. Each work has its turn after all others that wait, and requests run before the caller continues.
  /// - Throws: what `part` throws; `CancellationError`.
  nonisolated(nonsending) func takePart<Value>(_ part: nonisolated(nonsending) () async throws -> Value) async throws -> Value {
    let value: Value
    do { value = try await take("", part) } catch is Refusal { throw CancellationError() }
    await Task.yield()
    return value
  }
}
