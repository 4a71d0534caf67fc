import FeedFormats
import Foundation
import Runtime

/// A reader's search as a query of SQLite's FTS5 (https://sqlite.org/fts5.html). No part of it becomes syntax: only letters and digits are
/// passed on.
struct SearchWords: Equatable, Sendable {
  /// All words, each whole, the last one as a prefix. A word that the index splits into several has spaces in it.
  let phrases: [String]

  /// In scalars: a single character may consist of thousands that are each a word to the index.
  private static let longest = 200
  private static let most = 16

  /// `nil` when there is nothing to search for, such as in a text of emoji.
  init?(_ text: String) {
    let decomposed = SearchText.decomposed(Self.beginning(of: text))
    let words = Self.beginning(of: decomposed).unicodeScalars.split(whereSeparator: \.properties.isWhitespace).compactMap { word in
      let parts = word.split { !$0.isPartOfWord }.filter { $0.contains(where: \.beginsWord) }
      return parts.isEmpty ? nil : parts.map { SearchText.separated(String(String.UnicodeScalarView($0))) }.joined(separator: " ")
    }
    guard !words.isEmpty else { return nil }
    phrases = Array(words.prefix(Self.most))
  }

  private static func beginning(of text: String) -> String { String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest))) }

  /// The query.
  var match: String { phrases.map { "\"\($0)\"" }.joined(separator: " ") + "*" }
}

/// Texts on their way into the index and back.
enum SearchText {
  /// Stands between characters of scripts that write without spaces: each is a word to the index, so that any part of a sentence is
  /// found.
  static let separator: Unicode.Scalar = "\u{200B}"

  /// A text as it is indexed: without the characters that mark a match, and without those that would change the direction of the text
  /// beside an excerpt.
  static func indexed(_ text: String) -> String {
    text.utf8.contains { $0 >= 0x80 } ? separated(decomposed(text.visibleText)) : text
  }

  /// A text with its accents as characters of their own, which the tokenizer leaves out: it knows accented letters only in Latin script.
  static func decomposed(_ text: String) -> String {
    text.utf8.contains { $0 >= 0x80 } ? text.streamSafe.decomposedStringWithCanonicalMapping : text
  }

  /// A text with a separator behind each character of a script without spaces.
  static func separated(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.isWrittenWithoutSpaces) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.isWrittenWithoutSpaces { result.append(separator) }
      result.append(scalar)
      if scalar.isWrittenWithoutSpaces { result.append(separator) }
    }
    return String(result)
  }

  /// A text from the index as people read it.
  static func shown(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != separator })).precomposedStringWithCanonicalMapping
  }
}

extension Unicode.Scalar {
  /// What the index's tokenizer (unicode61) takes for part of a word.
  fileprivate var isPartOfWord: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: beginsWord
    }
  }

  fileprivate var beginsWord: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: false
    }
  }

  /// Han, Hiragana, Katakana, and the scripts of Thailand, Laos, Cambodia and Myanmar.
  fileprivate var isWrittenWithoutSpaces: Bool {
    switch value {
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3005...0x3007, 0x3040...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF,
      0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
      true
    default: false
    }
  }
}
