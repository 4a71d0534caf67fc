import Foundation

/// Finds the opening tags of a piece of HTML, one after another.
struct TagScanner {
  struct Tag {
    var name: Range<Int>
    /// The first hundred that have a value: where name and value are.
    var attributes: [(name: Range<Int>, value: Range<Int>)] = []
    /// From its `<` to behind its `>`.
    var range: Range<Int>
    /// The text of a script or a style, in which nothing is a tag.
    var text: Range<Int>?
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  /// Parts outside of tags, and of tags that never end, which another parser would take for the end of a raw text: see ``endsText(_:)``.
  private(set) var hidden: [Range<Int>] = []

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func next() -> Tag? {
    while let start = find(UInt8(ascii: "<"), from: position) {
      position = start + 1
      guard position < bytes.count else { return nil }
      if matches("!--", at: position) {
        skip(behind: "-->", or: "--!>")
        hide(start..<position)
      } else if bytes[position] == UInt8(ascii: "/"), position + 1 < bytes.count, bytes[position + 1].isASCIILetter {
        let end = find(UInt8(ascii: ">"), from: position).map { $0 + 1 } ?? bytes.count
        position += 1
        // Some read quotes in an end tag, and others end it with the first `>`.
        let tag = readTag(start)
        if tag.range.upperBound != end { hidden.append(tag.range) }
      } else if "!?/".utf8.contains(bytes[position]) {
        // To a browser that is a comment as well.
        position = find(UInt8(ascii: ">"), from: position).map { $0 + 1 } ?? bytes.count
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

  /// Whether a name that is written in lower case here stands in a range; letters there may be capitals.
  func has(_ range: Range<Int>, _ name: StaticString) -> Bool {
    range.count == name.utf8CodeUnitCount && matches(name, at: range.lowerBound)
  }

  /// Elements whose content is raw text for some parsers, up to the end tag, and has tags for others.
  private static let texts: [StaticString] = [
    "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style",
  ]

  /// Whether a value has the end tag of such a raw text, or the end of a section of XML: a parser that reads it as raw text sees tags in
  /// the middle of the value.
  func endsText(_ range: Range<Int>) -> Bool {
    // Not by `find`, which would search all that is behind the value.
    bytes[range].indices.contains { place in
      switch bytes[place] {
      case UInt8(ascii: "<"): matches("</", at: place) && Self.texts.contains { matches($0, at: place + 2) }
      case UInt8(ascii: "]"): matches("]]>", at: place)
      default: false
      }
    }
  }

  private mutating func hide(_ range: Range<Int>) { if endsText(range) { hidden.append(range) } }

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
      // An attribute that never ends is no attribute: its value is read as text again.
      guard let end = find(quote, from: start) else {
        position = bytes.count
        hide(start..<position)
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

  /// Whether a text that is written in lower case here starts at an offset; letters there may be capitals.
  private func matches(_ text: StaticString, at start: Int) -> Bool {
    guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
    for index in 0..<text.utf8CodeUnitCount {
      let (byte, wanted) = (bytes[start + index], text.utf8Start[index])
      guard byte == wanted || (byte.isASCIILetter && byte | 0x20 == wanted) else { return false }
    }
    return true
  }

  /// Moves behind the next occurrence of either, or to the end. Nothing is allocated for a candidate: a text may consist of them.
  /// - Returns: where it starts.
  @discardableResult private mutating func skip(behind text: StaticString, or other: StaticString? = nil) -> Int {
    while let found = find(text.utf8Start[0], from: position) {
      if matches(text, at: found) {
        position = found + text.utf8CodeUnitCount
        return found
      }
      if let other, matches(other, at: found) {
        position = found + other.utf8CodeUnitCount
        return found
      }
      position = found + 1
    }
    position = bytes.count
    return position
  }
}
