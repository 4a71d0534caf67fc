import Foundation
import PublicationAPI

/// Plain text in which some parts are marked, as a search answers it.
public struct MarkedText: Equatable, Sendable {
  /// The text without the marks.
  public var text: String
  /// What is marked: offsets in UTF-8, in order, none of them empty, each on the borders of characters.
  public var matches: [Range<Int>]

  /// Nothing checks `matches`. By default nothing is marked.
  public init(_ text: String, matches: [Range<Int>] = []) {
    self.text = text
    self.matches = matches
  }

  /// From text with ``SearchHit/markStart`` and ``SearchHit/markEnd``. A mark without its counterpart marks nothing.
  public init(marked: String) {
    var plain = ""
    var found: [Range<Int>] = []
    var start: Int?
    // By scalars: text after a mark, such as a lone accent, must not become one character with it.
    for scalar in marked.unicodeScalars {
      switch scalar {
      case SearchHit.markStart.unicodeScalars.first: start = plain.utf8.count
      case SearchHit.markEnd.unicodeScalars.first:
        if let begun = start, begun < plain.utf8.count { found.append(begun..<plain.utf8.count) }
        start = nil
      default: plain.unicodeScalars.append(scalar)
      }
    }
    self.init(plain, matches: found)
  }

  /// The text in its order, cut where a mark begins or ends.
  public var parts: [(text: String, isMatch: Bool)] {
    var parts: [(String, Bool)] = []
    var end = 0
    let bytes = Array(text.utf8)
    func add(_ range: Range<Int>, _ isMatch: Bool) {
      if !range.isEmpty { parts.append((String(decoding: bytes[range], as: UTF8.self), isMatch)) }
    }
    for match in matches where match.lowerBound >= end && match.upperBound <= bytes.count {
      add(end..<match.lowerBound, false)
      add(match, true)
      end = match.upperBound
    }
    add(end..<bytes.count, false)
    return parts
  }
}

extension MarkedText {
  /// A text in which the words of another are marked, when all of them are in it: each whole, the last as a prefix, without regard to case
  /// and accents. Otherwise nothing is marked.
  ///
  /// The publication's own search does the same for posts; this one is for the few names that are known without it.
  /// - Parameter needsAll: otherwise the words that are in it are marked, even if others are not.
  public init(_ text: String, finding words: String, needsAll: Bool = true) {
    let wanted = Self.words(of: words).map { Self.folded(words[$0]) }
    let there = Self.words(of: text).map { (place: $0, word: Self.folded(text[$0])) }
    var matches: Set<Range<String.Index>> = []
    for (number, word) in wanted.enumerated() {
      let found = there.filter { number == wanted.count - 1 ? $0.word.hasPrefix(word) : $0.word == word }.map(\.place)
      // A script without spaces has words that are parts of one.
      let inside = found.isEmpty && word.unicodeScalars.contains { $0.value >= 0x0E00 && $0.properties.isAlphabetic }
      guard let places = inside ? text.range(of: word, options: Self.aside).map({ [$0] }) : found, !places.isEmpty else {
        guard needsAll else { continue }
        self.init(text)
        return
      }
      matches.formUnion(places)
    }
    let start = text.startIndex
    self.init(
      text,
      matches: matches.sorted { $0.lowerBound < $1.lowerBound }.map {
        text.utf8.distance(from: start, to: $0.lowerBound)..<text.utf8.distance(from: start, to: $0.upperBound)
      })
  }

  /// With ``SearchHit/markStart`` and ``SearchHit/markEnd``, as in a search's answer. These characters are removed from the text itself.
  public var marked: String {
    parts.map { part in
      let text = part.text.filter { $0 != SearchHit.markStart && $0 != SearchHit.markEnd }
      return part.isMatch ? "\(SearchHit.markStart)\(text)\(SearchHit.markEnd)" : text
    }.joined()
  }

  private static let aside: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive, .widthInsensitive]

  private static func folded(_ word: Substring) -> String { String(word).folding(options: aside, locale: nil) }

  private static func words(of text: String) -> [Range<String.Index>] {
    text.split { !$0.isLetter && !$0.isNumber }.map { $0.startIndex..<$0.endIndex }
  }
}
