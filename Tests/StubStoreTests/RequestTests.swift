import Foundation
import PurchaseService
import Runtime
import StubStore
import Testing

/// Asking for products, purchases from elsewhere, restoring, and starting again.
@Suite @MainActor struct RequestTests {
  @Test func productRequestFails() async throws {
    let rig = try await Rig { $0.requests = StubStoreAnswer(.fail, code: "timeout") }
    let failure = await #expect(throws: StoreError.self) { try await rig.purchases.products([monthly.id]) }
    #expect(failure?.kind == .unavailable)
    #expect(failure?.code == "timeout")
    try await rig.store.perform(.requests(StubStoreAnswer()))
    #expect(try await rig.purchases.products([monthly.id, "none"]).unknown == ["none"])
  }

  @Test(arguments: [("busy", StoreError.Kind.busy), ("unauthorized", .unauthorized), ("refused", .refused), ("else", .unavailable)])
  func codesSayWhatKindOfFailureItIs(code: String, kind: StoreError.Kind) async throws {
    let rig = try await Rig()
    try await rig.store.perform(.requests(StubStoreAnswer(.fail, code: code)))
    let failure = await #expect(throws: StoreError.self) { try await rig.store.restore(user: "ada") }
    #expect(failure?.kind == kind)
  }

  @Test func productRequestIsEmpty() async throws {
    let rig = try await Rig()
    try await rig.store.perform(.requests(StubStoreAnswer(.empty)))
    #expect(try await rig.purchases.products([monthly.id]).products == [])
  }

  @Test func productRequestIsSlow() async throws {
    let rig = try await Rig()
    try await rig.store.perform(.requests(StubStoreAnswer(delay: 5)))
    let request = Task { try await rig.purchases.products([forever.id]) }
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(5))
    #expect(try await request.value.products == [forever])
  }

  @Test func aPurchaseMadeElsewhereAppears() async throws {
    let rig = try await Rig()
    _ = try await rig.purchases.restore()
    try await rig.store.perform(.buyElsewhere(yearly.id))
    await rig.has([yearly.id])
    #expect(try rig.order(yearly)?.isElsewhere == true)
    #expect(rig.purchases.expiry(of: yearly.id) == (try rig.order(yearly)?.paidUntil))
  }

  @Test func aPurchaseMadeElsewhereBeforeAnybodyWasHereIsTheFirstUsers() async throws {
    let rig = try await Rig()
    try await rig.store.perform(.buyElsewhere(forever.id))
    #expect(try await rig.purchases.restore() == [forever.id])
    #expect(try await rig.store.restore(user: "ben") == [])
  }

  @Test func whatIsOwnedAtTheStartIsRestored() async throws {
    let rig = try await Rig { $0.owned = [forever.id] }
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(try await rig.purchases.restore() == [forever.id])
    #expect(await rig.buy(forever) == .failed(.alreadyOwned))
  }

  @Test func restoreByCommandMakesTheAppAsk() async throws {
    let rig = try await Rig { $0.owned = [forever.id] }
    try await rig.store.perform(.restore)
    await rig.has([forever.id])
  }

  @Test func restoreFindsNothing() async throws {
    #expect(try await Rig().purchases.restore() == [])
  }

  @Test func resetForgets() async throws {
    let rig = try await Rig { $0.outcomes = [StubOutcome(.fail, code: "x")] }
    _ = await rig.buy(monthly)
    _ = await rig.buy(passes)
    try await rig.store.perform(.reset)
    #expect(rig.store.state.orders.isEmpty)
    #expect(rig.store.state.balances.isEmpty)
    #expect(rig.store.state.outcomes == [StubOutcome(.fail, code: "x")])
  }

  @Test func aKilledAppFindsItsPurchasesAgain() async throws {
    let rig = try await Rig({ $0.outcomes = [.success, .success, StubOutcome(.deferred)] }, keepsStore: true)
    _ = await rig.buy(monthly)
    _ = await rig.buy(passes)
    _ = await rig.buy(forever)
    try await rig.store.perform(.stepPeriod(.month))
    let (orders, now) = (rig.store.state.orders, rig.store.clock.now)
    try await rig.restart()
    #expect(rig.store.state.orders.map(\.payments) == orders.map(\.payments))
    #expect(rig.store.clock.now == now)
    #expect(rig.store.balances(of: "ada") == ["article_pass": 5])
    #expect(try await rig.purchases.restore() == [monthly.id])
    try await rig.store.perform(.approve())
    await rig.has([monthly.id, forever.id])
  }

  @Test func aSavedStoreOfANewerVersionIsLeftAlone() async throws {
    let rig = try await Rig(keepsStore: true)
    let saved = rig.folder.appending(path: "stub-store.json")
    for (text, end) in [
      ("{\"version\": 2}", "is from a newer Matinee, and is left as it is."), ("{", "cannot be read. Delete it to begin again."),
    ] {
      try Data(text.utf8).write(to: saved)
      let refusal = #expect(throws: TestStore.Refusal.self) {
        try TestStore(StubStoreFile(products: []), allowed: true, clock: ManualClock(), folder: rig.folder.path)
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
    let rig = try await Rig()
    var states = rig.store.stateStream().makeAsyncIterator()
    #expect(await states.next()?.orders == [])
    _ = await rig.buy(forever)
    var state = await states.next()
    while state?.orders.first?.standing != .paid { state = await states.next() }
    #expect(state?.owned(at: rig.store.clock.now).map(\.product) == [forever.id])
    try await rig.store.perform(.nextOutcome(StubOutcome(.cancel)))
    #expect(await states.next()?.outcomes == [StubOutcome(.cancel)])
    try await rig.store.perform(.clockRate(7))
    #expect(await states.next()?.rate == 7)
  }
}
