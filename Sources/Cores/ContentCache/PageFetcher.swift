import Foundation
import Runtime

/// Fetches a list page by page from the entity store and the server. The entities are in the cache; the list itself is their identifiers.
///
/// A call that begins a request changes ``state`` before it returns. Each page has a `PageStatus`, and pages do not hinder each other: the
/// second may arrive while the first is being refreshed. What then becomes of the second when the first arrives, `confirm` decides.
@MainActor public final class PageFetcher<Value: Entity> {
  /// Everything a screen needs to know of its list.
  public typealias State = PageState

  /// The list so far, and how far it is.
  public private(set) var state = State() {
    didSet { if state != oldValue { onChange?(state) } }
  }
  /// Called after each change of ``state``.
  public var onChange: ((State) -> Void)?
  /// Called with the server's newer items when a request finds some. Not for the first answer of a run, which would name all since the
  /// last, and not by a reload of a list with a ``ListMembership``.
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
  /// The page that is being loaded, or could not be, and is not shown yet: the first of a new list, or the one after the last.
  private var nextPage: ListPage?
  /// How many pages in a row, the last of ``pages``, have brought nothing new although others follow.
  private var pagesWithNothingNew = 0
  /// The request that asks whether the server has anything newer.
  private var newItemsCheck: Observation?
  private var policy = FetchPolicy.storedThenServer
  /// Whether newer items are shown at once, and not only counted.
  private var showsNewItems = true
  /// The ids of ``state`` as a set; `nil` until it is needed. It grows with each page: building it again for each would make a long list
  /// quadratic.
  private var listedIDs: Set<String>?

  /// - Parameters:
  ///   - label: what its deliveries are called, such as `"feed.load"`.
  ///   - list: names the list among all of this cache. Its pages are stored under this name, and fetchers of one name share a request.
  ///   - cache: where the entities are.
  ///   - effects: the door off the main actor.
  ///   - membership: for a list that a user's own actions change.
  ///   - order: whether the first of two entities is before the second; `nil` where the server alone knows. With it, late items count as
  ///     new, and items that the server has left out above them do not make others new.
  ///   - explain: what an error of `fetch` means, with a sentence for the user.
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

  /// Fetches the list from its start. While that is under way, another call starts no request, unless it is a `refetch`.
  ///
  /// Where a list is shown already, only the server is asked, unless the policy is to read the entity store alone. If the answer ends where the
  /// shown first page does, the pages behind it stay. Otherwise the items behind the answer's last item stay, if that is shown; if it is not,
  /// or if the answer is the whole list, none stay. With `showsNewItems` the server is then asked for the pages that stay, one after the
  /// other: late items may be on them.
  /// - Parameters:
  ///   - policy: where the list comes from.
  ///   - showsNewItems: whether newer items are shown at once, since the user requested them. Otherwise they are counted in
  ///       ``PageState/newItemCount``, so that the user does not lose their place. With a ``ListMembership`` all come in at once.
  ///   - refetch: whether to send another request while one for the first page is under way, since that answer may be out of date. All
  ///     fetchers of this list get the new answer. A request of this fetcher for its next page is dropped then.
  public func reload(_ policy: FetchPolicy = .storedThenServer, showsNewItems: Bool = true, refetch: Bool = false) {
    if state.isReloading, !refetch {
      // What is on its way is what the user asks for now.
      if showsNewItems {
        self.showsNewItems = true
        change { ($0.newItemCount, $0.hasMoreNewItems) = (0, false) }
      }
      return
    }
    newItemsCheck = nil
    pagesWithNothingNew = 0
    let retainsPages = !pages.isEmpty && policy != .storedOnly
    if state.isReloading || !retainsPages { cancelAll() }
    self.policy = policy
    self.showsNewItems = showsNewItems
    if !retainsPages { nextPage = ListPage(cursor: "") }
    load("", refetches: refetch) {
      ($0.reloadFailure, $0.loadMoreFailure) = (nil, nil)
      if showsNewItems { ($0.newItemCount, $0.hasMoreNewItems) = (0, false) }
    }
  }

  /// Shows or fetches the next page, if there is one and it is not being loaded.
  ///
  /// After a few pages in a row that bring nothing new, the next such one fails: a server may go on like this without end, and a caller that
  /// loads until there is something to show would ask for ever. Another call looks further.
  public func loadMore() {
    guard let cursor = pages.last?.next, nextPage?.status.isLoading != true else { return }
    if nextPage == nil { nextPage = ListPage(cursor: cursor) } else { pagesWithNothingNew = 0 }
    load(cursor) { ($0.reloadFailure, $0.loadMoreFailure) = (nil, nil) }
  }

