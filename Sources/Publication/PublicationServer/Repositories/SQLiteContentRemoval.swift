import Foundation
import PublicationAPI
import SQLiteStorage

/// Removing clubs. A club is removed with its row. Its posts are hidden without it, and are removed in parts.
extension SQLiteContent {
  func removeClub(_ id: FanClub.ID, by reader: Reader.ID) throws -> RemovalOutcome {
    try withoutForeignKeys { try database.transaction { try remove(id, by: reader) } }
  }

  nonisolated(nonsending) func isUsedByOthers(_ club: FanClub.ID, than reader: Reader.ID) async throws -> Bool {
    // A club may have a hundred thousand posts.
    try await readingList(for: reader) { content in
      try content.database.queryOne(
        "SELECT (\(Self.isUsedByOthers)) FROM fan_club WHERE id = ?2 AND added_by = ?1", reader, club
      ) { try $0.get(0, as: Bool.self) } ?? false
    }
  }

  func takeBack(_ clubs: [FanClub.ID], follows: [FanClub.ID], of reader: Reader.ID?) throws -> [FanClub.ID] {
    try withoutForeignKeys {
      // The cancel of an import, and the closing of the publication, wait for this: nothing half-done stays.
      try database.withLimit(WorkLimit()) {
        try database.transaction {
          // What a reader added who was removed meanwhile has no owner by now.
          let reader = try reader.flatMap { try SQLiteReaders(database: database).reader($0)?.id }
          let removed = try clubs.filter { try remove($0, by: reader) == .removed && hasPosts($0) }
          if let reader { for club in follows { try setFollow(of: club, by: reader, false) } }
          return removed
        }
      }
    }
  }

  /// Gives each club that a reader added to another reader, to whose limits it counts and who may remove it. Without an owner its feed would
  /// be fetched for ever. A club that no other reader uses is removed.
  /// - Parameter limit: of how many clubs, since to find each an owner takes a while.
  /// - Returns: how many there were, and the removed ones that have posts.
  func passOnClubs(of reader: Reader.ID, limit: Int) throws -> (taken: Int, removed: [FanClub.ID]) {
    try withoutForeignKeys {
      try database.transaction {
        let clubs = try database.query("SELECT id FROM fan_club WHERE added_by = ? LIMIT ?", reader, limit) {
          try $0.get(0, as: FanClub.ID.self)
        }
        let removed = try clubs.filter { club in
          guard let heir = try heir(to: club, of: reader) else { return try remove(club, by: reader) == .removed && hasPosts(club) }
          try database.execute("UPDATE fan_club SET added_by = ? WHERE id = ?", heir, club)
          return false
        }
        return (clubs.count, removed)
      }
    }
  }

  /// The follower who has read most of the club's posts, since no follow has a date. Without a follower, a reader with a mark on a post.
  private func heir(to club: FanClub.ID, of reader: Reader.ID) throws -> Reader.ID? {
    for query in Self.users {
      if let heir = try database.queryOne(query, reader, club, map: { try $0.get(0, as: Reader.ID.self) }) { return heir }
    }
    return nil
  }

  func removedClubs() throws -> [FanClub.ID] {
    // From one club to the next by the index, and not through all posts.
    try database.query(
      """
      WITH RECURSIVE club (id) AS (
        SELECT min(fan_club) FROM post
        UNION ALL SELECT (SELECT min(fan_club) FROM post WHERE fan_club > club.id) FROM club WHERE club.id IS NOT NULL)
      SELECT id FROM club WHERE id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM fan_club WHERE fan_club.id = club.id)
      """
    ) { try $0.get(0) }
  }

  func hasRemovedPosts(moreThan count: Int) throws -> Bool {
    try database.queryOne(Self.hasRemovedPosts, count) { try $0.get(0, as: Bool.self) } ?? false
  }

