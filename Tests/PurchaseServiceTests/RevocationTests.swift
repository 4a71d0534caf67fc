import Foundation
import Patience
import PurchaseServiceTesting
import Testing

@testable import PurchaseService

/// What the store takes back.
@MainActor @Suite(.timeLimit(.minutes(1))) struct RevocationTests {
  @Test func case22ARefundWhileTheAppRunsEndsAccessWithAReason() async throws {
    let rig = try await Rig()
    try await rig.purchases.resume()
    _ = await rig.buy()
    var stream = rig.purchases.entitlementStream().makeAsyncIterator()
    #expect(await stream.next() == ["premium.monthly"])
    var notices = rig.purchases.noticeStream().makeAsyncIterator()
    rig.queue.tell(.revoked(id(1), reason: "The payment was refunded."))
    #expect(await stream.next() == [])
    #expect(
      await notices.next()
        == PurchaseNotice(transaction: id(1), productID: "premium.monthly", event: .revoked, sentence: "The payment was refunded."))
    #expect(!rig.purchases.owns("premium.monthly"))
    await rig.effects.settled()
    let transaction = try #require(try await rig.purchases.history().first)
    #expect(transaction.state == .revoked)
    #expect(transaction.sentence == "The payment was refunded.")
    try await rig.restart()
    #expect(rig.purchases.entitlements.isEmpty, "also at the next start")
    #expect(await rig.buy() == .purchased("premium.monthly"), "and it can be bought again")
  }

  @Test func case22ARefundIsLearntWhenTheStoreIsAskedForReceipts() async throws {
    let rig = try await Rig()
    _ = await rig.buy()
    _ = try await rig.purchases.restore()
    #expect(rig.purchases.entitlements.isEmpty)
    var notices = rig.purchases.noticeStream().makeAsyncIterator()
    let notice = await notices.next()
    #expect(notice?.event == .revoked, "what nobody heard comes first")
    #expect(notice?.sentence == "The store has taken this purchase back, so its access has ended.")
    #expect(try await rig.purchases.history().first?.state == .revoked)
  }

  @Test func case22WhatTheStoreListsAgainIsGivenBack() async throws {
    let rig = try await Rig()
    _ = await rig.buy()
    _ = try await rig.purchases.restore()
    rig.queue.setRestored(.success([try rig.issuer.receipt(id(1), user: "ada", product: "premium.monthly")]))
    #expect(try await rig.purchases.restore() == ["premium.monthly"])
    let transaction = try #require(try await rig.purchases.history().first)
    #expect(transaction.state == .purchased)
    #expect(transaction.sentence == nil)
  }

  @Test func whatHasRunOutIsNotTakenBack() async throws {
    let rig = try await Rig()
    let expires = rig.clock.now + 60
    rig.queue.setRestored(.success([try rig.issuer.receipt(id(100), user: "ada", product: "premium.monthly", expires: expires)]))
    _ = try await rig.purchases.restore()
    rig.queue.setRestored(.success([]))
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(60))
    await until { rig.purchases.entitlements.isEmpty }
    await rig.effects.settled()
    let notices = rig.purchases.noticeStream()
    rig.purchases.notices.post(PurchaseNotice(transaction: id(9), productID: "last", event: .failed, sentence: "Last."))
    var iterator = notices.makeAsyncIterator()
    #expect(await iterator.next()?.productID == "last", "nothing was said before")
  }

  @Test func anotherUsersRefundIsTheirs() async throws {
    let rig = try await Rig()
    try await rig.purchases.resume()
    _ = await rig.buy()
    rig.purchases.setUser("bob")
    try await rig.purchases.resume()
    rig.queue.tell(.revoked(id(1), reason: "The payment was refunded."))
    await until { rig.deliveries.contains("purchase.revoke") }
    await rig.effects.settled()
    rig.purchases.setUser("ada")
    try await rig.purchases.resume()
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(try await rig.purchases.history().first?.state == .revoked)
  }
}
