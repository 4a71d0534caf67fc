import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SQLiteStorage
import SignedReceipts
import Synchronization
import Testing

@testable import PublicationServer

/// Searching as one types.
@Suite struct SearchTests {
  private static let posts: [Post] = [
    post("cafe", "Café society", "<p>Where people meet.</p>", age: 1),
    post("crema", "On crema", "<p>What a good <b>café</b> does: crema, daily.</p>", age: 2),
    post("tea", "Tea", "<p>Not coffee at all. It doesn't hurry — and it's “quiet”.</p>", age: 3),
    post("secret", "A closed room", "<p>The password is xyzzy.</p>", teaser: "Behind a door", premium: true, age: 4),
    post("japan", "喫茶店", "<p>東京の静かな喫茶店で読む。</p>", age: 5),
    post("greek", "Στοά", "<p>Υπάρχει ένα καφενείο.</p>", age: 6),
    post("marks", "Marks \u{E000}of\u{E001} others", "<p>A body with \u{E000}marks\u{E001}.</p>", age: 7),
  ]

  private static func post(_ id: String, _ title: String, _ body: String, teaser: String = "", premium: Bool = false, age: Int) -> Post {
    Post(
      id: id, fanClubID: "odd", fanClubName: "", title: title, byline: "Ines Barolo", teaser: teaser, body: body,
      published: Rig.start.addingTimeInterval(-Double(age) * 60), premium: premium)
  }

  private func find(_ rig: Rig, _ token: String, _ text: String, and more: String = "") async throws -> Page<SearchHit> {
    let encoded = text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return try await rig.get("/v1/search?q=\(encoded)\(more)", token, as: Page<SearchHit>.self)
  }

