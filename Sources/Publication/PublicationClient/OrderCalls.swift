import Foundation
import PublicationAPI

extension APIClient {
  /// The public keys that receipts are signed with; needs no token.
  /// - Throws: ``ClientError``.
  public func keys() async throws(ClientError) -> KeySet { try await call(.get, ["v1", "keys"], as: .none) }

  /// A paywall's words and what it offers.
  /// - Throws: ``ClientError``.
  public func paywall(_ id: PaywallRecord.ID) async throws(ClientError) -> PaywallRecord { try await call(.get, ["v1", "paywalls", id]) }

  /// Products by their ids; unknown ones are left out.
  /// - Throws: ``ClientError``.
  public func products(_ ids: [ProductRecord.ID]) async throws(ClientError) -> [ProductRecord] {
    try await call(.get, ["v1", "products"], query: [("ids", ids.joined(separator: ","))])
  }

  /// Begins an order under the client's own identifier; asking twice begins one.
  /// - Throws: ``ClientError``.
  public func beginOrder(_ id: UUID, product: ProductRecord.ID) async throws(ClientError) -> Order {
    try await call(.put, ["v1", "orders", id.uuidString], body: OrderRequest(productID: product))
  }

  /// Charges an order, once, however often it is asked.
  /// - Parameter paymentToken: what the payment provider gave for the reader's authorization; a secret.
  /// - Throws: ``ClientError``.
  public func charge(_ id: UUID, paymentToken: String) async throws(ClientError) -> Order {
    try await call(.post, ["v1", "orders", id.uuidString, "charge"], body: ChargeRequest(paymentToken: paymentToken))
  }

  /// One order.
  /// - Throws: ``ClientError``.
  public func order(_ id: UUID) async throws(ClientError) -> Order { try await call(.get, ["v1", "orders", id.uuidString]) }

  /// The reader's orders, newest first.
  /// - Throws: ``ClientError``.
  public func orders() async throws(ClientError) -> [Order] { try await call(.get, ["v1", "orders"]) }

  /// The signed receipts (JWS) that are in force.
  /// - Throws: ``ClientError``.
  public func entitlements() async throws(ClientError) -> [String] { try await call(.get, ["v1", "entitlements"]) }
}
