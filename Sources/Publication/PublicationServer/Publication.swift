import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SQLiteStorage
import SignedReceipts
import Synchronization

/// A publication: its content, its readers and their purchases, in one SQLite file, behind one function.
///
/// The same actor answers in process, for an app that embeds it, and behind a listener. It runs on a thread of its own.
public actor Publication {
  /// Why a publication cannot be opened, or answers no more.
  public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// ``Publication/close()`` was called before.
    case closed
    /// The file where the database should be has nothing in it.
    case emptyDatabase(path: String)
    /// The database file is no database, or another program's.
    case foreignDatabase(path: String)
    /// A setting in the database is unreadable to this version.
    case damagedSetting(name: String)
    /// Receipts were signed with a key whose file is not there any more.
    case missingKey(path: String)
    /// The file with the key that receipts are signed with has none.
    case brokenKey(path: String)
    /// A file is not to be read or written; the reason is the system's.
    case unusable(path: String, reason: String)

    /// What is wrong, in a sentence for the operator.
    public var description: String {
      switch self {
      case .closed: "The publication was closed."
      case .emptyDatabase(let path):
        "\(path) is empty and was left as it is: put a backup of the publication in its place, or use another folder."
      case .foreignDatabase(let path):
        "\(path) is not the database of a publication and was left as it is: move it elsewhere, or use another folder."
      case .damagedSetting(let name):
        "The publication’s database is damaged: its setting “\(name)” cannot be read. Put a backup of the database in its place."
      case .missingKey(let path):
        "The key that receipts are signed with is missing: put \(path) back, or sign with a new one from now on by “matinee-server key "
          + "rotate --data \(URL(fileURLWithPath: path).deletingLastPathComponent().path)”."
      case .brokenKey(let path):
        "\(path) is no key that receipts can be signed with: put a backup of it in its place, or sign with a new one from now on by "
          + "“matinee-server key rotate --data \(URL(fileURLWithPath: path).deletingLastPathComponent().path)”."
      case .unusable(let path, let reason): "\(path) cannot be used: \(reason)."
      }
    }
  }

  private struct Store {
    let content: any ContentRepository
    let comments: any CommentRepository
    let search: any SearchRepository
    let feeds: any FeedRepository
    let readers: any ReaderRepository
    let codes: any CodeRepository
    let identities: any IdentityRepository
    let orders: any OrderRepository
    let balances: any BalanceRepository
    let checkouts: any CheckoutRepository
    let keys: any KeyRepository
    let flags: any FlagRepository
    let analytics: any AnalyticsRepository
    let service: any ServiceRepository
    /// `nil` when its file is missing.
    var key: SigningKey?
    /// Where ``key`` is stored; `nil` for memory.
    let keyFile: String?
  }

  /// The name of the database in its folder.
  public static let databaseName = "publication.sqlite"

  /// How long a transaction of a request may take, or a statement. Anything worth waiting for takes milliseconds.
  static let deadline = Duration.seconds(10)
  /// How long a search may take: two threads search for all readers.
  static let searchDeadline = Duration.seconds(3)
  /// How long a request waits for another process that has the database locked. Everybody else waits as long.
  static let patience = Duration.milliseconds(100)

  private nonisolated let isStopping = StopFlag()
  private nonisolated let executor = ThreadExecutor(name: "publication")
  /// The thread that owns the database.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  nonisolated let clock: any AppClock
  nonisolated let identifiers: any IdentifierSource
  nonisolated let random: any RandomSource
  nonisolated let gateway: any PaymentGateway
  nonisolated let hasher: PasswordHasher
  nonisolated let feedReader = FeedReader()
  nonisolated let offersSampleAccount: Bool
  nonisolated let log: OperatorLog
  nonisolated let router = Router.publication
  nonisolated let imports = ImportDesk()
  nonisolated let importLimits = ImportLimits()
  nonisolated let maintenanceSign = MaintenanceSign()
  /// Of readers, by their identifiers.
  nonisolated let turns = RequestTurns()
  /// Of clients without a session in ``sessions``; ``limitWaiting(toPlaces:)`` bounds how many there are.
  private nonisolated let strangers = RequestTurns(longestQueue: .max)
  /// Of clients that sign in by an identity provider: one that says nothing has them wait for as long as it likes.
  nonisolated let providerTurns = RequestTurns(longestQueue: .max)
  /// Where answers are written that take long.
  nonisolated let writer = ThreadExecutor(name: "writer")
  nonisolated let sessions = SessionCache()
  /// One search of a reader is made at a time, however many sessions they have.
  nonisolated let searchTurns = RequestTurns(1)
  /// One change of a reader to any number of read marks.
  nonisolated let readAllTurns = RequestTurns(1)
  /// One answer of a client that may be long.
  nonisolated let longTurns = RequestTurns(1)
  /// One large answer at a time, of all clients: the thread that writes them is one.
  nonisolated let largeTurns = RequestTurns(1, longestQueue: .max)
  /// One list of a reader of what they follow, bookmarked or have not read, for which many posts may have to be checked.
  nonisolated let listTurns = RequestTurns(1)
  /// One part of long work at a time, of all that is under way; see ``RequestTurns/takePart(_:)``.
  nonisolated let partTurns = RequestTurns(1, longestQueue: .max)
  /// One charge of a reader: the gateway may take one after the other.
  nonisolated let chargeTurns = RequestTurns(1, longestQueue: .max)
  private var store: Store?
  /// Wrong passwords in a row, by address: forgotten when the process ends.
  let throttle = SignInThrottle()
  /// Readers who came by identity providers: forgotten when the process ends.
  let arrivals = Arrivals()
  /// Where its own pages are; `nil` when it has none.
  var pages: PublicAddress?
  /// Mails to readers; `nil` when none are sent.
  var mails: MailQueue?
  /// Where readers may sign in besides; `nil` for nowhere.
  var identityService: IdentityService?
  /// The digests of ID tokens that were used, and until when they would be accepted again.
  var usedTokens: [Data: Date] = [:]
  /// The digest of the operator's token.
  var operatorDigest: Data?
  /// How feeds are fetched; `nil` when they are not.
  var feeds: FeedService?
  /// The schedule of feeds.
  var refreshing: Task<Void, Never>?
  /// What readers want fetched now.
  nonisolated let refreshes = SharedWork<FanClub.ID, Void>()
  /// Fetches of the last minute: when, by the time since the start, and what failed.
  var recent: [FanClub.ID: (at: Duration, failure: (any Error)?)] = [:]
  /// When readers last had the gateway asked about orders that wait for approval.
  var approvalChecks: [Order.ID: Duration] = [:]
  /// Resumes charges without a recorded outcome.
  var resuming: Task<Void, Never>?
  /// Words that are being taken up, a part at a time.
  nonisolated let indexParts = SharedWork<String, Bool>()
  /// How many posts are taken up in the next part.
  var partOfIndex = Publication.mostOfIndex
  /// An import of many posts waits while more posts than these wait for their words to be indexed. Only tests have fewer.
  var mostQueued = 10_000
  /// Takes up the words of posts that wait for it.
  var indexing: Task<Void, Never>?
  /// Clubs that were removed and whose posts may still be there.
  var removedClubs: Set<FanClub.ID> = []
  /// Readers who were removed and whose read marks may still be there.
  var removedReaders: Set<Reader.ID> = []
  /// Removes those posts and marks.
  var sweeping: Task<Void, Never>?
  /// While more posts of removed clubs than these are left, no reader removes another club, and an import of many posts waits. Only tests have
  /// fewer.
  var mostRemoved = 50_000
  /// Charges and refunds under way.
  var charges: [Order.ID: ChargeInFlight] = [:]

  /// Opens a publication, or makes an empty one.
  /// - Parameters:
  ///   - folder: holds `publication.sqlite` and the key that receipts are signed with, `receipts.pem`; nil for memory. The caller who
  ///     passes one owns it: see `DataFolder`.
  ///   - gateway: charges readers.
  ///   - clock: the publication's time.
  ///   - identifiers: name what is made here, such as readers and posts.
  ///   - random: gives tokens, codes and salts, which nobody may guess.
  ///   - offersSampleAccount: whether `PublicationInfo.sampleAccount` is sent to everyone and may sign in. Its password is known to all, so
  ///       a publication that others can reach says no.
  ///   - needsKey: whether a missing key is an error. A program that signs nothing may pass false.
  ///   - passwordCost: what hashing a new password costs.
  ///   - log: called on any thread with failures, each a line without secrets.
  /// - Throws: ``Failure``, `SQLiteError`, `MigrationError`, `KeyError`; `CancellationError` in a task that is cancelled, and an upgrade that
  ///   is under way is undone.
  @_semantics("optimize.no.crossmodule") public init(
    folder: String?, gateway: any PaymentGateway, clock: any AppClock, identifiers: any IdentifierSource = RandomIdentifiers(),
    random: any RandomSource = SystemRandom(), offersSampleAccount: Bool = true, needsKey: Bool = true,
    passwordCost: PasswordCost = .standard,
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws {
    // Not inlined into other modules: there the optimizer of Swift 6.3 fails with a circular request for the isolation of `deinit`.
    self.gateway = gateway
    self.clock = clock
    self.identifiers = identifiers
    self.random = random
    self.offersSampleAccount = offersSampleAccount
    let limit = LogLimit(clock: clock, write: log)
    self.log = OperatorLog(folder: folder) { limit.write($0) }
    hasher = PasswordHasher(passwordCost, random: random)
    try await open(folder, needsKey: needsKey)
  }

  private func open(_ folder: String?, needsKey: Bool) async throws {
    let file = folder.map { "\($0)/\(Self.databaseName)" }
    let keyFile = folder.map { $0 + "/receipts.pem" }
    let mayBeNew = try file.map(Schema.isToBeMade) ?? true
    var key: SigningKey?
    var isBroken = false
    do { key = try keyFile.map(ReceiptKey.read) ?? .generate(.es256) } catch Failure.brokenKey where !needsKey && !mayBeNew {
      // A new one takes its place only by “key rotate”.
      isBroken = true
    }
    if let file, let keyFile, mayBeNew {
      // The key first: where there is a database, there was a key.
      if key == nil { key = try ReceiptKey.make(keyFile) }
      try Schema.make(file, executor)
    }
    let database = try Connection(path: file ?? ":memory:", synchronous: .full, executor: executor)
    let isStopping: @Sendable () -> Bool = { [isStopping] in isStopping.isSet }
    try SQLiteContent(database: database).sweepBeforeUpgrade()
    // An upgrade takes as long as it takes, unless the task that opens the publication is cancelled.
    try database.migrate(Schema.migrations, isCancelled: { Task.isCancelled })
    let latest = Int64(clock.now.addingTimeInterval(ImportedFeed.tolerance).timeIntervalSince1970)
    let limit = WorkLimit(deadline: Self.deadline, clock: clock, isCancelled: { Task.isCancelled || isStopping() })
    let connections = { [clock] in file.map { ReadConnections($0, clock: clock) } }
    let content = SQLiteContent(
      database: database, bodies: connections(), lists: connections(), limit: limit, isStopping: isStopping)
    try content.datePosts(after: latest, at: now)
    try content.guardBodies()
    try content.sortClubs()
    database.setLimit(WorkLimit(deadline: Self.deadline, clock: clock))
    database.setBusyTimeout(Self.patience)
    let searchLimit = WorkLimit(deadline: Self.searchDeadline, clock: clock, isCancelled: { Task.isCancelled || isStopping() })
    let search = SQLiteSearch(database: database, readers: connections(), limit: searchLimit, isStopping: isStopping)
    let keys = SQLiteKeys(database: database)
    if key == nil, !isBroken, let keyFile {
      if try !keys.haveSigned() { key = try ReceiptKey.make(keyFile) } else if needsKey { throw Failure.missingKey(path: keyFile) }
    }
    if let key { try keys.start(KeySet.Key(key.verificationKey), at: now) }
    store = Store(
      content: content, comments: SQLiteComments(database: database), search: search,
      feeds: SQLiteFeeds(database: database, isStopping: isStopping),
      readers: SQLiteReaders(database: database), codes: SQLiteCodes(database: database),
      identities: SQLiteIdentities(database: database), orders: SQLiteOrders(database: database),
      balances: SQLiteBalances(database: database), checkouts: SQLiteCheckouts(database: database), keys: keys,
      flags: SQLiteFlags(database: database), analytics: SQLiteAnalytics(database: database),
      service: SQLiteService(database: database), key: key, keyFile: keyFile)
    maintenanceSign.put(try SQLiteService(database: database).maintenance())
    // After an upgrade no post's words are there yet.
    indexSoon()
    sweepSoon(try content.removedClubs(), try SQLiteReaders(database: database).removedReaders())
  }

  /// Answers one request; an error becomes an answer too.
  public nonisolated func handle(_ request: Request) async -> Response {
    if let answer = imports.overtake(request, sessions, at: clock.unixTime) { return answer }
    do {
      let (route, call) = try router.find(request)
      if route.access != .operator, let answer = maintenanceSign.answer(at: clock.now) { return answer }
      var response = try await inTurn(route, request) { try await made(route, call) }
      if request.method == .head {
        response.headers["Content-Length"] = response.headers["Content-Length"] ?? "\(response.body.count)"
        response.body = Data()
      }
      return response
    } catch {
      return response(to: request, after: error)
    }
  }

  /// Bounds how many requests wait for their turns, of all readers together, and of all clients without a session: a quarter of a listener's
  /// places each, so that no number of readers takes all of them; and an eighth of sign-ins by providers.
  package nonisolated func limitWaiting(toPlaces places: Int) {
    for turns in [turns, strangers] { turns.limitWaiting(max(1, places / 4)) }
    providerTurns.limitWaiting(max(1, places / 8))
  }

  /// Runs `work` when it is its client's turn. Each client has one long request at a time, so that the queue for the writing thread, and
  /// its memory, grow with the readers and not with their requests.
  private nonisolated func inTurn(
    _ route: Route, _ request: Request, _ work: nonisolated(nonsending) () async throws -> Response
  ) async throws -> Response {
    guard route.takesTurns else { return try await work() }
    if route.asksProvider { return try await providerTurns.take(request.client ?? "", work) }
    // Before a token's first use, only the publication's thread can look up its reader.
    let reader = try Self.tokenDigest(request).flatMap(sessions.reader)
    let (client, its) = reader.map { ($0, turns) } ?? (request.client ?? "", strangers)
    return try await its.take(client) {
      guard route.mayBeLong else { return try await work() }
      return try await longTurns.take(client, work)
    }
  }

  /// An answer in bytes.
  private nonisolated func made(_ route: Route, _ call: Call) async throws -> Response {
    if let response = try await written(route, call, evenLarge: false) { return response }
    // It is read again when its turn comes, so that many large answers do not wait in the memory.
    return try await largeTurns.take("") { try await written(route, call, evenLarge: true) } ?? Response(499)
  }

  /// - Parameter evenLarge: whether a large answer is written too.
  /// - Returns: `nil` for a large one that is not.
  private nonisolated func written(_ route: Route, _ call: Call, evenLarge: Bool) async throws -> Response? {
    let answer = try await router.answer(route, call, self)
    guard let late = answer as? LateAnswer, late.length != .short else { return try answer.response() }
    guard evenLarge || late.length != .large else { return nil }
    try Task.checkCancellation()
    return try await writer.run { try late.response() }
  }

  /// The answer to a request that an error ended.
  nonisolated func response(to request: Request, after error: any Error) -> Response {
    switch error {
    case let problem as Problem:
      var response = Response.problem(problem)
      if problem.code == .paymentUnavailable { response.headers["Retry-After"] = "10" }
      // RFC 6750, 3.1: not to a request that says nothing of who asks.
      if problem.code == .sessionEnded, Self.bearer(request) != nil { response.headers["WWW-Authenticate"]? += ", error=\"invalid_token\"" }
      return response
    case let refusal as Refusal: return refusal.response
    case is CancellationError: return .problem(503, .internalError, "Nobody waits for this any more.")
    default: log(router.name(of: request), error)
    }
    switch (error as? SQLiteError)?.code {
    case .interrupted: return .problem(503, .deadlineExceeded, "This took the publication too long. Try again in a moment.")
    case .busy:
      return .problem(
        503, .busy, "Another program has the publication’s database locked, and nothing of this was stored. Try again in a moment.",
        retryAfter: 1)
    case .full: return .problem(507, .internalError, "The publication has no room left, and nothing of this was stored. Try again later.")
    default: break
    }
    return .problem(500, .internalError, "Something broke in the publication. Try again later.")
  }

  /// The answer to a method that HTTP does not define, or this API never uses: 405 with what the path allows, or 404.
  public nonisolated func methodNotAllowed(at target: String) -> Response { router.methodNotAllowed(target) }

  /// Whether it is about to be closed.
  nonisolated var isEnding: Bool { isStopping.isSet }

  /// Interrupts imports and searches that are under way; nothing half-done stays. No charge is resumed from now on. Everything else
  /// continues, until ``close()``.
  public nonisolated func endLongWork() {
    isStopping.set()
    imports.cancel()
  }

  /// Closes the database once charges under way are written down; imports and searches under way are ended. Later requests are answered with
  /// 500.
  public nonisolated func close() async {
    // Not on the publication's thread, which may be storing what is to be cancelled.
    endLongWork()
    await closeStore()
  }

  private func closeStore() async {
    indexing?.cancel()
    sweeping?.cancel()
    refreshing?.cancel()
    resuming?.cancel()
    await imports.close()
    await refreshing?.value
    await resuming?.value
    while let charge = charges.values.first { _ = try? await charge.task.value }
    await store?.search.close()
    await store?.content.close()
    store = nil
  }

  // On its own thread: closing writes the log into the file.
  isolated deinit {
    refreshing?.cancel()
    resuming?.cancel()
    store = nil
  }

  // MARK: For the resources

  var content: any ContentRepository { get throws { try opened.content } }
  var commentRepository: any CommentRepository { get throws { try opened.comments } }
  var feedRepository: any FeedRepository { get throws { try opened.feeds } }
  var searchRepository: any SearchRepository { get throws { try opened.search } }
  var readers: any ReaderRepository { get throws { try opened.readers } }
  var codes: any CodeRepository { get throws { try opened.codes } }
  var identities: any IdentityRepository { get throws { try opened.identities } }
  var orderRepository: any OrderRepository { get throws { try opened.orders } }
  var balanceRepository: any BalanceRepository { get throws { try opened.balances } }
  var checkoutRepository: any CheckoutRepository { get throws { try opened.checkouts } }
  var keys: any KeyRepository { get throws { try opened.keys } }
  var flagRepository: any FlagRepository { get throws { try opened.flags } }
  var serviceRepository: any ServiceRepository { get throws { try opened.service } }
  var analyticsRepository: any AnalyticsRepository { get throws { try opened.analytics } }
  var signingKey: SigningKey {
    get throws {
      let store = try opened
      guard let key = store.key else { throw Failure.missingKey(path: store.keyFile ?? "") }
      return key
    }
  }
  func replaceKey(_ key: SigningKey) throws {
    if let file = try opened.keyFile { try ReceiptKey.store(key, file) }
    store?.key = key
  }
  private var opened: Store {
    get throws {
      guard let store else { throw Failure.closed }
      return store
    }
  }

  /// The time, in whole seconds.
  var now: Int64 { clock.unixTime }
}

extension AppClock {
  /// The time, in whole seconds since 1970.
  var unixTime: Int64 { Int64(now.timeIntervalSince1970.rounded(.down)) }
}

/// Whether a publication is about to be closed. From any thread.
private final class StopFlag: Sendable {
  private let flag = Atomic(false)
  var isSet: Bool { flag.load(ordering: .relaxed) }
  func set() { flag.store(true, ordering: .relaxed) }
}
