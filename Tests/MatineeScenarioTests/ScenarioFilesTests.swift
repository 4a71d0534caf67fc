import Foundation
import TestSupport
import Testing

/// `matinee-scenario` itself, with the scenarios that come with the project; one process at a time, since sixty at once would only wait for
/// one another.
@Suite(.serialized) struct ScenarioFilesTests {
  private static let folder = Checkout.root.appending(path: "Resources/scenarios").path
  private static let files =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".json") }.sorted()

  private func scenario(_ arguments: String...) async throws -> Program.Outcome {
    try await Program([Checkout.products.appending(path: "matinee-scenario").path] + arguments).run()
  }

  @Test(arguments: files) func goesAsItSays(_ file: String) async throws {
    let outcome = try await scenario("run", Self.folder + "/" + file)
    // What went wrong comes first: of a long report the beginning alone is shown.
    let objections = outcome.output.split(separator: "\n").filter { $0.contains("\(file):") && !$0.contains("\(file): ") }
    #expect(outcome.status == 0, "\(objections.joined(separator: " ")) after \(outcome.output.suffix(3000))")
    #expect(outcome.output.hasSuffix("\n1 passed, 0 failed\n"))
  }

  @Test func thereAreThirtyAtLeast() { #expect(Self.files.count >= 30) }

  /// What the player does beside what a reader does: another computer, another reader, the page in the browser, the operator.
  @Test func theWorldAroundTheAppIsPlayedToo() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "world.json",
      """
      {"name": "World", "steps": [
        {"signIn": "sample"}, {"link": "matinee://paywall/premium"}, {"input": "buyTapped", "with": "premium.monthly"},
        {"input": "methodChosen", "with": "browser"}, {"input": "payTapped"},
        {"page": "approve"}, {"advance": "PT10S"}, {"expect": {"screen": "feed", "purchases": ["purchased"]}},
        {"publication": "refund"}, {"restart": "newMachine"}, {"expect": {"screen": "login"}},
        {"signIn": "other"}, {"expect": {"screen": "feed", "entitlements": []}},
        {"publication": "approve"}
      ]}
      """)
    let outcome = try await scenario("run", folder.path + "/world.json")
    let lines = outcome.output.split(separator: "\n").map { $0.drop { $0 == " " } }
    for line in ["page     approve", "operator refund", "restart  newMachine"] {
      #expect(lines.contains { $0.hasSuffix(line) }, "\(outcome.output.suffix(3000))")
    }
    // What the publication refuses fails the scenario.
    #expect(outcome.output.contains("world.json:7: the publication answers 409: "), "\(outcome.output.suffix(3000))")
  }

  @Test func aFolderIsPlayedInTheOrderOfItsNames() async throws {
    let folder = try TemporaryFolder()
    try folder.write("b.json", #"{"name": "Second", "steps": [{"expect": {"screen": "login"}}]}"#)
    try folder.write("a.json", #"{"name": "First", "steps": [{"expect": {"screen": "feed"}}]}"#)
    let outcome = try await scenario("run", "--quiet", folder.path)
    #expect(
      outcome.output == """
        \(folder.path)/a.json: First
        \(folder.path)/a.json:1: screen is “login”, not “feed”
        \(folder.path)/b.json: Second
        1 passed, 1 failed

        """)
    #expect(outcome.status == 1)
  }

  @Test func everyChangeOfAStateIsPrinted() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "in.json",
      """
      {"name": "In", "steps": [
        {"signIn": "sample"}, {"expect": {"screen": "feed", "state": {"posts": {"phase": "ready"}}}}, {"advance": "P1D"},
        {"input": "refreshTapped"}, {"expect": {"state": {"posts": {"isRefreshing": false}}}}
      ]}
      """)
    let lines = try await scenario("run", folder.path + "/in.json").output.split(separator: "\n").map(String.init)
    #expect(lines.contains("  0d 00:00:00  screen   login"))
    #expect(lines.contains("  0d 00:00:00  state    login.work = “sampleAccount”"))
    #expect(lines.contains("  1d 00:00:00  state    feed.posts.isRefreshing = true"))
    #expect(lines.contains("  1d 00:00:00  state    feed.posts.isRefreshing = false"))
  }

  @Test(arguments: [
    (#"{"name": "x", "steps": [}"#, "line 1, column 25: "),
    (
      "{\"name\": \"x\",\n \"steps\": [{\"tab\": \"homme\"}]}",
      "line 2, column 20: expected one of “home”, “fanClubs”, “bookmarks”, “account”, found “homme”"
    ),
    (#"{"name": "x", "steps": [{"advance": "a month"}]}"#, "line 1, column 37: expected an ISO 8601 duration such as P1M, P3D or PT30S"),
    (#"{"name": "x", "steps": [{"link": "a", "back": true}]}"#, "line 1, column 25: expected a step with one of signIn, link, "),
    (#"{"name": "x", "steps": [{"input": "a", "wiht": "b"}]}"#, "line 1, column 40: there is no “wiht” here; did you mean “with”?"),
    (#"{"name": "x", "steps": [{"expect": {"screne": "feed"}}]}"#, "line 1, column 37: there is no “screne” here; did you mean “screen”?"),
    (#"{"name": "x", "steps": [{"faults": [{"fault": "dorp"}]}]}"#, "line 1, column 47: expected one of “refuse”, “drop”"),
    (#"{"name": "x", "steps": [{"signIn": "me"}]}"#, "line 1, column 36: expected one of “sample”, “other”, found “me”"),
    (#"{"name": "x", "steps": [{"restart": "off"}]}"#, "line 1, column 37: expected one of “quit”, “kill”, “reboot”, “newMachine”, found"),
    (
      #"{"name": "x", "origin": "https://o.example/", "steps": []}"#,
      "line 1, column 25: expected an origin such as https://example.org, found “https://o.example/”"
    ),
    (#"{"steps": []}"#, "line 1, column 1: “name” is missing"),
  ])
  func aBadFileIsRefusedWithItsPlace(_ text: String, _ problem: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write("bad.json", text)
    let outcome = try await scenario("run", folder.path + "/bad.json")
    #expect(outcome.status == 2)
    #expect(outcome.output.hasPrefix("matinee-scenario: \(folder.path)/bad.json, \(problem)"), "\(outcome.output)")
  }

  @Test func aFileThatItNamesCannotBeRead() async throws {
    let folder = try TemporaryFolder()
    try folder.write("shop.json", "{\"name\": \"x\",\n  \"stubProducts\": \"..\", \"steps\": []}")
    let outcome = try await scenario("run", folder.path + "/shop.json")
    #expect(outcome.status == 2)
    #expect(outcome.output == "matinee-scenario: \(folder.path)/shop.json, line 2, column 19: “..” cannot be read: Is a directory\n")
  }

  @Test func mistakesOnTheCommandLine() async throws {
    #expect(try await scenario().status == 2)
    #expect(
      try await scenario("play").output == "matinee-scenario: “play” is no command.\nmatinee-scenario: See matinee-scenario --help.\n")
    #expect(
      try await scenario("run", "/nowhere/x.json").output
        == "matinee-scenario: /nowhere/x.json cannot be read: No such file or directory\n")
    #expect(try await scenario("--help").output.hasPrefix("usage: matinee-scenario run"))
  }
}

private final class TemporaryFolder: Sendable {
  let path = NSTemporaryDirectory() + "scenario-test-" + UUID().uuidString
  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: path) }
  func write(_ name: String, _ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name)) }
}
