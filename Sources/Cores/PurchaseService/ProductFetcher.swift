/// Where products come from.
public protocol ProductFetcher: Sendable {
  /// The products that are asked for, in any order; unknown ones are left out. Called off the main actor, for what is not in the cache.
  /// - Throws: ``StoreError``; anything else counts as one that is ``StoreError/Kind/unavailable``.
  func products(_ request: ProductRequest) async throws -> [Product]
}
