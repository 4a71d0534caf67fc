import Foundation

/// One rule of `GET /v1/flags?client=VERSION&features=a,b`: a flag, the clients that it is for, and how many of their users.
public struct FlagRecord: Codable, Equatable, Sendable {
  /// The name: 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`.
  public var name: String
  /// For how many of a hundred readers it is on, 0 to 100. The client computes from flag and reader which ones.
  public var percent: Int
  /// The first version of the client that it is for; `nil` for all.
  public var minVersion: String?
  /// What a client has to report for it to be for that client; `nil` for nothing.
  public var features: [String]?

  public init(name: String, percent: Int, minVersion: String? = nil, features: [String]? = nil) {
    self.name = name
    self.percent = percent
    self.minVersion = minVersion
    self.features = features
  }
}

/// The answer to `GET /v1/flags`: the rules that are for such a client.
public struct FlagList: Codable, Equatable, Sendable {
  /// The rules, sorted by the names of their flags.
  public var flags: [FlagRecord]

  public init(flags: [FlagRecord]) { self.flags = flags }
}

/// An event of the signed-in reader, counted once for each flag that it names.
public struct FlagEventRecord: Codable, Equatable, Sendable, Identifiable {
  /// What can happen to a reader and is counted for flags.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// The flag was read for the first time in a run.
    case exposed
    /// A paywall was shown.
    case paywallSeen = "paywall_seen"
    /// A purchase was charged, verified and unlocked.
    case bought
    /// A purchase failed; nothing was charged. With a ``FlagEventRecord/code``.
    case failed
    /// A run ended without having been closed.
    case crashed
  }

  /// The client's identifier, a UUID: an event with a known identifier is not counted again.
  public var id: String
  /// A ``Kind``. An unknown kind is accepted and not counted, so that newer clients work with older servers.
  public var kind: String
  /// The reason, for kinds with several: 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`.
  public var code: String?
  /// The side that the reader was on, `on` or `off`, by flag.
  public var buckets: [String: String]

  public init(id: String, kind: String, code: String? = nil, buckets: [String: String]) {
    self.id = id
    self.kind = kind
    self.code = code
    self.buckets = buckets
  }
}

/// `POST /v1/events`: at most ``limit`` events of the signed-in reader.
public struct FlagEventBatch: Codable, Equatable, Sendable {
  /// How many events one request may hold.
  public static let limit = 100
  /// How many flags one event may name.
  public static let bucketLimit = 50
  /// The events, in the order in which they happened.
  public var events: [FlagEventRecord]

  public init(events: [FlagEventRecord]) { self.events = events }
}
