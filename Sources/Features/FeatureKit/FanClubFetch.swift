import ContentCache
import PublicationAPI
import ReaderContent
import Runtime

/// The posts of a fan club that was imported from a list of feeds: says whether they were ever fetched, has the publication fetch them when
/// the reader wants them, and waits until they are there. Isolated to the main actor.
@MainActor public final class FanClubFetch {
  /// What there is to do about a club's posts.
  public enum State: Equatable, Sendable {
    /// Nothing: they are there.
    case notNeeded
    /// No reader requested them yet; the sentence says why the last try failed, `nil` when no failure is known.
    case offered(String?)
    /// They are being fetched.
    case running

    /// Whether it is up to the reader.
    public var isOffered: Bool { if case .offered = self { true } else { false } }
  }

  private let id: FanClub.ID
  private let store: ContentStore
  private let clock: any AppClock
  private var task: Task<Void, Never>?
  private var isUnderWay = false
  private var problem: String?

  /// - Parameters:
  ///   - id: the club.
  ///   - store: the reader's content.
  ///   - clock: when to look how far it is.
  public init(_ id: FanClub.ID, store: ContentStore, clock: any AppClock) {
    self.id = id
    self.store = store
    self.clock = clock
  }

  isolated deinit { task?.cancel() }

  /// What there is to do, by what is known of the club.
  public var state: State {
    if isUnderWay { return .running }
    guard let club = store.fanClubs[id], !club.fetched else { return .notNeeded }
    return .offered(problem ?? club.problem)
  }

  /// Fetches them. Does nothing unless that is ``State/offered(_:)``.
  /// - Parameter ended: called once, after ``state`` has changed, with whether there are posts now; not called when the reader is gone.
  public func begin(ended: @escaping @MainActor (_ hasPosts: Bool) -> Void) {
    guard case .offered = state else { return }
    (isUnderWay, problem) = (true, nil)
    task = Task { [weak self, id, store, clock] in
      let problem: String?
      do {
        problem = try await store.fetchPosts(of: id, pacedBy: clock).problemOfFetching
        if problem == nil {
          store.listsAreStale()
          // It is fetched once the publication says so of the club.
          _ = try? await store.loadFanClub(id, refetch: true)
        }
      } catch { problem = RequestError(explaining: error).sentence }
      guard let self, !Task.isCancelled, !store.isClosed else { return }
      (isUnderWay, self.problem) = (false, problem)
      ended(problem == nil)
    }
  }
}
