import Synchronization

/// Gives a client the access tokens of a session. Safe from any thread.
public protocol AccessTokens: Sendable {
  /// The token for the next request; `nil` when no user is signed in, or when the session has none yet.
  var current: String? { get }
  /// Waits for the refresh of the session's tokens. There is one at a time, however many requests were refused.
  /// - Parameter refused: the token that the backend did not accept; `nil` when there was none.
  /// - Returns: another token than that one; `nil` when no user is signed in.
  /// - Throws: ``AuthError/ended`` or ``AuthError/reused`` when the session is over, also by a sign-out; ``AuthError/unreachable(_:)`` and
  ///   ``AuthError/rejected(_:)`` when there is no new token for now.
  func renewed(after refused: String?) async throws(AuthError) -> String?
  /// The tokens of the present session and of no later one, for work that belongs to one user; `nil` when no user is signed in.
  func pinned() -> (any AccessTokens)?
}

/// Holds the access token of a session, so that a client can read it on any thread: once the session has ended, later requests carry none.
///
/// The client is made with it, and so is the ``Session``, which alone puts tokens in:
///
///     let tokens = TokenBox()
///     let client = APIClient(transport: transport, tokens: tokens)
///     let session = Session(auth: PublicationAuthProvider(client), store: store, tokens: tokens, effects: effects)
public final class TokenBox: AccessTokens, CustomReflectable {
  /// Called with the token that was refused.
  typealias Refresh = @Sendable (String?) async throws(AuthError) -> Void

  private struct State {
    /// One more with each session.
    var session = 0
    var isOpen = false
    var access: Secret?
    var refresh: Refresh?
  }

  private struct Pinned: AccessTokens {
    let box: TokenBox
    let session: Int

    var current: String? { box.state.withLock { $0.session == session ? $0.access?.revealed : nil } }
    func renewed(after refused: String?) async throws(AuthError) -> String? {
      guard let token = try await box.renewed(after: refused, of: session) else { throw .ended }
      return token
    }
    func pinned() -> (any AccessTokens)? { self }
  }

  private let state = Mutex(State())

  /// A box without tokens.
  public init() {}

  /// See ``AccessTokens/current``.
  public var current: String? { state.withLock { $0.access?.revealed } }

  /// See ``AccessTokens/renewed(after:)``.
  public func renewed(after refused: String?) async throws(AuthError) -> String? {
    try await renewed(after: refused, of: state.withLock { $0.session })
  }

  /// See ``AccessTokens/pinned()``.
  public func pinned() -> (any AccessTokens)? {
    state.withLock { $0.isOpen ? Pinned(box: self, session: $0.session) : nil }
  }

  /// - Returns: `nil` when that session is over, or never was.
  private func renewed(after refused: String?, of session: Int) async throws(AuthError) -> String? {
    let refresh: Refresh
    switch step(refused, session) {
    case .use(let token): return token
    case .refresh(let first): refresh = first
    }
    try await refresh(refused)
    guard case .use(let token?) = step(refused, session) else { throw .ended }
    return token
  }

  private enum Step { case use(String?), refresh(Refresh) }

  private func step(_ refused: String?, _ session: Int) -> Step {
    state.withLock { state in
      guard state.session == session, state.isOpen else { return .use(nil) }
      if let access = state.access?.revealed, access != refused { return .use(access) }
      return state.refresh.map { .refresh($0) } ?? .use(nil)
    }
  }

  /// A mirror without children, so that dumps do not show the tokens.
  public var customMirror: Mirror { Mirror(self, children: []) }

  // MARK: The session's side

  /// Begins a session, whose access token may have yet to come.
  func open(_ access: Secret?) {
    state.withLock { state in
      state.session += 1
      (state.isOpen, state.access) = (true, access)
    }
  }

  /// Puts the session's next token in.
  func replace(with access: Secret) { state.withLock { if $0.isOpen { $0.access = access } } }

  /// Ends the session.
  func close() { state.withLock { ($0.isOpen, $0.access) = (false, nil) } }

  func onRefresh(_ refresh: @escaping Refresh) { state.withLock { $0.refresh = refresh } }
}
