import Foundation
import PublicationAPI
import Runtime
import SQLiteStorage
import Testing

@testable import PublicationServer

/// What the first version wrote is sold, charged and given back by this one.
@Suite struct MigrationTests {
  @Test func aPublicationOfTheFirstVersion() async throws {
    let folder = try TemporaryFolder()
    try folder.makeKey()
    let executor = ThreadExecutor(name: "first-version")
    let id = "11111111-2222-3333-4444-555555555555"
    try await executor.run {
      let database = try Connection(path: folder.file("publication.sqlite"), executor: executor)
      try database.migrate(Array(Schema.migrations.prefix(1)))
      try database.execute(
        "INSERT INTO setting (name, value) VALUES ('info', ?)",
        """
        {"id":"pub","name":"The Publication","tagline":"","defaultPaywallID":"premium"}
        """)
      let hash = try PasswordHash(of: Rig.password, cost: .none).text
      try database.execute("INSERT INTO reader (id, email, name, password) VALUES ('r1', 'ada@example.org', 'Ada', ?)", hash)
      try database.execute(
        "INSERT INTO product (id, record) VALUES ('premium.monthly', ?)",
        """
        {"id":"premium.monthly","kind":"subscription","name":"Monthly","detail":"","priceMinorUnits":490,"currency":"EUR","period":"P1M",
        "group":"premium","entitlement":"premium"}
        """)
      for (number, (order, state)) in [(id, "paid"), (UUID().uuidString, "open")].enumerated() {
        try database.execute(
          """
          INSERT INTO purchase (number, id, reader, product, kind, entitlement, total, currency, state, created, paid, expires)
          VALUES (?, ?, 'r1', 'premium.monthly', 'subscription', 'premium', 490, 'EUR', ?, 1704067200, ?, ?)
          """, number + 1, order, state, state == "paid" ? 1_704_067_200 : nil, state == "paid" ? 1_706_745_600 : nil)
      }
      try database.execute(
        "INSERT INTO attempt (purchase, number, token, begun, ended, charge) VALUES (?, 1, 'tok_approved', 1, 1, 'ch_1')", id)
    }
    let rig = try await Rig(folder: folder.path, gateway: CountingGateway())
    let token = try await rig.signIn()
    let orders = try await rig.get("/v1/orders", token, as: [Order].self)
    #expect(orders.map(\.state) == [.open, .paid])
    #expect(orders.map(\.number) == ["0000-0002", "0000-0001"])
    #expect(orders.last?.receipt != nil)
    #expect(orders.last?.credited == true)
    // What is sold today is sold here too, in all its currencies.
    let products = try await rig.get("/v1/products?ids=passes.5,premium.lifetime&currency=usd", token, as: [ProductRecord].self)
    #expect(products.map(\.currency) == ["EUR", "USD"])
    #expect(try await rig.buy("passes.5", token).credited == true)
    #expect(try await rig.get("/v1/publication", nil, as: PublicationInfo.self).hostedCheckout == false)
    #expect(FileManager.default.fileExists(atPath: folder.file("publication.sqlite.v1.backup")))
  }

