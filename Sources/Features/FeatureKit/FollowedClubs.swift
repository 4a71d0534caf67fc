import ContentCache
import PublicationAPI
import ReaderContent

/// The fan clubs that a reader follows, all of them, by name: for pages that offer a choice among them. Isolated to the main actor.
@MainActor public final class FollowedClubs {
  /// How far they are.
  public var phase: ListState.Phase { list.state.phase }
  /// Those that are known so far.
  public var clubs: [FanClub] { list.state.ids.compactMap(list.value) }
  /// Why those are not all of them; nil while they are, or are on their way.
  public var failure: String? { list.state.loadMoreFailure }
  /// Called after each change of the list, and of an entry in ``clubs``.
  public var onChange: (() -> Void)?

  private let list: EntityList<FanClub>

  /// - Parameter store: the reader's content.
  public init(store: ContentStore) {
    list = .fanClubs(store: store, followedOnly: true)
    list.observe { [weak self] _ in self?.changed() }
    list.onRowsChanged = { [weak self] _ in self?.onChange?() }
  }

  /// The page that shows them is on screen.
  public func appear() {
    list.appear()
    if failure != nil { list.retryTapped() }
  }
  /// The page is off screen.
  public func disappear() { list.disappear() }
  /// Asks the publication again.
  public func refresh() { list.refreshTapped() }

  private func changed() {
    // A choice among some of them would be none.
    list.reachedEnd()
    onChange?()
  }
}

extension EntityList<FanClub> {
  /// The publication's fan clubs by name.
  /// - Parameter followedOnly: only those that the reader follows. A row leaves as soon as the reader stops following.
  public static func fanClubs(store: ContentStore, followedOnly: Bool = false) -> EntityList<FanClub> {
    EntityList(
      store.fanClubList(followedOnly: followedOnly), in: store.fanClubs, store: store, updatesWithActions: followedOnly)
  }
}

extension FanClub {
  /// Its place on the web, without the parts that every address has: distinguishes clubs of the same name. Empty for a club without one.
  public var address: String {
    guard let address = (feed ?? url)?.onOneLine else { return "" }
    let bare = address.trimmingPrefix(/https?:\/\/(www\.)?/)
    return String(bare.last == "/" ? bare.dropLast() : bare)
  }
}
