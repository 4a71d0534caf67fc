import Foundation
import Runtime

/// The interface through which an app sells: products, purchases, and the signed-in user's entitlements. It is one path (``Purchases``), or
/// an old one beside a new one (``StagedPurchases``): screens do not know which. Isolated to the main actor.
@MainActor public protocol PurchaseLayer<Purchasable>: AnyObject, Sendable {
  /// What the app sells, in its own terms.
  associatedtype Purchasable: Hashable & Sendable

  /// Whose purchases these are; `nil` while no user is signed in.
  var user: String? { get }
  /// Sets the signed-in user. From then on nothing of another user is shown. A payment that was not agreed to yet is cancelled; one that
  /// was agreed to stays in the journal for its user. Call ``resume()`` after it.
  func setUser(_ user: String?)
  /// Loads the user's entitlements, and continues purchases that an earlier run, or a session that ended, left unfinished. Returns when the
  /// journal is read; it waits for the store only where an earlier run left a person's answer open. At start-up, after each sign-in, and when a person asks for it.
  /// - Throws: `SQLiteError`.
  func resume() async throws
  /// Call it when there is a network again, or when the store has answered another request. It ends the waits of purchases that wait for
  /// the store, and of stored receipts that could not be verified. Three waits stay: one that the store requested, one for a person, and
  /// one after several early tries that failed. Calling it often does no harm.
  func networkIsBack()

  /// The currency and the locale of product requests. Products that were fetched for another storefront are not shown from then on.
  var storefront: Storefront { get set }
  /// The products with these identifiers, in their order, each once; unknown ones are listed separately.
  ///
  /// Served without another request for ``PurchaseServiceConfig/productTimeToLive``, unless the store refused to sell one meanwhile. A call
  /// during a request waits for its answer. While the store is unreachable the last good answer is served, marked stale; after a refusal,
  /// nothing is.
  /// - Parameters:
  ///   - ids: which, and in which order.
  ///   - refetch: whether they are requested in any case: for a person who wants to know.
  /// - Throws: ``StoreError``.
  func products(_ ids: [Product.ID], refetch: Bool) async throws(StoreError) -> ProductList
  /// The product of a purchase, as the purchase path that sold it names it; `nil` when that is not available.
  func product(of transaction: Transaction) async -> Product?

  /// Whether this person may buy on this device at all.
  var canMakePayments: Bool { get }
  /// Sells a product to the signed-in user.
  ///
  /// Cancelling the calling task cancels the authorization, as long as the person has not agreed. After that the purchase continues. The
  /// caller still gets its outcome: at once, as pending, if the store has to be asked again, and the final outcome is then a notice too.
  /// Each step is in the journal before it is taken.
  /// - Parameters:
  ///   - product: what to sell.
  ///   - authorizer: asks the person for money.
  ///   - onProgress: called with the progress, on the main actor, until this function returns. It may read everything here.
  func purchase(
    _ product: Product, authorizer: any PaymentAuthorizer, onProgress: @escaping @MainActor (PurchaseProgress) -> Void
  ) async -> PurchaseOutcome<Purchasable>
  /// Cancels the purchases that their user has not agreed to yet, and returns when their authorizers have ended: one may still have to
  /// withdraw a checkout page. For the end of the program or of the session. The caller sets a time limit, since an authorizer may wait for its server.
  func finish() async
  /// Whether a purchase of this product is being paid or confirmed for the user who is signed in.
  func isUnderWay(_ productID: Product.ID) -> Bool

  /// The signed-in user's present entitlements.
  var entitlements: Set<Purchasable> { get }
  /// Calls an observer at once with the user's entitlements, and then with each change of them, as soon as it is made.
  /// - Returns: what has to be held for as long as the observer is to be called.
  func observeEntitlements(_ observer: @escaping @MainActor (Set<Purchasable>) -> Void) -> Observation
  /// The user's entitlements, and each change of them, for a task that awaits one. A new stream for each caller; it starts with the last
  /// value and skips to the newest one.
  func entitlementStream() -> AsyncStream<Set<Purchasable>>
  /// Whether stored receipts of the user are still being verified, so that they may have more than ``entitlements`` says: a backend may take
  /// its time, or not be reached. Observers of the history are called when it changes.
  var isVerifying: Bool { get }
  /// Whether the user has this very product, and it is in force.
  func owns(_ productID: Product.ID) -> Bool
  /// When the user's access by this product ends; `nil` when it does not, or when there is none.
  func expiry(of productID: Product.ID) -> Date?
  /// Asks the store for every receipt that is in force: on a new machine, after signing in, after a purchase elsewhere. Stored receipts
  /// that the store no longer lists are dropped.
  /// - Returns: what the user has after that.
  /// - Throws: ``StoreError``; nothing is changed then.
  @discardableResult func restore() async throws(StoreError) -> Set<Purchasable>

  /// The user's purchases with any outcome, newest first, including those of paths that this build no longer has. Empty while no user is
  /// signed in.
  /// - Throws: `SQLiteError`.
  func history() async throws -> [Transaction]
  /// Calls an observer at once, and whenever ``history()`` may have changed.
  /// - Returns: what has to be held for as long as the observer is to be called.
  func observeHistory(_ observer: @escaping @MainActor () -> Void) -> Observation
  /// Emits at once, and whenever ``history()`` may have changed, for a task that awaits that. A new stream for each caller.
  func historyStream() -> AsyncStream<Void>
  /// Calls an observer with the outcome of each purchase that no caller awaits any more, such as an approval days later, or a refund: each
  /// is to be shown once. The first observer, or stream, is called at once with the notices from before it.
  /// - Returns: what has to be held for as long as the observer is to be called.
  func observeNotices(_ observer: @escaping @MainActor (PurchaseNotice) -> Void) -> Observation
  /// What ``observeNotices(_:)`` tells, for a task that awaits one. A new stream for each caller.
  func noticeStream() -> AsyncStream<PurchaseNotice>
  /// Asks the store about one of the user's purchases now, instead of after a wait; the last step in the journal decides how. A purchase
  /// that was charged, and whose receipt was refused (``PurchaseError/receiptRejected``), is included: nothing is charged again, and a
  /// receipt that is valid by now completes it. Returns after one request, or at once when none is needed.
  func check(_ id: Transaction.ID) async
  /// Cancels a payment that waits for the person (``Transaction/State/interrupted``), also one that was begun on another device, and then
  /// asks about it as ``check(_:)`` does. One that was charged meanwhile stays bought.
  /// - Throws: ``StoreError``; of the kind ``StoreError/Kind/unavailable`` when it is not known whether it is cancelled.
  func cancel(_ id: Transaction.ID) async throws(StoreError)
  /// Asks the store about each of the user's purchases that wait for an approval or for the person: at once, and again after
  /// ``RetryPolicy/watchedInterval`` and ever longer waits, until the calling task is cancelled. For a screen that shows them, as long as
  /// it is visible.
  func watchPending() async
}

extension PurchaseLayer {
  /// The products with these identifiers; see ``products(_:refetch:)``.
  /// - Throws: ``StoreError``.
  public func products(_ ids: [Product.ID]) async throws(StoreError) -> ProductList { try await products(ids, refetch: false) }

  /// Sells a product without following its progress; see ``purchase(_:authorizer:onProgress:)``.
  public func purchase(_ product: Product, authorizer: any PaymentAuthorizer) async -> PurchaseOutcome<Purchasable> {
    await purchase(product, authorizer: authorizer) { _ in }
  }
}
