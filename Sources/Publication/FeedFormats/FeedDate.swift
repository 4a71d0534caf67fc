import Foundation

/// Dates as feeds write them: RFC 3339 and W3CDTF, RFC 822 and its common variants.
enum FeedDate {
  /// - Returns: `nil` for what is no date, and for the year 1 that some programs write for an unknown date.
  static func parse(_ text: String) -> Date? {
    let bytes = Array(text.trimmed.utf8)
    guard bytes.count >= 4, bytes.count < 100 else { return nil }
    let startsWithYear = bytes.prefix(4).allSatisfy(\.isASCIIDigit) && (bytes.count == 4 || !bytes[4].isASCIIDigit)
    return startsWithYear ? internetDate(bytes) : mailDate(bytes)
  }

  // MARK: RFC 3339, and its shorter forms

  private static func internetDate(_ bytes: [UInt8]) -> Date? {
    var reader = DateScanner(bytes)
    var parts = DateParts()
    guard let year = reader.number(digits: 4...4) else { return nil }
    parts.year = year
    if reader.skip("-/."), let month = reader.number(digits: 1...2) {
      parts.month = month
      if reader.skip("-/."), let day = reader.number(digits: 1...2) { parts.day = day }
    }
    reader.skipAll(" Tt,")
    if reader.next?.isASCIIDigit == true {
      guard readTime(&reader, &parts) else { return nil }
      reader.skipAll(" ")
    }
    while !reader.isAtEnd { guard readZoneOrWord(&reader, &parts) else { return nil } }
    return parts.date
  }

  // MARK: RFC 822, and what resembles it

  private static func mailDate(_ bytes: [UInt8]) -> Date? {
    var reader = DateScanner(bytes)
    var parts = DateParts()
    var hasDay = false
    var hasMonth = false
    var hasYear = false
    while true {
      reader.skipAll(" ,.\t()")
      if !parts.hasTime { reader.skipAll(" ,.-/") }
      guard let next = reader.next else { break }
      if next.isASCIIDigit {
        let isTime = reader.digitsAhead <= 2 && reader.peek(reader.digitsAhead) == UInt8(ascii: ":")
        if isTime, !parts.hasTime {
          guard readTime(&reader, &parts) else { return nil }
        } else {
          guard let number = reader.number(digits: 1...4) else { return nil }
          if number < 100, !hasDay {
            parts.day = number
            hasDay = true
          } else {
            guard !hasYear else { return nil }
            parts.year = number >= 1000 ? number : number + (number < 50 ? 2000 : 1900)
            hasYear = true
          }
        }
      } else if next.isASCIILetter, !hasMonth, let month = month(reader.wordAhead) {
        _ = reader.word()
        parts.month = month
        hasMonth = true
      } else {
        guard readZoneOrWord(&reader, &parts) else { return nil }
      }
    }
    return hasDay && hasMonth && hasYear ? parts.date : nil
  }

  // MARK: Parts of both

  private static func readTime(_ reader: inout DateScanner, _ parts: inout DateParts) -> Bool {
    guard let hour = reader.number(digits: 1...2), reader.skip(":."), let minute = reader.number(digits: 1...2) else { return false }
    parts.hasTime = true
    parts.hour = hour
    parts.minute = minute
    guard reader.skip(":"), let second = reader.number(digits: 1...2) else { return true }
    parts.second = second
    if reader.next == UInt8(ascii: ".") || reader.next == UInt8(ascii: ","), reader.peek(1)?.isASCIIDigit == true {
      _ = reader.skip(".,")
      parts.fraction = reader.fraction()
    }
    return true
  }

  /// A zone as a number or a name, `AM` and `PM`, weekdays, and words that mean nothing here.
  private static func readZoneOrWord(_ reader: inout DateScanner, _ parts: inout DateParts) -> Bool {
    reader.skipAll(" ,()\t")
    guard let next = reader.next else { return true }
    if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") {
      guard let offset = readOffset(&reader) else { return false }
      parts.zone = offset
      return true
    }
    guard let word = reader.word()?.uppercased() else { return false }
    switch word {
    case "AM": if parts.hour == 12 { parts.hour = 0 }
    case "PM": if parts.hour < 12 { parts.hour += 12 }
    case _ where parts.hasTime && parts.zone == nil: parts.zone = zones[word]
    default: break
    }
    return true
  }

  /// `+0530`, `+05:30`, `+530`, `-8`: in seconds.
  private static func readOffset(_ reader: inout DateScanner) -> Int? {
    let sign = reader.next == UInt8(ascii: "-") ? -1 : 1
    _ = reader.skip("+-")
    let digits = reader.digitsAhead
    guard let number = reader.number(digits: 1...4) else { return nil }
    var hours = number
    var minutes = 0
    if digits > 2 {
      hours = number / 100
      minutes = number % 100
    } else if reader.skip(":"), let rest = reader.number(digits: 1...2) {
      minutes = rest
    }
    guard hours < 24, minutes < 60 else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }

  private static func month(_ word: String) -> Int? {
    let word = word.lowercased()
    guard word.count >= 3 else { return nil }
    let names = [
      "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
    ]
    return names.firstIndex { $0.hasPrefix(word) || (word == "sept" && $0 == "september") }.map { $0 + 1 }
  }

  /// Seconds east of Greenwich. A name that several zones share has its meaning in RFC 822, or else that of most feeds. Single letters (RFC
  /// 2822, 4.3) and unknown names count as UTC.
  private static let zones: [String: Int] = {
    let hours: [String: Double] = [
      "UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MET": 1, "MEZ": 1, "CEST": 2, "MEST": 2, "MESZ": 2,
      "EET": 2, "EEST": 3, "SAST": 2, "MSK": 3, "TRT": 3, "IST": 5.5, "PKT": 5, "NPT": 5.75, "ICT": 7, "WIB": 7, "SGT": 8, "HKT": 8,
      "PHT": 8, "AWST": 8, "JST": 9, "KST": 9, "ACST": 9.5, "ACDT": 10.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "NST": -3.5,
      "NDT": -2.5, "AST": -4, "ADT": -3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
      "AKST": -9, "AKDT": -8, "HST": -10, "BRT": -3, "ART": -3, "ET": -5, "CT": -6, "MT": -7, "PT": -8,
    ]
    return hours.mapValues { Int($0 * 3600) }
  }()
}
