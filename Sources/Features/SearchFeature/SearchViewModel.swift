import ContentCache
import FeatureKit
import PublicationAPI
import ReaderContent
import Runtime

/// Searches all posts, and the names of fan clubs, as one types. Isolated to the main actor.
@MainActor public final class SearchViewModel: PostShowing, ContentScreen {
  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// The reader typed: the search is sent once they paused.
    case queryChanged(String)
    /// Searches for what a link or another page names, at once; without words the page stays as it was left.
    case opened(with: String)
    /// The reader pressed Enter: asks at once.
    case submitTapped
    /// Empties the search field.
    case clearTapped
    /// Tries again what failed.
    case retryTapped
    /// The last row is in sight.
    case reachedEnd
    /// Opens a fan club's page.
    case clubTapped(FanClub.ID)
    /// Opens a post.
    case postTapped(Post.ID)
    /// Adds or removes the reader's bookmark on a post.
    case bookmarkTapped(Post.ID)
    /// The reader has read the message.
    case messageDismissed
  }

  /// The single source of truth.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }
  /// Called with the rows of posts to draw again, among those that were read.
  public var onRowsChanged: ((Set<Post.ID>) -> Void)?
  /// The same of fan clubs.
  public var onClubsChanged: ((Set<FanClub.ID>) -> Void)?

  private let store: ContentStore
  private let formatting: Formatting
  private let output: @MainActor (Output) -> Void
  private var hits: [Post.ID: (title: MarkedText, excerpt: MarkedText)] = [:]
  private var clubNames: [FanClub.ID: MarkedText] = [:]
  private var drawn: Set<Post.ID> = []
  private var observation: Observation?
  private var clubObservation: Observation?
  /// The search that the rows answer, or that is under way.
  private var requested = ""
  private var cursor: String?
  /// Counts the searches; an answer to an older one is dropped.
  private var generation = 0
  private var requestTask: Task<Void, Never>?
  /// Whether the publication could not be reached for the last request, and there was none since.
  private var isUnanswered = false

  /// - Parameters:
  ///   - store: the reader's content.
  ///   - formatting: how dates and counts are written.
  ///   - output: called with what the coordinator is to do.
  public init(store: ContentStore, formatting: Formatting, output: @escaping @MainActor (Output) -> Void) {
    self.store = store
    self.formatting = formatting
    self.output = output
  }

  isolated deinit { requestTask?.cancel() }

  /// What a row shows; `nil` for a post that is gone.
  public func row(for id: Post.ID) -> SearchRow? {
    drawn.insert(id)
    guard let post = store.posts[id], let hit = hits[id] else { return nil }
    let row = PostRow(post, hasPremium: store.hasPremium, formatting: formatting)
    // The answer marks headline and text alone, in which there may be nothing then.
    let byline = MarkedText(row.byline, finding: requested, needsAll: false)
    return SearchRow(post: row, title: hit.title, excerpt: hit.excerpt, byline: byline.matches.isEmpty ? nil : byline)
  }

  /// What the row of a fan club shows; `nil` for one that is gone.
  public func clubRow(for id: FanClub.ID) -> SearchClubRow? {
    guard let club = store.fanClubs[id], let name = clubNames[id] else { return nil }
    return SearchClubRow(club: FanClubRow(club, formatting: formatting), name: name)
  }

  /// The page is on screen: follows the cache, and searches again where the publication could not be reached.
  public func appear() {
    guard observation == nil else { return }
    observation = store.posts.observe { [weak self] ids in
      guard let self else { return }
      dropGone()
      let rows = ids.intersection(drawn)
      if !rows.isEmpty { onRowsChanged?(rows) }
    }
    clubObservation = store.fanClubs.observe { [weak self] ids in
      guard let self else { return }
      dropGone()
      let rows = ids.intersection(state.clubs)
      if !rows.isEmpty { onClubsChanged?(rows) }
    }
    store.enter(self)
    dropGone()
    if !state.clubs.isEmpty { onClubsChanged?(Set(state.clubs)) }
    if case .offline = state.phase { search(after: nil) }
    if !drawn.isEmpty { onRowsChanged?(drawn) }
  }

  /// The page is off screen and does nothing until it comes back.
  public func disappear() {
    for observation in [observation, clubObservation] { observation?.cancel() }
    (observation, clubObservation) = (nil, nil)
    store.leave(self)
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .queryChanged(let query): queryChanged(query)
    case .submitTapped: submitTapped()
    case .clearTapped: clearTapped()
    case .retryTapped: retryTapped()
    case .reachedEnd: reachedEnd()
    case .clubTapped(let id): clubTapped(id)
    case .postTapped(let id): postTapped(id)
    case .bookmarkTapped(let id): bookmarkTapped(id)
    case .messageDismissed: messageDismissed()
    case .opened(let query): opened(with: query)
    }
  }
  /// See `PostShowing`.
  public func shows(_ post: Post.ID) -> Bool { state.ids.contains(post) }

  private func queryChanged(_ query: String) {
    guard query != state.query else { return }
    state.query = query
    guard Self.words(query) != requested else { return }
    search(after: Self.pause)
  }

  private func submitTapped() { search(after: nil) }

  private func opened(with query: String) {
    guard !Self.words(query).isEmpty else { return }
    state.query = query
    search(after: nil)
  }

  private func clearTapped() { queryChanged("") }

  private func retryTapped() {
    guard state.loadMoreFailure != nil else { return search(after: nil) }
    state.loadMoreFailure = nil
    loadMore()
  }

  private func reachedEnd() { if state.loadMoreFailure == nil { loadMore() } }

  private func clubTapped(_ id: FanClub.ID) { output(.openFanClub(id)) }
  private func postTapped(_ id: Post.ID) { output(.openPost(id)) }
  private func bookmarkTapped(_ id: Post.ID) { store.toggleBookmark(id) }
  private func messageDismissed() { state.message = nil }

  /// Draws rows again whose lock may have changed.
  public func accessChanged() { if !drawn.isEmpty { onRowsChanged?(drawn) } }
  /// Draws the rows again, whose dates say how long ago something was.
  public func timePassed() { if !drawn.isEmpty { onRowsChanged?(drawn) } }
  /// Shows the sentence to the reader.
  public func actionFailed(_ sentence: String) { state.message = sentence }

  /// Repeats the request for which the publication could not be reached. The page keeps its notice until there is an answer.
  /// - Returns: whether there was one.
  public func retryUnreachable() -> Bool {
    guard isUnanswered else { return false }
    request(requested, cursor: state.loadMoreFailure == nil ? nil : cursor, after: nil)
    return true
  }

  /// Quotes the beginning of what was searched for: people paste whole pages.
  private var nothingFound: String {
    let shown = requested.prefix(80)
    return "Nothing was found for “\(shown)\(shown.endIndex < requested.endIndex ? "…" : "")”."
  }

  /// What is gone leaves this list too.
  private func dropGone() {
    let ids = state.ids.filter { store.posts[$0] != nil }
    let clubs = state.clubs.filter { store.fanClubs[$0] != nil }
    guard ids.count != state.ids.count || clubs.count != state.clubs.count, !store.isClosed else { return }
    drawn.formIntersection(ids)
    var new = state
    (new.ids, new.clubs) = (ids, clubs)
    if new.isEmpty, state.phase == .results { new.phase = .nothing(nothingFound) }
    state = new
  }

  // MARK: Asking

  /// So long that there is no request for every letter while the reader types, and so short that they do not notice it.
  private static let pause = Duration.milliseconds(200)

  /// The words of a search: differences in white space do not matter.
  private static func words(_ query: String) -> String { query.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

  private func search(after pause: Duration?) {
    requestTask?.cancel()
    requestTask = nil
    generation += 1
    isUnanswered = false
    requested = Self.words(state.query)
    var new = state
    new.isLoadingMore = false
    new.loadMoreFailure = nil
    guard !requested.isEmpty else {
      new.phase = .idle
      (new.clubs, new.ids, new.canLoadMore, new.isSearching) = ([], [], false, false)
      (hits, clubNames, drawn) = ([:], [:], [])
      state = new
      return
    }
    // What was known without the publication is no answer of its own.
    if case .offline = new.phase { new.clubs = [] }
    new.isSearching = !new.isEmpty
    if new.isEmpty { new.phase = .searching }
    state = new
    request(requested, cursor: nil, after: pause)
  }

  private func loadMore() {
    guard let cursor, state.canLoadMore, !state.isSearching, !state.isLoadingMore else { return }
    state.isLoadingMore = true
    request(requested, cursor: cursor, after: nil)
  }

  private func request(_ words: String, cursor: String?, after pause: Duration?) {
    let mine = generation
    isUnanswered = false
    requestTask = Task { [weak self, store, clock = formatting.clock] in
      if let pause {
        // Cancelled: the reader typed on.
        do { try await store.effects.sleep("search.pause", for: pause, on: clock) } catch { return }
      }
      guard self != nil, !Task.isCancelled else { return }
      let answer: Result<SearchResults, any Error>
      do { answer = .success(try await store.search(words, cursor: cursor)) } catch { answer = .failure(error) }
      var cachedClubs: [FanClubHit] = []
      if case .failure(let error) = answer, cursor == nil, RequestError(explaining: error).isUnreachable, !store.isClosed {
        cachedClubs = await store.storedFanClubs(named: words)
      }
      guard let self, mine == generation, !store.isClosed else { return }
      switch answer {
      case .success(let page): found(page, isFirst: cursor == nil)
      case .failure(let error): failed(RequestError(explaining: error), isFirst: cursor == nil, cachedClubs)
      }
    }
  }

  private func found(_ page: SearchResults, isFirst: Bool) {
    if isFirst {
      (hits, drawn) = ([:], [])
      show(page.clubs)
    }
    // An answer to a question from before something was removed may have it still.
    let fresh = page.items.filter { hits[$0.id] == nil && store.posts[$0.id] != nil }
    for hit in fresh { hits[hit.id] = (MarkedText(marked: hit.title), MarkedText(marked: hit.excerpt)) }
    cursor = page.next
    var new = state
    if isFirst { new.clubs = page.clubs.map(\.id).filter { store.fanClubs[$0] != nil } }
    new.ids = (isFirst ? [] : new.ids) + fresh.map(\.id)
    new.phase = new.isEmpty ? .nothing(nothingFound) : .results
    new.canLoadMore = page.next != nil
    (new.isSearching, new.isLoadingMore, new.loadMoreFailure) = (false, false, nil)
    state = new
    // The same post may be found in another way now.
    if isFirst, !new.ids.isEmpty { onRowsChanged?(Set(new.ids)) }
    if isFirst, !new.clubs.isEmpty { onClubsChanged?(Set(new.clubs)) }
  }

  private func show(_ clubs: [FanClubHit]) {
    clubNames = Dictionary(clubs.map { ($0.id, MarkedText(marked: $0.name)) }) { first, _ in first }
  }

  /// - Parameter cachedClubs: the fan clubs that are known without the publication.
  private func failed(_ failure: RequestError, isFirst: Bool, _ cachedClubs: [FanClubHit]) {
    var new = state
    isUnanswered = failure.isUnreachable
    (new.isSearching, new.isLoadingMore) = (false, false)
    if isFirst {
      // Rows that answer another question must not stay.
      (new.ids, new.clubs, new.canLoadMore) = ([], cachedClubs.map(\.id), false)
      (hits, drawn) = ([:], [])
      show(cachedClubs)
      new.phase =
        failure.isUnreachable ? .offline("Searching posts takes the publication, which cannot be reached now.") : .failed(failure.sentence)
    } else {
      new.loadMoreFailure = failure.sentence
    }
    state = new
  }
}

extension SearchViewModel.State {
  /// Whether no row is there.
  fileprivate var isEmpty: Bool { ids.isEmpty && clubs.isEmpty }
}
