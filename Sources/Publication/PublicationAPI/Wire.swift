import Foundation

/// How the wire types become bytes: JSON, dates as RFC 3339 in UTC.
public enum Wire {
  /// Encodes one value.
  /// - Throws: `EncodingError`.
  public static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(date.formatted(.iso8601))
    }
    return try encoder.encode(value)
  }

  /// Decodes one value; dates may have fractional seconds.
  /// - Throws: `DecodingError`.
  public static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
      guard isMoment(text), let date = try? style.parse(text) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "“\(text.prefix(40))” is no RFC 3339 date")
      }
      return date
    }
    return try decoder.decode(type, from: data)
  }

  /// Whether a text has the form of RFC 3339 and an existing day and time: Foundation ignores text after them, and reads the 30th of
  /// February as a day in March.
  private static func isMoment(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    func has(_ form: StaticString, at start: Int) -> Bool {
      guard start + form.utf8CodeUnitCount <= bytes.count else { return false }
      let form = UnsafeBufferPointer(start: form.utf8Start, count: form.utf8CodeUnitCount)
      return zip(form, bytes[start...]).allSatisfy { $0 == UInt8(ascii: "0") ? (0x30...0x39).contains($1) : $0 == $1 }
    }
    func number(_ place: Range<Int>) -> Int { bytes[place].reduce(0) { 10 * $0 + Int($1) - 0x30 } }
    guard has("0000-00-00T00:00:00", at: 0) else { return false }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...12).contains(month), (1...days[month - 1]).contains(day), number(11..<13) < 24, number(14..<16) < 60, number(17..<19) <= 60
    else { return false }
    var zone = 19
    if has(".0", at: zone) { zone = bytes[20...].firstIndex { !(0x30...0x39).contains($0) } ?? bytes.count }
    if has("Z", at: zone) { return bytes.count == zone + 1 }
    guard has("+00:00", at: zone) || has("-00:00", at: zone), bytes.count == zone + 6 else { return false }
    return number(zone + 1..<zone + 3) < 24 && number(zone + 4..<zone + 6) < 60
  }

  /// Decodes a list and leaves out what this version does not understand, such as a product of a newer kind.
  /// - Throws: `DecodingError` when it is no list.
  public static func decodeKnown<Item: Decodable>(_ type: [Item].Type = [Item].self, from data: Data) throws -> [Item] {
    try decode([Known<Item>].self, from: data).compactMap(\.item)
  }

  private struct Known<Item: Decodable>: Decodable {
    let item: Item?
    init(from decoder: any Decoder) { item = try? Item(from: decoder) }
  }
}
