import Foundation
import Patience
import PurchaseServiceTesting
import Testing

@testable import PurchaseService

/// What is bought to be spent: verified and finished like everything else, and held by nobody.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ConsumableTests {
  private func rig() async throws -> Rig {
    let rig = try await Rig()
    let (issuer, ledger) = (rig.issuer, rig.ledger)
    rig.queue.setAnswer { transaction, _ in
      ledger.charge(transaction.id)
      return issuer.accepted(transaction, isConsumable: transaction.productID == passes.id)
    }
    return rig
  }

  @Test func aConsumableIsBoughtAgainAndAgainAndNeverOwned() async throws {
    let rig = try await rig()
    for number in 1...3 {
      #expect(await rig.buy(passes) == .purchased("passes.5"))
      #expect(rig.ledger.charges.count == number, "credited once for each transaction")
      #expect(rig.queue.finished.count == number)
    }
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(!rig.purchases.owns("passes.5"))
    #expect(try await rig.journal.receipts(seller: "store", purchasePath: "device", user: "ada").isEmpty)
    let history = try await rig.purchases.history()
    #expect(history.map(\.state) == [.purchased, .purchased, .purchased])
    #expect(history.map(\.id) == [id(3), id(2), id(1)], "newest first, also within one instant")
    try await rig.restart()
    #expect(rig.purchases.entitlements.isEmpty)
  }

  @Test func itIsFinishedOnlyWhenTheAnswerListsIt() async throws {
    let rig = try await rig()
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, call in
      let answer = issuer.accepted(transaction, isConsumable: true)
      guard call == 1, case .accepted(let receipt, _) = answer else { return answer }
      return .accepted(receipt: receipt, listed: [])
    }
    async let outcome = rig.buy(passes)
    await rig.clock.waitForSleepers()
    #expect(rig.queue.finished.isEmpty)
    rig.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("passes.5"))
    #expect(rig.queue.submitted.map(\.id) == [id(1), id(1)])
    #expect(rig.queue.finished == [id(1)])
  }

  @Test func case22ARefundIsToldOnceWithItsReason() async throws {
    let rig = try await rig()
    try await rig.purchases.resume()
    _ = await rig.buy(passes)
    var notices = rig.purchases.noticeStream().makeAsyncIterator()
    let refund = PurchaseNotice(transaction: id(1), productID: "passes.5", event: .revoked, sentence: "The payment was refunded.")
    for _ in 1...2 { rig.queue.tell(.revoked(id(1), reason: "The payment was refunded.")) }
    #expect(await notices.next() == refund)
    await until { rig.deliveries.count { $0 == "purchase.revoke" } == 2 }
    await rig.effects.settled()
    #expect(try await rig.purchases.history().first?.state == .revoked)
    let last = PurchaseNotice(transaction: id(9), productID: "last", event: .failed, sentence: "Last.")
    rig.purchases.notices.post(last)
    #expect(await notices.next() == last, "it is said once")
  }

  @Test func case22AnotherUsersRefundIsNotToldTo() async throws {
    let rig = try await rig()
    try await rig.purchases.resume()
    _ = await rig.buy(passes)
    rig.purchases.setUser("bob")
    try await rig.purchases.resume()
    var notices = rig.purchases.noticeStream().makeAsyncIterator()
    rig.queue.tell(.revoked(id(1), reason: "The payment was refunded."))
    await until { rig.deliveries.contains("purchase.revoke") }
    await rig.effects.settled()
    let last = PurchaseNotice(transaction: id(9), productID: "last", event: .failed, sentence: "Last.")
    rig.purchases.notices.post(last)
    #expect(await notices.next() == last)
  }

  @Test func itIsNoPartOfRestoring() async throws {
    let rig = try await rig()
    let token = try rig.issuer.receipt(id(100), user: "ada", product: "passes.5", isConsumable: true)
    rig.queue.setRestored(.success([token]))
    #expect(try await rig.purchases.restore() == [])
    #expect(try await rig.purchases.history().isEmpty)
    #expect(try await rig.journal.receipts(seller: "store", purchasePath: "device", user: "ada").isEmpty)
  }

  @Test(arguments: [Transaction.Step.authorized, .submitted, .received, .verified])
  func case20KilledAtAnyStepItIsChargedAndFinishedOnce(step: Transaction.Step) async throws {
    let rig = try await rig()
    let transaction = try await rig.leave(step, product: passes, isConsumable: true)
    try await rig.restart()
    await rig.idle()
    #expect(rig.ledger.charges == [transaction])
    #expect(rig.queue.finished == [transaction])
    #expect(try await rig.steps(transaction).last == .finished)
    #expect(rig.purchases.entitlements.isEmpty)
    try await rig.restart()
    await rig.idle()
    #expect(rig.queue.finished == [transaction])
    #expect(await rig.buy(passes) == .purchased("passes.5"))
  }

  @Test func aReshapedReceiptOfOneTransactionIsNoSecondPurchase() async throws {
    // The identity is the transaction that the receipt names, whatever its text.
    let rig = try await Rig()
    let first = try rig.issuer.receipt(id(100), user: "ada", product: "premium.monthly")
    let second = try rig.issuer.receipt(id(100), user: "ada", product: "premium.monthly", issued: rig.clock.now + 1)
    #expect(first != second)
    rig.queue.setRestored(.success([first, second]))
    _ = try await rig.purchases.restore()
    #expect(rig.purchases.receipts.count == 1)
    #expect(try await rig.journal.receipts(seller: "store", purchasePath: "device", user: "ada").count == 1)
  }
}
