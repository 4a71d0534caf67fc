import Foundation
import Patience
import PaymentFeature
import PublicationCommerce
import PurchaseService
import PurchaseServiceTesting
import Runtime
import Synchronization
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct PaymentViewModelTests {
  private typealias State = PaymentViewModel.State

  /// Waits at the gate before the person agrees.
  private func asking(_ gate: Gate, _ answer: PaymentAuthorization = .authorized(PaymentToken("token"))) -> ScriptedAuthorizer {
    ScriptedAuthorizer { _, started in
      await gate.wait()
      try Task.checkCancellation()
      if answer != .cancelled { await started() }
      return answer
    }
  }

  // MARK: What the sheet shows

  @Test func beforePayTheSheetShowsWhatIsPaidForAndWhatFollows() async throws {
    let bench = try await Bench()
    #expect(bench.model.state.phase == .loading)
    #expect(!bench.model.state.canPay)
    await bench.appear()
    var expected = State()
    expected.phase = .ready
    expected.lines = [State.Line(name: "Monthly", detail: "Month by month", price: "€4.90 a month")]
    expected.total = "€4.90"
    expected.terms = [
      "Renews every month until cancelled.", "Cancel under Account → Purchases. What is paid for stays open until its end.",
    ]
    expected.methods = [State.Method(id: "first", name: "First", detail: "one"), State.Method(id: "second", name: "Second")]
    expected.selectedMethod = "first"
    expected.payTitle = "Pay €4.90"
    expected.canPay = true
    #expect(bench.model.state == expected)
  }

  @Test func whatIsPaidOnceSaysThatItDoesNotRenew() async throws {
    let bench = try await Bench("lifetime")
    await bench.appear()
    #expect(bench.model.state.terms == ["Paid once. It does not renew."])
    #expect(bench.model.state.total == "€149.00")
  }

  @Test func whatCannotBeLoadedSaysWhyAndIsTriedAgain() async throws {
    let bench = try await Bench()
    bench.fail(StoreError(.unavailable, code: "offline", sentence: "No connection."))
    await bench.appear()
    #expect(bench.model.state.phase == .failed("No connection."))
    #expect(!bench.model.state.canPay)
    bench.fail(nil)
    bench.model.send(.retryTapped)
    await bench.effects.settled()
    #expect(bench.model.state.phase == .failed("This is not sold any more."))
  }

  @Test func whatIsOwnedIsAlreadyYours() async throws {
    let bench = try await Bench("lifetime")
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    _ = await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    await bench.appear()
    #expect(bench.model.state.phase == .alreadyYours("“For good” is yours already. There is nothing to pay."))
    #expect(!bench.model.state.canPay)
    bench.model.send(.payTapped)
    #expect(bench.queue.submitted.count == 1)
  }

  @Test func aTrialSaysWhenItEndsAndWhatItCostsThen() async throws {
    let bench = try await Bench("trial")
    await bench.appear()
    #expect(bench.model.state.total == "€0.00")
    #expect(bench.model.state.payTitle == "Start for free")
    #expect(
      bench.model.state.terms == [
        "Free until 28 November 2023, then €4.90 a month.", "Renews every month until cancelled.",
        "Cancel under Account → Purchases before 28 November 2023, and nothing is charged.",
      ])
  }

  @Test func aCheaperBeginningSaysWhenItEndsAndWhatItCostsThen() async throws {
    let bench = try await Bench("intro")
    await bench.appear()
    #expect(bench.model.state.total == "€1.00")
    #expect(
      bench.model.state.terms == [
        "€1.00 a month until 14 February 2024, then €4.90 a month.", "Renews every month until cancelled.",
        "Cancel under Account → Purchases. What is paid for stays open until its end.",
      ])
  }

  @Test func theTaxWithinTheTotalIsSaid() async throws {
    let bench = try await Bench("passes")
    await bench.appear()
    #expect(bench.model.state.tax == "7% VAT, €0.32")
    #expect(bench.model.state.terms == ["Paid once. It does not renew, and does not run out until it is spent."])
    let other = try await Bench()
    await other.appear()
    #expect(other.model.state.tax == nil, "the publication does not say")
  }

  // MARK: Paying

  @Test func theChosenMethodPays() async throws {
    let bench = try await Bench()
    await bench.appear()
    bench.model.send(.methodChosen("second"))
    bench.model.send(.methodChosen("no such method"))
    #expect(bench.model.state.selectedMethod == "second")
    bench.model.send(.payTapped)
    await bench.answered()
    #expect(bench.queue.submitted.map(\.token) == [PaymentToken("tok_second")])
  }

  /// The bank that said no is not asked again.
  @Test func whatWentWrongIsGoneWithTheMethodThatItWentWrongWith() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .refused(code: "declined", sentence: "Your bank declined the payment.") }
    await bench.appear()
    let title = bench.model.state.payTitle
    bench.model.send(.payTapped)
    await bench.answered()
    #expect(bench.model.state.status == .problem("Your bank declined the payment."))
    #expect(bench.model.state.payTitle.hasPrefix("Try again"))
    bench.model.send(.methodChosen("first"))
    #expect(bench.model.state.status != nil, "it is the same one")
    bench.model.send(.methodChosen("second"))
    #expect(bench.model.state.status == nil)
    #expect(bench.model.state.payTitle == title)
    #expect(bench.model.state.canPay)
  }

  @Test func case3ADoubleTapOnPayIsOnePurchase() async throws {
    let bench = try await Bench()
    await bench.appear()
    bench.model.send(.payTapped)
    bench.model.send(.payTapped)
    bench.model.send(.methodChosen("second"))
    bench.model.send(.payTapped)
    await bench.answered()
    bench.model.send(.payTapped)
    #expect(bench.queue.submitted.count == 1)
    #expect(bench.outputs == [.finished("monthly")])
    #expect(bench.model.state.selectedMethod == "first")
  }

  // MARK: Leaving

  @Test(arguments: [true, false]) func case5LeavingAfterPayDoesNotCancelTheSubmission(byButton: Bool) async throws {
    let gate = Gate()
    let bench = try await Bench()
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in
      await gate.wait()
      return issuer.accepted(transaction)
    }
    await bench.appear()
    bench.model.send(.payTapped)
    await gate.reached()
    #expect(!bench.model.state.canCancel)
    if byButton {
      bench.model.send(.cancelTapped)
      #expect(bench.outputs == [.cancelled], "the sheet goes at once")
    }
    bench.model.closed()
    let told = bench.outputs
    gate.open()
    await bench.answered()
    #expect(bench.purchases.hasPremium)
    #expect(bench.outputs == told, "a sheet that is gone moves nobody")
    #expect(bench.model.state.status == .done("Done."))
    bench.model.appear()
    #expect(bench.outputs == told + [.finished("monthly")])
  }

  @Test func leavingBeforeAgreeingIsACancellation() async throws {
    let gate = Gate()
    let bench = try await Bench("monthly", asking(gate))
    await bench.appear()
    bench.model.send(.payTapped)
    await gate.reached()
    bench.model.closed()
    await bench.answered()
    #expect(bench.queue.submitted.isEmpty)
    #expect(bench.model.state.status == nil)
    #expect(bench.outputs.isEmpty)
  }

  @Test func aSheetThatWasReleasedDoesNotTakeThePurchaseAlong() async throws {
    let gate = Gate()
    let bench = try await Bench()
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in
      await gate.wait()
      return issuer.accepted(transaction)
    }
    var sheet: PaymentViewModel? = PaymentViewModel(
      "monthly", purchases: bench.purchases,
      methods: [PaymentMethod(id: "a", name: "A", authorizer: FixedTokenAuthorizer(token: "tok"))], formatting: bench.formatting
    ) { _ in }
    weak let released = sheet
    sheet?.appear()
    await bench.effects.settled()
    sheet?.send(.payTapped)
    await gate.reached()
    sheet?.disappear()
    sheet = nil
    #expect(released == nil)
    gate.open()
    await until { bench.purchases.hasPremium }
  }

  @Test func aTrialIsAgreedToForNothing() async throws {
    let requested = Mutex<Price?>(nil)
    let bench = try await Bench(
      "trial",
      ScriptedAuthorizer { order, started in
        requested.withLock { $0 = order.total }
        await started()
        return .authorized(PaymentToken("token"))
      })
    await bench.appear()
    bench.model.send(.payTapped)
    await bench.answered()
    let nothing = Price(minorUnits: 0, currency: "EUR")
    #expect(requested.withLock { $0 } == nothing, "what the sheet showed as the total")
    #expect(try await bench.purchases.history().map(\.price) == [nothing])
  }

  @Test func whatWasChargedAndRefusedIsNotPaidAgain() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .refused(code: PurchaseError.receiptRejected, sentence: "This receipt is not valid. Write to us.") }
    await bench.appear()
    bench.model.send(.payTapped)
    await bench.answered()
    #expect(bench.model.state.status == .problem(bench.paidWithoutAccess()), "no number that is not the publication's own")
    #expect(!bench.model.state.canPay)
    #expect(bench.model.state.canCancel)
  }

  @Test func whatWasChargedAndRefusedEarlierIsNotSoldAgainUntilItIsPaidBack() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .refused(code: PurchaseError.receiptRejected, sentence: "This receipt is not valid. Write to us.") }
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    _ = await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    let id = try await bench.lastID()
    bench.numbers.value.withLock { $0[id] = "K7Q2-9XDM" }
    try await bench.purchases.resume()
    bench.model.appear()
    await until { bench.model.state.phase == .ready }
    #expect(!bench.states.contains { $0.canPay }, "not even for a moment")
    await until { bench.model.state.status == .problem(bench.paidWithoutAccess("K7Q2-9XDM")) }
    bench.model.send(.payTapped)
    // Neither does closing and opening it sell it again.
    bench.model.closed()
    bench.model.appear()
    bench.model.send(.payTapped)
    await bench.effects.settled()
    #expect(bench.queue.submitted.count == 1)
    #expect(bench.model.state.status == .problem(bench.paidWithoutAccess("K7Q2-9XDM")))

    bench.queue.tell(.revoked(id, reason: "Paid back."))
    await until { bench.model.state.canPay }
    #expect(bench.model.state.status == nil)
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    bench.model.send(.payTapped)
    await bench.answered()
    #expect(bench.outputs == [.finished("monthly")])
  }

  // MARK: A store that does not answer

  @Test func aPaymentThatIsNotConfirmedWaitsAndFinishesByItself() async throws {
    let bench = try await Bench()
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, call in call == 1 ? .busy(retryAfter: .seconds(60)) : issuer.accepted(transaction) }
    await bench.appear()
    bench.model.send(.payTapped)
    await bench.answered()
    #expect(bench.model.state.status == .waiting(PendingReason.storeUnavailable.sentence))
    #expect(!bench.model.state.canPay, "it must not be paid twice")
    #expect(bench.model.state.canCancel)
    #expect(bench.outputs.isEmpty)
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(60))
    await until { !bench.outputs.isEmpty }
    #expect(bench.outputs == [.finished("monthly")])
    #expect(bench.model.state.status == .done("Done."))
    #expect(bench.queue.submitted.count == 2)
  }

  /// As under a test store whose clock stands still: nobody knows when the store is asked again.
  @Test(arguments: [false, true]) func aStoreThatIsAskedAgainIsNotWaitedFor(byOtherMeans: Bool) async throws {
    let bench = try await Bench()
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, call in call == 1 ? .unavailable(reason: "away") : issuer.accepted(transaction) }
    var notices = bench.purchases.noticeStream().makeAsyncIterator()
    await bench.appear()
    bench.model.send(.payTapped)
    await until { bench.model.state.isRetrying }
    #expect(bench.model.state.status == .working("There is no answer about the payment yet. Asking again…"))
    #expect(!bench.model.state.canCancel)
    if !byOtherMeans {
      bench.model.send(.cancelTapped)
      #expect(bench.outputs == [.cancelled], "at once")
    }
    bench.model.closed()
    // Opened again, there is nothing to pay.
    await bench.appear()
    #expect(bench.model.state.status == .waiting(PendingReason.storeUnavailable.sentence))
    #expect(!bench.model.state.isRetrying)
    #expect(!bench.model.state.canPay)
    bench.model.send(.cancelTapped)
    bench.model.closed()
    let told = bench.outputs
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(1))
    #expect(await notices.next()?.event == .purchased)
    #expect(bench.purchases.hasPremium)
    #expect(Set(bench.queue.submitted.map(\.id)).count == 1)
    #expect(bench.outputs == told, "a sheet that is gone moves nobody")
  }

  @Test func aSheetOpenedWhileAPaymentIsBeingConfirmedSellsNothing() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .busy(retryAfter: .seconds(60)) }
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    #expect(await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer()) == .pending(.storeUnavailable))
    await bench.appear()
    #expect(!bench.model.state.canPay)
    #expect(bench.model.state.status == .waiting(PendingReason.storeUnavailable.sentence))
  }

  @Test func aSheetOpenedWhileThePaymentIsDeferredSaysSoAtOnce() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .deferred("Waiting for the bank's approval…") }
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    _ = await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    bench.model.appear()
    await until { bench.model.state.phase == .ready }
    #expect(bench.model.state.status == .waiting("Waiting for the bank's approval…"))
    #expect(bench.texts == [nil, "Waiting for the bank's approval…"], "and never that the store is away")
  }

  @Test func payPressedWhileThePaymentIsDeferredElsewhereSaysSoAtOnce() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .deferred("Waiting for the bank's approval…") }
    await bench.appear()
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    _ = await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    bench.model.send(.payTapped)
    await bench.answered()
    #expect(bench.texts.suffix(1) == ["Waiting for the bank's approval…"])
    #expect(!bench.texts.contains(PendingReason.storeUnavailable.sentence))
  }

  @Test func case3APaymentThatAnEarlierRunLeftUnconfirmedIsWaitedForAndNotPaidTwice() async throws {
    let bench = try await Bench(retry: RetryPolicy(triesInForeground: 1))
    bench.queue.setAnswer { _, _ in .unavailable(reason: "away") }
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    #expect(await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer()) == .pending(.storeUnavailable))
    // Who signs in again has the journal, and nothing that runs.
    bench.purchases.setUser(nil)
    await bench.effects.settled()
    bench.purchases.setUser("ada")
    #expect(!bench.purchases.isUnderWay("monthly"))
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    await bench.appear()
    bench.model.send(.payTapped)
    await until { !bench.outputs.isEmpty }
    #expect(bench.outputs == [.finished("monthly")])
    #expect(Set(bench.queue.submitted.map(\.id)).count == 1)
  }

  // MARK: The one function

  @Test func case12TheOutcomeIsComputedFromThreeFacts() {
    #expect(AuthorizationState.from(started: false, tokenError: nil, hasToken: false) == .notAuthorized)
    #expect(AuthorizationState.from(started: true, tokenError: nil, hasToken: false) == .authorizing)
    #expect(AuthorizationState.from(started: true, tokenError: "No.", hasToken: false) == .failed("No."))
    #expect(AuthorizationState.from(started: false, tokenError: "No.", hasToken: false) == .failed("No."))
    #expect(AuthorizationState.from(started: true, tokenError: nil, hasToken: true) == .authorized)
    #expect(AuthorizationState.from(started: true, tokenError: "No.", hasToken: true) == .authorized)
    #expect(AuthorizationState.from(started: false, tokenError: nil, hasToken: true) == .authorized)
  }
}
