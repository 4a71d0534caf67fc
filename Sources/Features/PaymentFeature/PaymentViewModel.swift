import FeatureKit
import Foundation
import PublicationCommerce
import PurchaseService
import Runtime

/// The payment sheet of one product. Isolated to the main actor.
///
/// Once the reader agreed to pay, the purchase continues without the sheet.
@MainActor public final class PaymentViewModel: Refreshable, Closable, AsksBeforeLeaving {
  /// What the coordinator does next.
  public enum Output: Equatable, Sendable {
    /// The product was bought and is unlocked; reported once.
    case finished(Product.ID)
    /// The reader left without paying, or before the payment was confirmed.
    case cancelled
    /// A sentence for the reader after the purchase: thanks, what they bought, and the order's number. Reported once, after
    /// ``finished(_:)``.
    case thanks(String)
    /// The reader wants to see the page on which their bank asks them to confirm.
    case openWeb(String)
  }

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// The reader pressed "Try again" where nothing could be loaded.
    case retryTapped
    /// The reader wants to know how things stand now.
    case refreshTapped
    /// The reader chose a way to pay.
    case methodChosen(State.Method.ID)
    /// The reader pressed "Pay". A second press while that is under way does nothing.
    case payTapped
    /// The reader pressed "Open the page again": the browser was closed, or did not open.
    case openAgainTapped
    /// The reader pressed the button that opens the bank's page.
    case confirmTapped
    /// The reader pressed "Cancel payment", where their bank asks them to confirm. A second press while that is under way does nothing.
    case cancelPaymentTapped
    /// The reader pressed "Cancel", or "Close". Once they have agreed to pay there is nothing to cancel: the payment continues, and its
    /// result is shown to the reader on any page.
    case cancelTapped
  }

  /// What the screen shows.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let productID: Product.ID
  private let purchases: PublicationPurchases
  private let methods: [PaymentMethod]
  private let formatting: Formatting
  private let orderNumber: @Sendable (UUID) async -> String?
  private let output: @MainActor (Output) -> Void
  private var product: Product?
  private var isLoading = false
  private var failure: String?
  private var attempt = PaymentAttempt()
  /// The purchase that was charged without giving access, and its number.
  private var paidWithoutAccess: UUID?
  private var number: String?
  private var paying: Task<Void, Never>?
  /// Whether the reader has opened their bank's page from here.
  private var isConfirming = false
  private var confirming: Task<Void, Never>?
  /// Runs for a moment after a payment was answered or is to be cancelled, while presses of "Pay" and of "Cancel payment" do nothing.
  private var resting: Task<Void, Never>?
  private var isCancelling = false
  /// Why the payment could not be cancelled.
  private var cancelFailure: String?
  private var isGone = false
  private var isLeaving = false
  private var isFinished = false
  private var observations: [Observation] = []
  private lazy var reading = CoalescedTask { [weak self] in await self?.historyChanged() }
  private var checkTask: Task<Void, Never>?

  /// - Parameters:
  ///   - productID: what is paid for.
  ///   - purchases: who sells it.
  ///   - methods: the ways to pay, the first of which is chosen.
  ///   - formatting: how prices and dates are written, and what today is.
  ///   - badge: what is special about the store; `nil` for nothing.
  ///   - orderNumber: asks the publication for the number of an order; `nil` without an answer.
  ///   - output: called with what comes next.
  public init(
    _ productID: Product.ID, purchases: PublicationPurchases, methods: [PaymentMethod], formatting: Formatting, badge: String? = nil,
    orderNumber: @escaping @Sendable (UUID) async -> String? = { _ in nil }, output: @escaping @MainActor (Output) -> Void
  ) {
    self.productID = productID
    self.purchases = purchases
    self.methods = methods
    self.formatting = formatting
    self.orderNumber = orderNumber
    self.output = output
    state.methods = methods.map { State.Method(id: $0.id, name: $0.name, detail: $0.detail) }
    state.selectedMethod = methods.first?.id
    state.badge = badge
  }

  isolated deinit {
    checkTask?.cancel()
    confirming?.cancel()
    resting?.cancel()
  }

  // MARK: Inputs

  /// The sheet is visible: fetches the product, and follows the reader's purchases from here on.
  public func appear() {
    isGone = false
    if observations.isEmpty {
      observations = [
        purchases.observeEntitlements { [weak self] _ in self?.show() }, purchases.observeHistory { [weak self] in self?.reading.run() },
      ]
      checkPending()
    }
    reload()
    if attempt.standing == .bought { finish() }
  }

  /// The sheet is covered, such as by the question whether to leave it: work under way continues.
  public func disappear() {
    observations = []
    reading.cancel()
    checkTask?.cancel()
  }

  /// See `AsksBeforeLeaving`.
  public var lossOnLeaving: String? {
    attempt.standing == .asking && state.canOpenAgain ? "You are paying in the browser. If you leave, that is called off." : nil
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .retryTapped: retryTapped()
    case .refreshTapped: refreshTapped()
    case .methodChosen(let id): methodChosen(id)
    case .payTapped: payTapped()
    case .openAgainTapped: openAgainTapped()
    case .confirmTapped: confirmTapped()
    case .cancelPaymentTapped: cancelPaymentTapped()
    case .cancelTapped: cancelTapped()
    }
  }
  /// See `Refreshable`.
  public func refresh() { send(.refreshTapped) }

  private func retryTapped() { reload() }

  private func refreshTapped() {
    checkPending()
    reload()
  }

  private func methodChosen(_ id: State.Method.ID) {
    guard !attempt.isRunning, id != state.selectedMethod, methods.contains(where: { $0.id == id }) else { return }
    // What went wrong did so with the other one.
    if attempt.hasFailed { attempt = PaymentAttempt() }
    resting?.cancel()
    resting = nil
    state.selectedMethod = id
    show()
  }

  private func payTapped() {
    guard state.canPay, resting == nil, let product, let method else { return }
    attempt = PaymentAttempt(asking: method.question)
    // The page that was opened was that of an earlier try.
    (isLeaving, isConfirming, cancelFailure) = (false, false, nil)
    show()
    paying = Task { [weak self, purchases] in
      let result = await purchases.purchase(product, authorizer: method.authorizer) { self?.reached($0) }
      let history = result.isInTheJournal ? try? await purchases.history(of: product.id) : nil
      self?.ended(result, history)
    }
  }

  private func openAgainTapped() {
    if state.canOpenAgain { method?.openAgain?() }
  }

  private func confirmTapped() {
    guard let page = state.status?.page else { return }
    output(.openWeb(page))
    (isConfirming, cancelFailure) = (true, nil)
    show()
    confirming?.cancel()
    confirming = Task { [weak self, purchases, productID, clock = formatting.clock] in
      while (try? await clock.sleep(for: Self.confirmationPace)) != nil, self?.isAwaitingConfirmation == true {
        let waiting = try? await purchases.history(of: productID).first { $0.step.isUnderWay }
        if let waiting, !Task.isCancelled { await purchases.check(waiting.id) }
      }
    }
  }

  private func cancelPaymentTapped() {
    guard state.offersCancelling, !isCancelling, resting == nil else { return }
    (isCancelling, cancelFailure) = (true, nil)
    rest()
    show()
    Task { [weak self, purchases, productID] in
      do throws(StoreError) {
        let waiting = try? await purchases.history(of: productID).first { $0.step.isUnderWay }
        if let waiting { try await purchases.cancel(waiting.id) }
      } catch { self?.cancelFailure = error.whileCancelling }
      self?.isCancelling = false
      self?.show()
    }
  }

  private func cancelTapped() {
    guard attempt.standing == .asking else {
      paying?.cancel()
      leave()
      return
    }
    // The sheet closes once the purchase confirms that it was cancelled: the reader may have agreed in this very moment.
    isLeaving = true
    paying?.cancel()
  }

  /// The sheet was closed by other means. Before the reader agreed this is a cancellation; afterwards nothing is lost, and the result
  /// stays.
  public func closed() {
    isGone = true
    disappear()
    confirming?.cancel()
    // The sheet no longer awaits the outcome: before the reader agreed that cancels the purchase, and afterwards the app reports it
    // elsewhere.
    if attempt.isRunning {
      paying?.cancel()
    } else {
      attempt.left()
      show()
    }
  }

  /// The interval between checks while the reader is at their bank: the same as for a payment page.
  static let confirmationPace = Duration.seconds(2)

  /// Whether what the reader opened the bank's page for is still open.
  private var isAwaitingConfirmation: Bool { isConfirming && waitsForReader }

  private var waitsForReader: Bool { if case .waiting(.interrupted) = attempt.standing { true } else { false } }

  private var method: PaymentMethod? { methods.first { $0.id == state.selectedMethod } }

  // MARK: Loading

  /// Asks at once, and again as long as the sheet is on screen.
  private func checkPending() {
    checkTask?.cancel()
    checkTask = Task { [purchases] in await purchases.watchPending() }
  }

  private func reload() {
    guard product == nil, !isLoading else { return }
    isLoading = true
    failure = nil
    show()
    Task { [weak self, purchases, productID] in
      do throws(StoreError) {
        let products = try await purchases.products([productID]).products
        // The sheet says at once when the product was paid in an earlier run, and not confirmed or without giving access.
        let history = try? await purchases.history(of: productID)
        self?.loaded(products.first, PurchaseError.unknownProduct("This is not sold any more.").sentence, history)
      } catch {
        self?.loaded(nil, error.sentence)
      }
    }
  }

  private func loaded(_ product: Product?, _ failure: String, _ history: [Transaction]? = nil) {
    isLoading = false
    self.product = product
    self.failure = product == nil ? failure : nil
    // Nothing to pay again.
    if purchases.isUnderWay(productID), !attempt.isRunning {
      attempt.ended(.pending(reasonToWait(history)))
    }
    findPaidWithoutAccess(history)
    show()
    observeOpenPurchase()
  }

  // MARK: The purchase

  private func reached(_ progress: PurchaseProgress) {
    attempt.reached(progress)
    show()
  }

  private func ended(_ result: PurchaseOutcome<PurchasableProduct>, _ history: [Transaction]?) {
    attempt.ended(result, waitingFor: reasonToWait(history))
    findPaidWithoutAccess(history)
    paying = nil
    if attempt.hasFailed || waitsForReader { rest() }
    show()
    observeOpenPurchase()
    switch result {
    case .purchased: finish()
    case .cancelled where isLeaving: leave()
    case .failed(.refused): renewProduct()
    case .cancelled, .failed, .pending: break
    }
    isLeaving = false
  }

  /// The store refuses what it does not sell like this any more, such as for this price: the sheet shows what it sells now.
  private func renewProduct() {
    Task { [weak self, purchases, productID] in
      let renewed = try? await purchases.products([productID]).products.first
      guard let self, let renewed, !attempt.isRunning else { return }
      product = renewed
      show()
    }
  }

  /// Who pressed several times to pay once, or to cancel once, did not mean "Try again" or "Cancel payment", which come to stand there.
  private func rest() {
    resting?.cancel()
    resting = Task { [weak self, clock = formatting.clock] in
      guard (try? await clock.sleep(for: Self.impatience)) != nil else { return }
      self?.resting = nil
      self?.show()
    }
  }

  /// For how long an impatient person goes on pressing.
  static let impatience = Duration.milliseconds(1500)

  /// Follows a purchase that waits, or was charged without giving access, since it has not ended.
  private func observeOpenPurchase() {
    let isWaiting = if case .waiting = attempt.standing { true } else { false }
    guard isWaiting || attempt.isPaidWithoutAccess else { return }
    Task { [weak self] in await self?.historyChanged() }
  }

  /// What a payment waits for, and how it ends, is in the journal: it may take days, and another run of the app.
  private func historyChanged() async {
    guard !attempt.isRunning, let product else { return }
    let standing = attempt.standing
    // What cannot be read changes nothing.
    guard let history = try? await purchases.history(of: productID), standing == attempt.standing else { return }
    if case .waiting = standing, let last = history.first { observed(last, product) }
    findPaidWithoutAccess(history)
    show()
    if attempt.standing == .bought { finish() }
    if attempt.isPaidWithoutAccess { await loadOrderNumber() }
  }

  private func observed(_ last: Transaction, _ product: Product) {
    switch last.state {
    case .purchased: attempt.ended(.purchased(PurchasableProduct(product)))
    case .failed:
      // A reader who left before agreeing left no failure behind.
      let failure = last.failure.map { PurchaseError(code: $0, sentence: last.sentence ?? "The payment failed.") }
      attempt.ended(failure.map { .failed($0) } ?? .cancelled)
    case .deferred, .interrupted: if let reason = last.pendingReason { attempt.ended(.pending(reason)) }
    case .purchasing, .restored, .revoked: break
    }
  }

  /// What a payment that is under way waits for.
  private func reasonToWait(_ history: [Transaction]?) -> PendingReason {
    history?.first { $0.step.isUnderWay }?.pendingReason ?? .storeUnavailable
  }

  /// A product that was charged, and whose receipt the publication refused, is not sold again until that is settled by a refund or a valid
  /// receipt.
  private func findPaidWithoutAccess(_ history: [Transaction]?) {
    guard attempt.standing == .untouched || attempt.isPaidWithoutAccess, let product, let history else { return }
    if !purchases.covers(product), let last = history.first(where: \.isPaidWithoutAccess) {
      if paidWithoutAccess != last.id { (paidWithoutAccess, number) = (last.id, nil) }
      attempt.ended(.failed(.refused(code: PurchaseError.receiptRejected, sentence: last.sentence ?? "")))
    } else if attempt.isPaidWithoutAccess, paidWithoutAccess != nil {
      (attempt, paidWithoutAccess, number) = (PaymentAttempt(), nil, nil)
    }
  }

  /// People read out the publication's own number.
  private func loadOrderNumber() async {
    guard number == nil, let id = paidWithoutAccess else { return }
    number = await orderNumber(id)
    show()
  }

  /// A closed sheet reports nothing: the purchase arrives everywhere as an entitlement.
  private func finish() {
    guard !isGone, !isFinished else { return }
    isFinished = true
    output(.finished(productID))
    // The sheet closes, and this continues without it.
    Task { [purchases, productID, name = product?.name, orderNumber, formatting, output] in
      guard let name else { return }
      // The journal may be unreadable, although the reader has paid.
      let bought = try? await purchases.history(of: productID).first { $0.state == .purchased }
      var order = ""
      if let bought, let number = await orderNumber(bought.id) { order = " Order \(number)." }
      let price = bought?.price.map { $0.minorUnits == 0 ? " for free" : " for \($0.formatted(locale: formatting.locale))" } ?? ""
      output(.thanks("Thank you! You have bought “\(name)”\(price).\(order)"))
    }
  }

  private func leave() {
    attempt.left()
    show()
    output(.cancelled)
  }

  // MARK: Showing

  private func show() {
    var new = state
    new.phase = phase
    if let product {
      let total = product.firstPayment.formatted(locale: formatting.locale)
      new.lines = [State.Line(name: product.name, detail: product.detail, price: product.priceText(formatting.locale))]
      new.total = total
      new.tax = product.taxText(formatting.locale)
      new.terms = product.terms(from: formatting.clock.now, formatting)
      let isFree = product.offer?.isFree == true
      new.payTitle = attempt.hasFailed ? "Try again · \(isFree ? "free" : total)" : isFree ? "Start for free" : "Pay \(total)"
    }
    new.status = status
    new.canPay = new.phase == .ready && attempt.canStart && !methods.isEmpty
    new.canCancel = attempt.canCancel
    new.isRetrying = attempt.isRetrying
    new.isResting = resting != nil
    new.canOpenAgain = attempt.standing == .asking && method?.openAgain != nil
    state = new
  }

  private var status: State.Status? {
    if attempt.isPaidWithoutAccess { return .problem(paidWithoutAccessText) }
    guard case .confirm(let sentence, let page) = attempt.status else { return attempt.status }
    if isCancelling { return .working("Cancelling the payment…") }
    if let cancelFailure { return .confirm(cancelFailure, page: page) }
    return isConfirming ? .confirming("Waiting for your bank… Nothing was charged yet.", page: page) : .confirm(sentence, page: page)
  }

  private var paidWithoutAccessText: String {
    let order = number.map { "Order \($0)" } ?? "It"
    return "You have paid for this, and the publication refused the receipt. \(order) is being looked at: you are not charged again, and "
      + "Account → Purchases says what becomes of it."
  }

  private var phase: State.Phase {
    if let failure { return .failed(failure) }
    guard let product else { return .loading }
    // Not while, or after, it is bought here: the sheet then says so by its status.
    let isYours = attempt.standing == .untouched && purchases.covers(product)
    return isYours ? .alreadyYours("“\(product.name)” is yours already. There is nothing to pay.") : .ready
  }
}

extension PurchaseLayer<PurchasableProduct> {
  /// The journal's purchases of this product, newest first: there is no other record of earlier runs.
  fileprivate func history(of productID: Product.ID) async throws -> [Transaction] {
    try await history().filter { $0.productID == productID }
  }
}

extension StoreError {
  /// What to say where a payment could not be cancelled.
  fileprivate var whileCancelling: String {
    switch kind {
    case .unavailable, .busy: "It is not known yet whether the payment is cancelled. \(sentence)"
    case .unauthorized, .refused: "The payment is not cancelled. \(sentence)"
    }
  }
}

extension PurchaseOutcome {
  /// Whether the journal says more about it than the store did.
  fileprivate var isInTheJournal: Bool {
    switch self {
    case .failed(.inProgress), .failed(.refused(PurchaseError.receiptRejected, _)): true
    case .purchased, .cancelled, .failed, .pending: false
    }
  }
}
