import Runtime

/// After which waits a transaction that the store did not settle is submitted again. There is no last try: it may have been paid. Receipts
/// that could not be verified are verified again by it, too.
public struct RetryPolicy: Equatable, Sendable {
  /// The wait after the first try; it doubles with each further one.
  public var firstWait: Duration
  /// The longest wait of our own while the store does not answer; the store may ask for a longer one.
  public var longestWait: Duration
  /// How much longer a wait may be made by chance, as a share of our own wait, so that many devices do not all come back at once: 0 to 1.
  public var jitter: Double
  /// After how many tries the caller is told that the purchase is pending. It goes on all the same.
  public var triesInForeground: Int
  /// The longest wait before the caller is told that the purchase is pending.
  public var patience: Duration
  /// The wait before asking again about a purchase that somebody has yet to approve, or to do something for.
  public var waitForSomebody: Duration
  /// The first wait before asking again about such a purchase while somebody looks at it; it doubles with each further one, up to
  /// ``waitForSomebody``.
  public var waitWhileWatched: Duration

  /// Makes one; without arguments three tries in the foreground, and one every five minutes or so in the end.
  public init(
    firstWait: Duration = .seconds(1), longestWait: Duration = .seconds(300), jitter: Double = 0.5, triesInForeground: Int = 3,
    patience: Duration = .seconds(20), waitForSomebody: Duration = .seconds(900), waitWhileWatched: Duration = .seconds(10)
  ) {
    self.firstWait = firstWait
    self.longestWait = longestWait
    self.jitter = jitter
    self.triesInForeground = triesInForeground
    self.patience = patience
    self.waitForSomebody = waitForSomebody
    self.waitWhileWatched = waitWhileWatched
  }

  /// The wait before the next try: never shorter than the store asked for, never longer than that or our longest wait by more than the
  /// jitter.
  /// - Parameters:
  ///   - tries: how many there were, from 1.
  ///   - retryAfter: what the store asked for, which counts unless our own is longer.
  ///   - chance: how much of the jitter, from 0 to 1.
  public func wait(after tries: Int, retryAfter: Duration?, chance: Double) -> Duration {
    Backoff(first: firstWait, longest: longestWait, jitter: jitter).wait(after: tries, retryAfter: retryAfter, chance: chance)
  }
}
