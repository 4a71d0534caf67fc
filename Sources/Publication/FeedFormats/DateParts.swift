import Foundation

/// A date by the calendar, being put together.
struct DateParts {
  var year = 0
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  var fraction = 0.0
  var zone: Int?
  var hasTime = false

  /// The moment; `nil` when there is no such day or time.
  var date: Date? {
    guard (1800...9999).contains(year), (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day) else { return nil }
    guard hour <= 24, minute < 60, second <= 60, hour < 24 || (minute == 0 && second == 0) else { return nil }
    let seconds = Self.dayNumber(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - (zone ?? 0)
    return Date(timeIntervalSince1970: Double(seconds) + fraction)
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01 in the Gregorian calendar; years start in March here, so that a leap day comes last.
  private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}

/// Walks over the bytes of a date.
struct DateScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }
  var next: UInt8? { peek(0) }
  func peek(_ distance: Int) -> UInt8? { position + distance < bytes.count ? bytes[position + distance] : nil }
  var digitsAhead: Int { bytes[position...].prefix(while: \.isASCIIDigit).count }
  var wordAhead: String { String(decoding: bytes[position...].prefix(while: \.isASCIILetter), as: UTF8.self) }

  mutating func skip(_ characters: String) -> Bool {
    guard let next, characters.utf8.contains(next) else { return false }
    position += 1
    return true
  }

  mutating func skipAll(_ characters: String) { while skip(characters) {} }

  /// A run of digits, when it has that many.
  mutating func number(digits: ClosedRange<Int>) -> Int? {
    let count = digitsAhead
    guard digits.contains(count) else { return nil }
    defer { position += count }
    return bytes[position..<position + count].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// The digits behind a decimal point.
  mutating func fraction() -> Double {
    var value = 0.0
    var scale = 0.1
    while let digit = next, digit.isASCIIDigit {
      value += Double(digit - UInt8(ascii: "0")) * scale
      scale /= 10
      position += 1
    }
    return value
  }

  mutating func word() -> String? {
    let word = wordAhead
    position += word.utf8.count
    return word.isEmpty ? nil : word
  }
}
