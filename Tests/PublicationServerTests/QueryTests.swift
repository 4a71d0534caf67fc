import Foundation
import PublicationAPI
import Runtime
import SQLiteStorage
import Synchronization
import Testing

@testable import PublicationServer

/// Searches and lists, page by page, against plain Swift; and that SQLite takes the short way to them, which no answer tells.
@Suite struct QueryTests {
  @Test(arguments: [0, 0.1, 0.5, 1])
  func searchesFindWhatPlainSwiftFinds(premium: Double) async throws {
    var world = try ChanceWorld(100, premium: premium, seed: UInt64(premium * 100) + 1)
    let search = SQLiteSearch(database: world.database)
    for _ in 0..<15 {
      let text = world.query()
      let words = try #require(SearchWords(text))
      for seesAll in [false, true] {
        let expected = world.find(text, seesAll: seesAll)
        for order in [SearchOrder.best, .newest] {
          func page(_ offset: Int, _ limit: Int) async throws -> [Post.ID] {
            try await search.search(
              words, after: SearchPosition(order: order, offset: offset), limit: limit, for: ChanceWorld.reader, seesAll: seesAll
            ).hits.map(\.id)
          }
          let all = try await page(0, 1000)
          if order == .newest { #expect(all == expected, "\(text)") } else { #expect(all.sorted() == expected.sorted(), "\(text)") }
          for limit in [2, 11] {
            var pages: [Post.ID] = []
            for offset in stride(from: 0, through: all.count, by: limit) { pages += try await page(offset, limit) }
            #expect(pages == all, "\(text), \(limit) at a time")
          }
        }
      }
    }
  }

  /// With 100,000 posts, words that are looked for once for each of them take ten seconds, in which the publication answers nobody.
  @Test(arguments: [SearchOrder.best, .newest])
  func wordsAreLookedForOnce(order: SearchOrder) throws {
    let plan = try plan(SQLiteSearch.statement(order), values: Array(repeating: nil, count: 5))
    let lookups = plan.filter { $0.step.contains("VIRTUAL TABLE") }
    #expect(lookups.count == 3)
    for lookup in lookups {
      let around = plan.first { $0.id == lookup.parent }?.step
      #expect(around?.hasPrefix("CORRELATED") != true, "\(plan)")
    }
    let counting = try self.plan(SQLiteSearch.count, values: Array(repeating: nil, count: 4))
    #expect(counting.filter { $0.step.contains("VIRTUAL TABLE") }.count == 3)
    if order == .newest {
      #expect(plan.first?.step == "SCAN post USING INDEX post_by_time")
      // Checked by the index alone, before the post is read.
      #expect(plan.contains { $0.step.contains("fan_club") && $0.step.hasSuffix("FOR IN-OPERATOR") }, "\(plan)")
      #expect(!plan.contains { $0.step.contains("TEMP B-TREE") }, "\(plan)")
    }
  }

  /// Everybody may ask for the keys, and an order is not forgotten when it ends.
  @Test func theKeysAreFoundWithoutAllOrders() throws {
    let steps = try plan(SQLiteKeys.firstPayment, values: [0]).map(\.step).filter { $0.contains("purchase") }
    #expect(
      steps.count == 2 && steps.allSatisfy { $0.contains("SEARCH purchase USING COVERING INDEX purchase_in_force (expires") }, "\(steps)")
  }

  private static let lists = (0..<16).map { (choice: Int) in
    PostQuery(
      fanClub: choice & 1 == 0 ? nil : "c1", isBookmarked: choice & 2 != 0, isFollowed: choice & 4 != 0, isUnread: choice & 8 != 0,
      limit: 0)
  }

  /// Lists that may be long are read in parts, of whatever size.
  @Test(arguments: [1, 2, 3], [1, 7, 10_000])
  func listsHaveWhatPlainSwiftHas(seed: UInt64, part: Int) async throws {
    let world = try ChanceWorld(100, premium: 0.3, seed: seed)
    try await compare(world, part) { world.list($0) }
    // The posts of a club that was removed may still be there.
    try world.database.script("DELETE FROM follow WHERE fan_club = 'c0'; DELETE FROM fan_club WHERE id = 'c0'")
    let left = Set(world.posts.filter { $0.fanClubID != "c0" }.map(\.id))
    #expect(left.count < world.posts.count)
    try await compare(world, part, isSweeping: true) { world.list($0).filter(left.contains) }
  }

