import Foundation
import Patience
import PurchaseServiceTesting
import Runtime
import Synchronization

@testable import PurchaseService

/// Two paths side by side over one file, each with a queue of its own at the same payment provider; can be ended and started again.
@MainActor final class StagedRig {
  typealias Stage = StagedPurchases<String>.Stage

  /// One of the two.
  @MainActor struct Side {
    let name: String
    let queue: ScriptedQueue
    let products: ScriptedProducts
    /// Holds verification back while it is there.
    let gate = CacheEntry()
  }

  final class CacheEntry: Sendable {
    let gate = Mutex<Gate?>(nil)
  }

  private struct Verifier: ReceiptVerifier {
    let wrapped: DeviceVerifier<String>
    let suspended: CacheEntry
    func verify(_ receipt: String) async throws -> ReceiptContents<String> {
      await suspended.gate.withLock { $0 }?.wait()
      return try await wrapped.verify(receipt)
    }
  }

  let clock = ManualClock()
  let effects = Effects()
  let ledger = Ledger()
  let issuer: ReceiptIssuer
  let folder: URL
  let identifiers = SequentialIdentifiers()
  let old: Side
  let new: Side
  var flag = Stage.old
  private(set) var journal: Journal
  private(set) var paths: [Stage: Purchases<String>] = [:]
  private(set) var purchases: StagedPurchases<String>!

  init(user: String? = "ada") async throws {
    let (issuer, ledger) = (try ReceiptIssuer(), ledger)
    self.issuer = issuer
    func side(_ name: String) -> Side {
      let queue = ScriptedQueue { transaction, _ in
        ledger.charge(transaction.id)
        return issuer.accepted(transaction)
      }
      return Side(name: name, queue: queue, products: ScriptedProducts([monthly, forever]))
    }
    let (old, new) = (side("old"), side("new"))
    (self.old, self.new) = (old, new)
    // One store, whoever asks: what either queue took is what it sold.
    for side in [old, new] {
      side.queue.setRestored { [first = old.queue, second = new.queue] user in
        let sold = (first.submitted + second.submitted).filter { $0.user == user }
        return try sold.map { try issuer.receipt($0.id, user: user, product: $0.productID) }
      }
    }
    folder = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    journal = try await Journal(path: folder.appending(path: "purchases.db").path, clock: clock)
    start(user)
  }

  isolated deinit { try? FileManager.default.removeItem(at: folder) }

  func side(_ stage: Stage) -> Side { stage == .old ? old : new }

  private func start(_ user: String?) {
    for stage in [Stage.old, .new] {
      let (side, trusted) = (side(stage), issuer.trusted)
      let keys = TrustedKeyCache(seller: "store", purchasePath: side.name, journal: journal, clock: clock) { trusted }
      paths[stage] = Purchases(
        seller: "store",
        purchasePath: PurchasePath(
          name: side.name, fetcher: side.products, queue: side.queue,
          verifier: Verifier(wrapped: DeviceVerifier(keys: keys, read: ReceiptIssuer.read), suspended: side.gate)),
        journal: journal,
        environment: PurchaseEnvironment(clock: clock, identifiers: identifiers, effects: effects, random: FixedRandom()))
    }
    purchases = StagedPurchases(old: paths[.old]!, new: paths[.new]!) { [unowned self] in flag }
    purchases.setUser(user)
  }

  /// The program was killed and is started again, perhaps with another flag.
  func restart(user: String? = "ada", resuming: Bool = true) async throws {
    journal = try await Journal(path: folder.appending(path: "purchases.db").path, clock: clock)
    start(user)
    if resuming { try await purchases.resume() }
  }

  func buy(_ product: Product = monthly, authorizer: any PaymentAuthorizer = ScriptedAuthorizer()) async -> PurchaseOutcome<String> {
    await purchases.purchase(product, authorizer: authorizer)
  }

  /// What a purchase on `path` looks like in the file of a program that was killed right after writing `step` down.
  func leave(_ step: Transaction.Step, path: String, product: Product = monthly) async throws -> UUID {
    var transaction = Transaction(
      id: identifiers.next(), seller: "store", user: "ada", productID: product.id, isOneTime: product.kind.isOneTime,
      price: product.price, purchasePath: path, begun: clock.now)
    _ = try await journal.begin(transaction)
    for next in [Transaction.Step.authorized, .submitted, .received, .verified] where transaction.step != step {
      transaction.step = next
      transaction.token = next == .verified ? nil : PaymentToken("token")
      if next == .submitted { ledger.charge(transaction.id) }
      let receipt = try issuer.receipt(transaction.id, user: "ada", product: product.id)
      transaction.receipt = next == .received ? receipt : nil
      if next == .verified {
        try await journal.record(transaction, verified: receipt)
      } else {
        try await journal.record(transaction)
      }
    }
    return transaction.id
  }

  func idle() async { await until { self.paths.values.allSatisfy { $0.submissions.isEmpty } } }
}

extension StagedPurchases.Stage {
  var other: Self { self == .old ? .new : .old }
}
