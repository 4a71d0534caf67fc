import FeatureKit
import Foundation
import PaywallFeature
import PublicationAPI
import PublicationClient
import PublicationCommerce
import PurchaseService
import PurchaseServiceTesting
import Runtime
import Synchronization

/// What the publication says in a test.
final class Script: Sendable {
  let paywall = Mutex<Result<PaywallRecord, ClientError>>(
    .success(
      PaywallRecord(
        id: "premium", title: "Read on", text: "All of it.", benefits: ["More"], productIDs: ["yearly", "monthly", "lifetime"])))
  let products = Mutex<Result<[ProductRecord], StoreError>>(
    .success([
      ProductRecord(
        id: "monthly", kind: .subscription, name: "Monthly", detail: "", priceMinorUnits: 490, currency: "EUR", period: "P1M",
        group: "premium", entitlement: "premium"),
      ProductRecord(
        id: "yearly", kind: .subscription, name: "Yearly", detail: "Twelve for ten", priceMinorUnits: 4900, currency: "EUR", period: "P1Y",
        group: "premium", entitlement: "premium"),
      ProductRecord(
        id: "lifetime", kind: .nonConsumable, name: "For good", detail: "", priceMinorUnits: 14_900, currency: "EUR",
        entitlement: "premium"),
    ]))
  let loads = Mutex(0)

  /// Adds a pack of five to what is sold.
  func sellPasses() {
    products.withLock { products in
      products = products.map {
        $0 + [
          ProductRecord(
            id: "passes", kind: .consumable, name: "Five passes", detail: "", priceMinorUnits: 500, currency: "EUR",
            entitlement: Balance.articlePass, consumableType: Balance.articlePass, amount: 5)
        ]
      }
    }
    paywall.withLock { paywall in
      paywall = paywall.map { record in
        var record = record
        record.productIDs.append("passes")
        return record
      }
    }
  }
}

@MainActor final class Rig {
  let script = Script()
  let effects = Effects()
  let clock = ManualClock()
  let issuer: ReceiptIssuer
  let queue: ScriptedQueue
  let passes = LastValue<Int?>(nil)
  let purchases: PublicationPurchases
  let formatting: Formatting
  private(set) var model: PaywallViewModel!
  private(set) var states: [PaywallViewModel.State] = []
  /// What was asked for; that something is shown is counted in ``shown``.
  private(set) var outputs: [PaywallViewModel.Output] = []
  private(set) var shown = 0

  init(locale: String = "de_DE") async throws {
    let (script, issuer) = (script, try ReceiptIssuer())
    self.issuer = issuer
    formatting = Formatting(clock: clock, locale: Locale(identifier: locale), timeZone: .gmt)
    queue = ScriptedQueue { transaction, _ in issuer.accepted(transaction) }
    let journal = try await Journal(path: ":memory:", clock: clock)
    let keys = TrustedKeyCache(seller: "store", purchasePath: "device", journal: journal, clock: clock) { issuer.trusted }
    let fetcher = ScriptedProducts { request, _ in
      try script.products.withLock { $0 }.get().filter { request.ids.contains($0.id) }.compactMap(Product.init)
    }
    let verifier = DeviceVerifier<PurchasableProduct>(keys: keys) { payload in
      let read = try ReceiptIssuer.read(payload)
      return ReceiptContents(
        issuer: read.issuer, user: read.user, transaction: read.transaction, productID: read.productID,
        purchasable: PurchasableProduct(id: read.productID, entitlement: "premium"), issued: read.issued, expires: read.expires)
    }
    purchases = Purchases<PurchasableProduct>(
      seller: "store", purchasePath: PurchasePath(name: "test", fetcher: fetcher, queue: queue, verifier: verifier), journal: journal,
      environment: PurchaseEnvironment(clock: clock, effects: effects))
    purchases.setUser("ada")
    model = another { [weak self] output in
      if output == .shown { self?.shown += 1 } else { self?.outputs.append(output) }
    }
    model.observe { [weak self] in self?.states.append($0) }
  }

  private lazy var paywalls = PaywallCache(effects: effects, clock: clock) { [script] _ in
    script.loads.withLock { $0 += 1 }
    return try script.paywall.withLock { $0 }.get()
  }

  /// A paywall of its own over the same store.
  func another(output: @escaping @MainActor (PaywallViewModel.Output) -> Void = { _ in }) -> PaywallViewModel {
    PaywallViewModel(
      "premium", paywalls: paywalls, purchases: purchases, formatting: formatting, passes: passes, output: output)
  }

  func appear() async {
    model.appear()
    await effects.settled()
  }
}
