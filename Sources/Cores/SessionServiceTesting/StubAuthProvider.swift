import Runtime
import SessionService
import Synchronization

/// A backend without a network. Everybody may sign in, by any credential, unless a script says otherwise. Safe from any thread.
///
/// Tokens are numbered as they are given: the first sign-in gets `access-1` and `refresh-1`, and the refresh after it `access-2` and
/// `refresh-2`.
public final class StubAuthProvider: AuthProvider {
  /// What was asked of it.
  public enum Call: Hashable, Sendable {
    /// A code was to be mailed to this address.
    case code(email: String)
    /// A person signs in.
    case signIn(Credential)
    /// New tokens were to be given for this refresh token.
    case refresh(Secret)
    /// The session of this refresh token was to end.
    case signOut(Secret)
  }

  /// What happens at a call: it may wait, and throw the backend's answer. `nil` has the stub give tokens of its own.
  public typealias Answer = @Sendable (Call) async throws(AuthError) -> SessionGrant?

  private let user: User
  private let answer: Answer
  private let state = Mutex<(calls: [Call], users: [Secret: User])>(([], [:]))

  /// - Parameters:
  ///   - user: who signs in. A password's address takes the place of theirs.
  ///   - answer: asked at each call, after it was recorded. By default everything succeeds.
  public init(
    user: User = User(id: "u1", email: "ada@example.org", name: "Ada"), _ answer: @escaping Answer = { _ throws(AuthError) in nil }
  ) {
    self.user = user
    self.answer = answer
  }

  /// All calls so far.
  public var calls: [Call] { state.withLock { $0.calls } }

  /// Has the code's secret be `challenge`.
  /// - Throws: what the script throws.
  public func requestCode(for email: String) async throws(AuthError) -> Secret {
    _ = try await answered(.code(email: email))
    return Secret("challenge")
  }

  /// Begins a session.
  /// - Throws: what the script throws.
  public func signIn(with credential: Credential) async throws(AuthError) -> SessionGrant {
    var user = user
    if case .password(let email, _) = credential { user.email = email }
    return try await answered(.signIn(credential)) ?? granted(to: user)
  }

  /// Gives the next tokens, for any token: to whom it was given, or else to the user that this backend was made with.
  /// - Throws: what the script throws.
  public func refresh(_ token: Secret) async throws(AuthError) -> SessionGrant {
    try await answered(.refresh(token)) ?? granted(to: state.withLock { $0.users[token] } ?? user)
  }

  /// Ends a session. Nobody learns what the script throws.
  public func signOut(_ token: Secret) async { _ = try? await answered(.signOut(token)) }

  private func answered(_ call: Call) async throws(AuthError) -> SessionGrant? {
    state.withLock { $0.calls.append(call) }
    return try await answer(call)
  }

  private func granted(to user: User) -> SessionGrant {
    state.withLock { state in
      let number = state.users.count + 1
      let refresh = Secret("refresh-\(number)")
      state.users[refresh] = user
      return SessionGrant(access: Secret("access-\(number)"), refresh: refresh, user: user)
    }
  }
}
