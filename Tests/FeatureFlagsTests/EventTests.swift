import FeatureFlags
import Foundation
import Runtime
import SQLiteStorage
import Testing

/// What is counted, and how often.
@MainActor @Suite struct EventTests {
  private let server = Server()
  private let flag = Flag("new")

  @Test func exposuresAreCountedOncePerFlagUserAndSession() async throws {
    try server.set("new", 100)
    try server.set("other", 0)
    let run = try Run(server)
    await run.start("reader")
    for _ in 0..<3 { _ = run.flags.isOn(flag) }
    _ = run.flags.isOn(Flag("other"))
    run.flags.begin("reader")
    _ = run.flags.isOn(flag)
    await run.settle()
    #expect(server.taken("reader") == ["exposed new=on", "exposed other=off"])
    run.flags.begin("second")
    _ = run.flags.isOn(flag)
    await run.settle()
    #expect(server.taken("second") == ["exposed new=on"])
    run.flags.begin("reader")
    _ = run.flags.isOn(flag)
    await run.settle()
    #expect(server.taken("reader") == ["exposed new=on", "exposed other=off", "exposed new=on"])
  }

  @Test func whatHappensIsCountedInTheBucketsOfTheSession() async throws {
    try server.set("new", 100)
    try server.set("other", 0)
    let run = try Run(server)
    await run.start("reader")
    run.flags.count("paywall_seen")
    _ = run.flags.isOn(flag)
    run.flags.count("paywall_seen")
    _ = run.flags.isOn(Flag("other"))
    run.flags.count("failed", code: "declined")
    await run.settle()
    #expect(
      server.taken("reader") == [
        "exposed new=on", "paywall_seen new=on", "exposed other=off", "failed declined new=on other=off",
      ])
  }

  @Test func theEndOfWhatBeganEarlierCountsWhereItBegan() async throws {
    let folder = try Folder()
    let clock = ManualClock()
    try server.set("new", 100)
    let first = try Run(server, path: folder.file, clock: clock)
    await first.start("reader")
    _ = first.flags.isOn(flag)
    clock.advance(by: .seconds(5))
    let begun = clock.now
    await first.quit()

    clock.advance(by: .seconds(60))
    try server.set("new", 0)
    let second = try Run(server, path: folder.file, clock: clock)
    await second.start("reader")
    #expect(!second.flags.isOn(flag))
    let id = UUID()
    // Told twice: by the journal at this start, and at the next.
    second.flags.count("bought", id: id, of: "reader", begun: begun)
    second.flags.count("bought", id: id, of: "reader", begun: begun)
    second.flags.count("bought", id: UUID(), of: "reader", begun: clock.now)
    second.flags.count("bought", id: UUID(), of: "nobody", begun: begun)
    await second.settle()
    #expect(server.taken("reader") == ["exposed new=on", "exposed new=off", "bought new=on", "bought new=off"])
    second.flags.count("bought", id: id, of: "reader", begun: begun)
    await second.settle()
    #expect(server.taken("reader").count == 4)
  }

  // MARK: Durable

  @Test func eventsAreKeptUntilTheServerTookThem() async throws {
    let folder = try Folder()
    try server.set("new", 100)
    let first = try Run(server, path: folder.file)
    await first.start("reader")
    server.with { $0.failure = .unreachable }
    _ = first.flags.isOn(flag)
    first.flags.count("paywall_seen")
    await first.quit()
    #expect(server.taken("reader").isEmpty)

    // Somebody else's stay where they are.
    server.with { $0.failure = nil }
    let second = try Run(server, path: folder.file)
    await second.start("another")
    #expect(server.taken("another").isEmpty && server.taken("reader").isEmpty)
    second.flags.begin("reader")
    await second.settle()
    #expect(server.taken("reader") == ["exposed new=on", "paywall_seen new=on"])
  }

  @Test func anAnswerThatGetsLostCountsNothingTwice() async throws {
    try server.set("new", 100)
    let run = try Run(server)
    await run.start("reader")
    server.with { $0.losesAnswers = true }
    _ = run.flags.isOn(flag)
    await run.settle()
    server.with { $0.losesAnswers = false }
    run.flags.count("paywall_seen")
    await run.settle()
    #expect(server.with { $0.batches.count } > 1)
    #expect(server.taken("reader") == ["exposed new=on", "paywall_seen new=on"])
  }

  @Test func whatTheServerNeverTakesIsReportedAndStopsNothing() async throws {
    try server.set("new", 100)
    let run = try Run(server)
    await run.start("reader")
    server.with { $0.failure = .refused("It is wrong.") }
    _ = run.flags.isOn(flag)
    await run.settle()
    #expect(run.problems.all == ["What was counted is not taken. It is wrong."])
    server.with { $0.failure = nil }
    run.flags.count("paywall_seen")
    await run.settle()
    #expect(server.taken("reader") == ["paywall_seen new=on"])
  }

  @Test func onlySoMuchIsKept() async throws {
    try server.set("new", 100)
    let run = try Run(server)
    await run.start("reader")
    server.with { $0.failure = .unreachable }
    _ = run.flags.isOn(flag)
    for number in 1...600 { run.flags.count("failed", code: "code-\(number)") }
    await run.settle()
    server.with { $0.failure = nil }
    run.flags.send()
    await run.settle()
    let taken = server.taken("reader")
    #expect(taken.count == 500)
    #expect(taken.first == "failed code-101 new=on")
    #expect(taken.last == "failed code-600 new=on")
    #expect(server.with { $0.batches.allSatisfy { $0.count <= 50 } })
  }

  // MARK: Crashes

  @Test func aSessionThatWasNotClosedCountsOnce() async throws {
    let folder = try Folder()
    try server.set("new", 100)
    let killed = try Run(server, path: folder.file)
    await killed.start("reader")
    _ = killed.flags.isOn(flag)
    await killed.settle()
    // Nobody says that it ended.
    for _ in 0..<3 {
      let run = try Run(server, path: folder.file)
      await run.start("reader")
      await run.quit()
    }
    #expect(server.taken("reader") == ["exposed new=on", "crashed new=on"])
  }

  @Test func aSessionThatEndedAsItShouldDoesNotCount() async throws {
    let folder = try Folder()
    try server.set("new", 100)
    let first = try Run(server, path: folder.file)
    await first.start("reader")
    _ = first.flags.isOn(flag)
    // Signed out; somebody else signs in, and quits.
    first.flags.end()
    first.flags.begin("second")
    _ = first.flags.isOn(flag)
    await first.quit()
    let second = try Run(server, path: folder.file)
    await second.start("reader")
    second.flags.begin("second")
    await second.settle()
    #expect(server.taken("reader") == ["exposed new=on"])
    #expect(server.taken("second") == ["exposed new=on"])
  }

  @Test func onlyTheSessionThatRanIsCounted() async throws {
    let folder = try Folder()
    try server.set("new", 100)
    let killed = try Run(server, path: folder.file)
    await killed.start("first")
    _ = killed.flags.isOn(flag)
    killed.flags.begin("second")
    _ = killed.flags.isOn(flag)
    await killed.settle()
    let run = try Run(server, path: folder.file)
    await run.start("first")
    run.flags.begin("second")
    await run.settle()
    #expect(server.taken("first") == ["exposed new=on"])
    #expect(server.taken("second") == ["exposed new=on", "crashed new=on"])
  }

  @Test func aSessionThatAskedForNoFlagCountsNowhere() async throws {
    let folder = try Folder()
    let killed = try Run(server, path: folder.file)
    await killed.start("reader")
    let run = try Run(server, path: folder.file)
    await run.start("reader")
    #expect(server.taken("reader").isEmpty)
  }

  @Test func foldersDoNotDisturbEachOther() async throws {
    let (one, other) = (try Folder(), try Folder())
    try server.set("new", 100)
    let running = try Run(server, path: one.file)
    await running.start("reader")
    _ = running.flags.isOn(flag)
    await running.settle()
    let beside = try Run(server, path: other.file)
    await beside.start("reader")
    await beside.quit()
    #expect(server.taken("reader") == ["exposed new=on"], "one that still runs is no crash for another")
    await running.quit()
  }
}
