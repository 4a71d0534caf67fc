import Foundation
import PublicationAPI
import PublicationClient
import PurchaseService

/// What a publication sells, as this app knows it: the type that `Purchases` is generic over here.
public struct PurchasableProduct: Hashable, Sendable, Identifiable {
  /// The product.
  public let id: ProductRecord.ID
  /// What it gives access to, such as ``premium``.
  public let entitlement: String
  /// How often it renews; `nil` for what is paid once.
  public let period: SubscriptionPeriod?
  /// What it puts on the reader's balance; `nil` for what is kept.
  public let consumable: Consumable?

  /// What is bought to be spent.
  public struct Consumable: Hashable, Sendable {
    /// Whose balance it is, such as `article_pass`.
    public let type: String
    /// How many, at least one.
    public let amount: Int

    /// Memberwise initializer.
    public init(type: String, amount: Int) {
      self.type = type
      self.amount = amount
    }
  }

  /// The entitlement that opens premium posts.
  public static let premium = "premium"

  /// Memberwise initializer.
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

  /// Whether the reader has all that this product would give, by itself or by another: nothing to sell then.
  public func covers(_ product: Product) -> Bool {
    product.kind.isOwned && (owns(product.id) || entitlements.contains { $0.entitlement == product.entitlement })
  }
}

extension Transaction {
  /// Whether it was charged, and the publication refused its receipt: nothing was given for the money, and nothing given back yet. The same
  /// is not sold again meanwhile.
  public var isPaidWithoutAccess: Bool { state == .failed && failure == PurchaseFailure.receiptRejected }
}

extension Product {
  /// From the wire.
  /// - Returns: `nil` for a subscription whose period this version does not understand, or a consumable of nothing: better not offered than
  ///   offered wrongly.
  public init?(_ record: ProductRecord) {
    let kind: Kind
    switch record.kind {
    case .nonConsumable: kind = .nonConsumable
    case .consumable:
      guard let type = record.consumableType, let amount = record.amount, amount > 0 else { return nil }
      kind = .consumable(type: type, amount: amount)
    case .subscription:
      guard let period = record.period.flatMap(SubscriptionPeriod.init(iso8601:)) else { return nil }
      kind = .subscription(group: record.group, period: period)
    }
    let tax = record.tax.map {
      Tax(name: $0.name, basisPoints: $0.basisPoints, amount: Price(minorUnits: $0.minorUnits, currency: record.currency))
    }
    self.init(
      id: record.id, kind: kind, name: record.name, detail: record.detail,
      price: Price(minorUnits: record.priceMinorUnits, currency: record.currency), entitlement: record.entitlement, tax: tax)
  }
}

/// The publication's products.
public struct PublicationProductFetcher: ProductFetcher {
  private let client: APIClient
  /// Asks by this client.
  public init(client: APIClient) { self.client = client }

  /// See `ProductFetcher`.
  /// - Throws: `StoreFailure`.
  public func products(_ request: ProductRequest) async throws -> [Product] {
    guard !request.ids.isEmpty else { return [] }
    do throws(ClientError) {
      return try await client.products(
        request.ids, currency: request.storefront.currency, language: request.storefront.locale.identifier(.bcp47)
      ).compactMap(Product.init)
    } catch { throw StoreFailure(error) }
  }
}

extension StoreFailure {
  /// From a call that failed. Its code says what happened: the publication's own, `http_503`, `timed_out`, `unreachable`, `cut_short`, ….
  public init(_ error: ClientError) {
    let kind: Kind =
      switch error.disposition {
      case .sessionEnded: .unauthorized
      case .notFound, .refused: .refused
      // Nothing that was said before makes an insecure connection or an oversized answer right.
      case .retryLater(.busy, _), .retryLater(.intercepted, _): .busy
      case .retryLater, .cancelled: .unavailable
      }
    self.init(kind, code: error.failureCode, sentence: error.sentence, underlying: error)
  }
}

extension UUID {
  /// What testers tell orders of a test store by. Readers only ever see a number of the publication's: this one nobody there knows.
  public var orderName: String { String(uuidString.prefix(8)) }
}
