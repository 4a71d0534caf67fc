import Foundation
import PublicationAPI
import SQLiteStorage
import Testing

@testable import PublicationServer

/// Periods that were bought one behind the other, when one of them is given back.
@Suite struct RefundedPeriodTests {
  private static let day: Int64 = 86_400
  private static let start = Int64(Rig.start.timeIntervalSince1970)

  private let gateway = CountingGateway()

  /// Lets the clock show so many days after the start.
  private func day(_ number: Int64, _ rig: Rig) { rig.clock.setNow(Rig.start.addingTimeInterval(TimeInterval(number * Self.day))) }

  /// The days since the start at which an order's access ends, by its receipt of now.
  private func end(_ order: Order, _ rig: Rig, _ token: String) async throws -> Int64 {
    let claims = try await rig.claims(try await rig.get("/v1/orders/\(order.id)", token, as: Order.self).receipt)
    return (try #require(claims.exp) - Self.start) / Self.day
  }

  /// Which orders give access now.
  private func inForce(_ rig: Rig, _ token: String) async throws -> [String] {
    var orders: [String] = []
    for receipt in try await rig.get("/v1/entitlements", token, as: [String].self) { orders.append(try await rig.claims(receipt).jti) }
    return orders
  }

  @Test func aMonthBehindARefundedYearRunsFromTheRefund() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let year = try await rig.buy("premium.yearly", token)
    day(10, rig)
    let month = try await rig.buy("premium.monthly", token)
    #expect(try await end(month, rig, token) == 366 + 31)  // January of 2025
    day(20, rig)
    #expect(try await rig.refund(year.id).status == 200)
    // 2024-01-21 to 2024-02-21. The purchase was when it was.
    #expect(try await end(month, rig, token) == 20 + 31)
    let claims = try await rig.claims(try await rig.get("/v1/orders/\(month.id)", token, as: Order.self).receipt)
    #expect(claims.purchased == Self.start + 10 * Self.day)
    #expect(try await inForce(rig, token) == [month.id])
    day(51, rig)
    #expect(try await inForce(rig, token).isEmpty)
    #expect(try await rig.get("/v1/posts/p04", token, as: Post.self).body == nil)
  }

