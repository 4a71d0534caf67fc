import Foundation
import HTTPTransport
import PublicationAPI
import PublicationCommerce
import PurchaseService
import Runtime
import StubStore
import Synchronization

/// A publication's answers while a tester's store sells in its place: posts that were bought there can be read, passes of that store are
/// spent there, and there is a paywall even if the publication is unreachable. Everything else is the publication's own answer.
///
/// The publication does not know such purchases and does not send the text of premium posts; the teaser and a line that explains this
/// replace it.
final class TestStoreTransport: Transport {
  private let publication: any Transport
  private let store: TestStore
  /// Whose a token is, as the publication said.
  private let readers = Mutex<[String: Reader.ID]>([:])

  /// - Parameters:
  ///   - publication: answers what the store does not.
  ///   - store: sells.
  init(_ publication: any Transport, store: TestStore) {
    self.publication = publication
    self.store = store
  }

  /// Answers, from the store or from the publication.
  /// - Throws: what the publication's transport throws.
  func send(_ request: Request) async throws -> Response {
    let parts = request.path.split(separator: "/").dropFirst().map { $0.removingPercentEncoding ?? String($0) }
    switch (request.method, parts.first, parts.count) {
    case (.post, "session", _):
      let response = try await publication.send(request)
      if let signedIn = try? Wire.decode(SignedIn.self, from: response.body) {
        readers.withLock { $0[signedIn.accessToken] = signedIn.reader.id }
      }
      return response
    case (.get, "posts", 2): return opened(try await publication.send(request), for: reader(request))
    case (.put, "posts", 3) where parts[2] == "unlock": return try await unlock(parts[1], request)
    case (.get, "posts", 1):
      let user = reader(request)
      return edit(try await publication.send(request)) { (page: inout Page<Post>) in
        for index in page.items.indices where isUnlocked(page.items[index].id, for: user) { page.items[index].unlocked = true }
      }
    case (.get, "balances", 1):
      guard let user = reader(request) else { return try await publication.send(request) }
      let balances = store.balances(of: user).sorted { $0.key < $1.key }.map { Balance(type: $0.key, amount: $0.value) }
      return json(balances)
    case (.get, "paywalls", 2): return await paywall(parts[1], request)
    case (.get, "orders", 1): return json([Order]())
    default: return try await publication.send(request)
    }
  }

  // MARK: Who asks

  private func token(_ request: Request) -> String? {
    request.headers["Authorization"].flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
  }

  private func reader(_ request: Request) -> Reader.ID? { token(request).flatMap { token in readers.withLock { $0[token] } } }

  // MARK: What was bought

  private func isUnlocked(_ post: Post.ID, for user: Reader.ID?) -> Bool {
    user.map { store.hasSpent(Balance.articlePass, of: $0, on: post) } ?? false
  }

  private func hasPremium(_ user: Reader.ID?) -> Bool {
    let state = store.state
    let premium = Set(state.products.filter { $0.entitlement == PurchasableProduct.premium }.map(\.id))
    return state.owned(at: store.clock.now).contains { $0.user == user && premium.contains($0.product) }
  }

  private func opened(_ response: Response, for user: Reader.ID?) -> Response {
    edit(response) { (post: inout Post) in
      guard post.premium, post.body == nil else { return }
      post.unlocked = isUnlocked(post.id, for: user)
      guard post.unlocked || hasPremium(user) else { return }
      post.body =
        "<p>\(post.teaser.escapedAsMarkup)</p><p><em>Unlocked at the test store. The publication was not paid, so the rest stays with it.</em></p>"
    }
  }

  private func unlock(_ post: Post.ID, _ request: Request) async throws -> Response {
    guard let user = reader(request) else { return try await publication.send(request) }
    var fetch = request
    fetch.method = .get
    fetch.target = String(request.path.dropLast("/unlock".count))
    let response = try await publication.send(fetch)
    guard response.status == 200 else { return response }
    guard await store.spend(Balance.articlePass, of: user, on: post) else {
      return json(Problem(code: .noBalance, title: "You have no article passes left, so the post stays closed.", status: 402), status: 402)
    }
    return opened(response, for: user)
  }

  private func paywall(_ id: PaywallRecord.ID, _ request: Request) async -> Response {
    if let response = try? await publication.send(request), response.status == 200 { return response }
    return json(
      PaywallRecord(
        id: id, title: "Everything in the test store", text: "The publication's own paywall cannot be reached.", benefits: [],
        productIDs: store.state.products.map(\.id)))
  }

  // MARK: Answers

  private func edit<Value: Codable>(_ response: Response, _ change: (inout Value) -> Void) -> Response {
    guard response.status == 200, var value = try? Wire.decode(Value.self, from: response.body) else { return response }
    change(&value)
    return json(value)
  }

  private func json(_ value: some Encodable, status: Int = 200) -> Response {
    let type = status < 400 ? "application/json" : "application/problem+json"
    // Wire types can always be encoded.
    return Response(status, headers: ["Content-Type": type], body: (try? Wire.encode(value)) ?? Data())
  }
}
