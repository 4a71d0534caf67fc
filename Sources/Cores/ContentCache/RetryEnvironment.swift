import Runtime

/// What decides when a request that could not be sent is sent again.
public struct RetryEnvironment: Sendable {
  /// The clock by which the waits are measured.
  public let clock: any AppClock
  /// Chance, which makes each wait a little longer, so that machines do not retry at the same moment.
  public let random: any RandomSource
  /// How long the waits are.
  public let backoff: Backoff

  /// By default the system's chance and the standard `Backoff`.
  public init(on clock: any AppClock, random: any RandomSource = SystemRandom(), backoff: Backoff = Backoff()) {
    self.clock = clock
    self.random = random
    self.backoff = backoff
  }

  func wait(after tries: Int, retryAfter: Duration?) -> Duration {
    backoff.wait(after: tries, retryAfter: retryAfter, chance: random.fraction())
  }
}