  @Test(arguments: [
    ("b>q", []), ("café", ["cafe", "crema"]), ("cafe", ["cafe", "crema"]), ("CAFÉ", ["cafe", "crema"]), ("cafe\u{301}", ["cafe", "crema"]),
    ("caf", ["cafe", "crema"]), ("cre caf", []), ("crema caf", ["crema"]), ("doesn't", ["tea"]), ("doesn’t hur", ["tea"]),
    ("society", ["cafe"]), ("ociety", []), ("barolo tea", ["tea"]), ("喫茶店", ["japan"]), ("静かな", ["japan"]), ("静茶", []),
    ("στοα", ["greek"]), ("υπαρχ", ["greek"]), ("στοά", ["greek"]),
  ])
  func wordsAreFound(text: String, expected: [String]) async throws {
    let rig = try await Rig(posts: Self.posts)
    let token = try await rig.signIn()
    let found = try await find(rig, token, text)
    #expect(Set(found.items.map(\.id)) == Set(expected))
    #expect(found.items.allSatisfy { $0.post.body == nil })
    if expected.count == 2 { #expect(found.items.first?.id == "cafe", "a headline counts more than a body") }
  }

  @Test(arguments: [
    "", " ", "\"", "\"\"", "\"café", "*", "café*", "a*b", "(", "café)", "NEAR(a b)", "a AND", "OR", "NOT café", "title:café",
    "{title} : café",
    "-café", "^café", "a+b", "🎉", "🎉 café 🎉", "%", "';--", "\\", "\u{0}", "caf\u{0}é", "\u{E000}", "\u{200B}", "\u{301}", "…",
    "café AND society", String(repeating: "a ", count: 5000), String(repeating: "\"", count: 1000), String(repeating: "喫", count: 300),
  ])
  func anyTextIsAQuery(text: String) async throws {
    let rig = try await Rig(posts: Self.posts)
    let token = try await rig.signIn()
    let found = try await find(rig, token, text)
    for hit in found.items { #expect(hit.title.contains(SearchHit.markStart) || hit.excerpt.contains(SearchHit.markStart)) }
    if text == "🎉 café 🎉" { #expect(found.items.map(\.id) == ["cafe", "crema"]) }
    if text == "café*" { #expect(found.items.count == 2) }
  }

  @Test func whatWasFoundIsMarked() async throws {
    let rig = try await Rig(posts: Self.posts)
    let token = try await rig.signIn()
    let hits = try await find(rig, token, "caf").items
    #expect(hits.first?.title == "\u{E000}Café\u{E001} society")
    #expect(hits.first?.excerpt == "Where people meet.")
    #expect(hits.last?.title == "On crema")
    #expect(hits.last?.excerpt == "What a good \u{E000}café\u{E001} does: crema, daily.")
    let japan = try #require(try await find(rig, token, "喫茶店").items.first)
    #expect(japan.title == "\u{E000}喫茶店\u{E001}")
    #expect(japan.excerpt == "東京の静かな\u{E000}喫茶店\u{E001}で読む。")
    // Marks that a post brings along are no marks.
    let marks = try #require(try await find(rig, token, "marks").items.first)
    #expect(marks.title == "\u{E000}Marks\u{E001} of others")
    #expect(marks.excerpt == "A body with \u{E000}marks\u{E001}.")
  }

  /// What a feed writes is marked by nobody, and turns nothing around: neither in the hit nor in the post and the club that it names.
  @Test func aFeedBringsNoMarksAlong() async throws {
    let rig = try await Rig(posts: [])
    let text = rss(
      "<item><guid>1</guid><title>\u{E000}Fake\u{E001} mark\u{202E}ed</title><description>A \u{E001}b\u{2067}ody\u{E000}.</description></item>",
      name: "The \u{E000}Club\u{202E}")
    _ = try await rig.publication.importFeed(try FeedParser.parse(Data(text.utf8), source: "t"), source: "https://example.org/feed")
    let token = try await rig.signIn()
    let results = try await rig.get("/v1/search?q=mark", token, as: SearchResults.self)
    let hit = try #require(results.items.first)
    #expect((hit.title, hit.excerpt) == ("Fake \u{E000}marked\u{E001}", "A body."))
    #expect((hit.post.title, hit.post.teaser, hit.post.fanClubName) == ("Fake marked", "A body.", "The Club"))
    let club = try #require(try await rig.get("/v1/search?q=club", token, as: SearchResults.self).clubs.first)
    #expect((club.name, club.club.name) == ("The \u{E000}Club\u{E001}", "The Club"))
  }

  private func rss(_ items: String, name: String) -> String {
    "<rss version=\"2.0\"><channel><title>\(name)</title>\(items)</channel></rss>"
  }

  @Test func aClosedBodyIsNeitherShownNorFound() async throws {
    let rig = try await Rig(posts: Self.posts)
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    for text in ["xyzzy", "password", "closed xyz", "p"] {
      let hits = try await find(rig, ada, text).items
      #expect(!hits.contains { $0.id == "secret" }, "\(text)")
    }
    for text in ["closed", "door", "barolo"] {
      let hit = try #require(try await find(rig, ada, text).items.first { $0.id == "secret" }, "\(text)")
      #expect(!hit.excerpt.contains("password"))
      #expect(hit.excerpt.contains("Behind"))
    }
    _ = try await rig.buy("premium.monthly", ada)
    #expect(try await find(rig, ada, "xyz").items.map(\.excerpt) == ["The password is \u{E000}xyzzy\u{E001}."])
    #expect(try await find(rig, bo, "xyz").items.isEmpty)
    // With a pass this one post is open.
    _ = try await rig.buy("passes.5", bo)
    #expect(try await rig.send(.put, "/v1/posts/secret/unlock", token: bo).post.body != nil)
    #expect(try await find(rig, bo, "xyz").items.map(\.id) == ["secret"])
  }

  /// Otherwise the order tells which of two locked posts says more of what was looked for.
  @Test func aClosedBodyDoesNotCountInTheOrder() async throws {
    func rank(_ bodies: [String]) async throws -> [[String]] {
      let posts = bodies.enumerated().map { Self.post("\($0)", "A rare bean", "<p>\($1)</p>", teaser: "Teaser", premium: true, age: $0) }
      let rig = try await Rig(posts: posts + Self.posts)
      let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
      _ = try await rig.buy("premium.monthly", bo)
      return [try await find(rig, ada, "bean").items.map(\.id), try await find(rig, bo, "bean").items.map(\.id)]
    }
    #expect(try await rank(["of few of words", "bean bean bean bean"]) == [["0", "1"], ["1", "0"]])
    #expect(try await rank(["bean bean bean bean", "of few of words"]) == [["0", "1"], ["0", "1"]])
  }

  /// A word is worth the same however many locked bodies have it.
  @Test func closedBodiesDoNotCountInTheOrderOfOthers() async throws {
    func order(secret: String) async throws -> [String] {
      let open = ["bean bean bean leaf", "leaf leaf leaf bean"].enumerated().map { Self.post("open\($0)", "Open", "<p>\($1)</p>", age: $0) }
      let closed = (1...9).map { Self.post("closed\($0)", "Closed", "<p>\(secret)</p>", premium: true, age: $0) }
      let rig = try await Rig(posts: open + closed)
      return try await find(rig, try await rig.signIn(), "bean leaf").items.map(\.id)
    }
    let orders = [try await order(secret: "bean"), try await order(secret: "leaf"), try await order(secret: "neither")]
    #expect(orders == Array(repeating: ["open0", "open1"], count: 3), "as good as each other, and the newest first")
  }

  /// Otherwise the time of a search tells by one word after another what is in a locked body.
  @Test(arguments: [SearchOrder.best, .newest]) func whoMayNotReadThemSearchesNoClosedBodies(order: SearchOrder) throws {
    let world = try ChanceWorld(200, premium: 0.3, seed: 1)
    let closed = try world.database.query("SELECT body FROM premium_search") { try $0.get(0, as: String.self) }
    #expect(closed.count { !$0.isEmpty } > 30)
    let inCommon = try world.database.query(
      "SELECT post_search.body FROM post_search JOIN post ON number = post_search.rowid WHERE premium"
    ) {
      try $0.get(0, as: String.self)
    }
    #expect(inCommon == Array(repeating: "", count: closed.count))
    try world.database.addTextRank()
    // Whoever looks there now finds no database.
    try world.database.execute("DELETE FROM premium_search_data")
    let words = try #require(SearchWords("ab"))
    func search(seesAll: Bool) throws -> Int {
      _ = try SQLiteSearch.order(of: words, after: nil, in: world.database, for: ChanceWorld.reader, seesAll: seesAll)
      return try world.database.query(SQLiteSearch.statement(order), values: [ChanceWorld.reader, words.match, seesAll, 20, 0]) { _ in }
        .count
    }
    try world.database.execute("DELETE FROM unlock")
    #expect(try search(seesAll: false) == 20)
    #expect(throws: SQLiteError.self) { try search(seesAll: true) }
  }

  /// A post that becomes premium is closed before its words are indexed again.
  @Test func aPostThatBecomesPremiumIsClosedAtOnce() throws {
    let world = try ChanceWorld(20, seed: 1)
    let number = try #require(try world.database.queryOne("SELECT max(number) FROM post") { try $0.get(0, as: Int64.self) })
    func indexed() throws -> [Int] {
      try ["post_search", "premium_search"].map { index in
        try world.database.queryOne("SELECT count(*) FROM \(index) WHERE rowid = ?", number) { try $0.get(0, as: Int.self) } ?? 0
      }
    }
    #expect(try indexed() == [1, 0])
    try world.database.execute("UPDATE post SET premium = 1 WHERE number = ?", number)
    #expect(try indexed() == [0, 0])
    let search = SQLiteSearch(database: world.database)
    #expect(try !search.index(limit: 50))
    #expect(try indexed() == [1, 1])
    try world.database.execute("UPDATE post SET premium = 0 WHERE number = ?", number)
    #expect(try !search.index(limit: 50))
    #expect(try indexed() == [1, 0])
  }

  /// Otherwise 5,000 posts of one's own tell whether a locked body has the words too.
  @Test func closedBodiesDoNotCountAmongTheMatches() throws {
    let world = try ChanceWorld(10, seed: 1)
    let words = try #require(SearchWords("common"))
    func order(premium: Bool, seesAll: Bool = false, unlocked: Bool = false) throws -> SearchOrder {
      for table in ["unlock", "post_search", "premium_search"] { try world.database.execute("DELETE FROM \(table)") }
      try addMatches(5000, to: world.database)
      let last = "FROM post WHERE number = (SELECT max(number) FROM post WHERE number < 1000000)"
      try world.database.execute("UPDATE post SET premium = ? WHERE number = (SELECT number \(last))", premium)
      let index = premium ? "premium_search" : "post_search"
      try world.database.execute("INSERT INTO \(index) (rowid, body) SELECT number, 'common' \(last)")
      if unlocked {
        try world.database.execute("INSERT INTO unlock (post, reader, credit, at) SELECT id, ?, 1, 0 \(last)", ChanceWorld.reader)
      }
      return try SQLiteSearch.order(of: words, after: nil, in: world.database, for: ChanceWorld.reader, seesAll: seesAll)
    }
    #expect(try order(premium: false) == .newest)
    #expect(try order(premium: true) == .best)
    #expect(try order(premium: true, seesAll: true) == .newest)
    #expect(try order(premium: true, unlocked: true) == .newest)
  }

  /// Posts whose title matches "common".
  private func addMatches(_ count: Int, to database: Connection) throws {
    try database.execute("DELETE FROM post_search WHERE rowid > 1000000")
    try database.execute("DELETE FROM post WHERE number > 1000000")
    let numbers = "WITH RECURSIVE number (n) AS (SELECT 1000001 UNION ALL SELECT n + 1 FROM number WHERE n < 1000000 + ?)"
    try database.execute(
      """
      \(numbers) INSERT INTO post (number, id, fan_club, title, byline, teaser, published, premium, digest, body)
      SELECT n, 'n' || n, 'c0', 'common', '', '', 0, 0, x'', '' FROM number
      """, count)
    try database.execute("\(numbers) INSERT INTO post_search (rowid, title) SELECT n, 'common' FROM number", count)
  }

  @Test func pageByPage() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let all = try await find(rig, token, "post", and: "&limit=100").items.map(\.id)
    #expect(all.count == 25)
    for limit in [1, 4, 24, 25] {
      var seen: [String] = []
      var cursor: String?
      repeat {
        let page = try await find(rig, token, "post", and: "&limit=\(limit)\(cursor.map { "&cursor=\($0)" } ?? "")")
        seen += page.items.map(\.id)
        cursor = page.next
      } while cursor != nil
      #expect(seen == all)
    }
    #expect(await rig.send(.get, "/v1/search?q=post&cursor=x", token: token).status == 400)
    #expect(await rig.send(.get, "/v1/search?q=post").status == 401)
    #expect(await rig.send(.get, "/v1/search", token: token).status == 200)
  }

  @Test(arguments: ["9223372036854775807", "9223372036854775807000", "1000001", "0", "-1", "-9223372036854775808", "1e3", "x", ""])
  func aPlaceWhereNoPageEnded(offset: String) async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let cursor = Base64URL.encode(Array("s\nbest\n\(offset)".utf8))
    for query in ["post", "nothing"] {
      let response = await rig.send(.get, "/v1/search?q=\(query)&limit=100&cursor=\(cursor)", token: token)
      #expect(response.status == 400)
    }
  }

  /// A cursor can be made up.
  @Test func noCursorHasManyMatchesCompared() throws {
    let world = try ChanceWorld(10, seed: 1)
    let words = try #require(SearchWords("common"))
    func order(_ after: SearchOrder?) throws -> SearchOrder {
      try SQLiteSearch.order(
        of: words, after: after.map { SearchPosition(order: $0, offset: 1) }, in: world.database, for: ChanceWorld.reader, seesAll: false)
    }
    for count in [10_000, 10_001] {
      try addMatches(count, to: world.database)
      #expect(try order(.best) == (count > 10_000 ? .newest : .best))
      #expect(try order(nil) == .newest)
      #expect(try order(.newest) == .newest)
    }
  }

  @Test func wordsThatNearlyEverythingHasComeNewestFirst() async throws {
    let posts = (1...5200).map { number in
      Post(
        id: "n\(number)", fanClubID: "odd", fanClubName: "", title: number == 5200 ? "Common" : "Title", body: "<p>common</p>",
        published: Rig.start.addingTimeInterval(-Double(number)))
    }
    let rig = try await Rig(posts: posts)
    let token = try await rig.signIn()
    // Each search takes some more of a large import up by itself.
    var ids: [String] = []
    for _ in 0..<12 { ids = try await find(rig, token, "common", and: "&limit=3").items.map(\.id) }
    #expect(ids == ["n1", "n2", "n3"])
    let page = try await find(rig, token, "common", and: "&limit=3")
    #expect(try await find(rig, token, "common", and: "&limit=3&cursor=\(try #require(page.next))").items.map(\.id) == ["n4", "n5", "n6"])
    #expect(try await find(rig, token, "title", and: "&limit=1").items.first?.id == "n1")
  }

  /// Whoever types on cancels what they asked before; what waited for the publication's thread until then is not worth its time.
  @Test func whatNobodyWaitsForIsNotSearched() async throws {
    let rig = try await Rig { Issue.record("\($0)") }
    let token = try await rig.signIn()
    let response = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await rig.send(.get, "/v1/search?q=post", token: token)
    }.value
    #expect(response.status == 499)
    #expect(try await find(rig, token, "post").items.count == 20)
  }

  /// Where a part takes long, a search waits for few of them: the words of a large import take minutes.
  @Test func aSearchDoesNotWaitLongForWordsThatAreTakenUp() async throws {
    let rig = try await Rig()
    #expect(try await rig.publication.partsOfASearch(each: .milliseconds(200), rig.clock) == 1)
    #expect(try await rig.publication.partsOfASearch(each: .milliseconds(50), rig.clock) == 3)
  }

  @Test func importsAndChangesAreFoundAtOnce() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    var item = ParsedItemSample.item("Zanzibar", Rig.start, id: "1", body: "<p>Cloves</p>")
    _ = try await rig.publication.importFeed(ParsedItemSample.feed([item]), source: "https://example.org/feed")
    #expect(try await find(rig, token, "zanz").items.count == 1)
    item.title = "Pemba"
    item.body = "<p>Nutmeg</p>"
    _ = try await rig.publication.importFeed(ParsedItemSample.feed([item]), source: "https://example.org/feed")
    #expect(try await find(rig, token, "zanz").items.isEmpty)
    #expect(try await find(rig, token, "cloves").items.isEmpty)
    #expect(try await find(rig, token, "pemba nutmeg").items.count == 1)
  }

