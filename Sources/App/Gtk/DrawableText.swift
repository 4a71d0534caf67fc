import Runtime

/// What strangers write, as far as it can be drawn while a person waits.
///
/// Pango breaks a word that is longer than a line by trying it again for each line, and puts the marks of one letter in order by trying each
/// against each: both take time by the square of the length. A label is also measured as narrow as it can be, which is a letter in each line.
extension String {
  /// The same with at most so many characters, and thirty marks to a letter (`StreamSafeText`); an ellipsis stands for the rest.
  /// - Parameter most: in Unicode scalars.
  func drawable(most: Int) -> String {
    let text = streamSafe
    guard text.utf8.count > most, case let scalars = text.unicodeScalars, scalars.count > most else { return text }
    return Self(scalars.prefix(most)) + "…"
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

  /// Longer than any address that people read.
  private static let longestWord = 500
}
