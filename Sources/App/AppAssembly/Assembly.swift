import AppCore
import ContentCache
import FeatureFlags
import HTTPTransport
import NavigationCore
import PublicationClient
import PublicationCommerce
import PurchaseService
import ReaderContent
import Runtime
import SQLiteStorage
import SessionService
import StubStore

/// Builds the app out of its live parts, or a test's: client, session and flags at once, the journal and the purchases with the first
/// reader, and for each reader their data on this machine.
///
/// The coordinator that it makes retains it. Isolated to the main actor.
@MainActor public final class Assembly {
  /// What sells, once a reader has come.
  public private(set) var purchases: PublicationPurchases?
  /// What screens and coordinator share.
  public let environment: AppEnvironment

  private let dataFolder: String?
  private let testStore: TestStore?
  private let client: APIClient
  private let browser: BrowserAuthorization
  private let session: Session
  private let flags: Flags
  /// What happens, for those who count.
  public let events: AppEvents
  /// A client for one reader's requests only, as long as they are signed in.
  private let account: PublicationPath.Account
  /// Whether the publication answered or could not be reached, and then a sentence.
  private let reach: AsyncStream<String?>
  /// The journal that keeps this process from selling anything.
  private var damagedJournal: String?

  /// - Parameters:
  ///   - environment: what screens and coordinator share. A test store changes its part about the store.
  ///   - transport: answers the publication's API.
  ///   - tokenStore: where the session's token is stored.
  ///   - identities: reaches identity providers at absolute addresses, and follows no redirects; `nil` has `transport` do that.
  ///   - dataFolder: where readers' data is stored, as a path; `nil` has it in memory.
  ///   - testStore: a tester's store, which sells in place of the publication; `nil` for the publication itself.
  public init(
    _ environment: AppEnvironment, transport: any Transport, identities: (any Transport)? = nil, tokenStore: any TokenStore,
    dataFolder: String?, testStore: TestStore? = nil
  ) {
    var environment = environment
    if let testStore {
      environment.storeClock = testStore.clock
      environment.storeBadge = "Test store: nothing is charged"
      environment.paymentMethods = [
        PaymentMethod(id: "test-store", name: "Test store", detail: "Answers as the tester says.", authorizer: testStore.authorizer)
      ]
    }
    self.environment = environment
    self.dataFolder = dataFolder
    self.testStore = testStore
    let tokens = TokenBox()
    let (reach, told) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingNewest(1))
    self.reach = reach
    let client = APIClient(
      transport: testStore.map { TestStoreTransport(transport, store: $0) } ?? transport, tokens: tokens,
      onAnswer: { told.yield(nil) }, onUnreachable: { told.yield($0) }, clock: environment.clock)
    self.client = client
    let browser = BrowserAuthorization(
      client, transport: identities ?? transport, clock: environment.clock, random: environment.random,
      origin: environment.origin, at: environment.address
    ) { [openWeb = environment.openWeb] url in await openWeb(url) }
    self.browser = browser
    let session = Session(
      auth: PublicationAuthProvider(client, at: environment.address, device: environment.device, browser: browser), store: tokenStore,
      tokens: tokens, effects: environment.effects)
    self.session = session
    account = { user in await MainActor.run { session.state.user?.id == user ? client.pinned() : nil } }
    let flags = Flags(environment, PublicationFlags(client, account: account), path: Self.path("flags", in: dataFolder))
    self.flags = flags
    events = AppEvents(clock: environment.clock)
    // What a tester pretends to buy is no word on a roll-out.
    events.observe { [isTest = testStore != nil] event in if !isTest || event.transaction == nil { flags.count(event) } }
  }

  private static func path(_ name: String, in folder: String?) -> String { folder.map { "\($0)/\(name).sqlite" } ?? ":memory:" }

  /// Makes the coordinator, once.
  /// - Parameters:
  ///   - curtain: what the presenter draws until the destination is known; `nil` makes one.
  ///   - presenter: draws; held strongly.
  public func coordinator(curtain: CurtainViewModel? = nil, presenter: any Presenter<Destination, Screen>) -> AppCoordinator {
    let coordinator = AppCoordinator(
      environment: environment, client: client, browser: browser, session: session, flags: flags, events: events, openReader: open,
      curtain: curtain ?? CurtainViewModel(effects: environment.effects, clock: environment.clock), presenter: presenter)
    environment.preferences.onProblem = { [weak coordinator] in coordinator?.say($0) }
    // Ends with the client.
    Task { [weak coordinator, reach] in
      for await problem in reach {
        if let problem { coordinator?.upkeep.publicationUnreachable(problem) } else { coordinator?.upkeep.publicationAnswered() }
      }
    }
    return coordinator
  }

  /// Opens what a reader has on this machine.
  /// - Throws: `SQLiteError`, `MigrationError`.
  private func open(_ user: User) async throws -> ReaderScope {
    // The rules of an earlier run are read before the first flag is.
    await flags.open()
    let purchases = try await openPurchases()
    let (client, account, effects) = (client, account, environment.effects)
    let storage = try await ReaderStorage(
      in: dataFolder, owner: "\(environment.origin) \(user.id)", contentLimit: environment.preferences.values.contentLimit << 20,
      effects: effects, clock: environment.clock)
    let content = ContentStore(
      client: client, author: user.name, outbox: storage.outbox, stored: storage.entities,
      unfinished: storage.unfinished.stored ?? UnfinishedWork(), retry: RetryEnvironment(on: environment.clock, random: environment.random),
      effects: effects, identifiers: environment.identifiers)
    return ReaderScope(
      user, content: content, purchases: purchases, damagedJournal: damagedJournal,
      paywalls: PaywallCache(effects: effects, clock: environment.storeClock) { try await client.paywall($0) },
      storage: storage, environment: environment, order: { try? await client.order($0) },
      count: { batch in
        guard let client = await account(user.id) else { throw ClientError.cancelled }
        try await client.count(batch)
      })
  }

  /// One for all readers of this process: a payment that a reader left under way is finished when they are back.
  private func openPurchases() async throws -> PublicationPurchases {
    if let purchases { return purchases }
    let journal = try await openJournal()
    if let purchases { return purchases }
    let made: PublicationPurchases =
      if let testStore {
        Purchases<PurchasableProduct>(
          environment, testStore.path(journal: journal, seller: environment.origin) { .init($0) }, journal: journal, events: events)
      } else {
        StagedPurchases<PurchasableProduct>(
          environment, client: client, journal: journal, canPay: damagedJournal == nil, flags: flags, events: events, account: account)
      }
    purchases = made
    return made
  }

  /// A damaged journal is left as it is, since a payment that is under way in it may not be begun a second time. Reading still works: a
  /// journal in memory takes the reader's receipts from the publication, and nothing can be bought.
  private func openJournal() async throws -> Journal {
    let (path, clock, effects) = (Self.path("purchases", in: dataFolder), environment.storeClock, environment.effects)
    do {
      return try await effects.run("purchases.open") { try await Journal(path: path, clock: clock) }
    } catch let error where testStore == nil && SQLiteError.isCorruption(error) {
      damagedJournal = path
      return try await effects.run("purchases.open") { try await Journal(path: ":memory:", clock: clock) }
    }
  }
}
