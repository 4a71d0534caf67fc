import Runtime
import SessionService
import SessionServiceTesting
import Synchronization

/// A backend that knows one password and one code, and waits with its answers while it is held.
final class ScriptedAuth: Sendable {
  static let user = User(id: "u1", email: "ada@example.org", name: "Ada")

  private struct State {
    var failure: AuthError?
    var isSuspended = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var attempts: [String] = []
  }

  private let state = Mutex(State())

  var provider: StubAuthProvider {
    StubAuthProvider(user: Self.user) { [self] call throws(AuthError) in
      try await answer(call)
      return nil
    }
  }

  /// Who tried to sign in, with which password.
  var attempts: [String] { state.withLock { $0.attempts } }
  /// How many answers are being waited for.
  var waiting: Int { state.withLock { $0.waiting.count } }

  func fail(with error: AuthError?) { state.withLock { $0.failure = error } }
  func hold() { state.withLock { $0.isSuspended = true } }
  func release() {
    let waiting = state.withLock { state in
      defer { (state.isSuspended, state.waiting) = (false, []) }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  private func answer(_ call: StubAuthProvider.Call) async throws(AuthError) {
    switch call {
    case .code(let email): try await attempt("code for \(email)")
    case .signIn(.password(let email, let password)):
      try await attempt("\(email) \(password.revealed)")
      guard password == Secret("right") else { throw .wrongCredentials }
    case .signIn(.mailedCode(let code, _, let newPassword)):
      try await attempt("\(code) \(newPassword?.revealed ?? "")")
      guard code == "012345" else { throw .wrongCode("That is not the code. You have 4 tries left.") }
    case .signIn(.browser(let issuer)): try await attempt("page of \(issuer)")
    case .refresh, .signOut: break
    }
  }

  private func attempt(_ words: String) async throws(AuthError) {
    let (isSuspended, failure) = state.withLock { state in
      state.attempts.append(words)
      return (state.isSuspended, state.failure)
    }
    if isSuspended { await withCheckedContinuation { continuation in state.withLock { $0.waiting.append(continuation) } } }
    if let failure { throw failure }
  }
}
