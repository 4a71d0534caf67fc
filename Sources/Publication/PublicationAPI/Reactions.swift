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

/// `PUT /v1/posts/ID/reaction`: reacts, in place of what the reader chose before.
public struct ReactionRequest: Codable, Equatable, Sendable {
  /// The kind.
  public var kind: Reaction
  /// Makes one.
  public init(kind: Reaction) { self.kind = kind }
}
