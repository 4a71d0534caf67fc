extension String {
  /// Without white space at its ends.
  var trimmed: String {
    guard let first = utf8.first, let last = utf8.last, first <= 0x20 || last <= 0x20 || first >= 0x80 || last >= 0x80 else { return self }
    guard let start = firstIndex(where: { !$0.isWhitespace }), let end = lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(self[start...end])
  }

  /// Trimmed, and `nil` when nothing is left.
  var nonEmpty: String? {
    let text = trimmed
    return text.isEmpty ? nil : text
  }

  /// The first so many bytes of it, or one to three fewer where a character would be cut.
  func beginning(bytes: Int) -> String { utf8.count > bytes ? String(self[..<utf8.index(startIndex, offsetBy: bytes)]) : self }

  /// A title or another line of text that feeds write sometimes as text and sometimes as HTML: entities decoded, known tags left out.
  var asPlainLine: String { (looksLikeHTML ? ArticleBody(html: self).plainText : self).visibleText.asLine }

  /// White space collapsed, and at most ``longestLine`` Unicode scalars: a feed's title and its author are worked on for each of its items.
  var asLine: String {
    let line = collapsed
    return line.utf8.count > Self.longestLine ? String(line.unicodeScalars.prefix(Self.longestLine)) : line
  }

  /// More than any list shows.
  static let longestLine = 1000

  /// Whether there is a character reference, or a tag that HTML has. A bare `<T>` is part of the text.
  var looksLikeHTML: Bool {
    var rest = utf8[...]
    while let mark = rest.firstIndex(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) {
      let after = rest[rest.index(after: mark)...]
      if rest[mark] == UInt8(ascii: "&") {
        let name = after.prefix { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "#") }
        if !name.isEmpty, after[name.endIndex...].first == UInt8(ascii: ";") { return true }
      } else {
        let name = after.drop { $0 == UInt8(ascii: "/") }.prefix { $0.isASCIILetter || $0.isASCIIDigit }
        if let name = String(name), Self.tags.contains(name.lowercased()) { return true }
      }
      rest = after
    }
    return false
  }

  private static let tags: Set<String> = [
    "a", "abbr", "b", "big", "blockquote", "br", "center", "cite", "code", "del", "div", "em", "figure", "font", "h1", "h2", "h3", "h4",
    "h5", "h6", "hr", "i", "iframe", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "script", "small", "span", "strike",
    "strong", "style", "sub", "sup", "table", "tt", "u", "ul", "video", "wbr",
  ]
}

extension String {
  /// White space collapsed to single spaces, none at the ends.
  var collapsed: String {
    var text = self
    return text.withUTF8 { bytes -> String? in
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count)
      var (position, hasSpace) = (0, false)
      while position < bytes.count {
        let length = bytes.whiteSpace(at: position)
        if length > 0 {
          hasSpace = true
          position += length
          continue
        }
        if hasSpace, !result.isEmpty { result.append(0x20) }
        hasSpace = false
        result.append(bytes[position])
        position += 1
      }
      return result.elementsEqual(bytes) ? nil : String(decoding: result, as: UTF8.self)
    } ?? self
  }

  /// With every occurrence of some ASCII characters replaced by others.
  func replacingASCII(_ old: StaticString, _ new: StaticString) -> String {
    var text = self
    return text.withUTF8 { bytes -> String? in
      let pattern = UnsafeBufferPointer(start: old.utf8Start, count: old.utf8CodeUnitCount)
      guard let first = pattern.first, let start = bytes.firstIndex(of: first) else { return nil }
      var result = Array(bytes[..<start])
      var position = start
      while position < bytes.count {
        if bytes[position] == first, bytes[position...].starts(with: pattern) {
          result.append(contentsOf: UnsafeBufferPointer(start: new.utf8Start, count: new.utf8CodeUnitCount))
          position += pattern.count
        } else {
          result.append(bytes[position])
          position += 1
        }
      }
      return String(decoding: result, as: UTF8.self)
    } ?? self
  }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
  /// Whether it starts with an ASCII text.
  func starts(with text: StaticString) -> Bool { starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) }
}

extension UnsafeBufferPointer<UInt8> {
  /// The place behind the first occurrence of an ASCII text.
  func end(of text: StaticString, from start: Int) -> Int? {
    var position = start
    while position < count, let found = self[position...].firstIndex(of: text.utf8Start[0]) {
      if self[found...].starts(with: text) { return found + text.utf8CodeUnitCount }
      position = found + 1
    }
    return nil
  }

  /// How many bytes the white space has that starts here (Unicode's property White_Space); 0 when none does.
  fileprivate func whiteSpace(at position: Int) -> Int {
    let first = self[position]
    if first.isASCIIBlank { return 1 }
    guard first >= 0xC2, first <= 0xE3, position + 1 < count else { return 0 }
    if first == 0xC2 { return self[position + 1] == 0x85 || self[position + 1] == 0xA0 ? 2 : 0 }
    guard first >= 0xE1, position + 2 < count else { return 0 }
    switch (first, self[position + 1], self[position + 2]) {
    case (0xE1, 0x9A, 0x80), (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8...0xA9), (0xE2, 0x80, 0xAF), (0xE2, 0x81, 0x9F),
      (0xE3, 0x80, 0x80):
      return 3
    default: return 0
    }
  }
}

extension UInt8 {
  var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
  /// The value of a hexadecimal digit.
  var hexadecimal: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
  var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  var isASCIIBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
