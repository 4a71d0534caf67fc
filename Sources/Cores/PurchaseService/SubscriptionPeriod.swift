import Foundation

/// How long one payment of a subscription lasts: months, days, or both. A year is twelve months, a week seven days, so `P1Y` equals `P12M`.
public struct SubscriptionPeriod: Hashable, Sendable {
  /// The calendar months of the period, twelve for a year.
  public let months: Int
  /// Days on top of ``months``.
  public let days: Int

  /// The period of one calendar month.
  public static let month = SubscriptionPeriod(ofMonths: 1)

  private init(ofMonths months: Int) { (self.months, days) = (months, 0) }

  /// - Returns: `nil` when it is empty or a part is negative.
  public init?(months: Int = 0, days: Int = 0) {
    guard months >= 0, days >= 0, months > 0 || days > 0 else { return nil }
    self.months = months
    self.days = days
  }

  /// Reads an ISO 8601 duration of dates: `P1M`, `P1Y`, `P2W`, `P1Y6M`.
  /// - Returns: `nil` for any other text, for zero, and for numbers above 9999.
  public init?(iso8601 text: String) {
    guard text.first == "P" else { return nil }
    var parts: [Character: Int] = [:]
    var digits = ""
    var rest = Substring("YMWD")
    for character in text.dropFirst() {
      if character.isASCII, character.isNumber {
        digits.append(character)
      } else {
        guard digits.count <= 4, let number = Int(digits), let place = rest.firstIndex(of: character) else { return nil }
        parts[character] = number
        rest = rest[rest.index(after: place)...]
        digits = ""
      }
    }
    guard digits.isEmpty, !parts.isEmpty else { return nil }
    self.init(months: 12 * (parts["Y"] ?? 0) + (parts["M"] ?? 0), days: 7 * (parts["W"] ?? 0) + (parts["D"] ?? 0))
  }

  /// The ISO 8601 duration with the fewest parts.
  public var iso8601: String {
    var text = "P"
    if months >= 12 { text += "\(months / 12)Y" }
    if months % 12 > 0 { text += "\(months % 12)M" }
    if days > 0 { text += days % 7 == 0 && months == 0 ? "\(days / 7)W" : "\(days)D" }
    return text
  }

  /// The length in months of the mean Gregorian year (365.2425 days).
  public var lengthInMonths: Decimal { Decimal(months) + Decimal(days) * 12 / (Decimal(3_652_425) / 10_000) }

  /// The same, so many times over.
  /// - Returns: `nil` for less than once, and for longer than can be counted.
  public func times(_ count: Int) -> SubscriptionPeriod? {
    let (months, days) = (months.multipliedReportingOverflow(by: count), days.multipliedReportingOverflow(by: count))
    guard !months.overflow, !days.overflow else { return nil }
    return SubscriptionPeriod(months: months.partialValue, days: days.partialValue)
  }

  /// When it is over, counted from `start` by the Gregorian calendar on every device: a month from the 31st ends on the next month's last
  /// day.
  /// - Parameters:
  ///   - start: when it begins.
  ///   - times: how many of it follow one another.
  ///   - timeZone: where the days begin.
  /// - Returns: `start` itself when it is longer than a calendar can count.
  public func end(from start: Date, times: Int = 1, in timeZone: TimeZone) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    guard let all = self.times(times), all.months < 120_000, all.days < 4_000_000 else { return start }
    return calendar.date(byAdding: DateComponents(month: all.months, day: all.days), to: start) ?? start
  }
}
