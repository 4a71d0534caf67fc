import Foundation
import PurchaseService
import Runtime
import StubStore
import Testing

/// What may become of a purchase, each as a tester would drive it.
@Suite @MainActor struct PurchasingTests {
  @Test func success() async throws {
    let rig = try await Rig()
    #expect(await rig.buy(monthly) == .purchased(monthly.id))
    #expect(rig.purchases.entitlements == [monthly.id])
    #expect(try rig.order(monthly)?.payments == 1)
    #expect(rig.store.state.log.contains { $0.text == "ada paid €4.90 for premium.monthly" })
  }

  @Test func cancel() async throws {
    let rig = try await Rig { $0.outcomes = [StubOutcome(.cancel)] }
    #expect(await rig.buy(monthly) == .cancelled)
    #expect(rig.store.state.orders.isEmpty)
    #expect(await rig.buy(monthly) == .purchased(monthly.id))
  }

  @Test func authorizationFails() async throws {
    let rig = try await Rig()
    try await rig.store.perform(.nextOutcome(StubOutcome(.authorizationFailed, sentence: "The terminal is off."), product: monthly.id))
    #expect(await rig.buy(monthly) == .failed(.authorization("The terminal is off.")))
    #expect(rig.store.state.orders.isEmpty)
  }

  @Test(arguments: [
    ("declined", PurchaseError.declined("No.")), ("unknown_product", .unknownProduct("No.")),
    ("insufficient_funds", .refused(code: "insufficient_funds", sentence: "No.")),
  ])
  func failureByCode(code: String, failure: PurchaseError) async throws {
    let rig = try await Rig()
    try await rig.store.perform(.nextOutcome(StubOutcome(.fail, code: code, sentence: "No.")))
    #expect(await rig.buy(monthly) == .failed(failure))
    #expect(try rig.order(monthly)?.payments == 0)
    #expect(rig.store.state.pending.isEmpty)
  }

  @Test func deferredThenApproved() async throws {
    let rig = try await Rig { $0.outcomes = [StubOutcome(.deferred, sentence: "Your parents have been asked.")] }
    #expect(await rig.buy(monthly) == .pending(.deferred("Your parents have been asked.")))
    #expect(rig.store.state.pending.map(\.product) == [monthly.id])
    try await rig.store.perform(.approve(.init(monthly.id)))
    await rig.has([monthly.id])
    #expect(try rig.order(monthly)?.payments == 1)
    #expect(rig.store.state.pending.isEmpty)
  }

  @Test func deferredThenDeclined() async throws {
    let rig = try await Rig { $0.outcomes = [StubOutcome(.deferred, sentence: "Your parents have been asked.")] }
    guard case .pending(.deferred) = await rig.buy(monthly) else {
      Issue.record("not deferred")
      return
    }
    try await rig.store.perform(.decline())
    try await rig.history(monthly) { $0.step == .failed }
    #expect(try await rig.purchases.history().first?.sentence == "The purchase was not approved. Nothing was charged.")
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(try rig.order(monthly)?.payments == 0)
  }

  @Test func interruptedThenResolved() async throws {
    let rig = try await Rig { $0.outcomes = [StubOutcome(.interrupted, sentence: "Confirm.", url: "https://bank.example")] }
    #expect(await rig.buy(forever) == .pending(.interrupted("Confirm.", url: "https://bank.example")))
    #expect(try rig.order(forever)?.payments == 0)
    try await rig.store.perform(.resolve(.init(forever.id, user: "ada")))
    await rig.has([forever.id])
    #expect(try rig.order(forever)?.payments == 1)
  }

