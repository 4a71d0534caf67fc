import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// How a publication fetches feeds, and when it does so again.
struct FeedService: Sendable {
  /// How often a feed is fetched that answers, in seconds.
  static let interval: Int64 = 3600
  /// The pause after a first failure, in seconds; it doubles with each further one.
  static let firstPause: Int64 = 300
  /// The longest that a feed is left alone, in seconds.
  static let longestPause: Int64 = 86_400

  /// The least pause after an answer that took that long: no feed takes up more than a 360th of a place, which is ten seconds in an hour.
  static func pause(after taken: Duration) -> Int64 { 360 * taken.components.seconds }

  let fetcher: FeedFetcher
  let readersMayAdd: Bool
  /// For how long a fetch on request answers further readers' requests for the same feed.
  let moment: Duration
  let clock: any AppClock
  let random: any RandomSource

  /// Whether a feed stays at its address, also after a permanent redirect: it was added by one of many readers, and has posts. A reader who
  /// adds a feed gets the fan club that is fetched from its address. By a redirect, another reader's club with other posts would be there.
  func isBound(_ feed: StoredFeed) -> Bool { feed.addedBy != nil && feed.isFetched && hasManyReaders }

  /// Whether a fetch may be for others than the one who asks.
  var hasManyReaders: Bool { moment > .zero }

  /// The time, in whole seconds.
  var now: Int64 { clock.unixTime }

  /// The next time of a feed that answered: later than usual when it says that it stays unchanged.
  func next(_ version: FeedVersion) -> Int64 {
    now + max(spread(Self.interval), min(max(version.ttl, version.maxAge), Self.longestPause))
  }

  /// The next time of a feed that failed that many times in a row.
  func next(afterFailures failures: Int, quiet: Int64?) -> Int64 {
    let doubled = Self.firstPause << Int64(min(max(failures - 1, 0), 20))
    return max(now + spread(min(doubled, Self.longestPause)), quiet ?? 0)
  }

  /// Until when a server wants to be left alone that refused.
  func quiet(after error: any Error) -> Int64? {
    (error as? FeedFetcher.Failure)?.retryAfter.map { now + $0.components.seconds }
  }

  /// Up to a tenth more or less, so that feeds that were added together are not fetched together for ever.
  private func spread(_ seconds: Int64) -> Int64 { seconds + Int64(Double(seconds) * (random.fraction() - 0.5) / 5) }
}

/// A feed that the publication fetches again and again.
struct StoredFeed: Equatable, Sendable {
  /// The club that it fills.
  var club: FanClub.ID
  /// The club's name.
  var name: String
  /// The source of its posts' identifiers: the address that it was added with.
  var source: String
  var version: FeedVersion
  /// How many times in a row it could not be read.
  var failures = 0
  /// Why not the last time, in a sentence for readers.
  var problem: String?
  /// Until when its server wants to be left alone, in seconds since 1970.
  var quiet: Int64?
  /// Whether its posts were ever fetched.
  var isFetched = true
  /// Which reader added it; `nil` for what the publisher imported.
  var addedBy: Reader.ID?
  /// When it is due, in seconds since 1970; `nil` for never by the schedule.
  var next: Int64?

  /// Its place among the feeds that are due.
  var place: FeedPlace { FeedPlace(next: next ?? .max, club: club) }
}

/// A feed's place among those that are due, longest waiting first.
struct FeedPlace: Equatable, Sendable {
  var next: Int64
  var club: FanClub.ID
}