  /// Of a body that is longer than any article the beginning is found: its words are taken up on the thread that answers everybody.
  @Test func wordsAreTakenUpAsFarAsAnArticleGoes() async throws {
    let folder = try TemporaryFolder()
    let body = "<p>alpha \(String(repeating: "filler ", count: 100_000))omega</p>"
    let rig = try await Rig(
      folder: folder.path,
      posts: (1...3).map { Self.post("long\($0)", body, body, teaser: body, age: $0) } + [Self.post("short", "omega", "", age: 9)])
    let token = try await rig.signIn()
    // Each search takes some of them up by itself.
    for _ in 0..<4 { _ = try await find(rig, token, "alpha") }
    #expect(try await find(rig, token, "alpha").items.map(\.id) == ["long1", "long2", "long3"])
    #expect(try await find(rig, token, "omega").items.map(\.id) == ["short"])
    await rig.publication.close()
    let longest = try Connection(path: folder.file("publication.sqlite")).queryOne(
      "SELECT max(max(length(title), length(byline), length(teaser), length(body))) FROM post_search"
    ) { try $0.get(0, as: Int.self) }
    #expect(longest == 200_000)
  }

  /// The longest articles of magazines have some 30,000 words, and their markup is twice as long as they are.
  @Test func allOfALongArticleIsFound() async throws {
    let paragraph = "<p class=\"text body\" style=\"margin: 0 0 1em 0\"><span class=\"words\">four words make this.</span></p>"
    let rig = try await Rig(posts: [Self.post("long", "long", String(repeating: paragraph, count: 8000) + "<p>omega</p>", age: 1)])
    let token = try await rig.signIn()
    #expect(try await find(rig, token, "omega").items.map(\.id) == ["long"])
  }

