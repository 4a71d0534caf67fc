import Foundation
import Patience
import PurchaseServiceTesting
import Runtime
import Testing

@testable import PurchaseService

@MainActor @Suite(.timeLimit(.minutes(1))) struct EntitlementTests {
  /// Stores a receipt as if an earlier run had, whatever it says.
  private func store(_ token: String, as transaction: UUID = id(100), user: String = "ada", _ bench: Bench) async throws {
    try await bench.journal.replaceReceipts(seller: "store", purchasePath: "device", user: user, with: [transaction: token], upTo: 0)
  }

  @Test func theStreamReplaysTheLastValueAndEmitsOnlyChanges() async throws {
    let bench = try await Bench()
    var early = bench.purchases.entitlementStream().makeAsyncIterator()
    #expect(await early.next() == [])
    _ = await bench.buy()
    #expect(await early.next() == ["premium.monthly"])
    var late = bench.purchases.entitlementStream().makeAsyncIterator()
    #expect(await late.next() == ["premium.monthly"])
    // Nothing changes by looking again.
    try await bench.purchases.resume()
    _ = await bench.buy(forever)
    #expect(await early.next() == ["premium.monthly", "premium.forever"])
    #expect(await late.next() == ["premium.monthly", "premium.forever"])
  }

  @Test func storedReceiptsWorkWithoutTheStoreOrItsKeys() async throws {
    let bench = try await Bench()
    _ = await bench.buy()
    bench.trusted.withLock { $0 = .failure(StoreError(.unavailable, code: "offline", sentence: "Offline.")) }
    bench.queue.setAnswer { _, _ in .unavailable(reason: "offline") }
    try await bench.restart()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.keyFetches.withLock { $0 } == 1, "the keys were kept")
  }

  @Test func case10StoredReceiptsAreVerifiedAnewOnLoading() async throws {
    let bench = try await Bench()
    let good = try bench.issuer.receipt(id(100), user: "ada", product: "premium.monthly")
    try await store(good, bench)
    try await store(String(good.dropLast(4)) + "AAAA", as: id(101), bench)
    try await store("nonsense", as: id(102), bench)
    try await bench.restart()
    #expect(bench.purchases.receipts.keys.map { $0 } == [id(100)])
    #expect(bench.purchases.entitlements == ["premium.monthly"])
  }

  @Test func aReceiptForSomebodyElseIsRefused() async throws {
    let bench = try await Bench()
    try await store(bench.issuer.receipt(id(100), user: "bob", product: "premium.monthly"), bench)
    try await bench.restart()
    #expect(bench.purchases.entitlements.isEmpty)
  }

  @Test func aReceiptOfAnotherIssuerIsRefused() async throws {
    let bench = try await Bench()
    var other = bench.issuer
    other.name = "another"
    try await store(other.receipt(id(100), user: "ada", product: "premium.monthly"), bench)
    try await bench.restart()
    #expect(bench.purchases.entitlements.isEmpty)
  }

  @Test(arguments: ["user", "order", "product", "issuer"])
  func anAnswerWithAReceiptForSomethingElseUnlocksNothing(what: String) async throws {
    let bench = try await Bench(retry: RetryPolicy(triesInForeground: 1))
    var issuer = bench.issuer
    if what == "issuer" { issuer.name = "another" }
    let receipt = try issuer.receipt(
      what == "order" ? id(99) : id(1), user: what == "user" ? "bob" : "ada", product: what == "product" ? "other" : "premium.monthly")
    bench.queue.setAnswer { _, _ in .accepted(receipt: receipt, listed: ["premium.monthly"]) }
    #expect(await bench.buy() == .pending(.storeUnavailable))
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(bench.queue.finished.isEmpty)
    #expect(try await bench.journal.receipts(seller: "store", purchasePath: "device", user: "ada").isEmpty)
  }

  @Test func case15ExpiryEqualToNowIsExpired() async throws {
    let bench = try await Bench()
    let expires = bench.clock.now + 60
    try await store(bench.issuer.receipt(id(100), user: "ada", product: "premium.monthly", expires: expires), bench)
    try await bench.restart()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.purchases.expiry(of: "premium.monthly") == expires)
    var stream = bench.purchases.entitlementStream().makeAsyncIterator()
    #expect(await stream.next() == ["premium.monthly"])
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(59))
    #expect(bench.purchases.owns("premium.monthly"))
    bench.clock.advance(by: .seconds(1))
    #expect(await stream.next() == [], "the store is asked, and access ends while the app runs, on its own")
    #expect(!bench.purchases.owns("premium.monthly"))
    #expect(bench.purchases.expiry(of: "premium.monthly") == nil)
  }

  @Test func anExpiryFarAwayIsLookedAtEveryHour() async throws {
    let bench = try await Bench()
    let expires = bench.clock.now + 86_400
    try await store(bench.issuer.receipt(id(100), user: "ada", product: "premium.monthly", expires: expires), bench)
    try await bench.restart()
    await bench.clock.waitForSleepers()
    // Somebody sets the wall clock past the end: noticed at the next look.
    bench.clock.setNow(expires)
    bench.clock.advance(by: .seconds(3600))
    await until { bench.purchases.entitlements.isEmpty }
  }

  @Test func signingOutShowsNothingOfTheLastUser() async throws {
    let bench = try await Bench()
    _ = await bench.buy()
    var stream = bench.purchases.entitlementStream().makeAsyncIterator()
    _ = await stream.next()
    bench.purchases.setUser(nil)
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(!bench.purchases.owns("premium.monthly"))
    #expect(await stream.next() == [])
    bench.purchases.setUser("bob")
    try await bench.purchases.resume()
    #expect(bench.purchases.entitlements.isEmpty)
  }

  /// Bought on another device: the store's refusal is the first that this one hears of it.
  @Test func whatTheStoreSaysIsOwnedIsRequested() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .refused(code: "already_owned", sentence: "You own “For good” already.") }
    bench.queue.setRestored(.success([try bench.issuer.receipt(id(9), user: "ada", product: "premium.forever")]))
    #expect(await bench.buy() == .failed(.refused(code: PurchaseError.ownedElsewhere, sentence: "You own “For good” already.")))
    await until { bench.purchases.entitlements == ["premium.forever"] }
  }

  @Test func case9AStoreThatIsAwayTakesNothingAway() async throws {
    let bench = try await Bench()
    _ = await bench.buy()
    bench.queue.setRestored(.failure(StoreError(.unavailable, code: "offline", sentence: "Offline.")))
    await #expect(throws: StoreError.self) { try await bench.purchases.restore() }
    #expect(bench.purchases.entitlements == ["premium.monthly"])
  }

  @Test func whatTheStoreNoLongerListsIsGone() async throws {
    let bench = try await Bench()
    _ = await bench.buy()
    bench.queue.tell(.receipts)
    try await bench.purchases.resume()
    await until { bench.purchases.entitlements.isEmpty }
    await bench.effects.settled()
    try await bench.restart()
    #expect(bench.purchases.entitlements.isEmpty)
  }

  @Test func whatTheStoreNoLongerListsDoesNotComeBackFromTheFileWhoeverIsFaster() async throws {
    let bench = try await Bench()
    for number in 1...20 {
      try await store(bench.issuer.receipt(id(100), user: "ada", product: "premium.monthly"), bench)
      bench.purchases.setUser(nil)
      bench.purchases.setUser("ada")
      async let resumed: Void = bench.purchases.resume()
      async let restored = bench.purchases.restore()
      if number.isMultiple(of: 2) { await Task.yield() }
      _ = try await restored
      try await resumed
      #expect(bench.purchases.entitlements.isEmpty)
      #expect(try await bench.journal.receipts(seller: "store", purchasePath: "device", user: "ada").isEmpty)
    }
  }

  @Test func aReceiptThatArrivesWhileRestoringStays() async throws {
    let bench = try await Bench()
    async let restored = bench.purchases.restore()
    _ = await bench.buy()
    _ = try await restored
    #expect(bench.purchases.entitlements == ["premium.monthly"])
  }

  @Test func aRenewalReplacesTheOlderReceiptOfTheSamePurchaseAndNotTheOtherWayRound() async throws {
    let bench = try await Bench()
    let start = bench.clock.now
    let renewed = try bench.issuer.receipt(
      id(100), user: "ada", product: "premium.monthly", issued: start + 100, expires: start + 200)
    let older = try bench.issuer.receipt(id(100), user: "ada", product: "premium.monthly", issued: start, expires: start + 50)
    bench.queue.setRestored(.success([renewed]))
    _ = try await bench.purchases.restore()
    #expect(bench.purchases.expiry(of: "premium.monthly") == start + 200)
    try await store(older, bench)
    try await bench.purchases.resume()
    #expect(bench.purchases.expiry(of: "premium.monthly") == start + 200)
  }
}
