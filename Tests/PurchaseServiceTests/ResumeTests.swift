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
    let rig = try await Rig()
    let transaction = try await rig.leave(step)
    try await rig.restart()
    await rig.idle()
    #expect(rig.ledger.charges == [transaction])
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.queue.finished == [transaction])
    #expect(try await rig.steps(transaction).last == .finished)
    #expect(Set(rig.queue.submitted.map(\.id)).isSubset(of: [transaction]), "the same idempotency key")
    // And nothing is left for the start after that.
    let before = rig.queue.submitted.count
    try await rig.restart()
    await rig.idle()
    #expect(rig.queue.submitted.count == before)
    #expect(rig.queue.finished == [transaction])
    #expect(rig.purchases.entitlements == ["premium.monthly"])
  }

  @Test func case20KilledBeforePayIsClosedWithoutACharge() async throws {
    let rig = try await Rig()
    let transaction = try await rig.leave(.begun)
    try await rig.restart()
    await rig.idle()
    #expect(rig.ledger.charges.isEmpty)
    #expect(rig.queue.submitted.isEmpty)
    #expect(try await rig.steps(transaction) == [.begun, .abandoned])
    // The person may have agreed in a browser, where the page said that it goes on.
    var notices = rig.purchases.noticeStream().makeAsyncIterator()
    let notice = await notices.next()
    #expect((notice?.transaction, notice?.event) == (transaction, .failed))
    #expect(notice?.sentence.contains("Nothing was charged") == true)
    #expect(await rig.buy() == .purchased("premium.monthly"), "and it can be bought")
  }

  @Test func case20KilledAgainAndAgainWhileTheStoreIsAwayIsChargedOnce() async throws {
    let rig = try await Rig()
    let issuer = rig.issuer
    let ledger = rig.ledger
    let transaction = try await rig.leave(.authorized)
    rig.queue.setAnswer { transaction, _ in
      ledger.charge(transaction.id)
      return .unavailable(reason: "answer cut short")
    }
    for start in 1...3 {
      try await rig.restart()
      await until { rig.queue.submitted.count == start }
    }
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    try await rig.restart()
    await until { !rig.purchases.entitlements.isEmpty }
    #expect(rig.ledger.charges == [transaction])
  }

  @Test func aPurchaseOfThisRunIsNotAbandonedByResuming() async throws {
    let rig = try await Rig()
    let gate = Gate()
    let slow = ScriptedAuthorizer { _, started in
      await gate.wait()
      await started()
      return .authorized(PaymentToken("token"))
    }
    async let outcome = rig.buy(authorizer: slow)
    await gate.reached()
    try await rig.purchases.resume()
    gate.open()
    #expect(await outcome == .purchased("premium.monthly"))
  }

  @Test func anotherUsersPurchaseWaitsForThatUser() async throws {
    let rig = try await Rig()
    let transaction = try await rig.leave(.submitted, user: "bob")
    try await rig.restart()
    await rig.idle()
    #expect(rig.queue.submitted.isEmpty)
    #expect(rig.purchases.entitlements.isEmpty)
    rig.purchases.setUser("bob")
    try await rig.purchases.resume()
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.ledger.charges == [transaction])
  }

  @Test func whatAnotherPathOrAnotherSellerBeganIsLeftToThem() async throws {
    let rig = try await Rig()
    for (number, seller, path) in [(UInt8(201), "elsewhere", "device"), (202, "store", "backend")] {
      var transaction = Transaction(
        id: id(number), seller: seller, user: "ada", productID: "premium.monthly", isOneTime: false, price: monthly.price,
        purchasePath: path,
        begun: rig.clock.now)
      _ = try await rig.journal.begin(transaction)
      transaction.step = .authorized
      transaction.token = PaymentToken("token")
      try await rig.journal.record(transaction)
    }
    try await rig.restart()
    await rig.idle()
    #expect(rig.queue.submitted.isEmpty)
  }

  @Test func aReceiptThatWasReceivedAndIsBadIsAskedForAgain() async throws {
    let rig = try await Rig()
    var transaction = Transaction(
      id: id(200), seller: "store", user: "ada", productID: "premium.monthly", isOneTime: false, price: monthly.price,
      purchasePath: "device",
      begun: rig.clock.now)
    _ = try await rig.journal.begin(transaction)
    transaction.step = .received
    transaction.token = PaymentToken("token")
    transaction.receipt = "damaged"
    try await rig.journal.record(transaction)
    try await rig.restart()
    await rig.clock.waitForSleepers()
    #expect(rig.queue.submitted.isEmpty)
    rig.clock.advance(by: .seconds(1))
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.queue.submitted.map(\.id) == [id(200)])
    #expect(rig.queue.submitted.first?.token == PaymentToken("token"))
  }

  @Test func aJournalThatCannotBeReadIsAnErrorAndNotAnEmptyOne() async throws {
    let rig = try await Rig()
    await rig.journal.close()
    await #expect(throws: (any Error).self) { try await rig.purchases.resume() }
  }
}
