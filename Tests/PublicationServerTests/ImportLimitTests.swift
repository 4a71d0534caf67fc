import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import Testing

@testable import PublicationServer

/// What a reader has the publication fetch, by whatever way: an import is only one of them.
@Suite struct ImportLimitTests {
  /// A publication with a feed that Ada added, and its club.
  private func readers(sharedFor moment: Duration = .seconds(60)) async throws -> (
    readers: FeedReadersRig, club: FanClub.ID, ada: Reader.ID
  ) {
    let readers = try await FeedReadersRig(sharedFor: moment)
    readers.web.answer(FeedReadersRig.url, Response(200, body: Documents.rss("One")))
    let club = try #require(try await readers.end(try await readers.begin(FeedReadersRig.url)).clubs.first)
    await readers.rig.clock.waitForSleepers()
    readers.web.forget()
    return (readers, club, try await readers.rig.get("/v1/session", readers.ada, as: Reader.self).id)
  }

  @Test func aRefreshCountsForWhoAsks() async throws {
    let (readers, club, ada) = try await readers()
    let limits = readers.rig.publication.importLimits
    let now = Int64(readers.rig.clock.now.timeIntervalSince1970)
    for _ in 0..<(ImportLimits.mostFetches - 1) { try limits.startFetch(for: ada, at: now) }
    // What somebody else got just before costs nothing.
    for _ in 0..<3 { #expect(try await readers.end(await readers.refresh(club)).state == .done) }
    #expect(readers.web.requests.count == 1)
    readers.rig.clock.advance(by: .seconds(60))
    let refused = try await readers.end(await readers.refresh(club))
    #expect(refused.state == .failed)
    #expect(refused.problem == "You have had 1000 feeds fetched within an hour. Wait a while before the next one.")
    #expect(readers.web.requests.count == 1)
    #expect(try await readers.end(await readers.refresh(club, readers.bo)).state == .done)
    #expect(readers.web.requests.count == 2)
    readers.rig.clock.advance(by: .seconds(3540))
    #expect(try await readers.end(await readers.refresh(club)).state == .done)
  }

  /// Others wait for each step, and what is in it is written whatever it is.
  @Test func itemsWithMuchTextAreStoredAFewInAStep() {
    let text = String(repeating: "x", count: 300_000)
    let changes: [(String, (inout Post) -> Void)] = [
      ("body", { $0.body = text }), ("title", { $0.title = text }), ("byline", { $0.byline = text }), ("teaser", { $0.teaser = text }),
      ("picture", { $0.picture = text }), ("address", { $0.url = text }),
      ("files", { $0.enclosures = [Enclosure(url: text, type: text, title: text)] }),
      ("many files", { $0.enclosures = Array(repeating: Enclosure(url: String(text.prefix(6_000))), count: 50) }),
    ]
    for (name, change) in changes {
      var post = Post(id: "p", fanClubID: "c", fanClubName: "", title: "", published: Rig.start)
      change(&post)
      let feed = ImportedFeed(
        club: FanClub(id: "c", name: "C"), source: "s", items: Array(repeating: .init(post: post, isUndated: false), count: 10))
      #expect(feed.parts == (name == "files" ? [0..<2, 2..<4, 4..<6, 6..<8, 8..<10] : [0..<4, 4..<8, 8..<10]), "\(name)")
    }
  }

  @Test func thePublicationOfAnAppHasOneReader() async throws {
    let (readers, club, ada) = try await readers(sharedFor: .zero)
    let now = Int64(readers.rig.clock.now.timeIntervalSince1970)
    for _ in 0..<ImportLimits.mostFetches { try readers.rig.publication.importLimits.startFetch(for: ada, at: now) }
    #expect(try await readers.end(await readers.refresh(club)).state == .done)
  }

  /// Ada chose the address, and Bo asks: neither of them takes anything from what the other may add.
  @Test func whatAFeedBringsOnRequestCountsForWhoAsks() async throws {
    let (readers, club, ada) = try await readers()
    let limits = readers.rig.publication.importLimits
    let bo = try await readers.rig.get("/v1/session", readers.bo, as: Reader.self).id
    let before = limits.bytes(of: ada)
    let document = Documents.rss("One", "Two", "Three")
    readers.web.answer(FeedReadersRig.url, Response(200, body: document))
    #expect(try await readers.end(await readers.refresh(club, readers.bo)).state == .done)
    // Three posts, each of which takes more of the disk than of the document.
    #expect(limits.bytes(of: bo, isOwn: false) == 3 * 512 && document.count < 3 * 512)
    #expect(limits.bytes(of: ada) == before)
    #expect(limits.bytes(of: bo) == 0)
    limits.add(bytes: ImportLimits.mostBytes, of: bo, isOwn: false, at: Int64(readers.rig.clock.now.timeIntervalSince1970))
    readers.rig.clock.advance(by: .seconds(60))
    let refused = try await readers.end(await readers.refresh(club, readers.bo))
    #expect(refused.problem == "\(FeedReadersRig.url): too much was fetched within an hour. Wait a while before the next time.")
    #expect(readers.web.requests.count == 1)
    #expect(try await readers.end(await readers.refresh(club)).state == .done, "Ada's own hour")
    #expect(limits.bytes(of: ada) == before + 3 * 512)
    #expect(await readers.post(Documents.rss("New"), name: "other.xml", readers.bo).status == 202)
  }

  @Test func aReaderWhoAddedTooMuchHasNoneOfItFetched() async throws {
    let (readers, club, ada) = try await readers()
    let limits = readers.rig.publication.importLimits
    limits.add(bytes: ImportLimits.mostBytes, of: ada, at: Int64(readers.rig.clock.now.timeIntervalSince1970))
    let refused = try await readers.end(await readers.refresh(club))
    #expect(refused.problem == "\(FeedReadersRig.url): too much was fetched within an hour. Wait a while before the next time.")
    #expect(try await readers.begin(FeedReadersRig.url).status == 429)
    #expect(readers.web.requests.isEmpty)
    #expect(try await readers.end(await readers.refresh(club, readers.bo)).state == .done)
  }

  @Test func theScheduleAsksLaterWhenAReadersFeedsBringTooMuch() async throws {
    let (readers, _, ada) = try await readers()
    let limits = readers.rig.publication.importLimits
    let document = Documents.rss("One", "Two")
    readers.web.answer(FeedReadersRig.url, Response(200, body: document))
    readers.rig.clock.advance(by: .seconds(3600))
    await readers.rig.clock.waitForSleepers()
    #expect(readers.web.requests.count == 1)
    #expect(limits.bytes(of: ada) == 2 * 512 && document.count < 2 * 512)
    limits.add(bytes: ImportLimits.mostBytes, of: ada, at: Int64(readers.rig.clock.now.timeIntervalSince1970) + 1800)
    readers.rig.clock.advance(by: .seconds(3600))
    await readers.rig.clock.waitForSleepers()
    #expect(readers.web.requests.count == 1)
    readers.rig.clock.advance(by: .seconds(3600))
    await readers.rig.clock.waitForSleepers()
    #expect(readers.web.requests.count == 2)
  }

  /// However the posts come: by an import, by the schedule, or because a reader wants them now.
  @Test func noFeedBringsMorePostsThanItsReaderMayHave() async throws {
    let (readers, club, _) = try await readers()
    let document = { (count: Int) in
      Data(
        "<rss version='2.0'><channel>\((0..<count).map { "<item><guid>\($0)</guid><title>\($0)</title></item>" }.joined())</channel></rss>"
          .utf8)
    }
    try await readers.rig.publication.run("UPDATE post_count SET posts = \(ImportLimits.mostPosts - 250) WHERE fan_club = '\(club)'")
    readers.web.answer(FeedReadersRig.url, Response(200, body: document(300)))
    readers.rig.clock.advance(by: .seconds(3600))
    await readers.rig.clock.waitForSleepers()
    let problem = "No more posts of this feed are stored: the feeds of the reader who added it have 200000 posts."
    #expect(try await readers.clubs().first?.problem == problem)
    // Parts of two hundred are stored or not.
    #expect(try await readers.rig.publication.rows("post") == 201)
    readers.rig.clock.advance(by: .seconds(60))
    #expect(try await readers.end(await readers.refresh(club)).problem == problem)
    #expect(try await readers.end(await readers.post(document(60), name: "other.xml")).problem == problem)
    #expect(try await readers.rig.publication.rows("post") == 201)
    #expect(try await readers.clubs().map(\.id) == [club])
    // Neither another reader's feeds nor the publisher's stop.
    #expect(try await readers.end(await readers.post(document(60), readers.bo)).state == .done)
    #expect(
      try await readers.rig.publication.importFeed(
        ParsedItemSample.feed([ParsedItemSample.item("New", Rig.start, id: "new")]), source: FeedReadersRig.url
      ).added == 1)
  }

