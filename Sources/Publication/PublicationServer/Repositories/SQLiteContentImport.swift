import FeedFormats
import Foundation
import PublicationAPI
import SQLiteStorage

extension SQLiteContent {
  func found(_ content: PublicationContent, readers: [(reader: Reader, password: PasswordHash)]) throws -> Bool {
    try longWork {
      guard try info() == nil else { return false }
      try database.execute("INSERT INTO setting (name, value) VALUES ('info', ?)", Self.json(content.info))
      for picture in content.pictures {
        try database.execute("INSERT INTO picture (name, type, bytes) VALUES (?, ?, ?)", picture.name, picture.type, picture.bytes)
      }
      for club in content.fanClubs { try store(club, source: nil) }
      for var post in content.posts {
        post.body = post.body.map(WebLinks.html)
        _ = try store(.init(post: post, isUndated: false))
      }
      try sell(content.products, content.paywalls)
      for (reader, password) in readers { _ = try SQLiteReaders(database: database).add(reader, password: password) }
      return true
    }
  }

  func sell(_ products: [ProductRecord], _ paywalls: [PaywallRecord]) throws {
    try database.transaction {
      for (number, product) in products.enumerated() {
        let isFirst = !products[..<number].contains { $0.id == product.id }
        try database.execute(
          isFirst
            ? "INSERT INTO product (id, record) VALUES (?1, ?3) ON CONFLICT (id) DO UPDATE SET record = excluded.record"
            : "INSERT OR REPLACE INTO product_in_currency (product, currency, record) VALUES (?1, ?2, ?3)", product.id, product.currency,
          Self.json(product))
      }
      for paywall in paywalls {
        try database.execute("INSERT OR REPLACE INTO paywall (id, record) VALUES (?, ?)", paywall.id, Self.json(paywall))
      }
    }
  }

  func store(
    _ feed: ImportedFeed, _ part: Range<Int>, version: (FeedVersion, next: Int64)?, _ job: ImportJob?
  ) throws -> ImportReport {
    try longWork(job) {
      var report = ImportReport()
      if feed.isExisting, try !isThere(feed.club.id) { throw CancellationError() }
      try store(feed.club, source: feed.source, addedBy: job?.follower)
      // What the schedule fetches has no job either, and exists already.
      if job == nil, !feed.isExisting { try takeOver(feed.club.id) }
      if let (version, next) = version {
        try database.execute(
          "INSERT OR REPLACE INTO feed (fan_club, url, etag, modified, ttl, next) VALUES (?, ?, ?, ?, ?, ?)", feed.club.id, version.url,
          version.etag, version.modified, version.ttl, next)
      }
      // Only once: a reader who unfollows it while the rest is stored must not follow it again.
      if part.lowerBound == 0, let reader = job?.follower { _ = try follow(feed.club.id, by: reader) }
      for item in feed.items[part] {
        try job?.advance(.storing, done: part.lowerBound + report.items, of: feed.items.count)
        report.items += 1
        switch try store(item) {
        case .added: report.added += 1
        case .updated: report.updated += 1
        case .unchanged: report.unchanged += 1
        }
      }
      if report.added + report.updated > 0 { try checkSize(of: feed.club.id) }
      try job?.advance(.storing, done: part.upperBound, of: feed.items.count)
      return report
    }
  }

  /// - Throws: `Problem` when the feeds of the reader who added the club have too many posts, or too much text, with what was just stored.
  private func checkSize(of club: FanClub.ID) throws {
    let owner = try database.queryOne("SELECT added_by FROM fan_club WHERE id = ?", club) { try $0.get(0, as: Reader.ID?.self) } ?? nil
    guard let owner, let limit = try SQLiteFeeds(database: database).added(by: owner).limit(>) else { return }
    throw Problem.conflict("No more posts of this feed are stored: the feeds of the reader who added it have \(limit).")
  }

  /// A transaction without a deadline. It is interrupted when its job is cancelled, and before it starts when the reader who wanted it was
  /// removed.
  func longWork<Value>(_ job: ImportJob? = nil, _ body: () throws -> Value) throws -> Value {
    let limit = WorkLimit(isCancelled: { [isStopping] in Task.isCancelled || isStopping() || job?.isCancelled == true })
    return try database.withLimit(limit) {
      try database.transaction {
        if let reader = job?.follower, try SQLiteReaders(database: database).reader(reader) == nil { throw CancellationError() }
        return try body()
      }
    }
  }

  /// What the publisher imports is no reader's to remove any more.
  func takeOver(_ club: FanClub.ID) throws {
    try database.execute("UPDATE fan_club SET added_by = NULL WHERE id = ? AND added_by IS NOT NULL", club)
  }

  private enum Stored { case added, updated, unchanged }

  func store(_ club: FanClub, source: String?, addedBy reader: Reader.ID? = nil) throws {
    let club = club.shortened
    try database.execute(
      """
      INSERT INTO fan_club (id, name, sort_key, about, picture, url, source, base_followers, fetched, added_by)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, sort_key = excluded.sort_key, about = excluded.about,
        picture = excluded.picture, url = excluded.url, fetched = excluded.fetched
      """, club.id, club.name, NaturalOrder.key(club.name), club.about, club.picture, club.url, source, club.followers, club.fetched,
      reader)
  }

  /// How far, in seconds, a post may be from the date that it shares with others. Further off it had another date.
  private static let mostApart = 3600

  private func store(_ item: ImportedFeed.Item) throws -> Stored {
    let post = item.post.shortened
    let date = post.second
    let published = item.second ?? date
    let enclosures = post.enclosures.isEmpty ? nil : try Self.json(post.enclosures)
    let fields = [
      post.title, post.byline, post.teaser, post.body, post.picture, post.url, item.isUndated ? nil : "\(date)", "\(post.premium)",
    ]
    // What has none is the same as what an earlier version stored.
    let digest = try Digest.sha256(fields: enclosures.map { fields + [$0] } ?? fields)
    if let storedDigest = try database.queryOne("SELECT digest FROM post WHERE id = ?", post.id, map: { try $0.get(0, as: Data.self) }) {
      guard storedDigest != digest else { return .unchanged }
      // One of several with the same date stays at the second that an earlier document gave it.
      try database.execute(
        """
        UPDATE post SET title = ?, byline = ?, teaser = ?, picture = ?, url = ?, premium = ?, digest = ?, body = ?, enclosures = ?,
          published = CASE WHEN ?10 OR ?11 IS NOT NULL AND abs(published - ?12) < \(Self.mostApart) THEN published
            ELSE coalesce(?11, ?12) END
        WHERE id = ?13
        """, post.title, post.byline, post.teaser, post.picture, post.url, post.premium, digest, post.body ?? "", enclosures,
        item.isUndated, item.second, date, post.id)
      return .updated
    }
    try database.execute(
      """
      INSERT INTO post (id, fan_club, title, byline, teaser, picture, url, published, premium, digest, body, enclosures)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, post.id, post.fanClubID, post.title, post.byline, post.teaser, post.picture, post.url, published, post.premium, digest,
      post.body ?? "", enclosures)
    for (kind, count) in post.reactions.counts where count > 0 {
      try database.execute("INSERT INTO base_reaction (post, kind, count) VALUES (?, ?, ?)", post.id, kind.rawValue, count)
    }
    return .added
  }

  private static func json(_ value: some Encodable) throws -> String { String(decoding: try Wire.encode(value), as: UTF8.self) }
}
