/// The claims of a receipt: the payload of its JWS. Times are whole seconds since 1970 (RFC 7519, NumericDate).
public struct ReceiptClaims: Codable, Equatable, Sendable {
  /// The issuer: the publication's identifier.
  public var iss: String
  /// The subject: the reader's identifier.
  public var sub: String
  /// The receipt's name: the identifier of the order.
  public var jti: String
  /// When it was signed.
  public var iat: Int64
  /// When access ends; `nil` for never.
  public var exp: Int64?
  /// The product that was bought.
  public var product: ProductRecord.ID
  /// What it gives access to.
  public var entitlement: String
  /// When it was paid.
  public var purchased: Int64
  /// How often it renews, ISO 8601; `nil` for what does not.
  public var period: String?
  /// What a consumable put on the balance; `nil` for anything else.
  public var consumable: String?
  /// How many of them.
  public var amount: Int?

  public init(
    iss: String, sub: String, jti: String, iat: Int64, exp: Int64?, product: String, entitlement: String, purchased: Int64,
    period: String? = nil, consumable: String? = nil, amount: Int? = nil
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
    self.consumable = consumable
    self.amount = amount
  }
}

/// `POST /v1/receipts/verify`: has the publication check a receipt of this reader's.
public struct ReceiptRequest: Codable, Equatable, Sendable {
  /// The receipt, a JWS.
  public var receipt: String

  public init(receipt: String) { self.receipt = receipt }
}

/// The answer to ``ReceiptRequest``: the receipt is genuine, this reader's, and was not taken back. Anything else is a problem with
/// ``Problem/Code/receiptRejected`` or ``Problem/Code/receiptRevoked``.
public struct ReceiptVerdict: Codable, Equatable, Sendable {
  /// What the receipt says as of now; access may have ended by its time.
  public var claims: ReceiptClaims
  /// The same, signed now with the newest key: its `iat` is the publication's time.
  public var receipt: String

  public init(claims: ReceiptClaims, receipt: String) {
    self.claims = claims
    self.receipt = receipt
  }
}

/// `GET /v1/keys`: the public keys of all receipts that may still be in use (RFC 7517), the present key first.
public struct KeySet: Codable, Equatable, Sendable {
  /// One key, EC P-256 or Ed25519.
  public struct Key: Codable, Equatable, Sendable {
    /// The key's type: `EC`, or `OKP` for Ed25519.
    public var kty: String
    /// The curve: `P-256` or `Ed25519`.
    public var crv: String
    /// The identifier that a receipt's header names.
    public var kid: String
    /// `ES256` or `EdDSA`; bound to the key, never taken from a receipt's header.
    public var alg: String
    /// The x coordinate, or the whole Ed25519 key, base64url.
    public var x: String
    /// The y coordinate of an EC key, base64url.
    public var y: String?

    public init(kty: String, crv: String, kid: String, alg: String, x: String, y: String? = nil) {
      self.kty = kty
      self.crv = crv
      self.kid = kid
      self.alg = alg
      self.x = x
      self.y = y
    }
  }

  /// The public keys, the present one first.
  public var keys: [Key]

  public init(keys: [Key]) { self.keys = keys }
}
