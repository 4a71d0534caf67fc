import Foundation
import Patience
import PurchaseServiceTesting
import Testing

@testable import PurchaseService

/// Purchases that somebody has yet to approve, or that the person has to do something for.
@MainActor @Suite(.timeLimit(.minutes(1))) struct DeferredTests {
  private nonisolated static let bank = "Your bank is asked for its approval."

  private func rig(_ answer: SubmissionOutcome = .deferred(Self.bank)) async throws -> Rig {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in answer }
    return rig
  }

  /// The program ends, and this is another session of it, days later.
  private func daysLater(_ rig: Rig) async throws {
    rig.purchases.setUser(nil)
    await rig.idle()
    rig.clock.advance(by: .seconds(3 * 86_400))
    try await rig.restart()
  }

  private func approve(_ rig: Rig) {
    let (issuer, ledger) = (rig.issuer, rig.ledger)
    rig.queue.setAnswer { transaction, _ in
      ledger.charge(transaction.id)
      return issuer.accepted(transaction)
    }
  }

  private func only(_ rig: Rig) async throws -> Transaction { try #require(try await rig.purchases.history().first) }

  @Test func case19ADeferredPurchaseIsPendingAndKept() async throws {
    let rig = try await rig()
    #expect(await rig.buy() == .pending(.deferred(Self.bank)))
    let transaction = try await only(rig)
    #expect(transaction.state == .deferred)
    #expect(transaction.sentence == Self.bank)
    #expect(transaction.pendingReason == .deferred(Self.bank))
    #expect(rig.purchases.isUnderWay("premium.monthly"))
    #expect(await rig.buy() == .failed(.inProgress), "not sold twice meanwhile")
    #expect(rig.queue.finished.isEmpty)
    #expect(rig.purchases.entitlements.isEmpty)
  }

  @Test func whoReadsThatItFailedCanBuyAgainAtOnce() async throws {
    let rig = try await rig(.interrupted("Confirm it."))
    _ = await rig.buy()
    rig.queue.setAnswer { _, _ in .declined("Cancelled.") }
    // The store is still told that it is over.
    var isUnderWay: Bool?
    rig.effects.onDelivery = { [weak rig] in
      if $0.label == "purchase.finish" { isUnderWay = rig?.purchases.isUnderWay("premium.monthly") }
    }
    await rig.purchases.check(id(1))
    await until { isUnderWay != nil }
    #expect(isUnderWay == false)
    approve(rig)
    #expect(await rig.buy() == .purchased("premium.monthly"))
    #expect(rig.ledger.charges == [id(2)])
  }

  @Test func case19ItIsAskedAboutAtASlowPaceWithoutALastTry() async throws {
    let rig = try await rig()
    _ = await rig.buy()
    for tries in 2...40 {
      await rig.clock.waitForSleepers()
      rig.clock.advance(by: rig.retry.pendingInterval - .seconds(1))
      await rig.effects.settled()
      #expect(rig.queue.submitted.count == tries - 1)
      rig.clock.advance(by: .seconds(1))
      await until { rig.queue.submitted.count == tries }
      await rig.effects.settled()
    }
    #expect(Set(rig.queue.submitted.map(\.id)) == [id(1)], "under the same key")
    #expect(try await only(rig).state == .deferred)
  }

  @Test func case19WhoeverLooksHasItAskedAtOnceAndAtAQuickerPace() async throws {
    let rig = try await rig()
    _ = await rig.buy()
    await rig.clock.waitForSleepers()
    let watching = Task { await rig.purchases.watchPending() }
    await until { rig.queue.submitted.count == 2 }
    var requested = 2
    for wait in [10, 20, 40, 80, 160] {
      await rig.clock.waitForSleepers(2)
      await rig.effects.settled()
      rig.clock.advance(by: .seconds(wait - 1))
      await rig.effects.settled()
      #expect(rig.queue.submitted.count == requested)
      rig.clock.advance(by: .seconds(1))
      requested += 1
      await until { rig.queue.submitted.count == requested }
    }
    #expect(Set(rig.queue.submitted.map(\.id)) == [id(1)], "under the same key")
    // Nobody looks any more: as ever.
    await rig.clock.waitForSleepers(2)
    watching.cancel()
    await watching.value
    await until { rig.clock.sleeperCount == 1 }
    await rig.effects.settled()
    rig.clock.advance(by: rig.retry.pendingInterval - .seconds(1))
    await rig.effects.settled()
    #expect(rig.queue.submitted.count == requested)
    approve(rig)
    rig.clock.advance(by: .seconds(1))
    await until { !rig.purchases.entitlements.isEmpty }
  }

  @Test func case19WhatBeginsToWaitWhileSomebodyLooksIsNotAskedAboutTwiceAtOnce() async throws {
    let rig = try await rig()
    let watching = Task { await rig.purchases.watchPending() }
    _ = await rig.buy()
    await rig.clock.waitForSleepers(2)
    await rig.effects.settled()
    #expect(rig.queue.submitted.count == 1, "the store has just said so")
    approve(rig)
    rig.clock.advance(by: rig.retry.watchedInterval)
    await until { !rig.purchases.entitlements.isEmpty }
    await rig.idle()
    await until { rig.clock.sleeperCount == 0 }
    #expect(rig.queue.submitted.count == 2, "and never again")
    watching.cancel()
  }

  @Test func case19ApprovedDaysLaterInAnotherSession() async throws {
    let rig = try await rig()
    _ = await rig.buy()
    approve(rig)
    try await daysLater(rig)
    var stream = rig.purchases.entitlementStream().makeAsyncIterator()
    var notices = rig.purchases.noticeStream().makeAsyncIterator()
    while let entitlements = await stream.next(), entitlements.isEmpty {}
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(await notices.next()?.event == .purchased)
    await rig.idle()
    #expect(rig.ledger.charges == [id(1)])
    #expect(rig.queue.finished == [id(1)])
    #expect(try await only(rig).state == .purchased)
    #expect(try await only(rig).sentence == nil)
  }

  @Test func case19DeclinedDaysLaterIsToldAndForSaleAgain() async throws {
    let rig = try await rig()
    _ = await rig.buy()
    rig.queue.setAnswer { _, _ in .declined("Your bank said no.") }
    try await daysLater(rig)
    var notices = rig.purchases.noticeStream().makeAsyncIterator()
    let notice = await notices.next()
    #expect(notice == PurchaseNotice(transaction: id(1), productID: "premium.monthly", event: .failed, sentence: "Your bank said no."))
    await rig.idle()
    let transaction = try await only(rig)
    #expect(transaction.state == .failed)
    #expect(transaction.failure == "declined")
    #expect(transaction.sentence == "Your bank said no.")
    #expect(transaction.token == nil)
    #expect(rig.ledger.charges.isEmpty)
    approve(rig)
    #expect(await rig.buy() == .purchased("premium.monthly"))
  }

  @Test func case19TheStoreMaySayThatItWasApproved() async throws {
    let rig = try await rig()
    try await rig.purchases.resume()
    _ = await rig.buy()
    await rig.clock.waitForSleepers()
    approve(rig)
    rig.queue.tell(.transaction(id(1)))
    await until { !rig.purchases.entitlements.isEmpty }
    #expect(rig.queue.submitted.count == 2)
  }

  @Test func case19WhatHappensWhileTheStoreIsAskedIsNotLost() async throws {
    let rig = try await rig()
    let gate = Gate()
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, call in
      guard call == 1 else { return issuer.accepted(transaction) }
      await gate.wait()
      return .deferred(Self.bank)
    }
    try await rig.purchases.resume()
    async let outcome = rig.buy()
    await gate.reached()
    // The approval overtakes the answer to the first question.
    rig.queue.tell(.transaction(id(1)))
    await until { rig.purchases.submissions[id(1)]?.pause.isWoken == true }
    gate.open()
    #expect(await outcome == .pending(.deferred(Self.bank)))
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"], "asked again at once, without a wait")
  }

  @Test func case19TheStoreBeingAwayMeanwhileDoesNotMakeItLessDeferred() async throws {
    let rig = try await rig()
    _ = await rig.buy()
    rig.queue.setAnswer { _, _ in .unavailable(reason: "offline") }
    try await daysLater(rig)
    await until { rig.queue.submitted.count == 2 }
    await rig.effects.settled()
    #expect(try await only(rig).state == .deferred)
  }

  @Test func case19AnotherUserIsToldNothing() async throws {
    let rig = try await rig()
    _ = await rig.buy()
    rig.purchases.setUser("bob")
    await rig.idle()
    rig.queue.setAnswer { _, _ in .declined("No.") }
    try await rig.purchases.resume()
    await rig.idle()
    #expect(rig.queue.submitted.count == 1)
    #expect(try await rig.purchases.history().isEmpty)
  }

  @Test func anInterruptedPurchaseSaysWhatToDoAndWhere() async throws {
    let rig = try await rig(.interrupted("Confirm the payment at your bank.", url: "https://bank.example/1"))
    #expect(await rig.buy() == .pending(.interrupted("Confirm the payment at your bank.", url: "https://bank.example/1")))
    let transaction = try await only(rig)
    #expect(transaction.state == .interrupted)
    #expect(transaction.url == "https://bank.example/1")
    // Done: the person presses "Check now".
    await rig.clock.waitForSleepers()
    approve(rig)
    await rig.purchases.check(id(1))
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.ledger.charges == [id(1)])
    #expect(try await only(rig).url == nil)
  }

  @Test func anInterruptedPurchaseIsCancelled() async throws {
    let rig = try await rig(.interrupted("Confirm the payment at your bank."))
    _ = await rig.buy()
    let away = StoreError(.unavailable, code: "offline", sentence: "There is no network.")
    rig.queue.setCancelling(.failure(away))
    await #expect(throws: away) { try await rig.purchases.cancel(id(1)) }
    #expect(try await only(rig).state == .interrupted)
    rig.queue.setCancelling(.success(()))
    rig.queue.setAnswer { _, _ in .declined("You cancelled this payment.") }
    try await rig.purchases.cancel(id(1))
    #expect(rig.queue.cancelled == [id(1), id(1)])
    #expect(try await only(rig).state == .failed)
    #expect(rig.ledger.charges.isEmpty)
    // One of another device: there is nothing to ask about here.
    try await rig.purchases.cancel(id(7))
    #expect(rig.queue.submitted.count == 3, "the purchase, and a look after each try")
    rig.purchases.setUser(nil)
    await #expect(throws: StoreError.self) { try await rig.purchases.cancel(id(1)) }
  }

  @Test func anInterruptedPurchaseThatIsNotSeenThroughFails() async throws {
    let rig = try await rig(.interrupted("Confirm the payment at your bank."))
    _ = await rig.buy()
    rig.queue.setAnswer { _, _ in .refused(code: "expired", sentence: "The payment was not confirmed in time.") }
    try await daysLater(rig)
    await rig.idle()
    #expect(try await only(rig).state == .failed)
    #expect(rig.queue.finished == [id(1)])
  }
}
