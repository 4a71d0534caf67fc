import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Testing

/// Switches, and what is counted on each side of them.
@Suite struct FlagTests {
  private func rig(_ flags: FlagRecord...) async throws -> Rig {
    let rig = try await Rig()
    for flag in flags { try await rig.publication.setFlag(flag) }
    return rig
  }

  private func names(_ rig: Rig, _ query: String) async throws -> [String] {
    try await rig.get("/v1/flags?\(query)", nil, as: FlagList.self).flags.map(\.name)
  }

  private func send(_ rig: Rig, _ token: String, _ events: FlagEventRecord...) async throws -> Response {
    await rig.send(.post, "/v1/events", token: token, body: try Wire.encode(FlagEventBatch(events: events)))
  }

  private func event(
    _ kind: String, _ variant: String = "on", code: String? = nil, id: UUID = UUID(), flag: String = "new"
  ) -> FlagEventRecord {
    FlagEventRecord(id: id.uuidString, kind: kind, code: code, buckets: [flag: variant])
  }

  // MARK: Rules

  @Test func aClientGetsTheRulesThatItCanFollow() async throws {
    let rig = try await rig(
      FlagRecord(name: "a.all", percent: 50), FlagRecord(name: "b.later", percent: 10, minVersion: "1.10"),
      FlagRecord(name: "c.able", percent: 100, features: ["x", "y"]),
      FlagRecord(name: "d.both", percent: 0, minVersion: "2.0", features: ["x"]))
    #expect(try await names(rig, "client=1.9") == ["a.all"])
    #expect(try await names(rig, "client=1.10&features=x,y,z") == ["a.all", "b.later", "c.able"])
    #expect(try await names(rig, "client=2.0&features=x") == ["a.all", "b.later", "d.both"])
    #expect(try await names(rig, "client=2.0-beta&features=x") == ["a.all", "b.later"])
    let all = try await rig.get("/v1/flags?client=3", nil, as: FlagList.self)
    #expect(all.flags.first == FlagRecord(name: "a.all", percent: 50, features: []))
    #expect(all.flags.last == FlagRecord(name: "b.later", percent: 10, minVersion: "1.10", features: []))
  }

  @Test(arguments: [
    "", "?client=", "?client=new", "?features=a", "?client=1&features=\((1...101).map { "f\($0)" }.joined(separator: ","))",
  ])
  func aClientThatSaysNothingOfUseIsToldSo(query: String) async throws {
    let response = await (try Rig()).send(.get, "/v1/flags\(query)")
    #expect(response.status == 400)
    #expect(try response.problem.code == .badRequest)
  }

  @Test func aFlagIsSetAgainAsOftenAsOneLikes() async throws {
    let rig = try await rig(FlagRecord(name: "new", percent: 10, minVersion: "1.0", features: ["x"]))
    try await rig.publication.setFlag(FlagRecord(name: "new", percent: 0))
    #expect(try await rig.publication.flags() == [FlagRecord(name: "new", percent: 0, features: [])])
  }

  @Test(arguments: [
    (FlagRecord(name: "New", percent: 1), "“New” is no flag’s name: that is 1 to 64 of a-z, 0-9, “.”, “_” and “-”."),
    (FlagRecord(name: "new", percent: 101), "The flag “new” is to be on for 101 percent of the readers."),
    (FlagRecord(name: "new", percent: -1), "The flag “new” is to be on for -1 percent of the readers."),
    (
      FlagRecord(name: "new", percent: 1, minVersion: "one"),
      "The flag “new” is for versions from “one” on, which is no version."
    ),
    (FlagRecord(name: "new", percent: 1, features: ["a,b"]), "The flag “new” is for clients with “a,b”, which is no feature’s name."),
  ])
  func aRuleThatMakesNoSenseIsRefused(flag: FlagRecord, sentence: String) async throws {
    let rig = try await Rig()
    let problem = await #expect(throws: Problem.self) { try await rig.publication.setFlag(flag) }
    #expect(problem?.title == sentence)
    #expect(try await rig.publication.flags().isEmpty)
  }

  // MARK: Events

