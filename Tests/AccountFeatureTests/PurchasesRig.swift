import AccountFeature
import FeatureKit
import Foundation
import Patience
import PublicationAPI
import PublicationClient
import PublicationCommerce
import PurchaseService
import PurchaseServiceTesting
import ReaderContent
import Runtime
import SQLiteStorage
import Synchronization
import TestSupport

/// The list of purchases over a test store, on 14 November 2023.
@MainActor final class PurchasesRig {
  let effects = Effects()
  let clock = ManualClock()
  let issuer: ReceiptIssuer
  let queue: ScriptedQueue
  let products = ScriptedProducts(PurchasesRig.sold)
  /// Whose content says when the publication can be reached.
  let reader = ReaderFixture()
  let purchases: PublicationPurchases
  let passes = LastValue<Int?>(nil)
  private(set) var model: PurchasesViewModel!
  private(set) var states: [PurchasesViewModel.State] = []
  private(set) var outputs: [PurchasesViewModel.Output] = []

  /// What the publication says of orders.
  final class Records: Sendable {
    let orders = Mutex<Result<[Order], ClientError>>(.success([]))
    /// Holds the answer back; `nil` for an answer at once.
    let gate = Mutex<Gate?>(nil)
    /// How often it was asked.
    let requests = Mutex(0)

    func answer() async throws -> [Order] {
      requests.withLock { $0 += 1 }
      await gate.withLock { $0 }?.wait()
      return try orders.withLock { $0 }.get()
    }
  }
  let records = Records()

  nonisolated static let sold = [
    SubscriptionPeriod(months: 1).map {
      Product(
        id: "monthly", kind: .subscription(group: nil, period: $0), name: "Monthly", price: Price(minorUnits: 490, currency: "EUR"),
        entitlement: "premium")
    },
    SubscriptionPeriod(months: 1).map {
      Product(
        id: "trial", kind: .subscription(group: nil, period: $0), name: "Trial", price: Price(minorUnits: 490, currency: "EUR"),
        entitlement: "premium", offer: Offer(price: Price(minorUnits: 0, currency: "EUR"), period: $0))
    },
    Product(id: "lifetime", kind: .nonConsumable, name: "For good", price: Price(minorUnits: 14_900, currency: "EUR")),
    Product(
      id: "passes", kind: .consumable(type: "article_pass", amount: 5), name: "Five passes",
      price: Price(minorUnits: 500, currency: "EUR")),
  ].compactMap { $0 }

  init(marked: UUID? = nil, cancelling: String? = nil) async throws {
    let (issuer, records) = (try ReceiptIssuer(), records)
    self.issuer = issuer
    queue = ScriptedQueue { transaction, _ in issuer.accepted(transaction) }
    let journal = try await Journal(path: ":memory:", clock: clock)
    let keys = TrustedKeyCache(seller: "store", purchasePath: "test", journal: journal, clock: clock) { issuer.trusted }
    let verifier = DeviceVerifier<PurchasableProduct>(keys: keys) { payload in
      let read = try ReceiptIssuer.read(payload)
      let product = Self.sold.first { $0.id == read.productID }
      return ReceiptContents(
        issuer: read.issuer, user: read.user, transaction: read.transaction, productID: read.productID,
        purchasable: PurchasableProduct(id: read.productID, entitlement: "premium", period: product?.period), issued: read.issued,
        expires: read.expires, isConsumable: product?.kind.isOwned == false)
    }
    purchases = Purchases<PurchasableProduct>(
      seller: "store", purchasePath: PurchasePath(name: "test", fetcher: products, queue: queue, verifier: verifier),
      journal: journal, environment: PurchaseEnvironment(clock: clock, effects: effects))
    // What was sold is in force until a test says otherwise.
    queue.setRestored { [weak queue] in queue?.receipts(of: $0) ?? [] }
    purchases.setUser("ada")
    try await purchases.resume()
    model = PurchasesViewModel(
      marked: marked, purchases: purchases, content: reader.store,
      publication: PublicationInfo(id: "p", name: "The Paper", tagline: "", defaultPaywallID: "premium", cancelling: cancelling),
      orders: { try await records.answer() }, passes: passes, effects: effects,
      formatting: Formatting(clock: clock, locale: Locale(identifier: "en_IE"), timeZone: .gmt)
    ) { [weak self] in self?.outputs.append($0) }
    model.observe { [weak self] in self?.states.append($0) }
  }

  /// Buys; what the store says to it is scripted beforehand.
  @discardableResult func buy(_ id: Product.ID) async throws -> PurchaseOutcome<PurchasableProduct> {
    await purchases.purchase(Self.sold.first { $0.id == id } ?? Self.sold[0], authorizer: ScriptedAuthorizer())
  }

  /// Shows the list, once it has settled.
  func appear() async {
    model.appear()
    await until { self.model.state.phase != .loading }
    await effects.settled()
  }

  /// From here on the publication cannot be reached for anything.
  func cutOff() {
    let failure = ClientError.offline(.unreachable("refused"))
    records.orders.withLock { $0 = .failure(failure) }
    products.answer { _, _ in throw StoreError(failure) }
    queue.setRestored(.failure(StoreError(failure)))
  }

  /// It can be reached again.
  /// - Parameter orders: its records.
  func reconnect(_ orders: [Order]) {
    records.orders.withLock { $0 = .success(orders) }
    products.answer { request, _ in PurchasesRig.sold.filter { request.ids.contains($0.id) } }
    queue.setRestored { [weak queue] in queue?.receipts(of: $0) ?? [] }
  }

  var row: PurchaseRow? { model.state.rows.first }
}
