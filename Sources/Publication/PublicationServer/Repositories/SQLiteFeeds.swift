import PublicationAPI
import SQLiteStorage

/// What a reader added: how many feeds, and how many posts with how many bytes of text these have.
struct AddedFeeds {
  var feeds: Int
  var posts: Int
  var text: Int

  /// The limit of what feeds have that the posts or their text exceed, in words, such as `200000 posts`.
  /// - Parameter exceeds: whether a number, which comes first, exceeds a limit.
  func limit(_ exceeds: (Int, Int) -> Bool) -> String? {
    if exceeds(posts, ImportLimits.mostPosts) { return "\(ImportLimits.mostPosts) posts" }
    return exceeds(text, ImportLimits.mostText) ? "\(ImportLimits.mostText / 1_000_000) MB of text" : nil
  }
}

/// ``FeedRepository`` on SQLite.
struct SQLiteFeeds: FeedRepository {
  let database: Connection
  /// See ``SQLiteContent/isStopping``.
  var isStopping: @Sendable () -> Bool = { false }

  func added(by reader: Reader.ID) throws -> AddedFeeds {
    try database.query(Self.added, reader) {
      AddedFeeds(feeds: try $0.get(0, as: Int.self), posts: try $0.get(1, as: Int.self), text: try $0.get(2, as: Int.self))
    }[0]
  }

  static let added = """
    SELECT count(*), coalesce(sum(posts), 0), coalesce(sum(bytes), 0)
      FROM fan_club LEFT JOIN post_count ON post_count.fan_club = fan_club.id WHERE added_by = ?
    """

  func feed(of club: FanClub.ID) throws -> StoredFeed? {
    try database.queryOne("\(Self.select) WHERE feed.fan_club = ?", club, map: Self.feed)
  }

  func feed(at urls: [String]) throws -> StoredFeed? {
    for url in urls {
      for lookup in Self.lookups { if let feed = try database.queryOne(lookup, url, map: Self.feed) { return feed } }
    }
    return nil
  }

  func due(at time: Int64, after place: FeedPlace?, limit: Int) throws -> [StoredFeed] {
    var found: [StoredFeed] = []
    // No pause is that long: a later time is from a clock that was ahead. Each condition uses its index: with OR all rows would be read.
    for part in ["feed.next <= ?1", "feed.next > ?1 + \(2 * FeedService.longestPause)"] where found.count < limit {
      found += try database.query(
        "\(Self.select) WHERE \(part) AND (feed.next, feed.fan_club) > (?2, ?3) ORDER BY feed.next, feed.fan_club LIMIT ?4", time,
        place?.next ?? .min, place?.club ?? "", limit - found.count, map: Self.feed)
    }
    return found
  }

  func nextDue() throws -> Int64? {
    try database.queryOne("SELECT min(next) FROM feed WHERE next IS NOT NULL") { try $0.get(0, as: Int64?.self) } ?? nil
  }

  func update(_ feed: StoredFeed, next: Int64?) throws {
    try database.execute(
      "UPDATE feed SET url = ?, etag = ?, modified = ?, failures = ?, problem = ?, quiet = ?, next = ? WHERE fan_club = ?",
      feed.version.url, feed.version.etag, feed.version.modified, feed.failures, feed.problem?.shortened, feed.quiet, next, feed.club)
  }

  func failed(_ club: FanClub.ID, _ problem: String, quiet: Int64?) throws {
    try database.execute("UPDATE feed SET problem = ? WHERE fan_club = ?", problem.shortened, club)
    guard let quiet else { return }
    // A feed outside of the schedule stays outside: of NULL and a number, max() is NULL.
    try database.execute("UPDATE feed SET quiet = max(coalesce(quiet, 0), ?1), next = max(next, ?1) WHERE fan_club = ?2", quiet, club)
  }

  func add(_ feeds: [(club: FanClub, url: String)], _ part: Range<Int>, _ job: ImportJob?) throws -> AddedClubs {
    let content = SQLiteContent(database: database, isStopping: isStopping)
    return try content.longWork(job) {
      var result = AddedClubs()
      for (club, url) in feeds[part] {
        try job?.advance(.storing, done: part.lowerBound + result.all.count, of: feeds.count)
        let stored = try feed(at: [url])?.club
        if stored == nil {
          let isNew = try !content.isThere(club.id)
          if isNew { try content.store(club, source: url, addedBy: job?.follower) }
          try database.execute("INSERT INTO feed (fan_club, url) VALUES (?, ?)", club.id, url)
          if isNew { result.new.append(club.id) }
        }
        result.all.append(stored ?? club.id)
        if job == nil { try content.takeOver(stored ?? club.id) }
        if let reader = job?.follower, try content.follow(stored ?? club.id, by: reader) { result.followed.append(stored ?? club.id) }
      }
      try job?.advance(.storing, done: part.upperBound, of: feeds.count)
      return result
    }
  }

  /// Each by an index of its own: one statement with OR reads all feeds. The address that a feed was added with is its permanent name, so
  /// it is looked up first.
  static let lookups = ["fan_club.source", "feed.url"].map { "\(select) WHERE \($0) = ?" }

  private static let select = """
    SELECT feed.fan_club, fan_club.name, coalesce(fan_club.source, feed.url), feed.url, feed.etag, feed.modified, feed.ttl,
      feed.failures, feed.problem, feed.quiet, fan_club.fetched,
      fan_club.added_by, feed.next
    FROM feed JOIN fan_club ON fan_club.id = feed.fan_club
    """

  private static func feed(_ row: Row) throws -> StoredFeed {
    StoredFeed(
      club: try row.get(0), name: try row.get(1), source: try row.get(2),
      version: FeedVersion(
        url: try row.get(3), etag: try row.get(4, as: String?.self), modified: try row.get(5, as: String?.self), ttl: try row.get(6)),
      failures: try row.get(7), problem: try row.get(8, as: String?.self), quiet: try row.get(9, as: Int64?.self),
      isFetched: try row.get(10), addedBy: try row.get(11, as: String?.self), next: try row.get(12, as: Int64?.self))
  }
}