  private func compare(
    _ world: ChanceWorld, _ part: Int, isSweeping: Bool = false, _ expect: (PostQuery) -> [Post.ID]
  ) async throws {
    let content = SQLiteContent(database: world.database, partSize: part)
    for var list in Self.lists {
      list.isSweeping = isSweeping
      let expected = expect(list)
      for limit in [1, 7, 200] {
        var (query, seen) = (list, [Post]())
        query.limit = limit
        // Shorter than it may be is the last one.
        while let page = try await content.posts(query, for: ChanceWorld.reader), let last = page.last {
          seen += page
          guard page.count == limit else { break }
          query.after = PostPosition(published: Int64(last.published.timeIntervalSince1970), id: last.id)
        }
        #expect(seen.map(\.id) == expected, "\(list)")
        // So may all be.
        let inParts = try await content.longList(list.with(limit: limit), for: ChanceWorld.reader)
        #expect(inParts?.map(\.id) == Array(expected.prefix(limit)), "\(list)")
        #expect(seen.map(\.bookmarked) == expected.map(world.bookmarked.contains))
        #expect(seen.map(\.read) == expected.map(world.read.contains))
        #expect(seen.map(\.unlocked) == expected.map(world.unlocked.contains))
      }
    }
  }

  /// No list reads all that all readers did, and none looks up more of a post than its place before it is on the page.
  @Test func listsAreFoundByIndexes() throws {
    for list in Self.lists {
      for isMany in list.isFollowed ? [false, true] : [false] {
        for after in [nil, PostPosition(published: 1, id: "p1")] {
          try isFoundByIndexes(list, isMany: isMany, after: after)
        }
      }
    }
  }

  private func isFoundByIndexes(_ list: PostQuery, isMany: Bool, after: PostPosition?) throws {
    var list = list
    list.after = after
    list.hasManyFollows = isMany
    list.isInParts = list.isUnread || isMany
    list.until = list.isInParts ? PostPosition(published: 0, id: "") : nil
    let statement = SQLiteContent.statement(list, for: ChanceWorld.reader)
    let plan = try plan(statement.sql, values: statement.values)
    let steps = plan.map(\.step)
    #expect(steps.first == "SEARCH post USING INTEGER PRIMARY KEY (rowid=?)")
    // What has no end but the page's is walked in its order.
    let walks = steps.filter { $0.hasPrefix("SCAN") && !$0.hasPrefix("SCAN (") }
    #expect(walks.allSatisfy { $0.hasPrefix("SCAN post USING COVERING INDEX") }, "\(list): \(plan)")
    if list.isInParts {
      // No further than to the end of the part.
      let ranges = steps.filter { $0.hasPrefix("SEARCH post USING COVERING INDEX") }
      #expect(ranges.count == 1 && ranges.allSatisfy { $0.contains("(published,id)>(?,?)") }, "\(list): \(plan)")
    }
    if list.isFollowed {
      #expect(steps.contains { $0.hasPrefix("SEARCH follow USING") && $0.contains("reader=?") }, "\(list): \(plan)")
    }
    if list.isByClub {
      // Of each club no post is read.
      #expect(steps.contains { $0.hasPrefix("SEARCH near USING COVERING INDEX post_of_club (fan_club=? AND published>?") }, "\(plan)")
    }
    if isMany, list.fanClub == nil {
      // Neither are all follows read, nor all clubs looked at.
      #expect(steps.contains("SEARCH follow USING COVERING INDEX follow_of_reader (reader=? AND fan_club=?)"), "\(list): \(plan)")
      #expect(steps.contains { $0.hasPrefix("SEARCH post USING COVERING INDEX post_by_time") }, "\(list): \(plan)")
    }
  }