  @Test func noFeedBringsMoreTextThanItsReaderMayHave() async throws {
    let (readers, club, _) = try await readers()
    let publication = readers.rig.publication
    let counted = { try await publication.number("SELECT bytes FROM post_count WHERE fan_club = '\(club)'") }
    let stored = "SELECT sum(length(CAST(teaser AS BLOB)) + length(CAST(body AS BLOB))) FROM post"
    // As it is with the first post, another one, a longer one, and one less.
    let first = try await publication.number(stored)
    #expect(first > 0)
    #expect(try await counted() == first)
    readers.web.answer(FeedReadersRig.url, Response(200, body: Documents.rss("One", "Zwölf")))
    readers.rig.clock.advance(by: .seconds(3600))
    await readers.rig.clock.waitForSleepers()
    let second = try await publication.number(stored)
    #expect(second > first)
    #expect(try await counted() == second)
    try await publication.run("UPDATE post SET body = body || 'ä longer text' WHERE title = 'Zwölf'")
    #expect(try await counted() == second + 14)
    try await publication.run("DELETE FROM post WHERE title = 'Zwölf'")
    #expect(try await counted() == first)
    try await publication.run("UPDATE post_count SET bytes = \(ImportLimits.mostText) WHERE fan_club = '\(club)'")
    readers.web.answer(FeedReadersRig.url, Response(200, body: Documents.rss("One", "Three")))
    readers.rig.clock.advance(by: .seconds(3600))
    await readers.rig.clock.waitForSleepers()
    let problem = "No more posts of this feed are stored: the feeds of the reader who added it have 2000 MB of text."
    #expect(try await readers.clubs().first?.problem == problem)
    #expect(try await publication.rows("post") == 1)
    let refused = await readers.post(Documents.rss("New"), name: "other.xml")
    #expect(try refused.problem.title == "The feeds that you added have 2000 MB of text or more. Remove one of them first.")
  }

