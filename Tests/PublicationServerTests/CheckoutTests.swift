import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import Synchronization
import Testing

@testable import PublicationServer

/// The checkout page: authorizes, and never charges.
@Suite struct CheckoutTests {
  private let gateway = CountingGateway()

  private func rig(folder: String? = nil, name: String? = nil) async throws -> Rig {
    let rig = try await Rig(folder: folder, gateway: gateway)
    await rig.publication.offerPages(at: .ofRequest)
    return rig
  }

  private func checkout(_ rig: Rig, _ method: Request.Method, _ id: UUID, token: String) async throws -> Response {
    await rig.send(method, "/v1/orders/\(id)/checkout", token: token, headers: ["Host": "read.example.org:8080"])
  }

  /// Begins an order and its page.
  private func begin(_ rig: Rig, _ token: String, _ product: String = "premium.monthly") async throws -> (id: UUID, path: String) {
    let id = UUID()
    _ = try await rig.begin(id, product, token)
    let answer = try await checkout(rig, .post, id, token: token)
    #expect(answer.status == 200)
    let checkout = try Wire.decode(Checkout.self, from: answer.body)
    #expect((checkout.state, checkout.paymentToken) == (.open, nil))
    #expect(checkout.expires == rig.clock.now.addingTimeInterval(1800))
    let origin = "http://read.example.org:8080"
    #expect(checkout.url.hasPrefix(origin + "/checkout/"))
    return (id, String(checkout.url.dropFirst(origin.count)))
  }

  private func state(_ rig: Rig, _ id: UUID, _ token: String) async throws -> Checkout {
    try Wire.decode(from: try await checkout(rig, .get, id, token: token).body)
  }

  private func page(_ rig: Rig, _ path: String) async -> (status: Int, text: String) {
    let response = await rig.send(.get, path, headers: ["Host": "read.example.org:8080"])
    return (response.status, String(decoding: response.body, as: UTF8.self))
  }

  /// A client that begins and withdraws without end fills no disk.
  @Test func pagesThatWereWithdrawnDoNotPileUp() async throws {
    let rig = try await rig()
    let token = try await rig.signIn()
    let id = UUID()
    _ = try await rig.begin(id, "premium.monthly", token)
    for _ in 0..<60 {
      #expect(try await checkout(rig, .post, id, token: token).status == 200)
      #expect(try await checkout(rig, .delete, id, token: token).status == 200)
    }
    let rows = try await rig.publication.rows("checkout")
    #expect((1...22).contains(rows), "\(rows)")
  }

  /// Whoever reads the log could agree in the reader's place.
  @Test func theKeyOfAPageIsInNoLog() async throws {
    let lines = Mutex<[String]>([])
    let rig = try await Rig(gateway: gateway, log: { line in lines.withLock { $0.append(line) } })
    await rig.publication.offerPages(at: .ofRequest)
    let (_, path) = try await begin(rig, try await rig.signIn())
    try await rig.publication.refuseAnswers()
    #expect(await rig.send(.post, path + "/approve").status == 500)
    #expect(lines.withLock { $0 }.map { $0.prefix(32) } == ["POST /checkout/*/approve: SQLite"])
  }

