import Runtime
import SessionService
import SessionServiceTesting
import Testing

@Suite struct StubAuthProviderTests {
  private let credentials: [Credential] = [
    .password(email: "grace@example.org", password: Secret("pw")), .mailedCode("012345", challenge: Secret("challenge")),
    .browser(issuer: "https://accounts.example.org"),
  ]

  @Test func everybodySignsInByAnyCredential() async throws {
    let backend = StubAuthProvider()
    var grants: [SessionGrant] = []
    for credential in credentials { grants.append(try await backend.signIn(with: credential)) }
    #expect(grants.map(\.user.email) == ["grace@example.org", "ada@example.org", "ada@example.org"])
    #expect(grants.map(\.refresh) == [Secret("refresh-1"), Secret("refresh-2"), Secret("refresh-3")])
    #expect(backend.calls == credentials.map { .signIn($0) })
  }

  @Test func whatTheScriptThrowsIsTheAnswer() async throws {
    let backend = StubAuthProvider { call throws(AuthError) in
      switch call {
      case .code: throw .rejected("Not here.")
      case .signIn(.browser): throw .unreachable("No network.")
      case .refresh: throw .ended
      case .signIn, .signOut: return nil
      }
    }
    await #expect(throws: AuthError.rejected("Not here.")) { try await backend.requestCode(for: "ada@example.org") }
    await #expect(throws: AuthError.unreachable("No network.")) { try await backend.signIn(with: credentials[2]) }
    await #expect(throws: AuthError.ended) { try await backend.refresh(Secret("refresh-1")) }
    #expect(try await backend.signIn(with: credentials[1]).access == Secret("access-1"))
  }

  /// A whole session at it: signed in, its tokens exchanged, a start from what was stored, and signed out.
  @Test @MainActor func aSessionLivesAtIt() async throws {
    let (backend, store) = (StubAuthProvider(), MemoryTokenStore())
    func session() -> Session { Session(auth: backend, store: store, tokens: TokenBox(), effects: Effects()) }
    let first = session()
    try await first.signIn(with: credentials[0])
    await first.finish()
    #expect(store.stored?.user.email == "grace@example.org")
    let second = session()
    await second.restore()
    #expect(second.state.user?.email == "grace@example.org")
    // Until the next token is stored, the one before it names the session.
    await second.finish()
    await second.signOut()
    await second.finish()
    #expect(store.stored == nil)
    let tokens = backend.calls.dropFirst().map { call in
      switch call {
      case .refresh(let token): "refresh \(token.revealed)"
      case .signOut(let token): "signOut \(token.revealed)"
      case .code, .signIn: "\(call)"
      }
    }
    #expect(tokens == ["refresh refresh-1", "signOut refresh-2"])
  }
}
