import Foundation

/// Reads a JSON text (RFC 8259) once, from its first byte to its last.
///
/// Files that people write and feeds of other programs are read by the same grammar; ``Rules`` say what is forgiven.
package struct JSONParser {
  /// What a text may be like.
  package struct Rules: Sendable {
    /// Deeper nesting is refused, so that no text can exhaust the stack.
    let maximumDepth: Int
    /// More values are refused, so that no text can exhaust the memory: two bytes of it make forty.
    let maximumValues: Int
    /// Whether mistakes of programs are accepted, as by most readers: a name that is there twice, a tab in a text, a number with leading
    /// zeros, half a surrogate pair (which becomes U+FFFD), more marks on a letter than any language needs (which go), other blanks, and
    /// zeros at the end.
    let isLenient: Bool

    package init(maximumDepth: Int, maximumValues: Int = .max, isLenient: Bool = false) {
      self.maximumDepth = maximumDepth
      self.maximumValues = maximumValues
      self.isLenient = isLenient
    }
  }

  /// Why a text is no JSON, or none that is read.
  package struct Failure: Error {
    package enum Kind: Sendable {
      /// It breaks the grammar.
      case syntax
      /// It ends in the middle.
      case endOfText
      /// It is beyond a limit of the rules.
      case limit
    }

    package let kind: Kind
    /// A clause without a period: what was expected, and what was found.
    package let problem: String
    /// How many bytes come before the place.
    package let offset: Int
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private let rules: Rules
  private var place: Int
  private var depth = 0
  private var values = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ rules: Rules) {
    self.bytes = bytes
    self.rules = rules
    place = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
  }

  /// Some editors begin a file with it.
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The value that the whole text is.
  /// - Parameter text: valid UTF-8.
  package static func parse(_ text: some ContiguousBytes, _ rules: Rules) throws(Failure) -> JSONNode {
    let node = text.withUnsafeBytes { bytes -> Result<JSONNode, Failure> in
      var parser = JSONParser(bytes.bindMemory(to: UInt8.self), rules)
      do throws(Failure) { return .success(try parser.whole()) } catch { return .failure(error) }
    }
    return try node.get()
  }

  private mutating func whole() throws(Failure) -> JSONNode {
    let node = try value { "a value" }
    skipBlanks()
    // Some servers send zeros behind the end.
    while rules.isLenient, byte == 0 || isAtBlank { place += 1 }
    if byte != nil { throw expected("the end of the file after the value") }
    return node
  }

  private var byte: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func value(_ what: () -> String) throws(Failure) -> JSONNode {
    skipBlanks()
    let start = place
    values += 1
    guard values <= rules.maximumValues else { throw failure(.limit, "it has more than \(rules.maximumValues) values") }
    let value: JSONNode.Value
    switch byte {
    case UInt8(ascii: "{"): value = .object(try members())
    case UInt8(ascii: "["): value = .array(try elements())
    case UInt8(ascii: "\""): value = .string(try string())
    case UInt8(ascii: "t") where take("true"): value = .bool(true)
    case UInt8(ascii: "f") where take("false"): value = .bool(false)
    case UInt8(ascii: "n") where take("null"): value = .null
    case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): value = .number(try number())
    default: throw expected(what(), isCutOff: isInsideWord)
    }
    return JSONNode(value: value, range: start..<place)
  }

  private mutating func members() throws(Failure) -> [JSONNode.Member] {
    var members: [JSONNode.Member] = []
    var names: Set<String> = []
    try enter()
    if leave("}") { return members }
    while true {
      skipBlanks()
      let start = place
      guard byte == UInt8(ascii: "\"") else {
        throw expected(members.isEmpty ? "a field's name in quotation marks or “}”" : "a field's name in quotation marks")
      }
      let name = try string()
      guard rules.isLenient || names.insert(name).inserted else { throw failure(at: start, "\(JSONNode.quoted(name)) is there twice") }
      skipBlanks()
      guard take(":") else { throw expected("“:” after \(JSONNode.quoted(name))") }
      members.append(JSONNode.Member(name: name, place: start, node: try value { "a value for \(JSONNode.quoted(name))" }))
      if leave("}") { return members }
      guard take(",") else { throw expected("“,” or “}” after the value of \(JSONNode.quoted(name))") }
    }
  }

  private mutating func elements() throws(Failure) -> [JSONNode] {
    var elements: [JSONNode] = []
    try enter()
    if leave("]") { return elements }
    while true {
      let isFirst = elements.isEmpty
      elements.append(try value { isFirst ? "a value or “]”" : "a value" })
      if leave("]") { return elements }
      guard take(",") else { throw expected("“,” or “]” after the value") }
    }
  }

  private mutating func enter() throws(Failure) {
    guard depth < rules.maximumDepth else { throw failure(.limit, "it is nested more than \(rules.maximumDepth) deep") }
    depth += 1
    place += 1
  }

  /// Takes a closing bracket when it is next.
  private mutating func leave(_ bracket: StaticString) -> Bool {
    skipBlanks()
    guard take(bracket) else { return false }
    depth -= 1
    return true
  }

  private mutating func number() throws(Failure) -> String {
    let start = place
    _ = take("-")
    if !rules.isLenient, take("0") {
      if let byte, isDigit(byte) { throw expected("no digit after a leading zero") }
    } else {
      try digits()
    }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  private mutating func digits() throws(Failure) {
    guard let first = byte, isDigit(first) else { throw expected("a digit") }
    while let byte, isDigit(byte) { place += 1 }
  }

  // MARK: Strings

  private mutating func string() throws(Failure) -> String {
    let start = place
    place += 1
    let first = run()
    // Most strings hold no escapes and are taken as they lie there.
    if byte == UInt8(ascii: "\"") {
      place += 1
      return try safe(first, start)
    }
    var units = Array(first)
    while let next = byte, next != UInt8(ascii: "\"") {
      if next == UInt8(ascii: "\\") {
        try escape(into: &units)
      } else {
        guard rules.isLenient, next == UInt8(ascii: "\t") else {
          let what = rules.isLenient ? "a line end or other" : "a line end, tab or other"
          throw failure(at: place, "\(what) control character within a text has to be written as \\n, \\t or \\u…")
        }
        units.append(next)
        place += 1
      }
      units.append(contentsOf: run())
    }
    guard byte != nil else {
      throw Failure(kind: .endOfText, problem: "the text that begins here has no closing quotation mark", offset: start)
    }
    place += 1
    let text: Result<String, Failure> = units.withUnsafeBufferPointer { units in
      do throws(Failure) { return .success(try safe(units[...], start)) } catch { return .failure(error) }
    }
    return try text.get()
  }

  /// Moves to the next quotation mark, backslash or control character.
  private mutating func run() -> Slice<UnsafeBufferPointer<UInt8>> {
    let start = place
    while let byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { place += 1 }
    return bytes[start..<place]
  }

  /// A string that can be compared with others: see ``StreamSafeText``.
  private func safe(_ units: Slice<UnsafeBufferPointer<UInt8>>, _ start: Int) throws(Failure) -> String {
    guard let cut = StreamSafeText.cut(UnsafeBufferPointer(rebasing: units)) else { return String(decoding: units, as: UTF8.self) }
    guard rules.isLenient else { throw failure(at: start, "a letter of this text has more marks than any language needs") }
    return String(decoding: cut, as: UTF8.self)
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
      let problem = "there is no such escape; there are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four digits"
      throw Failure(kind: byte == nil ? .endOfText : .syntax, problem: problem, offset: start)
    }
    var code = try fourDigits(start)
    if (0xD800..<0xDC00).contains(code) {
      let back = place
      if take("\\u") {
        let low = try fourDigits(start)
        if (0xDC00..<0xE000).contains(low) { code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00) } else { place = back }
      }
    }
    let scalar = Unicode.Scalar(code)
    guard rules.isLenient || scalar != nil else { throw failure(at: start, "half a surrogate pair is no character") }
    units.append(contentsOf: scalar.flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter)
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
        let problem = "\\u is followed by four hexadecimal digits"
        throw Failure(kind: byte == nil ? .endOfText : .syntax, problem: problem, offset: start)
      }
      code = code << 4 | UInt32(digit)
      place += 1
    }
    return code
  }

  // MARK: Bytes

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private var isAtBlank: Bool {
    switch byte {
    case 0x20, 0x0A, 0x0D, 0x09: true
    case 0x0B, 0x0C: rules.isLenient
    default: false
    }
  }

  private mutating func skipBlanks() {
    while isAtBlank { place += 1 }
  }

  private mutating func take(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard place + length <= bytes.count else { return false }
    for index in 0..<length where bytes[place + index] != word.utf8Start[index] { return false }
    place += length
    return true
  }

  /// Whether the text ends within `true`, `false` or `null`.
  private var isInsideWord: Bool {
    let rest = bytes[place...]
    return ["true", "false", "null"].contains { $0.utf8.starts(with: rest) }
  }

  // MARK: Failures

  private func failure(at offset: Int, _ problem: String) -> Failure { Failure(kind: .syntax, problem: problem, offset: offset) }

  private func failure(_ kind: Failure.Kind, _ problem: String) -> Failure { Failure(kind: kind, problem: problem, offset: place) }

  private func expected(_ what: String, isCutOff: Bool = false) -> Failure {
    guard let byte else { return failure(.endOfText, "expected \(what), found the end of the file") }
    let rest = String(decoding: bytes[place...].prefix(40), as: UTF8.self)
    let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    let found = word.isEmpty ? "“\(rest.prefix(1))”" : "“\(word)”"
    let hint =
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "#"): "; JSON has no comments"
      case UInt8(ascii: "'"): "; JSON has double quotation marks only"
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        bytes[..<place].last { $0 > 0x20 } == UInt8(ascii: ",") ? "; the comma before it is one too many" : ""
      default: ""
      }
    return failure(
      isCutOff ? .endOfText : .syntax, "expected \(what), found \(byte < 0x20 ? "a control character or line end" : found)\(hint)")
  }
}
