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

  /// A title or another line of text that feeds write sometimes as text and sometimes as HTML: entities decoded, known tags left out.
  var asPlainLine: String { looksLikeHTML ? ArticleBody(html: self).plainText.collapsed : collapsed }

  /// Whether there is a character reference, or a tag that HTML has. A bare `<T>` is somebody's text.
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

extension UInt8 {
  var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
  var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  var isASCIIBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
