import FeatureKit
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationCommerce
import PurchaseService
import PurchaseServiceTesting
import Runtime
import SignedReceipts
import TestSupport
import Testing

@Suite struct CommerceTests {
  private let record = ProductRecord(
    id: "yearly", kind: .subscription, name: "Yearly", detail: "Twelve for ten", priceMinorUnits: 4900, currency: "EUR", period: "P1Y",
    group: "premium", entitlement: "premium")
  private let id = UUID(uuidString: "11111111-2222-3333-4444-555555555555")!

  private func order(_ state: Order.State, total: Int = 4900, receipt: String? = nil, id: UUID? = nil) -> Order {
    Order(
      id: (id ?? self.id).uuidString, productID: "yearly", state: state, created: Date(timeIntervalSince1970: 1_700_000_000),
      totalMinorUnits: total, currency: "EUR", declineReason: state == .declined ? "The bank said no." : nil, receipt: receipt)
  }

  private func transaction() -> Transaction {
    Transaction(
      id: id, seller: "store", user: "ada", productID: "yearly", isOneTime: false, price: Price(minorUnits: 4900, currency: "EUR"),
      purchasePath: "publication.device", begun: Date(timeIntervalSince1970: 0), token: PaymentToken("tok_approved"))
  }

  /// What the queue makes of the answers to PUT and POST.
  private func submit(_ put: @escaping @Sendable () throws -> Response, _ post: @escaping @Sendable () throws -> Response) async -> (
    outcome: SubmissionOutcome, requests: [Request]
  ) {
    let canned = Canned { request in try request.method == .put ? put() : post() }
    let client = canned.client()
    let transaction = transaction()
    let queue = PublicationQueue { user in user == "ada" ? client : nil }
    return (await queue.add(transaction), canned.requests)
  }

  private func json(_ status: Int, _ value: some Encodable & Sendable, _ headers: Headers = [:]) -> @Sendable () throws -> Response {
    { Response(status, headers: headers, body: try Wire.encode(value)) }
  }
  private func problem(_ status: Int, _ code: Problem.Code, _ headers: Headers = [:]) -> @Sendable () throws -> Response {
    json(status, Problem(code: code, title: "No.", status: status), headers)
  }

  @Test func aRecordBecomesAProduct() throws {
    let product = try #require(Product(record))
    #expect(product.kind == .subscription(group: "premium", period: try #require(SubscriptionPeriod(months: 12))))
    #expect(product.price == Price(minorUnits: 4900, currency: "EUR"))
    #expect(product.entitlement == "premium")
  }

  @Test(arguments: [nil, "", "P0M", "PT1H", "month"]) func aSubscriptionWithoutAKnownPeriodIsNoProduct(period: String?) {
    var record = record
    record.period = period
    #expect(Product(record) == nil)
  }

  @Test func anOrderIsPutAndThenChargedUnderTheTransactionsIdentifier() async {
    let (outcome, requests) = await submit(json(201, order(.open)), json(200, order(.paid, receipt: "a.b.c")))
    #expect(outcome == .accepted(receipt: "a.b.c", listed: ["yearly"]))
    #expect(requests.map(\.target) == ["/v1/orders/\(id.uuidString)", "/v1/orders/\(id.uuidString)/charge"])
    #expect(String(decoding: requests[1].body, as: UTF8.self) == #"{"paymentToken":"tok_approved"}"#)
  }

  @Test func anOrderThatIsPaidAlreadyIsNotChargedAgain() async {
    let (outcome, requests) = await submit(json(200, order(.paid, receipt: "a.b.c")), problem(500, .internalError))
    #expect(outcome == .accepted(receipt: "a.b.c", listed: ["yearly"]))
    #expect(requests.count == 1)
  }

  @Test func aPriceThatChangedIsNotCharged() async {
    let (outcome, requests) = await submit(json(201, order(.open, total: 5900)), problem(500, .internalError))
    guard case .refused("price_changed", _) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(requests.count == 1)
  }

