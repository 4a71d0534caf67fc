import Foundation
import PurchaseService
import Runtime

extension TestStore {
  /// Which purchase a command is about: the latest one that it applies to, of this product and this user.
  public struct Target: Equatable, Sendable {
    /// The product; `nil` for any.
    public var product: Product.ID?
    /// The user; `nil` for any.
    public var user: String?

    /// By default the latest purchase of all.
    public init(_ product: Product.ID? = nil, user: String? = nil) {
      self.product = product
      self.user = user
    }
  }

  /// The renewal that fails.
  public enum When: String, Codable, CaseIterable, Sendable {
    /// One that is made due now.
    case now
    /// The next that is due.
    case renewal
  }

  /// What a tester does to a store, in the panel or in a scenario file: `{"do": "step", "period": "P1M"}`.
  public enum Command: Equatable, Sendable {
    /// Sets the outcome of the next purchase, of this product or of any; it is used before the planned ones.
    case nextOutcome(StubOutcome, product: Product.ID? = nil)
    /// Approves a purchase that was deferred, as a bank or a parent would.
    case approve(Target = Target())
    /// Declines a purchase that was deferred, as a bank or a parent would.
    case decline(Target = Target())
    /// The person has resolved an interrupted purchase, or the store works again and gives a valid receipt.
    case resolve(Target = Target())
    /// How asking for products and for receipts goes from here on.
    case requests(StubStoreAnswer)
    /// Whether this device may pay.
    case paymentsAllowed(Bool)
    /// A purchase on another device, which appears here.
    case buyElsewhere(Product.ID, user: String? = nil)
    /// The store says that receipts have changed, so that the app restores.
    case restore
    /// Renews a subscription now.
    case renew(Target = Target())
    /// Ends a subscription now.
    case expire(Target = Target())
    /// Whether a subscription renews by itself.
    case autoRenew(Target = Target(), on: Bool)
    /// A renewal cannot be charged, and access ends, and the store keeps trying for 60 days.
    case billingRetry(Target = Target(), at: When = .now)
    /// A renewal cannot be charged, and access continues for so many days.
    case grace(Target = Target(), days: Int = 16, at: When = .now)
    /// A renewal that failed goes through after all.
    case recover(Target = Target())
    /// The money goes back, and access ends for a reason.
    case refund(Target = Target(), reason: String = "The purchase was refunded.")
    /// A product costs more from here on. With consent, subscriptions end at their renewal unless the person agrees.
    case priceIncrease(Product.ID, priceMinorUnits: Int, needsConsent: Bool = false)
    /// The person agrees to the higher price, or does not.
    case consent(Target = Target(), agreed: Bool)
    /// How many seconds pass in the store in one second: 1, or `AdjustableClock.monthInThirtySeconds`, or 0 to stand still.
    case clockRate(Int)
    /// Moves the store's clock on.
    case step(Duration)
    /// Moves the store's clock on by a period of the calendar.
    case stepPeriod(SubscriptionPeriod)
    /// Forgets every purchase and begins the file again.
    case reset
  }
}

extension TestStore.Command: Codable {
  /// The commands' names in JSON.
  public enum Name: String, Codable, CaseIterable, Sendable {
    case nextOutcome = "next_outcome"
    case approve, decline, resolve, requests
    case paymentsAllowed = "payments_allowed"
    case buyElsewhere = "buy_elsewhere"
    case restore, renew, expire
    case autoRenew = "auto_renew"
    case billingRetry = "billing_retry"
    case grace, recover, refund
    case priceIncrease = "price_increase"
    case consent
    case clockRate = "clock_rate"
    case step, reset
  }

  enum CodingKeys: String, CodingKey {
    case name = "do"
    case product, user, outcome, requests, allowed, on, at, days, reason, priceMinorUnits, needsConsent, agreed, rate, seconds, period
  }

  /// Reads what people write.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    func target() throws -> TestStore.Target {
      TestStore.Target(
        try fields.decodeIfPresent(String.self, forKey: .product), user: try fields.decodeIfPresent(String.self, forKey: .user))
    }
    func when() throws -> TestStore.When { try fields.decodeIfPresent(TestStore.When.self, forKey: .at) ?? .now }
    switch try fields.decode(Name.self, forKey: .name) {
    case .nextOutcome:
      self = .nextOutcome(
        try fields.decode(StubOutcome.self, forKey: .outcome), product: try fields.decodeIfPresent(String.self, forKey: .product))
    case .approve: self = .approve(try target())
    case .decline: self = .decline(try target())
    case .resolve: self = .resolve(try target())
    case .requests: self = .requests(try fields.decode(StubStoreAnswer.self, forKey: .requests))
    case .paymentsAllowed: self = .paymentsAllowed(try fields.decode(Bool.self, forKey: .allowed))
    case .buyElsewhere: self = .buyElsewhere(try fields.word(.product), user: try fields.decodeIfPresent(String.self, forKey: .user))
    case .restore: self = .restore
    case .renew: self = .renew(try target())
    case .expire: self = .expire(try target())
    case .autoRenew: self = .autoRenew(try target(), on: try fields.decode(Bool.self, forKey: .on))
    case .billingRetry: self = .billingRetry(try target(), at: try when())
    case .grace: self = .grace(try target(), days: try fields.whole(.days, in: 1...365) ?? 16, at: try when())
    case .recover: self = .recover(try target())
    case .refund:
      self = .refund(
        try target(), reason: try fields.decodeIfPresent(String.self, forKey: .reason) ?? "The purchase was refunded.")
    case .priceIncrease:
      self = .priceIncrease(
        try fields.word(.product),
        priceMinorUnits: try fields.whole(.priceMinorUnits, in: 0...StubProduct.highestPrice) ?? fields.missing(.priceMinorUnits),
        needsConsent: try fields.decodeIfPresent(Bool.self, forKey: .needsConsent) ?? false)
    case .consent: self = .consent(try target(), agreed: try fields.decode(Bool.self, forKey: .agreed))
    case .clockRate: self = .clockRate(try fields.whole(.rate, in: 0...10_000_000) ?? fields.missing(.rate))
    case .step:
      if let period = try fields.period(.period) {
        self = .stepPeriod(period)
      } else {
        let seconds = try fields.decode(Double.self, forKey: .seconds)
        guard (0...3_200_000_000).contains(seconds) else {
          throw DecodingError.located(fields.codingPath + [CodingKeys.seconds], "expected seconds from 0 to 3200000000, found \(seconds)")
        }
        self = .step(.seconds(seconds))
      }
    case .reset: self = .reset
    }
  }
}
