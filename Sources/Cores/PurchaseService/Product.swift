import Foundation

/// Something that can be bought, as a paywall shows it. It has no part of a store's own type.
public struct Product: Hashable, Sendable, Identifiable {
  /// How it is sold.
  public enum Kind: Hashable, Sendable {
    /// Renews every `period` until cancelled; subscriptions of one group replace each other.
    case subscription(group: String?, period: SubscriptionPeriod)
    /// It is paid once, and kept for good.
    case nonConsumable
    /// It is paid once, and puts `amount` of a `type` on a balance, to be spent.
    case consumable(type: String, amount: Int)

    /// Whether owning it is a reason not to sell it again.
    public var isOwned: Bool { if case .consumable = self { false } else { true } }
    /// Whether it is paid once.
    public var isOneTime: Bool { if case .subscription = self { false } else { true } }
  }

  /// The tax that a price includes.
  public struct Tax: Hashable, Sendable {
    /// What people call it, such as `VAT`.
    public let name: String
    /// In hundredths of a percent: 1900 for 19 %.
    public let basisPoints: Int
    /// How much of the price it is.
    public let amount: Price

    public init(name: String, basisPoints: Int, amount: Price) {
      self.name = name
      self.basisPoints = basisPoints
      self.amount = amount
    }
  }

  /// Stable within the seller.
  public var id: String
  /// How it is sold.
  public var kind: Kind
  /// The name on the paywall.
  public var name: String
  /// One line below it.
  public var detail: String
  /// What one payment costs, with tax.
  public var price: Price
  /// What it gives access to, in the seller's words; products with the same value cover each other. `nil` when the seller does not say.
  public var entitlement: String?
  /// What the first payment costs instead, for who may have it.
  public var offer: Offer?
  /// The tax within ``price``; `nil` when the seller does not say.
  public var tax: Tax?

  public init(
    id: String, kind: Kind, name: String, detail: String = "", price: Price, entitlement: String? = nil, offer: Offer? = nil,
    tax: Tax? = nil
  ) {
    self.id = id
    self.kind = kind
    self.entitlement = entitlement
    self.name = name
    self.detail = detail
    self.price = price
    self.offer = offer
    self.tax = tax
  }

  /// How often it renews; `nil` for what is paid once.
  public var period: SubscriptionPeriod? { if case .subscription(_, let period) = kind { period } else { nil } }
  /// The first payment, with tax: the ``offer``'s price where there is one.
  public var firstPayment: Price { offer?.price ?? price }

  /// Its monthly equivalent, rounded to the nearest minor unit; `nil` for what is paid once.
  public var pricePerMonth: Price? { period.map(price.perMonth) }

  /// How much cheaper it is than paying another product every month, in whole percent from 1 to 100.
  /// - Returns: `nil` when nothing is saved, it does not renew, the other one is not monthly, or the currencies differ.
  public func saving(against monthly: Product) -> Int? {
    guard let period, monthly.period == .month, id != monthly.id else { return nil }
    return price.saving(of: period, against: monthly.price)
  }
}

/// An introductory price, or a trial when it costs nothing. The product's own price is paid afterwards.
public struct Offer: Hashable, Sendable {
  /// What is paid for each period.
  public let price: Price
  /// How long a period is.
  public let period: SubscriptionPeriod
  /// For how many periods, from 1.
  public let cycles: Int

  /// `cycles` below 1 become 1.
  public init(price: Price, period: SubscriptionPeriod, cycles: Int = 1) {
    self.price = price
    self.period = period
    self.cycles = max(cycles, 1)
  }

  /// Whether it costs nothing.
  public var isTrial: Bool { price.minorUnits == 0 }
  /// How long it lasts in all; `nil` for longer than can be counted.
  public var length: SubscriptionPeriod? { period.times(cycles) }
  /// When the product's own price is paid for the first time.
  /// - Parameters:
  ///   - start: when the offer begins.
  ///   - timeZone: the user's, which decides what a day is.
  public func end(from start: Date, in timeZone: TimeZone) -> Date { period.end(from: start, times: cycles, in: timeZone) }
}
