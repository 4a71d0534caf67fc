import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import Testing

@testable import PublicationServer

/// What a reader has the publication fetch, by whatever way: an import is only one of them.
@Suite struct ImportLimitTests {
  private typealias House = ReaderHouse

  /// A house with a feed that Ada added, and its club.
  private func house(sharedFor moment: Duration = .seconds(60)) async throws -> (house: House, club: FanClub.ID, ada: Reader.ID) {
    let house = try await House(sharedFor: moment)
    house.web.answer(House.url, Response(200, body: Documents.rss("One")))
    let club = try #require(try await house.end(try await house.begin(House.url)).clubs.first)
    await house.rig.clock.waitForSleepers()
    house.web.forget()
    return (house, club, try await house.rig.get("/v1/session", house.ada, as: Reader.self).id)
  }

  @Test func aRefreshCountsForWhoAsks() async throws {
    let (house, club, ada) = try await house()
    let limits = house.rig.publication.importLimits
    let now = Int64(house.rig.clock.now.timeIntervalSince1970)
    for _ in 0..<(ImportLimits.mostFetches - 1) { try limits.startFetch(for: ada, at: now) }
    // What somebody else got just before costs nothing.
    for _ in 0..<3 { #expect(try await house.end(await house.refresh(club)).state == .done) }
    #expect(house.web.requests.count == 1)
    house.rig.clock.advance(by: .seconds(60))
    let refused = try await house.end(await house.refresh(club))
    #expect(refused.state == .failed)
    #expect(refused.problem == "You have had 1000 feeds fetched within an hour. Wait a while before the next one.")
    #expect(house.web.requests.count == 1)
    #expect(try await house.end(await house.refresh(club, house.bo)).state == .done)
    #expect(house.web.requests.count == 2)
    house.rig.clock.advance(by: .seconds(3540))
    #expect(try await house.end(await house.refresh(club)).state == .done)
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
    let (house, club, ada) = try await house(sharedFor: .zero)
    let now = Int64(house.rig.clock.now.timeIntervalSince1970)
    for _ in 0..<ImportLimits.mostFetches { try house.rig.publication.importLimits.startFetch(for: ada, at: now) }
    #expect(try await house.end(await house.refresh(club)).state == .done)
  }

  /// Bo asks, and Ada chose the address.
  @Test func whatAFeedBringsCountsForWhoAddedIt() async throws {
    let (house, club, ada) = try await house()
    let limits = house.rig.publication.importLimits
    let before = limits.bytes(of: ada)
    let document = Documents.rss("One", "Two", "Three")
    house.web.answer(House.url, Response(200, body: document))
    #expect(try await house.end(await house.refresh(club, house.bo)).state == .done)
    // Three posts, each of which takes more of the disk than of the document.
    #expect(limits.bytes(of: ada) == before + 3 * 512 && document.count < 3 * 512)
    limits.add(bytes: ImportLimits.mostBytes, of: ada, at: Int64(house.rig.clock.now.timeIntervalSince1970))
    house.rig.clock.advance(by: .seconds(60))
    let refused = try await house.end(await house.refresh(club, house.bo))
    #expect(refused.problem == "\(House.url): too much was fetched within an hour. Wait a while before the next time.")
    #expect(try await house.begin(House.url).status == 429)
    #expect(house.web.requests.count == 1)
  }

  @Test func theScheduleAsksLaterWhenAReadersFeedsBringTooMuch() async throws {
    let (house, _, ada) = try await house()
    let limits = house.rig.publication.importLimits
    let document = Documents.rss("One", "Two")
    house.web.answer(House.url, Response(200, body: document))
    house.rig.clock.advance(by: .seconds(3600))
    await house.rig.clock.waitForSleepers()
    #expect(house.web.requests.count == 1)
    #expect(limits.bytes(of: ada) == 2 * 512 && document.count < 2 * 512)
    limits.add(bytes: ImportLimits.mostBytes, of: ada, at: Int64(house.rig.clock.now.timeIntervalSince1970) + 1800)
    house.rig.clock.advance(by: .seconds(3600))
    await house.rig.clock.waitForSleepers()
    #expect(house.web.requests.count == 1)
    house.rig.clock.advance(by: .seconds(3600))
    await house.rig.clock.waitForSleepers()
    #expect(house.web.requests.count == 2)
  }

  /// However the posts come: by an import, by the schedule, or because a reader wants them now.
  @Test func noFeedBringsMorePostsThanItsReaderMayHave() async throws {
    let (house, club, _) = try await house()
    let document = { (count: Int) in
      Data(
        "<rss version='2.0'><channel>\((0..<count).map { "<item><guid>\($0)</guid><title>\($0)</title></item>" }.joined())</channel></rss>"
          .utf8)
    }
    try await house.rig.publication.run("UPDATE post_count SET posts = \(ImportLimits.mostPosts - 250) WHERE fan_club = '\(club)'")
    house.web.answer(House.url, Response(200, body: document(300)))
    house.rig.clock.advance(by: .seconds(3600))
    await house.rig.clock.waitForSleepers()
    let problem = "No more posts of this feed are stored: the feeds of the reader who added it have 200000 posts."
    #expect(try await house.clubs().first?.problem == problem)
    // Parts of two hundred are stored or not.
    #expect(try await house.rig.publication.rows("post") == 201)
    house.rig.clock.advance(by: .seconds(60))
    #expect(try await house.end(await house.refresh(club)).problem == problem)
    #expect(try await house.end(await house.post(document(60), name: "other.xml")).problem == problem)
    #expect(try await house.rig.publication.rows("post") == 201)
    #expect(try await house.clubs().map(\.id) == [club])
    // Neither another reader's feeds nor the publisher's stop.
    #expect(try await house.end(await house.post(document(60), house.bo)).state == .done)
    #expect(
      try await house.rig.publication.importFeed(
        ParsedItemSample.feed([ParsedItemSample.item("New", Rig.start, id: "new")]), source: House.url
      ).added == 1)
  }

