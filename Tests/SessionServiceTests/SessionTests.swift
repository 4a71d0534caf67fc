import Patience
import Runtime
import SessionService
import Testing

@MainActor final class Rig {
  let auth = StubAuth()
  let store: StubStore
  let token = TokenBox()
  let effects = Effects()
  let recorder = Recorder()
  let session: Session
  var states: [Session.State] { recorder.states }

  init(_ store: StubStore = StubStore()) {
    self.store = store
    session = Session(auth: auth, store: store, tokens: token, effects: effects)
    session.delegate = recorder
  }

  static func signedIn() async throws -> Rig {
    let rig = Rig()
    rig.auth.willSignIn(.success((Secret("token-ada"), .ada)))
    try await rig.session.signIn(email: "ada@example.org", password: Secret("pw"))
    await rig.session.finish()
    return rig
  }
}

@MainActor @Suite struct RestoringTests {
  @Test func withNothingKeptNobodyIsSignedIn() async {
    let rig = Rig()
    #expect(rig.session.state == .restoring)
    await rig.session.restore()
    #expect(rig.states == [.signedOut(.noSession)])
    #expect(rig.auth.calls.isEmpty)
  }

  @Test func aKeptSessionIsCheckedWithTheBackend() async {
    let rig = Rig(StubStore(.adas))
    rig.auth.willCheck(.success(.ada))
    await rig.session.restore()
    #expect(rig.states == [.checking(.ada, .persisted), .signedIn(.ada, .persisted)])
    #expect(rig.token.current == "token-ada")
    await rig.session.finish()
    #expect(rig.store.calls == ["load", "save u1"])
  }

  @Test(arguments: [AuthError.unreachable("No network."), .rejected("Under repair.")])
  func withoutAnAnswerTheUserMayGoOn(error: AuthError) async {
    let rig = Rig(StubStore(.adas))
    rig.auth.willCheck(.failure(error))
    await rig.session.restore()
    #expect(rig.states == [.checking(.ada, .persisted), .unverified(.ada, .persisted)])
    #expect(rig.token.current == nil, "there is none yet")
    #expect(rig.token.pinned() != nil)
    #expect(rig.store.stored == .adas)
  }

  @Test func aRefusedTokenEndsTheSessionAndIsForgotten() async {
    let rig = Rig(StubStore(.adas))
    rig.auth.willCheck(.failure(.ended))
    await rig.session.restore()
    #expect(rig.states == [.checking(.ada, .persisted), .signedOut(.ended)])
    #expect(rig.token.current == nil)
    await rig.session.finish()
    #expect(rig.store.stored == nil)
  }

  @Test func withoutATokenStoreSessionsLastUntilTheAppEnds() async throws {
    let rig = Rig(StubStore(failure: .noService("no bus")))
    rig.auth.willSignIn(.success((Secret("token-ada"), .ada)))
    await rig.session.restore()
    #expect(rig.session.persistence == .untilQuit(.noService("no bus")))
    try await rig.session.signIn(email: "ada@example.org", password: Secret("pw"))
    await rig.session.finish()
    #expect(
      rig.states == [
        .signedOut(.noSession), .signingIn(after: .noSession), .signedIn(.ada, .saving),
        .signedIn(.ada, .untilQuit(.noService("no bus"))),
      ])
    #expect(rig.token.current == "token-ada")
    await rig.session.signOut()
    #expect(rig.states.suffix(2) == [.signingOut, .signedOut(.byUser)])
  }

  @Test func continuingOfflineTakesALaterYes() async {
    let gate = Gate()
    let rig = Rig(StubStore(.adas))
    rig.auth.willCheck(.success(.ada), after: gate)
    rig.recorder.onChange = { [session = rig.session] state in
      if case .checking = state { session.continueOffline() }
      if case .unverified = state { gate.open() }
    }
    await rig.session.restore()
    #expect(rig.states == [.checking(.ada, .persisted), .unverified(.ada, .persisted), .signedIn(.ada, .persisted)])
  }

  @Test func continuingOfflineTakesALaterNo() async {
    let gate = Gate()
    let rig = Rig(StubStore(.adas))
    rig.auth.willCheck(.failure(.ended), after: gate)
    rig.recorder.onChange = { [session = rig.session] state in
      if case .checking = state { session.continueOffline() }
      if case .unverified = state { gate.open() }
    }
    await rig.session.restore()
    #expect(rig.states == [.checking(.ada, .persisted), .unverified(.ada, .persisted), .signedOut(.ended)])
  }

  /// One that hangs is given up, and its answer counts no more: its tokens are worth nothing.
  @Test func askingAgainTakesThePlaceOfARequestThatHangs() async throws {
    let first = Gate()
    let second = Gate()
    let rig = Rig(StubStore(.adas))
    rig.auth.willCheck(.failure(.ended), after: first)
    rig.auth.willCheck(.success(.ada), after: second)
    let restoring = Task { await rig.session.restore() }
    await until { rig.auth.calls.count >= 1 }
    let retrying = Task { await rig.session.check() }
    await until { rig.auth.calls.count >= 2 }
    first.open()
    await until { rig.effects.inFlight <= 1 }
    #expect(rig.session.state == .checking(.ada, .persisted))
    second.open()
    await restoring.value
    await retrying.value
    #expect(rig.states == [.checking(.ada, .persisted), .signedIn(.ada, .persisted)])
    #expect(rig.auth.calls == ["refresh token-ada", "refresh token-ada"])
  }

  @Test func aUserWhoChangedIsKeptAgain() async {
    var renamed = User.ada
    renamed.name = "Ada L."
    let rig = Rig(StubStore(.adas))
    rig.auth.willCheck(.success(renamed))
    await rig.session.restore()
    await rig.session.finish()
    #expect(rig.session.state == .signedIn(renamed, .persisted))
    #expect(rig.store.stored == StoredSession(token: Secret("token-ada"), user: renamed))
  }
}

