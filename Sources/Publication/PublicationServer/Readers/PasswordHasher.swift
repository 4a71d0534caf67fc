import Runtime
import Synchronization

/// Hashes passwords on a thread of its own, one at a time, so that neither the publication nor the shared pool waits for it.
///
/// What waits is bounded, for all and for each client: whoever sends wrong passwords in a row takes no place of others.
final class PasswordHasher: Sendable {
  /// There is no room in the queue; the client may try again in a moment.
  struct Busy: Error {}

  private struct Waiting {
    var all = 0
    var clients: [String: Int] = [:]
  }

  /// About three seconds of work.
  private static let longestQueue = 32
  private static let longestQueueOfClient = 4
  let executor = ThreadExecutor(name: "passwords")
  private let cost: PasswordCost
  private let nobody: PasswordHash
  private let waiting = Mutex(Waiting())

  init(_ cost: PasswordCost) throws {
    self.cost = cost
    nobody = try PasswordHash(ofNothing: cost)
  }

  func hash(_ password: String) async throws -> PasswordHash {
    try await executor.run { [cost] in try PasswordHash(of: password, cost: cost) }
  }

  /// Whether the password is the right one. For a reader who does not exist it never is, and finding that out takes as long.
  /// - Parameter client: the address that asks; nil where clients cannot be told apart.
  /// - Throws: ``Busy``; `CancellationError` when nobody waits for the answer any more.
  func matches(_ password: String, _ hash: PasswordHash?, client: String?) async throws -> Bool {
    try enter(client)
    defer { leave(client) }
    let candidate = hash ?? nobody
    let isCancelled = Atomic(false)
    let matches = try await withTaskCancellationHandler {
      try await executor.run {
        guard !isCancelled.load(ordering: .relaxed) else { throw CancellationError() }
        return try candidate.matches(password)
      }
    } onCancel: {
      isCancelled.store(true, ordering: .relaxed)
    }
    return matches && hash != nil
  }

  private func enter(_ client: String?) throws {
    try waiting.withLock { waiting in
      let ofClient = client.flatMap { waiting.clients[$0] } ?? 0
      guard waiting.all < Self.longestQueue, ofClient < Self.longestQueueOfClient else { throw Busy() }
      waiting.all += 1
      if let client { waiting.clients[client] = ofClient + 1 }
    }
  }

  private func leave(_ client: String?) {
    waiting.withLock { waiting in
      waiting.all -= 1
      guard let client, let count = waiting.clients[client] else { return }
      waiting.clients[client] = count > 1 ? count - 1 : nil
    }
  }
}
