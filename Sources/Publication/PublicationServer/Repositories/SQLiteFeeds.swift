import PublicationAPI
import SQLiteStorage

/// ``FeedRepository`` on SQLite.
struct SQLiteFeeds: FeedRepository {
  let database: Connection

  func feed(of club: FanClub.ID) throws -> StoredFeed? {
    try database.queryOne("\(Self.select) WHERE feed.fan_club = ?", club, map: Self.feed)
  }

  func feed(at urls: [String]) throws -> StoredFeed? {
    for url in urls {
      if let feed = try database.queryOne("\(Self.select) WHERE feed.url = ?1 OR fan_club.source = ?1", url, map: Self.feed) { return feed }
    }
    return nil
  }

  func due(at time: Int64, limit: Int) throws -> [StoredFeed] {
    try database.query("\(Self.select) WHERE feed.next <= ? ORDER BY feed.next LIMIT ?", time, limit, map: Self.feed)
  }

  func nextDue() throws -> Int64? {
    try database.queryOne("SELECT min(next) FROM feed WHERE next IS NOT NULL") { try $0.get(0, as: Int64?.self) } ?? nil
  }

  func keep(_ feed: StoredFeed, next: Int64?) throws {
    try database.execute(
      "UPDATE feed SET url = ?, etag = ?, modified = ?, failures = ?, problem = ?, next = ? WHERE fan_club = ?", feed.version.url,
      feed.version.etag, feed.version.modified, feed.failures, feed.problem, next, feed.club)
  }

  func add(_ feeds: [(club: FanClub, url: String)], _ job: ImportJob?) throws -> (clubs: [FanClub.ID], added: Int) {
    try database.transaction {
      var (clubs, added) = ([FanClub.ID](), 0)
      for (club, url) in feeds {
        try job?.advance(.storing, done: clubs.count, of: feeds.count)
        if let known = try feed(at: [url]) {
          clubs.append(known.club)
          continue
        }
        clubs.append(club.id)
        let isNew = try database.queryOne("SELECT 1 FROM fan_club WHERE id = ?", club.id, map: { _ in true }) == nil
        if isNew { try SQLiteContent(database: database).store(club, source: url) }
        try database.execute("INSERT INTO feed (fan_club, url) VALUES (?, ?)", club.id, url)
        added += isNew ? 1 : 0
      }
      return (clubs, added)
    }
  }

  private static let select = """
    SELECT feed.fan_club, fan_club.name, coalesce(fan_club.source, feed.url), feed.url, feed.etag, feed.modified, feed.failures,
      feed.problem, fan_club.fetched
    FROM feed JOIN fan_club ON fan_club.id = feed.fan_club
    """

  private static func feed(_ row: Row) throws -> StoredFeed {
    StoredFeed(
      club: try row.get(0), name: try row.get(1), source: try row.get(2),
      version: FeedVersion(url: try row.get(3), etag: try row.get(4, as: String?.self), modified: try row.get(5, as: String?.self)),
      failures: try row.get(6), problem: try row.get(7, as: String?.self), isFetched: try row.get(8))
  }
}