  /// Feeds have headlines, names and authors of any length; an answer is no longer for them.
  @Test func noTextOfAnAnswerIsLong() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let long = "alpha" + String(repeating: " beta é", count: 10_000)
    let address = "https://example.org/" + String(repeating: "a", count: 10_000)
    var item = ParsedItemSample.item(long, Rig.start, id: "1", body: "<p>\(long)</p>")
    // As a person counts this is short.
    item.summary = "<p>" + String(repeating: "a" + String(repeating: "\u{301}", count: 1000), count: 100) + "</p>"
    item.byline = long
    (item.link, item.picture) = (address, address)
    item.enclosures = [ParsedEnclosure(url: "https://example.org/a.mp3", title: long)]
    var feed = ParsedItemSample.feed([item], title: long)
    feed.about = long
    (feed.homeURL, feed.picture) = (address, address)
    _ = try await rig.publication.importFeed(feed, source: "https://example.org/feed")
    let list = ParsedOutline(title: "", outlines: [.init(title: long, about: long, feedURL: "https://example.org/other", homeURL: address)])
    _ = try await rig.publication.importOutline(list)
    let answer = await rig.send(.get, "/v1/search?q=alpha", token: token)
    let texts = Self.texts(try JSONSerialization.jsonObject(with: answer.body))
    #expect(texts.allSatisfy { $0.unicodeScalars.count <= 400 })
    // The headline, its marked copy and the excerpt; the author and the club; the club's name, its marked copy, and what it is about.
    #expect(texts.count { $0.unicodeScalars.count > 300 && $0.hasSuffix("…") } >= 7)
    let hit = try #require(try await find(rig, token, "alpha").items.first)
    #expect(long.hasPrefix(hit.post.title.dropLast()))
    #expect(hit.post.title.unicodeScalars.count == 400)
    #expect(try await find(rig, token, "post").items.allSatisfy { $0.post.title.hasPrefix("Post ") && !$0.post.title.hasSuffix("…") })

