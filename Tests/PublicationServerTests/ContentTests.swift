import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import SQLiteStorage
import Testing

/// Posts, fan clubs and pictures.
@Suite struct ContentTests {
  private static let order = Rig.posts.sorted { ($0.published, $0.id) > ($1.published, $1.id) }.map(\.id)

  private func pages(_ rig: Rig, _ token: String, _ query: String, between: () async throws -> Void = {}) async throws -> [[Post]] {
    var pages: [[Post]] = []
    var cursor: String?
    repeat {
      let page = try await rig.get("/v1/posts?\(query)\(cursor.map { "&cursor=\($0)" } ?? "")", token, as: Page<Post>.self)
      pages.append(page.items)
      cursor = page.next
      try await between()
    } while cursor != nil
    return pages
  }

  @Test func postsComeNewestFirstPageByPage() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    for limit in [1, 4, 5, 24, 25, 26, 100] {
      let pages = try await pages(rig, token, "limit=\(limit)")
      #expect(pages.flatMap { $0 }.map(\.id) == Self.order)
      #expect(pages.count == (25 + limit - 1) / limit)
    }
    let first = try await rig.get("/v1/posts", token, as: Page<Post>.self)
    #expect(first.items.count == 20)
    #expect(first.items.allSatisfy { $0.body == nil })
    #expect(first.items.first?.fanClubName == "Duos")
  }

  @Test func aPageStaysWhereItIsWhilePostsAreAdded() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    var added = 0
    let pages = try await pages(rig, token, "limit=4") {
      added += 1
      // One newer than all, and one in the same second as the page's end.
      let items = [
        ParsedItemSample.item("new \(added)", Rig.start.addingTimeInterval(TimeInterval(added))),
        ParsedItemSample.item("old \(added)", Rig.start.addingTimeInterval(-86_400 * 30)),
      ]
      _ = try await rig.publication.importFeed(ParsedItemSample.feed(items), source: "https://example.org/\(added)")
    }
    let seen = pages.flatMap { $0 }.map(\.id)
    #expect(Set(seen).count == seen.count)
    #expect(seen.filter(Self.order.contains) == Self.order)
  }

  @Test(arguments: ["x", "", "cA", "%00", "cA%3D%3D", "Y3wxfDI", "cApw", String(repeating: "A", count: 5000)])
  func whatIsNoCursor(cursor: String) async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    for list in ["posts", "fanclubs"] {
      let response = await rig.send(.get, "/v1/\(list)?cursor=\(cursor)", token: token)
      #expect(response.status == 400)
      #expect(try response.problem.title == "“cursor” is none that this list gave.")
    }
  }

  @Test func aCursorBelongsToItsList() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let posts = try await rig.get("/v1/posts?limit=1", token, as: Page<Post>.self)
    let clubs = try await rig.get("/v1/fanclubs?limit=1", token, as: Page<FanClub>.self)
    #expect(await rig.send(.get, "/v1/fanclubs?cursor=\(try #require(posts.next))", token: token).status == 400)
    #expect(await rig.send(.get, "/v1/posts?cursor=\(try #require(clubs.next))", token: token).status == 400)
  }

  @Test(arguments: ["limit=0", "limit=101", "limit=-1", "limit=x", "limit=", "limit=1.5", "bookmarked=yes", "bookmarked="])
  func whatIsNoQuery(query: String) async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let response = await rig.send(.get, "/v1/posts?\(query)", token: token)
    #expect(response.status == 400)
    #expect(try response.problem.code == .badRequest)
  }

  @Test func postsOfAClub() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let found = try await pages(rig, token, "fanclub=odd&limit=5").flatMap { $0 }
    #expect(found.count == 13)
    #expect(found.allSatisfy { $0.fanClubID == "odd" })
    #expect(try await pages(rig, token, "fanclub=none") == [[]])
    #expect(await rig.send(.get, "/v1/posts?fanclub=nobody", token: token).status == 404)
  }

  @Test func bodiesOfFreePostsOnly() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    #expect(try await rig.get("/v1/posts/p01", token, as: Post.self).body == "<p>Body 1</p>")
    let premium = try await rig.get("/v1/posts/p04", token, as: Post.self)
    #expect(premium.body == nil)
    #expect(premium.premium)
    #expect(premium.teaser == "Teaser 4")
    #expect(await rig.send(.get, "/v1/posts/nobody", token: token).status == 404)
    _ = try await rig.buy("premium.monthly", token)
    #expect(try await rig.get("/v1/posts/p04", token, as: Post.self).body == "<p>Body 4</p>")
    #expect(try await rig.get("/v1/posts/p04", rig.signIn("bo"), as: Post.self).body == nil)
    #expect(try await rig.get("/v1/posts?limit=100", token, as: Page<Post>.self).items.allSatisfy { $0.body == nil })
  }

  @Test func reactionsCountEachReaderOnce() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    for _ in 0..<3 {
      let post = try await rig.send(.put, "/v1/posts/p01/reaction", token: ada).post
      #expect(post.reactions == [.love: 1])
      #expect(post.reaction == .love)
      #expect(post.body == nil)
    }
    #expect(try await rig.get("/v1/posts/p01", bo, as: Post.self).reaction == nil)
    #expect(try await rig.send(.put, "/v1/posts/p01/reaction", token: bo).post.reactions == [.love: 2])
    for _ in 0..<3 { #expect(try await rig.send(.delete, "/v1/posts/p01/reaction", token: ada).post.reactions == [.love: 1]) }
    #expect(try await rig.send(.put, "/v1/posts/p04/reaction", token: ada).post.body == nil)
    for method in [Request.Method.put, .delete] {
      #expect(await rig.send(method, "/v1/posts/nobody/reaction", token: ada).status == 404)
    }
  }

  @Test func countsOfBeforeAreKept() async throws {
    var post = Rig.posts[0]
    post.reactions = [.love: 98]
    let rig = try await Rig(posts: [post])
    let token = try await rig.signIn()
    #expect(try await rig.send(.put, "/v1/posts/p01/reaction", token: token).post.reactions == [.love: 99])
    #expect(try await rig.send(.delete, "/v1/posts/p01/reaction", token: token).post.reactions == [.love: 98])
  }

  @Test func bookmarksAreEachReadersOwn() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    for id in ["p02", "p05", "p03"] {
      for _ in 0..<2 { #expect(try await rig.send(.put, "/v1/posts/\(id)/bookmark", token: ada).post.bookmarked) }
    }
    #expect(try await pages(rig, ada, "bookmarked=true&limit=2").flatMap { $0 }.map(\.id) == ["p02", "p05", "p03"])
    #expect(try await pages(rig, bo, "bookmarked=true") == [[]])
    #expect(try await pages(rig, ada, "bookmarked=true&fanclub=odd").flatMap { $0 }.map(\.id) == ["p05", "p03"])
    #expect(try await rig.send(.delete, "/v1/posts/p05/bookmark", token: ada).post.bookmarked == false)
    #expect(try await pages(rig, ada, "bookmarked=true").flatMap { $0 }.map(\.id) == ["p02", "p03"])
    #expect(try await pages(rig, ada, "bookmarked=false").flatMap { $0 }.count == 25)
  }

  @Test func clubsByNameWhateverCaseAndAccents() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let all = try await rig.get("/v1/fanclubs", token, as: Page<FanClub>.self)
    #expect(all.items.map(\.name) == ["Duos", "Écarts", "zebra"])
    #expect(all.items.map(\.posts) == [12, 13, 0])
    #expect(all.next == nil)
    var names: [String] = []
    var cursor: String?
    repeat {
      let page = try await rig.get("/v1/fanclubs?limit=1\(cursor.map { "&cursor=\($0)" } ?? "")", token, as: Page<FanClub>.self)
      names += page.items.map(\.name)
      cursor = page.next
    } while cursor != nil
    #expect(names == ["Duos", "Écarts", "zebra"])
  }

  @Test func numbersInNamesOfClubsCountAsNumbers() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    for number in [10, 2, 1] {
      _ = try await rig.publication.importFeed(ParsedItemSample.feed([], title: "Feed \(number)"), source: "https://example.org/\(number)")
    }
    let expected = ["Duos", "Écarts", "Feed 1", "Feed 2", "Feed 10", "zebra"]
    #expect(try await clubs(rig) == expected)
    await rig.publication.close()
    // Also after an earlier version, which sorted by the digits.
    do {
      let database = try Connection(path: folder.file("publication.sqlite"))
      #expect(try database.execute("UPDATE fan_club SET sort_key = lower(name) WHERE name LIKE 'Feed %'") == 3)
      try database.execute("DELETE FROM setting WHERE name = 'clubs_sorted'")
    }
    let again = try await Rig(folder: folder.path)
    #expect(try await clubs(again) == expected)
    await again.publication.close()
  }

  /// The names of all clubs, page by page.
  private func clubs(_ rig: Rig) async throws -> [String] {
    let token = try await rig.signIn()
    var names: [String] = []
    var cursor: String?
    repeat {
      let next = cursor.map { "&cursor=\($0)" } ?? ""
      let page = try await rig.get("/v1/fanclubs?limit=1\(next)", token, as: Page<FanClub>.self)
      names += page.items.map(\.name)
      cursor = page.next
    } while cursor != nil
    return names
  }

  @Test func followersCountEachReaderOnce() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    for _ in 0..<2 {
      let club = try Wire.decode(FanClub.self, from: await rig.send(.put, "/v1/fanclubs/odd/follow", token: ada).body)
      #expect(club.followers == 1)
      #expect(club.followed)
    }
    let seen = try await rig.get("/v1/fanclubs/odd", bo, as: FanClub.self)
    #expect(seen.followers == 1)
    #expect(seen.followed == false)
    for _ in 0..<2 {
      let club = try Wire.decode(FanClub.self, from: await rig.send(.delete, "/v1/fanclubs/odd/follow", token: ada).body)
      #expect(club.followers == 0)
    }
    for method in [Request.Method.put, .delete] {
      #expect(await rig.send(method, "/v1/fanclubs/nobody/follow", token: ada).status == 404)
    }
  }

  @Test func picturesAreKeptByClients() async throws {
    let rig = try await Rig()
    let picture = await rig.send(.get, "/v1/pictures/a.png")
    #expect(picture.status == 200)
    #expect(picture.body == Data([1, 2, 3]))
    #expect(picture.headers["Content-Type"] == "image/png")
    let tag = try #require(picture.headers["ETag"])
    for field in [tag, "\"x\", \(tag)", "W/\(tag)", "*"] {
      let known = await rig.send(.get, "/v1/pictures/a.png", headers: ["If-None-Match": field])
      #expect(known.status == 304)
      #expect(known.body.isEmpty)
      #expect(known.headers["ETag"] == tag)
      #expect(known.headers["Content-Length"] == "3")
      let head = await rig.send(.head, "/v1/pictures/a.png", headers: ["If-None-Match": field])
      #expect((head.status, head.headers["Content-Length"]) == (304, "3"))
    }
    #expect(await rig.send(.get, "/v1/pictures/a.png", headers: ["If-None-Match": "\"x\""]).status == 200)
    #expect(await rig.send(.get, "/v1/pictures/b.png").status == 404)
    #expect(await rig.send(.get, "/v1/pictures/..%2Fa.png").status == 404)
  }

  @Test func whatIsSold() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let products = try await rig.get(
      "/v1/products?ids=premium.yearly,unknown,premium.monthly,premium.yearly", token, as: [ProductRecord].self)
    #expect(products.map(\.id) == ["premium.yearly", "premium.monthly"])
    #expect(try await rig.get("/v1/products?ids=unknown", token, as: [ProductRecord].self).isEmpty)
    let many = (0...100).map { "p\($0)" }.joined(separator: ",")
    for query in ["", "?ids=", "?ids=,", "?ids=\(many)"] {
      #expect(await rig.send(.get, "/v1/products\(query)", token: token).status == 400)
    }
    #expect(try await rig.get("/v1/paywalls/premium", token, as: PaywallRecord.self).productIDs == ["premium.monthly"])
    #expect(await rig.send(.get, "/v1/paywalls/other", token: token).status == 404)
  }

  @Test func aPublicationIsFoundedOnce() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    _ = await rig.send(.put, "/v1/posts/p01/reaction", token: token)
    await rig.publication.close()
    let again = try await Rig(folder: folder.path, posts: [])
    #expect(try await again.get("/v1/posts/p01", token, as: Post.self).reactions == [.love: 1])
    #expect(try await again.publication.install(Rig.content) == false)
    #expect(try await again.publication.isFounded)
  }

  @Test func theSampleIsWhole() async throws {
    let rig = try await Rig()
    let sample = try SampleContent.publication(openedAt: rig.clock.now)
    let publication = try await Publication(folder: nil, gateway: rig.gateway, clock: rig.clock)
    #expect(try await publication.install(sample))
    let pictures = Set(sample.pictures.map { "/v1/pictures/\($0.name)" })
    #expect(sample.posts.compactMap(\.picture).allSatisfy(pictures.contains))
  }
}
