import Foundation

/// Finds the opening tags of a piece of HTML, one after another.
struct TagScanner {
  struct Tag {
    var name: Range<Int>
    /// The first hundred that have a value: where name and value are.
    var attributes: [(name: Range<Int>, value: Range<Int>)] = []
    var attributeCount = 0
    /// From its `<` to behind its `>`.
    var range: Range<Int>
    /// The text of a script or a style, in which nothing is a tag.
    var text: Range<Int>?
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func next() -> Tag? {
    while let start = find(UInt8(ascii: "<"), from: position) {
      position = start + 1
      guard position < bytes.count else { return nil }
      if starts(with: "!--") {
        skip(behind: "-->", or: "--!>")
      } else if bytes[position].isASCIILetter {
        var tag = readTag(start)
        if has(tag.name, "script") {
          tag.text = tag.range.upperBound..<skip(behind: "</script")
        } else if has(tag.name, "style") {
          tag.text = tag.range.upperBound..<skip(behind: "</style")
        }
        return tag
      }
    }
    return nil
  }

  /// Whether a name is written there, in whatever letters.
  func has(_ range: Range<Int>, _ name: StaticString) -> Bool {
    guard range.count == name.utf8CodeUnitCount else { return false }
    return zip(bytes[range], 0...).allSatisfy { byte, index in
      byte == name.utf8Start[index] || (byte.isASCIILetter && byte | 0x20 == name.utf8Start[index])
    }
  }

  private mutating func readTag(_ start: Int) -> Tag {
    var tag = Tag(name: readName(), range: start..<start)
    while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
      guard !bytes[position].isASCIIBlank, bytes[position] != UInt8(ascii: "/") else {
        position += 1
        continue
      }
      let name = readName()
      guard !name.isEmpty else {
        position += 1
        continue
      }
      tag.attributeCount += 1
      if let value = readValue(), tag.attributes.count < 100 { tag.attributes.append((name, value)) }
    }
    tag.range = start..<min(position + 1, bytes.count)
    return tag
  }

  private mutating func readName() -> Range<Int> {
    let start = position
    while position < bytes.count, !Self.endsName(bytes[position]) { position += 1 }
    return start..<position
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09...0x0D, UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "'"): true
    default: false
    }
  }

  private mutating func readValue() -> Range<Int>? {
    skipBlanks()
    guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else { return nil }
    position += 1
    skipBlanks()
    guard position < bytes.count else { return nil }
    let quote = bytes[position]
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      let start = position + 1
      // An attribute that never ends is none: what follows is read as text again.
      guard let end = find(quote, from: start) else {
        position = bytes.count
        return nil
      }
      position = end + 1
      return start..<end
    }
    let start = position
    while position < bytes.count, !bytes[position].isASCIIBlank, bytes[position] != UInt8(ascii: ">") { position += 1 }
    return start..<position
  }

  private mutating func skipBlanks() {
    while position < bytes.count, bytes[position].isASCIIBlank { position += 1 }
  }

  private func find(_ byte: UInt8, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress, let found = memchr(base + start, Int32(byte), bytes.count - start) else {
      return nil
    }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  /// Whether a text in lower case stands there, in whatever letters.
  private func starts(with text: String) -> Bool {
    bytes[position...].prefix(text.utf8.count).elementsEqual(text.utf8) { $0 == $1 || ($0.isASCIILetter && $0 | 0x20 == $1) }
  }

  /// Moves behind the next occurrence of either, or to the end.
  /// - Returns: where it begins.
  @discardableResult private mutating func skip(behind text: String, or other: String? = nil) -> Int {
    let first = text.utf8.first ?? 0
    while let found = find(first, from: position) {
      position = found
      for end in [text, other].compactMap(\.self) where starts(with: end) {
        position += end.utf8.count
        return found
      }
      position += 1
    }
    position = bytes.count
    return position
  }
}