  @Test func interruptedThenCancelled() async throws {
    let rig = try await Rig { $0.outcomes = [StubOutcome(.interrupted, sentence: "Confirm.", url: "https://bank.example")] }
    _ = await rig.buy(forever)
    let id = try #require(try await rig.purchases.history().first).id
    try await rig.purchases.cancel(id)
    #expect(try rig.order(forever)?.standing == .declined)
    #expect(try await rig.purchases.history().first?.sentence == "You cancelled this payment. Nothing was charged.")
    // One that is over stays as it is.
    #expect(await rig.buy(forever) == .purchased(forever.id))
    try await rig.purchases.cancel(try #require(try await rig.purchases.history().first).id)
    #expect(rig.store.state.orders.last?.standing == .paid)
  }

  @Test(arguments: [StubOutcome.Result.receiptRejected, .badSignature, .notListed])
  func badReceiptThenResolved(result: StubOutcome.Result) async throws {
    let rig = try await Rig { $0.outcomes = [StubOutcome(result)] }
    let purchase = Task { await rig.buy(forever) }
    // The layer asks again after each wait; only a good receipt ends that.
    _ = await rig.store.stateStream().first { ($0.orders.last?.badAnswers ?? 0) >= 1 }
    await rig.clock.waitForSleepers()
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(rig.store.state.pending.map(\.product) == [forever.id])
    try await rig.store.perform(.resolve())
    #expect(await purchase.value == .purchased(forever.id))
    #expect(try rig.order(forever)?.payments == 1)
    #expect(rig.store.state.pending.isEmpty)
  }

  @Test(arguments: [StubOutcome(.badSignature, times: 2), StubOutcome(.fail, code: "unavailable", times: 2)])
  func troubleThatEndsByItself(outcome: StubOutcome) async throws {
    let rig = try await Rig { $0.outcomes = [outcome] }
    let purchase = Task { await rig.buy(forever) }
    for count in 1...2 {
      _ = await rig.store.stateStream().first { ($0.orders.last?.badAnswers ?? 0) >= count }
      await rig.clock.waitForSleepers()
      rig.clock.advance(by: .seconds(600))
    }
    let outcome = await purchase.value
    #expect([.purchased(forever.id), .pending(.storeUnavailable)].contains(outcome))
    await rig.has([forever.id])
    #expect(try rig.order(forever)?.payments == 1)
  }

  @Test func paymentsNotAllowed() async throws {
    let rig = try await Rig { $0.paymentsAllowed = false }
    #expect(!rig.purchases.canMakePayments)
    #expect(await rig.buy(monthly) == .failed(.notAllowed))
    #expect(rig.store.state.orders.isEmpty)
    try await rig.store.perform(.paymentsAllowed(true))
    #expect(await rig.buy(monthly) == .purchased(monthly.id))
  }

  @Test func submittingTwiceChargesOnce() async throws {
    let rig = try await Rig()
    let transaction = Transaction(
      id: UUID(), seller: "stub", user: "ada", productID: passes.id, isOneTime: true, price: passes.price, purchasePath: "stub",
      begun: rig.store.clock.now, token: PaymentToken("t"))
    let first = await rig.store.add(transaction)
    #expect(await rig.store.add(transaction) == first)
    #expect(rig.store.state.orders.map(\.payments) == [1])
    #expect(rig.store.balances(of: "ada") == ["article_pass": 5])
  }

  @Test func consumablesAreCountedAndSpentOnce() async throws {
    let rig = try await Rig()
    _ = await rig.buy(passes)
    #expect(await rig.store.spend("article_pass", of: "ada", on: "post 1"))
    #expect(await rig.store.spend("article_pass", of: "ada", on: "post 1"))
    #expect(rig.store.balances(of: "ada") == ["article_pass": 4])
    #expect(await !rig.store.spend("article_pass", of: "ben", on: "post 1"))
    _ = await rig.buy(passes)
    #expect(rig.store.balances(of: "ada") == ["article_pass": 9])
    try await rig.store.perform(.refund(.init(passes.id)))
    #expect(rig.store.balances(of: "ada") == ["article_pass": 4])
  }

  @Test func outcomesOfAProductComeBeforeThoseOfTheFile() async throws {
    let rig = try await Rig {
      $0.products[0].outcomes = [StubOutcome(.fail, code: "first")]
      $0.outcomes = [StubOutcome(.fail, code: "second")]
    }
    for code in ["now", "first", "second"] {
      if code == "now" { try await rig.store.perform(.nextOutcome(StubOutcome(.fail, code: code), product: monthly.id)) }
      guard case .failed(.refused(code, _)) = await rig.buy(monthly) else {
        Issue.record("no failure \(code)")
        return
      }
    }
    #expect(await rig.buy(monthly) == .purchased(monthly.id))
  }

  @Test func delaysAreRealHoweverFastTheStoreIs() async throws {
    let rig = try await Rig {
      $0.delay = 2
      $0.rate = AdjustableClock.monthInThirtySeconds
    }
    let purchase = Task { await rig.buy(forever) }
    await rig.clock.waitForSleepers()
    #expect(try rig.order(forever)?.payments == 1)
    rig.clock.advance(by: .seconds(2))
    #expect(await purchase.value == .purchased(forever.id))
  }
}
