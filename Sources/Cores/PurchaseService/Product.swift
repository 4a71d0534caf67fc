/// Something that can be bought, as a paywall shows it. No store's own type is behind it.
public struct Product: Hashable, Sendable, Identifiable {
  /// How it is sold.
  public enum Kind: Hashable, Sendable {
    /// Renews every `period` until cancelled; subscriptions of one group replace each other.
    case subscription(group: String?, period: SubscriptionPeriod)
    /// Paid once, kept.
    case nonConsumable
    /// Paid once, spent.
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

    /// Makes one.
    public init(name: String, basisPoints: Int, amount: Price) {
      self.name = name
      self.basisPoints = basisPoints
      self.amount = amount
    }
  }

  /// Stable within the seller.
  public let id: String
  /// How it is sold.
  public let kind: Kind
  /// The name on the paywall.
  public let name: String
  /// One line below it.
  public let detail: String
  /// What one payment costs, with tax.
  public let price: Price
  /// What it gives access to, in the seller's words; products that give the same cover each other. `nil` when the seller does not say.
  public let entitlement: String?
  /// What the first payment costs instead, for who may have it.
  public let offer: Offer?
  /// The tax within ``price``; `nil` when the seller does not say.
  public let tax: Tax?

  /// Makes one.
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
  /// What is paid at first, with tax: the ``offer``'s price where there is one.
  public var firstPayment: Price { offer?.price ?? price }
}

/// A price for a beginning: a trial when it costs nothing.
public struct Offer: Hashable, Sendable {
  /// What is paid for each period.
  public let price: Price
  /// How long a period is.
  public let period: SubscriptionPeriod
  /// For how many periods.
  public let cycles: Int

  /// Makes one.
  public init(price: Price, period: SubscriptionPeriod, cycles: Int = 1) {
    self.price = price
    self.period = period
    self.cycles = cycles
  }
}
