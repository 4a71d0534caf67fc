import ContentCache
import FeatureKit
import PublicationAPI
import PublicationClient
import ReaderContent
import Runtime

/// A fan club's page: who it is, a button to follow it, and its posts.
@MainActor public final class FanClubViewModel: PostListScreen, Titled {
  /// Everything the page shows, but the rows, which ``PostListScreen/row(for:)`` gives.
  public struct State: Equatable, Sendable {
    /// How the club itself stands.
    public var phase = EntityPhase.loading
    /// The club; there from the first moment when another page has shown it.
    public var club: FanClubRow?
    /// The part of the club's description that is shown; empty without a description.
    public var about = ""
    /// Whether all of it is shown, of more than there is room for beside the posts; `nil` where there is no more.
    public var isAboutWhole: Bool?
    /// The list of the club's posts: its rows, and how far it is.
    public var posts = ListState()
    /// What there is to do about posts that were never fetched: "Fetch posts" belongs in the place of the list.
    public var fetch = FanClubFetch.State.notNeeded
    /// The progress of fetching its feed again, and its failure.
    public var refresh = FanClubsFetch.Report()
    /// Whether the reader is notified of its new posts; `nil` while they do not follow it, and cannot choose.
    public var notifies: Bool?
    /// Whether "Remove feed…" is offered, which asks before it does: the reader added this club.
    public var canRemove = false
    /// Whether it is being removed.
    public var isRemoving = false

    /// What is asked before the feed is removed.
    public var removalQuestion: String {
      "Remove “\(club?.name ?? "")”? Its posts go with it, and what you did with them. You can add the feed again."
    }
    /// What the page shows in place of the club; `nil` where the club is there.
    public var statusPage: StatusPage? { phase.statusPage(loading: "Fetching the fan club…") }
    /// What the page shows in place of the club's posts; `nil` while there are some.
    public var postsStatusPage: StatusPage? {
      fetch.statusPage
        ?? posts.statusPage(
          loading: "Fetching posts…",
          empty: .message(
            .empty, heading: "Nothing here yet", sentence: "This fan club has not published anything so far.", action: .refresh))
    }

    /// The state before anything is loaded.
    public init() {}
  }

