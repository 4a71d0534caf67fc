import FeedFormats
import Foundation
import PublicationAPI
import SQLiteStorage

/// ``ContentRepository`` on SQLite: reading and marking. Importing is in SQLiteContentImport.swift.
struct SQLiteContent: ContentRepository {
  let database: Connection
  /// Whether the publication is about to be closed, so that long work ends.
  var isStopping: @Sendable () -> Bool = { false }

  func info() throws -> PublicationInfo? {
    try database.queryOne("SELECT value FROM setting WHERE name = 'info'") { row in
      try Wire.decode(from: Data(try row.get(0, as: String.self).utf8))
    }
  }

  func picture(_ name: String) throws -> PublicationContent.Picture? {
    try database.queryOne("SELECT type, bytes FROM picture WHERE name = ?", name) { row in
      PublicationContent.Picture(name: name, type: try row.get(0), bytes: try row.get(1))
    }
  }

  // MARK: Posts

  func post(_ id: Post.ID, for reader: Reader.ID) throws -> Post? {
    try database.queryOne("\(Self.selectPost(body: true)) WHERE post.id = ?2", reader, id, map: Self.post)
  }

  func posts(_ query: PostQuery, for reader: Reader.ID) throws -> [Post]? {
    if let club = query.fanClub {
      guard try isThere(club) else { return nil }
    }
    let (sql, values) = Self.statement(query, for: reader)
    return try database.query(sql, values: values, map: Self.post)
  }

  /// A page of a list: first which posts, by indexes, then what is shown of those alone. In one step SQLite looks up counts and marks of
  /// all posts that it sorts.
  static func statement(_ query: PostQuery, for reader: Reader.ID) -> (sql: String, values: [(any SQLValue)?]) {
    var conditions: [String] = []
    // ?1 is the reader, in whatever asks for one.
    var values: [(any SQLValue)?] = [reader]
    if let club = query.fanClub {
      conditions.append("post.fan_club = ?")
      values.append(club)
    }
    if query.isBookmarked {
      conditions.append("post.id IN (SELECT bookmark.post FROM bookmark WHERE bookmark.reader = ?1)")
    }
    if query.isFollowed {
      conditions.append("post.fan_club IN (SELECT fan_club FROM follow WHERE follow.reader = ?1)")
    }
    if query.isUnread {
      conditions.append("NOT EXISTS (SELECT 1 FROM read_mark WHERE read_mark.reader = ?1 AND read_mark.number = post.number)")
    }
    if let after = query.after {
      conditions.append("(post.published, post.id) < (?, ?)")
      values += [after.published, after.id]
    }
    let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    let order = "ORDER BY post.published DESC, post.id DESC"
    // No more are unread than have no mark: behind the last of them nobody looks, and who has read all is answered at once.
    let unread = "(SELECT count(*) FROM post) - (SELECT count(*) FROM read_mark WHERE read_mark.reader = ?1)"
    let limit = query.isUnread ? "min(?, \(unread))" : "?"
    return (
      "\(selectPost(body: false)) WHERE post.number IN (SELECT post.number FROM post \(filter) \(order) LIMIT \(limit)) \(order)",
      values + [query.limit]
    )
  }

  func setReaction(_ kind: Reaction?, to post: Post.ID, by reader: Reader.ID) throws {
    guard let kind else { return try setMark(.reaction, of: post, by: reader, false) }
    try database.execute(
      """
      INSERT INTO reaction (post, reader, kind) SELECT id, ?, ? FROM post WHERE id = ?
      ON CONFLICT (post, reader) DO UPDATE SET kind = excluded.kind
      """, reader, kind.rawValue, post)
  }

  func setMark(_ mark: Mark, of post: Post.ID, by reader: Reader.ID, _ isSet: Bool) throws {
    // Read marks name their post by its number.
    let (column, name) = mark == .read ? ("number", "number") : ("post", "id")
    if isSet {
      // What was read by itself stays read when all that was marked with it is unread again.
      let known = mark == .read ? "UPDATE SET mark = NULL" : "NOTHING"
      try database.execute(
        "INSERT INTO \(mark.rawValue) (\(column), reader) SELECT \(name), ? FROM post WHERE id = ? ON CONFLICT DO \(known)", reader, post)
    } else {
      try database.execute(
        "DELETE FROM \(mark.rawValue) WHERE reader = ? AND \(column) = (SELECT \(name) FROM post WHERE id = ?)", reader, post)
    }
  }

