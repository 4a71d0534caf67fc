import ContentCache
import FeatureKit
import FeedFormats
import Foundation
import PublicationAPI
import PublicationClient
import ReaderContent
import Runtime

/// "Add feed": takes an address or a file, shows the publication's progress, and cancels. Of a list of feeds it fetches the posts of all,
/// if the reader wants that. Isolated to the main actor.
@MainActor public final class AddFeedViewModel: Closable, AsksBeforeLeaving {
  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// Fills in the address that a link or another page brought; nothing is added before the reader confirms.
    case opened(with: String)
    /// The reader types an address, in place of a file.
    case urlChanged(String)
    /// The reader chose a file, in place of an address.
    case fileChosen(String)
    /// Adds it, or says why what was typed is nothing that can be.
    case addTapped
    /// Adds one of the feeds that the web page at the address names.
    case choiceTapped(String)
    /// Cancels: nothing of the import stays, unless it was complete. Posts that were fetched stay.
    case cancelTapped
    /// Fetches the posts of the fan clubs that a list of feeds made, those that are not there yet.
    case fetchTapped
    /// Opens what was added.
    case openTapped
    /// Closes the dialog; what is being added is cancelled first.
    case closeTapped
  }

  /// The single source of truth.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let store: ContentStore
  private let formatting: Formatting
  private let documents: Documents
  private let output: @MainActor (Output) -> Void
  private var path: String?
  private var adding: Task<Void, Never>?
  /// The import that is under way, from when the publication may know of it.
  private var importID: Import.ID?
  /// The publication's last answer about it.
  private var latest: Import?
  private var isCancelled = false
  private var clubs: [FanClub.ID] = []
  private lazy var fetch = FanClubsFetch(store: store, formatting: formatting) { [weak self] in self?.fetchChanged() }

  /// - Parameters:
  ///   - store: the reader's content.
  ///   - formatting: how counts are written.
  ///   - documents: reads the file that the reader chose.
  ///   - output: called with what the coordinator is to do.
  public init(store: ContentStore, formatting: Formatting, documents: Documents, output: @escaping @MainActor (Output) -> Void) {
    self.store = store
    self.formatting = formatting
    self.documents = documents
    self.output = output
    urlChanged(store.feedAddress)
  }

  isolated deinit { adding?.cancel() }

  /// The dialog is on screen.
  public func appear() {}
  /// The dialog is covered, or gone.
  public func disappear() {}

  /// See `AsksBeforeLeaving`.
  public var lossOnLeaving: String? {
    guard case .adding(let progress) = state.phase, !progress.isCancelling, latest?.state != .done else { return nil }
    return "The feed is still being added. If you leave, that is cancelled."
  }

  /// The dialog was closed by any means: an import under way is cancelled.
  public func closed() { cancelTapped() }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .opened(let url): if case .asking = state.phase { urlChanged(url) }
    case .urlChanged(let url): urlChanged(url)
    case .fileChosen(let path): fileChosen(path)
    case .addTapped: addTapped()
    case .choiceTapped(let url): choiceTapped(url)
    case .cancelTapped: cancelTapped()
    case .fetchTapped: fetchTapped()
    case .openTapped: openTapped()
    case .closeTapped: closeTapped()
    }
  }

  private func urlChanged(_ url: String) {
    guard case .asking = state.phase, url != state.url || path != nil else { return }
    path = nil
    store.feedAddress = url
    var new = state
    (new.url, new.file, new.problem, new.question) = (url, nil, nil, nil)
    new.canAdd = url.contains { !$0.isWhitespace }
    state = new
  }

  private func fileChosen(_ path: String) {
    guard case .asking = state.phase else { return }
    self.path = path
    store.feedAddress = ""
    var new = state
    (new.url, new.file, new.problem, new.question) = ("", URL(fileURLWithPath: path).lastPathComponent, nil, nil)
    new.canAdd = true
    state = new
  }

  private func addTapped() {
    guard case .asking = state.phase, state.canAdd else { return }
    isCancelled = false
    (importID, latest) = (nil, nil)
    var new = state
    (new.problem, new.question) = (nil, nil)
    let source = path.map(FeedSource.file) ?? FeedSource(typed: state.url)
    switch source {
    case .address: new.phase = .adding(.init("Fetching…"))
    case .file: new.phase = .adding(.init("Opening the file…"))
    case .neither(let sentence): (new.problem, new.refusals) = (sentence, new.refusals + 1)
    }
    state = new
    if case .neither = source { return }
    adding = Task { [weak self] in await self?.add(source) }
  }

  private func choiceTapped(_ url: String) {
    guard case .asking = state.phase, state.question?.choices.contains(where: { $0.url == url }) == true else { return }
    urlChanged(url)
    addTapped()
  }

  private func cancelTapped() {
    if case .fetching = state.phase { return fetch.cancel() }
    guard case .adding(var progress) = state.phase, !progress.isCancelling else { return }
    isCancelled = true
    progress.isCancelling = true
    state.phase = .adding(progress)
    // Uploading a large file may take long. An import that the publication has begun is cancelled there.
    if latest == nil { adding?.cancel() }
    if let importID { cancel(importID) } else { failed(nil) }
  }

  private func fetchTapped() {
    guard case .added = state.phase, state.fetchLabel != nil else { return }
    fetch.begin()
  }

  private func openTapped() {
    guard case .added = state.phase, !clubs.isEmpty else { return }
    output(clubs.count == 1 ? .openFanClub(clubs[0]) : .openFanClubs)
  }

  private func closeTapped() { output(.close) }

  // MARK: Adding

  private static let pace = Duration.milliseconds(500)

  private func add(_ source: FeedSource) async {
    do {
      guard let begun = try await begin(source) else { return }
      guard !store.isClosed, !Task.isCancelled else { return }
      importID = begun.id
      poll(begun)
    } catch { if !Task.isCancelled { failed(sentence(error)) } }
  }

  private func begin(_ source: FeedSource) async throws -> Import? {
    let (client, effects, id) = (store.client, store.effects, store.identifiers.next())
    switch source {
    case .address(let url):
      importID = id.uuidString
      return try await effects.run("addfeed.begin") { try await client.beginImport(of: url, as: id) }
    case .file(let path):
      let name = URL(fileURLWithPath: path).lastPathComponent
      let limit = Import.documentLimit
      let document: Data
      do { document = try await effects.run("addfeed.file") { [documents] in try await documents.read(path, limit) } } catch {
        guard case Documents.Failure.tooLarge(let bytes) = error else { throw error }
        throw FeedError(.tooLarge(bytes: bytes, limit: limit), source: name, offset: limit)
      }
      try Task.checkCancellation()
      importID = id.uuidString
      return try await effects.run("addfeed.begin") { try await client.beginImport(of: document, named: name, as: id) }
    case .neither: return nil
    }
  }

  private func sentence(_ error: any Error) -> String {
    switch error {
    case Documents.Failure.impossible(let sentence): sentence
    case let error as FeedError: error.description
    default: RequestError(explaining: error).sentence
    }
  }

  /// Shows how far it is, and asks again in a moment until it is over.
  private func poll(_ latest: Import) {
    self.latest = latest
    switch latest.state {
    case .running:
      show(latest)
      adding = Task { [weak self, effects = store.effects, clock = formatting.clock, client = store.client] in
        do { try await effects.sleep("addfeed.pace", for: Self.pace, on: clock) } catch { return }
        let answer: Result<Import, any Error>
        do { answer = .success(try await effects.run("addfeed.progress") { try await client.progress(of: latest.id) }) } catch {
          answer = .failure(error)
        }
        guard let self, importID == latest.id, !store.isClosed, !Task.isCancelled else { return }
        switch answer {
        case .success(let next): poll(next)
        // The import continues at the publication without the app.
        case .failure(let error) where RequestError(explaining: error).isUnreachable: poll(latest)
        case .failure(let error as ClientError) where error.isNotFound:
          failed("The publication was started again meanwhile, and has not finished this. Try again.")
        case .failure(let error): failed(sentence(error))
        }
      }
    case .done: done(latest)
    case .failed: failed(latest.problem ?? "The feed could not be added.", choices: latest.choices ?? [])
    case .cancelled: failed(nil)
    }
  }

  private func show(_ latest: Import) {
    let of = { (verb: String) in
      latest.total > 0 ? "\(verb) \(self.formatting.count(latest.done)) of \(self.formatting.count(latest.total))" : "\(verb)…"
    }
    let words =
      switch latest.step {
      case .fetching: "Fetching…"
      case .reading: of("Reading")
      case .storing: of("Storing")
      }
    let fraction = latest.step == .fetching || latest.total <= 0 ? nil : min(1, max(0, Double(latest.done) / Double(latest.total)))
    state.phase = .adding(.init(isCancelled ? "Cancelling…" : words, fraction: fraction, title: latest.title, isCancelling: isCancelled))
  }

  private func cancel(_ id: Import.ID) {
    Task { [weak self, effects = store.effects, client = store.client] in
      let answer: Result<Import, any Error>
      do { answer = .success(try await effects.run("addfeed.cancel") { try await client.cancelImport(id) }) } catch {
        answer = .failure(error)
      }
      guard let self, importID == id, !store.isClosed else { return }
      adding?.cancel()
      switch answer {
      // An import that still runs is being undone: its result is requested a moment later.
      case .success(let answer): poll(answer)
      // It never arrived.
      case .failure(let error as ClientError) where error.isNotFound && latest == nil: failed(nil)
      case .failure:
        isCancelled = false
        let problem = "It could not be cancelled, because the publication cannot be reached."
        guard let latest else { return failed(problem) }
        show(latest)
        state.problem = problem
        poll(latest)
      }
    }
  }

  private func done(_ done: Import) {
    store.listsAreStale()
    store.feedAddress = ""
    clubs = done.clubs
    importID = nil
    let title = done.title.isEmpty ? state.file ?? state.url : done.title
    if clubs.count == 1 { return output(.openFanClub(clubs[0])) }
    var new = state
    new.problem = nil
    new.phase = .added(
      clubs.isEmpty
        ? "“\(title)” names no feeds, so there is nothing to add."
        : "“\(title)” names \(formatting.count(clubs.count, "feed", "feeds")), which are fan clubs now. Their posts are fetched when you ask."
    )
    new.openLabel = clubs.isEmpty ? nil : "Show the fan clubs"
    new.fetchLabel = clubs.isEmpty ? nil : "Fetch all"
    state = new
    fetch.left = clubs
  }

  /// - Parameters:
  ///   - problem: `nil` when the reader did not want it any more.
  ///   - choices: what a web page names, of which the reader has to choose.
  private func failed(_ problem: String?, choices: [Import.Choice] = []) {
    guard !store.isClosed else { return }
    importID = nil
    var new = state
    new.phase = .asking
    new.problem = isCancelled || !choices.isEmpty ? nil : problem
    if new.problem != nil, new.file == nil { new.refusals += 1 }
    if !isCancelled, !choices.isEmpty {
      new.question = .init("This page names \(formatting.count(choices.count, "feed", "feeds")). Which one do you want?", choices)
    }
    state = new
  }

  private func fetched(_ count: Int, of all: String) -> String {
    switch count {
    case 0: "None of the \(all) has its posts yet."
    case clubs.count: "The posts of the \(all) are there."
    default: "The posts of \(formatting.count(count)) of \(all) are there."
    }
  }

  private func fetchChanged() {
    guard !store.isClosed else { return }
    var new = state
    (new.failures, new.problem) = (fetch.failures, fetch.problem)
    if fetch.isUnderWay {
      new.phase = .fetching(
        .init(
          "Fetching \(formatting.count(min(fetch.done + 1, fetch.total))) of \(formatting.count(fetch.total))",
          fraction: Double(fetch.done) / Double(max(1, fetch.total)), title: fetch.name))
    } else {
      store.listsAreStale()
      new.phase = .added(fetched(clubs.count - fetch.left.count, of: formatting.count(clubs.count, "fan club", "fan clubs")))
      new.fetchLabel = fetch.left.isEmpty ? nil : "Fetch the rest"
    }
    state = new
  }
}
