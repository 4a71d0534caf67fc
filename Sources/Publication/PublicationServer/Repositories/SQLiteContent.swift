import FeedFormats
import Foundation
import PublicationAPI
import SQLiteStorage

/// ``ContentRepository`` on SQLite: reading and marking. Lists of posts are in SQLiteLists.swift and SQLiteLongLists.swift, importing is in
/// SQLiteContentImport.swift, and removing in SQLiteContentRemoval.swift.
struct SQLiteContent: ContentRepository {
  let database: Connection
  /// Connections that read bodies of posts; a publication in memory has none.
  var bodies: ReadConnections?
  /// Connections that read lists of a reader's own, which may be long; see ``bodies``.
  var lists: ReadConnections?
  /// How long one part of a long list may take.
  var limit: WorkLimit?
  /// How many posts one part of a long list checks, which takes some milliseconds.
  var partSize = 10_000
  /// Whether the publication is about to be closed, so that long work is interrupted.
  var isStopping: @Sendable () -> Bool = { false }

  func info() throws -> PublicationInfo? {
    try database.setting("info")
  }

  func picture(_ name: String) throws -> PublicationContent.Picture? {
    try database.queryOne("SELECT type, bytes FROM picture WHERE name = ?", name) { row in
      PublicationContent.Picture(name: name, type: try row.get(0), bytes: try row.get(1))
    }
  }

  // MARK: Posts

  func post(_ id: Post.ID, for reader: Reader.ID, withBody: Bool) async throws -> Post? {
    let read = { @Sendable (database: Connection) in
      try database.queryOne("\(Self.selectPost(body: withBody)) WHERE post.id = ?2", reader, id, map: Self.post)
    }
    // It may have megabytes.
    guard withBody, let bodies else { return try read(database) }
    return try await bodies.run(for: reader, read)
  }

  func sharedPost(_ id: Post.ID) throws -> Post? {
    try database.queryOne(
      "\(Self.selectPost(body: false, counts: false)) WHERE post.id = ?2", Self.noReader, id, map: Self.post)
  }

  /// Has no marks and no reactions.
  private static let noReader: Reader.ID = ""