  @Test func whatHappensIsCountedBySide() async throws {
    let rig = try await rig(FlagRecord(name: "new", percent: 50), FlagRecord(name: "other", percent: 50))
    let (ada, bo) = (try await rig.signIn("ada"), try await rig.signIn("bo"))
    let both = FlagEventRecord(
      id: UUID().uuidString, kind: "failed", code: "declined", buckets: ["new": "on", "other": "off", "unknown": "on"])
    #expect(
      try await send(rig, ada, event("exposed"), event("paywall_seen"), both, event("bought"), event("failed", code: "declined")).status
        == 204)
    #expect(try await send(rig, ada, event("exposed"), event("paywall_seen"), event("failed", code: "http.500")).status == 204)
    #expect(try await send(rig, bo, event("exposed", "off"), event("crashed", "off"), event("from_the_future", "off")).status == 204)
    var on = FlagReport.Bucket(variant: "on")
    (on.readers, on.sessions, on.paywallsSeen, on.bought, on.failed) = (1, 2, 2, 1, ["declined": 2, "http.500": 1])
    var off = FlagReport.Bucket(variant: "off")
    (off.readers, off.sessions, off.crashes) = (1, 1, 1)
    #expect(try await rig.publication.flagReport("new").buckets == [on, off])
    #expect(try await rig.publication.flagReport("other").buckets.map(\.failed) == [[:], ["declined": 1]])
    let problem = await #expect(throws: Problem.self) { try await rig.publication.flagReport("unknown") }
    #expect(problem?.code == .notFound)
  }

  @Test func whatIsSentAgainCountsOnce() async throws {
    let rig = try await rig(FlagRecord(name: "new", percent: 50))
    let (ada, bo) = (try await rig.signIn("ada"), try await rig.signIn("bo"))
    let id = UUID()
    for text in [id.uuidString, id.uuidString.lowercased()] {
      var event = event("bought", id: id)
      event.id = text
      #expect(try await send(rig, ada, event, event).status == 204)
    }
    #expect(try await rig.publication.flagReport("new").buckets.map(\.bought) == [1, 0])
    // Nobody can take another's count away by knowing its identifier.
    #expect(try await send(rig, bo, event("bought", id: id)).status == 204)
    #expect(try await rig.publication.flagReport("new").buckets.map(\.bought) == [2, 0])
  }

  @Test func malformedEventsAreRefusedAndNothingOfThemIsCounted() async throws {
    let rig = try await rig(FlagRecord(name: "new", percent: 50))
    let token = try await rig.signIn()
    var odd = event("bought")
    odd.id = "1"
    let cases: [(FlagEventRecord, String)] = [
      (odd, "“events[1].id” is no UUID."), (event("Bought!"), "“events[1].kind” is no word."),
      (event("failed"), "“events[1].code” is missing: it says why a purchase failed."),
      (
        event("failed", code: "It broke"),
        "“events[1].code” is no code: that is 1 to 64 of a-z, 0-9, “.”, “_” and “-”."
      ),
      (event("bought", "maybe"), "“events[1].buckets” has a side that is neither on nor off."),
      (event("bought", flag: "N"), "“events[1].buckets” names what is no flag, or more than 50."),
    ]
    for (wrong, sentence) in cases {
      let response = try await send(rig, token, event("bought"), wrong)
      #expect(response.status == 400)
      #expect(try response.problem.title == sentence)
    }
    let many = FlagEventBatch(events: (0...FlagEventBatch.limit).map { _ in event("bought") })
    #expect(await rig.send(.post, "/v1/events", token: token, body: try Wire.encode(many)).status == 400)
    #expect(await rig.send(.post, "/v1/events", token: token, body: Data(#"{"events": [{"id": 1}]}"#.utf8)).status == 400)
    #expect(await rig.send(.post, "/v1/events", body: try Wire.encode(FlagEventBatch(events: []))).status == 401)
    #expect(try await rig.publication.flagReport("new").buckets.map(\.bought) == [0, 0])
  }

  @Test func aReaderCountsOnlySoMuchADay() async throws {
    let rig = try await rig(FlagRecord(name: "new", percent: 50))
    let token = try await rig.signIn()
    for _ in 0..<20 {
      let batch = FlagEventBatch(events: (0..<FlagEventBatch.limit).map { _ in event("paywall_seen") })
      #expect(await rig.send(.post, "/v1/events", token: token, body: try Wire.encode(batch)).status == 204)
    }
    let response = try await send(rig, token, event("bought"))
    #expect(response.status == 429)
    #expect(response.headers["Retry-After"] == "3600")
    #expect(try await send(rig, try await rig.signIn("bo"), event("bought")).status == 204)
    rig.clock.advance(by: .seconds(86_401))
    #expect(try await send(rig, token, event("bought")).status == 204)
  }

  /// Nobody knows that a reader did something on some day of last year, and no event takes longer for those before it.
  @Test func whatWasCountedIsForgottenAndStaysCounted() async throws {
    let rig = try await rig(FlagRecord(name: "new", percent: 50))
    let (ada, bo) = (try await rig.signIn("ada"), try await rig.signIn("bo"))
    #expect(try await send(rig, ada, event("exposed"), event("bought"), event("failed", code: "declined")).status == 204)
    #expect(try await rig.publication.rows("flag_event") == 3)
    rig.clock.advance(by: .seconds(30 * 86_400))
    #expect(try await send(rig, bo, event("bought")).status == 204)
    #expect(try await rig.publication.rows("flag_event") == 4)
    rig.clock.advance(by: .seconds(1))
    #expect(try await send(rig, bo, event("bought")).status == 204)
    #expect(try await rig.publication.rows("flag_event") == 2)
    let on = try #require(try await rig.publication.flagReport("new").buckets.first)
    #expect((on.readers, on.sessions, on.bought, on.failed) == (2, 1, 3, ["declined": 1]))
  }

  @Test func nothingIsCountedForNothing() async throws {
    let rig = try await rig(FlagRecord(name: "new", percent: 50))
    let token = try await rig.signIn()
    for _ in 0..<20 {
      let batch = FlagEventBatch(events: (0..<FlagEventBatch.limit).map { _ in event("paywall_seen") })
      #expect(await rig.send(.post, "/v1/events", token: token, body: try Wire.encode(batch)).status == 204)
    }
    // Not even whether there were too many.
    #expect(try await send(rig, token).status == 204)
    #expect(try await send(rig, token, event("bought")).status == 429)
  }

  /// The reasons of failures are words of clients, and anybody may write one.
  @Test func inventedReasonsBecomeOne() async throws {
    let rig = try await rig(FlagRecord(name: "new", percent: 50))
    let token = try await rig.signIn()
    #expect(try await send(rig, token, event("failed", code: "declined")).status == 204)
    for part in 0..<6 {
      let events = (0..<FlagEventBatch.limit).map { event("failed", code: "made.up.\(part).\($0)") }
      #expect(await rig.send(.post, "/v1/events", token: token, body: try Wire.encode(FlagEventBatch(events: events))).status == 204)
    }
    #expect(try await send(rig, token, event("failed", code: "declined"), event("bought")).status == 204)
    let on = try #require(try await rig.publication.flagReport("new").buckets.first)
    #expect(on.failed["declined"] == 2 && on.bought == 1)
    #expect(on.failed.values.reduce(0, +) == 602 && on.failed["other"] == 101)
    #expect(try await rig.publication.rows("flag_count") == 502)
  }

  // MARK: The operator

  @Test func theOperatorTurnsSwitchesWhileItRuns() async throws {
    let rig = try await Rig()
    let secret = try await rig.publication.newOperatorToken()
    let rule = try Wire.encode(FlagRuleRequest(percent: 50, minVersion: "1.2", features: ["x"]))
    #expect(await rig.send(.put, "/v1/operator/flags/new", token: secret, body: rule).status == 200)
    let wrong = await rig.send(.put, "/v1/operator/flags/new", token: secret, body: Data(#"{"percent": 500}"#.utf8))
    #expect(wrong.status == 400)
    #expect(
      try await rig.get("/v1/operator/flags", secret, as: FlagList.self).flags
        == [FlagRecord(name: "new", percent: 50, minVersion: "1.2", features: ["x"])])
    #expect(try await rig.get("/v1/operator/flags/new", secret, as: FlagReport.self).buckets.map(\.variant) == ["on", "off"])
    #expect(await rig.send(.get, "/v1/operator/flags/none", token: secret).status == 404)
  }
}
