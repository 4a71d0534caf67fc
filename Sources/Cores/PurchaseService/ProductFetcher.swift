/// Where products come from.
public protocol ProductFetcher: Sendable {
  /// The products that are asked for, in any order; unknown ones are left out. Called off the main actor, for what is not in the cache.
  /// - Throws: ``StoreFailure``; anything else counts as one that is ``StoreFailure/Kind/unavailable``.
  func products(_ request: ProductRequest) async throws -> [Product]
}
