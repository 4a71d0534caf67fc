/// What a product unlocks and how it is paid, as the publication sells it.
public struct ProductRecord: Codable, Equatable, Sendable, Identifiable {
  /// How it is sold.
  public enum Kind: String, Codable, Sendable {
    /// Renews every ``ProductRecord/period`` until cancelled.
    case subscription
    /// Paid once, for good.
    case nonConsumable = "non_consumable"
    /// Paid once, put on the reader's balance, spent there.
    case consumable
  }

  /// Stable within the publication, such as `premium.monthly`.
  public var id: String
  /// How it is sold.
  public var kind: Kind
  /// The name on the paywall.
  public var name: String
  /// One line below it.
  public var detail: String
  /// The price with tax, in the currency's minor units.
  public var priceMinorUnits: Int
  /// The currency of the price, ISO 4217.
  public var currency: String
  /// ISO 8601 (`P1M`, `P1Y`); `nil` for what does not renew.
  public var period: String?
  /// Subscriptions of one group replace each other.
  public var group: String?
  /// What it gives access to, such as `premium`; of a consumable the same as ``consumableType``, and no access by itself.
  public var entitlement: String
  /// What a consumable puts on the balance, such as `article_pass`; `nil` for anything else.
  public var consumableType: String?
  /// How many of them; `nil` for anything else.
  public var amount: Int?
  /// The tax within ``priceMinorUnits``.
  public var tax: Tax?

  public init(
    id: String, kind: Kind, name: String, detail: String, priceMinorUnits: Int, currency: String, period: String? = nil,
    group: String? = nil, entitlement: String, consumableType: String? = nil, amount: Int? = nil, tax: Tax? = nil
  ) {
    self.id = id
    self.kind = kind
    self.name = name
    self.detail = detail
    self.priceMinorUnits = priceMinorUnits
    self.currency = currency
    self.period = period
    self.group = group
    self.entitlement = entitlement
    self.consumableType = consumableType
    self.amount = amount
    self.tax = tax
  }
}

/// The tax that a price includes.
public struct Tax: Codable, Equatable, Sendable {
  /// What people call it, such as `VAT`.
  public var name: String
  /// In hundredths of a percent: 1900 for 19 %.
  public var basisPoints: Int
  /// How much of the price it is, in the currency's minor units.
  public var minorUnits: Int

  public init(name: String, basisPoints: Int, minorUnits: Int) {
    self.name = name
    self.basisPoints = basisPoints
    self.minorUnits = minorUnits
  }
}

/// `GET /v1/paywalls/ID`: what is offered, and with which words.
public struct PaywallRecord: Codable, Equatable, Sendable, Identifiable {
  /// Stable within the publication; the ID of `matinee://paywall/ID`.
  public var id: String
  /// The headline of the paywall.
  public var title: String
  /// A sentence below it.
  public var text: String
  /// The benefits, a line each.
  public var benefits: [String]
  /// What is offered, best placed first.
  public var productIDs: [ProductRecord.ID]

  public init(id: String, title: String, text: String, benefits: [String], productIDs: [String]) {
    self.id = id
    self.title = title
    self.text = text
    self.benefits = benefits
    self.productIDs = productIDs
  }
}
