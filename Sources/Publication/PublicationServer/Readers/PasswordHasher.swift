import Runtime

/// Hashes passwords on a thread of its own, one at a time, so that neither the publication nor the shared pool waits for it.
final class PasswordHasher: Sendable {
  private let executor = ThreadExecutor(name: "passwords")
  private let nobody: PasswordHash

  /// Hashes once: see ``matches(_:_:)``.
  init() async throws { nobody = try await executor.run { try PasswordHash(of: "") } }

  func hash(_ password: String) async throws -> PasswordHash { try await executor.run { try PasswordHash(of: password) } }

  /// Whether the password is the right one. For a reader who does not exist it never is, and finding that out takes as long.
  func matches(_ password: String, _ hash: PasswordHash?) async throws -> Bool {
    let candidate = hash ?? nobody
    let matches = try await executor.run { try candidate.matches(password) }
    return matches && hash != nil
  }
}