  /// However many posts the clubs have that a reader follows, few or many of them: a list looks at those that may be on its page.
  @Test(arguments: [5, 500]) func followedPostsAreFoundAmongAny(clubs: Int) async throws {
    func looks(among posts: Int) async throws -> Int {
      let database = try Connection(path: ":memory:")
      try database.migrate(Schema.migrations)
      try database.script(
        """
        INSERT INTO reader VALUES ('ada', 'ada', '', '');
        WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(clubs - 1))
        INSERT INTO fan_club (id, name, sort_key, about) SELECT 'c' || i, '', '', '' FROM n;
        INSERT INTO follow (fan_club, reader) SELECT id, 'ada' FROM fan_club;
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(posts))
        INSERT INTO post (id, fan_club, title, byline, teaser, published, premium, digest, body)
          SELECT 'p' || i, 'c' || (i % \(clubs)), '', '', '', i, 0, x'', '' FROM n;
        """)
      let looks = Mutex(0)
      database.setLimit(
        WorkLimit(isCancelled: {
          looks.withLock { $0 += 1 }
          return false
        }))
      let found = try await SQLiteContent(database: database).posts(PostQuery(isFollowed: true, limit: 21), for: "ada")
      #expect(found?.map(\.id) == (0..<21).map { "p\(posts - $0)" })
      return looks.withLock { $0 }
    }
    #expect(try await looks(among: 60_000) <= looks(among: 15_000) + 2)
  }

  /// Whether others use a club is found by its posts: a million bookmarks of others are none of them. Nor are all clubs read for a reader's.
  @Test func whatAClubHasIsFoundByItsPosts() throws {
    for query in SQLiteContent.users + [SQLiteContent.isUsedByOthers] {
      let steps = try plan(query, values: ["ada", "c1"]).map(\.step)
      #expect(!steps.contains { $0.hasPrefix("SCAN") && !$0.hasPrefix("SCAN CONSTANT") }, "\(query): \(steps)")
    }
    let added = try plan(SQLiteFeeds.added, values: ["ada"]).map(\.step)
    #expect(added.contains { $0.hasPrefix("SEARCH fan_club USING") && $0.contains("fan_club_of_reader") }, "\(added)")
  }

  /// Beside sixty thousand clubs, and as many posts on their way out, nobody looks up the newest posts of each club.
  @Test func removedPostsArePassedWhereThereAreManyClubs() throws {
    for many in [false, true] {
      let list = PostQuery(isSweeping: true, hasManyClubs: many, limit: 20)
      let statement = SQLiteContent.statement(list, for: ChanceWorld.reader)
      let steps = try plan(statement.sql, values: statement.values).map(\.step)
      #expect(steps.contains { $0.hasPrefix("SCAN fan_club") } == !many, "\(steps)")
      #expect(steps.contains { $0.hasPrefix("SCAN post USING COVERING INDEX") } == many, "\(steps)")
    }
  }

  /// Nothing is counted for a list of clubs, of which any app asks for often: neither posts nor marks.
  @Test func clubsKnowTheirCounts() throws {
    for end in ["WHERE id = ?2", "ORDER BY sort_key, id LIMIT ?2"] {
      let steps = try plan("\(SQLiteContent.selectClub) \(end)", values: ["ada", "c1"]).map(\.step)
      #expect(!steps.contains { $0.contains(" post ") || $0.contains("read_mark") }, "\(steps)")
      #expect(steps.filter { $0.hasPrefix("SCAN") }.allSatisfy { $0 == "SCAN fan_club USING INDEX fan_club_by_name" }, "\(steps)")
      #expect(steps.contains { $0.hasPrefix("SEARCH read_count") } && steps.contains { $0.hasPrefix("SEARCH post_count") })
      // A club may have all readers as followers: none is looked at but the reader.
      #expect(steps.contains { $0.contains(" follow ") }, "\(steps)")
      #expect(!steps.contains { $0.contains(" follow ") && !$0.contains("reader=?") }, "\(steps)")
    }
  }

