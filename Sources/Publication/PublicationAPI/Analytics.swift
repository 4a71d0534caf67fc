import Foundation

/// Something that happened in a client, of a reader who agreed to its being counted. It names no reader and nothing that they read.
public struct AnalyticsEvent: Codable, Equatable, Sendable {
  /// What can happen in a client and is counted.
  public enum Name: String, CaseIterable, Sendable {
    /// A reader is signed in: at the login, or by a stored session.
    case signedIn = "signed_in"
    /// The reader has signed out, or their session ended.
    case signedOut = "signed_out"
    /// Another screen is visible; ``AnalyticsEvent/detail`` is its name.
    case screenSeen = "screen_seen"
    /// A paywall was shown with its offers.
    case paywallSeen = "paywall_seen"
    /// A reader is asked for money.
    case paymentStarted = "payment_started"
    /// The reader agreed to pay.
    case paymentAuthorized = "payment_authorized"
    /// The way to pay gave no token.
    case paymentTokenFailed = "payment_token_failed"
    /// A purchase was charged, verified and unlocked.
    case paymentCharged = "payment_charged"
    /// A purchase failed in another way; ``AnalyticsEvent/detail`` is the failure's code.
    case paymentDeclined = "payment_declined"
    /// The reader did not pay.
    case paymentCancelled = "payment_cancelled"
    /// A purchase waits for the bank or the store.
    case paymentPending = "payment_pending"
  }

  /// A ``Name``. An unknown one of 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-` is accepted and not counted, so that newer clients work with
  /// older servers.
  public var name: String
  /// Which of its kind, in the same form, such as a screen's name; `nil` where the name says all.
  public var detail: String?
  /// When, by the client's clock.
  public var date: Date

  public init(name: String, detail: String? = nil, date: Date) {
    self.name = name
    self.detail = detail
    self.date = date
  }
}

/// `POST /v1/analytics`: 1 to ``limit`` events.
public struct AnalyticsBatch: Codable, Equatable, Sendable, Identifiable {
  /// How many events one request may hold.
  public static let limit = 100
  /// The client's identifier, a UUID: a batch that is sent again is not counted again.
  public var id: String
  /// The events, in the order in which they happened.
  public var events: [AnalyticsEvent]

  public init(id: String, events: [AnalyticsEvent]) {
    self.id = id
    self.events = events
  }
}

/// How often one thing happened on one day: a row of `GET /v1/operator/analytics?days=N`. Nothing says whose it was.
public struct AnalyticsCount: Codable, Equatable, Sendable {
  /// The day, in UTC: `2026-11-24`.
  public var day: String
  /// What happened: ``AnalyticsEvent/name``.
  public var name: String
  /// Which of its kind: ``AnalyticsEvent/detail``.
  public var detail: String?
  /// How often it happened on that day.
  public var count: Int

  public init(day: String, name: String, detail: String? = nil, count: Int) {
    self.day = day
    self.name = name
    self.detail = detail
    self.count = count
  }
}
