import Foundation
import Runtime

/// Reads JSON (RFC 8259) from UTF-8 and says where it is broken.
struct JSONParser {
  /// Why a document is no JSON, and how many bytes come before that.
  struct Failure: Error {
    var reason: FeedError.Reason
    var offset: Int
  }

  /// As deep as XML may be.
  private static let maximumDepth = 256
  /// The most values: ten for each of as many items as are read. Two bytes of a document make forty of memory.
  private static let maximumValues = 10 * FeedParser.mostItems

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var depth = 0
  private var values = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// - Parameter data: valid UTF-8.
  static func parse(_ data: Data) throws(Failure) -> JSON {
    let result = data.withUnsafeBytes { raw -> Result<JSON, Failure> in
      var parser = JSONParser(raw.assumingMemoryBound(to: UInt8.self))
      do throws(Failure) { return .success(try parser.document()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private mutating func document() throws(Failure) -> JSON {
    let value = try readValue()
    skipBlanks()
    // Some servers send zeros behind the end.
    while position < bytes.count, bytes[position] == 0 || bytes[position].isASCIIBlank { position += 1 }
    guard position == bytes.count else { throw malformed("something follows its end") }
    return value
  }

  private mutating func readValue() throws(Failure) -> JSON {
    skipBlanks()
    let start = position
    guard position < bytes.count else { throw cutOff }
    values += 1
    guard values <= Self.maximumValues else {
      throw Failure(reason: .refused("it has more than \(Self.maximumValues) values"), offset: start)
    }
    switch bytes[position] {
    case UInt8(ascii: "{"): return JSON(value: .object(try readMembers()), offset: start)
    case UInt8(ascii: "["): return JSON(value: .array(try readElements()), offset: start)
    case UInt8(ascii: "\""): return JSON(value: .string(try readString()), offset: start)
    case UInt8(ascii: "t"): return try readWord("true", .bool(true))
    case UInt8(ascii: "f"): return try readWord("false", .bool(false))
    case UInt8(ascii: "n"): return try readWord("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return JSON(value: .number(try readNumber()), offset: start)
    default: throw malformed("a value is missing or begins strangely")
    }
  }

  private mutating func readMembers() throws(Failure) -> [(key: String, value: JSON)] {
    try enter()
    var members: [(key: String, value: JSON)] = []
    if skip(UInt8(ascii: "}")) { return members }
    while true {
      skipBlanks()
      guard position < bytes.count else { throw cutOff }
      guard bytes[position] == UInt8(ascii: "\"") else { throw malformed("the name of a member is missing") }
      let key = try readString()
      try expect(UInt8(ascii: ":"), "a colon is missing")
      members.append((key, try readValue()))
      if skip(UInt8(ascii: "}")) { return members }
      try expect(UInt8(ascii: ","), "a comma is missing")
    }
  }

  private mutating func readElements() throws(Failure) -> [JSON] {
    try enter()
    var elements: [JSON] = []
    if skip(UInt8(ascii: "]")) { return elements }
    while true {
      elements.append(try readValue())
      if skip(UInt8(ascii: "]")) { return elements }
      try expect(UInt8(ascii: ","), "a comma is missing")
    }
  }

  private mutating func enter() throws(Failure) {
    depth += 1
    guard depth <= Self.maximumDepth else { throw Failure(reason: .refused("it is nested too deeply"), offset: position) }
    position += 1
  }

  /// Skips a closing bracket when it is next.
  private mutating func skip(_ bracket: UInt8) -> Bool {
    skipBlanks()
    guard position < bytes.count, bytes[position] == bracket else { return false }
    position += 1
    depth -= 1
    return true
  }

  private mutating func expect(_ byte: UInt8, _ complaint: String) throws(Failure) {
    skipBlanks()
    guard position < bytes.count else { throw cutOff }
    guard bytes[position] == byte else { throw malformed(complaint) }
    position += 1
  }

  private mutating func readWord(_ word: StaticString, _ value: JSON.Value) throws(Failure) -> JSON {
    let start = position
    for expected in UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) {
      guard position < bytes.count else { throw cutOff }
      guard bytes[position] == expected else { throw malformed("a value is missing or begins strangely") }
      position += 1
    }
    return JSON(value: value, offset: start)
  }

  private mutating func readNumber() throws(Failure) -> String {
    let start = position
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    try readDigits()
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      position += 1
      try readDigits()
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") { position += 1 }
      try readDigits()
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func readDigits() throws(Failure) {
    guard position < bytes.count else { throw cutOff }
    guard bytes[position].isASCIIDigit else { throw malformed("a number is not finished") }
    while position < bytes.count, bytes[position].isASCIIDigit { position += 1 }
  }

  // MARK: Strings

  private mutating func readString() throws(Failure) -> String {
    position += 1
    let start = position
    moveToSpecial()
    // Most strings hold no escapes and are taken as they lie there.
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      defer { position += 1 }
      return String(decoding: bytes[start..<position], as: UTF8.self)
    }
    var text = Array(bytes[start..<position])
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: text, as: UTF8.self).streamSafe
      case UInt8(ascii: "\\"): try readEscape(&text)
      // Other readers accept a tab.
      case UInt8(ascii: "\t"):
        text.append(UInt8(ascii: "\t"))
        position += 1
      default: throw malformed("a text holds a line end or another control character")
      }
      let from = position
      moveToSpecial()
      text.append(contentsOf: bytes[from..<position])
    }
    throw cutOff
  }

  /// Moves to the next quote, backslash or control character.
  private mutating func moveToSpecial() {
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { return }
      position += 1
    }
  }

  private mutating func readEscape(_ text: inout [UInt8]) throws(Failure) {
    guard position + 1 < bytes.count else {
      position = bytes.count
      throw cutOff
    }
    let letter = bytes[position + 1]
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): return try readCharacter(&text)
    default: throw malformed("a backslash is followed by what it cannot mean")
    }
    position += 2
  }

  /// `\uXXXX`, or two that make one character; half of such a pair is no character and becomes U+FFFD.
  private mutating func readCharacter(_ text: inout [UInt8]) throws(Failure) {
    let first = try readUnit()
    var value = UInt32(first)
    if (0xD800..<0xDC00).contains(first), position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    {
      let back = position
      let second = try readUnit()
      if (0xDC00..<0xE000).contains(second) {
        value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
      } else {
        position = back
      }
    }
    text.append(contentsOf: String(Character(Unicode.Scalar(value) ?? "\u{FFFD}")).utf8)
  }

  private mutating func readUnit() throws(Failure) -> UInt16 {
    let digits = bytes[(position + 2)...].prefix(4)
    var unit: UInt16 = 0
    for digit in digits {
      guard let value = digit.hexadecimal else { throw malformed("a backslash is followed by what it cannot mean") }
      unit = unit << 4 | UInt16(value)
    }
    guard digits.count == 4 else {
      position = bytes.count
      throw cutOff
    }
    position += 6
    return unit
  }

  // MARK: Places

  private mutating func skipBlanks() {
    while position < bytes.count, bytes[position].isASCIIBlank { position += 1 }
  }

  private var cutOff: Failure { Failure(reason: .cutOff, offset: bytes.count) }

  private func malformed(_ what: String) -> Failure { Failure(reason: .malformed(what), offset: position) }
}

extension UInt8 {
  /// The value of a hexadecimal digit.
  var hexadecimal: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
