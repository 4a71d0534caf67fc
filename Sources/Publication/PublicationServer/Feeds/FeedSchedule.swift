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
  ///   - moment: how long a reader who wants a feed fetched now gets what somebody else fetched just before, so that many readers cost its
  ///     server no more than one. Zero for a publication with one reader, whose wish is always carried out.
  ///   - clock: when feeds are asked again; the publication's own unless told otherwise.
  ///   - random: spreads requests.
  public func fetchFeeds(
    from web: any Transport, readersMayAdd: Bool, sharedFor moment: Duration = .seconds(60), clock: (any AppClock)? = nil,
    random: any RandomSource = SystemRandom()
  ) {
    let clock = clock ?? self.clock
    let service = FeedService(
      fetcher: FeedFetcher(web: web, clock: clock), readersMayAdd: readersMayAdd, moment: moment, clock: clock, random: random)
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
          for feed in due { group.addTask { _ = try? await self.refreshDue(feed, service) } }
        }
      }
      // A feed that is added meanwhile is not due any sooner.
      guard let next = try await sources.nextDue() else { return .seconds(FeedService.interval / 2) }
      return .seconds(min(max(next - service.now, 30), FeedService.interval / 2))
    } catch {
      if !(error is Failure) { report("feeds: \(error)") }
      return .seconds(FeedService.interval / 2)
    }
  }

  /// Asks a feed whose time has come.
  private nonisolated func refreshDue(_ feed: StoredFeed, _ service: FeedService) async throws {
    do {
      try await refresh(feed, service, nil)
    } catch let error where !(error is CancellationError) {
      report(error)
      var failed = feed
      failed.failures += 1
      failed.problem = Self.sentence(of: error)
      failed.quiet = service.quiet(after: error)
      // What is gone, and what no reader has asked for yet, is not asked for again unless a reader does.
      let isOver = (error as? FeedFetcher.Failure)?.isGone == true || !feed.isFetched
      try await keep(failed, next: isOver ? nil : service.next(afterFailures: failed.failures, quiet: failed.quiet))
    }
  }

  /// Asks a feed because a reader wants it now. Who asks while somebody else does, or just after, gets what that one got, and nobody asks a
  /// server that wants to be left alone. What goes wrong is kept for readers to know, and changes nothing for the schedule: one must not
  /// keep others from their posts.
  /// - Throws: `FeedError`, ``FeedFetcher/Failure``, `CancellationError`; what broke.
  func refreshNow(_ feed: StoredFeed, _ service: FeedService) async throws {
    if let quiet = feed.quiet, quiet > service.now, quiet <= service.now + FeedService.longestPause {
      let minutes = (quiet - service.now + 59) / 60
      throw FeedFetcher.Failure(
        url: feed.version.url,
        sentence: "the server wants to be left alone. Try again in \(minutes == 1 ? "a minute" : "\(minutes) minutes").")
    }
    if let last = recent[feed.club], case let left = last.at + service.moment - service.clock.uptime, left > .zero {
      guard let failure = last.failure else { return }
      // The same sentence alone would look as if nobody had done anything.
      let seconds = Int(left.seconds.rounded(.up))
      let wait = seconds == 60 ? "a minute" : seconds == 1 ? "a second" : "\(seconds) seconds"
      throw Problem(
        code: .tooManyAttempts, title: "\(Self.sentence(of: failure)) That was just now. Try again in \(wait).", status: 429)
    }
    try await refreshes.value(for: feed.club) {
      // Who of several waits longest nobody knows, so it is none of their imports.
      let job = ImportJob("", reader: "", session: nil, follows: false)
      do {
        try await withTaskCancellationHandler {
          try await self.refresh(feed, service, job)
        } onCancel: {
          job.cancel()
        }
      } catch {
        if !(error is CancellationError) { try await self.failed(feed.club, error, quiet: service.quiet(after: error)) }
        throw error
      }
    }
  }

  /// Fetches a feed, takes up what is new, and writes down when to ask again; nothing of that when it fails.
  /// - Throws: `FeedError`, ``FeedFetcher/Failure``, `CancellationError`; what broke.
  private nonisolated func refresh(_ feed: StoredFeed, _ service: FeedService, _ job: ImportJob?) async throws {
    do {
      switch try await service.fetcher.fetch(feed.version) {
      case .unchanged(let version):
        var unchanged = feed
        unchanged.version = version
        (unchanged.failures, unchanged.problem, unchanged.quiet) = (0, nil, nil)
        try await keep(unchanged, next: service.next(version))
      case .document(let data, let contentType, let version, address: _):
        try job?.advance(.reading)
        let parsed = try FeedParser.parse(data, source: feed.version.url, contentType: contentType)
        try parsed.checkSize(feed.version.url)
        _ = try await store(parsed, as: FeedOrigin(source: feed.source, name: feed.name, version: version, isKnown: true), job)
      }
      await remember(feed.club, nil, service)
    } catch let error where !(error is CancellationError) {
      await remember(feed.club, error, service)
      throw error
    }
  }

  private func remember(_ club: FanClub.ID, _ failure: (any Error)?, _ service: FeedService) {
    let now = service.clock.uptime
    recent = recent.filter { now - $0.value.at < service.moment }
    recent[club] = (now, failure)
  }

  private func failed(_ club: FanClub.ID, _ error: any Error, quiet: Int64?) async throws {
    try await sources.failed(club, Self.sentence(of: error), quiet: quiet)
  }

  private func keep(_ feed: StoredFeed, next: Int64?) async throws { try await sources.keep(feed, next: next) }
}