  /// What the coordinator shall do.
  public typealias Output = PostList.Output

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// Something to the list, or to a row of it.
    case posts(PostList.Input)
    /// Leaves a page that has nothing to show.
    case backTapped
    /// Follows the club, or stops.
    case followTapped
    /// Shows all of what the club says about itself, or its beginning again.
    case aboutTapped
    /// Turns notifications of this club's new posts on or off.
    case notifyTapped
    /// Fetches the posts of a club that was imported from a list of feeds. A second press while that is under way does nothing.
    case fetchTapped
    /// Removes the club, which the reader has agreed to; its pages are closed once it is gone. A second press while that is under way does nothing.
    case removeTapped
  }

  /// The single source of truth.
  @ViewState public private(set) var state = State()
  /// See `PostListScreen`.
  public var statusPage: StatusPage? { state.postsStatusPage }
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }
  /// The list of posts, with all that can be done to a row.
  public let posts: PostList

  private let id: FanClub.ID
  private let store: ContentStore
  private let formatting: Formatting
  private let notifications: NotificationPreferences?
  private let output: @MainActor (Output) -> Void
  private let fetch: FanClubFetch
  private lazy var feed = FanClubsFetch(store: store, formatting: formatting) { [weak self] in self?.feedChanged() }
  private var observations: [Observation] = []
  private lazy var loader = EntityLoader(store) { [store, id] in
    try await store.loadFanClub(id, refetch: $0)
  } onEnd: { [weak self] in
    self?.loaded($0)
  }
  private var hasLoaded = false
  private var isRemoving = false
  private var wantsWholeAbout = false

  /// - Parameters:
  ///   - id: the club.
  ///   - store: the reader's content.
  ///   - formatting: how dates and counts are written.
  ///   - notifications: when the reader is notified of new posts; `nil` where the desktop cannot show notifications.
  ///   - output: called with what the coordinator is to do.
  public init(
    _ id: FanClub.ID, store: ContentStore, formatting: Formatting, notifications: NotificationPreferences? = nil,
    output: @escaping @MainActor (Output) -> Void
  ) {
    self.id = id
    self.store = store
    self.formatting = formatting
    self.notifications = notifications
    self.output = output
    fetch = FanClubFetch(id, store: store, clock: formatting.clock)
    // A row's club is this page.
    posts = PostList(.fanClub(id), store: store, formatting: formatting) { if $0 != .openFanClub(id) { output($0) } }
    posts.list.observe { [weak self] _ in self?.update() }
    posts.list.onRetryUnreachable = { [weak self] in self?.loader.retryUnreachable() ?? false }
  }

  /// See `Titled`.
  public var title: String? { state.club?.name }

  /// The page is on screen: loads the first time, and reads the cache again after that.
  public func appear() {
    guard observations.isEmpty else { return }
    observations = [
      store.fanClubs.observe(id) { [weak self] in self?.update() }, store.outboxStatus.observe { [weak self] _ in self?.update() },
      notifications?.settings.observe { [weak self] _ in self?.update() },
    ].compactMap(\.self)
    posts.list.appear()
    if !loader.isLoading, !hasLoaded { loader.load() }
    update()
  }

  /// The page is off screen and does nothing until it comes back.
  public func disappear() {
    observations = []
    posts.list.disappear()
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .posts(.refreshTapped): refreshTapped()
    case .posts(.fetchAgainTapped): fetchAgainTapped()
    case .posts(.cancelFetchTapped): cancelFetchTapped()
    case .posts(.fetchDismissed): fetchDismissed()
    case .posts(.retryTapped): retryTapped()
    case .backTapped: backTapped()
    case .followTapped: followTapped()
    case .aboutTapped: aboutTapped()
    case .notifyTapped: notifyTapped()
    case .fetchTapped: fetchTapped()
    case .removeTapped: removeTapped()
    case .posts(let input): posts.send(input)
    }
  }
  /// See `PostListScreen`.
  public func send(_ input: PostList.Input) { send(.posts(input)) }

  private func refreshTapped() {
    guard !fetch.state.isOffered else { return fetchTapped() }
    reload()
    guard store.fanClubs[id]?.feed != nil, !feed.isUnderWay else { return }
    feed.left = [id]
    feed.begin()
  }

  private func fetchAgainTapped() { feed.begin() }
  private func cancelFetchTapped() { feed.cancel() }
  private func fetchDismissed() { feed.dismiss() }

  private func reload() {
    loader.load()
    posts.list.refreshTapped()
    update()
  }

  private func feedChanged() {
    if !feed.isUnderWay, state.refresh.isUnderWay {
      store.listsAreStale()
      // Otherwise when it comes back.
      if !observations.isEmpty { reload() } else { hasLoaded = false }
    }
    update()
  }

  private func retryTapped() {
    if loader.failure != nil { loader.load() }
    posts.list.retryTapped()
    update()
  }

  private func backTapped() { if case .gone = state.phase { output(.goBack) } }

  private func followTapped() { store.toggleFollow(id) }

  private func aboutTapped() {
    wantsWholeAbout.toggle()
    update()
  }

  private func notifyTapped() {
    guard let notifications, let notifies = state.notifies else { return }
    notifications.set(!notifies, for: id)
    update()
  }

  private func fetchTapped() {
    fetch.begin { [weak self] hasPosts in
      if hasPosts { self?.reload() }
      self?.update()
    }
    update()
  }

  private func removeTapped() {
    guard state.canRemove, !isRemoving else { return }
    isRemoving = true
    update()
    let name = state.club?.name ?? "The feed"
    Task { [weak self, store, id, output] in
      // Even if the reader has left the page meanwhile: they may come back to one that has nothing to show.
      if await store.removeFanClub(id) { output(.fanClubRemoved(name)) }
      guard let self else { return }
      isRemoving = false
      update()
    }
  }

  private func loaded(_ result: Result<FanClub, any Error>) {
    hasLoaded = if case .success = result { true } else { false }
    update()
  }

  /// Some lines of a text, up to the end of a word; `nil` when it is hardly longer than that.
  private static func beginning(of text: String) -> String? {
    guard text.count > longestBeginning * 5 / 4 else { return nil }
    let beginning = text.prefix(longestBeginning)
    let words = beginning.lastIndex(of: " ").map { beginning[..<$0] } ?? beginning
    return words.prefix(through: words.lastIndex { $0.isLetter || $0.isNumber } ?? words.startIndex) + "…"
  }

  /// In characters: four lines of the smallest window, where the posts have room below them.
  private static let longestBeginning = 160

  private func update() {
    guard !observations.isEmpty, !store.isClosed else { return }
    var new = state
    let club = store.fanClubs[id]
    new.posts = posts.list.state
    new.club = club.map { FanClubRow($0, waiting: store.waiting(aboutClub: id), formatting: formatting) }
    let about = new.club?.about ?? ""
    let beginning = Self.beginning(of: about)
    new.about = wantsWholeAbout ? about : beginning ?? about
    new.isAboutWhole = beginning == nil ? nil : wantsWholeAbout
    new.notifies = club?.followed == true ? notifications?.isOn(for: id) : nil
    (new.fetch, new.refresh) = (fetch.state, feed.report)
    (new.canRemove, new.isRemoving) = (club?.canRemove == true, isRemoving)
    if loader.isNotFound || hasLoaded && club == nil {
      new.phase = .gone("This fan club is no longer here.")
    } else {
      new.phase = club == nil ? loader.failedPhase ?? .loading : .ready
    }
    state = new
  }
}
