import Foundation

// Requests of the operator while the publication runs.

/// An order in the answer to `GET /v1/operator/orders`: the order's own fields, and whose it is.
public struct ListedOrder: Codable, Equatable, Sendable {
  /// The order's own fields.
  public var order: Order
  /// The address of the reader; `nil` for one who was removed.
  public var reader: String?

  private enum CodingKeys: String, CodingKey { case reader }

  public init(order: Order, reader: String?) {
    self.order = order
    self.reader = reader
  }

  /// Reads one.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    order = try Order(from: decoder)
    reader = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .reader)
  }

  /// Writes one.
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    try order.encode(to: encoder)
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encodeIfPresent(reader, forKey: .reader)
  }
}

/// A reader in the answer to `GET /v1/operator/readers`.
public struct ListedReader: Codable, Equatable, Sendable {
  /// Something that the reader paid for and has.
  public struct Access: Codable, Equatable, Sendable {
    /// What it opens, such as `premium`.
    public var entitlement: String
    /// The product that gives it for the longest.
    public var productID: ProductRecord.ID
    /// When it ends, if nothing more is paid; `nil` for permanent access.
    public var until: Date?

    public init(entitlement: String, productID: ProductRecord.ID, until: Date?) {
      self.entitlement = entitlement
      self.productID = productID
      self.until = until
    }
  }

  /// The address to sign in with.
  public var email: String
  /// What the reader is called.
  public var name: String
  /// The access that was paid for and is in force; empty for none.
  public var access: [Access]

  public init(email: String, name: String, access: [Access]) {
    self.email = email
    self.name = name
    self.access = access
  }
}

/// `POST /v1/operator/orders/ID/refund`: gives the money of an order back, and ends what it gave.
public struct RefundRequest: Codable, Equatable, Sendable {
  /// One sentence for the reader.
  public var reason: String
  /// Whether the publication's clock is right although a payment is ahead of it.
  public var trustsClock: Bool?
  /// Without `trustsClock`, every refund is refused while a payment lies more than an hour ahead of the publication's clock.
  public init(reason: String, trustsClock: Bool? = nil) {
    self.reason = reason
    self.trustsClock = trustsClock
  }
}

/// `POST /v1/operator/readers`: adds a reader.
public struct NewReaderRequest: Codable, Equatable, Sendable {
  /// The address to sign in with.
  public var email: String
  /// What to call the reader.
  public var name: String
  /// The password to sign in with at first.
  public var password: String

  public init(email: String, name: String, password: String) {
    self.email = email
    self.name = name
    self.password = password
  }
}

/// `PUT /v1/operator/readers/EMAIL/password`: sets another password, and ends the reader's sessions.
public struct PasswordRequest: Codable, Equatable, Sendable {
  /// The password that the reader signs in with from now on.
  public var password: String

  public init(password: String) { self.password = password }
}

/// The answer to `DELETE /v1/operator/readers/EMAIL/sessions`.
public struct EndedSessions: Codable, Equatable, Sendable {
  /// How many sessions were ended.
  public var count: Int

  public init(count: Int) { self.count = count }
}

/// `POST /v1/operator/keys`: signs receipts with a new key from now on.
public struct KeyRequest: Codable, Equatable, Sendable {
  /// The algorithm of the new key: `es256` or `eddsa`.
  public var algorithm: String

  public init(algorithm: String) { self.algorithm = algorithm }
}

/// `PUT /v1/operator/flags/NAME`: sets a flag. Fields that are left out require nothing of a client.
public struct FlagRuleRequest: Codable, Equatable, Sendable {
  /// For how many of a hundred readers it is on.
  public var percent: Int
  /// The first version of the client that it is for.
  public var minVersion: String?
  /// What a client has to report.
  public var features: [String]?
  /// With the defaults, the rule is for every version of the client and needs no feature.
  public init(percent: Int, minVersion: String? = nil, features: [String]? = nil) {
    self.percent = percent
    self.minVersion = minVersion
    self.features = features
  }
}

/// The counts of a flag by the side that readers were on, to judge a roll-out by.
public struct FlagReport: Codable, Equatable, Sendable {
  /// The counts of one side of a flag.
  public struct Bucket: Codable, Equatable, Sendable {
    /// The side that is counted: `on` or `off`.
    public var variant: String
    /// How many readers were on it.
    public var readers = 0
    /// How many sessions read the flag.
    public var sessions = 0
    /// How many paywalls they saw.
    public var paywallsSeen = 0
    /// How many purchases were charged, verified and unlocked.
    public var bought = 0
    /// How many failed, by the reason's code.
    public var failed: [String: Int] = [:]
    /// How many of the sessions were not closed.
    public var crashes = 0

    /// A side without readers.
    public init(variant: String) { self.variant = variant }
  }

  /// The flag's rule, as it is set now.
  public var flag: FlagRecord
  /// The counts of both sides: `on`, then `off`.
  public var buckets: [Bucket]

  public init(flag: FlagRecord, buckets: [Bucket]) {
    self.flag = flag
    self.buckets = buckets
  }
}

/// `PUT /v1/operator/minimum-version`: the oldest version of the app that is served; `nil` for any.
public struct MinimumVersionRequest: Codable, Equatable, Sendable {
  /// The oldest version that is served: ``PublicationInfo/minimumVersion``.
  public var version: String?

  public init(version: String?) { self.version = version }
}

/// `PUT /v1/operator/maintenance`: from now on every request but the operator's gets ``Problem/Code/maintenance``. `DELETE` ends it.
public struct MaintenanceRequest: Codable, Equatable, Sendable {
  /// How long it takes, probably; `nil` when that is not known.
  public var minutes: Int?

  public init(minutes: Int?) { self.minutes = minutes }
}

/// Maintenance of a publication. It lasts until the operator ends it.
public struct Maintenance: Codable, Equatable, Sendable {
  /// When it ends, probably.
  public var until: Date?

  public init(until: Date?) { self.until = until }
}
