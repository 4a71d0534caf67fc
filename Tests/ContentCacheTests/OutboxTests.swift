import ContentCache
import Foundation
import SQLiteStorage
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct OutboxTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/outbox.sqlite"
  }

  private func world(owner: String = "reader", ids: UInt8 = 1) async throws -> (World, Database) {
    let database = try await Database(path: path, migrations: Outbox.migrations)
    let world = World(outbox: Outbox(database: database, owner: owner), ids: Numbered(first: ids))
    world.cache.store([Note(id: "a", likes: 5), Note(id: "b")])
    return (world, database)
  }

  private func rows() throws -> [String] {
    try Connection(path: path).query("SELECT kind || ' ' || entity FROM outbox ORDER BY position") { try $0.get(0) }
  }

  @Test func actionIsKeptBeforeItIsSentAndForgottenAfterwards() async throws {
    let (world, _) = try await world()
    await world.controller.resume()
    world.like("a")
    await world.quiet()
    #expect(world.labels == ["outbox.read", "outbox.add"])
    #expect(try rows() == ["like a"])
    await world.answer(0, .success(Note(id: "a", liked: true, likes: 6)))
    #expect(world.labels == ["outbox.read", "outbox.add", "action.like", "outbox.remove"])
    #expect(try rows() == [])
  }

  @Test func refusedActionIsForgottenToo() async throws {
    let (world, _) = try await world()
    await world.controller.resume()
    world.like("a")
    await world.quiet()
    await world.answer(0, .failure(Refused()))
    #expect(try rows() == [])
  }

  @Test func supersededActionLeavesOneRow() async throws {
    let (world, _) = try await world()
    await world.controller.resume()
    world.mark("a")
    await world.quiet()
    world.like("a", true)
    world.like("a", false)
    await world.quiet()
    #expect(try rows() == ["mark a", "like a"])
  }

  @Test func nothingIsSentBeforeTheOldActionsAreIn() async throws {
    let (first, database) = try await world()
    await first.controller.resume()
    first.comment("a")
    first.mark("a")
    await first.quiet()
    await database.close()

    let (second, _) = try await world(ids: 100)
    let comment = second.comment("a")
    #expect(second.cache["a"]?.comments == [comment])
    await second.quiet()
    #expect(second.gate.requested.isEmpty)
    await second.controller.resume()
    #expect(second.cache["a"]?.comments.count == 2)
    #expect(second.cache["a"]?.comments.last == comment)
    #expect(second.cache["a"]?.marked == true)
    for kind in ["comment", "mark", "comment"] {
      await second.quiet()
      #expect(second.gate.hanging.map(\.question.kind) == [kind])
      await second.answer(0, .success(second.cache["a"]))
    }
    #expect(second.gate.requested.first?.id == first.gate.requested.first?.id)
    #expect(try rows() == [])
    first.gate.answer(0, .failure(CancellationError()))
  }

  @Test func newerToggleTakesThePlaceOfAnOldOne() async throws {
    let (first, database) = try await world()
    await first.controller.resume()
    first.like("a", true)
    await first.quiet()
    await database.close()

    let (second, _) = try await world(ids: 100)
    second.like("a", false)
    await second.controller.resume()
    await second.quiet()
    #expect(second.gate.requested.map(\.on) == [false])
    #expect(second.cache["a"]?.likes == 5)
    #expect(try rows() == ["like a"])
    first.gate.answer(0, .failure(CancellationError()))
  }

  @Test func refusedAfterTheAppRestarted() async throws {
    let (first, database) = try await world()
    await first.controller.resume()
    first.like("a")
    await first.quiet()
    await database.close()

    let (second, _) = try await world()
    await second.controller.resume()
    #expect(second.cache["a"]?.likes == 6)
    await second.quiet()
    await second.answer(0, .failure(Refused()))
    #expect(second.cache["a"]?.likes == 5)
    #expect(second.failures.map(\.entityID) == ["a"])
    #expect(try rows() == [])
    first.gate.answer(0, .failure(CancellationError()))
  }

  @Test func readerWhoSignsOutWithActionsPendingFindsThemAtTheNextSignIn() async throws {
    let (first, database) = try await world()
    await first.controller.resume()
    first.like("a")
    first.mark("b")
    await first.quiet()
    first.controller.close()
    #expect(first.cache["a"]?.likes == 5)
    await first.controller.written()
    #expect(try rows() == ["like a", "mark b"])
    await database.close()
    // Whatever the answer is, it comes too late to be heard.
    first.gate.answer(0, .success(Note(id: "a", liked: true, likes: 6)))

    let (second, _) = try await world(ids: 100)
    await second.controller.resume()
    #expect(second.cache["a"]?.likes == 6)
    #expect(second.cache["b"]?.marked == true)
    for id in ["a", "b"] {
      await second.quiet()
      await second.answer(0, .success(second.cache[id]))
    }
    #expect(second.gate.requested.map(\.kind) == ["like", "mark"])
    #expect(second.gate.requested.first?.id == first.gate.requested.first?.id)
    #expect(try rows() == [])
  }

  @Test func anotherReaderNeitherSeesNorSendsThem() async throws {
    let (first, _) = try await world(owner: "first")
    await first.controller.resume()
    first.like("a")
    await first.quiet()
    first.controller.close()
    let (second, _) = try await world(owner: "second", ids: 100)
    await second.controller.resume()
    await second.quiet()
    #expect(second.gate.requested.isEmpty)
    #expect(second.pending == 0)
    #expect(second.cache["a"]?.liked == false)
    second.mark("b")
    await second.quiet()
    await second.answer(0, .success(Note(id: "b", marked: true)))
    #expect(second.gate.requested.map(\.kind) == ["mark"])
    #expect(try rows() == ["like a"])
    first.gate.answer(0, .failure(CancellationError()))
  }

  @Test func commentMadeOfflineComesOutOnceAfterARestart() async throws {
    let (first, database) = try await world()
    await first.controller.resume()
    let comment = first.comment("a")
    await first.quiet()
    // The server may have it already: the answer was lost.
    await first.fail()
    #expect(try rows() == ["comment a"])
    await database.close()

    let (second, _) = try await world(ids: 100)
    await second.controller.resume()
    #expect(second.cache["a"]?.comments == [comment])
    await second.quiet()
    #expect(second.gate.hanging.map(\.question.id) == [comment])
    await second.answer(0, .success(Note(id: "a", likes: 5, comments: [comment])))
    #expect(second.cache["a"]?.comments == [comment])
    #expect(try rows() == [])
    await second.controller.resume()
    await second.quiet()
    #expect(second.gate.requested.count == 1)
    first.controller.close()
  }

  @Test func whatWaitsIsInTheOutbox() async throws {
    let (world, _) = try await world()
    await world.controller.resume()
    world.like("a")
    await world.quiet()
    await world.fail()
    #expect(try rows() == ["like a"])
    world.like("a", false)
    await world.quiet()
    #expect(try rows() == ["like a"])
    await world.advance(.seconds(1))
    #expect(world.gate.requested.map(\.on) == [true, false])
    await world.answer(0, .success(Note(id: "a", likes: 5)))
    #expect(try rows() == [])
  }

  @Test func rowOfAnotherVersionIsToldAndRemoved() async throws {
    let (world, database) = try await world()
    try await database.run { connection in
      for (kind, payload) in [("vote", "{}"), ("like", "{\"x\":1}")] {
        try connection.execute(
          "INSERT INTO outbox (id, owner, kind, entity, payload) VALUES (?, 'reader', ?, 'a', ?)", UUID(), kind, Data(payload.utf8))
      }
    }
    await world.controller.resume()
    await world.controller.written()
    #expect(world.failures.map(\.kind) == ["vote", "like"])
    #expect(try rows() == [])
    world.like("a")
    await world.quiet()
    #expect(world.gate.requested.count == 1)
    world.gate.answer(0, .failure(CancellationError()))
  }

  @Test func writtenWaitsForWhatWasAccepted() async throws {
    let (world, _) = try await world()
    for number in 0..<20 { world.like("\(number)") }
    await world.controller.written()
    #expect(try rows().count == 20)
  }

  @Test func outboxThatCannotBeWrittenStopsNobody() async throws {
    let (world, database) = try await world()
    await world.controller.resume()
    await database.close()
    world.like("a")
    await world.quiet()
    #expect(world.storageErrors == 1)
    await world.answer(0, .success(Note(id: "a", liked: true, likes: 6)))
    #expect(world.cache["a"]?.likes == 6)
    #expect(world.failures.isEmpty)
  }

  /// What a full disk does to each action that is to be stored.
  private static let noRoom = "CREATE TRIGGER noRoom BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'no room'); END"

  @Test func whatFoundNoRoomCountsUntilItIsSentOrStored() async throws {
    let (world, _) = try await world()
    await world.controller.resume()
    try Connection(path: path).script(Self.noRoom)
    world.like("a")
    world.mark("b")
    world.comment("b")
    await world.quiet()
    #expect(world.storageErrors == 3)
    #expect(world.controller.unstoredCount.value == 3)
    await world.answer(0, .success(Note(id: "a", liked: true, likes: 6)))
    #expect(world.controller.unstoredCount.value == 2, "the server has it")
    #expect(try rows() == [])
    try Connection(path: path).script("DROP TRIGGER noRoom")
    world.comment("a")
    await world.quiet()
    #expect(world.controller.unstoredCount.value == 0)
    #expect(try rows() == ["mark b", "comment b", "comment a"], "in their order")
    world.controller.close()
    world.gate.answer(0, .failure(CancellationError()))
  }

  @Test func whatFoundNoRoomIsTriedOnceMoreAtTheEnd() async throws {
    let (world, _) = try await world()
    await world.controller.resume()
    try Connection(path: path).script(Self.noRoom)
    world.like("a")
    await world.quiet()
    try Connection(path: path).script("DROP TRIGGER noRoom")
    await world.controller.written()
    #expect(try rows() == ["like a"])
    #expect(world.controller.unstoredCount.value == 0)
    world.controller.close()
    world.gate.answer(0, .failure(CancellationError()))
  }

  @Test func outboxThatCannotBeReadStopsNobody() async throws {
    let (world, database) = try await world()
    await database.close()
    await world.controller.resume()
    #expect(world.storageErrors == 1)
    world.like("a")
    await world.quiet()
    #expect(world.gate.requested.count == 1)
    world.gate.answer(0, .failure(CancellationError()))
  }

  @Test func whatCouldNotBeReadOnceDoesNotComeAfterWhatIsNewer() async throws {
    let (first, firstDatabase) = try await world()
    await first.controller.resume()
    first.like("a", true)
    first.comment("a")
    await first.quiet()
    first.controller.close()
    await firstDatabase.close()

    let (second, secondDatabase) = try await world(ids: 100)
    try await secondDatabase.run {
      _ = try $0.execute("INSERT INTO outbox (id, owner, kind, entity, payload) VALUES (1, 'reader', '', '', '')")
    }
    await second.controller.resume()
    #expect(second.storageErrors == 1)
    second.like("a", false)
    await second.quiet()
    await second.answer(0, .success(Note(id: "a", likes: 5)))
    try await secondDatabase.run { _ = try $0.execute("DELETE FROM outbox WHERE kind = ''") }
    #expect(try rows() == ["comment a"])
    await secondDatabase.close()

    let (third, _) = try await world(ids: 200)
    await third.controller.resume()
    await third.quiet()
    #expect(third.gate.requested.map(\.kind) == ["comment"])
    third.controller.close()
    for world in [first, third] { world.gate.answer(0, .failure(CancellationError())) }
  }

  @Test func outboxThatIsDamagedWhileItIsUsedLosesNothing() async throws {
    let database = try await Database(path: path, migrations: Outbox.migrations, ifDamaged: .setAside)
    let world = World(outbox: Outbox(database: database, owner: "reader"))
    var damages: [Bool] = []
    world.controller.onStorageError = { ($0 as? Outbox.Damaged).map { damages.append($0.isRestored) } }
    world.cache.store(["a", "b", "c", "d"].map { Note(id: $0) })
    await world.controller.resume()
    for id in ["a", "b", "c"] { world.like(id) }
    await world.quiet()
    #expect(try rows() == ["like a", "like b", "like c"])
    // Everything is in the file itself, and nothing of it in memory, before it is overwritten.
    try await database.run { for step in ["wal_checkpoint(TRUNCATE)", "shrink_memory"] { _ = try $0.execute("PRAGMA " + step) } }
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.write(contentsOf: Data(repeating: 1, count: 100_000))
    try file.close()
    world.like("d")
    await world.quiet()
    #expect(damages == [true])
    #expect(try rows() == ["like a", "like b", "like c", "like d"])
    for id in ["a", "b", "c", "d"] { await world.answer(0, .success(Note(id: id, likes: 1))) }
    #expect(try rows() == [])
    await database.close()
  }

  @Test func damagedOutboxIsToldOnceAndAnotherOneBegun() async throws {
    try Data(repeating: 1, count: 20_000).write(to: URL(fileURLWithPath: path))
    let database = try await Database(path: path, migrations: Outbox.migrations, ifDamaged: .setAside)
    let world = World(outbox: Outbox(database: database, owner: "reader"))
    var damages = 0
    world.controller.onStorageError = { if let damage = $0 as? Outbox.Damaged, !damage.isRestored { damages += 1 } }
    world.cache.store([Note(id: "a")])
    await world.controller.resume()
    #expect(damages == 1)
    world.like("a")
    await world.quiet()
    #expect(damages == 1)
    #expect(try rows() == ["like a"])
    world.gate.answer(0, .failure(CancellationError()))
  }

  @Test func rowsOfTheFirstSchemaGiveWayToo() async throws {
    let old = try Connection(path: path)
    try old.migrate([Outbox.migrations[0]])
    for (kind, on) in [("like", true), ("mark", true)] {
      let payload = try JSONEncoder().encode(LikeAction(id: UUID(), entityID: "a", on: on))
      let action = try #require(try JSONSerialization.jsonObject(with: payload) as? [String: Any])
      try old.execute(
        "INSERT INTO outbox (id, owner, kind, entity, payload) VALUES (?, 'reader', ?, 'a', ?)", action["id"] as? String, kind, payload)
    }
    let (world, _) = try await world()
    world.like("a", false)
    await world.controller.resume()
    await world.quiet()
    #expect(world.gate.requested.map(\.kind) == ["mark"])
    await world.answer(0, .success(Note(id: "a", marked: true)))
    #expect(world.gate.requested.map(\.on) == [true, false])
    world.gate.answer(0, .failure(CancellationError()))
  }

  @Test func severalAreKeptInOneStepAndGoOutInTheirOrder() async throws {
    let (world, _) = try await world()
    await world.controller.resume()
    let on = { LikeAction(id: world.ids.next(), entityID: $0, on: $1) }
    world.controller.perform([on("a", true), on("b", true), on("a", false)])
    #expect(world.cache["a"]?.liked == false && world.cache["b"]?.liked == true)
    #expect(world.pending == 2)
    await world.quiet()
    #expect(world.labels == ["outbox.read", "outbox.add"])
    #expect(try rows() == ["like b", "like a"])
    await world.answer(0, .success(Note(id: "b", liked: true)))
    await world.answer(0, .success(Note(id: "a")))
    #expect(world.gate.requested.map(\.entityID) == ["b", "a"])
    #expect(try rows() == [])
  }
}