  func close() async {
    await bodies?.close()
    await lists?.close()
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
      // A post that was read by itself stays read when a mark on many posts is undone.
      let action = mark == .read ? "UPDATE SET mark = NULL" : "NOTHING"
      try database.execute(
        "INSERT INTO \(mark.rawValue) (\(column), reader) SELECT \(name), ? FROM post WHERE id = ? ON CONFLICT DO \(action)", reader, post)
    } else {
      try database.execute(
        "DELETE FROM \(mark.rawValue) WHERE reader = ? AND \(column) = (SELECT \(name) FROM post WHERE id = ?)", reader, post)
    }
  }

  func markRead(_ posts: ReadAll, by reader: Reader.ID, limit: Int) throws -> ReadAll? {
    let insertion = "INSERT OR IGNORE INTO read_mark (reader, number, mark) SELECT ?1, number, ?2 FROM post WHERE published <= ?3"
    let values: [(any SQLValue)?] = [reader, posts.mark, posts.until]
    return try database.transaction {
      // Between two parts the operator may have removed who marks them.
      guard try !SQLiteReaders(database: database).isRemoved(reader) else { return nil }
      guard var clubs = posts.clubs else {
        // In the order of the marks themselves: in any other, a million of them are on as many pages.
        let numbers = try database.query("SELECT number FROM post WHERE number > ? ORDER BY number LIMIT ?", posts.number, limit) {
          try $0.get(0, as: Int64.self)
        }
        guard let last = numbers.last else { return nil }
        try database.execute("\(insertion) AND number > ?4 AND number <= ?5", values: values + [posts.number, last])
        return numbers.count < limit ? nil : ReadAll(until: posts.until, clubs: nil, number: last, mark: posts.mark)
      }
      var (after, left) = (posts.after, limit)
      while left > 0, let club = clubs.first {
        let part = "published <= ?3 AND fan_club = ?4 AND (published, id) > (?5, ?6) ORDER BY published, id LIMIT ?7"
        let values = values + [club, after?.published ?? .min, after?.id ?? "", left]
        let last = try database.query("SELECT published, id FROM post WHERE \(part)", values: values) {
          PostPosition(published: try $0.get(0), id: try $0.get(1))
        }
        try database.execute("\(insertion) AND \(part)", values: values)
        // Fewer than there might have been are the last ones.
        if last.count < left { clubs.removeFirst() }
        after = last.count < left ? nil : last.last
        left -= last.count
      }
      return clubs.isEmpty ? nil : ReadAll(until: posts.until, clubs: clubs, after: after, mark: posts.mark)
    }
  }

  func unmarkRead(_ mark: String, by reader: Reader.ID, after number: Int64?, limit: Int) throws -> Int64? {
    let part = "SELECT number FROM read_mark WHERE reader = ?1 AND number > ?2 ORDER BY number LIMIT ?3"
    let values: [(any SQLValue)?] = [reader, number ?? 0, limit]
    return try database.transaction {
      let numbers = try database.query(part, values: values) { try $0.get(0, as: Int64.self) }
      try database.execute("DELETE FROM read_mark WHERE reader = ?1 AND number IN (\(part)) AND mark = ?4", values: values + [mark])
      return numbers.count < limit ? nil : numbers.last
    }
  }

  /// Posts as the reader ?1 sees them; see ``post(_:)``.
  /// - Parameter counts: whether it says how many reactions and comments there are.
  static func selectPost(body: Bool, counts: Bool = true, and columns: String = "") -> String {
    let reactions = """
      (SELECT group_concat(kind || ' ' || count) FROM (
        SELECT kind, count FROM base_reaction WHERE base_reaction.post = post.id
        UNION ALL SELECT kind, count FROM reaction_count WHERE reaction_count.post = post.id))
      """
    let comments = "coalesce((SELECT count FROM comment_count WHERE comment_count.post = post.id), 0)"
    return """
      SELECT post.id, post.fan_club, fan_club.name, post.title, post.byline, post.teaser, post.picture, post.url, post.published,
        post.premium, \(body ? "post.body" : "NULL"),
        EXISTS (SELECT 1 FROM unlock WHERE unlock.post = post.id AND unlock.reader = ?1),
        EXISTS (SELECT 1 FROM bookmark WHERE bookmark.post = post.id AND bookmark.reader = ?1),
        (SELECT coalesce(mark, '') FROM read_mark WHERE read_mark.number = post.number AND read_mark.reader = ?1),
        (SELECT kind FROM reaction WHERE reaction.post = post.id AND reaction.reader = ?1),
        \(counts ? reactions : "NULL"), \(counts ? comments : "0"), \(body ? "post.enclosures" : "NULL")\(columns)
      FROM post JOIN fan_club ON fan_club.id = post.fan_club
      """
  }

  static func post(_ row: Row) throws -> Post {
    // Nothing for an unread one, and no name for one that was read by itself.
    let mark = try row.get(13, as: String?.self)
    return Post(
      id: try row.get(0), fanClubID: try row.get(1), fanClubName: try row.get(2), title: try row.get(3), byline: try row.get(4),
      teaser: try row.get(5), body: try row.get(10),
      enclosures: try row.get(17, as: String?.self).map { try Wire.decode(from: Data($0.utf8)) } ?? [],
      picture: picture(try row.get(6, as: String?.self)), url: WebLinks.url(try row.get(7, as: String?.self)),
      published: Date(timeIntervalSince1970: TimeInterval(try row.get(8, as: Int64.self))),
      premium: try row.get(9), unlocked: try row.get(11), reactions: reactions(try row.get(15, as: String?.self) ?? ""),
      reaction: try row.get(14, as: String?.self).map { Reaction(rawValue: $0) }, bookmarked: try row.get(12), read: mark != nil,
      readMark: mark == "" ? nil : mark, comments: try row.get(16))
  }

  /// A picture's address: this publication's own, or one on the web. An earlier version stored a feed's text unchecked.
  private static func picture(_ address: String?) -> String? {
    address.flatMap { $0.hasPrefix(APIPath.picture("").target) ? $0 : WebLinks.url($0) }
  }

  /// Counts as the statement writes them, `love 3,like 1,love 2`: a kind may be there twice, imported and from here.
  private static func reactions(_ text: String) -> ReactionCounts {
    var counts: [Reaction: Int] = [:]
    for entry in text.split(separator: ",") {
      let parts = entry.split(separator: " ")
      if parts.count == 2, let count = Int(parts[1]) { counts[Reaction(rawValue: String(parts[0])), default: 0] += count }
    }
    return ReactionCounts(counts)
  }

  /// Clocks that have lost their time start in 1970 or later, so none is further behind: a later date is wrong by every clock.
  private static let furthestBehind: Int64 = 36_525 * 86_400

  /// Dates posts, once, that an earlier version stored with a date after `latest`: they were first in all lists until then. Each is dated
  /// right behind the newest post before it in its club, or else as of `now`, in their present order. Times are seconds since 1970.
  ///
  /// Where most posts are ahead by what a clock can be behind, the clock is wrong and not they; another start puts them right. A feed that
  /// says 9999 says nothing about the clock.
  func datePosts(after latest: Int64, at now: Int64) throws {
    try once("posts_dated") {
      let isClockWrong = try database.queryOne(
        "SELECT 2 * total(published > ?1) > count(*) FROM post WHERE published <= ?2", latest, latest + Self.furthestBehind
      ) { try $0.get(0, as: Bool.self) }
      guard isClockWrong == false else { return false }
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
      return true
    }
  }

  /// Removes from bodies, once, the addresses that lead elsewhere than to the web, which an earlier version stored: see
  /// ``WebLinks/html(_:)``. Otherwise requests that read or mark a post would wait for that.
  func guardBodies() throws {
    try once("bodies_guarded") {
      var last: Int64 = 0
      while let post = try database.queryOne(
        "SELECT number, body FROM post WHERE number > ? ORDER BY number LIMIT 1", last,
        map: { (number: try $0.get(0, as: Int64.self), body: try $0.get(1, as: String.self)) })
      {
        last = post.number
        let guarded = WebLinks.html(post.body)
        if guarded != post.body { try database.execute("UPDATE post SET body = ? WHERE number = ?", guarded, post.number) }
      }
      return true
    }
  }

  /// Gives clubs, once, the keys by which they sort. Those of an earlier version had digits in place of numbers.
  func sortClubs() throws {
    try once("clubs_sorted") {
      let clubs = try database.query("SELECT id, name, sort_key FROM fan_club") {
        (id: try $0.get(0, as: FanClub.ID.self), name: try $0.get(1, as: String.self), key: try $0.get(2, as: String.self))
      }
      for club in clubs {
        let key = NaturalOrder.key(club.name)
        if key != club.key { try database.execute("UPDATE fan_club SET sort_key = ? WHERE id = ?", key, club.id) }
      }
      return true
    }
  }

  /// Mends what an earlier version left, unless that was done before.
  /// - Parameter mend: whether it is done: `false` has it tried again at the next start.
  private func once(_ name: String, _ mend: () throws -> Bool) throws {
    guard try database.queryOne("SELECT 1 FROM setting WHERE name = ?", name, map: { _ in true }) == nil else { return }
    try longWork {
      if try mend() { try database.execute("INSERT INTO setting (name, value) VALUES (?, '')", name) }
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
    // An import continues after its reader was removed.
    guard try !SQLiteReaders(database: database).isRemoved(reader) else { return false }
    return try database.execute("INSERT OR IGNORE INTO follow (fan_club, reader) SELECT id, ? FROM fan_club WHERE id = ?", reader, club)
      == 1
  }

  func isThere(_ club: FanClub.ID) throws -> Bool {
    try database.queryOne("SELECT 1 FROM fan_club WHERE id = ?", club, map: { _ in true }) != nil
  }

  /// Clubs as the reader ?1 sees them. Rows that are unlimited in number for a reader are not counted here.
  static let selectClub = """
    SELECT id, name, about, picture, url, base_followers + followers,
      EXISTS (SELECT 1 FROM follow WHERE follow.fan_club = fan_club.id AND follow.reader = ?1),
      coalesce((SELECT posts FROM post_count WHERE post_count.fan_club = fan_club.id), 0), fetched, sort_key,
      (SELECT problem FROM feed WHERE feed.fan_club = fan_club.id),
      coalesce((SELECT posts FROM read_count WHERE read_count.reader = ?1 AND read_count.fan_club = fan_club.id), 0),
      (SELECT url FROM feed WHERE feed.fan_club = fan_club.id), added_by IS ?1
    FROM fan_club
    """

  private static func club(_ row: Row) throws -> FanClub {
    FanClub(
      id: try row.get(0), name: try row.get(1), about: try row.get(2), picture: picture(try row.get(3, as: String?.self)),
      url: WebLinks.url(try row.get(4, as: String?.self)), followers: try row.get(5), followed: try row.get(6), posts: try row.get(7),
      unread: try row.get(7, as: Int.self) - row.get(11, as: Int.self), fetched: try row.get(8), problem: try row.get(10, as: String?.self),
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
