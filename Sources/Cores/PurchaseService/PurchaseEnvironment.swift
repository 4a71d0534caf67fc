import Runtime

/// The dependencies of a purchase layer: time, identifiers, effects, and the retry policy.
public struct PurchaseEnvironment: Sendable {
  /// The clock by which access ends and waits are measured.
  public let clock: any AppClock
  /// Gives each transaction its identifier.
  public let identifiers: any IdentifierSource
  /// The door off the main actor.
  public let effects: Effects
  /// How often requests to the store are repeated.
  public let retry: RetryPolicy
  /// Chance, which makes each wait a little longer, so that machines do not retry at the same moment.
  public let random: any RandomSource

  /// By default random identifiers, the system's chance and the standard ``RetryPolicy``.
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
