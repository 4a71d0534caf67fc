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

  private func transport(_ rules: FaultPlan.FaultRule..., seed: UInt64 = 1) -> FaultTransport {
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
        {"fault": "refuse"}, {"fault": "corrupt"}, {"fault": "truncate", "bytes": 10},
        {"fault": "status", "status": 403, "body": "no"}
      ]}
      """
    let expected = FaultPlan(
      seed: 7,
      rules: [
        .init(.status(503), method: .put, path: "/v1/posts/", count: 2), .init(.delay(.milliseconds(500)), path: "/v1/session"),
        .init(.drop, skip: 1, probability: 0.5), .init(.refuse), .init(.corrupt), .init(.truncate(10)),
        .init(.status(403, body: "no")),
      ])
    #expect(try FaultPlan(json: Data(json.utf8), file: "f") == expected)
  }

  @Test(arguments: [
    ("{\"rules\": [\n  {\"fault\": refuse}\n]}", "line 2, column 13: expected a value for “fault”, found “refuse”"),
    ("{\"rules\": [", "line 1, column 12: expected a value or “]”, found the end of the file"),
    ("", "line 1, column 1: expected a value, found the end of the file"), ("[]", "line 1, column 1: expected an object, found a list"),
    ("{}", "line 1, column 1: “rules” is missing"),
    ("{\"rules\": [], \"sed\": 1}", "line 1, column 15: there is no “sed” here; did you mean “seed”?"),
    ("{\"rules\": [], \"seed\": -1}", "line 1, column 23: expected a whole number from 0 to 18446744073709551615, found -1"),
    ("{\"rules\": [], \"seed\": true}", "line 1, column 23: expected a whole number, found true"),
    ("{\"rules\": [{\"fault\": \"drop\"},\n 1]}", "line 2, column 2: expected an object, found 1"),
    ("{\"rules\": [{}]}", "line 1, column 12: “fault” is missing"),
    (
      "{\"rules\": [{\"fault\": \"dorp\"}]}",
      "line 1, column 22: expected one of “refuse”, “drop”, “delay”, “truncate”, “corrupt”, “status”, found “dorp”; did you mean “drop”?"
    ),
    ("{\"rules\": [{\"fault\": \"delay\"}]}", "line 1, column 12: “seconds” is missing"),
    (
      "{\"rules\": [{\"fault\": \"drop\", \"seconds\": 1}]}",
      "line 1, column 30: there is no “seconds” here; there can be “count”, “fault”, “method”, “path”, “probability”, “skip”"
    ), ("{\"rules\": [{\"fault\": \"drop\", \"skip\": true}]}", "line 1, column 38: expected a whole number, found true"),
    ("{\"rules\": [{\"fault\": \"drop\", \"skip\": -1}]}", "line 1, column 38: expected a whole number from 0, found -1"),
    ("{\"rules\": [{\"fault\": \"status\", \"status\": 99}]}", "line 1, column 42: expected a status from 100 to 599, found 99"),
    ("{\"rules\": [{\"fault\": \"status\", \"status\": 500.5}]}", "line 1, column 42: expected a whole number, found 500.5"),
    ("{\"rules\": [{\"fault\": \"drop\", \"probability\": 2}]}", "line 1, column 45: expected a number from 0 to 1, found 2.0"),
    (
      "{\"rules\": [{\"fault\": \"drop\", \"method\": \"put\"}]}",
      "line 1, column 40: expected one of “GET”, “POST”, “PUT”, “DELETE”, “HEAD”, found “put”; did you mean “PUT”?"
    ), ("{\"rules\": [{\"fault\": \"drop\", \"cuont\": 1}]}", "line 1, column 30: there is no “cuont” here; did you mean “count”?"),
  ]) func saysWhereAPlanIsWrong(_ json: String, _ message: String) {
    let error = #expect(throws: LocatedJSON.Failure.self) { try FaultPlan(json: Data(json.utf8), file: "f") }
    #expect(error?.description == "f, " + message)
  }
}
