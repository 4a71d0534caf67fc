import ContentCache
import PublicationAPI
import PublicationClient
import Runtime

/// Fetches the posts of several fan clubs, a few at a time, each as its own page does.
@MainActor final class ClubsFetch {
  /// A publication takes on three for each reader; one of them is left for what else the reader wants.
  private static let mostAtATime = 2

  /// Those whose posts are not there yet, in their order.
  var left: [FanClub.ID] = []
  private(set) var failures: [AddFeedViewModel.State.Failure] = []
  /// Why it ended before its time, for the reader.
  private(set) var problem: String?
  /// How many were asked for and are over, of how many.
  private(set) var (done, total) = (0, 0)
  /// What was begun last calls itself.
  private(set) var name = ""

  private let store: ContentStore
  private let formatting: Formatting
  private let onChange: @MainActor () -> Void
  private var waiting: [FanClub.ID] = []
  /// What the publication does for this, by club; `nil` until it has said so.
  private var running: [FanClub.ID: Import.ID?] = [:]
  private var workers: [Task<Void, Never>] = []

  init(store: ContentStore, formatting: Formatting, onChange: @escaping @MainActor () -> Void) {
    self.store = store
    self.formatting = formatting
    self.onChange = onChange
  }

  isolated deinit { for worker in workers { worker.cancel() } }

  var isUnderWay: Bool { !workers.isEmpty }

  func begin() {
    guard !isUnderWay, !left.isEmpty else { return }
    (waiting, failures, problem, done, total, name) = (left, [], nil, 0, left.count, "")
    workers = (0..<min(Self.mostAtATime, total)).map { _ in
      Task { [weak self] in
        while !Task.isCancelled, let club = self?.next() { await self?.fetch(club) }
      }
    }
    onChange()
  }

  /// What is there stays; what is on its way is not wanted any more, and may come all the same.
  func cancel() { stop(nil) }

  private func next() -> FanClub.ID? {
    guard !store.isClosed, let club = waiting.first else { return nil }
    waiting.removeFirst()
    running.updateValue(nil, forKey: club)
    return club
  }

  private func fetch(_ club: FanClub.ID) async {
    var failure: AddFeedViewModel.State.Failure?
    var title = store.fanClubs[club]?.name ?? ""
    do {
      let ended = try await store.fetchPosts(of: club, lookingOn: formatting.clock) { [weak self] in self?.begun($0, club) }
      if !ended.title.isEmpty { title = ended.title }
      if let problem = ended.problemOfFetching { failure = .init(title, problem) }
    } catch {
      guard !Task.isCancelled else { return }
      let reason = RequestFailure(explaining: error)
      // Nobody would answer for the others either.
      if reason.isUnreachable { return stop(reason.sentence) }
      failure = .init(title, reason.sentence)
    }
    guard !Task.isCancelled else { return }
    running[club] = nil
    if let failure { failures.append(failure) } else { left.removeAll { $0 == club } }
    done += 1
    if done == total { workers = [] }
    onChange()
  }

  private func begun(_ latest: Import, _ club: FanClub.ID) {
    // Whoever cancelled did not know its name.
    guard !Task.isCancelled else { return cancelAtPublication(latest.id) }
    running[club] = latest.id
    name = latest.title
    onChange()
  }

  private func stop(_ problem: String?) {
    guard isUnderWay else { return }
    for worker in workers { worker.cancel() }
    for id in running.values { if let id { cancelAtPublication(id) } }
    (workers, waiting, running, self.problem) = ([], [], [:], problem)
    onChange()
  }

  private func cancelAtPublication(_ id: Import.ID) {
    Task { [effects = store.effects, client = store.client] in
      _ = try? await effects.run("addfeed.cancel") { try await client.cancelImport(id) }
    }
  }
}
