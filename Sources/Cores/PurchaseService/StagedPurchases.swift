import Foundation
import Runtime

/// An old path beside its replacement, over one journal. A flag decides where new purchases go, and each is finished by the path that began
/// it, so the flag can change at any moment, also during a payment.
///
/// The two share the journal, whose rows name their path, and nothing else: no path reads or closes the other's transactions, receipts or
/// keys. The user's entitlements are those of both paths. A purchase on one is "in progress" for the other. The transactions of a path that
/// this build no longer has stay unchanged, and are part of the history. Isolated to the main actor.
@MainActor public final class StagedPurchases<Purchasable: Hashable & Sendable>: PurchaseLayer {
  /// Which of the two.
  public enum Stage: Sendable {
    /// The path that is to be replaced.
    case old
    /// The path that replaces the old one.
    case new
  }

  private let old: Purchases<Purchasable>
  private let new: Purchases<Purchasable>
  private let choose: @MainActor () -> Stage
  private let entitled = LastValue<Set<Purchasable>>([])
  private var observations: [Observation] = []

  /// - Parameters:
  ///   - old: the path that is to be replaced.
  ///   - new: its replacement: another path name, the same seller and journal.
  ///   - choose: called before each purchase and each list of products; decides which of them takes it.
  public init(old: Purchases<Purchasable>, new: Purchases<Purchasable>, choose: @escaping @MainActor () -> Stage) {
    self.old = old
    self.new = new
    self.choose = choose
    observations = both.map { $0.observeEntitlements { [weak self] _ in self?.unite() } }
  }

  private var both: [Purchases<Purchasable>] { [old, new] }
  private var chosen: Purchases<Purchasable> { choose() == .new ? new : old }

  /// Only changes of the union are told, so that an entitlement of both paths is told once.
  private func unite() { entitled.value = entitlements }

  // MARK: Users

  /// See ``PurchaseLayer/user``.
  public var user: String? { old.user }

  /// See ``PurchaseLayer/setUser(_:)``.
  public func setUser(_ user: String?) {
    for path in both { path.setUser(user) }
    unite()
  }

  /// See ``PurchaseLayer/resume()``; if one path cannot be resumed, the other still is.
  /// - Throws: `SQLiteError`.
  public func resume() async throws {
    // Together: one may have to wait for a backend that does not answer, when the other has its proof here.
    async let first = Self.resumed(old)
    async let second = Self.resumed(new)
    let failures = await [first, second].compactMap(\.self)
    unite()
    if let failure = failures.last { throw failure }
  }

  private static func resumed(_ path: Purchases<Purchasable>) async -> (any Error)? {
    do { try await path.resume() } catch { return error }
    return nil
  }

  /// See ``PurchaseLayer/networkIsBack()``.
  public func networkIsBack() { for path in both { path.networkIsBack() } }
  /// See ``PurchaseLayer/finish()``.
  public func finish() async {
    async let oldEnded: Void = old.finish()
    await new.finish()
    await oldEnded
  }

  // MARK: Selling

  /// See ``PurchaseLayer/storefront``.
  public var storefront: Storefront {
    get { old.storefront }
    set { for path in both { path.storefront = newValue } }
  }

  /// See ``PurchaseLayer/products(_:refetch:)``.
  /// - Throws: ``StoreError``.
  public func products(_ ids: [Product.ID], refetch: Bool) async throws(StoreError) -> ProductList {
    try await chosen.products(ids, refetch: refetch)
  }

  /// See ``PurchaseLayer/product(of:)``: the path that began it answers. `choose` is not called, since that would count the user for its
  /// side.
  public func product(of transaction: Transaction) async -> Product? {
    await (both.first { $0.purchasePath.name == transaction.purchasePath } ?? old).product(of: transaction)
  }

  /// See ``PurchaseLayer/canMakePayments``.
  public var canMakePayments: Bool { chosen.canMakePayments }

  /// See ``PurchaseLayer/purchase(_:authorizer:onProgress:)``.
  public func purchase(
    _ product: Product, authorizer: any PaymentAuthorizer, onProgress: @escaping @MainActor (PurchaseProgress) -> Void
  ) async -> PurchaseOutcome<Purchasable> {
    let chosen = chosen
    let other = chosen === new ? old : new
    // Nothing is awaited from here until the chosen path has taken the claim.
    guard !other.isUnderWay(product.id) else { return .failed(.inProgress) }
    guard !product.kind.isOwned || !other.owns(product.id) else { return .failed(.alreadyOwned) }
    let outcome = await chosen.purchase(product, authorizer: authorizer, onProgress: onProgress)
    // The journal may have a payment that the other path left unconfirmed in an earlier run: a good moment to ask the store again.
    if outcome == .failed(.inProgress) { try? await other.resume() }
    // The other path asks the store at once, so that access lasts as long as either path can prove it.
    if case .purchased = outcome { Task { _ = try? await other.restore() } }
    return outcome
  }

