import PublicationAPI

/// What was counted for a flag, by the side that readers were on: what a roll-out is judged by.
public struct FlagReport: Codable, Equatable, Sendable {
  /// One side.
  public struct Bucket: Codable, Equatable, Sendable {
    /// `on` or `off`.
    public var variant: String
    /// How many readers were on it.
    public var readers = 0
    /// How many sessions asked for the flag.
    public var sessions = 0
    /// How many paywalls they saw.
    public var paywallsSeen = 0
    /// How many purchases were charged, verified and unlocked.
    public var bought = 0
    /// How many failed, by the reason's code.
    public var failed: [String: Int] = [:]
    /// How many of the sessions were not closed.
    public var crashes = 0

    /// A side that nobody was on.
    public init(variant: String) { self.variant = variant }
  }

  /// As it is set now.
  public var flag: FlagRecord
  /// `on`, then `off`.
  public var buckets: [Bucket]

  /// Makes one.
  public init(flag: FlagRecord, buckets: [Bucket]) {
    self.flag = flag
    self.buckets = buckets
  }
}
