import Foundation
import Patience
import PurchaseService
import Runtime
import StubStore
import Synchronization
import Testing

/// What becomes of a subscription, by itself and by command, on a clock that is stepped or runs fast.
@Suite @MainActor struct SubscriptionTests {
  private let month = TestStore.Command.stepPeriod(.month)

  private func subscribed(_ change: (inout StubStoreFile) -> Void = { _ in }) async throws -> Rig {
    let rig = try await Rig(change)
    #expect(await rig.buy(monthly) == .purchased(monthly.id))
    return rig
  }

  @Test func renewsByItselfWhenTheClockIsStepped() async throws {
    let rig = try await subscribed()
    let first = try #require(try rig.order(monthly)?.paidUntil)
    for count in 2...4 {
      try await rig.store.perform(month)
      #expect(try rig.order(monthly)?.payments == count)
    }
    await rig.has([monthly.id])
    let last = try #require(try rig.order(monthly)?.paidUntil)
    #expect(last > first + 80 * 86_400)
    // The layer heard of the new end, in a receipt that it verified.
    for await _ in rig.purchases.entitlementStream() { break }
    await rig.effects.settled()
    #expect(rig.purchases.expiry(of: monthly.id) == last)
  }

  /// A scenario counts what sleeps for an effect, and would take one that is under way for asleep.
  @Test func whatTheStoreWaitsForByItselfIsNoSleepOfThePurchase() async throws {
    let scopes = ScopesOfSleepers()
    let rig = try await Rig(storeClock: { scopes.over($0) })
    #expect(await rig.buy(monthly) == .purchased(monthly.id))
    // The store until the renewal, and the purchases until the end of what was paid for.
    await rig.clock.waitForSleepers(2)
    #expect(Set(scopes.seen) == [nil, .timer])
  }

  @Test func aMonthInThirtySecondsRenewsWithoutAGap() async throws {
    let rig = try await subscribed { $0.rate = AdjustableClock.monthInThirtySeconds }
    let before = try #require(try rig.order(monthly)?.paidUntil)
    // A November, which is renewed a day before it ends: 29 seconds after it began.
    rig.clock.advance(by: .milliseconds(29_500))
    _ = await rig.store.stateStream().first { $0.orders.last?.payments == 2 }
    await until { rig.purchases.expiry(of: monthly.id) != before }
    #expect(rig.store.clock.now < before)
    #expect(rig.purchases.entitlements == [monthly.id])
  }

  @Test func renewNow() async throws {
    let rig = try await subscribed()
    let first = try #require(try rig.order(monthly)?.paidUntil)
    try await rig.store.perform(.renew(.init(monthly.id)))
    #expect(try rig.order(monthly)?.payments == 2)
    #expect(try #require(try rig.order(monthly)?.paidUntil) > first)
  }

  @Test func expiry() async throws {
    let rig = try await subscribed()
    try await rig.store.perform(.expire(.init(monthly.id)))
    await rig.has([])
    #expect(try rig.order(monthly)?.standing == .expired)
    #expect(await rig.buy(monthly) == .purchased(monthly.id))
  }

  @Test func withoutRenewalItEnds() async throws {
    let rig = try await subscribed()
    try await rig.store.perform(.autoRenew(on: false))
    #expect(rig.purchases.entitlements == [monthly.id])
    try await rig.store.perform(month)
    await rig.has([])
    #expect(try rig.order(monthly)?.standing == .expired)
    #expect(try rig.order(monthly)?.payments == 1)
  }

  @Test func billingRetryThenRecovery() async throws {
    let rig = try await subscribed()
    try await rig.store.perform(.billingRetry(.init(monthly.id)))
    await rig.has([])
    #expect(try rig.order(monthly)?.standing == .billingRetry)
    try await rig.store.perform(.recover())
    await rig.has([monthly.id])
    #expect(try rig.order(monthly)?.payments == 2)
  }

