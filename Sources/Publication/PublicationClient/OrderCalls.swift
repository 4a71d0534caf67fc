import Foundation
import PublicationAPI

extension APIClient {
  /// The public keys that receipts are signed with; needs no token.
  /// - Throws: ``ClientError``.
  public func keys() async throws(ClientError) -> KeySet { try await call(.get, .keys, as: .none) }

  /// A paywall's words and what it offers.
  /// - Throws: ``ClientError``.
  public func paywall(_ id: PaywallRecord.ID) async throws(ClientError) -> PaywallRecord { try await call(.get, .paywall(id)) }

  /// Products by their ids; unknown ones are left out, and those that this version does not understand.
  /// - Parameters:
  ///   - currency: the prices' currency where the publication has it, ISO 4217.
  ///   - language: the texts' language where the publication has it, as in `de-CH` (RFC 5646).
  /// - Throws: ``ClientError``.
  public func products(
    _ ids: [ProductRecord.ID], currency: String? = nil, language: String? = nil
  ) async throws(ClientError) -> [ProductRecord] {
    try await list(
      .products, query: [(.ids, ids.joined(separator: ",")), (.currency, currency)],
      headers: language.map { ["Accept-Language": $0] } ?? [:])
  }

  /// Begins an order under the client's own identifier; a repeated request begins no second one.
  /// - Parameter currency: the one that the product was shown in.
  /// - Throws: ``ClientError``.
  public func beginOrder(_ id: UUID, product: ProductRecord.ID, currency: String? = nil) async throws(ClientError) -> Order {
    try await call(.put, .order(id.uuidString), body: OrderRequest(productID: product, currency: currency))
  }

  /// Charges an order, once, also when the request is repeated.
  /// - Parameter paymentToken: the payment provider's token for the reader's authorization; a secret.
  /// - Throws: ``ClientError``.
  public func charge(_ id: UUID, paymentToken: String) async throws(ClientError) -> Order {
    try await call(.post, .charge(id.uuidString), body: ChargeRequest(paymentToken: paymentToken))
  }

  /// Begins the hosted checkout of an order that was begun; a repeated request while its page waits gives the same page.
  /// - Throws: ``ClientError``; a problem with ``Problem/Code/notOffered`` when there are no pages.
  public func beginCheckout(_ id: UUID) async throws(ClientError) -> Checkout {
    try await call(.post, .checkout(of: id.uuidString))
  }

  /// Where the hosted checkout of an order stands.
  /// - Throws: ``ClientError``.
  public func checkout(_ id: UUID) async throws(ClientError) -> Checkout {
    try await call(.get, .checkout(of: id.uuidString))
  }

  /// Withdraws the page of an order's checkout, unless the reader has agreed already.
  /// - Throws: ``ClientError``.
  @discardableResult public func cancelCheckout(_ id: UUID) async throws(ClientError) -> Checkout {
    try await call(.delete, .checkout(of: id.uuidString))
  }

  /// One order.
  /// - Throws: ``ClientError``.
  public func order(_ id: UUID) async throws(ClientError) -> Order { try await call(.get, .order(id.uuidString)) }

  /// All of the reader's orders, newest first, without those in a state that this version does not know.
  /// - Throws: ``ClientError``.
  public func orders() async throws(ClientError) -> [Order] {
    var (orders, pages) = ([Order](), Pagination<Order>())
    while !pages.isAtEnd {
      let (page, next): ([Order], String?) = try await listPage(.orders, query: Self.page(pages.cursor))
      orders += pages.newItems(page, next: next)
    }
    return orders
  }

  /// The signed receipts (JWS) that are in force.
  /// - Throws: ``ClientError``.
  public func entitlements() async throws(ClientError) -> [String] { try await call(.get, .entitlements) }

  /// What the publication thinks of a receipt of the reader's.
  /// - Throws: ``ClientError``; a problem with ``Problem/Code/receiptRejected`` or ``Problem/Code/receiptRevoked`` for one that gives nothing.
  public func verify(receipt: String) async throws(ClientError) -> ReceiptVerdict {
    try await call(.post, .receiptCheck, body: ReceiptRequest(receipt: receipt))
  }

  /// What the reader has left of each type of consumable.
  /// - Throws: ``ClientError``.
  public func balances() async throws(ClientError) -> [Balance] { try await call(.get, .balances) }

  /// Opens a premium post permanently, with a pass. A post that is open already takes none, so a repeated request spends one pass.
  /// - Returns: the post with its body.
  /// - Throws: ``ClientError``; a problem with ``Problem/Code/noBalance`` when there is no pass left.
  public func unlock(_ id: Post.ID) async throws(ClientError) -> Post { try await call(.put, .unlock(id)) }
}
