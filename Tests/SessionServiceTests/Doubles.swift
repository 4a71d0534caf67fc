import Runtime
import SessionService
import Synchronization

/// Holds whoever waits until it is opened.
final class Gate: Sendable {
  private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      defer { state = (true, []) }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// A backend whose answers a test lays down: each call takes the next one, and without any it cannot be reached. It knows one token of each
/// session, which is access token and refresh token in one.
final class StubAuth: AuthProvider {
  typealias Grant = (token: Secret, user: User)

  private struct State {
    var signIns: [(gate: Gate?, answer: Result<Grant, AuthError>)] = []
    var checks: [(gate: Gate?, answer: Result<User, AuthError>, refresh: Secret?)] = []
    var calls: [String] = []
  }

  private let state = Mutex(State())

  var calls: [String] { state.withLock { $0.calls } }

  func willSignIn(_ answer: Result<Grant, AuthError>, after gate: Gate? = nil) {
    state.withLock { $0.signIns.append((gate, answer)) }
  }

  /// - Parameter refresh: the refresh token that is given; `nil` for the one that came.
  func willCheck(_ answer: Result<User, AuthError>, giving refresh: String? = nil, after gate: Gate? = nil) {
    state.withLock { $0.checks.append((gate, answer, refresh.map { Secret($0) })) }
  }

  func signIn(with credential: Credential) async throws(AuthError) -> SessionGrant {
    let words =
      switch credential {
      case .password(let email, let password): "\(email) \(password.revealed)"
      case .mailedCode(let code, let challenge, let newPassword):
        [code, challenge.revealed, newPassword?.revealed].compactMap(\.self).joined(separator: " ")
      case .browser(let issuer): "browser \(issuer)"
      }
    let next = state.withLock { state in
      state.calls.append("signIn \(words)")
      return state.signIns.isEmpty ? nil : state.signIns.removeFirst()
    }
    await next?.gate?.wait()
    let granted = try (next?.answer ?? .failure(.unreachable("No answer."))).get()
    return SessionGrant(access: granted.token, refresh: granted.token, user: granted.user)
  }

  func refresh(_ token: Secret) async throws(AuthError) -> SessionGrant {
    let next = state.withLock { state in
      state.calls.append("refresh \(token.revealed)")
      return state.checks.isEmpty ? nil : state.checks.removeFirst()
    }
    await next?.gate?.wait()
    let user = try (next?.answer ?? .failure(.unreachable("No answer."))).get()
    let refresh = next?.refresh ?? token
    return SessionGrant(access: refresh, refresh: refresh, user: user)
  }

  func signOut(_ token: Secret) async { state.withLock { $0.calls.append("signOut \(token.revealed)") } }
}

/// A store that fails or waits as told, around one in memory.
final class StubStore: TokenStore {
  private let memory: MemoryTokenStore
  private let state = Mutex<(failure: TokenStoreError?, clearGate: Gate?, calls: [String])>((nil, nil, []))
  private let saving = Mutex<(gate: Gate?, failure: TokenStoreError?)>((nil, nil))

  init(_ session: StoredSession? = nil, failure: TokenStoreError? = nil) {
    memory = MemoryTokenStore(session)
    state.withLock { $0.failure = failure }
  }

  var stored: StoredSession? { memory.stored }
  var calls: [String] { state.withLock { $0.calls } }
  func fail(_ failure: TokenStoreError?) { state.withLock { $0.failure = failure } }
  /// A save waits, and fails after that.
  func holdSave(_ gate: Gate, _ failure: TokenStoreError? = nil) { saving.withLock { $0 = (gate, failure) } }
  func holdClear(_ gate: Gate) { state.withLock { $0.clearGate = gate } }

  func load() async throws(TokenStoreError) -> StoredSession? {
    try called("load")
    return memory.load()
  }

  func save(_ session: StoredSession) async throws(TokenStoreError) {
    try called("save \(session.user.id)")
    let (gate, failure) = saving.withLock { $0 }
    await gate?.wait()
    if let failure { throw failure }
    memory.save(session)
  }

  func clear() async throws(TokenStoreError) {
    try called("clear")
    await state.withLock { $0.clearGate }?.wait()
    memory.clear()
  }

  func willClear() async { state.withLock { $0.calls.append("willClear") } }

  private func called(_ call: String) throws(TokenStoreError) {
    let failure = state.withLock { state in
      state.calls.append(call)
      return state.failure
    }
    if let failure { throw failure }
  }
}

/// Records what a session tells its delegate.
@MainActor final class Recorder: SessionDelegate {
  private(set) var states: [Session.State] = []
  var onChange: ((Session.State) -> Void)?

  func session(_ session: Session, changedFrom old: Session.State, to new: Session.State) {
    states.append(new)
    onChange?(new)
  }
}

extension User {
  static let ada = User(id: "u1", email: "ada@example.org", name: "Ada")
  static let bo = User(id: "u2", email: "bo@example.org", name: "Bo")
}

extension StoredSession {
  static let adas = StoredSession(token: Secret("token-ada"), user: .ada)
}
