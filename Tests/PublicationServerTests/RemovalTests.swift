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
  private typealias House = ReaderHouse

  /// A house with one feed that Ada added, and its club.
  private func house() async throws -> (House, FanClub.ID) {
    let house = try await House()
    house.web.answer(House.url, Response(200, body: Documents.rss("One", "Two")))
    let club = try #require(try await house.end(try await house.begin(House.url)).clubs.first)
    return (house, club)
  }

  private func remove(_ club: FanClub.ID, _ house: House, _ token: String? = nil) async -> Response {
    await house.rig.send(.delete, "/v1/fanclubs/\(club)", token: token ?? house.ada)
  }

  private func expect(_ response: Response, _ status: Int, _ code: Problem.Code) throws {
    #expect(response.status == status)
    #expect(try response.problem.code == code)
  }

  @Test func whoAddedAFeedTakesItBackWithAllThatBelongsToIt() async throws {
    let (house, club) = try await house()
    #expect(try await house.clubs().map(\.canRemove) == [true])
    #expect(try await house.clubs(house.bo).map(\.canRemove) == [false])
    let post = try #require(try await house.posts().first)
    for mark in ["bookmark", "reaction", "read", "comments/\(UUID())"] {
      let body = mark.hasPrefix("comments") ? try Wire.encode(CommentRequest(text: "Mine")) : Data()
      #expect(await house.rig.send(.put, "/v1/posts/\(post.id)/\(mark)", token: house.ada, body: body).status < 300)
    }
    // To have read a post is nothing that anybody misses.
    _ = await house.rig.send(.put, "/v1/posts/\(post.id)/read", token: house.bo)
    #expect(try await house.rig.get("/v1/search?q=one", house.bo, as: Page<SearchHit>.self).items.count == 1)
    let removed = await remove(club, house)
    #expect((removed.status, removed.body.count) == (204, 0))
    #expect(try await house.clubs().isEmpty)
    #expect(try await house.posts().isEmpty)
    #expect(try await house.rig.get("/v1/search?q=one", house.bo, as: Page<SearchHit>.self).items.isEmpty)
    #expect(await house.rig.send(.get, "/v1/posts/\(post.id)", token: house.ada).status == 404)
    #expect(try await house.rig.publication.leftovers == 0)
    // Again there is nothing to remove.
    try expect(await remove(club, house), 404, .notFound)
    try expect(await remove("nobody", house), 404, .notFound)
    // Added again it is there as if for the first time.
    #expect(try await house.end(try await house.begin(House.url)).clubs == [club])
    let posts = try await house.posts()
    #expect(posts.map(\.id).contains(post.id))
    #expect(posts.allSatisfy { !$0.bookmarked && !$0.read && $0.reactions == [:] && $0.comments == 0 })
  }

  @Test func nobodyElseDoes() async throws {
    let (house, club) = try await house()
    try expect(await remove(club, house, house.bo), 403, .notYours)
    try expect(await house.rig.send(.delete, "/v1/fanclubs/\(club)"), 401, .sessionEnded)
    // What the publication began with, and what its operator imported, is no reader's.
    try expect(await remove("odd", house), 403, .notYours)
    _ = try await house.rig.publication.importFeed(ParsedItemSample.feed([]), source: "https://other.example/feed")
    let imported = try #require(try await house.clubs().first { $0.id != club })
    #expect(!imported.canRemove)
    try expect(await remove(imported.id, house), 403, .notYours)
    // Nor does it become whose who adds it once more.
    house.web.answer("https://other.example/feed", Response(200, body: Documents.rss("Three")))
    _ = try await house.end(try await house.begin("https://other.example/feed"))
    _ = try await house.end(try await house.begin(House.url, house.bo))
    #expect(try await house.clubs().filter(\.canRemove).map(\.id) == [club])
    #expect(try await house.clubs(house.bo).allSatisfy { !$0.canRemove })
  }

  @Test func whatThePublisherImportsIsNoReadersAnyMore() async throws {
    let (house, club) = try await house()
    // To be asked again changes nothing about it.
    house.rig.clock.advance(by: .seconds(120))
    #expect(try await house.end(await house.refresh(club)).state == .done)
    #expect(try await house.clubs().map(\.canRemove) == [true])
    let importer = FeedImporter(publication: house.rig.publication, web: house.web, json: false, output: { _ in }, progress: { _ in })
    #expect(await importer.run([House.url]) == 0)
    #expect(try await house.clubs().map(\.canRemove) == [false])
    try expect(await remove(club, house), 403, .notYours)
    // The reader adds it once more, and it stays the publisher's.
    _ = try await house.end(try await house.begin(House.url))
    #expect(try await house.clubs().map(\.canRemove) == [false])
    #expect(try await house.posts().count == 2)
  }

  @Test func whatIsOnAListOfThePublishersIsNoReadersAnyMore() async throws {
    let house = try await House()
    let clubs = try await house.end(await house.post(Documents.outline, name: "list.opml")).clubs
    _ = try await house.end(await house.post(Documents.outline, name: "list.opml", house.bo))
    #expect(try await house.clubs().map(\.canRemove) == [true, true])
    guard case .outline(let outline) = try FeedParser.document(Documents.outline, source: "list.opml") else {
      Issue.record("no list")
      return
    }
    let report = try await house.rig.publication.importOutline(outline)
    #expect((report.added, report.unchanged) == (0, clubs.count))
    #expect(try await house.clubs().map(\.canRemove) == [false, false])
  }

  /// What another reader does that keeps a club where it is, as the end of a request's path.
  private static let uses = ["follow", "bookmark", "reaction", "comments/AAAAAAAA-1111-4222-8333-555555555555"]

  /// Bo does that.
  /// - Returns: the path of the request.
  private func use(_ club: FanClub.ID, by mark: String, _ house: ReaderHouse) async throws -> String {
    let post = try #require(try await house.posts().last)
    let path = mark == "follow" ? "/v1/fanclubs/\(club)/follow" : "/v1/posts/\(post.id)/\(mark)"
    let body = mark.hasPrefix("comments") ? try Wire.encode(CommentRequest(text: "Bo's")) : Data()
    #expect(await house.rig.send(.put, path, token: house.bo, body: body).status < 300)
    return path
  }

  @Test(arguments: uses)
  func whatOthersMakeUseOfStays(mark: String) async throws {
    let (house, club) = try await house()
    let path = try await use(club, by: mark, house)
    let refused = await remove(club, house)
    try expect(refused, 409, .inUse)
    #expect(try refused.problem.title.hasSuffix("so it stays."))
    #expect(try await house.posts().count == 2)
    #expect(try await house.clubs().map(\.followed) == [true])
    // Once they have taken it back, so may the reader.
    #expect(await house.rig.send(.delete, path, token: house.bo).status < 300)
    #expect(await remove(club, house).status == 204)
    #expect(try await house.rig.publication.leftovers == 0)
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
    let house = try await House()
    let clubs = try await house.end(await house.post(Documents.outline, name: "list.opml")).clubs
    #expect(try await house.clubs().map(\.canRemove) == [true, true])
    #expect(await remove(clubs[0], house).status == 204)
    #expect(try await house.clubs().map(\.id) == [clubs[1]])
    // From the list again it is fetched when asked for, however short ago that was.
    let url = "https://one.example/feed"
    for posts in 1...2 {
      _ = try await house.end(await house.post(Documents.outline, name: "list.opml"))
      house.web.answer(url, Response(200, body: posts == 1 ? Documents.rss("A") : Documents.rss("A", "B")))
      #expect(try await house.end(await house.refresh(clubs[0])).state == .done)
      #expect(try await house.posts().count == posts)
      #expect(await remove(clubs[0], house).status == 204)
    }
  }

  @Test(arguments: [true, false]) func nothingIsLeftOfAnImportOfAReaderWhoIsRemovedMeanwhile(isList: Bool) async throws {
    let house = try await House()
    house.web.answer(House.url, Response(200, body: isList ? Documents.outline : Documents.rss("One")))
    house.web.holdBack(House.url)
    let begun = try await house.begin(House.url)
    await house.web.hold.waitForSleepers()
    let id = try Wire.decode(Import.self, from: begun.body).id
    let ada = try await house.rig.get("/v1/session", house.ada, as: Reader.self).id
    let job = try #require(house.rig.publication.imports.job(id, of: ada))
    #expect(try await house.rig.operate(.delete, "readers/ada@example.org").status == 204)
    house.web.hold.advance(by: .seconds(1))
    await job.ended()
    #expect(job.report.state == .cancelled)
    #expect(try await house.clubs(house.bo).isEmpty)
    #expect(try await house.rig.publication.leftovers == 0)
  }

  /// Removed between two parts: the club went with its reader, and there is nothing to take back.
  @Test func aPartOfAnImportOfARemovedReaderIsGoneAlready() async throws {
    let (house, club) = try await house()
    let ada = try await house.rig.get("/v1/session", house.ada, as: Reader.self).id
    #expect(try await house.rig.operate(.delete, "readers/ada@example.org").status == 204)
    #expect(try await house.clubs(house.bo).isEmpty)
    try await house.rig.publication.takeBack(club, of: ada)
    #expect(try await house.rig.publication.leftovers == 0)
  }

  /// Else the publication would fetch it for ever, without the limits of any reader, and nobody could remove it.
  @Test(arguments: uses)
  func whatARemovedReaderAddedIsWhoeversUsesIt(mark: String) async throws {
    let (house, club) = try await house()
    _ = try await use(club, by: mark, house)
    #expect(try await house.rig.operate(.delete, "readers/ada@example.org").status == 204)
    let bo = try await house.rig.get("/v1/session", house.bo, as: Reader.self).id
    #expect(try await house.rig.publication.owner(of: club) == bo)
    #expect(try await house.clubs(house.bo).map(\.canRemove) == [true])
    #expect(await remove(club, house, house.bo).status == 204)
    #expect(try await house.rig.publication.leftovers == 0)
  }

  @Test func whatARemovedReaderAddedAndNobodyElseUsesGoesAsWell() async throws {
    let (house, _) = try await house()
    house.web.answer("https://other.example/feed", Response(200, body: Documents.rss("Three")))
    let stored = try #require(try await house.end(try await house.begin("https://other.example/feed", house.bo)).clubs.first)
    #expect(try await house.rig.operate(.delete, "readers/ada@example.org").status == 204)
    #expect(try await house.clubs(house.bo).map(\.id) == [stored])
    await house.rig.publication.sweeping?.value
    #expect(try await house.rig.publication.rows("post") == 1)
    #expect(try await house.rig.publication.rows("feed") == 1)
  }

  /// Of several followers it becomes that of the one who has read most of it.
  @Test func theOneWhoReadsItMostHasItThen() async throws {
    let (house, club) = try await house()
    try await house.rig.publication.addReader(email: "aa@example.org", name: "Cy", password: Rig.password)
    let cy = try await house.rig.signIn("aa")
    for token in [house.bo, cy] { #expect(await house.rig.send(.put, "/v1/fanclubs/\(club)/follow", token: token).status < 300) }
    let readers = [
      try await house.rig.get("/v1/session", house.bo, as: Reader.self).id, try await house.rig.get("/v1/session", cy, as: Reader.self).id,
    ]
    // Not the one who comes first without that.
    let (heir, token) = readers[0] < readers[1] ? (readers[1], cy) : (readers[0], house.bo)
    let post = try #require(try await house.posts().first)
    #expect(await house.rig.send(.put, "/v1/posts/\(post.id)/read", token: token).status < 300)
    #expect(try await house.rig.operate(.delete, "readers/ada@example.org").status == 204)
    #expect(try await house.rig.publication.owner(of: club) == heir)
  }

  @Test func whatIsBeingFetchedDoesNotBringItBack() async throws {
    let (house, club) = try await house()
    house.web.holdBack(House.url)
    let begun = await house.refresh(club)
    await house.web.hold.waitForSleepers()
    #expect(await remove(club, house).status == 204)
    house.web.hold.advance(by: .seconds(1))
    #expect(try await house.end(begun).state == .cancelled)
    #expect(try await house.clubs().isEmpty)
    #expect(try await house.rig.publication.leftovers == 0)
  }
}

extension Publication {
  /// How many rows there are of posts and feeds, and of what refers to posts, once nothing is on its way out.
  fileprivate var leftovers: Int {
    get async throws {
      await sweeping?.value
      let tables = [
        "post", "feed", "post_search", "premium_search", "search_queue", "reaction", "base_reaction", "bookmark", "comment", "unlock",
        "read_mark", "follow", "post_count", "read_count", "reaction_count",
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
