import Foundation
import PurchaseService
import Runtime
import SignedReceipts
import Synchronization

/// A store that does what a tester says: nothing is charged, and every receipt is really signed, so that journal and verifiers work as with
/// a real store.
///
///     let store = try TestStore(StubStoreFile(json: data, name: "stub.json"), allowed: true, clock: SystemClock())
///     let path = store.path(journal: journal, seller: "stub") { $0.id }
///     let outcome = await purchases.purchase(product, authorizer: store.authorizer)
///     try await store.perform(.refund(.init("premium.monthly"), reason: "Refunded."))
///
/// The purchase layer has to run on the store's ``clock``, which may be faster than the real one. Submitting a transaction twice charges
/// once. With a folder, purchases, prices and the clock survive the program; the script of outcomes begins again with each start. Safe from
/// any thread.
public final class TestStore: Sendable {
  /// Why a store is not made, or a command cannot be carried out.
  public struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// Why it is refused, in a sentence for people.
    public let sentence: String
    /// The same as ``sentence``.
    public var description: String { sentence }
  }

  struct Core: Sendable {
    var file: StubStoreFile
    var ledger: StubLedger
    var outcomes: [StubOutcome]
    var productOutcomes: [Product.ID: [StubOutcome]]
    /// The scripted outcomes of transactions that only the authorizer has seen yet, not the store.
    var assigned: [UUID: StubOutcome] = [:]
    var requests: StubStoreAnswer
    var paymentsAllowed: Bool
    /// Rises with what is to be saved.
    var revision: Int

    init(_ file: StubStoreFile, _ ledger: StubLedger = StubLedger(), revision: Int = 0) {
      self.file = file
      self.revision = revision
      self.ledger = ledger
      outcomes = file.outcomes
      productOutcomes = Dictionary(file.products.map { ($0.product.id, $0.outcomes) }) { first, _ in first }
      requests = file.requests
      paymentsAllowed = file.paymentsAllowed
    }
  }

  /// The store's time; it may run faster than the real one. The purchase layer has to run on it too.
  public let clock: AdjustableClock
  let realClock: any AppClock
  let identifiers: any IdentifierSource
  let key: SigningKey
  let core: Mutex<Core>
  let updates = Streams<QueueUpdate>()
  private let states = Streams<StubState>()
  private let disk: StubDisk?
  private let ticker = Mutex<Task<Void, Never>?>(nil)

  /// - Parameters:
  ///   - file: the products, and the outcomes of purchases.
  ///   - allowed: whether this build may have such a store at all; false in a build for a live store.
  ///   - clock: the real clock.
  ///   - delays: the clock for the delays of the file; the real one by default.
  ///   - identifiers: name purchases that are made elsewhere.
  ///   - folder: where purchases are kept, as `stub-store.json`; `nil` for in memory alone. Read here, and written on a thread of its own.
  /// - Throws: ``Refusal``.
  public init(
    _ file: StubStoreFile, allowed: Bool, clock: any AppClock, delays: (any AppClock)? = nil,
    identifiers: any IdentifierSource = RandomIdentifiers(), folder: String? = nil
  ) throws(Refusal) {
    guard allowed else {
      throw Refusal(sentence: "This build sells for real, so it has no test store. Use a development or beta build for stub products.")
    }
    disk = folder.map { StubDisk(path: $0 + "/stub-store.json") }
    let saved = try disk?.load()
    do {
      let signature = saved?.signature ?? file.signature
      key = if let saved { try SigningKey(raw: saved.key, algorithm: signature) } else { try SigningKey.generate(signature) }
    } catch { throw Refusal(sentence: "The test store has no key to sign receipts with: \(error).") }
    realClock = delays ?? clock
    self.identifiers = identifiers
    self.clock = AdjustableClock(clock, rate: file.rate, ahead: .seconds(saved?.ahead ?? 0))
    core = Mutex(Core(file, saved?.ledger ?? StubLedger()))
    schedule()
  }

  deinit { ticker.withLock { $0?.cancel() } }

  /// What a tester panel shows.
  public var state: StubState { core.withLock { state(of: $0) } }
  /// What a tester panel shows, now and after each change. A new stream for each caller, which skips to the newest.
  public func stateStream() -> AsyncStream<StubState> { states.newest { state } }

  private func state(of core: borrowing Core) -> StubState {
    var state = StubState()
    state.products = core.file.products.map { $0.product.priced(core.ledger.price($0.product)) }
    state.paymentsAllowed = core.paymentsAllowed
    state.requests = core.requests
    state.rate = clock.rate
    state.orders = core.ledger.orders
    state.outcomes = core.outcomes
    state.productOutcomes = core.productOutcomes.filter { !$0.value.isEmpty }
    state.balances = core.ledger.balances
    state.log = core.ledger.log
    return state
  }

  /// The only way to change the store's state: first whatever is due, then the change. Observers are notified when it is on the disk.
  func change<Value: Sendable>(_ body: @Sendable (inout Core, Date) throws(Refusal) -> (Value, [QueueUpdate])) async throws(Refusal)
    -> Value
  {
    let (result, updates, saving) = core.withLock { core in
      let now = clock.now
      let happened = core.ledger.advance(to: now, core.file)
      let result: Result<(Value, [QueueUpdate]), Refusal>
      do throws(Refusal) { result = .success(try body(&core, now)) } catch { result = .failure(error) }
      let updates = (try? result.get().1) ?? []
      return (result, happened && !updates.contains(.receipts) ? [.receipts] + updates : updates, saved(&core))
    }
    if let disk, let saving, let reason = await disk.save(saving.saved, saving.revision) {
      core.withLock { $0.ledger.note("not saved: \(reason)", at: clock.now) }
    }
    states.tell { state }
    for update in updates { self.updates.tell { update } }
    schedule()
    return try result.get().0
  }

  private func saved(_ core: inout Core) -> (saved: StubDisk.Saved, revision: Int)? {
    guard disk != nil, let raw = try? key.raw() else { return nil }
    core.revision += 1
    return (StubDisk.Saved(key: raw, signature: key.algorithm, ahead: clock.ahead.seconds, ledger: core.ledger), core.revision)
  }

  /// Waits for what happens next by itself.
  func schedule() {
    let next = core.withLock { $0.ledger.nextEvent($0.file) }
    ticker.withLock { ticker in
      ticker?.cancel()
      ticker = nil
      guard let next else { return }
      // A little longer, so that rounding does not make it too early.
      var wait = Duration.seconds(max(next.timeIntervalSince(clock.now), 0)) + .milliseconds(1)
      // The time of a fast clock is stored now and then: receipts must not come from the future after the next start.
      if disk != nil, clock.rate > 1 { wait = min(wait, .seconds(10) * clock.rate) }
      // Detached: it outlives the request that starts it, and its sleeps do not count as that request's.
      ticker = Task.detached { [weak self, clock, wait] in
        do { try await clock.sleep(for: wait) } catch { return }
        try? await self?.change { _, _ in ((), []) }
      }
    }
  }
}

extension Product {
  /// The same at another price.
  func priced(_ minorUnits: Int) -> Product {
    guard minorUnits != price.minorUnits else { return self }
    var product = self
    product.price = Price(minorUnits: minorUnits, currency: price.currency)
    product.tax = tax.map { tax in
      // Prices are with tax: 19 % of 100 are 16 of 100.
      let amount = Double(minorUnits) * Double(tax.basisPoints) / Double(10_000 + tax.basisPoints)
      return Tax(
        name: tax.name, basisPoints: tax.basisPoints, amount: Price(minorUnits: Int(amount.rounded()), currency: tax.amount.currency))
    }
    return product
  }

  /// The same for who had it before.
  var withoutOffer: Product {
    var product = self
    product.offer = nil
    return product
  }
}
