import PublicationAPI
import SQLiteStorage

/// Marks what a search found in a text, and cuts out what to show of it, in one pass over the text: FTS5's own `highlight` and `snippet`
/// take quadratic time in the matches of a post.
///
/// Texts are those of the index (``SearchText/indexed(_:)``), in UTF-8, and cut into words by the index's own tokenizer.
struct SearchMarker {
  /// The most characters of what is shown, marks included.
  static let longest = String.longestShown
  /// How many words an excerpt has.
  static let words = 24
  /// The most characters before the first match, so that it is seen after any text.
  private static let before = 200

  let tokenizer: Tokenizer
  private let phrases: PhraseMatcher

  /// - Throws: `SQLiteError`.
  init(_ words: SearchWords, in database: Connection) throws {
    let tokenizer = try Tokenizer("unicode61", ["remove_diacritics", "2"], for: database)
    self.tokenizer = tokenizer
    phrases = try PhraseMatcher(
      words.phrases.map { phrase in
        var tokens: [[UInt8]] = []
        var phrase = phrase
        try phrase.withUTF8 { text in
          try tokenizer.words(of: text) { word, _ in
            tokens.append(Array(word))
            return true
          }
        }
        return tokens
      })
  }

  /// The beginning of a text, with what was found in it marked.
  /// - Throws: `SQLiteError`.
  func opening(of text: UnsafeBufferPointer<UInt8>) throws -> String {
    var words = try readWords(of: text, from: 0, atMost: .max)
    words.end = text.count
    return show(text, words, from: 0)
  }

  /// Some words around the first place that has the most of the searched words, marked; the beginning of a text without any of them.
  /// - Throws: `SQLiteError`.
  func excerpt(of text: UnsafeBufferPointer<UInt8>) throws -> String {
    let place = try bestPlace(in: text)
    // In the middle, if there are enough words before it.
    let space = max(0, Self.words - place.words) / 2
    var start = start(place, before: space, in: text)
    var found = try readWords(of: text, from: start, atMost: Self.words)
    let missing = found.reachesEnd ? Self.words - found.words : 0
    if missing > 0, start > 0 {
      start = self.start(place, before: space + missing, in: text)
      found = try readWords(of: text, from: start, atMost: Self.words)
    }
    return show(text, found, from: start)
  }

  /// Where to start: so many words before the match, or fewer when they are long.
  private func start(_ place: Place, before count: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
    guard let match = place.starts.last else { return 0 }
    let earliest = Self.before(match, in: text, characters: Self.before)
    if earliest == 0, place.reachesStart, place.starts.count <= count + 1 { return 0 }
    return place.starts.suffix(count + 1).first { $0 >= earliest } ?? match
  }

  // MARK: Finding the place

  private struct Place {
    /// Where words start: those before the match, the nearest last, and the first word of the match.
    var starts: [Int] = []
    /// Whether no word comes before those.
    var reachesStart = true
    /// How many words it is from the first to the last of what was found.
    var words = 0
  }

  private func bestPlace(in text: UnsafeBufferPointer<UInt8>) throws -> Place {
    var (best, most) = (Place(), 0)
    var matcher = phrases
    var starts = RecentStarts(matcher.longest + 2 * Self.words)
    // Where each phrase was seen last.
    var seen = [Int?](repeating: nil, count: matcher.count)
    try tokenizer.words(of: text) { word, place in
      starts.append(place.lowerBound)
      var widest = 0
      matcher.step(word) { phrase, length in
        seen[phrase] = starts.count - length
        widest = max(widest, length)
      }
      guard widest > 0 else { return true }
      let last = starts.count - 1
      let near = seen.filter { $0.map { $0 > last - Self.words } ?? false }
      // A phrase may be longer than an excerpt; it is alone then.
      let (score, first) = (max(near.count, 1), near.compactMap(\.self).min() ?? last - widest + 1)
      guard score > most else { return true }
      most = score
      let earliest = max(first - Self.words, 0)
      best = Place(
        starts: (earliest...first).map { starts[$0] }, reachesStart: earliest == 0, words: last - first + 1)
      return most < matcher.count
    }
    return best
  }

  // MARK: Marking and cutting

  private struct Words {
    /// How many there are, at most as many as were wanted.
    var words = 0
    /// Where the last of them ends; where the text ends, when no word follows.
    var end = 0
    /// Whether no word follows.
    var reachesEnd = true
    /// What was found.
    var matches: [Range<Int>] = []
  }

