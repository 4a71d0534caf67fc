import Foundation
import Patience
import PurchaseServiceTesting
import Testing

@testable import PurchaseService

/// What is bought to be spent: verified and finished like everything else, and held by nobody.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ConsumableTests {
  private func bench() async throws -> Bench {
    let bench = try await Bench()
    let (issuer, ledger) = (bench.issuer, bench.ledger)
    bench.queue.setAnswer { transaction, _ in
      ledger.charge(transaction.id)
      return issuer.accepted(transaction, isConsumable: transaction.productID == passes.id)
    }
    return bench
  }

  @Test func aConsumableIsBoughtAgainAndAgainAndNeverOwned() async throws {
    let bench = try await bench()
    for number in 1...3 {
      #expect(await bench.buy(passes) == .purchased("passes.5"))
      #expect(bench.ledger.charges.count == number, "credited once for each transaction")
      #expect(bench.queue.finished.count == number)
    }
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(!bench.purchases.owns("passes.5"))
    #expect(try await bench.journal.receipts(seller: "store", purchasePath: "device", user: "ada").isEmpty)
    let history = try await bench.purchases.history()
    #expect(history.map(\.state) == [.purchased, .purchased, .purchased])
    #expect(history.map(\.id) == [id(3), id(2), id(1)], "newest first, also within one instant")
    try await bench.restart()
    #expect(bench.purchases.entitlements.isEmpty)
  }

  @Test func itIsFinishedOnlyWhenTheAnswerListsIt() async throws {
    let bench = try await bench()
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, call in
      let answer = issuer.accepted(transaction, isConsumable: true)
      guard call == 1, case .accepted(let receipt, _) = answer else { return answer }
      return .accepted(receipt: receipt, listed: [])
    }
    async let outcome = bench.buy(passes)
    await bench.clock.waitForSleepers()
    #expect(bench.queue.finished.isEmpty)
    bench.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("passes.5"))
    #expect(bench.queue.submitted.map(\.id) == [id(1), id(1)])
    #expect(bench.queue.finished == [id(1)])
  }

  @Test func case22ARefundIsToldOnceWithItsReason() async throws {
    let bench = try await bench()
    try await bench.purchases.resume()
    _ = await bench.buy(passes)
    var notices = bench.purchases.noticeStream().makeAsyncIterator()
    let refund = PurchaseNotice(transaction: id(1), productID: "passes.5", event: .revoked, sentence: "The payment was refunded.")
    for _ in 1...2 { bench.queue.tell(.revoked(id(1), reason: "The payment was refunded.")) }
    #expect(await notices.next() == refund)
    await until { bench.deliveries.count { $0 == "purchase.revoke" } == 2 }
    await bench.effects.settled()
    #expect(try await bench.purchases.history().first?.state == .revoked)
    let last = PurchaseNotice(transaction: id(9), productID: "last", event: .failed, sentence: "Last.")
    bench.purchases.notices.post(last)
    #expect(await notices.next() == last, "it is said once")
  }

  @Test func case22AnotherUsersRefundIsNotToldTo() async throws {
    let bench = try await bench()
    try await bench.purchases.resume()
    _ = await bench.buy(passes)
    bench.purchases.setUser("bob")
    try await bench.purchases.resume()
    var notices = bench.purchases.noticeStream().makeAsyncIterator()
    bench.queue.tell(.revoked(id(1), reason: "The payment was refunded."))
    await until { bench.deliveries.contains("purchase.revoke") }
    await bench.effects.settled()
    let last = PurchaseNotice(transaction: id(9), productID: "last", event: .failed, sentence: "Last.")
    bench.purchases.notices.post(last)
    #expect(await notices.next() == last)
  }

  @Test func itIsNoPartOfRestoring() async throws {
    let bench = try await bench()
    let token = try bench.issuer.receipt(id(100), user: "ada", product: "passes.5", isConsumable: true)
    bench.queue.setRestored(.success([token]))
    #expect(try await bench.purchases.restore() == [])
    #expect(try await bench.purchases.history().isEmpty)
    #expect(try await bench.journal.receipts(seller: "store", purchasePath: "device", user: "ada").isEmpty)
  }

  @Test(arguments: [Transaction.Step.authorized, .submitted, .received, .verified])
  func case20KilledAtAnyStepItIsChargedAndFinishedOnce(step: Transaction.Step) async throws {
    let bench = try await bench()
    let transaction = try await bench.leave(step, product: passes, isConsumable: true)
    try await bench.restart()
    await bench.idle()
    #expect(bench.ledger.charges == [transaction])
    #expect(bench.queue.finished == [transaction])
    #expect(try await bench.steps(transaction).last == .finished)
    #expect(bench.purchases.entitlements.isEmpty)
    try await bench.restart()
    await bench.idle()
    #expect(bench.queue.finished == [transaction])
    #expect(await bench.buy(passes) == .purchased("passes.5"))
  }

  @Test func aReshapedReceiptOfOneTransactionIsNoSecondPurchase() async throws {
    // The identity is the transaction that the receipt names, whatever its text.
    let bench = try await Bench()
    let first = try bench.issuer.receipt(id(100), user: "ada", product: "premium.monthly")
    let second = try bench.issuer.receipt(id(100), user: "ada", product: "premium.monthly", issued: bench.clock.now + 1)
    #expect(first != second)
    bench.queue.setRestored(.success([first, second]))
    _ = try await bench.purchases.restore()
    #expect(bench.purchases.receipts.count == 1)
    #expect(try await bench.journal.receipts(seller: "store", purchasePath: "device", user: "ada").count == 1)
  }
}
