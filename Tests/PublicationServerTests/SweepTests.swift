import Foundation
import HTTPTransport
import PublicationAPI
import SQLiteStorage
import Testing

@testable import PublicationServer

/// Removing a club with many posts: it is hidden at once, and goes a part at a time.
@Suite struct SweepTests {
  /// Items that are older than those of the club that stays come before them in each list.
  private static func document(_ count: Int, _ words: String = "gone") -> Data {
    let items = (0..<count).map { "<item><guid>\($0)</guid><title>Item \($0) \(words)</title></item>" }.joined()
    return Data("<rss version='2.0'><channel><title>Many</title>\(items)</channel></rss>".utf8)
  }

  private func remove(_ club: FanClub.ID, _ readers: FeedReadersRig) async -> Response {
    await readers.rig.send(.delete, "/v1/fanclubs/\(club)", token: readers.ada)
  }

  @Test func aPartIsSmall() async throws {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    let content = SQLiteContent(database: database)
    func posts() throws -> Int { try database.queryOne("SELECT count(*) FROM post") { try $0.get(0, as: Int.self) } ?? 0 }
    func add(_ count: Int, characters: Int) throws {
      try database.execute("INSERT OR IGNORE INTO fan_club (id, name, sort_key, about, added_by) VALUES ('c', 'c', 'c', '', 'a')")
      for _ in 0..<count {
        try database.execute(
          """
          INSERT INTO post (id, fan_club, title, byline, teaser, published, premium, digest, body)
          VALUES (hex(randomblob(8)), 'c', '', '', '', 0, 0, X'', ?)
          """, String(repeating: "x", count: characters))
      }
    }
    try database.script("INSERT INTO reader VALUES ('a', 'a', 'a', '')")
    try add(120, characters: 1)
    #expect(try content.sweep("c") == false, "it is there")
    #expect(try content.removedClubs().isEmpty)
    #expect(try !content.hasRemovedPosts(moreThan: 0))
    #expect(try content.removeClub("c", by: "a") == .removed)
    #expect(try content.removedClubs() == ["c"])
    #expect(try content.hasRemovedPosts(moreThan: 119))
    for left in [95, 70, 45, 20, 0] {
      #expect(try content.sweep("c") == (left > 0))
      #expect(try posts() == left)
      #expect(try !content.hasRemovedPosts(moreThan: left))
      #expect(try content.hasRemovedPosts(moreThan: left - 1))
    }
    #expect(try content.removedClubs().isEmpty)
    try add(3, characters: 200_000)
    _ = try content.removeClub("c", by: "a")
    #expect(try content.sweep("c"))
    #expect(try posts() == 2)
    // The marks of each reader who has read something are looked for.
    try database.script(
      """
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 5000)
      INSERT INTO reader SELECT 'r' || n, 'r' || n, '', '' FROM number
      """)
    try add(10, characters: 1)
    try database.execute("INSERT INTO read_count (reader, fan_club, posts) SELECT id, 'c', 1 FROM reader")
    _ = try content.removeClub("c", by: "a")
    #expect(try content.sweep("c"))
    #expect(try posts() == 11)
  }

  /// What readers do to posts that are going counts, and is gone with them: nobody has read more posts than there are, or fewer than none.
  @Test func countsOutliveTheirClubUntilItsPostsAreGone() throws {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    let content = SQLiteContent(database: database)
    try database.script(
      """
      INSERT INTO reader VALUES ('a', 'a', 'a', '');
      INSERT INTO fan_club (id, name, sort_key, about, added_by) VALUES ('c', 'c', 'c', '', 'a');
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 60)
      INSERT INTO post (id, fan_club, title, byline, teaser, published, premium, digest, body)
        SELECT n, 'c', '', '', '', n, 0, X'', '' FROM number;
      INSERT INTO read_mark (reader, number) SELECT 'a', number FROM post WHERE number <= 50;
      """)
    func counts() throws -> [Int] {
      try ["post_count", "read_count", "read_mark"].map { table in
        let sum = table == "read_mark" ? "count(*)" : "coalesce(sum(posts), 0)"
        return try database.queryOne("SELECT \(sum) FROM \(table)") { try $0.get(0, as: Int.self) } ?? -1
      }
    }
    #expect(try counts() == [60, 50, 50])
    #expect(try content.removeClub("c", by: "a") == .removed)
    #expect(try counts() == [60, 50, 50])
    #expect(try content.sweep("c"))
    #expect(try counts() == [35, 35, 35])
    try content.setMark(.read, of: "7", by: "a", false)
    #expect(try counts() == [35, 34, 34])
    while try content.sweep("c") {}
    for table in ["post", "post_count", "read_count", "read_mark"] {
      #expect(try database.queryOne("SELECT count(*) FROM \(table)") { try $0.get(0, as: Int.self) } == 0, "\(table)")
    }
  }

