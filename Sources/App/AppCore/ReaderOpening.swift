import FeatureFlags
import SessionService

/// Opens a reader's data on this machine, for one reader at a time. The start of the app and the login share it.
@MainActor final class ReaderOpening {
  private let flags: Flags
  private let open: @MainActor (User) async throws -> ReaderScope
  private var current: (user: User.ID, task: Task<Void, Never>)?

  /// - Parameters:
  ///   - flags: the publication's, which are the reader's from the beginning on.
  ///   - open: opens it; ready to be shown.
  init(flags: Flags, open: @escaping @MainActor (User) async throws -> ReaderScope) {
    self.flags = flags
    self.open = open
  }

  /// Begins, unless that was done for this reader: the check's answer may arrive after the reader chose to continue without it.
  /// - Parameter ended: called once, unless it was cancelled or another reader signed in.
  func begin(_ user: User, ended: @escaping @MainActor (Result<ReaderScope, any Error>) -> Void) {
    guard current?.user != user.id else { return }
    current?.task.cancel()
    flags.begin(user.id)
    let task = Task { [weak self, open] in
      let result: Result<ReaderScope, any Error>
      do { result = .success(try await open(user)) } catch { result = .failure(error) }
      guard let self, !Task.isCancelled else {
        if case .success(let reader) = result { await reader.close() }
        return
      }
      current = nil
      ended(result)
    }
    current = (user.id, task)
  }

  /// The session ended meanwhile.
  func cancel() {
    guard let current else { return }
    current.task.cancel()
    self.current = nil
    flags.end()
  }
}
