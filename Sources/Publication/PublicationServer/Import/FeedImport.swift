import FeedFormats
import Foundation
import PublicationAPI

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
  /// An item is known by its `identity` within `source`. One without a date gets the time of its first import.
  /// - Parameter source: names the feed for ever: its URL or absolute path.
  /// - Throws: `SQLiteError`; nothing is imported then.
  public nonisolated func importFeed(_ feed: ParsedFeed, source: String) async throws -> ImportReport {
    // Reading the bodies of a large feed takes a while: not on the publication's thread.
    let imported = try ImportedFeed(feed, source: source, now: clock.now)
    return try await store(imported)
  }

  private func store(_ feed: ImportedFeed) async throws -> ImportReport {
    defer { indexSoon() }
    return try await content.store(feed)
  }
}

extension ImportedFeed {
  /// A feed as a club and its posts, with identifiers that are the same each time.
  init(_ feed: ParsedFeed, source: String, now: Date) throws {
    let clubID = "f" + (try Digest.name(source))
    let club = FanClub(
      id: clubID, name: feed.title.isEmpty ? source : feed.title, about: feed.about, picture: feed.picture, url: feed.homeURL)
    var seen: [String: Int] = [:]
    self.init(club: club, source: source, items: [])
    for (index, item) in feed.items.enumerated() {
      // Feeds repeat an identity now and then; each item is a post all the same.
      let repeats = seen[item.identity, default: 0]
      seen[item.identity] = repeats + 1
      let identity = repeats == 0 ? item.identity : "\(item.identity)\n\(repeats)"
      let dated = item.published ?? item.updated
      // Without dates the order of the document is all there is: the first is the newest.
      let published = dated ?? now.addingTimeInterval(-TimeInterval(index))
      let post = Post(
        id: "p" + (try Digest.name("\(source)\n\(identity)")), fanClubID: clubID, fanClubName: club.name, title: item.displayTitle,
        byline: item.byline, teaser: item.teaser(characters: 300), body: item.body.isEmpty ? item.summary : item.body,
        picture: item.picture, url: item.link, published: published)
      items.append(Item(post: post, isUndated: dated == nil))
    }
  }
}
