import LoginFeature
import Patience
import Runtime
import SessionService
import Synchronization
import Testing

/// A backend that answers each sign-in with the next answer, once the gate is open.
final class StubAuth: AuthProvider {
  private let state = Mutex<(answers: [AuthError?], calls: [String])>(([], []))
  private let gate = Mutex<CheckedContinuation<Void, Never>?>(nil)
  private let holds: Bool

  init(_ answers: [AuthError?], holds: Bool = false) {
    self.holds = holds
    state.withLock { $0.answers = answers }
  }

  var calls: [String] { state.withLock { $0.calls } }

  func release() async {
    while true {
      let continuation = gate.withLock { gate in
        defer { gate = nil }
        return gate
      }
      if let continuation { return continuation.resume() }
      await Task.yield()
    }
  }

  func requestCode(for email: String) async throws(AuthError) -> Secret {
    try await answer("code for \(email)")
    return Secret("challenge")
  }

  func signIn(with credential: Credential) async throws(AuthError) -> SessionGrant {
    switch credential {
    case .password(let email, let password):
      try await answer("\(email) \(password.revealed)")
      return SessionGrant(access: Secret("t1"), refresh: Secret("r1"), user: User(id: "u1", email: email, name: "Ada"))
    case .mailedCode(let code, let challenge, let newPassword):
      try await answer([code, challenge.revealed, newPassword?.revealed].compactMap(\.self).joined(separator: " "))
      return SessionGrant(access: Secret("t1"), refresh: Secret("r1"), user: User(id: "u1", email: "ada@example.org", name: "Ada"))
    case .browser(let issuer):
      try await answer("page of \(issuer)")
      return SessionGrant(access: Secret("t1"), refresh: Secret("r1"), user: User(id: "u1", email: "", name: "Ada"))
    }
  }

  private func answer(_ call: String) async throws(AuthError) {
    let answer = state.withLock { state in
      state.calls.append(call)
      return state.answers.isEmpty ? .superseded : state.answers.removeFirst()
    }
    if holds {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in gate.withLock { $0 = continuation } }
      } onCancel: {
        Task { await release() }
      }
    }
    // As a transport that was told so.
    if Task.isCancelled { throw .unreachable("cancelled") }
    if let answer { throw answer }
  }

  func refresh(_ token: Secret) async throws(AuthError) -> SessionGrant { throw .ended }
  func signOut(_ token: Secret) async {}
}

/// Forgets nothing until it is told to.
private final class HangingStore: TokenStore {
  let isAnswering = Mutex(false)
  func load() async throws(TokenStoreError) -> StoredSession? { nil }
  func save(_ session: StoredSession) async throws(TokenStoreError) {}
  func clear() async throws(TokenStoreError) {
    await until { isAnswering.withLock(\.self) }
    throw .locked
  }
}

private struct NoStore: TokenStore {
  func load() async throws(TokenStoreError) -> StoredSession? { throw .noService("none") }
  func save(_ session: StoredSession) async throws(TokenStoreError) { throw .noService("none") }
  func clear() async throws(TokenStoreError) { throw .noService("none") }
}

@MainActor final class Bench {
  let auth: StubAuth
  let effects = Effects()
  let session: Session
  private(set) var model: LoginViewModel!
  private(set) var states: [LoginViewModel.State] = []
  let answers = Answers()
  let clock = ManualClock()
  /// Whether a provider's page is open.
  var hasPage = false
  private(set) var reopened: [String] = []

  /// What the publication says of itself; `nil` while it is away.
  final class Answers: Sendable {
    let publication = Mutex<LoginPublication?>(nil)
  }

  init(
    _ answers: [AuthError?] = [nil], holds: Bool = false, store: any TokenStore = MemoryTokenStore(),
    publication: LoginPublication? = LoginPublication(name: "The Paper")
  ) {
    auth = StubAuth(answers, holds: holds)
    self.answers.publication.withLock { $0 = publication }
    session = Session(auth: auth, store: store, tokens: TokenBox(), effects: effects)
    model = LoginViewModel(
      session: session, effects: effects, clock: clock,
      openAgain: { [unowned self] issuer in
        if hasPage { reopened.append(issuer) }
        return hasPage
      }
    ) { [answers = self.answers] () throws(AuthError) in
      guard let publication = answers.publication.withLock(\.self) else { throw AuthError.unreachable("No network.") }
      return publication
    }
    model.observe { [weak self] in self?.states.append($0) }
  }

