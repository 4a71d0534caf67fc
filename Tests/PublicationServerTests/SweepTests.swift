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
    #expect(try content.removeClub("c", by: "a") == .removed)
    #expect(try content.removedClubs() == ["c"])
    for left in [95, 70, 45, 20, 0] {
      #expect(try content.sweep("c") == (left > 0))
      #expect(try posts() == left)
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
          "reaction_discounted", "reaction_recounted",
        ]
        try connection.script(triggers.map { "DROP TRIGGER \($0);" }.joined())
        try connection.script(
          """
          DROP TABLE post_count; DROP TABLE read_count; DROP TABLE reaction_count;
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

  private var database: Connection { get throws { try #require(content as? SQLiteContent).database } }

  fileprivate var postCount: Int {
    get throws { try database.queryOne("SELECT count(*) FROM post") { try $0.get(0, as: Int.self) } ?? 0 }
  }

  /// How many rows refer to what is not there.
  fileprivate var danglingRows: Int {
    get throws { try database.query("PRAGMA foreign_key_check", map: { _ in true }).count }
  }
}
