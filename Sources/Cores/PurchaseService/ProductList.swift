import Foundation

/// The products that a store sells, among the requested ones.
public struct ProductList: Equatable, Sendable {
  /// The products, in the order of the request, each once.
  public var products: [Product]
  /// What the store does not know.
  public var unknown: [Product.ID]
  /// Whether the store is unreachable, and this is an earlier answer.
  public var isStale: Bool
  /// When the oldest part of it was fetched, by the wall clock.
  public var fetchedAt: Date

  public init(_ products: [Product], unknown: [Product.ID] = [], isStale: Bool = false, fetchedAt: Date) {
    self.products = products
    self.unknown = unknown
    self.isStale = isStale
    self.fetchedAt = fetchedAt
  }
}