  func type(email: String, password: String) {
    model.send(.emailChanged(email))
    model.send(.passwordChanged(.init(password)))
  }

  func submit() async {
    model.send(.submitTapped)
    await answered()
  }

  /// Returns when the sign-in that is under way has been answered.
  func answered() async { await until { !model.state.isWorking } }
}

@MainActor @Suite struct LoginViewModelTests {
  typealias State = LoginViewModel.State

  /// Until then the password is the only way in.
  @Test(.timeLimit(.minutes(1))) func aPublicationThatWasAwayIsAskedUntilItAnswers() async {
    let bench = Bench(publication: nil)
    bench.model.appear()
    for wait in [4, 8, 16, 30, 30] {
      await bench.clock.waitForSleepers()
      #expect(bench.clock.nextDue == .seconds(wait) && bench.model.state.publication == nil)
      if wait == 30 { bench.answers.publication.withLock { $0 = LoginPublication(name: "The Paper", mailsCodes: true) } }
      bench.clock.advance(by: .seconds(wait))
      if wait == 30 { break }
      await bench.effects.settled()
    }
    await until { bench.model.state.offersCode }
    await bench.effects.settled()
    #expect(bench.effects.timers == 0, "it has answered")
    bench.model.disappear()
  }

  @Test func aLoginThatIsGoneAsksNoMore() async {
    let bench = Bench(publication: nil)
    bench.model.appear()
    await bench.clock.waitForSleepers()
    bench.model.disappear()
    await until { bench.effects.timers == 0 }
    #expect(bench.clock.nextDue == nil)
  }

  @Test func whatTakesLongCanBeCancelledAndBegunAnew() async {
    let bench = Bench([nil, nil], holds: true)
    bench.type(email: "ada@example.org", password: "pw")
    let before = bench.model.state
    bench.model.send(.submitTapped)
    await until { !bench.auth.calls.isEmpty }
    bench.model.send(.cancelTapped)
    await bench.answered()
    #expect(bench.model.state == before, "nothing went wrong")
    #expect(bench.session.state.isSignedOut)
    bench.model.send(.submitTapped)
    await bench.auth.release()
    await bench.answered()
    #expect(bench.session.state.user != nil)
  }

  @Test func aWholeSignInIsTheseStates() async {
    let bench = Bench()
    bench.type(email: "ada@example.org", password: "pw")
    await bench.submit()
    var typed = State()
    typed.email = "ada@example.org"
    var both = typed
    both.hasPassword = true
    var working = both
    working.work = .credentials
    #expect(bench.states == [State(), typed, both, working, State()])
    #expect(bench.session.state.user != nil)
    #expect(bench.auth.calls == ["ada@example.org pw"])
    #expect(bench.session.state.user?.email == "ada@example.org")
  }

  @Test(
    arguments: [
      ("", "pw", "Enter your email address.", nil),
      ("  ", "pw", "Enter your email address.", nil),
      ("ada", "pw", "An email address has an @ in it.", nil),
      ("ada@", "pw", "This is not an email address.", nil),
      ("a b@example.org", "pw", "This is not an email address.", nil),
      ("ada@example.org", "", nil, "Enter your password."),
      ("", "", "Enter your email address.", "Enter your password."),
    ] as [(String, String, String?, String?)])
  func whatIsMissingIsSaidBesideItsField(email: String, password: String, emailError: String?, passwordError: String?) async {
    let bench = Bench()
    bench.type(email: email, password: password)
    await bench.submit()
    #expect(bench.model.state.emailError == emailError)
    #expect(bench.model.state.passwordError == passwordError)
    #expect(bench.model.state.formError == nil)
    #expect(bench.auth.calls.isEmpty)
    #expect(bench.states.allSatisfy { !$0.isWorking })
  }

