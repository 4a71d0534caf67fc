import AccountFeature
import FeatureKit
import Foundation
import Patience
import PublicationAPI
import PurchaseService
import PurchaseServiceTesting
import Runtime
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct PurchasesViewModelTests {
  private typealias Status = PurchaseRow.Status

  private let end = Date(timeIntervalSince1970: 1_702_592_000)  // 14 December 2023

  // MARK: Words

  @Test func nothingBoughtYet() async throws {
    let bench = try await PurchasesBench()
    #expect(bench.model.state.phase == .loading)
    await bench.appear()
    #expect(bench.model.state.phase == .empty)
    #expect(bench.model.state.cancelling == nil)
  }

  @Test func aSubscriptionSaysUntilWhenAndHowToCancel() async throws {
    let bench = try await PurchasesBench(cancelling: "Write to us.")
    let (issuer, end) = (bench.issuer, end)
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction, expires: end) }
    try await bench.buy("monthly")
    await bench.appear()
    let row = try #require(bench.row)
    #expect(row.name == "Monthly")
    #expect(row.price == "€4.90")
    #expect(row.facts == "14 November 2023", "no number that is not the publication's own")
    #expect(row.status == Status(.good, "Paid", detail: "Open until 14 December 2023."))
    #expect(!row.canCheck && row.page == nil)
    #expect(
      bench.model.state.cancelling == "To cancel your subscription: Write to us. What you paid for stays open until its end.")
    bench.clock.advance(by: .seconds(3_000_000))
    await until { bench.row?.status.tone == .past }
    #expect(bench.row?.status == Status(.past, "Paid", detail: "It has ended."))
    #expect(bench.model.state.cancelling == nil)
  }

  /// The earlier of two months is not over because there is a later one.
  @Test func aPeriodThatWasBoughtAgainDoesNotSayThatItHasEnded() async throws {
    let bench = try await PurchasesBench()
    let (issuer, end) = (bench.issuer, end)
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction, expires: end) }
    try await bench.buy("monthly")
    // On another computer, before.
    let earlier = order(UUID(), .paid, product: "monthly")
    bench.records.orders.withLock { $0 = .success([earlier]) }
    await bench.appear()
    await until { bench.model.state.rows.count == 2 }
    #expect(bench.model.state.rows.map(\.status.detail) == ["Open until 14 December 2023.", "Bought again since then."])
    bench.clock.advance(by: .seconds(3_000_000))
    await until { bench.row?.status.tone == .past }
    #expect(bench.model.state.rows.map(\.status.detail) == ["It has ended.", "It has ended."])
  }

  /// The store tells nobody by itself that it gave the money back.
  @Test(arguments: [false, true]) func aRefundThatNobodyToldEndsTheAccess(refreshes: Bool) async throws {
    let bench = try await PurchasesBench()
    try await bench.buy("monthly")
    if refreshes { await bench.appear() }
    #expect(bench.purchases.entitlements.count == 1)
    bench.queue.setRestored(.success([]))
    if refreshes { bench.model.send(.refreshTapped) } else { await bench.appear() }
    await until { bench.purchases.entitlements.isEmpty }
    await until { bench.model.state.cancelling == nil && bench.row?.status.tone == .past }
  }

  @Test func whatIsPaidOnce() async throws {
    let bench = try await PurchasesBench()
    try await bench.buy("lifetime")
    try await bench.buy("passes")
    await bench.appear()
    #expect(bench.model.state.rows.count == 2)
    let statuses = Dictionary(uniqueKeysWithValues: bench.model.state.rows.map { ($0.name, $0.status) })
    #expect(statuses["For good"] == Status(.good, "Paid", detail: "Yours for good."))
    #expect(statuses["Five passes"] == Status(.good, "Paid", detail: "5 article passes."))
  }

  @Test func waitingForTheBank() async throws {
    let bench = try await PurchasesBench()
    bench.queue.setAnswer { _, _ in .deferred("It may take a day.") }
    try await bench.buy("monthly")
    await bench.appear()
    #expect(bench.row?.status == Status(.waiting, "Waiting for the bank", detail: "It may take a day."))
    #expect(bench.row?.canCheck == true)
  }

  @Test func openingTheListAsksWhatWaits() async throws {
    let bench = try await PurchasesBench()
    let issuer = bench.issuer
    bench.queue.setAnswer { _, _ in .deferred("It may take a day.") }
    try await bench.buy("monthly")
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    await bench.appear()
    await until { bench.row?.status.words == "Paid" }
  }

  @Test func soDoesRefreshingItAndLookingAtItForAWhile() async throws {
    let bench = try await PurchasesBench()
    bench.queue.setAnswer { _, _ in .deferred("It may take a day.") }
    try await bench.buy("monthly")
    try await bench.buy("lifetime")
    await bench.appear()
    await until { bench.queue.submitted.count == 4 }
    await bench.effects.settled()
    bench.model.send(.refreshTapped)
    #expect(bench.model.state.isRefreshing)
    await until { bench.queue.submitted.count == 6 && !bench.model.state.isRefreshing }
    await bench.clock.waitForSleepers(3)
    await bench.effects.settled()
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    bench.clock.advance(by: RetryPolicy().watchedInterval)
    await until { bench.model.state.rows.allSatisfy { $0.status.words == "Paid" } }
    bench.model.disappear()
  }

  @Test func theBankAsksTheReader() async throws {
    let bench = try await PurchasesBench()
    bench.queue.setAnswer { _, _ in .interrupted("Confirm on its page.", url: "https://bank.example") }
    try await bench.buy("monthly")
    await bench.appear()
    let row = try #require(bench.row)
    #expect(row.status == Status(.waiting, "Your bank asks you to confirm", detail: "Confirm on its page."))
    bench.model.send(.confirmTapped(row.id))
    #expect(bench.outputs == [.openWeb("https://bank.example")])
  }

  @Test func whatTheBankAsksCanBeCancelled() async throws {
    let bench = try await PurchasesBench()
    bench.queue.setAnswer { _, _ in .interrupted("Confirm on its page.", url: "https://bank.example") }
    try await bench.buy("monthly")
    await bench.appear()
    let id = try #require(bench.row?.id)
    #expect(bench.row?.canCancel == true)
    bench.queue.setCancelling(.failure(StoreError(.unavailable, code: "offline", sentence: "There is no network.")))
    bench.model.send(.cancelTapped(id))
    #expect(bench.row?.isChecking == true)
    await until { bench.row?.isChecking == false && bench.row?.answer != nil }
    #expect(bench.row?.answer == "It is not known yet whether it is cancelled. There is no network.")
    #expect(bench.row?.canCancel == true)
    bench.queue.setCancelling(.success(()))
    bench.queue.setAnswer { _, _ in .declined("You cancelled this payment.") }
    bench.model.send(.cancelTapped(id))
    bench.model.send(.cancelTapped(id))
    await until { bench.row?.status.tone == .past }
    #expect(bench.row?.status == Status(.past, "Not bought", detail: "You cancelled this payment."))
    #expect((bench.row?.canCancel, bench.row?.page, bench.row?.answer) == (false, nil, nil))
    #expect(bench.queue.cancelled == [id, id], "a second press does nothing")
  }

  @Test func waitingForTheStore() async throws {
    let bench = try await PurchasesBench()
    bench.queue.setAnswer { _, _ in .busy(retryAfter: .seconds(300)) }
    try await bench.buy("monthly")
    await bench.appear()
    #expect(bench.row?.status.words == "Waiting to be confirmed")
    #expect(bench.row?.canCheck == true)
  }

  @Test func failedAndNotCharged() async throws {
    let bench = try await PurchasesBench()
    bench.queue.setAnswer { _, _ in .declined("Your bank said no.") }
    try await bench.buy("monthly")
    await bench.appear()
    #expect(bench.row?.status == Status(.past, "Not bought", detail: "Your bank said no."))
  }

  @Test func chargedAndRefusedIsNotCalledNotCharged() async throws {
    let bench = try await PurchasesBench()
    bench.queue.setAnswer { _, _ in .refused(code: PurchaseError.receiptRejected, sentence: "This receipt is not valid.") }
    try await bench.buy("monthly")
    await bench.appear()
    #expect(bench.row?.status == Status(.bad, "Paid, and refused by the publication", detail: "This receipt is not valid."))
    // The publication may have put right what was wrong.
    #expect(bench.row?.canCheck == true)
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    bench.model.send(.checkTapped(try #require(bench.row?.id)))
    await until { bench.row?.status.words == "Paid" }
    #expect(bench.row?.canCheck == false)
    #expect(Set(bench.queue.submitted.map(\.id)).count == 1)
  }

  @Test func aTrialIsBegunForFree() async throws {
    let bench = try await PurchasesBench()
    try await bench.buy("trial")
    await bench.appear()
    #expect(bench.row?.price == "€0.00")
    #expect(bench.row?.status.words == "Begun for free")
    #expect(bench.row?.canCheck == false)
  }

  @Test func whatWasCancelledIsLeftOut() async throws {
    let bench = try await PurchasesBench()
    _ = await bench.purchases.purchase(PurchasesBench.products[0], authorizer: ScriptedAuthorizer { _, _ in .cancelled })
    await bench.appear()
    #expect(bench.model.state.phase == .empty)
  }

  @Test func case22RefundedWhileTheListIsShown() async throws {
    let bench = try await PurchasesBench()
    try await bench.buy("lifetime")
    await bench.appear()
    let id = try #require(bench.row?.id)
    bench.queue.tell(.revoked(id, reason: "You asked for your money back."))
    await until { bench.row?.status.words == "Refunded" }
    #expect(bench.row?.status == Status(.past, "Refunded", detail: "You asked for your money back."))
  }

  // MARK: The publication's own records

  private func order(_ id: UUID, _ state: Order.State, product: String = "monthly", reason: String? = nil) -> Order {
    Order(
      id: id.uuidString, number: "K7Q2-9XDM", productID: product, state: state, created: Date(timeIntervalSince1970: 1_600_000_000),
      totalMinorUnits: 390, currency: "EUR", declineReason: reason, refundReason: reason)
  }

  @Test func ordersHaveNumbersAndComeFromOtherComputersToo() async throws {
    let bench = try await PurchasesBench()
    try await bench.buy("lifetime")
    let mine = try await bench.purchases.history()[0].id
    let (other, open) = (UUID(), UUID())
    bench.records.orders.withLock {
      $0 = .success([order(mine, .paid, product: "lifetime"), order(other, .declined, reason: "No money."), order(open, .open)])
    }
    await bench.appear()
    await until { bench.model.state.rows.count == 2 }
    #expect(bench.model.state.rows.map(\.id) == [mine, other], "newest first, and nothing that was never agreed to")
    #expect(bench.row?.facts == "14 November 2023 · Order K7Q2-9XDM")
    let elsewhere = bench.model.state.rows[1]
    #expect(elsewhere.status == Status(.past, "Not bought", detail: "No money."))
    #expect(elsewhere.price == "€3.90")
    #expect(!elsewhere.canCheck)
  }

  @Test func aRefundThatThisComputerWasNotToldOfIsSaid() async throws {
    let bench = try await PurchasesBench()
    try await bench.buy("lifetime")
    let mine = try await bench.purchases.history()[0].id
    bench.records.orders.withLock { $0 = .success([order(mine, .refunded, product: "lifetime", reason: "Sent back.")]) }
    await bench.appear()
    await until { bench.row?.status.words == "Refunded" }
    #expect(bench.row?.status.detail == "Sent back.")
  }

  @Test func withoutThePublicationTheListIsThere() async throws {
    let bench = try await PurchasesBench()
    bench.records.orders.withLock { $0 = .failure(.offline(.unreachable("refused"))) }
    try await bench.buy("lifetime")
    await bench.appear()
    #expect(bench.model.state.phase == .ready)
  }

  // MARK: What can be done

  @Test func checkNowAsksOnceAndShowsWhatCameOfIt() async throws {
    let gate = Gate()
    let bench = try await PurchasesBench()
    let issuer = bench.issuer
    bench.queue.setAnswer { _, _ in .deferred("It may take a day.") }
    try await bench.buy("lifetime")
    await bench.appear()
    let id = try #require(bench.row?.id)
    bench.queue.setAnswer { transaction, _ in
      await gate.wait()
      return issuer.accepted(transaction)
    }
    bench.model.send(.checkTapped(id))
    bench.model.send(.checkTapped(id))
    #expect(bench.row?.isChecking == true)
    await gate.reached()
    bench.model.send(.checkTapped(id))
    gate.open()
    await until { bench.row?.isChecking == false && bench.row?.status.tone == .good }
    #expect(bench.row?.canCheck == false)
    #expect(bench.queue.submitted.count == 3, "the purchase, and a question when the list came and when the button was pressed")
  }

  /// Otherwise a press on the button would look as if it did nothing.
  @Test func checkNowSaysThatNothingIsNew() async throws {
    let bench = try await PurchasesBench()
    let issuer = bench.issuer
    bench.queue.setAnswer { _, _ in .deferred("It may take a day.") }
    try await bench.buy("lifetime")
    await bench.appear()
    let id = try #require(bench.row?.id)
    #expect(bench.row?.answer == nil)
    bench.model.send(.checkTapped(id))
    await until { bench.row?.isChecking == false && bench.row?.answer != nil }
    #expect(bench.row?.answer?.hasPrefix("Nothing new at ") == true)
    #expect(bench.row?.status.words == "Waiting for the bank")
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    bench.model.send(.checkTapped(id))
    await until { bench.row?.status.tone == .good }
    #expect(bench.row?.answer == nil)
  }

  @Test func case21RestoringSaysWhatWasFound() async throws {
    let bench = try await PurchasesBench()
    await bench.appear()
    bench.model.send(.restoreTapped)
    bench.model.send(.restoreTapped)
    #expect(bench.model.state.isRestoring)
    await until { !bench.model.state.isRestoring }
    #expect(bench.model.state.restored == "Nothing was found that belongs to your account.")
    bench.passes.value = 4
    await until { bench.model.state.balance != nil }
    bench.model.send(.restoreTapped)
    await until { !bench.model.state.isRestoring }
    #expect(bench.model.state.restored == "Nothing but your article passes was found that belongs to your account.")
    bench.queue.setRestored(.success([try bench.issuer.receipt(UUID(), user: "ada", product: "lifetime")]))
    bench.model.send(.restoreTapped)
    await until { bench.row != nil && !bench.model.state.isRestoring }
    #expect(bench.model.state.restored == "Everything that belongs to your account is here: For good.")
    #expect(bench.row?.status == Status(.good, "Bought on another computer", detail: "Yours for good."))
    bench.queue.setRestored(.failure(StoreError(.unavailable, code: "timed_out", sentence: "Try again in a moment.")))
    bench.model.send(.restoreTapped)
    await until { !bench.model.state.isRestoring }
    #expect(bench.model.state.restored == "Nothing could be restored. Try again in a moment.")
    #expect(bench.outputs.count == 4)
    #expect(bench.outputs.last == .restored("Nothing could be restored. Try again in a moment."), "wherever the reader looks")
  }

  @Test func passesAreCounted() async throws {
    let bench = try await PurchasesBench()
    await bench.appear()
    bench.passes.value = 3
    await until { bench.model.state.balance == "You have 3 article passes." }
    bench.passes.value = 0
    await until { bench.model.state.balance == nil }
  }

  @Test func offScreenItDoesNoWork() async throws {
    let bench = try await PurchasesBench()
    await bench.appear()
    bench.model.disappear()
    let count = bench.states.count
    try await bench.buy("lifetime")
    await bench.effects.settled()
    #expect(bench.states.count == count)
    bench.model.appear()
    await until { bench.row != nil }
  }

  @Test func aClosedListIsReleased() async throws {
    weak var released: PurchasesViewModel?
    let bench = try await PurchasesBench()
    do {
      let model = PurchasesViewModel(
        purchases: bench.purchases, publication: nil, orders: { [] }, passes: bench.passes.stream, effects: bench.effects,
        formatting: Formatting(clock: bench.clock, locale: Locale(identifier: "en_IE"), timeZone: .gmt)
      ) { _ in }
      released = model
      model.appear()
      await bench.effects.settled()
      model.disappear()
    }
    await until { released == nil }
  }
}
