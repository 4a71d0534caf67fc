import PublicationAPI
import PublicationClient

/// The fan clubs by name, all or those that the reader follows, each with a button to follow it.
@MainActor public final class FanClubListViewModel {
  /// Everything the page shows, but the rows, which ``FanClubListViewModel/row(for:)`` gives.
  public struct State: Equatable, Sendable {
    /// The rows.
    public var clubs = ListState()
    /// Whether only clubs are shown that the reader follows. A row leaves as soon as the reader stops.
    public var isFollowedOnly = false
    /// Whether "Add feed" is offered.
    public var canAddFeeds = false

    /// A page that has not loaded.
    public init() {}
  }

  /// What the coordinator shall do.
  public enum Output: Equatable, Sendable {
    /// Open a fan club's page.
    case openFanClub(FanClub.ID)
    /// Open the dialog that adds a feed.
    case openAddFeed
  }

  /// The single source of truth.
  public private(set) var state = State() { didSet { if state != oldValue { onChange?(state) } } }
  /// Called once on binding, then on each change.
  public var onChange: ((State) -> Void)? { didSet { onChange?(state) } }
  /// Told the rows to draw again, of those that were asked for.
  public var onRowsChanged: ((Set<FanClub.ID>) -> Void)? {
    didSet { for list in [all, followed] { list.onRowsChanged = onRowsChanged } }
  }

  private let all: EntityList<FanClub>
  private let followed: EntityList<FanClub>
  private let store: ContentStore
  private let formatting: Formatting
  private let canAddFeeds: @MainActor () -> Bool
  private let output: @MainActor (Output) -> Void
  private var isOnScreen = false

  /// - Parameters:
  ///   - store: the reader's content.
  ///   - formatting: how counts are written.
  ///   - canAddFeeds: whether the publication lets readers add feeds, as far as that is known.
  ///   - output: told what the coordinator shall do.
  public init(
    store: ContentStore, formatting: Formatting, canAddFeeds: @escaping @MainActor () -> Bool = { false },
    output: @escaping @MainActor (Output) -> Void
  ) {
    self.store = store
    self.formatting = formatting
    self.canAddFeeds = canAddFeeds
    self.output = output
    all = .fanClubs(store: store)
    followed = .fanClubs(store: store, followedOnly: true)
    for list in [all, followed] { list.onChange = { [weak self] _ in self?.update() } }
  }

  private var list: EntityList<FanClub> { state.isFollowedOnly ? followed : all }

  /// What a row shows; `nil` for a club that is gone.
  public func row(for id: FanClub.ID) -> FanClubRow? { list.value(id).map { FanClubRow($0, formatting: formatting) } }

  /// The page came on screen: loads the first time, and reads the cache anew after that.
  public func appear() {
    guard !isOnScreen else { return }
    isOnScreen = true
    list.appear()
    update()
  }

  /// The page is off screen and does nothing until it comes back.
  public func disappear() {
    isOnScreen = false
    list.disappear()
  }

  /// Shows only the clubs that the reader follows, or all again.
  public func followedOnlyTapped() {
    list.disappear()
    state.isFollowedOnly.toggle()
    if isOnScreen { list.appear() }
    update()
  }

  /// Loads the clubs anew: the button, or F5.
  public func refreshTapped() { list.refreshTapped() }
  /// Tries again what failed.
  public func retryTapped() { list.retryTapped() }
  /// The last row came in sight.
  public func reachedEnd() { list.reachedEnd() }
  /// The reader has read the message.
  public func messageDismissed() { list.messageDismissed() }
  /// Opens the club's page.
  public func clubTapped(_ id: FanClub.ID) { output(.openFanClub(id)) }
  /// Follows the club, or stops.
  public func followTapped(_ id: FanClub.ID) { store.toggleFollow(id) }
  /// Opens the dialog that adds a feed, where that is offered.
  public func addFeedTapped() { if state.canAddFeeds { output(.openAddFeed) } }

  private func update() {
    var new = state
    new.clubs = list.state
    new.canAddFeeds = canAddFeeds()
    state = new
  }
}
