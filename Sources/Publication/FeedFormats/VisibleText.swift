import Runtime

extension String {
  /// The text without invisible characters that change others: control characters that are no white space, those that change the direction
  /// of the text around them, and the two that mark a search's matches. Empty when nothing visible is left.
  public var visibleText: String {
    // Marks on both sides of one belong together without it.
    let isClean = !unicodeScalars.contains(where: \.isHiddenControl)
    let text = isClean ? self : String(UnicodeScalarView(unicodeScalars.filter { !$0.isHiddenControl })).streamSafe
    return text.isBlank ? "" : text
  }

  /// Whether nothing of it is seen.
  var isBlank: Bool { !unicodeScalars.contains(where: \.isSeen) }
}

extension Unicode.Scalar {
  /// A control character that is no white space, or one that embeds, overrides or isolates a direction (UAX 9, 2.1 to 2.4): without its
  /// end, it reverses the text that follows. Marks that only take a side (2.6) do not. Of the characters for private use, which have no
  /// form of their own, the two are among them that stand around what a search found.
  var isHiddenControl: Bool {
    switch value {
    case 0x09...0x0D, 0x85: false
    case 0x00...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0xE000...0xE001: true
    default: false
    }
  }

  fileprivate var isSeen: Bool {
    if value < 0x7F { return value > 0x20 }
    // The empty pattern of Braille is a symbol by its properties.
    return !isHiddenControl && !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && value != 0x2800
  }
}