  /// By the counts of clubs, which those of removed clubs outlive until the last post is gone.
  private static let hasRemovedPosts = """
    SELECT coalesce(sum(posts), 0) > ? FROM post_count
    WHERE NOT EXISTS (SELECT 1 FROM fan_club WHERE fan_club.id = post_count.fan_club)
    """

  /// The first version of the schema in which a post's club may be missing.
  private static let firstVersion = 18
  /// The first in which a removed club's counts stay until its posts are gone, and in which marks are found by their post.
  private static let firstVersionWithCounts = 27

  /// Removes what is left of removed clubs at once, where the database is about to be upgraded: an upgrade checks all foreign keys.
  func sweepBeforeUpgrade(to latest: Int = Schema.migrations.map(\.version).max() ?? 0) throws {
    let version = try database.schemaVersion()
    guard version >= Self.firstVersion, version < latest else { return }
    let clubs = try removedClubs()
    guard !clubs.isEmpty else { return }
    try database.script("CREATE INDEX IF NOT EXISTS \(Schema.deletedComments)")
    for club in clubs {
      while try sweep(club, counts: version >= Self.firstVersionWithCounts) { try Task.checkCancellation() }
    }
    // Until version 19 those that were deleted went with the last post of their club.
    try database.execute("DELETE FROM comment WHERE deleted AND post NOT IN (SELECT id FROM post)")
  }

  /// How many posts, of how many characters, are removed at a time. The more readers have read them, whose marks have to be found, the fewer.
  private static let mostOfPart = (posts: 25, characters: 100_000, readers: 10_000)

  func sweep(_ club: FanClub.ID) throws -> Bool { try sweep(club, counts: true) }

  /// - Parameter counts: whether the counts of the club are there, and the indexes of marks by their post.
  private func sweep(_ club: FanClub.ID, counts: Bool) throws -> Bool {
    guard try !isThere(club) else { return false }
    return try withoutForeignKeys {
      try database.transaction {
        let count =
          counts ? "SELECT count(*) FROM read_count WHERE fan_club = ? AND posts > 0" : "SELECT count(*) FROM reader WHERE ? <> ''"
        let readers = try database.queryOne(count, club, map: { try $0.get(0, as: Int.self) }) ?? 0
        let most = min(Self.mostOfPart.posts, max(1, Self.mostOfPart.readers / max(1, readers)))
        var (taken, characters) = (0, 0)
        while taken < most, characters < Self.mostOfPart.characters, let count = try sweepPost(of: club, counts: counts) {
          taken += 1
          characters += count
        }
        let hasMore = try hasPosts(club)
        if counts, !hasMore { try removeCounts(of: club) }
        return hasMore
      }
    }
  }

  private func removeCounts(of club: FanClub.ID) throws {
    for table in ["post_count", "read_count"] { try database.execute("DELETE FROM \(table) WHERE fan_club = ?", club) }
  }

  /// Removes a post with all that belongs to it.
  /// - Returns: how many characters it had; `nil` when the club has none.
  private func sweepPost(of club: FanClub.ID, counts: Bool) throws -> Int? {
    // The newest first: lists of what is unread come past them.
    let newest = "SELECT id, number, length(body) FROM post WHERE fan_club = ? ORDER BY published DESC, id DESC LIMIT 1"
    let post = try database.queryOne(newest, club) { row in
      (id: try row.get(0, as: String.self), number: try row.get(1, as: Int64.self), characters: try row.get(2, as: Int.self))
    }
    guard let post else { return nil }
    for table in ["reaction", "base_reaction"] { try database.execute("DELETE FROM \(table) WHERE post = ?", post.id) }
    // Each by an index of its own.
    for kind in ["NOT deleted", "deleted"] { try database.execute("DELETE FROM comment WHERE post = ? AND \(kind)", post.id) }
    if counts {
      for table in ["bookmark", "unlock"] { try database.execute("DELETE FROM \(table) WHERE post = ?", post.id) }
      try database.execute(Self.readMarks, post.number, club)
    } else {
      // By their indexes, which start with the reader.
      for table in ["bookmark", "unlock"] { try database.execute(Self.ofReaders(table, "post"), post.id) }
      try database.execute(Self.ofReaders("read_mark", "number"), post.number)
    }
    // The words go by a trigger.
    try database.execute("DELETE FROM post WHERE number = ?", post.number)
    return post.characters
  }