  /// Marks begin with their reader, and SQLite must not go through all of them for each post.
  @Test func marksAreFoundByAnIndex() throws {
    let database = try Connection(path: ":memory:")
    // Up to version 26 there were no indexes by post.
    try database.migrate(Schema.migrations.filter { $0.version <= 26 })
    for (table, column) in [("bookmark", "post"), ("unlock", "post"), ("read_mark", "number")] {
      let plan = try database.query("EXPLAIN QUERY PLAN \(SQLiteContent.ofReaders(table, column))", "p") { try $0.get(3, as: String.self) }
      #expect(plan.contains { $0.contains("SEARCH \(table) USING PRIMARY KEY (reader=? AND \(column)=?)") }, "\(plan)")
    }
    try database.migrate(Schema.migrations)
    // With counts only those who have read something of the club are gone through.
    let plan = try database.query("EXPLAIN QUERY PLAN \(SQLiteContent.readMarks)", 1, "c") { try $0.get(3, as: String.self) }
    #expect(plan.contains { $0.contains("SEARCH read_mark USING PRIMARY KEY (reader=? AND number=?)") }, "\(plan)")
    #expect(plan.contains { $0.contains("SEARCH read_count USING INDEX read_count_of_club (fan_club=?)") }, "\(plan)")
  }

  /// They go with their posts, and nobody looks through all that there are.
  @Test func deletedCommentsGoWithTheirPosts() throws {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    let content = SQLiteContent(database: database)
    try database.script("INSERT INTO reader VALUES ('a', 'a', 'a', '')")
    for (club, count) in [("c", 30), ("stays", 1)] {
      try database.execute("INSERT INTO fan_club (id, name, sort_key, about, added_by) VALUES (?1, ?1, ?1, '', 'a')", club)
      for number in 0..<count {
        let post = "\(club)\(number)"
        try database.execute(
          """
          INSERT INTO post (id, fan_club, title, byline, teaser, published, premium, digest, body)
          VALUES (?, ?, '', '', '', 0, 0, X'', '')
          """, post, club)
        try database.execute("INSERT INTO comment (id, post, reader, text, posted, deleted) VALUES (?1, ?1, 'a', '', 0, 1)", post)
      }
    }
    func comments() throws -> Int { try database.queryOne("SELECT count(*) FROM comment") { try $0.get(0, as: Int.self) } ?? 0 }
    #expect(try content.removeClub("c", by: "a") == .removed)
    #expect(try content.sweep("c"))
    #expect(try comments() == 6)
    #expect(try !content.sweep("c"))
    #expect(try comments() == 1)
    #expect(try database.query("PRAGMA foreign_key_check", map: { _ in true }).isEmpty)
  }

  /// While its posts go: pages are as full as without them.
  @Test func whatIsGoingIsNowhere() async throws {
    let readers = try await FeedReadersRig()
    let stays = try #require(try await readers.end(await readers.post(Self.document(30, "stays"), name: "stays.xml")).clubs.first)
    let club = try #require(try await readers.end(await readers.post(Self.document(400))).clubs.first)
    #expect(try await readers.rig.get("/v1/search?q=item", readers.bo, as: Page<SearchHit>.self).items.count == 20)
    let post = try #require(try await readers.rig.get("/v1/posts?fanclub=\(club)", readers.bo, as: Page<Post>.self).items.first)
    for (club, count) in [(stays, 25), (club, 5)] {
      for post in try await readers.rig.get("/v1/posts?limit=\(count)&fanclub=\(club)", readers.ada, as: Page<Post>.self).items {
        #expect(await readers.rig.send(.put, "/v1/posts/\(post.id)/bookmark", token: readers.ada).status == 200)
      }
    }
    let reader = try await readers.rig.get("/v1/session", readers.ada, as: Reader.self).id
    try await readers.rig.publication.hide(club, of: reader)
    #expect(try await readers.clubs().map(\.id) == [stays])
    for list in ["", "?unread=true", "?followed=true", "?bookmarked=true"] {
      let page = try await readers.rig.get("/v1/posts\(list)", readers.ada, as: Page<Post>.self)
      #expect(page.items.count == 20)
      #expect(page.items.allSatisfy { $0.fanClubID == stays })
      #expect(page.next != nil)
    }
    let found = try await readers.rig.get("/v1/search?q=item", readers.bo, as: Page<SearchHit>.self)
    #expect(found.items.count == 20)
    #expect(found.next != nil)
    #expect(await readers.rig.send(.get, "/v1/posts/\(post.id)", token: readers.bo).status == 404)
    // What is marked meanwhile goes with the rest.
    _ = await readers.rig.send(.put, "/v1/posts/\(post.id)/read", token: readers.bo)
    _ = await readers.rig.send(.put, "/v1/posts/\(post.id)/bookmark", token: readers.bo)
    _ = await readers.rig.send(.delete, "/v1/posts/\(post.id)/comments/\(UUID())", token: readers.bo)
    // Added again it is there as if for the first time.
    #expect(try await readers.end(await readers.post(Self.document(10))).clubs == [club])
    let again = try await readers.rig.get("/v1/posts?fanclub=\(club)", readers.bo, as: Page<Post>.self).items
    #expect(again.count == 10)
    #expect(again.allSatisfy { !$0.read && !$0.bookmarked })
    #expect(try await readers.rig.publication.danglingRows == 0)
  }

