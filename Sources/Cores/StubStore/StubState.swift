import Foundation
import PurchaseService

/// What a tester panel shows of a test store.
public struct StubState: Equatable, Sendable {
  /// What is for sale, at today's prices.
  public var products: [Product] = []
  /// Whether this device may pay.
  public var paymentsAllowed = true
  /// How asking for products goes.
  public var requests = StubStoreAnswer()
  /// Seconds that pass in the store in one second.
  public var rate = 1
  /// Every purchase, the oldest first. Subscriptions are among them: ``StubOrder/paidUntil`` is their next renewal while
  /// ``StubOrder/renews``.
  public var orders: [StubOrder] = []
  /// The outcomes of the next purchases of a product. They are used up before ``outcomes``.
  public var productOutcomes: [Product.ID: [StubOutcome]] = [:]
  /// The outcomes of the next purchases; later ones succeed.
  public var outcomes: [StubOutcome] = []
  /// What is left to spend, by user and type.
  public var balances: [String: [String: Int]] = [:]
  /// What happened, the oldest first; the last 200 lines.
  public var log: [StubLogEntry] = []

  /// No purchases, and no outcomes but success.
  public init() {}

  /// Subscriptions that are not over.
  public var subscriptions: [StubOrder] { orders.filter(\.isSubscription) }
  /// Purchases that wait for a command.
  public var pending: [StubOrder] { orders.filter(\.isPending) }
  /// What is in force at a time.
  public func owned(at now: Date) -> [StubOrder] { orders.filter { $0.isInForce(at: now) } }
}

/// A line of what happened in a test store.
public struct StubLogEntry: Codable, Equatable, Sendable {
  /// When it happened, by the store's clock.
  public let date: Date
  /// What happened, in a clause that a tester reads.
  public let text: String

  public init(date: Date, text: String) {
    self.date = date
    self.text = text
  }
}
