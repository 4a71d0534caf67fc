import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Testing

/// Feeds made by hand.
enum ParsedItemSample {
  static func item(_ title: String?, _ published: Date?, id: String? = nil, link: String? = nil, body: String = "<p>Text</p>") -> ParsedItem
  {
    ParsedItem(id: id, link: link, title: title, byline: "Author", published: published, body: body)
  }

  static func feed(_ items: [ParsedItem], title: String = "Feed") -> ParsedFeed {
    ParsedFeed(
      format: .rss, title: title, about: "About it", homeURL: "https://example.org/", picture: "https://example.org/a.png", items: items)
  }
}

/// From a feed to fan club and posts.
@Suite struct ImportTests {
  private static let source = "https://example.org/feed"

  private func posts(_ rig: Rig) async throws -> [Post] {
    let token = try await rig.signIn()
    let clubs = try await rig.get("/v1/fanclubs", token, as: Page<FanClub>.self).items.filter { $0.id.hasPrefix("f") }
    let club = try #require(clubs.first)
    return try await rig.get("/v1/posts?fanclub=\(club.id)&limit=100", token, as: Page<Post>.self).items
  }

  /// The posts of a feed, however many.
  private func all(_ rig: Rig) async throws -> [Post] {
    let token = try await rig.signIn()
    let club = try #require(try await posts(rig).first).fanClubID
    var (all, cursor) = ([Post](), String?.none)
    repeat {
      let next = cursor.map { "&cursor=\($0)" } ?? ""
      let page = try await rig.get("/v1/posts?fanclub=\(club)&limit=100\(next)", token, as: Page<Post>.self)
      all += page.items
      cursor = page.next
    } while cursor != nil
    return all
  }

  @Test func aFeedBecomesAClubAndItsItemsPosts() async throws {
    let rig = try await Rig()
    let date = Date(timeIntervalSince1970: 1_600_000_000)
    let item = ParsedItem(
      id: "1", link: "https://example.org/1", title: "One", byline: "Author", published: date, body: "<p>Long <b>text</b></p>",
      picture: "https://example.org/1.png")
    let report = try await rig.publication.importFeed(ParsedItemSample.feed([item]), source: Self.source)
    #expect((report.items, report.added, report.updated, report.unchanged) == (1, 1, 0, 0))
    let post = try #require(try await posts(rig).first)
    #expect((post.title, post.byline, post.teaser) == ("One", "Author", "Long text"))
    #expect((post.url, post.picture) == ("https://example.org/1", "https://example.org/1.png"))
    #expect((post.published, post.premium) == (date, false))
    #expect(try await rig.get("/v1/posts/\(post.id)", rig.signIn(), as: Post.self).body == "<p>Long <b>text</b></p>")
    let club = try await rig.get("/v1/fanclubs/\(post.fanClubID)", rig.signIn(), as: FanClub.self)
    #expect((club.name, club.about, club.posts) == ("Feed", "About it", 1))
    #expect((club.url, club.picture) == ("https://example.org/", "https://example.org/a.png"))
  }

  @Test func importingAgainAddsNothingTwice() async throws {
    let rig = try await Rig()
    let date = Date(timeIntervalSince1970: 1_600_000_000)
    var items = [
      ParsedItemSample.item("id", date, id: "1", link: "https://example.org/1"),
      ParsedItemSample.item("link", date, link: "https://example.org/2"),
      ParsedItemSample.item("hash", date, body: "<p>3</p>"), ParsedItemSample.item(nil, nil, body: "<p>No title and no date</p>"),
    ]
    #expect(try await rig.publication.importFeed(ParsedItemSample.feed(items), source: Self.source).added == 4)
    let before = try await posts(rig)
    rig.clock.advance(by: .seconds(3600))
    let again = try await rig.publication.importFeed(ParsedItemSample.feed(items), source: Self.source)
    #expect((again.items, again.added, again.updated, again.unchanged) == (4, 0, 0, 4))
    #expect(try await posts(rig) == before)
    items[0].title = "renamed"
    items.insert(ParsedItemSample.item("new", date.addingTimeInterval(1), id: "5"), at: 0)
    let changed = try await rig.publication.importFeed(ParsedItemSample.feed(items, title: "Renamed"), source: Self.source)
    #expect((changed.items, changed.added, changed.updated, changed.unchanged) == (5, 1, 1, 3))
    let after = try await posts(rig)
    #expect(after.count == 5)
    #expect(after.first { $0.title == "renamed" }?.id == before.first { $0.title == "id" }?.id)
    #expect(after.allSatisfy { $0.fanClubName == "Renamed" })
    // What readers did stays, also when a post changes.
    #expect(try await rig.publication.importFeed(ParsedItemSample.feed(items), source: "https://example.org/other").added == 5)
  }