  @Test func billingRetryThatNeverRecoversEnds() async throws {
    let rig = try await subscribed()
    try await rig.store.perform(.billingRetry(at: .renewal))
    await rig.has([monthly.id])
    try await rig.store.perform(month)
    await rig.has([])
    #expect(try rig.order(monthly)?.standing == .billingRetry)
    try await rig.store.perform(.step(day * 60))
    #expect(try rig.order(monthly)?.standing == .expired)
    #expect(try rig.order(monthly)?.payments == 1)
  }

  @Test func graceKeepsAccessAndEndsInBillingRetry() async throws {
    let rig = try await subscribed()
    try await rig.store.perform(.grace(days: 3))
    #expect(try rig.order(monthly)?.standing == .grace)
    try await rig.store.perform(.step(day * 2))
    await rig.has([monthly.id])
    try await rig.store.perform(.step(day))
    await rig.has([])
    #expect(try rig.order(monthly)?.standing == .billingRetry)
  }

  @Test func graceAtTheRenewalThenRecovery() async throws {
    let rig = try await subscribed()
    let first = try #require(try rig.order(monthly)?.paidUntil)
    try await rig.store.perform(.grace(.init(monthly.id), days: 16, at: .renewal))
    try await rig.store.perform(month)
    #expect(try rig.order(monthly)?.standing == .grace)
    await rig.has([monthly.id])
    try await rig.store.perform(.recover())
    #expect(try rig.order(monthly)?.standing == .paid)
    // Days of grace were had: the new month begins where the old one ended.
    let until = try #require(try rig.order(monthly)?.paidUntil)
    #expect((28...31).contains(until.timeIntervalSince(first) / 86_400))
  }

  @Test func refundEndsAccessWithAReason() async throws {
    let rig = try await subscribed()
    var notices = rig.purchases.noticeStream().makeAsyncIterator()
    try await rig.store.perform(.refund(.init(monthly.id), reason: "You asked for your money back."))
    let notice = await notices.next()
    #expect(notice?.event == .revoked)
    #expect(notice?.sentence == "You asked for your money back.")
    await rig.has([])
    #expect(try await rig.purchases.restore() == [])
  }

  @Test func whatIsForGoodHasNoEndAlsoWhenItIsGivenBack() async throws {
    let rig = try await Rig()
    #expect(await rig.buy(forever) == .purchased(forever.id))
    try await rig.store.perform(.refund(.init(forever.id)))
    await rig.has([])
    let order = try #require(try rig.order(forever))
    #expect((order.standing, order.paidUntil) == (.refunded, nil))
  }

  @Test func priceIncreaseWithoutConsentCountsFromTheRenewal() async throws {
    let rig = try await subscribed()
    try await rig.store.perform(.priceIncrease(monthly.id, priceMinorUnits: 590))
    #expect(rig.store.state.products.first?.price.minorUnits == 590)
    #expect(try rig.order(monthly)?.charged == 490)
    try await rig.store.perform(month)
    #expect(try rig.order(monthly)?.charged == 590)
  }

  @Test(arguments: [true, false, nil])
  func priceIncreaseThatNeedsConsent(agreed: Bool?) async throws {
    let rig = try await subscribed()
    try await rig.store.perform(.priceIncrease(monthly.id, priceMinorUnits: 590, needsConsent: true))
    #expect(try rig.order(monthly)?.needsConsent == true)
    if let agreed { try await rig.store.perform(.consent(agreed: agreed)) }
    try await rig.store.perform(month)
    await rig.has(agreed == true ? [monthly.id] : [])
    #expect(try rig.order(monthly)?.standing == (agreed == true ? .paid : .expired))
  }

  @Test func aSubscriptionTakesThePlaceOfAnotherOfItsGroup() async throws {
    let rig = try await subscribed()
    #expect(await rig.buy(yearly) == .purchased(yearly.id))
    #expect(try rig.order(monthly)?.standing == .replaced)
    try await rig.store.perform(.restore)
    await rig.has([yearly.id])
    #expect(rig.store.state.subscriptions.map(\.product) == [yearly.id])
  }

