import FeatureKit
import Foundation
import HTTPTransport
import Patience
import PurchaseService
import Runtime
import StubStore
import Testing

@testable import TesterFeature

/// The tester panel's state, and what its buttons do to the store.
@MainActor @Suite struct TesterViewModelTests {
  private let clock = ManualClock()
  private let effects = Effects()
  private var formatting: Formatting { Formatting(clock: clock, locale: Locale(identifier: "en_US"), timeZone: .gmt) }

  private static let file = """
    {"products": [
      {"id": "m", "kind": "subscription", "period": "P1M", "name": "Monthly", "detail": "", "priceMinorUnits": 490, "currency": "EUR",
       "entitlement": "premium"}
    ]}
    """

  private func store() throws -> TestStore {
    try TestStore(StubStoreFile(json: Data(Self.file.utf8), name: "m.json"), allowed: true, clock: clock)
  }

  private func controls(_ panel: TesterViewModel) -> [TesterViewModel.State.Control] {
    panel.state.sections.flatMap(\.groups).flatMap(\.controls)
  }

  private func control(_ title: String, in panel: TesterViewModel) throws -> TesterViewModel.State.Control {
    try #require(controls(panel).first { $0.title == title }, "\(title)")
  }

  private func press(_ title: String, in panel: TesterViewModel) async throws {
    panel.send(try control(title, in: panel).action)
    await effects.settled()
  }

  @Test func withoutAStoreItSaysHowToHaveOne() {
    let panel = TesterViewModel(store: nil, answers: nil, effects: effects, formatting: formatting)
    #expect(panel.state.sections.map(\.id) == ["Test store", "Notifications"])
    #expect(panel.state.sections[0].lines[0].contains("--stub-products"))
  }

  @Test func newPostsAreLookedForAtOnce() async throws {
    var looks = 0
    let panel = TesterViewModel(store: nil, answers: nil, effects: effects, formatting: formatting) { looks += 1 }
    try await press("Look for new posts", in: panel)
    #expect(looks == 1)
  }

  @Test func whatHappenedIsListedNewestFirst() async {
    let events = LastValue(["one"])
    let panel = TesterViewModel(store: nil, answers: nil, effects: effects, formatting: formatting, events: events)
    panel.appear()
    events.value = ["one", "two"]
    for _ in 0..<1_000 where panel.state.sections.last?.lines.count != 2 { await Task.yield() }
    #expect(panel.state.sections.last == TesterViewModel.State.Section("Events", lines: ["two", "one"]))
    panel.disappear()
  }

  @Test func theClockRunsFasterAndIsStepped() async throws {
    let store = try store()
    let panel = TesterViewModel(store: store, answers: nil, effects: effects, formatting: formatting)
    #expect(try control("Real time", in: panel).isOn)
    try await press("A month in 30 s", in: panel)
    #expect(store.clock.rate == AdjustableClock.monthInThirtySeconds)
    #expect(try control("A month in 30 s", in: panel).isOn)
    try await press("Stopped", in: panel)
    let before = store.clock.now
    try await press("+ 1 day", in: panel)
    #expect(store.clock.now == before + 86_400)
  }

  @Test func everyOutcomeCanBePlannedForOneProductOrForAny() async throws {
    let store = try store()
    let panel = TesterViewModel(store: store, answers: nil, effects: effects, formatting: formatting)
    try await press("Deferred", in: panel)
    #expect(store.state.outcomes.map(\.result) == [.deferred])
    panel.send(.choose("m"))
    try await press("Cancel", in: panel)
    #expect(store.state.productOutcomes["m"]?.map(\.result) == [.cancel])
    #expect(panel.state.sections.first { $0.id == "Next purchase" }?.lines == ["Planned: Cancel."])
    for result in StubOutcome.Result.allCases where result != .fail {
      let command = TestStore.Command.nextOutcome(StubOutcome(result), product: "m")
      #expect(controls(panel).contains { $0.action == .command(command) }, "\(result)")
    }
  }

