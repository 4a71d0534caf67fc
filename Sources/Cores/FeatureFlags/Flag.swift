/// A switch that the server turns: a name, and what holds as long as the server has said nothing about it.
public struct Flag: Hashable, Sendable {
  /// The name, the same on both ends: `purchase.device_first`.
  public let name: String
  /// The answer when no rule is known, or none that this client can follow.
  public let defaultValue: Bool

  /// Memberwise initializer.
  public init(_ name: String, defaultValue: Bool = false) {
    self.name = name
    self.defaultValue = defaultValue
  }
}

/// The side of a roll-out that a user is on. With the flag's name it is the bucket that counts are kept by.
public enum Variant: String, Codable, Sendable, CaseIterable {
  /// The new way.
  case on
  /// The way it was.
  case off
}
