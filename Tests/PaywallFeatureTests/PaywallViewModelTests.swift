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
    let bench = try await Bench()
    await bench.appear()
    #expect(bench.states.map(\.phase) == [.loading, .ready])
    let state = bench.model.state
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
    let bench = try await Bench(locale: "en_US")
    await bench.appear()
    #expect(bench.model.state.products.map { plain($0.price) } == ["€49.00 a year", "€4.90 a month", "€149.00"])
    #expect(bench.model.state.products.first?.saving == "Save 17%")
  }

  @Test func choosingAnOfferAsksForItsPayment() async throws {
    let bench = try await Bench()
    await bench.appear()
    bench.model.send(.buyTapped("monthly"))
    #expect(bench.outputs == [.buy("monthly")])
    #expect(bench.model.state.selected == "monthly")
    bench.model.send(.buyTapped("no such offer"))
    bench.model.send(.closeTapped)
    #expect(bench.outputs == [.buy("monthly"), .close])
  }

  @Test func nothingCanBeChosenWhileItLoads() async throws {
    let bench = try await Bench()
    bench.model.appear()
    bench.model.send(.buyTapped("monthly"))
    #expect(bench.outputs.isEmpty)
    await bench.effects.settled()
  }

  @Test func aPaywallThatCannotBeLoadedSaysWhyAndIsTriedAgain() async throws {
    let bench = try await Bench()
    let good = bench.script.paywall.withLock { $0 }
    bench.script.paywall.withLock { $0 = .failure(.offline(.unreachable("refused"))) }
    await bench.appear()
    bench.script.paywall.withLock { $0 = good }
    bench.model.send(.retryTapped)
    bench.model.send(.retryTapped)
    await bench.effects.settled()
    let failed = State.Phase.unavailable(
      .notFetched(code: "unreachable", sentence: "The publication cannot be reached. Check your connection and try again."))
    #expect(bench.states.map(\.phase) == [.loading, failed, .loading, .ready])
    #expect(bench.script.loads.withLock { $0 } == 2, "a second press asks nothing twice")
    bench.model.send(.retryTapped)
    #expect(bench.script.loads.withLock { $0 } == 2)
  }

  @Test func itIsSeenOnceAndOnlyWithSomethingToChooseFrom() async throws {
    let bench = try await Bench()
    let good = bench.script.paywall.withLock { $0 }
    bench.script.paywall.withLock { $0 = .failure(.offline(.unreachable("refused"))) }
    await bench.appear()
    #expect(bench.shown == 0)
    bench.script.paywall.withLock { $0 = good }
    bench.model.send(.retryTapped)
    await bench.effects.settled()
    #expect(bench.shown == 1)
    // Back from the payment sheet.
    bench.model.disappear()
    await bench.appear()
    #expect(bench.shown == 1)
  }

  @Test func productsThatCannotBeLoadedSayWhy() async throws {
    let bench = try await Bench()
    bench.script.products.withLock { $0 = .failure(StoreError(.unavailable, code: "http_503", sentence: "Closed for a moment.")) }
    await bench.appear()
    #expect(bench.model.state.phase == .unavailable(.notFetched(code: "http_503", sentence: "Closed for a moment.")))
  }

  @Test func aPublicationThatSellsNothingHereSaysSo() async throws {
    let bench = try await Bench()
    bench.script.paywall.withLock { $0 = .success(PaywallRecord(id: "premium", title: "", text: "", benefits: [], productIDs: [])) }
    await bench.appear()
    #expect(bench.model.state.phase == .unavailable(.noProducts))
  }

  @Test func productsThatTheStoreDoesNotKnowAreListed() async throws {
    let bench = try await Bench()
    bench.script.products.withLock { $0 = .success([]) }
    await bench.appear()
    let problem = State.Problem.unknownProducts(["yearly", "monthly", "lifetime"])
    #expect(bench.model.state.phase == .unavailable(problem))
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
    let bench = try await Bench()
    bench.queue.allowPayments(false)
    await bench.appear()
    #expect(bench.model.state.phase == .unavailable(.notAllowed))
    #expect(bench.script.loads.withLock { $0 } == 0)
  }

  @Test func aSubscriptionOfAPeriodThatIsNotUnderstoodIsNotOffered() async throws {
    let bench = try await Bench()
    bench.script.products.withLock { products in
      products = products.map { records in
        records.map { record in
          var record = record
          if record.id == "yearly" { record.period = "PT1H" }
          return record
        }
      }
    }
    await bench.appear()
    #expect(bench.model.state.products.map(\.id) == ["monthly", "lifetime"])
    #expect(bench.model.state.products.allSatisfy { $0.saving == nil && !$0.isBest })
  }

  @Test func pricesThatMayBeOutOfDateAreMarked() async throws {
    let bench = try await Bench()
    await bench.appear()
    #expect(bench.model.state.warning == nil)
    // Another hour, and the store is away.
    bench.clock.advance(by: .seconds(7200))
    bench.script.products.withLock { $0 = .failure(StoreError(.unavailable, code: "http_503", sentence: "Closed for a moment.")) }
    let later = bench.another()
    later.appear()
    await bench.effects.settled()
    #expect(later.state.phase == .ready)
    #expect(later.state.products.count == 3)
    let warning = try #require(later.state.warning).replacing("\u{202F}", with: " ")
    #expect(warning == "Prices may be out of date: the store does not answer. They are of 14. November 2023 um 22:13.")
  }

  /// What the second look at a paywall meets.
  private func second(_ bench: Bench, _ failure: ClientError) async -> State {
    bench.script.paywall.withLock { $0 = .failure(failure) }
    let later = bench.another()
    later.appear()
    await bench.effects.settled()
    return later.state
  }

  private nonisolated static let away: [ClientError] = [
    .offline(.unreachable("no network")), .problem(Problem(code: "http_503", title: "Closed for a moment.", status: 503), retryAfter: nil),
  ]

  @Test(arguments: away) func offersThatMayBeOutOfDateAreMarked(failure: ClientError) async throws {
    let bench = try await Bench()
    await bench.appear()
    bench.clock.advance(by: .seconds(60))
    let state = await second(bench, failure)
    #expect(state.phase == .ready)
    #expect(state.title == "Read on" && state.products.count == 3)
    let warning = try #require(state.warning).replacing("\u{202F}", with: " ")
    #expect(warning == "These offers may be out of date: the publication does not answer. They are of 14. November 2023 um 22:13.")
    // The products are old too by now, and their store is away as well: prices matter more.
    bench.clock.advance(by: .seconds(7200))
    bench.script.products.withLock { $0 = .failure(StoreError(.unavailable, code: "http_503", sentence: "Closed for a moment.")) }
    #expect(await second(bench, failure).warning?.hasPrefix("Prices may be out of date: ") == true)
  }

  @Test func aNoIsNotHiddenBehindWhatWasOfferedBefore() async throws {
    let bench = try await Bench()
    await bench.appear()
    let proxy = ClientError.problem(Problem(code: "http_403", title: "Not from here.", status: 403), retryAfter: nil)
    #expect(await second(bench, proxy).phase == .unavailable(.notFetched(code: "http_403", sentence: "Not from here.")))
    // Somebody on the way said nothing about the offers, so they come back.
    #expect(await second(bench, Self.away[0]).phase == .ready)
    let gone = ClientError.problem(Problem(code: .notFound, title: "There is no such paywall.", status: 404), retryAfter: nil)
    #expect(await second(bench, gone).phase == .unavailable(.notFetched(code: "not_found", sentence: "There is no such paywall.")))
    guard case .unavailable(.notFetched) = await second(bench, Self.away[0]).phase else {
      Issue.record("what the publication took back is offered")
      return
    }
  }

  @Test func packsOfPassesAreOfferedWithWhatIsLeft() async throws {
    let bench = try await Bench()
    bench.script.sellPasses()
    await bench.appear()
    let pack = try #require(bench.model.state.products.first { $0.id == "passes" })
    #expect(plain(pack.price) == "5,00 €")
    #expect(plain(pack.pace) == "1,00 € each")
    #expect(pack.saving == nil && !pack.isBest && pack.canBuy)
    #expect(bench.model.state.balance == nil, "not known yet")
    bench.passes.value = 1
    await until { bench.model.state.balance != nil }
    #expect(bench.model.state.balance == "You have 1 article pass.")
    bench.passes.value = 5
    await until { bench.model.state.balance == "You have 5 article passes." }
    bench.model.send(.buyTapped("passes"))
    #expect(bench.outputs == [.buy("passes")])
  }

  @Test func whoHasEverythingIsSoldNoPasses() async throws {
    let bench = try await Bench()
    bench.script.sellPasses()
    await bench.appear()
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    _ = await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    await until { bench.model.state.notice != nil }
    #expect(bench.model.state.products.allSatisfy { !$0.canBuy })
  }

  @Test func whatIsOwnedIsNotSoldAgainNorWhatItCovers() async throws {
    let bench = try await Bench()
    await bench.appear()
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    #expect(await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer()) != .cancelled)
    await until { bench.model.state.notice != nil }
    #expect(bench.model.state.products.allSatisfy { !$0.canBuy }, "the yearly one opens the same")
    #expect(bench.model.state.notice == "This is yours already: there is nothing left to pay for here.")
    bench.model.send(.buyTapped("yearly"))
    #expect(!bench.outputs.contains(.buy("yearly")))
  }

  @Test func whileAPaymentIsConfirmedNothingThatGivesTheSameIsSold() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .busy(retryAfter: .seconds(300)) }
    await bench.appear()
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    #expect(await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer()) == .pending(.storeUnavailable))
    bench.model.disappear()
    bench.model.appear()
    #expect(bench.model.state.products.allSatisfy { !$0.canBuy }, "a second charge would buy nothing new")
    #expect(bench.model.state.notice == "A payment is being confirmed. It unlocks by itself.")
    bench.model.send(.buyTapped("yearly"))
    #expect(bench.outputs.isEmpty)
  }

  @Test(arguments: ["https://bank.example/1", nil]) func aPaymentThatTheReaderHasToConfirmSaysSoAndLeadsThere(page: String?) async throws {
    let bench = try await Bench()
    let sentence = "Your bank wants you to confirm the payment. Nothing was charged yet."
    bench.queue.setAnswer { _, _ in .interrupted(sentence, url: page) }
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    _ = await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    await bench.appear()
    await until { bench.model.state.notice == "\(sentence) You can cancel it under Account → Purchases." }
    #expect(bench.model.state.confirmPage == page)
    bench.model.send(.confirmTapped)
    #expect(bench.outputs == (page.map { [.openWeb($0)] } ?? []))
    // Once that is done there is nothing to confirm.
    bench.queue.setAnswer { [issuer = bench.issuer] transaction, _ in issuer.accepted(transaction) }
    bench.model.send(.refreshTapped)
    await until { bench.model.state.notice?.hasPrefix("This is yours already") == true }
    #expect(bench.model.state.confirmPage == nil)
    await until { bench.outputs.last == .bought }
    #expect(bench.outputs == (page.map { [.openWeb($0)] } ?? []) + [.bought])
    bench.model.disappear()
  }

  @Test func aPaymentThatFailsLeavesTheOffers() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .deferred("The payment waits for approval.") }
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    _ = await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    await bench.appear()
    await until { bench.model.state.notice != nil }
    bench.queue.setAnswer { _, _ in .refused(code: "declined", sentence: "Your bank declined the payment.") }
    bench.model.send(.refreshTapped)
    await until { bench.model.state.notice == nil }
    #expect(bench.model.state.products.allSatisfy { $0.canBuy })
    #expect(bench.outputs == [])
    bench.model.disappear()
  }

  @Test func aPaymentThatWaitsForApprovalSaysForWhom() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .deferred("The payment waits for approval.") }
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    _ = await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    await bench.appear()
    await until { bench.model.state.notice == "The payment waits for approval. It unlocks by itself." }
    #expect(bench.model.state.confirmPage == nil)
    bench.model.disappear()
  }

  @Test func whatWasChargedInVainIsNotSoldAgainUntilItIsPaidBack() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .refused(code: PurchaseError.receiptRejected, sentence: "This receipt is not valid.") }
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    _ = await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    try await bench.purchases.resume()
    await bench.appear()
    await until { bench.model.state.notice != nil }
    #expect(bench.model.state.notice?.hasPrefix("You have paid for “\(monthly.name)”, and the publication refused the receipt.") == true)
    #expect(bench.model.state.products.filter { !$0.canBuy }.map(\.id) == ["monthly"])
    bench.model.send(.buyTapped("monthly"))
    #expect(bench.outputs.isEmpty)
    bench.queue.tell(.revoked(try await bench.purchases.history()[0].id, reason: "Paid back."))
    await until { bench.model.state.notice == nil }
    #expect(bench.model.state.products.allSatisfy { $0.canBuy })
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

  @Test func offScreenItDoesNoWork() async throws {
    let bench = try await Bench()
    await bench.appear()
    bench.model.disappear()
    let count = bench.states.count
    let monthly = try #require(try await bench.purchases.products(["monthly"]).products.first)
    _ = await bench.purchases.purchase(monthly, authorizer: ScriptedAuthorizer())
    await bench.effects.settled()
    #expect(bench.states.count == count)
    bench.model.appear()
    #expect(bench.model.state.notice != nil, "and is right when it comes back")
  }
}
