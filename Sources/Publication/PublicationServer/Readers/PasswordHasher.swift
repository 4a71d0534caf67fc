import Foundation
import Runtime
import Synchronization

/// Hashes passwords on a thread of its own, one at a time, so that neither the publication nor the shared pool waits for it.
///
/// The queue is bounded, for each client and for all, so that clients with many wrong passwords, from any number of addresses, do not take
/// the places of others.
final class PasswordHasher: Sendable {
  /// There is no room in the queue; the client may try again in a moment.
  struct Busy: Error {}

  private struct Waiting {
    var all: [Standing] = []
    var clients: [String: Int] = [:]
    /// Of clients from which readers signed in, by the account that they name.
    var accounts: [String: Int] = [:]
  }

  /// A client's standing by earlier sign-ins, and the number of places for it and for those of lower standing: the whole queue is about
  /// three seconds of work.
  enum Standing: Int {
    /// It sent a wrong password lately.
    case wrong = 16
    /// Neither.
    case new = 24
    /// A reader signed in from there, or clients cannot be distinguished.
    case right = 32
  }

  private static let longestQueueOfClient = 4
  /// One account with its right password, from many networks, does not take the places of all readers. Only clients of good standing count:
  /// others could keep a reader out by naming their account.
  private static let longestQueueOfAccount = 4
  let executor = ThreadExecutor(name: "passwords")
  private let cost: PasswordCost
  /// What no password has.
  let placeholder: PasswordHash
  private let waiting = Mutex(Waiting())

  init(_ cost: PasswordCost) throws {
    self.cost = cost
    placeholder = try PasswordHash(ofNothing: cost)
  }

  /// Hashes a new password in Unicode's form NFC (RFC 8265, section 4.2.2): one keyboard types é as one code point, another as two.
  func hash(_ password: String) async throws -> PasswordHash {
    try await executor.run { [cost] in try PasswordHash(of: password.precomposedStringWithCanonicalMapping, cost: cost) }
  }

  /// Whether the password is the right one. For a reader who does not exist it never is, and the comparison takes as long.
  /// - Parameters:
  ///   - client: the client's address; nil where clients cannot be distinguished.
  ///   - account: the address that the client names.
  ///   - standing: what earlier sign-ins say about that client.
  /// - Throws: ``Busy``; `CancellationError` when the caller is cancelled.
  func matches(
    _ password: String, _ hash: PasswordHash?, client: String?, account: String = "", standing: Standing = .right
  ) async throws -> Bool {
    let account = client != nil && standing == .right && !account.isEmpty ? account : nil
    try enter(client, account, standing)
    defer { leave(client, account, standing) }
    let candidate = hash ?? placeholder
    let isCancelled = Atomic(false)
    let matches = try await withTaskCancellationHandler {
      try await executor.run {
        guard !isCancelled.load(ordering: .relaxed) else { throw CancellationError() }
        let composed = password.precomposedStringWithCanonicalMapping
        if try candidate.matches(composed) { return true }
        // Earlier versions hashed what was typed.
        return try !composed.utf8.elementsEqual(password.utf8) && candidate.matches(password)
      }
    } onCancel: {
      isCancelled.store(true, ordering: .relaxed)
    }
    return matches && hash != nil
  }

  /// How many comparisons are under way or wait; for tests.
  var waitingCount: Int { waiting.withLock { $0.all.count } }

  private func enter(_ client: String?, _ account: String?, _ standing: Standing) throws {
    try waiting.withLock { waiting in
      let ofClient = client.flatMap { waiting.clients[$0] } ?? 0
      let ofAccount = account.flatMap { waiting.accounts[$0] } ?? 0
      // The places of a standing are for those below it too.
      let hasPlace = [Standing.wrong, .new, .right].filter { $0.rawValue >= standing.rawValue }.allSatisfy { limit in
        waiting.all.count { $0.rawValue <= limit.rawValue } < limit.rawValue
      }
      guard hasPlace, ofClient < Self.longestQueueOfClient, ofAccount < Self.longestQueueOfAccount else { throw Busy() }
      waiting.all.append(standing)
      if let client { waiting.clients[client] = ofClient + 1 }
      if let account { waiting.accounts[account] = ofAccount + 1 }
    }
  }

  private func leave(_ client: String?, _ account: String?, _ standing: Standing) {
    waiting.withLock { waiting in
      if let place = waiting.all.firstIndex(of: standing) { waiting.all.remove(at: place) }
      if let client, let count = waiting.clients[client] { waiting.clients[client] = count > 1 ? count - 1 : nil }
      if let account, let count = waiting.accounts[account] { waiting.accounts[account] = count > 1 ? count - 1 : nil }
    }
  }
}