  func markRead(until time: Int64, in clubs: [FanClub.ID]?, by reader: Reader.ID, as mark: String?) throws {
    let insertion = "INSERT OR IGNORE INTO read_mark (reader, number, mark) SELECT ?1, number, ?3 FROM post WHERE published <= ?2"
    try database.transaction {
      if let clubs {
        for club in clubs { try database.execute("\(insertion) AND fan_club = ?4", reader, time, mark, club) }
      } else {
        try database.execute(insertion, reader, time, mark)
      }
    }
  }

  func unmarkRead(_ mark: String, by reader: Reader.ID) throws {
    try database.execute("DELETE FROM read_mark WHERE reader = ? AND mark = ?", reader, mark)
  }

  /// Posts as the reader ?1 sees them; see ``post(_:)``.
  static func selectPost(body: Bool, and columns: String = "") -> String {
    """
    SELECT post.id, post.fan_club, fan_club.name, post.title, post.byline, post.teaser, post.picture, post.url, post.published,
      post.premium, \(body ? "post.body" : "NULL"),
      EXISTS (SELECT 1 FROM unlock WHERE unlock.post = post.id AND unlock.reader = ?1),
      EXISTS (SELECT 1 FROM bookmark WHERE bookmark.post = post.id AND bookmark.reader = ?1),
      (SELECT coalesce(mark, '') FROM read_mark WHERE read_mark.number = post.number AND read_mark.reader = ?1),
      (SELECT kind FROM reaction WHERE reaction.post = post.id AND reaction.reader = ?1),
      (SELECT group_concat(kind || ' ' || count) FROM (
        SELECT kind, count FROM base_reaction WHERE base_reaction.post = post.id
        UNION ALL SELECT kind, count(*) FROM reaction WHERE reaction.post = post.id GROUP BY kind)),
      (SELECT count(*) FROM comment WHERE comment.post = post.id AND NOT comment.deleted),
      \(body ? "post.enclosures" : "NULL")\(columns)
    FROM post JOIN fan_club ON fan_club.id = post.fan_club
    """
  }

  /// How many columns ``selectPost(body:and:)`` has before those that were asked for besides.
  static let postColumns = 18

  static func post(_ row: Row) throws -> Post {
    // Nothing for an unread one, and no name for one that was read by itself.
    let mark = try row.get(13, as: String?.self)
    return Post(
      id: try row.get(0), fanClubID: try row.get(1), fanClubName: try row.get(2), title: try row.get(3), byline: try row.get(4),
      teaser: try row.get(5), body: try row.get(10, as: String?.self).map(WebLinks.html),
      enclosures: try row.get(17, as: String?.self).map { try Wire.decode(from: Data($0.utf8)) } ?? [],
      picture: picture(try row.get(6, as: String?.self)), url: WebLinks.url(try row.get(7, as: String?.self)),
      published: Date(timeIntervalSince1970: TimeInterval(try row.get(8, as: Int64.self))),
      premium: try row.get(9), unlocked: try row.get(11), reactions: reactions(try row.get(15, as: String?.self) ?? ""),
      reaction: try row.get(14, as: String?.self).map { Reaction(rawValue: $0) }, bookmarked: try row.get(12), read: mark != nil,
      readMark: mark == "" ? nil : mark, comments: try row.get(16))
  }

  /// A picture's address: this publication's own, or one on the web. An earlier version stored whatever a feed said.
  private static func picture(_ address: String?) -> String? {
    address.flatMap { $0.hasPrefix("/v1/pictures/") ? $0 : WebLinks.url($0) }
  }

