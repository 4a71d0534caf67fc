import Foundation
import Runtime

/// Which of the cached entities belong to a list, and where: for lists that a reader's own actions change, such as bookmarks.
public struct Membership<Value: Entity> {
  let contains: (Value) -> Bool
  let precedes: (Value, Value) -> Bool

  /// - Parameters:
  ///   - contains: whether an entity belongs to the list.
  ///   - precedes: whether the first comes before the second.
  public init(contains: @escaping (Value) -> Bool, precedes: @escaping (_ a: Value, _ b: Value) -> Bool) {
    self.contains = contains
    self.precedes = precedes
  }
}

/// Fetches a list page by page: what is stored and what the server says goes into the cache, its identifiers stay here for a view.
///
/// Every input changes ``state`` before it returns.
@MainActor public final class PageFetcher<Value: Entity> {
  /// Everything a page needs to know of its list.
  public typealias State = PageState

  /// The list.
  public private(set) var state = State() {
    didSet { if state != oldValue { onChange?(state) } }
  }
  /// Told after each change of ``state``.
  public var onChange: ((State) -> Void)?
  /// Told which items the server has that are newer than what is shown, each time that it is found to have some.
  public var onNewer: (([String]) -> Void)?

  private let label: String
  private let list: String
  private let cache: Cache<Value>
  private let effects: Effects
  private let membership: Membership<Value>?
  private let order: ((Value, Value) -> Bool)?
  private let explain: @MainActor (any Error) -> RequestFailure
  private let fetch: @Sendable (_ cursor: String?, _ etag: String?) async throws -> PageAnswer<Value>

  private var segments: [PageSegment] = []
  /// The ids of ``state``, once they were asked for: a page more shall not cost as much as all before it.
  private var listedSoFar: Set<String>?
  private var listed: Set<String> {
    if let listedSoFar { return listedSoFar }
    let listed = Set(state.ids)
    listedSoFar = listed
    return listed
  }
  private var policy = FetchPolicy.cacheThenNetwork
  /// Whether what is above the first item comes in with the first page.
  private var showsNewer = true
  /// Counts the lists begun; what belongs to an earlier one is dropped.
  private var generation = 0
  /// What the server is being asked, by cursor.
  private var asking: [String: Observation] = [:]
  private var looking: Observation?
  private var recalling: Task<Void, Never>?
  /// The cursor of the next page while that is on its way.
  private var loadingMore: String?
  /// Whether nobody could be asked for the page after the last: what the reader keeps takes its place.
  private var isCutShort = false

