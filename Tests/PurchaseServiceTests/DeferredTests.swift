import Foundation
import Patience
import PurchaseServiceTesting
import Testing

@testable import PurchaseService

/// Purchases that somebody has yet to approve, or that the person has to do something for.
@MainActor @Suite(.timeLimit(.minutes(1))) struct DeferredTests {
  private nonisolated static let bank = "Your bank is asked for its approval."

  private func bench(_ answer: SubmissionOutcome = .deferred(Self.bank)) async throws -> Bench {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in answer }
    return bench
  }

  /// The program ends, and this is another session of it, days later.
  private func daysLater(_ bench: Bench) async throws {
    bench.purchases.setUser(nil)
    await bench.idle()
    bench.clock.advance(by: .seconds(3 * 86_400))
    try await bench.restart()
  }

  private func approve(_ bench: Bench) {
    let (issuer, ledger) = (bench.issuer, bench.ledger)
    bench.queue.setAnswer { transaction, _ in
      ledger.charge(transaction.id)
      return issuer.accepted(transaction)
    }
  }

  private func only(_ bench: Bench) async throws -> Transaction { try #require(try await bench.purchases.history().first) }

  @Test func case19ADeferredPurchaseIsPendingAndKept() async throws {
    let bench = try await bench()
    #expect(await bench.buy() == .pending(.deferred(Self.bank)))
    let transaction = try await only(bench)
    #expect(transaction.state == .deferred)
    #expect(transaction.sentence == Self.bank)
    #expect(transaction.pendingReason == .deferred(Self.bank))
    #expect(bench.purchases.isUnderWay("premium.monthly"))
    #expect(await bench.buy() == .failed(.inProgress), "not sold twice meanwhile")
    #expect(bench.queue.finished.isEmpty)
    #expect(bench.purchases.entitlements.isEmpty)
  }

  @Test func whoReadsThatItFailedCanBuyAgainAtOnce() async throws {
    let bench = try await bench(.interrupted("Confirm it."))
    _ = await bench.buy()
    bench.queue.setAnswer { _, _ in .declined("Cancelled.") }
    // The store is still told that it is over.
    var isUnderWay: Bool?
    bench.effects.onDelivery = { [weak bench] in
      if $0.label == "purchase.finish" { isUnderWay = bench?.purchases.isUnderWay("premium.monthly") }
    }
    await bench.purchases.check(id(1))
    await until { isUnderWay != nil }
    #expect(isUnderWay == false)
    approve(bench)
    #expect(await bench.buy() == .purchased("premium.monthly"))
    #expect(bench.ledger.charges == [id(2)])
  }

  @Test func case19ItIsAskedAboutAtASlowPaceWithoutALastTry() async throws {
    let bench = try await bench()
    _ = await bench.buy()
    for tries in 2...40 {
      await bench.clock.waitForSleepers()
      bench.clock.advance(by: bench.retry.pendingInterval - .seconds(1))
      await bench.effects.settled()
      #expect(bench.queue.submitted.count == tries - 1)
      bench.clock.advance(by: .seconds(1))
      await until { bench.queue.submitted.count == tries }
      await bench.effects.settled()
    }
    #expect(Set(bench.queue.submitted.map(\.id)) == [id(1)], "under the same key")
    #expect(try await only(bench).state == .deferred)
  }

  @Test func case19WhoeverLooksHasItAskedAtOnceAndAtAQuickerPace() async throws {
    let bench = try await bench()
    _ = await bench.buy()
    await bench.clock.waitForSleepers()
    let watching = Task { await bench.purchases.watchPending() }
    await until { bench.queue.submitted.count == 2 }
    var requested = 2
    for wait in [10, 20, 40, 80, 160] {
      await bench.clock.waitForSleepers(2)
      await bench.effects.settled()
      bench.clock.advance(by: .seconds(wait - 1))
      await bench.effects.settled()
      #expect(bench.queue.submitted.count == requested)
      bench.clock.advance(by: .seconds(1))
      requested += 1
      await until { bench.queue.submitted.count == requested }
    }
    #expect(Set(bench.queue.submitted.map(\.id)) == [id(1)], "under the same key")
    // Nobody looks any more: as ever.
    await bench.clock.waitForSleepers(2)
    watching.cancel()
    await watching.value
    await until { bench.clock.sleeperCount == 1 }
    await bench.effects.settled()
    bench.clock.advance(by: bench.retry.pendingInterval - .seconds(1))
    await bench.effects.settled()
    #expect(bench.queue.submitted.count == requested)
    approve(bench)
    bench.clock.advance(by: .seconds(1))
    await until { !bench.purchases.entitlements.isEmpty }
  }

  @Test func case19WhatBeginsToWaitWhileSomebodyLooksIsNotAskedAboutTwiceAtOnce() async throws {
    let bench = try await bench()
    let watching = Task { await bench.purchases.watchPending() }
    _ = await bench.buy()
    await bench.clock.waitForSleepers(2)
    await bench.effects.settled()
    #expect(bench.queue.submitted.count == 1, "the store has just said so")
    approve(bench)
    bench.clock.advance(by: bench.retry.watchedInterval)
    await until { !bench.purchases.entitlements.isEmpty }
    await bench.idle()
    await until { bench.clock.sleeperCount == 0 }
    #expect(bench.queue.submitted.count == 2, "and never again")
    watching.cancel()
  }

  @Test func case19ApprovedDaysLaterInAnotherSession() async throws {
    let bench = try await bench()
    _ = await bench.buy()
    approve(bench)
    try await daysLater(bench)
    var stream = bench.purchases.entitlementStream().makeAsyncIterator()
    var notices = bench.purchases.noticeStream().makeAsyncIterator()
    while let entitlements = await stream.next(), entitlements.isEmpty {}
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(await notices.next()?.event == .purchased)
    await bench.idle()
    #expect(bench.ledger.charges == [id(1)])
    #expect(bench.queue.finished == [id(1)])
    #expect(try await only(bench).state == .purchased)
    #expect(try await only(bench).sentence == nil)
  }

  @Test func case19DeclinedDaysLaterIsToldAndForSaleAgain() async throws {
    let bench = try await bench()
    _ = await bench.buy()
    bench.queue.setAnswer { _, _ in .declined("Your bank said no.") }
    try await daysLater(bench)
    var notices = bench.purchases.noticeStream().makeAsyncIterator()
    let notice = await notices.next()
    #expect(notice == PurchaseNotice(transaction: id(1), productID: "premium.monthly", event: .failed, sentence: "Your bank said no."))
    await bench.idle()
    let transaction = try await only(bench)
    #expect(transaction.state == .failed)
    #expect(transaction.failure == "declined")
    #expect(transaction.sentence == "Your bank said no.")
    #expect(transaction.token == nil)
    #expect(bench.ledger.charges.isEmpty)
    approve(bench)
    #expect(await bench.buy() == .purchased("premium.monthly"))
  }

  @Test func case19TheStoreMaySayThatItWasApproved() async throws {
    let bench = try await bench()
    try await bench.purchases.resume()
    _ = await bench.buy()
    await bench.clock.waitForSleepers()
    approve(bench)
    bench.queue.tell(.transaction(id(1)))
    await until { !bench.purchases.entitlements.isEmpty }
    #expect(bench.queue.submitted.count == 2)
  }

  @Test func case19WhatHappensWhileTheStoreIsAskedIsNotLost() async throws {
    let bench = try await bench()
    let gate = Gate()
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, call in
      guard call == 1 else { return issuer.accepted(transaction) }
      await gate.wait()
      return .deferred(Self.bank)
    }
    try await bench.purchases.resume()
    async let outcome = bench.buy()
    await gate.reached()
    // The approval overtakes the answer to the first question.
    bench.queue.tell(.transaction(id(1)))
    await until { bench.purchases.submissions[id(1)]?.pause.isWoken == true }
    gate.open()
    #expect(await outcome == .pending(.deferred(Self.bank)))
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"], "asked again at once, without a wait")
  }

  @Test func case19TheStoreBeingAwayMeanwhileDoesNotMakeItLessDeferred() async throws {
    let bench = try await bench()
    _ = await bench.buy()
    bench.queue.setAnswer { _, _ in .unavailable(reason: "offline") }
    try await daysLater(bench)
    await until { bench.queue.submitted.count == 2 }
    await bench.effects.settled()
    #expect(try await only(bench).state == .deferred)
  }

  @Test func case19AnotherUserIsToldNothing() async throws {
    let bench = try await bench()
    _ = await bench.buy()
    bench.purchases.setUser("bob")
    await bench.idle()
    bench.queue.setAnswer { _, _ in .declined("No.") }
    try await bench.purchases.resume()
    await bench.idle()
    #expect(bench.queue.submitted.count == 1)
    #expect(try await bench.purchases.history().isEmpty)
  }

  @Test func anInterruptedPurchaseSaysWhatToDoAndWhere() async throws {
    let bench = try await bench(.interrupted("Confirm the payment at your bank.", url: "https://bank.example/1"))
    #expect(await bench.buy() == .pending(.interrupted("Confirm the payment at your bank.", url: "https://bank.example/1")))
    let transaction = try await only(bench)
    #expect(transaction.state == .interrupted)
    #expect(transaction.url == "https://bank.example/1")
    // Done: the person presses "Check now".
    await bench.clock.waitForSleepers()
    approve(bench)
    await bench.purchases.check(id(1))
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.ledger.charges == [id(1)])
    #expect(try await only(bench).url == nil)
  }

  @Test func anInterruptedPurchaseIsCancelled() async throws {
    let bench = try await bench(.interrupted("Confirm the payment at your bank."))
    _ = await bench.buy()
    let away = StoreError(.unavailable, code: "offline", sentence: "There is no network.")
    bench.queue.setCancelling(.failure(away))
    await #expect(throws: away) { try await bench.purchases.cancel(id(1)) }
    #expect(try await only(bench).state == .interrupted)
    bench.queue.setCancelling(.success(()))
    bench.queue.setAnswer { _, _ in .declined("You cancelled this payment.") }
    try await bench.purchases.cancel(id(1))
    #expect(bench.queue.cancelled == [id(1), id(1)])
    #expect(try await only(bench).state == .failed)
    #expect(bench.ledger.charges.isEmpty)
    // One of another device: there is nothing to ask about here.
    try await bench.purchases.cancel(id(7))
    #expect(bench.queue.submitted.count == 3, "the purchase, and a look after each try")
    bench.purchases.setUser(nil)
    await #expect(throws: StoreError.self) { try await bench.purchases.cancel(id(1)) }
  }

  @Test func anInterruptedPurchaseThatIsNotSeenThroughFails() async throws {
    let bench = try await bench(.interrupted("Confirm the payment at your bank."))
    _ = await bench.buy()
    bench.queue.setAnswer { _, _ in .refused(code: "expired", sentence: "The payment was not confirmed in time.") }
    try await daysLater(bench)
    await bench.idle()
    #expect(try await only(bench).state == .failed)
    #expect(bench.queue.finished == [id(1)])
  }
}
