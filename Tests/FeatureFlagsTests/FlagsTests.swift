import FeatureFlags
import Foundation
import Runtime
import SQLiteStorage
import Testing

/// What a flag answers, and when.
@MainActor @Suite struct FlagsTests {
  private let server = Server()
  private let flag = Flag("new")
  private let standardOn = Flag("kept", defaultValue: true)

  @Test func withoutAServerTheStandardHolds() async throws {
    server.with { $0.failure = .unreachable }
    let run = try Run(server)
    await run.start("reader")
    #expect(!run.flags.isOn(flag))
    #expect(run.flags.isOn(standardOn))
    await run.settle()
    #expect(run.problems.all.isEmpty, "being offline is no problem")
    #expect(server.taken("reader").isEmpty, "who is in no roll-out is counted nowhere")
  }

  @Test func withNobodyInTheStandardHolds() async throws {
    try server.set("new", 100)
    let run = try Run(server)
    await run.start()
    #expect(!run.flags.isOn(flag))
    run.flags.begin("reader")
    #expect(run.flags.isOn(flag))
  }

  @Test func aPercentageDividesTheUsers() async throws {
    try server.set("new", 50)
    for variant in Variant.allCases {
      let run = try Run(server)
      let user = try user(variant, of: "new")
      await run.start(user)
      #expect(run.flags.isOn(flag) == (variant == .on))
      await run.settle()
      #expect(server.taken(user) == ["exposed new=\(variant.rawValue)"])
    }
  }

  @Test(
    arguments: [
      ("1.9", [], false), ("1.10", [], false), ("1.10", ["a"], false), ("1.9", ["a", "b"], false), ("1.10", ["a", "b"], true),
      ("2.0", ["a", "b", "c"], true), ("1.10-beta", ["a", "b"], false),
    ] as [(String, [String], Bool)])
  func aRuleIsForClientsThatCan(version: String, features: [String], isOn: Bool) async throws {
    try server.set("new", 100, from: "1.10", features: ["a", "b"])
    let run = try Run(server, version: version, features: Set(features))
    await run.start("reader")
    #expect(run.flags.isOn(flag) == isOn)
    await run.settle()
    #expect(server.with { $0.requested.first?.features } == Set(features))
    #expect(server.taken("reader").isEmpty == !isOn, "who cannot is on no side")
  }

  @Test func anAnswerHoldsForTheSessionAndAKillSwitchWinsInTheNext() async throws {
    try server.set("new", 100)
    let run = try Run(server)
    await run.start("reader")
    #expect(run.flags.isOn(flag))
    try server.set("new", 0)
    try server.set("late", 100)
    await run.flags.refresh()
    #expect(run.flags.isOn(flag), "an answer that was given holds")
    #expect(run.flags.isOn(Flag("late")), "what was not asked before follows the new rules")
    run.flags.end()
    run.flags.begin("reader")
    #expect(!run.flags.isOn(flag))
  }

  @Test func aStandardAnswerHoldsToo() async throws {
    let run = try Run(server)
    await run.start("reader")
    #expect(!run.flags.isOn(flag))
    try server.set("new", 100)
    await run.flags.refresh()
    #expect(!run.flags.isOn(flag))
    run.flags.end()
    run.flags.begin("reader")
    #expect(run.flags.isOn(flag))
  }

  @Test func anotherUserHasAnswersOfTheirOwn() async throws {
    try server.set("new", 50)
    let (on, off) = (try user(.on, of: "new"), try user(.off, of: "new"))
    let run = try Run(server)
    await run.start(on)
    #expect(run.flags.isOn(flag))
    run.flags.begin(off)
    #expect(!run.flags.isOn(flag))
  }

  @Test func aSessionBeginsWithFreshRules() async throws {
    let run = try Run(server)
    await run.start("reader")
    #expect(server.with { $0.requested.count } == 1, "they were asked for a moment ago")
    run.flags.end()
    run.clock.advance(by: .seconds(61))
    try server.set("new", 100)
    run.flags.begin("reader")
    await run.settle()
    #expect(server.with { $0.requested.count } == 2)
    #expect(run.flags.isOn(flag))
  }

