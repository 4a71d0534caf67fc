import Runtime
import SessionService
import Testing

@MainActor @Suite struct SecretTests {
  private static let hidden = "hush-4711"

  private func everyText(of value: some Any) -> String {
    var text = "\(value) \(String(reflecting: value)) \([value]) \(Optional(value) as Any)"
    dump(value, to: &text)
    return text
  }

  @Test func noSecretIsEverPrinted() async throws {
    let secret = Secret(Self.hidden)
    let stored = StoredSession(token: secret, user: .ada)
    let auth = StubAuth()
    auth.willCheck(.success(.ada))
    let token = TokenBox()
    let store = MemoryTokenStore(stored)
    let session = Session(auth: auth, store: store, tokens: token, effects: Effects())
    await session.restore()
    #expect(token.current == Self.hidden)
    for text in [
      everyText(of: secret), everyText(of: stored), everyText(of: ["token": secret]), everyText(of: token), everyText(of: store),
      everyText(of: session.state),
    ] {
      #expect(!text.contains(Self.hidden))
    }
    var dumped = "\(session) \(String(reflecting: session))"
    dump(session, to: &dumped)
    #expect(!dumped.contains(Self.hidden))
  }

  @Test func secretsCompareAndReveal() {
    #expect(Secret("a") == Secret("a"))
    #expect(Secret("a") != Secret("b"))
    #expect(Secret("").isEmpty)
    #expect(Secret("a").revealed == "a")
  }

  @Test(arguments: [TokenStoreError.noService("x"), .locked, .timedOut, .failed("x")])
  func everyStoreErrorHasASentence(error: TokenStoreError) {
    #expect(error.sentence.hasSuffix("."))
    #expect(Session.Persistence.untilQuit(error).sentence?.contains("until you quit") == true)
    #expect(Session.SignedOutCause.byUserTokenNotErased(error).sentence?.hasPrefix(error.sentence) == true)
  }
}