  @Test func wrongCredentialsStandBesideThePasswordAndGoWhenEitherIsTyped() async {
    let bench = Bench([.wrongCredentials, .wrongCredentials])
    bench.type(email: "ada@example.org", password: "no")
    await bench.submit()
    #expect(bench.model.state.passwordError == AuthError.wrongCredentials.sentence)
    #expect(bench.model.state.email == "ada@example.org")
    #expect(bench.model.state.hasPassword)
    bench.model.send(.emailChanged("ada@example.com"))
    #expect(bench.model.state.passwordError == nil)
    await bench.submit()
    #expect(bench.auth.calls == ["ada@example.org no", "ada@example.com no"])
    bench.model.send(.passwordChanged(.init("yes")))
    #expect(bench.model.state.passwordError == nil)
  }

  @Test(arguments: [AuthError.unreachable("The publication cannot be reached."), .rejected("Too many tries. Wait a minute.")])
  func whatIsWrongWithNeitherFieldStandsBesideTheButton(error: AuthError) async {
    let bench = Bench([error, nil])
    bench.type(email: "ada@example.org", password: "pw")
    await bench.submit()
    #expect(bench.model.state.formError == error.sentence)
    #expect(bench.model.state.passwordError == nil)
    #expect(bench.model.state.email == "ada@example.org")
    await bench.submit()
    #expect(bench.session.state.user != nil)
    #expect(bench.auth.calls.count == 2)
  }

  @Test func pressingTwiceAsksOnce() async {
    let bench = Bench(holds: true)
    bench.type(email: "ada@example.org", password: "pw")
    bench.model.send(.submitTapped)
    bench.model.send(.submitTapped)
    #expect(!bench.model.state.canSubmit)
    bench.model.send(.sampleAccountTapped)
    await bench.auth.release()
    await bench.answered()
    #expect(bench.auth.calls.count == 1)
    #expect(bench.session.state.user != nil)
  }

  @Test func spacesAroundTheAddressAreNotSent() async {
    let bench = Bench()
    bench.type(email: " ada@example.org ", password: " pw ")
    await bench.submit()
    #expect(bench.auth.calls == ["ada@example.org  pw "])
  }

  @Test func theSampleAccountIsOneTapAndLeavesTheFields() async {
    let account = LoginPublication.SampleAccount(email: "sample@example.org", password: Secret("sample"))
    let bench = Bench([.unreachable("No network."), nil], publication: LoginPublication(name: "The Paper", sampleAccount: account))
    #expect(!bench.model.state.offersSampleAccount)
    bench.model.appear()
    await until { bench.model.state.publication != nil }
    #expect(bench.model.state.offersSampleAccount)
    bench.model.send(.emailChanged("ada@exam"))
    bench.model.send(.sampleAccountTapped)
    #expect(bench.model.state.work == .sampleAccount)
    await bench.answered()
    #expect(bench.model.state.formError == "No network.")
    #expect(bench.model.state.email == "ada@exam")
    bench.model.send(.sampleAccountTapped)
    await bench.answered()
    #expect(bench.session.state.user != nil)
    #expect(bench.auth.calls == ["sample@example.org sample", "sample@example.org sample"])
  }

  @Test func withoutAnAnswerThePublicationIsAskedAgainNextTime() async {
    let bench = Bench(publication: nil)
    await bench.session.restore()
    bench.model.appear()
    await bench.effects.settled()
    #expect(bench.model.state.publication == nil)
    bench.model.disappear()
    bench.answers.publication.withLock { $0 = LoginPublication(name: "The Paper") }
    bench.model.appear()
    await bench.effects.settled()
    await until { bench.model.state.publication != nil }
    var requested = State()
    requested.publication = LoginPublication(name: "The Paper")
    #expect(bench.model.state == requested)
  }

