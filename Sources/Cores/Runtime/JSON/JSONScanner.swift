/// Goes through the bytes of a JSON text once.
struct JSONScanner {
  private let text: JSONText
  private var place: Int
  private var depth = 0

  private typealias Failure = LocatedJSON.Failure

  init(text: JSONText) {
    self.text = text
    place = text.hasMark ? 3 : 0
  }

  private var byte: UInt8? { place < text.bytes.count ? text.bytes[place] : nil }

  mutating func whole() throws(LocatedJSON.Failure) -> JSONNode {
    let node = try value("a value")
    skipBlanks()
    if byte != nil { throw expected("the end of the file after the value") }
    return node
  }

  private mutating func value(_ what: String) throws(Failure) -> JSONNode {
    skipBlanks()
    let start = place
    let value: JSONNode.Value
    switch byte {
    case UInt8(ascii: "{"): value = try nested { scanner throws(Failure) in .object(try scanner.members()) }
    case UInt8(ascii: "["): value = try nested { scanner throws(Failure) in .list(try scanner.items()) }
    case UInt8(ascii: "\""): value = .text(try string())
    case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): value = .number(try number())
    default:
      if take("true") {
        value = .bool(true)
      } else if take("false") {
        value = .bool(false)
      } else if take("null") {
        value = .null
      } else {
        throw expected(what)
      }
    }
    return JSONNode(value: value, range: start..<place)
  }

  private mutating func nested(
    _ read: (inout JSONScanner) throws(LocatedJSON.Failure) -> JSONNode.Value
  ) throws(LocatedJSON.Failure) -> JSONNode.Value {
    guard depth < JSONText.depthLimit else { throw text.failure(at: place, "nested more than \(JSONText.depthLimit) deep") }
    depth += 1
    place += 1
    let value = try read(&self)
    depth -= 1
    return value
  }

  private mutating func members() throws(Failure) -> [JSONNode.Member] {
    var members: [JSONNode.Member] = []
    var names: Set<String> = []
    skipBlanks()
    if take("}") { return members }
    while true {
      skipBlanks()
      let start = place
      guard byte == UInt8(ascii: "\"") else {
        throw expected(members.isEmpty ? "a field's name in quotation marks or “}”" : "a field's name in quotation marks")
      }
      let name = try string()
      guard names.insert(name).inserted else { throw text.failure(at: start, "“\(name)” is there twice") }
      skipBlanks()
      guard take(":") else { throw expected("“:” after “\(name)”") }
      members.append(JSONNode.Member(name: name, place: start, node: try value("a value for “\(name)”")))
      skipBlanks()
      if take("}") { return members }
      guard take(",") else { throw expected("“,” or “}” after the value of “\(name)”") }
    }
  }

  private mutating func items() throws(Failure) -> [JSONNode] {
    var items: [JSONNode] = []
    skipBlanks()
    if take("]") { return items }
    while true {
      items.append(try value(items.isEmpty ? "a value or “]”" : "a value"))
      skipBlanks()
      if take("]") { return items }
      guard take(",") else { throw expected("“,” or “]” after the value") }
    }
  }

  private mutating func number() throws(Failure) -> String {
    let start = place
    _ = take("-")
    if take("0") {
      if let byte, isDigit(byte) { throw expected("no digit after a leading zero") }
    } else {
      try digits()
    }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    return String(decoding: text.bytes[start..<place], as: UTF8.self)
  }

  private mutating func digits() throws(Failure) {
    guard let first = byte, isDigit(first) else { throw expected("a digit") }
    while let byte, isDigit(byte) { place += 1 }
  }

  private mutating func string() throws(Failure) -> String {
    let start = place
    place += 1
    var units: [UInt8] = []
    while true {
      switch byte {
      case nil: throw text.failure(at: start, "the text that begins here has no closing quotation mark")
      case UInt8(ascii: "\""):
        place += 1
        // A name would be compared with the others, and a value with whatever its reader has.
        guard units.withUnsafeBufferPointer({ StreamSafeText.cut($0) }) == nil else {
          throw text.failure(at: start, "a letter of this text has more marks than any language needs")
        }
        return String(decoding: units, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape(into: &units)
      case let control? where control < 0x20:
        throw text.failure(at: place, "a line end, tab or other control character within a text has to be written as \\n, \\t or \\u…")
      case let other?:
        units.append(other)
        place += 1
      }
    }
  }

  private mutating func escape(into units: inout [UInt8]) throws(Failure) {
    let start = place
    place += 1
    if let unit = byte.flatMap(Self.unit) {
      units.append(unit)
      place += 1
      return
    }
    guard take("u") else {
      throw text.failure(at: start, "there is no such escape; there are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four digits")
    }
    var code = try fourDigits(start)
    if (0xD800..<0xDC00).contains(code), take("\\u") {
      let low = try fourDigits(start)
      guard (0xDC00..<0xE000).contains(low) else { throw text.failure(at: start, "half a surrogate pair is no character") }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw text.failure(at: start, "half a surrogate pair is no character") }
    units.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  /// What an escape of one letter stands for.
  private static func unit(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  private mutating func fourDigits(_ start: Int) throws(Failure) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = byte.flatMap({ Unicode.Scalar($0).isASCII ? Character(Unicode.Scalar($0)).hexDigitValue : nil }) else {
        throw text.failure(at: start, "\\u is followed by four hexadecimal digits")
      }
      code = code << 4 | UInt32(digit)
      place += 1
    }
    return code
  }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private mutating func skipBlanks() {
    while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
  }

  private mutating func take(_ word: StaticString) -> Bool {
    word.withUTF8Buffer { wanted in
      guard text.bytes[place...].starts(with: wanted) else { return false }
      place += wanted.count
      return true
    }
  }

  private func expected(_ what: String) -> Failure {
    guard let byte else { return text.failure(at: place, "expected \(what), found the end of the file") }
    let rest = String(decoding: text.bytes[place...].prefix(40), as: UTF8.self)
    let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    let found = word.isEmpty ? "“\(rest.prefix(1))”" : "“\(word)”"
    let hint =
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "#"): "; JSON has no comments"
      case UInt8(ascii: "'"): "; JSON has double quotation marks only"
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        text.bytes[..<place].last { $0 > 0x20 } == UInt8(ascii: ",") ? "; the comma before it is one too many" : ""
      default: ""
      }
    return text.failure(at: place, "expected \(what), found \(byte < 0x20 ? "a control character or line end" : found)\(hint)")
  }
}
