import Foundation
import HTTPTransport
import PublicationAPI
import SQLiteStorage
import Testing

@testable import PublicationServer

/// Another process has the database locked.
@Suite struct LockedDatabaseTests {
  @Test func whoeverWritesIsToldToComeBackAndWhoeverReadsIsAnswered() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    #expect(try await rig.publication.busyTimeout == 100)
    let other = try Connection(path: folder.file(Publication.databaseName))
    try other.script("BEGIN IMMEDIATE")
    let refused = await rig.send(.put, "/v1/posts/p01/bookmark", token: token)
    #expect((refused.status, refused.headers["Retry-After"]) == (503, "1"))
    #expect(try refused.problem.code == .busy)
    #expect(await rig.send(.get, "/v1/posts", token: token).status == 200)
    try other.script("ROLLBACK")
    #expect(await rig.send(.put, "/v1/posts/p01/bookmark", token: token).status == 200)
    await rig.publication.close()
  }

  @Test(arguments: [true, false]) func anImportTriesAgainForHalfAMinute(isUnlocked: Bool) async throws {
    let folder = try TemporaryFolder()
    let readers = try await FeedReadersRig(folder: folder.path)
    let clock = readers.rig.clock
    await clock.waitForSleepers()
    let other = try Connection(path: folder.file(Publication.databaseName))
    try other.script("BEGIN IMMEDIATE")
    let begun = await readers.post(Documents.rss("One"))
    let id = try Wire.decode(Import.self, from: begun.body).id
    for wait in [1, 2, 4, 8] {
      await clock.waitForSleepers(2)
      #expect(clock.nextDue == .seconds(wait))
      clock.advance(by: .seconds(wait))
    }
    await clock.waitForSleepers(2)
    #expect(try await readers.rig.get("/v1/imports/\(id)", readers.ada, as: Import.self).state == .running)
    if isUnlocked { try other.script("ROLLBACK") }
    clock.advance(by: .seconds(16))
    let ended = try await readers.end(begun)
    #expect(ended.state == (isUnlocked ? .done : .failed))
    let sentence = "Another program has the publication’s database locked, so it could not be stored. Try again in a moment."
    #expect(ended.problem == (isUnlocked ? nil : sentence))
    if !isUnlocked { try other.script("ROLLBACK") }
    #expect(try await readers.posts().count == (isUnlocked ? 1 : 0))
    await readers.rig.publication.close()
  }

  /// That the publication cannot write is no fault of the feed's.
  @Test func aFeedOfTheScheduleIsAskedAgain() async throws {
    let folder = try TemporaryFolder()
    let readers = try await FeedReadersRig(folder: folder.path)
    let clock = readers.rig.clock
    readers.web.answer(FeedReadersRig.url, Response(200, body: Documents.rss("One")))
    let club = try #require(try await readers.end(try await readers.begin(FeedReadersRig.url)).clubs.first)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1800))
    await clock.waitForSleepers()
    readers.web.answer(FeedReadersRig.url, Response(200, body: Documents.rss("One", "Two")))
    let other = try Connection(path: folder.file(Publication.databaseName))
    try other.script("BEGIN IMMEDIATE")
    clock.advance(by: .seconds(1800))
    for wait in [1, 2, 4, 8, 16] {
      await clock.waitForSleepers()
      #expect(clock.nextDue == .seconds(wait))
      clock.advance(by: .seconds(wait))
    }
    await clock.waitForSleepers()
    #expect(clock.nextDue == .seconds(30))
    try other.script("ROLLBACK")
    #expect(try await readers.clubs().first { $0.id == club }?.problem == nil)
    clock.advance(by: .seconds(30))
    await clock.waitForSleepers()
    #expect(try await readers.posts().count == 2)
    await readers.rig.publication.close()
  }
}

extension Publication {
  /// In milliseconds.
  fileprivate var busyTimeout: Int? {
    get throws {
      let database = try #require(content as? SQLiteContent).database
      return try database.queryOne("PRAGMA busy_timeout") { try $0.get(0, as: Int.self) }
    }
  }
}
