import Foundation
import Runtime
import Synchronization

/// Hashes passwords on a thread of its own, one at a time, so that neither the publication nor the shared pool waits for it.
///
/// The queue is bounded, for each client and for all, so that clients with many passwords, wrong or right, from any number of addresses, do
/// not take the places of others.
final class PasswordHasher: Sendable {
  /// There is no room in the queue; the client may try again in a moment.
  struct Busy: Error {}

  private struct Waiting {
    var all: [Standing] = []
    /// By client, and by the account that clients of good standing name.
    var places: [Place: Int] = [:]
  }

  private enum Place: Hashable { case client(String), account(String) }

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

  /// For a client, and for an account: with its right password, from many networks, an account does not take the places of all readers. Only
  /// clients of good standing count for it: others could keep a reader out by naming their account.
  private static let longestQueueOfOne = 4
  let executor = ThreadExecutor(name: "passwords")
  private let cost: PasswordCost
  private let random: any RandomSource
  /// What no password has.
  let placeholder: PasswordHash
  private let waiting = Mutex(Waiting())

  init(_ cost: PasswordCost, random: any RandomSource = SystemRandom()) {
    self.cost = cost
    self.random = random
    placeholder = PasswordHash(ofNothing: cost, random: random)
  }

  /// Hashes a new password.
  func hash(_ password: String) async throws -> PasswordHash {
    try await executor.run { [cost, random] in try PasswordHash(of: password, cost: cost, random: random) }
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
    let isCounted = client != nil && standing == .right && !account.isEmpty
    let places = [client.map(Place.client), isCounted ? .account(account) : nil].compactMap(\.self)
    try enter(places, standing)
    defer { leave(places, standing) }
    let candidate = hash ?? placeholder
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

  /// How many comparisons are under way or wait; for tests.
  var waitingCount: Int { waiting.withLock { $0.all.count } }

  private func enter(_ places: [Place], _ standing: Standing) throws {
    try waiting.withLock { waiting in
      // A quarter of the places is for clients that have none: those with several would take all of them otherwise.
      let isFirst = !places.contains { place in
        if case .client = place { waiting.places[place] != nil } else { false }
      }
      // The places of a standing are for those below it too.
      let hasPlace = [Standing.wrong, .new, .right].filter { $0.rawValue >= standing.rawValue }.allSatisfy { limit in
        waiting.all.count { $0.rawValue <= limit.rawValue } < limit.rawValue * (isFirst ? 4 : 3) / 4
      }
      guard hasPlace, places.allSatisfy({ waiting.places[$0, default: 0] < Self.longestQueueOfOne }) else { throw Busy() }
      waiting.all.append(standing)
      for place in places { waiting.places[place, default: 0] += 1 }
    }
  }

  private func leave(_ places: [Place], _ standing: Standing) {
    waiting.withLock { waiting in
      if let place = waiting.all.firstIndex(of: standing) { waiting.all.remove(at: place) }
      for place in places { if let count = waiting.places[place] { waiting.places[place] = count > 1 ? count - 1 : nil } }
    }
  }
}