  /// Their app is at the login, and goes on with nothing.
  @Test(arguments: [true, false]) func whoIsSignedOutEverywhereCannotAgreeAnyMore(looks: Bool) async throws {
    let rig = try await rig()
    let token = try await rig.signIn()
    let (id, path) = try await begin(rig, token)
    #expect(await page(rig, path).text.contains("<form"))
    #expect(try await rig.operate(.delete, "readers/ada@example.org/sessions").status == 200)
    let ended = "This payment was cancelled in Matinee, and nothing was charged."
    if looks { #expect(await page(rig, path).text.contains(ended)) }
    #expect(await rig.send(.post, path + "/approve").status == 303)
    #expect(await page(rig, path).text.contains(ended))
    let again = try await rig.signIn()
    #expect(try await state(rig, id, again).state == .cancelled)
  }

  @Test func approvingGivesATokenAndChargesNothing() async throws {
    let rig = try await rig()
    let token = try await rig.signIn()
    let (id, path) = try await begin(rig, token)
    let shown = await page(rig, path)
    #expect(shown.status == 200)
    for text in ["The Publication", "Monthly", "€4.90", "Renews every month until cancelled.", "Approve", "Decline", "<html lang=\"en\">"] {
      #expect(shown.text.contains(text), "\(text)")
    }
    for answer in [
      await rig.send(.post, path + "/approve"), await rig.send(.post, path + "/approve"), await rig.send(.post, path + "/decline"),
    ] {
      #expect(answer.status == 303)
      #expect(answer.headers["Location"] == path)
    }
    // The first answer counts.
    let after = try await state(rig, id, token)
    #expect((after.state, after.paymentToken) == (.authorized, "tok_approved"))
    let ended = await page(rig, path)
    #expect(ended.status == 200)
    #expect(ended.text.contains("You can go back to Matinee"))
    #expect(ended.text.contains("href=\"matinee://orders/\(id.uuidString)?publication=http://read.example.org:8080\""))
    #expect(!ended.text.contains("<form"))
    #expect(await gateway.calls.isEmpty)
    #expect(try await rig.charge(id, token, with: after.paymentToken ?? "").order.state == .paid)
    #expect(await page(rig, path).text.contains("taken care of already"))
    #expect(try await checkout(rig, .post, id, token: token).status == 409)
  }

  @Test func declining() async throws {
    let rig = try await rig()
    let token = try await rig.signIn()
    let (id, path) = try await begin(rig, token)
    #expect(await rig.send(.post, path + "/decline").status == 303)
    #expect(try await state(rig, id, token).state == .cancelled)
    #expect(await rig.send(.post, path + "/approve").status == 303)
    #expect(try await state(rig, id, token).paymentToken == nil)
    #expect(await page(rig, path).text.contains("This payment was declined, and nothing was charged."))
    // The order stays open: there may be another page.
    let again = try Wire.decode(Checkout.self, from: try await checkout(rig, .post, id, token: token).body)
    #expect(again.state == .open)
    #expect(!again.url.hasSuffix(path))
  }

  @Test func aPageExpires() async throws {
    let rig = try await rig()
    let token = try await rig.signIn()
    let (id, path) = try await begin(rig, token)
    rig.clock.advance(by: .seconds(1799))
    // Asked for again while it waits, it is the same page.
    #expect(try Wire.decode(Checkout.self, from: try await checkout(rig, .post, id, token: token).body).url.hasSuffix(path))
    rig.clock.advance(by: .seconds(1))
    #expect(try await state(rig, id, token).state == .expired)
    #expect(await page(rig, path).status == 410)
    #expect(await rig.send(.post, path + "/approve").status == 303)
    #expect(try await state(rig, id, token).state == .expired)
  }

  @Test func takenBackByTheClient() async throws {
    let rig = try await rig()
    let token = try await rig.signIn()
    let (id, path) = try await begin(rig, token)
    #expect(try await checkout(rig, .delete, id, token: token).status == 200)
    // A browser that still shows the form.
    for answer in ["/approve", "/decline"] { #expect(await rig.send(.post, path + answer).status == 303) }
    #expect(try await state(rig, id, token).state == .cancelled)
    let ended = await page(rig, path)
    #expect(ended.status == 200)
    #expect(ended.text.contains("<h1>Payment cancelled</h1>"))
    #expect(ended.text.contains("This payment was cancelled in Matinee, and nothing was charged."))
    #expect(!ended.text.contains("declined"))
    #expect(!ended.text.contains("<form"))
    // Paid on another page, this one has nothing to say of cancelling.
    let next = try Wire.decode(Checkout.self, from: try await checkout(rig, .post, id, token: token).body)
    #expect(next.state == .open)
    let nextPath = try #require(next.url.firstRange(of: "/checkout/")).lowerBound
    _ = await rig.send(.post, String(next.url[nextPath...]) + "/approve")
    #expect(try await rig.charge(id, token, with: "tok_approved").order.state == .paid)
    #expect(await page(rig, path).text.contains("taken care of already"))
    // What was agreed to stays agreed to.
    let (second, secondPath) = try await begin(rig, token)
    _ = await rig.send(.post, secondPath + "/approve")
    #expect(try Wire.decode(Checkout.self, from: try await checkout(rig, .delete, second, token: token).body).state == .authorized)
  }

  @Test func whoMayAskAndForWhat() async throws {
    let rig = try await rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let (id, path) = try await begin(rig, ada)
    #expect(try await checkout(rig, .post, id, token: bo).status == 404)
    #expect(try await checkout(rig, .get, id, token: bo).status == 404)
    #expect(try await checkout(rig, .post, UUID(), token: ada).status == 404)
    #expect(await page(rig, "/checkout/" + String(repeating: "A", count: 43)).status == 404)
    #expect(await page(rig, path + "x").status == 404)
    for host in [nil, "", "a b", "x\"><script>", "e.org/path"] {
      let answer = await rig.send(.post, "/v1/orders/\(id)/checkout", token: ada, headers: host.map { ["Host": $0] } ?? [:])
      #expect(answer.status == 400)
    }
    let fresh = UUID()
    _ = try await rig.begin(fresh, "premium.monthly", ada)
    #expect(try await checkout(rig, .get, fresh, token: ada).status == 404)
  }

  @Test func behindAProxyTheAddressIsTheOneThatWasGiven() async throws {
    let rig = try await rig()
    await rig.publication.offerPages(at: .origin("https://read.example.org"))
    let token = try await rig.signIn()
    let id = UUID()
    _ = try await rig.begin(id, "premium.monthly", token)
    let answer = await rig.send(.post, "/v1/orders/\(id)/checkout", token: token)
    #expect(try Wire.decode(Checkout.self, from: answer.body).url.hasPrefix("https://read.example.org/checkout/"))
    #expect(try await rig.get("/v1/publication", nil, as: PublicationInfo.self).hostedCheckout)
  }

  @Test func anEmbeddedPublicationHasNone() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    #expect(try await rig.get("/v1/publication", nil, as: PublicationInfo.self).hostedCheckout == false)
    let id = UUID()
    _ = try await rig.begin(id, "premium.monthly", token)
    let answer = try await checkout(rig, .post, id, token: token)
    #expect(answer.status == 404)
    #expect(try answer.problem.code == .notOffered)
    // A bank that insists on a page is a bank that says no.
    let charged = try await rig.charge(id, token, with: "tok_interrupted")
    #expect(charged.status == 402)
    #expect(try charged.problem.title.contains("Try another way to pay."))
  }

  @Test func thePageRunsNothingAndLeaksNothing() async throws {
    let rig = try await Rig(gateway: gateway, posts: [])
    await rig.publication.offerPages(at: .ofRequest)
    let token = try await rig.signIn()
    let (_, path) = try await begin(rig, token)
    for response in [await rig.send(.get, path), await rig.send(.get, "/checkout/x"), await rig.send(.post, path + "/decline")] {
      #expect(response.headers["Cache-Control"] == "no-store")
      #expect(response.headers["Referrer-Policy"] == "no-referrer")
      #expect(response.headers["X-Frame-Options"] == "DENY")
      #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
      let policy = try #require(response.headers["Content-Security-Policy"])
      #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
      #expect(policy.contains("frame-ancestors 'none'"))
      let text = String(decoding: response.body, as: UTF8.self)
      #expect(!text.contains("<script"))
      // The policy allows the very style of the page.
      let style = try #require(text.firstMatch(of: /<style>((?s).*)<\/style>/)?.1)
      #expect(policy.contains(try Digest.sha256(Data(style.utf8)).base64EncodedString()))
    }
  }

  @Test func textsAreNoMarkup() throws {
    let nasty = "<b onclick='x'>\"&"
    let order = StoredOrder(
      id: "id", reader: "r", product: "p", kind: .subscription, entitlement: "premium", period: "P3M", total: 1190, currency: "EUR",
      tax: Tax(name: nasty, basisPoints: 1900, minorUnits: 190), code: "AAAA-BBBB", created: 0)
    let product = ProductRecord(
      id: "p", kind: .subscription, name: nasty, detail: nasty, priceMinorUnits: 1190, currency: "EUR", entitlement: "premium")
    let text = try CheckoutText(order: order, product: product, publication: nasty, purpose: .payment).form(nasty)
    #expect(!text.contains("<b onclick"))
    #expect(text.contains("&lt;b onclick=&#39;x&#39;&gt;&quot;&amp;"))
    #expect(text.contains("€11.90"))
    #expect(text.contains("includes 19% "))
    #expect(text.contains("€1.90"))
    #expect(text.contains("Renews every 3 months until cancelled."))
    // Whole yen.
    var yen = order
    (yen.currency, yen.kind) = ("JPY", .consumable)
    let once = try CheckoutText(order: yen, product: nil, publication: "", purpose: .payment).form("k")
    #expect(once.contains("1,190"))
    #expect(once.contains("Paid once. It does not renew."))
  }

  @Test func theProviderIsAway() async throws {
    let rig = try await rig()
    let token = try await rig.signIn()
    let (id, path) = try await begin(rig, token)
    await gateway.set(.lost)
    let away = await rig.send(.post, path + "/approve")
    #expect(away.status == 503)
    #expect(away.headers["Retry-After"] == "10")
    #expect(try await state(rig, id, token).state == .open)
    await gateway.set(.up)
    #expect(await rig.send(.post, path + "/approve").status == 303)
    #expect(try await state(rig, id, token).state == .authorized)
  }

  // MARK: A bank that wants to know that it is you

  private func interrupted(_ rig: Rig, _ token: String) async throws -> (id: UUID, path: String) {
    let id = UUID()
    _ = try await rig.begin(id, "passes.5", token)
    let body = try Wire.encode(ChargeRequest(paymentToken: "tok_interrupted"))
    let answer = await rig.send(.post, "/v1/orders/\(id)/charge", token: token, headers: ["Host": "e.org"], body: body)
    #expect(answer.status == 202)
    let order = try answer.order
    #expect(order.state == .interrupted)
    let url = try #require(order.actionURL)
    #expect(url.hasPrefix("http://e.org/checkout/"))
    return (id, String(url.dropFirst("http://e.org".count)))
  }

  @Test func anInterruptedPaymentIsConfirmedAndThenCharged() async throws {
    let folder = try TemporaryFolder()
    let rig = try await rig(folder: folder.path)
    let token = try await rig.signIn()
    let (id, path) = try await interrupted(rig, token)
    // While the page waits nobody asks the provider again.
    #expect(try await rig.charge(id, token, with: "tok_interrupted").order.state == .interrupted)
    #expect(await gateway.calls.count == 1)
    #expect(await page(rig, path).text.contains("Confirm your payment"))
    #expect(await rig.send(.post, path + "/approve").status == 303)
    #expect(await gateway.calls.count == 1)
    #expect(try await rig.get("/v1/orders/\(id)", token, as: Order.self).state == .open)
    // The server ends between asking and hearing: what the page said still counts, not the card that asked first.
    await gateway.set(.lost)
    #expect(try await rig.charge(id, token, with: "tok_interrupted").status == 503)
    await gateway.set(.up)
    let restarted = try await self.rig(folder: folder.path)
    #expect(try await restarted.charge(id, token, with: "tok_interrupted").order.state == .paid)
    #expect(try await restarted.passes(token) == 5)
    #expect(await gateway.charges == 1)
    #expect(await gateway.calls.map(\.token) == ["tok_interrupted", "tok_approved", "tok_approved"])
    #expect(await gateway.calls.map(\.key) == [id.uuidString, "\(id.uuidString)-2", "\(id.uuidString)-2"])
  }

  @Test func anInterruptedPaymentIsNotConfirmed() async throws {
    let rig = try await rig()
    let token = try await rig.signIn()
    let (id, path) = try await interrupted(rig, token)
    #expect(await rig.send(.post, path + "/decline").status == 303)
    let order = try await rig.get("/v1/orders/\(id)", token, as: Order.self)
    #expect((order.state, order.declineReason) == (.declined, "You did not confirm the payment."))
    // One that expires is over, and gives way to another page.
    let (second, old) = try await interrupted(rig, token)
    rig.clock.advance(by: .seconds(1800))
    let expired = try await rig.get("/v1/orders/\(second)", token, as: Order.self)
    #expect(expired.actionURL == nil)
    #expect(expired.declineReason == "You did not confirm the payment in time. Nothing was charged.")
    #expect(await page(rig, old).status == 410)
    let body = try Wire.encode(ChargeRequest(paymentToken: "tok_interrupted"))
    let again = await rig.send(.post, "/v1/orders/\(second)/charge", token: token, headers: ["Host": "e.org"], body: body)
    let url = try #require(try again.order.actionURL)
    #expect(!url.hasSuffix(old))
  }

  @Test func anInterruptedPaymentIsCancelledByItsReader() async throws {
    let rig = try await rig()
    let (token, stranger) = (try await rig.signIn(), try await rig.signIn("bo"))
    let (id, path) = try await interrupted(rig, token)
    #expect(try await checkout(rig, .delete, id, token: stranger).status == 404)
    #expect(try await rig.get("/v1/orders/\(id)", token, as: Order.self).state == .interrupted)
    #expect(try Wire.decode(Checkout.self, from: try await checkout(rig, .delete, id, token: token).body).state == .cancelled)
    let order = try await rig.get("/v1/orders/\(id)", token, as: Order.self)
    #expect((order.state, order.declineReason) == (.declined, "You cancelled this payment. Nothing was charged."))
    // A browser that still shows the form.
    #expect(await rig.send(.post, path + "/approve").status == 303)
    #expect(await page(rig, path).text.contains("<h1>Payment cancelled</h1>"))
    #expect(try await rig.get("/v1/orders/\(id)", token, as: Order.self).state == .declined)
    #expect(await gateway.calls.count == 1)
    // A late request, whose first answer was lost, does not bring it back.
    let late = try await rig.charge(id, token, with: "tok_interrupted")
    #expect(late.status == 402)
    #expect(try late.problem.title == "You cancelled this payment. Nothing was charged.")
    #expect(await gateway.calls.count == 1)
    // One that was confirmed, and not charged since.
    let (second, secondPath) = try await interrupted(rig, token)
    _ = await rig.send(.post, secondPath + "/approve")
    #expect(try Wire.decode(Checkout.self, from: try await checkout(rig, .delete, second, token: token).body).state == .cancelled)
    #expect(try await rig.charge(second, token, with: "tok_interrupted").status == 402)
    #expect(await gateway.charges == 0)
  }

  /// Whoever is told that nothing was charged is not charged after that.
  @Test func aCancelWaitsForTheChargeThatIsUnderWay() async throws {
    let rig = try await rig()
    let token = try await rig.signIn()
    let (id, path) = try await begin(rig, token)
    await gateway.set(.suspended)
    async let charged = rig.charge(id, token, with: "tok_approved")
    await until { await gateway.calls.count == 1 }
    async let cancelled = checkout(rig, .delete, id, token: token)
    await Task.yield()
    await gateway.set(.up)
    #expect(try await charged.order.state == .paid)
    #expect(try await cancelled.status == 409)
    #expect(await page(rig, path).text.contains("taken care of already"))
    // What nobody has answered for may have been charged.
    let (second, _) = try await begin(rig, token)
    await gateway.set(.lost)
    #expect(try await rig.charge(second, token, with: "tok_approved").status == 503)
    #expect(try Wire.decode(Checkout.self, from: try await checkout(rig, .delete, second, token: token).body).state == .open)
  }

  @Test func aRemovedReadersPaymentWaitsForNobody() async throws {
    let rig = try await rig()
    let token = try await rig.signIn("bo")
    let (id, path) = try await interrupted(rig, token)
    let (_, open) = try await begin(rig, token)
    #expect(try await rig.operate(.delete, "readers/bo@example.org").status == 204)
    for path in [path, open] {
      _ = await rig.send(.post, path + "/approve")
      #expect(await page(rig, path).text.contains("<h1>Payment cancelled</h1>"))
    }
    #expect(try await rig.publication.state(of: id) == .declined)
  }

  @Test func anInterruptedPaymentIsDeclinedByTheOperatorAndApprovedByNobody() async throws {
    let rig = try await rig()
    let token = try await rig.signIn()
    let (id, path) = try await interrupted(rig, token)
    #expect(try await rig.operate(.post, "orders/\(id)/approve").status == 409)
    #expect(try await rig.operate(.post, "orders/\(id)/decline").status == 200)
    let order = try await rig.get("/v1/orders/\(id)", token, as: Order.self)
    #expect((order.state, order.declineReason) == (.declined, "The publication cancelled this payment. Nothing was charged."))
    #expect(await page(rig, path).text.contains("<h1>Payment cancelled</h1>"))
    #expect(await gateway.calls.count == 1)
  }
}

extension Publication {
  fileprivate func state(of order: UUID) async throws -> Order.State? { try await orderRepository.order(order.uuidString)?.state }

  /// Has the database refuse the answer to any page.
  fileprivate func refuseAnswers() throws {
    let database = try #require(content as? SQLiteContent).database
    try database.script("CREATE TEMP TRIGGER no_answer BEFORE UPDATE ON checkout BEGIN SELECT RAISE(ABORT, 'no'); END")
  }
}
