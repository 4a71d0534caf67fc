import Foundation
import HTTPTransport
import PublicationAPI
import Synchronization
import Testing

@testable import PublicationServer

/// How many requests of one session are worked on at a time.
@Suite struct TurnTests {
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

  /// What came, in its order.
  private final class Record: Sendable {
    private let numbers = Mutex<[Int]>([])
    var all: [Int] { numbers.withLock { $0 } }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
  }

  private func until(_ count: Int, _ turns: Turns, _ session: String) async {
    while turns.count(session) < count { await Task.yield() }
  }

  @Test func eightAtATimeAndTheRestInOrder() async throws {
    let (turns, door, order) = (Turns(), Door(), Record())
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<12 {
        group.addTask {
          _ = await turns.take("a") {
            order.add(number)
            if number < 8 { await door.pass() }
            return Response(200)
          }
        }
        await until(number + 1, turns, "a")
      }
      while order.all.count < 8 { await Task.yield() }
      #expect(order.all.sorted() == Array(0..<8))
      #expect(await turns.take("b") { Response(204) }.status == 204)
      #expect(await turns.take(nil) { Response(204) }.status == 204)
      door.open()
    }
    #expect(order.all.suffix(4).sorted() == [8, 9, 10, 11])
    #expect(turns.count("a") == 0)
  }

  @Test func oneAtATime() async throws {
    let (turns, door, order) = (Turns(1), Door(), Record())
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<3 {
        group.addTask {
          _ = await turns.take("a") {
            order.add(number)
            await door.pass()
            return Response(200)
          }
        }
        await until(number + 1, turns, "a")
      }
      while order.all.isEmpty { await Task.yield() }
      #expect(await turns.take("b") { Response(204) }.status == 204)
      #expect(order.all == [0])
      door.open()
    }
    #expect(order.all == [0, 1, 2])
    // What fails gives its turn on as well.
    await #expect(throws: CancellationError.self) { try await turns.take("a") { throw CancellationError() } }
    #expect(turns.count("a") == 0)
  }

  @Test func tooManyAreToldToComeAgain() async throws {
    let (turns, door) = (Turns(), Door())
    await withTaskGroup(of: Int.self) { group in
      let most = Turns.most + Turns.longestQueue
      for number in 1...most {
        group.addTask {
          await turns.take("a") {
            await door.pass()
            return Response(200)
          }.status
        }
        await until(number, turns, "a")
      }
      let refused = await turns.take("a") { Response(200) }
      #expect(refused.status == 429)
      #expect(refused.headers["Retry-After"] == "1")
      #expect((try? refused.problem.title) == "Too much is asked for at a time in this session. Try again in a moment.")
      door.open()
      #expect(await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) } == most)
    }
    #expect(turns.count("a") == 0)
  }

  @Test func nobodyWorksForAClientThatLeft() async throws {
    let (turns, door) = (Turns(), Door())
    let working = (1...Turns.most).map { _ in
      Task {
        await turns.take("a") {
          await door.pass()
          return Response(200)
        }
      }
    }
    await until(Turns.most, turns, "a")
    let left = Task { await turns.take("a") { Response(200) } }
    await until(Turns.most + 1, turns, "a")
    left.cancel()
    door.open()
    #expect(await left.value.status == 499)
    for task in working { #expect(await task.value.status == 200) }
  }

  @Test func requestsOfASessionTakeTurns() async throws {
    let gateway = CountingGateway()
    let rig = try await Rig(gateway: gateway)
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    var ids: [UUID] = []
    for _ in 1...Turns.most {
      ids.append(UUID())
      _ = try await rig.begin(ids[ids.count - 1], "passes.5", ada)
    }
    await gateway.set(.held)
    await withTaskGroup(of: Int.self) { group in
      for id in ids { group.addTask { (try? await rig.charge(id, ada).status) ?? 0 } }
      await gateway.waitForCalls(ids.count)
      let last = Record()
      group.addTask {
        let status = await rig.send(.get, "/v1/session", token: ada).status
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