  /// However many payments of others nobody knows the outcome of, and however many orders the reader began and never paid.
  @Test func undecidedOrdersAreFoundAmongAll() throws {
    let undecided = try plan("SELECT id FROM purchase \(SQLiteOrders.undecided)", values: ["ada"]).map(\.step)
    #expect(undecided.contains { $0.hasPrefix("SEARCH attempt USING") && $0.contains("open_attempt_of_reader (reader=?)") }, "\(undecided)")
    #expect(undecided.contains { $0.hasPrefix("SEARCH purchase USING") && $0.contains("(id=?)") }, "\(undecided)")
    #expect(!undecided.contains { $0.hasPrefix("SCAN") }, "\(undecided)")
    let (rest, values) = SQLiteOrders.statement(OrderQuery(reader: "ada", state: .deferred))
    let waiting = try plan("SELECT * FROM purchase \(rest)", values: values).map(\.step)
    #expect(waiting == ["SEARCH purchase USING INDEX purchase_of_reader_by_state (reader=? AND state=?)"])
  }

  @Test func undecidedOrdersAreTheReadersOwn() throws {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    try database.script("INSERT INTO reader VALUES ('ada', 'ada', '', ''), ('bo', 'bo', '', '')")
    let orders = SQLiteOrders(database: database)
    for (id, reader) in [("unpaid", "ada"), ("open", "ada"), ("others", "bo"), ("declined", "ada"), ("deferred", "ada")] {
      _ = try orders.start(
        StoredOrder(
          id: id, reader: reader, product: "premium", kind: .subscription, entitlement: "premium", total: 1, currency: "EUR", created: 0))
      guard id != "unpaid" else { continue }
      let attempt = try orders.startAttempt(id, token: "token", at: 0)
      if id == "declined" { try orders.decline(attempt, reason: "", at: 1) }
      if id == "deferred" { try orders.wait(attempt) }
    }
    #expect(try orders.undecided(of: "ada").map(\.id) == ["deferred", "open"])
    #expect(try orders.undecided(of: "bo").map(\.id) == ["others"])
    #expect(try orders.undecided(of: "nobody").isEmpty)
  }

  /// Before a code is mailed, others are counted, which may be tens of thousands.
  @Test func codesAreCountedByIndexes() throws {
    let steps = try plan(SQLiteCodes.counts, values: ["ada", "192.0.2.1"]).map(\.step).filter { $0.contains("mailed_code") }
    #expect(steps.count == 5 && steps.allSatisfy { $0.contains("USING COVERING INDEX") }, "\(steps)")
    #expect(steps.contains("SCAN mailed_code USING COVERING INDEX mailed_code_sent"), "\(steps)")
    #expect(steps.count { $0.hasPrefix("SEARCH") } == 3, "\(steps)")
    let removal = try plan(SQLiteCodes.makeRoom, values: []).map(\.step)
    #expect(removal.contains("SCAN mailed_code USING COVERING INDEX mailed_code_unsent"), "\(removal)")
    #expect(!removal.contains { $0.contains("TEMP B-TREE") }, "\(removal)")
  }

