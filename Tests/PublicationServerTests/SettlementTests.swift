import Foundation
import HTTPTransport
import PublicationAPI
import Testing

@testable import PublicationServer

/// Payments that wait for somebody, and payments that are given back.
@Suite struct SettlementTests {
  private let gateway = CountingGateway()

  private func deferred(_ rig: Rig, _ product: String, _ token: String) async throws -> Order {
    let id = UUID()
    _ = try await rig.begin(id, product, token)
    let answer = try await rig.charge(id, token, with: "tok_deferred")
    #expect(answer.status == 202)
    return try answer.order
  }

  @Test func aDeferredPaymentIsApproved() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let order = try await deferred(rig, "premium.monthly", token)
    #expect((order.state, order.receipt, order.credited) == (.deferred, nil, nil))
    #expect(try await rig.get("/v1/entitlements", token, as: [String].self).isEmpty)
    // Asking again, with whatever card, is the same charge, which waits.
    let id = try #require(UUID(uuidString: order.id))
    #expect(try await rig.charge(id, token, with: "tok_approved").order.state == .deferred)
    #expect(try await rig.begin(id, "premium.monthly", token).order.state == .deferred)
    #expect(Set(await gateway.calls.map(\.key)) == [order.id])
    rig.clock.advance(by: .seconds(2 * 86_400))
    let number = try #require(order.number)
    let approved = try await rig.operate(.post, "orders/\(number.lowercased().replacing("-", with: ""))/approve")
    #expect(approved.status == 200)
    #expect((try approved.order.state, try approved.order.receipt) == (.paid, nil))
    let paid = try await rig.charge(id, token)
    #expect(paid.status == 200)
    // Access runs from the approval.
    let claims = try await rig.claims(try paid.order.receipt)
    #expect(claims.purchased == Int64(Rig.start.timeIntervalSince1970) + 2 * 86_400)
    #expect(await gateway.charges == 1)
    let again = try await rig.operate(.post, "orders/\(order.id)/approve")
    #expect(again.status == 409)
    #expect(try again.problem.title == "This order is paid, and waits for no approval.")
  }

  /// An app that asks all the time whether it was approved asks the server, and not the provider.
  @Test func theProviderIsAskedAgainOnlyNowAndThen() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let id = try #require(UUID(uuidString: try await deferred(rig, "premium.monthly", token).id))
    for _ in 0..<20 { #expect(try await rig.charge(id, token).order.state == .deferred) }
    #expect(await gateway.calls.count == 2)
    // Another order is asked about by itself.
    let other = try #require(UUID(uuidString: try await deferred(rig, "passes.5", token).id))
    for _ in 0..<20 { #expect(try await rig.charge(other, token).order.state == .deferred) }
    #expect(await gateway.calls.count == 4)
    rig.clock.advance(by: .seconds(10))
    // It was approved at the provider meanwhile.
    _ = try await gateway.settle(key: id.uuidString, approved: true)
    #expect(try await rig.charge(id, token).order.state == .paid)
    #expect(await gateway.calls.count == 5)
  }

  @Test func aDeferredPaymentIsDeclined() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let order = try await deferred(rig, "premium.lifetime", token)
    // Meanwhile it is not sold a second time.
    let second = try await rig.begin(UUID(), "premium.lifetime", token)
    #expect(second.status == 409)
    #expect(try second.problem.title.contains("waits for approval"))
    let declined = try await rig.operate(.post, "orders/\(order.id)/decline")
    #expect(declined.status == 200)
    #expect((try declined.order.state, try declined.order.declineReason) == (.declined, "They said no."))
    // A no is definite: another try is another key.
    #expect(try await rig.charge(UUID(uuidString: order.id)!, token).order.state == .paid)
    #expect(await gateway.calls.map(\.key) == [order.id, "\(order.id)-2"])
  }

  @Test func anApprovalWhoseAnswerWasLostIsLearntAtTheNextStart() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path, gateway: gateway)
    let token = try await rig.signIn()
    let order = try await deferred(rig, "passes.5", token)
    await gateway.set(.lost)
    #expect(try await rig.operate(.post, "orders/\(order.id)/approve").status == 503)
    #expect(try await rig.get("/v1/orders/\(order.id)", token, as: Order.self).state == .deferred)
    await gateway.set(.up)
    let restarted = try await Rig(folder: folder.path, gateway: gateway)
    await restarted.publication.resumeCharges()
    #expect(try await restarted.get("/v1/orders/\(order.id)", token, as: Order.self).state == .paid)
    #expect(try await restarted.passes(token) == 5)
  }

  /// As one that has lost its books: it is asked once.
  @Test func aRefundThatTheProviderRefusesIsOver() async throws {
    actor Forgetful: PaymentGateway {
      var refunds = 0
      func charge(token: String, amount: Int, currency: String, key: String) async throws(GatewayError) -> String { "ch" }
      func refund(key: String) async throws(GatewayError) {
        refunds += 1
        throw .declined("Nothing was charged.")
      }
    }
    let forgetful = Forgetful()
    let rig = try await Rig(gateway: forgetful)
    let token = try await rig.signIn()
    let order = try await rig.buy("passes.5", token)
    let refused = try await rig.refund(order.id)
    #expect(refused.status == 409)
    #expect(try refused.problem.title == "The payment provider does not give this payment back. Nothing was charged.")
    #expect(await rig.publication.resumeCharges())
    #expect(await forgetful.refunds == 1)
    #expect(try await rig.get("/v1/orders/\(order.id)", token, as: Order.self).state == .paid)
    #expect(try await rig.passes(token) == 5)
    // Once it knows of the charge again, it can be asked again.
    #expect(try await rig.refund(order.id).status == 409)
    #expect(await forgetful.refunds == 2)
  }

  @Test func whatCannotBeDecided() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let id = UUID()
    _ = try await rig.begin(id, "premium.monthly", token)
    #expect(try await rig.operate(.post, "orders/\(id)/approve").status == 409)
    #expect(try await rig.operate(.post, "orders/\(UUID())/approve").status == 404)
    #expect(try await rig.operate(.post, "orders/AAAA-AAAA/decline").status == 404)
    #expect(try await rig.refund(id.uuidString).status == 409)
    #expect(try await rig.refund("x").status == 404)
    #expect(try await rig.refund(id.uuidString, "").status == 400)
    #expect(try await rig.operate(.get, "orders?state=lost").status == 400)
  }

  @Test func ordersForTheOperator() async throws {
    let rig = try await Rig(gateway: gateway)
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let first = try await deferred(rig, "premium.monthly", ada)
    let second = try await rig.buy("passes.5", bo)
    func listed(_ query: String) async throws -> [Order] { try Wire.decode(from: try await rig.operate(.get, "orders\(query)").body) }
    #expect(try await listed("").map(\.id) == [second.id, first.id])
    #expect(try await listed("?state=deferred").map(\.number) == [first.number])
    // Receipts are for readers.
    #expect(try await listed("").allSatisfy { $0.receipt == nil })
    let numbers = [first.number, second.number].compactMap(\.self)
    #expect(Set(numbers).count == 2)
    #expect(numbers.allSatisfy { $0.wholeMatch(of: /[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}/) != nil })
  }

  @Test func aTokenOfAnEarlierRunIsNoOperators() async throws {
    let rig = try await Rig(gateway: gateway)
    let old = try await rig.publication.newOperatorToken()
    #expect(await rig.send(.get, "/v1/operator/orders", token: old).status == 200)
    _ = try await rig.publication.newOperatorToken()
    #expect(await rig.send(.get, "/v1/operator/orders", token: old).status == 404)
  }

  @Test func readersAreAddedByTheOperatorAlone() async throws {
    let rig = try await Rig(gateway: gateway)
    let body = try Wire.encode(NewReaderRequest(email: "Cy@example.org", name: "Cy", password: Rig.password))
    #expect(await rig.send(.post, "/v1/operator/readers", token: try await rig.signIn(), body: body).status == 404)
    #expect(await rig.send(.post, "/v1/operator/readers", body: body).status == 404)
    let added = try await rig.operate(.post, "readers", body)
    #expect(added.status == 201)
    #expect(try Wire.decode(Reader.self, from: added.body).email == "cy@example.org")
    #expect(try await rig.signIn("cy").isEmpty == false)
    #expect(try await rig.operate(.post, "readers", body).status == 409)
    let bad = try Wire.encode(NewReaderRequest(email: "cy", name: "Cy", password: "open sesame"))
    #expect(try await rig.operate(.post, "readers", bad).status == 400)
  }

  // MARK: Giving back

  @Test func aRefundEndsAccess() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let order = try await rig.buy("premium.lifetime", token)
    #expect(try await rig.get("/v1/posts/p04", token, as: Post.self).body != nil)
    let refunded = try await rig.refund(order.number ?? "")
    #expect(refunded.status == 200)
    let after = try await rig.get("/v1/orders/\(order.id)", token, as: Order.self)
    #expect((after.state, after.refundReason, after.receipt) == (.refunded, "It was a mistake.", nil))
    #expect(try await rig.get("/v1/entitlements", token, as: [String].self).isEmpty)
    #expect(try await rig.get("/v1/posts/p04", token, as: Post.self).body == nil)
    // Giving back twice gives back once, and keeps the first reason.
    #expect(try await rig.refund(order.id, "Another one.").order.refundReason == "It was a mistake.")
    #expect(await gateway.refunds == [order.id])
    let charge = try await rig.charge(UUID(uuidString: order.id)!, token)
    #expect(charge.status == 409)
    #expect(await gateway.calls.count == 1)
    // It may be bought again.
    #expect(try await rig.buy("premium.lifetime", token).state == .paid)
  }

  @Test func aRefundWhoseAnswerWasLostIsFinishedAtTheNextStart() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path, gateway: gateway)
    let token = try await rig.signIn()
    let order = try await rig.buy("premium.lifetime", token)
    await gateway.set(.lost)
    #expect(try await rig.refund(order.id).status == 503)
    await gateway.set(.up)
    let restarted = try await Rig(folder: folder.path, gateway: gateway)
    let unwanted = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await restarted.publication.resumeCharges()
    }
    await unwanted.value
    #expect(await gateway.refunds == [order.id])
    for _ in 0..<2 { await restarted.publication.resumeCharges() }
    let after = try await restarted.get("/v1/orders/\(order.id)", token, as: Order.self)
    #expect((after.state, after.refundReason) == (.refunded, "It was a mistake."))
    #expect(await gateway.refunds == [order.id, order.id])
  }
}
