import Foundation

/// `PUT /v1/orders/ID`: starts an order under the client's identifier, so that a repeated request starts no second one.
public struct OrderRequest: Codable, Equatable, Sendable {
  /// The product that is bought.
  public var productID: ProductRecord.ID
  /// The currency to pay in, ISO 4217; the product's first one when there is none, or it is not sold in that one.
  public var currency: String?
  /// Whether the client told the reader that they have what a subscription gives already, and they want another period behind the present
  /// one. Otherwise such an order is refused with ``Problem/Code/alreadyOwned``: the reader bought it on another device, and would pay twice.
  public var extendsAccess: Bool?

  public init(productID: String, currency: String? = nil, extendsAccess: Bool? = nil) {
    self.productID = productID
    self.currency = currency
    self.extendsAccess = extendsAccess
  }
}

/// `POST /v1/orders/ID/charge`: charges an order, once, however often it is requested. The order's identifier is the idempotency key that
/// the payment provider gets.
public struct ChargeRequest: Codable, Equatable, Sendable {
  /// What the payment provider gave for the reader's authorisation.
  public var paymentToken: String

  public init(paymentToken: String) { self.paymentToken = paymentToken }
}

/// An order: `GET /v1/orders/ID`, and in a list `GET /v1/orders`.
public struct Order: Codable, Equatable, Sendable, Identifiable {
  /// Where an order stands.
  public enum State: String, Codable, Sendable {
    /// It was started, and is not charged yet.
    case open
    /// Another person, such as a parent, or a bank has to agree first; nothing was charged yet.
    case deferred
    /// The person has to act first, at ``Order/actionURL``; nothing was charged yet.
    case interrupted
    /// Charged; there is a receipt.
    case paid
    /// The provider or the person declined; nothing was charged.
    case declined
    /// Charged and given back; what it gave has ended.
    case refunded
  }

  /// The client's identifier of the transaction, a UUID in upper case.
  public var id: String
  /// For people to read out: short, unique within the publication, such as `K7Q2-9XDM`.
  public var number: String?
  /// The product that is bought.
  public var productID: ProductRecord.ID
  /// Where it stands now.
  public var state: State
  /// When the order was started.
  public var created: Date
  /// The total with tax, in minor units.
  public var totalMinorUnits: Int
  /// The currency of the amounts, ISO 4217.
  public var currency: String
  /// The tax within the total.
  public var tax: Tax?
  /// The provider's sentence, when ``state`` is ``State/declined``.
  public var declineReason: String?
  /// One sentence for the reader, when ``state`` is ``State/refunded``.
  public var refundReason: String?
  /// A page for the system browser, when ``state`` is ``State/interrupted``.
  public var actionURL: String?
  /// Whether the order gives the reader access or a balance now. `nil` before it was paid.
  public var credited: Bool?
  /// A ``ReceiptClaims`` as JWS (RFC 7515, compact), when ``state`` is ``State/paid``.
  public var receipt: String?

  public init(
    id: String, number: String? = nil, productID: String, state: State, created: Date, totalMinorUnits: Int, currency: String,
    tax: Tax? = nil, declineReason: String? = nil, refundReason: String? = nil, actionURL: String? = nil, credited: Bool? = nil,
    receipt: String? = nil
  ) {
    self.id = id
    self.number = number
    self.productID = productID
    self.state = state
    self.created = created
    self.totalMinorUnits = totalMinorUnits
    self.currency = currency
    self.tax = tax
    self.declineReason = declineReason
    self.refundReason = refundReason
    self.actionURL = actionURL
    self.credited = credited
    self.receipt = receipt
  }
}

/// `POST /v1/orders/ID/checkout` starts the hosted checkout of an order, one page in the system browser; `GET` of the same returns its
/// state. The page authorizes and never charges.
public struct Checkout: Codable, Equatable, Sendable {
  /// Where a checkout stands.
  public enum State: String, Codable, Sendable {
    /// The page waits for the reader.
    case open
    /// The reader agreed; there is a token.
    case authorized
    /// The reader thought better of it.
    case cancelled
    /// There was no answer in time; another one can be started.
    case expired
  }

  /// Where it stands now.
  public var state: State
  /// The page, an absolute URL that cannot be guessed.
  public var url: String
  /// Until when the page waits.
  public var expires: Date
  /// What ``ChargeRequest`` takes, when ``state`` is ``State/authorized``.
  public var paymentToken: String?

  public init(state: State, url: String, expires: Date, paymentToken: String? = nil) {
    self.state = state
    self.url = url
    self.expires = expires
    self.paymentToken = paymentToken
  }
}

/// `GET /v1/balances`: a list of these. What a reader has left of one type of consumable; types that were never bought are left out.
public struct Balance: Codable, Equatable, Sendable {
  /// What is counted, such as ``articlePass``.
  public var type: String
  /// How many are left.
  public var amount: Int
  /// Opens one premium post for good: `PUT /v1/posts/ID/unlock`.
  public static let articlePass = "article_pass"

  public init(type: String, amount: Int) {
    self.type = type
    self.amount = amount
  }
}