  @Test func othersHaveTheirTurn() async throws {
    let readers = try await FeedReadersRig()
    let club = try #require(try await readers.end(await readers.post(Self.document(2000))).clubs.first)
    #expect(await remove(club, readers).status == 204)
    var counts: Set<Int> = []
    while await readers.rig.publication.sweeping != nil {
      #expect(await readers.rig.send(.get, "/v1/session", token: readers.bo).status == 200)
      counts.insert(try await readers.rig.publication.postCount)
    }
    #expect(counts.contains { $0 > 0 && $0 < 2000 }, "\(counts)")
    #expect(try await readers.rig.publication.postCount == 0)
  }

  /// Lists pass removed posts, so sweeping comes before an import that would bring more. The first two hundred posts of a feed never wait.
  @Test func anImportOfManyPostsWaitsWhileManyRemovedOnesAreLeft() async throws {
    let readers = try await FeedReadersRig()
    let publication = readers.rig.publication
    let club = try #require(try await readers.end(await readers.post(Self.document(400))).clubs.first)
    try await publication.hide(club, of: try await readers.rig.get("/v1/session", readers.ada, as: Reader.self).id)
    await publication.limit(removed: 100)
    // Nothing else sweeps them.
    #expect(await publication.sweeping == nil)
    #expect(try await readers.end(await readers.post(Self.document(200, "small"), name: "small.xml")).state == .done)
    #expect(try await publication.count("post", "fan_club = '\(club)'") == 400)
    try await publication.refusePost("Item 200 large", when: "(SELECT count(*) FROM post WHERE fan_club = '\(club)') > 100")
    let large = try await readers.end(await readers.post(Self.document(201, "large"), name: "large.xml"))
    #expect(large.state == .done, "\(large.problem ?? "")")
    // No more than necessary.
    #expect(try await publication.count("post", "fan_club = '\(club)'") == 100)
    #expect(try await publication.postCount == 501)
  }

  /// What a feed brings that is fetched again waits as an import does.
  @Test func soDoesARefresh() async throws {
    let readers = try await FeedReadersRig()
    let publication = readers.rig.publication
    readers.web.answer(FeedReadersRig.url, Response(200, body: Self.document(1, "fetched")))
    let fetched = try #require(try await readers.end(try await readers.begin(FeedReadersRig.url)).clubs.first)
    let club = try #require(try await readers.end(await readers.post(Self.document(400))).clubs.first)
    try await publication.hide(club, of: try await readers.rig.get("/v1/session", readers.ada, as: Reader.self).id)
    await publication.limit(removed: 100)
    readers.web.answer(FeedReadersRig.url, Response(200, body: Self.document(300, "fetched")))
    #expect(try await readers.end(await readers.refresh(fetched)).state == .done)
    #expect(try await publication.count("post", "fan_club = '\(club)'") == 100)
    #expect(try await publication.count("post", "fan_club = '\(fetched)'") == 300)
  }

