import Synchronization

/// The content of a token store: enough to continue a session without a password.
public struct StoredSession: Hashable, Sendable {
  /// The token that continues the session: ``SessionGrant/refresh``.
  public var token: Secret
  /// Whose it is, as of the last answer of the backend.
  public var user: User

  public init(token: Secret, user: User) {
    self.token = token
    self.user = user
  }
}

/// Stores at most one session of one publication between starts of the app, unreadable to other users of the machine. Called off the main
/// actor, one call after another.
public protocol TokenStore: Sendable {
  /// The stored session; `nil` for none.
  func load() async throws(TokenStoreError) -> StoredSession?
  /// Keeps a session instead of the one before.
  func save(_ session: StoredSession) async throws(TokenStoreError)
  /// Keeps nothing any more; nothing to remove is no error.
  func clear() async throws(TokenStoreError)
  /// Notes that what is stored is not to be found any more, also by the next start, until ``save(_:)`` stores another session. Called before
  /// ``clear()``, which may have to wait for long, and beside other calls.
  func willClear() async
}

extension TokenStore {
  /// Does nothing, for a store that never lets ``clear()`` wait.
  public func willClear() async {}
}

/// Why a token store could not do its work.
public enum TokenStoreError: Error, Equatable, Sendable {
  /// There is no such service here; the detail is for a log.
  case noService(String)
  /// It is locked, and stayed so: the user did not type its password.
  case locked
  /// It does not answer.
  case timedOut
  /// Anything else; the detail is for a log.
  case failed(String)

  /// A sentence for people.
  public var sentence: String {
    switch self {
    case .noService: "This desktop has no keyring service."
    case .locked: "The keyring is locked."
    case .timedOut: "The keyring does not answer."
    case .failed: "The keyring could not be used."
    }
  }
}

/// Keeps a session as long as the process lasts: for tests, scenarios and instances on trial. Safe from any thread.
public final class MemoryTokenStore: TokenStore, CustomReflectable {
  private let session: Mutex<StoredSession?>

  /// - Parameter session: what it keeps at first.
  public init(_ session: StoredSession? = nil) { self.session = Mutex(session) }

  /// What it keeps now.
  public var stored: StoredSession? { session.withLock { $0 } }
  /// The session in memory; `nil` for none.
  public func load() -> StoredSession? { stored }
  /// Keeps a session in memory, in place of any other.
  public func save(_ session: StoredSession) { self.session.withLock { $0 = session } }
  /// Forgets the session.
  public func clear() { session.withLock { $0 = nil } }
  /// A mirror without children, so that dumps do not show the token.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