  @Test func reactionsSurviveAnUpdate() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    var item = ParsedItemSample.item("One", Rig.start, id: "1")
    _ = try await rig.publication.importFeed(ParsedItemSample.feed([item]), source: Self.source)
    let id = try #require(try await posts(rig).first).id
    _ = await rig.send(.put, "/v1/posts/\(id)/reaction", token: token)
    item.body = "<p>Corrected</p>"
    #expect(try await rig.publication.importFeed(ParsedItemSample.feed([item]), source: Self.source).updated == 1)
    let post = try await rig.get("/v1/posts/\(id)", token, as: Post.self)
    #expect((post.reactions, post.body) == ([.love: 1], "<p>Corrected</p>"))
  }

  @Test func undatedItemsKeepTheOrderOfTheDocument() async throws {
    let rig = try await Rig()
    let items = (1...5).map { ParsedItemSample.item("Item \($0)", nil, id: "\($0)") }
    _ = try await rig.publication.importFeed(ParsedItemSample.feed(items), source: Self.source)
    #expect(try await posts(rig).map(\.title) == items.compactMap(\.title))
  }

  /// Feeds that say only the day, and those that were moved from elsewhere, have many items of one date.
  @Test func itemsOfOneDateKeepTheOrderOfTheDocument() async throws {
    let rig = try await Rig()
    let date = Date(timeIntervalSince1970: 1_600_000_000)
    // More than one part.
    var items = (1...250).map { ParsedItemSample.item("Item \($0)", date, id: "\($0)") }
    items.insert(ParsedItemSample.item("Newer", date.addingTimeInterval(1), id: "newer"), at: 7)
    items.append(ParsedItemSample.item("Older", date.addingTimeInterval(-1), id: "older"))
    #expect(try await rig.publication.importFeed(ParsedItemSample.feed(items), source: Self.source).added == 252)
    let before = try await all(rig)
    #expect(before.map(\.title) == ["Newer"] + (1...250).map { "Item \($0)" } + ["Older"])
    #expect(before.suffix(2).map(\.published) == [date, date.addingTimeInterval(-1)])
    // A later document changes nothing of what is stored. What is new comes before it.
    rig.clock.advance(by: .seconds(3600))
    items[100].body = "<p>Corrected</p>"
    items.insert(ParsedItemSample.item("New", date.addingTimeInterval(1), id: "new"), at: 0)
    let report = try await rig.publication.importFeed(ParsedItemSample.feed(items), source: Self.source)
    #expect((report.added, report.updated, report.unchanged) == (1, 1, 251))
    let after = try await all(rig)
    #expect(after.map(\.title) == ["New"] + before.map(\.title))
    #expect(after.dropFirst().map(\.published) == before.map(\.published))
    // A date that is corrected counts.
    items[100].published = date.addingTimeInterval(-60)
    #expect(try await rig.publication.importFeed(ParsedItemSample.feed(items), source: Self.source).updated == 1)
    let corrected = try #require(try await all(rig).last)
    #expect((corrected.title, corrected.published) == (items[100].title, date.addingTimeInterval(-60)))
  }

  /// Some feeds date all items as of now.
  @Test func noItemIsMovedIntoTheFuture() async throws {
    let rig = try await Rig()
    var items = (1...5).map { ParsedItemSample.item("Item \($0)", Rig.start, id: "\($0)") }
    _ = try await rig.publication.importFeed(ParsedItemSample.feed(items), source: Self.source)
    let dates = (0..<5).map { Rig.start.addingTimeInterval(-Double($0)) }
    #expect(try await posts(rig).map(\.title) == items.compactMap(\.title))
    #expect(try await posts(rig).map(\.published) == dates)
    // Nor is it later, when there is room.
    rig.clock.advance(by: .seconds(3600))
    for index in 3...4 { items[index].body = "<p>Corrected</p>" }
    #expect(try await rig.publication.importFeed(ParsedItemSample.feed(items), source: Self.source).updated == 2)
    #expect(try await posts(rig).map(\.published) == dates)
  }

  @Test func noItemIsLostToARepeatedIdentity() async throws {
    let rig = try await Rig()
    let items = (1...3).map { ParsedItemSample.item("Item \($0)", Rig.start, id: "same") }
    for added in [3, 0] {
      let report = try await rig.publication.importFeed(ParsedItemSample.feed(items), source: Self.source)
      #expect((report.items, report.added) == (3, added))
    }
  }

  @Test func untitledPostsShowTheirFirstWords() async throws {
    let rig = try await Rig()
    _ = try await rig.publication.importFeed(
      ParsedItemSample.feed([ParsedItemSample.item(nil, Rig.start, body: "<p>Some words of a post.</p>")], title: ""), source: Self.source)
    let post = try #require(try await posts(rig).first)
    #expect(post.title.hasPrefix("Some words"))
    #expect(post.fanClubName == Self.source)
  }

  @Test func theFilesOfAnItemComeWithItsBody() async throws {
    let rig = try await Rig()
    var item = ParsedItemSample.item("Episode", Date(timeIntervalSince1970: 1_600_000_000), id: "1")
    _ = try await rig.publication.importFeed(ParsedItemSample.feed([item]), source: Self.source)
    item.enclosures = [ParsedEnclosure(url: "https://example.org/1.mp3", type: "audio/mpeg", title: "E", length: 5, duration: 61)]
    for (updated, unchanged) in [(1, 0), (0, 1)] {
      let report = try await rig.publication.importFeed(ParsedItemSample.feed([item]), source: Self.source)
      #expect((report.updated, report.unchanged) == (updated, unchanged))
    }
    let listed = try #require(try await posts(rig).first)
    #expect(listed.enclosures.isEmpty)
    let token = try await rig.signIn()
    let post = try await rig.get("/v1/posts/\(listed.id)", token, as: Post.self)
    #expect(post.enclosures == [Enclosure(url: "https://example.org/1.mp3", type: "audio/mpeg", title: "E", length: 5, duration: 61)])
  }

  @Test func theFilesOfALockedPostAreLockedToo() async throws {
    let post = Post(
      id: "p1", fanClubID: "odd", fanClubName: "", title: "T", body: "<p>Secret</p>",
      enclosures: [Enclosure(url: "https://example.org/secret.mp3")], published: .distantPast, premium: true)
    var open = post
    (open.id, open.premium) = ("p2", false)
    let rig = try await Rig(posts: [post, open])
    let token = try await rig.signIn()
    let read = { (id: String) in try await rig.get("/v1/posts/\(id)", token, as: Post.self) }
    let locked = try await read("p1")
    #expect((locked.body, locked.enclosures) == (nil, []))
    #expect(try await read("p2").enclosures == post.enclosures)
  }
}
