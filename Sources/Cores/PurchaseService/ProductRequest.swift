/// A request to a ``ProductFetcher``.
public struct ProductRequest: Hashable, Sendable {
  /// The products, each once, in the order of the paywall.
  public var ids: [Product.ID]
  /// The user that they are for; `nil` while no user is signed in.
  public var user: String?
  /// In which currency and language.
  public var storefront: Storefront

  /// By default without a signed-in user, in the store's own currency and in English.
  public init(_ ids: [Product.ID], user: String? = nil, storefront: Storefront = Storefront()) {
    self.ids = ids
    self.user = user
    self.storefront = storefront
  }
}
