import Foundation

/// The contents of a receipt whose origin is proved, in the app's own terms.
public struct ReceiptContents<Purchasable: Hashable & Sendable>: Equatable, Sendable {
  /// The name of the store that signed it.
  public let issuer: String
  /// The user whose purchase it proves.
  public let user: String
  /// The purchase it is for.
  public let transaction: UUID
  /// The product that was bought.
  public let productID: Product.ID
  /// What that is to the app.
  public let purchasable: Purchasable
  /// When it was signed.
  public let issued: Date
  /// When access ends; at this very moment it has ended. `nil` for never.
  public let expires: Date?
  /// Whether it is for a consumable: credited once, and never an entitlement.
  public let isConsumable: Bool
  /// Whether all required parties vouched for it; `false` while only the device did, since the backend was unreachable.
  public var isConfirmed = true

  /// The contents count as confirmed; a verifier that could not ask everybody sets ``isConfirmed`` to `false`.
  public init(
    issuer: String, user: String, transaction: UUID, productID: Product.ID, purchasable: Purchasable, issued: Date, expires: Date?,
    isConsumable: Bool = false
  ) {
    self.issuer = issuer
    self.user = user
    self.transaction = transaction
    self.productID = productID
    self.purchasable = purchasable
    self.issued = issued
    self.expires = expires
    self.isConsumable = isConsumable
  }

  /// Whether access is in force at a time, without any grace.
  public func isInForce(at now: Date) -> Bool { expires.map { now < $0 } ?? true }
}

/// Proves the origin of a receipt: on the device by its signature, by asking the backend, or both.
///
/// A verifier does not check whether a genuine receipt is this user's and for this purchase, nor whether it claims to be signed in the
/// future: ``Purchases`` checks that itself, with any verifier.
public protocol ReceiptVerifier<Purchasable>: Sendable {
  /// What the app sells.
  associatedtype Purchasable: Hashable & Sendable
  /// What the receipt says, if it is genuine. Called off the main actor.
  /// - Throws: ``VerificationError``; anything else counts as ``VerificationError/unavailable(_:)``.
  func verify(_ receipt: String) async throws -> ReceiptContents<Purchasable>
  /// Verifies a receipt that was confirmed before and stored in the journal; called for each such receipt at each start. By default it
  /// calls ``verify(_:)``. Called off the main actor.
  /// - Throws: as ``verify(_:)``.
  func verify(stored receipt: String) async throws -> ReceiptContents<Purchasable>
}

extension ReceiptVerifier {
  /// See ``verify(_:)``.
  /// - Throws: as ``verify(_:)``.
  public func verify(stored receipt: String) async throws -> ReceiptContents<Purchasable> { try await verify(receipt) }
}

/// Why a receipt grants nothing.
public enum VerificationError: Error, Equatable, Sendable {
  /// It cannot be verified now, since the keys or the backend are unreachable.
  case unavailable(String)
  /// The signature is not the issuer's, or the receipt was changed.
  case notGenuine(String)
  /// It is genuine, but grants nothing according to the backend; a sentence for the person.
  case rejected(String)
  /// It claims to be signed later than it can be: this machine's clock is behind, or the seller's ahead.
  case fromTheFuture(Date)
  /// It is genuine and says something that this version does not understand.
  case unreadable(String)
  /// Another issuer than the seller signed it.
  case otherIssuer(String)
  /// It is another user's.
  case otherUser
  /// It is for another purchase.
  case otherTransaction
  /// It is for another product.
  case otherProduct(Product.ID)
}

extension ReceiptContents {
  /// Refuses what belongs to another user, purchase or product.
  /// - Throws: ``VerificationError``.
  func check(user: String, transaction: UUID? = nil, productID: Product.ID? = nil) throws(VerificationError) {
    guard self.user == user else { throw .otherUser }
    guard transaction == nil || self.transaction == transaction else { throw .otherTransaction }
    guard productID == nil || self.productID == productID else { throw .otherProduct(self.productID) }
  }
}