  /// The read marks of the post ?1, by an index that starts with the reader: those who have read something of its club ?2.
  static let readMarks =
    "DELETE FROM read_mark WHERE reader IN (SELECT reader FROM read_count WHERE fan_club = ?2 AND posts > 0) AND number = ?1"

  static func ofReaders(_ table: String, _ column: String) -> String {
    "DELETE FROM \(table) WHERE reader IN (SELECT id FROM reader) AND \(column) = ?"
  }

  private func hasPosts(_ club: FanClub.ID) throws -> Bool {
    try database.queryOne("SELECT 1 FROM post WHERE fan_club = ?", club, map: { _ in true }) != nil
  }

  /// For each removed post, SQLite would search all marks of all readers for references to it.
  private func withoutForeignKeys<Value>(_ body: () throws -> Value) throws -> Value {
    try database.script("PRAGMA foreign_keys = OFF")
    defer { try? database.script("PRAGMA foreign_keys = ON") }
    return try body()
  }

  private func remove(_ id: FanClub.ID, by reader: Reader.ID?) throws -> RemovalOutcome {
    let isTheirs = try database.queryOne("SELECT added_by IS ? FROM fan_club WHERE id = ?", reader, id) { try $0.get(0, as: Bool.self) }
    guard let isTheirs else { return .noClub }
    guard isTheirs else { return .notYours }
    guard try database.queryOne(Self.isUsedByOthers, reader, id, map: { try $0.get(0, as: Bool.self) }) == false else { return .inUse }
    for table in ["feed", "follow"] { try database.execute("DELETE FROM \(table) WHERE fan_club = ?", id) }
    try database.execute("DELETE FROM fan_club WHERE id = ?", id)
    if try !hasPosts(id) { try removeCounts(of: id) }
    return .removed
  }

  /// What readers may have on a post, and what makes it theirs.
  private static let marks = ["reaction", "bookmark", "unlock", "comment"].map { table in
    // From the club's posts to the marks on them: the other way round all marks of all readers are read.
    """
    FROM post CROSS JOIN \(table) ON \(table).post = post.id WHERE post.fan_club = ?2 AND \(table).reader IS NOT ?1
      \(table == "comment" ? "AND NOT comment.deleted" : "")
    """
  }

  /// The readers other than ?1 who use the club ?2, as ``isUsedByOthers`` says: the one who uses it most comes first.
  static let users =
    [
      """
      SELECT follow.reader FROM follow LEFT JOIN read_count ON read_count.reader = follow.reader AND read_count.fan_club = ?2
      WHERE follow.fan_club = ?2 AND follow.reader IS NOT ?1 ORDER BY ifnull(read_count.posts, 0) DESC, follow.reader LIMIT 1
      """
    ] + marks.map { "SELECT reader \($0) LIMIT 1" }

  /// Whether a reader other than ?1 follows the club ?2, or has something on one of its posts that they would miss. Read marks and deleted
  /// comments do not count.
  static let isUsedByOthers: String = {
    let marks = Self.marks.map { "EXISTS (SELECT 1 \($0))" }
    let follows = "EXISTS (SELECT 1 FROM follow WHERE follow.fan_club = ?2 AND follow.reader IS NOT ?1)"
    // In this order, and no further than needed: a list has thousands of clubs without a post.
    let cases =
      ["WHEN \(follows) THEN 1", "WHEN NOT EXISTS (SELECT 1 FROM post WHERE fan_club = ?2) THEN 0"] + marks.map { "WHEN \($0) THEN 1" }
    return "SELECT CASE \(cases.joined(separator: " ")) ELSE 0 END"
  }()
}
