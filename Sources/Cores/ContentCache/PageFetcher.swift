import Foundation
import Runtime

/// Fetches a list page by page: entities from the store and the server go into the cache, and their identifiers stay here for a view.
///
/// Every input changes ``state`` before it returns.
@MainActor public final class PageFetcher<Value: Entity> {
  /// Everything a page needs to know of its list.
  public typealias State = PageState

  /// The list so far, and how far it is.
  public private(set) var state = State() {
    didSet { if state != oldValue { onChange?(state) } }
  }
  /// Called after each change of ``state``.
  public var onChange: ((State) -> Void)?
  /// Called with the server's items that are newer than what is shown, each time that a request finds some.
  public var onNewItems: (([String]) -> Void)?

  private let label: String
  private let list: String
  private let cache: Cache<Value>
  private let effects: Effects
  private let membership: ListMembership<Value>?
  private let order: ((Value, Value) -> Bool)?
  private let explain: @MainActor (any Error) -> RequestError
  private let fetch: @Sendable (_ cursor: String?, _ etag: String?) async throws -> PageAnswer<Value>

  /// The pages that are shown, in their order.
  private var pages: [ListPage] = []
  /// The page that is being loaded and not shown yet: the first of a new list, or the one after the last.
  private var nextPage: ListPage?
  /// The request that asks whether the server has anything newer.
  private var newItemsCheck: Observation?
  private var policy = FetchPolicy.storedThenServer
  /// Whether items above the first one are shown with the first page.
  private var showsNewItems = true
  /// The ids of ``state``, once they were read: another page must not cost as much as all before it.
  private var listedIDs: Set<String>?

  /// - Parameters:
  ///   - label: what its deliveries are called, such as `"feed.load"`.
  ///   - list: names the list among all of this cache. Its pages are stored under this name, and fetchers of one name share a request.
  ///   - cache: where the entities are.
  ///   - effects: the door off the main actor.
  ///   - membership: for a list that a reader's own actions change.
  ///   - order: whether the first of two entities is before the second, where that is known: for ``PageState/newItemCount``.
  ///   - explain: what an error of `fetch` means, with a sentence for the reader.
  ///   - fetch: asks the server for the page at a cursor, `nil` for the first; with the entity tag of what is here, where there is one.
  public init(
    _ label: String, list: String, cache: Cache<Value>, effects: Effects, membership: ListMembership<Value>? = nil,
    order: ((Value, Value) -> Bool)? = nil, explain: @escaping @MainActor (any Error) -> RequestError,
    fetch: @escaping @Sendable (_ cursor: String?, _ etag: String?) async throws -> PageAnswer<Value>
  ) {
    self.label = label
    self.list = list
    self.cache = cache
    self.effects = effects
    self.membership = membership
    self.order = order
    self.explain = explain
    self.fetch = fetch
  }

  /// Fetches the list from its start. While that is under way, asking again starts nothing.
  ///
  /// Where a list is shown already, the store has nothing new: only the server is asked. Later pages stay if the answer ends with an item of
  /// the first page as it is shown, and are asked for one after the other if new items are shown: some may be among theirs. Otherwise they
  /// are removed.
  /// - Parameters:
  ///   - policy: where the list comes from.
  ///   - showsNewItems: whether items above the first are shown at once, since the reader requested them. Otherwise they are counted in
  ///       ``PageState/newItemCount``, so that the reader does not lose their place. With a ``ListMembership`` all come in at once.
  ///   - refetch: whether to ask again while a request for the same is under way, by this list or another, since its answer may be out of
  ///     date. All of them get the new answer. The next page, if it is under way, is dropped.
  public func reload(_ policy: FetchPolicy = .storedThenServer, showsNewItems: Bool = true, refetch: Bool = false) {
    if state.isReloading, !refetch {
      // What is on its way is what the reader asks for now.
      if showsNewItems {
        self.showsNewItems = true
        change { ($0.newItemCount, $0.hasMoreNewItems) = (0, false) }
      }
      return
    }
    newItemsCheck = nil
    let isShown = !pages.isEmpty && policy != .storedOnly
    if state.isReloading || !isShown { cancelAll() }
    self.policy = policy
    self.showsNewItems = showsNewItems
    if !isShown { nextPage = ListPage(cursor: "") }
    load("", refetches: refetch) {
      $0.failure = nil
      if showsNewItems { ($0.newItemCount, $0.hasMoreNewItems) = (0, false) }
    }
  }

