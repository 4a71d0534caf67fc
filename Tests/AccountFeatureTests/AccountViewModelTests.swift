import AccountFeature
import FeatureKit
import Foundation
import Patience
import PurchaseServiceTesting
import Runtime
import SessionService
import SessionServiceTesting
import Testing

/// A backend that gives no new tokens.
private func refusing(_ error: AuthError) -> StubAuthProvider {
  StubAuthProvider { call throws(AuthError) in
    if case .refresh = call { throw error }
    return nil
  }
}

private struct NoStore: TokenStore {
  func load() async throws(TokenStoreError) -> StoredSession? { throw .locked }
  func save(_ session: StoredSession) async throws(TokenStoreError) { throw .locked }
  func clear() async throws(TokenStoreError) { throw .locked }
}

@MainActor private final class Rig {
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
    auth: StubAuthProvider = StubAuthProvider(), store: any TokenStore = MemoryTokenStore(), email: String = "ada@example.org",
    restores: Bool = false,
    mayLeave: Bool = true
  ) async throws {
    session = Session(auth: auth, store: store, tokens: TokenBox(), effects: Effects())
    if restores { await session.restore() } else { try await session.signIn(email: email, password: Secret("pw")) }
    let formatting = Formatting(clock: clock, locale: Locale(identifier: "en_US"), timeZone: .gmt)
    model = AccountViewModel(
      session: session, publication: publication, premium: premium.observe, passes: passes,
      payments: { [weak self, payments] observer in
        self?.requested += 1
        return payments.observe(observer)
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
    let rig = try await Rig()
    rig.model.appear()
    #expect(rig.model.state.passes == nil)
    rig.passes.value = 5
    await until { rig.model.state.passes != nil }
    #expect(rig.model.state.passes == "You have 5 article passes.")
    rig.passes.value = 0
    await until { rig.model.state.passes == nil }
  }

  @Test func theScreenSaysWhoIsSignedInWhere() async throws {
    let rig = try await Rig()
    let state = rig.model.state
    #expect(state.name == "Ada")
    #expect(state.email == "ada@example.org")
    #expect(state.publication == "The Paper")
    #expect(state.notice == nil)
    #expect(!state.canUnlock)
    #expect(rig.states == [state])
  }

  /// Who came by an identity provider that told no address.
  @Test func whoHasNoAddressHasNoPasswordToChange() async throws {
    let nameless = try await Rig(email: "")
    #expect(nameless.model.state.email.isEmpty && !nameless.model.state.canChangePassword)
    let rig = try await Rig()
    rig.model.appear()
    #expect(rig.model.state.canChangePassword)
    await rig.session.signOut()
    await until { rig.model.state.name.isEmpty }
    #expect(rig.model.state.canChangePassword, "the screen goes away, and loses no row before that")
  }

  @Test func aRefreshThatFailsSaysWhy() async throws {
    let rig = try await Rig()
    rig.problem = "The publication is being worked on."
    rig.model.appear()
    await until { rig.looked == 1 }
    // Nobody asked for that one.
    #expect(rig.model.state.notice == nil)
    rig.model.send(.refreshTapped)
    await until { !rig.model.state.isRefreshing }
    #expect(rig.model.state.notice == "The publication is being worked on.")
    rig.problem = nil
    rig.model.send(.refreshTapped)
    await until { !rig.model.state.isRefreshing }
    #expect(rig.model.state.notice == nil)
  }

  @Test func refreshingLooksForReceipts() async throws {
    let rig = try await Rig()
    #expect(rig.looked == 0)
    rig.model.appear()
    await until { rig.looked == 1 }
    rig.model.send(.refreshTapped)
    #expect(rig.model.state.isRefreshing)
    rig.model.send(.refreshTapped)
    await until { !rig.model.state.isRefreshing }
    #expect(rig.looked == 2, "the second press asks nothing more")
  }

  @Test func aPublicationThatIsAwayIsNamedOnceItIsBack() async throws {
    let rig = try await Rig()
    rig.publication.value = nil
    rig.model.appear()
    await until { rig.model.state.publication == "Membership" }
    rig.publication.value = "The Paper"
    await until { rig.model.state.publication == "The Paper" }
  }

  @Test func premiumFollowsThePurchasesWhileOnScreen() async throws {
    let rig = try await Rig()
    rig.model.appear()
    rig.premium.value = .none
    await until { rig.model.state.canUnlock }
    #expect(rig.model.state.premium == "You read without premium access.")
    rig.premium.value = .active(until: Date(timeIntervalSince1970: 1_798_859_045))
    await until { !rig.model.state.canUnlock }
    #expect(rig.model.state.premium == "You have premium access until January 2, 2027.")
    rig.premium.value = .active(until: nil)
    await until { rig.model.state.premium == "You have premium access." }
    rig.model.disappear()
    let count = rig.states.count
    rig.premium.value = .none
    for _ in 0..<20 { await Task.yield() }
    #expect(rig.states.count == count)
  }

  @Test func paymentsThatWaitAreNamedAndAskedAbout() async throws {
    let rig = try await Rig()
    rig.model.appear()
    #expect(rig.requested == 1)
    rig.payments.value.forBank = 1
    await until { rig.model.state.payments == "1 payment waits for your bank" }
    rig.payments.value.forReader = 1
    rig.payments.value.forBank = 0
    await until { rig.model.state.payments == "1 payment waits for you to confirm it" }
    rig.payments.value.forBank = 2
    rig.payments.value.forPublication = 3
    let all = "1 payment waits for you to confirm it\n2 payments wait for your bank\n3 payments wait to be confirmed"
    await until { rig.model.state.payments == all }
    rig.model.send(.refreshTapped)
    #expect(rig.requested == 2)
    rig.payments.value = WaitingPayments()
    await until { rig.model.state.payments == nil }
    rig.model.disappear()
    rig.payments.value.forBank = 1
    for _ in 0..<20 { await Task.yield() }
    #expect(rig.model.state.payments == nil)
  }

  @Test func unlockOpensThePaywallOnlyWhereThereIsSomethingToUnlock() async throws {
    let rig = try await Rig()
    rig.model.send(.unlockTapped)
    #expect(rig.outputs.isEmpty)
    rig.premium.value = .none
    rig.model.appear()
    await until { rig.model.state.canUnlock }
    rig.model.send(.unlockTapped)
    #expect(rig.outputs == [.openPaywall])
  }

  @Test func signingOutShowsProgress() async throws {
    let rig = try await Rig()
    rig.model.send(.signOutTapped)
    rig.model.send(.signOutTapped)
    #expect(rig.model.state.isSigningOut)
    #expect(rig.model.state.name == "Ada")
    await until { !rig.model.state.isSigningOut }
    #expect(rig.outputs.isEmpty)
    #expect(rig.session.state == .signedOut(.byUser))
    rig.model.send(.signOutTapped)
    #expect(!rig.model.state.isSigningOut)
  }

  @Test func whoeverWouldLoseSomethingIsAskedFirst() async throws {
    let rig = try await Rig(mayLeave: false)
    rig.model.send(.signOutTapped)
    await until { !rig.outputs.isEmpty }
    #expect(rig.outputs == [.confirmSignOut])
    #expect(!rig.model.state.isSigningOut)
    #expect(rig.session.state.user != nil)
  }

  @Test func aSessionThatIsNotKeptSaysWhy() async throws {
    let rig = try await Rig(store: NoStore())
    rig.model.appear()
    await until { rig.model.state.notice != nil }
    #expect(rig.model.state.notice == "The keyring is locked. You stay signed in only until you quit.")
  }

  @Test func aSessionThatCouldNotBeCheckedSaysSo() async throws {
    let stored = StoredSession(token: Secret("t1"), user: User(id: "u1", email: "ada@example.org", name: "Ada"))
    let rig = try await Rig(auth: refusing(.unreachable("No network.")), store: MemoryTokenStore(stored), restores: true)
    #expect(rig.model.state.name == "Ada")
    #expect(rig.model.state.notice?.hasPrefix("The publication could not be reached") == true)
  }

  @Test func aSessionThatEndsLeavesNoNameBehind() async throws {
    let rig = try await Rig(auth: refusing(.ended))
    rig.model.appear()
    await rig.session.check()
    await until { rig.model.state.name.isEmpty }
    #expect(rig.model.state.email.isEmpty)
  }
}
