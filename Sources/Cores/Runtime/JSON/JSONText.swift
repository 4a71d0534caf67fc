import Foundation

/// A JSON value, and where it stands.
struct JSONNode {
  enum Value {
    case object([Member])
    case list([JSONNode])
    case text(String)
    case number(String)
    case bool(Bool)
    case null
  }

  struct Member {
    let name: String
    /// Where the name's quotation mark stands.
    let place: Int
    let node: JSONNode
  }

  let value: Value
  /// Its bytes.
  let range: Range<Int>

  /// How an error names it.
  var found: String {
    switch value {
    case .object: "an object"
    case .list: "a list"
    case .text(let text): "“\(text.count > 40 ? text.prefix(40) + "…" : text[...])”"
    case .number(let text): String(text.prefix(40))
    case .bool(let value): "\(value)"
    case .null: "null"
    }
  }
}

/// The bytes of a JSON file and a place among them: reads RFC 8259 and nothing else.
struct JSONText {
  /// Deeper nesting is refused, so that no file can exhaust the stack.
  static let depthLimit = 128

  let bytes: [UInt8]
  let file: String

  init(_ data: Data, file: String) {
    bytes = Array(data)
    self.file = file
  }

  /// The value that the whole file is.
  func parse() throws(LocatedJSON.Failure) -> JSONNode {
    if let place = invalidPlace { throw failure(at: place, "expected UTF-8, found byte \(bytes[place])") }
    var scanner = JSONScanner(text: self)
    return try scanner.whole()
  }

  func failure(at offset: Int, _ problem: String) -> LocatedJSON.Failure {
    let before = bytes[..<offset]
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? (hasMark && offset >= 3 ? 3 : 0)
    // Every byte but those that continue a character.
    let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
    return LocatedJSON.Failure(file: file, line: line, column: column, problem: problem)
  }

  /// Some editors begin a file with a byte order mark.
  var hasMark: Bool { bytes.starts(with: [0xEF, 0xBB, 0xBF]) }

  private var invalidPlace: Int? {
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var place = 0
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let scalar): place += scalar.count
      case .error: return place
      case .emptyInput: return nil
      }
    }
  }
}
