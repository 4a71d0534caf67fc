import ContentCache
import PublicationAPI
import PublicationClient
import Runtime

/// Asks the publication for the posts of a club that came from a list of feeds, and waits until they are there.
@MainActor final class ClubFetch {
  private let store: ContentStore
  private let clock: any AppClock
  private var task: Task<Void, Never>?
  private(set) var isUnderWay = false

  init(store: ContentStore, clock: any AppClock) {
    self.store = store
    self.clock = clock
  }

  isolated deinit { task?.cancel() }

  /// - Parameter ended: told once, with a sentence when nothing came.
  func begin(_ id: FanClub.ID, ended: @escaping @MainActor (String?) -> Void) {
    isUnderWay = true
    let ended = { [weak self] (problem: String?) in
      self?.isUnderWay = false
      ended(problem)
    }
    task = Task { [store, clock] in
      do {
        let latest = try await store.fetchPosts(of: id, lookingOn: clock)
        guard !Task.isCancelled else { return }
        ended(latest.problemOfFetching)
      } catch {
        guard !Task.isCancelled else { return }
        ended(RequestFailure(explaining: error).sentence)
      }
    }
  }
}
