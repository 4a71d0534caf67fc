import ContentCache
import Foundation
import PublicationAPI
import PublicationClient
import Runtime

/// The content of one signed-in reader: the copy of each entity, and the only way for the reader to change one.
///
/// The coordinator makes one when a reader signs in, passes it to the screens, and closes it when the reader signs out. Isolated to the
/// main actor.
@MainActor public final class ContentStore {
  /// The publication, as this reader.
  public let client: APIClient
  /// The door to it.
  public let effects: Effects
  /// One copy of each post.
  public var posts: any CacheReading<Post> { postCache }
  /// One copy of each fan club.
  public var fanClubs: any CacheReading<FanClub> { clubCache }
  /// One copy of each comment.
  public var comments: any CacheReading<Comment> { commentCache }
  /// Applies the reader's actions, sends them, and takes them back when they were refused.
  public let actions: ActionController

  /// Whether the reader may read premium posts. The app sets it from the entitlements; shown screens follow.
  public var hasPremium = false {
    didSet { if hasPremium != oldValue { for page in pagesOnScreen { page.accessChanged() } } }
  }

  /// How many article passes the reader has; `nil` until the publication has answered.
  public let passes = LastValue<Int?>(nil)

  /// The reader's drafts, by post. Signing out erases them; the text of a refused comment stays in the outbox: see
  /// ``takeRefusedComment(on:)``.
  public var commentDrafts: [Post.ID: String] {
    get { unfinished.drafts }
    set {
      unfinished.drafts = newValue
      forgetHandedBack()
    }
  }

  /// The address of a feed that the reader typed, until it is added; empty for none.
  public var feedAddress: String {
    get { unfinished.feedAddress ?? "" }
    set { unfinished.feedAddress = newValue.isEmpty ? nil : newValue }
  }

  /// Where the reader is in long posts.
  public var readingPlaces: ReadingPlaces {
    get { unfinished.places }
    set { unfinished.places = newValue }
  }

  /// What the reader has begun, as it is now.
  public internal(set) var unfinished: UnfinishedWork { didSet { if unfinished != oldValue { onUnfinishedChanged?(unfinished) } } }
  /// Called after each change of ``unfinished``, so that the app can store it.
  public var onUnfinishedChanged: ((UnfinishedWork) -> Void)?

  /// Counts the events that made every list out of date, such as an added feed.
  public private(set) var listsAge = 0

  /// When the posts of a club were last fetched for the reader, in this run: posts from before that are not new to them.
  public private(set) var fetchedAt: [FanClub.ID: Date] = [:]

  /// Whether the reader is gone.
  public private(set) var isClosed = false

  /// Why the last request had no answer, in a sentence for people; `nil` when it had one.
  public let outOfReach = LastValue<String?>(nil)
  /// Whether actions pause because the publication is being maintained.
  var waitsForMaintenance = false
  /// Whether the last request had no answer.
  public var isOutOfReach: Bool { outOfReach.value != nil }
  /// Called whenever the publication has answered.
  public var onAnswer: (() -> Void)?

  /// Called when the reader's access should be checked again: a purchase may have been refunded.
  public var onAccessCheckNeeded: (() -> Void)?

  /// Called when the publication refuses the text of a post to a reader who has premium access by what is known here.
  public var onAccessRefused: (() -> Void)?

  /// Called with the text of a refused comment whose post is gone, so that no field can have it back: with a sentence for the reader, the
  /// text to offer, and what to call once they have taken it or want it no more. Until then each start calls this again. Without it, the text
  /// waits as that of any other refused comment.
  public var onTextWithoutField: (@MainActor (_ sentence: String, _ text: String, _ answered: @escaping @MainActor () -> Void) -> Void)?

  /// Called with a sentence for the reader when something is wrong with the data for reading offline.
  public var onStorageNotice: ((String) -> Void)? {
    didSet { for cache in [postCache, clubCache, commentCache] as [any AnyCache] { cache.onNotice = onStorageNotice } }
  }

