/// What strangers write, as far as it can be drawn while a person waits.
///
/// Pango breaks a word that is longer than a line by trying it again for each line, and puts the marks of one letter in order by trying each
/// against each: both take time by the square of the length. A label is also measured as narrow as it can be, which is a letter in each line.
extension String {
  /// The same with at most so many characters, and thirty marks to a letter; an ellipsis stands for the rest.
  /// - Parameter most: in Unicode scalars.
  func drawable(most: Int) -> String {
    guard utf8.count > min(most, Self.mostMarks) else { return self }
    var drawable = UnicodeScalarView()
    var (length, marks, isCut) = (0, 0, false)
    for scalar in unicodeScalars {
      guard length < most else {
        drawable.append("…")
        return Self(drawable)
      }
      marks = scalar.isMark ? marks + 1 : 0
      if marks > Self.mostMarks {
        isCut = true
      } else {
        drawable.append(scalar)
        length += 1
      }
    }
    return isCut ? Self(drawable) : self
  }

  /// Whether a word in it takes many lines. Scripts that may be broken between any two characters have no such words.
  var hasLongWord: Bool {
    guard utf8.count > Self.longestWord else { return false }
    var length = 0
    for scalar in unicodeScalars {
      length = scalar.properties.isWhitespace || scalar.properties.isIdeographic || scalar == "\u{200B}" ? 0 : length + 1
      if length > Self.longestWord { return true }
    }
    return false
  }

  /// As in `StreamSafeText`: enough for every language.
  private static let mostMarks = 30
  /// Longer than any address that people read.
  private static let longestWord = 500
}

extension Unicode.Scalar {
  /// Whether it belongs to the letter before it.
  fileprivate var isMark: Bool { !isASCII && properties.isGraphemeExtend }
}
