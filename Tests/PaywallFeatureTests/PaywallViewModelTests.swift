import Foundation
import Patience
import PaywallFeature
import PublicationAPI
import PublicationClient
import PurchaseService
import PurchaseServiceTesting
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct PaywallViewModelTests {
  private typealias State = PaywallViewModel.State

  private func plain(_ text: String) -> String { text.replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ") }

  @Test func itLoadsAndShowsEverythingThatDecides() async throws {
    let rig = try await Rig()
    await rig.appear()
    #expect(rig.states.map(\.phase) == [.loading, .ready])
    let state = rig.model.state
    #expect(state.title == "Read on")
    #expect(state.text == "All of it.")
    #expect(state.benefits == ["More"])
    #expect(state.products.map(\.id) == ["yearly", "monthly", "lifetime"], "in the publication's order")
    #expect(state.products.map { plain($0.price) } == ["49,00 € a year", "4,90 € a month", "149,00 €"])
    #expect(state.products.map { plain($0.pace) } == ["4,08 € a month", "Renews every month", "Paid once"])
    #expect(state.products.map { $0.saving.map(plain) } == ["Save 17 %", nil, nil])
    #expect(state.products.map(\.isBest) == [true, false, false])
    #expect(state.products.map(\.note) == ["Twelve for ten", "", ""])
    #expect(state.products.allSatisfy { $0.canBuy })
    #expect(state.notice == nil)
  }

  @Test func case16PricesFollowTheReadersLocale() async throws {
    let rig = try await Rig(locale: "en_US")
    await rig.appear()
    #expect(rig.model.state.products.map { plain($0.price) } == ["€49.00 a year", "€4.90 a month", "€149.00"])
    #expect(rig.model.state.products.first?.saving == "Save 17%")
  }

  @Test func choosingAnOfferAsksForItsPayment() async throws {
    let rig = try await Rig()
    await rig.appear()
    rig.model.send(.buyTapped("monthly"))
    #expect(rig.outputs == [.buy("monthly")])
    #expect(rig.model.state.selected == "monthly")
    rig.model.send(.buyTapped("no such offer"))
    rig.model.send(.closeTapped)
    #expect(rig.outputs == [.buy("monthly"), .close])
  }

  @Test func nothingCanBeChosenWhileItLoads() async throws {
    let rig = try await Rig()
    rig.model.appear()
    rig.model.send(.buyTapped("monthly"))
    #expect(rig.outputs.isEmpty)
    await rig.effects.settled()
  }

  @Test func aPaywallThatCannotBeLoadedSaysWhyAndIsTriedAgain() async throws {
    let rig = try await Rig()
    let good = rig.script.paywall.withLock { $0 }
    rig.script.paywall.withLock { $0 = .failure(.offline(.unreachable("refused"))) }
    await rig.appear()
    rig.script.paywall.withLock { $0 = good }
    rig.model.send(.retryTapped)
    rig.model.send(.retryTapped)
    await rig.effects.settled()
    let failed = State.Phase.unavailable(
      .notFetched(code: "unreachable", sentence: "The publication cannot be reached. Check your connection and try again."))
    #expect(rig.states.map(\.phase) == [.loading, failed, .loading, .ready])
    #expect(rig.script.loads.withLock { $0 } == 2, "a second press asks nothing twice")
    rig.model.send(.retryTapped)
    #expect(rig.script.loads.withLock { $0 } == 2)
  }

  @Test func itIsSeenOnceAndOnlyWithSomethingToChooseFrom() async throws {
    let rig = try await Rig()
    let good = rig.script.paywall.withLock { $0 }
    rig.script.paywall.withLock { $0 = .failure(.offline(.unreachable("refused"))) }
    await rig.appear()
    #expect(rig.shown == 0)
    rig.script.paywall.withLock { $0 = good }
    rig.model.send(.retryTapped)
    await rig.effects.settled()
    #expect(rig.shown == 1)
    // Back from the payment sheet.
    rig.model.disappear()
    await rig.appear()
    #expect(rig.shown == 1)
  }

  @Test func productsThatCannotBeLoadedSayWhy() async throws {
    let rig = try await Rig()
    rig.script.products.withLock { $0 = .failure(StoreError(.unavailable, code: "http_503", sentence: "Closed for a moment.")) }
    await rig.appear()
    #expect(rig.model.state.phase == .unavailable(.notFetched(code: "http_503", sentence: "Closed for a moment.")))
  }

  @Test func aPublicationThatSellsNothingHereSaysSo() async throws {
    let rig = try await Rig()
    rig.script.paywall.withLock { $0 = .success(PaywallRecord(id: "premium", title: "", text: "", benefits: [], productIDs: [])) }
    await rig.appear()
    #expect(rig.model.state.phase == .unavailable(.noProducts))
  }

  @Test func productsThatTheStoreDoesNotKnowAreListed() async throws {
    let rig = try await Rig()
    rig.script.products.withLock { $0 = .success([]) }
    await rig.appear()
    let problem = State.Problem.unknownProducts(["yearly", "monthly", "lifetime"])
    #expect(rig.model.state.phase == .unavailable(problem))
    #expect(problem.sentence == "The store does not know what is offered here: yearly, monthly, lifetime.")
  }

  @Test func everyReasonNotToShowItSaysWhichItIs() {
    let problems: [State.Problem] = [
      .notAllowed, .notFetched(code: "http_503", sentence: "Closed for a moment."), .noProducts, .unknownProducts(["a"]),
    ]
    #expect(
      problems.map(\.heading) == [
        "Payments are not allowed", "The offers cannot be shown", "Nothing for sale", "These offers are unknown",
      ])
    #expect(problems[1].sentence == "Closed for a moment. (http_503)")
    #expect(Set(problems.map(\.sentence)).count == problems.count)
  }

  @Test func paymentsThatAreNotAllowedAreSaidSoWithoutAsking() async throws {
    let rig = try await Rig()
    rig.queue.allowPayments(false)
    await rig.appear()
    #expect(rig.model.state.phase == .unavailable(.notAllowed))
    #expect(rig.script.loads.withLock { $0 } == 0)
  }

  @Test func aSubscriptionOfAPeriodThatIsNotUnderstoodIsNotOffered() async throws {
    let rig = try await Rig()
    rig.script.products.withLock { products in
      products = products.map { records in
        records.map { record in
          var record = record
          if record.id == "yearly" { record.period = "PT1H" }
          return record
        }
      }
    }
    await rig.appear()
    #expect(rig.model.state.products.map(\.id) == ["monthly", "lifetime"])
    #expect(rig.model.state.products.allSatisfy { $0.saving == nil && !$0.isBest })
  }

  @Test func pricesThatMayBeOutOfDateAreMarked() async throws {
    let rig = try await Rig()
    await rig.appear()
    #expect(rig.model.state.warning == nil)
    // Another hour, and the store is away.
    rig.clock.advance(by: .seconds(7200))
    rig.script.products.withLock { $0 = .failure(StoreError(.unavailable, code: "http_503", sentence: "Closed for a moment.")) }
    let later = rig.another()
    later.appear()
    await rig.effects.settled()
    #expect(later.state.phase == .ready)
    #expect(later.state.products.count == 3)
    let warning = try #require(later.state.warning).replacing("\u{202F}", with: " ")
    #expect(warning == "Prices may be out of date: the store does not answer. They are of 14. November 2023 um 22:13.")
  }

  /// What the second look at a paywall meets.
  private func second(_ rig: Rig, _ failure: ClientError) async -> State {
    rig.script.paywall.withLock { $0 = .failure(failure) }
    let later = rig.another()
    later.appear()
    await rig.effects.settled()
    return later.state
  }

  private nonisolated static let away: [ClientError] = [
    .offline(.unreachable("no network")), .problem(Problem(code: "http_503", title: "Closed for a moment.", status: 503), retryAfter: nil),
  ]

  @Test(arguments: away) func offersThatMayBeOutOfDateAreMarked(failure: ClientError) async throws {
    let rig = try await Rig()
    await rig.appear()
    rig.clock.advance(by: .seconds(60))
    let state = await second(rig, failure)
    #expect(state.phase == .ready)
    #expect(state.title == "Read on" && state.products.count == 3)
    let warning = try #require(state.warning).replacing("\u{202F}", with: " ")
    #expect(warning == "These offers may be out of date: the publication does not answer. They are of 14. November 2023 um 22:13.")
    // The products are old too by now, and their store is away as well: prices matter more.
    rig.clock.advance(by: .seconds(7200))
    rig.script.products.withLock { $0 = .failure(StoreError(.unavailable, code: "http_503", sentence: "Closed for a moment.")) }
    #expect(await second(rig, failure).warning?.hasPrefix("Prices may be out of date: ") == true)
  }

  @Test func aNoIsNotHiddenBehindWhatWasOfferedBefore() async throws {
    let rig = try await Rig()
    await rig.appear()
    let proxy = ClientError.problem(Problem(code: "http_403", title: "Not from here.", status: 403), retryAfter: nil)
    #expect(await second(rig, proxy).phase == .unavailable(.notFetched(code: "http_403", sentence: "Not from here.")))
    // Somebody on the way said nothing about the offers, so they come back.
    #expect(await second(rig, Self.away[0]).phase == .ready)
    let gone = ClientError.problem(Problem(code: .notFound, title: "There is no such paywall.", status: 404), retryAfter: nil)
    #expect(await second(rig, gone).phase == .unavailable(.notFetched(code: "not_found", sentence: "There is no such paywall.")))
    guard case .unavailable(.notFetched) = await second(rig, Self.away[0]).phase else {
      Issue.record("what the publication took back is offered")
      return
    }
  }

  @Test func packsOfPassesAreOfferedWithWhatIsLeft() async throws {
    let rig = try await Rig()
    rig.script.sellPasses()
    await rig.appear()
    let pack = try #require(rig.model.state.products.first { $0.id == "passes" })
    #expect(plain(pack.price) == "5,00 €")
    #expect(plain(pack.pace) == "1,00 € each")
    #expect(pack.saving == nil && !pack.isBest && pack.canBuy)
    #expect(rig.model.state.balance == nil, "not known yet")
    rig.passes.value = 1
    await until { rig.model.state.balance != nil }
    #expect(rig.model.state.balance == "You have 1 article pass.")
    rig.passes.value = 5
    await until { rig.model.state.balance == "You have 5 article passes." }
    rig.model.send(.buyTapped("passes"))
    #expect(rig.outputs == [.buy("passes")])
  }

  @Test func whoHasEverythingIsSoldNoPasses() async throws {
    let rig = try await Rig()
    rig.script.sellPasses()
    await rig.appear()
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    _ = await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    await until { rig.model.state.notice != nil }
    #expect(rig.model.state.products.allSatisfy { !$0.canBuy })
  }

  @Test func whatIsOwnedIsNotSoldAgainNorWhatItCovers() async throws {
    let rig = try await Rig()
    await rig.appear()
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    #expect(await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer()) != .cancelled)
    await until { rig.model.state.notice != nil }
    #expect(rig.model.state.products.allSatisfy { !$0.canBuy }, "the yearly one opens the same")
    #expect(rig.model.state.notice == "This is yours already: there is nothing left to pay for here.")
    rig.model.send(.buyTapped("yearly"))
    #expect(!rig.outputs.contains(.buy("yearly")))
  }

  @Test func whileAPaymentIsConfirmedNothingThatGivesTheSameIsSold() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .busy(retryAfter: .seconds(300)) }
    await rig.appear()
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    #expect(await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer()) == .pending(.storeUnavailable))
    rig.model.disappear()
    rig.model.appear()
    #expect(rig.model.state.products.allSatisfy { !$0.canBuy }, "a second charge would buy nothing new")
    #expect(rig.model.state.notice == "A payment is being confirmed. It unlocks by itself.")
    rig.model.send(.buyTapped("yearly"))
    #expect(rig.outputs.isEmpty)
  }

  @Test(arguments: ["https://bank.example/1", nil]) func aPaymentThatTheReaderHasToConfirmSaysSoAndLeadsThere(page: String?) async throws {
    let rig = try await Rig()
    let sentence = "Your bank wants you to confirm the payment. Nothing was charged yet."
    rig.queue.setAnswer { _, _ in .interrupted(sentence, url: page) }
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    _ = await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    await rig.appear()
    await until { rig.model.state.notice == "\(sentence) You can cancel it under Account → Purchases." }
    #expect(rig.model.state.confirmPage == page)
    rig.model.send(.confirmTapped)
    #expect(rig.outputs == (page.map { [.openWeb($0)] } ?? []))
    // Once that is done there is nothing to confirm.
    rig.queue.setAnswer { [issuer = rig.issuer] transaction, _ in issuer.accepted(transaction) }
    rig.model.send(.refreshTapped)
    await until { rig.model.state.notice?.hasPrefix("This is yours already") == true }
    #expect(rig.model.state.confirmPage == nil)
    await until { rig.outputs.last == .bought }
    #expect(rig.outputs == (page.map { [.openWeb($0)] } ?? []) + [.bought])
    rig.model.disappear()
  }

  private func raise(_ rig: Rig) {
    rig.script.products.withLock { products in
      products = products.map { records in
        records.map { record in
          var record = record
          if record.id == "monthly" { record.priceMinorUnits = 690 }
          return record
        }
      }
    }
  }

  private func monthlyPrice(_ rig: Rig) -> String? { rig.model.state.products.first { $0.id == "monthly" }?.price }

  /// The sheet above it was refused the old price.
  @Test func theOffersAfterARefusalAreThoseOfNow() async throws {
    let rig = try await Rig(locale: "en_IE")
    await rig.appear()
    let former = try #require(monthlyPrice(rig))
    raise(rig)
    rig.model.disappear()
    rig.queue.setAnswer { _, _ in .refused(code: "price_changed", sentence: "The price has changed.") }
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    _ = await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    let loads = rig.script.loads.withLock { $0 }
    await rig.appear()
    await until { monthlyPrice(rig) != former }
    #expect(monthlyPrice(rig)?.hasPrefix("€6.90") == true)
    #expect(rig.script.loads.withLock { $0 } == loads, "the offers themselves are the same")
    #expect(rig.shown == 1)
    rig.model.disappear()
  }

  @Test func refreshingAsksForPricesAndLeavesTheOffersWithoutAnAnswer() async throws {
    let rig = try await Rig(locale: "en_IE")
    await rig.appear()
    let shown = rig.model.state.products
    raise(rig)
    rig.script.paywall.withLock { $0 = .failure(.cancelled) }
    rig.model.send(.refreshTapped)
    await rig.effects.settled()
    #expect(rig.model.state.phase == .ready)
    #expect(rig.model.state.products.map(\.id) == shown.map(\.id))
    await until { monthlyPrice(rig)?.hasPrefix("€6.90") == true }
    rig.script.products.withLock { $0 = .failure(StoreError(.busy, code: "busy", sentence: "Later.")) }
    rig.model.send(.refreshTapped)
    await rig.effects.settled()
    #expect(rig.model.state.phase == .ready && rig.model.state.products.map(\.id) == shown.map(\.id))
    rig.model.disappear()
  }

  @Test func aPaymentThatFailsLeavesTheOffers() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .deferred("The payment waits for approval.") }
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    _ = await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    await rig.appear()
    await until { rig.model.state.notice != nil }
    rig.queue.setAnswer { _, _ in .refused(code: "declined", sentence: "Your bank declined the payment.") }
    rig.model.send(.refreshTapped)
    await until { rig.model.state.notice == nil }
    #expect(rig.model.state.products.allSatisfy { $0.canBuy })
    #expect(rig.outputs == [])
    rig.model.disappear()
  }

  @Test func aPaymentThatWaitsForApprovalSaysForWhom() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .deferred("The payment waits for approval.") }
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    _ = await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    await rig.appear()
    await until { rig.model.state.notice == "The payment waits for approval. It unlocks by itself." }
    #expect(rig.model.state.confirmPage == nil)
    rig.model.disappear()
  }

  @Test func whatWasChargedInVainIsNotSoldAgainUntilItIsPaidBack() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .refused(code: PurchaseError.receiptRejected, sentence: "This receipt is not valid.") }
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    _ = await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    try await rig.purchases.resume()
    await rig.appear()
    await until { rig.model.state.notice != nil }
    #expect(rig.model.state.notice?.hasPrefix("You have paid for “\(monthly.name)”, and the publication refused the receipt.") == true)
    #expect(rig.model.state.products.filter { !$0.canBuy }.map(\.id) == ["monthly"])
    rig.model.send(.buyTapped("monthly"))
    #expect(rig.outputs.isEmpty)
    rig.queue.tell(.revoked(try await rig.purchases.history()[0].id, reason: "Paid back."))
    await until { rig.model.state.notice == nil }
    #expect(rig.model.state.products.allSatisfy { $0.canBuy })
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

  @Test func offScreenItDoesNoWork() async throws {
    let rig = try await Rig()
    await rig.appear()
    rig.model.disappear()
    let count = rig.states.count
    let monthly = try #require(try await rig.purchases.products(["monthly"]).products.first)
    _ = await rig.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    await rig.effects.settled()
    #expect(rig.states.count == count)
    rig.model.appear()
    #expect(rig.model.state.notice != nil, "and is right when it comes back")
  }
}