  @Test func theLastKnownRulesServeAStartWithoutAServer() async throws {
    let folder = try Folder()
    try server.set("new", 100, from: "0.9", features: ["a"])
    let first = try Run(server, path: folder.file, features: ["a"])
    await first.start("reader")
    await first.quit()

    server.with { $0.failure = .unreachable }
    let second = try Run(server, path: folder.file, features: ["a"])
    await second.start("reader")
    #expect(second.flags.isOn(flag))
    // The file is another server's too, and says nothing of it.
    let elsewhere = try Run(server, path: folder.file, features: ["a"], scope: "another")
    await elsewhere.start("reader")
    #expect(!elsewhere.flags.isOn(flag))
    // A client that can less does not follow what one that could more has kept.
    let lesser = try Run(server, path: folder.file)
    await lesser.start("reader")
    #expect(!lesser.flags.isOn(flag))
  }

  @Test func aRuleThatTheServerTookAwayIsForgotten() async throws {
    let folder = try Folder()
    try server.set("new", 100)
    let first = try Run(server, path: folder.file)
    await first.start("reader")
    server.with { $0.rules = [] }
    await first.flags.refresh()
    await first.quit()
    server.with { $0.failure = .unreachable }
    let second = try Run(server, path: folder.file)
    await second.start("reader")
    #expect(!second.flags.isOn(flag))
  }

  @Test func malformedRulesAreReportedAndGiveTheStandard() async throws {
    try server.set("new", 100)
    server.with { $0.malformed = [.init("The flag “kept” is to be on for 200 percent of the readers.")] }
    let run = try Run(server)
    await run.start("reader")
    #expect(run.flags.isOn(flag))
    #expect(run.flags.isOn(standardOn))
    #expect(run.problems.all == ["The flag “kept” is to be on for 200 percent of the readers."])
    server.with { $0.failure = .refused("No.") }
    await run.flags.refresh()
    #expect(run.problems.all.last == "The flags cannot be asked for. No.")
    #expect(run.flags.isOn(flag))
  }

  @Test(
    arguments: [
      ("", 1, nil, []), ("Upper", 1, nil, []), ("a b", 1, nil, []), (String(repeating: "a", count: 65), 1, nil, []), ("a", -1, nil, []),
      ("a", 101, nil, []), ("a", 1, "one", []), ("a", 1, "", []), ("a", 1, nil, ["", "b"]), ("a", 1, nil, ["Ä"]),
    ] as [(String, Int, String?, [String])])
  func whatIsNoRule(name: String, percent: Int, version: String?, features: [String]) {
    #expect(throws: FlagRule.Failure.self) {
      try FlagRule(name: name, percent: percent, minimumVersion: version, features: features)
    }
  }

  @Test func aFileThatSomebodyBentGivesTheStandard() async throws {
    let folder = try Folder()
    try server.set("new", 100)
    try server.set("kept", 0)
    let first = try Run(server, path: folder.file)
    await first.start("reader")
    await first.quit()
    do {
      let connection = try Connection(path: folder.file)
      try connection.execute("UPDATE rule SET percent = 300, min_version = 'x' WHERE name = 'kept'")
    }
    server.with { $0.failure = .unreachable }
    let second = try Run(server, path: folder.file)
    await second.start("reader")
    #expect(second.flags.isOn(flag))
    #expect(second.flags.isOn(standardOn))
    #expect(second.problems.all == ["The flag “kept” is to be on for 300 percent of the readers."])
  }

  @Test func aDamagedFileIsSetAsideAndCountingGoesOn() async throws {
    let folder = try Folder()
    let damaged = Data("this is no database, and never was one; it is longer than a header".utf8)
    try damaged.write(to: URL(fileURLWithPath: folder.file))
    try server.set("new", 100)
    let first = try Run(server, path: folder.file)
    await first.start("reader")
    #expect(first.flags.isOn(flag))
    await first.settle()
    // Killed: nothing closes its session.
    #expect(first.problems.all == ["The file with the flags and what was counted was damaged. It was set aside, and a new one made."])
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file + ".damaged")) == damaged)
    let second = try Run(server, path: folder.file)
    await second.start("reader")
    await second.quit()
    #expect(second.problems.all.isEmpty)
    #expect(server.taken("reader") == ["exposed new=on", "crashed new=on"])
  }

  @Test func aFileThatCannotBeUsedIsReportedAndNothingElseSuffers() async throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(atPath: folder.file, withIntermediateDirectories: true)
    try server.set("new", 100)
    let run = try Run(server, path: folder.file)
    await run.start("reader")
    // As the start of an app and the arrival of its reader do.
    await run.flags.open()
    #expect(run.flags.isOn(flag))
    run.flags.count("paywall_seen")
    await run.quit()
    #expect(run.problems.all.count == 1, "it is said once")
    #expect(run.problems.all.first?.hasPrefix("The flags of earlier runs cannot be read.") == true)
  }
}
