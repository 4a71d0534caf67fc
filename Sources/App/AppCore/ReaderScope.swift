import ContentCache
import Foundation
import PublicationAPI
import PublicationClient
import PublicationCommerce
import PurchaseService
import ReaderContent
import Runtime
import SQLiteStorage
import SessionService

/// What the screens of one signed-in reader share: their content and what they bought. Made when a reader signs in, closed when they are
/// gone, so that the next one sees nothing of it. Isolated to the main actor.
@MainActor final class ReaderScope {
  let user: User
  let content: ContentStore
  let purchases: PublicationPurchases
  /// When this reader wants to hear of new posts.
  let notifications: NotificationPreferences
  /// What the publication offers to this reader.
  let paywalls: PaywallCache
  /// What is asked when this reader comes in.
  let questions = UnansweredRequests()
  private let outbox: Database
  private let settings: Settings
  private let environment: AppEnvironment
  /// What this reader read, for reading without network; `nil` when nothing can be kept.
  private let stored: EntityStore?
  /// Asks the publication for an order; nil without an answer.
  private let order: @Sendable (UUID) async -> Order?
  private let effects: Effects
  private var notifying: PostNotifications?
  private var watching: [Task<Void, Never>] = []
  private var unreadable: (any Error)?

  /// What was kept for this reader, and keeps it.
  private struct Settings {
    let database: Database
    let notifications: KeptSetting<NotificationSettings>
    let memory: KeptSetting<PostNotifications.Memory>
    let unfinished: KeptSetting<UnfinishedWork>
    /// As it was when it was opened.
    let stored: (notifications: NotificationSettings?, memory: PostNotifications.Memory?, unfinished: UnfinishedWork?)
  }

  /// Opens what this reader has on this machine.
  /// - Throws: `SQLiteError`, `MigrationError`.
  static func open(
    _ user: User, environment: AppEnvironment, client: APIClient, purchases: PublicationPurchases
  ) async throws -> ReaderScope {
    let path = environment.dataFolder.map { $0 + "/outbox.sqlite" } ?? ":memory:"
    let outbox = try await environment.effects.run("reader.open") {
      try await Database(path: path, migrations: Outbox.migrations, ifDamaged: .setAside)
    }
    let owner = "\(environment.origin) \(user.id)"
    let stored = environment.dataFolder.map { EntityStore(path: $0 + "/content.sqlite", owner: owner, clock: environment.clock) }
    let settings = try await settings(of: user, environment)
    let content = ContentStore(
      client: client, author: user.name, outbox: Outbox(database: outbox, owner: owner), stored: stored,
      unfinished: settings.stored.unfinished ?? UnfinishedWork(),
      retry: Retry(on: environment.clock, random: environment.random), effects: environment.effects, identifiers: environment.identifiers)
    let paywalls = PaywallCache(effects: environment.effects, clock: environment.storeClock) { try await client.paywall($0) }
    return ReaderScope(user, content, purchases, paywalls, outbox, stored, settings, environment) {
      try? await client.order($0)
    }
  }

  private static func settings(of user: User, _ environment: AppEnvironment) async throws -> Settings {
    let (path, owner) = (environment.dataFolder.map { $0 + "/settings.sqlite" } ?? ":memory:", "\(environment.origin) \(user.id)")
    let effects = environment.effects
    let names = (notifications: "notifications", memory: "notified", unfinished: "unfinished")
    let (settings, notifications, memory, unfinished) = try await effects.run("settings.open") {
      let database = try await Database(path: path, migrations: ReaderSettings.migrations, ifDamaged: .setAside)
      let settings = ReaderSettings(database: database, owner: owner)
      return (
        settings, try await settings.read(names.notifications, as: NotificationSettings.self),
        try await settings.read(names.memory, as: PostNotifications.Memory.self),
        try await settings.read(names.unfinished, as: UnfinishedWork.self)
      )
    }
    return Settings(
      database: settings.database, notifications: KeptSetting(names.notifications, in: settings, effects: effects),
      memory: KeptSetting(names.memory, in: settings, effects: effects),
      unfinished: KeptSetting(
        names.unfinished, in: settings, effects: effects, pause: (length: unfinishedPause, clock: environment.clock)),
      stored: (notifications, memory, unfinished))
  }

  /// What is lost at most when the machine loses power; a whole draft is written each time.
  private static let unfinishedPause = Duration.seconds(1)

  private init(
    _ user: User, _ content: ContentStore, _ purchases: PublicationPurchases, _ paywalls: PaywallCache, _ outbox: Database,
    _ stored: EntityStore?, _ settings: Settings, _ environment: AppEnvironment, order: @escaping @Sendable (UUID) async -> Order?
  ) {
    self.user = user
    self.content = content
    self.purchases = purchases
    self.paywalls = paywalls
    self.outbox = outbox
    self.stored = stored
    self.settings = settings
    self.environment = environment
    self.order = order
    effects = environment.effects
    notifications = NotificationPreferences(settings.stored.notifications ?? NotificationSettings()) { settings.notifications.persist($0) }
    content.onUnfinishedChanged = { settings.unfinished.persist($0) }
  }

  /// Learns what this reader bought, from what is kept here, and goes on with purchases that an earlier run left unfinished.
  /// - Parameter patience: how long that is waited for, at most: what only the backend can prove may take its time.
  func prepare(within patience: Duration = .seconds(2), on clock: any AppClock) async {
    purchases.setUser(user.id)
    let prepared = Task { do { try await purchases.resume() } catch { unreadable = error } }
    await effects.wait("reader.patience", for: patience, on: clock, until: prepared)
    content.hasPremium = purchases.hasPremium
  }