    let id = hit.post.id
    #expect(await rig.send(.put, "/v1/posts/\(id)/bookmark", token: token).status == 200)
    let name = String(repeating: "B" + String(repeating: "\u{301}", count: 30), count: 20)
    let added = try await rig.operate(
      .post, "readers", Wire.encode(NewReaderRequest(email: "cy@example.org", name: name, password: Rig.password)))
    #expect(added.status == 201)
    let comment = try Wire.encode(CommentRequest(text: "Short"))
    #expect(await rig.send(.put, "/v1/posts/\(id)/comments/\(UUID())", token: try await rig.signIn("cy"), body: comment).status == 201)
    // The headline, the author, the teaser and the club; both clubs with what they are about; who wrote.
    for (list, cut) in [
      ("posts", 4), ("posts?bookmarked=true", 4), ("posts?fanclub=\(hit.post.fanClubID)", 4), ("fanclubs", 4), ("posts/\(id)/comments", 1),
    ] {
      let answer = await rig.send(.get, "/v1/\(list)", token: token)
      let texts = Self.texts(try JSONSerialization.jsonObject(with: answer.body))
      #expect(texts.allSatisfy { $0.unicodeScalars.count <= 400 }, "\(list)")
      #expect(texts.count { $0.unicodeScalars.count > 300 && $0.hasSuffix("…") } == cut, "\(list)")
    }
    // The words of a post stay whole.
    let whole: Post = try await rig.get("/v1/posts/\(id)", token)
    #expect(whole.body == "<p>\(long)</p>")
    #expect(whole.enclosures.map { $0.title?.unicodeScalars.count } == [400])
  }

  @Test(arguments: [
    ("", ""), ("é", "é"), (String(repeating: "a", count: 400), String(repeating: "a", count: 400)),
    (String(repeating: "a", count: 401), String(repeating: "a", count: 399) + "…"),
    (String(repeating: "a", count: 398) + "👩‍👩‍👧 and more", String(repeating: "a", count: 398) + "…"),
    (String(repeating: "e\u{301}", count: 300), String(repeating: "e\u{301}", count: 199) + "…"),
    ("a" + String(repeating: "\u{301}", count: 500), "a" + String(repeating: "\u{301}", count: 398) + "…"),
  ])
  func noCharacterIsCut(text: String, expected: String) {
    #expect(text.shortened.unicodeScalars.elementsEqual(expected.unicodeScalars))
  }

  private static func texts(_ value: Any) -> [String] {
    switch value {
    case let text as String: [text]
    case let list as [Any]: list.flatMap(texts)
    case let object as [String: Any]: object.values.flatMap(texts)
    default: []
    }
  }

  // MARK: Fan clubs

  private func clubs(_ rig: Rig, _ token: String, _ text: String) async throws -> [FanClubHit] {
    let encoded = text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return try await rig.get("/v1/search?q=\(encoded)", token, as: SearchResults.self).clubs
  }

  @Test(arguments: [
    ("ecarts", ["odd"]), ("Écarts", ["odd"]), ("éCA", ["odd"]), ("duos", ["even"]), ("zeb", ["none"]), ("ebra", []), ("duos écarts", []),
    ("", []), ("🎉", []), ("id:odd", []), ("odd", []),
  ])
  func fanClubsAreFoundByName(text: String, expected: [String]) async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let found = try await clubs(rig, token, text)
    #expect(found.map(\.id) == expected)
    for hit in found {
      #expect(hit.name == "\u{E000}\(hit.club.name)\u{E001}")
      #expect(try await rig.get("/v1/fanclubs/\(hit.id)", token, as: FanClub.self) == hit.club)
    }
  }

  @Test func fanClubsComeWithTheFirstPage() async throws {
    let rig = try await Rig(posts: (1...5).map { Self.post("n\($0)", "Duos \($0)", "", age: $0) })
    let token = try await rig.signIn()
    let first = try await rig.get("/v1/search?q=duos&limit=3", token, as: SearchResults.self)
    #expect((first.clubs.map(\.id), first.items.count) == (["even"], 3))
    let second = try await rig.get("/v1/search?q=duos&limit=3&cursor=\(try #require(first.next))", token, as: SearchResults.self)
    #expect((second.clubs.map(\.id), second.items.count) == ([], 2))
    // Who knows of posts alone reads what it knows.
    #expect(try await rig.get("/v1/search?q=duos", token, as: Page<SearchHit>.self).items.count == 5)
  }

  @Test func namesThatChangeAndClubsThatGo() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    func store(_ title: String) async throws {
      let item = ParsedItemSample.item("Zanzibar", Rig.start, id: "1")
      _ = try await rig.publication.importFeed(ParsedItemSample.feed([item], title: title), source: "https://example.org/feed")
    }
    try await store("Spice Islands")
    #expect(try await clubs(rig, token, "spice").count == 1)
    // Twice, before the name was taken up.
    try await store("Nutmeg Coast")
    try await store("Clove Coast")
    #expect(try await clubs(rig, token, "spice").isEmpty)
    #expect(try await clubs(rig, token, "coast").map(\.name) == ["Clove \u{E000}Coast\u{E001}"])
    // Where its feed is, and what is wrong with that, is not for everybody.
    #expect(try await clubs(rig, token, "coast").map(\.club.feed) == [nil])
  }

  @Test func noMoreFanClubsThanThereIsRoomFor() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    for number in 1...15 {
      _ = try await rig.publication.importFeed(
        ParsedItemSample.feed([], title: "Club \(number)" + (number == 15 ? "" : " of many words")), source: "https://\(number).org/")
    }
    let found = try await clubs(rig, token, "club")
    #expect(found.count == SearchResults.mostClubs)
    #expect(found.first?.club.name == "Club 15", "a name with nothing else is nearest")
  }

  @Test func fanClubsOfAnEarlierVersionAreFound() async throws {
    let folder = try TemporaryFolder()
    let database = try Connection(path: folder.file("publication.sqlite"))
    try database.migrate(Array(Schema.migrations.prefix(10)))
    try database.execute("INSERT INTO fan_club (id, name, sort_key, about) VALUES ('old', 'Old Friends', 'old friends', '')")
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    #expect(try await clubs(rig, token, "friends").map(\.id) == ["old"])
    try database.execute("DELETE FROM fan_club WHERE id = 'old'")
    #expect(try await clubs(rig, token, "friends").isEmpty)
    await rig.publication.close()
  }
}

extension Publication {
  /// How many parts a search waits for that take so long.
  fileprivate func partsOfASearch(each taken: Duration, _ clock: ManualClock) async throws -> Int {
    let parts = Mutex(0)
    let search = SearchResource(
      words: try searchRepository, orders: try orderRepository, fanClubs: try fanClubs, clock: clock, turns: searchTurns
    ) {
      clock.advance(by: taken)
      return parts.withLock { parts in
        parts += 1
        return parts < 100
      }
    }
    try await search.takeUpPosts()
    return parts.withLock { $0 }
  }
}
