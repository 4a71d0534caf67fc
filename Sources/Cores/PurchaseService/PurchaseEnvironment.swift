import Runtime

/// What a purchase layer needs of the world: time, identifiers, the door off the main actor, and patience.
public struct PurchaseEnvironment: Sendable {
  /// Judges expiry, and waits.
  public let clock: any AppClock
  /// Names transactions.
  public let identifiers: any IdentifierSource
  /// The door off the main actor.
  public let effects: Effects
  /// How often the store is asked again.
  public let retry: RetryPolicy
  /// Spreads the waits.
  public let random: any RandomSource

  /// Memberwise initializer.
  public init(
    clock: any AppClock, identifiers: any IdentifierSource = RandomIdentifiers(), effects: Effects, retry: RetryPolicy = RetryPolicy(),
    random: any RandomSource = SystemRandom()
  ) {
    self.clock = clock
    self.identifiers = identifiers
    self.effects = effects
    self.retry = retry
    self.random = random
  }
}