  /// Shows or fetches the next page, if there is one and it is not being loaded.
  public func loadMore() {
    guard let cursor = pages.last?.next, nextPage?.status.isLoading != true else { return }
    if nextPage == nil { nextPage = ListPage(cursor: cursor) }
    load(cursor) { $0.failure = nil }
  }

  /// Re-reads the cache without asking the server: for a screen that reappears.
  ///
  /// Drops entities that the cache no longer has. With a ``ListMembership`` it also drops those that left the list, and adds those that
  /// joined it within the fetched part.
  ///
  /// If the server's answer covers an entity's place and does not list it, the entity has left the list. Only an entity that became known
  /// after that request can join it. Beyond the last fetched page none joins, unless that page could not be fetched: the cache's entities
  /// then stand in for it.
  /// - Parameter changed: the only entities that can have joined or left; `nil` for all.
  public func reloadFromCache(_ changed: Set<String>? = nil) {
    let ids = state.ids
    guard let membership, state.isLoaded else {
      if let changed, !changed.contains(where: { listed.contains($0) && !cache.shows($0) }) { return }
      let there = ids.filter(cache.shows)
      guard there.count != ids.count else { return }
      listedIDs = nil
      return change { $0.ids = there }
    }
    let last = pages.reversed().lazy.compactMap { [cache] in $0.ids.last(where: cache.shows) }.first.flatMap { cache[$0] }
    let requestedAt = pages.contains { $0.status.requestedAt == nil } ? nil : pages.compactMap(\.status.requestedAt).min()
    let hasSubstitutes = nextPage?.hasSubstitutes == true
    let belongs = { [cache, state] (value: Value) in
      guard membership.contains(value) else { return false }
      let isBeyond = !state.reachedEnd && last.map { membership.precedes($0, value) } ?? true
      if isBeyond { return hasSubstitutes }
      return requestedAt.map { cache.isPending(value.id) || cache.isFetched(value.id, since: $0) } ?? true
    }
    // Each list on screen is notified of each change, and most are not affected.
    let joined = changed.map { $0.filter { id in self.cache[id].map(belongs) ?? false } } ?? Set(cache.ids(where: belongs))
    if let changed, joined.isSubset(of: listed), stays(changed, membership) { return }
    let fetched = Set(pages.flatMap(\.ids))
    let stayed = ids.filter { id in cache[id].map(fetched.contains(id) ? membership.contains : belongs) ?? false }
    let sorted = joined.union(stayed).compactMap { cache[$0] }.sorted(by: membership.precedes).map(\.id)
    listedIDs = nil
    change { $0.ids = sorted }
  }

  /// Whether the changed entities that are in the list keep their places.
  private func stays(_ changed: Set<String>, _ membership: ListMembership<Value>) -> Bool {
    guard !changed.isDisjoint(with: listed) else { return true }
    let ids = state.ids
    return ids.indices.allSatisfy { place in
      guard changed.contains(ids[place]) else { return true }
      guard let value = cache[ids[place]], membership.contains(value) else { return false }
      let (before, after) = (place > 0 ? cache[ids[place - 1]] : nil, place + 1 < ids.count ? cache[ids[place + 1]] : nil)
      return !(before.map { membership.precedes(value, $0) } ?? false) && !(after.map { membership.precedes($0, value) } ?? false)
    }
  }

  /// Asks the server how many items it has above the first of the list, and changes nothing but ``PageState/newItemCount``. A failure
  /// changes nothing and is not shown.
  public func checkForNewItems() {
    guard !state.isLoading else { return }
    newItemsCheck = cache.request(PageKey(list, nil), label, effects, fetch: fetch) { [weak self] result in
      guard let self else { return }
      newItemsCheck = nil
      guard let page = try? result.get() else { return }
      let newer = newer(page)
      tell(newer)
      // In an empty list the reader has no place to lose.
      if state.status == .empty, !page.ids.isEmpty { showNewItems() } else { change { count(newer, of: page, &$0) } }
    }
  }

