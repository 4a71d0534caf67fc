import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Runtime
import SignedReceipts
import Synchronization
import Testing

/// A publication with readers and posts, and what a test asks of it.
struct Rig: Sendable {
  static let start = Date(timeIntervalSince1970: 1_704_067_200)  // 2024-01-01T00:00:00Z
  static let password = "open sesame"

  let clock: ManualClock
  let gateway: any PaymentGateway
  let publication: Publication
  /// The tokens of now of each session, by its first access token, which is what tests name it by: also after a new start.
  private static let sessions = Mutex<[String: SignedIn]>([:])

  /// - Parameter folder: nil keeps everything in memory.
  init(
    folder: String? = nil, gateway: any PaymentGateway = CountingGateway(), clock: ManualClock = ManualClock(now: start),
    offersSampleAccount: Bool = true, posts: [Post] = Rig.posts, log: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws {
    self.clock = clock
    self.gateway = gateway
    publication = try await Publication(
      folder: folder, gateway: gateway, clock: clock, identifiers: SequentialIdentifiers(), offersSampleAccount: offersSampleAccount,
      passwordCost: .none, log: log)
    var content = Self.content
    content.posts = posts
    try await publication.install(content)
  }

  static let posts: [Post] = (1...25).map { number in
    // Three at a time share a second, so that the order by id counts too.
    let age = TimeInterval(number / 3) * 60
    return Post(
      id: String(format: "p%02d", number), fanClubID: number.isMultiple(of: 2) ? "even" : "odd", fanClubName: "",
      title: "Post \(number)", teaser: "Teaser \(number)", body: "<p>Body \(number)</p>", published: start.addingTimeInterval(-age),
      premium: number == 4)
  }

  static let content = PublicationContent(
    info: PublicationInfo(
      id: "pub", name: "The Publication", tagline: "For tests", defaultPaywallID: "premium",
      sampleAccount: .init(email: "sample@example.org", password: "known to all")),
    fanClubs: [FanClub(id: "odd", name: "Écarts"), FanClub(id: "even", name: "Duos"), FanClub(id: "none", name: "zebra")],
    pictures: [.init(name: "a.png", type: "image/png", bytes: Data([1, 2, 3]))],
    products: [
      ProductRecord(
        id: "premium.monthly", kind: .subscription, name: "Monthly", detail: "", priceMinorUnits: 490, currency: "EUR", period: "P1M",
        group: "premium", entitlement: "premium"),
      ProductRecord(
        id: "premium.yearly", kind: .subscription, name: "Yearly", detail: "", priceMinorUnits: 4900, currency: "EUR", period: "P1Y",
        group: "premium", entitlement: "premium"),
      ProductRecord(
        id: "premium.lifetime", kind: .nonConsumable, name: "For good", detail: "", priceMinorUnits: 14900, currency: "EUR",
        entitlement: "premium", tax: Tax(name: "VAT", basisPoints: 1900, minorUnits: 2379)),
      ProductRecord(
        id: "premium.lifetime", kind: .nonConsumable, name: "For good", detail: "", priceMinorUnits: 15900, currency: "USD",
        entitlement: "premium"),
      ProductRecord(
        id: "passes.5", kind: .consumable, name: "Five passes", detail: "", priceMinorUnits: 350, currency: "EUR",
        entitlement: Balance.articlePass, consumableType: Balance.articlePass, amount: 5),
    ],
    paywalls: [PaywallRecord(id: "premium", title: "All", text: "", benefits: [], productIDs: ["premium.monthly"])],
    accounts: [
      .init(email: "sample@example.org", name: "Sample", password: "known to all"),
      .init(email: "ada@example.org", name: "Ada", password: password), .init(email: "bo@example.org", name: "Bo", password: password),
    ])

  // MARK: Asking

  /// - Parameter token: as ``signIn(_:)`` gave it: what stands for it is refreshed when its hour is over.
  func send(
    _ method: Request.Method, _ target: String, token: String? = nil, headers: Headers = [:], body: Data = Data()
  ) async -> Response {
    let used = token.map { token in Self.sessions.withLock { $0[token]?.accessToken ?? token } }
    var headers = headers
    if let used { headers["Authorization"] = "Bearer \(used)" }
    let response = await publication.handle(Request(method, target, headers: headers, body: body))
    guard response.status == 401, let token, let old = Self.sessions.withLock({ $0[token] }), old.accessToken == used,
      let refresh = try? Wire.encode(RefreshRequest(refreshToken: old.refreshToken)),
      let renewed = try? Wire.decode(
        SignedIn.self, from: await publication.handle(Request(.post, "/v1/session/refresh", body: refresh)).body)
    else { return response }
    Self.sessions.withLock { $0[token] = renewed }
    headers["Authorization"] = "Bearer \(renewed.accessToken)"
    return await publication.handle(Request(method, target, headers: headers, body: body))
  }

  func signIn(_ name: String = "ada") async throws -> String {
    let response = await send(
      .post, "/v1/session", body: try Wire.encode(Credentials(email: "\(name)@example.org", password: Self.password)))
    #expect(response.status == 201)
    let signedIn = try Wire.decode(SignedIn.self, from: response.body)
    Self.sessions.withLock { $0[signedIn.accessToken] = signedIn }
    return signedIn.accessToken
  }

  /// The refresh token of a session now. See ``signIn(_:)``.
  func refreshToken(of token: String) -> String? { Self.sessions.withLock { $0[token]?.refreshToken } }

  func get<Value: Decodable>(_ target: String, _ token: String?, as type: Value.Type = Value.self) async throws -> Value {
    let response = await send(.get, target, token: token)
    #expect(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
    return try Wire.decode(type, from: response.body)
  }

  // MARK: Buying

  /// - Parameter extendsAccess: as a client says that tells its reader what they have.
  func begin(_ id: UUID, _ product: String, _ token: String, extendsAccess: Bool = true) async throws -> Response {
    await send(
      .put, "/v1/orders/\(id)", token: token, body: try Wire.encode(OrderRequest(productID: product, extendsAccess: extendsAccess)))
  }

  func charge(_ id: UUID, _ token: String, with payment: String = "tok_approved") async throws -> Response {
    await send(.post, "/v1/orders/\(id)/charge", token: token, body: try Wire.encode(ChargeRequest(paymentToken: payment)))
  }

  /// Begins and charges an order.
  func buy(_ product: String, _ token: String, id: UUID = UUID()) async throws -> Order {
    let begun = try await begin(id, product, token)
    #expect(begun.status == 201)
    let response = try await charge(id, token)
    #expect(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
    return try response.order
  }

  /// What the operator asks, with a token of their own.
  func operate(_ method: Request.Method, _ path: String, _ body: Data = Data()) async throws -> Response {
    await send(method, "/v1/operator/\(path)", token: try await publication.newOperatorToken(), body: body)
  }

  func refund(_ order: String, _ reason: String = "It was a mistake.", trustsClock: Bool? = nil) async throws -> Response {
    try await operate(.post, "orders/\(order)/refund", Wire.encode(RefundRequest(reason: reason, trustsClock: trustsClock)))
  }

  func passes(_ token: String) async throws -> Int? {
    try await get("/v1/balances", token, as: [Balance].self).first { $0.type == Balance.articlePass }?.amount
  }

  /// What a receipt says, once its signature was checked with the published keys.
  func claims(_ receipt: String?) async throws -> ReceiptClaims {
    let keys = try await get("/v1/keys", nil, as: KeySet.self).keys.map { key in
      try VerificationKey(jwk: .init(kty: key.kty, crv: key.crv, kid: key.kid, alg: key.alg, x: key.x, y: key.y))
    }
    return try Wire.decode(from: try JWS.verify(try #require(receipt), keys: keys))
  }
}

extension Response {
  var problem: Problem { get throws { try Wire.decode(from: body) } }
  var order: Order { get throws { try Wire.decode(from: body) } }
  var post: Post { get throws { try Wire.decode(from: body) } }
}

/// A folder for one test, gone with it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "matinee-tests-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  /// What every version has beside a database.
  func makeKey() throws { try Data(SigningKey.generate(.es256).pem().utf8).write(to: URL(fileURLWithPath: file("receipts.pem"))) }
}
