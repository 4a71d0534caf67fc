import FeatureKit
import PublicationAPI
import PublicationClient
import ReaderContent
import Runtime

/// Home: the posts of the whole publication or of some fan clubs, newest first.
///
/// It looks for new posts by itself, every minute while it is on screen and every five while it is not, and when it comes back after more
/// than a minute. New posts wait behind a pill.
@MainActor public final class FeedViewModel: PostListScreen {
  /// What the coordinator shall do.
  public typealias Output = PostList.Output

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// Something to the list, or to a row of it.
    case posts(PostList.Input)
    /// The reader chose which posts to see.
    case choiceTapped(Choice)
    /// Shows only what the reader has not read, or everything again.
    case unreadOnlyTapped
    /// Fetches the posts of the chosen fan club, which was imported from a list of feeds. A second press while that is under way does
    /// nothing.
    case fetchTapped
    /// The reader comes from an announcement of new posts, such as a notification: looks for them at once.
    case newPostsAnnounced
  }

  /// The single source of truth.
  @ViewState public private(set) var state = State()
  /// See `PostListScreen`.
  public var statusPage: StatusPage? { state.statusPage }
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }
  /// The list of what was chosen, with all that can be done to a row.
  public private(set) var posts: PostList
  /// Called with the rows to draw again, among those that were read.
  public var onRowsChanged: ((Set<Post.ID>) -> Void)? { didSet { posts.list.onRowsChanged = onRowsChanged } }

  private let store: ContentStore
  private let formatting: Formatting
  private let output: @MainActor (Output) -> Void
  private let clubs: FollowedClubs
  private let canAddFeeds: LastValue<Bool>
  private lazy var feeds = FanClubsFetch(store: store, formatting: formatting) { [weak self] in self?.feedsChanged() }
  /// The wait until it is known which feeds are to be fetched.
  private var finding: Task<Void, Never>?
  /// Of the fan club that was chosen.
  private var fetch: FanClubFetch?
  private var isOnScreen = false
  private var jump = Jump.none
  private var checkTask: Task<Void, Never>?
  /// When it checked last, by uptime; `nil` before it loaded.
  private var checkedAt: Duration?

  /// How far the page is on its way to its top.
  private enum Jump { case none, requested, refreshing }

  /// - Parameters:
  ///   - store: the reader's content.
  ///   - formatting: how dates and counts are written.
  ///   - canAddFeeds: whether readers add feeds to the publication, and so may have them fetched; `false` while that is not known.
  ///   - output: called with what the coordinator is to do.
  public init(
    store: ContentStore, formatting: Formatting, canAddFeeds: LastValue<Bool> = LastValue(false),
    output: @escaping @MainActor (Output) -> Void
  ) {
    self.store = store
    self.formatting = formatting
    self.canAddFeeds = canAddFeeds
    self.output = output
    clubs = FollowedClubs(store: store)
    posts = PostList(.filtered(PostFilter()), store: store, formatting: formatting, output: output)
    posts.list.observe { [weak self] _ in self?.update() }
    clubs.onChange = { [weak self] in self?.update() }
  }

  isolated deinit {
    checkTask?.cancel()
    finding?.cancel()
  }

  /// The page is on screen: loads the first time, and reads the cache again after that.
  public func appear() {
    guard !isOnScreen else { return }
    isOnScreen = true
    posts.list.appear()
    clubs.appear()
    check(every: Self.pace)
    update()
  }

  /// The page is off screen: it looks for new posts less often, and does nothing else until it comes back.
  public func disappear() {
    isOnScreen = false
    posts.list.disappear()
    clubs.disappear()
    check(every: Self.slowPace)
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .posts(.refreshTapped): refreshTapped()
    case .posts(.fetchAgainTapped): fetchAgainTapped()
    case .posts(.cancelFetchTapped): cancelFetchTapped()
    case .posts(.fetchDismissed): fetchDismissed()
    case .choiceTapped(let choice): choiceTapped(choice)
    case .unreadOnlyTapped: unreadOnlyTapped()
    case .fetchTapped: fetchTapped()
    case .newPostsAnnounced: check()
    case .posts(.newPostsTapped): newPostsTapped()
    case .posts(let input): posts.send(input)
    }
  }
  /// See `PostListScreen`.
  public func send(_ input: PostList.Input) { send(.posts(input)) }

  private func refreshTapped() {
    guard fetch?.state.isOffered != true else { return fetchTapped() }
    posts.list.refreshTapped()
    fetchFeeds()
  }
  private func fetchAgainTapped() { feeds.begin() }
  private func cancelFetchTapped() { feeds.cancel() }
  private func fetchDismissed() { feeds.dismiss() }

  private func choiceTapped(_ choice: Choice) {
    guard choice != state.choice else { return }
    show(choice, isUnreadOnly: state.isUnreadOnly)
  }

  private func unreadOnlyTapped() { show(state.choice, isUnreadOnly: !state.isUnreadOnly) }

  private func fetchTapped() {
    fetch?.begin { [weak self] hasPosts in
      if hasPosts { self?.posts.list.refreshTapped() }
      self?.update()
    }
    update()
  }

  private func newPostsTapped() {
    guard state.newPosts > 0 else { return }
    jumpToTop()
    posts.list.newItemsTapped()
  }

  /// A second press while that is under way does nothing.
  private func fetchFeeds() {
    guard canAddFeeds.value, finding == nil, !feeds.isUnderWay else { return }
    let choice = state.choice
    finding = Task { [weak self, store] in
      // The list says when the publication cannot be reached.
      let clubs = (try? await store.clubsWithFeeds("feed.clubs")) ?? []
      guard let self, !Task.isCancelled, !store.isClosed else { return }
      finding = nil
      feeds.left = clubs.filter { choice.shows($0) }.map(\.id)
      feeds.begin()
    }
  }

  private func feedsChanged() {
    if !feeds.isUnderWay, state.refresh.isUnderWay {
      store.listsAreStale()
      // Otherwise when it comes back.
      if isOnScreen { posts.list.refreshTapped() }
    }
    update()
  }

  private static let pace = Duration.seconds(60)
  private static let slowPace = Duration.seconds(300)

  /// Continues from the last look, so that leaving the page and returning neither repeats nor delays one.
  private func check(every pace: Duration) {
    checkTask?.cancel()
    let clock = formatting.clock
    if checkedAt.map({ clock.uptime - $0 >= pace }) ?? true { check() }
    checkTask = Task { [weak self, effects = store.effects] in
      while let checkedAt = self?.checkedAt, !Task.isCancelled {
        let left = checkedAt + pace - clock.uptime
        do { try await effects.sleep("feed.pace", for: left, on: clock) } catch { return }
        guard let self, !Task.isCancelled else { return }
        // Unless something else made it look meanwhile.
        if clock.uptime - (self.checkedAt ?? .zero) >= pace { check() }
      }
    }
  }

  private func check() {
    checkedAt = formatting.clock.uptime
    posts.list.checkForNewItems()
  }

  private func show(_ choice: Choice, isUnreadOnly: Bool) {
    let former = posts.list
    former.disappear()
    former.onRowsChanged = nil
    posts = PostList(.filtered(PostFilter(choice, isUnreadOnly: isUnreadOnly)), store: store, formatting: formatting, output: output)
    posts.list.takeUndo(from: former)
    if case .fanClub(let id) = choice {
      if choice != state.choice { fetch = FanClubFetch(id, store: store, clock: formatting.clock) }
    } else {
      fetch = nil
    }
    var new = state
    new.choice = choice
    new.isUnreadOnly = isUnreadOnly
    jumpToTop()
    state = with(new, posts.list.state)
    posts.list.onRowsChanged = onRowsChanged
    posts.list.observe { [weak self] _ in self?.update() }
    if isOnScreen { posts.list.appear() }
  }

  private func update() {
    var new = with(state, posts.list.state)
    let followed = clubs.clubs
    new.options = [Option(.all, "All posts")]
    if !followed.isEmpty { new.options.append(Option(.followed, "Fan clubs you follow")) }
    let namesakes = Dictionary(grouping: followed, by: \.name)
    new.options += followed.map { club in
      let isAlone = namesakes[club.name]?.count == 1 || club.address.isEmpty
      return Option(.fanClub(club.id), isAlone ? club.name : "\(club.name) (\(club.address))")
    }
    // The chosen club stays in the menu, also when the reader no longer follows it.
    if !new.options.contains(where: { $0.id == new.choice }), let chosen = state.options.first(where: { $0.id == new.choice }) {
      new.options.append(chosen)
    }
    new.refresh = feeds.report
    state = new
  }

  private func jumpToTop() { jump = .requested }

  private func with(_ state: State, _ posts: ListState) -> State {
    var new = state
    new.posts = posts
    new.isJumping = jump != .none
    if posts.isRefreshing, jump != .none {
      jump = .refreshing
    } else if jump == .refreshing || (posts.phase != .loading && posts.newItemCount == 0) {
      jump = .none
    }
    new.newPosts = posts.newItemCount
    new.pill = posts.pill
    new.fetch = posts.phase == .empty ? fetch?.state ?? .notNeeded : .notNeeded
    return new
  }
}

extension FeedViewModel.Choice {
  /// Whether it shows the posts of a club.
  fileprivate func shows(_ club: FanClub) -> Bool {
    switch self {
    case .all: true
    case .followed: club.followed
    case .fanClub(let id): club.id == id
    }
  }
}

extension PostFilter {
  fileprivate init(_ choice: FeedViewModel.Choice, isUnreadOnly: Bool) {
    switch choice {
    case .all: self.init(unread: isUnreadOnly)
    case .followed: self.init(followed: true, unread: isUnreadOnly)
    case .fanClub(let id): self.init(fanClub: id, unread: isUnreadOnly)
    }
  }
}
