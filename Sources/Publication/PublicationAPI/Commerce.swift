import Foundation

/// What a product unlocks and how it is paid, as the publication sells it.
public struct ProductRecord: Codable, Equatable, Sendable, Identifiable {
  /// How it is sold.
  public enum Kind: String, Codable, Sendable {
    /// Renews every ``ProductRecord/period`` until cancelled.
    case subscription
    /// Paid once, kept.
    case nonConsumable = "non_consumable"
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
  /// ISO 4217.
  public var currency: String
  /// ISO 8601 (`P1M`, `P1Y`); `nil` for what does not renew.
  public var period: String?
  /// Subscriptions of one group replace each other.
  public var group: String?
  /// What it gives access to, such as `premium`.
  public var entitlement: String

  /// Makes one.
  public init(
    id: String, kind: Kind, name: String, detail: String, priceMinorUnits: Int, currency: String, period: String? = nil,
    group: String? = nil, entitlement: String
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
  }
}

/// `GET /v1/paywalls/ID`: what is offered, and with which words.
public struct PaywallRecord: Codable, Equatable, Sendable, Identifiable {
  /// Stable within the publication; the ID of `matinee://paywall/ID`.
  public var id: String
  /// The headline.
  public var title: String
  /// A sentence below it.
  public var text: String
  /// What one gets, a line each.
  public var benefits: [String]
  /// What is offered, best placed first.
  public var productIDs: [ProductRecord.ID]

  /// Makes one.
  public init(id: String, title: String, text: String, benefits: [String], productIDs: [String]) {
    self.id = id
    self.title = title
    self.text = text
    self.benefits = benefits
    self.productIDs = productIDs
  }
}

/// `PUT /v1/orders/ID`: begins an order under an identifier that the client chose, so that asking twice begins one.
public struct OrderRequest: Codable, Equatable, Sendable {
  /// What is bought.
  public var productID: ProductRecord.ID
  /// Makes one.
  public init(productID: String) { self.productID = productID }
}

/// `POST /v1/orders/ID/charge`: charges an order, once, however often it is asked. The order's identifier is the idempotency key that
/// the payment provider gets.
public struct ChargeRequest: Codable, Equatable, Sendable {
  /// What the payment provider gave for the reader's authorisation.
  public var paymentToken: String
  /// Makes one.
  public init(paymentToken: String) { self.paymentToken = paymentToken }
}

/// An order: `GET /v1/orders/ID`, and in a list `GET /v1/orders`.
public struct Order: Codable, Equatable, Sendable, Identifiable {
  /// Where an order stands.
  public enum State: String, Codable, Sendable {
    /// Begun, not charged.
    case open
    /// Charged; there is a receipt.
    case paid
    /// The provider declined; nothing was charged.
    case declined
  }

  /// The client's identifier of the transaction, a UUID in upper case.
  public var id: String
  /// What is bought.
  public var productID: ProductRecord.ID
  /// Where it stands.
  public var state: State
  /// When it began.
  public var created: Date
  /// The total with tax, in minor units.
  public var totalMinorUnits: Int
  /// ISO 4217.
  public var currency: String
  /// The provider's sentence, when ``state`` is ``State/declined``.
  public var declineReason: String?
  /// A ``ReceiptClaims`` as JWS (RFC 7515, compact), when ``state`` is ``State/paid``.
  public var receipt: String?

  /// Makes one.
  public init(
    id: String, productID: String, state: State, created: Date, totalMinorUnits: Int, currency: String, declineReason: String? = nil,
    receipt: String? = nil
  ) {
    self.id = id
    self.productID = productID
    self.state = state
    self.created = created
    self.totalMinorUnits = totalMinorUnits
    self.currency = currency
    self.declineReason = declineReason
    self.receipt = receipt
  }
}

/// What a receipt says; the payload of its JWS. Times are whole seconds since 1970 (RFC 7519, NumericDate).
public struct ReceiptClaims: Codable, Equatable, Sendable {
  /// The publication's id.
  public var iss: String
  /// The reader's id.
  public var sub: String
  /// The order's id.
  public var jti: String
  /// When it was signed.
  public var iat: Int64
  /// When access ends; `nil` for never.
  public var exp: Int64?
  /// What was bought.
  public var product: ProductRecord.ID
  /// What it gives access to.
  public var entitlement: String
  /// When it was paid.
  public var purchased: Int64
  /// How often it renews, ISO 8601; `nil` for what does not.
  public var period: String?

  /// Makes one.
  public init(
    iss: String, sub: String, jti: String, iat: Int64, exp: Int64?, product: String, entitlement: String, purchased: Int64,
    period: String? = nil
  ) {
    self.iss = iss
    self.sub = sub
    self.jti = jti
    self.iat = iat
    self.exp = exp
    self.product = product
    self.entitlement = entitlement
    self.purchased = purchased
    self.period = period
  }
}

/// `GET /v1/keys`: the public keys that receipts are signed with (RFC 7517).
public struct KeySet: Codable, Equatable, Sendable {
  /// One key, EC P-256 or Ed25519.
  public struct Key: Codable, Equatable, Sendable {
    /// `EC` or `OKP`.
    public var kty: String
    /// `P-256` or `Ed25519`.
    public var crv: String
    /// The identifier that a receipt's header names.
    public var kid: String
    /// `ES256` or `EdDSA`; bound to the key, never taken from a receipt's header.
    public var alg: String
    /// The x coordinate, or the whole Ed25519 key, base64url.
    public var x: String
    /// The y coordinate of an EC key, base64url.
    public var y: String?
    /// Makes one.
    public init(kty: String, crv: String, kid: String, alg: String, x: String, y: String? = nil) {
      self.kty = kty
      self.crv = crv
      self.kid = kid
      self.alg = alg
      self.x = x
      self.y = y
    }
  }

  /// The keys.
  public var keys: [Key]
  /// Makes one.
  public init(keys: [Key]) { self.keys = keys }
}