  @Test func aFailureIsPlannedByItsCode() async throws {
    let store = try store()
    let panel = TesterViewModel(store: store, answers: nil, effects: effects, formatting: formatting)
    try await press("Insufficient funds", in: panel)
    try await press("Unavailable", in: panel)
    #expect(store.state.outcomes.map(\.code) == ["unavailable", "insufficient_funds"])
    #expect(panel.state.sections.first { $0.id == "Next purchase" }?.lines == ["Planned: Fail (unavailable), Fail (insufficient_funds)."])
  }

  @Test func whileItIsOpenTheClockIsSeenToRun() async throws {
    let store = try store()
    let panel = TesterViewModel(store: store, answers: nil, effects: effects, formatting: formatting)
    try await press("A month in 30 s", in: panel)
    let before = panel.state.sections[0].lines
    panel.appear()
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    await until { panel.state.sections[0].lines != before }
    panel.disappear()
  }

  @Test func readersAreNamedOnlyWhereThereAreSeveral() async throws {
    let store = try store()
    let panel = TesterViewModel(store: store, answers: nil, effects: effects, formatting: formatting)
    func text() -> String { panel.state.sections.map { ([$0.id] + $0.lines).joined(separator: "\n") }.joined(separator: "\n") }
    try await store.perform(.buyElsewhere("m", user: "52196A0A-F72B"))
    panel.appear()
    #expect(!text().contains("52196A0A"))
    #expect(text().contains("the reader paid"))
    try await store.perform(.buyElsewhere("m", user: "7E57AB1E-F72B"))
    panel.disappear()
    panel.appear()
    #expect(text().contains(", of 52196A0A"))
    #expect(text().contains("7E57AB1E paid"))
    panel.disappear()
  }

  @Test func aPurchaseElsewhereAppearsWithAllThatCanBeDoneToIt() async throws {
    let store = try store()
    let panel = TesterViewModel(store: store, answers: nil, effects: effects, formatting: formatting)
    _ = try await store.restore(user: "ada")
    panel.send(.choose("m"))
    try await press("Buy it on another device", in: panel)
    #expect(store.state.owned(at: store.clock.now).map(\.product) == ["m"])
    for title in ["Renew", "Expire", "Renews", "Billing retry", "Grace", "Recover", "Refund"] { _ = try control(title, in: panel) }
    try await press("Refund", in: panel)
    #expect(store.state.owned(at: store.clock.now).isEmpty)
    #expect(!controls(panel).contains { $0.title == "Refund" })
  }

  @Test func aCommandThatIsRefusedSaysWhy() async throws {
    let store = try store()
    let panel = TesterViewModel(store: store, answers: nil, effects: effects, formatting: formatting)
    panel.send(.command(.approve()))
    await effects.settled()
    #expect(panel.state.problem == "There is no purchase that waits for approval.")
    try await press("Payments allowed", in: panel)
    #expect(panel.state.problem == nil)
    #expect(!store.state.paymentsAllowed)
  }

  @Test func requestsThatWereAnsweredFromAFileAreListed() async throws {
    let json = #"{"rules": [{"path": "/v1/flags", "status": 200, "body": {"a": 1}}]}"#
    let files = StubAnswerFiles { _ in
      Data(json.utf8)
    } stamp: { _ in
      "1"
    }
    let answers = try StubTransport(InProcessTransport { _ in Response(404) }, file: "a.json", clock: clock, files: files)
    let panel = TesterViewModel(store: nil, answers: answers, effects: effects, formatting: formatting)
    _ = try await answers.send(Request(.get, "/v1/flags"))
    _ = try await answers.send(Request(.get, "/v1/posts"))
    panel.appear()
    #expect(panel.state.sections.first { $0.id == "Canned answers" }?.lines == ["GET /v1/flags: 200, by line 1"])
    panel.disappear()
  }
}