  @Test func whatHasBegunStaysWhereItIs() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let first = try await rig.buy("premium.monthly", token)  // to day 31
    let second = try await rig.buy("premium.monthly", token)  // to day 60, the first of March
    let third = try await rig.buy("premium.monthly", token)  // to day 91
    day(40, rig)
    // The first one is over: nothing moves. Of the last one nothing lies behind it.
    _ = try await rig.refund(first.id)
    #expect(try await [end(second, rig, token), end(third, rig, token)] == [60, 91])
    _ = try await rig.refund(third.id)
    #expect(try await end(second, rig, token) == 60)
  }

  @Test func oneInTheMiddleOfAChain() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let first = try await rig.buy("premium.monthly", token)  // to day 31
    let year = try await rig.buy("premium.yearly", token)  // to day 31 + 366
    let third = try await rig.buy("premium.monthly", token)
    let fourth = try await rig.buy("premium.monthly", token)
    day(5, rig)
    _ = try await rig.refund(year.id)
    // Behind the first one, which runs: February and March.
    #expect(try await [end(first, rig, token), end(third, rig, token), end(fourth, rig, token)] == [31, 60, 91])
  }

  @Test func severalRefundsInAnyOrder() async throws {
    for isBackwards in [false, true] {
      let rig = try await Rig(gateway: CountingGateway())
      let token = try await rig.signIn()
      let years = [try await rig.buy("premium.yearly", token), try await rig.buy("premium.yearly", token)]
      let month = try await rig.buy("premium.monthly", token)
      let last = try await rig.buy("premium.monthly", token)
      day(10, rig)
      for year in isBackwards ? years.reversed() : years { _ = try await rig.refund(year.id) }
      // 2024-01-11, 02-11, 03-11.
      #expect(try await [end(month, rig, token), end(last, rig, token)] == [41, 70])
      // Once more changes nothing, and later neither.
      day(15, rig)
      _ = try await rig.refund(years[0].id)
      #expect(try await [end(month, rig, token), end(last, rig, token)] == [41, 70])
    }
  }

  @Test func whatIsBoughtAfterwardsGoesBehindWhatMoved() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let year = try await rig.buy("premium.yearly", token)
    let month = try await rig.buy("premium.monthly", token)
    // Waits for the bank meanwhile: it has no period yet.
    let id = UUID()
    _ = try await rig.begin(id, "premium.monthly", token)
    #expect(try await rig.charge(id, token, with: "tok_deferred").status == 202)
    day(20, rig)
    _ = try await rig.refund(year.id)
    day(21, rig)
    let approved = try await rig.operate(.post, "orders/\(id)/approve").order
    #expect(try await end(month, rig, token) == 51)
    #expect(try await end(approved, rig, token) == 51 + 29)  // 2024-02-21 to 2024-03-21
  }

  @Test func otherReadersAndWhatIsNoSubscriptionStay() async throws {
    let rig = try await Rig(gateway: gateway)
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let year = try await rig.buy("premium.yearly", ada)
    let others = [try await rig.buy("premium.monthly", bo), try await rig.buy("premium.monthly", bo)]
    let passes = try await rig.buy("passes.5", ada)
    let lifetime = try await rig.buy("premium.lifetime", ada)
    day(3, rig)
    _ = try await rig.refund(passes.id)
    _ = try await rig.refund(year.id)
    #expect(try await inForce(rig, ada) == [lifetime.id])
    #expect(try await [end(others[0], rig, bo), end(others[1], rig, bo)] == [31, 60])
  }

  @Test func aReceiptFromBeforeIsExchanged() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let year = try await rig.buy("premium.yearly", token)
    let month = try await rig.buy("premium.monthly", token)
    day(20, rig)
    _ = try await rig.refund(year.id)
    let answer = try await rig.send(
      .post, "/v1/receipts/verify", token: token, body: Wire.encode(ReceiptRequest(receipt: try #require(month.receipt))))
    #expect(answer.status == 200)
    #expect(try Wire.decode(ReceiptVerdict.self, from: answer.body).claims.exp == Self.start + 51 * Self.day)
  }

  @Test func aRefundThatANewStartFinishesMovesThemToo() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path, gateway: gateway)
    let token = try await rig.signIn()
    let year = try await rig.buy("premium.yearly", token)
    let month = try await rig.buy("premium.monthly", token)
    day(20, rig)
    await gateway.set(.lost)
    #expect(try await rig.refund(year.id).status == 503)
    // Nobody knows yet whether the money is back.
    #expect(try await inForce(rig, token) == [month.id, year.id])
    await gateway.set(.up)
    await rig.publication.close()
    let restarted = try await Rig(folder: folder.path, gateway: gateway, clock: rig.clock)
    await restarted.publication.resumeCharges()
    #expect(try await end(month, restarted, token) == 51)
  }

  @Test func whatAnEarlierVersionSold() async throws {
    let folder = try TemporaryFolder()
    try folder.makeKey()
    let hash = try PasswordHash(of: Rig.password, cost: .none).text
    let (year, month, later) = (UUID().uuidString, UUID().uuidString, UUID().uuidString)
    func time(_ day: Int64) -> Int64 { Self.start + day * Self.day }
    do {
      let database = try Connection(path: folder.file("publication.sqlite"))
      try database.migrate(Array(Schema.migrations.prefix(10)))
      try database.script(
        """
        INSERT INTO setting VALUES ('info', '{"id":"pub","name":"N","tagline":"","defaultPaywallID":"premium"}');
        INSERT INTO reader VALUES ('r1', 'ada@example.org', 'Ada', '\(hash)');
        """)
      let orders: [(id: String, period: String, paid: Int64, expires: Int64)] = [
        (year, "P1Y", 0, 366), (month, "P1M", 10, 397), (later, "P1M", 400, 431),
      ]
      for (number, order) in orders.enumerated() {
        try database.execute(
          """
          INSERT INTO purchase (id, reader, product, kind, entitlement, subscription_group, period, total, currency, state, created, code,
            paid, expires)
          VALUES (?, 'r1', 'premium', 'subscription', 'premium', 'premium', ?, 490, 'EUR', 'paid', 0, ?, ?, ?)
          """, order.id, order.period, "0000-000\(number)", time(order.paid), time(order.expires))
        try database.execute(
          "INSERT INTO attempt (purchase, number, token, begun, ended, charge) VALUES (?, 1, 'tok_approved', 1, 1, 'ch_1')", order.id)
      }
    }
    for id in [year, month, later] { _ = try await gateway.charge(token: "tok_approved", amount: 490, currency: "EUR", key: id) }
    let rig = try await Rig(folder: folder.path, gateway: gateway)
    var token = try await rig.signIn()
    let known = try await rig.get("/v1/orders", token, as: [Order].self).reversed()
    #expect(known.map(\.id) == [year, month, later])
    let orders = Array(known)
    #expect(try await end(orders[1], rig, token) == 397)
    // The month began where the year ends, the other one when it was paid.
    day(370, rig)
    token = try await rig.signIn()
    #expect(try await rig.refund(later, trustsClock: true).status == 200)
    #expect(try await end(orders[1], rig, token) == 397)
    day(20, rig)
    #expect(try await rig.refund(year).status == 200)
    #expect(try await end(orders[1], rig, token) == 51)
  }
}