  @Test func noFeedBringsMoreTextThanItsReaderMayHave() async throws {
    let (house, club, _) = try await house()
    let publication = house.rig.publication
    let counted = { try await publication.number("SELECT bytes FROM post_count WHERE fan_club = '\(club)'") }
    let stored = "SELECT sum(length(CAST(teaser AS BLOB)) + length(CAST(body AS BLOB))) FROM post"
    // As it is with the first post, another one, a longer one, and one less.
    let first = try await publication.number(stored)
    #expect(first > 0)
    #expect(try await counted() == first)
    house.web.answer(House.url, Response(200, body: Documents.rss("One", "Zwölf")))
    house.rig.clock.advance(by: .seconds(3600))
    await house.rig.clock.waitForSleepers()
    let second = try await publication.number(stored)
    #expect(second > first)
    #expect(try await counted() == second)
    try await publication.run("UPDATE post SET body = body || 'ä longer text' WHERE title = 'Zwölf'")
    #expect(try await counted() == second + 14)
    try await publication.run("DELETE FROM post WHERE title = 'Zwölf'")
    #expect(try await counted() == first)
    try await publication.run("UPDATE post_count SET bytes = \(ImportLimits.mostText) WHERE fan_club = '\(club)'")
    house.web.answer(House.url, Response(200, body: Documents.rss("One", "Three")))
    house.rig.clock.advance(by: .seconds(3600))
    await house.rig.clock.waitForSleepers()
    let problem = "No more posts of this feed are stored: the feeds of the reader who added it have 2000 MB of text."
    #expect(try await house.clubs().first?.problem == problem)
    #expect(try await publication.rows("post") == 1)
    let refused = await house.post(Documents.rss("New"), name: "other.xml")
    #expect(try refused.problem.title == "The feeds that you added have 2000 MB of text or more. Remove one of them first.")
  }

  @Test func theFeedsOfListsAreCounted() async throws {
    let (house, _, ada) = try await house()
    try house.rig.publication.importLimits.add(
      feeds: ImportLimits.mostFeeds - 1, of: ada, at: Int64(house.rig.clock.now.timeIntervalSince1970))
    #expect(try await house.end(await house.post(Documents.outline, name: "list.opml")).state == .failed)
    #expect(try await house.end(await house.post(Documents.outline, name: "list.opml", house.bo)).state == .done)
  }

  /// A list of feeds is fetched within an hour, and each of them is asked every hour from then on. That is spread, and those that wait are
  /// asked before those that were asked last.
  @Test func theScheduleAsksAFewOfAReadersFeedsAtATime() async throws {
    let house = try await House()
    let urls = (0..<25).map { "https://example.org/\($0)" }
    for url in urls + [House.url] {
      house.web.answer(url, Response(200, body: Documents.rss("One")))
      _ = try await house.end(try await house.begin(url, url == House.url ? house.bo : house.ada))
    }
    house.web.forget()
    func pass(_ seconds: Int) async {
      house.rig.clock.advance(by: .seconds(seconds))
      await house.rig.clock.waitForSleepers()
    }
    await house.rig.clock.waitForSleepers()
    await pass(1800)
    #expect(house.web.requests.isEmpty)
    await pass(1800)
    // Bo's feed waits for none of Ada's.
    #expect(house.web.targets.count == 21)
    #expect(house.web.targets.contains(House.url))
    await pass(30)
    #expect(house.web.targets.count == 21)
    await pass(30)
    #expect(Set(house.web.targets) == Set(urls + [House.url]))
    #expect(house.web.targets.count == 26)
    let last = Set(house.web.targets.suffix(5))
    house.web.forget()
    // All of them are due again, and those that were asked last wait the longest, too.
    await pass(3600 - 60)
    #expect(house.web.targets.count == 21)
    #expect(last.isDisjoint(with: house.web.targets))
    await pass(60)
    #expect(Set(house.web.targets.suffix(5)) == last)
  }

  /// The reader of an app's own publication is alone.
  @Test func thePublicationOfAnAppAsksAllFeedsThatAreDue() async throws {
    let house = try await House(sharedFor: .zero)
    for number in 0..<25 {
      house.web.answer("https://example.org/\(number)", Response(200, body: Documents.rss("One")))
      _ = try await house.end(try await house.begin("https://example.org/\(number)"))
    }
    house.web.forget()
    for _ in 0..<2 {
      await house.rig.clock.waitForSleepers()
      house.rig.clock.advance(by: .seconds(1800))
    }
    await house.rig.clock.waitForSleepers()
    #expect(house.web.targets.count == 25)
  }
}