  /// Shows the items that ``PageState/newItemCount`` counts, without another request.
  public func showNewItems() {
    guard let page = cache.pages[PageKey(list, nil)] else { return reload() }
    newItemsCheck = nil
    showsNewItems = true
    if pages.isEmpty { nextPage = ListPage(cursor: "", status: .requested) }
    answered(page, "") { $0.failure = nil }
  }

  /// Empties the list and drops every answer on its way: for signing out.
  public func reset() {
    cancelAll()
    newItemsCheck = nil
    pages = []
    listedIDs = nil
    state = State()
  }

  // MARK: What a page waits for

  /// Cancels all requests, and drops the page that is not shown yet.
  private func cancelAll() {
    nextPage = nil
    for index in pages.indices { pages[index].update(.cancelled, policy) }
  }

  /// Loads the page at a cursor: updates its status, and does what that requires.
  /// - Parameters:
  ///   - refetches: whether to send a request although another list has one under way.
  ///   - also: what else changes in ``state``.
  private func load(_ cursor: String, refetches: Bool = false, _ also: (inout State) -> Void = { _ in }) {
    update(cursor, .load(policy))
    change(also)
    work(cursor, refetches)
  }

  /// The page at a cursor; one under way takes precedence over a shown one. Setting it does nothing where there is none.
  private subscript(cursor: String) -> ListPage? {
    get { nextPage?.cursor == cursor ? nextPage : pages.first { $0.cursor == cursor } }
    set {
      guard let newValue else { return }
      if nextPage?.cursor == cursor {
        nextPage = newValue
      } else if let index = pages.firstIndex(where: { $0.cursor == cursor }) {
        pages[index] = newValue
      }
    }
  }

  /// Applies an event to the page at a cursor, and ends its wait.
  private func update(_ cursor: String, _ event: PageStatus.Event) { self[cursor]?.update(event, policy) }

  /// Does what the status of the page at a cursor asks for.
  private func work(_ cursor: String, _ refetches: Bool = false) {
    guard let status = self[cursor]?.status, status.isLoading else { return }
    if case .loadingFromStore = status { return readStore(cursor, refetches) }
    self[cursor]?.work = cache.request(PageKey(list, cursor), label, effects, refetch: refetches, fetch: fetch) { [weak self] result in
      switch result {
      case .success(let page): self?.answered(page, cursor)
      // Everything was forgotten: there is no list any more.
      case .failure(is CancellationError): break
      case .failure(let error): self.map { $0.failed($0.explain(error), cursor) }
      }
    }
  }

  private func readStore(_ cursor: String, _ refetches: Bool) {
    let key = PageKey(list, cursor)
    guard cache.pages[key] == nil, cache.entityStore != nil else {
      let page = cache.pages[key]
      page.map(cache.persist)
      return storeAnswered(page, cursor, refetches)
    }
    let task = Task.immediate { [weak self, cache, membership] in
      var page = await cache.loadFromStore(key)
      if let membership, cursor.isEmpty {
        await cache.loadPinnedFromStore()
        // Perhaps the entities are only from the reader's own actions, and the list was never fetched.
        if page == nil, !cache.ids(where: membership.contains).isEmpty { page = PageRow(key: key, ids: [], fetchedAt: .distantPast) }
      }
      if !Task.isCancelled { self?.storeAnswered(page, cursor, refetches) }
    }
    nextPage?.work = Observation { task.cancel() }
  }

  private func storeAnswered(_ page: PageRow?, _ cursor: String, _ refetches: Bool) {
    guard case .loadingFromStore(let failure) = nextPage?.status else { return }
    guard let page else {
      update(cursor, .missingInStore)
      if let failure { return showFailure(failure, cursor) }
      if nextPage?.status == .unloaded {
        nextPage = nil
        change { $0.isLoaded = true }
      }
      return work(cursor, refetches)
    }
    update(cursor, .foundInStore(page.fetchedAt))
    showNextPage(page) { $0.failure = failure }
    work(cursor, refetches)
    if membership != nil { reloadFromCache() }
  }

