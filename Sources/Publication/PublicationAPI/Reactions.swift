/// A reader's reaction to a post, of one of a few kinds; at most one for each reader and post.
///
/// The kinds that this version knows are ``known``; a newer kind is stored and counted as well.
public struct Reaction: RawRepresentable, Codable, CodingKeyRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The kind's name on the wire: 1 to 32 lower-case letters, digits, `-` and `_`.
  public var rawValue: String
  /// A kind of that name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A kind of that name.
  public init(stringLiteral value: String) { rawValue = value }

  /// A thumb up.
  public static let like: Reaction = "like"
  /// A heart.
  public static let love: Reaction = "love"
  /// The reader finds the post funny.
  public static let laugh: Reaction = "laugh"
  /// The reader finds the post astonishing.
  public static let wow: Reaction = "wow"
  /// The reader finds the post sad.
  public static let sad: Reaction = "sad"

  /// The kinds that this version can draw, in the order in which a reader chooses among them. A new one needs words
  /// in the app's `Screens/ReactionButtons.swift`, and an icon there and in `Gtk/Icon.swift`.
  public static let known: [Reaction] = [.like, .love, .laugh, .wow, .sad]
}

/// How many readers chose each kind; on the wire an object, `{"like": 2, "love": 40}`.
///
/// Stored as a list in the order of the kinds' names, for speed: most posts have one or two, and a page makes fifty of these before it is
/// shown.
public struct ReactionCounts: Codable, Equatable, Sendable, ExpressibleByDictionaryLiteral {
  private var sorted: [(kind: Reaction, count: Int)]

  /// Leaves out kinds with a count of 0. Of a kind that is given twice, the last count holds.
  public init(_ counts: [(kind: Reaction, count: Int)]) {
    let isSorted = counts.count < 2 || zip(counts, counts.dropFirst()).allSatisfy { $0.kind.rawValue < $1.kind.rawValue }
    let isAsIs = isSorted && counts.allSatisfy { $0.count != 0 }
    sorted = isAsIs ? counts : Self(Dictionary(counts.map { ($0.kind, $0.count) }) { $1 }).sorted
  }
  /// Leaves out kinds with a count of 0.
  public init(_ counts: [Reaction: Int]) {
    sorted = counts.filter { $1 != 0 }.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
  }
  /// The counts by their kinds. Those of 0 are left out; of a kind that is given twice, the last count holds.
  public init(dictionaryLiteral elements: (Reaction, Int)...) { self.init(elements.map { (kind: $0.0, count: $0.1) }) }

  /// Reads an object of numbers.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws { self.init(try [Reaction: Int](from: decoder)) }
  /// Writes an object of numbers.
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    try Dictionary(uniqueKeysWithValues: sorted.map { ($0.kind, $0.count) }).encode(to: encoder)
  }

  /// All of them, in the order of the kinds' names. They may be set in any order.
  public var counts: [(kind: Reaction, count: Int)] {
    get { sorted }
    set { self = ReactionCounts(newValue) }
  }

  /// How many readers chose a kind; 0 leaves it out.
  public subscript(kind: Reaction) -> Int {
    get { sorted.first { $0.kind == kind }?.count ?? 0 }
    set {
      let place = sorted.firstIndex { $0.kind.rawValue >= kind.rawValue } ?? sorted.endIndex
      let isThere = place < sorted.endIndex && sorted[place].kind == kind
      sorted.replaceSubrange(place..<(isThere ? place + 1 : place), with: newValue == 0 ? [] : [(kind, newValue)])
    }
  }

  /// The sum of all kinds' counts; negative ones count as 0. Saturates at the largest `Int`.
  public var total: Int {
    sorted.reduce(0) {
      let (sum, isTooMuch) = $0.addingReportingOverflow(max(0, $1.count))
      return isTooMuch ? .max : sum
    }
  }

  /// Whether they are the same kinds, as often.
  public static func == (one: ReactionCounts, other: ReactionCounts) -> Bool { one.sorted.elementsEqual(other.sorted, by: ==) }
}

/// `PUT /v1/posts/ID/reaction`: reacts, in place of the reader's earlier reaction.
public struct ReactionRequest: Codable, Equatable, Sendable {
  /// The kind of the reader's reaction.
  public var kind: Reaction

  public init(kind: Reaction) { self.kind = kind }
}
