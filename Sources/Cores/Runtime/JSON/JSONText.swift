import Foundation

/// The bytes of a JSON file, and how its places are named.
struct JSONText {
  /// What people write is to be RFC 8259 and nothing else.
  private static let rules = JSONParser.Rules(maximumDepth: 128)

  let bytes: [UInt8]
  let file: String

  init(_ data: Data, file: String) {
    bytes = Array(data)
    self.file = file
  }

  /// The value that the whole file is.
  func parse() throws(LocatedJSON.Failure) -> JSONNode {
    if let place = invalidPlace { throw failure(at: place, "expected UTF-8, found byte \(bytes[place])") }
    do { return try JSONParser.parse(bytes, Self.rules) } catch { throw failure(at: error.offset, error.problem) }
  }

  func failure(at offset: Int, _ problem: String) -> LocatedJSON.Failure {
    let before = bytes[..<offset]
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? (hasMark && offset >= 3 ? 3 : 0)
    // Every byte but those that continue a character.
    let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
    return LocatedJSON.Failure(file: file, line: line, column: column, problem: problem)
  }

  private var hasMark: Bool { bytes.starts(with: JSONParser.byteOrderMark) }

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
