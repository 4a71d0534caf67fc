import Foundation
import Runtime

/// The purchase layer over one path: products, purchases, and the signed-in user's entitlements.
///
/// Generic over the app's own type for what can be bought: entitlements are a set of it. Isolated to the main actor; whatever blocks or
/// waits runs elsewhere, through `Effects`.
///
///     purchases.setUser("r1")
///     try await purchases.resume()                                  // finishes what an earlier run began
///     let products = try await purchases.products(["premium.monthly"]).products
///     let outcome = await purchases.purchase(products[0], authorizer: sheet)
///     for await owned in purchases.entitlementStream() { … }
@MainActor public final class Purchases<Purchasable: Hashable & Sendable>: PurchaseLayer {
  /// How a purchase ended.
  public typealias Outcome = PurchaseOutcome<Purchasable>

  /// A user's claim to a product: at most one purchase of it at a time.
  private struct Claim: Hashable {
    let user: String
    let productID: Product.ID
  }

  let seller: String
  let purchasePath: PurchasePath<Purchasable>
  let journal: Journal
  let environment: PurchaseEnvironment

  /// Whose purchases these are; `nil` while no user is signed in.
  public private(set) var user: String?
  /// The currency and the locale of product requests.
  public var storefront: Storefront
  /// Rises with each change of ``user``: answers to an earlier user's requests are not applied.
  private(set) var generation = 0
  /// The verified receipts of ``user``.
  var receipts: [UUID: ReceiptContents<Purchasable>] = [:]
  /// The receipts of this process's purchases, in order of arrival.
  var arrivals: [UUID] = []
  /// How often the store has said what is in force.
  var restorations = 0
  /// What receipts are judged by; ``loadTime()`` first.
  var time = TrustedTime()
  var timeTask: Task<Void, Never>?
  /// See ``PurchaseLayer/isVerifying``.
  public internal(set) var isVerifying = false { didSet { if isVerifying != oldValue { historyChanged() } } }
  let entitled = LastValue<Set<Purchasable>>([])
  /// Called with each event of each purchase in the journal, also of one that an earlier run began. After a restart, or a repeated request,
  /// the same end may be reported twice, with the same transaction identifier.
  public var onEvent: (@MainActor (Transaction, PurchaseEvent<Purchasable>) -> Void)?
  /// Counts the writes to the journal, which ``historyStream()`` follows.
  private let written = LastValue(0)
  private let productCache: ProductCache
  let notices = Notices()
  var expiryTimer: Task<Void, Never>?
  /// Verifies again the stored receipts that could not be verified when they were loaded; it ends when there are none.
  var judging: Task<Void, Never>?
  /// The wait between its tries.
  var judgingPause: Pause?
  var submissions: [UUID: Submission<Purchasable>] = [:]
  /// Transactions that this process began: "begun" in the journal does not mean that they were abandoned.
  private var begunHere: Set<UUID> = []
  /// Transactions that ended in this process: a journal that was read before that is out of date about them.
  private var finishedHere: Set<UUID> = []
  private var attempts: [Claim: Attempt] = [:]
  private var observer: Task<Void, Never>?

  /// - Parameters:
  ///   - seller: names the seller in the journal. Purchases and receipts of one seller are never shown to another.
  ///   - purchasePath: how to sell.
  ///   - journal: what survives the program.
  ///   - environment: time, identifiers, the door off the main actor.
  ///   - storefront: the currency and the language of product requests.
  public init(
    seller: String, purchasePath: PurchasePath<Purchasable>, journal: Journal, environment: PurchaseEnvironment,
    storefront: Storefront = Storefront()
  ) {
    self.seller = seller
    self.purchasePath = purchasePath
    self.journal = journal
    self.environment = environment
    self.storefront = storefront
    productCache = ProductCache(fetcher: purchasePath.fetcher, environment: environment)
  }

  isolated deinit {
    expiryTimer?.cancel()
    judging?.cancel()
    observer?.cancel()
  }

  // MARK: Users

