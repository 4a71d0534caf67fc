import Foundation

/// How long one payment of a subscription lasts: months, days, or both. A year is twelve months, a week seven days, so `P1Y` equals `P12M`.
public struct SubscriptionPeriod: Hashable, Sendable {
  /// Whole months.
  public let months: Int
  /// Days on top of ``months``.
  public let days: Int

  /// - Returns: `nil` when it is empty or a part is negative.
  public init?(months: Int = 0, days: Int = 0) {
    guard months >= 0, days >= 0, months + days > 0 else { return nil }
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

  /// When it is over, counted from `start` by the Gregorian calendar, whatever calendar the device uses: a month from the 31st ends on the
  /// next month's last day.
  /// - Parameters:
  ///   - times: how many of it follow one another.
  ///   - timeZone: where the days begin.
  public func end(from start: Date, times: Int = 1, in timeZone: TimeZone) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let length = DateComponents(month: months * times, day: days * times)
    return calendar.date(byAdding: length, to: start) ?? start
  }
}