  /// Goes on where an earlier run stopped. Premium access follows the purchases from here on.
  /// - Parameter say: tells the reader that something here cannot be kept.
  func resume(say: @escaping @MainActor (String) -> Void) {
    if let unreadable { say("What you bought cannot be read on this computer, so it is asked for again. \(unreadable)") }
    if settings.database.timesSetAside > 0 { say("The file with your settings was damaged, so they are as they were at first.") }
    content.onStorageNotice = say
    var hasWarned = false
    let warn: @MainActor (any Error) -> Void = { error in
      if !hasWarned { say("What you do now may be lost when the app ends: it cannot be kept on this computer. \(error)") }
      hasWarned = true
    }
    settings.notifications.onFailure = warn
    settings.memory.onFailure = warn
    settings.unfinished.onFailure = warn
    content.actions.onStorageError = { error in
      if let damage = error as? Outbox.Damaged {
        let outcome = damage.isRestored ? "they are written to a new one." : "what was not sent before is lost."
        return say("The file with your changes that wait was damaged and set aside: \(outcome)")
      }
      warn(error)
    }
    let (entitlements, history, notices) = (purchases.entitlementStream(), purchases.historyStream(), purchases.noticeStream())
    watching = [
      Task { [weak self] in
        for await _ in entitlements {
          guard let self else { return }
          content.hasPremium = purchases.hasPremium
        }
      },
      // Passes may come with any purchase that ends, also one that waited for days, and go with a refund.
      Task { [weak self] in
        var bought: [Transaction.ID: Transaction.State]?
        for await _ in history where !Task.isCancelled {
          guard let self else { return }
          let ended = (try? await purchases.history())?.filter { $0.isOneTime && $0.step.isFinished }.map { ($0.id, $0.state) }
          if let ended, case let states = Dictionary(ended, uniquingKeysWith: { $1 }), bought != states {
            bought = states
            await questions.ask(.passes) { [content] in try await content.refreshPasses() }
          }
        }
      },
      // Such as access that ended by a refund: wherever the reader is.
      Task { [weak self] in
        for await notice in notices where !Task.isCancelled {
          let sentence = await self?.sentence(notice)
          if let sentence, !Task.isCancelled { say(sentence) }
        }
      },
    ]
    // A publication that refuses what was bought knows of a refund that this app has not heard of.
    content.onAccessRefused = { [weak self] in Task { await self?.restorePurchases() } }
    content.onAccessAsked = content.onAccessRefused
    Task { [weak self, content] in
      await content.resume()
      // What was bought on another machine.
      await self?.restorePurchases()
    }
  }

  /// Asks the store what this reader has. Without an answer the receipts that are kept here hold, and it is asked again.
  func restorePurchases() async { await questions.ask(.purchases) { [purchases] in try await purchases.restore() } }

  /// What became of a purchase, with what it was: its name, its price and its order's number, as far as they can be had.
  private func sentence(_ notice: PurchaseNotice) async -> String {
    let transaction = try? await purchases.history().first { $0.id == notice.transaction }
    let product: Product? =
      if let transaction { await purchases.product(of: transaction) } else {
        try? await purchases.products([notice.productID]).products.first
      }
    let order = await order(notice.transaction)
    let price = transaction?.price ?? order.map { Price(minorUnits: $0.totalMinorUnits, currency: $0.currency) }
    let facts = [
      "“\(product?.name ?? notice.productID)”", price?.formatted(locale: environment.storeFormatting.locale),
      order?.number.map { "order \($0)" },
    ].compactMap(\.self).joined(separator: ", ")
    return switch notice.event {
    case .purchased, .failed: "\(facts): \(notice.sentence)"
    case .revoked: "Refunded: \(facts). \(notice.sentence)"
    }
  }

  /// Raises notifications of new posts from here on, where there is a way to.
  /// - Parameter isOnScreen: whether the reader sees a post at this moment.
  func startNotifying(unless isOnScreen: @escaping @MainActor (Post.ID) -> Bool) {
    guard let notifier = environment.notifier, notifying == nil else { return }
    let memory = settings.memory
    let made = PostNotifications(
      content, notifications, notifier: notifier, environment: environment, memory: settings.stored.memory ?? .init(),
      persist: { memory.persist($0) }, isOnScreen: isOnScreen)
    notifying = made
    made.start()
  }

  /// Looks for what is to be notified of now, and not when it is due.
  func checkForNewPosts() { notifying?.checkNow() }

  /// The reader comes to where all new posts are.
  func homeOpened() { notifying?.withdrawSummary() }

  /// The reader is gone: from here on nothing of theirs is shown or asked for.
  /// - Parameter erases: whether what they began and did not end is erased too, as by whoever signs out; otherwise it waits for them.
  func end(erasing erases: Bool = false) {
    for task in watching { task.cancel() }
    notifying?.end()
    if purchases.user == user.id { purchases.setUser(nil) }
    content.close(keepingUnfinished: !erases)
  }

  /// Ends it, and returns when its files are closed. What the reader read is private, and erased; what they did and the publication has not
  /// heard of goes out when they are back.
  func close() async {
    end()
    await finish()
    // Whoever comes next waits for this.
    let databases = [outbox, settings.database]
    _ = try? await effects.run("reader.close") { [stored, settings] in
      // Without this, what was begun would still be in the file.
      try? await settings.database.run { try $0.script("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)") }
      for database in databases { await database.close() }
      await stored?.erase()
      await stored?.close()
    }
  }

  /// Returns when accepted writes are done.
  func finish() async {
    await content.written()
    await settings.notifications.written()
    await settings.memory.written()
    await settings.unfinished.written()
  }
}
