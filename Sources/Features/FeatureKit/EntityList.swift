import ContentCache
import Foundation
import PublicationAPI
import ReaderContent
import Runtime

/// The state of a list on a page. Rows are ids: the entities are in the cache, once each.
public struct ListState: Equatable, Sendable {
  /// What fills the page.
  public enum Phase: Equatable, Sendable {
    /// Nothing is there yet, and the first rows are on their way.
    case loading
    /// There is at least one row.
    case ready
    /// There are no rows.
    case empty
    /// No rows, because the publication is unreachable; the sentence says what to do.
    case offline(String)
    /// No rows, for another reason; the sentence says which.
    case failed(String)
  }

  /// The rows, in order.
  public var ids: [String] = []
  /// What fills the page.
  public var phase = Phase.loading
  /// Whether rows that are there are being loaded again.
  public var isRefreshing = false
  /// Whether there are further rows below the last.
  public var canLoadMore = false
  /// Whether they are on their way.
  public var isLoadingMore = false
  /// Why further rows could not be loaded. They are requested again only on `retryTapped`, so that being at the end is no loop.
  public var loadMoreFailure: String?
  /// How many newer rows the publication has, which are not shown before the reader requests them: see `newItemsTapped`.
  public var newItemCount = 0
  /// Whether there may be more than ``newItemCount`` of them.
  public var hasMoreNewItems = false
  /// How many newer posts there are, such as `3 new posts`; `nil` for none.
  public var pill: String? {
    switch newItemCount {
    case 0: nil
    case 1: "1 new post"
    default: "\(newItemCount)\(hasMoreNewItems ? " or more" : "") new posts"
    }
  }
  /// A note that the rows are those stored on this computer, and why; `nil` for the publication's present ones.
  public var note: String?
  /// Whether the ``note`` belongs on the page: above rows, or where it is said that there are none.
  public var showsNote: Bool { note != nil && (phase == .ready || phase == .empty) }
  /// A short message to the reader; `nil` for none.
  public var message: String?
  /// Whether the message is about something that can be undone.
  public var canUndo = false

  /// A page that has not loaded.
  public init() {}
}

/// One page of entities: loads ids, follows the cache while it is on screen, and does nothing while it is not.
@MainActor public final class EntityList<Value: Entity>: ContentScreen {
  /// The single source of truth.
  @ViewState public private(set) var state = ListState()
  /// See ``ScreenModel``.
  public func observe(_ observer: @escaping @MainActor (ListState) -> Void) { $state.observe(observer) }
  /// Called with the rows to draw again, among those that ``value(_:)`` was called for.
  public var onRowsChanged: ((Set<String>) -> Void)?

  /// Called before the list repeats its request by itself, for pages that have other requests to repeat.
  public var onRetryUnreachable: (() -> Bool)?
  /// See `PageFetcher`.
  var onNewItems: (([String]) -> Void)? { didSet { fetcher.onNewItems = onNewItems } }

  private let store: ContentStore
  private let cache: any CacheReading<Value>
  private let fetcher: PageFetcher<Value>
  private let updatesWithActions: Bool
  private let holdsBackNewItems: Bool
  private let isPremium: (Value) -> Bool
  private var observations: [Observation] = []
  private var isOnScreen = false
  private var isReloading = false
  /// Whether the request under way was not the reader's: its progress is not shown.
  private var isQuiet = false
  /// Why the first rows could not be loaded the last time, and the message about it; both hold until they are loaded.
  private var failedRefresh: RequestError?
  private var refreshMessage: String?
  /// Undoes what ``ListState/message`` is about.
  private var undo: (@MainActor () -> Void)?
  private var drawn: Set<String> = []
  /// Those of them that may say that something waits to be sent.
  private var waiting: Set<String> = []
  /// ``ContentStore/listsAge`` at the request for the rows that are here, and at the last request.
  private var (age, requestedAge) = (0, 0)

  /// - Parameters:
  ///   - fetcher: loads the identifiers of the rows: one of the store's, such as `ContentStore.postList`.
  ///   - cache: where the entities are.
  ///   - store: the reader's content.
  ///   - updatesWithActions: whether the reader's own actions change the list: its fetcher has a membership, by which rows come and go at once.
  ///   - holdsBackNewItems: whether rows above the first wait until the reader asks for them, so that those that are read stay where they are.
  ///   - isPremium: whether a row looks different when the reader's access changes.
  init(
    _ fetcher: PageFetcher<Value>, in cache: any CacheReading<Value>, store: ContentStore, updatesWithActions: Bool = false,
    holdsBackNewItems: Bool = false, isPremium: @escaping (Value) -> Bool = { _ in false }
  ) {
    self.fetcher = fetcher
    self.cache = cache
    self.store = store
    self.updatesWithActions = updatesWithActions
    self.holdsBackNewItems = holdsBackNewItems
    self.isPremium = isPremium
    fetcher.onChange = { [weak self] _ in self?.listChanged() }
  }

