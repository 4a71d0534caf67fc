import Patience
import Runtime
import SessionService
import Testing

@MainActor final class Bench {
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

  static func signedIn() async throws -> Bench {
    let bench = Bench()
    bench.auth.willSignIn(.success((Secret("token-ada"), .ada)))
    try await bench.session.signIn(email: "ada@example.org", password: Secret("pw"))
    await bench.session.finish()
    return bench
  }
}

@MainActor @Suite struct RestoringTests {
  @Test func withNothingKeptNobodyIsSignedIn() async {
    let bench = Bench()
    #expect(bench.session.state == .restoring)
    await bench.session.restore()
    #expect(bench.states == [.signedOut(.noSession)])
    #expect(bench.auth.calls.isEmpty)
  }

  @Test func aKeptSessionIsCheckedWithTheBackend() async {
    let bench = Bench(StubStore(.adas))
    bench.auth.willCheck(.success(.ada))
    await bench.session.restore()
    #expect(bench.states == [.checking(.ada, .persisted), .signedIn(.ada, .persisted)])
    #expect(bench.token.current == "token-ada")
    await bench.session.finish()
    #expect(bench.store.calls == ["load", "save u1"])
  }

  @Test(arguments: [AuthError.unreachable("No network."), .rejected("Under repair.")])
  func withoutAnAnswerTheUserMayGoOn(error: AuthError) async {
    let bench = Bench(StubStore(.adas))
    bench.auth.willCheck(.failure(error))
    await bench.session.restore()
    #expect(bench.states == [.checking(.ada, .persisted), .unverified(.ada, .persisted)])
    #expect(bench.token.current == nil, "there is none yet")
    #expect(bench.token.pinned() != nil)
    #expect(bench.store.stored == .adas)
  }

  @Test func aRefusedTokenEndsTheSessionAndIsForgotten() async {
    let bench = Bench(StubStore(.adas))
    bench.auth.willCheck(.failure(.ended))
    await bench.session.restore()
    #expect(bench.states == [.checking(.ada, .persisted), .signedOut(.ended)])
    #expect(bench.token.current == nil)
    await bench.session.finish()
    #expect(bench.store.stored == nil)
  }

  @Test func withoutATokenStoreSessionsLastUntilTheAppEnds() async throws {
    let bench = Bench(StubStore(failure: .noService("no bus")))
    bench.auth.willSignIn(.success((Secret("token-ada"), .ada)))
    await bench.session.restore()
    #expect(bench.session.persistence == .untilQuit(.noService("no bus")))
    try await bench.session.signIn(email: "ada@example.org", password: Secret("pw"))
    await bench.session.finish()
    #expect(
      bench.states == [
        .signedOut(.noSession), .signingIn(after: .noSession), .signedIn(.ada, .saving),
        .signedIn(.ada, .untilQuit(.noService("no bus"))),
      ])
    #expect(bench.token.current == "token-ada")
    await bench.session.signOut()
    #expect(bench.states.suffix(2) == [.signingOut, .signedOut(.byUser)])
  }

  @Test func continuingOfflineTakesALaterYes() async {
    let gate = Gate()
    let bench = Bench(StubStore(.adas))
    bench.auth.willCheck(.success(.ada), after: gate)
    bench.recorder.onChange = { [session = bench.session] state in
      if case .checking = state { session.continueOffline() }
      if case .unverified = state { gate.open() }
    }
    await bench.session.restore()
    #expect(bench.states == [.checking(.ada, .persisted), .unverified(.ada, .persisted), .signedIn(.ada, .persisted)])
  }

  @Test func continuingOfflineTakesALaterNo() async {
    let gate = Gate()
    let bench = Bench(StubStore(.adas))
    bench.auth.willCheck(.failure(.ended), after: gate)
    bench.recorder.onChange = { [session = bench.session] state in
      if case .checking = state { session.continueOffline() }
      if case .unverified = state { gate.open() }
    }
    await bench.session.restore()
    #expect(bench.states == [.checking(.ada, .persisted), .unverified(.ada, .persisted), .signedOut(.ended)])
  }

  /// One that hangs is given up, and its answer counts no more: its tokens are worth nothing.
  @Test func askingAgainTakesThePlaceOfARequestThatHangs() async throws {
    let first = Gate()
    let second = Gate()
    let bench = Bench(StubStore(.adas))
    bench.auth.willCheck(.failure(.ended), after: first)
    bench.auth.willCheck(.success(.ada), after: second)
    let restoring = Task { await bench.session.restore() }
    await until { bench.auth.calls.count >= 1 }
    let retrying = Task { await bench.session.check() }
    await until { bench.auth.calls.count >= 2 }
    first.open()
    await until { bench.effects.inFlight <= 1 }
    #expect(bench.session.state == .checking(.ada, .persisted))
    second.open()
    await restoring.value
    await retrying.value
    #expect(bench.states == [.checking(.ada, .persisted), .signedIn(.ada, .persisted)])
    #expect(bench.auth.calls == ["refresh token-ada", "refresh token-ada"])
  }

  @Test func aUserWhoChangedIsKeptAgain() async {
    var renamed = User.ada
    renamed.name = "Ada L."
    let bench = Bench(StubStore(.adas))
    bench.auth.willCheck(.success(renamed))
    await bench.session.restore()
    await bench.session.finish()
    #expect(bench.session.state == .signedIn(renamed, .persisted))
    #expect(bench.store.stored == StoredSession(token: Secret("token-ada"), user: renamed))
  }
}