  /// A request for a reader's address takes the steps of one for nobody's, and leaves as many rows: the time would tell whose it is.
  @Test func codesTakeTheSameStepsForAnyAddress() throws {
    func looks(_ code: Data) throws -> Int {
      let database = try Connection(path: ":memory:")
      try database.migrate(Schema.migrations)
      try database.script(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(MailedCode.most))
        INSERT INTO mailed_code (digest, code, email, client, requested_at, tries)
          SELECT randomblob(32), x'', 'nobody' || i, '198.51.100.' || i, 0, 0 FROM n;
        """)
      let looks = Mutex(0)
      let isStopping: @Sendable () -> Bool = {
        looks.withLock { $0 += 1 }
        return false
      }
      let added = MailedCode(digest: Data([1]), code: code, email: "ada", client: "192.0.2.1", requestedAt: 1)
      let isAdded = try database.withLimit(WorkLimit(isCancelled: isStopping)) {
        try SQLiteCodes(database: database).add(added, isOwn: false)
      }
      #expect(isAdded)
      #expect(try database.queryOne("SELECT count(*) FROM mailed_code") { try $0.get(0, as: Int.self) } == MailedCode.most)
      return looks.withLock { $0 }
    }
    #expect(try looks(Data()) == looks(Data([1])))
  }

  /// Readers add any number of feeds with the commonest words in their names.
  @Test func clubsAreComparedUpToALimit() async throws {
    func search(among count: Int) async throws -> (looks: Int, clubs: [FanClub.ID]) {
      let database = try Connection(path: ":memory:")
      try database.migrate(Schema.migrations)
      // The last one is the first by name.
      try database.script(
        """
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(count))
        INSERT INTO fan_club (id, name, sort_key, about)
          SELECT printf('c%05d', n), printf('The %05d', 90000 - n), printf('the %05d', 90000 - n), '' FROM number;
        """)
      while try SQLiteSearch(database: database).index(limit: 500) {}
      let looks = Mutex(0)
      let isStopping: @Sendable () -> Bool = {
        looks.withLock { $0 += 1 }
        return false
      }
      let search = SQLiteSearch(database: database, limit: WorkLimit(isCancelled: isStopping))
      let words = try #require(SearchWords("the"))
      let clubs = try await search.search(words, after: nil, limit: 20, for: ChanceWorld.reader, seesAll: false).clubs.map(\.id)
      return (looks.withLock { $0 }, clubs)
    }
    func last(of count: Int) -> [FanClub.ID] { (0..<SearchResults.mostClubs).map { "c0\(count - $0)" } }
    let most = SQLiteSearch.mostRanked
    #expect(try await search(among: most).clubs == last(of: most))
    let (few, many) = (try await search(among: most + 1000), try await search(among: most + 4000))
    // Of the first ones.
    #expect(few.clubs == last(of: most))
    #expect(many.clubs == few.clubs)
    #expect(many.looks <= few.looks + 2)
  }

  /// However many events a reader ever had counted, those of the last day are found by an index.
  @Test func recentEventsAreFoundAmongAll() throws {
    let steps = try plan(SQLiteFlags.recentEvents, values: ["ada", 1]).map(\.step)
    #expect(steps == ["SEARCH flag_event USING COVERING INDEX flag_event_of_reader (reader=? AND received>?)"])
  }

  /// A post may have reactions of all readers: none is looked at but the reader's own, and none at all for the page that anybody may ask for.
  @Test func postsKnowTheirReactions() throws {
    for body in [false, true] {
      let steps = try plan("\(SQLiteContent.selectPost(body: body)) WHERE post.id = ?2", values: ["ada", "p1"]).map(\.step)
      #expect(!steps.contains { $0.contains("reaction ") && !$0.contains("base_reaction") && !$0.contains("reader=?") }, "\(steps)")
      #expect(steps.contains { $0.hasPrefix("SEARCH reaction_count") }, "\(steps)")
    }
    let page = try plan("\(SQLiteContent.selectPost(body: false, counts: false)) WHERE post.id = ?2", values: ["", "p1"]).map(\.step)
    #expect(!page.contains { $0.contains("base_reaction") || $0.contains("reaction_count") || $0.contains("comment") }, "\(page)")
  }

  /// Nor are its comments counted, which may be tens of thousands.
  @Test func postsKnowHowManyCommentsTheyHave() throws {
    for body in [false, true] {
      let steps = try plan("\(SQLiteContent.selectPost(body: body)) WHERE post.id = ?2", values: ["ada", "p1"]).map(\.step)
      #expect(steps.contains { $0.hasPrefix("SEARCH comment_count USING PRIMARY KEY") }, "\(steps)")
      #expect(!steps.contains { $0.contains(" comment ") }, "\(steps)")
    }
  }

  @Test(arguments: [1, 2, 3])
  func followersAndCommentsAreCountedAsTheyComeAndGo(seed: UInt64) throws {
    let world = try ChanceWorld(20, seed: seed)
    let (content, comments) = (SQLiteContent(database: world.database), SQLiteComments(database: world.database))
    var random = SplitMix(state: seed)
    let readers = [ChanceWorld.reader, "bo"]
    var followers: [FanClub.ID: Set<Reader.ID>] = [:]
    for (number, club) in ChanceWorld.clubs.enumerated() { followers[club] = [readers[number / 2]] }
    var written: [String: (post: Post.ID, reader: Reader.ID, isDeleted: Bool)] = [:]
    func check() throws {
      for club in ChanceWorld.clubs {
        let counted = try content.fanClub(club, for: ChanceWorld.reader)?.followers
        #expect(counted == followers[club]?.count, "\(club)")
      }
      for post in world.posts {
        let counted = try world.database.query(
          "\(SQLiteContent.selectPost(body: false)) WHERE post.id = ?2", ChanceWorld.reader, post.id, map: SQLiteContent.post)
        #expect(counted.map(\.comments) == [written.values.count { $0.post == post.id && !$0.isDeleted }], "\(post.id)")
      }
    }
    for step in 0..<400 {
      let reader = readers[Int.random(in: 0..<2, using: &random)]
      let post = world.posts[Int.random(in: 0..<4, using: &random)].id
      let comment = "k\(Int.random(in: 0..<60, using: &random))"
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let club = ChanceWorld.clubs[Int.random(in: 0..<4, using: &random)]
        let isSet = Bool.random(using: &random)
        try content.setFollow(of: club, by: reader, isSet)
        if isSet { followers[club]?.insert(reader) } else { followers[club]?.remove(reader) }
      case 1:
        _ = try comments.delete(comment, of: post, by: reader, at: 1)
        // Also one that is not there yet, whose identifier is used up by that.
        let stored = written[comment] ?? (post: post, reader: reader, isDeleted: true)
        if stored.post == post, stored.reader == reader { written[comment] = (post: post, reader: reader, isDeleted: true) }
      default:
        // Also again, and one that is somebody else's or was deleted.
        _ = try comments.put(comment, on: post, by: reader, text: "words", at: 1)
        if written[comment] == nil { written[comment] = (post: post, reader: reader, isDeleted: false) }
      }
      if step % 20 == 0 { try check() }
    }
    try check()
    // What a removed reader followed and wrote is not counted.
    let accounts = SQLiteReaders(database: world.database)
    try accounts.remove("bo", password: PasswordHash(of: Rig.password, cost: .none), at: 0)
    while try accounts.removeActivity(of: "bo").hasMore {}
    for club in ChanceWorld.clubs { followers[club]?.remove("bo") }
    for (id, comment) in written where comment.reader == "bo" { written[id]?.isDeleted = true }
    try check()
    // With their posts they leave nothing behind.
    try world.database.execute("UPDATE fan_club SET added_by = ?", ChanceWorld.reader)
    for club in ChanceWorld.clubs {
      #expect(try content.removeClub(club, by: ChanceWorld.reader) == .removed)
      while try content.sweep(club) {}
    }
    for table in ["post", "comment", "comment_count", "follow"] {
      #expect(try world.database.queryOne("SELECT count(*) FROM \(table)") { try $0.get(0, as: Int.self) } == 0, "\(table)")
    }
  }

  @Test(arguments: [1, 2, 3])
  func reactionsAreCountedAsTheyComeAndGo(seed: UInt64) throws {
    let world = try ChanceWorld(20, seed: seed)
    let content = SQLiteContent(database: world.database)
    var random = SplitMix(state: seed)
    var reactions: [Post.ID: [Reader.ID: Reaction]] = [:]
    for _ in 0..<400 {
      let (post, reader) = (world.posts[Int.random(in: 0..<5, using: &random)].id, Bool.random(using: &random) ? ChanceWorld.reader : "bo")
      let kind = ([nil] + Reaction.known.map(Optional.some)).randomElement(using: &random) ?? nil
      try content.setReaction(kind, to: post, by: reader)
      reactions[post, default: [:]][reader] = kind
      let counted = try world.database.query(
        "\(SQLiteContent.selectPost(body: false)) WHERE post.id = ?2", ChanceWorld.reader, post, map: SQLiteContent.post)
      let expected = Dictionary(grouping: (reactions[post] ?? [:]).values) { $0 }.mapValues(\.count)
      #expect(counted.map(\.reactions) == [ReactionCounts(expected)])
    }
    // What nobody chooses any more leaves nothing behind.
    try world.database.execute("DELETE FROM reaction")
    #expect(try world.database.queryOne("SELECT count(*) FROM reaction_count") { try $0.get(0, as: Int.self) } == 0)
  }

  @Test(arguments: [1, 2, 3])
  func countsAreThoseOfTheirPosts(seed: UInt64) throws {
    let world = try ChanceWorld(100, seed: seed)
    let content = SQLiteContent(database: world.database)
    func check(_ posts: [Post], _ read: Set<Post.ID>) throws {
      let clubs = try content.fanClubs(after: nil, limit: 10, for: ChanceWorld.reader).map(\.club)
      for club in clubs {
        let own = posts.filter { $0.fanClubID == club.id }
        #expect((club.posts, club.unread) == (own.count, own.count { !read.contains($0.id) }), "\(club.id)")
      }
      #expect(Set(clubs.map(\.id)).isSuperset(of: posts.map(\.fanClubID)))
    }
    try check(world.posts, world.read)
    for post in world.posts.prefix(50) { try content.setMark(.read, of: post.id, by: ChanceWorld.reader, false) }
    // As often as one likes.
    for post in world.posts.prefix(20) + world.posts.prefix(20) { try content.setMark(.read, of: post.id, by: ChanceWorld.reader, true) }
    let read = world.read.subtracting(world.posts.prefix(50).map(\.id)).union(world.posts.prefix(20).map(\.id))
    try check(world.posts, read)
    for table in ["follow", "reaction", "bookmark", "unlock"] { try world.database.execute("DELETE FROM \(table)") }
    try world.database.execute("UPDATE fan_club SET added_by = ? WHERE id = 'c1'", ChanceWorld.reader)
    #expect(try content.removeClub("c1", by: ChanceWorld.reader) == .removed)
    try check(world.posts.filter { $0.fanClubID != "c1" }, read)
    while try content.sweep("c1") {}
    for table in ["post_count", "read_count"] {
      #expect(try world.database.queryOne("SELECT count(*) FROM \(table) WHERE fan_club = 'c1'") { try $0.get(0, as: Int.self) } == 0)
    }
  }

  /// A million posts are marked in parts, between which others have their answers, and it comes to the same.
  @Test(arguments: [nil, ["c1", "nobody", "c0", "c3"], []] as [[String]?], [1, 7, 1000])
  func postsAreMarkedAsReadInParts(clubs: [String]?, limit: Int) throws {
    let world = try ChanceWorld(100, seed: 5)
    let content = SQLiteContent(database: world.database)
    let until = Int64(world.posts[30].published.timeIntervalSince1970)
    func marks() throws -> Set<String> {
      Set(
        try world.database.query("SELECT post.id FROM read_mark JOIN post USING (number) WHERE reader = ?", ChanceWorld.reader) {
          try $0.get(0)
        })
    }
    let meant = world.posts.filter {
      Int64($0.published.timeIntervalSince1970) <= until && clubs?.contains($0.fanClubID) != false
    }.map(\.id)
    var (rest, parts, before): (ReadAll?, Int, Int) = (ReadAll(until: until, clubs: clubs, mark: "m"), 0, world.read.count)
    while let part = rest {
      rest = try content.markRead(part, by: ChanceWorld.reader, limit: limit)
      let now = try marks().count
      #expect(now - before <= limit)
      (before, parts) = (now, parts + 1)
    }
    #expect(try marks() == world.read.union(meant))
    #expect(parts >= meant.count / limit && parts <= world.posts.count / limit + 1)
    var (last, looks): (Int64?, Int) = (nil, 0)
    repeat {
      last = try content.unmarkRead("m", by: ChanceWorld.reader, after: last, limit: limit)
      let now = try marks().count
      #expect(before - now <= limit)
      (before, looks) = (now, looks + 1)
    } while last != nil
    #expect(try marks() == world.read)
    #expect(looks >= world.read.union(meant).count / limit)
  }

  /// FTS5 finds a row by its number alone. By anything else it reads them all, and a list of 100,000 clubs takes up its names for hours.
  @Test func aClubIsTakenUpAndRemovedAsFastAmongMany() throws {
    func looks(among count: Int) throws -> Int {
      let database = try Connection(path: ":memory:")
      try database.migrate(Schema.migrations)
      let looks = Mutex(0)
      let isStopping: @Sendable () -> Bool = {
        looks.withLock { $0 += 1 }
        return false
      }
      let (content, search) = (SQLiteContent(database: database), SQLiteSearch(database: database, isStopping: isStopping))
      let all = (1...count).map { FanClub(id: "c\($0)", name: "Club \($0)") }
      for club in all { try content.store(club, source: nil) }
      while try search.index(limit: 500) {}
      looks.withLock { $0 = 0 }
      for var club in all.suffix(200) {
        club.name += " renamed"
        try content.store(club, source: nil)
      }
      #expect(try search.index(limit: 500) == false)
      try database.withLimit(WorkLimit(isCancelled: isStopping)) {
        for club in all.suffix(200) { try database.execute("DELETE FROM fan_club WHERE id = ?", club.id) }
      }
      let left = try database.queryOne("SELECT count(*) FROM club_search") { try $0.get(0, as: Int.self) }
      #expect(left == count - 200)
      return looks.withLock { $0 }
    }
    #expect(try looks(among: 4000) <= looks(among: 400) + 5)
  }

  /// Their words are read elsewhere meanwhile, and a post may change then.
  @Test func whatChangesWhileItsWordsAreReadStaysInTheQueue() throws {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    let (content, search) = (SQLiteContent(database: database), SQLiteSearch(database: database))
    try content.store(FanClub(id: "c", name: "C"), source: nil)
    for number in 0..<3 {
      try database.execute(
        """
        INSERT INTO post (id, fan_club, title, byline, teaser, published, premium, digest, body)
        VALUES (?, 'c', 'Old', '', '', 0, 0, X'00', 'words')
        """, "p\(number)")
    }
    let words = try search.queue(limit: 50).posts.map { IndexedPost($0) }
    try database.execute("UPDATE post SET title = 'New' WHERE id = 'p0'")
    try database.execute("DELETE FROM post WHERE id = 'p1'")
    #expect(try search.index(words, clubs: 50))
    func found(_ title: String) throws -> Int {
      try database.queryOne("SELECT count(*) FROM post_search WHERE title MATCH ?", title) { try $0.get(0) } ?? 0
    }
    #expect(try found("old") == 1 && found("new") == 0)
    #expect(try search.index(limit: 50) == false)
    #expect(try found("old") == 1 && found("new") == 1)
    #expect(try database.queryOne("SELECT count(*) FROM search_queue") { try $0.get(0, as: Int.self) } == 0)
  }

  /// Others wait for no more than fifty posts or a hundred kilobytes, whether somebody searches or not.
  @Test(arguments: [(10, 50), (20_000, 6), (600_000, 1)])
  func wordsAreTakenUpInParts(size: Int, most: Int) throws {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    let (content, search) = (SQLiteContent(database: database), SQLiteSearch(database: database))
    try content.store(FanClub(id: "c", name: "C"), source: nil)
    let body = String(repeating: "words ", count: size / 6)
    for number in 0..<120 {
      try database.execute(
        """
        INSERT INTO post (id, fan_club, title, byline, teaser, published, premium, digest, body) VALUES (?, 'c', '', '', '', 0, 0, X'00', ?)
        """, "p\(number)", number < 60 ? body : "")
    }
    func waiting() throws -> Int { try database.queryOne("SELECT count(*) FROM search_queue") { try $0.get(0) } ?? 0 }
    var parts = 0
    var before = try waiting()
    while try search.index(limit: 50) {
      #expect(try before - waiting() <= (before >= 60 + most ? most : 50))
      before = try waiting()
      parts += 1
    }
    #expect(try waiting() == 0)
    #expect(parts >= 60 / most)
  }

  /// What SQLite is going to do, step by step, and inside which step.
  private func plan(_ sql: String, values: [(any SQLValue)?]) throws -> [(id: Int, parent: Int, step: String)] {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    try database.addTextRank()
    return try database.query("EXPLAIN QUERY PLAN \(sql)", values: values) { (try $0.get(0), try $0.get(1), try $0.get(3)) }
  }
}

extension PostQuery {
  fileprivate func with(limit: Int) -> PostQuery {
    var query = self
    query.limit = limit
    return query
  }
}
