import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SQLiteStorage
import Testing

@testable import PublicationServer

/// Feeds that their readers take back.
@Suite struct RemovalTests {
  /// A publication with one feed that Ada added, and its club.
  private func readers() async throws -> (FeedReadersRig, FanClub.ID) {
    let readers = try await FeedReadersRig()
    readers.web.answer(FeedReadersRig.url, Response(200, body: Documents.rss("One", "Two")))
    let club = try #require(try await readers.end(try await readers.begin(FeedReadersRig.url)).clubs.first)
    return (readers, club)
  }

  private func remove(_ club: FanClub.ID, _ readers: FeedReadersRig, _ token: String? = nil) async -> Response {
    await readers.rig.send(.delete, "/v1/fanclubs/\(club)", token: token ?? readers.ada)
  }

  private func expect(_ response: Response, _ status: Int, _ code: Problem.Code) throws {
    #expect(response.status == status)
    #expect(try response.problem.code == code)
  }

  @Test func whoAddedAFeedTakesItBackWithAllThatBelongsToIt() async throws {
    let (readers, club) = try await readers()
    #expect(try await readers.clubs().map(\.canRemove) == [true])
    #expect(try await readers.clubs(readers.bo).map(\.canRemove) == [false])
    let post = try #require(try await readers.posts().first)
    for mark in ["bookmark", "reaction", "read", "comments/\(UUID())"] {
      let body = mark.hasPrefix("comments") ? try Wire.encode(CommentRequest(text: "Mine")) : Data()
      #expect(await readers.rig.send(.put, "/v1/posts/\(post.id)/\(mark)", token: readers.ada, body: body).status < 300)
    }
    // To have read a post is nothing that anybody misses.
    _ = await readers.rig.send(.put, "/v1/posts/\(post.id)/read", token: readers.bo)
    #expect(try await readers.rig.get("/v1/search?q=one", readers.bo, as: Page<SearchHit>.self).items.count == 1)
    let removed = await remove(club, readers)
    #expect((removed.status, removed.body.count) == (204, 0))
    #expect(try await readers.clubs().isEmpty)
    #expect(try await readers.posts().isEmpty)
    #expect(try await readers.rig.get("/v1/search?q=one", readers.bo, as: Page<SearchHit>.self).items.isEmpty)
    #expect(await readers.rig.send(.get, "/v1/posts/\(post.id)", token: readers.ada).status == 404)
    #expect(try await readers.rig.publication.leftovers == 0)
    // Again there is nothing to remove.
    try expect(await remove(club, readers), 404, .notFound)
    try expect(await remove("nobody", readers), 404, .notFound)
    // Added again it is there as if for the first time.
    #expect(try await readers.end(try await readers.begin(FeedReadersRig.url)).clubs == [club])
    let posts = try await readers.posts()
    #expect(posts.map(\.id).contains(post.id))
    #expect(posts.allSatisfy { !$0.bookmarked && !$0.read && $0.reactions == [:] && $0.comments == 0 })
  }

  @Test func nobodyElseDoes() async throws {
    let (readers, club) = try await readers()
    try expect(await remove(club, readers, readers.bo), 403, .notYours)
    try expect(await readers.rig.send(.delete, "/v1/fanclubs/\(club)"), 401, .sessionEnded)
    // What the publication began with, and what its operator imported, is no reader's.
    try expect(await remove("odd", readers), 403, .notYours)
    _ = try await readers.rig.publication.importFeed(ParsedItemSample.feed([]), source: "https://other.example/feed")
    let imported = try #require(try await readers.clubs().first { $0.id != club })
    #expect(!imported.canRemove)
    try expect(await remove(imported.id, readers), 403, .notYours)
    // Nor does it become whose who adds it once more.
    readers.web.answer("https://other.example/feed", Response(200, body: Documents.rss("Three")))
    _ = try await readers.end(try await readers.begin("https://other.example/feed"))
    _ = try await readers.end(try await readers.begin(FeedReadersRig.url, readers.bo))
    #expect(try await readers.clubs().filter(\.canRemove).map(\.id) == [club])
    #expect(try await readers.clubs(readers.bo).allSatisfy { !$0.canRemove })
  }

