import Runtime

/// Hashes passwords on a thread of its own, one at a time, so that neither the publication nor the shared pool waits for it.
final class PasswordHasher: Sendable {
  private let executor = ThreadExecutor(name: "passwords")
  private let cost: PasswordCost
  private let nobody: PasswordHash

  init(_ cost: PasswordCost) throws {
    self.cost = cost
    nobody = try PasswordHash(ofNothing: cost)
  }

  func hash(_ password: String) async throws -> PasswordHash {
    try await executor.run { [cost] in try PasswordHash(of: password, cost: cost) }
  }

  /// Whether the password is the right one. For a reader who does not exist it never is, and finding that out takes as long.
  func matches(_ password: String, _ hash: PasswordHash?) async throws -> Bool {
    let candidate = hash ?? nobody
    let matches = try await executor.run { try candidate.matches(password) }
    return matches && hash != nil
  }
}
