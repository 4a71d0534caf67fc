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

  /// Lists of unread posts are read in parts, of whatever size.
  @Test(arguments: [1, 2, 3], [1, 7, 10_000])
  func listsHaveWhatPlainSwiftHas(seed: UInt64, part: Int) async throws {
    let world = try ChanceWorld(100, premium: 0.3, seed: seed)
    let content = SQLiteContent(database: world.database, partSize: part)
    for list in Self.lists {
      let expected = world.list(list)
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
        // So are those of many bookmarks.
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
    for var list in Self.lists {
      for after in [nil, PostPosition(published: 1, id: "p1")] {
        list.after = after
        list.isInParts = list.isUnread
        list.until = list.isUnread ? PostPosition(published: 0, id: "") : nil
        let statement = SQLiteContent.statement(list, for: ChanceWorld.reader)
        let plan = try plan(statement.sql, values: statement.values)
        #expect(plan.first?.step == "SEARCH post USING INTEGER PRIMARY KEY (rowid=?)")
        // What has no end but the page's is walked in its order; clubs with posts are counted.
        let walks = plan.map(\.step).filter { $0.hasPrefix("SCAN") && !$0.hasPrefix("SCAN (") }
        #expect(walks.allSatisfy { $0.hasPrefix("SCAN post USING COVERING INDEX") || $0 == "SCAN post_count" }, "\(list): \(plan)")
        if list.isUnread {
          // No further than to the end of the part.
          let ranges = plan.map(\.step).filter { $0.hasPrefix("SEARCH post USING COVERING INDEX") }
          #expect(ranges.count == 1 && ranges.allSatisfy { $0.contains("(published,id)>(?,?)") }, "\(list): \(plan)")
        }
        if list.isFollowed {
          #expect(plan.contains { $0.step.hasPrefix("SEARCH follow USING") && $0.step.contains("reader=?") }, "\(list): \(plan)")
        }
      }
    }
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
    }
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