  @Test func aPublicationOfOneKindOfReaction() async throws {
    let folder = try TemporaryFolder()
    let hash = try PasswordHash(of: Rig.password, cost: .none).text
    do {
      let database = try Connection(path: folder.file("publication.sqlite"))
      try database.migrate(Array(Schema.migrations.prefix(3)))
      try database.script(
        """
        INSERT INTO setting VALUES ('info', '{"id":"pub","name":"N","tagline":"","defaultPaywallID":"premium"}');
        INSERT INTO reader VALUES ('r1', 'ada@example.org', 'Ada', '\(hash)');
        INSERT INTO fan_club (id, name, sort_key, about, source) VALUES ('c', 'C', 'c', '', NULL),
          ('f', 'F', 'f', '', 'https://example.org/feed');
        INSERT INTO post (number, id, fan_club, title, byline, teaser, published, premium, base_reactions, digest, body)
        VALUES (1, 'a', 'c', 'Old words', '', '', 10, 0, 7, X'00', '<p>Older words</p>'), (2, 'b', 'f', 'T', '', '', 9, 0, 0, X'00', '');
        INSERT INTO reaction VALUES ('a', 'r1'), ('b', 'r1');
        INSERT INTO bookmark VALUES ('r1', 'a');
        """)
    }
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    let posts = try await rig.get("/v1/posts", token, as: Page<Post>.self).items
    #expect(posts.map(\.reactions) == [[.love: 8], [.love: 1]])
    #expect(posts.map(\.reaction) == [.love, .love])
    #expect(posts.map(\.bookmarked) == [true, false])
    #expect(posts.map(\.comments) == [0, 0])
    let hits = try await rig.get("/v1/search?q=older", token, as: Page<SearchHit>.self).items
    #expect(hits.map(\.excerpt) == ["\u{E000}Older\u{E001} words"])
    #expect(try await rig.get("/v1/fanclubs", token, as: Page<FanClub>.self).items.map(\.fetched) == [true, true])
    #expect(FileManager.default.fileExists(atPath: folder.file("publication.sqlite.v3.backup")))
  }

  @Test func whatWasReadStaysRead() async throws {
    let folder = try TemporaryFolder()
    do {
      let database = try Connection(path: folder.file("publication.sqlite"))
      try database.migrate(Array(Schema.migrations.prefix(7)))
      let hash = try PasswordHash(of: Rig.password, cost: .none).text
      try database.script(
        """
        INSERT INTO setting VALUES ('info', '{"id":"pub","name":"N","tagline":"","defaultPaywallID":"premium"}');
        INSERT INTO reader VALUES ('r1', 'ada@example.org', 'Ada', '\(hash)'), ('r2', 'bo@example.org', 'Bo', '\(hash)');
        INSERT INTO fan_club (id, name, sort_key, about) VALUES ('odd', 'Odd', 'odd', ''), ('even', 'Even', 'even', '');
        """)
      for post in Rig.posts {
        try database.execute(
          """
          INSERT INTO post (id, fan_club, title, byline, teaser, published, premium, digest, body) VALUES (?, ?, ?, '', '', ?, 0, X'00', '')
          """, post.id, post.fanClubID, post.title, Int64(post.published.timeIntervalSince1970))
      }
      try database.script("INSERT INTO read_mark (reader, post) VALUES ('r1', 'p20'), ('r1', 'p03'), ('r2', 'p07')")
    }
    let rig = try await Rig(folder: folder.path)
    for (reader, read) in [("ada", ["p03", "p20"]), ("bo", ["p07"])] {
      let posts = try await rig.get("/v1/posts?limit=100", rig.signIn(reader), as: Page<Post>.self).items
      #expect(posts.filter(\.read).map(\.id) == read)
      #expect(posts.count == 25)
    }
  }

  @Test func whatIsThereIsNobodysToRemove() async throws {
    let folder = try TemporaryFolder()
    do {
      let database = try Connection(path: folder.file("publication.sqlite"))
      try database.migrate(Array(Schema.migrations.prefix(8)))
      let hash = try PasswordHash(of: Rig.password, cost: .none).text
      try database.script(
        """
        INSERT INTO setting VALUES ('info', '{"id":"pub","name":"N","tagline":"","defaultPaywallID":"premium"}');
        INSERT INTO reader VALUES ('r1', 'ada@example.org', 'Ada', '\(hash)');
        INSERT INTO fan_club (id, name, sort_key, about, source) VALUES ('f', 'F', 'f', '', 'https://example.org/feed');
        INSERT INTO follow VALUES ('f', 'r1');
        """)
    }
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    let club = try await rig.get("/v1/fanclubs/f", token, as: FanClub.self)
    #expect((club.followed, club.canRemove) == (true, false))
    #expect(await rig.send(.delete, "/v1/fanclubs/f", token: token).status == 403)
    #expect(FileManager.default.fileExists(atPath: folder.file("publication.sqlite.v8.backup")))
  }

