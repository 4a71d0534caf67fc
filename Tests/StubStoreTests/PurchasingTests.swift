import Foundation
import PurchaseService
import Runtime
import StubStore
import Testing

/// What may become of a purchase, each as a tester would drive it.
@Suite @MainActor struct PurchasingTests {
  @Test func success() async throws {
    let bench = try await Bench()
    #expect(await bench.buy(monthly) == .purchased(monthly.id))
    #expect(bench.purchases.entitlements == [monthly.id])
    #expect(try bench.order(monthly)?.payments == 1)
    #expect(bench.store.state.log.contains { $0.text == "ada paid €4.90 for premium.monthly" })
  }

  @Test func cancel() async throws {
    let bench = try await Bench { $0.outcomes = [StubOutcome(.cancel)] }
    #expect(await bench.buy(monthly) == .cancelled)
    #expect(bench.store.state.orders.isEmpty)
    #expect(await bench.buy(monthly) == .purchased(monthly.id))
  }

  @Test func authorizationFails() async throws {
    let bench = try await Bench()
    try await bench.store.perform(.nextOutcome(StubOutcome(.authorizationFailed, sentence: "The terminal is off."), product: monthly.id))
    #expect(await bench.buy(monthly) == .failed(.authorization("The terminal is off.")))
    #expect(bench.store.state.orders.isEmpty)
  }

  @Test(arguments: [
    ("declined", PurchaseError.declined("No.")), ("unknown_product", .unknownProduct("No.")),
    ("insufficient_funds", .refused(code: "insufficient_funds", sentence: "No.")),
  ])
  func failureByCode(code: String, failure: PurchaseError) async throws {
    let bench = try await Bench()
    try await bench.store.perform(.nextOutcome(StubOutcome(.fail, code: code, sentence: "No.")))
    #expect(await bench.buy(monthly) == .failed(failure))
    #expect(try bench.order(monthly)?.payments == 0)
    #expect(bench.store.state.pending.isEmpty)
  }

  @Test func deferredThenApproved() async throws {
    let bench = try await Bench { $0.outcomes = [StubOutcome(.deferred, sentence: "Your parents have been asked.")] }
    #expect(await bench.buy(monthly) == .pending(.deferred("Your parents have been asked.")))
    #expect(bench.store.state.pending.map(\.product) == [monthly.id])
    try await bench.store.perform(.approve(.init(monthly.id)))
    await bench.has([monthly.id])
    #expect(try bench.order(monthly)?.payments == 1)
    #expect(bench.store.state.pending.isEmpty)
  }

  @Test func deferredThenDeclined() async throws {
    let bench = try await Bench { $0.outcomes = [StubOutcome(.deferred, sentence: "Your parents have been asked.")] }
    guard case .pending(.deferred) = await bench.buy(monthly) else {
      Issue.record("not deferred")
      return
    }
    try await bench.store.perform(.decline())
    try await bench.history(monthly) { $0.step == .failed }
    #expect(try await bench.purchases.history().first?.sentence == "The purchase was not approved. Nothing was charged.")
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(try bench.order(monthly)?.payments == 0)
  }

  @Test func interruptedThenResolved() async throws {
    let bench = try await Bench { $0.outcomes = [StubOutcome(.interrupted, sentence: "Confirm.", url: "https://bank.example")] }
    #expect(await bench.buy(forever) == .pending(.interrupted("Confirm.", url: "https://bank.example")))
    #expect(try bench.order(forever)?.payments == 0)
    try await bench.store.perform(.resolve(.init(forever.id, user: "ada")))
    await bench.has([forever.id])
    #expect(try bench.order(forever)?.payments == 1)
  }

