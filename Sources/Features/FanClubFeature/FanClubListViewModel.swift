import ContentCache
import FeatureKit
import FeedFormats
import Foundation
import PublicationAPI
import ReaderContent
import Runtime

/// The fan clubs by name, all or those that the reader follows, each with a button to follow it.
@MainActor public final class FanClubListViewModel: Refreshable {
  /// Everything the page shows, but the rows, which ``FanClubListViewModel/row(for:)`` gives.
  public struct State: Equatable, Sendable {
    /// The rows.
    public var clubs = ListState()
    /// Whether only clubs are shown that the reader follows. A row leaves as soon as the reader stops.
    public var isFollowedOnly = false
    /// Whether "Add feed" is offered, and "Export…".
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
    /// Tell the reader in passing what was exported, wherever they look.
    case exported(String)
  }

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// Shows only the clubs that the reader follows, or all again.
    case followedOnlyTapped
    /// Loads the clubs again: the button, or F5.
    case refreshTapped
    /// Tries again what failed.
    case retryTapped
    /// The last row came in sight.
    case reachedEnd
    /// The reader has read the message.
    case messageDismissed
    /// Opens the club's page.
    case clubTapped(FanClub.ID)
    /// Follows the club, or stops.
    case followTapped(FanClub.ID)
    /// Opens the dialog that adds a feed, where that is offered.
    case addFeedTapped
    /// Writes the feeds of all clubs that the reader follows to a file, for other programs (OPML), and says what came of it.
    /// - Parameter path: where to. What is there is replaced, and stays when there is nothing to write or that fails.
    case exportChosen(String)
  }

  /// The single source of truth.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }
  /// Told the rows to draw again, of those that were asked for.
  public var onRowsChanged: ((Set<FanClub.ID>) -> Void)? {
    didSet { for list in [all, followed] { list.onRowsChanged = onRowsChanged } }
  }

  private let all: EntityList<FanClub>
  private let followed: EntityList<FanClub>
  private let store: ContentStore
  private let formatting: Formatting
  private let canAddFeeds: LastValue<Bool>
  private let output: @MainActor (Output) -> Void
  private var isOnScreen = false
  private var exporting: Task<Void, Never>?
  private var exportMessage: String?
  private var watching: Task<Void, Never>?

  /// - Parameters:
  ///   - store: the reader's content.
  ///   - formatting: how counts are written.
  ///   - canAddFeeds: whether the publication lets readers add feeds, as far as that is known.
  ///   - output: told what the coordinator shall do.
  public init(
    store: ContentStore, formatting: Formatting, canAddFeeds: LastValue<Bool> = LastValue(false),
    output: @escaping @MainActor (Output) -> Void
  ) {
    self.store = store
    self.formatting = formatting
    self.canAddFeeds = canAddFeeds
    self.output = output
    all = .fanClubs(store: store)
    followed = .fanClubs(store: store, followedOnly: true)
    for list in [all, followed] { list.observe { [weak self] _ in self?.update() } }
  }

  isolated deinit {
    exporting?.cancel()
    watching?.cancel()
  }

  private var list: EntityList<FanClub> { state.isFollowedOnly ? followed : all }

  /// What a row shows; `nil` for a club that is gone.
  public func row(for id: FanClub.ID) -> FanClubRow? {
    list.value(id).map { FanClubRow($0, waiting: store.waiting(aboutClub: id), formatting: formatting) }
  }

  /// The page came on screen: loads the first time, and reads the cache again after that.
  public func appear() {
    guard !isOnScreen else { return }
    isOnScreen = true
    list.appear()
    update()
    let permissions = canAddFeeds.stream()
    watching = Task { [weak self] in
      for await _ in permissions where !Task.isCancelled { self?.update() }
    }
  }

  /// The page is off screen and does nothing until it comes back.
  public func disappear() {
    isOnScreen = false
    watching?.cancel()
    list.disappear()
  }

  /// Does what the reader asked for.
  public func send(_ input: Input) {
    switch input {
    case .followedOnlyTapped: followedOnlyTapped()
    case .refreshTapped: refreshTapped()
    case .retryTapped: retryTapped()
    case .reachedEnd: reachedEnd()
    case .messageDismissed: messageDismissed()
    case .clubTapped(let id): clubTapped(id)
    case .followTapped(let id): followTapped(id)
    case .addFeedTapped: addFeedTapped()
    case .exportChosen(let path): exportChosen(path)
    }
  }
  /// See `Refreshable`.
  public func refresh() { send(.refreshTapped) }

  private func followedOnlyTapped() {
    list.disappear()
    state.isFollowedOnly.toggle()
    if isOnScreen { list.appear() }
    update()
  }

  private func refreshTapped() { list.refreshTapped() }
  private func retryTapped() { list.retryTapped() }
  private func reachedEnd() { list.reachedEnd() }
  private func messageDismissed() {
    // What the list has to say waits behind it.
    guard exportMessage != nil else { return list.messageDismissed() }
    exportMessage = nil
    update()
  }
  private func clubTapped(_ id: FanClub.ID) { output(.openFanClub(id)) }
  private func followTapped(_ id: FanClub.ID) { store.toggleFollow(id) }
  private func addFeedTapped() { if state.canAddFeeds { output(.openAddFeed) } }

  private func exportChosen(_ path: String) {
    guard state.canAddFeeds else { return }
    exporting?.cancel()
    exporting = Task { [weak self, store, formatting] in
      var (written, problem): (String?, String?)
      do {
        written = try await Self.export(store, formatting, to: path)
      } catch let error as DocumentWriter.Unwritable {
        problem = error.sentence
      } catch { problem = "The feeds were not exported. \(RequestError(explaining: error).sentence)" }
      guard let self, !Task.isCancelled, !store.isClosed else { return }
      // What went wrong stays until it was read; what went well leaves by itself.
      exportMessage = problem
      update()
      if let written { output(.exported(written)) }
    }
  }

  /// - Returns: what was written, in a sentence.
  private static func export(_ store: ContentStore, _ formatting: Formatting, to path: String) async throws -> String {
    let clubs = try await store.followedClubs("fanclubs.export")
    let feeds = clubs.compactMap { club in
      club.feed.map { ParsedOutline.Outline(title: club.name, about: club.about, feedURL: $0, homeURL: club.url) }
    }
    // Said in passing: it is not so any more as soon as one is followed.
    guard !feeds.isEmpty else { return "There is nothing to export: no fan club that you follow has a feed." }
    let list = ParsedOutline(title: "Fan clubs", outlines: feeds)
    try await store.effects.run("fanclubs.write") { try await DocumentWriter().write(list.opml, to: path) }
    let file = "“\(URL(fileURLWithPath: path).lastPathComponent)”"
    let written = "\(formatting.count(feeds.count, "feed was", "feeds were")) written to \(file)."
    let left = clubs.count - feeds.count
    return left == 0
      ? written : "\(written) \(formatting.count(left, "fan club that you follow has", "fan clubs that you follow have")) none."
  }

  private func update() {
    var new = state
    new.clubs = list.state
    new.canAddFeeds = canAddFeeds.value
    if let exportMessage { new.clubs.message = exportMessage }
    state = new
  }
}