  /// Counts as the statement writes them, `love 3,like 1,love 2`: a kind may be there twice, from before and from here.
  private static func reactions(_ text: String) -> ReactionCounts {
    var counts: [Reaction: Int] = [:]
    for entry in text.split(separator: ",") {
      let parts = entry.split(separator: " ")
      if parts.count == 2, let count = Int(parts[1]) { counts[Reaction(rawValue: String(parts[0])), default: 0] += count }
    }
    return ReactionCounts(counts)
  }

  /// Clocks that have lost their time begin in 1970 or later, so none is further behind: a later date is wrong whatever the clock says.
  private static let furthestBehind: Int64 = 36_525 * 86_400

  /// Dates posts, once, that an earlier version stored with a date after `latest`: they came first in all lists until then. Each is dated
  /// right behind the newest that came before it in its club, or else as of `now`, in the order in which they were so far. Times are
  /// seconds since 1970.
  ///
  /// Where most posts are ahead by what a clock can be behind, the clock is wrong and not they; another start puts them right. A feed that
  /// says 9999 says nothing about the clock.
  func datePosts(after latest: Int64, at now: Int64) throws {
    guard try database.queryOne("SELECT 1 FROM setting WHERE name = 'posts_dated'", map: { _ in true }) == nil else { return }
    try longWork {
      let isClockWrong = try database.queryOne(
        "SELECT 2 * total(published > ?1) > count(*) FROM post WHERE published <= ?2", latest, latest + Self.furthestBehind
      ) { try $0.get(0, as: Bool.self) }
      guard isClockWrong == false else { return }
      // All times are found before one is changed.
      try database.execute(
        """
        WITH ahead AS MATERIALIZED (
          SELECT number, coalesce(
            (SELECT max(earlier.published) + 1 FROM post AS earlier
              WHERE earlier.fan_club = post.fan_club AND earlier.published <= ?1 AND earlier.number < post.number),
            ?2 + 1 - row_number() OVER (PARTITION BY fan_club ORDER BY published DESC, number)) AS time
          FROM post WHERE published > ?1)
        UPDATE post SET published = min(?2, ahead.time) FROM ahead WHERE ahead.number = post.number
        """, latest, now)
      try database.execute("INSERT INTO setting (name, value) VALUES ('posts_dated', '')")
    }
  }

  // MARK: Fan clubs

  func fanClub(_ id: FanClub.ID, for reader: Reader.ID) throws -> FanClub? {
    try database.queryOne("\(Self.selectClub) WHERE id = ?", reader, id, map: Self.club)
  }

  func fanClubs(
    after: NamePosition?, limit: Int, for reader: Reader.ID
  ) throws -> [(club: FanClub, position: NamePosition)] {
    var values: [(any SQLValue)?] = [reader]
    if let after { values += [after.key, after.id] }
    return try database.query(
      "\(Self.selectClub) \(after == nil ? "" : "WHERE (sort_key, id) > (?, ?)") ORDER BY sort_key, id LIMIT ?", values: values + [limit]
    ) { row in
      let club = try Self.club(row)
      return (club, NamePosition(key: try row.get(9), id: club.id))
    }
  }

  func setFollow(of club: FanClub.ID, by reader: Reader.ID, _ isSet: Bool) throws {
    if isSet {
      _ = try follow(club, by: reader)
    } else {
      try database.execute("DELETE FROM follow WHERE fan_club = ? AND reader = ?", club, reader)
    }
  }

  /// - Returns: whether the reader did not follow it before.
  func follow(_ club: FanClub.ID, by reader: Reader.ID) throws -> Bool {
    try database.execute("INSERT OR IGNORE INTO follow (fan_club, reader) SELECT id, ? FROM fan_club WHERE id = ?", reader, club) == 1
  }

  func isThere(_ club: FanClub.ID) throws -> Bool {
    try database.queryOne("SELECT 1 FROM fan_club WHERE id = ?", club, map: { _ in true }) != nil
  }

  func removeClub(_ id: FanClub.ID, by reader: Reader.ID) throws -> RemovalOutcome {
    try withoutForeignKeys { try longWork { try remove(id, by: reader) } }
  }

