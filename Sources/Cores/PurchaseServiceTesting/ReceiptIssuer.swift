import Foundation
import PurchaseService
import SignedReceipts

/// A seller's signing desk: makes genuine receipts for tests, and forged ones on request. The purchasable is the product's identifier.
public struct ReceiptIssuer: Sendable {
  private struct Claims: Codable {
    var iss: String
    var sub: String
    var jti: UUID
    var product: String
    var iat: Double
    var exp: Double?
    var consumable: Bool?
  }

  /// What its receipts name as issuer.
  public var name: String
  /// What it signs with.
  public var key: SigningKey

  /// Generates a new signing key for `algorithm`.
  /// - Throws: `KeyError`.
  public init(name: String = "seller", algorithm: SignatureAlgorithm = .edDSA) throws {
    self.name = name
    key = try SigningKey.generate(algorithm)
  }

  /// What a verifier trusts.
  public var trusted: TrustedKeys { TrustedKeys(issuer: name, keys: [key.verificationKey]) }

  /// A receipt.
  /// - Throws: `JWSError`.
  public func receipt(
    _ transaction: UUID, user: String, product: Product.ID, issued: Date = Date(timeIntervalSince1970: 1_700_000_000), expires: Date? = nil,
    isConsumable: Bool = false
  ) throws -> String {
    let claims = Claims(
      iss: name, sub: user, jti: transaction, product: product, iat: issued.timeIntervalSince1970, exp: expires?.timeIntervalSince1970,
      consumable: isConsumable ? true : nil)
    return try JWS.sign(payload: JSONEncoder().encode(claims), key: key)
  }

  /// A transaction's receipt, as a store's answer; a failure to make the receipt is an unusable answer.
  public func accepted(_ transaction: Transaction, expires: Date? = nil, isConsumable: Bool = false) -> SubmissionOutcome {
    do {
      let receipt = try receipt(
        transaction.id, user: transaction.user, product: transaction.productID, expires: expires, isConsumable: isConsumable)
      return .accepted(receipt: receipt, listed: [transaction.productID])
    } catch { return .unavailable(reason: "\(error)") }
  }

  /// What a receipt's payload says: hand it to `DeviceVerifier`.
  /// - Throws: `DecodingError`.
  public static func read(_ payload: Data) throws -> ReceiptContents<String> {
    let claims = try JSONDecoder().decode(Claims.self, from: payload)
    return ReceiptContents(
      issuer: claims.iss, user: claims.sub, transaction: claims.jti, productID: claims.product, purchasable: claims.product,
      issued: Date(timeIntervalSince1970: claims.iat), expires: claims.exp.map(Date.init(timeIntervalSince1970:)),
      isConsumable: claims.consumable ?? false)
  }
}
