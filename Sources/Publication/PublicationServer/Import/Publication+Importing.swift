import FeedFormats
import Foundation
import PublicationAPI
import SQLiteStorage

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
  /// Of a list of feeds, how many outlines name none, such as folders.
  public var withoutFeed = 0
  /// How many were there twice.
  public var duplicates: Int { items - added - updated - unchanged - withoutFeed }

  /// A report of an import that brought nothing.
  public init() {}

  mutating func add(_ other: ImportReport) {
    items += other.items
    added += other.added
    updated += other.updated
    unchanged += other.unchanged
    withoutFeed += other.withoutFeed
  }
}

/// The origin of a feed.
struct FeedOrigin: Equatable, Sendable {
  /// Its permanent name: its URL, its absolute path, or another text that is the same each time.
  var source: String
  /// What to call it when it does not say.
  var name: String
  /// Its version on the web; `nil` for one that is not fetched again.
  var version: FeedVersion?
  /// Whether it fills an existing club: one that was removed meanwhile is not made again.
  var isExisting = false
}

extension Publication {
  /// Imports a feed as a fan club, and its items as posts, in parts between which other requests run. Importing a feed again adds nothing
  /// twice.
  ///
  /// An item is identified by its `identity` within `source`. One without a date, or with one that is more than a day ahead, gets the time
  /// of its first import. Those of one second get a second each, in the order of the feed.
  /// - Parameters:
  ///   - feed: what was read.
  ///   - source: the permanent name of the feed: its URL or absolute path. One on the web is fetched again from then on, once the
  ///       publication fetches feeds.
  /// - Throws: `SQLiteError`; nothing new stays then.
  public nonisolated func importFeed(_ feed: ParsedFeed, source: String) async throws -> ImportReport {
    let version = FeedAddress.url(source).map { FeedVersion(url: $0) }
    return try await store(.feed(feed), as: FeedOrigin(source: source, name: source, version: version), nil).report
  }

  /// Imports the feeds of a list as fan clubs, without fetching any; existing clubs stay unchanged. Only for tests.
  /// - Throws: `SQLiteError`; nothing new stays then.
  public nonisolated func importOutline(_ outline: ParsedOutline) async throws -> ImportReport { try await store(outline, nil).report }

  /// Stores a document, for a reader who may cancel the job meanwhile.
  /// - Throws: `CancellationError`, `SQLiteError`; nothing new stays then.
  nonisolated func store(
    _ document: FeedDocument, as origin: FeedOrigin, _ job: ImportJob?
  ) async throws -> (clubs: [FanClub.ID], report: ImportReport) {
    switch document {
    case .feed(let feed):
      job?.name(feed.title.isEmpty ? origin.name : feed.title)
      var origin = origin
      // A feed that is there already may have moved since it was added.
      if let url = origin.version?.url, let stored = try await storedFeed([origin.source, url]) {
        origin.source = stored.source
        if await feeds?.isBound(stored) == true { origin.version?.url = stored.version.url }
      }
      return ([try ImportedFeed.clubID(origin.source)], try await store(feed, as: origin, job))
    case .outline(let outline):
      job?.name(outline.title.isEmpty ? origin.name : outline.title)
      return try await store(outline, job)
    }
  }

  /// Stores a feed with its origin.
  nonisolated func store(_ feed: ParsedFeed, as origin: FeedOrigin, _ job: ImportJob?) async throws -> ImportReport {
    var origin = origin
    origin.version?.ttl = 60 * min(max(Int64(feed.ttl ?? 0), 0), FeedService.longestPause / 60)
    let imported = try await feedReader.run(FeedDocument.feed(feed).bytes) { [origin] in try ImportedFeed(feed, origin, now: clock.now, job)
    }
    return try await store(imported, origin, job)
  }