  // Screens read; what is written here comes from fetchers and from the action controller.
  let postCache: Cache<Post>
  let clubCache: Cache<FanClub>
  let commentCache: Cache<Comment>
  private let stored: EntityStore?
  /// Names what the reader makes.
  public let identifiers: any IdentifierSource
  let clock: any AppClock
  /// The reader's name, for what is not confirmed yet.
  let author: String
  /// The comments that the publication refused: see ``takeRefusedComment(on:)``.
  var refusedComments: [CommentAction] = []
  /// Those of them whose text is in a draft again, until it is sent or deleted.
  var handedBack: [CommentAction] = []
  /// The clubs whose count of unread posts has to be requested.
  var uncounted: Set<FanClub.ID> = []
  /// New posts whose clubs are counted above.
  var counted: Set<Post.ID> = []
  private var onScreen: [() -> (any ContentScreen)?] = []
  /// Sentences for the next screen, each once.
  private var unseenFailures: [String] = []
  private var passGeneration = 0
  private let random: any RandomSource
  /// The wait until screens ask again, and how many times in a row they failed.
  private var retryTask: Task<Void, Never>?
  private var failedTries = 0
  /// While the reader may be looking at "Try again".
  private static let againPace = Backoff(first: .seconds(2), longest: .seconds(60))

  /// - Parameters:
  ///   - client: the publication, as this reader.
  ///   - author: the reader's name, which their comments bear until the publication has said it.
  ///   - outbox: keeps what was not sent yet; `nil` keeps it in memory.
  ///   - stored: keeps what was read; `nil` keeps it in memory.
  ///   - unfinished: what an earlier run kept of ``unfinished``.
  ///   - retry: when what could not be sent is tried again.
  ///   - effects: the door that requests go through.
  ///   - identifiers: name the actions.
  public init(
    client: APIClient, author: String = "", outbox: Outbox? = nil, stored: EntityStore? = nil,
    unfinished: UnfinishedWork = UnfinishedWork(), retry: RetryEnvironment, effects: Effects,
    identifiers: any IdentifierSource = RandomIdentifiers()
  ) {
    self.client = client
    self.unfinished = unfinished
    self.effects = effects
    self.identifiers = identifiers
    self.stored = stored
    postCache = Cache(store: stored, effects: effects)
    clubCache = Cache(store: stored, effects: effects)
    commentCache = Cache(store: stored, effects: effects)
    self.author = author
    clock = retry.clock
    random = retry.random
    actions = ActionController(outbox: outbox, effects: effects, retry: retry, explain: RequestError.init(ofAction:tries:))
    registerActions()
    for cache in [postCache, clubCache, commentCache] as [any AnyCache] { cache.onAnswer = { [weak self] in self?.heard($0) } }
  }

  /// Sends the pending actions of earlier runs; with an outbox, nothing is sent before this.
  public func resume() async {
    await actions.resume()
    // Pending entities are marked in the entity store before it evicts any.
    await postCache.written()
    await clubCache.written()
    await commentCache.written()
    stored?.startEvicting()
  }

  /// Returns when all actions so far are in the outbox, and all read entities in the entity store: for use before the process ends.
  public func written() async {
    await actions.written()
    await postCache.written()
    await clubCache.written()
    await commentCache.written()
  }

  /// Asks how many passes the reader has. Without an answer, the known number stays.
  /// - Throws: `ClientError`.
  public func refreshPasses() async throws {
    passGeneration += 1
    let (mine, client) = (passGeneration, client)
    let balances = try await request("passes.load") { try await client.balances() }
    // An answer from before a pass was spent, or for a reader who has signed out, is out of date.
    guard mine == passGeneration, !isClosed else { return }
    passes.value = balances.first { $0.type == Balance.articlePass }?.amount ?? 0
  }

  /// Opens a premium post with one of the reader's passes. Another try after a lost answer spends no second pass.
  /// - Throws: `ClientError`.
  public func unlock(_ id: Post.ID) async throws {
    let (time, client) = (postCache.logicalTime(), client)
    do {
      let post = try await request("post.unlock") { try await client.unlock(id) }
      guard !isClosed else { return }
      postCache.store([post], asOf: time)
    } catch {
      try? await refreshPasses()
      throw error
    }
    try? await refreshPasses()
  }

  /// The publication has new content that lists do not show yet: each list is loaded again when it is on screen.
  public func listsAreStale() { listsAge += 1 }

  /// Has the publication fetch the posts of a club that was imported from a list of feeds.
  /// - Returns: how far it is.
  /// - Throws: `ClientError`.
  func fetchPosts(of club: FanClub.ID) async throws -> Import {
    fetchedAt[club] = clock.now
    let client = client
    return try await request("fanclub.fetch") { try await client.refreshFanClub(club) }
  }