  /// Or readers who remove what they add could leave any number of posts to pass.
  @Test func noClubIsRemovedWhileManyRemovedPostsAreLeft() async throws {
    let readers = try await FeedReadersRig()
    let publication = readers.rig.publication
    let first = try #require(try await readers.end(await readers.post(Self.document(60))).clubs.first)
    let second = try #require(try await readers.end(await readers.post(Self.document(10), name: "second.xml")).clubs.first)
    try await publication.hide(first, of: try await readers.rig.get("/v1/session", readers.ada, as: Reader.self).id)
    await publication.limit(removed: 59)
    // Who did not get the answer asks again.
    #expect(await remove(first, readers).status == 404)
    let refused = await remove(second, readers)
    #expect(refused.status == 503)
    #expect(refused.headers["Retry-After"] == "10")
    #expect(try refused.problem.code == .busy)
    #expect(try await readers.clubs().map(\.id) == [second])
    // That had the sweeping begin again, which a full disk may have ended.
    await publication.sweeping?.value
    #expect(try await publication.postCount == 10)
    #expect(await remove(second, readers).status == 204)
    await publication.sweeping?.value
    #expect(try await publication.postCount == 0)
  }

  /// Or what was added just now would be found only after all of them.
  @Test func removedPostsLeaveTheQueueOfTheIndexAtOnce() async throws {
    let readers = try await FeedReadersRig()
    let publication = readers.rig.publication
    let club = try #require(try await readers.end(await readers.post(Self.document(400))).clubs.first)
    await publication.indexing?.value
    try await publication.hide(club, of: try await readers.rig.get("/v1/session", readers.ada, as: Reader.self).id)
    try await publication.queueAll()
    #expect(try await publication.count("search_queue") == 400)
    #expect(try await publication.indexPart() == false)
    #expect(try await publication.count("search_queue") == 0)
  }

  @Test func onlyTheFrontOfTheQueueIsLookedAtForThem() throws {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    let (content, search) = (SQLiteContent(database: database), SQLiteSearch(database: database))
    try database.script(
      """
      INSERT INTO reader VALUES ('a', 'a', 'a', '');
      INSERT INTO fan_club (id, name, sort_key, about, added_by) VALUES ('c', 'c', 'c', '', 'a'), ('stays', 's', 's', '', 'a');
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 7)
      INSERT INTO post (number, id, fan_club, title, byline, teaser, published, premium, digest, body)
        SELECT i, i, iif(i % 2, 'c', 'stays'), '', '', '', 0, 0, X'', '' FROM n;
      """)
    func queue() throws -> [Int] { try database.query("SELECT post FROM search_queue ORDER BY post") { try $0.get(0, as: Int.self) } }
    try search.dropRemoved(limit: 7)
    #expect(try queue() == [1, 2, 3, 4, 5, 6, 7], "all are there")
    #expect(try search.hasQueue(longerThan: 6))
    #expect(try !search.hasQueue(longerThan: 7))
    #expect(try content.removeClub("c", by: "a") == .removed)
    try search.dropRemoved(limit: 3)
    #expect(try queue() == [2, 4, 5, 6, 7])
    try search.dropRemoved(limit: 7)
    #expect(try queue() == [2, 4, 6])
    // By the numbers of posts, and not through all of them.
    let plan = try database.query("EXPLAIN QUERY PLAN \(SQLiteSearch.dropRemoved)", 1) { try $0.get(3, as: String.self) }
    #expect(plan.contains { $0.contains("SEARCH post USING INTEGER PRIMARY KEY (rowid=?)") }, "\(plan)")
  }

  /// What others add meanwhile is found after a few thousand posts, and not after all that one reader imports.
  @Test func anImportOfManyPostsWaitsForTheIndex() async throws {
    let readers = try await FeedReadersRig()
    let publication = readers.rig.publication
    await publication.indexing?.value
    await publication.limit(queued: 0)
    // A part has two hundred.
    try await publication.refusePost(when: "(SELECT count(*) FROM search_queue) >= 200")
    let ended = try await readers.end(await readers.post(Self.document(450)))
    #expect(ended.state == .done, "\(ended.problem ?? "")")
    #expect(try await publication.postCount == 450)
  }

