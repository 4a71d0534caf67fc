import AppCore
import Foundation
import HTTPTransport
import Patience
import PaymentFeature
import PaywallFeature
import PublicationAPI
import PublicationCommerce
import PurchaseService
import Runtime
import TestSupport
import Testing

/// What those who count are told, through a reader's script.
@MainActor @Suite(.timeLimit(.minutes(5))) struct AppEventTests {

  private func model<Model>(_ rig: PathRig, _: Model.Type) throws -> Model {
    guard let model = rig.presenter.visibleScreen?.model as? Model else { throw PathRig.Missing("\(Model.self)") }
    return model
  }

  @Test func eachStepOfAReaderIsOneEvent() async throws {
    let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
    let publication = try await Sample.publication(clock: clock)
    let rig = PathRig(InProcessTransport { await publication.handle($0) }, clock: clock)
    var events: [AppEvent] = []
    let lines = rig.events.log()
    rig.events.observe { events.append($0) }
    let names = { events.map { $0.name.rawValue + ($0.detail.map { " \($0)" } ?? "") } }
    rig.coordinator.start(opening: "matinee://paywall/premium")
    await rig.settle()
    try await rig.signIn()
    let paywall = try model(rig, PaywallViewModel.self)
    await until { paywall.state.phase == .ready }
    paywall.send(.buyTapped("premium.monthly"))
    await rig.settle()
    let payment = try model(rig, PaymentViewModel.self)
    await until { payment.state.canPay }
    for card in ["Declined", "Test card"] {
      let method = try #require(payment.state.methods.first { $0.name.contains(card) })
      payment.send(.methodChosen(method.id))
      payment.send(.payTapped)
      await rig.settle()
      await until { payment.state.canPay || events.contains { $0.name == .paymentCharged } }
    }
    await rig.settle()
    rig.coordinator.perform(.login(then: nil))
    await rig.settle()
    #expect(
      names() == [
        "screen_seen login", "screen_seen feed", "signed_in", "screen_seen paywall", "paywall_seen", "screen_seen payment",
        "payment_started", "payment_authorized", "payment_declined declined", "payment_started", "payment_authorized", "payment_charged",
        "screen_seen feed", "screen_seen login", "signed_out",
      ])
    // Of the two purchases, each event says which one it is about.
    #expect(Set(events.compactMap(\.transaction?.id)).count == 2)
    #expect(lines.value.last == "\(clock.now.formatted(.iso8601)) signed_out (analytics)")
    #expect(lines.value.contains { $0.hasSuffix("payment_declined declined (rollouts, analytics)") })
  }

  /// Each end of a payment that a reader can bring about.
  @Test func everyOutcomeOfAPaymentIsAnEvent() {
    let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
    let events = AppEvents(clock: clock)
    var seen: [String] = []
    events.observe { seen.append($0.name.rawValue + ($0.detail.map { " \($0)" } ?? "")) }
    let transaction = Transaction(
      id: UUID(), seller: "publication", user: "ada", productID: "premium.monthly", isOneTime: false,
      price: Price(minorUnits: 490, currency: "EUR"), purchasePath: "device", begun: clock.now)
    let steps: [PurchaseEvent<PurchasableProduct>] = [
      .started, .ended(.failed(.authorization("No."))), .ended(.failed(.declined("No."))), .ended(.cancelled), .authorized,
      .pending(.storeUnavailable), .ended(.pending(.storeUnavailable)),
    ]
    for step in steps { events.send(step, of: transaction) }
    #expect(
      seen == [
        "payment_started", "payment_token_failed authorization", "payment_declined declined", "payment_cancelled", "payment_authorized",
        "payment_pending",
      ])
  }

  /// Each event says who reads it, and somebody does.
  @Test func eachNameStatesItsUses() {
    for name in AnalyticsEvent.Name.allCases { #expect(!name.uses.isEmpty, "\(name)") }
    #expect(
      AnalyticsEvent.Name.allCases.filter { $0.uses.contains(.rollouts) }.map(\.rawValue) == [
        "paywall_seen", "payment_token_failed", "payment_charged", "payment_declined",
      ])
  }
}