  /// The entity of a row that is about to be drawn.
  public func value(_ id: String) -> Value? {
    drawn.insert(id)
    return cache[id]
  }

  /// The page is on screen: loads when there are no rows, and otherwise reads the cache again.
  public func appear() {
    guard !isOnScreen else { return }
    isOnScreen = true
    observations = [
      cache.observe { [weak self] in self?.entitiesChanged($0) }, store.outboxStatus.observe { [weak self] in self?.waitingChanged($0) },
    ]
    store.enter(self)
    switch fetcher.state.status {
    case .initial, .failed, .offline: reload(isDeliberate: false)
    // What could not be confirmed is tried again.
    case .content where state.note != nil: reload(isDeliberate: false)
    case .loading, .empty, .content:
      // What made it out of date is something that the reader did, and wants to see.
      if age != store.listsAge { reload() } else if failedRefresh != nil { reload(isDeliberate: false) } else { fetcher.reloadFromCache() }
    }
    update()
    if !drawn.isEmpty { onRowsChanged?(drawn) }
  }

  /// The page is off screen: stops following the cache.
  public func disappear() {
    isOnScreen = false
    observations = []
    store.leave(self)
  }

  /// Loads the list again.
  package func refreshTapped() {
    // What can be undone stays so.
    if !state.canUndo { state.message = nil }
    reload()
  }

  private func reload(isDeliberate: Bool = true) {
    // The request under way is older than the change.
    let refetch = requestedAge != store.listsAge
    requestedAge = store.listsAge
    isQuiet = false
    fetcher.reload(showsNewItems: isDeliberate || !holdsBackNewItems, refetch: refetch)
    // What was on its way already is awaited now.
    update()
  }

  /// Asks the publication whether it has newer rows. The answer changes only ``ListState/newItemCount``; only where there are no rows, new
  /// ones are shown at once.
  public func checkForNewItems() {
    if state.phase == .ready || state.phase == .empty, !store.isClosed { fetcher.checkForNewItems() }
  }

  /// Brings in what is newer: see ``ListState/newItemCount``.
  package func newItemsTapped() {
    if state.newItemCount > 0 { fetcher.showNewItems() }
  }

  /// Tries again what failed.
  package func retryTapped() {
    guard state.loadMoreFailure != nil else { return refreshTapped() }
    state.loadMoreFailure = nil
    isQuiet = false
    fetcher.loadMore()
    update()
  }

  /// Repeats, without a notice, the requests for which the publication could not be reached: for the first rows or further ones.
  /// - Returns: whether there were any.
  @discardableResult public func retryUnreachable() -> Bool {
    let isRepeated = onRetryUnreachable?() ?? false
    let list = fetcher.state
    guard [failedRefresh, list.failure].contains(where: { $0?.isUnreachable == true }), !list.isLoading, !store.isClosed else {
      return isRepeated
    }
    isQuiet = true
    // The first rows first: further ones follow when they are there.
    if failedRefresh == nil, state.loadMoreFailure != nil {
      fetcher.loadMore()
      return true
    }
    requestedAge = store.listsAge
    fetcher.reload(showsNewItems: age != requestedAge || !holdsBackNewItems)
    return true
  }

  /// The last row is in sight: loads further ones.
  package func reachedEnd() {
    guard state.canLoadMore, !state.isLoadingMore, state.loadMoreFailure == nil else { return }
    fetcher.loadMore()
  }

  /// The reader has read the message.
  package func messageDismissed() { say(nil) }

  /// Shows the reader what was done, and offers to undo it. What was done twice is undone together: the second click of a double click
  /// alone would leave nothing to undo.
  func offerUndo(_ sentence: String, _ undo: @escaping @MainActor () -> Void) {
    guard state.canUndo, state.message == sentence, let earlier = self.undo else { return say(sentence, undo: undo) }
    say(sentence) {
      undo()
      earlier()
    }
  }

  /// Goes on offering what another list offered to undo: the reader looks at the same things in another way.
  package func takeUndo(from other: EntityList) {
    if other.state.canUndo, let undo = other.undo { say(other.state.message, undo: undo) }
  }

  /// Undoes what the message is about; does nothing when that cannot be undone.
  package func undoTapped() {
    guard state.canUndo, let undo else { return }
    say(nil)
    undo()
  }