  @Test func anOfferCountsOnceForAGroup() async throws {
    let trial = Offer(price: Price(minorUnits: 0, currency: "EUR"), period: SubscriptionPeriod(days: 7)!)
    let rig = try await Rig {
      $0.products[0].product = Product(id: monthly.id, kind: monthly.kind, name: "Monthly", price: monthly.price, offer: trial)
    }
    let offered = try await rig.purchases.products([monthly.id]).products
    #expect(offered.first?.offer == trial)
    _ = await rig.buy(monthly)
    #expect(try rig.order(monthly)?.charged == 0)
    #expect(try rig.order(monthly)?.paidUntil == rig.store.clock.now + 7 * 86_400)
    try await rig.store.perform(.step(day * 7))
    #expect(try rig.order(monthly)?.charged == 490)
    #expect(try await rig.store.products(ProductRequest([monthly.id], user: "ada")).first?.offer == nil)
    #expect(try await rig.store.products(ProductRequest([monthly.id], user: "ben")).first?.offer == trial)
  }

  /// Who was refused, or waits for approval, is as new as before.
  @Test func anOfferIsUsedUpByPaymentsAlone() async throws {
    let trial = Offer(price: Price(minorUnits: 0, currency: "EUR"), period: SubscriptionPeriod(days: 7)!)
    let rig = try await Rig {
      $0.products[0].product = Product(id: monthly.id, kind: monthly.kind, name: "Monthly", price: monthly.price, offer: trial)
      $0.outcomes = [StubOutcome(.deferred)]
    }
    guard case .pending(.deferred) = await rig.buy(monthly) else {
      Issue.record("not deferred")
      return
    }
    #expect(try await rig.store.products(ProductRequest([monthly.id], user: "ada")).first?.offer == trial)
    try await rig.store.perform(.decline())
    #expect(try await rig.store.products(ProductRequest([monthly.id], user: "ada")).first?.offer == trial)
  }

  @Test func aStandingClockMovesByStepsAlone() async throws {
    let rig = try await subscribed()
    try await rig.store.perform(.clockRate(0))
    #expect(rig.store.state.rate == 0)
    rig.clock.advance(by: day * 100)
    #expect(try rig.order(monthly)?.payments == 1)
    try await rig.store.perform(month)
    #expect(try rig.order(monthly)?.payments == 2)
  }

  @Test func commandsWithNothingToBeAboutSaySo() async throws {
    let rig = try await Rig()
    for (command, sentence) in [
      (TestStore.Command.approve(), "There is no purchase that waits for approval."),
      (.resolve(.init(monthly.id)), "There is no purchase that waits of “premium.monthly”."),
      (.renew(.init(monthly.id, user: "ada")), "There is no subscription of “premium.monthly” for ada."),
      (.refund(), "There is no purchase that was paid."), (.buyElsewhere("none"), "The test store's file has no product “none”."),
    ] {
      let refusal = await #expect(throws: TestStore.Refusal.self) { try await rig.store.perform(command) }
      #expect(refusal?.sentence == sentence)
    }
  }
}

/// What each sleeper works for.
private final class ScopesOfSleepers: Sendable {
  private struct Clock: AppClock {
    let base: ManualClock
    let scopes: ScopesOfSleepers
    var now: Date { base.now }
    var uptime: Duration { base.uptime }
    var boot: String { base.boot }

    func sleep(for duration: Duration) async throws {
      scopes.all.withLock { $0.append(EffectKind.current) }
      try await base.sleep(for: duration)
    }
  }

  private let all = Mutex<[EffectKind?]>([])
  var seen: [EffectKind?] { all.withLock { $0 } }

  func over(_ clock: ManualClock) -> any AppClock { Clock(base: clock, scopes: self) }
}
