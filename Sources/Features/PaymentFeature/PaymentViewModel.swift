import Foundation
import PublicationClient
import PurchaseService

/// The payment sheet of one product. Isolated to the main actor.
///
/// Once the reader agreed to pay, the purchase goes on whatever becomes of the sheet.
@MainActor public final class PaymentViewModel {
  /// What the coordinator does next.
  public enum Output: Equatable, Sendable {
    /// The product was bought and is unlocked; told once.
    case finished(Product.ID)
    /// The reader left without paying, or before the payment was confirmed.
    case cancelled
    /// The reader wants to see the page on which their bank asks them to confirm.
    case openWeb(String)
  }

  /// What the screen shows.
  public private(set) var state = State() {
    didSet { if state != oldValue { onChange?(state) } }
  }
  /// Called once when it is set, then on each change.
  public var onChange: ((State) -> Void)? {
    didSet { onChange?(state) }
  }

  private let productID: Product.ID
  private let purchases: PublicationPurchases
  private let methods: [PaymentMethod]
  private let formatting: Formatting
  private let output: @MainActor (Output) -> Void
  private var product: Product?
  private var isLoading = false
  private var failure: String?
  private var attempt = PaymentAttempt()
  private var paying: Task<Void, Never>?
  private var isGone = false
  private var isLeaving = false
  private var isFinished = false
  private var watching: [Task<Void, Never>] = []

  /// - Parameters:
  ///   - productID: what is paid for.
  ///   - purchases: who sells it.
  ///   - methods: the ways to pay, the first of which is chosen.
  ///   - formatting: how prices and dates are written, and what today is.
  ///   - badge: what is special about the store; `nil` for nothing.
  ///   - output: told what comes next.
  public init(
    _ productID: Product.ID, purchases: PublicationPurchases, methods: [PaymentMethod], formatting: Formatting, badge: String? = nil,
    output: @escaping @MainActor (Output) -> Void
  ) {
    self.productID = productID
    self.purchases = purchases
    self.methods = methods
    self.formatting = formatting
    self.output = output
    state.methods = methods.map { State.Method(id: $0.id, name: $0.name, detail: $0.detail) }
    state.selectedMethod = methods.first?.id
    state.badge = badge
  }

  isolated deinit { for task in watching { task.cancel() } }

  // MARK: Inputs

  /// The sheet came up: what is paid for is fetched, and what the reader has is followed from here on.
  public func appear() {
    isGone = false
    if watching.isEmpty {
      let (entitlements, history) = (purchases.entitlementStream(), purchases.historyStream())
      watching = [
        // A stream still gives what it held when its reader was cancelled.
        Task { [weak self] in
          for await _ in entitlements where !Task.isCancelled { self?.show() }
        },
        Task { [weak self] in
          for await _ in history where !Task.isCancelled { await self?.follow() }
        },
      ]
    }
    reload()
    if attempt.standing == .bought { finish() }
  }

  /// The sheet is not on screen any more: as ``dismissed()``.
  public func disappear() { dismissed() }

  /// The reader pressed "Try again" where nothing could be loaded.
  public func retryTapped() { reload() }

  /// The reader chose a way to pay.
  public func methodChosen(_ id: State.Method.ID) {
    guard !attempt.isRunning, methods.contains(where: { $0.id == id }) else { return }
    state.selectedMethod = id
  }

  /// The reader pressed "Pay". A second press while that is under way does nothing.
  public func payTapped() {
    guard state.canPay, let product, let method else { return }
    attempt = PaymentAttempt(asking: method.question)
    isLeaving = false
    show()
    paying = Task { [weak self, purchases] in
      let result = await purchases.purchase(product, authorizer: method.authorizer) { self?.reached($0) }
      let reason = result == .failed(.inProgress) ? await purchases.reasonToWait(for: product.id) : nil
      self?.ended(result, waitingFor: reason)
    }
  }

  /// The reader pressed "Open the page again": the browser was closed, or never came up.
  public func openAgainTapped() {
    if state.canOpenAgain { method?.openAgain?() }
  }

  /// The reader pressed the button that opens the bank's page.
  public func confirmTapped() {
    if case .confirm(_, let page?) = state.status { output(.openWeb(page)) }
  }