@MainActor @Suite struct SigningInTests {
  @Test func theTokenIsStoredBeforeItCountsAsKept() async throws {
    let rig = Rig()
    rig.auth.willSignIn(.success((Secret("token-ada"), .ada)))
    var storedAtChange: [StoredSession?] = []
    rig.recorder.onChange = { [store = rig.store] state in if state.user != nil { storedAtChange.append(store.stored) } }
    await rig.session.restore()
    try await rig.session.signIn(email: "ada@example.org", password: Secret("pw"))
    await rig.session.finish()
    #expect(
      rig.states == [
        .signedOut(.noSession), .signingIn(after: .noSession), .signedIn(.ada, .saving), .signedIn(.ada, .persisted),
      ])
    #expect(storedAtChange.last == .adas)
    #expect(rig.token.current == "token-ada")
    #expect(rig.auth.calls == ["signIn ada@example.org pw"])
  }

  /// As with a keyring whose prompt nobody answers.
  @Test(arguments: [nil, TokenStoreError.timedOut]) func nobodyWaitsForAStoreThatHangs(failure: TokenStoreError?) async throws {
    let gate = Gate()
    let rig = Rig()
    rig.store.holdSave(gate, failure)
    rig.auth.willSignIn(.success((Secret("token-ada"), .ada)))
    await rig.session.restore()
    try await rig.session.signIn(email: "ada@example.org", password: Secret("pw"))
    #expect(rig.session.state == .signedIn(.ada, .saving))
    #expect(rig.session.persistence.sentence == nil)
    #expect(rig.token.current == "token-ada")
    #expect(rig.store.stored == nil)
    gate.open()
    await rig.session.finish()
    #expect(rig.session.state == .signedIn(.ada, failure.map { .untilQuit($0) } ?? .persisted))
    #expect(rig.session.persistence == rig.session.state.persistence)
  }

  /// A store that says that it failed may have stored it, as one that answered too late: what it may have is exchanged on and on.
  @Test func whatAStoreDidNotKeepStaysWhatIsExchanged() async throws {
    let rig = Rig(StubStore(failure: .timedOut))
    rig.auth.willSignIn(.success((Secret("first"), .ada)))
    await rig.session.restore()
    try await rig.session.signIn(email: "ada@example.org", password: Secret("pw"))
    await rig.session.finish()
    for number in 1...3 {
      rig.auth.willCheck(.success(.ada), giving: "next \(number)")
      await rig.session.check()
      #expect(rig.token.current == "next \(number)")
    }
    #expect(rig.auth.calls.suffix(3) == ["refresh first", "refresh first", "refresh first"])
    #expect(rig.store.calls == ["load", "save u1"], "and nobody is asked for the keyring each hour")
  }

  /// Were the second exchanged, the third would be dead when it comes into the store.
  @Test func theOldTokenIsExchangedUntilTheLastIsStored() async throws {
    let gate = Gate()
    let rig = Rig(StubStore(.adas))
    let first = StoredSession.adas.token.revealed
    rig.auth.willCheck(.success(.ada), giving: "second")
    rig.store.holdSave(gate)
    await rig.session.restore()
    rig.auth.willCheck(.success(.ada), giving: "third")
    await rig.session.check()
    gate.open()
    await rig.session.finish()
    #expect(rig.store.stored?.token.revealed == "third")
    rig.auth.willCheck(.success(.ada))
    await rig.session.check()
    #expect(rig.auth.calls == ["refresh \(first)", "refresh \(first)", "refresh third"])
  }

  @Test func whoeverSignsOutWhileItIsSavedLeavesNothingBehind() async throws {
    let gate = Gate()
    let rig = Rig()
    rig.store.holdSave(gate)
    rig.auth.willSignIn(.success((Secret("token-ada"), .ada)))
    await rig.session.restore()
    try await rig.session.signIn(email: "ada@example.org", password: Secret("pw"))
    let leaving = Task { await rig.session.signOut() }
    await until { rig.session.state == .signingOut }
    #expect(rig.token.current == nil)
    gate.open()
    await leaving.value
    await rig.session.finish()
    #expect(rig.session.state == .signedOut(.byUser))
    #expect(rig.store.stored == nil)
    #expect(rig.store.calls == ["load", "save u1", "willClear", "clear"])
  }

  @Test(arguments: [AuthError.wrongCredentials, .unreachable("No network."), .rejected("Too many tries.")])
  func aFailureChangesNothing(error: AuthError) async {
    let rig = Rig()
    rig.auth.willSignIn(.failure(error))
    await rig.session.restore()
    await #expect(throws: error) { try await rig.session.signIn(email: "ada@example.org", password: Secret("no")) }
    #expect(rig.states == [.signedOut(.noSession), .signingIn(after: .noSession), .signedOut(.noSession)])
    #expect(rig.store.calls == ["load"])
    #expect(rig.token.current == nil)
  }

  /// As by somebody who has the password mailed after all: the answer to the first may come late, or never.
  @Test(arguments: [true, false]) func theLastOfTwoAtOnceCounts(isFirstGranted: Bool) async throws {
    let gate = Gate()
    let rig = Rig()
    rig.auth.willSignIn(isFirstGranted ? .success((Secret("token-ada"), .ada)) : .failure(.wrongCredentials), after: gate)
    rig.auth.willSignIn(.success((Secret("token-bo"), .bo)))
    let first = Task { try await rig.session.signIn(email: "ada@example.org", password: Secret("pw")) }
    await until { !rig.auth.calls.isEmpty }
    try await rig.session.signIn(with: .mailedCode("012345", challenge: Secret("c")))
    #expect(rig.session.state.user == .bo)
    gate.open()
    await #expect(throws: AuthError.superseded) { try await first.value }
    await rig.session.finish()
    #expect(rig.session.state == .signedIn(.bo, .persisted))
    #expect(rig.token.current == "token-bo")
    #expect(rig.store.stored?.user == .bo)
    // A session that nobody uses is ended.
    #expect(rig.auth.calls.contains("signOut token-ada") == isFirstGranted)
    #expect(!rig.auth.calls.contains("signOut token-bo"))
  }

  @Test func aSignOutInBetweenWins() async {
    let gate = Gate()
    let rig = Rig()
    rig.auth.willSignIn(.success((Secret("token-ada"), .ada)), after: gate)
    let signIn = Task { try await rig.session.signIn(email: "ada@example.org", password: Secret("pw")) }
    await until { !rig.auth.calls.isEmpty }
    await rig.session.signOut()
    gate.open()
    await #expect(throws: AuthError.superseded) { try await signIn.value }
    await rig.session.finish()
    #expect(rig.session.state == .signedOut(.byUser))
    #expect(rig.store.stored == nil)
    #expect(rig.token.current == nil)
    #expect(rig.auth.calls.last == "signOut token-ada")
  }

  @Test func anotherUserSignsTheFirstOneOut() async throws {
    let rig = try await Rig.signedIn()
    rig.auth.willSignIn(.success((Secret("token-bo"), .bo)))
    try await rig.session.signIn(email: "bo@example.org", password: Secret("pw"))
    await rig.session.finish()
    #expect(
      rig.states == [
        .signingIn(after: .noSession), .signedIn(.ada, .saving), .signedIn(.ada, .persisted), .signingOut, .signedOut(.byUser),
        .signingIn(after: .byUser), .signedIn(.bo, .saving), .signedIn(.bo, .persisted),
      ])
    #expect(rig.auth.calls.contains("signOut token-ada"))
    #expect(rig.store.stored?.user == .bo)
  }
}

