import FeedFormats
import Foundation
import PublicationAPI
import SQLiteStorage

/// What an import did.
public struct ImportReport: Codable, Equatable, Sendable {
  /// How many items the feed has.
  public var items = 0
  /// How many posts are new.
  public var added = 0
  /// How many were there and are different now.
  public var updated = 0
  /// How many were there and are the same.
  public var unchanged = 0

  /// Nothing imported.
  public init() {}
}

extension Publication {
  /// Makes a feed a fan club and its items posts, in one transaction; importing a feed again adds nothing twice.
  ///
  /// An item is known by its ``FeedFormats/ParsedItem/identity`` within `source`. One without a date gets the time of its first import.
  /// - Parameter source: names the feed for ever: its URL or absolute path.
  /// - Throws: `SQLiteError`; nothing is imported then.
  public func importFeed(_ feed: ParsedFeed, source: String) throws -> ImportReport {
    let club = "f" + (try Self.name(source))
    let now = now
    return try database.transaction {
      var report = ImportReport()
      let name = feed.title.isEmpty ? source : feed.title
      try store(
        FanClub(id: club, name: name, about: feed.about, picture: feed.picture, url: feed.homeURL), source: source)
      var seen: [String: Int] = [:]
      for item in feed.items {
        // Feeds repeat an identity now and then; each item is a post all the same.
        let repeats = seen[item.identity, default: 0]
        seen[item.identity] = repeats + 1
        let identity = repeats == 0 ? item.identity : "\(item.identity)\n\(repeats)"
        let id = "p" + (try Self.name(source + "\n" + identity))
        let body = item.body.isEmpty ? item.summary : item.body
        var post = Post(
          id: id, fanClubID: club, fanClubName: name, title: item.displayTitle, byline: item.byline, teaser: item.teaser(characters: 300),
          body: body, picture: item.picture, url: item.link, published: Date(timeIntervalSince1970: TimeInterval(now)))
        let dated = item.published ?? item.updated
        if let dated { post.published = dated }
        report.items += 1
        switch try store(post, keepsTime: dated == nil) {
        case .added: report.added += 1
        case .updated: report.updated += 1
        case .unchanged: report.unchanged += 1
        }
      }
      return report
    }
  }

  /// Fills an empty publication; one that has content already is left as it is.
  /// - Throws: `SQLiteError`, `Problem`; nothing is stored then.
  public func install(_ content: PublicationContent) throws {
    guard try setting("info", as: PublicationInfo.self) == nil else { return }
    try database.transaction {
      try setSetting("info", content.info)
      for picture in content.pictures {
        try database.execute("INSERT INTO picture (name, type, bytes) VALUES (?, ?, ?)", picture.name, picture.type, picture.bytes)
      }
      for club in content.fanClubs { try store(club, source: nil) }
      for post in content.posts { _ = try store(post, keepsTime: false) }
      for product in content.products {
        try database.execute(
          "INSERT INTO product (id, record) VALUES (?, ?)", product.id, String(decoding: Wire.encode(product), as: UTF8.self))
      }
      for paywall in content.paywalls {
        try database.execute(
          "INSERT INTO paywall (id, record) VALUES (?, ?)", paywall.id, String(decoding: Wire.encode(paywall), as: UTF8.self))
      }
      for account in content.accounts { try addReader(email: account.email, name: account.name, password: account.password) }
    }
  }

  private enum Stored { case added, updated, unchanged }

  private func store(_ club: FanClub, source: String?) throws {
    let digest = try Self.digest(club.name, club.about, club.picture, club.url)
    try database.execute(
      """
      INSERT INTO fan_club (id, name, about, picture, url, source, digest) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, about = excluded.about, picture = excluded.picture, url = excluded.url,
        digest = excluded.digest WHERE digest <> excluded.digest
      """, club.id, club.name, club.about, club.picture, club.url, source, digest)
  }

  private func store(_ post: Post, keepsTime: Bool) throws -> Stored {
    let published = Int64(post.published.timeIntervalSince1970.rounded(.down))
    let digest = try Self.digest(
      post.title, post.byline, post.teaser, post.body, post.picture, post.url, keepsTime ? nil : "\(published)", "\(post.premium)")
    if let known = try database.queryOne("SELECT digest FROM post WHERE id = ?", post.id, map: { try $0.get(0, as: String.self) }) {
      guard known != digest else { return .unchanged }
      try database.execute(
        """
        UPDATE post SET title = ?, byline = ?, teaser = ?, body = ?, picture = ?, url = ?, premium = ?, digest = ?,
          published = CASE WHEN ? THEN published ELSE ? END WHERE id = ?
        """, post.title, post.byline, post.teaser, post.body ?? "", post.picture, post.url, post.premium, digest, keepsTime, published,
        post.id)
      return .updated
    }
    try database.execute(
      """
      INSERT INTO post (id, fan_club, title, byline, teaser, body, picture, url, published, premium, digest)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, post.id, post.fanClubID, post.title, post.byline, post.teaser, post.body ?? "", post.picture, post.url, published, post.premium,
      digest)
    return .added
  }

  private static func name(_ text: String) throws -> String {
    try Passwords.sha256(Data(text.utf8)).prefix(12).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static func digest(_ parts: String?...) throws -> String {
    // Lengths keep apart what lies on either side of a boundary.
    try name(parts.map { $0.map { "\($0.utf8.count):\($0)" } ?? "-" }.joined())
  }
}
