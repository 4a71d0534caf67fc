import Foundation

/// Something that happened to a user, to be counted in the buckets that the user was in.
public struct FlagEvent: Equatable, Sendable, Identifiable {
  /// What happened. An app adds its own; these two the module counts by itself.
  public struct Name: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The word for it, as servers know it.
    public let rawValue: String
    /// A name of that word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A name of that word.
    public init(stringLiteral value: String) { rawValue = value }

    /// A flag was read for the first time in a run: from then on the user sees one side or the other.
    public static let exposed: Name = "exposed"
    /// A run ended without having been closed.
    public static let crashed: Name = "crashed"
  }

  /// Names it, so that a server counts it once however often it is sent.
  public let id: UUID
  /// What is counted, such as that a flag was read.
  public let name: Name
  /// Why, for what has more than one reason: a stable word.
  public let code: String?
  /// The side that the user was on, by flag.
  public let buckets: [String: Variant]

  public init(id: UUID, name: Name, code: String? = nil, buckets: [String: Variant]) {
    self.id = id
    self.name = name
    self.code = code
    self.buckets = buckets
  }
}
