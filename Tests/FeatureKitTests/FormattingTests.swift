import FeatureKit
import Foundation
import PublicationAPI
import Runtime
import TestSupport
import Testing

@Suite struct FormattingTests {
  // Wednesday, 18 November 2026, 10:00 in UTC.
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_794_996_000))
  private func formatting(_ locale: String = "en_GB", zone: String = "UTC") throws -> Formatting {
    Formatting(clock: clock, locale: Locale(identifier: locale), timeZone: try #require(TimeZone(identifier: zone)))
  }
  private func text(ago seconds: Double, locale: String = "en_GB", zone: String = "UTC") throws -> String {
    try formatting(locale, zone: zone).date(clock.now - seconds)
  }

  private static let ages: [(seconds: Double, text: String)] = [
    (-3, "Just now"), (59, "Just now"), (60, "1 minute ago"), (3599, "59 minutes ago"), (3600, "1 hour ago"), (86_399, "23 hours ago"),
    (86_400, "Yesterday"), (122_400, "Yesterday"), (122_401, "16 November"), (400 * 86_400, "14 Oct 2025"), (-86_400, "19 November"),
  ]

  @Test(arguments: ages) func recentTimesAreWords(seconds: Double, expected: String) throws {
    #expect(clock.now.formatted(.iso8601) == "2026-11-18T10:00:00Z")
    #expect(try text(ago: seconds) == expected)
  }

  @Test func daysAreThoseOfTheReader() throws {
    let seconds = 122_400.0  // 17 November, 00:00 in UTC
    #expect(try text(ago: seconds, zone: "America/New_York") == "16 November")
    #expect(try text(ago: 10 * 86_400, locale: "de_DE") == "8. November")
    #expect(try text(ago: 10 * 86_400, locale: "en_US") == "November 8")
  }

  @Test func counts() throws {
    #expect(try formatting().count(1_234_567) == "1,234,567")
    #expect(try formatting("de_DE").count(1200) == "1.200")
    #expect(try formatting().count(1, "post", "posts") == "1 post")
    #expect(try formatting().count(0, "post", "posts") == "0 posts")
  }

  @Test func aPremiumPostIsLockedWithoutAccess() throws {
    var post = Post.sample()
    post.premium = true
    #expect(try PostRow(post, hasPremium: false, formatting: formatting()).isLocked)
    #expect(try !PostRow(post, hasPremium: true, formatting: formatting()).isLocked)
    post.premium = false
    #expect(try !PostRow(post, hasPremium: false, formatting: formatting()).isLocked)
  }

  /// Of a post without a title the importer makes its first words the title.
  @Test(arguments: [
    ("Rain falls…", "Rain falls all day. It goes on.", "… all day. It goes on."), ("Rain falls.", "Rain falls.", ""),
    ("Rain", "Rain falls all day.", "Rain falls all day."), ("…", "… and so on", "… and so on"), ("Snow…", "Rain falls.", "Rain falls."),
  ])
  func firstWordsThatAreTheTitleAreNotSaidTwice(title: String, teaser: String, shown: String) throws {
    var post = Post.sample()
    (post.title, post.teaser) = (title, teaser)
    #expect(try PostRow(post, hasPremium: false, formatting: formatting()).teaser == shown)
  }

  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1 kB"), (12_345, "12 kB"), (999_499, "999 kB"), (999_500, "1 MB"),
    (12_345_678, "12.3 MB"), (123_456_789, "123 MB"), (1_500_000_000, "1.5 GB"),
  ])
  func sizesAreInStepsOfAThousand(bytes: Int, text: String) {
    let formatting = Formatting(clock: ManualClock(), locale: Locale(identifier: "en_GB"), timeZone: .gmt)
    #expect(formatting.bytes(bytes) == text)
  }

  @Test(arguments: [(1, "1 s"), (59, "59 s"), (60, "1 min"), (3569, "59 min"), (3570, "1 h"), (4980, "1 h 23 min"), (7200, "2 h")])
  func durationsAreInMinutes(seconds: Int, text: String) {
    let formatting = Formatting(clock: ManualClock(), locale: Locale(identifier: "en_GB"), timeZone: .gmt)
    #expect(formatting.duration(seconds: seconds) == text)
  }
}