  /// See ``PurchaseLayer/isUnderWay(_:)``.
  public func isUnderWay(_ productID: Product.ID) -> Bool { both.contains { $0.isUnderWay(productID) } }

  // MARK: Entitlements

  /// See ``PurchaseLayer/entitlements``.
  public var entitlements: Set<Purchasable> { old.entitlements.union(new.entitlements) }

  /// See ``PurchaseLayer/observeEntitlements(_:)``.
  public func observeEntitlements(_ observer: @escaping @MainActor (Set<Purchasable>) -> Void) -> Observation { entitled.observe(observer) }

  /// See ``PurchaseLayer/entitlementStream()``.
  public func entitlementStream() -> AsyncStream<Set<Purchasable>> { entitled.stream() }

  /// See ``PurchaseLayer/isVerifying``: of either path.
  public var isVerifying: Bool { both.contains { $0.isVerifying } }

  /// See ``PurchaseLayer/owns(_:)``.
  public func owns(_ productID: Product.ID) -> Bool { both.contains { $0.owns(productID) } }

  /// See ``PurchaseLayer/expiry(of:)``.
  public func expiry(of productID: Product.ID) -> Date? {
    let ends = both.filter { $0.owns(productID) }.map { $0.expiry(of: productID) }
    // One that never ends outlasts the other.
    return ends.contains(nil) ? nil : ends.compactMap { $0 }.max()
  }

  /// See ``PurchaseLayer/restore()``; it is enough when one path has an answer.
  /// - Throws: ``StoreError``.
  @discardableResult public func restore() async throws(StoreError) -> Set<Purchasable> {
    async let first = Self.restored(old)
    async let second = Self.restored(new)
    let results = await [first, second]
    unite()
    if case .failure(let failure) = results[0], case .failure = results[1] { throw failure }
    return entitlements
  }

  private static func restored(_ path: Purchases<Purchasable>) async -> Result<Set<Purchasable>, StoreError> {
    do throws(StoreError) { return .success(try await path.restore()) } catch { return .failure(error) }
  }

  // MARK: History

  /// See ``PurchaseLayer/history()``: of both paths, and of former ones.
  /// - Throws: `SQLiteError`.
  public func history() async throws -> [Transaction] {
    let earlier = try await old.history()
    // The `history()` of each has all rows, in order; rows that were written in between are only in the second.
    let all = try await new.history() + earlier
    var seen: Set<Transaction.ID> = []
    // A purchase that one path knows from its receipt alone may be in the journal as the other's.
    return (all.filter { !$0.isRestored } + all.filter(\.isRestored)).filter { seen.insert($0.id).inserted }.sorted { $0.begun > $1.begun }
  }

  /// See ``PurchaseLayer/observeHistory(_:)``.
  public func observeHistory(_ observer: @escaping @MainActor () -> Void) -> Observation {
    Observation(both.map { $0.observeHistory(observer) })
  }

  /// See ``PurchaseLayer/historyStream()``.
  public func historyStream() -> AsyncStream<Void> { .ticks(of: old.historyStream(), new.historyStream()) }

  /// See ``PurchaseLayer/observeNotices(_:)``; a notice that both paths give is given once.
  public func observeNotices(_ observer: @escaping @MainActor (PurchaseNotice) -> Void) -> Observation {
    let heard = Heard()
    return Observation(both.map { path in path.observeNotices { if heard.isNew($0) { observer($0) } } })
  }

  /// See ``PurchaseLayer/noticeStream()``.
  public func noticeStream() -> AsyncStream<PurchaseNotice> {
    let (notices, continuation) = AsyncStream.makeStream(of: PurchaseNotice.self)
    let observation = observeNotices { continuation.yield($0) }
    continuation.onTermination = { _ in Task { @MainActor in observation.cancel() } }
    return notices
  }

  /// The notices that an observer has had.
  @MainActor private final class Heard {
    private var keys: Set<Key> = []

    private struct Key: Hashable {
      let transaction: Transaction.ID
      let event: PurchaseNotice.Event
    }

    func isNew(_ notice: PurchaseNotice) -> Bool {
      keys.insert(Key(transaction: notice.transaction, event: notice.event)).inserted
    }
  }

  /// See ``PurchaseLayer/check(_:)``: the path that began it sends the request.
  public func check(_ id: Transaction.ID) async { for path in both { await path.check(id) } }

  /// See ``PurchaseLayer/cancel(_:)``: the path that began it does, and the chosen one where neither did.
  /// - Throws: ``StoreError``.
  public func cancel(_ id: Transaction.ID) async throws(StoreError) {
    let path = try? await history().first { $0.id == id }?.purchasePath
    try await (both.first { $0.purchasePath.name == path } ?? chosen).cancel(id)
  }

  /// See ``PurchaseLayer/watchPending()``: whichever path began one asks.
  public func watchPending() async {
    async let first: Void = old.watchPending()
    async let second: Void = new.watchPending()
    _ = await (first, second)
  }
}
