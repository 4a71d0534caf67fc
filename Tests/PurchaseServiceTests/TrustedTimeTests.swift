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

  /// A bench with a subscription that ends in `duration`, and a store that is away from then on.
  private func bench(endsIn duration: Duration) async throws -> (Bench, Date) {
    let bench = try await Bench()
    let expires = bench.clock.now + duration.seconds
    bench.queue.setRestored(.success([try bench.issuer.receipt(id(100), user: "ada", product: "premium.monthly", expires: expires)]))
    _ = try await bench.purchases.restore()
    goOffline(bench)
    return (bench, expires)
  }

  private func goOffline(_ bench: Bench) {
    bench.queue.setRestored(.failure(StoreError(.unavailable, code: "offline", sentence: "Offline.")))
  }

  /// Lets time pass as a machine does: every timer that is due runs.
  private func pass(_ duration: Duration, _ bench: Bench) async {
    var left = duration
    while left > .zero {
      await bench.effects.settled()
      let step = min(left, hour)
      bench.clock.advance(by: step)
      left -= step
    }
    await bench.effects.settled()
  }

  private func owns(_ bench: Bench) -> Bool { bench.purchases.owns("premium.monthly") }

  // MARK: Case 11: offline access has a limit, and a clock set back does not move it

  @Test func case11AccessGoesOnThroughTheGraceWhileTheStoreIsAwayAndEndsWithIt() async throws {
    let (bench, expires) = try await bench(endsIn: hour)
    await pass(hour + grace - .seconds(1), bench)
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.purchases.expiry(of: "premium.monthly") == expires, "in the past by now")
    await pass(.seconds(1), bench)
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(!owns(bench))
    #expect(bench.purchases.expiry(of: "premium.monthly") == nil)
  }

  @Test func case11TheStoresWordEndsTheGraceAtOnce() async throws {
    let (bench, _) = try await bench(endsIn: hour)
    await pass(hour, bench)
    #expect(owns(bench))
    bench.queue.setRestored(.success([]))
    await pass(hour, bench)
    #expect(bench.purchases.entitlements.isEmpty)
  }

  @Test func case11ARenewalIsFetchedAtTheEndWithoutAGapInAccess() async throws {
    let (bench, expires) = try await bench(endsIn: hour)
    let renewed = try bench.issuer.receipt(
      id(100), user: "ada", product: "premium.monthly", issued: expires, expires: expires + 86_400)
    bench.queue.setRestored(.success([renewed]))
    var seen: [Set<String>] = []
    let stream = bench.purchases.entitlementStream()
    let reader = Task { for await entitlements in stream { seen.append(entitlements) } }
    await pass(hour, bench)
    await until { bench.purchases.expiry(of: "premium.monthly") == expires + 86_400 }
    await bench.effects.settled()
    reader.cancel()
    await reader.value
    #expect(seen == [["premium.monthly"]])
  }

  @Test func case11AClockSetBackGainsNothing() async throws {
    let (bench, _) = try await bench(endsIn: hour)
    bench.clock.setNow(bench.clock.now - 365 * 86_400)
    await pass(hour + grace, bench)
    #expect(bench.purchases.entitlements.isEmpty)
    try await bench.restart()
    #expect(bench.purchases.entitlements.isEmpty, "nor at the next start")
    bench.clock.setNow(bench.clock.now - 365 * 86_400)
    bench.clock.reboot()
    try await bench.restart()
    #expect(bench.purchases.entitlements.isEmpty, "nor at the next start of the machine")
  }

  @Test func case11AfterARebootTimeGoesOnFromTheLastValueAndNeverBack() async throws {
    let (bench, _) = try await bench(endsIn: hour * 10)
    await pass(hour * 4, bench)
    let before = bench.purchases.time.now(bench.clock)
    bench.clock.setNow(.distantPast)
    bench.clock.reboot()
    try await bench.restart()
    let after = bench.purchases.time.now(bench.clock)
    #expect(after <= before)
    #expect(after >= before - 3600, "what had passed was written down every hour")
    await pass(hour * 6 + grace + hour, bench)
    #expect(bench.purchases.entitlements.isEmpty)
  }

  @Test func case11WithinOneBootNotASecondIsLostBetweenTwoStarts() async throws {
    let (bench, _) = try await bench(endsIn: hour * 10)
    bench.clock.advance(by: .seconds(1234))
    let before = bench.purchases.time.now(bench.clock)
    bench.clock.advance(by: .seconds(321))
    try await bench.restart()
    #expect(bench.purchases.time.now(bench.clock) == before + 321)
  }

  @Test func case11TheGraceIsLimitedByACountOfStarts() async throws {
    let (bench, _) = try await bench(endsIn: hour)
    await pass(hour, bench)
    for start in 1...Config.offlineStarts {
      bench.clock.reboot()
      try await bench.restart()
      #expect(owns(bench), "start \(start)")
    }
    try await bench.restart()
    #expect(!owns(bench))
    // One word from the store, and it counts again.
    let renewed = try bench.issuer.receipt(
      id(100), user: "ada", product: "premium.monthly", issued: bench.clock.now, expires: bench.clock.now + 60)
    bench.queue.setRestored(.success([renewed]))
    _ = try await bench.purchases.restore()
    #expect(owns(bench))
    #expect(bench.purchases.time.starts == 0)
  }

  @Test func case11StartsCountForNothingWhileAReceiptIsInForce() async throws {
    let (bench, _) = try await bench(endsIn: hour)
    for _ in 0...Config.offlineStarts { try await bench.restart() }
    #expect(owns(bench))
  }

  @Test func case11AMachineThatWasOffForMonthsHasTheGraceAndItsStartsLeft() async throws {
    let (bench, _) = try await bench(endsIn: hour)
    bench.clock.reboot()
    bench.clock.setNow(bench.clock.now + 90 * 86_400)
    try await bench.restart()
    #expect(owns(bench), "nothing proves that it is over; the store is asked as soon as it can be")
    for _ in 1..<Config.offlineStarts { try await bench.restart() }
    #expect(owns(bench))
    try await bench.restart()
    #expect(!owns(bench))
  }

  @Test func case11AClockSetForwardLosesNothing() async throws {
    let (bench, expires) = try await bench(endsIn: hour * 10)
    bench.clock.setNow(bench.clock.now + 365 * 86_400)
    await pass(hour, bench)
    #expect(owns(bench), "offline")
    try await bench.restart()
    #expect(owns(bench), "offline, at the next start")
    let again = try bench.issuer.receipt(id(100), user: "ada", product: "premium.monthly", issued: expires - 3600, expires: expires)
    bench.queue.setRestored(.success([again]))
    _ = try await bench.purchases.restore()
    await pass(hour / 2, bench)
    #expect(owns(bench), "and where the store says that it is in force")
    bench.clock.setNow(expires - 1800)
    #expect(bench.purchases.expiry(of: "premium.monthly") == expires)
  }

  // MARK: The clock skew limit

  @Test func aReceiptSignedInTheFutureIsRefusedUntilTheClockIsRight() async throws {
    let bench = try await Bench()
    let (issuer, now) = (bench.issuer, bench.clock.now)
    let limit = Config.clockSkewLimit
    let early = try issuer.receipt(id(1), user: "ada", product: "premium.monthly", issued: now + limit.seconds + 10)
    bench.queue.setAnswer { _, _ in .accepted(receipt: early, listed: []) }
    async let outcome = bench.buy()
    for _ in 1...2 {
      await bench.clock.waitForSleepers()
      bench.clock.advance(by: .seconds(2))
      await bench.effects.settled()
    }
    #expect(await outcome == .pending(.clockIsBehind))
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(try await bench.journal.receipts(seller: "store", purchasePath: "device", user: "ada").isEmpty)
    await bench.clock.waitForSleepers()
    bench.clock.setNow(now + limit.seconds + 10)
    bench.clock.advance(by: .seconds(4))
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.queue.submitted.count == 1, "the receipt is there: the store is not asked again")
  }

  @Test func aReceiptAtTheLimitIsAccepted() async throws {
    let bench = try await Bench()
    let receipt = try bench.issuer.receipt(
      id(1), user: "ada", product: "premium.monthly", issued: bench.clock.now + Config.clockSkewLimit.seconds)
    bench.queue.setAnswer { _, _ in .accepted(receipt: receipt, listed: []) }
    #expect(await bench.buy() == .purchased("premium.monthly"))
  }

  @Test func aWallClockThatIsBehindDoesNotRefuseWhatProvedTimeAllows() async throws {
    let (bench, _) = try await bench(endsIn: hour * 10)
    let signed = bench.clock.now
    bench.clock.setNow(bench.clock.now - 86_400)
    let receipt = try bench.issuer.receipt(id(1), user: "ada", product: "premium.forever", issued: signed + 60)
    bench.queue.setAnswer { _, _ in .accepted(receipt: receipt, listed: ["premium.forever"]) }
    #expect(await bench.buy(forever) == .purchased("premium.forever"))
  }

  @Test func restoringWithAClockThatIsBehindTakesNothingAwayAndSaysSo() async throws {
    let bench = try await Bench()
    _ = await bench.buy()
    let receipt = try bench.issuer.receipt(id(1), user: "ada", product: "premium.monthly", issued: bench.clock.now + 86_400)
    bench.queue.setRestored(.success([receipt]))
    await #expect { try await bench.purchases.restore() } throws: { ($0 as? StoreError)?.code == "clock_is_behind" }
    #expect(bench.purchases.entitlements == ["premium.monthly"])
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
    let bench = try await Bench()
    let now = bench.clock.now
    bench.queue.setRestored(.success([try bench.issuer.receipt(id(1), user: "ada", product: "premium.monthly", issued: now, expires: now)]))
    #expect(try await bench.purchases.restore() == [])
  }

  @Test func case15FractionsOfASecondCount() async throws {
    let bench = try await Bench()
    let expires = bench.clock.now + 10.25
    let receipt = try bench.issuer.receipt(
      id(100), user: "ada", product: "premium.monthly", issued: bench.clock.now + 0.125, expires: expires)
    bench.queue.setRestored(.success([receipt]))
    _ = try await bench.purchases.restore()
    #expect(bench.purchases.expiry(of: "premium.monthly") == expires)
    bench.queue.setRestored(.success([]))
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .milliseconds(10_000))
    await bench.effects.settled()
    #expect(owns(bench))
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .milliseconds(250))
    await until { bench.purchases.entitlements.isEmpty }
  }

  @Test(arguments: [Calendar.Identifier.buddhist, .japanese, .islamicUmmAlQura, .hebrew, .persian, .gregorian])
  func case15TheDeviceCalendarChangesNoDate(calendar: Calendar.Identifier) async throws {
    // The same moment, named in the reader's calendar, is the same end of access.
    let bench = try await Bench()
    var calendar = Calendar(identifier: calendar)
    calendar.timeZone = try #require(TimeZone(identifier: "Asia/Bangkok"))
    let expires = try #require(calendar.date(byAdding: .month, value: 1, to: bench.clock.now))
    bench.queue.setRestored(.success([try bench.issuer.receipt(id(1), user: "ada", product: "premium.monthly", expires: expires)]))
    _ = try await bench.purchases.restore()
    try await bench.restart()
    #expect(bench.purchases.expiry(of: "premium.monthly") == expires)
    #expect(calendar.dateComponents([.month, .day], from: bench.clock.now, to: expires).month == 1)
  }
}
