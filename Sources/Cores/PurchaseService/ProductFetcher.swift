/// Where products come from.
public protocol ProductFetcher: Sendable {
  /// The requested products, in any order, without unknown ones. Called off the main actor, for products that are not in the cache.
  /// - Throws: ``StoreError``; anything else counts as one that is ``StoreError/Kind/unavailable``.
  func products(_ request: ProductRequest) async throws -> [Product]
}
