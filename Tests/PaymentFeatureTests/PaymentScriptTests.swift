import Foundation
import Patience
import PaymentFeature
import PurchaseService
import PurchaseServiceTesting
import Runtime
import Synchronization
import Testing

/// What a person does at the payment sheet, and every state that it goes through for it, from the moment it is ready.
@MainActor @Suite(.timeLimit(.minutes(5))) struct PaymentScriptTests {
  private typealias State = PaymentViewModel.State

  /// The states of one script, by name. Each differs from the sheet at rest in what is given.
  private struct Names {
    let ready: State
    let asking: State
    let paying: State
    let done: State

    @MainActor init(_ rig: Rig) {
      ready = rig.model.state
      asking = ready.with(.working("Paying…"), canPay: false)
      paying = ready.with(.working("Paying…"), canPay: false, canCancel: false)
      done = ready.with(.done("Done."), canPay: false)
    }

    /// - Parameter isResting: whether the button was pressed a moment ago.
    func failed(_ sentence: String, isResting: Bool = true) -> State {
      ready.with(.problem(sentence), payTitle: "Try again · \(ready.total)").with(isResting: isResting)
    }

    /// The bank asks the reader to confirm, who may cancel.
    func confirm(_ sentence: String = "Your bank asks you to confirm.", page: String, isResting: Bool = true) -> State {
      ready.with(.confirm(sentence, page: page), canPay: false).with(isResting: isResting)
    }
  }

  /// A person who answers at the gate: agrees, or cancels in the provider's own sheet.
  private func asking(_ gate: Gate, _ answer: PaymentAuthorization = .authorized(PaymentToken("token"))) -> ScriptedAuthorizer {
    ScriptedAuthorizer { _, started in
      await gate.wait()
      try Task.checkCancellation()
      if answer != .cancelled { await started() }
      return answer
    }
  }

  /// Agrees at the first press, and waits at the gate from the second on.
  private func agreeingOnce(_ gate: Gate) -> ScriptedAuthorizer {
    let presses = Mutex(0)
    return ScriptedAuthorizer { _, started in
      let press = presses.withLock { count in
        count += 1
        return count
      }
      if press > 1 {
        await gate.wait()
        return .cancelled
      }
      await started()
      return .authorized(PaymentToken("token"))
    }
  }

  private func pay(_ rig: Rig) async {
    rig.model.send(.payTapped)
    await rig.answered()
  }

  /// Waits until "Try again" can be pressed.
  private func rest(_ rig: Rig) async {
    await until {
      rig.clock.advance(by: .milliseconds(100))
      return !rig.model.state.isResting
    }
  }

  @Test func pay() async throws {
    let rig = try await Rig()
    await rig.appear()
    let names = Names(rig)
    await pay(rig)
    #expect(
      rig.states == [
        names.ready, names.asking, names.paying, names.done,
      ])
    #expect(rig.outputs == [.finished("monthly")])
  }

  @Test func payIsThankedForWithWhatWasBoughtAndTheOrdersNumber() async throws {
    let gate = Gate()
    let rig = try await Rig("monthly", asking(gate))
    await rig.appear()
    rig.model.send(.payTapped)
    await gate.reached()
    let id = try await rig.lastID()
    rig.numbers.value.withLock { $0[id] = "K7Q2-9XDM" }
    gate.open()
    await until { !rig.thanks.isEmpty }
    #expect(rig.thanks == ["Thank you! You have bought “Monthly” for \(rig.model.state.total). Order K7Q2-9XDM."])
    #expect(rig.outputs == [.finished("monthly")])
  }

  @Test func aTrialIsThankedForThoughThePublicationDoesNotSayItsNumber() async throws {
    let rig = try await Rig("trial")
    await rig.appear()
    await pay(rig)
    await until { !rig.thanks.isEmpty }
    #expect(rig.thanks == ["Thank you! You have bought “\(rig.model.state.lines[0].name)” for free."])
  }

  @Test func whoeverHasPaidIsThankedThoughTheJournalCannotBeRead() async throws {
    let rig = try await Rig()
    await rig.appear()
    let journal = rig.journal
    rig.model.observe { state in if case .done? = state.status { Task { await journal.close() } } }
    await pay(rig)
    await until { !rig.thanks.isEmpty }
    #expect(rig.thanks == ["Thank you! You have bought “Monthly”."])
  }

  @Test func comingUpAndRefreshingAskAboutAPaymentThatWaits() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .deferred("It may take a day.") }
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    _ = await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    let before = rig.queue.submitted.count
    await rig.appear()
    await until { rig.queue.submitted.count == before + 1 }
    await rig.effects.settled()
    rig.model.send(.refreshTapped)
    await until { rig.queue.submitted.count == before + 2 }
    rig.model.disappear()
  }

  @Test func payTwiceIsOnePurchase() async throws {
    let rig = try await Rig()
    await rig.appear()
    let names = Names(rig)
    rig.model.send(.payTapped)
    rig.model.send(.payTapped)
    rig.model.send(.methodChosen("second"))
    await pay(rig)
    rig.model.send(.payTapped)
    #expect(
      rig.states == [
        names.ready, names.asking, names.paying, names.done,
      ])
    #expect(rig.queue.submitted.count == 1)
    #expect(rig.outputs == [.finished("monthly")])
  }

  @Test func cancelWithoutPay() async throws {
    let rig = try await Rig()
    await rig.appear()
    let names = Names(rig)
    rig.model.send(.cancelTapped)
    #expect(rig.states == [names.ready])
    #expect(rig.outputs == [.cancelled])
  }

  @Test func cancel() async throws {
    let gate = Gate()
    let rig = try await Rig("monthly", asking(gate))
    await rig.appear()
    let names = Names(rig)
    rig.model.send(.payTapped)
    await gate.reached()
    rig.model.send(.cancelTapped)
    await rig.answered()
    #expect(rig.states == [names.ready, names.asking, names.ready])
    #expect(rig.outputs == [.cancelled])
    #expect(rig.queue.submitted.isEmpty)
  }

  @Test func cancelInTheProvidersOwnSheet() async throws {
    let gate = Gate()
    gate.open()
    let rig = try await Rig("monthly", asking(gate, .cancelled))
    await rig.appear()
    let names = Names(rig)
    await pay(rig)
    #expect(rig.states == [names.ready, names.asking, names.ready])
    #expect(rig.outputs.isEmpty, "the reader is still at the sheet")
  }

  @Test func authorizeDeclineDismiss() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .declined("Your bank said no. Try another card.") }
    await rig.appear()
    let names = Names(rig)
    await pay(rig)
    rig.model.closed()
    #expect(
      rig.states == [
        names.ready, names.asking, names.paying, names.failed("Your bank said no. Try another card."),
      ], "dismissing wipes nothing")
    #expect(rig.model.state == rig.states.last)
    #expect(rig.outputs.isEmpty)
  }

  @Test func authorizeDeclineBuyCancel() async throws {
    let gate = Gate()
    let rig = try await Rig("monthly", agreeingOnce(gate))
    rig.queue.setAnswer { _, _ in .declined("No.") }
    await rig.appear()
    let names = Names(rig)
    await pay(rig)
    await rest(rig)
    rig.model.send(.payTapped)
    await gate.reached()
    rig.model.send(.cancelTapped)
    await rig.answered()
    #expect(
      rig.states == [
        names.ready, names.asking, names.paying, names.failed("No."), names.failed("No.", isResting: false), names.asking, names.ready,
      ], "buying again starts with a clean sheet, and cancelling returns to it")
    #expect(rig.outputs == [.cancelled])
  }

  @Test func tokenError() async throws {
    let rig = try await Rig(
      "monthly",
      ScriptedAuthorizer { _, started in
        await started()
        throw PaymentAuthorizationError(sentence: "The card has expired.")
      })
    await rig.appear()
    let names = Names(rig)
    await pay(rig)
    rig.model.closed()
    #expect(rig.states == [names.ready, names.asking, names.paying, names.failed("The card has expired.")])
    #expect(rig.queue.submitted.isEmpty)
    #expect(rig.outputs.isEmpty)
  }

  @Test func tokenErrorBeforeTheReaderWasAsked() async throws {
    let rig = try await Rig(
      "monthly", ScriptedAuthorizer { _, _ in throw PaymentAuthorizationError(sentence: "The provider is away.") })
    await rig.appear()
    let names = Names(rig)
    await pay(rig)
    #expect(rig.states == [names.ready, names.asking, names.failed("The provider is away.")])
  }

  @Test func tokenErrorBuyPay() async throws {
    let presses = Mutex(0)
    let rig = try await Rig(
      "monthly",
      ScriptedAuthorizer { _, started in
        await started()
        let press = presses.withLock { count in
          count += 1
          return count
        }
        if press == 1 { throw PaymentAuthorizationError(sentence: "The card has expired.") }
        return .authorized(PaymentToken("token"))
      })
    await rig.appear()
    let names = Names(rig)
    await pay(rig)
    // Whoever pressed several times to pay once did not mean "Try again".
    rig.model.send(.payTapped)
    await rig.effects.settled()
    #expect(presses.withLock { $0 } == 1)
    await rest(rig)
    await pay(rig)
    #expect(
      rig.states == [
        names.ready, names.asking, names.paying, names.failed("The card has expired."),
        names.failed("The card has expired.", isResting: false), names.asking, names.paying, names.done,
      ])
    #expect(rig.outputs == [.finished("monthly")])
  }

  @Test func tokenThenTheWebServiceSaysNo() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .refused(code: "price_changed", sentence: "The price has changed.") }
    await rig.appear()
    let names = Names(rig)
    await pay(rig)
    #expect(rig.states == [names.ready, names.asking, names.paying, names.failed("The price has changed.")])
    #expect(rig.outputs.isEmpty)
  }

  /// The button names what the second try charges.
  @Test func tokenThenThePriceIsAnotherAndTheSecondTryCharges() async throws {
    let rig = try await Rig()
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in
      transaction.price?.minorUnits == 690
        ? issuer.accepted(transaction) : .refused(code: "price_changed", sentence: "The price has changed.")
    }
    await rig.appear()
    #expect(rig.model.state.payTitle == "Pay €4.90")
    rig.setPrice(690)
    await pay(rig)
    await rig.effects.settled()
    #expect(rig.model.state.payTitle == "Try again · €6.90")
    #expect(rig.model.state.total == "€6.90")
    #expect(rig.model.state.status?.text == "The price has changed.")
    await rest(rig)
    await pay(rig)
    #expect(rig.outputs == [.finished("monthly")])
  }

  // MARK: What takes days

  @Test func deferredThenApproved() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .deferred("Waiting for the bank's approval…") }
    await rig.appear()
    let names = Names(rig)
    let waiting = names.ready.with(.waiting("Waiting for the bank's approval…"), canPay: false)
    await pay(rig)
    #expect(rig.states == [names.ready, names.asking, names.paying, waiting])
    #expect(rig.outputs.isEmpty)
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    await rig.purchases.check(try await rig.lastID())
    await until { !rig.outputs.isEmpty }
    #expect(rig.states.suffix(2) == [waiting, names.done])
    #expect(rig.outputs == [.finished("monthly")])
  }

  @Test func deferredThenDeclined() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .deferred("Waiting for the bank's approval…") }
    await rig.appear()
    let names = Names(rig)
    await pay(rig)
    rig.queue.setAnswer { _, _ in .declined("Your bank said no.") }
    await rig.purchases.check(try await rig.lastID())
    await until { rig.model.state.canPay }
    #expect(rig.model.state == names.failed("Your bank said no.", isResting: false), "and it can be tried again")
    #expect(rig.outputs.isEmpty)
  }

  /// Charged, and refused only later: another try would be another charge.
  @Test(arguments: [false, true]) func paidThenTheReceiptIsRefused(isDeferred: Bool) async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in isDeferred ? .deferred("Waiting for the bank's approval…") : .busy(retryAfter: .seconds(60)) }
    await rig.appear()
    let names = Names(rig)
    let sentence = isDeferred ? "Waiting for the bank's approval…" : PendingReason.storeUnavailable.sentence
    await pay(rig)
    rig.queue.setAnswer { _, _ in .refused(code: PurchaseError.receiptRejected, sentence: "This receipt is not valid. Write to us.") }
    await rig.purchases.check(try await rig.lastID())
    await until { if case .problem = rig.model.state.status { true } else { false } }
    #expect(
      rig.states == [
        names.ready, names.asking, names.paying, names.ready.with(.waiting(sentence), canPay: false),
        names.ready.with(.problem(rig.paidWithoutAccess()), canPay: false),
      ])
    rig.model.send(.payTapped)
    rig.model.closed()
    rig.model.appear()
    rig.model.send(.payTapped)
    await rig.effects.settled()
    #expect(Set(rig.queue.submitted.map(\.id)).count == 1)
    #expect(!rig.model.state.canPay)
    #expect(rig.outputs.isEmpty)
  }

  @Test func deferredThenNotSoldAnyMore() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .deferred("Waiting for the bank's approval…") }
    await rig.appear()
    let names = Names(rig)
    await pay(rig)
    rig.queue.setAnswer { _, _ in .unknownProduct("This is not sold any more.") }
    await rig.purchases.check(try await rig.lastID())
    await until { if case .problem = rig.model.state.status { true } else { false } }
    #expect(rig.model.state == names.ready.with(.problem("This is not sold any more."), canPay: false))
  }

  @Test func cancelledElsewhereIsNoFailure() async throws {
    let gate = Gate()
    let rig = try await Rig("monthly")
    await rig.appear()
    let names = Names(rig)
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    let other = Task { await rig.purchases.purchase(monthly, authorizer: asking(gate, .cancelled)) }
    await gate.reached()
    await pay(rig)
    #expect(rig.model.state == names.ready.with(.waiting(PendingReason.storeUnavailable.sentence), canPay: false))
    gate.open()
    #expect(await other.value == .cancelled)
    await until { rig.model.state.status == nil }
    #expect(rig.model.state == names.ready, "it can be paid here")
  }

  @Test func interruptedThenConfirmed() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .interrupted("Your bank asks you to confirm.", url: "https://bank.example/confirm") }
    await rig.appear()
    let names = Names(rig)
    let confirming = names.confirm(page: "https://bank.example/confirm")
    await pay(rig)
    #expect(rig.states == [names.ready, names.asking, names.paying, confirming])
    rig.model.send(.confirmTapped)
    #expect(rig.outputs == [.openWeb("https://bank.example/confirm")])
    let waiting = names.ready.with(
      .confirming("Waiting for your bank… Nothing was charged yet.", page: "https://bank.example/confirm"), canPay: false)
    #expect(rig.states.last == waiting.with(isResting: true))
    await rest(rig)
    #expect(rig.states.last == waiting)
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    await rig.purchases.check(try await rig.lastID())
    await until { rig.outputs.count == 2 }
    #expect(rig.states.last == names.done)
    #expect(rig.outputs.last == .finished("monthly"))
  }

  @Test func whatTheBankAsksIsCancelledAndPaidOtherwise() async throws {
    let rig = try await Rig()
    let page = "https://bank.example/confirm"
    rig.queue.setAnswer { _, _ in .interrupted("Your bank asks you to confirm.", url: page) }
    await rig.appear()
    let names = Names(rig)
    await pay(rig)
    let waiting = names.confirm(page: page)
    let cancelling = names.ready.with(.working("Cancelling the payment…"), canPay: false).with(isResting: true)
    #expect(rig.states.last == waiting && waiting.offersCancelling)
    rig.model.send(.cancelPaymentTapped)
    #expect(rig.states.last == waiting, "whoever pressed twice to pay does not cancel")
    await rest(rig)
    let before = rig.states.count
    rig.queue.setCancelling(.failure(StoreError(.unavailable, code: "offline", sentence: "There is no network.")))
    rig.model.send(.cancelPaymentTapped)
    let failed = names.confirm("It is not known yet whether the payment is cancelled. There is no network.", page: page)
    await until { rig.model.state == failed }
    await rest(rig)
    rig.queue.setCancelling(.success(()))
    rig.queue.setAnswer { _, _ in .declined("You cancelled this payment.") }
    rig.model.send(.cancelPaymentTapped)
    rig.model.send(.cancelPaymentTapped)
    await until { rig.model.state.canPay }
    #expect(Array(rig.states[before...].prefix(4)) == [cancelling, failed, failed.with(isResting: false), cancelling])
    #expect(rig.states.last == names.failed("You cancelled this payment."))
    #expect(rig.queue.cancelled.count == 2, "a second press does nothing")
    await rest(rig)
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    await pay(rig)
    #expect(rig.outputs.last == .finished("monthly"))
  }

  /// The bank's page of the first one was opened, and that of the next one was not.
  @Test func anotherTryAsksForAPageOfItsOwn() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .interrupted("Your bank asks you to confirm.", url: "https://bank.example/1") }
    await rig.appear()
    let names = Names(rig)
    await pay(rig)
    rig.model.send(.confirmTapped)
    rig.queue.setCancelling(.success(()))
    rig.queue.setAnswer { _, _ in .declined("You cancelled this payment.") }
    await rest(rig)
    rig.model.send(.cancelPaymentTapped)
    await until { rig.model.state.canPay }
    await rest(rig)
    rig.queue.setAnswer { _, _ in .interrupted("Your bank asks you to confirm.", url: "https://bank.example/2") }
    await pay(rig)
    #expect(rig.states.last == names.confirm(page: "https://bank.example/2"))
  }

  @Test func whoeverIsAtTheirBankIsLookedForOften() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .interrupted("Your bank asks you to confirm.", url: "https://bank.example/confirm") }
    await rig.appear()
    await pay(rig)
    rig.model.send(.confirmTapped)
    let (issuer, begun) = (rig.issuer, rig.clock.uptime)
    for looks in 2...6 {
      if looks == 6 { rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) } }
      while rig.queue.submitted.count < looks, rig.clock.uptime - begun < .seconds(60) {
        rig.clock.advance(by: .milliseconds(500))
        for _ in 1...50 { await Task.yield() }
        await rig.effects.settled()
      }
    }
    await until { rig.outputs.count == 2 }
    #expect(rig.outputs.last == .finished("monthly"))
    #expect(rig.clock.uptime - begun < .seconds(60), "without this five looks take more than that")
  }

  @Test func aPackOfPassesThatWaitedIsFinishedThoughItGivesNoAccess() async throws {
    let rig = try await Rig("passes")
    rig.queue.setAnswer { _, _ in .deferred("Waiting for the bank's approval…") }
    await rig.appear()
    let names = Names(rig)
    await pay(rig)
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    await rig.purchases.check(try await rig.lastID())
    await until { !rig.outputs.isEmpty }
    #expect(rig.states.last == names.done)
    #expect(rig.outputs == [.finished("passes")])
  }

  @Test func theBrowserIsWaitedForInItsOwnWordsAndCanBeCancelled() async throws {
    let gate = Gate()
    let opened = Mutex(0)
    let rig = try await Rig("monthly", methods: [.browser(asking(gate)) { opened.withLock { $0 += 1 } }])
    await rig.appear()
    let names = Names(rig)
    rig.model.send(.openAgainTapped)
    #expect(opened.withLock { $0 } == 0, "there is no page yet")
    rig.model.send(.payTapped)
    await gate.reached()
    rig.model.send(.openAgainTapped)
    #expect(opened.withLock { $0 } == 1)
    rig.model.send(.cancelTapped)
    await rig.answered()
    rig.model.send(.openAgainTapped)
    #expect(opened.withLock { $0 } == 1, "nor any more")
    var browsing = names.ready.with(.working("Waiting for you to pay in the browser…"), canPay: false)
    browsing.canOpenAgain = true
    #expect(rig.states == [names.ready, browsing, names.ready])
    #expect(rig.outputs == [.cancelled])
  }
}

extension PaymentViewModel.State {
  /// The same sheet with another status and other buttons.
  fileprivate func with(_ status: Status, canPay: Bool = true, canCancel: Bool = true, payTitle: String? = nil) -> Self {
    var state = self
    state.status = status
    state.canPay = canPay
    state.canCancel = canCancel
    if let payTitle { state.payTitle = payTitle }
    return state
  }

  fileprivate func with(isResting: Bool) -> Self {
    var state = self
    state.isResting = isResting
    return state
  }
}