@MainActor @Suite struct SigningInTests {
  @Test func theTokenIsStoredBeforeItCountsAsKept() async throws {
    let bench = Bench()
    bench.auth.willSignIn(.success((Secret("token-ada"), .ada)))
    var storedAtChange: [StoredSession?] = []
    bench.recorder.onChange = { [store = bench.store] state in if state.user != nil { storedAtChange.append(store.stored) } }
    await bench.session.restore()
    try await bench.session.signIn(email: "ada@example.org", password: Secret("pw"))
    await bench.session.finish()
    #expect(
      bench.states == [
        .signedOut(.noSession), .signingIn(after: .noSession), .signedIn(.ada, .saving), .signedIn(.ada, .persisted),
      ])
    #expect(storedAtChange.last == .adas)
    #expect(bench.token.current == "token-ada")
    #expect(bench.auth.calls == ["signIn ada@example.org pw"])
  }

  /// As with a keyring whose prompt nobody answers.
  @Test(arguments: [nil, TokenStoreError.timedOut]) func nobodyWaitsForAStoreThatHangs(failure: TokenStoreError?) async throws {
    let gate = Gate()
    let bench = Bench()
    bench.store.holdSave(gate, failure)
    bench.auth.willSignIn(.success((Secret("token-ada"), .ada)))
    await bench.session.restore()
    try await bench.session.signIn(email: "ada@example.org", password: Secret("pw"))
    #expect(bench.session.state == .signedIn(.ada, .saving))
    #expect(bench.session.persistence.sentence == nil)
    #expect(bench.token.current == "token-ada")
    #expect(bench.store.stored == nil)
    gate.open()
    await bench.session.finish()
    #expect(bench.session.state == .signedIn(.ada, failure.map { .untilQuit($0) } ?? .persisted))
    #expect(bench.session.persistence == bench.session.state.persistence)
  }

  /// A store that says that it failed may have stored it, as one that answered too late: what it may have is exchanged on and on.
  @Test func whatAStoreDidNotKeepStaysWhatIsExchanged() async throws {
    let bench = Bench(StubStore(failure: .timedOut))
    bench.auth.willSignIn(.success((Secret("first"), .ada)))
    await bench.session.restore()
    try await bench.session.signIn(email: "ada@example.org", password: Secret("pw"))
    await bench.session.finish()
    for number in 1...3 {
      bench.auth.willCheck(.success(.ada), giving: "next \(number)")
      await bench.session.check()
      #expect(bench.token.current == "next \(number)")
    }
    #expect(bench.auth.calls.suffix(3) == ["refresh first", "refresh first", "refresh first"])
    #expect(bench.store.calls == ["load", "save u1"], "and nobody is asked for the keyring each hour")
  }

  /// Were the second exchanged, the third would be dead when it comes into the store.
  @Test func theOldTokenIsExchangedUntilTheLastIsStored() async throws {
    let gate = Gate()
    let bench = Bench(StubStore(.adas))
    let first = StoredSession.adas.token.revealed
    bench.auth.willCheck(.success(.ada), giving: "second")
    bench.store.holdSave(gate)
    await bench.session.restore()
    bench.auth.willCheck(.success(.ada), giving: "third")
    await bench.session.check()
    gate.open()
    await bench.session.finish()
    #expect(bench.store.stored?.token.revealed == "third")
    bench.auth.willCheck(.success(.ada))
    await bench.session.check()
    #expect(bench.auth.calls == ["refresh \(first)", "refresh \(first)", "refresh third"])
  }

  @Test func whoeverSignsOutWhileItIsSavedLeavesNothingBehind() async throws {
    let gate = Gate()
    let bench = Bench()
    bench.store.holdSave(gate)
    bench.auth.willSignIn(.success((Secret("token-ada"), .ada)))
    await bench.session.restore()
    try await bench.session.signIn(email: "ada@example.org", password: Secret("pw"))
    let leaving = Task { await bench.session.signOut() }
    await until { bench.session.state == .signingOut }
    #expect(bench.token.current == nil)
    gate.open()
    await leaving.value
    await bench.session.finish()
    #expect(bench.session.state == .signedOut(.byUser))
    #expect(bench.store.stored == nil)
    #expect(bench.store.calls == ["load", "save u1", "willClear", "clear"])
  }

  @Test(arguments: [AuthError.wrongCredentials, .unreachable("No network."), .rejected("Too many tries.")])
  func aFailureChangesNothing(error: AuthError) async {
    let bench = Bench()
    bench.auth.willSignIn(.failure(error))
    await bench.session.restore()
    await #expect(throws: error) { try await bench.session.signIn(email: "ada@example.org", password: Secret("no")) }
    #expect(bench.states == [.signedOut(.noSession), .signingIn(after: .noSession), .signedOut(.noSession)])
    #expect(bench.store.calls == ["load"])
    #expect(bench.token.current == nil)
  }

  /// As by somebody who has the password mailed after all: the answer to the first may come late, or never.
  @Test(arguments: [true, false]) func theLastOfTwoAtOnceCounts(isFirstGranted: Bool) async throws {
    let gate = Gate()
    let bench = Bench()
    bench.auth.willSignIn(isFirstGranted ? .success((Secret("token-ada"), .ada)) : .failure(.wrongCredentials), after: gate)
    bench.auth.willSignIn(.success((Secret("token-bo"), .bo)))
    let first = Task { try await bench.session.signIn(email: "ada@example.org", password: Secret("pw")) }
    await until { !bench.auth.calls.isEmpty }
    try await bench.session.signIn(with: .mailedCode("012345", challenge: Secret("c")))
    #expect(bench.session.state.user == .bo)
    gate.open()
    await #expect(throws: AuthError.superseded) { try await first.value }
    await bench.session.finish()
    #expect(bench.session.state == .signedIn(.bo, .persisted))
    #expect(bench.token.current == "token-bo")
    #expect(bench.store.stored?.user == .bo)
    // A session that nobody uses is ended.
    #expect(bench.auth.calls.contains("signOut token-ada") == isFirstGranted)
    #expect(!bench.auth.calls.contains("signOut token-bo"))
  }

  @Test func aSignOutInBetweenWins() async {
    let gate = Gate()
    let bench = Bench()
    bench.auth.willSignIn(.success((Secret("token-ada"), .ada)), after: gate)
    let signIn = Task { try await bench.session.signIn(email: "ada@example.org", password: Secret("pw")) }
    await until { !bench.auth.calls.isEmpty }
    await bench.session.signOut()
    gate.open()
    await #expect(throws: AuthError.superseded) { try await signIn.value }
    await bench.session.finish()
    #expect(bench.session.state == .signedOut(.byUser))
    #expect(bench.store.stored == nil)
    #expect(bench.token.current == nil)
    #expect(bench.auth.calls.last == "signOut token-ada")
  }

  @Test func anotherUserSignsTheFirstOneOut() async throws {
    let bench = try await Bench.signedIn()
    bench.auth.willSignIn(.success((Secret("token-bo"), .bo)))
    try await bench.session.signIn(email: "bo@example.org", password: Secret("pw"))
    await bench.session.finish()
    #expect(
      bench.states == [
        .signingIn(after: .noSession), .signedIn(.ada, .saving), .signedIn(.ada, .persisted), .signingOut, .signedOut(.byUser),
        .signingIn(after: .byUser), .signedIn(.bo, .saving), .signedIn(.bo, .persisted),
      ])
    #expect(bench.auth.calls.contains("signOut token-ada"))
    #expect(bench.store.stored?.user == .bo)
  }
}