  /// The reader pressed "Cancel". Once they have agreed to pay there is nothing to cancel.
  public func cancelTapped() {
    guard state.canCancel else { return }
    guard attempt.isRunning else {
      leave()
      return
    }
    // Left for good once the purchase says that it was cancelled: the reader may have agreed in this very moment.
    isLeaving = true
    paying?.cancel()
  }

  /// The sheet was closed by other means. Before the reader agreed this is a cancellation; afterwards nothing is lost, and what came of
  /// it stays.
  public func dismissed() {
    isGone = true
    for task in watching { task.cancel() }
    watching = []
    if attempt.standing == .asking {
      paying?.cancel()
    } else if !attempt.isRunning {
      attempt.left()
      show()
    }
  }

  private var method: PaymentMethod? { methods.first { $0.id == state.selectedMethod } }

  // MARK: Loading

  private func reload() {
    guard product == nil, !isLoading else { return }
    isLoading = true
    failure = nil
    show()
    Task { [weak self, purchases, productID] in
      do throws(StoreFailure) {
        let products = try await purchases.products([productID]).products
        // Paid in an earlier run, and not confirmed: what it waits for is said at once.
        let reason = await purchases.reasonToWait(for: productID)
        self?.loaded(products.first, PurchaseFailure.unknownProduct("This is not sold any more.").sentence, waitingFor: reason)
      } catch {
        self?.loaded(nil, error.sentence)
      }
    }
  }

  private func loaded(_ product: Product?, _ failure: String, waitingFor reason: PendingReason? = nil) {
    isLoading = false
    self.product = product
    self.failure = product == nil ? failure : nil
    // Nothing to pay again.
    if purchases.isUnderWay(productID), !attempt.isRunning {
      attempt.ended(.pending(reason ?? .storeUnavailable))
      Task { [weak self] in await self?.follow() }
    }
    show()
  }

  // MARK: The purchase

  private func reached(_ stage: PurchaseStage) {
    attempt.reached(stage)
    show()
  }

  private func ended(_ result: PurchaseOutcome<PurchasableProduct>, waitingFor reason: PendingReason?) {
    attempt.ended(result, waitingFor: reason ?? .storeUnavailable)
    paying = nil
    show()
    if case .waiting = attempt.standing { Task { [weak self] in await self?.follow() } }
    switch result {
    case .purchased: finish()
    case .cancelled where isLeaving: leave()
    case .cancelled, .failed, .pending: break
    }
    isLeaving = false
  }

  /// What a payment waits for, and how it ends, is in the journal: it may take days, and another run of the app.
  private func follow() async {
    guard case .waiting(let reason) = attempt.standing, let product else { return }
    let last = try? await purchases.history().first { $0.productID == productID }
    guard attempt.standing == .waiting(reason), let last else { return }
    switch last.state {
    case .purchased:
      attempt.ended(.purchased(PurchasableProduct(product)))
      show()
      finish()
      return
    case .failed:
      // Whoever left it before agreeing left nothing behind.
      let failure = last.failure.map { PurchaseFailure(code: $0, sentence: last.sentence ?? "The payment failed.") }
      attempt.ended(failure.map { .failed($0) } ?? .cancelled)
    case .deferred, .interrupted: if let reason = last.pendingReason { attempt.ended(.pending(reason)) }
    case .purchasing, .restored, .revoked: break
    }
    show()
  }

  /// A sheet that is gone says nothing: what was bought arrives everywhere as an entitlement.
  private func finish() {
    guard !isGone, !isFinished else { return }
    isFinished = true
    output(.finished(productID))
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
      new.payTitle = attempt.hasFailed ? "Try again" : product.offer?.isFree == true ? "Start for free" : "Pay \(total)"
    }
    new.status = attempt.status
    new.canPay = new.phase == .ready && attempt.canStart && !methods.isEmpty
    new.canCancel = attempt.canLeave
    new.canOpenAgain = attempt.standing == .asking && method?.openAgain != nil
    state = new
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
  /// What a payment for this product that is under way waits for, from the journal: of an earlier run there is nothing else to ask.
  fileprivate func reasonToWait(for productID: Product.ID) async -> PendingReason? {
    try? await history().first { $0.productID == productID && $0.step.isUnderWay }?.pendingReason
  }
}