  /// The same, and waits for the end, also while the publication is unreachable: the fetch continues there without the app.
  /// - Parameters:
  ///   - clock: when to look.
  ///   - begun: called once the publication has begun.
  /// - Returns: the import's last known state: finished, unless this object was closed.
  /// - Throws: `ClientError` when it did not begin, or the publication does not know it any more; `CancellationError`.
  public func fetchPosts(
    of club: FanClub.ID, pacedBy clock: any AppClock, begun: @MainActor (Import) -> Void = { _ in }
  ) async throws -> Import {
    var latest = try await fetchPosts(of: club)
    begun(latest)
    while latest.state == .running, !isClosed {
      try await effects.sleep("fanclub.pace", for: Self.pace, on: clock)
      let (client, id) = (client, latest.id)
      do { latest = try await request("fanclub.progress") { try await client.progress(of: id) } } catch {
        guard RequestError(explaining: error).isUnreachable, !Task.isCancelled else { throw error }
      }
    }
    // Posts without a date got one in between.
    fetchedAt[club] = self.clock.now
    return latest
  }

  private static let pace = Duration.milliseconds(500)

  /// Loads a post with its body into the cache: first the stored one, then the publication's.
  /// - Parameter refetch: whether to send another request while one is under way, since the answer may differ now.
  /// - Returns: the publication's answer: without a body when this reader may not read it.
  /// - Throws: `ClientError`.
  @discardableResult public func loadPost(_ id: Post.ID, refetch: Bool = false) async throws -> Post {
    let (client, wasUnlocked) = (client, posts[id]?.unlocked == true)
    let post = try await forgetting(id, in: postCache) {
      try await postCache.load(id, "article.load", effects: effects, refetch: refetch) { etag in
        try await client.post(id, ifNoneMatch: etag).answer { Page(items: [$0]) }
      }
    }
    if post.premium, post.body == nil, !isClosed {
      if hasPremium { onAccessRefused?() } else if posts[id]?.body != nil { removeClosedBodies() }
      // The pass that opened it was given back, and perhaps others with it.
      if wasUnlocked { Task { try? await refreshPasses() } }
    }
    return post
  }

  /// Removes the stored texts of all posts that this reader may no longer read: for use when the publication has taken access back. Access
  /// that ends by a clock is no reason, since clocks are wrong at times, and without network the texts could not be fetched again.
  public func removeClosedBodies() {
    if !hasPremium { postCache.removeDetails { $0.premium && !$0.unlocked } }
  }

  /// Loads a fan club into the cache: first the stored one, then the publication's.
  /// - Parameter refetch: see ``loadPost(_:refetch:)``.
  /// - Throws: `ClientError`.
  @discardableResult public func loadFanClub(_ id: FanClub.ID, refetch: Bool = false) async throws -> FanClub {
    let client = client
    return try await forgetting(id, in: clubCache) {
      try await clubCache.load(id, "fanclub.load", effects: effects, refetch: refetch) {
        try await client.fanClub(id, ifNoneMatch: $0).answer { Page(items: [$0]) }
      }
    }
  }

  /// Asks the publication something that no cache asks for.
  func request<Answer: Sendable>(
    _ label: String, _ call: @escaping @concurrent @Sendable () async throws -> Answer
  ) async throws -> Answer {
    do {
      let answer = try await effects.run(label, call)
      heard(nil)
      return answer
    } catch {
      heard(error)
      throw error
    }
  }

  /// An answer shows that the publication is reachable: neither pending actions nor a screen need to wait for their next try.
  private func heard(_ error: (any Error)?) {
    guard !isClosed else { return }
    guard error.map(RequestError.isAnswer) ?? true else {
      if let error = error as? ClientError, error.isOffline { publicationUnreachable(error.sentence) }
      return
    }
    actions.serverAnswered()
    if error == nil { maintenanceIsOver() }
    reached()
    countUnread()
  }

  /// The publication had perhaps asked for a longer pause.
  private func maintenanceIsOver() {
    guard waitsForMaintenance else { return }
    waitsForMaintenance = false
    actions.retryNow()
  }

  /// The publication has answered, if only an action.
  func reached() {
    outOfReach.value = nil
    failedTries = 0
    onAnswer?()
    retryUnreachable()
  }

  /// The publication has answered a request that was not sent here, such as one for purchases: actions that wait only because the
  /// publication was unreachable need not wait for their next try.
  public func publicationAnswered() {
    guard !isClosed, isOutOfReach || outboxStatus.value.problem != nil else { return }
    outOfReach.value = nil
    maintenanceIsOver()
    networkIsBack()
  }

