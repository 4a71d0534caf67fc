import Foundation
import HTTPTransport
import Patience
import PaymentFeature
import PublicationAPI
import PublicationServer
import Runtime
import TestSupport
import Testing

@testable import AppCore

/// What a reader hears of a refund, wherever they are in the app.
@MainActor @Suite(.timeLimit(.minutes(5))) struct RefundNoticeTests {
  private let gateway = CountingGateway()
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))

  /// By the number they ask the publication about it, and by the price they find it on their bank's statement.
  /// - Parameter isNameKnown: whether the publication tells this computer what it sells; an identifier would say nothing to a reader.
  @Test(arguments: [true, false]) func aRefundIsToldWithNamePriceNumberAndReason(isNameKnown: Bool) async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let rig = PathRig(InProcessTransport { await publication.handle($0) })
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    rig.coordinator.perform(.payment("premium.monthly"))
    await rig.settle()
    try #require(rig.presenter.visibleScreen?.model as? PaymentViewModel).send(.payTapped)
    await until { rig.presenter.messages.contains { $0.hasPrefix("Thank you!") } }
    #expect(rig.coordinator.reader?.content.hasPremium == true)

    // Another computer of the reader's, which never saw the offers.
    let other = PathRig(
      InProcessTransport { request in
        !isNameKnown && request.path.hasPrefix("/v1/products") ? Response(503) : await publication.handle(request)
      })
    other.coordinator.start()
    await other.settle()
    try await other.signIn()
    await until { other.coordinator.reader?.content.hasPremium == true }

    let order = try #require(await gateway.calls.last).key
    let headers: Headers = ["Authorization": "Bearer \(try await publication.newOperatorToken())"]
    let reason = try Wire.encode(RefundRequest(reason: "You asked for your money back."))
    let answer = await publication.handle(Request(.post, "/v1/operator/orders/\(order)/refund", headers: headers, body: reason))
    #expect(answer.status == 200)
    let number = try #require(try Wire.decode(Order.self, from: answer.body).number)
    #expect(number.wholeMatch(of: /[0-9A-Z]{4}-[0-9A-Z]{4}/) != nil)

    await rig.coordinator.reader?.restorePurchases()
    await until { rig.presenter.messages.contains { $0.hasPrefix("Refunded") } }
    await rig.settle()
    #expect(
      rig.presenter.messages.filter { $0.hasPrefix("Refunded") }
        == ["Refunded: “Monthly”, €4.90, order \(number). You asked for your money back."])
    #expect(rig.coordinator.reader?.content.hasPremium == false)
    await other.coordinator.reader?.restorePurchases()
    await until { other.presenter.messages.contains { $0.hasPrefix("Refunded") } }
    #expect(
      other.presenter.messages.filter { $0.hasPrefix("Refunded") }
        == ["Refunded: \(isNameKnown ? "“Monthly”" : "a purchase"), €4.90, order \(number). You asked for your money back."])
    for rig in [rig, other] { await rig.coordinator.finish() }
  }
}
