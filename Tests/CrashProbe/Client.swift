import CurlTransport
import Foundation
import HTTPTransport
import PublicationClient
import PublicationCommerce
import PurchaseService
import Runtime

/// The purchase layer as the app wires it, without the app.
@MainActor struct Client {
  private let errand: Errand
  private let journal: Journal
  private let purchases: PublicationPurchases
  private let effects = Effects()
  private let deliveries: AsyncStream<Void>

  init(_ errand: Errand, _ standing: Standing) async throws {
    self.errand = errand
    let clock = StandingClock(standing)
    journal = try await Journal(path: errand.folder + "/purchases.sqlite", clock: clock)
    let transport: any Transport =
      switch errand.mode {
      case .buy, .resume: try NetworkTransport(origin: errand.origin)
      case .look: InProcessTransport { _ in throw TransportError.unreachable("there is no network") }
      }
    let client = APIClient(transport: transport, token: { errand.token })
    let (deliveries, delivered) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.deliveries = deliveries
    effects.onDelivery = { delivery in
      standing.say(.stands(delivery.label))
      delivered.yield()
    }
    let account: PublicationPath.Account = { $0 == errand.reader ? client : nil }
    // With the waits of the app, which take as long as the test wants.
    let environment = PurchaseEnvironment(clock: clock, effects: effects)
    // What paces the looks at orders is no wait for an answer.
    let queue = PublicationQueue(clock: SystemClock(), account: account)
    purchases = StagedPurchases(
      old: Purchases(
        seller: Errand.seller, purchasePath: .publicationBackend(client, queue: queue, account: account), journal: journal,
        environment: environment
      ),
      new: Purchases(
        seller: Errand.seller,
        purchasePath: .publicationDevice(
          client, seller: Errand.seller, journal: journal, clock: SystemClock(), queue: queue, account: account),
        journal: journal, environment: environment),
      choose: { errand.stage == .device ? .new : .old })
  }

  /// Does the errand; returns when nothing is left to do.
  func run() async throws -> Report {
    purchases.setUser(errand.reader)
    try await purchases.resume()
    if errand.mode == .buy {
      guard let product = try await purchases.products([errand.product]).products.first else { return Report(failure: "nothing to buy") }
      _ = await purchases.purchase(product, authorizer: Person(decision: errand.decision))
    }
    var isFinished = errand.mode == .look ? true : try await journal.unfinished(seller: Errand.seller).isEmpty
    if !isFinished {
      for await _ in deliveries {
        isFinished = try await journal.unfinished(seller: Errand.seller).isEmpty
        if isFinished { break }
      }
    }
    if errand.mode != .look, try await isOwed {
      // What was paid is there in the end, whatever was away meanwhile, and nobody has to ask for it.
      for await suspended in purchases.entitlementStream() where suspended.contains(where: { $0.id == errand.product }) { break }
    }
    await effects.settled()
    var report = Report(entitled: Set(purchases.entitlements.map(\.id)))
    for transaction in try await journal.purchases(seller: Errand.seller, user: errand.reader).reversed() {
      report.purchases.append(
        .init(id: transaction.id, path: transaction.purchasePath, steps: try await journal.steps(of: transaction.id).map(\.rawValue)))
      if !transaction.step.isFinished { report.unfinished += 1 }
    }
    await journal.close()
    return report
  }

  /// Whether the reader is to have what the errand is about: it is held, and bought.
  private var isOwed: Bool {
    get async throws {
      guard errand.isSuspended else { return false }
      return try await journal.purchases(seller: Errand.seller, user: errand.reader).contains { $0.step == .finished }
    }
  }
}

/// Who is asked for money.
private struct Person: PaymentAuthorizer {
  let decision: Errand.Decision

  func authorize(_ order: OrderSummary, started: @escaping @Sendable () async -> Void) async throws -> PaymentAuthorization {
    guard decision != .cancelled else { return .cancelled }
    await started()
    return .authorized(PaymentToken("tok_\(decision.rawValue)"))
  }
}