  /// The publication could not be reached for a request of any kind. It is asked again by and by, as long as a screen is shown.
  /// - Parameter problem: a sentence for people.
  public func publicationUnreachable(_ problem: String) {
    guard !isClosed else { return }
    outOfReach.value = problem
    scheduleRetry()
  }

  /// Sends again at once what waits for the publication, because the reader wants it; returns when it is known whether that reached it.
  public func tryNow() async {
    let sending = actions.retryNow()
    retryUnreachable()
    if let sending { await sending.value } else { await checkReachability() }
  }

  private func checkReachability() async { _ = try? await request("content.reach") { [client] in try await client.publication() } }

  /// There is a network, according to the desktop: neither pending actions nor a screen need to wait for their next try.
  public func networkIsBack() {
    actions.networkIsBack()
    retryUnreachable()
  }

  /// - Returns: whether a screen repeats a request.
  @discardableResult private func retryUnreachable() -> Bool {
    retryTask?.cancel()
    retryTask = nil
    var isRepeated = false
    for page in pagesOnScreen where page.retryUnreachable() { isRepeated = true }
    return isRepeated
  }

  /// A minute has passed, as the shown screens say.
  public func timePassed() { for page in pagesOnScreen { page.timePassed() } }

  /// Servers come back without any change of the network. There is one wait for all screens; one that is not shown asks when it is.
  private func scheduleRetry() {
    guard retryTask == nil, !pagesOnScreen.isEmpty else { return }
    failedTries += 1
    let wait = Self.againPace.wait(after: failedTries, chance: random.fraction())
    retryTask = Task { [weak self, effects, clock] in
      guard (try? await effects.sleep("content.retry", for: wait, on: clock)) != nil, !Task.isCancelled else { return }
      self?.retryTask = nil
      // Where no screen misses anything, another request had no answer: only a question tells when that is over.
      if self?.retryUnreachable() == false, self?.isOutOfReach == true { await self?.checkReachability() }
    }
  }

  /// Runs a request; an entity that is gone at the publication is removed everywhere.
  private func forgetting<Value>(
    _ id: String, in cache: Cache<Value>, _ body: () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch {
      if !isClosed, (error as? ClientError)?.isNotFound == true { cache.remove([id]) }
      throw error
    }
  }

  /// A screen is shown. It is held weakly, and first gets the failures that no screen could show.
  public func enter(_ page: any ContentScreen) {
    leave(page)
    onScreen.append { [weak page] in page }
    if !unseenFailures.isEmpty { page.actionFailed(unseenFailures.joined(separator: " ")) }
    unseenFailures = []
  }

  /// A screen went away, and gets no more failures.
  public func leave(_ page: any ContentScreen) {
    onScreen.removeAll { weak in weak().map { $0 === page } ?? true }
  }

  /// The reader has signed out: removes everything from memory, and later answers reach no screen. Pending actions stay in the outbox.
  /// - Parameter retainsUnfinished: `true` when the session ended by itself: the stored copy of ``unfinished`` stays. `false` at a
  ///   sign-out: it is erased, drafts included.
  public func close(retainingUnfinished retainsUnfinished: Bool = false) {
    isClosed = true
    if retainsUnfinished { onUnfinishedChanged = nil }
    retryTask?.cancel()
    onScreen = []
    actions.close()
    passes.value = nil
    postCache.removeAll()
    clubCache.removeAll()
    commentCache.removeAll()
    refusedComments = []
    handedBack = []
    unfinished = UnfinishedWork()
  }

  private var pagesOnScreen: [any ContentScreen] { onScreen.compactMap { $0() } }

  /// Shows a failure on the shown screens, or else on the next one.
  func failed(_ sentence: String) {
    let pages = pagesOnScreen
    if pages.isEmpty, !unseenFailures.contains(sentence) { unseenFailures.append(sentence) }
    for page in pages { page.actionFailed(sentence) }
  }
}

/// A cache of anything.
@MainActor private protocol AnyCache: AnyObject {
  var onNotice: ((String) -> Void)? { get set }
  var onAnswer: (((any Error)?) -> Void)? { get set }
}

extension Cache: AnyCache {}

extension Import {
  /// Why a fan club's posts could not be fetched, for the reader; `nil` when they were.
  public var problemOfFetching: String? { state == .done ? nil : problem ?? "The posts of this fan club could not be fetched." }
}
