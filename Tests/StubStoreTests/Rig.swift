import Foundation
import PurchaseService
import PurchaseServiceTesting
import Runtime
import StubStore

let monthly = Product(
  id: "premium.monthly", kind: .subscription(group: "premium", period: .month), name: "Monthly",
  price: Price(minorUnits: 490, currency: "EUR"), entitlement: "premium")
let yearly = Product(
  id: "premium.yearly", kind: .subscription(group: "premium", period: SubscriptionPeriod(months: 12)!), name: "Yearly",
  price: Price(minorUnits: 4900, currency: "EUR"), entitlement: "premium")
let forever = Product(id: "premium.lifetime", kind: .nonConsumable, name: "For good", price: Price(minorUnits: 14900, currency: "EUR"))
let passes = Product(
  id: "passes.5", kind: .consumable(type: "article_pass", amount: 5), name: "Five passes", price: Price(minorUnits: 350, currency: "EUR"))

let day = Duration.seconds(86_400)

/// A test store and a purchase layer in front of it, both of which can be ended and started again over the same files.
@MainActor final class Rig {
  let clock = ManualClock()
  let folder: URL
  private let keepsStore: Bool
  private let file: StubStoreFile
  private let storeClock: any AppClock
  private(set) var store: TestStore
  private(set) var effects = Effects()
  private(set) var purchases: Purchases<String>

  /// - Parameters:
  ///   - keepsStore: whether the store keeps what it knows in a file.
  ///   - storeClock: what the store sleeps on, made of ``clock``.
  init(
    _ change: (inout StubStoreFile) -> Void = { _ in }, user: String = "ada", keepsStore: Bool = false,
    storeClock: (ManualClock) -> any AppClock = { $0 }
  ) async throws {
    var file = StubStoreFile(products: [monthly, yearly, forever, passes].map { StubProduct($0) })
    change(&file)
    self.file = file
    self.keepsStore = keepsStore
    self.storeClock = storeClock(clock)
    folder = FileManager.default.temporaryDirectory.appending(path: "matinee-stub-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    (store, purchases) = try await Self.made(file, self.storeClock, effects, in: folder, keepsStore: keepsStore)
    purchases.setUser(user)
    try await purchases.resume()
  }

  isolated deinit { try? FileManager.default.removeItem(at: folder) }

  private static func made(
    _ file: StubStoreFile, _ clock: any AppClock, _ effects: Effects, in folder: URL, keepsStore: Bool
  ) async throws -> (TestStore, Purchases<String>) {
    let store = try TestStore(
      file, allowed: true, clock: clock, identifiers: SequentialIdentifiers(), folder: keepsStore ? folder.path : nil)
    let journal = try await Journal(path: folder.appending(path: "purchases.db").path, clock: store.clock)
    let purchases = Purchases(
      seller: "stub", purchasePath: store.path(journal: journal, seller: "stub") { $0.id }, journal: journal,
      environment: PurchaseEnvironment(clock: store.clock, effects: effects))
    return (store, purchases)
  }

  /// The program was killed and is started again.
  func restart() async throws {
    effects = Effects()
    (store, purchases) = try await Self.made(file, storeClock, effects, in: folder, keepsStore: keepsStore)
    purchases.setUser("ada")
    try await purchases.resume()
    await effects.settled()
  }

  func buy(_ product: Product) async -> PurchaseOutcome<String> { await purchases.purchase(product, authorizer: store.authorizer) }

  /// Returns when the user has exactly this.
  func has(_ entitlements: Set<String>) async {
    for await value in purchases.entitlementStream() where value == entitlements { return }
  }

  /// Returns when the layer has stored a state for the newest purchase of a product.
  func history(_ product: Product, _ fits: (Transaction) -> Bool) async throws {
    for await _ in purchases.historyStream() {
      if let newest = try await purchases.history().first(where: { $0.productID == product.id }), fits(newest) { return }
    }
  }

  func order(_ product: Product) throws -> StubOrder? { store.state.orders.last { $0.product == product.id } }
}

extension AsyncStream where Element: Sendable {
  /// The first value that fits.
  func first(_ fits: @Sendable (Element) -> Bool) async -> Element? {
    for await value in self where fits(value) { return value }
    return nil
  }
}
