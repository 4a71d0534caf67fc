import Foundation

/// In which currency and language a person is sold to.
public struct Storefront: Hashable, Sendable {
  /// ISO 4217, such as `EUR`; `nil` for the one the store chooses.
  public var currency: String?
  /// The language of names, and how prices are written.
  public var locale: Locale

  /// Makes one; without arguments the store's own currency, in English.
  public init(currency: String? = nil, locale: Locale = Locale(identifier: "en")) {
    self.currency = currency
    self.locale = locale
  }
}

/// What a ``ProductFetcher`` is asked for.
public struct ProductRequest: Hashable, Sendable {
  /// The products, each once, in the order of the paywall.
  public var ids: [Product.ID]
  /// For whom; `nil` while nobody is signed in.
  public var user: String?
  /// In which currency and language.
  public var storefront: Storefront

  /// Memberwise initializer.
  public init(_ ids: [Product.ID], user: String? = nil, storefront: Storefront = Storefront()) {
    self.ids = ids
    self.user = user
    self.storefront = storefront
  }
}

/// What a store sells of what it was asked for.
public struct ProductList: Equatable, Sendable {
  /// The products, in the order they were asked for, each once.
  public var products: [Product]
  /// What the store does not know.
  public var unknown: [Product.ID]
  /// Whether the store is away, and this is what it said before.
  public var isStale: Bool
  /// When the oldest part of it was fetched, by the wall clock.
  public var fetched: Date

  /// Memberwise initializer.
  public init(_ products: [Product], unknown: [Product.ID] = [], isStale: Bool = false, fetched: Date) {
    self.products = products
    self.unknown = unknown
    self.isStale = isStale
    self.fetched = fetched
  }
}
