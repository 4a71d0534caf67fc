@testable import ContentCache
import Foundation
import Patience
import Runtime
import SQLiteStorage
import Testing

/// What happens to actions while nobody can be reached.
@MainActor @Suite(.timeLimit(.minutes(1))) struct WaitingTests {
  private let world = World()
  private var cache: Cache<Note> { world.cache }

  init() { cache.store([Note(id: "a", likes: 5), Note(id: "b")]) }

  @Test func unreachableServerTakesNothingBack() async {
    let first = world.like("a")
    world.mark("b")
    await world.quiet()
    await world.fail()
    #expect(cache["a"]?.likes == 6)
    #expect(world.failures.isEmpty)
    #expect(world.controller.outboxStatus.value == OutboxStatus(count: 2, problem: "The server cannot be reached."))
    #expect(world.gate.hanging.isEmpty, "what stands behind waits too")
    await world.advance(.seconds(1))
    #expect(world.gate.hanging.map(\.question.id) == [first])
    await world.answer(0, .success(cache["a"]))
    #expect(world.controller.outboxStatus.value == OutboxStatus(count: 1))
    await world.answer(0, .success(cache["b"]))
    #expect(world.controller.outboxStatus.value == OutboxStatus())
    #expect(world.gate.requested.map(\.kind) == ["like", "like", "mark"])
  }

  @Test func whatIsUndoneBeforeItWasSentLeavesNothingToSend() async throws {
    let outbox = Outbox(database: try await Database(path: ":memory:", migrations: Outbox.migrations), owner: "reader")
    let world = World(outbox: outbox)
    await world.controller.resume()
    world.cache.store([Note(id: "a"), Note(id: "b")])
    world.like("a")
    await world.quiet()
    await world.fail()
    let all = world.markAll(to: "b")
    #expect((world.pending, world.cache["b"]?.marked) == (2, true))
    world.undoMarkAll(all, to: "b")
    #expect((world.pending, world.cache["b"]?.marked) == (1, false))
    #expect(world.controller.outboxStatus.value.problem == "The server cannot be reached.")
    await world.controller.written()
    #expect(try await outbox.rows().map(\.kind) == ["like"])
    await world.advance(.seconds(1))
    await world.answer(0, .success(Note(id: "a", liked: true, likes: 1)))
    #expect(world.gate.requested.map(\.kind) == ["like", "like"])
    #expect(world.failures.isEmpty)
  }

  /// It may have arrived, though no answer did.
  @Test func whatWasSentIsUndoneAtTheServerToo() async {
    let all = world.markAll(to: "b")
    await world.quiet()
    await world.fail()
    world.undoMarkAll(all, to: "b")
    #expect((world.pending, cache["b"]?.marked) == (2, false))
    await world.advance(.seconds(1))
    await world.answer(0, .success(nil))
    await world.answer(0, .success(nil))
    #expect(world.gate.requested.map(\.kind) == ["mark_all", "mark_all", "unmark_all"])
    #expect((world.pending, cache["b"]?.marked) == (0, false))
  }

  @Test func whatAnEarlierRunMayHaveSentIsUndoneAtTheServerToo() async throws {
    let outbox = Outbox(database: try await Database(path: ":memory:", migrations: Outbox.migrations), owner: "reader")
    let former = World(outbox: outbox)
    let all = former.markAll(to: "b")
    await former.controller.written()
    former.controller.close()
    let world = World(outbox: outbox, ids: RandomIdentifiers())
    world.cache.store([Note(id: "a"), Note(id: "b")])
    await world.controller.resume()
    world.undoMarkAll(all, to: "b")
    #expect((world.pending, world.cache["b"]?.marked) == (2, false))
    await world.quiet()
    world.controller.close()
    world.gate.answer(0, .failure(CancellationError()))
  }

  @Test func whatIsDroppedIsNeitherSentNorToldOf() async throws {
    let outbox = Outbox(database: try await Database(path: ":memory:", migrations: Outbox.migrations), owner: "reader")
    let world = World(outbox: outbox)
    await world.controller.resume()
    world.cache.store([Note(id: "a"), Note(id: "b")])
    world.like("a")
    world.mark("a")
    world.mark("b")
    await world.quiet()
    world.controller.drop { kind, id in kind != "like" && id == "a" }
    #expect((world.cache["a"]?.liked, world.cache["a"]?.marked, world.cache["b"]?.marked) == (true, false, true))
    // One that is on its way stores nothing when its answer comes, and what stands behind it follows.
    world.controller.drop { _, id in id == "a" }
    world.cache.remove(["a"])
    #expect((world.pending, world.cache["a"]) == (1, nil))
    await world.answer(0, .success(Note(id: "a", liked: true)))
    #expect(world.cache["a"] == nil)
    #expect(world.gate.requested.map(\.kind) == ["like", "mark"])
    world.like("b")
    world.controller.drop { kind, _ in kind == "mark" }
    await world.answer(0, .failure(Refused()))
    #expect(world.gate.hanging.map(\.question.kind) == ["like"])
    // While nobody can be reached too.
    await world.fail()
    world.controller.drop { _, _ in true }
    #expect(world.controller.outboxStatus.value == OutboxStatus())
    await world.advance(.seconds(10))
    #expect(world.failures.isEmpty)
    await world.controller.written()
    #expect(try await outbox.rows().isEmpty)
  }

  /// To people, a server that hangs is one that cannot be reached: they are told long before the request times out.
  @Test func whatAServerThatHangsHasIsDelayed() async {
    world.like("a")
    await world.quiet()
    await world.advance(.milliseconds(4900))
    #expect(world.controller.outboxStatus.value == OutboxStatus(count: 1))
    #expect(!world.controller.isDelayed(LikeAction.self, on: "a"))
    await world.advance(.milliseconds(100))
    #expect(world.controller.outboxStatus.value == OutboxStatus(count: 1, problem: "There is no answer yet."))
    #expect(world.controller.isDelayed(LikeAction.self, on: "a"))
    world.mark("b")
    #expect(world.controller.outboxStatus.value == OutboxStatus(count: 2, problem: "There is no answer yet."))
    await world.answer(0, .success(cache["a"]))
    #expect(world.controller.outboxStatus.value == OutboxStatus(count: 1))
    // Each has its own time.
    await world.advance(.milliseconds(4900))
    #expect(world.controller.outboxStatus.value == OutboxStatus(count: 1))
    await world.answer(0, .success(cache["b"]))
    await world.advance(.seconds(10))
    #expect(world.controller.outboxStatus.value == OutboxStatus())
    #expect(world.labels.count { $0 == "actions.slow" } == 1)
  }

  @Test func waitsGrowToALimitAndBeginAnewOnceAnswered() async {
    world.like("a")
    await world.quiet()
    var waits: [Duration?] = []
    for _ in 1...12 {
      await world.fail()
      waits.append(world.clock.nextDue)
      await world.advance(world.clock.nextDue ?? .zero)
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map { .seconds($0) })
    await world.answer(0, .success(cache["a"]))
    world.mark("a")
    await world.quiet()
    await world.fail()
    #expect(world.clock.nextDue == .seconds(1))
    world.controller.close()
  }

  @Test func chanceMakesWaitsLongerByHalfAtMost() async {
    var first: Set<Duration> = []
    for seed in 1...20 as ClosedRange<UInt64> {
      let world = World(random: SeededRandom(seed: seed))
      world.like("a")
      await world.quiet()
      await world.fail()
      if let wait = world.clock.nextDue { first.insert(wait) }
      world.controller.close()
    }
    #expect(first.count > 10)
    #expect(first.allSatisfy { $0 >= .seconds(1) && $0 < .milliseconds(1500) })
  }

  @Test func theServersRetryAfterIsHonoured() async {
    world.like("a")
    await world.quiet()
    await world.fail(retryAfter: .seconds(120))
    #expect(world.clock.nextDue == .seconds(120))
    world.controller.networkIsBack()
    await world.advance(.seconds(119))
    #expect(world.gate.hanging.isEmpty)
    await world.advance(.seconds(1))
    #expect(world.gate.hanging.count == 1)
    // A shorter one than our own wait changes nothing.
    await world.fail(retryAfter: .zero)
    #expect(world.clock.nextDue == .seconds(2))
    world.controller.close()
  }

  @Test func theReaderMayTryAtOnce() async {
    world.like("a")
    await world.quiet()
    await world.fail(retryAfter: .seconds(3600))
    world.controller.retryNow()
    await world.quiet()
    #expect(world.clock.sleeperCount == 0)
    #expect(world.gate.hanging.count == 1)
    #expect(world.controller.outboxStatus.value.problem != nil, "until the server has spoken")
    world.controller.retryNow()
    await world.quiet()
    #expect(world.gate.requested.count == 2, "one that is on its way is not sent beside itself")
    await world.answer(0, .success(cache["a"]))
    #expect(world.controller.outboxStatus.value == OutboxStatus())
  }

  @Test func somethingElseThatWasAnsweredEndsTheWait() async {
    world.like("a")
    await world.quiet()
    await world.fail()
    world.controller.networkIsBack()
    await world.quiet()
    #expect(world.gate.hanging.count == 1)
    await world.answer(0, .success(cache["a"]))
  }

  @Test func whatWaitsGivesWayToANewerOneOfItsKind() async {
    world.like("a", true)
    world.mark("b")
    await world.quiet()
    await world.fail()
    world.like("a", false)
    #expect(cache["a"]?.likes == 5)
    #expect(world.pending == 2)
    await world.advance(.seconds(1))
    #expect(world.gate.hanging.map(\.question.kind) == ["mark"], "the newer one stands at the end of the line")
    await world.answer(0, .success(cache["b"]))
    #expect(world.gate.hanging.map(\.question.on) == [false])
    await world.answer(0, .success(Note(id: "a", likes: 5)))
    #expect(cache["a"] == Note(id: "a", likes: 5))
  }

  @Test func whatWasOnItsWayInVainGivesWayToANewerOneOfItsKind() async {
    world.like("a", true)
    await world.quiet()
    world.like("a", false)
    #expect(world.pending == 2)
    await world.fail()
    #expect(world.controller.outboxStatus.value == OutboxStatus(count: 1, problem: "The server cannot be reached."))
    #expect(cache["a"] == Note(id: "a", likes: 5))
    await world.advance(.seconds(1))
    #expect(world.gate.requested.map(\.on) == [true, false])
    await world.answer(0, .success(Note(id: "a", likes: 5)))
    #expect(world.gate.hanging.isEmpty)
    #expect(world.controller.outboxStatus.value == OutboxStatus())
  }

  @Test func lostAnswerIsAskedForAgainUnderTheSameName() async {
    let comment = world.comment("a")
    await world.quiet()
    await world.fail()
    cache.store([Note(id: "a", likes: 5, comments: [comment])])
    #expect(cache["a"]?.comments == [comment])
    await world.advance(.seconds(1))
    #expect(world.gate.requested.map(\.id) == [comment, comment])
    await world.answer(0, .success(cache["a"]))
    #expect(cache["a"]?.comments == [comment])
  }

  @Test func refusalAfterAWaitLetsTheNextOneOut() async {
    world.like("a")
    world.mark("a")
    await world.quiet()
    await world.fail()
    await world.advance(.seconds(1))
    await world.answer(0, .failure(Refused()))
    #expect(cache["a"] == Note(id: "a", likes: 5, marked: true))
    #expect(world.failures.count == 1)
    #expect(world.controller.outboxStatus.value == OutboxStatus(count: 1))
    await world.answer(0, .success(Note(id: "a", likes: 5, marked: true)))
  }

  @Test func waitingIsTold() async {
    var told: [OutboxStatus] = []
    let stream = world.controller.outboxStatus.stream()
    let listening = Task { for await waiting in stream { told.append(waiting) } }
    await world.quiet()
    world.like("a")
    await world.quiet()
    await world.fail()
    world.mark("a")
    await world.quiet()
    await world.advance(.seconds(1))
    await world.answer(0, .success(cache["a"]))
    await world.answer(0, .success(cache["a"]))
    let problem = "The server cannot be reached."
    let waits = [OutboxStatus(count: 1, problem: problem), OutboxStatus(count: 2, problem: problem)]
    #expect(told == [OutboxStatus(), OutboxStatus(count: 1)] + waits + [OutboxStatus(count: 1), OutboxStatus()])
    listening.cancel()
  }

  @Test func closingEndsTheWait() async {
    world.like("a")
    await world.quiet()
    await world.fail()
    world.controller.close()
    await world.quiet()
    #expect(world.clock.sleeperCount == 0)
    #expect(world.controller.outboxStatus.value == OutboxStatus())
    world.controller.retryNow()
    await world.quiet()
    #expect(world.gate.requested.count == 1)
  }

  @Test func aControllerThatIsLetGoOfSleepsNoMore() async {
    var world: World? = World()
    let clock = world?.clock
    world?.like("a")
    await world?.quiet()
    await world?.fail()
    #expect(clock?.sleeperCount == 1)
    world = nil
    await until { clock?.sleeperCount == 0 }
  }
}