  private func say(_ message: String?, undo: (@MainActor () -> Void)? = nil) {
    self.undo = undo
    var new = state
    (new.message, new.canUndo) = (message, undo != nil)
    state = new
  }

  /// Draws rows again whose lock may have changed.
  public func accessChanged() {
    let locked = drawn.filter { cache[$0].map(isPremium) ?? false }
    if !locked.isEmpty { onRowsChanged?(locked) }
  }

  /// Draws the rows again, whose dates say how long ago something was.
  public func timePassed() { if !drawn.isEmpty { onRowsChanged?(drawn) } }

  /// Shows the sentence to the reader.
  public func actionFailed(_ sentence: String) { say(sentence) }

  private func entitiesChanged(_ ids: Set<String>) {
    // What is gone leaves every list.
    fetcher.reloadFromCache(ids)
    let rows = ids.intersection(drawn)
    if !rows.isEmpty { onRowsChanged?(rows) }
  }

  /// An action that waits looks different from one that is being sent, and from a confirmed one, though the entity is the same.
  private func waitingChanged(_ changed: OutboxStatus) {
    let waits: Set<String> = changed.problem == nil ? [] : drawn.filter { cache.isPending($0) }
    let rows = waits.union(waiting)
    waiting = waits
    if !rows.isEmpty { onRowsChanged?(rows) }
  }

  private func listChanged() {
    let list = fetcher.state
    let isReloaded = isReloading && !list.isReloading
    isReloading = list.isReloading
    if isReloaded { failedRefresh = list.reloadFailure }
    if isReloaded, list.reloadFailure == nil { age = requestedAge }
    // An answer may be older than what the reader did meanwhile.
    if updatesWithActions, isOnScreen, !list.isLoading { fetcher.reloadFromCache() }
    update()
    guard isQuiet, !list.isLoading else { return }
    isQuiet = false
    guard isOnScreen, list.failure == nil, state.loadMoreFailure != nil else { return }
    if isReloaded { retryTapped() } else { state.loadMoreFailure = nil }
  }

  private static var offlineNote: String { "This is the list as it was when it was loaded last." }

  /// Makes the state from the fetcher's: the only place that combines several facts into what the page shows.
  private func update() {
    guard isOnScreen, !store.isClosed else { return }
    let list = fetcher.state
    let failure = list.failure
    // Every row that was loaded has left the page since, as bookmarks do, and there are more: the page is not empty yet.
    let needsMore = list.status == .empty && !list.reachedEnd && failure == nil
    var new = state
    new.ids = list.ids
    new.isRefreshing = list.isReloading && !list.ids.isEmpty && !isQuiet
    new.isLoadingMore = list.isLoadingMore && !isQuiet
    new.canLoadMore = !list.reachedEnd && !list.ids.isEmpty
    if let failure = list.loadMoreFailure {
      new.loadMoreFailure = failure.absence
    } else if list.isReloading, !isQuiet {
      new.loadMoreFailure = nil
    }
    // The note says why rows are from an earlier time, as long as they are; it stays during another try.
    let isUnreachable = list.failure?.isUnreachable == true
    new.note =
      list.isFromStore && isUnreachable ? Self.offlineNote : list.isFromStore && (list.isLoading || list.isRevalidating) ? state.note : nil
    let isSaid = new.note != nil && state.note == nil
    if state.isRefreshing, !list.isReloading, !isSaid, let failure = list.reloadFailure {
      refreshMessage = "The list could not be refreshed. \(failure.absence)"
      new.message = refreshMessage
    }
    if failedRefresh == nil, let said = refreshMessage {
      if new.message == said { new.message = nil }
      refreshMessage = nil
    }
    new.canUndo = new.canUndo && new.message == state.message
    (new.newItemCount, new.hasMoreNewItems) = (list.newItemCount, list.hasMoreNewItems)
    switch list.status {
    case .initial, .loading: if !isQuiet { new.phase = .loading }
    case .empty: new.phase = needsMore ? .loading : .empty
    case .content: new.phase = .ready
    case .failed(let sentence): new.phase = .failed(sentence)
    case .offline: new.phase = .offline(failure?.absence ?? "")
    }
    state = new
    if needsMore { fetcher.loadMore() }
  }
}

extension EntityList<Comment> {
  /// A post's comments, oldest first, with those that wait to be sent.
  public static func comments(of post: Post.ID, store: ContentStore) -> EntityList<Comment> {
    EntityList(store.commentList(of: post), in: store.comments, store: store, updatesWithActions: true)
  }
}