  /// Re-reads the cache without asking the server: for a screen that reappears.
  ///
  /// Drops entities that the cache no longer has. With a ``ListMembership`` it also drops those that left the list, and adds those that
  /// joined it within the fetched part.
  ///
  /// Where the server's answer covers an entity's place and does not list it, the entity is not in the list, unless the cache got it after
  /// that request, or an action on it is pending. Behind the last shown page none joins, unless the page after it could not be fetched: the
  /// cache's entities are shown in its place.
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

  /// Asks the server how many newer items it has, and counts them in ``PageState/newItemCount``. The list stays as it is, unless it is
  /// empty: there they are shown. Nothing happens while the list is being loaded. A failure changes nothing and is not shown.
  public func checkForNewItems() {
    guard !state.isLoading else { return }
    newItemsCheck = cache.request(PageKey(list, nil), label, effects, fetch: fetch) { [weak self] result in
      guard let self else { return }
      newItemsCheck = nil
      guard let page = try? result.get() else { return }
      let newer = newer(page)
      tell(newer)
      // In an empty list the user has no place to lose.
      if state.status == .empty, !page.ids.isEmpty { showNewItems() } else { change { count(newer, of: page, &$0) } }
    }
  }

  /// Shows the newer items that ``PageState/newItemCount`` counts, from the answer that brought them. Then the server is asked for the pages
  /// behind, and for all where the cache does not have that answer any more.
  public func showNewItems() {
    guard let page = cache.pages[PageKey(list, nil)] else { return reload() }
    newItemsCheck = nil
    showsNewItems = true
    if pages.isEmpty { nextPage = ListPage(cursor: "", status: .requested) }
    answered(page, "") { $0.reloadFailure = nil }
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

  /// Ends the requests and readings for pages, and drops the page that is not shown yet.
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

  /// The page at a cursor: ``nextPage``, if it has that cursor, or else a shown one. Setting it does nothing where there is none.
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
      // The cache was emptied, since the user signed out.
      case .failure(is CancellationError): self?.reset()
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
        // Perhaps the entities are only from the user's own actions, and the list was never fetched.
        if page == nil, !cache.ids(where: membership.contains).isEmpty { page = PageRow(key: key, ids: [], fetchedAt: .distantPast) }
      }
      if !Task.isCancelled { self?.storeAnswered(page, cursor, refetches) }
    }
    nextPage?.work = Observation { task.cancel() }
  }

  private func storeAnswered(_ page: PageRow?, _ cursor: String, _ refetches: Bool) {
    guard case .loadingFromStore(let failure) = nextPage?.status else { return }
    guard let page, !isOneTooMany(page) else {
      update(cursor, .missingInStore)
      if let failure { return showFailure(failure, cursor) }
      if nextPage?.status == .unloaded {
        nextPage = nil
        change { $0.isLoaded = true }
      }
      return work(cursor, refetches)
    }
    update(cursor, .foundInStore(page.fetchedAt))
    showNextPage(page) { Self.set(failure, ofFirst: cursor.isEmpty, in: &$0) }
    work(cursor, refetches)
    if membership != nil { reloadFromCache() }
  }

  private func failed(_ failure: RequestError, _ cursor: String) {
    update(cursor, .failed(failure))
    // The entity store may have the page that the server did not give.
    if self[cursor]?.status.isLoading == true { work(cursor) } else { showFailure(failure, cursor) }
  }

  private func showFailure(_ failure: RequestError, _ cursor: String) {
    let isNext = !cursor.isEmpty && nextPage?.cursor == cursor
    // Without its first page there is no list, and the next try begins it again.
    if nextPage?.cursor == "" { nextPage = nil }
    change { Self.set(failure, ofFirst: !isNext, in: &$0) }
    guard membership != nil, failure.isUnreachable, nextPage?.cursor == cursor else { return }
    nextPage?.hasSubstitutes = true
    let task = Task.immediate { [weak self, cache] in
      await cache.loadPinnedFromStore()
      if !Task.isCancelled { self?.reloadFromCache() }
    }
    nextPage?.work = Observation { task.cancel() }
  }

  private static func set(_ failure: RequestError?, ofFirst isFirst: Bool, in state: inout State) {
    if isFirst { state.reloadFailure = failure } else { state.loadMoreFailure = failure }
  }

  // MARK: What is shown

  private func answered(_ page: PageRow, _ cursor: String, _ also: (inout State) -> Void = { _ in }) {
    let time = page.requestedAt ?? .beforeAll
    if nextPage?.cursor == cursor {
      guard !isOneTooMany(page) else {
        update(cursor, .nothingNew)
        return showFailure(.nothingNew, cursor)
      }
      update(cursor, .answered(time))
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
      // Between the answer and the shown items there may be unknown ones: the shown page stays until the user requests the new items.
      if counted.hasMoreNewItems {
        pages[index].update(.heldBack, policy)
        return change { ($0.newItemCount, $0.hasMoreNewItems, $0.reloadFailure) = (counted.newItemCount, true, nil) }
      }
      let newerIDs = Set(newer)
      if newerIDs.count < ids.count {
        ids.removeAll(where: newerIDs.contains)
        newerCount = counted.newItemCount
      }
    }
    let isSame = pages[index].ids == ids && pages[index].next == page.next && ids.allSatisfy(listed.contains)
    confirm(index, ids: ids, next: page.next, time)
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
    pagesWithNothingNew = hasNothingNew(row) ? pagesWithNothingNew + 1 : 0
    // Substitutes shown in its place go, except those that the page lists.
    let isAdded = !page.cursor.isEmpty && !page.hasSubstitutes
    (page.ids, page.next, page.hasSubstitutes) = (row.ids, row.next, false)
    if page.cursor.isEmpty { pages = [page] } else { pages.append(page) }
    showPages(adding: isAdded ? page.ids : nil, also)
  }

  /// Whether a page has nothing that the earlier ones have not, although others follow. Its items need not belong to the list: a server may
  /// have many that do not before the next one that does.
  private func hasNothingNew(_ row: PageRow) -> Bool {
    row.next != nil && row.ids.allSatisfy { id in membership == nil ? listed.contains(id) : pages.contains { $0.ids.contains(id) } }
  }

  private func isOneTooMany(_ row: PageRow) -> Bool { pagesWithNothingNew >= Self.mostWithNothingNew && hasNothingNew(row) }

  /// A server that filters after it has cut its pages may well have one that is empty.
  private static var mostWithNothingNew: Int { 5 }

  /// Replaces the shown page by the server's. Items further down stay if none can be missing in between, so that a user there does not
  /// lose their place.
  private func confirm(_ index: Int, ids: [String], next: String?, _ time: LogicalTime) {
    let old = pages[index]
    pages[index].update(.answered(time), policy)
    (pages[index].ids, pages[index].next) = (ids, next)
    guard old.next != next else { return }
    defer { dropNextPageUnlessItFollows() }
    // The shown items behind the last one of the answer stay. Where that is not shown, unknown ones may be in between.
    let shown = [old] + pages[(index + 1)...]
    guard let next, let end = ids.last, let place = shown.firstIndex(where: { $0.ids.contains(end) }) else {
      return pages.removeSubrange((index + 1)...)
    }
    pages.removeSubrange((index + 1)..<(index + 1 + place))
    let cut = shown[place]
    let behind = cut.ids.drop { $0 != end }.dropFirst()
    guard !behind.isEmpty else { return }
    // Items that newer ones pushed out of this page are on the next page now.
    var rest = ListPage(cursor: next, ids: Array(behind), next: cut.next, status: cut.status)
    rest.update(.cancelled, policy)
    pages.insert(rest, at: index + 1)
    guard rest.status.storedDate != nil else { return }
    update(next, .load(policy))
    work(next)
  }

  /// A page that is dropped takes its request with it, and its failure, which would keep ``loadMore()``'s callers from asking for the
  /// page that follows now.
  private func dropNextPageUnlessItFollows() {
    guard let cursor = nextPage?.cursor, cursor != pages.last?.next else { return }
    nextPage = nil
    change { $0.loadMoreFailure = nil }
  }

  /// What a first page has that is newer than what is shown of it.
  ///
  /// Without an order, those above the first shown item. With one, those before the last shown item of the first page, wherever they stand:
  /// the server may have left out all shown items, such as read ones in a list of unread ones, so that the first of its page are not new;
  /// and items that it got late, such as from a feed that it fetches seldom, are below earlier ones.
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
    // A closure in place of a key path: Swift makes the key path of a generic type again for each use.
    let shown = cache.shown(of: added ?? pages.flatMap { $0.ids })
    // A local copy: each access to the property would check again that no other is under way.
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