  /// See ``PurchaseLayer/setUser(_:)``.
  public func setUser(_ newUser: String?) {
    guard newUser != user else { return }
    user = newUser
    generation += 1
    receipts = [:]
    judging?.cancel()
    isVerifying = false
    notices.forget()
    recomputeEntitlements()
    productCache.removeAll(except: newUser)
    historyChanged()
    for attempt in attempts.values where attempt.user != newUser { attempt.cancel() }
    for submission in submissions.values { submission.pause.wake() }
  }

  /// Loads the user's entitlements, and continues purchases that an earlier run, or a session that ended, left unfinished: one that was
  /// never agreed to is closed without a charge; any other is submitted again under the same idempotency key. Returns when the journal is
  /// read; it waits for the store only where an earlier run left a person's answer open. At start-up, after each sign-in, and when a person
  /// asks for it.
  /// - Throws: `SQLiteError`.
  public func resume() async throws {
    observe()
    let generation = generation
    let unfinished = try await unfinished()
    await loadTime()
    try await loadReceipts(generation)
    if generation == self.generation { for transaction in unfinished { goOn(with: transaction) } }
    // Only its own path closes a transaction: the other may run in this process, and the person may be about to agree.
    for transaction in unfinished
    where transaction.step == .begun && transaction.purchasePath == purchasePath.name && !begunHere.contains(transaction.id) {
      goOn(with: try await closedOrAuthorized(transaction))
    }
  }

  /// Continues a purchase that was begun in an earlier run, if the person has agreed since, and closes it otherwise.
  private func closedOrAuthorized(_ begun: Transaction) async throws -> Transaction {
    var transaction = begun
    if begun.user == user, let token = await authorizationMeanwhile(of: begun) {
      (transaction.step, transaction.token) = (.authorized, token)
      try await record(transaction)
      return transaction
    }
    transaction.step = .abandoned
    try await record(transaction)
    if begun.user == user {
      notices.post(
        PurchaseNotice(
          transaction: begun.id, productID: begun.productID, event: .failed,
          sentence: "The app ended while this was being paid. Nothing was charged; begin again to buy it."))
    }
    return transaction
  }

  private func authorizationMeanwhile(of transaction: Transaction) async -> PaymentToken? {
    let answer = try? await environment.effects.run("purchase.meanwhile") { [queue = purchasePath.queue] in
      await queue.authorizationMeanwhile(of: transaction)
    }
    return answer ?? nil
  }

  /// See ``PurchaseLayer/networkIsBack()``.
  public func networkIsBack() {
    for submission in submissions.values { submission.pause.networkIsBack() }
    judgingPause?.networkIsBack()
  }

  private func unfinished() async throws -> [Transaction] {
    try await environment.effects.run("purchase.unfinished") { [journal, seller] in try await journal.unfinished(seller: seller) }
  }

  /// Submits the unfinished transactions of the journal that belong to the user and to this path.
  private func goOn(with transaction: Transaction) { if canGoOn(with: transaction) { submit(transaction) } }

  /// Whether it is the user's and this path's to finish, and not over.
  func canGoOn(with transaction: Transaction) -> Bool {
    transaction.user == user && transaction.purchasePath == purchasePath.name && transaction.step.isUnderWay
      && !finishedHere.contains(transaction.id)
  }

  /// Listens to the store, from the first ``resume()`` on.
  private func observe() {
    guard observer == nil else { return }
    let updates = purchasePath.queue.observe()
    observer = Task { [weak self] in
      for await update in updates { await self?.received(update) }
    }
  }

  private func received(_ update: QueueUpdate) async {
    environment.effects.deliver("purchase.update")
    switch update {
    case .transaction(let id):
      // A step that fails here is repeated at the next start.
      guard let transaction = try? await unfinished().first(where: { $0.id == id }) else { return }
      goOn(with: transaction)
    case .receipts: _ = try? await restore()
    case .revoked(let id, let reason): await revoked(id, reason)
    }
  }

  // MARK: Products

  /// See ``PurchaseLayer/products(_:refetch:)``.
  /// - Throws: ``StoreError``.
  public func products(_ ids: [Product.ID], refetch: Bool) async throws(StoreError) -> ProductList {
    if refetch { productCache.expire(ids) }
    while true {
      let key = productCacheKey
      do throws(StoreError) {
        let list = try await productCache.products(ids, for: key)
        if key == productCacheKey { return list }
      } catch { if key == productCacheKey { throw error } }
      // The user, the currency or the language has changed meanwhile: the answer is for the old one.
    }
  }

