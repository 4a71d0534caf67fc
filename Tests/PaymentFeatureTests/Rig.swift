import FeatureKit
import Foundation
import Patience
import PaymentFeature
import PublicationAPI
import PublicationCommerce
import PurchaseService
import PurchaseServiceTesting
import Runtime
import Synchronization

/// The payment sheet over a test store: `methods` are the ways to pay, the first of which is chosen.
@MainActor final class Rig {
  let effects = Effects()
  let clock = ManualClock()
  let issuer: ReceiptIssuer
  let queue: ScriptedQueue
  let journal: Journal
  let purchases: PublicationPurchases
  var formatting: Formatting { Formatting(clock: clock, locale: Locale(identifier: "en_IE"), timeZone: .gmt) }
  private(set) var model: PaymentViewModel!
  private(set) var states: [PaymentViewModel.State] = []
  private(set) var outputs: [PaymentViewModel.Output] = []
  /// What the reader was thanked with; in ``outputs`` is all else.
  private(set) var thanks: [String] = []

  private final class Records: Sendable {
    let value = Mutex<Result<[ProductRecord], StoreError>>(
      .success([
        ProductRecord(
          id: "monthly", kind: .subscription, name: "Monthly", detail: "Month by month", priceMinorUnits: 490, currency: "EUR",
          period: "P1M", group: "premium", entitlement: "premium"),
        ProductRecord(
          id: "lifetime", kind: .nonConsumable, name: "For good", detail: "", priceMinorUnits: 14_900, currency: "EUR",
          entitlement: "premium"),
      ]))
  }
  private let products = Records()

  /// What the publication calls its orders.
  final class Numbers: Sendable {
    let value = Mutex<[UUID: String]>([:])
  }
  let numbers = Numbers()

  /// What the wire has no words for yet.
  private nonisolated static let offered: [Product] = {
    let month = SubscriptionPeriod(months: 1)
    let fortnight = SubscriptionPeriod(days: 14)
    let price = Price(minorUnits: 490, currency: "EUR")
    guard let month, let fortnight else { return [] }
    let free = Offer(price: Price(minorUnits: 0, currency: "EUR"), period: fortnight)
    let cheap = Offer(price: Price(minorUnits: 100, currency: "EUR"), period: month, cycles: 3)
    return [
      Product(id: "trial", kind: .subscription(group: nil, period: month), name: "Trial", price: price, offer: free),
      Product(id: "intro", kind: .subscription(group: nil, period: month), name: "Intro", price: price, offer: cheap),
      Product(
        id: "passes", kind: .consumable(type: "article_pass", amount: 5), name: "Five passes", price: price,
        tax: Product.Tax(name: "VAT", basisPoints: 700, amount: Price(minorUnits: 32, currency: "EUR"))),
    ]
  }()

  init(
    _ productID: String = "monthly", _ authorizer: any PaymentAuthorizer = ScriptedAuthorizer(), methods: [PaymentMethod]? = nil,
    retry: RetryPolicy = RetryPolicy()
  ) async throws {
    let (issuer, products) = (try ReceiptIssuer(), products)
    self.issuer = issuer
    queue = ScriptedQueue { transaction, _ in issuer.accepted(transaction) }
    journal = try await Journal(path: ":memory:", clock: clock)
    let keys = TrustedKeyCache(seller: "store", purchasePath: "device", journal: journal, clock: clock) { issuer.trusted }
    let fetcher = ScriptedProducts { request, _ in
      let records = try products.value.withLock { $0 }.get()
      return (records.compactMap(Product.init) + Self.offered).filter { request.ids.contains($0.id) }
    }
    let verifier = DeviceVerifier<PurchasableProduct>(keys: keys) { payload in
      let read = try ReceiptIssuer.read(payload)
      return ReceiptContents(
        issuer: read.issuer, user: read.user, transaction: read.transaction, productID: read.productID,
        purchasable: PurchasableProduct(id: read.productID, entitlement: "premium"), issued: read.issued, expires: read.expires)
    }
    purchases = Purchases<PurchasableProduct>(
      seller: "store", purchasePath: PurchasePath(name: "test", fetcher: fetcher, queue: queue, verifier: verifier), journal: journal,
      environment: PurchaseEnvironment(clock: clock, effects: effects, retry: retry, random: FixedRandom()))
    purchases.setUser("ada")
    let methods =
      methods ?? [
        PaymentMethod(id: "first", name: "First", detail: "one", authorizer: authorizer),
        PaymentMethod(id: "second", name: "Second", authorizer: FixedTokenAuthorizer(token: "tok_second")),
      ]
    model = PaymentViewModel(
      productID, purchases: purchases, methods: methods, formatting: formatting,
      orderNumber: { [numbers] in numbers.value.withLock(\.self)[$0] }
    ) { [weak self] in
      if case .thanks(let sentence) = $0 { self?.thanks.append(sentence) } else { self?.outputs.append($0) }
    }
    model.observe { [weak self] in self?.states.append($0) }
  }

  /// The publication changes the price of the subscription.
  func setPrice(_ minorUnits: Int) {
    products.value.withLock { products in
      products = products.map { records in
        records.map { record in
          var record = record
          if record.id == "monthly" { record.priceMinorUnits = minorUnits }
          return record
        }
      }
    }
  }

  func fail(_ failure: StoreError?) {
    guard let failure else { return products.value.withLock { $0 = .success([]) } }
    products.value.withLock { $0 = .failure(failure) }
  }

  func appear() async {
    model.appear()
    // Between two of its requests nothing is in flight, for as long as the machine is busy with other tests.
    await until { self.model.state.phase != .loading }
    await effects.settled()
    states = [model.state]
  }

  /// What is said of an order that was charged, and whose receipt was refused.
  func paidWithoutAccess(_ number: String? = nil) -> String {
    "You have paid for this, and the publication refused the receipt. \(number.map { "Order \($0)" } ?? "It") is being looked at: you are not charged again, and "
      + "Account → Purchases says what becomes of it."
  }

  /// The purchase that was begun last.
  func lastID() async throws -> UUID { try await purchases.history()[0].id }

  /// Waits until the purchase has answered.
  func answered() async { await until { !self.isBusy } }
  private var isBusy: Bool { if case .working = model.state.status { true } else { false } }

  /// What the screen said, one after the other.
  var texts: [String?] {
    var texts: [String?] = []
    for state in states where texts.isEmpty || texts.last != state.status?.text { texts.append(state.status?.text) }
    return texts
  }
}
