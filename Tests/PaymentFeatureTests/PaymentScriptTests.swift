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

    @MainActor init(_ bench: Bench) {
      ready = bench.model.state
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

  private func pay(_ bench: Bench) async {
    bench.model.send(.payTapped)
    await bench.answered()
  }

  /// Waits until "Try again" can be pressed.
  private func rest(_ bench: Bench) async {
    await until {
      bench.clock.advance(by: .milliseconds(100))
      return !bench.model.state.isResting
    }
  }

  @Test func pay() async throws {
    let bench = try await Bench()
    await bench.appear()
    let names = Names(bench)
    await pay(bench)
    #expect(
      bench.states == [
        names.ready, names.asking, names.paying, names.done,
      ])
    #expect(bench.outputs == [.finished("monthly")])
  }

  @Test func payIsThankedForWithWhatWasBoughtAndTheOrdersNumber() async throws {
    let gate = Gate()
    let bench = try await Bench("monthly", asking(gate))
    await bench.appear()
    bench.model.send(.payTapped)
    await gate.reached()
    let id = try await bench.lastID()
    bench.numbers.value.withLock { $0[id] = "K7Q2-9XDM" }
    gate.open()
    await until { !bench.thanks.isEmpty }
    #expect(bench.thanks == ["Thank you! You have bought “Monthly” for \(bench.model.state.total). Order K7Q2-9XDM."])
    #expect(bench.outputs == [.finished("monthly")])
  }

  @Test func aTrialIsThankedForThoughThePublicationDoesNotSayItsNumber() async throws {
    let bench = try await Bench("trial")
    await bench.appear()
    await pay(bench)
    await until { !bench.thanks.isEmpty }
    #expect(bench.thanks == ["Thank you! You have bought “\(bench.model.state.lines[0].name)” for free."])
  }

  @Test func whoeverHasPaidIsThankedThoughTheJournalCannotBeRead() async throws {
    let bench = try await Bench()
    await bench.appear()
    let journal = bench.journal
    bench.model.observe { state in if case .done? = state.status { Task { await journal.close() } } }
    await pay(bench)
    await until { !bench.thanks.isEmpty }
    #expect(bench.thanks == ["Thank you! You have bought “Monthly”."])
  }

  @Test func comingUpAndRefreshingAskAboutAPaymentThatWaits() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .deferred("It may take a day.") }
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    _ = await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    let before = bench.queue.submitted.count
    await bench.appear()
    await until { bench.queue.submitted.count == before + 1 }
    await bench.effects.settled()
    bench.model.send(.refreshTapped)
    await until { bench.queue.submitted.count == before + 2 }
    bench.model.disappear()
  }

  @Test func payTwiceIsOnePurchase() async throws {
    let bench = try await Bench()
    await bench.appear()
    let names = Names(bench)
    bench.model.send(.payTapped)
    bench.model.send(.payTapped)
    bench.model.send(.methodChosen("second"))
    await pay(bench)
    bench.model.send(.payTapped)
    #expect(
      bench.states == [
        names.ready, names.asking, names.paying, names.done,
      ])
    #expect(bench.queue.submitted.count == 1)
    #expect(bench.outputs == [.finished("monthly")])
  }

  @Test func cancelWithoutPay() async throws {
    let bench = try await Bench()
    await bench.appear()
    let names = Names(bench)
    bench.model.send(.cancelTapped)
    #expect(bench.states == [names.ready])
    #expect(bench.outputs == [.cancelled])
  }

  @Test func cancel() async throws {
    let gate = Gate()
    let bench = try await Bench("monthly", asking(gate))
    await bench.appear()
    let names = Names(bench)
    bench.model.send(.payTapped)
    await gate.reached()
    bench.model.send(.cancelTapped)
    await bench.answered()
    #expect(bench.states == [names.ready, names.asking, names.ready])
    #expect(bench.outputs == [.cancelled])
    #expect(bench.queue.submitted.isEmpty)
  }

  @Test func cancelInTheProvidersOwnSheet() async throws {
    let gate = Gate()
    gate.open()
    let bench = try await Bench("monthly", asking(gate, .cancelled))
    await bench.appear()
    let names = Names(bench)
    await pay(bench)
    #expect(bench.states == [names.ready, names.asking, names.ready])
    #expect(bench.outputs.isEmpty, "the reader is still at the sheet")
  }

  @Test func authorizeDeclineDismiss() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .declined("Your bank said no. Try another card.") }
    await bench.appear()
    let names = Names(bench)
    await pay(bench)
    bench.model.closed()
    #expect(
      bench.states == [
        names.ready, names.asking, names.paying, names.failed("Your bank said no. Try another card."),
      ], "dismissing wipes nothing")
    #expect(bench.model.state == bench.states.last)
    #expect(bench.outputs.isEmpty)
  }

  @Test func authorizeDeclineBuyCancel() async throws {
    let gate = Gate()
    let bench = try await Bench("monthly", agreeingOnce(gate))
    bench.queue.setAnswer { _, _ in .declined("No.") }
    await bench.appear()
    let names = Names(bench)
    await pay(bench)
    await rest(bench)
    bench.model.send(.payTapped)
    await gate.reached()
    bench.model.send(.cancelTapped)
    await bench.answered()
    #expect(
      bench.states == [
        names.ready, names.asking, names.paying, names.failed("No."), names.failed("No.", isResting: false), names.asking, names.ready,
      ], "buying again starts with a clean sheet, and cancelling returns to it")
    #expect(bench.outputs == [.cancelled])
  }

  @Test func tokenError() async throws {
    let bench = try await Bench(
      "monthly",
      ScriptedAuthorizer { _, started in
        await started()
        throw PaymentAuthorizationError(sentence: "The card has expired.")
      })
    await bench.appear()
    let names = Names(bench)
    await pay(bench)
    bench.model.closed()
    #expect(bench.states == [names.ready, names.asking, names.paying, names.failed("The card has expired.")])
    #expect(bench.queue.submitted.isEmpty)
    #expect(bench.outputs.isEmpty)
  }

  @Test func tokenErrorBeforeTheReaderWasAsked() async throws {
    let bench = try await Bench(
      "monthly", ScriptedAuthorizer { _, _ in throw PaymentAuthorizationError(sentence: "The provider is away.") })
    await bench.appear()
    let names = Names(bench)
    await pay(bench)
    #expect(bench.states == [names.ready, names.asking, names.failed("The provider is away.")])
  }

  @Test func tokenErrorBuyPay() async throws {
    let presses = Mutex(0)
    let bench = try await Bench(
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
    await bench.appear()
    let names = Names(bench)
    await pay(bench)
    // Whoever pressed several times to pay once did not mean "Try again".
    bench.model.send(.payTapped)
    await bench.effects.settled()
    #expect(presses.withLock { $0 } == 1)
    await rest(bench)
    await pay(bench)
    #expect(
      bench.states == [
        names.ready, names.asking, names.paying, names.failed("The card has expired."),
        names.failed("The card has expired.", isResting: false), names.asking, names.paying, names.done,
      ])
    #expect(bench.outputs == [.finished("monthly")])
  }

  @Test func tokenThenTheWebServiceSaysNo() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .refused(code: "price_changed", sentence: "The price has changed.") }
    await bench.appear()
    let names = Names(bench)
    await pay(bench)
    #expect(bench.states == [names.ready, names.asking, names.paying, names.failed("The price has changed.")])
    #expect(bench.outputs.isEmpty)
  }

  // MARK: What takes days

  @Test func deferredThenApproved() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .deferred("Waiting for the bank's approval…") }
    await bench.appear()
    let names = Names(bench)
    let waiting = names.ready.with(.waiting("Waiting for the bank's approval…"), canPay: false)
    await pay(bench)
    #expect(bench.states == [names.ready, names.asking, names.paying, waiting])
    #expect(bench.outputs.isEmpty)
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    await bench.purchases.check(try await bench.lastID())
    await until { !bench.outputs.isEmpty }
    #expect(bench.states.suffix(2) == [waiting, names.done])
    #expect(bench.outputs == [.finished("monthly")])
  }

  @Test func deferredThenDeclined() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .deferred("Waiting for the bank's approval…") }
    await bench.appear()
    let names = Names(bench)
    await pay(bench)
    bench.queue.setAnswer { _, _ in .declined("Your bank said no.") }
    await bench.purchases.check(try await bench.lastID())
    await until { bench.model.state.canPay }
    #expect(bench.model.state == names.failed("Your bank said no.", isResting: false), "and it can be tried again")
    #expect(bench.outputs.isEmpty)
  }

  /// Charged, and refused only later: another try would be another charge.
  @Test(arguments: [false, true]) func paidThenTheReceiptIsRefused(isDeferred: Bool) async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in isDeferred ? .deferred("Waiting for the bank's approval…") : .busy(retryAfter: .seconds(60)) }
    await bench.appear()
    let names = Names(bench)
    let sentence = isDeferred ? "Waiting for the bank's approval…" : PendingReason.storeUnavailable.sentence
    await pay(bench)
    bench.queue.setAnswer { _, _ in .refused(code: PurchaseError.receiptRejected, sentence: "This receipt is not valid. Write to us.") }
    await bench.purchases.check(try await bench.lastID())
    await until { if case .problem = bench.model.state.status { true } else { false } }
    #expect(
      bench.states == [
        names.ready, names.asking, names.paying, names.ready.with(.waiting(sentence), canPay: false),
        names.ready.with(.problem(bench.paidWithoutAccess()), canPay: false),
      ])
    bench.model.send(.payTapped)
    bench.model.closed()
    bench.model.appear()
    bench.model.send(.payTapped)
    await bench.effects.settled()
    #expect(Set(bench.queue.submitted.map(\.id)).count == 1)
    #expect(!bench.model.state.canPay)
    #expect(bench.outputs.isEmpty)
  }

  @Test func deferredThenNotSoldAnyMore() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .deferred("Waiting for the bank's approval…") }
    await bench.appear()
    let names = Names(bench)
    await pay(bench)
    bench.queue.setAnswer { _, _ in .unknownProduct("This is not sold any more.") }
    await bench.purchases.check(try await bench.lastID())
    await until { if case .problem = bench.model.state.status { true } else { false } }
    #expect(bench.model.state == names.ready.with(.problem("This is not sold any more."), canPay: false))
  }

  @Test func cancelledElsewhereIsNoFailure() async throws {
    let gate = Gate()
    let bench = try await Bench("monthly")
    await bench.appear()
    let names = Names(bench)
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    let other = Task { await bench.purchases.purchase(monthly, authorizer: asking(gate, .cancelled)) }
    await gate.reached()
    await pay(bench)
    #expect(bench.model.state == names.ready.with(.waiting(PendingReason.storeUnavailable.sentence), canPay: false))
    gate.open()
    #expect(await other.value == .cancelled)
    await until { bench.model.state.status == nil }
    #expect(bench.model.state == names.ready, "it can be paid here")
  }

  @Test func interruptedThenConfirmed() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .interrupted("Your bank asks you to confirm.", url: "https://bank.example/confirm") }
    await bench.appear()
    let names = Names(bench)
    let confirming = names.confirm(page: "https://bank.example/confirm")
    await pay(bench)
    #expect(bench.states == [names.ready, names.asking, names.paying, confirming])
    bench.model.send(.confirmTapped)
    #expect(bench.outputs == [.openWeb("https://bank.example/confirm")])
    let waiting = names.ready.with(
      .confirming("Waiting for your bank… Nothing was charged yet.", page: "https://bank.example/confirm"), canPay: false)
    #expect(bench.states.last == waiting.with(isResting: true))
    await rest(bench)
    #expect(bench.states.last == waiting)
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    await bench.purchases.check(try await bench.lastID())
    await until { bench.outputs.count == 2 }
    #expect(bench.states.last == names.done)
    #expect(bench.outputs.last == .finished("monthly"))
  }

  @Test func whatTheBankAsksIsCancelledAndPaidOtherwise() async throws {
    let bench = try await Bench()
    let page = "https://bank.example/confirm"
    bench.queue.setAnswer { _, _ in .interrupted("Your bank asks you to confirm.", url: page) }
    await bench.appear()
    let names = Names(bench)
    await pay(bench)
    let waiting = names.confirm(page: page)
    let cancelling = names.ready.with(.working("Cancelling the payment…"), canPay: false).with(isResting: true)
    #expect(bench.states.last == waiting && waiting.offersCancelling)
    bench.model.send(.cancelPaymentTapped)
    #expect(bench.states.last == waiting, "whoever pressed twice to pay does not cancel")
    await rest(bench)
    let before = bench.states.count
    bench.queue.setCancelling(.failure(StoreError(.unavailable, code: "offline", sentence: "There is no network.")))
    bench.model.send(.cancelPaymentTapped)
    let failed = names.confirm("It is not known yet whether the payment is cancelled. There is no network.", page: page)
    await until { bench.model.state == failed }
    await rest(bench)
    bench.queue.setCancelling(.success(()))
    bench.queue.setAnswer { _, _ in .declined("You cancelled this payment.") }
    bench.model.send(.cancelPaymentTapped)
    bench.model.send(.cancelPaymentTapped)
    await until { bench.model.state.canPay }
    #expect(Array(bench.states[before...].prefix(4)) == [cancelling, failed, failed.with(isResting: false), cancelling])
    #expect(bench.states.last == names.failed("You cancelled this payment."))
    #expect(bench.queue.cancelled.count == 2, "a second press does nothing")
    await rest(bench)
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    await pay(bench)
    #expect(bench.outputs.last == .finished("monthly"))
  }

  /// The bank's page of the first one was opened, and that of the next one was not.
  @Test func anotherTryAsksForAPageOfItsOwn() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .interrupted("Your bank asks you to confirm.", url: "https://bank.example/1") }
    await bench.appear()
    let names = Names(bench)
    await pay(bench)
    bench.model.send(.confirmTapped)
    bench.queue.setCancelling(.success(()))
    bench.queue.setAnswer { _, _ in .declined("You cancelled this payment.") }
    await rest(bench)
    bench.model.send(.cancelPaymentTapped)
    await until { bench.model.state.canPay }
    await rest(bench)
    bench.queue.setAnswer { _, _ in .interrupted("Your bank asks you to confirm.", url: "https://bank.example/2") }
    await pay(bench)
    #expect(bench.states.last == names.confirm(page: "https://bank.example/2"))
  }

  @Test func whoeverIsAtTheirBankIsLookedForOften() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .interrupted("Your bank asks you to confirm.", url: "https://bank.example/confirm") }
    await bench.appear()
    await pay(bench)
    bench.model.send(.confirmTapped)
    let (issuer, begun) = (bench.issuer, bench.clock.uptime)
    for looks in 2...6 {
      if looks == 6 { bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) } }
      while bench.queue.submitted.count < looks, bench.clock.uptime - begun < .seconds(60) {
        bench.clock.advance(by: .milliseconds(500))
        for _ in 1...50 { await Task.yield() }
        await bench.effects.settled()
      }
    }
    await until { bench.outputs.count == 2 }
    #expect(bench.outputs.last == .finished("monthly"))
    #expect(bench.clock.uptime - begun < .seconds(60), "without this five looks take more than that")
  }

  @Test func aPackOfPassesThatWaitedIsFinishedThoughItGivesNoAccess() async throws {
    let bench = try await Bench("passes")
    bench.queue.setAnswer { _, _ in .deferred("Waiting for the bank's approval…") }
    await bench.appear()
    let names = Names(bench)
    await pay(bench)
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    await bench.purchases.check(try await bench.lastID())
    await until { !bench.outputs.isEmpty }
    #expect(bench.states.last == names.done)
    #expect(bench.outputs == [.finished("passes")])
  }

  @Test func theBrowserIsWaitedForInItsOwnWordsAndCanBeCancelled() async throws {
    let gate = Gate()
    let opened = Mutex(0)
    let bench = try await Bench("monthly", methods: [.browser(asking(gate)) { opened.withLock { $0 += 1 } }])
    await bench.appear()
    let names = Names(bench)
    bench.model.send(.openAgainTapped)
    #expect(opened.withLock { $0 } == 0, "there is no page yet")
    bench.model.send(.payTapped)
    await gate.reached()
    bench.model.send(.openAgainTapped)
    #expect(opened.withLock { $0 } == 1)
    bench.model.send(.cancelTapped)
    await bench.answered()
    bench.model.send(.openAgainTapped)
    #expect(opened.withLock { $0 } == 1, "nor any more")
    var browsing = names.ready.with(.working("Waiting for you to pay in the browser…"), canPay: false)
    browsing.canOpenAgain = true
    #expect(bench.states == [names.ready, browsing, names.ready])
    #expect(bench.outputs == [.cancelled])
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
