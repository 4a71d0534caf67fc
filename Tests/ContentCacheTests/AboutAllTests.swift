import Foundation
import Patience
import Runtime
import SQLiteStorage
import Testing

@testable import ContentCache

/// Actions about all entities of a cache.
@MainActor @Suite(.timeLimit(.minutes(1))) struct AboutAllTests {
  private let world = World()
  private var cache: Cache<Note> { world.cache }

  init() { cache.store(["a", "b", "c"].map { Note(id: $0) }) }

  private func marked(_ ids: String...) -> [Bool?] { ids.map { cache[$0]?.marked } }

  @Test func theyAreAllChangedAtOnceByOneRequest() async {
    var told: [Set<String>] = []
    let observation = cache.observe { told.append($0) }
    world.markAll(to: "b")
    #expect(marked("a", "b", "c") == [true, true, false])
    #expect(Set(cache.ids(where: \.marked)) == ["a", "b"])
    #expect(world.pending == 1)
    #expect(!cache.isPending("a"))
    await world.quiet()
    #expect(told == [["a", "b"]])
    #expect(world.gate.requested.map(\.kind) == ["mark_all"])
    await world.answer(0, .success(nil))
    #expect(marked("a", "b", "c") == [true, true, false])
    #expect(cache.value("a")?.marked == true)
    #expect((world.pending, told.count) == (0, 1))
    observation.cancel()
  }

  @Test func whatComesToBeKnownWhileItWaitsIsChangedToo() async {
    world.markAll(to: "f")
    cache.store([Note(id: "d"), Note(id: "g"), Note(id: "a", title: "new")])
    #expect(marked("a", "d", "g") == [true, true, false])
    #expect(cache["a"]?.title == "new")
    world.like("e")
    cache.store([Note(id: "e")])
    #expect(cache["e"] == Note(id: "e", liked: true, likes: 1, marked: true))
  }

  @Test func whatItsServerRefusesIsTakenBackFromAll() async {
    world.like("a")
    let id = world.markAll(to: "b")
    await world.quiet()
    await world.answer(0, .success(Note(id: "a", liked: true, likes: 1)))
    #expect(marked("a", "b") == [true, true])
    await world.answer(0, .failure(Refused()))
    #expect(marked("a", "b") == [false, false])
    #expect(cache["a"]?.likes == 1)
    #expect(world.failures.map(\.actionID) == [id])
  }

  @Test func theOrderWithThoseOfOneEntityIsKept() async {
    world.mark("a", false)
    world.markAll(to: "c")
    world.mark("b", false)
    #expect(marked("a", "b", "c") == [true, false, true])
    await world.quiet()
    await world.answer(0, .success(Note(id: "a")))
    #expect(marked("a", "b", "c") == [true, false, true])
    await world.answer(0, .success(nil))
    #expect(marked("a", "b", "c") == [true, false, true])
    await world.answer(0, .success(Note(id: "b")))
    #expect(marked("a", "b", "c") == [true, false, true])
    #expect(world.gate.requested.map(\.kind) == ["mark", "mark_all", "mark"])
    #expect(world.failures.isEmpty)
  }

  @Test func anAnswerToAnOlderQuestionDoesNotBringBackWhatWas() async {
    let requested = cache.logicalTime()
    world.markAll(to: "e")
    await world.quiet()
    await world.answer(0, .success(nil))
    cache.store([Note(id: "a", title: "older"), Note(id: "d")], asOf: requested)
    #expect(marked("a", "d") == [true, true])
    #expect(cache["d"] == Note(id: "d", marked: true))
    // A newer one says how it is.
    cache.store([Note(id: "a"), Note(id: "d")])
    #expect(marked("a", "d") == [false, false])
  }

  @Test func whatTheStoreHasIsFromBefore() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/content.sqlite"
    let first = EntityStore(path: path, owner: "reader", clock: world.clock)
    let before = World(store: first)
    before.cache.store([Note(id: "a"), Note(id: "b")])
    await before.cache.written()
    await first.close()
    let store = EntityStore(path: path, owner: "reader", clock: world.clock)
    let after = World(store: store)
    after.markAll(to: "a")
    await after.quiet()
    await after.answer(0, .success(nil))
    for id in ["a", "b"] { _ = await after.cache.loadFromStore(PageKey("=" + id, nil), single: id) }
    #expect(after.cache["a"]?.marked == true)
    #expect(after.cache["b"]?.marked == false)
    await after.cache.written()
    await store.close()
    let stored = try Connection(path: path).queryOne("SELECT pinned FROM entity WHERE id = 'a'") { try $0.get(0, as: Bool.self) }
    #expect(stored == true)
  }

  @Test func itSurvivesTheEndOfTheProcess() async throws {
    let database = try await Database(path: ":memory:", migrations: Outbox.migrations)
    let ids = Numbered(first: 1)
    let before = World(outbox: Outbox(database: database, owner: "reader"), ids: ids)
    await before.controller.resume()
    before.cache.store([Note(id: "a"), Note(id: "b")])
    before.markAll(to: "b")
    before.mark("a", false)
    await before.controller.written()
    before.controller.close()
    let after = World(outbox: Outbox(database: database, owner: "reader"), ids: ids)
    after.cache.store([Note(id: "a"), Note(id: "b")])
    await after.controller.resume()
    #expect([after.cache["a"]?.marked, after.cache["b"]?.marked] == [false, true])
    #expect(after.pending == 2)
    await after.quiet()
    await after.answer(0, .success(nil))
    await after.answer(0, .success(Note(id: "a")))
    #expect(after.gate.requested.map(\.kind) == ["mark_all", "mark"])
    #expect([after.cache.value("a")?.marked, after.cache.value("b")?.marked] == [false, true])
    await after.controller.written()
    #expect(try await database.run { try $0.queryOne("SELECT count(*) FROM outbox") { try $0.get(0, as: Int.self) } } == 0)
  }

  // MARK: What is stored and was not read in this run

  private let clock = ManualClock()

  private func outbox() async throws -> Outbox {
    Outbox(database: try await Database(path: ":memory:", migrations: Outbox.migrations), owner: "reader")
  }

  /// A store that an earlier run wrote these into, as a page.
  private func stored(_ ids: [String], in folder: TemporaryFolder) async {
    let run = Run(folder, clock)
    run.world.cache.store(ids.map { Note(id: $0, title: $0) })
    run.world.cache.persist(PageRow(key: PageKey("notes", nil), ids: ids, fetchedAt: clock.now))
    await run.end()
  }

  /// What a run shows of notes that come out of the store.
  private func marks(_ ids: String..., in run: Run) async -> [Bool?] {
    for id in ids { await run.world.cache.loadFromStore(id) }
    return ids.map { run.world.cache[$0]?.marked }
  }

  @Test func whatWaitsIsShownOverWhatALaterRunReads() async throws {
    let (folder, outbox) = (try TemporaryFolder(), try await outbox())
    await stored(["a", "b", "c"], in: folder)
    let offline = Run(folder, clock, outbox)
    await offline.world.controller.resume()
    offline.world.markAll(to: "b")
    await offline.end()
    let after = Run(folder, clock, outbox)
    await after.world.controller.resume()
    #expect(await after.world.cache.loadFromStore(PageKey("notes", nil)) != nil)
    #expect(["a", "b", "c"].map { after.world.cache[$0]?.marked } == [true, true, false])
    #expect(Set(after.world.cache.ids(where: \.marked)) == ["a", "b"])
    // The server's value is what it said.
    #expect(after.world.cache.value("a")?.marked == false)
    await after.end()
  }

  @Test func whatWasDoneIsDoneToWhatIsStoredToo() async throws {
    let (folder, outbox) = (try TemporaryFolder(), try await outbox())
    let many = (0..<1200).map { String(format: "a%04d", $0) }
    await stored(many + ["b", "c", "x"], in: folder)
    let online = Run(folder, clock, outbox)
    await online.world.controller.resume()
    online.world.markAll(to: "c")
    await online.world.quiet()
    await online.world.answer(0, .success(nil))
    // What the server says later is newer.
    online.world.cache.store([Note(id: "c", title: "newer")])
    await online.end()
    let after = Run(folder, clock, outbox)
    await after.world.controller.resume()
    #expect(after.world.pending == 0)
    #expect(await marks("a0000", "a0700", "a1199", "b", "c", "x", in: after) == [true, true, true, true, false, false])
    #expect(after.world.cache["b"]?.title == "b")
    await after.end()
    // What it made something to be kept for good is kept.
    let count = "SELECT count(*) FROM entity WHERE pinned = 1"
    #expect(try Connection(path: after.path).queryOne(count) { try $0.get(0, as: Int.self) } == many.count + 1)
  }

  @Test func itIsForgottenOnceTheStoreHasIt() async throws {
    let (folder, outbox) = (try TemporaryFolder(), try await outbox())
    await stored(["a", "b"], in: folder)
    let run = Run(folder, clock, outbox)
    await run.world.controller.resume()
    run.world.markAll(to: "b")
    run.world.like("a")
    await run.world.quiet()
    let from = run.world.labels.count
    await run.world.answer(0, .success(nil))
    let labels = run.world.labels[from...]
    #expect(labels.filter { $0 == "Note.write" || $0.hasPrefix("outbox.") } == ["Note.write", "outbox.remove"])
    #expect(run.world.gate.hanging.map(\.question.kind) == ["like"])
    run.world.gate.answer(0, .failure(CancellationError()))
    await run.end()
  }

  @Test func killedBeforeTheStoreHasItItIsStillPending() async throws {
    let (folder, outbox) = (try TemporaryFolder(), try await outbox())
    await stored(["a", "b"], in: folder)
    let killed = Run(folder, clock, outbox)
    await killed.world.controller.resume()
    killed.world.markAll(to: "b")
    await killed.world.quiet()
    killed.world.effects.onDelivery = { [effects = killed.world.effects] in if $0.label == "action.mark_all" { effects.stop() } }
    killed.world.gate.answer(0, .success(nil))
    for _ in 0..<100 { await Task.yield() }
    await killed.store.close()
    let after = Run(folder, clock, outbox)
    await after.world.controller.resume()
    #expect(after.world.pending == 1)
    #expect(await marks("a", "b", in: after) == [true, true])
    await after.world.quiet()
    await after.world.answer(0, .success(nil))
    #expect(after.world.gate.requested.map(\.kind) == ["mark_all"])
    await after.end()
    #expect(try await outbox.rows().isEmpty)
  }

  @Test func whoeverWaitsForAllToBeWrittenWaitsForThatToo() async throws {
    let (folder, outbox) = (try TemporaryFolder(), try await outbox())
    await stored(["a", "b"], in: folder)
    let run = Run(folder, clock, outbox)
    await run.world.controller.resume()
    run.world.markAll(to: "b")
    await run.world.quiet()
    run.world.gate.answer(0, .success(nil))
    await until { run.world.pending == 0 }
    await run.world.controller.written()
    #expect(try await outbox.rows().isEmpty)
    await run.end()
  }

  // MARK: What is gone

  @Test func whatIsGoneByWhatItHasInCommonIsGoneEverywhere() async throws {
    let (folder, outbox) = (try TemporaryFolder(), try await outbox())
    let many = (0..<600).map { String(format: "a%04d", $0) }
    await stored(many + ["b"], in: folder)
    let run = Run(folder, clock, outbox)
    await run.world.controller.resume()
    for id in ["a0000", "b"] { await run.world.cache.loadFromStore(id) }
    let requested = run.world.cache.logicalTime()
    run.world.mark("a0000")
    run.world.cache.remove { $0.title.hasPrefix("a") }
    #expect(["a0000", "b"].map { run.world.cache[$0]?.title } == [nil, "b"])
    // Neither what is in the store nor an answer to an older question brings it back.
    await run.world.cache.loadFromStore("a0001")
    run.world.cache.store([Note(id: "a0000", title: "a"), Note(id: "a0002", title: "a")], asOf: requested)
    #expect(["a0000", "a0001", "a0002"].allSatisfy { run.world.cache[$0] == nil })
    // A newer one does: it is there again.
    run.world.cache.store([Note(id: "a0003", title: "a")])
    run.world.cache.store([Note(id: "a0003", title: "a, older")], asOf: requested)
    #expect(run.world.cache["a0003"]?.title == "a")
    await run.end()
    let ids = try Connection(path: run.path).query("SELECT id FROM entity ORDER BY id") { try $0.get(0, as: String.self) }
    #expect(ids == ["a0003", "b"])
  }

  @Test func detailsAreRemovedWhereverTheyAre() async throws {
    let (folder, outbox) = (try TemporaryFolder(), try await outbox())
    let many = (0..<600).map { String(format: "a%04d", $0) }
    let first = Run(folder, clock)
    first.world.cache.store((many + ["b"]).map { Note(id: $0, title: $0, body: "text of \($0)") })
    await first.end()
    let run = Run(folder, clock, outbox)
    await run.world.controller.resume()
    // One with its detail, one without, as a list brings it; the others are in the store alone.
    let inMemory = try #require(await run.store.single("a0000", as: PageKey("=a0000", nil), of: Note.self)).items[0].value(of: Note.self)
    #expect(inMemory.body == "text of a0000")
    run.world.cache.store([inMemory, Note(id: "a0001", title: "a0001")])
    let requested = run.world.cache.logicalTime()
    run.world.cache.removeDetails { $0.title.hasPrefix("a") }
    #expect(run.world.cache["a0000"] == Note(id: "a0000", title: "a0000"))
    // An answer to an older request does not bring it back, an answer to a newer one does.
    run.world.cache.store(
      [Note(id: "a0000", title: "a0000", body: "older"), Note(id: "a0002", title: "a0002", body: "older")], asOf: requested)
    #expect(["a0000", "a0002"].map { run.world.cache[$0]?.body } == [nil, nil])
    run.world.cache.store([Note(id: "a0003", title: "a0003", body: "newer")])
    run.world.cache.store([Note(id: "a0003", title: "a0003, of a list")])
    #expect(run.world.cache["a0003"]?.body == "newer")
    await run.end()
    let details = try Connection(path: run.path).query("SELECT id, detail FROM entity WHERE detail IS NOT NULL ORDER BY id") {
      try [$0.get(0, as: String.self), $0.get(1, as: String.self)]
    }
    #expect(details == [["a0003", "newer"], ["b", "text of b"]])
    #expect(try Connection(path: run.path).queryOne("SELECT count(*) FROM entity") { try $0.get(0, as: Int.self) } == 601)
  }

  @Test func signingOutTakesItBack() async {
    world.markAll(to: "c")
    world.controller.close()
    #expect(marked("a", "b", "c") == [false, false, false])
    cache.removeAll()
    cache.store([Note(id: "a")])
    #expect(marked("a") == [false])
  }
}

/// One run of an app on a store.
@MainActor private final class Run {
  let path: String
  let store: EntityStore
  let world: World

  init(_ folder: TemporaryFolder, _ clock: ManualClock, _ outbox: Outbox? = nil) {
    path = folder.path + "/content.sqlite"
    store = EntityStore(path: path, owner: "reader", clock: clock)
    world = World(outbox: outbox, store: store, clock: clock)
  }

  /// It ends in an orderly way, whatever is on its way to the server.
  func end() async {
    await world.controller.written()
    await world.cache.written()
    world.effects.stop()
    while !world.gate.hanging.isEmpty { world.gate.answer(0, .failure(CancellationError())) }
    await store.close()
  }
}
