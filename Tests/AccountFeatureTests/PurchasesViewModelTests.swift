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
    let rig = try await PurchasesRig()
    #expect(rig.model.state.phase == .loading)
    await rig.appear()
    #expect(rig.model.state.phase == .empty)
    #expect(rig.model.state.cancelling == nil)
  }

  @Test func aSubscriptionSaysUntilWhenAndHowToCancel() async throws {
    let rig = try await PurchasesRig(cancelling: "Write to us.")
    let (issuer, end) = (rig.issuer, end)
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction, expires: end) }
    try await rig.buy("monthly")
    await rig.appear()
    let row = try #require(rig.row)
    #expect(row.name == "Monthly")
    #expect(row.price == "€4.90")
    #expect(row.facts == "14 November 2023", "no number that is not the publication's own")
    #expect(row.status == Status(.good, "Paid", detail: "Open until 14 December 2023."))
    #expect(!row.canCheck && row.page == nil)
    #expect(
      rig.model.state.cancelling == "To cancel your subscription: Write to us. What you paid for stays open until its end.")
    rig.clock.advance(by: .seconds(3_000_000))
    await until { rig.row?.status.tone == .past }
    #expect(rig.row?.status == Status(.past, "Paid", detail: "It has ended."))
    #expect(rig.model.state.cancelling == nil)
  }

  /// The earlier of two months is not over because there is a later one.
  @Test func aPeriodThatWasBoughtAgainDoesNotSayThatItHasEnded() async throws {
    let rig = try await PurchasesRig()
    let (issuer, end) = (rig.issuer, end)
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction, expires: end) }
    try await rig.buy("monthly")
    // On another computer, before.
    let earlier = order(UUID(), .paid, product: "monthly")
    rig.records.orders.withLock { $0 = .success([earlier]) }
    await rig.appear()
    await until { rig.model.state.rows.count == 2 }
    #expect(rig.model.state.rows.map(\.status.detail) == ["Open until 14 December 2023.", "Bought again since then."])
    rig.clock.advance(by: .seconds(3_000_000))
    await until { rig.row?.status.tone == .past }
    #expect(rig.model.state.rows.map(\.status.detail) == ["It has ended.", "It has ended."])
  }

  /// The store tells nobody by itself that it gave the money back.
  @Test(arguments: [false, true]) func aRefundThatNobodyToldEndsTheAccess(refreshes: Bool) async throws {
    let rig = try await PurchasesRig()
    try await rig.buy("monthly")
    if refreshes { await rig.appear() }
    #expect(rig.purchases.entitlements.count == 1)
    rig.queue.setRestored(.success([]))
    if refreshes { rig.model.send(.refreshTapped) } else { await rig.appear() }
    await until { rig.purchases.entitlements.isEmpty }
    await until { rig.model.state.cancelling == nil && rig.row?.status.tone == .past }
  }

  @Test func whatIsPaidOnce() async throws {
    let rig = try await PurchasesRig()
    try await rig.buy("lifetime")
    try await rig.buy("passes")
    await rig.appear()
    #expect(rig.model.state.rows.count == 2)
    let statuses = Dictionary(uniqueKeysWithValues: rig.model.state.rows.map { ($0.name, $0.status) })
    #expect(statuses["For good"] == Status(.good, "Paid", detail: "Yours for good."))
    #expect(statuses["Five passes"] == Status(.good, "Paid", detail: "5 article passes."))
  }

  @Test func waitingForTheBank() async throws {
    let rig = try await PurchasesRig()
    rig.queue.setAnswer { _, _ in .deferred("It may take a day.") }
    try await rig.buy("monthly")
    await rig.appear()
    #expect(rig.row?.status == Status(.waiting, "Waiting for the bank", detail: "It may take a day."))
    #expect(rig.row?.canCheck == true)
  }

  @Test func openingTheListAsksWhatWaits() async throws {
    let rig = try await PurchasesRig()
    let issuer = rig.issuer
    rig.queue.setAnswer { _, _ in .deferred("It may take a day.") }
    try await rig.buy("monthly")
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    await rig.appear()
    await until { rig.row?.status.words == "Paid" }
  }

  @Test func soDoesRefreshingItAndLookingAtItForAWhile() async throws {
    let rig = try await PurchasesRig()
    rig.queue.setAnswer { _, _ in .deferred("It may take a day.") }
    try await rig.buy("monthly")
    try await rig.buy("lifetime")
    await rig.appear()
    await until { rig.queue.submitted.count == 4 }
    await rig.effects.settled()
    rig.model.send(.refreshTapped)
    #expect(rig.model.state.isRefreshing)
    await until { rig.queue.submitted.count == 6 && !rig.model.state.isRefreshing }
    await rig.clock.waitForSleepers(3)
    await rig.effects.settled()
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    rig.clock.advance(by: RetryPolicy().watchedInterval)
    await until { rig.model.state.rows.allSatisfy { $0.status.words == "Paid" } }
    rig.model.disappear()
  }

  @Test func theBankAsksTheReader() async throws {
    let rig = try await PurchasesRig()
    rig.queue.setAnswer { _, _ in .interrupted("Confirm on its page.", url: "https://bank.example") }
    try await rig.buy("monthly")
    await rig.appear()
    let row = try #require(rig.row)
    #expect(row.status == Status(.waiting, "Your bank asks you to confirm", detail: "Confirm on its page."))
    rig.model.send(.confirmTapped(row.id))
    #expect(rig.outputs == [.openWeb("https://bank.example")])
  }

  @Test func whatTheBankAsksCanBeCancelled() async throws {
    let rig = try await PurchasesRig()
    rig.queue.setAnswer { _, _ in .interrupted("Confirm on its page.", url: "https://bank.example") }
    try await rig.buy("monthly")
    await rig.appear()
    let id = try #require(rig.row?.id)
    #expect(rig.row?.canCancel == true)
    rig.queue.setCancelling(.failure(StoreError(.unavailable, code: "offline", sentence: "There is no network.")))
    rig.model.send(.cancelTapped(id))
    #expect(rig.row?.isChecking == true)
    await until { rig.row?.isChecking == false && rig.row?.answer != nil }
    #expect(rig.row?.answer == "It is not known yet whether it is cancelled. There is no network.")
    #expect(rig.row?.canCancel == true)
    rig.queue.setCancelling(.success(()))
    rig.queue.setAnswer { _, _ in .declined("You cancelled this payment.") }
    rig.model.send(.cancelTapped(id))
    rig.model.send(.cancelTapped(id))
    await until { rig.row?.status.tone == .past }
    #expect(rig.row?.status == Status(.past, "Not bought", detail: "You cancelled this payment."))
    #expect((rig.row?.canCancel, rig.row?.page, rig.row?.answer) == (false, nil, nil))
    #expect(rig.queue.cancelled == [id, id], "a second press does nothing")
  }

  @Test func waitingForTheStore() async throws {
    let rig = try await PurchasesRig()
    rig.queue.setAnswer { _, _ in .busy(retryAfter: .seconds(300)) }
    try await rig.buy("monthly")
    await rig.appear()
    #expect(rig.row?.status.words == "Waiting to be confirmed")
    #expect(rig.row?.canCheck == true)
  }

  @Test func failedAndNotCharged() async throws {
    let rig = try await PurchasesRig()
    rig.queue.setAnswer { _, _ in .declined("Your bank said no.") }
    try await rig.buy("monthly")
    await rig.appear()
    #expect(rig.row?.status == Status(.past, "Not bought", detail: "Your bank said no."))
  }

  @Test func chargedAndRefusedIsNotCalledNotCharged() async throws {
    let rig = try await PurchasesRig()
    rig.queue.setAnswer { _, _ in .refused(code: PurchaseError.receiptRejected, sentence: "This receipt is not valid.") }
    try await rig.buy("monthly")
    await rig.appear()
    #expect(rig.row?.status == Status(.bad, "Paid, and refused by the publication", detail: "This receipt is not valid."))
    // The publication may have put right what was wrong.
    #expect(rig.row?.canCheck == true)
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    rig.model.send(.checkTapped(try #require(rig.row?.id)))
    await until { rig.row?.status.words == "Paid" }
    #expect(rig.row?.canCheck == false)
    #expect(Set(rig.queue.submitted.map(\.id)).count == 1)
  }

  @Test func aTrialIsBegunForFree() async throws {
    let rig = try await PurchasesRig()
    try await rig.buy("trial")
    await rig.appear()
    #expect(rig.row?.price == "€0.00")
    #expect(rig.row?.status.words == "Begun for free")
    #expect(rig.row?.canCheck == false)
  }

  @Test func whatWasCancelledIsLeftOut() async throws {
    let rig = try await PurchasesRig()
    _ = await rig.purchases.purchase(PurchasesRig.sold[0], authorizer: ScriptedAuthorizer { _, _ in .cancelled })
    await rig.appear()
    #expect(rig.model.state.phase == .empty)
  }

  @Test func case22RefundedWhileTheListIsShown() async throws {
    let rig = try await PurchasesRig()
    try await rig.buy("lifetime")
    await rig.appear()
    let id = try #require(rig.row?.id)
    rig.queue.tell(.revoked(id, reason: "You asked for your money back."))
    await until { rig.row?.status.words == "Refunded" }
    #expect(rig.row?.status == Status(.past, "Refunded", detail: "You asked for your money back."))
  }

  // MARK: The publication's own records

  private func order(_ id: UUID, _ state: Order.State, product: String = "monthly", reason: String? = nil) -> Order {
    Order(
      id: id.uuidString, number: "K7Q2-9XDM", productID: product, state: state, created: Date(timeIntervalSince1970: 1_600_000_000),
      totalMinorUnits: 390, currency: "EUR", declineReason: reason, refundReason: reason)
  }

  @Test func ordersHaveNumbersAndComeFromOtherComputersToo() async throws {
    let rig = try await PurchasesRig()
    try await rig.buy("lifetime")
    let mine = try await rig.purchases.history()[0].id
    let (other, open) = (UUID(), UUID())
    rig.records.orders.withLock {
      $0 = .success([order(mine, .paid, product: "lifetime"), order(other, .declined, reason: "No money."), order(open, .open)])
    }
    await rig.appear()
    await until { rig.model.state.rows.count == 2 }
    #expect(rig.model.state.rows.map(\.id) == [mine, other], "newest first, and nothing that was never agreed to")
    #expect(rig.row?.facts == "14 November 2023 · Order K7Q2-9XDM")
    let elsewhere = rig.model.state.rows[1]
    #expect(elsewhere.status == Status(.past, "Not bought", detail: "No money."))
    #expect(elsewhere.price == "€3.90")
    #expect(!elsewhere.canCheck)
  }

  @Test func aRefundThatThisComputerWasNotToldOfIsSaid() async throws {
    let rig = try await PurchasesRig()
    try await rig.buy("lifetime")
    let mine = try await rig.purchases.history()[0].id
    rig.records.orders.withLock { $0 = .success([order(mine, .refunded, product: "lifetime", reason: "Sent back.")]) }
    await rig.appear()
    await until { rig.row?.status.words == "Refunded" }
    #expect(rig.row?.status.detail == "Sent back.")
  }

  @Test func withoutThePublicationTheListIsThere() async throws {
    let rig = try await PurchasesRig()
    rig.records.orders.withLock { $0 = .failure(.offline(.unreachable("refused"))) }
    try await rig.buy("lifetime")
    await rig.appear()
    #expect(rig.model.state.phase == .ready)
  }

  private let incomplete = "This list may be incomplete. The rest comes as soon as the publication can be reached."

  @Test func nothingIsCalledByItsIdentifierBeforeThePublicationHasToldItsName() async throws {
    let rig = try await PurchasesRig()
    let (issuer, end) = (rig.issuer, end)
    try await rig.buy("passes")
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction, expires: end) }
    try await rig.buy("monthly")
    rig.cutOff()
    await rig.appear()
    let statuses = Dictionary(uniqueKeysWithValues: rig.model.state.rows.map { ($0.name, $0.status) })
    #expect(
      statuses == [
        "A purchase": Status(.past, "Paid"), "A subscription": Status(.good, "Paid", detail: "Open until 14 December 2023."),
      ], "passes have not ended, as far as is known here")
    #expect(rig.model.state.note == incomplete)
    #expect(rig.model.state.showsNote)
    rig.queue.setRestored(.success([try rig.issuer.receipt(UUID(), user: "ada", product: "lifetime")]))
    rig.model.send(.restoreTapped)
    await until { !rig.model.state.isRestoring }
    #expect(rig.model.state.restored == "Everything that belongs to your account is here: a purchase.")
  }

  @Test func anEmptyListThatMayBeIncompleteDoesNotSayThatNothingWasBought() async throws {
    let rig = try await PurchasesRig()
    rig.cutOff()
    await rig.appear()
    await until { rig.model.state.note != nil }
    #expect(rig.model.state.statusPage == .message(.empty, heading: "Nothing is listed yet", sentence: incomplete))
    #expect(!rig.model.state.showsNote, "once")
  }

  @Test func aRefusalSaysWhyTheListMayBeIncomplete() async throws {
    let rig = try await PurchasesRig()
    rig.records.orders.withLock { $0 = .failure(.undecodable(what: "orders", underlying: CancellationError())) }
    try await rig.buy("lifetime")
    await rig.appear()
    let reason = "The publication answered in a way this version does not understand. An update may help."
    #expect(rig.model.state.note == "This list may be incomplete. \(reason)")
    #expect(!rig.model.retryUnreachable(), "it was reached")
  }

  @Test func theListSaysThatItIsLoadedWhenItIsOpened() async throws {
    let (gate, rig) = (Gate(), try await PurchasesRig())
    try await rig.buy("lifetime")
    rig.records.gate.withLock { $0 = gate }
    rig.model.appear()
    await gate.reached()
    await until { rig.model.state.phase == .ready }
    #expect(rig.model.state.isRefreshing)
    gate.open()
    await until { !rig.model.state.isRefreshing }
    #expect(rig.model.state.note == nil)
  }

  @Test func whatDidNotComeComesByItselfOnceThePublicationCanBeReached() async throws {
    let rig = try await PurchasesRig()
    try await rig.buy("lifetime")
    let mine = try await rig.purchases.history()[0].id
    rig.cutOff()
    await rig.appear()
    await until { !rig.model.state.isRefreshing }
    #expect(rig.row?.name == "A purchase")
    #expect(rig.row?.facts == "14 November 2023")
    #expect(rig.model.state.note == incomplete)
    let (asked, shown) = (rig.records.requests.withLock { $0 }, rig.states.count)
    rig.reader.store.networkIsBack()
    rig.reader.store.networkIsBack()
    await until { rig.records.requests.withLock { $0 } == asked + 1 }
    await rig.effects.settled()
    #expect(rig.records.requests.withLock { $0 } == asked + 1, "once at a time")
    #expect(rig.states.count == shown, "a try that fails shows nothing")
    rig.reconnect([order(mine, .paid, product: "lifetime")])
    rig.reader.store.networkIsBack()
    await until { rig.row?.facts == "14 November 2023 · Order K7Q2-9XDM" && rig.row?.name == "For good" }
    await rig.effects.settled()
    #expect(rig.model.state.note == nil)
    #expect(rig.states.dropFirst(shown).allSatisfy { !$0.isRefreshing })
    #expect(!rig.model.retryUnreachable(), "nothing is missing any more")
  }

  @Test func offScreenTheListIsNotLoadedAgain() async throws {
    let rig = try await PurchasesRig()
    try await rig.buy("lifetime")
    rig.cutOff()
    await rig.appear()
    rig.model.disappear()
    let asked = rig.records.requests.withLock { $0 }
    rig.reader.store.networkIsBack()
    await rig.effects.settled()
    #expect(rig.records.requests.withLock { $0 } == asked)
  }

  @Test func whatIsUndoneMeanwhileIsSaidHereToo() async throws {
    let rig = try await PurchasesRig()
    rig.model.actionFailed("Your comment was not sent.")
    #expect(rig.outputs == [.undone("Your comment was not sent.")])
  }

  // MARK: What can be done

  @Test func checkNowAsksOnceAndShowsWhatCameOfIt() async throws {
    let gate = Gate()
    let rig = try await PurchasesRig()
    let issuer = rig.issuer
    rig.queue.setAnswer { _, _ in .deferred("It may take a day.") }
    try await rig.buy("lifetime")
    await rig.appear()
    let id = try #require(rig.row?.id)
    rig.queue.setAnswer { transaction, _ in
      await gate.wait()
      return issuer.accepted(transaction)
    }
    rig.model.send(.checkTapped(id))
    rig.model.send(.checkTapped(id))
    #expect(rig.row?.isChecking == true)
    await gate.reached()
    rig.model.send(.checkTapped(id))
    gate.open()
    await until { rig.row?.isChecking == false && rig.row?.status.tone == .good }
    #expect(rig.row?.canCheck == false)
    #expect(rig.queue.submitted.count == 3, "the purchase, and a question when the list came and when the button was pressed")
  }

  /// Otherwise a press on the button would look as if it did nothing.
  @Test func checkNowSaysThatNothingIsNew() async throws {
    let rig = try await PurchasesRig()
    let issuer = rig.issuer
    rig.queue.setAnswer { _, _ in .deferred("It may take a day.") }
    try await rig.buy("lifetime")
    await rig.appear()
    let id = try #require(rig.row?.id)
    #expect(rig.row?.answer == nil)
    rig.model.send(.checkTapped(id))
    await until { rig.row?.isChecking == false && rig.row?.answer != nil }
    #expect(rig.row?.answer?.hasPrefix("Nothing new at ") == true)
    #expect(rig.row?.status.words == "Waiting for the bank")
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    rig.model.send(.checkTapped(id))
    await until { rig.row?.status.tone == .good }
    #expect(rig.row?.answer == nil)
  }

  @Test func case21RestoringSaysWhatWasFound() async throws {
    let rig = try await PurchasesRig()
    await rig.appear()
    rig.model.send(.restoreTapped)
    rig.model.send(.restoreTapped)
    #expect(rig.model.state.isRestoring)
    await until { !rig.model.state.isRestoring }
    #expect(rig.model.state.restored == "Nothing was found that belongs to your account.")
    rig.passes.value = 4
    await until { rig.model.state.balance != nil }
    rig.model.send(.restoreTapped)
    await until { !rig.model.state.isRestoring }
    #expect(rig.model.state.restored == "Nothing but your article passes was found that belongs to your account.")
    rig.queue.setRestored(.success([try rig.issuer.receipt(UUID(), user: "ada", product: "lifetime")]))
    rig.model.send(.restoreTapped)
    await until { rig.row != nil && !rig.model.state.isRestoring }
    #expect(rig.model.state.restored == "Everything that belongs to your account is here: For good.")
    #expect(rig.row?.status == Status(.good, "Bought on another computer", detail: "Yours for good."))
    rig.queue.setRestored(.failure(StoreError(.unavailable, code: "timed_out", sentence: "Try again in a moment.")))
    rig.model.send(.restoreTapped)
    await until { !rig.model.state.isRestoring }
    #expect(rig.model.state.restored == "Nothing could be restored. Try again in a moment.")
    #expect(rig.outputs.count == 4)
    #expect(rig.outputs.last == .restored("Nothing could be restored. Try again in a moment."), "wherever the reader looks")
  }

  @Test func passesAreCounted() async throws {
    let rig = try await PurchasesRig()
    await rig.appear()
    rig.passes.value = 3
    await until { rig.model.state.balance == "You have 3 article passes." }
    rig.passes.value = 0
    await until { rig.model.state.balance == nil }
  }

  @Test func offScreenItDoesNoWork() async throws {
    let rig = try await PurchasesRig()
    await rig.appear()
    rig.model.disappear()
    let count = rig.states.count
    try await rig.buy("lifetime")
    await rig.effects.settled()
    #expect(rig.states.count == count)
    rig.model.appear()
    await until { rig.row != nil }
  }

  @Test func aClosedListIsReleased() async throws {
    weak var released: PurchasesViewModel?
    let rig = try await PurchasesRig()
    do {
      let model = PurchasesViewModel(
        purchases: rig.purchases, content: rig.reader.store, publication: nil, orders: { [] }, passes: rig.passes,
        effects: rig.effects, formatting: Formatting(clock: rig.clock, locale: Locale(identifier: "en_IE"), timeZone: .gmt)
      ) { _ in }
      released = model
      model.appear()
      await rig.effects.settled()
      model.disappear()
    }
    await until { released == nil }
  }
}
