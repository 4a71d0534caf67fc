import PublicationAPI

/// Plain text in which some parts are marked, as a search answers it.
public struct MarkedText: Equatable, Sendable {
  /// The text without the marks.
  public var text: String
  /// What is marked: offsets in UTF-8, in order, none of them empty, each on the borders of characters.
  public var matches: [Range<Int>]

  /// Makes one.
  public init(_ text: String, matches: [Range<Int>] = []) {
    self.text = text
    self.matches = matches
  }

  /// From text with ``SearchHit/markStart`` and ``SearchHit/markEnd``. A mark without its counterpart marks nothing.
  public init(marked: String) {
    var plain = ""
    var found: [Range<Int>] = []
    var start: Int?
    // By scalars: what follows a mark, such as an accent on its own, must not become one character with it.
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
