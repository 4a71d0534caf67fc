import HTTPTransport
import PublicationAPI

/// What is sold, and how it is offered.
struct CatalogResource {
  let content: any ContentRepository

  nonisolated(nonsending) func paywall(_ call: Call) async throws -> Response {
    guard let paywall = try await content.paywall(call.parameter) else { throw Problem.notFound("paywall") }
    return try .json(paywall)
  }

  /// Products with their prices in one currency, where they have it. Their texts are in the publication's one language, for every
  /// `Accept-Language`.
  nonisolated(nonsending) func products(_ call: Call) async throws -> Response {
    let currency = call.query(.currency)?.uppercased()
    let ids = call.names(.ids, most: 100)
    guard (1...100).contains(ids.count) else { throw Problem.badRequest("“ids” names 1 to 100 products, with commas between.") }
    var products: [ProductRecord] = []
    for id in ids where !products.contains(where: { $0.id == id }) {
      if let product = try await content.product(id, in: currency) { products.append(product) }
    }
    return try .json(products)
  }
}