  /// As after a crash: at the next start, also where that upgrades the database.
  @Test(arguments: [true, false]) func theNextStartGoesOn(upgrades: Bool) async throws {
    let folder = try TemporaryFolder()
    let first = try await Rig(folder: folder.path, posts: [])
    await first.publication.close()
    let database = folder.file(Publication.databaseName)
    do {
      let connection = try Connection(path: database)
      try connection.script(
        """
        PRAGMA foreign_keys = OFF;
        INSERT INTO post (id, fan_club, title, byline, teaser, published, premium, digest, body)
          VALUES ('p', 'gone', '', '', '', 0, 0, X'', '');
        """)
      if upgrades {
        // Up to version 19 comments that were deleted went with the last post.
        try connection.script(
          "INSERT INTO comment (id, post, reader, text, posted, deleted) SELECT 'c', 'went before', min(id), '', 0, 1 FROM reader")
        // As version 18 left it.
        let triggers = [
          "post_counted", "post_discounted", "post_recounted", "read_counted", "read_discounted", "reaction_counted",
          "reaction_discounted", "reaction_recounted", "follower_counted", "follower_discounted", "comment_counted",
          "comment_discounted", "comment_recounted",
        ]
        try connection.script(triggers.map { "DROP TRIGGER \($0);" }.joined())
        try connection.script(
          """
          DROP TABLE post_count; DROP TABLE read_count; DROP TABLE reaction_count; DROP TABLE comment_count;
          ALTER TABLE fan_club DROP COLUMN followers;
          DROP INDEX open_attempt_of_reader; DROP INDEX purchase_of_reader_by_state; ALTER TABLE attempt DROP COLUMN reader;
          DROP INDEX bookmark_of_post; DROP INDEX unlock_of_post; DROP INDEX fan_club_of_reader; DROP INDEX purchase_in_force;
          ALTER TABLE purchase DROP COLUMN extends_access;
          DROP TRIGGER post_locked; DROP TRIGGER post_removed; DROP TABLE premium_search;
          CREATE TRIGGER post_removed AFTER DELETE ON post BEGIN
            DELETE FROM search_queue WHERE post = old.number;
            DELETE FROM post_search WHERE rowid = old.number;
          END;
          DROP TABLE flag_count; DROP TABLE flag_reader; DROP TABLE flag_event;
          CREATE TABLE flag_event (
            reader TEXT NOT NULL, id TEXT NOT NULL, flag TEXT NOT NULL, variant TEXT NOT NULL, kind TEXT NOT NULL, code TEXT,
            received INTEGER NOT NULL, PRIMARY KEY (reader, id, flag)
          ) WITHOUT ROWID;
          CREATE INDEX flag_event_by_bucket ON flag_event (flag, variant, kind, code);
          DROP TABLE analytics_batch; DROP TABLE analytics_count; DROP TABLE mailed_code; DROP TABLE identity;
          DROP TABLE access_token; DROP TABLE successor; DROP TABLE session;
          CREATE TABLE session (token_digest BLOB PRIMARY KEY, reader TEXT NOT NULL, begun INTEGER NOT NULL, used INTEGER NOT NULL);
          PRAGMA user_version = 18;
          """)
      }
      let content = SQLiteContent(database: connection)
      try content.sweepBeforeUpgrade(to: upgrades ? 19 : 18)
      #expect(try content.removedClubs() == (upgrades ? [] : ["gone"]))
    }
    let second = try await Rig(folder: folder.path, posts: [])
    await second.publication.sweeping?.value
    #expect(try await second.publication.postCount == 0)
    await second.publication.close()
  }
}

extension Publication {
  /// Hides a club as its removal does, without removing its posts yet.
  fileprivate func hide(_ club: FanClub.ID, of reader: Reader.ID) async throws {
    #expect(try await content.removeClub(club, by: reader) == .removed)
    removedClubs = [club]
  }

  fileprivate func limit(removed count: Int) { mostRemoved = count }
  fileprivate func limit(queued count: Int) { mostQueued = count }

  /// Has posts refused, of one title or of all, under a condition.
  fileprivate func refusePost(_ title: String? = nil, when condition: String) throws {
    let isTheOne = title.map { "new.title = '\($0)' AND" } ?? ""
    try database.script(
      "CREATE TRIGGER refused BEFORE INSERT ON post WHEN \(isTheOne) \(condition) BEGIN SELECT RAISE(ABORT, 'too early'); END")
  }

  /// Has the words of all posts indexed again.
  fileprivate func queueAll() throws { try database.execute("INSERT OR IGNORE INTO search_queue (post) SELECT number FROM post") }

  fileprivate func count(_ table: String, _ condition: String = "1") throws -> Int {
    try database.queryOne("SELECT count(*) FROM \(table) WHERE \(condition)") { try $0.get(0, as: Int.self) } ?? 0
  }

  private var database: Connection { get throws { try #require(content as? SQLiteContent).database } }

  fileprivate var postCount: Int {
    get throws { try database.queryOne("SELECT count(*) FROM post") { try $0.get(0, as: Int.self) } ?? 0 }
  }

  /// How many rows refer to what is not there.
  fileprivate var danglingRows: Int {
    get throws { try database.query("PRAGMA foreign_key_check", map: { _ in true }).count }
  }
}
