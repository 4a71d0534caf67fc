import Foundation
import PurchaseServiceTesting
import Testing

@testable import PurchaseService

@Suite struct TransactionStateTests {
  private func transaction(_ step: Transaction.Step, _ reason: PendingReason? = nil, revoked: Bool = false) -> Transaction {
    var transaction = Transaction(
      id: id(1), seller: "store", user: "ada", productID: "p", isOneTime: false, price: Price(minorUnits: 1, currency: "EUR"),
      purchasePath: "device",
      begun: Date(timeIntervalSince1970: 0))
    transaction.step = step
    transaction.wait(for: reason)
    transaction.isRevoked = revoked
    return transaction
  }

  @Test(arguments: [
    (Transaction.Step.begun, Transaction.State.purchasing), (.authorized, .purchasing), (.submitted, .purchasing), (.received, .purchasing),
    (.verified, .purchased), (.finished, .purchased), (.failed, .failed), (.cancelled, .failed), (.abandoned, .failed),
  ])
  func aStepIsAState(step: Transaction.Step, state: Transaction.State) {
    #expect(transaction(step).state == state)
    #expect(transaction(step).pendingReason == nil)
    #expect(transaction(step, revoked: true).state == .revoked)
  }

  @Test func whatTheStoreWaitsForIsAState() {
    #expect(transaction(.submitted, .deferred("A parent.")).state == .deferred)
    #expect(transaction(.submitted, .interrupted("The bank.", url: "u")).state == .interrupted)
    for reason in [PendingReason.deferred("A parent."), .interrupted("The bank.", url: "u"), .interrupted("The bank.")] {
      #expect(transaction(.submitted, reason).pendingReason == reason)
    }
    #expect(transaction(.submitted, .storeUnavailable).state == .purchasing)
  }

  @Test func whatIsKnownFromItsReceiptAloneIsRestored() {
    let contents = ReceiptContents(
      issuer: "seller", user: "ada", transaction: id(7), productID: "p", purchasable: "p", issued: Date(timeIntervalSince1970: 5),
      expires: nil)
    let restored = Transaction(seller: "store", purchasePath: "device", restored: contents)
    #expect(restored.state == .restored)
    #expect(restored.price == nil)
    #expect(restored.step.isFinished)
  }
}