  private nonisolated func store(_ outline: ParsedOutline, _ job: ImportJob?) async throws -> (clubs: [FanClub.ID], report: ImportReport) {
    let feeds = try await feedReader.run(outline.feeds.count * 100) {
      try outline.feeds.compactMap { entry in
        try entry.feedURL.flatMap { FeedAddress.url($0) }.map { url in
          let name = entry.title.isEmpty ? url : entry.title
          let club = FanClub(id: try ImportedFeed.clubID(url), name: name, about: entry.about, url: entry.homeURL, fetched: false)
          return (club: club, url: url)
        }
      }
    }
    try job?.advance(.storing, of: feeds.count)
    let stored = try await add(feeds, job)
    var report = ImportReport()
    report.items = outline.outlines.count
    report.withoutFeed = outline.outlines.count { $0.feedURL == nil }
    report.added = stored.new.count
    report.unchanged = stored.all.count - stored.new.count
    return (stored.all, report)
  }

  private func storedFeed(_ urls: [String]) async throws -> StoredFeed? { try await feedRepository.feed(at: urls) }

  private func add(_ feeds: [(club: FanClub, url: String)], _ job: ImportJob?) async throws -> AddedClubs {
    defer { indexSoon() }
    var stored = AddedClubs()
    do {
      for start in stride(from: 0, to: feeds.count, by: AddedClubs.mostOfPart) {
        try await finishRemoval(of: feeds[start...].prefix(AddedClubs.mostOfPart).lazy.map(\.club.id))
        let range = start..<min(start + AddedClubs.mostOfPart, feeds.count)
        let part = try await whileLocked { try await partTurns.takePart { try await feedRepository.add(feeds, range, job) } }
        stored.all += part.all
        stored.new += part.new
        stored.followed += part.followed
      }
    } catch {
      try await takeBack(stored, job)
      throw error
    }
    return stored
  }

  func store(_ feed: ImportedFeed, _ origin: FeedOrigin, _ job: ImportJob?) async throws -> ImportReport {
    defer { indexSoon() }
    let next = origin.version.map { version in feeds?.next(version) ?? now + FeedService.interval }
    try await finishRemoval(of: [feed.club.id])
    let isNew = try await content.fanClub(feed.club.id, for: "") == nil
    let isReaders = job != nil || feed.isExisting
    var (feed, report) = (feed, ImportReport())
    do {
      for part in feed.parts {
        if isReaders, part.lowerBound > 0 { try await finishBacklogs() }
        var version = origin.version
        // A feed of which only a part is stored is read as a whole when it is fetched again.
        if part.upperBound < feed.items.count {
          version?.etag = nil
          version?.modified = nil
        }
        let timedVersion = version.flatMap { version in next.map { (version, next: $0) } }
        report.add(
          try await whileLocked { try await partTurns.takePart { try await content.store(feed, part, version: timedVersion, job) } })
        // A club that is removed between two parts is not made again by the next one.
        feed.isExisting = true
      }
    } catch {
      if isNew, report.items > 0 { try await takeBack(AddedClubs(new: [feed.club.id]), job) }
      throw error
    }
    return report
  }

  /// Does what earlier imports and removals left to do, until little enough of it is left. What readers add waits for this, and so does what
  /// their feeds bring later: others have longer lists to read and search until it is done. The first part of a feed does not wait. It is
  /// small, so that who adds a feed has its newest posts at once, whatever others do.
  private func finishBacklogs() async throws {
    try await sweepBacklog()
    try await indexBacklog()
  }

  /// Tries background work again for half a minute while another program has the database locked. Others have their turn
  /// in between.
  /// - Throws: what the last try throws; `CancellationError`.
  func whileLocked<Value>(_ step: () async throws -> Value) async throws -> Value {
    for wait in Self.waitsForALock {
      do { return try await step() } catch let error as SQLiteError where error.code == .busy {
        try await clock.sleep(for: .seconds(wait))
      }
    }
    return try await step()
  }

  private static let waitsForALock = [1, 2, 4, 8, 16]