  @Test func whoWasSignedInStaysSignedIn() async throws {
    let folder = try TemporaryFolder()
    try folder.makeKey()
    let token = "a-token-of-long-ago"
    do {
      let database = try Connection(path: folder.file("publication.sqlite"))
      try database.migrate(Array(Schema.migrations.prefix(15)))
      try database.execute(
        "INSERT INTO reader (id, email, name, password) VALUES ('r1', 'ada@example.org', 'Ada', ?)",
        try PasswordHash(of: Rig.password, cost: .none).text)
      try database.execute("INSERT INTO session (token_digest, reader, begun) VALUES (?, 'r1', 1)", try Digest.sha256(Data(token.utf8)))
    }
    let rig = try await Rig(folder: folder.path, clock: ManualClock(now: Date()))
    #expect(try await rig.get("/v1/session", token, as: Reader.self).id == "r1")
    rig.clock.advance(by: .seconds(91 * 86_400))
    #expect(await rig.send(.get, "/v1/session", token: token).status == 401)
    await rig.publication.close()
  }

  @Test func pricesInACurrencyThatThereIsNot() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    for currency in ["EUR", "eur", "CHF", "", "%F0%9F%92%B6", "USD"] {
      let products = try await rig.get(
        "/v1/products?ids=premium.lifetime,premium.lifetime&currency=\(currency)", token, as: [ProductRecord].self)
      #expect(products.map(\.priceMinorUnits) == [currency == "USD" ? 15900 : 14900])
    }
    let id = UUID()
    let body = try Wire.encode(OrderRequest(productID: "premium.lifetime", currency: "USD"))
    let order = try await rig.send(.put, "/v1/orders/\(id)", token: token, body: body).order
    #expect((order.totalMinorUnits, order.currency, order.tax) == (15900, "USD", nil))
    // The order keeps its currency.
    #expect(try await rig.begin(id, "premium.lifetime", token).order.currency == "USD")
    let euros = try await rig.begin(UUID(), "premium.lifetime", token).order
    #expect(euros.tax == Tax(name: "VAT", basisPoints: 1900, minorUnits: 2379))
  }

  @Test func numbersAsPeopleTypeThem() throws {
    #expect(OrderNumber.read("k7q2-9xdm") == "K7Q2-9XDM")
    #expect(OrderNumber.read("K7Q2 9XDM") == "K7Q2-9XDM")
    #expect(OrderNumber.read("OIL0-0000") == "0110-0000")
    #expect(OrderNumber.read("K7Q2-9XD") == nil)
    #expect(OrderNumber.read("ÄÄÄÄ-9XDM") == nil)
    let id = UUID().uuidString
    #expect(try OrderNumber.make(id, 0) == OrderNumber.make(id, 0))
    #expect(try OrderNumber.make(id, 0) != OrderNumber.make(id, 1))
    #expect(OrderNumber.read(try OrderNumber.make(id, 0)) == (try OrderNumber.make(id, 0)))
  }

  @Test func feedsOfEarlierVersionsAreReadAsAWholeForTheFilesOfTheirPosts() async throws {
    let folder = try TemporaryFolder()
    do {
      let database = try Connection(path: folder.file("publication.sqlite"))
      try database.migrate(Array(Schema.migrations.prefix(10)))
      let hash = try PasswordHash(of: Rig.password, cost: .none).text
      try database.script(
        """
        INSERT INTO setting VALUES ('info', '{"id":"pub","name":"N","tagline":"","defaultPaywallID":"premium"}');
        INSERT INTO reader VALUES ('r1', 'ada@example.org', 'Ada', '\(hash)');
        INSERT INTO fan_club (id, name, sort_key, about, source) VALUES ('f', 'F', 'f', '', 'https://example.org/feed');
        INSERT INTO feed (fan_club, url, etag, modified, next) VALUES ('f', 'https://example.org/feed', 'tag', 'then', 5);
        INSERT INTO post (id, fan_club, title, byline, teaser, published, premium, digest, body)
        VALUES ('p', 'f', 'T', '', '', 9, 0, X'00', 'Words');
        """)
    }
    do {
      let rig = try await Rig(folder: folder.path)
      let post = try await rig.get("/v1/posts/p", rig.signIn(), as: Post.self)
      #expect((post.body, post.enclosures) == ("Words", []))
    }
    let database = try Connection(path: folder.file("publication.sqlite"))
    let version = try database.queryOne("SELECT etag IS NULL AND modified IS NULL FROM feed") { try $0.get(0, as: Bool.self) }
    #expect(version == true)
    #expect(FileManager.default.fileExists(atPath: folder.file("publication.sqlite.v10.backup")))
  }

  @Test func longTextsOfAnEarlierVersionAreCut() async throws {
    let folder = try TemporaryFolder()
    let long = String(repeating: "é", count: 1_000_000)
    let line = String(repeating: "é", count: 399) + "…"
    do {
      let database = try Connection(path: folder.file("publication.sqlite"))
      try database.migrate(Array(Schema.migrations.prefix(16)))
      let hash = try PasswordHash(of: Rig.password, cost: .none).text
      try database.script(
        """
        INSERT INTO setting VALUES ('info', '{"id":"pub","name":"N","tagline":"","defaultPaywallID":"premium"}');
        INSERT INTO reader VALUES ('r1', 'ada@example.org', 'Ada', '\(hash)');
        INSERT INTO fan_club (id, name, sort_key, about) VALUES ('a', '\(long)', '\(long)', '\(long)'), ('b', 'Short', 'short', 'About');
        INSERT INTO post (id, fan_club, title, byline, teaser, published, premium, digest, body)
          VALUES ('p', 'a', '\(long)', '\(long)', '\(long)', 2, 0, x'00', '\(long)'),
          ('q', 'b', 'Title', 'Line', '\(String(repeating: "é", count: 400))', 1, 0, x'00', 'Body');
        INSERT INTO feed (fan_club, url, problem) VALUES ('a', 'https://example.org/', '\(long)');
        """)
    }
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    let posts = try await rig.get("/v1/posts", token, as: Page<Post>.self).items
    #expect(
      posts.map { [$0.title, $0.byline, $0.teaser] } == [[line, line, line], ["Title", "Line", String(repeating: "é", count: 400)]])
    let clubs = try await rig.get("/v1/fanclubs?limit=1", token, as: Page<FanClub>.self)
    #expect(clubs.items.map { [$0.name, $0.about] } == [[line, line]], "sorted without its accents, as a name of today")
    let rest = try await rig.get("/v1/fanclubs?cursor=\(try #require(clubs.next))", token, as: Page<FanClub>.self)
    #expect(rest.items.map(\.name) == ["Short"])
    let feeds = SQLiteFeeds(database: try Connection(path: folder.file("publication.sqlite")))
    #expect(try feeds.feed(of: "a")?.problem == line)
    try feeds.failed("a", long + "é", quiet: nil)
    #expect(try feeds.feed(of: "a")?.problem == line)
    #expect(try await rig.get("/v1/posts/p", token, as: Post.self).body == long)
    #expect(try await rig.get("/v1/fanclubs?limit=1", token, as: Page<FanClub>.self).next.map { $0.utf8.count < 2000 } == true)
    await rig.publication.close()
  }

  @Test func namesOfClubsThatWereTakenUpAreFoundAndGoWithTheirClub() async throws {
    let folder = try TemporaryFolder()
    do {
      let database = try Connection(path: folder.file("publication.sqlite"))
      try database.migrate(Array(Schema.migrations.prefix(14)))
      let hash = try PasswordHash(of: Rig.password, cost: .none).text
      try database.script(
        """
        INSERT INTO setting VALUES ('info', '{"id":"pub","name":"N","tagline":"","defaultPaywallID":"premium"}');
        INSERT INTO reader VALUES ('r1', 'ada@example.org', 'Ada', '\(hash)');
        INSERT INTO fan_club (id, name, sort_key, about) VALUES ('a', 'Taken up', '', ''), ('b', 'Taken along', '', ''), ('c', 'Taken', '', '');
        DELETE FROM club_queue;
        INSERT INTO club_search (rowid, id, name) VALUES (7, 'a', 'Taken up'), (9, 'b', 'Taken along'), (3, 'c', 'Taken');
        UPDATE fan_club SET name = 'Taken twice' WHERE id = 'b';
        UPDATE fan_club SET added_by = 'r1' WHERE id = 'c';
        """)
    }
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    func found() async throws -> Set<String> {
      Set(try await rig.get("/v1/search?q=taken", token, as: SearchResults.self).clubs.map(\.name))
    }
    #expect(try await found() == ["\u{E000}Taken\u{E001} up", "\u{E000}Taken\u{E001} twice", "\u{E000}Taken\u{E001}"])
    #expect(await rig.send(.delete, "/v1/fanclubs/c", token: token).status == 204)
    #expect(try await found() == ["\u{E000}Taken\u{E001} up", "\u{E000}Taken\u{E001} twice"])
    await rig.publication.close()
    let database = try Connection(path: folder.file("publication.sqlite"))
    for table in ["club_search", "club_number"] {
      let count = try database.queryOne("SELECT count(*) FROM \(table)") { try $0.get(0, as: Int.self) }
      #expect(count == 2, "\(table)")
    }
  }

  @Test func eventsOfEarlierVersionsStayCounted() async throws {
    let folder = try TemporaryFolder()
    let id = UUID().uuidString
    do {
      let database = try Connection(path: folder.file("publication.sqlite"))
      try database.migrate(Array(Schema.migrations.prefix(31)))
      let hash = try PasswordHash(of: Rig.password, cost: .none).text
      try database.script(
        """
        INSERT INTO setting VALUES ('info', '{"id":"pub","name":"N","tagline":"","defaultPaywallID":"premium"}');
        INSERT INTO reader VALUES ('r1', 'ada@example.org', 'Ada', '\(hash)'), ('r2', 'bo@example.org', 'Bo', '\(hash)');
        INSERT INTO flag VALUES ('new', 50, NULL, '');
        INSERT INTO flag_event (reader, id, flag, variant, kind, code, received) VALUES
          ('r1', '\(id)', 'new', 'on', 'bought', NULL, \(Int64(Rig.start.timeIntervalSince1970))),
          ('r1', 'b', 'new', 'on', 'bought', NULL, 2), ('r1', 'c', 'new', 'on', 'failed', 'declined', 3), ('r2', 'a', 'new', 'off', 'exposed', NULL, 4);
        """)
    }
    let rig = try await Rig(folder: folder.path)
    // What was counted before is not counted again.
    let batch = FlagEventBatch(events: [FlagEventRecord(id: id, kind: "bought", buckets: ["new": "on"])])
    #expect(await rig.send(.post, "/v1/events", token: try await rig.signIn(), body: try Wire.encode(batch)).status == 204)
    let report = try await rig.publication.flagReport("new")
    #expect(report.buckets.map(\.bought) == [2, 0] && report.buckets.map(\.failed) == [["declined": 1], [:]])
    #expect(report.buckets.map(\.readers) == [1, 1] && report.buckets.map(\.sessions) == [0, 1])
    await rig.publication.close()
  }

  @Test func followersCommentsAndOrdersOfEarlierVersionsAreCounted() throws {
    let database = try Connection(path: ":memory:")
    try database.migrate(Array(Schema.migrations.prefix(34)))
    try database.script(
      """
      INSERT INTO reader VALUES ('r1', 'ada@example.org', 'Ada', ''), ('r2', 'bo@example.org', 'Bo', '');
      INSERT INTO fan_club (id, name, sort_key, about, base_followers) VALUES ('a', 'A', 'a', '', 5), ('b', 'B', 'b', '', 0);
      INSERT INTO follow VALUES ('a', 'r1'), ('a', 'r2');
      INSERT INTO post (id, fan_club, title, byline, teaser, published, premium, digest, body)
        VALUES ('p', 'a', '', '', '', 0, 0, X'00', ''), ('q', 'b', '', '', '', 0, 0, X'00', '');
      INSERT INTO comment (id, post, reader, text, posted, deleted)
        VALUES ('1', 'p', 'r1', '', 0, 0), ('2', 'p', 'r2', '', 0, 0), ('3', 'p', 'r2', '', 0, 1), ('4', 'q', 'r2', '', 0, 1);
      INSERT INTO purchase (id, reader, product, kind, entitlement, total, currency, state, created, code)
        VALUES ('x', 'r1', '', 'subscription', '', 0, 'EUR', 'open', 0, '1'), ('y', 'r2', '', 'subscription', '', 0, 'EUR', 'declined', 0, '2');
      INSERT INTO attempt (purchase, number, token, begun, ended) VALUES ('x', 1, 't', 1, NULL), ('y', 1, 't', 1, 2);
      """)
    try database.migrate(Schema.migrations)
    let (content, orders) = (SQLiteContent(database: database), SQLiteOrders(database: database))
    #expect(try ["a", "b"].map { try content.fanClub($0, for: "r1")?.followers } == [7, 0])
    let posts = try database.query("\(SQLiteContent.selectPost(body: false)) ORDER BY post.id", "r1", map: SQLiteContent.post)
    #expect(posts.map(\.comments) == [2, 0])
    #expect(try orders.undecided(of: "r1").map(\.id) == ["x"])
    #expect(try orders.undecided(of: "r2").isEmpty)
    // From now on they are counted as they come and go.
    try content.setFollow(of: "a", by: "r2", false)
    try content.setFollow(of: "b", by: "r2", true)
    #expect(try ["a", "b"].map { try content.fanClub($0, for: "r1")?.followers } == [6, 1])
    #expect(try SQLiteComments(database: database).delete("1", of: "p", by: "r1", at: 1))
    let post = try database.query("\(SQLiteContent.selectPost(body: false)) WHERE post.id = ?2", "r1", "p", map: SQLiteContent.post)
    #expect(post.map(\.comments) == [1])
  }

  @Test func postsOfEarlierVersionsAreCounted() async throws {
    let folder = try TemporaryFolder()
    do {
      let database = try Connection(path: folder.file("publication.sqlite"))
      try database.migrate(Array(Schema.migrations.prefix(18)))
      let hash = try PasswordHash(of: Rig.password, cost: .none).text
      try database.script(
        """
        INSERT INTO setting VALUES ('info', '{"id":"pub","name":"N","tagline":"","defaultPaywallID":"premium"}');
        INSERT INTO reader VALUES ('r1', 'ada@example.org', 'Ada', '\(hash)'), ('r2', 'bo@example.org', 'Bo', '\(hash)');
        INSERT INTO fan_club (id, name, sort_key, about) VALUES ('a', 'A', 'a', ''), ('b', 'B', 'b', ''), ('c', 'C', 'c', '');
        INSERT INTO post (number, id, fan_club, title, byline, teaser, published, premium, digest, body)
        SELECT value, 'p' || value, CASE WHEN value % 3 = 0 THEN 'b' ELSE 'a' END, '', '', '', value, 0, X'00', ''
          FROM json_each('[1,2,3,4,5,6,7]');
        INSERT INTO read_mark (reader, number) VALUES ('r1', 1), ('r1', 3), ('r1', 6), ('r2', 2);
        """)
    }
    let rig = try await Rig(folder: folder.path)
    func counts(_ name: String) async throws -> [[Int?]] {
      try await rig.get("/v1/fanclubs", rig.signIn(name), as: Page<FanClub>.self).items.map { [$0.posts, $0.unread] }
    }
    #expect(try await counts("ada") == [[5, 4], [2, 0], [0, 0]])
    #expect(try await counts("bo") == [[5, 4], [2, 2], [0, 0]])
    await rig.publication.close()
  }
}
