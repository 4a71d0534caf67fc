import FeatureKit
import Foundation
import PublicationAPI
import PublicationCommerce
import PurchaseService
import Runtime

/// A paywall: the offers and their texts. Isolated to the main actor.
@MainActor public final class PaywallViewModel: Refreshable {
  /// What the coordinator does next.
  public enum Output: Equatable, Sendable {
    /// The reader wants to pay for this product.
    case buy(Product.ID)
    /// Open the page on which the reader's bank asks them to confirm a payment that waits for that.
    case openWeb(String)
    /// The reader does not.
    case close
    /// The reader sees what is offered; reported once.
    case shown
    /// A payment that was under way, and that the paywall showed, has ended well: there is nothing left to choose.
    case bought
  }

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// The reader pressed "Try again".
    case retryTapped
    /// The reader wants to know how things stand now.
    case refreshTapped
    /// The reader pressed a product's button.
    case buyTapped(Product.ID)
    /// The reader pressed the button that opens the bank's page.
    case confirmTapped
    /// The reader pressed "Close".
    case closeTapped
  }

  /// What the screen shows.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let paywallID: PaywallRecord.ID
  private let paywalls: PaywallCache
  private let purchases: PublicationPurchases
  private let formatting: Formatting
  private let damagedFile: String?
  private let passes: LastValue<Int?>?
  private let output: @MainActor (Output) -> Void
  private var answer: PaywallCache.Answer?
  private var products: [Product] = []
  private var passCount: Int?
  /// What was charged, and given nothing for: not sold again until that is settled.
  private var paidWithoutAccess: Set<Product.ID> = []
  /// What the payments that are under way wait for, where that is a bank or a person.
  private var waits: [Product.ID: PendingReason] = [:]
  /// The payments that were under way when the journal was read last.
  private var underWay: Set<PurchaseService.Transaction.ID> = []
  private var isLoading = false
  private var wasShown = false
  /// Whether the reader had nothing of what is offered when it was shown first.
  private var wasOffered = false
  private var wasBought = false
  private var observations: [Observation] = []
  private lazy var reading = CoalescedTask { [weak self] in await self?.read() }
  private var checkTask: Task<Void, Never>?

  /// - Parameters:
  ///   - paywallID: which paywall.
  ///   - paywalls: what the publication offers, or offered in its last answer.
  ///   - purchases: what the reader has, and what there is to buy.
  ///   - formatting: how prices and dates are written.
  ///   - badge: what is special about the store; `nil` for nothing.
  ///   - damagedFile: the file for which nothing can be bought; `nil` while all is well.
  ///   - passes: how many article passes the reader has, `nil` while that is not known.
  ///   - output: called with what comes next.
  public init(
    _ paywallID: PaywallRecord.ID, paywalls: PaywallCache, purchases: PublicationPurchases, formatting: Formatting, badge: String? = nil,
    damagedFile: String? = nil, passes: LastValue<Int?>? = nil,
    output: @escaping @MainActor (Output) -> Void
  ) {
    self.paywallID = paywallID
    self.paywalls = paywalls
    self.purchases = purchases
    self.formatting = formatting
    self.damagedFile = damagedFile
    self.passes = passes
    self.output = output
    state.badge = badge
  }

  isolated deinit { checkTask?.cancel() }

  // MARK: Inputs

  /// The screen is visible: follows the reader's purchases from here on, asks about payments that wait, and loads if it has not.
  public func appear() {
    if observations.isEmpty {
      observations = [
        purchases.observeEntitlements { [weak self] _ in self?.showOffers() },
        purchases.observeHistory { [weak self] in self?.reading.run() }, passes?.observe { [weak self] in self?.passesChanged(to: $0) },
      ].compactMap(\.self)
      checkPending()
    }
    if state.phase == .ready { renewProducts() } else { reload() }
  }

  /// The screen went away.
  public func disappear() {
    observations = []
    reading.cancel()
    checkTask?.cancel()
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .retryTapped: retryTapped()
    case .refreshTapped: refreshTapped()
    case .buyTapped(let id): buyTapped(id)
    case .confirmTapped: confirmTapped()
    case .closeTapped: closeTapped()
    }
  }
  /// See `Refreshable`.
  public func refresh() { send(.refreshTapped) }

  private func retryTapped() { if state.phase != .ready { reload() } }

  private func refreshTapped() {
    checkPending()
    reload(refetch: true)
  }

  private func buyTapped(_ id: Product.ID) {
    guard state.phase == .ready, state.products.contains(where: { $0.id == id && $0.canBuy }) else { return }
    state.selected = id
    output(.buy(id))
  }

  private func confirmTapped() {
    if let page = state.confirmPage { output(.openWeb(page)) }
  }

  private func closeTapped() { output(.close) }

  // MARK: Loading

  /// Asks at once, and again as long as the paywall is on screen.
  private func checkPending() {
    checkTask?.cancel()
    checkTask = Task { [purchases] in await purchases.watchPending() }
  }

  /// What is offered stays until there is an answer, and without one.
  private func reload(refetch: Bool = false) {
    guard !isLoading else { return }
    guard purchases.canMakePayments else {
      state.phase = .unavailable(damagedFile.map { .damaged(file: $0) } ?? .notAllowed)
      return
    }
    isLoading = true
    if state.phase != .ready { state.phase = .loading }
    Task { [weak self, paywalls, purchases, paywallID] in
      do throws(StoreError) {
        let answer = try await paywalls.paywall(paywallID)
        let list = try await purchases.products(answer.paywall.productIDs, refetch: refetch)
        self?.loaded(answer, list)
      } catch {
        self?.failed(error)
      }
    }
  }

  /// A payment was refused perhaps because the store sells something otherwise now. Without that there is no request.
  private func renewProducts() {
    showOffers()
    guard let answer else { return }
    Task { [weak self, purchases] in
      let list = try? await purchases.products(answer.paywall.productIDs)
      if let self, let list, list.products != products, !isLoading { loaded(answer, list) }
    }
  }

  private func loaded(_ answer: PaywallCache.Answer, _ list: ProductList) {
    isLoading = false
    self.answer = answer
    let paywall = answer.paywall
    products = list.products
    change {
      $0.title = paywall.title
      $0.text = paywall.text
      $0.benefits = paywall.benefits
      switch (products.isEmpty, list.unknown.isEmpty) {
      case (false, _): $0.phase = .ready
      case (true, true): $0.phase = .unavailable(.noProducts)
      case (true, false): $0.phase = .unavailable(.unknownProducts(list.unknown))
      }
      $0.warning = warning(list, fetchedAt: answer.fetchedAt)
      show(products, in: &$0)
    }
    if state.phase == .ready, !wasShown {
      wasShown = true
      wasOffered = !products.contains(where: purchases.covers)
      output(.shown)
    }
  }

  /// That something is of an earlier time; of prices rather than of words.
  private func warning(_ list: ProductList, fetchedAt: Date?) -> String? {
    if list.isStale { return "Prices may be out of date: the store does not answer. They are of \(formatting.moment(list.fetchedAt))." }
    return fetchedAt.map { "These offers may be out of date: the publication does not answer. They are of \(formatting.moment($0))." }
  }

  private func failed(_ failure: StoreError) {
    isLoading = false
    guard state.phase != .ready else { return }
    state.phase = .unavailable(.notFetched(code: failure.code, sentence: failure.sentence))
  }

  /// The payment sheet reports a journal that cannot be read.
  private func read() async {
    guard let history = try? await purchases.history() else { return }
    paidWithoutAccess = Set(history.filter(\.isPaidWithoutAccess).map(\.productID))
    let waiting = history.filter(\.step.isUnderWay)
    waits = Dictionary(grouping: waiting, by: \.productID).compactMapValues { $0.first?.pendingReason }
    let isBought = history.contains { underWay.contains($0.id) && $0.step == .finished && !$0.isRevoked }
    underWay = Set(waiting.map(\.id))
    showOffers()
    if isBought { bought() }
  }

  /// What is offered here was not the reader's, and is now. Off the screen, the sheet above it says so.
  private func bought() {
    guard !wasBought, !observations.isEmpty else { return }
    wasBought = true
    output(.bought)
  }

  private func passesChanged(to count: Int?) {
    passCount = count
    showOffers()
  }

  // MARK: Showing

  private func showOffers() {
    change { show(products, in: &$0) }
    if wasOffered, products.contains(where: purchases.covers) { bought() }
  }

  private func show(_ products: [Product], in state: inout State) {
    let monthly = products.first { $0.period == SubscriptionPeriod(months: 1) }
    let savings = products.map { product -> Int? in
      guard let period = product.period, let monthly, product.id != monthly.id else { return nil }
      return product.price.saving(of: period, against: monthly.price)
    }
    let best = savings.compactMap { $0 }.max().flatMap { most in savings.firstIndex(of: most) }
    state.products = products.enumerated().map { index, product in
      State.ProductRow(
        id: product.id, name: product.name, price: product.priceText(formatting.locale), pace: product.paceText(formatting.locale),
        note: product.detail,
        saving: savings[index].map { "Save \(percent($0))" }, isBest: index == best, canBuy: canBuy(product))
    }
    state.confirmPage = nil
    if products.contains(where: purchases.covers) {
      state.notice = "This is yours already: there is nothing left to pay for here."
    } else if products.contains(where: { purchases.isUnderWay($0.id) }) {
      let reasons = products.compactMap { purchases.isUnderWay($0.id) ? waits[$0.id] : nil }
      (state.notice, state.confirmPage) = Self.notice(waitingFor: reasons)
    } else if let product = products.first(where: { paidWithoutAccess.contains($0.id) }) {
      state.notice =
        "You have paid for “\(product.name)”, and the publication refused the receipt. That is being looked at, and it is not sold again "
        + "until then: Account → Purchases says what becomes of it."
    } else {
      state.notice = nil
    }
    let sellsPasses = products.contains { !$0.kind.isOwned }
    let left = sellsPasses ? passCount ?? 0 : 0
    state.balance = left > 0 ? "You have \(formatting.count(left, "article pass", "article passes"))." : nil
  }

  /// The notice about payments under way, and the page where the reader can act on them. Those that the reader can act on come first.
  private static func notice(waitingFor reasons: [PendingReason]) -> (notice: String, page: String?) {
    for case .interrupted(let sentence, let page) in reasons { return ("\(sentence) You can cancel it under Account → Purchases.", page) }
    for case .deferred(let sentence) in reasons { return ("\(sentence) It unlocks by itself.", nil) }
    return ("A payment is being confirmed. It unlocks by itself.", nil)
  }

  /// A product that gives the same as a purchase under way is not sold a second time; a reader who has everything needs no passes.
  private func canBuy(_ product: Product) -> Bool {
    !(product.kind.isOwned ? purchases.covers(product) : products.contains(where: purchases.covers))
      && !paidWithoutAccess.contains(product.id)
      && !products.contains {
        purchases.isUnderWay($0.id) && ($0.id == product.id || ($0.entitlement != nil && $0.entitlement == product.entitlement))
      }
  }

  private func percent(_ value: Int) -> String {
    (Double(value) / 100).formatted(.percent.precision(.fractionLength(0)).locale(formatting.locale))
  }

  /// Changes the state. Observers are called once, after the whole change.
  private func change(_ change: (inout State) -> Void) {
    var new = state
    change(&new)
    state = new
  }
}
