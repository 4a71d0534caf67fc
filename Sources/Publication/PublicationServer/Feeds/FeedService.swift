import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// How a publication fetches feeds, and when it asks again.
struct FeedService: Sendable {
  /// How often a feed is asked that answers, in seconds.
  static let interval: Int64 = 3600
  /// How soon one is asked again that does not, the first time; each time twice as long.
  static let firstPause: Int64 = 300
  /// The longest that a feed is left alone, in seconds, unless its server asks for more.
  static let longestPause: Int64 = 86_400

  let fetcher: FeedFetcher
  let readersMayAdd: Bool
  let clock: any AppClock
  let random: any RandomSource

  /// The time, in whole seconds.
  var now: Int64 { Int64(clock.now.timeIntervalSince1970.rounded(.down)) }

  /// When a feed is asked again that answered.
  var next: Int64 { now + spread(Self.interval) }

  /// When a feed is asked again that failed that many times in a row.
  func next(afterFailures failures: Int, wish: Duration?) -> Int64 {
    let doubled = Self.firstPause << Int64(min(max(failures - 1, 0), 20))
    return now + max(spread(min(doubled, Self.longestPause)), wish?.components.seconds ?? 0)
  }

  /// Up to a tenth more or less, so that feeds that were added together are not asked together for ever.
  private func spread(_ seconds: Int64) -> Int64 { seconds + Int64(Double(seconds) * (random.fraction() - 0.5) / 5) }
}

/// A feed that the publication asks again.
struct StoredFeed: Equatable, Sendable {
  /// The club that it fills.
  var club: FanClub.ID
  /// The club's name.
  var name: String
  /// What its posts' identifiers are made of: where it was when it was added.
  var source: String
  var version: FeedVersion
  /// How many times in a row it could not be read.
  var failures = 0
  /// Why not the last time, in a sentence for readers.
  var problem: String?
  /// Whether its posts were ever fetched.
  var isFetched = true
}
