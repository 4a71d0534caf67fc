import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Runtime
import Testing

/// Orders, charges and receipts.
@Suite struct OrderTests {
  private let gateway = CountingGateway()

  private static let day: Int64 = 86_400
  private static let start = Int64(Rig.start.timeIntervalSince1970)

  @Test func anOrderIsBegunOnce() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let id = UUID()
    let begun = try await rig.begin(id, "premium.monthly", token)
    #expect(begun.status == 201)
    let order = try begun.order
    #expect((order.id, order.productID, order.state) == (id.uuidString, "premium.monthly", .open))
    #expect((order.totalMinorUnits, order.currency, order.created) == (490, "EUR", Rig.start))
    #expect(order.receipt == nil)
    let again = await rig.send(
      .put, "/v1/orders/\(id.uuidString.lowercased())", token: token, body: try Wire.encode(OrderRequest(productID: "premium.monthly")))
    #expect(again.status == 200)
    #expect(try again.order == order)
    #expect(await gateway.calls.isEmpty)
  }

  @Test func aReaderHasABoundedNumberOfOpenOrders() async throws {
    let rig = try await Rig(gateway: gateway)
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let first = UUID()
    #expect(try await rig.begin(first, "premium.monthly", ada).status == 201)
    for _ in 1..<100 { #expect(try await rig.begin(UUID(), "premium.monthly", ada).status == 201) }
    let refused = try await rig.begin(UUID(), "premium.monthly", ada)
    #expect(refused.status == 429)
    #expect(try refused.problem.title == "You have begun 100 orders today without paying them. Try again tomorrow.")
    // What is there already goes on, and others are not concerned.
    #expect(try await rig.begin(first, "premium.monthly", ada).status == 200)
    #expect(try await rig.begin(UUID(), "premium.monthly", bo).status == 201)
    // One that is paid is not open, and one that nobody paid in a day counts no longer.
    #expect(try await rig.charge(first, ada).status == 200)
    #expect(try await rig.begin(UUID(), "premium.monthly", ada).status == 201)
    #expect(try await rig.begin(UUID(), "premium.monthly", ada).status == 429)
    rig.clock.advance(by: .seconds(86_401))
    #expect(try await rig.begin(UUID(), "premium.monthly", ada).status == 201)
  }

  /// Whatever became of them: a bank that says no or not yet is asked as often as somebody likes.
  @Test(arguments: ["tok_declined", "tok_deferred", "tok_interrupted"]) func unpaidOrdersCountWhateverTheBankSaid(token: String)
    async throws
  {
    let rig = try await Rig()
    await rig.publication.offerPages(at: .origin("https://read.example.org"))
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let most = token == "tok_deferred" ? 20 : 100
    for _ in 0..<most {
      let id = UUID()
      // Of what waits for approval only passes are sold more than once.
      #expect(try await rig.begin(id, token == "tok_deferred" ? "passes.5" : "premium.monthly", ada).status == 201)
      _ = try await rig.charge(id, ada, with: token)
    }
    let refused = try await rig.begin(UUID(), "premium.monthly", ada)
    #expect(refused.status == 429)
    #expect(try await rig.begin(UUID(), "premium.monthly", bo).status == 201)
    rig.clock.advance(by: .seconds(86_400))
    // What still waits counts for as long as it does.
    #expect(try await rig.begin(UUID(), "premium.monthly", ada).status == (token == "tok_deferred" ? 429 : 201))
    guard token == "tok_deferred" else { return }
    let orders = try await rig.get("/v1/orders", ada, as: [Order].self)
    #expect(try refused.problem.title == "20 of your payments wait for approval. Try again when they were decided.")
    #expect(try await rig.operate(.post, "orders/\(orders[0].id)/decline").status == 200)
    #expect(try await rig.begin(UUID(), "premium.monthly", ada).status == 201)
  }

  @Test func whatCannotBeOrdered() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let unknown = try await rig.begin(UUID(), "premium.weekly", ada)
    #expect(unknown.status == 404)
    #expect(try unknown.problem.code == .unknownProduct)
    let id = UUID()
    _ = try await rig.begin(id, "premium.monthly", ada)
    for (product, token) in [("premium.yearly", ada), ("premium.monthly", bo)] {
      let other = try await rig.begin(id, product, token)
      #expect(other.status == 409)
      #expect(try other.problem.code == .conflict)
    }
    let body = try Wire.encode(OrderRequest(productID: "premium.monthly"))
    for name in ["1", "%20", "00000000-0000-0000-0000-00000000000", "x" + UUID().uuidString] {
      #expect(await rig.send(.put, "/v1/orders/\(name)", token: ada, body: body).status == 400)
    }
    #expect(await rig.send(.get, "/v1/orders/\(id)", token: bo).status == 404)
    #expect(try await rig.charge(id, bo).status == 404)
    #expect(try await rig.charge(UUID(), ada).status == 404)
    #expect(try await rig.charge(id, ada, with: "").status == 400)
    #expect(try await rig.charge(id, ada, with: String(repeating: "x", count: 513)).status == 400)
  }

  @Test func anOrderIsTheSameOnlyInItsCurrency() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let id = UUID()
    func put(_ product: String, _ currency: String?) async throws -> Response {
      await rig.send(
        .put, "/v1/orders/\(id)", token: token, body: try Wire.encode(OrderRequest(productID: product, currency: currency)))
    }
    #expect(try await put("premium.lifetime", "EUR").status == 201)
    // Before it is paid and after.
    for _ in 0..<2 {
      let other = try await put("premium.lifetime", "USD")
      #expect(other.status == 409)
      #expect(
        try other.problem
          == Problem(
            code: .conflict, title: "There is an order of this identifier in EUR. Nothing more was charged.", status: 409))
      #expect(try await put("passes.5", "EUR").status == 409)
      // None, small letters, and one that it is not sold in, for which it was the first one.
      for currency in [nil, "EUR", "eur", "CHF"] { #expect(try await put("premium.lifetime", currency).order.totalMinorUnits == 14900) }
      #expect(try await rig.charge(id, token).order.totalMinorUnits == 14900)
    }
    #expect(await gateway.charges == 1)
    // Nor the other way round.
    let dollars = UUID()
    for (currency, status) in [("USD", 201), ("EUR", 409), ("CHF", 409), ("usd", 200)] {
      let body = try Wire.encode(OrderRequest(productID: "premium.lifetime", currency: currency))
      #expect(await rig.send(.put, "/v1/orders/\(dollars)", token: try await rig.signIn("bo"), body: body).status == status)
    }
  }

  @Test func aChargeGivesASignedReceipt() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let reader = try await rig.get("/v1/session", token, as: Reader.self)
    let order = try await rig.buy("premium.monthly", token)
    #expect(order.state == .paid)
    let claims = try await rig.claims(order.receipt)
    // 2024-01-01 and a month: 31 days.
    #expect(
      claims
        == ReceiptClaims(
          iss: "pub", sub: reader.id, jti: order.id, iat: Self.start, exp: Self.start + 31 * Self.day, product: "premium.monthly",
          entitlement: "premium", purchased: Self.start, period: "P1M"))
    #expect(await gateway.calls == [.init(key: order.id, token: "tok_approved")])
  }

  @Test func askingAgainChargesNothing() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let id = UUID()
    _ = try await rig.buy("premium.monthly", token, id: id)
    rig.clock.advance(by: .seconds(60))
    for payment in ["tok_approved", "tok_other", "tok_declined"] {
      let again = try await rig.charge(id, token, with: payment)
      #expect(again.status == 200)
      let claims = try await rig.claims(try again.order.receipt)
      #expect((claims.purchased, claims.iat) == (Self.start, Self.start + 60))
    }
    let put = try await rig.begin(id, "premium.monthly", token)
    #expect(put.status == 200)
    #expect(try put.order.state == .paid)
    #expect(await gateway.calls.count == 1)
  }

  @Test func twoAtOnceMakeOneCall() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let id = UUID()
    _ = try await rig.begin(id, "premium.monthly", token)
    await gateway.set(.suspended)
    let answers = try await withThrowingTaskGroup(of: Response.self) { group in
      for _ in 0..<5 { group.addTask { try await rig.charge(id, token) } }
      await gateway.waitForCalls(1)
      // While the gateway is asked, everything else is answered.
      #expect(try await rig.get("/v1/orders/\(id)", token, as: Order.self).state == .open)
      await gateway.set(.up)
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.map(\.status) == [200, 200, 200, 200, 200])
    #expect(await gateway.calls.count == 1)
  }

  @Test func aChargeBesideARefundIsRefused() async throws {
    let rig = try await Rig(gateway: gateway)
    let (token, id) = (try await rig.signIn(), UUID())
    _ = try await rig.buy("premium.monthly", token, id: id)
    await gateway.set(.suspended)
    async let refund = rig.refund(id.uuidString)
    await gateway.waitForCalls(2)
    async let charge = rig.charge(id, token)
    // The charge arrives meanwhile.
    for _ in 0..<20 { #expect(try await rig.get("/v1/orders/\(id)", token, as: Order.self).state == .paid) }
    await gateway.set(.up)
    #expect(try await (refund.status, charge.status) == (200, 409))
    #expect(await (gateway.calls.count, gateway.refunds.count) == (1, 1))
  }

  /// Each try leaves a line in two books.
  @Test func anOrderIsNotDeclinedForEver() async throws {
    let rig = try await Rig()
    let (token, id) = (try await rig.signIn(), UUID())
    _ = try await rig.begin(id, "premium.monthly", token)
    for _ in 1...100 { #expect(try await rig.charge(id, token, with: "tok_declined").status == 402) }
    #expect(try await rig.charge(id, token, with: "tok_declined").status == 429)
    #expect(try await rig.charge(id, token).problem.title == "This order was declined too often. Begin another one.")
    #expect(try await rig.buy("premium.monthly", token).state == .paid)
  }

  @Test func declinedThenAnotherCard() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let id = UUID()
    _ = try await rig.begin(id, "premium.monthly", token)
    let declined = try await rig.charge(id, token, with: "tok_declined")
    #expect(declined.status == 402)
    #expect(try declined.problem == Problem(code: .paymentDeclined, title: "Your bank said no.", status: 402))
    let order = try await rig.get("/v1/orders/\(id)", token, as: Order.self)
    #expect((order.state, order.declineReason, order.receipt) == (.declined, "Your bank said no.", nil))
    #expect(try await rig.get("/v1/entitlements", token, as: [String].self).isEmpty)
    #expect(try await rig.charge(id, token, with: "tok_declined").status == 402)
    let paid = try await rig.charge(id, token)
    #expect(try paid.order.state == .paid)
    #expect(try paid.order.declineReason == nil)
    #expect(await gateway.calls.map(\.key) == [id.uuidString, "\(id.uuidString)-2", "\(id.uuidString)-3"])
    #expect(await gateway.charges == 1)
  }

  @Test func aLostAnswerIsAskedForAgainUnderTheSameKey() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let id = UUID()
    _ = try await rig.begin(id, "premium.monthly", token)
    await gateway.set(.lost)
    for _ in 0..<2 {
      let lost = try await rig.charge(id, token)
      #expect(lost.status == 503)
      #expect(try lost.problem.code == .paymentUnavailable)
    }
    #expect(try await rig.get("/v1/orders/\(id)", token, as: Order.self).state == .open)
    await gateway.set(.up)
    // Another card does not matter any more: the first one was charged.
    #expect(try await rig.charge(id, token, with: "tok_declined").order.state == .paid)
    #expect(Set(await gateway.calls.map(\.key)) == [id.uuidString])
    #expect(await gateway.charges == 1)
  }

  @Test func anInterruptedChargeIsSettledAfterTheNextStart() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path, gateway: gateway)
    let token = try await rig.signIn()
    let (first, second) = (UUID(), UUID())
    for id in [first, second] { _ = try await rig.begin(id, "premium.monthly", token) }
    await gateway.set(.lost)
    #expect(try await rig.charge(first, token).status == 503)
    #expect(try await rig.charge(second, token, with: "tok_declined").status == 503)
    await gateway.set(.up)

    let restarted = try await Rig(folder: folder.path, gateway: gateway)
    await restarted.publication.resumeCharges()
    await restarted.publication.resumeCharges()
    #expect(try await restarted.get("/v1/orders/\(first)", token, as: Order.self).state == .paid)
    #expect(try await restarted.get("/v1/orders/\(second)", token, as: Order.self).state == .declined)
    #expect(try await restarted.get("/v1/entitlements", token, as: [String].self).count == 1)
    #expect(await gateway.charges == 1)
    #expect(await gateway.calls.count == 4)
  }

  @Test func closingWaitsForAChargeUnderWay() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path, gateway: gateway)
    let token = try await rig.signIn()
    let id = UUID()
    _ = try await rig.begin(id, "premium.monthly", token)
    await gateway.set(.suspended)
    async let charged = rig.charge(id, token)
    await gateway.waitForCalls(1)
    async let closed: Void = rig.publication.close()
    await gateway.set(.up)
    _ = try await charged
    await closed
    let restarted = try await Rig(folder: folder.path, gateway: gateway)
    #expect(try await restarted.get("/v1/orders/\(id)", token, as: Order.self).state == .paid)
  }

  /// On another device, which does not know it yet.
  @Test func whoHasItForGoodIsSoldNoSubscriptionToIt() async throws {
    let rig = try await Rig(gateway: gateway)
    let (token, other) = (try await rig.signIn(), try await rig.signIn("bo"))
    let begun = UUID()
    _ = try await rig.begin(begun, "premium.monthly", token)
    _ = try await rig.buy("premium.lifetime", token)
    for answer in [try await rig.charge(begun, token), try await rig.begin(UUID(), "premium.yearly", token)] {
      #expect(answer.status == 409)
      #expect(
        try answer.problem
          == Problem(
            code: .alreadyOwned, title: "You own “For good” already, which has all of this for good, so nothing was charged.", status: 409))
    }
    #expect(await gateway.calls.count == 1)
    #expect(try await rig.buy("passes.5", token).state == .paid, "which is something else")
    #expect(try await rig.buy("premium.monthly", other).state == .paid)
  }

  /// On another device, which does not show that it waits.
  @Test func whatWaitsForApprovalIsNotSoldInAnotherForm() async throws {
    let rig = try await Rig(gateway: gateway)
    let (token, other) = (try await rig.signIn(), try await rig.signIn("bo"))
    let (waiting, begun) = (UUID(), UUID())
    _ = try await rig.begin(waiting, "premium.monthly", token)
    _ = try await rig.begin(begun, "premium.yearly", token)
    #expect(try await rig.charge(waiting, token, with: "tok_deferred").status == 202)
    let answers = [
      try await rig.charge(begun, token), try await rig.begin(UUID(), "premium.yearly", token),
      try await rig.begin(UUID(), "premium.lifetime", token), try await rig.begin(UUID(), "premium.monthly", token),
    ]
    for answer in answers {
      #expect(answer.status == 409)
      #expect(
        try answer.problem.title == "You have ordered “Monthly” already, and the payment waits for approval. Nothing more was charged.")
    }
    #expect(try await rig.charge(waiting, token, with: "tok_deferred").status == 202, "it is not in its own way")
    #expect(try await rig.buy("passes.5", token).state == .paid, "which is something else")
    #expect(try await rig.buy("premium.yearly", other).state == .paid)
    #expect(try await rig.operate(.post, "orders/\(waiting)/decline").status == 200)
    #expect(try await rig.buy("premium.yearly", token).state == .paid)
  }

  /// The sheet there shows what was before: a payment that was declined, or nothing yet.
  @Test func aSubscriptionThatWasBoughtOnAnotherDeviceIsNotBoughtAgain() async throws {
    let rig = try await Rig(gateway: gateway)
    let (token, other) = (try await rig.signIn(), try await rig.signIn("bo"))
    let (here, there) = (UUID(), UUID())
    for id in [here, there] { _ = try await rig.begin(id, "premium.monthly", token, extendsAccess: false) }
    #expect(try await rig.charge(there, token, with: "tok_declined").status == 402)
    // In the same moment.
    await gateway.set(.suspended)
    async let paid = rig.charge(here, token)
    await gateway.waitForCalls(2)
    #expect(try await rig.charge(there, token).status == 409)
    await gateway.set(.up)
    #expect(try await paid.order.state == .paid)
    // Afterwards, with the same order, with another one, and for another period.
    let answers = [
      try await rig.charge(there, token), try await rig.begin(UUID(), "premium.monthly", token, extendsAccess: false),
      try await rig.begin(UUID(), "premium.yearly", token, extendsAccess: false),
    ]
    #expect(try answers.map { try $0.problem.code } == [.alreadyOwned, .alreadyOwned, .alreadyOwned])
    #expect(
      try answers.map { try $0.problem.title } == [
        "You have “Monthly” already, so nothing was charged.", "You have “Monthly” already, so nothing was charged.",
        "You have “Monthly” already, which has all of this and has not ended, so nothing was charged.",
      ])
    #expect(await gateway.charges == 1)
    #expect(try await rig.begin(here, "premium.monthly", token, extendsAccess: false).status == 200, "it is not in its own way")
    #expect(try await rig.begin(UUID(), "premium.lifetime", token, extendsAccess: false).status == 201, "which is more")
    #expect(try await rig.buy("premium.monthly", other).state == .paid)
    // Whoever knows may add to it, and whoever has no access any more may buy.
    #expect(try await rig.begin(UUID(), "premium.yearly", token).status == 201)
    rig.clock.advance(by: .seconds(32 * 86_400))
    #expect(try await rig.begin(UUID(), "premium.yearly", try await rig.signIn(), extendsAccess: false).status == 201)
  }

  @Test func aSubscriptionIsNotSoldWhileTheChargeForMoreIsUnknown() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let id = UUID()
    _ = try await rig.begin(id, "premium.lifetime", token)
    await gateway.set(.lost)
    #expect(try await rig.charge(id, token).status == 503)
    let answer = try await rig.begin(UUID(), "premium.monthly", token, extendsAccess: false)
    #expect(answer.status == 409)
    #expect(try answer.problem.title.hasPrefix("You have ordered “For good” already, and the payment provider has yet to say"))
  }

  @Test func whatIsKeptForGoodIsSoldOnce() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let (first, second, third) = (UUID(), UUID(), UUID())
    _ = try await rig.begin(first, "premium.lifetime", token)
    _ = try await rig.begin(second, "premium.lifetime", token)
    await gateway.set(.suspended)
    async let paid = rig.charge(first, token)
    await gateway.waitForCalls(1)
    #expect(try await rig.charge(second, token).status == 409)
    await gateway.set(.up)
    #expect(try await paid.order.state == .paid)
    let late = try await rig.charge(second, token)
    #expect(late.status == 409)
    #expect(try late.problem.title == "You own “For good” already, so nothing was charged.")
    #expect(try late.problem.code == .alreadyOwned)
    #expect(try await rig.begin(third, "premium.lifetime", token).status == 409)
    #expect(try await rig.begin(first, "premium.lifetime", token).status == 200)
    #expect(try await rig.begin(third, "premium.lifetime", rig.signIn("bo")).status == 201)
    #expect(await gateway.charges == 1)
    let claims = try await rig.claims(try await paid.order.receipt)
    #expect((claims.exp, claims.period) == (nil, nil))
  }

  @Test func aSubscriptionBoughtAgainGoesOnWhereItEnds() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let month = try await rig.claims(rig.buy("premium.monthly", token).receipt)
    rig.clock.advance(by: .seconds(10 * 86_400))
    let year = try await rig.claims(rig.buy("premium.yearly", token).receipt)
    // 2024-02-01, then 2025-02-01: a leap year.
    #expect(month.exp == Self.start + 31 * Self.day)
    #expect(year.exp == Self.start + (31 + 366) * Self.day)
    #expect(year.purchased == Self.start + 10 * Self.day)
    // Another reader's time is their own.
    let other = try await rig.claims(rig.buy("premium.monthly", rig.signIn("bo")).receipt)
    #expect(other.exp == Self.start + 41 * Self.day)  // 2024-01-11 to 2024-02-11
  }

  @Test func accessEndsWithThePeriod() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let order = try await rig.buy("premium.monthly", token)
    #expect(try await rig.get("/v1/posts/p04", token, as: Post.self).body != nil)
    rig.clock.setNow(Rig.start.addingTimeInterval(TimeInterval(31 * Self.day) - 1))
    let receipts = try await rig.get("/v1/entitlements", token, as: [String].self)
    #expect(try await rig.claims(receipts.first).jti == order.id)
    rig.clock.setNow(Rig.start.addingTimeInterval(TimeInterval(31 * Self.day)))
    #expect(try await rig.get("/v1/entitlements", token, as: [String].self).isEmpty)
    #expect(try await rig.get("/v1/posts/p04", token, as: Post.self).body == nil)
    #expect(try await rig.get("/v1/orders", token, as: [Order].self).map(\.state) == [.paid])
    // What has ended is bought again from now.
    let again = try await rig.claims(rig.buy("premium.monthly", token).receipt)
    #expect(again.exp == Self.start + (31 + 29) * Self.day)
  }

  @Test func ordersNewestFirst() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let ids = [UUID(), UUID(), UUID()]
    for id in ids { _ = try await rig.begin(id, "premium.monthly", token) }
    #expect(try await rig.get("/v1/orders", token, as: [Order].self).map(\.id) == ids.reversed().map(\.uuidString))
    #expect(try await rig.get("/v1/orders", rig.signIn("bo"), as: [Order].self).isEmpty)
  }

  @Test func theKeyIsMadeOnceAndReadByItsOwnerAlone() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path, gateway: gateway)
    let token = try await rig.signIn()
    let receipt = try await rig.buy("premium.lifetime", token).receipt
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("receipts.pem"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    await rig.publication.close()
    let restarted = try await Rig(folder: folder.path, gateway: gateway)
    #expect(try await restarted.claims(receipt).product == "premium.lifetime")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.hasSuffix(".partial") } == false)
  }
}