  /// - Parameters:
  ///   - label: what its deliveries are called, such as `"feed.load"`.
  ///   - list: names the list among all of this cache: its pages are stored under this name, and asked for once by all who want the same.
  ///   - membership: for a list that a reader's own actions change.
  ///   - order: whether the first of two comes before the second, where that is known: for ``State/newer``.
  ///   - explain: what an error of `fetch` means, with a sentence for the reader.
  ///   - fetch: asks the server for the page at a cursor, `nil` for the first; with the entity tag of what is here, where there is one.
  public init(
    _ label: String, list: String, cache: Cache<Value>, effects: Effects, membership: Membership<Value>? = nil,
    order: ((Value, Value) -> Bool)? = nil, explain: @escaping @MainActor (any Error) -> RequestFailure,
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

  isolated deinit {
    recalling?.cancel()
    looking?.cancel()
    for observation in asking.values { observation.cancel() }
  }

  /// Fetches the list from its start. While that is under way, asking again starts nothing.
  ///
  /// Where a list is shown already, what is stored would be nothing new: the server is asked alone. What is shown stays where it is, as far
  /// as the server still has it there and what it says connects with it.
  /// - Parameters:
  ///   - showsNewer: whether items above the first come in at once, since the reader asked for them. Otherwise they are counted in
  ///     ``State/newer``, as nobody who reads shall lose their place: with a ``Membership`` nothing waits.
  ///   - anew: whether it is asked for again while it is asked for already, by this list or another, since the answer may be another now.
  ///     All get the new one.
  public func reload(_ policy: FetchPolicy = .cacheThenNetwork, showsNewer: Bool = true, anew: Bool = false) {
    if state.isReloading, !anew {
      // What is on its way is what the reader asks for now.
      if showsNewer {
        self.showsNewer = true
        change { ($0.newer, $0.hasMoreNewer) = (0, false) }
      }
      return
    }
    let isShown = !segments.isEmpty && policy != .cacheOnly
    let goesOn = isShown && !state.isReloading
    if goesOn { stopLooking() } else { begin() }
    self.policy = policy
    self.showsNewer = showsNewer
    change {
      $0.isReloading = true
      $0.failure = nil
      if !goesOn { ($0.isLoadingMore, $0.isConfirming) = (false, false) }
      if showsNewer { ($0.newer, $0.hasMoreNewer) = (0, false) }
    }
    load("", isShown: isShown, anew: anew)
  }

  /// Shows or fetches the next page, if there is one and nothing is under way.
  public func loadMore() {
    guard let cursor = segments.last?.next, !state.isLoadingMore else { return }
    loadingMore = cursor
    change {
      $0.isLoadingMore = true
      $0.failure = nil
    }
    load(cursor, isShown: false)
  }

  /// Re-reads the cache without asking the server: for a page that reappears.
  ///
  /// Drops what the cache no longer holds; with a ``Membership`` also what left the list, and takes in what joined it within the part
  /// that was fetched.
  ///
  /// What the server was asked for and left out has left the list, whatever is known of it from before; only what is known since can have
  /// joined. What nobody could be asked for, beyond the last page, is all that is known.
  /// - Parameter changed: the only entities that can have joined or left; `nil` for all.
  public func reloadFromCache(_ changed: Set<String>? = nil) {
    let ids = state.ids
    guard let membership, state.wasAnswered else {
      if let changed, !changed.contains(where: { listed.contains($0) && !cache.shows($0) }) { return }
      let there = ids.filter(cache.shows)
      guard there.count != ids.count else { return }
      listedSoFar = nil
      return change { $0.ids = there }
    }
    let last = segments.reversed().lazy.compactMap { [cache] in $0.ids.last(where: cache.shows) }.first.flatMap { cache[$0] }
    let asked = segments.contains { $0.asked == nil } ? nil : segments.compactMap { $0.asked }.min()
    let belongs = { [cache, state, isCutShort] (value: Value) in
      guard membership.contains(value) else { return false }
      let isBeyond = !state.reachedEnd && last.map { membership.precedes($0, value) } ?? true
      if isBeyond { return isCutShort }
      return asked.map { cache.isPending(value.id) || cache.isKnown(value.id, since: $0) } ?? true
    }
    // Each list on screen is told of each change, and most have nothing to do with it.
    let joined = changed.map { $0.filter { id in self.cache[id].map(belongs) ?? false } } ?? Set(cache.ids(where: belongs))
    if let changed, joined.isSubset(of: listed), stays(changed, membership) { return }
    let fetched = Set(segments.flatMap(\.ids))
    let stayed = ids.filter { id in cache[id].map(fetched.contains(id) ? membership.contains : belongs) ?? false }
    let sorted = joined.union(stayed).compactMap { cache[$0] }.sorted(by: membership.precedes).map(\.id)
    listedSoFar = nil
    change { $0.ids = sorted }
  }

  /// Whether those of some entities that are in the list stay where they are.
  private func stays(_ changed: Set<String>, _ membership: Membership<Value>) -> Bool {
    guard !changed.isDisjoint(with: listed) else { return true }
    let ids = state.ids
    return ids.indices.allSatisfy { place in
      guard changed.contains(ids[place]) else { return true }
      guard let value = cache[ids[place]], membership.contains(value) else { return false }
      let (before, after) = (place > 0 ? cache[ids[place - 1]] : nil, place + 1 < ids.count ? cache[ids[place + 1]] : nil)
      return !(before.map { membership.precedes(value, $0) } ?? false) && !(after.map { membership.precedes($0, value) } ?? false)
    }
  }

  /// Asks the server how many items it has above the first of the list, and changes nothing but ``State/newer``. Without an answer
  /// nothing is said.
  public func lookForNewer() {
    guard !state.isLoading else { return }
    looking = cache.request(PageKey(list, nil), label, effects, fetch: fetch) { [weak self] result in
      guard let self else { return }
      looking = nil
      guard let page = try? result.get() else { return }
      let newer = newer(page)
      tell(newer)
      // Where nothing is shown nobody can lose their place.
      if state.status == .empty, !page.ids.isEmpty { showNewer() } else { change { count(newer, of: page, &$0) } }
    }
  }

  /// Puts what was counted in ``State/newer`` above the first item, without asking again.
  public func showNewer() {
    guard let page = cache.pages[PageKey(list, nil)] else { return reload() }
    stopLooking()
    asking.removeValue(forKey: "")?.cancel()
    showsNewer = true
    change {
      $0.isReloading = false
      $0.failure = nil
    }
    answered(page, "")
  }

  /// Empties the list and drops every answer on its way: for signing out.
  public func reset() {
    begin()
    segments = []
    listedSoFar = nil
    state = State()
  }

  // MARK: Inside

  /// Starts a new generation: nothing that is on its way arrives any more.
  private func begin() {
    generation += 1
    isCutShort = false
    recalling?.cancel()
    recalling = nil
    loadingMore = nil
    stopLooking()
    for observation in asking.values { observation.cancel() }
    asking.removeAll()
  }

  private func stopLooking() {
    looking?.cancel()
    looking = nil
  }

  private func load(_ cursor: String, isShown: Bool, anew: Bool = false) {
    switch policy {
    case .cacheThenNetwork where !isShown: recall(cursor) { $0.ask(cursor, anew: anew) }
    case .cacheOnly: recall(cursor) { $0.ended(cursor) }
    case .cacheThenNetwork, .networkElseCache, .network: ask(cursor, anew: anew)
    }
  }

  /// Shows what is known of a page without the server, if anything is, and goes on.
  private func recall(_ cursor: String, then: @escaping @MainActor (PageFetcher) -> Void) {
    let key = PageKey(list, cursor)
    guard cache.pages[key] == nil, cache.entityStore != nil else {
      if let page = cache.pages[key] {
        cache.keep(page)
        show(page, at: cursor)
      }
      return then(self)
    }
    let (cache, generation, membership) = (cache, generation, membership)
    recalling = Task.immediate { [weak self] in
      var page = await cache.recall(key)
      if let membership, cursor.isEmpty {
        await cache.recallKept()
        // What the reader's own actions put there was perhaps never fetched as a list.
        if page == nil, !cache.ids(where: membership.contains).isEmpty { page = PageRow(key: key, ids: [], fetched: .distantPast) }
      }
      guard let self, self.generation == generation else { return }
      recalling = nil
      if let page { show(page, at: cursor) }
      then(self)
    }
  }

  private func show(_ page: PageRow, at cursor: String) {
    let new = PageSegment(cursor: cursor, ids: page.ids, next: page.next, stored: page.fetched)
    guard put(new) else { return }
    shown(cursor.isEmpty ? nil : new.ids) {
      if !cursor.isEmpty { end(cursor, &$0) }
      $0.isConfirming = policy == .cacheThenNetwork
    }
    if membership != nil { reloadFromCache() }
  }

  private func ask(_ cursor: String, anew: Bool = false) {
    asking[cursor] = cache.request(PageKey(list, cursor), label, effects, anew: anew, fetch: fetch) { [weak self] result in
      guard let self else { return }
      asking[cursor] = nil
      switch result {
      case .success(let page): answered(page, cursor)
      // Everything was forgotten: there is no list any more.
      case .failure(is CancellationError): break
      case .failure(let error): failed(explain(error), cursor)
      }
    }
  }

  private func answered(_ page: PageRow, _ cursor: String) {
    var new = PageSegment(cursor: cursor, ids: page.ids, next: page.next, asked: page.asked)
    // A page more shall not cost as much as all before it.
    if segments.last?.next != cursor, let index = segments.lastIndex(where: { $0.cursor == cursor }) {
      // What is new since an earlier run is nothing new: all is asked for at the start of one.
      lazy var newer = cursor.isEmpty && membership == nil ? self.newer(page) : []
      if segments[index].stored == nil { tell(newer) }
      var counted = state
      (counted.newer, counted.hasMoreNewer) = (0, false)
      if cursor.isEmpty, !showsNewer, membership == nil, !state.ids.isEmpty {
        count(newer, of: page, &counted)
        // There is more between the two than is known: what is shown stays until the reader asks for the other.
        if counted.hasMoreNewer {
          state = counted
          return ended(cursor)
        }
        let held = Set(newer)
        if held.count < new.ids.count { new.ids.removeAll(where: held.contains) } else { counted.newer = 0 }
      }
      let isSame = segments[index].ids == new.ids && segments[index].next == new.next && new.ids.allSatisfy(listed.contains)
      confirm(new, at: index)
      shown(isSame ? [] : nil) {
        if cursor.isEmpty { ($0.newer, $0.hasMoreNewer) = (counted.newer, false) }
        end(cursor, &$0)
      }
    } else if put(new) {
      shown(cursor.isEmpty ? nil : new.ids) { end(cursor, &$0) }
    } else {
      ended(cursor)
    }
  }

  /// Begins the list with a page, or adds it where it belongs: at the end.
  private func put(_ new: PageSegment) -> Bool {
    guard !new.cursor.isEmpty else {
      segments = [new]
      return true
    }
    guard segments.last?.next == new.cursor else { return false }
    segments.append(new)
    // What was shown in its place goes, unless it is on it.
    if isCutShort { shown(nil) { _ in } }
    isCutShort = false
    return true
  }

  /// Puts what the server says in the place of what was shown. What is shown further down stays, so that nobody who reads there is thrown
  /// back, when it is certain that nothing is missing in between.
  private func confirm(_ new: PageSegment, at index: Int) {
    let old = segments[index]
    segments[index] = new
    guard old.next != new.next else { return }
    guard let next = new.next, let last = old.ids.lastIndex(where: Set(new.ids).contains) else {
      segments.removeSubrange((index + 1)...)
      // The next page of what was there is no page of what is there now.
      if let cursor = loadingMore {
        asking.removeValue(forKey: cursor)?.cancel()
        change { end(cursor, &$0) }
      }
      return
    }
    let rest = Array(old.ids[(last + 1)...])
    guard !rest.isEmpty else { return }
    // What the server's new items pushed out of this page is on the next now.
    segments.insert(PageSegment(cursor: next, ids: rest, next: old.next, stored: old.stored, asked: old.asked), at: index + 1)
    if old.stored != nil { ask(next) }
  }

  /// What a first page has that is newer than what is shown of it.
  ///
  /// The server may have left out all that is shown, as with read ones among the unread: what then stands at its top is not new. And what
  /// it got late, as from a feed that it asks seldom, stands below what it had before.
  private func newer(_ page: PageRow) -> [String] {
    let unlisted = { [listed] (id: String) in !listed.contains(id) }
    guard let order else { return Array(page.ids.prefix(while: unlisted)) }
    guard let last = segments.first?.ids.last(where: listed.contains).flatMap({ cache[$0] }) else { return page.ids.filter(unlisted) }
    return page.ids.filter { id in unlisted(id) && cache[id].map { order($0, last) } ?? true }
  }

  private func count(_ newer: [String], of page: PageRow, _ state: inout State) {
    state.newer = newer.count
    state.hasMoreNewer = state.newer > 0 && state.newer == page.ids.count && page.next != nil
  }

  private func tell(_ newer: [String]) { if !newer.isEmpty { onNewer?(newer) } }

  private func failed(_ failure: RequestFailure, _ cursor: String) {
    let isUnreachable = if case .unreachable = failure { true } else { false }
    guard policy == .networkElseCache, isUnreachable, !(cursor.isEmpty && !segments.isEmpty) else { return ended(cursor, failure) }
    recall(cursor) { $0.ended(cursor, failure) }
  }

  private func ended(_ cursor: String, _ failure: RequestFailure? = nil) {
    change {
      end(cursor, &$0)
      $0.failure = failure
      if policy == .cacheOnly { $0.wasAnswered = true }
    }
    guard membership != nil, case .unreachable = failure, cursor == segments.last?.next else { return }
    isCutShort = true
    recalling = Task.immediate { [weak self, cache, generation] in
      await cache.recallKept()
      guard let self, self.generation == generation, isCutShort else { return }
      recalling = nil
      reloadFromCache()
    }
  }

  private func end(_ cursor: String, _ state: inout State) {
    state.isConfirming = !asking.isEmpty
    if cursor.isEmpty { state.isReloading = false }
    guard cursor == loadingMore else { return }
    loadingMore = nil
    state.isLoadingMore = false
  }

  /// Makes the list from its pages, after one of them came or changed.
  /// - Parameter added: the ids that come at the end, where what is there stays as it is; `nil` makes it anew.
  private func shown(_ added: [String]?, _ also: (inout State) -> Void) {
    // Where nothing is added, a page's facts have changed.
    let changed = added?.isEmpty ?? true ? segments[...] : segments.suffix(1)
    // A page has nothing twice, so the first needs no set of its ids.
    let isFirst = added == nil && segments.count == 1
    // No key paths: of a generic type, each is made anew at run time.
    let shown = cache.shown(of: added ?? segments.flatMap { $0.ids })
    // Taken out of here meanwhile: each access would be checked anew.
    var taken = added == nil ? [] : listed
    listedSoFar = nil
    change {
      if changed.count == segments.count { ($0.isStored, $0.storedSince) = (false, nil) }
      if isFirst {
        $0.ids = shown
      } else {
        if added == nil { $0.ids = [] }
        taken.reserveCapacity(taken.count + shown.count)
        for id in shown where taken.insert(id).inserted { $0.ids.append(id) }
        listedSoFar = taken
      }
      $0.reachedEnd = segments.last?.next == nil
      for page in changed {
        guard let date = page.stored else { continue }
        $0.isStored = true
        if date > .distantPast { $0.storedSince = min($0.storedSince ?? date, date) }
      }
      $0.wasAnswered = true
      also(&$0)
    }
  }

  /// Several facts that change together are one change to whoever listens.
  private func change(_ body: (inout State) -> Void) {
    var new = state
    body(&new)
    state = new
  }
}
