import Foundation
import Patience
import PurchaseServiceTesting
import Runtime
import Testing

@testable import PurchaseService

/// Offline access: until when, and by which clock.
@MainActor @Suite(.timeLimit(.minutes(1))) struct TrustedTimeTests {
  private let hour: Duration = .seconds(3600)
  private var grace: Duration { Config.offlineGrace }

  /// A rig with a subscription that ends in `duration`, and a store that is away from then on.
  private func rig(endsIn duration: Duration) async throws -> (Rig, Date) {
    let rig = try await Rig()
    let expires = rig.clock.now + duration.seconds
    rig.queue.setRestored(.success([try rig.issuer.receipt(id(100), user: "ada", product: "premium.monthly", expires: expires)]))
    _ = try await rig.purchases.restore()
    goOffline(rig)
    return (rig, expires)
  }

  private func goOffline(_ rig: Rig) {
    rig.queue.setRestored(.failure(StoreError(.unavailable, code: "offline", sentence: "Offline.")))
  }

  /// Lets time pass as a machine does: every timer that is due runs.
  private func pass(_ duration: Duration, _ rig: Rig) async {
    var left = duration
    while left > .zero {
      await rig.effects.settled()
      let step = min(left, hour)
      rig.clock.advance(by: step)
      left -= step
    }
    await rig.effects.settled()
  }

  private func owns(_ rig: Rig) -> Bool { rig.purchases.owns("premium.monthly") }

  // MARK: Case 11: offline access has a limit, and a clock set back does not move it

  @Test func case11AccessGoesOnThroughTheGraceWhileTheStoreIsAwayAndEndsWithIt() async throws {
    let (rig, expires) = try await rig(endsIn: hour)
    await pass(hour + grace - .seconds(1), rig)
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.purchases.expiry(of: "premium.monthly") == expires, "in the past by now")
    await pass(.seconds(1), rig)
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(!owns(rig))
    #expect(rig.purchases.expiry(of: "premium.monthly") == nil)
  }

  @Test func case11TheStoresWordEndsTheGraceAtOnce() async throws {
    let (rig, _) = try await rig(endsIn: hour)
    await pass(hour, rig)
    #expect(owns(rig))
    rig.queue.setRestored(.success([]))
    await pass(hour, rig)
    #expect(rig.purchases.entitlements.isEmpty)
  }

  @Test func case11ARenewalIsFetchedAtTheEndWithoutAGapInAccess() async throws {
    let (rig, expires) = try await rig(endsIn: hour)
    let renewed = try rig.issuer.receipt(
      id(100), user: "ada", product: "premium.monthly", issued: expires, expires: expires + 86_400)
    rig.queue.setRestored(.success([renewed]))
    var seen: [Set<String>] = []
    let stream = rig.purchases.entitlementStream()
    let reader = Task { for await entitlements in stream { seen.append(entitlements) } }
    await pass(hour, rig)
    await until { rig.purchases.expiry(of: "premium.monthly") == expires + 86_400 }
    await rig.effects.settled()
    reader.cancel()
    await reader.value
    #expect(seen == [["premium.monthly"]])
  }

  @Test func case11AClockSetBackGainsNothing() async throws {
    let (rig, _) = try await rig(endsIn: hour)
    rig.clock.setNow(rig.clock.now - 365 * 86_400)
    await pass(hour + grace, rig)
    #expect(rig.purchases.entitlements.isEmpty)
    try await rig.restart()
    #expect(rig.purchases.entitlements.isEmpty, "nor at the next start")
    rig.clock.setNow(rig.clock.now - 365 * 86_400)
    rig.clock.reboot()
    try await rig.restart()
    #expect(rig.purchases.entitlements.isEmpty, "nor at the next start of the machine")
  }

  @Test func case11AfterARebootTimeGoesOnFromTheLastValueAndNeverBack() async throws {
    let (rig, _) = try await rig(endsIn: hour * 10)
    await pass(hour * 4, rig)
    let before = rig.purchases.time.now(rig.clock)
    rig.clock.setNow(.distantPast)
    rig.clock.reboot()
    try await rig.restart()
    let after = rig.purchases.time.now(rig.clock)
    #expect(after <= before)
    #expect(after >= before - 3600, "what had passed was written down every hour")
    await pass(hour * 6 + grace + hour, rig)
    #expect(rig.purchases.entitlements.isEmpty)
  }

  @Test func case11WithinOneBootNotASecondIsLostBetweenTwoStarts() async throws {
    let (rig, _) = try await rig(endsIn: hour * 10)
    rig.clock.advance(by: .seconds(1234))
    let before = rig.purchases.time.now(rig.clock)
    rig.clock.advance(by: .seconds(321))
    try await rig.restart()
    #expect(rig.purchases.time.now(rig.clock) == before + 321)
  }

  @Test func case11TheGraceIsLimitedByACountOfStarts() async throws {
    let (rig, _) = try await rig(endsIn: hour)
    await pass(hour, rig)
    for start in 1...Config.offlineStarts {
      rig.clock.reboot()
      try await rig.restart()
      #expect(owns(rig), "start \(start)")
    }
    try await rig.restart()
    #expect(!owns(rig))
    // One word from the store, and it counts again.
    let renewed = try rig.issuer.receipt(
      id(100), user: "ada", product: "premium.monthly", issued: rig.clock.now, expires: rig.clock.now + 60)
    rig.queue.setRestored(.success([renewed]))
    _ = try await rig.purchases.restore()
    #expect(owns(rig))
    #expect(rig.purchases.time.starts == 0)
  }

  @Test func case11StartsCountForNothingWhileAReceiptIsInForce() async throws {
    let (rig, _) = try await rig(endsIn: hour)
    for _ in 0...Config.offlineStarts { try await rig.restart() }
    #expect(owns(rig))
  }

  @Test func case11AMachineThatWasOffForMonthsHasTheGraceAndItsStartsLeft() async throws {
    let (rig, _) = try await rig(endsIn: hour)
    rig.clock.reboot()
    rig.clock.setNow(rig.clock.now + 90 * 86_400)
    try await rig.restart()
    #expect(owns(rig), "nothing proves that it is over; the store is asked as soon as it can be")
    for _ in 1..<Config.offlineStarts { try await rig.restart() }
    #expect(owns(rig))
    try await rig.restart()
    #expect(!owns(rig))
  }

  @Test func case11AClockSetForwardLosesNothing() async throws {
    let (rig, expires) = try await rig(endsIn: hour * 10)
    rig.clock.setNow(rig.clock.now + 365 * 86_400)
    await pass(hour, rig)
    #expect(owns(rig), "offline")
    try await rig.restart()
    #expect(owns(rig), "offline, at the next start")
    let again = try rig.issuer.receipt(id(100), user: "ada", product: "premium.monthly", issued: expires - 3600, expires: expires)
    rig.queue.setRestored(.success([again]))
    _ = try await rig.purchases.restore()
    await pass(hour / 2, rig)
    #expect(owns(rig), "and where the store says that it is in force")
    rig.clock.setNow(expires - 1800)
    #expect(rig.purchases.expiry(of: "premium.monthly") == expires)
  }

  // MARK: The clock skew limit

  @Test func aReceiptSignedInTheFutureIsRefusedUntilTheClockIsRight() async throws {
    let rig = try await Rig()
    let (issuer, now) = (rig.issuer, rig.clock.now)
    let limit = Config.clockSkewLimit
    let early = try issuer.receipt(id(1), user: "ada", product: "premium.monthly", issued: now + limit.seconds + 10)
    rig.queue.setAnswer { _, _ in .accepted(receipt: early, listed: []) }
    async let outcome = rig.buy()
    for _ in 1...2 {
      await rig.clock.waitForSleepers()
      rig.clock.advance(by: .seconds(2))
      await rig.effects.settled()
    }
    #expect(await outcome == .pending(.clockIsBehind))
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(try await rig.journal.receipts(seller: "store", purchasePath: "device", user: "ada").isEmpty)
    await rig.clock.waitForSleepers()
    rig.clock.setNow(now + limit.seconds + 10)
    rig.clock.advance(by: .seconds(4))
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.queue.submitted.count == 1, "the receipt is there: the store is not asked again")
  }

  @Test func aReceiptAtTheLimitIsAccepted() async throws {
    let rig = try await Rig()
    let receipt = try rig.issuer.receipt(
      id(1), user: "ada", product: "premium.monthly", issued: rig.clock.now + Config.clockSkewLimit.seconds)
    rig.queue.setAnswer { _, _ in .accepted(receipt: receipt, listed: []) }
    #expect(await rig.buy() == .purchased("premium.monthly"))
  }

  @Test func aWallClockThatIsBehindDoesNotRefuseWhatProvedTimeAllows() async throws {
    let (rig, _) = try await rig(endsIn: hour * 10)
    let signed = rig.clock.now
    rig.clock.setNow(rig.clock.now - 86_400)
    let receipt = try rig.issuer.receipt(id(1), user: "ada", product: "premium.forever", issued: signed + 60)
    rig.queue.setAnswer { _, _ in .accepted(receipt: receipt, listed: ["premium.forever"]) }
    #expect(await rig.buy(forever) == .purchased("premium.forever"))
  }

  @Test func restoringWithAClockThatIsBehindTakesNothingAwayAndSaysSo() async throws {
    let rig = try await Rig()
    _ = await rig.buy()
    let receipt = try rig.issuer.receipt(id(1), user: "ada", product: "premium.monthly", issued: rig.clock.now + 86_400)
    rig.queue.setRestored(.success([receipt]))
    await #expect { try await rig.purchases.restore() } throws: { ($0 as? StoreError)?.code == "clock_is_behind" }
    #expect(rig.purchases.entitlements == ["premium.monthly"])
  }

  // MARK: Case 15: dates

  @Test func case15ExpiryEqualToNowHasEnded() throws {
    let clock = ManualClock()
    let end = clock.now + 60
    var time = TrustedTime()
    time.advance(to: clock.now, clock)
    clock.advance(by: .seconds(59))
    #expect(time.access(until: end, clock) == .inForce)
    clock.advance(by: .seconds(1))
    #expect(time.access(until: end, clock) == .inGrace, "over, unless the store says otherwise")
    let contents = ReceiptContents(
      issuer: "seller", user: "ada", transaction: id(1), productID: "p", purchasable: "p", issued: end, expires: end)
    #expect(!contents.isInForce(at: end))
    clock.advance(by: grace - .nanoseconds(1000))
    #expect(time.access(until: end, clock) == .inGrace)
    clock.advance(by: .nanoseconds(1000))
    #expect(time.access(until: end, clock) == .expired, "and so has a grace that ends now")
    #expect(time.access(until: nil, clock) == .inForce)
  }

  @Test func case15AReceiptThatTheStoreCallsOverItselfHasNoGrace() async throws {
    let rig = try await Rig()
    let now = rig.clock.now
    rig.queue.setRestored(.success([try rig.issuer.receipt(id(1), user: "ada", product: "premium.monthly", issued: now, expires: now)]))
    #expect(try await rig.purchases.restore() == [])
  }

  @Test func case15FractionsOfASecondCount() async throws {
    let rig = try await Rig()
    let expires = rig.clock.now + 10.25
    let receipt = try rig.issuer.receipt(
      id(100), user: "ada", product: "premium.monthly", issued: rig.clock.now + 0.125, expires: expires)
    rig.queue.setRestored(.success([receipt]))
    _ = try await rig.purchases.restore()
    #expect(rig.purchases.expiry(of: "premium.monthly") == expires)
    rig.queue.setRestored(.success([]))
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .milliseconds(10_000))
    await rig.effects.settled()
    #expect(owns(rig))
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .milliseconds(250))
    await until { rig.purchases.entitlements.isEmpty }
  }

  @Test(arguments: [Calendar.Identifier.buddhist, .japanese, .islamicUmmAlQura, .hebrew, .persian, .gregorian])
  func case15TheDeviceCalendarChangesNoDate(calendar: Calendar.Identifier) async throws {
    // The same moment, named in the reader's calendar, is the same end of access.
    let rig = try await Rig()
    var calendar = Calendar(identifier: calendar)
    calendar.timeZone = try #require(TimeZone(identifier: "Asia/Bangkok"))
    let expires = try #require(calendar.date(byAdding: .month, value: 1, to: rig.clock.now))
    rig.queue.setRestored(.success([try rig.issuer.receipt(id(1), user: "ada", product: "premium.monthly", expires: expires)]))
    _ = try await rig.purchases.restore()
    try await rig.restart()
    #expect(rig.purchases.expiry(of: "premium.monthly") == expires)
    #expect(calendar.dateComponents([.month, .day], from: rig.clock.now, to: expires).month == 1)
  }
}
