import Foundation
import PublicationAPI
import PublicationClient
import PurchaseService

/// A purchasable of a publication in this app: the type that `Purchases` is generic over here.
public struct PurchasableProduct: Hashable, Sendable, Identifiable {
  /// Identifies the product in the publication.
  public let id: ProductRecord.ID
  /// What it gives access to, such as ``premium``.
  public let entitlement: String
  /// How often it renews; `nil` for what is paid once.
  public let period: SubscriptionPeriod?
  /// What it puts on the reader's balance; `nil` for what is not consumed.
  public let consumable: Consumable?

  /// What is bought to be spent.
  public struct Consumable: Hashable, Sendable {
    /// Whose balance it is, such as `article_pass`.
    public let type: String
    /// How many, at least one.
    public let amount: Int

    public init(type: String, amount: Int) {
      self.type = type
      self.amount = amount
    }
  }

  /// The entitlement that opens premium posts.
  public static let premium = "premium"

  public init(id: String, entitlement: String, period: SubscriptionPeriod? = nil, consumable: Consumable? = nil) {
    self.id = id
    self.entitlement = entitlement
    self.period = period
    self.consumable = consumable
  }
}

extension PurchasableProduct {
  /// What buying this product gives.
  public init(_ product: Product) {
    let consumable: Consumable? =
      if case .consumable(let type, let amount) = product.kind { Consumable(type: type, amount: amount) } else { nil }
    self.init(id: product.id, entitlement: product.entitlement ?? "", period: product.period, consumable: consumable)
  }
}

/// The purchase layer, as every screen of this app gets it.
public typealias PublicationPurchases = any PurchaseLayer<PurchasableProduct>

extension PurchaseLayer<PurchasableProduct> {
  /// Whether the reader may read premium posts now.
  public var hasPremium: Bool { entitlements.contains { $0.entitlement == PurchasableProduct.premium } }

  /// Whether the reader has all that this product gives, by it or by another: it is not sold then.
  public func covers(_ product: Product) -> Bool {
    product.kind.isOwned && (owns(product.id) || entitlements.contains { $0.entitlement == product.entitlement })
  }
}

extension Transaction {
  /// Whether it was charged, and the publication refused its receipt: the reader has neither access nor a refund yet. The product is not
  /// sold again meanwhile.
  public var isPaidWithoutAccess: Bool { state == .failed && failure == PurchaseError.receiptRejected }
}

extension UUID {
  /// It distinguishes the orders of a test store for testers. Readers only ever see the publication's own number; the publication does not
  /// know this one.
  public var orderName: String { String(uuidString.prefix(8)) }
}
