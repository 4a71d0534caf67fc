import ContentCache
import PublicationAPI
import ReaderContent
import Runtime

/// Has the publication fetch the feeds of several fan clubs, a few at a time, each as its own page does. Isolated to the main actor.
@MainActor public final class FanClubsFetch {
  /// A fan club whose feed could not be fetched.
  public struct Failure: Equatable, Sendable {
    /// The club's name; how many there are where several share a reason.
    public var name: String
    /// Why it could not be fetched, in a sentence.
    public var problem: String
    /// The names of several that share a reason.
    public var members: [String] = []

    public init(_ name: String, _ problem: String, of members: [String] = []) {
      self.name = name
      self.problem = problem
      self.members = members
    }

    /// The same with each reason once, in order: several feeds that share one are "12 feeds", with their names.
    public static func byReason(_ failures: [Failure]) -> [Failure] {
      var order: [String] = []
      let groups = Dictionary(grouping: failures) { failure in
        if !order.contains(failure.reason) { order.append(failure.reason) }
        return failure.reason
      }
      return order.compactMap { reason in
        guard let group = groups[reason], let first = group.first else { return nil }
        guard group.count > 1 else { return first }
        return Failure("\(group.count) feeds", reason.prefix(1).uppercased() + reason.dropFirst(), of: group.map(\.name))
      }
    }

    /// Why, without the address that a publication begins with.
    private var reason: String {
      guard problem.hasPrefix("http"), let end = problem.range(of: ": ") else { return problem }
      return String(problem[end.upperBound...])
    }
  }

  /// The report on a page of posts, below the rows.
  public struct Report: Equatable, Sendable {
    /// "Fetching 3 of 12 feeds…", or why some were not fetched; `nil` while there is nothing to say.
    public var words: String?
    /// Whether it can be cancelled; otherwise, with ``words``, it can be tried again.
    public var isUnderWay = false
    /// Which feeds could not be fetched, and why; by name.
    public var failures: [Failure] = []

    /// A report with nothing to say.
    public init() {}
  }

  /// A publication takes on three for each reader; one of them is left for what else the reader wants.
  private static let mostAtATime = 2

  /// Those whose posts are not there yet, in their order.
  public var left: [FanClub.ID] = []
  /// Those of them whose fetch failed, by name.
  public private(set) var failures: [Failure] = []
  /// Why it ended before its time, for the reader.
  public private(set) var problem: String?
  /// How many of the requested ones are over.
  public private(set) var done = 0
  /// How many were requested.
  public private(set) var total = 0
  /// What was begun last calls itself.
  public private(set) var name = ""

  private let store: ContentStore
  private let formatting: Formatting
  private let onChange: @MainActor () -> Void
  private var waiting: [FanClub.ID] = []
  /// What the publication does for this, by club; `nil` until it has said so.
  private var running: [FanClub.ID: Import.ID?] = [:]
  private var workers: [Task<Void, Never>] = []

  /// - Parameters:
  ///   - store: the reader's content.
  ///   - formatting: how counts are written, and the clock that says when to look how far it is.
  ///   - onChange: called after each change.
  public init(store: ContentStore, formatting: Formatting, onChange: @escaping @MainActor () -> Void) {
    self.store = store
    self.formatting = formatting
    self.onChange = onChange
  }

  isolated deinit { for worker in workers { worker.cancel() } }

  /// Whether any is being fetched.
  public var isUnderWay: Bool { !workers.isEmpty }

  /// The report for a page of posts.
  public var report: Report {
    var report = Report()
    (report.isUnderWay, report.failures) = (isUnderWay, failures)
    let feeds = formatting.count(total, "feed", "feeds")
    if isUnderWay {
      report.words = total == 1 ? "Fetching the feed…" : "Fetching \(formatting.count(min(done + 1, total))) of \(feeds)…"
    } else if let problem {
      report.words = "Not every feed was fetched. \(problem)"
    } else if !failures.isEmpty {
      report.words = total == 1 ? "The feed could not be fetched." : "\(formatting.count(failures.count)) of \(feeds) could not be fetched."
    }
    return report
  }

  /// Fetches those that are ``left``. Does nothing while that is under way.
  public func begin() {
    guard !isUnderWay, !left.isEmpty else { return }
    (waiting, failures, problem, done, total, name) = (left, [], nil, 0, left.count, "")
    workers = (0..<min(Self.mostAtATime, total)).map { _ in
      Task { [weak self] in
        while !Task.isCancelled, let club = self?.next() { await self?.fetch(club) }
      }
    }
    onChange()
  }

  /// Fetched posts stay; a fetch that is on its way is cancelled, but may be carried out nevertheless.
  public func cancel() { stop(nil) }

  /// The reader has read what went wrong.
  public func dismiss() {
    guard !isUnderWay else { return }
    (failures, problem) = ([], nil)
    onChange()
  }

  private func next() -> FanClub.ID? {
    guard !store.isClosed, let club = waiting.first else { return nil }
    waiting.removeFirst()
    running.updateValue(nil, forKey: club)
    return club
  }

  private func fetch(_ club: FanClub.ID) async {
    var failure: Failure?
    var title = store.fanClubs[club]?.name ?? ""
    do {
      let ended = try await store.fetchPosts(of: club, pacedBy: formatting.clock) { [weak self] in self?.begun($0, club) }
      if !ended.title.isEmpty { title = ended.title }
      if let problem = ended.problemOfFetching { failure = .init(title, problem) }
    } catch {
      guard !Task.isCancelled else { return }
      let reason = RequestError(explaining: error)
      // The publication would not answer for the others either.
      if reason.isUnreachable { return stop(reason.sentence) }
      failure = .init(title, reason.sentence)
    }
    guard !Task.isCancelled else { return }
    running[club] = nil
    if let failure { add(failure) } else { left.removeAll { $0 == club } }
    done += 1
    if done == total { workers = [] }
    onChange()
  }

  /// Adds a failure at its place. They end in any order, and may be thousands.
  private func add(_ failure: Failure) {
    let key = NaturalOrder.key(failure.name)
    var (first, end) = (0, failures.count)
    while first < end {
      let middle = (first + end) / 2
      if key < NaturalOrder.key(failures[middle].name) { end = middle } else { first = middle + 1 }
    }
    failures.insert(failure, at: first)
  }

  private func begun(_ latest: Import, _ club: FanClub.ID) {
    // The reader cancelled before the identifier of this import was known.
    guard !Task.isCancelled else { return cancelAtPublication(latest.id) }
    running[club] = latest.id
    if !latest.title.isEmpty { name = latest.title }
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
      _ = try? await effects.run("fanclubs.cancel") { try await client.cancelImport(id) }
    }
  }
}