  /// Reads no more of a text than can be shown.
  private func readWords(of text: UnsafeBufferPointer<UInt8>, from start: Int, atMost limit: Int) throws -> Words {
    var found = Words()
    found.end = text.count
    var matcher = phrases
    var starts = RecentStarts(matcher.longest)
    // Each as wide as its phrase; those that share a word are one.
    var matches: [(first: Int, last: Int, place: Range<Int>)] = []
    // A character has four bytes at most, and as many may be left out.
    let furthest = start + 2 * 4 * (Self.longest + Self.before)
    try tokenizer.words(of: UnsafeBufferPointer(rebasing: text[start...])) { word, place in
      let place = (start + place.lowerBound)..<(start + place.upperBound)
      starts.append(place.lowerBound)
      let last = starts.count - 1
      if last < limit {
        found.words += 1
        found.end = place.upperBound
      }
      matcher.step(word) { _, length in
        var match = (first: last - length + 1, last: last, place: starts[last - length + 1]..<place.upperBound)
        while let before = matches.last, before.last >= match.first {
          match.first = min(match.first, before.first)
          match.place = min(match.place.lowerBound, before.place.lowerBound)..<place.upperBound
          matches.removeLast()
        }
        matches.append(match)
      }
      // What starts among these words may end behind them.
      if place.upperBound >= furthest { found.reachesEnd = false }
      return last - matcher.longest < limit && place.upperBound < furthest
    }
    if starts.count > limit { found.reachesEnd = false }
    if found.reachesEnd { found.end = text.count }
    found.matches = matches.map(\.place)
    return found
  }

  private func show(_ text: UnsafeBufferPointer<UInt8>, _ words: Words, from start: Int) -> String {
    var shown = MarkedScalars(limit: Self.longest, isCut: start > 0)
    let rest = UnsafeBufferPointer(rebasing: text[start..<max(start, words.end)])
    var matches = words.matches[...]
    var (place, iterator, decoder) = (start, rest.makeIterator(), UTF8())
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      while let match = matches.first, match.upperBound <= place {
        matches.removeFirst()
        shown.endMatch()
      }
      if let match = matches.first, match.contains(place) { shown.beginMatch() }
      guard shown.append(scalar) else { return shown.finished(isCut: true) }
      place += UTF8.width(scalar)
    }
    return shown.finished(isCut: words.end < text.count)
  }

  /// The place so many characters before another.
  private static func before(_ place: Int, in text: UnsafeBufferPointer<UInt8>, characters: Int) -> Int {
    var (place, left) = (place, characters)
    while place > 0, left > 0 {
      place -= 1
      if text[place] & 0xC0 != 0x80 { left -= 1 }
    }
    return place
  }
}

/// A text that is being built, with marks, up to its greatest length.
private struct MarkedScalars {
  private var scalars = String.UnicodeScalarView()
  private var left: Int
  private var isInMatch = false
  private static let start = SearchHit.markStart.unicodeScalars.first
  private static let end = SearchHit.markEnd.unicodeScalars.first

  /// - Parameter isCut: whether something was left out before it.
  init(limit: Int, isCut: Bool) {
    // One for what is left out behind it.
    left = limit - 1
    guard isCut else { return }
    scalars.append("…")
    left -= 1
  }

  mutating func beginMatch() {
    // Room for both marks, and something between them.
    guard !isInMatch, left > 2, let start = Self.start else { return }
    scalars.append(start)
    left -= 2
    isInMatch = true
  }

  mutating func endMatch() {
    guard isInMatch, let end = Self.end else { return }
    scalars.append(end)
    isInMatch = false
  }

  /// - Returns: whether there was room.
  mutating func append(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == SearchText.separator { return true }
    guard left > 0 else { return false }
    left -= 1
    scalars.append(scalar == "\n" || scalar == "\r" ? " " : scalar)
    return true
  }

  mutating func finished(isCut: Bool) -> String {
    endMatch()
    if isCut { scalars.append("…") }
    return SearchText.shown(String(scalars))
  }
}

/// Where the last words of a text start, by their numbers.
private struct RecentStarts {
  private var ring: [Int]
  private(set) var count = 0

  init(_ capacity: Int) { ring = Array(repeating: 0, count: capacity + 1) }

  mutating func append(_ start: Int) {
    ring[count % ring.count] = start
    count += 1
  }

  subscript(number: Int) -> Int { ring[number % ring.count] }
}
