import CurlTransport
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import PublicationCommerce
import PublicationListener
import PublicationServer
import PurchaseService
import Runtime
import Synchronization
import Testing

/// A publication behind a real port, with a checkout page, and what a reader and a browser do with it.
public struct ServedPublication: Sendable {
  /// Charges whatever its own page gave out or waits for somebody, once for each key.
  public actor Gateway: PaymentGateway {
    private var charges: [String: String] = [:]
    private var waiting: Set<String> = []

    /// How many charges there are.
    public var count: Int { charges.count }

    /// See `PaymentGateway`.
    public func charge(token: String, amount: Int, currency: String, key: String) async throws(GatewayError) -> String {
      if let known = charges[key] { return known }
      if token == "tok_deferred" || waiting.contains(key) {
        waiting.insert(key)
        throw .deferred
      }
      if token == "tok_interrupted" { throw .needsAction }
      charges[key] = "ch_\(charges.count + 1)"
      return charges[key] ?? ""
    }

    /// See `PaymentGateway`.
    public func settle(key: String, approved: Bool) async throws(GatewayError) -> String {
      waiting.remove(key)
      guard approved else { throw .declined("They said no.") }
      return try await charge(token: "tok_approved", amount: 0, currency: "", key: key)
    }

    /// See `PaymentGateway`.
    public func refund(key: String) async throws(GatewayError) {}
    /// See `PaymentGateway`.
    public func authorize(amount: Int, currency: String, key: String) async throws(GatewayError) -> String { "tok_approved" }
  }

  /// The publication's own time.
  public let clock = ManualClock()
  /// What charges.
  public let gateway = Gateway()
  /// The publication itself.
  public let publication: Publication
  /// Its port.
  public let listener: Listener
  /// The way to it.
  public let network: NetworkTransport
  /// A reader of its sample, signed in.
  public let signedIn: SignedIn

  /// Opens the sample publication in memory, and listens.
  public init() async throws {
    publication = try await Publication(folder: nil, gateway: gateway, clock: clock, passwordCost: .none)
    var content = try SampleContent.publication(openedAt: clock.now)
    content.pictures = []
    try await publication.install(content)
    await publication.offerPages(at: .ofRequest)
    listener = try Listener(publication, port: 0, clock: clock)
    network = try NetworkTransport(origin: listener.origin)
    let anyone = APIClient(transport: network, token: { nil })
    signedIn = try await anyone.signIn(Credentials(email: "reader@example.org", password: "matinee"))
  }

  /// The publication as that reader.
  public func client(over transport: (any Transport)? = nil) -> APIClient {
    APIClient(transport: transport ?? network, token: { [token = signedIn.accessToken] in token })
  }

  /// Sends a request of the operator, which has to succeed.
  public func operate(_ path: String, _ body: Data = Data()) async throws {
    let headers: Headers = ["Authorization": "Bearer \(try await publication.newOperatorToken())"]
    let response = try await network.send(Request(.post, "/v1/operator/\(path)", headers: headers, body: body))
    #expect(response.status == 200)
  }

  /// An order of a product of the sample.
  public func summary(_ id: UUID = UUID(), _ product: ProductRecord.ID = "premium.monthly") async throws -> OrderSummary {
    let record = try #require(try await client().products([product]).first)
    let product = try #require(Product(record))
    return OrderSummary(id: id, product: product, total: product.price)
  }

  /// What a browser does that is shown a page: loads it, and sends its form to where that says.
  public func browse(_ url: String, _ button: String) async throws -> String {
    let browser = try NetworkTransport(origin: nil)
    let actions = try await page(url).matches(of: /<form method="post" action="([^"]*)"><button[^>]*>([^<]*)</)
    let action = try #require(actions.first { $0.2 == button }?.1)
    return String(decoding: try await browser.send(Request(.post, listener.origin + action)).body, as: UTF8.self)
  }

  /// What a browser shows at an address.
  public func page(_ url: String) async throws -> String {
    String(decoding: try await NetworkTransport(origin: nil).send(Request(.get, url)).body, as: UTF8.self)
  }
}

/// Remembers what was sent, answers some requests itself, and says when one went by.
public final class Relay: Transport {
  private struct State {
    var sent: [Request] = []
    var waiting: [(matches: @Sendable (Request) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let base: any Transport
  private let answer: @Sendable (Request) throws -> Response?
  private let state = Mutex(State())

  /// - Parameter answer: what it answers itself; `nil` for what goes on to `base`.
  public init(_ base: any Transport, _ answer: @escaping @Sendable (Request) throws -> Response? = { _ in nil }) {
    self.base = base
    self.answer = answer
  }

  /// All requests so far.
  public var sent: [Request] { state.withLock { $0.sent } }

  /// Returns once a request was answered that matches, at once when there was one.
  public func wait(for matches: @escaping @Sendable (Request) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.sent.contains(where: matches) { return true }
        state.waiting.append((matches, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// See `Transport`.
  public func send(_ request: Request) async throws -> Response {
    defer { note(request) }
    if let response = try answer(request) { return response }
    return try await base.send(request)
  }

  private func note(_ request: Request) {
    let ready = state.withLock { state in
      state.sent.append(request)
      let ready = state.waiting.filter { $0.matches(request) }.map(\.continuation)
      state.waiting.removeAll { $0.matches(request) }
      return ready
    }
    for continuation in ready { continuation.resume() }
  }
}
