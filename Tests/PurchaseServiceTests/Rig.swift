import Foundation
import Patience
import PurchaseServiceTesting
import Runtime
import Synchronization

@testable import PurchaseService

let monthly = Product(
  id: "premium.monthly", kind: .subscription(group: "premium", period: SubscriptionPeriod(months: 1)!), name: "Monthly",
  price: Price(minorUnits: 490, currency: "EUR"))
let passes = Product(
  id: "passes.5", kind: .consumable(type: "article_pass", amount: 5), name: "Five passes",
  price: Price(minorUnits: 299, currency: "EUR"))
let forever = Product(id: "premium.forever", kind: .nonConsumable, name: "For ever", price: Price(minorUnits: 9900, currency: "EUR"))

/// A payment provider's book: charges once for each idempotency key.
final class Ledger: Sendable {
  private let keys = Mutex<[UUID]>([])
  var charges: [UUID] { keys.withLock { $0 } }
  func charge(_ key: UUID) { keys.withLock { if !$0.contains(key) { $0.append(key) } } }
}

/// A store and an app in front of it, which can be ended and started again over the same file.
@MainActor final class Rig {
  let clock = ManualClock()
  let effects = Effects()
  let ledger = Ledger()
  let issuer: ReceiptIssuer
  let queue: ScriptedQueue
  let products = ScriptedProducts([monthly, forever])
  let folder: URL
  let identifiers = SequentialIdentifiers()
  let trusted: Mutex<Result<TrustedKeys, StoreError>>
  let keyFetches = Mutex(0)
  private(set) var journal: Journal
  private(set) var purchases: Purchases<String>
  private(set) var stages: [PurchaseProgress] = []
  private(set) var deliveries: [String] = []
  /// What verifies from the next ``restart(user:)`` on.
  var wrap: @Sendable (DeviceVerifier<String>) -> any ReceiptVerifier<String> = { $0 }
  var retry = RetryPolicy()
  private let random: any RandomSource

  init(user: String? = "ada", retry: RetryPolicy = RetryPolicy(), random: any RandomSource = FixedRandom()) async throws {
    let issuer = try ReceiptIssuer()
    let ledger = ledger
    self.issuer = issuer
    self.retry = retry
    self.random = random
    trusted = Mutex(.success(issuer.trusted))
    queue = ScriptedQueue { transaction, _ in
      ledger.charge(transaction.id)
      return issuer.accepted(transaction)
    }
    folder = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    journal = try await Journal(path: folder.appending(path: "purchases.db").path, clock: clock)
    // Replaced in a moment, once everything else is there.
    purchases = Purchases(
      seller: "", purchasePath: PurchasePath(name: "", fetcher: ScriptedProducts([]), queue: queue, verifier: NoVerifier()),
      journal: journal,
      environment: PurchaseEnvironment(clock: clock, effects: effects))
    start()
    purchases.setUser(user)
    effects.onDelivery = { [weak self] in self?.deliveries.append($0.label) }
  }

  isolated deinit { try? FileManager.default.removeItem(at: folder) }

  private struct NoVerifier: ReceiptVerifier {
    func verify(_ receipt: String) async throws -> ReceiptContents<String> { throw VerificationError.unavailable("none") }
  }

  private func start() {
    let keys = TrustedKeyCache(seller: "store", purchasePath: "device", journal: journal, clock: clock) { [weak self] in
      guard let self else { throw VerificationError.unavailable("gone") }
      keyFetches.withLock { $0 += 1 }
      return try trusted.withLock { $0 }.get()
    }
    purchases = Purchases(
      seller: "store",
      purchasePath: PurchasePath(
        name: "device", fetcher: products, queue: queue,
        verifier: wrap(DeviceVerifier(keys: keys, read: ReceiptIssuer.read))), journal: journal,
      environment: PurchaseEnvironment(clock: clock, identifiers: identifiers, effects: effects, retry: retry, random: random))
  }

  /// The program was killed and is started again: what is not in the file is gone.
  func restart(user: String? = "ada") async throws {
    journal = try await Journal(path: folder.appending(path: "purchases.db").path, clock: clock)
    start()
    purchases.setUser(user)
    try await purchases.resume()
  }

  func buy(
    _ product: Product = monthly, authorizer: any PaymentAuthorizer = ScriptedAuthorizer(),
    onProgress: @escaping @MainActor (PurchaseProgress) -> Void = { _ in }
  ) async -> PurchaseOutcome<String> {
    await purchases.purchase(product, authorizer: authorizer) { [weak self] stage in
      self?.stages.append(stage)
      onProgress(stage)
    }
  }

  /// What a purchase looks like in the file of a program that was killed right after writing `step` down.
  func leave(
    _ step: Transaction.Step, user: String = "ada", product: Product = monthly, isConsumable: Bool = false
  ) async throws -> UUID {
    var transaction = Transaction(
      id: identifiers.next(), seller: "store", user: user, productID: product.id, isOneTime: product.kind.isOneTime, price: product.price,
      purchasePath: "device", begun: clock.now)
    _ = try await journal.begin(transaction)
    guard step != .begun else { return transaction.id }
    transaction.token = PaymentToken("token")
    transaction.step = .authorized
    try await journal.record(transaction)
    guard step != .authorized else { return transaction.id }
    transaction.step = .submitted
    try await journal.record(transaction)
    ledger.charge(transaction.id)
    guard step != .submitted else { return transaction.id }
    let receipt = try issuer.receipt(transaction.id, user: user, product: product.id, isConsumable: isConsumable)
    transaction.step = .received
    transaction.receipt = receipt
    try await journal.record(transaction)
    guard step != .received else { return transaction.id }
    transaction.step = .verified
    transaction.token = nil
    transaction.receipt = nil
    if isConsumable { try await journal.record(transaction) } else { try await journal.record(transaction, verified: receipt) }
    return transaction.id
  }

  /// Waits until nothing is being submitted.
  func idle() async { await until { self.purchases.submissions.isEmpty } }

  func steps(_ id: UUID) async throws -> [Transaction.Step] { try await journal.steps(of: id) }
}

func id(_ number: UInt8) -> UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)) }