  @Test func theFeedsOfListsAreCounted() async throws {
    let (readers, _, ada) = try await readers()
    try readers.rig.publication.importLimits.add(
      feeds: ImportLimits.mostFeeds - 1, of: ada, at: Int64(readers.rig.clock.now.timeIntervalSince1970))
    #expect(try await readers.end(await readers.post(Documents.outline, name: "list.opml")).state == .failed)
    #expect(try await readers.end(await readers.post(Documents.outline, name: "list.opml", readers.bo)).state == .done)
  }

  /// A list of feeds is fetched within an hour, and each of them is asked every hour from then on. That is spread, and those that wait are
  /// asked before those that were asked last.
  @Test func theScheduleAsksAFewOfAReadersFeedsAtATime() async throws {
    let readers = try await FeedReadersRig()
    let urls = (0..<25).map { "https://example.org/\($0)" }
    for url in urls + [FeedReadersRig.url] {
      readers.web.answer(url, Response(200, body: Documents.rss("One")))
      _ = try await readers.end(try await readers.begin(url, url == FeedReadersRig.url ? readers.bo : readers.ada))
    }
    readers.web.forget()
    func pass(_ seconds: Int) async {
      readers.rig.clock.advance(by: .seconds(seconds))
      await readers.rig.clock.waitForSleepers()
    }
    await readers.rig.clock.waitForSleepers()
    await pass(1800)
    #expect(readers.web.requests.isEmpty)
    await pass(1800)
    // Bo's feed waits for none of Ada's.
    #expect(readers.web.targets.count == 21)
    #expect(readers.web.targets.contains(FeedReadersRig.url))
    await pass(30)
    #expect(readers.web.targets.count == 21)
    await pass(30)
    #expect(Set(readers.web.targets) == Set(urls + [FeedReadersRig.url]))
    #expect(readers.web.targets.count == 26)
    let last = Set(readers.web.targets.suffix(5))
    readers.web.forget()
    // All of them are due again, and those that were asked last wait the longest, too.
    await pass(3600 - 60)
    #expect(readers.web.targets.count == 21)
    #expect(last.isDisjoint(with: readers.web.targets))
    await pass(60)
    #expect(Set(readers.web.targets.suffix(5)) == last)
  }

  /// The reader of an app's own publication is alone.
  @Test func thePublicationOfAnAppAsksAllFeedsThatAreDue() async throws {
    let readers = try await FeedReadersRig(sharedFor: .zero)
    for number in 0..<25 {
      readers.web.answer("https://example.org/\(number)", Response(200, body: Documents.rss("One")))
      _ = try await readers.end(try await readers.begin("https://example.org/\(number)"))
    }
    readers.web.forget()
    for _ in 0..<2 {
      await readers.rig.clock.waitForSleepers()
      readers.rig.clock.advance(by: .seconds(1800))
    }
    await readers.rig.clock.waitForSleepers()
    #expect(readers.web.targets.count == 25)
  }
}
