import Foundation
import Testing

@testable import AppScenarios

/// What a scenario makes of a state, and how it compares.
@Suite struct StateValueTests {
  private enum Phase { case loading, failed(String), working(done: Int, of: Int) }
  private struct State {
    var phase = Phase.loading
    var name: String?
    var items = ["a", "b"]
    var count = 2
    var isOn = true
    var day = Date(timeIntervalSince1970: 0)
    var tags: Set<String> = ["y", "x"]
  }

  private func value(_ state: State) -> StateValue { StateValue(reflecting: state) }

  @Test func aStateAsData() {
    #expect(
      value(State())
        == .object([
          "phase": .text("loading"), "name": .null, "items": .list([.text("a"), .text("b")]), "count": .number(2), "isOn": .bool(true),
          "day": .text("1970-01-01T00:00:00Z"), "tags": .list([.text("x"), .text("y")]),
        ]))
    #expect(StateValue(reflecting: Phase.failed("no")) == .object(["failed": .text("no")]))
    #expect(StateValue(reflecting: Phase.working(done: 1, of: 3)).description == "{working: {done: 1, of: 3}}")
  }

  @Test func onlyWhatChangedIsPrinted() {
    var state = State()
    let before = value(state)
    state.phase = .failed("no")
    state.name = "n"
    #expect(value(state).changes(since: before).map { "\($0.path) = \($0.value)" } == ["name = “n”", "phase = {failed: “no”}"])
    #expect(before.changes(since: before).isEmpty)
  }

  @Test(arguments: [
    (#"{"count": 2, "phase": "loading"}"#, nil), (#"{"name": null}"#, nil), (#"{"items": {"count": 2, "contains": "b"}}"#, nil),
    (#"{"items": ["a", "*"]}"#, nil), (#"{"day": "1970-*Z"}"#, nil), (#"{"count": 3}"#, "count is 2, not 3"),
    (#"{"items": ["a"]}"#, "items is [“a”, “b”], not [“a”]"), (#"{"items": {"count": 3}}"#, "items.count is 2, not 3"),
    (#"{"items": {"contains": "c"}}"#, "items contains nothing like “c”; it is [“a”, “b”]"),
    (#"{"nmae": null}"#, "nmae is not there; there is count, day, isOn, items, name, phase, tags"),
    (#"{"name": "*"}"#, "name is null, not “*”"),
    (#"{"isOn": "true"}"#, "isOn is true, not “true”"),
  ])
  func aStateIsComparedWithWhatIsExpected(_ json: String, _ objection: String?) throws {
    let expected = try JSONDecoder().decode(StateValue.self, from: Data(json.utf8))
    #expect(value(State()).objection(to: expected) == objection)
  }

  @Test(arguments: [
    ("abc", "a*", true), ("abc", "*c", true), ("abc", "*b*", true), ("abc", "a*b*c", true), ("abc", "abc", true), ("aba", "ab*ba", false),
    ("abc", "b*", false), ("abc", "*b", false), ("abc", "a*x*c", false), ("", "*", true), ("a", "", false),
  ])
  func patterns(_ text: String, _ pattern: String, _ fits: Bool) { #expect(StateValue.matches(text, pattern) == fits) }

  @Test(
    arguments: [
      ("P1M", 2_678_400), ("P3D", 259_200), ("PT30S", 30), ("P1Y", 31_536_000), ("P1W", 604_800), ("PT1H30M", 5400), ("PT0.5S", 0.5),
    ] as [(String, Double)])
  func spansOfTime(_ text: String, _ seconds: Double) throws {
    let start = Date(timeIntervalSince1970: 1_767_225_600)  // 1 January 2026
    #expect(try #require(TimeSpan(text)).duration(from: start) == .seconds(seconds))
  }

  @Test(arguments: ["", "P", "PT", "1M", "P1", "PM", "P-1M", "P1M "]) func noSpans(_ text: String) { #expect(TimeSpan(text) == nil) }
}
