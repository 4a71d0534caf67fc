/// How long to wait before another try: longer each time, up to a limit, and with jitter, so that machines do not retry at the same moment.
public struct Backoff: Equatable, Sendable {
  /// The wait after the first try; it doubles with each further one.
  public var first: Duration
  /// The longest wait of our own, unless the first is longer; the server may ask for a longer one.
  public var longest: Duration
  /// How much longer chance may make a wait, as a share of our own wait: 0 to 1.
  public var jitter: Double

  /// By default one second at first, five minutes at most, and up to half as much again by chance. A `jitter` outside of 0 to 1 counts as
  /// the nearest of the two.
  public init(first: Duration = .seconds(1), longest: Duration = .seconds(300), jitter: Double = 0.5) {
    self.first = first
    self.longest = longest
    self.jitter = jitter
  }

  /// The wait before the next try: never shorter than `retryAfter`, never longer than that or our longest wait by more than the jitter.
  /// - Parameters:
  ///   - tries: how many there were, from 1.
  ///   - retryAfter: the pause that the server requested (RFC 9110, section 10.2.3), which counts unless our own is longer.
  ///   - chance: how much of the jitter, from 0 to 1: ``RandomSource/fraction()``.
  public func wait(after tries: Int, retryAfter: Duration? = nil, chance: Double) -> Duration {
    let own = min(first * (1 << min(max(tries - 1, 0), 20)), max(first, longest))
    let share = min(max(jitter, 0), 1) * min(max(chance, 0), 1)
    return max(retryAfter ?? .zero, own) + own * share
  }
}
