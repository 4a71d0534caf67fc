import AccountFeature
import FeatureKit
import Foundation
import Patience
import PurchaseServiceTesting
import Runtime
import SessionService
import Testing

/// A backend that knows everybody, or cannot be reached.
private struct StubAuth: AuthProvider {
  var isReachable = true
  var endedSession = false
  func signIn(with credential: Credential) async throws(AuthError) -> SessionGrant {
    guard case .password(let email, _) = credential else { throw .rejected("Only passwords are known here.") }
    return SessionGrant(access: Secret("t1"), refresh: Secret("r1"), user: User(id: "u1", email: email, name: "Ada"))
  }
  func refresh(_ token: Secret) async throws(AuthError) -> SessionGrant {
    guard isReachable else { throw .unreachable("No network.") }
    guard !endedSession else { throw .ended }
    return SessionGrant(access: Secret("t2"), refresh: token, user: User(id: "u1", email: "ada@example.org", name: "Ada"))
  }
  func signOut(_ token: Secret) async {}
}

private struct NoStore: TokenStore {
  func load() async throws(TokenStoreError) -> StoredSession? { throw .locked }
  func save(_ session: StoredSession) async throws(TokenStoreError) { throw .locked }
  func clear() async throws(TokenStoreError) { throw .locked }
}

@MainActor private final class Bench {
  let clock = ManualClock(now: Date(timeIntervalSince1970: 1_767_323_045))
  let session: Session
  let premium = LastValue(PremiumStatus.unknown)
  let publication = LastValue<String?>("The Paper")
  let payments = LastValue(WaitingPayments())
  let passes = LastValue<Int?>(nil)
  /// How often somebody began to ask about payments that wait.
  private(set) var requested = 0
  /// How often receipts were looked for.
  private(set) var looked = 0
  /// What comes of that.
  var problem: String?
  private(set) var model: AccountViewModel!
  private(set) var states: [AccountViewModel.State] = []
  private(set) var outputs: [AccountViewModel.Output] = []

  init(
    auth: StubAuth = StubAuth(), store: any TokenStore = MemoryTokenStore(), email: String = "ada@example.org", restores: Bool = false,
    mayLeave: Bool = true
  ) async throws {
    session = Session(auth: auth, store: store, tokens: TokenBox(), effects: Effects())
    if restores { await session.restore() } else { try await session.signIn(email: email, password: Secret("pw")) }
    let formatting = Formatting(clock: clock, locale: Locale(identifier: "en_US"), timeZone: .gmt)
    model = AccountViewModel(
      session: session, publication: publication, premium: premium.stream, passes: passes.stream,
      payments: { [weak self, payments] in
        self?.requested += 1
        return payments.stream()
      },
      restorePurchases: { [weak self] in
        self?.looked += 1
        return self?.problem
      }, formatting: formatting, mayLeave: { mayLeave }
    ) { [weak self] in
      self?.outputs.append($0)
    }
    model.observe { [weak self] in self?.states.append($0) }
  }

}

@MainActor @Suite struct AccountViewModelTests {
  @Test func thePassesThatTheReaderHasAreNamed() async throws {
    let bench = try await Bench()
    bench.model.appear()
    #expect(bench.model.state.passes == nil)
    bench.passes.value = 5
    await until { bench.model.state.passes != nil }
    #expect(bench.model.state.passes == "You have 5 article passes.")
    bench.passes.value = 0
    await until { bench.model.state.passes == nil }
  }

  @Test func theScreenSaysWhoIsSignedInWhere() async throws {
    let bench = try await Bench()
    let state = bench.model.state
    #expect(state.name == "Ada")
    #expect(state.email == "ada@example.org")
    #expect(state.publication == "The Paper")
    #expect(state.notice == nil)
    #expect(!state.canUnlock)
    #expect(bench.states == [state])
  }

  /// Who came by an identity provider that told no address.
  @Test func whoHasNoAddressHasNoPasswordToChange() async throws {
    let nameless = try await Bench(email: "")
    #expect(nameless.model.state.email.isEmpty && !nameless.model.state.canChangePassword)
    let bench = try await Bench()
    bench.model.appear()
    #expect(bench.model.state.canChangePassword)
    await bench.session.signOut()
    await until { bench.model.state.name.isEmpty }
    #expect(bench.model.state.canChangePassword, "the screen goes away, and loses no row before that")
  }

  @Test func aRefreshThatFailsSaysWhy() async throws {
    let bench = try await Bench()
    bench.problem = "The publication is being worked on."
    bench.model.appear()
    await until { bench.looked == 1 }
    // Nobody asked for that one.
    #expect(bench.model.state.notice == nil)
    bench.model.send(.refreshTapped)
    await until { !bench.model.state.isRefreshing }
    #expect(bench.model.state.notice == "The publication is being worked on.")
    bench.problem = nil
    bench.model.send(.refreshTapped)
    await until { !bench.model.state.isRefreshing }
    #expect(bench.model.state.notice == nil)
  }

