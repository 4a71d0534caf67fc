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
    /// The list of fan clubs: its rows, and how far it is.
    public var clubs = ListState()
    /// Whether only clubs are shown that the reader follows. A row leaves as soon as the reader stops.
    public var isFollowedOnly = false
    /// Whether "Add feed" is offered, and "Export…".
    public var canAddFeeds = false
    /// Whether the reader is to say where the feeds go that are exported.
    public var isChoosingExportFile = false

    /// What the page shows in place of rows; `nil` while there are some.
    public var statusPage: StatusPage? {
      clubs.statusPage(
        loading: "Fetching the fan clubs…",
        empty: isFollowedOnly
          ? .message(
            .people, heading: "You follow none yet", sentence: "Follow fan clubs to find them here, and to hear of their new posts.")
          : .message(
            .people, heading: "No fan clubs yet", sentence: "This publication has none so far. Refresh to look again.", action: .refresh))
    }

    /// A page that has not loaded.
    public init() {}
  }

  /// What the coordinator shall do.
  public enum Output: Equatable, Sendable {
    /// Open a fan club's page.
    case openFanClub(FanClub.ID)
    /// Open the dialog that adds a feed.
    case openAddFeed
    /// Show the reader a short message of what was exported, on any page.
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
    /// The last row is in sight.
    case reachedEnd
    /// The reader has read the message.
    case messageDismissed
    /// Opens the club's page.
    case clubTapped(FanClub.ID)
    /// Follows the club, or stops.
    case followTapped(FanClub.ID)
    /// Opens the dialog that adds a feed, where that is offered.
    case addFeedTapped
    /// Exports the feeds of all clubs that the reader follows, for other programs (OPML): says that there are none, or lets the reader choose
    /// a file. A second press while they are looked up does nothing.
    case exportTapped
    /// Writes them to a file, and says what came of it.
    /// - Parameter path: where to. What is there is replaced, and stays when that fails.
    case exportChosen(String)
    /// The reader chose no file.
    case exportCancelled
  }

  /// The single source of truth.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }
  /// Called with the rows to draw again, among those that were read.
  public var onRowsChanged: ((Set<FanClub.ID>) -> Void)? {
    didSet { for list in [all, followed] { list.onRowsChanged = onRowsChanged } }
  }

  private let all: EntityList<FanClub>
  private let followed: EntityList<FanClub>
  private let store: ContentStore
  private let formatting: Formatting
  private let canAddFeeds: LastValue<Bool>
  private let documents: Documents
  private let output: @MainActor (Output) -> Void
  private var isOnScreen = false
  private var exporting: Task<Void, Never>?
  private var export: FeedExport?
  private var exportMessage: String?
  private var observation: Observation?

  /// - Parameters:
  ///   - store: the reader's content.
  ///   - formatting: how counts are written.
  ///   - canAddFeeds: whether the publication lets readers add feeds, as far as that is known.
  ///   - documents: writes the file that the reader chose.
  ///   - output: told what the coordinator shall do.
  public init(
    store: ContentStore, formatting: Formatting, canAddFeeds: LastValue<Bool> = LastValue(false), documents: Documents,
    output: @escaping @MainActor (Output) -> Void
  ) {
    self.store = store
    self.formatting = formatting
    self.canAddFeeds = canAddFeeds
    self.documents = documents
    self.output = output
    all = .fanClubs(store: store)
    followed = .fanClubs(store: store, followedOnly: true)
    for list in [all, followed] { list.observe { [weak self] _ in self?.update() } }
  }

  isolated deinit { exporting?.cancel() }

  private var list: EntityList<FanClub> { state.isFollowedOnly ? followed : all }

  /// What a row shows; `nil` for a club that is gone.
  public func row(for id: FanClub.ID) -> FanClubRow? {
    list.value(id).map { FanClubRow($0, waiting: store.waiting(aboutClub: id), formatting: formatting) }
  }

  /// The page is on screen: loads the first time, and reads the cache again after that.
  public func appear() {
    guard !isOnScreen else { return }
    isOnScreen = true
    list.appear()
    update()
    observation = canAddFeeds.observe { [weak self] _ in self?.update() }
  }

  /// The page is off screen and does nothing until it comes back.
  public func disappear() {
    isOnScreen = false
    observation = nil
    exportCancelled()
    list.disappear()
  }

  /// Handles an input of the reader.
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
    case .exportTapped: exportTapped()
    case .exportChosen(let path): exportChosen(path)
    case .exportCancelled: exportCancelled()
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

  private func exportTapped() {
    guard state.canAddFeeds, exporting == nil, export == nil else { return }
    exportMessage = nil
    exporting = Task { [weak self, store, formatting] in
      let found: Result<[FanClub], any Error>
      do { found = .success(try await store.followedClubs("fanclubs.export")) } catch { found = .failure(error) }
      guard let self, !Task.isCancelled, !store.isClosed else { return }
      exporting = nil
      // The reader went elsewhere meanwhile.
      guard isOnScreen else { return }
      switch found {
      case .success(let clubs):
        export = FeedExport(clubs, formatting)
        // Said in passing: it is not so any more as soon as one is followed.
        if export == nil { output(.exported("There is nothing to export: no fan club that you follow has a feed.")) }
      case .failure(let error): exportMessage = "The feeds were not exported. \(RequestError(explaining: error).sentence)"
      }
      update()
    }
  }

  private func exportChosen(_ path: String) {
    guard let export else { return }
    self.export = nil
    update()
    exporting = Task { [weak self, store, documents] in
      let written: Result<Void, any Error>
      do {
        written = .success(try await store.effects.run("fanclubs.write") { try await documents.write(export.document, path) })
      } catch { written = .failure(error) }
      guard let self, !Task.isCancelled, !store.isClosed else { return }
      exporting = nil
      // What went wrong stays until it was read; what went well leaves by itself.
      switch written {
      case .success: output(.exported(export.sentence(writtenTo: URL(fileURLWithPath: path).lastPathComponent)))
      case .failure(Documents.Failure.impossible(let sentence)): exportMessage = sentence
      case .failure(let error): exportMessage = "The feeds were not exported. \(RequestError(explaining: error).sentence)"
      }
      update()
    }
  }

  private func exportCancelled() {
    export = nil
    update()
  }

  private func update() {
    var new = state
    new.clubs = list.state
    new.canAddFeeds = canAddFeeds.value
    new.isChoosingExportFile = export != nil
    if let exportMessage { new.clubs.message = exportMessage }
    state = new
  }
}

/// The feeds of the fan clubs that a reader follows, as other programs read them (OPML).
private struct FeedExport {
  let document: Data
  private let counts: (feeds: String, others: String?)

  /// `nil` when none of the clubs has a feed.
  init?(_ clubs: [FanClub], _ formatting: Formatting) {
    let feeds = clubs.compactMap { club in
      club.feed.map { ParsedOutline.Outline(title: club.name, about: club.about, feedURL: $0, homeURL: club.url) }
    }
    guard !feeds.isEmpty else { return nil }
    document = ParsedOutline(title: "Fan clubs", outlines: feeds).opml
    let others = clubs.count - feeds.count
    counts = (
      formatting.count(feeds.count, "feed was", "feeds were"),
      others == 0 ? nil : formatting.count(others, "fan club that you follow has", "fan clubs that you follow have")
    )
  }

  func sentence(writtenTo file: String) -> String {
    let written = "\(counts.feeds) written to “\(file)”."
    return counts.others.map { "\(written) \($0) none." } ?? written
  }
}
