import HTTPTransport
import PublicationAPI

/// What is sold, and how it is offered.
extension Publication {
  func paywall(_ call: Call) async throws -> Response {
    guard let paywall = try await content.paywall(call.parameter) else { throw Problem.notFound("paywall") }
    return try .json(paywall)
  }

  /// Products with their prices in one currency, where they have it. Their texts are in the publication's one language, whatever
  /// `Accept-Language` says.
  func products(_ call: Call) async throws -> Response {
    let currency = call.request.query("currency")?.uppercased()
    let ids = call.request.query("ids")?.split(separator: ",").map(String.init) ?? []
    guard (1...100).contains(ids.count) else { throw Problem.badRequest("“ids” names 1 to 100 products, with commas between.") }
    var products: [ProductRecord] = []
    for id in ids where !products.contains(where: { $0.id == id }) {
      if let product = try await content.product(id, in: currency) { products.append(product) }
    }
    return try .json(products)
  }
}
