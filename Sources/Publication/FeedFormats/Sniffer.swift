import Foundation

/// The kind of a document by its first bytes, which is enough to choose a parser.
enum Syntax: Equatable {
  case xml
  case json
  case empty
  /// Something else; the text says what, as the end of a sentence.
  case other(String)
}

/// The beginning of a document whose ASCII characters have one byte each.
struct Sniffer {
  let syntax: Syntax
  /// How many bytes come before the document's first character: white space that XML does not allow before its declaration, and NULs
  /// that some servers send.
  let skipped: Int

  init(_ data: Data) {
    let start = data.firstIndex { !Self.isBlank($0) } ?? data.endIndex
    skipped = start - data.startIndex
    syntax = Self.syntax(of: Array(data[start...].prefix(2048)))
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte.isASCIIBlank || byte == 0 }

  private static func syntax(of bytes: [UInt8]) -> Syntax {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let first = text.first else { return .empty }
    switch first {
    case "{", "[": return .json
    case "<":
      let start = text.prefix(512).lowercased()
      return start.hasPrefix("<!doctype html") || start.hasPrefix("<html") ? .other(FeedError.Reason.isAWebPage) : .xml
    default: break
    }
    if bytes.starts(with: [0x1F, 0x8B]) { return .other("it is a compressed file") }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return .other("it is a ZIP file") }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) || bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return .other("it is a picture") }
    if text.hasPrefix("%PDF") { return .other("it is a PDF document") }
    return .other("it begins neither like XML nor like JSON")
  }
}