  private func failed(_ failure: RequestError, _ cursor: String) {
    update(cursor, .failed(failure))
    // The store may have the page that the server did not give.
    if self[cursor]?.status.isLoading == true { work(cursor) } else { showFailure(failure, cursor) }
  }

  private func showFailure(_ failure: RequestError, _ cursor: String) {
    // Without its first page there is no list, and the next try begins it again.
    if nextPage?.cursor == "" { nextPage = nil }
    change { $0.failure = failure }
    guard membership != nil, failure.isUnreachable, nextPage?.cursor == cursor else { return }
    nextPage?.hasSubstitutes = true
    let task = Task.immediate { [weak self, cache] in
      await cache.loadPinnedFromStore()
      if !Task.isCancelled { self?.reloadFromCache() }
    }
    nextPage?.work = Observation { task.cancel() }
  }

  // MARK: What is shown

  private func answered(_ page: PageRow, _ cursor: String, _ also: (inout State) -> Void = { _ in }) {
    let stamp = page.requestedAt ?? .beforeAll
    if nextPage?.cursor == cursor {
      update(cursor, .answered(stamp))
      return showNextPage(page, also)
    }
    guard let index = pages.firstIndex(where: { $0.cursor == cursor }) else { return }
    var ids = page.ids
    // The first answer after a stored page reports nothing: it would report all since the last run.
    lazy var newer = cursor.isEmpty && membership == nil ? self.newer(page) : []
    if pages[index].status.storedDate == nil { tell(newer) }
    var newerCount = 0
    if cursor.isEmpty, !showsNewItems, membership == nil, !state.ids.isEmpty {
      var counted = state
      count(newer, of: page, &counted)
      // There may be unknown items between the two pages: the shown one stays until the reader requests the other.
      if counted.hasMoreNewItems {
        pages[index].update(.heldBack, policy)
        return change { ($0.newItemCount, $0.hasMoreNewItems, $0.failure) = (counted.newItemCount, true, nil) }
      }
      let newerIDs = Set(newer)
      if newerIDs.count < ids.count {
        ids.removeAll(where: newerIDs.contains)
        newerCount = counted.newItemCount
      }
    }
    let isSame = pages[index].ids == ids && pages[index].next == page.next && ids.allSatisfy(listed.contains)
    confirm(index, ids: ids, next: page.next, stamp)
    showPages(adding: isSame ? [] : nil) {
      if cursor.isEmpty { ($0.newItemCount, $0.hasMoreNewItems) = (newerCount, false) }
      also(&$0)
    }
    confirmPage(after: cursor)
  }

  /// Asks for the next of the shown pages again, after one was confirmed: an item that the server got late, such as from a feed that was just
  /// added, may be on any of them.
  private func confirmPage(after cursor: String) {
    guard showsNewItems, membership == nil, let next = pages.drop(while: { $0.cursor != cursor }).dropFirst().first,
      !next.status.isLoading
    else { return }
    load(next.cursor)
  }

  /// Begins the list with the loaded page, or appends it.
  private func showNextPage(_ row: PageRow, _ also: (inout State) -> Void) {
    guard var page = nextPage else { return }
    nextPage = nil
    // Substitutes shown in its place go, except those that the page lists.
    let isAdded = !page.cursor.isEmpty && !page.hasSubstitutes
    (page.ids, page.next, page.hasSubstitutes) = (row.ids, row.next, false)
    if page.cursor.isEmpty { pages = [page] } else { pages.append(page) }
    showPages(adding: isAdded ? page.ids : nil, also)
  }

