import Runtime

/// One page of a longer list, as the server answered it.
public struct FetchedPage<Value: Entity>: Equatable, Sendable {
  /// The entities, in the list's order.
  public var items: [Value]
  /// What the next page is asked for with; `nil` on the last.
  public var next: String?

  /// Makes one.
  public init(items: [Value], next: String? = nil) {
    self.items = items
    self.next = next
  }
}

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

/// Fetches a list page by page: the server's answer goes into the cache, its identifiers stay here for a view.
///
/// Every input changes ``state`` before it returns.
@MainActor public final class PageFetcher<Value: Entity> {
  /// Everything a page needs to know of its list.
  public struct State: Equatable, Sendable {
    /// What to show when there are no ids to show; merged from the other facts.
    public enum Status: Equatable, Sendable {
      /// Nothing was asked yet.
      case initial
      /// The first answer is on its way.
      case loading
      /// The list is empty.
      case empty
      /// There are ids.
      case content
      /// The server's answer was no, with a sentence for the reader.
      case failed(String)
      /// Nobody could be reached, with a sentence for the reader.
      case offline(String)
    }

    /// The list so far, without duplicates.
    public fileprivate(set) var ids: [String] = []
    /// Whether the list is being fetched from its start.
    public fileprivate(set) var isReloading = false
    /// Whether the next page is on its way.
    public fileprivate(set) var isLoadingMore = false
    /// Why the last try failed; `nil` from the next one on.
    public fileprivate(set) var failure: RequestFailure?
    /// Whether there is no further page.
    public fileprivate(set) var reachedEnd = false
    fileprivate var wasAnswered = false

    /// Whether anything is on its way.
    public var isLoading: Bool { isReloading || isLoadingMore }

    /// See ``Status-swift.enum``.
    public var status: Status {
      if !ids.isEmpty { return .content }
      if isReloading { return .loading }
      switch failure {
      case .refused(let sentence): return .failed(sentence)
      case .unreachable(let sentence, _): return .offline(sentence)
      case nil: return wasAnswered ? .empty : .initial
      }
    }
  }

  /// The list.
  public private(set) var state = State() {
    didSet { if state != oldValue { onChange?(state) } }
  }
  /// Told after each change of ``state``.
  public var onChange: ((State) -> Void)?

  private let label: String
  private let cache: Cache<Value>
  private let effects: Effects
  private let membership: Membership<Value>?
  private let explain: @MainActor (any Error) -> RequestFailure
  private let fetch: @Sendable (_ cursor: String?) async throws -> FetchedPage<Value>

  private var cursor: String?
  /// Counts the lists begun; an answer that belongs to an earlier one is dropped.
  private var generation = 0
  private var reloading: Task<Void, Never>?
  private var loadingMore: Task<Void, Never>?

  /// - Parameters:
  ///   - label: what its deliveries are called, such as `"feed.load"`.
  ///   - membership: for a list that a reader's own actions change.
  ///   - explain: what an error of `fetch` means, with a sentence for the reader.
  ///   - fetch: asks the server for the page at a cursor, `nil` for the first.
  public init(
    _ label: String, cache: Cache<Value>, effects: Effects, membership: Membership<Value>? = nil,
    explain: @escaping @MainActor (any Error) -> RequestFailure,
    fetch: @escaping @Sendable (_ cursor: String?) async throws -> FetchedPage<Value>
  ) {
    self.label = label
    self.cache = cache
    self.effects = effects
    self.membership = membership
    self.explain = explain
    self.fetch = fetch
  }

  isolated deinit {
    reloading?.cancel()
    loadingMore?.cancel()
  }

  /// Fetches the list from its start. While that is under way, asking again starts nothing.
  public func reload() {
    guard reloading == nil else { return }
    begin()
    change {
      $0.isReloading = true
      $0.isLoadingMore = false
      $0.failure = nil
    }
    reloading = load(nil) { fetcher, page in
      let ids = Self.unique(page.items.map(\.id), after: [])
      fetcher.finish(ids, page.next)
    }
  }

  /// Fetches the next page, if there is one and nothing is under way.
  public func loadMore() {
    guard let cursor, !state.isLoading else { return }
    change {
      $0.isLoadingMore = true
      $0.failure = nil
    }
    loadingMore = load(cursor) { fetcher, page in
      // Something was inserted meanwhile when a page brings what is there already.
      let ids = fetcher.state.ids
      fetcher.finish(ids + Self.unique(page.items.map(\.id), after: ids), page.next)
    }
  }

  /// Re-reads the cache without asking the server: for a page that reappears.
  ///
  /// Drops what the cache no longer holds; with a ``Membership`` also what left the list, and takes in what joined it within the part
  /// that was fetched.
  public func reloadFromCache() {
    let ids = state.ids.filter { cache[$0] != nil }
    guard let membership, state.wasAnswered else {
      change { $0.ids = ids }
      return
    }
    let last = state.reachedEnd ? nil : ids.last.flatMap { cache[$0] }
    let joined = cache.ids { value in
      guard membership.contains(value) else { return false }
      return last.map { !membership.precedes($0, value) } ?? state.reachedEnd
    }
    let members = Set(ids.filter { id in cache[id].map(membership.contains) ?? false }).union(joined)
    let sorted = members.compactMap { cache[$0] }.sorted(by: membership.precedes).map(\.id)
    change { $0.ids = sorted }
  }

  /// Empties the list and drops every answer on its way: for signing out.
  public func reset() {
    begin()
    cursor = nil
    state = State()
  }

  private func load(
    _ cursor: String?, _ onPage: @escaping @MainActor (PageFetcher, FetchedPage<Value>) -> Void
  ) -> Task<Void, Never> {
    let (label, effects, fetch, generation, stamp) = (label, effects, fetch, generation, cache.stamp())
    return Task { [weak self] in
      let result: Result<FetchedPage<Value>, any Error>
      do { result = .success(try await effects.run(label) { try await fetch(cursor) }) } catch { result = .failure(error) }
      guard let self, self.generation == generation else { return }
      switch result {
      case .success(let page):
        cache.store(page.items, asOf: stamp)
        onPage(self, page)
      case .failure(let error): fail(explain(error))
      }
    }
  }

  /// Starts a new generation: nothing that is on its way arrives any more.
  private func begin() {
    generation += 1
    reloading?.cancel()
    loadingMore?.cancel()
    reloading = nil
    loadingMore = nil
  }

  private func finish(_ ids: [String], _ next: String?) {
    cursor = next
    reloading = nil
    loadingMore = nil
    change {
      $0.ids = ids
      $0.isReloading = false
      $0.isLoadingMore = false
      $0.reachedEnd = next == nil
      $0.wasAnswered = true
    }
  }

  private func fail(_ failure: RequestFailure) {
    reloading = nil
    loadingMore = nil
    change {
      $0.isReloading = false
      $0.isLoadingMore = false
      $0.failure = failure
    }
  }

  /// Several facts that change together are one change to whoever listens.
  private func change(_ body: (inout State) -> Void) {
    var new = state
    body(&new)
    state = new
  }

  private static func unique(_ ids: [String], after known: [String]) -> [String] {
    var seen = Set(known)
    return ids.filter { seen.insert($0).inserted }
  }
}