@MainActor @Suite struct EndingTests {
  @Test func signingOutForgetsTheTokenBeforeItIsTold() async throws {
    let bench = try await Bench.signedIn()
    var tokens: [String?] = []
    bench.recorder.onChange = { [token = bench.token, store = bench.store] state in
      tokens.append(token.current)
      if state.isSignedOut { #expect(store.stored == nil) }
    }
    await bench.session.signOut()
    await bench.session.finish()
    #expect(bench.states.suffix(2) == [.signingOut, .signedOut(.byUser)])
    #expect(tokens == [nil, nil])
    #expect(bench.auth.calls.last == "signOut token-ada")
  }

  @Test func aStoreThatDoesNotForgetIsTold() async throws {
    let bench = try await Bench.signedIn()
    bench.store.fail(.locked)
    await bench.session.signOut()
    #expect(bench.session.state == .signedOut(.byUserTokenNotErased(.locked)))
    await bench.session.finish()
    #expect(bench.auth.calls.last == "signOut token-ada")
  }

  /// A keyring that hangs, and an app that quits meanwhile, must not keep the session.
  @Test func theBackendIsToldThoughTheStoreDoesNotAnswer() async throws {
    let gate = Gate()
    let bench = try await Bench.signedIn()
    bench.store.holdClear(gate)
    let leaving = Task { await bench.session.signOut() }
    await until { bench.auth.calls.last == "signOut token-ada" }
    #expect(bench.session.state == .signingOut && bench.store.stored != nil)
    gate.open()
    await leaving.value
    await bench.session.finish()
    #expect(bench.session.state == .signedOut(.byUser))
    #expect(bench.auth.calls.filter { $0.hasPrefix("signOut") }.count == 1)
  }

  /// It may hang until the app quits, and the next start would find the session again.
  @Test func theStoreIsToldOfTheEndThoughItIsBusy() async throws {
    let gate = Gate()
    let bench = Bench(StubStore())
    await bench.session.restore()
    bench.store.holdSave(gate)
    bench.auth.willSignIn(.success((Secret("token-ada"), .ada)))
    try await bench.session.signIn(email: "ada@example.org", password: Secret("pw"))
    await until { bench.store.calls.last == "save u1" }
    let leaving = Task { await bench.session.signOut() }
    await until { bench.store.calls.last == "willClear" }
    #expect(bench.store.calls == ["load", "save u1", "willClear"])
    gate.open()
    await leaving.value
    await bench.session.finish()
    #expect(bench.store.calls == ["load", "save u1", "willClear", "clear"])
    #expect(bench.store.stored == nil)
  }

  @Test func theStoreIsToldWhereTheBackendEndsTheSession() async throws {
    let bench = try await Bench.signedIn()
    bench.auth.willCheck(.failure(.ended))
    await bench.session.check()
    await bench.session.finish()
    #expect(bench.store.calls.suffix(2) == ["willClear", "clear"])
  }

  /// What could not be read may be a session of earlier, which the next start would find.
  @Test(arguments: [TokenStoreError.locked, .timedOut, .failed("x"), .noService("no bus")])
  func aStoreThatCouldNotBeReadMayHaveASession(error: TokenStoreError) async throws {
    let earlier = StoredSession(token: Secret("earlier"), user: .ada)
    let bench = Bench(StubStore(earlier, failure: error))
    await bench.session.restore()
    bench.auth.willSignIn(.success((Secret("token-bo"), .bo)))
    try await bench.session.signIn(email: "bo@example.org", password: Secret("pw"))
    await bench.session.finish()
    await bench.session.signOut()
    let isNone = if case .noService = error { true } else { false }
    #expect(bench.session.state == .signedOut(isNone ? .byUser : .byUserTokenNotErased(error)))
    await bench.session.finish()
  }

  /// Otherwise each start without a keyring would leave a session behind that nobody can continue.
  @Test(arguments: [TokenStoreError.noService("no bus"), .locked, .timedOut])
  func aSessionThatNothingStoresEndsWithTheApp(error: TokenStoreError) async throws {
    let bench = Bench(StubStore(failure: error))
    await bench.session.restore()
    bench.auth.willSignIn(.success((Secret("token-bo"), .bo)))
    try await bench.session.signIn(email: "bo@example.org", password: Secret("pw"))
    await bench.session.finish()
    await bench.session.endUnlessStored()
    let isNone = if case .noService = error { true } else { false }
    #expect(bench.auth.calls.contains("signOut token-bo") == isNone, "what did not answer may have it nevertheless")
    let stored = try await Bench.signedIn()
    await stored.session.endUnlessStored()
    #expect(!stored.auth.calls.contains { $0.hasPrefix("signOut") })
  }

  @Test func signingOutTwiceIsOnce() async throws {
    let bench = try await Bench.signedIn()
    async let first: Void = bench.session.signOut()
    async let second: Void = bench.session.signOut()
    _ = await (first, second)
    await bench.session.signOut()
    await bench.session.finish()
    #expect(bench.states.suffix(2) == [.signingOut, .signedOut(.byUser)])
    #expect(bench.auth.calls.filter { $0.hasPrefix("signOut") }.count == 1)
  }

  @Test func aRefusedTokenEndsTheSessionOnce() async throws {
    let bench = try await Bench.signedIn()
    bench.auth.willCheck(.failure(.ended))
    async let first = bench.token.renewed(after: "token-ada")
    async let second = bench.token.renewed(after: "token-ada")
    let renewed = [try? await first, try? await second]
    #expect(renewed == [nil, nil])
    #expect(bench.states.suffix(2) == [.refreshing(.ada, .persisted), .signedOut(.ended)])
    #expect(bench.states.filter(\.isSignedOut).count == 1)
    #expect(bench.token.current == nil)
    await bench.session.finish()
    #expect(bench.store.calls.filter { $0 == "clear" }.count == 1)
    #expect(bench.auth.calls.filter { $0.hasPrefix("refresh") }.count == 1)
  }

  @Test func theLastUsersLateRefusalLeavesTheNextUserAlone() async throws {
    let bench = try await Bench.signedIn()
    await bench.session.signOut()
    bench.auth.willSignIn(.success((Secret("token-bo"), .bo)))
    try await bench.session.signIn(email: "bo@example.org", password: Secret("pw"))
    await bench.session.finish()
    #expect(try await bench.token.renewed(after: "token-ada") == "token-bo")
    #expect(bench.session.state == .signedIn(.bo, .persisted))
    #expect(!bench.auth.calls.contains { $0.hasPrefix("refresh") })
  }

  @Test func clearingLateDoesNotForgetTheNextUser() async throws {
    let gate = Gate()
    let bench = Bench(StubStore(.adas))
    bench.store.holdClear(gate)
    bench.auth.willCheck(.failure(.ended))
    bench.auth.willSignIn(.success((Secret("token-bo"), .bo)))
    await bench.session.restore()
    let signIn = Task { try await bench.session.signIn(email: "bo@example.org", password: Secret("pw")) }
    await until { bench.auth.calls.count >= 2 }
    gate.open()
    try await signIn.value
    await bench.session.finish()
    #expect(bench.store.stored?.user == .bo)
    #expect(bench.store.calls == ["load", "willClear", "clear", "save u2"])
  }

  @Test func aDelegateMayChangeTheSessionAgain() async throws {
    let bench = try await Bench.signedIn()
    bench.recorder.onChange = { [session = bench.session] state in
      if state == .signedOut(.ended) { Task { await session.restore() } }
    }
    bench.auth.willCheck(.failure(.ended))
    await #expect(throws: AuthError.ended) { try await bench.token.renewed(after: "token-ada") }
    await until { bench.session.state == .signedOut(.noSession) }
    #expect(bench.states.suffix(3) == [.signedOut(.ended), .restoring, .signedOut(.noSession)])
  }

  @Test func aStreamStartsWithTheStateOfNow() async throws {
    let bench = try await Bench.signedIn()
    var stream = bench.session.states().makeAsyncIterator()
    #expect(await stream.next() == .signedIn(.ada, .persisted))
    await bench.session.signOut()
    #expect(await stream.next() == .signedOut(.byUser))
  }
}
