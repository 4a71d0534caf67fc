import LoginFeature
import Patience
import Runtime
import SessionService
import SessionServiceTesting
import Synchronization
import Testing

/// What the backend answers to each call, one after the other; `nil` is a success. Held answers wait until they are released.
final class Script: Sendable {
  private let answers: Mutex<[AuthError?]>
  private let gate = Mutex<CheckedContinuation<Void, Never>?>(nil)
  private let holds: Bool

  init(_ answers: [AuthError?], holds: Bool) {
    self.answers = Mutex(answers)
    self.holds = holds
  }

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

  func answer() async throws(AuthError) {
    let answer = answers.withLock { $0.isEmpty ? .superseded : $0.removeFirst() }
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

@MainActor final class Rig {
  let script: Script
  private let auth: StubAuthProvider
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
    publication: LoginPublication? = LoginPublication(name: "The Paper"), unfinished: LoginViewModel.Unfinished = .init()
  ) {
    let script = Script(answers, holds: holds)
    self.script = script
    auth = StubAuthProvider { call throws(AuthError) in
      switch call {
      case .code, .signIn: try await script.answer()
      case .refresh: throw .ended
      case .signOut: break
      }
      return nil
    }
    self.answers.publication.withLock { $0 = publication }
    session = Session(auth: auth, store: store, tokens: TokenBox(), effects: effects)
    model = LoginViewModel(
      session: session, effects: effects, clock: clock, unfinished: unfinished,
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

  /// What the backend was asked, in words.
  var calls: [String] {
    auth.calls.compactMap { call in
      switch call {
      case .code(let email): "code for \(email)"
      case .signIn(.password(let email, let password)): "\(email) \(password.revealed)"
      case .signIn(.mailedCode(let code, let challenge, let newPassword)):
        [code, challenge.revealed, newPassword?.revealed].compactMap(\.self).joined(separator: " ")
      case .signIn(.browser(let issuer)): "page of \(issuer)"
      case .refresh, .signOut: nil
      }
    }
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
    let rig = Rig(publication: nil)
    rig.model.appear()
    for wait in [4, 8, 16, 30, 30] {
      await rig.clock.waitForSleepers()
      #expect(rig.clock.nextDue == .seconds(wait) && rig.model.state.publication == nil)
      if wait == 30 { rig.answers.publication.withLock { $0 = LoginPublication(name: "The Paper", mailsCodes: true) } }
      rig.clock.advance(by: .seconds(wait))
      if wait == 30 { break }
      await rig.effects.settled()
    }
    await until { rig.model.state.offersCode }
    await rig.effects.settled()
    #expect(rig.effects.timers == 0, "it has answered")
    rig.model.disappear()
  }

  @Test func aLoginThatIsGoneAsksNoMore() async {
    let rig = Rig(publication: nil)
    rig.model.appear()
    await rig.clock.waitForSleepers()
    rig.model.disappear()
    await until { rig.effects.timers == 0 }
    #expect(rig.clock.nextDue == nil)
  }

  @Test func whatTakesLongCanBeCancelledAndBegunAnew() async {
    let rig = Rig([nil, nil], holds: true)
    rig.type(email: "ada@example.org", password: "pw")
    let before = rig.model.state
    rig.model.send(.submitTapped)
    await until { !rig.calls.isEmpty }
    rig.model.send(.cancelTapped)
    await rig.answered()
    #expect(rig.model.state == before, "nothing went wrong")
    #expect(rig.session.state.isSignedOut)
    rig.model.send(.submitTapped)
    await rig.script.release()
    await rig.answered()
    #expect(rig.session.state.user != nil)
  }

  @Test func aWholeSignInIsTheseStates() async {
    let rig = Rig()
    rig.type(email: "ada@example.org", password: "pw")
    await rig.submit()
    var typed = State()
    typed.email = "ada@example.org"
    var both = typed
    both.hasPassword = true
    var working = both
    working.work = .credentials
    #expect(rig.states == [State(), typed, both, working, State()])
    #expect(rig.session.state.user != nil)
    #expect(rig.calls == ["ada@example.org pw"])
    #expect(rig.session.state.user?.email == "ada@example.org")
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
    let rig = Rig()
    rig.type(email: email, password: password)
    await rig.submit()
    #expect(rig.model.state.emailError == emailError)
    #expect(rig.model.state.passwordError == passwordError)
    #expect(rig.model.state.formError == nil)
    #expect(rig.calls.isEmpty)
    #expect(rig.states.allSatisfy { !$0.isWorking })
  }

  @Test func wrongCredentialsStandBesideThePasswordAndGoWhenEitherIsTyped() async {
    let rig = Rig([.wrongCredentials, .wrongCredentials])
    rig.type(email: "ada@example.org", password: "no")
    await rig.submit()
    #expect(rig.model.state.passwordError == AuthError.wrongCredentials.sentence)
    #expect(rig.model.state.email == "ada@example.org")
    #expect(rig.model.state.hasPassword)
    rig.model.send(.emailChanged("ada@example.com"))
    #expect(rig.model.state.passwordError == nil)
    await rig.submit()
    #expect(rig.calls == ["ada@example.org no", "ada@example.com no"])
    rig.model.send(.passwordChanged(.init("yes")))
    #expect(rig.model.state.passwordError == nil)
  }

  @Test(arguments: [AuthError.unreachable("The publication cannot be reached."), .rejected("Too many tries. Wait a minute.")])
  func whatIsWrongWithNeitherFieldStandsBesideTheButton(error: AuthError) async {
    let rig = Rig([error, nil])
    rig.type(email: "ada@example.org", password: "pw")
    await rig.submit()
    #expect(rig.model.state.formError == error.sentence)
    #expect(rig.model.state.passwordError == nil)
    #expect(rig.model.state.email == "ada@example.org")
    await rig.submit()
    #expect(rig.session.state.user != nil)
    #expect(rig.calls.count == 2)
  }

  @Test func pressingTwiceAsksOnce() async {
    let rig = Rig(holds: true)
    rig.type(email: "ada@example.org", password: "pw")
    rig.model.send(.submitTapped)
    rig.model.send(.submitTapped)
    #expect(!rig.model.state.canSubmit)
    rig.model.send(.sampleAccountTapped)
    await rig.script.release()
    await rig.answered()
    #expect(rig.calls.count == 1)
    #expect(rig.session.state.user != nil)
  }

  @Test func spacesAroundTheAddressAreNotSent() async {
    let rig = Rig()
    rig.type(email: " ada@example.org ", password: " pw ")
    await rig.submit()
    #expect(rig.calls == ["ada@example.org  pw "])
  }

  @Test func theSampleAccountIsOneTapAndLeavesTheFields() async {
    let account = LoginPublication.SampleAccount(email: "sample@example.org", password: Secret("sample"))
    let rig = Rig([.unreachable("No network."), nil], publication: LoginPublication(name: "The Paper", sampleAccount: account))
    #expect(!rig.model.state.offersSampleAccount)
    rig.model.appear()
    await until { rig.model.state.publication != nil }
    #expect(rig.model.state.offersSampleAccount)
    rig.model.send(.emailChanged("ada@exam"))
    rig.model.send(.sampleAccountTapped)
    #expect(rig.model.state.work == .sampleAccount)
    await rig.answered()
    #expect(rig.model.state.formError == "No network.")
    #expect(rig.model.state.email == "ada@exam")
    rig.model.send(.sampleAccountTapped)
    await rig.answered()
    #expect(rig.session.state.user != nil)
    #expect(rig.calls == ["sample@example.org sample", "sample@example.org sample"])
  }

  @Test func withoutAnAnswerThePublicationIsAskedAgainNextTime() async {
    let rig = Rig(publication: nil)
    await rig.session.restore()
    rig.model.appear()
    await rig.effects.settled()
    #expect(rig.model.state.publication == nil)
    rig.model.disappear()
    rig.answers.publication.withLock { $0 = LoginPublication(name: "The Paper") }
    rig.model.appear()
    await rig.effects.settled()
    await until { rig.model.state.publication != nil }
    var requested = State()
    requested.publication = LoginPublication(name: "The Paper")
    #expect(rig.model.state == requested)
  }

  @Test func aPublicationThatIsNotThereIsSaidAtOnceAndAskedAgainWithTheNextTry() async {
    let rig = Rig([.unreachable("No network."), nil], publication: nil)
    await rig.session.restore()
    rig.model.appear()
    await until { rig.model.state.notice != nil }
    #expect(rig.model.state.notice == "No network.")
    rig.type(email: "ada@example.org", password: "pw")
    await rig.submit()
    await rig.effects.settled()
    #expect(rig.model.state.formError == "No network.")
    #expect(rig.model.state.notice == nil, "said once")
    rig.answers.publication.withLock { $0 = LoginPublication(name: "The Paper") }
    rig.model.send(.passwordChanged(.init("")))
    rig.model.send(.submitTapped)
    await until { rig.model.state.publication != nil }
    #expect(rig.model.state.notice == nil)
  }

  @Test func withoutAKeyringTheScreenSaysHowLongASessionLasts() async {
    let rig = Rig(store: NoStore())
    rig.model.appear()
    let awaited = rig.model.state.notice
    #expect(awaited?.contains("keyring has not answered") == true)
    await rig.session.restore()
    await until { rig.model.state.notice != awaited }
    #expect(rig.model.state.notice == "This desktop has no keyring service. You stay signed in only until you quit.")
  }

  /// It has the session until then, and whoever quits before would be signed in again.
  @Test func aKeyringThatDoesNotForgetTheSessionIsSaidMeanwhile() async throws {
    let store = HangingStore()
    let rig = Rig(store: store)
    await rig.session.restore()
    rig.model.appear()
    rig.type(email: "ada@example.org", password: "pw")
    await rig.submit()
    await until { rig.session.persistence == .persisted }
    let leaving = Task { await rig.session.signOut() }
    await until { rig.session.state == .signingOut }
    await until { rig.clock.sleeperCount > 0 }
    #expect(rig.model.state.notice == nil, "not before a keyring had time to answer")
    rig.clock.advance(by: .seconds(2))
    await until { rig.model.state.notice != nil }
    #expect(rig.model.state.notice?.contains("Until it does it keeps your session") == true)
    store.isAnswering.withLock { $0 = true }
    await leaving.value
    await until { rig.model.state.notice?.contains("Until it does") == false }
    #expect(rig.model.state.notice?.components(separatedBy: "The keyring is locked.").count == 2, "said once")
  }

  @Test func aSessionThatEndedIsSaid() async throws {
    let stored = StoredSession(token: Secret("t0"), user: User(id: "u1", email: "ada@example.org", name: "Ada"))
    let rig = Rig(store: MemoryTokenStore(stored))
    await rig.session.restore()
    rig.model.appear()
    #expect(rig.model.state.notice == "Your session has ended. Sign in again.")
    #expect(rig.model.state.email == "ada@example.org")
    rig.model.send(.emailChanged(""))
    rig.model.disappear()
    rig.model.appear()
    #expect(rig.model.state.email == "ada@example.org")
  }

  /// What goes on by itself after the sign-in is said before: a payment charges its price then.
  @Test(arguments: [
    (1, 0, " 1 change is kept here, and sent when you sign in again."),
    (2, 0, " 2 changes are kept here, and sent when you sign in again."),
    (0, 1, " 1 payment that you agreed to continues when you sign in again."),
    (0, 2, " 2 payments that you agreed to continue when you sign in again."),
    (
      1, 1,
      " 1 change is kept here, and sent when you sign in again. 1 payment that you agreed to continues when you sign in again."
    ),
  ]) func whatGoesOnAfterTheSignInIsSaid(changes: Int, payments: Int, sentences: String) async throws {
    let stored = StoredSession(token: Secret("t0"), user: User(id: "u1", email: "ada@example.org", name: "Ada"))
    let rig = Rig(store: MemoryTokenStore(stored), unfinished: .init(changes: changes, payments: payments))
    await rig.session.restore()
    rig.model.appear()
    #expect(rig.model.state.notice == "Your session has ended. Sign in again." + sentences)
  }

  @Test func aReaderWhoSignsOutLeavesNoAddress() async throws {
    let stored = StoredSession(token: Secret("t0"), user: User(id: "u1", email: "ada@example.org", name: "Ada"))
    let rig = Rig([nil], store: MemoryTokenStore(stored))
    await rig.session.restore()
    #expect(rig.session.endedUser?.email == "ada@example.org")
    rig.type(email: "ada@example.org", password: "open sesame")
    await rig.submit()
    await rig.session.signOut()
    #expect(rig.session.state.isSignedOut && rig.session.endedUser == nil)
  }

  @Test func nothingPrintedHoldsThePassword() async {
    let rig = Rig([.wrongCredentials])
    rig.type(email: "ada@example.org", password: "hush-4711")
    await rig.submit()
    var text = "\(rig.states) \(String(reflecting: rig.model.state))"
    dump(rig.model, to: &text)
    #expect(!text.contains("hush-4711"))
  }

  @Test func aClosedScreenIsReleased() async {
    let session = Session(auth: StubAuthProvider(), store: MemoryTokenStore(), tokens: TokenBox(), effects: Effects())
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