  @Test func refreshingLooksForReceipts() async throws {
    let bench = try await Bench()
    #expect(bench.looked == 0)
    bench.model.appear()
    await until { bench.looked == 1 }
    bench.model.send(.refreshTapped)
    #expect(bench.model.state.isRefreshing)
    bench.model.send(.refreshTapped)
    await until { !bench.model.state.isRefreshing }
    #expect(bench.looked == 2, "the second press asks nothing more")
  }

  @Test func aPublicationThatIsAwayIsNamedOnceItIsBack() async throws {
    let bench = try await Bench()
    bench.publication.value = nil
    bench.model.appear()
    await until { bench.model.state.publication == "Membership" }
    bench.publication.value = "The Paper"
    await until { bench.model.state.publication == "The Paper" }
  }

  @Test func premiumFollowsThePurchasesWhileOnScreen() async throws {
    let bench = try await Bench()
    bench.model.appear()
    bench.premium.value = .none
    await until { bench.model.state.canUnlock }
    #expect(bench.model.state.premium == "You read without premium access.")
    bench.premium.value = .active(until: Date(timeIntervalSince1970: 1_798_859_045))
    await until { !bench.model.state.canUnlock }
    #expect(bench.model.state.premium == "You have premium access until January 2, 2027.")
    bench.premium.value = .active(until: nil)
    await until { bench.model.state.premium == "You have premium access." }
    bench.model.disappear()
    let count = bench.states.count
    bench.premium.value = .none
    for _ in 0..<20 { await Task.yield() }
    #expect(bench.states.count == count)
  }

  @Test func paymentsThatWaitAreNamedAndAskedAbout() async throws {
    let bench = try await Bench()
    bench.model.appear()
    #expect(bench.requested == 1)
    bench.payments.value.forBank = 1
    await until { bench.model.state.payments == "1 payment waits for your bank" }
    bench.payments.value.forReader = 1
    bench.payments.value.forBank = 0
    await until { bench.model.state.payments == "1 payment waits for you to confirm it" }
    bench.payments.value.forBank = 2
    bench.payments.value.forPublication = 3
    let all = "1 payment waits for you to confirm it\n2 payments wait for your bank\n3 payments wait to be confirmed"
    await until { bench.model.state.payments == all }
    bench.model.send(.refreshTapped)
    #expect(bench.requested == 2)
    bench.payments.value = WaitingPayments()
    await until { bench.model.state.payments == nil }
    bench.model.disappear()
    bench.payments.value.forBank = 1
    for _ in 0..<20 { await Task.yield() }
    #expect(bench.model.state.payments == nil)
  }

  @Test func unlockOpensThePaywallOnlyWhereThereIsSomethingToUnlock() async throws {
    let bench = try await Bench()
    bench.model.send(.unlockTapped)
    #expect(bench.outputs.isEmpty)
    bench.premium.value = .none
    bench.model.appear()
    await until { bench.model.state.canUnlock }
    bench.model.send(.unlockTapped)
    #expect(bench.outputs == [.openPaywall])
  }

  @Test func signingOutShowsProgress() async throws {
    let bench = try await Bench()
    bench.model.send(.signOutTapped)
    bench.model.send(.signOutTapped)
    #expect(bench.model.state.isSigningOut)
    #expect(bench.model.state.name == "Ada")
    await until { !bench.model.state.isSigningOut }
    #expect(bench.outputs.isEmpty)
    #expect(bench.session.state == .signedOut(.byUser))
    bench.model.send(.signOutTapped)
    #expect(!bench.model.state.isSigningOut)
  }

  @Test func whoeverWouldLoseSomethingIsAskedFirst() async throws {
    let bench = try await Bench(mayLeave: false)
    bench.model.send(.signOutTapped)
    await until { !bench.outputs.isEmpty }
    #expect(bench.outputs == [.confirmSignOut])
    #expect(!bench.model.state.isSigningOut)
    #expect(bench.session.state.user != nil)
  }

  @Test func aSessionThatIsNotKeptSaysWhy() async throws {
    let bench = try await Bench(store: NoStore())
    bench.model.appear()
    await until { bench.model.state.notice != nil }
    #expect(bench.model.state.notice == "The keyring is locked. You stay signed in only until you quit.")
  }

  @Test func aSessionThatCouldNotBeCheckedSaysSo() async throws {
    let stored = StoredSession(token: Secret("t1"), user: User(id: "u1", email: "ada@example.org", name: "Ada"))
    let bench = try await Bench(auth: StubAuth(isReachable: false), store: MemoryTokenStore(stored), restores: true)
    #expect(bench.model.state.name == "Ada")
    #expect(bench.model.state.notice?.hasPrefix("The publication could not be reached") == true)
  }

  @Test func aSessionThatEndsLeavesNoNameBehind() async throws {
    let bench = try await Bench(auth: StubAuth(endedSession: true))
    bench.model.appear()
    await bench.session.check()
    await until { bench.model.state.name.isEmpty }
    #expect(bench.model.state.email.isEmpty)
  }
}
