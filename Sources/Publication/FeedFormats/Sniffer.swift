import Foundation

/// What the first bytes of a document look like, which is enough to choose a parser.
enum Syntax: Equatable {
  case xml
  case json
  case empty
  /// Something else; the text says what, as the end of a sentence.
  case other(String)
}

/// The beginning of a document.
struct Sniffer {
  let syntax: Syntax
  /// How many bytes before the document's first character can be left out: a byte order mark that says no more than the default, white
  /// space that XML does not allow before its declaration, and NULs that some servers send.
  let skipped: Int
  /// How many of the skipped bytes are line ends.
  let skippedLines: Int
  /// Whether a byte stands for an ASCII character wherever it could, as in UTF-8 and the ISO 8859 family.
  let isASCIICompatible: Bool

  init(_ data: Data) {
    let prefix = [UInt8](data.prefix(4))
    guard !Self.isWide(prefix) else {
      // Two or four bytes a character; libxml2 reads such documents whole, byte order mark and all.
      skipped = 0
      skippedLines = 0
      isASCIICompatible = false
      syntax = Self.look(data.prefix(4096).filter { $0 != 0 && $0 != 0xFE && $0 != 0xFF }, whole: data.count)
      return
    }
    isASCIICompatible = true
    var start = data.startIndex
    if prefix.starts(with: [0xEF, 0xBB, 0xBF]) { start += 3 }
    var lines = 0
    while start < data.endIndex, Self.isBlank(data[start]) {
      if data[start] == UInt8(ascii: "\n") { lines += 1 }
      start += 1
    }
    skipped = start - data.startIndex
    skippedLines = lines
    syntax = start == data.endIndex ? .empty : Self.look(Array(data[start...].prefix(2048)), whole: data.endIndex - start)
  }

  /// UTF-16 and UTF-32, by their byte order mark or by the zeros around a first `<` or `{`.
  private static func isWide(_ prefix: [UInt8]) -> Bool {
    guard prefix.count >= 2 else { return false }
    if prefix.starts(with: [0xFE, 0xFF]) || prefix.starts(with: [0xFF, 0xFE]) { return true }
    return prefix[0] != prefix[1] && prefix.prefix(4).contains(0) && prefix.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "{") }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0 }

  private static func look(_ bytes: [UInt8], whole: Int) -> Syntax {
    let text = String(decoding: bytes.drop(while: isBlank), as: UTF8.self)
    guard let first = text.first else { return .empty }
    switch first {
    case "{", "[": return .json
    case "<":
      let start = text.prefix(512).lowercased()
      return start.hasPrefix("<!doctype html") || start.hasPrefix("<html") ? .other("it is a web page") : .xml
    default: break
    }
    if bytes.starts(with: [0x1F, 0x8B]) { return .other("it is a compressed file") }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return .other("it is a ZIP file") }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) || bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return .other("it is a picture") }
    if text.hasPrefix("%PDF") { return .other("it is a PDF document") }
    return .other("it begins neither like XML nor like JSON")
  }
}
