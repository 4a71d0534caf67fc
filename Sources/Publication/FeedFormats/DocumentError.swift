import Foundation

/// Why a document's text cannot be read, and where, counted from the text's first character.
struct DocumentError: Error {
  var reason: FeedError.Reason
  var place: TextPlace

  init(_ reason: FeedError.Reason, _ place: TextPlace = .start) {
    self.reason = reason
    self.place = place
  }

  /// - Parameter offset: bytes from the beginning of a text in UTF-8.
  init(_ reason: FeedError.Reason, at offset: Int, in text: Data) { self.init(reason, TextPlace(of: offset, in: text)) }
}

/// A place in a text, as editors count: from 1, in characters.
struct TextPlace: Equatable {
  var line: Int
  var column: Int

  static let start = TextPlace(line: 1, column: 1)

  init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// - Parameter offset: how many bytes of the text come before the place.
  init(of offset: Int, in text: Data) {
    self = .start
    for byte in text.prefix(offset) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        // Bytes within a character of UTF-8 count with its first.
        column += 1
      }
    }
  }
}
