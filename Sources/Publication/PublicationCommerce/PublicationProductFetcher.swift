import Foundation
import PublicationAPI
import PublicationClient
import PurchaseService

/// Fetches the publication's products and their prices.
public struct PublicationProductFetcher: ProductFetcher {
  private let client: APIClient
  /// Asks by this client.
  public init(client: APIClient) { self.client = client }

  /// See `ProductFetcher`.
  /// - Throws: `StoreError`.
  public func products(_ request: ProductRequest) async throws -> [Product] {
    guard !request.ids.isEmpty else { return [] }
    do throws(ClientError) {
      return try await client.products(
        request.ids, currency: request.storefront.currency, language: request.storefront.locale.identifier(.bcp47)
      ).compactMap(Product.init)
    } catch { throw StoreError(error) }
  }
}
