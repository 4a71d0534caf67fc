import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import Synchronization
import Testing

@testable import PublicationServer

/// How many requests of one reader are worked on at a time.
@Suite struct RequestTurnsTests {
  /// Holds whoever comes until it is opened.
  private final class Door: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]?>([])

    func pass() async {
      await withCheckedContinuation { continuation in
        let isOpen = waiting.withLock { waiting in
          waiting?.append(continuation)
          return waiting == nil
        }
        if isOpen { continuation.resume() }
      }
    }

    func open() { for continuation in waiting.withLock({ $0.take() }) ?? [] { continuation.resume() } }
  }

  /// However a client writes the field.
  @Test func aTokenIsOneSession() throws {
    let digests = try ["Bearer abc", "bearer abc", "Bearer    abc ", "BEARER abc"].map {
      try Publication.tokenDigest(Request(.get, "/", headers: ["Authorization": $0]))
    }
    #expect(Set(digests).count == 1 && digests[0] != nil)
  }

  /// What came, in its order.
  private final class Record: Sendable {
    private let numbers = Mutex<[Int]>([])
    var all: [Int] { numbers.withLock { $0 } }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
  }

  private func wait(for count: Int, _ turns: RequestTurns, _ session: String) async {
    await until { turns.count(session) >= count }
  }

  /// What the client gets.
  private func answer(_ turns: RequestTurns, _ work: () async -> Response) async -> Response {
    do { return try await turns.take("a", work) } catch { return (error as? Refusal)?.response ?? Response(500) }
  }

  @Test func eightAtATimeAndTheRestInOrder() async throws {
    let (turns, door, order) = (RequestTurns(), Door(), Record())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<12 {
        group.addTask {
          _ = try await turns.take("a") {
            order.add(number)
            if number < 8 { await door.pass() }
            return Response(200)
          }
        }
        await wait(for: number + 1, turns, "a")
      }
      await until { order.all.count >= 8 }
      #expect(order.all.sorted() == Array(0..<8))
      #expect(try await turns.take("b") { Response(204) }.status == 204)
      door.open()
      try await group.waitForAll()
    }
    #expect(order.all.suffix(4).sorted() == [8, 9, 10, 11])
    #expect(turns.count("a") == 0)
  }

  /// However much long work is under way, others wait for one part of it.
  @Test func longWorkIsDonePartByPartInTurn() async throws {
    let (turns, door, order) = (RequestTurns(1, longestQueue: .max), Door(), Record())
    let working = Record()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for work in 0..<3 {
        group.addTask {
          for _ in 0..<3 {
            try await turns.takePart {
              #expect(working.all.reduce(0, +) == 0)
              working.add(1)
              order.add(work)
              if order.all.count == 1 { await door.pass() }
              working.add(-1)
            }
          }
        }
        await wait(for: work + 1, turns, "")
      }
      door.open()
      try await group.waitForAll()
    }
    #expect(order.all == [0, 1, 2, 0, 1, 2, 0, 1, 2])
    let cancelled = Task { try await turns.takePart { order.add(9) } }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(order.all.count == 9)
  }

  @Test func oneAtATime() async throws {
    let (turns, door, order) = (RequestTurns(1), Door(), Record())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<3 {
        group.addTask {
          _ = try await turns.take("a") {
            order.add(number)
            await door.pass()
            return Response(200)
          }
        }
        await wait(for: number + 1, turns, "a")
      }
      await until { !order.all.isEmpty }
      #expect(try await turns.take("b") { Response(204) }.status == 204)
      #expect(order.all == [0])
      door.open()
      try await group.waitForAll()
    }
    #expect(order.all == [0, 1, 2])
    // What fails gives its turn on as well.
    await #expect(throws: CancellationError.self) { try await turns.take("a") { () async throws -> Response in throw CancellationError() } }
    #expect(turns.count("a") == 0)
  }

  @Test func tooManyAreToldToComeAgain() async throws {
    let (turns, door) = (RequestTurns(), Door())
    await withTaskGroup(of: Int.self) { group in
      let most = RequestTurns.most + RequestTurns.longestQueue
      for number in 1...most {
        group.addTask {
          await answer(turns) {
            await door.pass()
            return Response(200)
          }.status
        }
        await wait(for: number, turns, "a")
      }
      let refused = await answer(turns) { Response(200) }
      #expect(refused.status == 429)
      #expect(refused.headers["Retry-After"] == "1")
      #expect((try? refused.problem.title) == "Too much is asked for at a time in this session. Try again in a moment.")
      door.open()
      #expect(await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) } == most)
    }
    #expect(turns.count("a") == 0)
  }

  @Test func nobodyWorksForAClientThatLeft() async throws {
    let (turns, door) = (RequestTurns(), Door())
    let working = (1...RequestTurns.most).map { _ in
      Task {
        await answer(turns) {
          await door.pass()
          return Response(200)
        }
      }
    }
    await wait(for: RequestTurns.most, turns, "a")
    let left = Task { await answer(turns) { Response(200) } }
    await wait(for: RequestTurns.most + 1, turns, "a")
    left.cancel()
    door.open()
    #expect(await left.value.status == 499)
    for task in working { #expect(await task.value.status == 200) }
  }

  /// However many come, none is sent away; who signs in waits for nobody but those who sign in.
  @Test func strangersTakeTurnsAsWell() async throws {
    let (turns, door, working) = (RequestTurns(longestQueue: .max), Door(), Record())
    let most = RequestTurns.most + RequestTurns.longestQueue + 1
    let all = (1...most).map { number in
      Task {
        await answer(turns) {
          working.add(number)
          await door.pass()
          return Response(200)
        }.status
      }
    }
    await wait(for: most, turns, "a")
    await until { working.all.count >= RequestTurns.most }
    #expect(working.all.count == RequestTurns.most)
    door.open()
    for task in all { #expect(await task.value == 200) }
    for route in Router.publication.routes { #expect(route.takesTurns == (route.pattern != ["v1", "session"] || route.method != .post)) }
  }

  /// Eight readers with 64 requests each would have all connections of a listener. Whoever has the most of them gives way.
  @Test(.timeLimit(.minutes(10))) func whoeverHasTheMostWaitingGivesWay() async throws {
    let (turns, door) = (RequestTurns(1), Door())
    turns.limitWaiting(6)
    @Sendable func answer(_ session: String) async -> Response {
      do {
        return try await turns.take(session) {
          await door.pass()
          return Response(200)
        }
      } catch { return (error as? Refusal)?.response ?? Response(500) }
    }
    var tasks: [String: [Task<Response, Never>]] = [:]
    for (session, count) in [("greedy", 6), ("other", 2)] {
      for number in 1...count {
        tasks[session, default: []].append(Task { await answer(session) })
        await wait(for: number, turns, session)
      }
    }
    // Six wait. Of the next reader's, one is worked on, and for the one that waits the newest of the greedy one's is refused.
    tasks["ada"] = [Task { await answer("ada") }]
    await wait(for: 1, turns, "ada")
    tasks["ada"]?.append(Task { await answer("ada") })
    let refused = try #require(await tasks["greedy"]?.removeLast().value)
    #expect(refused.status == 503)
    #expect(refused.headers["Retry-After"] == "3")
    await wait(for: 2, turns, "ada")
    #expect(turns.count("greedy") == 5 && turns.count("other") == 2)
    // Nor has the greedy one anything of asking again.
    #expect(await answer("greedy").status == 503)
    #expect(turns.count("greedy") == 5 && turns.count("other") == 2 && turns.count("ada") == 2)
    door.open()
    for task in tasks.values.flatMap(\.self) { #expect(await task.value.status == 200) }
    turns.limitWaiting(0)
    #expect(await answer("ada").status == 200, "what need not wait is never refused")
  }

  /// Who has used it tells whose a token is, and it is forgotten with its session.
  @Test func aTokenIsKnownByItsUse() async throws {
    let rig = try await Rig()
    let (token, other) = (try await rig.signIn(), try await rig.signIn())
    func reader(_ token: String) throws -> Reader.ID? {
      try Publication.tokenDigest(Request(.get, "/", headers: ["Authorization": "Bearer \(token)"])).flatMap(
        rig.publication.sessions.reader)
    }
    let id = try await rig.get("/v1/session", token, as: Reader.self).id
    #expect(try reader(token) == id && reader(other) == id)
    #expect(await rig.send(.delete, "/v1/session", token: token).status == 204)
    for unknown in [token, "nobody's"] {
      #expect(await rig.send(.get, "/v1/session", token: unknown).status == 401)
      #expect(try reader(unknown) == nil)
    }
    #expect(try reader(other) == id)
  }

  @Test func noMoreTokensAreKnownThanThereIsRoomFor() {
    let sessions = SessionCache(3)
    for number in UInt8(0)..<10 { sessions.learn(Data([number]), SessionCache.Entry(reader: "ada", session: nil, expires: 0)) }
    #expect((UInt8(0)..<10).count { sessions.reader(Data([$0])) != nil } == 3)
    #expect(sessions.reader(Data([9])) == "ada")
    for number in UInt8(0)..<10 { sessions.learn(Data([number]), nil) }
    #expect((UInt8(0)..<10).allSatisfy { sessions.reader(Data([$0])) == nil })
  }

  /// The provider may take one after the other: whoever orders very much waits for themselves.
  @Test func chargesOfAReaderTakeTurns() async throws {
    let gateway = CountingGateway()
    let rig = try await Rig(gateway: gateway)
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let reader = try await rig.get("/v1/session", ada, as: Reader.self).id
    let ids = (1...5).map { _ in UUID() }
    for id in ids { _ = try await rig.begin(id, "passes.5", id == ids[4] ? bo : ada) }
    await gateway.set(.suspended)
    await withTaskGroup(of: Int.self) { group in
      for id in ids.dropLast() { group.addTask { (try? await rig.charge(id, ada).status) ?? 0 } }
      await wait(for: 4, rig.publication.chargeTurns, reader)
      await gateway.waitForCalls(1)
      group.addTask { (try? await rig.charge(ids[4], bo).status) ?? 0 }
      // The second one that the provider hears of is the other reader's.
      await gateway.waitForCalls(2)
      #expect(rig.publication.chargeTurns.count(reader) == 4)
      await gateway.set(.up)
      for await status in group { #expect(status == 200) }
    }
    #expect(try await rig.passes(ada) == 20)
  }

  @Test func requestsOfAReaderTakeTurnsInAllSessions() async throws {
    let gateway = CountingGateway()
    let rig = try await Rig(gateway: gateway)
    let (ada, elsewhere, bo) = (try await rig.signIn(), try await rig.signIn(), try await rig.signIn("bo"))
    let reader = try await rig.get("/v1/session", ada, as: Reader.self).id
    var ids: [UUID] = []
    for _ in 1...RequestTurns.most {
      ids.append(UUID())
      _ = try await rig.begin(ids[ids.count - 1], "passes.5", ada)
    }
    await gateway.set(.suspended)
    await withTaskGroup(of: Int.self) { group in
      for id in ids { group.addTask { (try? await rig.charge(id, ada).status) ?? 0 } }
      await wait(for: ids.count, rig.publication.turns, reader)
      let last = Record()
      group.addTask {
        let status = await rig.send(.get, "/v1/session", token: elsewhere).status
        last.add(status)
        return status
      }
      // Another reader is answered, however often; this one's own request waits for a turn.
      for _ in 1...20 { #expect(await rig.send(.get, "/v1/session", token: bo).status == 200) }
      #expect(last.all.isEmpty)
      await gateway.set(.up)
      for await status in group { #expect(status == 200) }
    }
  }
}