  /// Replaces the shown page by the server's. Items further down stay if none can be missing in between, so that a reader there does not
  /// lose their place.
  private func confirm(_ index: Int, ids: [String], next: String?, _ stamp: Stamp) {
    var rest = pages[index]
    pages[index].update(.answered(stamp), policy)
    (pages[index].ids, pages[index].next) = (ids, next)
    guard rest.next != next else { return }
    defer {
      // A page on its way that no longer follows the last one is dropped.
      if nextPage?.cursor != pages.last?.next { nextPage = nil }
    }
    // The shown items behind the last one of this page stay. Without it there may be others in between.
    let shown = [rest] + pages[(index + 1)...]
    guard let next, let end = ids.last, let place = shown.firstIndex(where: { $0.ids.contains(end) }) else {
      return pages.removeSubrange((index + 1)...)
    }
    pages.removeSubrange((index + 1)..<(index + 1 + place))
    rest = shown[place]
    let behind = rest.ids.drop { $0 != end }.dropFirst()
    guard !behind.isEmpty else { return }
    // Items that newer ones pushed out of this page are on the next page now.
    rest = ListPage(cursor: next, ids: Array(behind), next: rest.next, status: rest.status)
    rest.update(.cancelled, policy)
    pages.insert(rest, at: index + 1)
    guard rest.status.storedDate != nil else { return }
    update(next, .load(policy))
    work(next)
  }

  /// What a first page has that is newer than what is shown of it.
  ///
  /// The server may have left out all shown items, such as read ones in a list of unread ones: the first ones of its page are not new then.
  /// And items that it got late, such as from a feed that it fetches seldom, are below earlier ones.
  private func newer(_ page: PageRow) -> [String] {
    let unlisted = { [listed] (id: String) in !listed.contains(id) }
    guard let order else { return Array(page.ids.prefix(while: unlisted)) }
    guard let last = pages.first?.ids.last(where: listed.contains).flatMap({ cache[$0] }) else { return page.ids.filter(unlisted) }
    return page.ids.filter { id in unlisted(id) && cache[id].map { order($0, last) } ?? true }
  }

  private func count(_ newer: [String], of page: PageRow, _ state: inout State) {
    state.newItemCount = newer.count
    state.hasMoreNewItems = state.newItemCount > 0 && state.newItemCount == page.ids.count && page.next != nil
  }

  private func tell(_ newer: [String]) { if !newer.isEmpty { onNewItems?(newer) } }

  private var listed: Set<String> {
    if let listedIDs { return listedIDs }
    let listed = Set(state.ids)
    listedIDs = listed
    return listed
  }

  /// Lists the ids of the pages, after one of them was added or changed.
  /// - Parameter added: the ids to append, if the present ones are unchanged; `nil` to list all again.
  private func showPages(adding added: [String]?, _ also: (inout State) -> Void) {
    // A page has nothing twice, so the first needs no set of its ids.
    let isFirst = added == nil && pages.count == 1
    // No key paths: of a generic type, each is made again at run time.
    let shown = cache.shown(of: added ?? pages.flatMap { $0.ids })
    // Taken out of here meanwhile: each access would be checked again.
    var taken = added == nil ? [] : listed
    listedIDs = nil
    change {
      if isFirst {
        $0.ids = shown
      } else {
        if added == nil { $0.ids = [] }
        taken.reserveCapacity(taken.count + shown.count)
        for id in shown where taken.insert(id).inserted { $0.ids.append(id) }
        listedIDs = taken
      }
      $0.isLoaded = true
      also(&$0)
    }
  }

  /// Makes ``state`` from the pages. Facts that change together are one change to the observer.
  private func change(_ body: (inout State) -> Void) {
    var new = state
    let first = nextPage?.cursor.isEmpty == true ? nextPage : pages.first
    new.isReloading = first?.status.isLoading ?? false
    new.isLoadingMore = nextPage.map { !$0.cursor.isEmpty && $0.status.isLoading } ?? false
    (new.isFromStore, new.fetchedAt, new.isRevalidating) = (false, nil, false)
    for page in pages {
      guard let date = page.status.storedDate else { continue }
      new.isFromStore = true
      if page.status.isRevalidating { new.isRevalidating = true }
      if date > .distantPast { new.fetchedAt = min(new.fetchedAt ?? date, date) }
    }
    new.reachedEnd = !pages.isEmpty && pages.last?.next == nil
    body(&new)
    state = new
  }
}
