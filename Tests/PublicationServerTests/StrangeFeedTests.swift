import FeedFormats
import Foundation
import PublicationAPI
import Runtime
import SQLiteStorage
import Testing

@testable import PublicationServer

/// What feeds say that would harm readers: addresses that are not on the web, and dates that are yet to come.
@Suite struct StrangeFeedTests {
  private static let source = "https://example.org/feed"
  private static let future = Date(timeIntervalSince1970: 253_402_214_400)  // 9999-12-31

  private func rig(_ folder: TemporaryFolder) async throws -> Rig { try await Rig(folder: folder.path) }

  private func ids(_ rig: Rig, _ token: String) async throws -> [String] {
    try await rig.get("/v1/posts?limit=100", token, as: Page<Post>.self).items.map(\.title)
  }

  /// An earlier version stored whatever a feed said.
  @Test func addressesThatAreStoredAreNotHandedOut() async throws {
    let folder = try TemporaryFolder()
    let rig = try await rig(folder)
    let token = try await rig.signIn()
    let other = try Connection(path: folder.file("publication.sqlite"))
    try other.execute(
      """
      UPDATE post SET url = 'javascript:1', picture = 'data:image/png,1' WHERE id = 'p01'
      """)
    try other.execute("UPDATE fan_club SET url = 'file:///etc/passwd', picture = 'javascript:2' WHERE id = 'odd'")
    let post: Post = try await rig.get("/v1/posts/p01", token)
    #expect((post.url, post.picture) == (nil, nil))
    let club: FanClub = try await rig.get("/v1/fanclubs/odd", token)
    #expect((club.url, club.picture) == (nil, nil))
    for target in ["/v1/posts?limit=100", "/v1/fanclubs", "/v1/search?q=post&limit=100"] {
      let body = String(decoding: await rig.send(.get, target, token: token).body, as: UTF8.self)
      for scheme in ["javascript:", "data:", "file:"] { #expect(!body.contains(scheme), "\(target)") }
    }
    // The publication's own pictures stay.
    try other.execute("UPDATE post SET picture = '/v1/pictures/a.png' WHERE id = 'p01'")
    #expect(try await rig.get("/v1/posts/p01", token, as: Post.self).picture == "/v1/pictures/a.png")
    await rig.publication.close()
  }

  /// They are mended where they are, so that nobody who reads or marks a post waits for that.
  @Test func bodiesThatAnEarlierVersionStoredAreMendedOnce() async throws {
    let folder = try TemporaryFolder()
    let rig = try await rig(folder)
    await rig.publication.close()
    let database = try Connection(path: folder.file("publication.sqlite"))
    func spoil() throws {
      try database.execute(
        "UPDATE post SET body = '<p><a href=\"javascript:alert(1)\">x</a> <a href=\"mailto:a@b.org\">y</a></p>' WHERE id = 'p01'")
    }
    try spoil()
    try database.execute("DELETE FROM setting WHERE name = 'bodies_guarded'")
    let again = try await self.rig(folder)
    let post: Post = try await again.get("/v1/posts/p01", again.signIn())
    #expect(post.body == "<p><a href=\"\">x</a> <a href=\"mailto:a@b.org\">y</a></p>")
    await again.publication.close()
    // Not at each start.
    try spoil()
    let third = try await self.rig(folder)
    #expect(try await third.get("/v1/posts/p01", third.signIn(), as: Post.self).body?.contains("javascript:") == true)
    await third.publication.close()
  }

  /// Whatever a publication begins with, and whoever made a feed.
  @Test func noBodyIsStoredThatLeadsElsewhereThanToTheWeb() async throws {
    var post = Rig.posts[0]
    post.body = #"<a href="file:///etc/passwd">x</a>"#
    let rig = try await Rig(posts: [post])
    let token = try await rig.signIn()
    #expect(try await rig.get("/v1/posts/\(post.id)", token, as: Post.self).body == #"<a href="">x</a>"#)
    var item = ParsedItemSample.item("made", Rig.start, id: "made")
    item.body = #"<img src="javascript:1">"#
    _ = try await rig.publication.importFeed(ParsedItemSample.feed([item]), source: Self.source)
    let made = try #require(try await rig.get("/v1/posts", token, as: Page<Post>.self).items.first { $0.title == "made" })
    #expect(try await rig.get("/v1/posts/\(made.id)", token, as: Post.self).body == #"<img src="">"#)
  }

  @Test func aPostThatIsDatedAheadSortsByWhenItCame() async throws {
    let rig = try await Rig(posts: [])
    let token = try await rig.signIn()
    var items = [
      ParsedItemSample.item("Ahead", Self.future, id: "1"), ParsedItemSample.item("Ahead too", Self.future, id: "2"),
      ParsedItemSample.item("Old", Rig.start.addingTimeInterval(-3600), id: "3"),
      ParsedItemSample.item("Soon", Rig.start.addingTimeInterval(3600), id: "4"),
      ParsedItemSample.item("Before 1970", Date(timeIntervalSince1970: -1e9), id: "5"),
    ]
    func store() async throws { _ = try await rig.publication.importFeed(ParsedItemSample.feed(items), source: Self.source) }
    try await store()
    #expect(try await ids(rig, token) == ["Soon", "Ahead", "Ahead too", "Old", "Before 1970"])
    // It does not come up again each time the feed is asked.
    rig.clock.advance(by: .seconds(7200))
    items.insert(ParsedItemSample.item("New", rig.clock.now.addingTimeInterval(-60), id: "6"), at: 0)
    try await store()
    #expect(try await ids(rig, token) == ["New", "Soon", "Ahead", "Ahead too", "Old", "Before 1970"])
    // A feed that puts its date right is believed.
    items[1].published = Rig.start.addingTimeInterval(-7200)
    try await store()
    #expect(try await ids(rig, token) == ["New", "Soon", "Ahead too", "Old", "Ahead", "Before 1970"])
    // An item that has a time of change only is no different.
    var changed = ParsedItemSample.item("Changed ahead", nil, id: "7")
    changed.updated = Self.future
    items = [changed]
    try await store()
    #expect(try await ids(rig, token).first == "Changed ahead")
    rig.clock.advance(by: .seconds(60))
    items = [ParsedItemSample.item("Newest", rig.clock.now, id: "8")]
    try await store()
    #expect(try await ids(rig, token).prefix(2) == ["Newest", "Changed ahead"])
  }

  /// Each format has its own way to write the year 9999.
  @Test(arguments: [
    "<rss version=\"2.0\"><channel><item><guid>1</guid><pubDate>Fri, 31 Dec 9999 00:00:00 GMT</pubDate></item></channel></rss>",
    "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><id>1</id><updated>9999-12-31T00:00:00Z</updated></entry></feed>",
    "{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [{\"id\": \"1\", \"date_published\": \"9999-12-31T00:00:00Z\"}]}",
    "{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [{\"id\": \"1\", \"date_modified\": \"9999-12-31T00:00:00Z\"}]}",
  ])
  func formats(text: String) async throws {
    let rig = try await Rig(posts: [])
    let token = try await rig.signIn()
    let feed = try FeedParser.parse(Data(text.utf8), source: Self.source)
    #expect(feed.items.first?.published == Self.future)
    _ = try await rig.publication.importFeed(feed, source: Self.source)
    #expect(try await rig.get("/v1/posts", token, as: Page<Post>.self).items.map(\.published) == [Rig.start])
  }

  /// What an earlier version stored is put right at the next start.
  @Test func postsThatAreStoredAheadAreDatedAnew() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path, posts: [])
    func dated(_ title: String, _ age: TimeInterval) -> ParsedItem {
      ParsedItemSample.item(title, Rig.start.addingTimeInterval(-age), id: title)
    }
    // In the order in which they came.
    for (number, age) in [("a", 3000.0), ("bad", 2000), ("b", 1000)] {
      _ = try await rig.publication.importFeed(ParsedItemSample.feed([dated(number, age)]), source: Self.source)
    }
    _ = try await rig.publication.importFeed(ParsedItemSample.feed([dated("only", 500)]), source: "https://example.org/other")
    await rig.publication.close()
    try Connection(path: folder.file("publication.sqlite")).script(
      "UPDATE post SET published = 253402214400 WHERE title IN ('bad', 'only'); DELETE FROM setting WHERE name = 'posts_dated'")
    // With a clock that is wrong, nothing is: all would be ahead.
    let wrong = try await Rig(folder: folder.path, clock: ManualClock(now: Date(timeIntervalSince1970: 0)), posts: [])
    #expect(try await Set(ids(wrong, wrong.signIn()).prefix(2)) == ["bad", "only"])
    await wrong.publication.close()
    rig.clock.advance(by: .seconds(60))
    let again = try await Rig(folder: folder.path, clock: rig.clock, posts: [])
    let token = try await again.signIn()
    let posts = try await again.get("/v1/posts", token, as: Page<Post>.self).items
    #expect(posts.map(\.title) == ["only", "b", "bad", "a"])
    #expect(posts.first?.published == Rig.start.addingTimeInterval(60))
    #expect(posts[2].published == posts[3].published.addingTimeInterval(1))
    // The feed that still says so changes nothing.
    let said = ParsedItemSample.item("bad", Self.future, id: "bad")
    _ = try await again.publication.importFeed(ParsedItemSample.feed([said]), source: Self.source)
    #expect(try await ids(again, token) == ["only", "b", "bad", "a"])
    await again.publication.close()
  }

  /// As many titles, in the order in which they came, of which some are dated ahead by an earlier version.
  private func stored(_ titles: [(String, Date)], in folder: TemporaryFolder) async throws {
    let rig = try await Rig(folder: folder.path, posts: [])
    let items = titles.map { ParsedItemSample.item($0.0, Rig.start, id: $0.0) }
    _ = try await rig.publication.importFeed(ParsedItemSample.feed(items), source: Self.source)
    await rig.publication.close()
    let database = try Connection(path: folder.file("publication.sqlite"))
    for (title, date) in titles {
      try database.execute("UPDATE post SET published = ? WHERE title = ?", Int64(date.timeIntervalSince1970), title)
    }
    try database.execute("DELETE FROM setting WHERE name = 'posts_dated'")
  }

  /// A feed that says 9999 says nothing about the clock, even where there is no other.
  @Test func aFolderWhoseOnlyFeedSays9999IsPutRight() async throws {
    let folder = try TemporaryFolder()
    try await stored(
      [("first", Self.future), ("second", Self.future), ("third", Self.future), ("later", Self.future.addingTimeInterval(60))], in: folder)
    let rig = try await Rig(folder: folder.path, posts: [])
    let token = try await rig.signIn()
    let posts = try await rig.get("/v1/posts", token, as: Page<Post>.self).items
    // In the order that their dates said, and else in the document's.
    #expect(posts.map(\.title) == ["later", "first", "second", "third"])
    #expect(posts.map(\.published) == (0..<4).map { Rig.start.addingTimeInterval(-Double($0)) })
    rig.clock.advance(by: .seconds(60))
    _ = try await rig.publication.importFeed(
      ParsedItemSample.feed([ParsedItemSample.item("new", rig.clock.now, id: "new")]), source: "https://example.org/other")
    #expect(try await ids(rig, token).first == "new")
    await rig.publication.close()
  }

  /// Clocks that lost their time begin again: then all posts are ahead, and none is changed until another start.
  @Test(arguments: [0, 946_684_800, 1_672_531_200])
  func aClockThatIsFarBehindDatesNothingAnew(clock: TimeInterval) async throws {
    let folder = try TemporaryFolder()
    func age(_ seconds: TimeInterval) -> Date { Rig.start.addingTimeInterval(-seconds) }
    try await stored([("bad", Self.future), ("c", age(10)), ("b", age(20)), ("worse", Self.future), ("a", age(30))], in: folder)
    func published(_ now: Date) async throws -> [String: Date] {
      let rig = try await Rig(folder: folder.path, clock: ManualClock(now: now), posts: [])
      let posts = try await rig.get("/v1/posts", rig.signIn(), as: Page<Post>.self).items
      await rig.publication.close()
      return Dictionary(uniqueKeysWithValues: posts.map { ($0.title, $0.published) })
    }
    let wrong = try await published(Date(timeIntervalSince1970: clock))
    #expect(wrong == ["a": age(30), "b": age(20), "c": age(10), "bad": Self.future, "worse": Self.future])
    let right = try await published(Rig.start)
    #expect(right == ["a": age(30), "b": age(20), "c": age(10), "bad": Rig.start, "worse": age(9)])
  }
}