  @Test func whatThePublisherImportsIsNoReadersAnyMore() async throws {
    let (readers, club) = try await readers()
    // To be asked again changes nothing about it.
    readers.rig.clock.advance(by: .seconds(120))
    #expect(try await readers.end(await readers.refresh(club)).state == .done)
    #expect(try await readers.clubs().map(\.canRemove) == [true])
    let importer = ImportCommand(publication: readers.rig.publication, web: readers.web, json: false, output: { _ in }, progress: { _ in })
    #expect(await importer.run([FeedReadersRig.url]) == 0)
    #expect(try await readers.clubs().map(\.canRemove) == [false])
    try expect(await remove(club, readers), 403, .notYours)
    // The reader adds it once more, and it stays the publisher's.
    _ = try await readers.end(try await readers.begin(FeedReadersRig.url))
    #expect(try await readers.clubs().map(\.canRemove) == [false])
    #expect(try await readers.posts().count == 2)
  }

  @Test func whatIsOnAListOfThePublishersIsNoReadersAnyMore() async throws {
    let readers = try await FeedReadersRig()
    let clubs = try await readers.end(await readers.post(Documents.outline, name: "list.opml")).clubs
    _ = try await readers.end(await readers.post(Documents.outline, name: "list.opml", readers.bo))
    #expect(try await readers.clubs().map(\.canRemove) == [true, true])
    guard case .outline(let outline) = try FeedParser.document(Documents.outline, source: "list.opml") else {
      Issue.record("no list")
      return
    }
    let report = try await readers.rig.publication.importOutline(outline)
    #expect((report.added, report.unchanged) == (0, clubs.count))
    #expect(try await readers.clubs().map(\.canRemove) == [false, false])
  }

  /// What another reader does that keeps a club where it is, as the end of a request's path.
  private static let uses = ["follow", "bookmark", "reaction", "comments/AAAAAAAA-1111-4222-8333-555555555555"]

  /// Bo does that.
  /// - Returns: the path of the request.
  private func use(_ club: FanClub.ID, by mark: String, _ readers: FeedReadersRig) async throws -> String {
    let post = try #require(try await readers.posts().last)
    let path = mark == "follow" ? "/v1/fanclubs/\(club)/follow" : "/v1/posts/\(post.id)/\(mark)"
    let body = mark.hasPrefix("comments") ? try Wire.encode(CommentRequest(text: "Bo's")) : Data()
    #expect(await readers.rig.send(.put, path, token: readers.bo, body: body).status < 300)
    return path
  }

  @Test(arguments: uses)
  func whatOthersMakeUseOfStays(mark: String) async throws {
    let (readers, club) = try await readers()
    let path = try await use(club, by: mark, readers)
    let refused = await remove(club, readers)
    try expect(refused, 409, .inUse)
    #expect(try refused.problem.title.hasSuffix("so it stays."))
    #expect(try await readers.posts().count == 2)
    #expect(try await readers.clubs().map(\.followed) == [true])
    // Once they have taken it back, so may the reader.
    #expect(await readers.rig.send(.delete, path, token: readers.bo).status < 300)
    #expect(await remove(club, readers).status == 204)
    #expect(try await readers.rig.publication.leftovers == 0)
  }

