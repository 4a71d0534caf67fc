import PublicationAPI
import PublicationClient

/// All fan clubs by name, each with a button to follow it.
@MainActor public final class FanClubListViewModel {
  /// Everything the page shows, but the rows, which ``row(for:)`` gives.
  public typealias State = ListState
  /// What the coordinator shall do.
  public enum Output: Equatable, Sendable {
    /// Open a fan club's page.
    case openFanClub(FanClub.ID)
  }

  private let list: EntityList<FanClub>
  private let store: ContentStore
  private let formatting: Formatting
  private let output: @MainActor (Output) -> Void

  /// - Parameters:
  ///   - store: the reader's content.
  ///   - formatting: how counts are written.
  ///   - output: told what the coordinator shall do.
  public init(store: ContentStore, formatting: Formatting, output: @escaping @MainActor (Output) -> Void) {
    self.store = store
    self.formatting = formatting
    self.output = output
    let client = store.client
    list = EntityList("fanclubs.load", cache: store.fanClubs, store: store) { try await client.fanClubs(cursor: $0) }
  }

  /// The single source of truth.
  public var state: State { list.state }
  /// Called once on binding, then on each change.
  public var onChange: ((State) -> Void)? {
    get { list.onChange }
    set { list.onChange = newValue }
  }
  /// Told the rows to draw again, of those that were asked for.
  public var onRowsChanged: ((Set<FanClub.ID>) -> Void)? {
    get { list.onRowsChanged }
    set { list.onRowsChanged = newValue }
  }
  /// What a row shows; `nil` for a club that is gone.
  public func row(for id: FanClub.ID) -> FanClubRow? { list.value(id).map { FanClubRow($0, formatting: formatting) } }

  /// The page came on screen: loads the first time, and reads the cache anew after that.
  public func appear() { list.appear() }
  /// The page is off screen and does nothing until it comes back.
  public func disappear() { list.disappear() }
  /// Loads the clubs anew: the button, or F5.
  public func refreshTapped() { list.refreshTapped() }
  /// Tries again what failed.
  public func retryTapped() { list.retryTapped() }
  /// The last row came in sight.
  public func reachedEnd() { list.reachedEnd() }
  /// The reader has read the message.
  public func messageDismissed() { list.messageDismissed() }
  /// Opens a club's page.
  public func clubTapped(_ id: FanClub.ID) { output(.openFanClub(id)) }
  /// Follows a club, or stops.
  public func followTapped(_ id: FanClub.ID) { store.toggleFollow(id) }
}
