import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// Asking feeds again, each in its time, and only for what changed.
extension Publication {
  private static let mostAtATime = 4

  /// Fetches feeds from now on, those that there are on a schedule, until the publication is closed.
  /// - Parameters:
  ///   - web: sends requests to absolute URLs. One that leaves redirects to its user lets the publication see which of them are for good.
  ///   - readersMayAdd: whether readers add feeds too: ``PublicationInfo/canAddFeeds``. Whoever may have this publication fetch any address
  ///     reaches all that this machine reaches.
  ///   - clock: when feeds are asked again; the publication's own unless told otherwise.
  ///   - random: spreads requests.
  public func fetchFeeds(
    from web: any Transport, readersMayAdd: Bool, clock: (any AppClock)? = nil, random: any RandomSource = SystemRandom()
  ) {
    let service = FeedService(fetcher: FeedFetcher(web: web), readersMayAdd: readersMayAdd, clock: clock ?? self.clock, random: random)
    feeds = service
    refreshing?.cancel()
    refreshing = Task { [weak self] in
      while !Task.isCancelled, let pause = await self?.refreshDueFeeds(service) {
        guard (try? await service.clock.sleep(for: pause)) != nil else { return }
      }
    }
  }

  /// Refreshes what is due.
  /// - Returns: how long nothing else will be.
  private func refreshDueFeeds(_ service: FeedService) async -> Duration {
    do {
      var asked: Set<FanClub.ID> = []
      while !Task.isCancelled {
        let due = try await sources.due(at: service.now, limit: Self.mostAtATime).filter { asked.insert($0.club).inserted }
        guard !due.isEmpty else { break }
        await withTaskGroup { group in
          for feed in due { group.addTask { _ = try? await self.refresh(feed, service, nil) } }
        }
      }
      // A feed that is added meanwhile is not due any sooner.
      let next = try await sources.nextDue() ?? .max
      return .seconds(min(max(next - service.now, 30), FeedService.interval / 2))
    } catch {
      if !(error is Failure) { report("feeds: \(error)") }
      return .seconds(FeedService.interval / 2)
    }
  }

  /// Fetches a feed, takes up what is new, and writes down when to ask again.
  /// - Throws: `FeedError`, ``FeedFetcher/Failure``, `CancellationError`; what broke.
  nonisolated func refresh(_ feed: StoredFeed, _ service: FeedService, _ job: ImportJob?) async throws {
    do {
      switch try await service.fetcher.fetch(feed.version) {
      case .unchanged(let version):
        var unchanged = feed
        unchanged.version = version
        (unchanged.failures, unchanged.problem) = (0, nil)
        try await keep(unchanged, next: service.next)
      case .document(let data, let contentType, let version):
        try job?.advance(.reading)
        let parsed = try FeedParser.parse(data, source: feed.version.url, contentType: contentType)
        _ = try await store(parsed, as: FeedOrigin(source: feed.source, name: feed.name, version: version), job)
      }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      try await keepFailed(feed, error, service)
      throw error
    }
  }

  private func keepFailed(_ feed: StoredFeed, _ error: any Error, _ service: FeedService) async throws {
    let failure = error as? FeedFetcher.Failure
    var failed = feed
    failed.failures += 1
    failed.problem = Self.sentence(of: error)
    // What is gone, and what no reader has asked for yet, is not asked for again unless a reader does.
    let isOver = failure?.isGone == true || !feed.isFetched
    let next = isOver ? nil : service.next(afterFailures: failed.failures, wish: failure?.retryAfter)
    try await keep(failed, next: next)
  }

  private func keep(_ feed: StoredFeed, next: Int64?) async throws { try await sources.keep(feed, next: next) }
}