  /// Has an import leave nothing behind that ended in its middle.
  private func takeBack(_ stored: AddedClubs, _ job: ImportJob?) async throws {
    _ = try await whileLocked { try await content.takeBack([], follows: stored.followed, of: job?.follower) }
    for start in stride(from: 0, to: stored.new.count, by: AddedClubs.mostOfPart) {
      let part = Array(stored.new[start..<min(start + AddedClubs.mostOfPart, stored.new.count)])
      sweepSoon(try await whileLocked { try await content.takeBack(part, follows: [], of: job?.follower) })
      await Task.yield()
    }
  }
}

extension FeedDocument {
  /// How much is stored of its items. The least that one counts is what its row and its places in the indexes take.
  var bytes: Int {
    switch self {
    case .feed(let feed): feed.items.reduce(0) { $0 + max(512, $1.bytes) }
    // Its feeds are counted by themselves.
    case .outline: 0
    }
  }

  /// - Throws: `Problem` for more than readers may import at once.
  func checkSize(_ name: String) throws(Problem) {
    switch self {
    case .feed(let feed): try feed.checkSize(name)
    case .outline(let outline):
      guard outline.feeds.count > Import.mostClubs else { return }
      throw Problem(
        code: .tooLarge, title: "\(name) has more than \(Import.mostClubs) feeds, and so many are not added at once.", status: 413)
    }
  }
}

extension ParsedItem {
  fileprivate var bytes: Int {
    var texts: [String?] = [body, summary, title, byline, link, picture]
    for file in enclosures { texts += [file.url, file.type, file.title] }
    return texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}

extension ParsedFeed {
  /// - Throws: `Problem` for more than readers may import at once.
  func checkSize(_ name: String) throws(Problem) {
    guard items.count > Import.mostItems else { return }
    throw Problem(code: .tooLarge, title: "\(name) has more than \(Import.mostItems) items, and so many are not read.", status: 413)
  }
}

extension ImportedFeed {
  /// How far ahead a date may be, in seconds: time zones are often written wrongly.
  static let tolerance: TimeInterval = 86_400

  /// The club of a feed, the same each time.
  static func clubID(_ source: String) throws -> FanClub.ID { "f" + (try Digest.name(source)) }

  /// A feed as a club and its posts, with identifiers that are the same each time.
  /// - Throws: `CancellationError` when the job is not wanted any more, or the task is cancelled.
  init(_ feed: ParsedFeed, _ origin: FeedOrigin, now: Date, _ job: ImportJob?) throws {
    let source = origin.source
    let clubID = try Self.clubID(source)
    let club = FanClub(
      id: clubID, name: feed.title.isEmpty ? origin.name : feed.title, about: feed.about, picture: feed.picture, url: feed.homeURL)
    var seen: [String: Int] = [:]
    self.init(club: club, source: source, isExisting: origin.isExisting, items: [])
    for (index, item) in feed.items.enumerated() {
      try Task.checkCancellation()
      try job?.advance(.reading, done: index, of: feed.items.count)
      // Feeds repeat an identity now and then; each item is a post nevertheless.
      let repeats = seen[item.identity, default: 0]
      seen[item.identity] = repeats + 1
      let identity = repeats == 0 ? item.identity : "\(item.identity)\n\(repeats)"
      // A date in the future would put the post first until then. It counts as published now, and as undated until that date.
      let dated = (item.published ?? item.updated).flatMap { $0 <= now.addingTimeInterval(Self.tolerance) ? $0 : nil }
      // Without dates the order of the document counts: the first is the newest.
      let published = dated ?? now.addingTimeInterval(-TimeInterval(index))
      let post = Post(
        id: "p" + (try Digest.name("\(source)\n\(identity)")), fanClubID: clubID, fanClubName: club.name, title: item.displayTitle,
        byline: item.byline, teaser: item.teaser(characters: 300), body: WebLinks.html(item.body.isEmpty ? item.summary : item.body),
        enclosures: item.enclosures.map {
          Enclosure(url: $0.url, type: $0.type, title: $0.title, length: $0.length, duration: $0.duration)
        },
        picture: item.picture, url: item.link, published: published)
      items.append(Item(post: post, isUndated: dated == nil))
    }
    giveEachItsSecond(now: Int64(now.timeIntervalSince1970.rounded(.down)))
  }
}