@MainActor @Suite struct EndingTests {
  @Test func signingOutForgetsTheTokenBeforeItIsTold() async throws {
    let rig = try await Rig.signedIn()
    var tokens: [String?] = []
    rig.recorder.onChange = { [token = rig.token, store = rig.store] state in
      tokens.append(token.current)
      if state.isSignedOut { #expect(store.stored == nil) }
    }
    await rig.session.signOut()
    await rig.session.finish()
    #expect(rig.states.suffix(2) == [.signingOut, .signedOut(.byUser)])
    #expect(tokens == [nil, nil])
    #expect(rig.auth.calls.last == "signOut token-ada")
  }

  @Test func aStoreThatDoesNotForgetIsTold() async throws {
    let rig = try await Rig.signedIn()
    rig.store.fail(.locked)
    await rig.session.signOut()
    #expect(rig.session.state == .signedOut(.byUserTokenNotErased(.locked)))
    await rig.session.finish()
    #expect(rig.auth.calls.last == "signOut token-ada")
  }

  /// A keyring that hangs, and an app that quits meanwhile, must not keep the session.
  @Test func theBackendIsToldThoughTheStoreDoesNotAnswer() async throws {
    let gate = Gate()
    let rig = try await Rig.signedIn()
    rig.store.holdClear(gate)
    let leaving = Task { await rig.session.signOut() }
    await until { rig.auth.calls.last == "signOut token-ada" }
    #expect(rig.session.state == .signingOut && rig.store.stored != nil)
    gate.open()
    await leaving.value
    await rig.session.finish()
    #expect(rig.session.state == .signedOut(.byUser))
    #expect(rig.auth.calls.filter { $0.hasPrefix("signOut") }.count == 1)
  }

  /// It may hang until the app quits, and the next start would find the session again.
  @Test func theStoreIsToldOfTheEndThoughItIsBusy() async throws {
    let gate = Gate()
    let rig = Rig(StubStore())
    await rig.session.restore()
    rig.store.holdSave(gate)
    rig.auth.willSignIn(.success((Secret("token-ada"), .ada)))
    try await rig.session.signIn(email: "ada@example.org", password: Secret("pw"))
    await until { rig.store.calls.last == "save u1" }
    let leaving = Task { await rig.session.signOut() }
    await until { rig.store.calls.last == "willClear" }
    #expect(rig.store.calls == ["load", "save u1", "willClear"])
    gate.open()
    await leaving.value
    await rig.session.finish()
    #expect(rig.store.calls == ["load", "save u1", "willClear", "clear"])
    #expect(rig.store.stored == nil)
  }

  @Test func theStoreIsToldWhereTheBackendEndsTheSession() async throws {
    let rig = try await Rig.signedIn()
    rig.auth.willCheck(.failure(.ended))
    await rig.session.check()
    await rig.session.finish()
    #expect(rig.store.calls.suffix(2) == ["willClear", "clear"])
  }

  /// What could not be read may be a session of earlier, which the next start would find.
  @Test(arguments: [TokenStoreError.locked, .timedOut, .failed("x"), .noService("no bus")])
  func aStoreThatCouldNotBeReadMayHaveASession(error: TokenStoreError) async throws {
    let earlier = StoredSession(token: Secret("earlier"), user: .ada)
    let rig = Rig(StubStore(earlier, failure: error))
    await rig.session.restore()
    rig.auth.willSignIn(.success((Secret("token-bo"), .bo)))
    try await rig.session.signIn(email: "bo@example.org", password: Secret("pw"))
    await rig.session.finish()
    await rig.session.signOut()
    let isNone = if case .noService = error { true } else { false }
    #expect(rig.session.state == .signedOut(isNone ? .byUser : .byUserTokenNotErased(error)))
    await rig.session.finish()
  }

  /// Otherwise each start without a keyring would leave a session behind that nobody can continue.
  @Test(arguments: [TokenStoreError.noService("no bus"), .locked, .timedOut])
  func aSessionThatNothingStoresEndsWithTheApp(error: TokenStoreError) async throws {
    let rig = Rig(StubStore(failure: error))
    await rig.session.restore()
    rig.auth.willSignIn(.success((Secret("token-bo"), .bo)))
    try await rig.session.signIn(email: "bo@example.org", password: Secret("pw"))
    await rig.session.finish()
    await rig.session.endUnlessStored()
    let isNone = if case .noService = error { true } else { false }
    #expect(rig.auth.calls.contains("signOut token-bo") == isNone, "what did not answer may have it nevertheless")
    let stored = try await Rig.signedIn()
    await stored.session.endUnlessStored()
    #expect(!stored.auth.calls.contains { $0.hasPrefix("signOut") })
  }

  @Test func signingOutTwiceIsOnce() async throws {
    let rig = try await Rig.signedIn()
    async let first: Void = rig.session.signOut()
    async let second: Void = rig.session.signOut()
    _ = await (first, second)
    await rig.session.signOut()
    await rig.session.finish()
    #expect(rig.states.suffix(2) == [.signingOut, .signedOut(.byUser)])
    #expect(rig.auth.calls.filter { $0.hasPrefix("signOut") }.count == 1)
  }

  @Test func aRefusedTokenEndsTheSessionOnce() async throws {
    let rig = try await Rig.signedIn()
    rig.auth.willCheck(.failure(.ended))
    async let first = rig.token.renewed(after: "token-ada")
    async let second = rig.token.renewed(after: "token-ada")
    let renewed = [try? await first, try? await second]
    #expect(renewed == [nil, nil])
    #expect(rig.states.suffix(2) == [.refreshing(.ada, .persisted), .signedOut(.ended)])
    #expect(rig.states.filter(\.isSignedOut).count == 1)
    #expect(rig.token.current == nil)
    await rig.session.finish()
    #expect(rig.store.calls.filter { $0 == "clear" }.count == 1)
    #expect(rig.auth.calls.filter { $0.hasPrefix("refresh") }.count == 1)
  }

  @Test func theLastUsersLateRefusalLeavesTheNextUserAlone() async throws {
    let rig = try await Rig.signedIn()
    await rig.session.signOut()
    rig.auth.willSignIn(.success((Secret("token-bo"), .bo)))
    try await rig.session.signIn(email: "bo@example.org", password: Secret("pw"))
    await rig.session.finish()
    #expect(try await rig.token.renewed(after: "token-ada") == "token-bo")
    #expect(rig.session.state == .signedIn(.bo, .persisted))
    #expect(!rig.auth.calls.contains { $0.hasPrefix("refresh") })
  }

  @Test func clearingLateDoesNotForgetTheNextUser() async throws {
    let gate = Gate()
    let rig = Rig(StubStore(.adas))
    rig.store.holdClear(gate)
    rig.auth.willCheck(.failure(.ended))
    rig.auth.willSignIn(.success((Secret("token-bo"), .bo)))
    await rig.session.restore()
    let signIn = Task { try await rig.session.signIn(email: "bo@example.org", password: Secret("pw")) }
    await until { rig.auth.calls.count >= 2 }
    gate.open()
    try await signIn.value
    await rig.session.finish()
    #expect(rig.store.stored?.user == .bo)
    #expect(rig.store.calls == ["load", "willClear", "clear", "save u2"])
  }

  @Test func aDelegateMayChangeTheSessionAgain() async throws {
    let rig = try await Rig.signedIn()
    rig.recorder.onChange = { [session = rig.session] state in
      if state == .signedOut(.ended) { Task { await session.restore() } }
    }
    rig.auth.willCheck(.failure(.ended))
    await #expect(throws: AuthError.ended) { try await rig.token.renewed(after: "token-ada") }
    await until { rig.session.state == .signedOut(.noSession) }
    #expect(rig.states.suffix(3) == [.signedOut(.ended), .restoring, .signedOut(.noSession)])
  }

  @Test func anObserverIsToldTheStateOfNowAndEachLaterOne() async throws {
    let rig = try await Rig.signedIn()
    var states: [Session.State] = []
    let observation = rig.session.observe { states.append($0) }
    #expect(states == [.signedIn(.ada, .persisted)])
    await rig.session.signOut()
    #expect(states == [.signedIn(.ada, .persisted), .signingOut, .signedOut(.byUser)])
    observation.cancel()
    rig.auth.willSignIn(.success((Secret("token"), .ada)))
    try await rig.session.signIn(email: "ada@example.org", password: Secret("pw"))
    #expect(states.last == .signedOut(.byUser))
  }
}