  @Test func aPublicationThatIsNotThereIsSaidAtOnceAndAskedAgainWithTheNextTry() async {
    let bench = Bench([.unreachable("No network."), nil], publication: nil)
    await bench.session.restore()
    bench.model.appear()
    await until { bench.model.state.notice != nil }
    #expect(bench.model.state.notice == "No network.")
    bench.type(email: "ada@example.org", password: "pw")
    await bench.submit()
    await bench.effects.settled()
    #expect(bench.model.state.formError == "No network.")
    #expect(bench.model.state.notice == nil, "said once")
    bench.answers.publication.withLock { $0 = LoginPublication(name: "The Paper") }
    bench.model.send(.passwordChanged(.init("")))
    bench.model.send(.submitTapped)
    await until { bench.model.state.publication != nil }
    #expect(bench.model.state.notice == nil)
  }

  @Test func withoutAKeyringTheScreenSaysHowLongASessionLasts() async {
    let bench = Bench(store: NoStore())
    bench.model.appear()
    let awaited = bench.model.state.notice
    #expect(awaited?.contains("keyring has not answered") == true)
    await bench.session.restore()
    await until { bench.model.state.notice != awaited }
    #expect(bench.model.state.notice == "This desktop has no keyring service. You stay signed in only until you quit.")
  }

  /// It has the session until then, and whoever quits before would be signed in again.
  @Test func aKeyringThatDoesNotForgetTheSessionIsSaidMeanwhile() async throws {
    let store = HangingStore()
    let bench = Bench(store: store)
    await bench.session.restore()
    bench.model.appear()
    bench.type(email: "ada@example.org", password: "pw")
    await bench.submit()
    await until { bench.session.persistence == .persisted }
    let leaving = Task { await bench.session.signOut() }
    await until { bench.session.state == .signingOut }
    await until { bench.clock.sleeperCount > 0 }
    #expect(bench.model.state.notice == nil, "not before a keyring had time to answer")
    bench.clock.advance(by: .seconds(2))
    await until { bench.model.state.notice != nil }
    #expect(bench.model.state.notice?.contains("Until it does it keeps your session") == true)
    store.isAnswering.withLock { $0 = true }
    await leaving.value
    await until { bench.model.state.notice?.contains("Until it does") == false }
    #expect(bench.model.state.notice?.components(separatedBy: "The keyring is locked.").count == 2, "said once")
  }

  @Test func aSessionThatEndedIsSaid() async throws {
    let stored = StoredSession(token: Secret("t0"), user: User(id: "u1", email: "ada@example.org", name: "Ada"))
    let bench = Bench(store: MemoryTokenStore(stored))
    await bench.session.restore()
    bench.model.appear()
    #expect(bench.model.state.notice == "Your session has ended. Sign in again.")
    #expect(bench.model.state.email == "ada@example.org")
    bench.model.send(.emailChanged(""))
    bench.model.disappear()
    bench.model.appear()
    #expect(bench.model.state.email == "ada@example.org")
  }

  @Test func aReaderWhoSignsOutLeavesNoAddress() async throws {
    let stored = StoredSession(token: Secret("t0"), user: User(id: "u1", email: "ada@example.org", name: "Ada"))
    let bench = Bench([nil], store: MemoryTokenStore(stored))
    await bench.session.restore()
    #expect(bench.session.endedUser?.email == "ada@example.org")
    bench.type(email: "ada@example.org", password: "open sesame")
    await bench.submit()
    await bench.session.signOut()
    #expect(bench.session.state.isSignedOut && bench.session.endedUser == nil)
  }

  @Test func nothingPrintedHoldsThePassword() async {
    let bench = Bench([.wrongCredentials])
    bench.type(email: "ada@example.org", password: "hush-4711")
    await bench.submit()
    var text = "\(bench.states) \(String(reflecting: bench.model.state))"
    dump(bench.model, to: &text)
    #expect(!text.contains("hush-4711"))
  }

  @Test func aClosedScreenIsReleased() async {
    let session = Session(auth: StubAuth([]), store: MemoryTokenStore(), tokens: TokenBox(), effects: Effects())
    var model: LoginViewModel? = LoginViewModel(session: session, effects: Effects(), clock: ManualClock()) {
      LoginPublication(name: "")
    }
    weak let watched = model
    model?.appear()
    model?.disappear()
    model = nil
    await until { watched == nil }
    #expect(watched == nil)
  }
}