  @Test func whatOthersUnlockedStays() async throws {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    try database.script(
      """
      INSERT INTO reader VALUES ('a', 'a', 'a', ''), ('b', 'b', 'b', '');
      INSERT INTO fan_club (id, name, sort_key, about, added_by) VALUES ('c', 'c', 'c', '', 'a'), ('d', 'd', 'd', '', 'a');
      INSERT INTO post (id, fan_club, title, byline, teaser, published, premium, digest, body)
        VALUES ('p', 'c', '', '', '', 0, 1, X'', ''), ('q', 'd', '', '', '', 0, 1, X'', '');
      INSERT INTO purchase (id, reader, product, kind, entitlement, total, currency, state, created)
        VALUES ('o', 'b', '', '', '', 0, '', 'paid', 0);
      INSERT INTO credit (purchase, reader, type, amount, remaining) VALUES ('o', 'b', '', 5, 4);
      INSERT INTO unlock (reader, post, credit, at) VALUES ('b', 'p', 1, 0);
      """)
    let content = SQLiteContent(database: database)
    #expect(try content.removeClub("c", by: "a") == .inUse)
    #expect(try content.removeClub("d", by: "a") == .removed)
    #expect(try content.sweep("d") == false)
    #expect(try content.sweep("c") == false)
    #expect(try database.query("SELECT id FROM post") { try $0.get(0, as: String.self) } == ["p"])
    #expect(try database.queryOne("PRAGMA foreign_keys") { try $0.get(0, as: Bool.self) } == true)
  }

  @Test func aClubOfAListIsRemovedByItself() async throws {
    let readers = try await FeedReadersRig()
    let clubs = try await readers.end(await readers.post(Documents.outline, name: "list.opml")).clubs
    #expect(try await readers.clubs().map(\.canRemove) == [true, true])
    #expect(await remove(clubs[0], readers).status == 204)
    #expect(try await readers.clubs().map(\.id) == [clubs[1]])
    // From the list again it is fetched when asked for, however short ago that was.
    let url = "https://one.example/feed"
    for posts in 1...2 {
      _ = try await readers.end(await readers.post(Documents.outline, name: "list.opml"))
      readers.web.answer(url, Response(200, body: posts == 1 ? Documents.rss("A") : Documents.rss("A", "B")))
      #expect(try await readers.end(await readers.refresh(clubs[0])).state == .done)
      #expect(try await readers.posts().count == posts)
      #expect(await remove(clubs[0], readers).status == 204)
    }
  }

  @Test(arguments: [true, false]) func nothingIsLeftOfAnImportOfAReaderWhoIsRemovedMeanwhile(isList: Bool) async throws {
    let readers = try await FeedReadersRig()
    readers.web.answer(FeedReadersRig.url, Response(200, body: isList ? Documents.outline : Documents.rss("One")))
    readers.web.holdBack(FeedReadersRig.url)
    let begun = try await readers.begin(FeedReadersRig.url)
    await readers.web.hold.waitForSleepers()
    let id = try Wire.decode(Import.self, from: begun.body).id
    let ada = try await readers.rig.get("/v1/session", readers.ada, as: Reader.self).id
    let job = try #require(readers.rig.publication.imports.job(id, of: ada))
    #expect(try await readers.rig.operate(.delete, "readers/ada@example.org").status == 204)
    readers.web.hold.advance(by: .seconds(1))
    await job.ended()
    #expect(job.report.state == .cancelled)
    #expect(try await readers.clubs(readers.bo).isEmpty)
    #expect(try await readers.rig.publication.leftovers == 0)
  }

  /// Removed between two parts: the club went with its reader, and there is nothing to take back.
  @Test func aPartOfAnImportOfARemovedReaderIsGoneAlready() async throws {
    let (readers, club) = try await readers()
    let ada = try await readers.rig.get("/v1/session", readers.ada, as: Reader.self).id
    #expect(try await readers.rig.operate(.delete, "readers/ada@example.org").status == 204)
    #expect(try await readers.clubs(readers.bo).isEmpty)
    try await readers.rig.publication.takeBack(club, of: ada)
    #expect(try await readers.rig.publication.leftovers == 0)
  }