  @Test func declinesUnknownProductsAndConflictsAreDefinite() async {
    let open = json(201, order(.open))
    #expect(await submit(open, problem(402, .paymentDeclined)).outcome == .declined("No."))
    #expect(await submit(json(200, order(.declined)), open).outcome == .declined("The bank said no."))
    #expect(await submit(problem(404, .unknownProduct), open).outcome == .unknownProduct("No."))
    #expect(await submit(problem(409, .conflict), open).outcome == .refused(code: "conflict", sentence: "No."))
  }

  @Test func anEndedSessionIsKept() async {
    #expect(await submit(problem(401, .sessionEnded), json(200, order(.paid))).outcome == .unauthorized)
  }

  @Test func notNowIsKeptAndSaysHowLong() async {
    let open = json(201, order(.open))
    #expect(await submit(open, problem(429, "too_many", ["Retry-After": "7"])).outcome == .busy(retryAfter: .seconds(7)))
    #expect(
      await submit(open, problem(503, .paymentUnavailable, ["Retry-After": "9"])).outcome
        == .unavailable(reason: "status 503", retryAfter: .seconds(9)))
  }

  @Test(arguments: [TransportError.timedOut, .unreachable("refused"), .cutShort("reset"), .insecure("expired"), .tooLarge(limit: 1)])
  func whateverIsNoAnswerIsKept(error: TransportError) async {
    let outcome = await submit(json(201, order(.open))) { throw error }.outcome
    guard case .unavailable(_, nil) = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test func answersThatCannotBeUsedAreKept() async {
    let open = json(201, order(.open))
    let proxy = { @Sendable in Response(403, body: Data("<html>Log in to this network</html>".utf8)) }
    let login = { @Sendable in Response(401, body: Data("<html>Who are you?</html>".utf8)) }
    for answer in [
      json(200, [1, 2]), json(200, order(.paid)), json(200, order(.open)), json(200, order(.paid, receipt: "r", id: UUID())), proxy,
      login, { Response(204) }, { Response(302) },
    ] {
      let outcome = await submit(open, answer).outcome
      guard case .unavailable = outcome else {
        Issue.record("\(outcome)")
        continue
      }
    }
  }

  @Test func case4NoRequestGoesOutUnderAnothersName() async throws {
    let canned = Canned { _ in Response(500) }
    let queue = PublicationQueue { _ in nil }
    #expect(await queue.add(transaction()) == .unauthorized)
    await #expect { try await queue.restore(user: "ada") } throws: { ($0 as? StoreError)?.kind == .unauthorized }
    #expect(canned.requests.isEmpty)
  }

  @Test func aPinnedClientKeepsItsToken() async throws {
    let canned = try Canned([String]())
    let pinned = try #require(canned.client(token: "mine").pinned())
    _ = try await pinned.entitlements()
    #expect(canned.requests.first?.headers["Authorization"] == "Bearer mine")
    #expect(canned.client(token: nil).pinned() == nil)
  }

  @Test func claimsAreReadAndVerified() async throws {
    let key = try SigningKey.generate(.es256)
    let claims = ReceiptClaims(
      iss: "sample", sub: "ada", jti: id.uuidString, iat: 1_700_000_000, exp: 1_700_000_100, product: "yearly", entitlement: "premium",
      purchased: 1_700_000_000, period: "P1Y")
    let token = try JWS.sign(payload: Wire.encode(claims), key: key)
    let journal = try await Journal(path: ":memory:", clock: ManualClock())
    let keys = TrustedKeyCache(seller: "store", purchasePath: "device", journal: journal, clock: ManualClock()) {
      TrustedKeys(issuer: "sample", keys: [key.verificationKey])
    }
    let contents = try await DeviceVerifier(keys: keys) { try ReceiptContents(payload: $0) }.verify(token)
    #expect(contents.user == "ada")
    #expect(contents.transaction == id)
    #expect(contents.purchasable == PurchasableProduct(id: "yearly", entitlement: "premium", period: SubscriptionPeriod(months: 12)))
    #expect(contents.expires == Date(timeIntervalSince1970: 1_700_000_100))
  }

  @Test func claimsOfNoOrderAreRefused() throws {
    let claims = ReceiptClaims(iss: "s", sub: "a", jti: "x", iat: 0, exp: nil, product: "p", entitlement: "e", purchased: 0)
    #expect(throws: ReceiptClaimsError.noOrder("x")) { try ReceiptContents<PurchasableProduct>(payload: Wire.encode(claims)) }
  }

  @Test func keysOfAKindThatIsNotKnownAreLeftOut() async throws {
    let key = try SigningKey.generate(.edDSA).verificationKey
    let known = KeySet.Key(kty: key.jwk.kty, crv: key.jwk.crv, kid: key.kid, alg: key.jwk.alg, x: key.jwk.x)
    let future = KeySet.Key(kty: "OKP", crv: "ML-DSA", kid: "future", alg: "ML-DSA-65", x: "AA")
    let info = PublicationInfo(id: "sample", name: "", tagline: "", defaultPaywallID: "premium")
    let canned = Canned { request in
      Response(200, body: try request.target == "/v1/keys" ? Wire.encode(KeySet(keys: [future, known])) : Wire.encode(info))
    }
    #expect(try await canned.client().trustedKeys() == TrustedKeys(issuer: "sample", keys: [key]))
  }

  @Test func periodsInWords() throws {
    func period(_ text: String) throws -> SubscriptionPeriod { try #require(SubscriptionPeriod(iso8601: text)) }
    #expect(
      try ["P1M", "P1Y", "P3M", "P1W", "P2Y", "P10D", "P1M3D"].map { try period($0).afterPrice } == [
        "a month", "a year", "every 3 months", "a week", "every 2 years", "every 10 days", "every 1 month and 3 days",
      ])
    #expect(try ["P1M", "P1Y", "P3M"].map { try period($0).every } == ["every month", "every year", "every 3 months"])
    #expect(try ["P1M", "P2W", "P1M3D"].map { try period($0).length(times: 2) } == ["2 months", "4 weeks", "2 months and 6 days"])
  }

  @Test func whatABeginningCostsInWords() throws {
    let month = try #require(SubscriptionPeriod(months: 1))
    let fortnight = try #require(SubscriptionPeriod(days: 14))
    func product(_ minorUnits: Int, _ period: SubscriptionPeriod, cycles: Int = 1) -> Product {
      Product(
        id: "a", kind: .subscription(group: nil, period: month), name: "A", price: Price(minorUnits: 490, currency: "EUR"),
        offer: Offer(price: Price(minorUnits: minorUnits, currency: "EUR"), period: period, cycles: cycles))
    }
    let locale = Locale(identifier: "en_IE")
    #expect(product(0, fortnight).paceText(locale) == "First 2 weeks free")
    #expect(product(0, month).paceText(locale) == "First month free")
    #expect(product(100, month).paceText(locale) == "First month for €1.00")
    #expect(product(100, month, cycles: 3).paceText(locale) == "First 3 months for €1.00 a month")
    #expect(product(100, month).firstPayment == Price(minorUnits: 100, currency: "EUR"))
  }

  @Test func case15APeriodEndsOnADayThatThereIs() throws {
    let month = try #require(SubscriptionPeriod(months: 1))
    let start = try Date("2024-01-31T12:00:00Z", strategy: .iso8601)
    let zone = try #require(TimeZone(identifier: "UTC"))
    #expect(month.end(from: start, in: zone).formatted(.iso8601) == "2024-02-29T12:00:00Z")
    #expect(month.end(from: start, times: 12, in: zone).formatted(.iso8601) == "2025-01-31T12:00:00Z")
  }
}
