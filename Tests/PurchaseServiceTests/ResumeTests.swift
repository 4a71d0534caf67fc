import Foundation
import Patience
import PurchaseServiceTesting
import SignedReceipts
import Testing

@testable import PurchaseService

/// What becomes of a purchase when the program is killed.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ResumeTests {
  @Test(arguments: [Transaction.Step.authorized, .submitted, .received, .verified])
  func case20KilledAfterPayEndsWithOneChargeAndTheEntitlement(step: Transaction.Step) async throws {
    let bench = try await Bench()
    let transaction = try await bench.leave(step)
    try await bench.restart()
    await bench.idle()
    #expect(bench.ledger.charges == [transaction])
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.queue.finished == [transaction])
    #expect(try await bench.steps(transaction).last == .finished)
    #expect(Set(bench.queue.submitted.map(\.id)).isSubset(of: [transaction]), "the same idempotency key")
    // And nothing is left for the start after that.
    let before = bench.queue.submitted.count
    try await bench.restart()
    await bench.idle()
    #expect(bench.queue.submitted.count == before)
    #expect(bench.queue.finished == [transaction])
    #expect(bench.purchases.entitlements == ["premium.monthly"])
  }

  @Test func case20KilledBeforePayIsClosedWithoutACharge() async throws {
    let bench = try await Bench()
    let transaction = try await bench.leave(.begun)
    try await bench.restart()
    await bench.idle()
    #expect(bench.ledger.charges.isEmpty)
    #expect(bench.queue.submitted.isEmpty)
    #expect(try await bench.steps(transaction) == [.begun, .abandoned])
    // The person may have agreed in a browser, where the page said that it goes on.
    var notices = bench.purchases.noticeStream().makeAsyncIterator()
    let notice = await notices.next()
    #expect((notice?.transaction, notice?.event) == (transaction, .failed))
    #expect(notice?.sentence.contains("Nothing was charged") == true)
    #expect(await bench.buy() == .purchased("premium.monthly"), "and it can be bought")
  }

  @Test func case20KilledAgainAndAgainWhileTheStoreIsAwayIsChargedOnce() async throws {
    let bench = try await Bench()
    let issuer = bench.issuer
    let ledger = bench.ledger
    let transaction = try await bench.leave(.authorized)
    bench.queue.setAnswer { transaction, _ in
      ledger.charge(transaction.id)
      return .unavailable(reason: "answer cut short")
    }
    for start in 1...3 {
      try await bench.restart()
      await until { bench.queue.submitted.count == start }
    }
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    try await bench.restart()
    await until { !bench.purchases.entitlements.isEmpty }
    #expect(bench.ledger.charges == [transaction])
  }

  @Test func aPurchaseOfThisRunIsNotAbandonedByResuming() async throws {
    let bench = try await Bench()
    let gate = Gate()
    let slow = ScriptedAuthorizer { _, started in
      await gate.wait()
      await started()
      return .authorized(PaymentToken("token"))
    }
    async let outcome = bench.buy(authorizer: slow)
    await gate.reached()
    try await bench.purchases.resume()
    gate.open()
    #expect(await outcome == .purchased("premium.monthly"))
  }

  @Test func anotherUsersPurchaseWaitsForThatUser() async throws {
    let bench = try await Bench()
    let transaction = try await bench.leave(.submitted, user: "bob")
    try await bench.restart()
    await bench.idle()
    #expect(bench.queue.submitted.isEmpty)
    #expect(bench.purchases.entitlements.isEmpty)
    bench.purchases.setUser("bob")
    try await bench.purchases.resume()
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.ledger.charges == [transaction])
  }

  @Test func whatAnotherPathOrAnotherSellerBeganIsLeftToThem() async throws {
    let bench = try await Bench()
    for (number, seller, path) in [(UInt8(201), "elsewhere", "device"), (202, "store", "backend")] {
      var transaction = Transaction(
        id: id(number), seller: seller, user: "ada", productID: "premium.monthly", isOneTime: false, price: monthly.price,
        purchasePath: path,
        begun: bench.clock.now)
      _ = try await bench.journal.begin(transaction)
      transaction.step = .authorized
      transaction.token = PaymentToken("token")
      try await bench.journal.record(transaction)
    }
    try await bench.restart()
    await bench.idle()
    #expect(bench.queue.submitted.isEmpty)
  }

  @Test func aReceiptThatWasReceivedAndIsBadIsAskedForAgain() async throws {
    let bench = try await Bench()
    var transaction = Transaction(
      id: id(200), seller: "store", user: "ada", productID: "premium.monthly", isOneTime: false, price: monthly.price,
      purchasePath: "device",
      begun: bench.clock.now)
    _ = try await bench.journal.begin(transaction)
    transaction.step = .received
    transaction.token = PaymentToken("token")
    transaction.receipt = "damaged"
    try await bench.journal.record(transaction)
    try await bench.restart()
    await bench.clock.waitForSleepers()
    #expect(bench.queue.submitted.isEmpty)
    bench.clock.advance(by: .seconds(1))
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.queue.submitted.map(\.id) == [id(200)])
    #expect(bench.queue.submitted.first?.token == PaymentToken("token"))
  }

  @Test func aJournalThatCannotBeReadIsAnErrorAndNotAnEmptyOne() async throws {
    let bench = try await Bench()
    await bench.journal.close()
    await #expect(throws: (any Error).self) { try await bench.purchases.resume() }
  }
}
