import Foundation

/// Something that happened in a client, of a reader who agreed to its being counted. It names no reader and nothing that they read.
public struct AnalyticsEvent: Codable, Equatable, Sendable {
  /// What happened: 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`.
  public var name: String
  /// Which of its kind, in the same form, such as a screen's name; `nil` where the name says all.
  public var detail: String?
  /// When, by the client's clock.
  public var date: Date

  /// Memberwise initializer.
  public init(name: String, detail: String? = nil, date: Date) {
    self.name = name
    self.detail = detail
    self.date = date
  }
}

/// `POST /v1/analytics`: at most ``limit`` events.
public struct AnalyticsBatch: Codable, Equatable, Sendable, Identifiable {
  /// How many events one request may hold.
  public static let limit = 100
  /// The client's identifier, a UUID: a batch that is sent again is not counted again.
  public var id: String
  /// In their order.
  public var events: [AnalyticsEvent]

  /// Memberwise initializer.
  public init(id: String, events: [AnalyticsEvent]) {
    self.id = id
    self.events = events
  }
}

/// How often one thing happened on one day: a row of `GET /v1/operator/analytics?days=N`. Nothing says whose it was.
public struct AnalyticsCount: Codable, Equatable, Sendable {
  /// The day, in UTC: `2026-11-24`.
  public var day: String
  /// ``AnalyticsEvent/name``.
  public var name: String
  /// ``AnalyticsEvent/detail``.
  public var detail: String?
  /// How often.
  public var count: Int

  /// Memberwise initializer.
  public init(day: String, name: String, detail: String? = nil, count: Int) {
    self.day = day
    self.name = name
    self.detail = detail
    self.count = count
  }
}