  /// Else the publication would fetch it for ever, without the limits of any reader, and nobody could remove it.
  @Test(arguments: uses)
  func whatARemovedReaderAddedIsWhoeversUsesIt(mark: String) async throws {
    let (readers, club) = try await readers()
    _ = try await use(club, by: mark, readers)
    #expect(try await readers.rig.operate(.delete, "readers/ada@example.org").status == 204)
    let bo = try await readers.rig.get("/v1/session", readers.bo, as: Reader.self).id
    #expect(try await readers.rig.publication.owner(of: club) == bo)
    #expect(try await readers.clubs(readers.bo).map(\.canRemove) == [true])
    #expect(await remove(club, readers, readers.bo).status == 204)
    #expect(try await readers.rig.publication.leftovers == 0)
  }

  @Test func whatARemovedReaderAddedAndNobodyElseUsesGoesAsWell() async throws {
    let (readers, _) = try await readers()
    readers.web.answer("https://other.example/feed", Response(200, body: Documents.rss("Three")))
    let stored = try #require(try await readers.end(try await readers.begin("https://other.example/feed", readers.bo)).clubs.first)
    #expect(try await readers.rig.operate(.delete, "readers/ada@example.org").status == 204)
    #expect(try await readers.clubs(readers.bo).map(\.id) == [stored])
    await readers.rig.publication.sweeping?.value
    #expect(try await readers.rig.publication.rows("post") == 1)
    #expect(try await readers.rig.publication.rows("feed") == 1)
  }

  /// Of several followers it becomes that of the one who has read most of it.
  @Test func theOneWhoReadsItMostHasItThen() async throws {
    let (readers, club) = try await readers()
    try await readers.rig.publication.addReader(email: "aa@example.org", name: "Cy", password: Rig.password)
    let cy = try await readers.rig.signIn("aa")
    for token in [readers.bo, cy] { #expect(await readers.rig.send(.put, "/v1/fanclubs/\(club)/follow", token: token).status < 300) }
    let ids = [
      try await readers.rig.get("/v1/session", readers.bo, as: Reader.self).id,
      try await readers.rig.get("/v1/session", cy, as: Reader.self).id,
    ]
    // Not the one who comes first without that.
    let (heir, token) = ids[0] < ids[1] ? (ids[1], cy) : (ids[0], readers.bo)
    let post = try #require(try await readers.posts().first)
    #expect(await readers.rig.send(.put, "/v1/posts/\(post.id)/read", token: token).status < 300)
    #expect(try await readers.rig.operate(.delete, "readers/ada@example.org").status == 204)
    #expect(try await readers.rig.publication.owner(of: club) == heir)
  }

  @Test func whatIsBeingFetchedDoesNotBringItBack() async throws {
    let (readers, club) = try await readers()
    readers.web.holdBack(FeedReadersRig.url)
    let begun = await readers.refresh(club)
    await readers.web.hold.waitForSleepers()
    #expect(await remove(club, readers).status == 204)
    readers.web.hold.advance(by: .seconds(1))
    #expect(try await readers.end(begun).state == .cancelled)
    #expect(try await readers.clubs().isEmpty)
    #expect(try await readers.rig.publication.leftovers == 0)
  }
}

extension Publication {
  /// How many rows there are of posts and feeds, and of what refers to posts, once nothing is on its way out.
  fileprivate var leftovers: Int {
    get async throws {
      await sweeping?.value
      let tables = [
        "post", "feed", "post_search", "premium_search", "search_queue", "reaction", "base_reaction", "bookmark", "comment", "unlock",
        "read_mark", "follow", "post_count", "read_count", "reaction_count", "comment_count",
      ]
      let content = try #require(try self.content as? SQLiteContent)
      return try tables.reduce(0) { sum, table in
        try sum + (content.database.queryOne("SELECT count(*) FROM \(table)") { try $0.get(0, as: Int.self) } ?? 0)
      }
    }
  }

  fileprivate func owner(of club: FanClub.ID) async throws -> Reader.ID? { try await feedRepository.feed(of: club)?.addedBy }

  fileprivate func takeBack(_ club: FanClub.ID, of reader: Reader.ID) async throws {
    #expect(try await content.takeBack([club], follows: [], of: reader) == [])
  }
}