  /// See ``PurchaseLayer/product(of:)``.
  public func product(of transaction: Transaction) async -> Product? { try? await products([transaction.productID]).products.first }

  private var productCacheKey: ProductCache.Key { ProductCache.Key(user: user, storefront: storefront) }

  // MARK: Purchasing

  /// Whether this person may buy on this device at all.
  public var canMakePayments: Bool { purchasePath.queue.canMakePayments }

  /// See ``PurchaseLayer/purchase(_:authorizer:onProgress:)``.
  public func purchase(
    _ product: Product, authorizer: any PaymentAuthorizer, onProgress: @escaping @MainActor (PurchaseProgress) -> Void
  ) async -> Outcome {
    guard let user else { return .failed(.notSignedIn) }
    guard purchasePath.queue.canMakePayments else { return .failed(.notAllowed) }
    let claim = Claim(user: user, productID: product.id)
    guard attempts[claim] == nil, !isPaying(claim) else { return .failed(.inProgress) }
    guard !product.kind.isOwned || !owns(product.id) else { return .failed(.alreadyOwned) }
    let attempt = Attempt(user: user, onProgress: onProgress)
    attempts[claim] = attempt
    let task = Task {
      let outcome = await self.run(attempt, of: product, authorizer: authorizer, onProgress: onProgress)
      self.attempts[claim] = nil
      return outcome
    }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      Task { @MainActor in
        attempt.cancel()
        // The claim is another attempt's, if this one has ended meanwhile.
        if self.attempts[claim] === attempt { self.submission(claim)?.leave() }
      }
    }
  }

  /// See ``PurchaseLayer/finish()``.
  public func finish() async {
    let attempts = attempts.values
    for attempt in attempts { attempt.cancel() }
    for attempt in attempts { await attempt.authorizerEnded() }
  }

  /// Whether a purchase of this product is being paid or confirmed for the user who is signed in.
  public func isUnderWay(_ productID: Product.ID) -> Bool {
    guard let user else { return false }
    let claim = Claim(user: user, productID: productID)
    return attempts[claim] != nil || isPaying(claim)
  }

  private func isPaying(_ claim: Claim) -> Bool { submission(claim) != nil }

  private func submission(_ claim: Claim) -> Submission<Purchasable>? {
    submissions.values.first { !$0.hasFailed && $0.transaction.user == claim.user && $0.transaction.productID == claim.productID }
  }

  private func run(
    _ attempt: Attempt, of product: Product, authorizer: any PaymentAuthorizer, onProgress: @escaping @MainActor (PurchaseProgress) -> Void
  ) async -> Outcome {
    var transaction = Transaction(
      id: environment.identifiers.next(), seller: seller, user: attempt.user, productID: product.id, isOneTime: product.kind.isOneTime,
      price: product.firstPayment, purchasePath: purchasePath.name, begun: environment.clock.now)
    begunHere.insert(transaction.id)
    do {
      let other = try await environment.effects.run("purchase.begin") { [journal, transaction] in try await journal.begin(transaction) }
      if let other {
        // Paid in an earlier run and not confirmed: another attempt to buy it is a good moment to ask the store again.
        goOn(with: other)
        return .failed(.inProgress)
      }
    } catch { return finished(transaction, .failed(.storage("\(error)"))) }
    historyChanged()
    onEvent?(transaction, .started)
    attempt.report(.begun)

    attempt.report(.waitingForAuthorization)
    let facts = await attempt.authorize(
      OrderSummary(id: transaction.id, product: product, total: product.firstPayment), authorizer, environment)
    switch AuthorizationState.from(started: facts.started, tokenError: facts.tokenError, hasToken: facts.token != nil) {
    case .notAuthorized, .authorizing:
      transaction.step = .cancelled
      // A row that could not be closed is closed as abandoned at the next start.
      try? await record(transaction)
      return finished(transaction, .cancelled)
    case .failed(let sentence):
      transaction.step = .failed
      transaction.failure = PurchaseError.authorization(sentence).code
      transaction.sentence = sentence
      try? await record(transaction)
      return finished(transaction, .failed(.authorization(sentence)))
    case .authorized:
      transaction.step = .authorized
      transaction.token = facts.token
      do { try await record(transaction) } catch { return finished(transaction, .failed(.storage("\(error)"))) }
      onEvent?(transaction, .authorized)
    }
    let submission = submit(transaction, onProgress)
    if attempt.isLeft { submission.leave() }
    let outcome = await submission.firstAnswer()
    if case .pending(let reason) = outcome { onEvent?(transaction, .pending(reason)) }
    return outcome
  }

  /// Reports the end of a purchase; no other place does.
  @discardableResult func finished(_ transaction: Transaction, _ outcome: Outcome) -> Outcome {
    // Such as after a change of the price: the next sheet shows what the store sells now.
    if case .failed(.refused) = outcome { productCache.expire([transaction.productID]) }
    onEvent?(transaction, .ended(outcome))
    return outcome
  }

  /// Submits a transaction unless it is being submitted already.
  @discardableResult
  func submit(_ transaction: Transaction, _ onProgress: (@MainActor (PurchaseProgress) -> Void)? = nil) -> Submission<Purchasable> {
    if let running = submissions[transaction.id] {
      running.pause.wake()
      return running
    }
    let submission = Submission<Purchasable>(transaction)
    submission.onProgress = onProgress
    submissions[transaction.id] = submission
    Task {
      await self.drive(submission)
      self.submissions[transaction.id] = nil
      if submission.transaction.step.isFinished { self.finishedHere.insert(transaction.id) }
      submission.tried()
    }
    return submission
  }

  /// Writes a step down.
  func record(_ transaction: Transaction) async throws {
    try await environment.effects.run("purchase.journal") { [journal] in try await journal.record(transaction) }
    historyChanged()
  }

  // MARK: History

  /// See ``PurchaseLayer/history()``.
  /// - Throws: `SQLiteError`.
  public func history() async throws -> [Transaction] {
    guard let user else { return [] }
    let generation = generation
    let written = try await written(for: user)
    guard generation == self.generation else { return [] }
    let writtenIDs = Set(written.map(\.id))
    // Two of one moment always come in the same order.
    let restored = receipts.values.filter { !writtenIDs.contains($0.transaction) }.sorted { $0.transaction < $1.transaction }
    return (written + restored.map { Transaction(seller: seller, purchasePath: purchasePath.name, restored: $0) }).sorted {
      $0.begun > $1.begun
    }
  }

  /// See ``PurchaseLayer/observeHistory(_:)``.
  public func observeHistory(_ observer: @escaping @MainActor () -> Void) -> Observation { written.observe { _ in observer() } }

  /// See ``PurchaseLayer/historyStream()``.
  public func historyStream() -> AsyncStream<Void> {
    .ticks(of: written.stream())
  }

  /// Makes the observers of the history read it again.
  func historyChanged() { written.value += 1 }

  /// See ``PurchaseLayer/check(_:)``.
  public func check(_ id: Transaction.ID) async {
    // What cannot be read now is looked at again at the next start.
    guard let user, let transaction = try? await written(for: user).first(where: { $0.id == id }) else { return }
    if canGoOn(with: transaction) {
      await submit(transaction).nextTry()
    } else if transaction.isRejected, transaction.purchasePath == purchasePath.name, user == self.user {
      await recheck(transaction)
    }
  }

  /// See ``PurchaseLayer/cancel(_:)``.
  /// - Throws: ``StoreError``.
  public func cancel(_ id: Transaction.ID) async throws(StoreError) {
    guard let user else { throw StoreError(.unauthorized, code: "not_signed_in", sentence: "Sign in to cancel this payment.") }
    do {
      try await environment.effects.run("purchase.cancel") { [queue = purchasePath.queue] in try await queue.cancel(id, user: user) }
    } catch {
      // The answer may be lost, and not the request.
      await check(id)
      throw StoreError(error)
    }
    await check(id)
  }

  func written(for user: String) async throws -> [Transaction] {
    try await environment.effects.run("purchase.history") { [journal, seller] in try await journal.purchases(seller: seller, user: user) }
  }
}
