import Foundation
import PurchaseService
import Runtime
import StubStore
import Testing

/// Asking for products, purchases from elsewhere, restoring, and starting again.
@Suite @MainActor struct RequestTests {
  @Test func productRequestFails() async throws {
    let bench = try await Bench { $0.requests = StubStoreAnswer(.fail, code: "timeout") }
    let failure = await #expect(throws: StoreError.self) { try await bench.purchases.products([monthly.id]) }
    #expect(failure?.kind == .unavailable)
    #expect(failure?.code == "timeout")
    try await bench.store.perform(.requests(StubStoreAnswer()))
    #expect(try await bench.purchases.products([monthly.id, "none"]).unknown == ["none"])
  }

  @Test(arguments: [("busy", StoreError.Kind.busy), ("unauthorized", .unauthorized), ("refused", .refused), ("else", .unavailable)])
  func codesSayWhatKindOfFailureItIs(code: String, kind: StoreError.Kind) async throws {
    let bench = try await Bench()
    try await bench.store.perform(.requests(StubStoreAnswer(.fail, code: code)))
    let failure = await #expect(throws: StoreError.self) { try await bench.store.restore(user: "ada") }
    #expect(failure?.kind == kind)
  }

  @Test func productRequestIsEmpty() async throws {
    let bench = try await Bench()
    try await bench.store.perform(.requests(StubStoreAnswer(.empty)))
    #expect(try await bench.purchases.products([monthly.id]).products == [])
  }

  @Test func productRequestIsSlow() async throws {
    let bench = try await Bench()
    try await bench.store.perform(.requests(StubStoreAnswer(delay: 5)))
    let request = Task { try await bench.purchases.products([forever.id]) }
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(5))
    #expect(try await request.value.products == [forever])
  }

  @Test func aPurchaseMadeElsewhereAppears() async throws {
    let bench = try await Bench()
    _ = try await bench.purchases.restore()
    try await bench.store.perform(.buyElsewhere(yearly.id))
    await bench.has([yearly.id])
    #expect(try bench.order(yearly)?.isElsewhere == true)
    #expect(bench.purchases.expiry(of: yearly.id) == (try bench.order(yearly)?.paidUntil))
  }

  @Test func aPurchaseMadeElsewhereBeforeAnybodyWasHereIsTheFirstUsers() async throws {
    let bench = try await Bench()
    try await bench.store.perform(.buyElsewhere(forever.id))
    #expect(try await bench.purchases.restore() == [forever.id])
    #expect(try await bench.store.restore(user: "ben") == [])
  }

  @Test func whatIsOwnedAtTheStartIsRestored() async throws {
    let bench = try await Bench { $0.owned = [forever.id] }
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(try await bench.purchases.restore() == [forever.id])
    #expect(await bench.buy(forever) == .failed(.alreadyOwned))
  }

  @Test func restoreByCommandMakesTheAppAsk() async throws {
    let bench = try await Bench { $0.owned = [forever.id] }
    try await bench.store.perform(.restore)
    await bench.has([forever.id])
  }

  @Test func restoreFindsNothing() async throws {
    #expect(try await Bench().purchases.restore() == [])
  }

  @Test func resetForgets() async throws {
    let bench = try await Bench { $0.outcomes = [StubOutcome(.fail, code: "x")] }
    _ = await bench.buy(monthly)
    _ = await bench.buy(passes)
    try await bench.store.perform(.reset)
    #expect(bench.store.state.orders.isEmpty)
    #expect(bench.store.state.balances.isEmpty)
    #expect(bench.store.state.outcomes == [StubOutcome(.fail, code: "x")])
  }

  @Test func aKilledAppFindsItsPurchasesAgain() async throws {
    let bench = try await Bench({ $0.outcomes = [.success, .success, StubOutcome(.deferred)] }, keepsStore: true)
    _ = await bench.buy(monthly)
    _ = await bench.buy(passes)
    _ = await bench.buy(forever)
    try await bench.store.perform(.stepPeriod(.month))
    let (orders, now) = (bench.store.state.orders, bench.store.clock.now)
    try await bench.restart()
    #expect(bench.store.state.orders.map(\.payments) == orders.map(\.payments))
    #expect(bench.store.clock.now == now)
    #expect(bench.store.balances(of: "ada") == ["article_pass": 5])
    #expect(try await bench.purchases.restore() == [monthly.id])
    try await bench.store.perform(.approve())
    await bench.has([monthly.id, forever.id])
  }

  @Test func aSavedStoreOfANewerVersionIsLeftAlone() async throws {
    let bench = try await Bench(keepsStore: true)
    let saved = bench.folder.appending(path: "stub-store.json")
    for (text, end) in [
      ("{\"version\": 2}", "is from a newer Matinee, and is left as it is."), ("{", "cannot be read. Delete it to begin again."),
    ] {
      try Data(text.utf8).write(to: saved)
      let refusal = #expect(throws: TestStore.Refusal.self) {
        try TestStore(StubStoreFile(products: []), allowed: true, clock: ManualClock(), folder: bench.folder.path)
      }
      #expect(refusal?.sentence.hasSuffix(end) == true)
      #expect(try String(contentsOf: saved, encoding: .utf8) == text)
    }
  }

  @Test func aBuildForALiveStoreHasNone() {
    let refusal = #expect(throws: TestStore.Refusal.self) {
      try TestStore(StubStoreFile(products: []), allowed: false, clock: ManualClock())
    }
    #expect(refusal?.sentence == "This build sells for real, so it has no test store. Use a development or beta build for stub products.")
  }

  @Test func thePanelSeesEachChange() async throws {
    let bench = try await Bench()
    var states = bench.store.stateStream().makeAsyncIterator()
    #expect(await states.next()?.orders == [])
    _ = await bench.buy(forever)
    var state = await states.next()
    while state?.orders.first?.standing != .paid { state = await states.next() }
    #expect(state?.owned(at: bench.store.clock.now).map(\.product) == [forever.id])
    try await bench.store.perform(.nextOutcome(StubOutcome(.cancel)))
    #expect(await states.next()?.outcomes == [StubOutcome(.cancel)])
    try await bench.store.perform(.clockRate(7))
    #expect(await states.next()?.rate == 7)
  }
}
