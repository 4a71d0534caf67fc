import Foundation
import Patience
import PurchaseServiceTesting
import Runtime
import Testing

@testable import PurchaseService

@MainActor @Suite(.timeLimit(.minutes(1))) struct EntitlementTests {
  /// Stores a receipt as if an earlier run had, whatever it says.
  private func store(_ token: String, as transaction: UUID = id(100), user: String = "ada", _ rig: Rig) async throws {
    try await rig.journal.replaceReceipts(seller: "store", purchasePath: "device", user: user, with: [transaction: token], upTo: 0)
  }

  @Test func theStreamReplaysTheLastValueAndEmitsOnlyChanges() async throws {
    let rig = try await Rig()
    var early = rig.purchases.entitlementStream().makeAsyncIterator()
    #expect(await early.next() == [])
    _ = await rig.buy()
    #expect(await early.next() == ["premium.monthly"])
    var late = rig.purchases.entitlementStream().makeAsyncIterator()
    #expect(await late.next() == ["premium.monthly"])
    // Nothing changes by looking again.
    try await rig.purchases.resume()
    _ = await rig.buy(forever)
    #expect(await early.next() == ["premium.monthly", "premium.forever"])
    #expect(await late.next() == ["premium.monthly", "premium.forever"])
  }

  @Test func storedReceiptsWorkWithoutTheStoreOrItsKeys() async throws {
    let rig = try await Rig()
    _ = await rig.buy()
    rig.trusted.withLock { $0 = .failure(StoreError(.unavailable, code: "offline", sentence: "Offline.")) }
    rig.queue.setAnswer { _, _ in .unavailable(reason: "offline") }
    try await rig.restart()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.keyFetches.withLock { $0 } == 1, "the keys were kept")
  }

  @Test func case10StoredReceiptsAreVerifiedAnewOnLoading() async throws {
    let rig = try await Rig()
    let good = try rig.issuer.receipt(id(100), user: "ada", product: "premium.monthly")
    try await store(good, rig)
    try await store(String(good.dropLast(4)) + "AAAA", as: id(101), rig)
    try await store("nonsense", as: id(102), rig)
    try await rig.restart()
    #expect(rig.purchases.receipts.keys.map { $0 } == [id(100)])
    #expect(rig.purchases.entitlements == ["premium.monthly"])
  }

  @Test func aReceiptForSomebodyElseIsRefused() async throws {
    let rig = try await Rig()
    try await store(rig.issuer.receipt(id(100), user: "bob", product: "premium.monthly"), rig)
    try await rig.restart()
    #expect(rig.purchases.entitlements.isEmpty)
  }

  @Test func aReceiptOfAnotherIssuerIsRefused() async throws {
    let rig = try await Rig()
    var other = rig.issuer
    other.name = "another"
    try await store(other.receipt(id(100), user: "ada", product: "premium.monthly"), rig)
    try await rig.restart()
    #expect(rig.purchases.entitlements.isEmpty)
  }

  @Test(arguments: ["user", "order", "product", "issuer"])
  func anAnswerWithAReceiptForSomethingElseUnlocksNothing(what: String) async throws {
    let rig = try await Rig(retry: RetryPolicy(triesInForeground: 1))
    var issuer = rig.issuer
    if what == "issuer" { issuer.name = "another" }
    let receipt = try issuer.receipt(
      what == "order" ? id(99) : id(1), user: what == "user" ? "bob" : "ada", product: what == "product" ? "other" : "premium.monthly")
    rig.queue.setAnswer { _, _ in .accepted(receipt: receipt, listed: ["premium.monthly"]) }
    #expect(await rig.buy() == .pending(.storeUnavailable))
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(rig.queue.finished.isEmpty)
    #expect(try await rig.journal.receipts(seller: "store", purchasePath: "device", user: "ada").isEmpty)
  }

  @Test func case15ExpiryEqualToNowIsExpired() async throws {
    let rig = try await Rig()
    let expires = rig.clock.now + 60
    try await store(rig.issuer.receipt(id(100), user: "ada", product: "premium.monthly", expires: expires), rig)
    try await rig.restart()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.purchases.expiry(of: "premium.monthly") == expires)
    var stream = rig.purchases.entitlementStream().makeAsyncIterator()
    #expect(await stream.next() == ["premium.monthly"])
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(59))
    #expect(rig.purchases.owns("premium.monthly"))
    rig.clock.advance(by: .seconds(1))
    #expect(await stream.next() == [], "the store is asked, and access ends while the app runs, on its own")
    #expect(!rig.purchases.owns("premium.monthly"))
    #expect(rig.purchases.expiry(of: "premium.monthly") == nil)
  }

  @Test func anExpiryFarAwayIsLookedAtEveryHour() async throws {
    let rig = try await Rig()
    let expires = rig.clock.now + 86_400
    try await store(rig.issuer.receipt(id(100), user: "ada", product: "premium.monthly", expires: expires), rig)
    try await rig.restart()
    await rig.clock.waitForSleepers()
    // Somebody sets the wall clock past the end: noticed at the next look.
    rig.clock.setNow(expires)
    rig.clock.advance(by: .seconds(3600))
    await until { rig.purchases.entitlements.isEmpty }
  }

  @Test func signingOutShowsNothingOfTheLastUser() async throws {
    let rig = try await Rig()
    _ = await rig.buy()
    var stream = rig.purchases.entitlementStream().makeAsyncIterator()
    _ = await stream.next()
    rig.purchases.setUser(nil)
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(!rig.purchases.owns("premium.monthly"))
    #expect(await stream.next() == [])
    rig.purchases.setUser("bob")
    try await rig.purchases.resume()
    #expect(rig.purchases.entitlements.isEmpty)
  }

  /// Bought on another device: the store's refusal is the first that this one hears of it.
  @Test func whatTheStoreSaysIsOwnedIsRequested() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .refused(code: "already_owned", sentence: "You own “For good” already.") }
    rig.queue.setRestored(.success([try rig.issuer.receipt(id(9), user: "ada", product: "premium.forever")]))
    #expect(await rig.buy() == .failed(.refused(code: PurchaseError.ownedElsewhere, sentence: "You own “For good” already.")))
    await until { rig.purchases.entitlements == ["premium.forever"] }
  }

  @Test func case9AStoreThatIsAwayTakesNothingAway() async throws {
    let rig = try await Rig()
    _ = await rig.buy()
    rig.queue.setRestored(.failure(StoreError(.unavailable, code: "offline", sentence: "Offline.")))
    await #expect(throws: StoreError.self) { try await rig.purchases.restore() }
    #expect(rig.purchases.entitlements == ["premium.monthly"])
  }

  @Test func whatTheStoreNoLongerListsIsGone() async throws {
    let rig = try await Rig()
    _ = await rig.buy()
    rig.queue.tell(.receipts)
    try await rig.purchases.resume()
    await until { rig.purchases.entitlements.isEmpty }
    await rig.effects.settled()
    try await rig.restart()
    #expect(rig.purchases.entitlements.isEmpty)
  }

  @Test func whatTheStoreNoLongerListsDoesNotComeBackFromTheFileWhoeverIsFaster() async throws {
    let rig = try await Rig()
    for number in 1...20 {
      try await store(rig.issuer.receipt(id(100), user: "ada", product: "premium.monthly"), rig)
      rig.purchases.setUser(nil)
      rig.purchases.setUser("ada")
      async let resumed: Void = rig.purchases.resume()
      async let restored = rig.purchases.restore()
      if number.isMultiple(of: 2) { await Task.yield() }
      _ = try await restored
      try await resumed
      #expect(rig.purchases.entitlements.isEmpty)
      #expect(try await rig.journal.receipts(seller: "store", purchasePath: "device", user: "ada").isEmpty)
    }
  }

  @Test func aReceiptThatArrivesWhileRestoringStays() async throws {
    let rig = try await Rig()
    async let restored = rig.purchases.restore()
    _ = await rig.buy()
    _ = try await restored
    #expect(rig.purchases.entitlements == ["premium.monthly"])
  }

  @Test func aRenewalReplacesTheOlderReceiptOfTheSamePurchaseAndNotTheOtherWayRound() async throws {
    let rig = try await Rig()
    let start = rig.clock.now
    let renewed = try rig.issuer.receipt(
      id(100), user: "ada", product: "premium.monthly", issued: start + 100, expires: start + 200)
    let older = try rig.issuer.receipt(id(100), user: "ada", product: "premium.monthly", issued: start, expires: start + 50)
    rig.queue.setRestored(.success([renewed]))
    _ = try await rig.purchases.restore()
    #expect(rig.purchases.expiry(of: "premium.monthly") == start + 200)
    try await store(older, rig)
    try await rig.purchases.resume()
    #expect(rig.purchases.expiry(of: "premium.monthly") == start + 200)
  }
}
