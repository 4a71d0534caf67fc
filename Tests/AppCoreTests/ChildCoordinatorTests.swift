import AccountFeature
import ArticleFeature
import Foundation
import HTTPTransport
import LoginFeature
import PaymentFeature
import PaywallFeature
import PublicationServer
import Runtime
import SessionService
import Synchronization
import TestSupport
import Testing

@testable import AppCore

/// The ways of several steps: what each holds is gone with it.
@MainActor @Suite struct ChildCoordinatorTests {
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))

  private func rig(tokens: MemoryTokenStore = MemoryTokenStore()) async throws -> PathRig {
    let publication = try await Sample.publication(clock: clock)
    return PathRig(InProcessTransport { await publication.handle($0) }, tokens: tokens)
  }

  private func signedIn() async throws -> PathRig {
    let rig = try await rig()
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    return rig
  }

  @Test func theStartHandsOverWhatWaitedForItAndIsReleased() async throws {
    let tokens = MemoryTokenStore()
    let publication = try await Sample.publication(clock: clock)
    let first = PathRig(InProcessTransport { await publication.handle($0) }, tokens: tokens)
    first.coordinator.start()
    await first.settle()
    try await first.signIn()
    let rig = PathRig(InProcessTransport { await publication.handle($0) }, tokens: tokens)
    rig.coordinator.start(opening: "matinee://posts/p3")
    weak let startUp = rig.coordinator.startUp
    #expect(startUp?.then == .post("p3"))
    rig.coordinator.open(uri: "matinee://posts/p4")
    rig.coordinator.say("Said behind the curtain.")
    #expect(rig.presenter.messages == [])
    await rig.settle()
    #expect(startUp == nil)
    #expect(rig.coordinator.login == nil, "the session goes on")
    #expect(rig.visible == .post("p4"))
    #expect(rig.presenter.messages == ["Said behind the curtain."])
  }

  /// What a keyring does that waits for its password.
  private actor HeldTokenStore: TokenStore {
    private let session: StoredSession?
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private(set) var saved: StoredSession?
    private var isSuspended = true

    init(_ session: StoredSession?) { self.session = session }
    func release() {
      isSuspended = false
      for continuation in waiting { continuation.resume() }
      waiting = []
    }
    func load() async throws(TokenStoreError) -> StoredSession? {
      if isSuspended { await withCheckedContinuation { waiting.append($0) } }
      return session
    }
    func save(_ session: StoredSession) async throws(TokenStoreError) { saved = session }
    func clear() async throws(TokenStoreError) {}
  }

  private func wait(_ condition: () -> Bool) async {
    for _ in 0..<100_000 where !condition() { await Task.yield() }
  }

  /// At the login, five seconds after the start, with the keyring still silent.
  private func rigWithASlowKeyring(
    _ publication: Publication, _ transport: (any Transport)? = nil
  ) async throws -> (PathRig, HeldTokenStore) {
    let tokens = MemoryTokenStore()
    let first = PathRig(InProcessTransport { await publication.handle($0) }, tokens: tokens)
    first.coordinator.start()
    await first.settle()
    try await first.signIn()
    let store = HeldTokenStore(tokens.stored)
    let rig = PathRig(transport ?? InProcessTransport { await publication.handle($0) }, keyring: store, clock: clock)
    rig.coordinator.start(opening: "matinee://posts/p3")
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(4))
    await wait { rig.curtain.state.showsSpinner }
    #expect(rig.visible == nil)
    clock.advance(by: .seconds(1))
    await wait { rig.visible == .login }
    #expect(try rig.loginNotice?.contains("keyring has not answered") == true)
    return (rig, store)
  }

  @Test func aKeyringThatTakesLongIsAwaitedAtTheLogin() async throws {
    let (rig, store) = try await rigWithASlowKeyring(try await Sample.publication(clock: clock))
    await store.release()
    await rig.settle()
    #expect(rig.visible == .post("p3"), "its session goes on, and so does the link")
    #expect(rig.coordinator.login == nil)
  }

  @Test func whoIsFoundAtTheLoginNeedNotWaitForAPublicationThatHangs() async throws {
    let publication = try await Sample.publication(clock: clock)
    let gate = ManualClock()
    let hangs = Mutex(false)
    let transport = InProcessTransport { request in
      if request.path == "/v1/session/refresh", hangs.withLock({ $0 }) { try await gate.sleep(for: .seconds(60)) }
      return await publication.handle(request)
    }
    let (rig, store) = try await rigWithASlowKeyring(publication, transport)
    hangs.withLock { $0 = true }
    await store.release()
    await gate.waitForSleepers()
    await wait { (try? rig.loginNotice?.contains("keyring has answered")) == true }
    clock.advance(by: .seconds(5))
    await wait { rig.visible == .post("p3") }
    #expect(rig.visible == .post("p3"), "with what is on this computer")
    gate.advance(by: .seconds(60))
    await rig.settle()
    #expect(rig.visible == .post("p3"))
  }

  @Test func aKeyringThatAnswersAfterTheReaderDidChangesNothing() async throws {
    let (rig, store) = try await rigWithASlowKeyring(try await Sample.publication(clock: clock))
    guard let login = rig.presenter.visibleScreen?.model as? LoginViewModel else { throw PathRig.Missing("login") }
    login.send(.emailChanged("other@example.org"))
    login.send(.passwordChanged(.init("curtain call")))
    login.send(.submitTapped)
    await wait { rig.visible == .post("p3") }
    await store.release()
    await rig.settle()
    #expect(rig.visible == .post("p3"))
    #expect(await store.saved?.user.email == "other@example.org")
    rig.coordinator.perform(.tab(.account))
    await rig.settle()
    #expect((rig.presenter.visibleScreen?.model as? AccountViewModel)?.state.email == "other@example.org")
  }

  @Test func theLoginIsReleasedWithItsScreenAndWhatWaitedForIt() async throws {
    let rig = try await rig()
    rig.coordinator.start()
    weak let startUp = rig.coordinator.startUp
    rig.coordinator.open(uri: "matinee://posts/p3")
    await rig.settle()
    #expect(startUp == nil)
    weak let login = rig.coordinator.login
    #expect(login?.then == .post("p3"), "the link outlasts the start")
    weak let screen = rig.presenter.visibleScreen?.model as? LoginViewModel
    #expect(screen != nil)
    try await rig.signIn(password: "wrong")
    #expect(login != nil && screen != nil)
    try await rig.signIn()
    #expect(rig.visible == .post("p3"))
    #expect(login == nil)
    #expect(screen == nil)
    rig.coordinator.perform(.login(then: .fanClub("film")))
    await rig.settle()
    #expect(rig.visible == .login)
    #expect(rig.coordinator.login?.then == .fanClub("film"))
    try await rig.signIn(email: "other@example.org", password: "curtain call")
    #expect(rig.visible == .fanClub("film"))
    rig.coordinator.perform(.login(then: nil))
    await rig.settle()
    try await rig.signIn()
    #expect(rig.visible == .tab(.home), "what waited was performed once")
  }

  @Test func aPurchaseThatIsLeftTakesAlongWhatItWasFor() async throws {
    let rig = try await signedIn()
    rig.coordinator.perform(.post("p45"))
    await rig.settle()
    (rig.presenter.visibleScreen?.model as? ArticleViewModel)?.send(.unlockTapped)
    await rig.settle()
    weak let first = rig.coordinator.purchase
    #expect(first?.then == .post("p45"))
    rig.coordinator.perform(.payment("premium.monthly"))
    #expect(rig.coordinator.purchase === first, "the payment is a step of it")
    rig.coordinator.perform(.back)
    #expect(first != nil)
    rig.coordinator.perform(.back)
    #expect(rig.coordinator.purchase == nil)
    await rig.settle()
    #expect(first == nil)
    rig.coordinator.perform(.tab(.account))
    rig.coordinator.perform(.paywall("premium", then: nil))
    await rig.settle()
    weak let second = rig.coordinator.purchase
    (rig.presenter.visibleScreen?.model as? PaywallViewModel)?.send(.buyTapped("premium.lifetime"))
    await rig.settle()
    (rig.presenter.visibleScreen?.model as? PaymentViewModel)?.send(.payTapped)
    await rig.settle()
    #expect(rig.visible == .tab(.account), "and not the article of the first one")
    #expect(second == nil)
    #expect(rig.presenter.messages.contains { $0.hasPrefix("Thank you!") }, "said after the sheets are gone")
  }

  /// The session may say the same once more, and the keyring's time may run out just then.
  @Test func aStartThatEndsTwiceIsReportedOnce() async throws {
    let rig = try await rig()
    rig.coordinator.start()
    let startUp = try #require(rig.coordinator.startUp)
    startUp.say("Said behind the curtain.")
    await rig.settle()
    #expect(rig.visible == .login)
    for cause in [Session.SignedOutCause.noSession, .ended] { startUp.sessionChanged(to: .signedOut(cause)) }
    await rig.settle()
    #expect(rig.tracks.count { $0.step == .started } == 1)
    #expect(rig.presenter.messages == ["Said behind the curtain."])
  }

  @Test func aLoginThatEndsTwiceIsReportedOnce() async throws {
    let rig = try await rig()
    rig.coordinator.start()
    await rig.settle()
    let login = try #require(rig.coordinator.login)
    try await rig.signIn()
    let user = try #require(rig.coordinator.reader?.user)
    login.sessionChanged(to: .signedIn(user, .persisted))
    await rig.settle()
    #expect(rig.tracks.count { $0.step == .signedIn } == 1)
  }

  /// Each of its screens sees that it is bought.
  @Test func aPurchaseThatEndsTwiceIsReportedOnce() async throws {
    let rig = try await signedIn()
    rig.coordinator.perform(.paywall("premium", then: .post("p45")))
    await rig.settle()
    let purchase = try #require(rig.coordinator.purchase)
    let (one, other) = (purchase.paywall("premium"), purchase.paywall("premium"))
    for screen in [one, other] { screen.appear() }
    await rig.settle()
    (rig.presenter.visibleScreen?.model as? PaywallViewModel)?.send(.buyTapped("premium.lifetime"))
    await rig.settle()
    (rig.presenter.visibleScreen?.model as? PaymentViewModel)?.send(.payTapped)
    await rig.settle()
    // They report in the same moment.
    let owned = "This is yours already: there is nothing left to pay for here."
    for screen in [one, other] {
      await wait { (screen.model as? PaywallViewModel)?.state.notice == owned }
      #expect((screen.model as? PaywallViewModel)?.state.notice == owned)
    }
    await rig.settle()
    for screen in [one, other] { screen.disappear() }
    #expect(rig.visible == .post("p45"))
    #expect(rig.tracks.count { $0.navigation == .dismiss } == 1)
    #expect(rig.tracks.count { $0.navigation == .post("p45") } == 1)
  }

  @Test func signingOutLeavesNoPurchase() async throws {
    let rig = try await signedIn()
    rig.coordinator.perform(.paywall("premium", then: .post("p45")))
    await rig.settle()
    weak let purchase = rig.coordinator.purchase
    #expect(purchase != nil)
    rig.coordinator.perform(.confirmed(.login(then: nil)))
    await rig.settle()
    #expect(rig.visible == .login)
    #expect(purchase == nil)
  }
}
