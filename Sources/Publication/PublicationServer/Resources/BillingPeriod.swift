import Foundation

/// How often a subscription renews: one number of days, weeks, months or years in ISO 8601, by the Gregorian calendar in UTC.
struct BillingPeriod: Equatable, Sendable {
  /// The text is no such period.
  struct Failure: Error, Equatable, CustomStringConvertible {
    let text: String
    var description: String { "“\(text)” is no period such as P1M or P1Y" }
  }

  private let unit: Calendar.Component
  private let count: Int

  /// - Throws: ``Failure``.
  init(_ text: String) throws(Failure) {
    let units: [Character: Calendar.Component] = ["D": .day, "W": .weekOfYear, "M": .month, "Y": .year]
    guard text.first == "P", let letter = text.last, let unit = units[letter], let count = Int(text.dropFirst().dropLast()),
      (1...1000).contains(count)
    else { throw Failure(text: text) }
    self.unit = unit
    self.count = count
  }

  /// Such as "every month" or "every 3 months".
  var words: String {
    let name =
      switch unit {
      case .day: "day"
      case .weekOfYear: "week"
      case .month: "month"
      default: "year"
      }
    return count == 1 ? "every \(name)" : "every \(count) \(name)s"
  }

  /// The end of a period that starts at `start`, both in seconds since 1970. A month that has no such day ends on its last.
  func end(from start: Int64) -> Int64 {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let begin = Date(timeIntervalSince1970: TimeInterval(start))
    // The calendar knows every day of the next thousand years.
    return Int64((calendar.date(byAdding: unit, value: count, to: begin) ?? begin).timeIntervalSince1970)
  }
}
