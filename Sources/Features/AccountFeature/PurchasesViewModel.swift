import FeatureKit
import Foundation
import PublicationAPI
import PublicationClient
import PublicationCommerce
import PurchaseService
import ReaderContent
import Runtime

/// Account → Purchases: the reader's purchases, their states, and what can be done about each. Isolated to the main actor.
@MainActor public final class PurchasesViewModel: Refreshable {
  /// What the coordinator does next.
  public enum Output: Equatable, Sendable {
    /// Open the page on which the reader's bank asks them to confirm.
    case openWeb(String)
    /// Show the reader the result of restoring, on any page.
    case restored(String)
    /// Show the reader that something they did was undone, and why.
    case undone(String)
  }

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// Loads everything again. A second press while that is under way does nothing.
    case refreshTapped
    /// The reader pressed "Check now". A second press while the store is being asked does nothing.
    case checkTapped(PurchaseRow.ID)
    /// The reader pressed the button that opens the bank's page.
    case confirmTapped(PurchaseRow.ID)
    /// The reader pressed "Cancel payment". A second press while the store is being asked does nothing.
    case cancelTapped(PurchaseRow.ID)
    /// Restores purchases from elsewhere. A second press while the store is being asked does nothing.
    case restoreTapped
  }

  /// What the screen shows.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let purchases: PublicationPurchases
  private let content: ContentStore
  private let publication: PublicationInfo?
  private let loadOrders: @Sendable () async throws -> [Order]
  private let passes: LastValue<Int?>
  private let effects: Effects
  private let formatting: Formatting
  private let output: @MainActor (Output) -> Void
  private var transactions: [Transaction]?
  private var failure: String?
  private var orders: [UUID: Order] = [:]
  /// Why the publication's records did not come; `nil` after an answer.
  private var ordersFailure: StoreError?
  private var products: [Product.ID: Product] = [:]
  /// Why names are missing that the publication was asked for; `nil` while none are.
  private var namesFailure: StoreError?
  private var passCount: Int?
  private var checking: Set<Transaction.ID> = []
  /// What came of the reader's last question about purchases that stand as they stood.
  private var answers: [Transaction.ID: (status: PurchaseRow.Status, words: String)] = [:]
  private var readings = 0
  /// The loads under way. One that the reader does not wait for shows nothing.
  private var loads: [Load] = [] { didSet { state.isRefreshing = loads.contains { $0 != .reached } } }
  private var observations: [Observation] = []
  private lazy var reading = CoalescedTask { [weak self] in await self?.read() }
  private var checkTask: Task<Void, Never>?

  /// Why everything is loaded.
  private enum Load {
    /// The page came on screen.
    case opened
    /// The reader wants it.
    case refreshed
    /// The publication is perhaps reachable again.
    case reached
  }

  /// - Parameters:
  ///   - marked: the purchase that a link named; `nil` for none.
  ///   - purchases: what the reader bought.
  ///   - content: says when the publication can be reached again.
  ///   - publication: says how a subscription is cancelled; `nil` while it is not known.
  ///   - orders: asks the publication for its own records; called off the main actor.
  ///   - passes: how many article passes the reader has, `nil` while that is not known.
  ///   - effects: the door off the main actor.
  ///   - formatting: how prices and dates are written.
  ///   - badge: what is special about the store; `nil` for nothing.
  ///   - output: called with what comes next.
  public init(
    marked: PurchaseRow.ID? = nil, purchases: PublicationPurchases, content: ContentStore, publication: PublicationInfo?,
    orders: @escaping @Sendable () async throws -> [Order], passes: LastValue<Int?>, effects: Effects,
    formatting: Formatting, badge: String? = nil, output: @escaping @MainActor (Output) -> Void
  ) {
    self.purchases = purchases
    self.content = content
    self.publication = publication
    loadOrders = orders
    self.passes = passes
    self.effects = effects
    self.formatting = formatting
    self.output = output
    state.marked = marked
    state.badge = badge
  }

  isolated deinit { checkTask?.cancel() }

  // MARK: Inputs

  /// The screen is visible: follows the purchases from here on, and asks about those that wait.
  public func appear() {
    guard observations.isEmpty else { return }
    observations = [
      purchases.observeHistory { [weak self] in self?.reading.run() }, purchases.observeEntitlements { [weak self] _ in self?.show() },
      passes.observe { [weak self] in self?.passesChanged(to: $0) },
    ]
    content.enter(self)
    checkPending()
    load(.opened)
  }

  /// The screen went away.
  public func disappear() {
    observations = []
    reading.cancel()
    content.leave(self)
    checkTask?.cancel()
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .refreshTapped: refreshTapped()
    case .checkTapped(let id): checkTapped(id)
    case .confirmTapped(let id): confirmTapped(id)
    case .cancelTapped(let id): cancelTapped(id)
    case .restoreTapped: restoreTapped()
    }
  }
  /// See `Refreshable`.
  public func refresh() { send(.refreshTapped) }

  private func refreshTapped() {
    guard !loads.contains(.refreshed) else { return }
    checkPending()
    load(.refreshed)
  }

  private func checkTapped(_ id: PurchaseRow.ID) {
    request(about: id, where: \.canCheck) { [purchases, formatting] in
      await purchases.check(id)
      return "Nothing new at \(formatting.time(formatting.clock.now))."
    }
  }

  private func cancelTapped(_ id: PurchaseRow.ID) {
    request(about: id, where: \.canCancel) { [purchases] in
      do throws(StoreError) {
        try await purchases.cancel(id)
        return nil
      } catch {
        let isUnknown = error.kind == .unavailable || error.kind == .busy
        return "\(isUnknown ? "It is not known yet whether it is cancelled." : "It is not cancelled.") \(error.sentence)"
      }
    }
  }

  /// Asks the store about a purchase. The words that come back are for one that stands as it stood.
  private func request(
    about id: PurchaseRow.ID, where isPossible: (PurchaseRow) -> Bool, _ question: @escaping @MainActor () async -> String?
  ) {
    guard let row = state.rows.first(where: { $0.id == id && isPossible($0) }), checking.insert(id).inserted else { return }
    show()
    Task { [weak self] in
      let words = await question()
      self?.checking.remove(id)
      self?.answers[id] = words.map { (row.status, $0) }
      await self?.read()
      await self?.refreshOrders()
    }
  }

  private func confirmTapped(_ id: PurchaseRow.ID) {
    if let page = state.rows.first(where: { $0.id == id })?.page { output(.openWeb(page)) }
  }

  private func restoreTapped() {
    guard !state.isRestoring else { return }
    state.isRestoring = true
    state.restored = nil
    Task { [weak self, purchases] in
      do throws(StoreError) {
        let owned = try await purchases.restore()
        await self?.restored(owned)
      } catch {
        self?.restoreEnded("Nothing could be restored. \(error.sentence)")
      }
      await self?.refreshOrders()
    }
  }

  // MARK: Reading

  /// Asks at once, and again as long as the page is on screen.
  private func checkPending() {
    checkTask?.cancel()
    checkTask = Task { [purchases] in await purchases.watchPending() }
  }

  private func read() async {
    readings += 1
    let mine = readings
    do {
      let read = try await purchases.history()
      guard mine == readings else { return }
      (transactions, failure) = (read, nil)
    } catch {
      guard mine == readings else { return }
      failure = "What you bought cannot be read on this computer. \(error)"
    }
    show()
    await loadNames()
  }

  private func load(_ cause: Load) {
    loads.append(cause)
    Task { [weak self] in
      if cause == .refreshed { await self?.read() }
      await self?.loadAll()
      self?.loaded(cause)
    }
  }

  private func loaded(_ cause: Load) { if let place = loads.firstIndex(of: cause) { loads.remove(at: place) } }

  /// Loads the publication's own records, and then what is in force. Otherwise an order that was given back would be shown as such on this
  /// page only, while the rest of the app still gave access.
  private func loadAll() async {
    await refreshOrders()
    // Without an answer the receipts that are kept here hold.
    _ = try? await purchases.restore()
  }

  /// The publication's own records: order numbers, and purchases from elsewhere. Without an answer, the list is shown without them.
  private func refreshOrders() async {
    let load = loadOrders
    do {
      let answer = try await effects.run("purchases.orders", { try await load() })
      orders = Dictionary(answer.compactMap { order in UUID(uuidString: order.id).map { ($0, order) } }) { first, _ in first }
      ordersFailure = nil
    } catch {
      ordersFailure =
        (error as? ClientError).map(StoreError.init)
        ?? StoreError(.unavailable, code: "unknown", sentence: "The publication's records cannot be loaded. Try again in a moment.")
    }
    show()
    await loadNames()
  }

  private func loadNames(_ more: [Product.ID] = []) async {
    let ids = Set((transactions ?? []).map(\.productID) + orders.values.map(\.productID) + more).subtracting(products.keys)
    do throws(StoreError) {
      let list = try await ids.isEmpty ? nil : purchases.products(ids.sorted())
      for product in list?.products ?? [] { products[product.id] = product }
      namesFailure = nil
    } catch { namesFailure = error }
    show()
  }

  private func passesChanged(to count: Int?) {
    passCount = count
    show()
  }

  private func restored(_ owned: Set<PurchasableProduct>) async {
    await loadNames(owned.map(\.id))
    let kind: (PurchasableProduct) -> String = { $0.period == nil ? "a purchase" : "a subscription" }
    // Two without a name may be of one kind.
    let names = Set(owned.map { products[$0.id]?.name ?? kind($0) }).sorted().formatted(.list(type: .and).locale(formatting.locale))
    let nothing = (passCount ?? 0) > 0 ? "Nothing but your article passes was found" : "Nothing was found"
    restoreEnded(
      owned.isEmpty ? "\(nothing) that belongs to your account." : "Everything that belongs to your account is here: \(names).")
  }

  private func restoreEnded(_ sentence: String) {
    state.isRestoring = false
    state.restored = sentence
    show()
    output(.restored(sentence))
  }

  // MARK: Showing

  private func show() {
    var new = state
    let transactions = transactions ?? []
    let context = PurchaseContext(
      products: products, orders: orders, current: current(transactions), owns: { [purchases] in purchases.owns($0) },
      expiry: { [purchases] in purchases.expiry(of: $0) }, formatting: formatting)
    let here = Set(transactions.map(\.id))
    let elsewhere = orders.values.filter { order in UUID(uuidString: order.id).map { !here.contains($0) } ?? false }
      // Two of one moment always come in the same order.
      .sorted { $0.id < $1.id }
    let dated =
      transactions.map { ($0.begun, PurchaseRow($0, context)) } + elsewhere.map { ($0.created, PurchaseRow($0, context)) }
    new.rows = dated.sorted { $0.0 > $1.0 }.compactMap(\.1)
    for index in new.rows.indices {
      let row = new.rows[index]
      new.rows[index].isChecking = checking.contains(row.id)
      if let answer = answers[row.id], answer.status == row.status, row.canCheck || row.canCancel {
        new.rows[index].answer = answer.words
      }
    }
    new.phase =
      if let failure { .failed(failure) } else if self.transactions == nil { .loading } else { new.rows.isEmpty ? .empty : .ready }
    new.balance = passCount.flatMap { $0 > 0 ? "You have \(formatting.count($0, "article pass", "article passes"))." : nil }
    new.note = note
    new.cancelling = purchases.entitlements.contains { $0.period != nil } ? cancelling : nil
    state = new
  }

  /// The reason that the publication cannot be reached is said once, below all pages.
  private var note: String? {
    guard let failure = ordersFailure ?? namesFailure else { return nil }
    let rest = isUnanswered ? "The rest comes as soon as the publication can be reached." : failure.sentence
    return "This list may be incomplete. \(rest)"
  }

  private var cancelling: String {
    let how = publication?.cancelling ?? "Write to the publication to cancel a subscription."
    return "To cancel your subscription: \(how) What you paid for stays open until its end."
  }

  /// The newest purchase of each product that the reader has.
  private func current(_ transactions: [Transaction]) -> Set<UUID> {
    let bought =
      transactions.filter { [.purchased, .restored].contains($0.state) }.map { ($0.productID, $0.id, $0.begun) }
      + orders.compactMap { id, order in order.state == .paid ? (order.productID, id, order.created) : nil }
    let newest = Dictionary(grouping: bought, by: \.0).compactMapValues { $0.max { $0.2 < $1.2 }?.1 }
    return Set(newest.filter { purchases.owns($0.key) }.values)
  }
}

extension PurchasesViewModel: ContentScreen {
  /// Does nothing: the purchases themselves say what is in force.
  public func accessChanged() {}
  /// Does nothing: no time here is relative.
  public func timePassed() {}
  /// Shows the sentence to the reader.
  public func actionFailed(_ sentence: String) { output(.undone(sentence)) }

  /// Loads what did not come because the publication could not be reached. The page keeps its note until there is an answer.
  /// - Returns: whether there was anything.
  @discardableResult public func retryUnreachable() -> Bool {
    guard isUnanswered, loads.isEmpty else { return false }
    load(.reached)
    return true
  }

  /// Whether something did not come because the publication could not be reached.
  private var isUnanswered: Bool {
    [ordersFailure, namesFailure].contains { ($0?.underlying as? ClientError)?.isOffline == true }
  }
}
