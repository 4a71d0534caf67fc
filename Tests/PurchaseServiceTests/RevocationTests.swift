import Foundation
import Patience
import PurchaseServiceTesting
import Testing

@testable import PurchaseService

/// What the store takes back.
@MainActor @Suite(.timeLimit(.minutes(1))) struct RevocationTests {
  @Test func case22ARefundWhileTheAppRunsEndsAccessWithAReason() async throws {
    let bench = try await Bench()
    try await bench.purchases.resume()
    _ = await bench.buy()
    var stream = bench.purchases.entitlementStream().makeAsyncIterator()
    #expect(await stream.next() == ["premium.monthly"])
    var notices = bench.purchases.noticeStream().makeAsyncIterator()
    bench.queue.tell(.revoked(id(1), reason: "The payment was refunded."))
    #expect(await stream.next() == [])
    #expect(
      await notices.next()
        == PurchaseNotice(transaction: id(1), productID: "premium.monthly", event: .revoked, sentence: "The payment was refunded."))
    #expect(!bench.purchases.owns("premium.monthly"))
    await bench.effects.settled()
    let transaction = try #require(try await bench.purchases.history().first)
    #expect(transaction.state == .revoked)
    #expect(transaction.sentence == "The payment was refunded.")
    try await bench.restart()
    #expect(bench.purchases.entitlements.isEmpty, "also at the next start")
    #expect(await bench.buy() == .purchased("premium.monthly"), "and it can be bought again")
  }

  @Test func case22ARefundIsLearntWhenTheStoreIsAskedForReceipts() async throws {
    let bench = try await Bench()
    _ = await bench.buy()
    _ = try await bench.purchases.restore()
    #expect(bench.purchases.entitlements.isEmpty)
    var notices = bench.purchases.noticeStream().makeAsyncIterator()
    let notice = await notices.next()
    #expect(notice?.event == .revoked, "what nobody heard comes first")
    #expect(notice?.sentence == "The store has taken this purchase back, so its access has ended.")
    #expect(try await bench.purchases.history().first?.state == .revoked)
  }

  @Test func case22WhatTheStoreListsAgainIsGivenBack() async throws {
    let bench = try await Bench()
    _ = await bench.buy()
    _ = try await bench.purchases.restore()
    bench.queue.setRestored(.success([try bench.issuer.receipt(id(1), user: "ada", product: "premium.monthly")]))
    #expect(try await bench.purchases.restore() == ["premium.monthly"])
    let transaction = try #require(try await bench.purchases.history().first)
    #expect(transaction.state == .purchased)
    #expect(transaction.sentence == nil)
  }

  @Test func whatHasRunOutIsNotTakenBack() async throws {
    let bench = try await Bench()
    let expires = bench.clock.now + 60
    bench.queue.setRestored(.success([try bench.issuer.receipt(id(100), user: "ada", product: "premium.monthly", expires: expires)]))
    _ = try await bench.purchases.restore()
    bench.queue.setRestored(.success([]))
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(60))
    await until { bench.purchases.entitlements.isEmpty }
    await bench.effects.settled()
    let notices = bench.purchases.noticeStream()
    bench.purchases.notices.post(PurchaseNotice(transaction: id(9), productID: "last", event: .failed, sentence: "Last."))
    var iterator = notices.makeAsyncIterator()
    #expect(await iterator.next()?.productID == "last", "nothing was said before")
  }

  @Test func anotherUsersRefundIsTheirs() async throws {
    let bench = try await Bench()
    try await bench.purchases.resume()
    _ = await bench.buy()
    bench.purchases.setUser("bob")
    try await bench.purchases.resume()
    bench.queue.tell(.revoked(id(1), reason: "The payment was refunded."))
    await until { bench.deliveries.contains("purchase.revoke") }
    await bench.effects.settled()
    bench.purchases.setUser("ada")
    try await bench.purchases.resume()
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(try await bench.purchases.history().first?.state == .revoked)
  }
}
