import Foundation
import PublicationAPI
import PublicationClient
import PurchaseService
import SignedReceipts

extension APIClient {
  /// The issuer and the keys of this publication's receipts. A key of a kind that this version does not know is left out, so that a
  /// publication can introduce one.
  /// - Throws: ``ClientError``.
  public func trustedKeys() async throws(ClientError) -> TrustedKeys {
    let issuer = try await publication().id
    let keys = try await keys().keys.compactMap { key in
      try? VerificationKey(jwk: .init(kty: key.kty, crv: key.crv, kid: key.kid, alg: key.alg, x: key.x, y: key.y))
    }
    return TrustedKeys(issuer: issuer, keys: keys)
  }
}

extension ReceiptContents<PurchasableProduct> {
  /// Reads a receipt's payload: hand it to `DeviceVerifier`.
  /// - Throws: `DecodingError`; ``ReceiptClaimsError``.
  public init(payload: Data) throws { try self.init(Wire.decode(ReceiptClaims.self, from: payload)) }

  /// From the wire.
  /// - Throws: ``ReceiptClaimsError``.
  public init(_ claims: ReceiptClaims) throws(ReceiptClaimsError) {
    guard let order = UUID(uuidString: claims.jti) else { throw ReceiptClaimsError.noOrder(claims.jti) }
    var consumable: PurchasableProduct.Consumable?
    if let type = claims.consumable {
      guard let amount = claims.amount, amount > 0 else { throw ReceiptClaimsError.noAmount(type) }
      consumable = PurchasableProduct.Consumable(type: type, amount: amount)
    }
    let product = PurchasableProduct(
      id: claims.product, entitlement: claims.entitlement, period: claims.period.flatMap(SubscriptionPeriod.init(iso8601:)),
      consumable: consumable)
    let time = { (seconds: Int64) in Date(timeIntervalSince1970: TimeInterval(seconds)) }
    self.init(
      issuer: claims.iss, user: claims.sub, transaction: order, productID: claims.product, purchasable: product, issued: time(claims.iat),
      expires: claims.exp.map(time), isConsumable: consumable != nil)
  }
}

/// Why a receipt's claims make no sense.
public enum ReceiptClaimsError: Error, Equatable, Sendable {
  /// The order's identifier is no UUID.
  case noOrder(String)
  /// A consumable of this type, and of no amount.
  case noAmount(String)
}
