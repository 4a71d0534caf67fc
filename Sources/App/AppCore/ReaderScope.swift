import AccountFeature
import ContentCache
import FanClubFeature
import FeatureKit
import Foundation
import MenuFeature
import PublicationAPI
import PublicationClient
import PublicationCommerce
import PurchaseService
import ReaderContent
import Runtime
import SessionService

/// What the screens of one signed-in reader share: their content and what they bought. Made when a reader signs in and closed when they
/// sign out, so that the next reader sees nothing of it. Isolated to the main actor.
@MainActor package final class ReaderScope {
  let user: User
  let content: ContentStore
  let purchases: PublicationPurchases
  /// The journal that is damaged, so that nothing can be bought.
  let damagedJournal: String?
  /// When this reader is notified of new posts.
  let notifications: NotificationPreferences
  /// Counts what this reader does, if they agreed.
  let analytics: Analytics
  /// Where that is written down, if they choose so.
  var analyticsFile: String? { storage.analyticsFile?.path }
  /// What the publication offers to this reader.
  let paywalls: PaywallCache
  /// The requests at this reader's sign-in.
  let requests = UnansweredRequests()
  /// What this reader read; `nil` when nothing can be stored.
  var contentOnDisk: DiskUse? {
    storage.entities.map { store in
      DiskUse(size: { await store.size() }, setLimit: { await store.setLimit($0) }, clear: { await store.removeUnpinned() })
    }
  }
  /// Where the reader is, for their next start.
  var place: LastPlace { didSet { if place != oldValue { storage.place.persist(place) } } }
  private let storage: ReaderStorage
  private let environment: AppEnvironment
  private let order: @Sendable (UUID) async -> Order?
  private var notifying: PostNotifications?
  private var observations: [Observation] = []
  private var tasks: [CoalescedTask] = []
  /// The outcomes of purchases that are to be said.
  private var notices: [PurchaseNotice] = []
  private lazy var reading = CoalescedTask { [weak self] in await self?.readHistory() }
  private lazy var refreshingPasses = CoalescedTask { [weak self] in
    guard let self else { return }
    await requests.send(.passes) { [content] in try await content.refreshPasses() }
  }
  /// The payments that this reader agreed to and that wait; `nil` until they are read. When the session has ended they cannot be looked up.
  private let payments = LastValue<WaitingPayments?>(nil)
  /// The passes' purchases that have ended.
  private var ended: [Transaction.ID: Transaction.State]?
  private var unreadable: (any Error)?
  /// Called when ``lossOnQuitting`` may have changed.
  var onLossChanged: (() -> Void)?

  /// - Parameters:
  ///   - order: asks the publication for an order; `nil` without an answer.
  ///   - count: hands events to the publication.
  package init(
    _ user: User, content: ContentStore, purchases: PublicationPurchases, damagedJournal: String?, paywalls: PaywallCache,
    storage: ReaderStorage, environment: AppEnvironment, order: @escaping @Sendable (UUID) async -> Order?,
    count: @escaping @Sendable (AnalyticsBatch) async throws -> Void
  ) {
    self.user = user
    self.content = content
    self.purchases = purchases
    self.damagedJournal = damagedJournal
    self.paywalls = paywalls
    self.storage = storage
    place = storage.place.stored ?? LastPlace()
    self.environment = environment
    self.order = order
    notifications = NotificationPreferences(storage.notifications.stored ?? NotificationSettings()) { storage.notifications.persist($0) }
    var sinks: [AnalyticsChoice: Analytics.Sink] = [.publication: count]
    if let file = storage.analyticsFile { sinks[.file] = { try file.append($0) } }
    analytics = Analytics(
      of: user.id, memory: storage.analytics.stored ?? .init(), sinks: sinks, environment: environment
    ) { storage.analytics.persist($0) }
    content.onUnfinishedChanged = { storage.unfinished.persist($0) }
  }

  /// Reads from this computer what this reader bought, and continues the purchases that an earlier run left unfinished.
  /// - Parameter patience: how long to wait for that, at most: receipts that only the backend can verify may take long.
  func prepare(within patience: Duration = .seconds(2)) async {
    purchases.setUser(user.id)
    let entitlements = purchases.entitlementStream()
    // The reader has access as soon as this computer proves it, although the backend may still have to verify other receipts.
    let ready = Task { [purchases] in for await _ in entitlements where purchases.hasPremium { return } }
    Task {
      do { try await purchases.resume() } catch { unreadable = error }
      ready.cancel()
    }
    await environment.effects.wait("reader.patience", for: patience, on: environment.clock, until: ready)
    ready.cancel()
    content.hasPremium = purchases.hasPremium
  }

  /// Continues where an earlier run stopped. Premium access follows the purchases from here on.
  /// - Parameter say: shows the reader a sentence when something cannot be stored here.
  func resume(say: @escaping @MainActor (String) -> Void) {
    if let unreadable { say("What you bought cannot be read on this computer, so it is asked for again. \(unreadable)") }
    if storage.haveSettingsBeenSetAside { say("The file with your settings was damaged, so they are as they were at first.") }
    if let damagedJournal {
      say(
        "The file with your purchases is damaged, so nothing can be bought until it is moved elsewhere: \(damagedJournal.asPathInSentence). "
          + "What you have bought comes from the publication.")
    }
    content.onStorageNotice = say
    content.onTextWithoutField = environment.offerText
    var hasWarned = false
    let warn: @MainActor (any Error) -> Void = { error in
      if !hasWarned { say("What you do now may be lost when the app ends: it cannot be kept on this computer. \(error)") }
      hasWarned = true
    }
    storage.onFailure(warn)
    storage.unfinished.onOutcome = { [weak self] in self?.onLossChanged?() }
    content.actions.onStorageError = { error in
      if let damage = error as? Outbox.Damaged {
        let outcome = damage.isRestored ? "they are written to a new one." : "what was not sent before is lost."
        return say("The file with your changes that wait was damaged and set aside: \(outcome)")
      }
      warn(error)
    }
    let telling = CoalescedTask { [weak self] in
      while let self, !notices.isEmpty, !Task.isCancelled {
        let sentence = await sentence(notices.removeFirst())
        if !Task.isCancelled { say(sentence) }
      }
    }
    tasks = [reading, refreshingPasses, telling]
    observations = [
      content.actions.unstoredCount.observe { [weak self] _ in self?.onLossChanged?() },
      purchases.observeEntitlements { [weak self] _ in
        if let self { content.hasPremium = purchases.hasPremium }
      },
      purchases.observeHistory { [reading] in reading.run() },
      // Such as the end of access by a refund: shown on every page.
      purchases.observeNotices { [weak self] notice in
        if notice.event == .revoked { self?.accessWasTakenBack() }
        self?.notices.append(notice)
        telling.run()
      },
    ]
    // A publication that refuses access to a purchase has refunded it, and this app does not know yet.
    content.onAccessRefused = { [weak self] in Task { await self?.restorePurchases() } }
    content.onAccessCheckNeeded = content.onAccessRefused
    analytics.resume()
    Task { [weak self, content] in
      await content.resume()
      // What was bought on another machine.
      await self?.restorePurchases()
    }
  }

  /// What the end of the app would lose, in a sentence: it could not be stored on this computer, and still is not. `nil` while all is.
  var lossOnQuitting: String? {
    switch (storage.isTextInDanger, content.actions.unstoredCount.value > 0) {
    case (true, true):
      "What you are writing, and changes that wait to be sent, cannot be kept on this computer. If you quit, they are lost."
    case (true, false): "What you are writing cannot be kept on this computer. If you quit, it is lost."
    case (false, true): "Changes that wait to be sent cannot be kept on this computer. If you quit, they are lost."
    case (false, false): nil
    }
  }

  /// Withdraws the payments that the reader has not agreed to: on a page in the browser they still could, after they have left.
  /// - Parameter patience: how long the store is waited for.
  func withdrawPayments(within patience: Duration) async {
    let withdrawn = Task { [purchases] in await purchases.finish() }
    await environment.effects.wait("signout.patience", for: patience, on: environment.clock, until: withdrawn)
  }

  /// Requests this reader's receipts from the store. Until it answers, the stored receipts hold and the request is repeated.
  /// - Returns: a sentence for the reader when it could not be done; `nil` otherwise.
  @discardableResult func restorePurchases() async -> String? {
    (await requests.send(.purchases) { [purchases] in try await purchases.restore() } as? StoreError)?.sentence
  }

  /// How many payments wait that this reader agreed to.
  var waitingPayments: Int { payments.value?.count ?? 0 }

  /// Calls an observer with the payments that wait, once they are known. The store is asked about them as long as they are observed.
  func observeWaitingPayments(_ observer: @escaping @MainActor (WaitingPayments) -> Void) -> Observation {
    let known = payments.observe { if let payments = $0 { observer(payments) } }
    let watching = Task { [purchases] in await purchases.watchPending() }
    return Observation {
      known.cancel()
      watching.cancel()
    }
  }

  private func readHistory() async {
    // A failed read changes nothing: the list of purchases shows the reason.
    guard let history = try? await purchases.history(), !Task.isCancelled else { return }
    payments.value = WaitingPayments(history)
    // Any purchase may add passes when it ends, also after days, and a refund may remove them.
    let states = Dictionary(history.filter { $0.isOneTime && $0.step.isFinished }.map { ($0.id, $0.state) }, uniquingKeysWith: { $1 })
    guard ended != states else { return }
    ended = states
    refreshingPasses.run()
  }

  private func accessWasTakenBack() {
    content.hasPremium = purchases.hasPremium
    content.removeClosedBodies()
  }

  /// The outcome of a purchase, with its name, its price and its order's number where they are known.
  private func sentence(_ notice: PurchaseNotice) async -> String {
    let transaction = try? await purchases.history().first { $0.id == notice.transaction }
    let product: Product? =
      if let transaction { await purchases.product(of: transaction) } else {
        try? await purchases.products([notice.productID]).products.first
      }
    let order = await order(notice.transaction)
    let price = transaction?.price ?? order.map { Price(minorUnits: $0.totalMinorUnits, currency: $0.currency) }
    // An identifier says nothing to a reader.
    let name = product.map { "“\($0.name)”" } ?? (notice.event == .revoked ? "a purchase" : "A purchase")
    let facts = [
      name, price?.formatted(locale: environment.storeFormatting.locale),
      order?.number.map { "order \($0)" },
    ].compactMap(\.self).joined(separator: ", ")
    return switch notice.event {
    case .purchased, .failed: "\(facts): \(notice.sentence)"
    case .revoked: "Refunded: \(facts). \(notice.sentence)"
    }
  }

  /// Raises notifications of new posts from here on, where that is possible.
  /// - Parameter isOnScreen: whether the reader sees a post at this moment.
  func startNotifying(unless isOnScreen: @escaping @MainActor (Post.ID) -> Bool) {
    guard let notifier = environment.notifier, notifying == nil else { return }
    let memory = storage.memory
    let made = PostNotifications(
      content, notifications, notifier: notifier, environment: environment, memory: memory.stored ?? .init(),
      persist: { memory.persist($0) }, isOnScreen: isOnScreen)
    notifying = made
    made.start()
  }

  /// Looks for new posts now, instead of when it is due.
  func checkForNewPosts() { notifying?.checkNow() }

  /// The reader comes to where all new posts are.
  func homeOpened() { notifying?.withdrawSummary() }

  /// The reader has signed out: nothing of theirs is shown or requested any more.
  /// - Parameter erases: whether their unfinished work is erased too, as at a sign-out; otherwise it is kept for them.
  func end(erasing erases: Bool = false) {
    observations = []
    for task in tasks { task.cancel() }
    notifying?.end()
    if purchases.user == user.id { purchases.setUser(nil) }
    content.close(retainingUnfinished: !erases)
    if erases { place = LastPlace() }
  }

  /// Ends it, and returns when its files are closed. What the reader read is private, and erased; pending actions are sent at the next
  /// sign-in.
  func close() async {
    end()
    await finish()
    // The next reader waits for this.
    await storage.close()
  }

  /// Returns when accepted writes are done.
  func finish() async {
    await analytics.finish()
    await content.written()
    await storage.written()
  }
}