  @Test func interruptedThenCancelled() async throws {
    let bench = try await Bench { $0.outcomes = [StubOutcome(.interrupted, sentence: "Confirm.", url: "https://bank.example")] }
    _ = await bench.buy(forever)
    let id = try #require(try await bench.purchases.history().first).id
    try await bench.purchases.cancel(id)
    #expect(try bench.order(forever)?.standing == .declined)
    #expect(try await bench.purchases.history().first?.sentence == "You cancelled this payment. Nothing was charged.")
    // One that is over stays as it is.
    #expect(await bench.buy(forever) == .purchased(forever.id))
    try await bench.purchases.cancel(try #require(try await bench.purchases.history().first).id)
    #expect(bench.store.state.orders.last?.standing == .paid)
  }

  @Test(arguments: [StubOutcome.Result.receiptRejected, .badSignature, .notListed])
  func badReceiptThenResolved(result: StubOutcome.Result) async throws {
    let bench = try await Bench { $0.outcomes = [StubOutcome(result)] }
    let purchase = Task { await bench.buy(forever) }
    // The layer asks again after each wait; only a good receipt ends that.
    _ = await bench.store.stateStream().first { ($0.orders.last?.badAnswers ?? 0) >= 1 }
    await bench.clock.waitForSleepers()
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(bench.store.state.pending.map(\.product) == [forever.id])
    try await bench.store.perform(.resolve())
    #expect(await purchase.value == .purchased(forever.id))
    #expect(try bench.order(forever)?.payments == 1)
    #expect(bench.store.state.pending.isEmpty)
  }

  @Test(arguments: [StubOutcome(.badSignature, times: 2), StubOutcome(.fail, code: "unavailable", times: 2)])
  func troubleThatEndsByItself(outcome: StubOutcome) async throws {
    let bench = try await Bench { $0.outcomes = [outcome] }
    let purchase = Task { await bench.buy(forever) }
    for count in 1...2 {
      _ = await bench.store.stateStream().first { ($0.orders.last?.badAnswers ?? 0) >= count }
      await bench.clock.waitForSleepers()
      bench.clock.advance(by: .seconds(600))
    }
    let outcome = await purchase.value
    #expect([.purchased(forever.id), .pending(.storeUnavailable)].contains(outcome))
    await bench.has([forever.id])
    #expect(try bench.order(forever)?.payments == 1)
  }

  @Test func paymentsNotAllowed() async throws {
    let bench = try await Bench { $0.paymentsAllowed = false }
    #expect(!bench.purchases.canMakePayments)
    #expect(await bench.buy(monthly) == .failed(.notAllowed))
    #expect(bench.store.state.orders.isEmpty)
    try await bench.store.perform(.paymentsAllowed(true))
    #expect(await bench.buy(monthly) == .purchased(monthly.id))
  }

  @Test func submittingTwiceChargesOnce() async throws {
    let bench = try await Bench()
    let transaction = Transaction(
      id: UUID(), seller: "stub", user: "ada", productID: passes.id, isOneTime: true, price: passes.price, purchasePath: "stub",
      begun: bench.store.clock.now, token: PaymentToken("t"))
    let first = await bench.store.add(transaction)
    #expect(await bench.store.add(transaction) == first)
    #expect(bench.store.state.orders.map(\.payments) == [1])
    #expect(bench.store.balances(of: "ada") == ["article_pass": 5])
  }

  @Test func consumablesAreCountedAndSpentOnce() async throws {
    let bench = try await Bench()
    _ = await bench.buy(passes)
    #expect(await bench.store.spend("article_pass", of: "ada", on: "post 1"))
    #expect(await bench.store.spend("article_pass", of: "ada", on: "post 1"))
    #expect(bench.store.balances(of: "ada") == ["article_pass": 4])
    #expect(await !bench.store.spend("article_pass", of: "ben", on: "post 1"))
    _ = await bench.buy(passes)
    #expect(bench.store.balances(of: "ada") == ["article_pass": 9])
    try await bench.store.perform(.refund(.init(passes.id)))
    #expect(bench.store.balances(of: "ada") == ["article_pass": 4])
  }

  @Test func outcomesOfAProductComeBeforeThoseOfTheFile() async throws {
    let bench = try await Bench {
      $0.products[0].outcomes = [StubOutcome(.fail, code: "first")]
      $0.outcomes = [StubOutcome(.fail, code: "second")]
    }
    for code in ["now", "first", "second"] {
      if code == "now" { try await bench.store.perform(.nextOutcome(StubOutcome(.fail, code: code), product: monthly.id)) }
      guard case .failed(.refused(code, _)) = await bench.buy(monthly) else {
        Issue.record("no failure \(code)")
        return
      }
    }
    #expect(await bench.buy(monthly) == .purchased(monthly.id))
  }

  @Test func delaysAreRealHoweverFastTheStoreIs() async throws {
    let bench = try await Bench {
      $0.delay = 2
      $0.rate = AdjustableClock.monthInThirtySeconds
    }
    let purchase = Task { await bench.buy(forever) }
    await bench.clock.waitForSleepers()
    #expect(try bench.order(forever)?.payments == 1)
    bench.clock.advance(by: .seconds(2))
    #expect(await purchase.value == .purchased(forever.id))
  }
}
