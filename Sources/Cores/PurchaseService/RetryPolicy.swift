import Runtime

/// The waits between the submissions of a transaction that the store did not settle. There is no last try: it may have been paid. Receipts that
/// could not be verified are verified again after the same waits. An app gives its own with its ``PurchaseEnvironment``.
///
/// A wait ends early when the network is back (``PurchaseLayer/networkIsBack()``). For the same wait each time, give a ``backoff`` whose first
/// wait is its longest one, without jitter.
public struct RetryPolicy: Equatable, Sendable {
  /// The waits while the store does not answer; it may request longer ones.
  public var backoff: Backoff
  /// After how many tries the caller gets the outcome pending. The purchase continues.
  public var triesInForeground: Int
  /// The longest wait before the caller gets the outcome pending.
  public var foregroundLimit: Duration
  /// The wait before asking again about a purchase that a person has yet to approve or to confirm.
  public var pendingInterval: Duration
  /// The first wait before asking again about such a purchase while it is on screen; it doubles with each further one, up to
  /// ``pendingInterval``.
  public var watchedInterval: Duration

  /// By default the caller waits for three tries, and at most 20 seconds; later tries are up to about five minutes apart. The store is
  /// asked about a pending purchase every 15 minutes; while that is on screen, first after 10 seconds.
  public init(
    backoff: Backoff = Backoff(), triesInForeground: Int = 3, foregroundLimit: Duration = .seconds(20),
    pendingInterval: Duration = .seconds(900), watchedInterval: Duration = .seconds(10)
  ) {
    self.backoff = backoff
    self.triesInForeground = triesInForeground
    self.foregroundLimit = foregroundLimit
    self.pendingInterval = pendingInterval
    self.watchedInterval = watchedInterval
  }
}
