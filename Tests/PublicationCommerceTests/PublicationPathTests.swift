import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import PublicationClient
import PublicationCommerce
import PublicationServer
import PurchaseService
import PurchaseServiceTesting
import Runtime
import Synchronization
import Testing

/// Both ways to sell against the publication's real router, side by side as the app has them.
@MainActor @Suite(.timeLimit(.minutes(1))) struct PublicationPathTests {
  typealias Stage = StagedPurchases<PurchasableProduct>.Stage

  /// Charges once for each key.
  private final class Book: PaymentGateway {
    let keys = Mutex<Set<String>>([])
    func charge(token: String, amount: Int, currency: String, key: String) async throws(GatewayError) -> String {
      keys.withLock { _ = $0.insert(key) }
      return "charge \(key)"
    }
    var charges: Int { keys.withLock { $0.count } }
    func refund(key: String) async throws(GatewayError) {}
  }

  /// What a test does to the way there and back.
  private final class Road: Sendable {
    struct State {
      var requested: [String] = []
      /// Paths that end so are answered by a 503.
      var closed: String?
      /// Paths that end so are answered by a no of the publication's: its keys are not what they were.
      var refused: String?
      /// The answer to a path that ends so gets lost, once.
      var loses: String?
      var user = "ada"
      var tokens: [String: String] = [:]
    }
    let state = Mutex(State())
    var requested: [String] { state.withLock { $0.requested } }
  }

  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
  private let effects = Effects()
  private let book = Book()
  private let road = Road()
  private let journal: Journal
  private let flag = Flag()
  private let readers: [String: String]
  private let publication: Publication
  private let transport: InProcessTransport
  private var purchases: PublicationPurchases

  @MainActor private final class Flag { var stage = Stage.old }

  init() async throws {
    let (clock, book, road) = (clock, book, road)
    let publication = try await Publication(folder: nil, gateway: book, clock: clock, passwordCost: .none)
    self.publication = publication
    try await publication.install(
      PublicationContent(
        info: PublicationInfo(id: "pub", name: "Publication", tagline: "", defaultPaywallID: "premium"),
        fanClubs: [FanClub(id: "c1", name: "Alpha")], posts: [], pictures: [],
        products: [
          ProductRecord(
            id: "monthly", kind: .subscription, name: "Monthly", detail: "", priceMinorUnits: 500, currency: "EUR", period: "P1M",
            group: "premium", entitlement: "premium"),
          ProductRecord(
            id: "yearly", kind: .subscription, name: "Yearly", detail: "", priceMinorUnits: 5000, currency: "EUR", period: "P1Y",
            group: "premium", entitlement: "premium"),
          ProductRecord(
            id: "passes", kind: .consumable, name: "Passes", detail: "", priceMinorUnits: 300, currency: "EUR", entitlement: "article_pass",
            consumableType: Balance.articlePass, amount: 5),
        ], paywalls: [PaywallRecord(id: "premium", title: "All", text: "", benefits: [], productIDs: ["monthly"])],
        accounts: ["ada", "bob"].map { .init(email: "\($0)@example.org", name: $0, password: "open sesame") }))
    transport = InProcessTransport { request in
      let (closed, refused, loses) = road.state.withLock { state -> (Bool, Bool, Bool) in
        state.requested.append(String(request.path))
        let closed = state.closed.map(request.path.hasSuffix) ?? false
        let refused = state.refused.map(request.path.hasSuffix) ?? false
        let loses = state.loses.map(request.path.hasSuffix) ?? false
        if loses { state.loses = nil }
        return (closed, refused, loses)
      }
      if closed { return Response(503) }
      if refused {
        let problem = Problem(code: .receiptRejected, title: "This receipt is not one of this publication’s.", status: 422)
        return Response(422, headers: ["Content-Type": "application/problem+json"], body: try Wire.encode(problem))
      }
      let response = await publication.handle(request)
      return loses ? Response(502, body: Data("<html>lost</html>".utf8)) : response
    }
    var readers: [String: String] = [:]
    for name in ["ada", "bob"] { readers[name] = try await Self.newToken(transport, road, name) }
    self.readers = readers
    journal = try await Journal(path: ":memory:", clock: clock)
    purchases = Self.staged(transport, road, journal, clock: clock, effects: effects, flag: flag)
    signIn("ada")
  }

  /// A session of an hour.
  /// - Returns: whose it is.
  private static func newToken(_ transport: InProcessTransport, _ road: Road, _ name: String) async throws -> String {
    let credentials = Credentials(email: "\(name)@example.org", password: "open sesame")
    let signedIn = try await APIClient(transport: transport, token: { nil }).signIn(credentials)
    road.state.withLock { $0.tokens[signedIn.reader.id] = signedIn.accessToken }
    return signedIn.reader.id
  }

  /// What a start of the app makes.
  private static func staged(
    _ transport: InProcessTransport, _ road: Road, _ journal: Journal, clock: ManualClock, effects: Effects, flag: Flag
  ) -> StagedPurchases<PurchasableProduct> {
    let client = APIClient(transport: transport, token: { road.state.withLock { $0.tokens[$0.user] } })
    let account: PublicationPath.Account = { user in road.state.withLock { $0.user == user } ? client.pinned() : nil }
    func path(_ path: PurchasePath<PurchasableProduct>) -> Purchases<PurchasableProduct> {
      Purchases(
        seller: "store", purchasePath: path, journal: journal,
        environment: PurchaseEnvironment(clock: clock, effects: effects, random: FixedRandom()))
    }
    let queue = PublicationQueue(clock: clock, account: account)
    return StagedPurchases(
      old: path(.publicationBackend(client, queue: queue, account: account)),
      new: path(.publicationDevice(client, seller: "store", journal: journal, clock: clock, queue: queue, account: account))
    ) { flag.stage }
  }

  private func signIn(_ name: String) {
    let user = readers[name] ?? ""
    road.state.withLock { $0.user = user }
    purchases.setUser(user)
  }

  private func buy(_ id: String = "monthly") async throws -> PurchaseOutcome<PurchasableProduct> {
    let product = try #require(try await purchases.products([id]).products.first)
    return await purchases.purchase(product, authorizer: FixedTokenAuthorizer(token: "tok_approved"))
  }

  private let monthly = PurchasableProduct(id: "monthly", entitlement: "premium", period: .month)

  @Test(arguments: [Stage.old, .new]) func aMonthBehindARefundedYearEndsEarlierHereToo(stage: Stage) async throws {
    flag.stage = stage
    _ = try await buy("yearly")
    // With a client that says what its reader has.
    let (month, token) = ("/v1/orders/\(UUID())", try #require(road.state.withLock { $0.tokens[$0.user] }))
    let asReader: Headers = ["Authorization": "Bearer \(token)"]
    let order = try Wire.encode(OrderRequest(productID: "monthly", extendsAccess: true))
    #expect(await publication.handle(Request(.put, month, headers: asReader, body: order)).status == 201)
    let charge = try Wire.encode(ChargeRequest(paymentToken: "tok_approved"))
    #expect(await publication.handle(Request(.post, month + "/charge", headers: asReader, body: charge)).status == 200)
    #expect(try await purchases.restore().contains(monthly))
    await effects.settled()
    let before = try #require(purchases.expiry(of: "monthly"))
    let year = try #require(try await purchases.history().first { $0.productID == "yearly" }).id
    clock.advance(by: .seconds(20 * 86_400))
    _ = try await Self.newToken(transport, road, "ada")
    let headers: Headers = ["Authorization": "Bearer \(try await publication.newOperatorToken())"]
    let refunded = await publication.handle(
      Request(.post, "/v1/operator/orders/\(year)/refund", headers: headers, body: try Wire.encode(RefundRequest(reason: "So sorry."))))
    #expect(refunded.status == 200)
    // The receipt that is here says otherwise, until the publication is asked.
    #expect(purchases.expiry(of: "monthly") == before)
    #expect(try await purchases.restore() == [monthly])
    // 2026-05-28 and twenty days, and a month.
    let ends = clock.now.addingTimeInterval(30 * 86_400)
    #expect(purchases.expiry(of: "monthly") == ends)
    #expect(before.timeIntervalSince(ends) == TimeInterval(346 * 86_400))
    // The next start reads the receipts that are stored.
    road.state.withLock { $0.closed = "" }
    let restarted = Self.staged(transport, road, journal, clock: clock, effects: effects, flag: flag)
    restarted.setUser(readers["ada"])
    try await restarted.resume()
    #expect(restarted.expiry(of: "monthly") == ends)
    #expect(restarted.entitlements == [monthly])
  }

  @Test(arguments: [Stage.old, .new]) func eachPathSellsAndHasThePublicationConfirm(stage: Stage) async throws {
    flag.stage = stage
    #expect(try await buy() == .purchased(monthly))
    #expect(purchases.entitlements == [monthly])
    await effects.settled()
    #expect(road.requested.filter { $0.hasSuffix("/receipts/verify") }.count == 2, "the other path learns of it from the store")
    #expect(try await purchases.history().map(\.purchasePath) == [stage == .old ? PublicationPath.backend : PublicationPath.device])
    #expect(try await purchases.history().map(\.step) == [.finished])
    #expect(try await purchases.restore() == [monthly], "the union counts it once")
    #expect(book.charges == 1)
  }

  @Test func whileThePublicationCannotConfirmOnlyTheDeviceGivesAccess() async throws {
    road.state.withLock { $0.closed = "/receipts/verify" }
    let old = Task { try await buy() }
    for wait in [1, 2] {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(wait))
      await effects.settled()
    }
    #expect(try await old.value == .pending(.storeUnavailable))
    #expect(purchases.entitlements.isEmpty)
    road.state.withLock { $0.closed = nil }
    let id = try #require(try await purchases.history().first).id
    await purchases.check(id)
    #expect(purchases.entitlements == [monthly])
    #expect(book.charges == 1)
  }

  @Test func theDeviceGivesAccessAndFinishesOnceItIsConfirmed() async throws {
    flag.stage = .new
    road.state.withLock { $0.closed = "/receipts/verify" }
    #expect(try await buy() == .purchased(monthly))
    #expect(purchases.entitlements == [monthly])
    let pending = try #require(try await purchases.history().first)
    #expect(!pending.step.isFinished)
    road.state.withLock { $0.closed = nil }
    await purchases.check(pending.id)
    #expect(try await purchases.history().map(\.step) == [.finished])
    #expect(book.charges == 1)
  }

  private func passes() async throws -> Int? {
    let client = APIClient(transport: transport, token: { [road] in road.state.withLock { $0.tokens[$0.user] } })
    return try await client.balances().first { $0.type == Balance.articlePass }?.amount
  }

  /// What is spent is on no list of receipts in force: asking about it again is what settles it, once the publication stands by its receipt.
  @Test mutating func passesChargedInVainAreBoughtOnceTheirReceiptIsGood() async throws {
    flag.stage = .new
    road.state.withLock { $0.refused = "/receipts/verify" }
    let no = PurchaseError.refused(
      code: PurchaseError.receiptRejected, sentence: "This receipt is not one of this publication’s.")
    #expect(try await buy("passes") == .failed(no))
    let id = try #require(try await purchases.history().first).id
    await purchases.check(id)
    #expect(try await purchases.history().map(\.isPaidWithoutAccess) == [true], "asked again, and refused again")
    // The next start, with nobody to ask, and then with the keys put right.
    purchases = Self.staged(transport, road, journal, clock: clock, effects: effects, flag: flag)
    signIn("ada")
    try await purchases.resume()
    road.state.withLock { ($0.refused, $0.closed) = (nil, "/receipts/verify") }
    await purchases.check(id)
    #expect(try await purchases.history().map(\.isPaidWithoutAccess) == [true])
    road.state.withLock { $0.closed = nil }
    var notices = purchases.noticeStream().makeAsyncIterator()
    for _ in 1...2 { await purchases.check(id) }
    #expect(await notices.next()?.event == .purchased)
    #expect(try await purchases.history().map(\.step) == [.finished])
    #expect(try await passes() == 5, "credited with the charge, and by nothing else")
    #expect(book.charges == 1)
    guard case .purchased = try await buy("passes") else {
      Issue.record("not sold again")
      return
    }
    #expect(try await passes() == 10)
    #expect(book.charges == 2)
  }

  @Test(arguments: [Stage.old, .new]) mutating func whatEitherPathSoldIsReadOfflineAfterTheNextStart(stage: Stage) async throws {
    flag.stage = stage
    #expect(try await buy() == .purchased(monthly))
    await effects.settled()
    // Every path ends so.
    road.state.withLock { $0.closed = "" }
    purchases = Self.staged(transport, road, journal, clock: clock, effects: effects, flag: flag)
    signIn("ada")
    try await purchases.resume()
    #expect(purchases.entitlements == [monthly])
  }

  @Test(arguments: [Stage.old, .new], ["/charge", "/receipts/verify"])
  mutating func switchingWhileAnAnswerIsLostChargesOnce(stage: Stage, lost: String) async throws {
    flag.stage = stage
    // Nothing more gets through, as if the app were killed right after the answer got lost.
    road.state.withLock { ($0.loses, $0.closed) = (lost, lost == "/charge" ? "/receipts/verify" : nil) }
    let attempt = Task { [purchases] in
      let product = try #require(try await purchases.products(["monthly"]).products.first)
      return await purchases.purchase(product, authorizer: FixedTokenAuthorizer(token: "tok_approved"))
    }
    await clock.waitForSleepers()
    flag.stage = stage == .old ? .new : .old
    #expect(try await buy() == .failed(.inProgress))
    // The next start, with the other flag and another way to the publication.
    road.state.withLock { $0.closed = nil }
    purchases = Self.staged(transport, road, journal, clock: clock, effects: effects, flag: flag)
    signIn("ada")
    try await purchases.resume()
    await until { !purchases.entitlements.isEmpty }
    await effects.settled()
    #expect(purchases.entitlements == [monthly])
    #expect(book.charges == 1)
    #expect(try await purchases.history().count == 1)
    clock.advance(by: .seconds(1))
    _ = try await attempt.value
    #expect(book.charges == 1)
  }

  @Test(arguments: [Stage.old, .new]) func case4NoReceiptIsShownToThePublicationInAnothersName(stage: Stage) async throws {
    flag.stage = stage
    #expect(try await buy() == .purchased(monthly))
    await effects.settled()
    let requested = road.requested.filter { $0.hasSuffix("/receipts/verify") }.count
    signIn("bob")
    try await purchases.resume()
    #expect(try await purchases.restore() == [])
    #expect(road.requested.filter { $0.hasSuffix("/receipts/verify") }.count == requested)
    #expect(try await buy() == .purchased(monthly), "and bob can buy it too")
    #expect(book.charges == 2)
  }

}
