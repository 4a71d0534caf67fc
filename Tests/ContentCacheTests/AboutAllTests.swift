import Foundation
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
    #expect(world.gate.asked.map(\.kind) == ["mark_all"])
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
    #expect(world.gate.asked.map(\.kind) == ["mark", "mark_all", "mark"])
    #expect(world.failures.isEmpty)
  }

  @Test func anAnswerToAnOlderQuestionDoesNotBringBackWhatWas() async {
    let asked = cache.stamp()
    world.markAll(to: "e")
    await world.quiet()
    await world.answer(0, .success(nil))
    cache.store([Note(id: "a", title: "older"), Note(id: "d")], asOf: asked)
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
    for id in ["a", "b"] { _ = await after.cache.recall(PageKey("=" + id, nil), single: id) }
    #expect(after.cache["a"]?.marked == true)
    #expect(after.cache["b"]?.marked == false)
    await after.cache.written()
    await store.close()
    let stored = try Connection(path: path).queryOne("SELECT kept FROM entity WHERE id = 'a'") { try $0.get(0, as: Bool.self) }
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
    #expect(after.gate.asked.map(\.kind) == ["mark_all", "mark"])
    #expect([after.cache.value("a")?.marked, after.cache.value("b")?.marked] == [false, true])
    await after.controller.written()
    #expect(try await database.run { try $0.queryOne("SELECT count(*) FROM outbox") { try $0.get(0, as: Int.self) } } == 0)
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