  func takeBack(_ clubs: [FanClub.ID], follows: [FanClub.ID], of reader: Reader.ID?) throws {
    try withoutForeignKeys {
      // Whoever cancelled the import, or closes the publication, waits for this: nothing half-done stays.
      try database.withLimit(WorkLimit()) {
        try database.transaction {
          for club in clubs { _ = try remove(club, by: reader) }
          if let reader { for club in follows { try setFollow(of: club, by: reader, false) } }
        }
      }
    }
  }

  /// Of each post that goes SQLite would look through all marks of all readers, to find out that none refers to it any more.
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
    for table in ["reaction", "base_reaction", "bookmark", "comment", "unlock"] {
      try database.execute("DELETE FROM \(table) WHERE post IN (SELECT id FROM post WHERE fan_club = ?)", id)
    }
    try database.execute("DELETE FROM read_mark WHERE number IN (SELECT number FROM post WHERE fan_club = ?)", id)
    // The words of the posts go by a trigger.
    for table in ["post", "feed", "follow"] { try database.execute("DELETE FROM \(table) WHERE fan_club = ?", id) }
    try database.execute("DELETE FROM fan_club WHERE id = ?", id)
    return .removed
  }

  /// Whether anybody but the reader ?1 follows the club ?2, or did something to one of its posts that they would miss. To have read one is no
  /// such thing, and a deleted comment neither.
  private static let isUsedByOthers: String = {
    let marks = ["reaction", "bookmark", "unlock", "comment"].map { table in
      """
      EXISTS (SELECT 1 FROM \(table) JOIN post ON post.id = \(table).post WHERE post.fan_club = ?2 AND \(table).reader IS NOT ?1
        \(table == "comment" ? "AND NOT comment.deleted" : ""))
      """
    }
    let follows = "EXISTS (SELECT 1 FROM follow WHERE follow.fan_club = ?2 AND follow.reader IS NOT ?1)"
    return "SELECT " + ([follows] + marks).joined(separator: " OR ")
  }()

  /// Clubs as the reader ?1 sees them. Both counts of posts read nothing but `post_of_club`, and the marks by their key.
  private static let selectClub = """
    SELECT id, name, about, picture, url, base_followers + (SELECT count(*) FROM follow WHERE follow.fan_club = fan_club.id),
      EXISTS (SELECT 1 FROM follow WHERE follow.fan_club = fan_club.id AND follow.reader = ?1),
      (SELECT count(*) FROM post WHERE post.fan_club = fan_club.id), fetched, sort_key,
      (SELECT problem FROM feed WHERE feed.fan_club = fan_club.id),
      (SELECT count(*) FROM post WHERE post.fan_club = fan_club.id
        AND NOT EXISTS (SELECT 1 FROM read_mark WHERE read_mark.reader = ?1 AND read_mark.number = post.number)),
      (SELECT url FROM feed WHERE feed.fan_club = fan_club.id), added_by IS ?1
    FROM fan_club
    """

  private static func club(_ row: Row) throws -> FanClub {
    FanClub(
      id: try row.get(0), name: try row.get(1), about: try row.get(2), picture: picture(try row.get(3, as: String?.self)),
      url: WebLinks.url(try row.get(4, as: String?.self)), followers: try row.get(5), followed: try row.get(6), posts: try row.get(7),
      unread: try row.get(11), fetched: try row.get(8), problem: try row.get(10, as: String?.self),
      feed: WebLinks.url(try row.get(12, as: String?.self)), canRemove: try row.get(13))
  }

  // MARK: What is sold

  func product(_ id: ProductRecord.ID, in currency: String?) throws -> ProductRecord? {
    if let currency, let product: ProductRecord = try record("product_in_currency WHERE product = ? AND currency = ?", id, currency) {
      return product
    }
    return try record("product WHERE id = ?", id)
  }

  func paywall(_ id: PaywallRecord.ID) throws -> PaywallRecord? { try record("paywall WHERE id = ?", id) }

  private func record<Value: Decodable>(_ source: String, _ values: String...) throws -> Value? {
    try database.query("SELECT record FROM \(source)", values: values) { row in
      try Wire.decode(Value.self, from: Data(try row.get(0, as: String.self).utf8))
    }.first
  }
}
