import Foundation
import HTTPTransport
import Runtime
import Synchronization
import Testing

@Suite struct FaultTransportTests {
  /// Answers everything and counts.
  private final class Backend: Transport {
    let body = Data((0..<64).map { $0 })
    let targets = Mutex<[String]>([])
    var count: Int { targets.withLock { $0.count } }
    func send(_ request: Request) async throws -> Response {
      targets.withLock { $0.append(request.target) }
      return Response(200, body: body)
    }
  }

  private let backend = Backend()
  private let clock = ManualClock()

  private func transport(_ rules: FaultPlan.Rule..., seed: UInt64 = 1) -> FaultTransport {
    FaultTransport(backend, plan: FaultPlan(seed: seed, rules: rules), clock: clock)
  }

  @Test func withoutRulesNothingGoesWrong() async throws {
    #expect(try await transport().send(Request(.get, "/")) == Response(200, body: backend.body))
  }

  @Test func refusedRequestNeverArrives() async {
    await #expect(throws: TransportError.unreachable("refused by the fault plan")) {
      try await transport(.init(.refuse)).send(Request(.get, "/"))
    }
    #expect(backend.count == 0)
  }

  @Test func droppedRequestArrivesAndItsAnswerIsLost() async {
    await #expect(throws: TransportError.cutShort("dropped by the fault plan")) {
      try await transport(.init(.drop)).send(Request(.post, "/"))
    }
    #expect(backend.count == 1)
  }

  @Test func statusIsAnsweredWithoutAsking() async throws {
    #expect(try await transport(.init(.status(503))).send(Request(.get, "/")) == Response(503))
    #expect(backend.count == 0)
  }

  @Test func truncatedBodyEndsEarly() async throws {
    #expect(try await transport(.init(.truncate(3))).send(Request(.get, "/")).body == Data([0, 1, 2]))
    #expect(try await transport(.init(.truncate(300))).send(Request(.get, "/")).body == backend.body)
  }

  @Test func corruptBodyDiffersInTheSameWayForTheSameSeed() async throws {
    let first = try await transport(.init(.corrupt)).send(Request(.get, "/")).body
    #expect(first != backend.body)
    #expect(first.count == backend.body.count)
    #expect(try await transport(.init(.corrupt)).send(Request(.get, "/")).body == first)
    #expect(try await transport(.init(.corrupt), seed: 2).send(Request(.get, "/")).body != first)
  }

  @Test func delaysAddUpBeforeWhatElseHappens() async throws {
    let transport = transport(.init(.delay(.seconds(2))), .init(.status(500)), .init(.delay(.seconds(3))))
    let task = Task { try await transport.send(Request(.get, "/")) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(4))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    #expect(try await task.value.status == 500)
  }

  @Test func delayCanBeCancelled() async {
    let transport = transport(.init(.delay(.seconds(2))))
    let task = Task { try await transport.send(Request(.get, "/")) }
    await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(backend.count == 0)
  }

  @Test func methodPathSkipAndCountLimitARule() async throws {
    let transport = transport(.init(.status(500), method: .put, path: "/v1/posts/", skip: 1, count: 2))
    var statuses: [Int] = []
    for request in [
      Request(.get, "/v1/posts/1"), Request(.put, "/v1/orders/1"), Request(.put, "/v1/posts/1"), Request(.put, "/v1/posts/2"),
      Request(.get, "/v1/posts/1"), Request(.put, "/v1/posts/3"), Request(.put, "/v1/posts/4"),
    ] { statuses.append(try await transport.send(request).status) }
    #expect(statuses == [200, 200, 200, 500, 200, 500, 200])
  }

  @Test func firstRuleThatHitsDecides() async throws {
    let transport = transport(.init(.status(500), count: 1), .init(.status(503)))
    #expect(try await transport.send(Request(.get, "/")).status == 500)
    #expect(try await transport.send(Request(.get, "/")).status == 503)
  }

  @Test func chanceFollowsTheSeed() async throws {
    func pattern(_ seed: UInt64) async throws -> [Int] {
      let transport = transport(.init(.status(500), probability: 0.5), seed: seed)
      var statuses: [Int] = []
      for _ in 0..<200 { statuses.append(try await transport.send(Request(.get, "/")).status) }
      return statuses
    }
    let first = try await pattern(1)
    #expect(try await pattern(1) == first)
    #expect(try await pattern(2) != first)
    #expect((70...130).contains(first.count { $0 == 500 }))
    let never = transport(.init(.refuse, probability: 0))
    #expect(try await never.send(Request(.get, "/")).status == 200)
  }

  @Test func newPlanCountsAnew() async throws {
    let transport = transport(.init(.status(500), count: 1))
    #expect(try await transport.send(Request(.get, "/")).status == 500)
    #expect(try await transport.send(Request(.get, "/")).status == 200)
    transport.plan = FaultPlan(rules: [.init(.status(500), count: 1)])
    #expect(try await transport.send(Request(.get, "/")).status == 500)
  }
}

