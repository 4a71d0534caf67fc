import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Testing

/// How often things happen in the app, of readers who agreed to that.
@Suite struct AnalyticsTests {
  private let rig: Rig
  private let token: String

  init() async throws {
    rig = try await Rig()
    token = try await rig.signIn()
  }

  private func event(_ name: String, _ detail: String? = nil, after seconds: Double = 0) -> AnalyticsEvent {
    AnalyticsEvent(name: name, detail: detail, date: Rig.start.addingTimeInterval(seconds))
  }

  @discardableResult private func send(
    _ events: [AnalyticsEvent], id: String = UUID().uuidString, token: String? = nil
  ) async throws -> Response {
    await rig.send(
      .post, "/v1/analytics", token: token ?? self.token, body: try Wire.encode(AnalyticsBatch(id: id, events: events)))
  }

  private func counts(_ query: String = "") async throws -> [AnalyticsCount] {
    let response = try await rig.operate(.get, "analytics" + query)
    #expect(response.status == 200)
    return try Wire.decode([AnalyticsCount].self, from: response.body)
  }

  @Test func eventsOfAllReadersAreAddedUpByDay() async throws {
    let other = try await rig.signIn("bo")
    rig.clock.advance(by: .seconds(2 * 86_400))
    try await send([event("screen_seen", "feed"), event("screen_seen", "feed"), event("signed_in")])
    try await send([event("screen_seen", "feed"), event("screen_seen", "feed", after: 86_400)], token: other)
    #expect(
      try await counts() == [
        AnalyticsCount(day: "2024-01-02", name: "screen_seen", detail: "feed", count: 1),
        AnalyticsCount(day: "2024-01-01", name: "screen_seen", detail: "feed", count: 3),
        AnalyticsCount(day: "2024-01-01", name: "signed_in", count: 1),
      ])
    #expect(try await counts("?days=2").map(\.day) == ["2024-01-02"])
  }

  @Test func aBatchThatIsSentAgainIsNotCountedAgain() async throws {
    let id = UUID().uuidString
    for text in [id, id, id.lowercased()] { #expect(try await send([event("signed_in")], id: text).status == 204) }
    #expect(try await counts().map(\.count) == [1])
  }

  /// A clock that is wrong makes no day that is still to come, and none of long ago.
  @Test func aDayIsOneThatCanBeTrue() async throws {
    rig.clock.advance(by: .seconds(80 * 86_400))
    #expect(try await send([event("signed_in", after: 1e10), event("signed_in", after: -1e9)]).status == 204)
    #expect(try await counts("?days=366").map(\.day) == ["2024-03-21", "2024-02-20"])
  }

  @Test(arguments: [
    (AnalyticsBatch(id: "1", events: []), "“id” is no UUID."),
    (
      AnalyticsBatch(id: UUID().uuidString, events: [AnalyticsEvent(name: "Ada Lovelace", date: Rig.start)]),
      "“events[0].name” is no word: that is 1 to 64 of a-z, 0-9, “.”, “_” and “-”."
    ),
    (
      AnalyticsBatch(id: UUID().uuidString, events: [AnalyticsEvent(name: "a", detail: "", date: Rig.start)]),
      "“events[0].detail” is no word: that is 1 to 64 of a-z, 0-9, “.”, “_” and “-”."
    ),
    (
      AnalyticsBatch(id: UUID().uuidString, events: Array(repeating: AnalyticsEvent(name: "a", date: Rig.start), count: 101)),
      "“events” holds 1 to 100 of them."
    ),
  ])
  func whatIsNoEventIsRefused(batch: AnalyticsBatch, sentence: String) async throws {
    let response = await rig.send(.post, "/v1/analytics", token: token, body: try Wire.encode(batch))
    #expect(response.status == 400)
    #expect(try response.problem.title == sentence)
    #expect(try await counts().isEmpty)
  }

  @Test func nobodyCountsWithoutSigningInOrReadsWithoutBeingTheOperator() async throws {
    #expect(await rig.send(.post, "/v1/analytics", body: Data("{}".utf8)).status == 401)
    #expect(await rig.send(.get, "/v1/operator/analytics", token: token).status == 404)
    for days in ["0", "x", "367"] { #expect(try await rig.operate(.get, "analytics?days=\(days)").status == 400) }
  }

  @Test func anEmptyBatchIsNone() async throws {
    let refused = try await send([])
    #expect(refused.status == 400)
    #expect(try refused.problem.title == "“events” holds 1 to 100 of them.")
  }

  @Test func whatOnlyANewerServerCountsIsAccepted() async throws {
    #expect(try await send([event("post_liked"), event("signed_in")]).status == 204)
    #expect(try await counts().map(\.name) == ["signed_in"])
  }

  /// Neither how much, nor in how many words; and what others do is still counted.
  @Test func nobodyFillsTheDisk() async throws {
    for part in 0..<50 { try await send((0..<100).map { event("screen_seen", "word\(part * 100 + $0)") }) }
    #expect(try await counts().count == 501)
    try await send([event("screen_seen", "feed"), event("signed_in")], token: try await rig.signIn("bo"))
    let counted = try await counts()
    #expect(counted.first { $0.detail == "other" && $0.name == "screen_seen" }?.count == 4501)
    #expect(counted.first { $0.name == "signed_in" }?.count == 1)
    #expect(counted.count == 502)
    let refused = try await send([event("signed_in")])
    #expect(refused.status == 429)
    #expect(refused.headers["Retry-After"] == "3600")
    rig.clock.advance(by: .seconds(86_401))
    #expect(try await send([event("signed_in")]).status == 204)
  }

  /// One event a batch is no way around it, and what is old goes a little at a time.
  @Test func batchesAreLimitedToo() async throws {
    for _ in 0..<1000 { try await send([event("signed_in")]) }
    #expect(try await send([event("signed_in")]).status == 429)
    rig.clock.advance(by: .seconds(8 * 86_400))
    for _ in 0..<6 { #expect(try await send([event("signed_in", after: 8 * 86_400)]).status == 204) }
    #expect(try await counts().map(\.count) == [6, 1000])
  }

  @Test func whoIsRemovedLeavesTheSums() async throws {
    try await send([event("signed_in")])
    #expect(try await rig.operate(.delete, "readers/ada@example.org").status == 204)
    #expect(try await counts().map(\.count) == [1])
  }
}
