import Runtime

/// One complete way to sell: where products come from, who charges, and how receipts are verified. Each purchase is finished by the path
/// that began it.
public struct PurchasePath<Purchasable: Hashable & Sendable>: Sendable {
  /// The name in the journal; never changed once it shipped.
  public let name: String
  /// Where products come from.
  public let fetcher: any ProductFetcher
  /// Who charges.
  public let queue: any QueueProcessor
  /// How receipts are verified.
  public let verifier: any ReceiptVerifier<Purchasable>

  /// Memberwise initializer.
  public init(
    name: String, fetcher: any ProductFetcher, queue: any QueueProcessor, verifier: any ReceiptVerifier<Purchasable>
  ) {
    self.name = name
    self.fetcher = fetcher
    self.queue = queue
    self.verifier = verifier
  }
}

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