@Suite struct FaultPlanTests {
  @Test func readsEveryKindOfRule() throws {
    let json = """
      {"seed": 7, "rules": [
        {"fault": "status", "status": 503, "method": "PUT", "path": "/v1/posts/", "count": 2},
        {"fault": "delay", "seconds": 0.5, "path": "/v1/session"},
        {"fault": "drop", "skip": 1, "probability": 0.5},
        {"fault": "refuse"}, {"fault": "corrupt"}, {"fault": "truncate", "bytes": 10}
      ]}
      """
    let expected = FaultPlan(
      seed: 7,
      rules: [
        .init(.status(503), method: .put, path: "/v1/posts/", count: 2), .init(.delay(.milliseconds(500)), path: "/v1/session"),
        .init(.drop, skip: 1, probability: 0.5), .init(.refuse), .init(.corrupt), .init(.truncate(10)),
      ])
    #expect(try FaultPlan(json: Data(json.utf8)) == expected)
  }

  @Test(arguments: [
    ("{\"rules\": [\n  {\"fault\": refuse}\n]}", "line 2, column 13: Invalid value"),
    ("{\"rules\": [", "line 1, column 12: Unexpected end of file during JSON parse."),
    ("", "line 1, column 1: Unexpected end of file during JSON parse."), ("[]", "the plan is no object"),
    ("{}", "the plan: \"rules\" is a list"), ("{\"rules\": [], \"sed\": 1}", "the plan: there is no field \"sed\""),
    ("{\"rules\": [], \"seed\": -1}", "the plan: \"seed\" is a whole number from 0"),
    ("{\"rules\": [], \"seed\": true}", "the plan: \"seed\" is a whole number from 0"),
    ("{\"rules\": [{\"fault\": \"drop\"}, 1]}", "rule 2 is no object"), ("{\"rules\": [{}]}", "rule 1: \"fault\" is missing"),
    (
      "{\"rules\": [{\"fault\": \"dorp\"}]}",
      "rule 1: there is no fault \"dorp\"; there are refuse, drop, delay, truncate, corrupt and status"
    ), ("{\"rules\": [{\"fault\": 1}]}", "rule 1: \"fault\" is text"),
    ("{\"rules\": [{\"fault\": \"delay\"}]}", "rule 1: \"seconds\" is missing"),
    ("{\"rules\": [{\"fault\": \"drop\", \"seconds\": 1}]}", "rule 1: \"seconds\" does not go with \"drop\""),
    ("{\"rules\": [{\"fault\": \"drop\", \"skip\": true}]}", "rule 1: \"skip\" is a whole number from 0"),
    ("{\"rules\": [{\"fault\": \"status\", \"status\": 99}]}", "rule 1: \"status\" is a whole number from 100 to 599"),
    ("{\"rules\": [{\"fault\": \"status\", \"status\": 500.5}]}", "rule 1: \"status\" is a whole number from 100 to 599"),
    ("{\"rules\": [{\"fault\": \"drop\", \"probability\": 2}]}", "rule 1: \"probability\" is a number from 0 to 1"),
    ("{\"rules\": [{\"fault\": \"drop\", \"method\": \"put\"}]}", "rule 1: there is no method \"put\""),
    ("{\"rules\": [{\"fault\": \"drop\", \"cuont\": 1}]}", "rule 1: there is no field \"cuont\""),
  ]) func saysWhereAPlanIsWrong(_ json: String, _ message: String) {
    let error = #expect(throws: FaultPlan.Invalid.self) { try FaultPlan(json: Data(json.utf8)) }
    #expect(error?.description == message)
  }
}
