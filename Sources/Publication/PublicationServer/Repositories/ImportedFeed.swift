import Foundation
import PublicationAPI

/// The outcome of removing a fan club.
enum RemovalOutcome: Equatable, Sendable {
  case removed
  case noClub
  /// Another reader added it, or none did.
  case notYours
  /// Another reader follows it, or did something to one of its posts.
  case inUse
}

/// A feed on its way into the publication.
struct ImportedFeed: Equatable, Sendable {
  /// A post, and whether its date is only that of its first import, which a later import does not change.
  struct Item: Equatable, Sendable {
    var post: Post
    var isUndated: Bool
    /// The second that it is listed by, since 1970, where others of the document have its date; `nil` where its date alone says that.
    var second: Int64?
  }

  var club: FanClub
  var source: String
  /// See ``FeedOrigin``.
  var isExisting = false
  var items: [Item]

  /// How many items are stored in one step, and of how many bytes: other requests run in between.
  private static let mostOfPart = (items: 200, bytes: 1_000_000)

  /// The items in parts, each for one step; at least one part.
  var parts: [Range<Int>] {
    var (parts, start, bytes) = ([Range<Int>](), 0, 0)
    for (index, item) in items.enumerated() {
      if index - start == Self.mostOfPart.items || bytes > Self.mostOfPart.bytes {
        parts.append(start..<index)
        (start, bytes) = (index, 0)
      }
      bytes += item.post.bytes
    }
    return parts + [start..<items.count]
  }

  /// Lists have no other order for the posts of one second than their identifiers, which say nothing. So each dated item gets a second of its
  /// own, the first of the document the latest. They are moved forwards: a date without a time of day stays the same day. None is moved into
  /// the future.
  /// - Parameter now: in seconds since 1970.
  mutating func giveEachItsSecond(now: Int64) {
    // The newest first.
    let dated = items.indices.filter { !items[$0].isUndated }.map { (index: $0, date: items[$0].post.second) }
      .sorted { ($1.date, $0.index) < ($0.date, $1.index) }
    var seconds = dated.map(\.date)
    for place in seconds.indices.dropLast().reversed() { seconds[place] = max(seconds[place], seconds[place + 1] + 1) }
    var latest = max(now, dated.first?.date ?? now)
    for place in seconds.indices {
      seconds[place] = min(seconds[place], latest)
      latest = seconds[place] - 1
    }
    let counts: [Int64: Int] = dated.reduce(into: [:]) { $0[$1.date, default: 0] += 1 }
    for (entry, second) in zip(dated, seconds) where second != entry.date || counts[entry.date] != 1 { items[entry.index].second = second }
  }
}

extension Post {
  /// When it was published, in whole seconds since 1970.
  var second: Int64 { Int64(published.timeIntervalSince1970.rounded(.down)) }

  /// How many bytes of text of its own it has, of the files that belong to it as well: a feed says how much there is of each.
  fileprivate var bytes: Int {
    var texts: [String?] = [title, byline, teaser, body, picture, url]
    for file in enclosures { texts += [file.url, file.type, file.title] }
    return texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}

/// The outcome of importing a list of feeds, or a part of one.
struct AddedClubs: Equatable, Sendable {
  /// How many are added in one step.
  static let mostOfPart = 50

  var all: [FanClub.ID] = []
  /// Those of them that were not there before.
  var new: [FanClub.ID] = []
  /// Those that the reader did not follow before.
  var followed: [FanClub.ID] = []
}
