/// A setting from the server: its name, and its value while no rule is known.
public struct Flag: Hashable, Sendable {
  /// The name, the same on both ends: `purchase.device_first`.
  public let name: String
  /// The value when no rule is known that this client can follow.
  public let defaultValue: Bool

  public init(_ name: String, defaultValue: Bool = false) {
    self.name = name
    self.defaultValue = defaultValue
  }
}

/// The side of a roll-out that a user is on. With the flag's name, it is the bucket of the counts.
public enum Variant: String, Codable, Sendable, CaseIterable {
  /// The flag is on: the user gets the new way.
  case on
  /// The way it was.
  case off
}
