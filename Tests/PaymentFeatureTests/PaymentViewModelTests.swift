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
    let rig = try await Rig()
    #expect(rig.model.state.phase == .loading)
    #expect(!rig.model.state.canPay)
    await rig.appear()
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
    #expect(rig.model.state == expected)
  }

  @Test func whatIsPaidOnceSaysThatItDoesNotRenew() async throws {
    let rig = try await Rig("lifetime")
    await rig.appear()
    #expect(rig.model.state.terms == ["Paid once. It does not renew."])
    #expect(rig.model.state.total == "€149.00")
  }

  @Test func whatCannotBeLoadedSaysWhyAndIsTriedAgain() async throws {
    let rig = try await Rig()
    rig.fail(StoreError(.unavailable, code: "offline", sentence: "No connection."))
    await rig.appear()
    #expect(rig.model.state.phase == .failed("No connection."))
    #expect(!rig.model.state.canPay)
    rig.fail(nil)
    rig.model.send(.retryTapped)
    await rig.effects.settled()
    #expect(rig.model.state.phase == .failed("This is not sold any more."))
  }

  @Test func whatIsOwnedIsAlreadyYours() async throws {
    let rig = try await Rig("lifetime")
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    _ = await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    await rig.appear()
    #expect(rig.model.state.phase == .alreadyYours("“For good” is yours already. There is nothing to pay."))
    #expect(!rig.model.state.canPay)
    rig.model.send(.payTapped)
    #expect(rig.queue.submitted.count == 1)
  }

  @Test func aTrialSaysWhenItEndsAndWhatItCostsThen() async throws {
    let rig = try await Rig("trial")
    await rig.appear()
    #expect(rig.model.state.total == "€0.00")
    #expect(rig.model.state.payTitle == "Start for free")
    #expect(
      rig.model.state.terms == [
        "Free until 28 November 2023, then €4.90 a month.", "Renews every month until cancelled.",
        "Cancel under Account → Purchases before 28 November 2023, and nothing is charged.",
      ])
  }

  @Test func aCheaperBeginningSaysWhenItEndsAndWhatItCostsThen() async throws {
    let rig = try await Rig("intro")
    await rig.appear()
    #expect(rig.model.state.total == "€1.00")
    #expect(
      rig.model.state.terms == [
        "€1.00 a month until 14 February 2024, then €4.90 a month.", "Renews every month until cancelled.",
        "Cancel under Account → Purchases. What is paid for stays open until its end.",
      ])
  }

  @Test func theTaxWithinTheTotalIsSaid() async throws {
    let rig = try await Rig("passes")
    await rig.appear()
    #expect(rig.model.state.tax == "7% VAT, €0.32")
    #expect(rig.model.state.terms == ["Paid once. It does not renew, and does not run out until it is spent."])
    let other = try await Rig()
    await other.appear()
    #expect(other.model.state.tax == nil, "the publication does not say")
  }

  // MARK: Paying

  @Test func theChosenMethodPays() async throws {
    let rig = try await Rig()
    await rig.appear()
    rig.model.send(.methodChosen("second"))
    rig.model.send(.methodChosen("no such method"))
    #expect(rig.model.state.selectedMethod == "second")
    rig.model.send(.payTapped)
    await rig.answered()
    #expect(rig.queue.submitted.map(\.token) == [PaymentToken("tok_second")])
  }

  /// The bank that said no is not asked again.
  @Test func whatWentWrongIsGoneWithTheMethodThatItWentWrongWith() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .refused(code: "declined", sentence: "Your bank declined the payment.") }
    await rig.appear()
    let title = rig.model.state.payTitle
    rig.model.send(.payTapped)
    await rig.answered()
    #expect(rig.model.state.status == .problem("Your bank declined the payment."))
    #expect(rig.model.state.payTitle.hasPrefix("Try again"))
    rig.model.send(.methodChosen("first"))
    #expect(rig.model.state.status != nil, "it is the same one")
    rig.model.send(.methodChosen("second"))
    #expect(rig.model.state.status == nil)
    #expect(rig.model.state.payTitle == title)
    #expect(rig.model.state.canPay)
  }

  @Test func case3ADoubleTapOnPayIsOnePurchase() async throws {
    let rig = try await Rig()
    await rig.appear()
    rig.model.send(.payTapped)
    rig.model.send(.payTapped)
    rig.model.send(.methodChosen("second"))
    rig.model.send(.payTapped)
    await rig.answered()
    rig.model.send(.payTapped)
    #expect(rig.queue.submitted.count == 1)
    #expect(rig.outputs == [.finished("monthly")])
    #expect(rig.model.state.selectedMethod == "first")
  }

  // MARK: Leaving

  @Test(arguments: [true, false]) func case5LeavingAfterPayDoesNotCancelTheSubmission(byButton: Bool) async throws {
    let gate = Gate()
    let rig = try await Rig()
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in
      await gate.wait()
      return issuer.accepted(transaction)
    }
    await rig.appear()
    rig.model.send(.payTapped)
    await gate.reached()
    #expect(!rig.model.state.canCancel)
    if byButton {
      rig.model.send(.cancelTapped)
      #expect(rig.outputs == [.cancelled], "the sheet goes at once")
    }
    rig.model.closed()
    let told = rig.outputs
    gate.open()
    await rig.answered()
    #expect(rig.purchases.hasPremium)
    #expect(rig.outputs == told, "a sheet that is gone moves nobody")
    #expect(rig.model.state.status == .done("Done."))
    rig.model.appear()
    #expect(rig.outputs == told + [.finished("monthly")])
  }

  @Test func leavingBeforeAgreeingIsACancellation() async throws {
    let gate = Gate()
    let rig = try await Rig("monthly", asking(gate))
    await rig.appear()
    rig.model.send(.payTapped)
    await gate.reached()
    rig.model.closed()
    await rig.answered()
    #expect(rig.queue.submitted.isEmpty)
    #expect(rig.model.state.status == nil)
    #expect(rig.outputs.isEmpty)
  }

  @Test func aSheetThatWasReleasedDoesNotTakeThePurchaseAlong() async throws {
    let gate = Gate()
    let rig = try await Rig()
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in
      await gate.wait()
      return issuer.accepted(transaction)
    }
    var sheet: PaymentViewModel? = PaymentViewModel(
      "monthly", purchases: rig.purchases,
      methods: [PaymentMethod(id: "a", name: "A", authorizer: FixedTokenAuthorizer(token: "tok"))], formatting: rig.formatting
    ) { _ in }
    weak let released = sheet
    sheet?.appear()
    await rig.effects.settled()
    sheet?.send(.payTapped)
    await gate.reached()
    sheet?.disappear()
    sheet = nil
    #expect(released == nil)
    gate.open()
    await until { rig.purchases.hasPremium }
  }

  @Test func aTrialIsAgreedToForNothing() async throws {
    let requested = Mutex<Price?>(nil)
    let rig = try await Rig(
      "trial",
      ScriptedAuthorizer { order, started in
        requested.withLock { $0 = order.total }
        await started()
        return .authorized(PaymentToken("token"))
      })
    await rig.appear()
    rig.model.send(.payTapped)
    await rig.answered()
    let nothing = Price(minorUnits: 0, currency: "EUR")
    #expect(requested.withLock { $0 } == nothing, "what the sheet showed as the total")
    #expect(try await rig.purchases.history().map(\.price) == [nothing])
  }

  @Test func whatWasChargedAndRefusedIsNotPaidAgain() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .refused(code: PurchaseError.receiptRejected, sentence: "This receipt is not valid. Write to us.") }
    await rig.appear()
    rig.model.send(.payTapped)
    await rig.answered()
    #expect(rig.model.state.status == .problem(rig.paidWithoutAccess()), "no number that is not the publication's own")
    #expect(!rig.model.state.canPay)
    #expect(rig.model.state.canCancel)
  }

  @Test func whatWasChargedAndRefusedEarlierIsNotSoldAgainUntilItIsPaidBack() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .refused(code: PurchaseError.receiptRejected, sentence: "This receipt is not valid. Write to us.") }
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    _ = await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    let id = try await rig.lastID()
    rig.numbers.value.withLock { $0[id] = "K7Q2-9XDM" }
    try await rig.purchases.resume()
    rig.model.appear()
    await until { rig.model.state.phase == .ready }
    #expect(!rig.states.contains { $0.canPay }, "not even for a moment")
    await until { rig.model.state.status == .problem(rig.paidWithoutAccess("K7Q2-9XDM")) }
    rig.model.send(.payTapped)
    // Neither does closing and opening it sell it again.
    rig.model.closed()
    rig.model.appear()
    rig.model.send(.payTapped)
    await rig.effects.settled()
    #expect(rig.queue.submitted.count == 1)
    #expect(rig.model.state.status == .problem(rig.paidWithoutAccess("K7Q2-9XDM")))

    rig.queue.tell(.revoked(id, reason: "Paid back."))
    await until { rig.model.state.canPay }
    #expect(rig.model.state.status == nil)
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    rig.model.send(.payTapped)
    await rig.answered()
    #expect(rig.outputs == [.finished("monthly")])
  }

  // MARK: A store that does not answer

  @Test func aPaymentThatIsNotConfirmedWaitsAndFinishesByItself() async throws {
    let rig = try await Rig()
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, call in call == 1 ? .busy(retryAfter: .seconds(60)) : issuer.accepted(transaction) }
    await rig.appear()
    rig.model.send(.payTapped)
    await rig.answered()
    #expect(rig.model.state.status == .waiting(PendingReason.storeUnavailable.sentence))
    #expect(!rig.model.state.canPay, "it must not be paid twice")
    #expect(rig.model.state.canCancel)
    #expect(rig.outputs.isEmpty)
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(60))
    await until { !rig.outputs.isEmpty }
    #expect(rig.outputs == [.finished("monthly")])
    #expect(rig.model.state.status == .done("Done."))
    #expect(rig.queue.submitted.count == 2)
  }

  /// As under a test store whose clock stands still: nobody knows when the store is asked again.
  @Test(arguments: [false, true]) func aStoreThatIsAskedAgainIsNotWaitedFor(byOtherMeans: Bool) async throws {
    let rig = try await Rig()
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, call in call == 1 ? .unavailable(reason: "away") : issuer.accepted(transaction) }
    var notices = rig.purchases.noticeStream().makeAsyncIterator()
    await rig.appear()
    rig.model.send(.payTapped)
    await until { rig.model.state.isRetrying }
    #expect(rig.model.state.status == .working("There is no answer about the payment yet. Asking again…"))
    #expect(!rig.model.state.canCancel)
    if !byOtherMeans {
      rig.model.send(.cancelTapped)
      #expect(rig.outputs == [.cancelled], "at once")
    }
    rig.model.closed()
    // Opened again, there is nothing to pay.
    await rig.appear()
    #expect(rig.model.state.status == .waiting(PendingReason.storeUnavailable.sentence))
    #expect(!rig.model.state.isRetrying)
    #expect(!rig.model.state.canPay)
    rig.model.send(.cancelTapped)
    rig.model.closed()
    let told = rig.outputs
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(1))
    #expect(await notices.next()?.event == .purchased)
    #expect(rig.purchases.hasPremium)
    #expect(Set(rig.queue.submitted.map(\.id)).count == 1)
    #expect(rig.outputs == told, "a sheet that is gone moves nobody")
  }

  @Test func aSheetOpenedWhileAPaymentIsBeingConfirmedSellsNothing() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .busy(retryAfter: .seconds(60)) }
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    #expect(await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer()) == .pending(.storeUnavailable))
    await rig.appear()
    #expect(!rig.model.state.canPay)
    #expect(rig.model.state.status == .waiting(PendingReason.storeUnavailable.sentence))
  }

  @Test func aSheetOpenedWhileThePaymentIsDeferredSaysSoAtOnce() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .deferred("Waiting for the bank's approval…") }
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    _ = await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    rig.model.appear()
    await until { rig.model.state.phase == .ready }
    #expect(rig.model.state.status == .waiting("Waiting for the bank's approval…"))
    #expect(rig.texts == [nil, "Waiting for the bank's approval…"], "and never that the store is away")
  }

  @Test func payPressedWhileThePaymentIsDeferredElsewhereSaysSoAtOnce() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .deferred("Waiting for the bank's approval…") }
    await rig.appear()
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    _ = await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    rig.model.send(.payTapped)
    await rig.answered()
    #expect(rig.texts.suffix(1) == ["Waiting for the bank's approval…"])
    #expect(!rig.texts.contains(PendingReason.storeUnavailable.sentence))
  }

  @Test func case3APaymentThatAnEarlierRunLeftUnconfirmedIsWaitedForAndNotPaidTwice() async throws {
    let rig = try await Rig(retry: RetryPolicy(triesInForeground: 1))
    rig.queue.setAnswer { _, _ in .unavailable(reason: "away") }
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    #expect(await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer()) == .pending(.storeUnavailable))
    // Who signs in again has the journal, and nothing that runs.
    rig.purchases.setUser(nil)
    await rig.effects.settled()
    rig.purchases.setUser("ada")
    #expect(!rig.purchases.isUnderWay("monthly"))
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    await rig.appear()
    rig.model.send(.payTapped)
    await until { !rig.outputs.isEmpty }
    #expect(rig.outputs == [.finished("monthly")])
    #expect(Set(rig.queue.submitted.map(\.id)).count == 1)
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
