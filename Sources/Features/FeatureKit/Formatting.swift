import Foundation
import Runtime

/// How times and counts become text, the same on every page. Nothing here looks at the device's own settings.
public struct Formatting: Sendable {
  /// What "ago" is measured from.
  public var clock: any AppClock
  /// The reader's language and region.
  public var locale: Locale
  /// The reader's time zone.
  public var timeZone: TimeZone
  /// The publication's origin, where each post has a page; `nil` for the publication inside the app, whose posts have none.
  public var pages: String?

  /// ``pages`` is `nil`, as for the publication inside the app.
  public init(clock: any AppClock, locale: Locale, timeZone: TimeZone) {
    self.clock = clock
    self.locale = locale
    self.timeZone = timeZone
  }

  /// When something appeared: in words for the last day, then the day, with its year when that is another one than now's.
  ///
  /// A time ahead of the clock by less than a minute is "Just now", since no two clocks agree; one further ahead is shown as its day.
  public func date(_ date: Date) -> String {
    let now = clock.now
    let age = now.timeIntervalSince(date)
    switch age {
    case -60..<60: return "Just now"
    case 60..<3600: return Self.ago(Int(age / 60), "minute")
    case 3600..<86_400: return Self.ago(Int(age / 3600), "hour")
    default: break
    }
    let calendar = calendar
    if age > 0, let yesterday = calendar.date(byAdding: .day, value: -1, to: now), calendar.isDate(date, inSameDayAs: yesterday) {
      return "Yesterday"
    }
    let isThisYear = calendar.isDate(date, equalTo: now, toGranularity: .year)
    let style = style.day().month(isThisYear ? .wide : .abbreviated)
    return date.formatted(isThisYear ? style : style.year())
  }

  /// The day with its year, also when it is near: what an end or a receipt needs.
  public func day(_ date: Date) -> String { date.formatted(style.day().month(.wide).year()) }

  /// The day with its year, hour and minute.
  public func moment(_ date: Date) -> String { date.formatted(style.day().month(.wide).year().hour().minute()) }

  /// The hour and minute alone, of a moment of today.
  public func time(_ date: Date) -> String { date.formatted(style.hour().minute()) }

  private var calendar: Calendar {
    var calendar = locale.calendar
    calendar.timeZone = timeZone
    return calendar
  }
  private var style: Date.FormatStyle { Date.FormatStyle(locale: locale, calendar: calendar, timeZone: timeZone) }

  /// A count with the separators of the reader's language.
  public func count(_ count: Int) -> String { count.formatted(.number.locale(locale)) }

  /// A count of things: `1 follower`, `1,200 followers`.
  public func count(_ count: Int, _ singular: String, _ plural: String) -> String {
    "\(self.count(count)) \(count == 1 ? singular : plural)"
  }

  /// A size as desktops write it, in steps of a thousand: `850 bytes`, `12 kB`, `12.3 MB`.
  public func bytes(_ count: Int) -> String {
    var (size, unit) = (Double(count), 0)
    // What would be rounded to a thousand is one of the next unit.
    while size >= 999.5, unit < Self.units.count {
      size /= 1000
      unit += 1
    }
    guard unit > 0 else { return self.count(count, "byte", "bytes") }
    let digits = unit > 1 && size < 99.95 ? 1 : 0
    return "\(size.formatted(.number.precision(.fractionLength(0...digits)).locale(locale))) \(Self.units[unit - 1])"
  }

  private static let units = ["kB", "MB", "GB", "TB", "PB", "EB"]

  /// How long something plays: `45 s`, `12 min`, `1 h 23 min`.
  public func duration(seconds: Int) -> String {
    guard seconds >= 60 else { return "\(count(seconds)) s" }
    let minutes = (seconds + 30) / 60
    guard minutes >= 60 else { return "\(minutes) min" }
    return minutes % 60 == 0 ? "\(count(minutes / 60)) h" : "\(count(minutes / 60)) h \(minutes % 60) min"
  }

  private static func ago(_ count: Int, _ unit: String) -> String { count == 1 ? "1 \(unit) ago" : "\(count) \(unit)s ago" }
}

extension String {
  /// The path of a file as it stands in a sentence: no line ends after its first slash, which says nothing by itself.
  public var asPathInSentence: String { hasPrefix("/") ? "/\u{2060}\(dropFirst())" : self }
}
