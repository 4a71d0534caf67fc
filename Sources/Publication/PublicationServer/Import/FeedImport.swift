import FeedFormats
import Foundation
import PublicationAPI

/// What an import did.
public struct ImportReport: Codable, Equatable, Sendable {
  /// How many items the feed has; of a list of feeds, how many outlines.
  public var items = 0
  /// How many posts are new; of a list of feeds, how many fan clubs.
  public var added = 0
  /// How many were there and are different now.
  public var updated = 0
  /// How many were there and are the same.
  public var unchanged = 0

  /// Nothing imported.
  public init() {}
}

/// Where a feed came from.
struct FeedOrigin: Equatable, Sendable {
  /// Names it for ever: its URL, its absolute path, or whatever else is the same each time.
  var source: String
  /// What to call it when it does not say.
  var name: String
  /// What is known of it on the web; `nil` for one that is not asked again.
  var version: FeedVersion?
  /// Whether it fills a club that there is: one that was removed meanwhile does not come back.
  var isKnown = false
}

extension Publication {
  /// Makes a feed a fan club and its items posts, in one transaction; importing a feed again adds nothing twice.
  ///
  /// An item is known by its `identity` within `source`. One without a date, or with one that is more than a day ahead, gets the time of its
  /// first import.
  /// - Parameter source: names the feed for ever: its URL or absolute path. One on the web is asked again from then on, once the publication
  ///   fetches feeds.
  /// - Throws: `SQLiteError`; nothing is imported then.
  public nonisolated func importFeed(_ feed: ParsedFeed, source: String) async throws -> ImportReport {
    let version = FeedAddress.url(source).map { FeedVersion(url: $0) }
    return try await store(.feed(feed), as: FeedOrigin(source: source, name: source, version: version), nil).report
  }

  /// Makes the feeds of a list fan clubs, without fetching any; clubs that there are stay as they are.
  /// - Throws: `SQLiteError`; nothing is imported then.
  public nonisolated func importOutline(_ outline: ParsedOutline) async throws -> ImportReport { try await store(outline, nil).report }

  /// Stores a document, which somebody may wait for who does not want it any more.
  /// - Throws: `CancellationError`, `SQLiteError`; nothing is stored then.
  nonisolated func store(
    _ document: FeedDocument, as origin: FeedOrigin, _ job: ImportJob?
  ) async throws -> (clubs: [FanClub.ID], report: ImportReport) {
    switch document {
    case .feed(let feed):
      job?.name(feed.title.isEmpty ? origin.name : feed.title)
      var origin = origin
      // A feed that is there already may have moved since it was added.
      if let url = origin.version?.url, let known = try await knownFeed([origin.source, url]) { origin.source = known.source }
      return ([try ImportedFeed.clubID(origin.source)], try await store(feed, as: origin, job))
    case .outline(let outline):
      job?.name(outline.title.isEmpty ? origin.name : outline.title)
      return try await store(outline, job)
    }
  }

  /// Stores a feed of which is known where it came from.
  nonisolated func store(_ feed: ParsedFeed, as origin: FeedOrigin, _ job: ImportJob?) async throws -> ImportReport {
    var origin = origin
    origin.version?.ttl = 60 * min(max(Int64(feed.ttl ?? 0), 0), FeedService.longestPause / 60)
    // Reading the bodies of a large feed takes a while: not on the publication's thread.
    return try await store(ImportedFeed(feed, origin, now: clock.now, job), origin, job)
  }

  private nonisolated func store(_ outline: ParsedOutline, _ job: ImportJob?) async throws -> (clubs: [FanClub.ID], report: ImportReport) {
    let feeds = try outline.feeds.compactMap { entry in
      try entry.feedURL.flatMap { FeedAddress.url($0) }.map { url in
        let name = entry.title.isEmpty ? url : entry.title
        let club = FanClub(id: try ImportedFeed.clubID(url), name: name, about: entry.about, url: entry.homeURL, fetched: false)
        return (club: club, url: url)
      }
    }
    try job?.advance(.storing, of: feeds.count)
    let stored = try await add(feeds, job)
    var report = ImportReport()
    report.items = outline.outlines.count
    report.added = stored.added
    report.unchanged = stored.clubs.count - stored.added
    return (stored.clubs, report)
  }

  private func knownFeed(_ urls: [String]) async throws -> StoredFeed? { try await sources.feed(at: urls) }

  private func add(
    _ feeds: [(club: FanClub, url: String)], _ job: ImportJob?
  ) async throws -> (clubs: [FanClub.ID], added: Int) { try await sources.add(feeds, job) }

  func store(_ feed: ImportedFeed, _ origin: FeedOrigin, _ job: ImportJob?) async throws -> ImportReport {
    defer { indexSoon() }
    let asking = origin.version.map { version in (version, next: feeds?.next(version) ?? now + FeedService.interval) }
    return try await content.store(feed, asking: asking, job)
  }
}

extension ImportedFeed {
  /// How far ahead a date may be, in seconds: time zones are often written wrongly.
  static let tolerance: TimeInterval = 86_400

  /// The club of a feed, the same each time.
  static func clubID(_ source: String) throws -> FanClub.ID { "f" + (try Digest.name(source)) }

  /// A feed as a club and its posts, with identifiers that are the same each time.
  /// - Throws: `CancellationError` when the job is not wanted any more.
  init(_ feed: ParsedFeed, _ origin: FeedOrigin, now: Date, _ job: ImportJob?) throws {
    let source = origin.source
    let clubID = try Self.clubID(source)
    let club = FanClub(
      id: clubID, name: feed.title.isEmpty ? origin.name : feed.title, about: feed.about, picture: feed.picture, url: feed.homeURL)
    var seen: [String: Int] = [:]
    self.init(club: club, source: source, isKnown: origin.isKnown, items: [])
    for (index, item) in feed.items.enumerated() {
      try job?.advance(.reading, done: index, of: feed.items.count)
      // Feeds repeat an identity now and then; each item is a post all the same.
      let repeats = seen[item.identity, default: 0]
      seen[item.identity] = repeats + 1
      let identity = repeats == 0 ? item.identity : "\(item.identity)\n\(repeats)"
      // A date that is yet to come would have the post first until then. It came now, and has no date until that is true.
      let dated = (item.published ?? item.updated).flatMap { $0 <= now.addingTimeInterval(Self.tolerance) ? $0 : nil }
      // Without dates the order of the document is all there is: the first is the newest.
      let published = dated ?? now.addingTimeInterval(-TimeInterval(index))
      let post = Post(
        id: "p" + (try Digest.name("\(source)\n\(identity)")), fanClubID: clubID, fanClubName: club.name, title: item.displayTitle,
        byline: item.byline, teaser: item.teaser(characters: 300), body: item.body.isEmpty ? item.summary : item.body,
        enclosures: item.enclosures.map {
          Enclosure(url: $0.url, type: $0.type, title: $0.title, length: $0.length, duration: $0.duration)
        },
        picture: item.picture, url: item.link, published: published)
      items.append(Item(post: post, isUndated: dated == nil))
    }
  }
}
