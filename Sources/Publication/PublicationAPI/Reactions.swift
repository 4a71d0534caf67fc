/// What a reader feels about a post: one of a few kinds, and one for each reader and post.
///
/// The kinds that this version knows are ``known``; one that came later is kept and counted all the same.
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
  /// It is funny.
  public static let laugh: Reaction = "laugh"
  /// It is astonishing.
  public static let wow: Reaction = "wow"
  /// It is sad.
  public static let sad: Reaction = "sad"

  /// The kinds that this version can draw, in the order in which a reader chooses among them.
  public static let known: [Reaction] = [.like, .love, .laugh, .wow, .sad]
}

/// How many readers chose each kind; on the wire an object, `{"like": 2, "love": 40}`.
///
/// A list in the order of the kinds' names: most posts have one or two, and a page makes fifty of these before it is shown.
public struct ReactionCounts: Codable, Equatable, Sendable, ExpressibleByDictionaryLiteral {
  private var sorted: [(Reaction, Int)]

  /// Kinds that are there twice count as they come last.
  public init(_ counts: [(Reaction, Int)]) {
    let isSorted = counts.count < 2 || zip(counts, counts.dropFirst()).allSatisfy { $0.0.rawValue < $1.0.rawValue }
    sorted = isSorted ? counts : Dictionary(counts) { $1 }.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
  }
  /// By their kinds.
  public init(dictionaryLiteral elements: (Reaction, Int)...) { self.init(elements) }

  /// Reads an object of numbers.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws { self.init(try [Reaction: Int](from: decoder).map { ($0.key, $0.value) }) }
  /// Writes an object of numbers.
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws { try Dictionary(uniqueKeysWithValues: sorted).encode(to: encoder) }

  /// All of them, in the order of the kinds' names.
  public var counts: [(Reaction, Int)] {
    get { sorted }
    set { self = ReactionCounts(newValue) }
  }

  /// How many readers chose a kind; 0 leaves it out.
  public subscript(kind: Reaction) -> Int {
    get { sorted.first { $0.0 == kind }?.1 ?? 0 }
    set { counts = sorted.filter { $0.0 != kind } + (newValue == 0 ? [] : [(kind, newValue)]) }
  }

  /// How many there are, whatever the kind. Never overflows, whatever the publication says.
  public var total: Int {
    sorted.reduce(0) { total, count in
      let (sum, isTooMuch) = total.addingReportingOverflow(max(0, count.1))
      return isTooMuch ? .max : sum
    }
  }

  /// Whether they are the same kinds, as often.
  public static func == (one: ReactionCounts, other: ReactionCounts) -> Bool { one.sorted.elementsEqual(other.sorted, by: ==) }
}

/// `PUT /v1/posts/ID/reaction`: reacts, in place of what the reader chose before.
public struct ReactionRequest: Codable, Equatable, Sendable {
  /// The kind.
  public var kind: Reaction
  /// Makes one.
  public init(kind: Reaction) { self.kind = kind }
}
