import Runtime

/// The dependencies of a purchase layer: time, identifiers, effects, and the retry policy.
public struct PurchaseEnvironment: Sendable {
  /// Judges expiry, and waits.
  public let clock: any AppClock
  /// Names transactions.
  public let identifiers: any IdentifierSource
  /// The door off the main actor.
  public let effects: Effects
  /// How often requests to the store are repeated.
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
