import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SQLiteStorage

/// The schedule of feeds: each is fetched again when it is due, if it changed.
extension Publication {
  /// How many feeds are fetched at a time, not counting those that take longer than ``longestInPlace``.
  private static let places = 4
  /// How long a feed has one of the places. A slower one continues without a place, so that slow feeds cannot occupy all of them.
  private static let longestInPlace = Duration.seconds(5)
  /// How many are read in one step.
  private static let mostOfPart = 100

  /// Fetches feeds from now on, existing ones on a schedule, until the publication is closed.
  /// - Parameters:
  ///   - web: sends requests to absolute URLs. One that does not follow redirects itself lets the publication see which of them are
  ///       permanent.
  ///   - readersMayAdd: whether readers add feeds too: `PublicationInfo.canAddFeeds`. A reader who may have this publication fetch any
  ///     address reaches all that this machine reaches.
  ///   - moment: for how long a fetch on request answers further readers' requests for the same feed, so that many readers cost its server
  ///       no more than one. Zero for a publication with one reader, whose wish is always carried out.
  ///   - clock: the time of the schedule; the publication's own by default.
  ///   - random: spreads requests.
  public func fetchFeeds(
    from web: any Transport, readersMayAdd: Bool, sharedFor moment: Duration = .seconds(60), clock: (any AppClock)? = nil,
    random: any RandomSource = SystemRandom()
  ) {
    let clock = clock ?? self.clock
    let service = FeedService(
      fetcher: FeedFetcher(web: web, clock: clock, reader: feedReader), readersMayAdd: readersMayAdd, moment: moment, clock: clock,
      random: random)
    feeds = service
    refreshing?.cancel()
    refreshing = Task { [weak self] in
      while !Task.isCancelled, let pause = await self?.refreshDueFeeds(service) {
        guard (try? await service.clock.sleep(for: pause)) != nil else { return }
      }
    }
  }

  /// A feed that is being fetched.
  private struct Fetch {
    let reader: Reader.ID?
    /// By the time since the start.
    let start: Duration
  }

  /// Refreshes the feeds that are due. As soon as one is done, or has had its place for long enough, the next one starts.
  /// - Returns: how long nothing else will be due.
  private func refreshDueFeeds(_ service: FeedService) async -> Duration {
    do {
      // The result is the club whose feed is done; `nil` when a place may have become free.
      try await withThrowingTaskGroup(of: FanClub.ID?.self) { group in
        var fetches: [FanClub.ID: Fetch] = [:]
        // Feeds that could not be stored stay due, and are still skipped for a while.
        var tried: [FanClub.ID: Duration] = [:]
        var timer: Task<Void, Never>?
        while !Task.isCancelled {
          for feed in try await nextFeeds(beside: fetches, but: tried, service) {
            fetches[feed.club] = Fetch(reader: feed.addedBy, start: service.clock.uptime)
            tried[feed.club] = service.clock.uptime
            group.addTask {
              _ = try? await self.refreshDue(feed, service)
              return feed.club
            }
          }
          timer?.cancel()
          timer = Self.timeLeft(fetches, service).map { left in Task { try? await service.clock.sleep(for: left) } }
          if let timer {
            group.addTask {
              await withTaskCancellationHandler {
                await timer.value
              } onCancel: {
                timer.cancel()
              }
              return nil
            }
          }
          guard let event = try await group.next() else { break }
          if let club = event { fetches[club] = nil }
        }
      }
      // A feed that is added meanwhile is not due any sooner.
      guard let next = try await feedRepository.nextDue() else { return .seconds(FeedService.interval / 2) }
      return .seconds(min(max(next - service.now, 30), FeedService.interval / 2))
    } catch {
      if !(error is Failure) { log("feeds", error) }
      return .seconds(FeedService.interval / 2)
    }
  }

  /// How long until one of the places becomes free in any case; `nil` while one is free, and for a publication with one reader.
  private static func timeLeft(_ fetches: [FanClub.ID: Fetch], _ service: FeedService) -> Duration? {
    let ages = fetches.values.map { service.clock.uptime - $0.start }.filter { $0 < longestInPlace }
    guard service.hasManyReaders, ages.count >= places, let oldest = ages.max() else { return nil }
    return longestInPlace - oldest
  }

  /// The feeds to start with now, as many as there are places for.
  /// - Parameter fetches: those under way.
  private func nextFeeds(
    beside fetches: [FanClub.ID: Fetch], but tried: [FanClub.ID: Duration], _ service: FeedService
  ) async throws -> [StoredFeed] {
    let now = service.clock.uptime
    var (next, place, busy) = ([StoredFeed](), FeedPlace?.none, Set(fetches.values.compactMap(\.reader)))
    let isAlone = !service.hasManyReaders
    let free = Self.places - fetches.values.count { now - $0.start < Self.longestInPlace }
    while next.count < free {
      let due = try await feedRepository.due(at: service.now, after: place, limit: Self.mostOfPart)
      guard let last = due.last else { break }
      place = last.place
      // Of one reader there may be thousands, and others have their turn.
      await Task.yield()
      for feed in due where next.count < free && fetches[feed.club] == nil {
        let isTried = tried[feed.club].map { now - $0 < .seconds(FeedService.firstPause) } ?? false
        guard !isTried else { continue }
        if let reader = feed.addedBy {
          guard isAlone || !busy.contains(reader) else { continue }
          busy.insert(reader)
          // Those that have to wait stay due, so that they come before what was fetched since.
          guard importLimits.startScheduled(of: reader, at: self.now, isAlone: isAlone) else { continue }
        }
        next.append(feed)
      }
    }
    return next
  }

  /// Fetches a feed whose time has come.
  private nonisolated func refreshDue(_ feed: StoredFeed, _ service: FeedService) async throws {
    do {
      try await refresh(feed, service, nil, countedFor: feed.addedBy)
    } catch let error where !(error is CancellationError) {
      log.feed(error)
      // No fault of the feed's: it stays due.
      if (error as? SQLiteError)?.code == .busy { return }
      var failed = feed
      failed.failures += 1
      failed.problem = Self.sentence(of: error)
      failed.quiet = service.quiet(after: error)
      // A feed that is gone, or that no reader has requested yet, is fetched only when a reader requests it.
      let isFinished = (error as? FeedFetcher.Failure)?.isGone == true || !feed.isFetched
      try await update(failed, next: isFinished ? nil : service.next(afterFailures: failed.failures, quiet: failed.quiet))
    }
  }

  /// Fetches a feed because a reader wants it now. Readers who request it meanwhile, or just after, get the same outcome. A server that
  /// requested a pause gets no request. A failure is stored for readers, and does not change the schedule: one reader must not cost others
  /// their posts.
  ///
  /// Its bytes count for the reader who requests it, and never for another one who added the feed: readers could stop each other's feeds by
  /// that. Those of what others added count by themselves: whoever chose a large address takes nothing from what this reader may add.
  /// - Throws: `FeedError`, ``FeedFetcher/Failure``, `CancellationError`; `Problem` when it has to wait; what broke.
  func refreshNow(_ feed: StoredFeed, _ service: FeedService, for reader: Reader.ID) async throws {
    if let quiet = feed.quiet, quiet > service.now, quiet <= service.now + FeedService.longestPause {
      let minutes = (quiet - service.now + 59) / 60
      throw FeedFetcher.Failure(
        url: feed.version.url,
        sentence: "the server wants to be left alone. Try again in \(minutes == 1 ? "a minute" : "\(minutes) minutes").")
    }
    if let last = recent[feed.club], case let left = last.at + service.moment - service.clock.uptime, left > .zero {
      guard let failure = last.failure else { return }
      // The same sentence alone would look as if the request had been ignored.
      let seconds = Int(left.seconds.rounded(.up))
      let wait = seconds == 60 ? "a minute" : seconds == 1 ? "a second" : "\(seconds) seconds"
      throw Problem(
        code: .tooManyAttempts, title: "\(Self.sentence(of: failure)) That was just now. Try again in \(wait).", status: 429)
    }
    let isOwn = feed.addedBy == reader
    guard importLimits.hasRoom(reader, isOwn: isOwn, at: now) else {
      throw Problem(
        code: .tooManyAttempts, title: "\(feed.version.url): too much was fetched within an hour. Wait a while before the next time.",
        status: 429)
    }
    // A publication with one reader is that reader's own.
    if service.hasManyReaders { try importLimits.startFetch(for: reader, at: now) }
    try await refreshes.value(for: feed.club) {
      // Several readers may wait for it, so it belongs to none of them.
      let job = ImportJob("", reader: "", session: nil, follows: false)
      do {
        try await withTaskCancellationHandler {
          try await self.refresh(feed, service, job, countedFor: reader, isOwn: isOwn)
        } onCancel: {
          job.cancel()
        }
      } catch {
        if !(error is CancellationError) { try await self.failed(feed.club, error, quiet: service.quiet(after: error)) }
        throw error
      }
    }
  }

  /// Fetches a feed, stores what is new, and records its next time; does none of that when it fails.
  /// - Parameters:
  ///   - job: `nil` for the schedule.
  ///   - isOwn: whether the reader for whom the bytes count added the feed.
  /// - Throws: `FeedError`, ``FeedFetcher/Failure``, `CancellationError`; what broke.
  private nonisolated func refresh(
    _ feed: StoredFeed, _ service: FeedService, _ job: ImportJob?, countedFor reader: Reader.ID?, isOwn: Bool = true
  ) async throws {
    do {
      let (fetched, taken) = try await fetch(feed, service, isDue: job == nil)
      switch fetched {
      case .unchanged(var version):
        version.maxAge = max(version.maxAge, FeedService.pause(after: taken))
        var unchanged = feed
        unchanged.version = version
        (unchanged.failures, unchanged.problem, unchanged.quiet) = (0, nil, nil)
        try await update(unchanged, next: service.next(version))
      case .document(let data, let contentType, var version, address: _):
        version.maxAge = max(version.maxAge, FeedService.pause(after: taken))
        if let reader { importLimits.add(bytes: data.count, of: reader, isOwn: isOwn, at: await now) }
        try job?.advance(.reading)
        let parsed = try await feedReader.run(data.count) {
          try FeedParser.parse(data, source: feed.version.url, contentType: contentType)
        }
        try parsed.checkSize(feed.version.url)
        // Resolved addresses are longer than those in the document.
        let more = max(0, FeedDocument.feed(parsed).bytes - data.count)
        if let reader { importLimits.add(bytes: more, of: reader, isOwn: isOwn, at: await now) }
        _ = try await store(parsed, as: FeedOrigin(source: feed.source, name: feed.name, version: version, isExisting: true), job)
      }
      await remember(feed.club, nil, service)
    } catch let error where !(error is CancellationError) {
      await remember(feed.club, error, service)
      throw error
    }
  }

  /// Fetches a feed. If that took long, the schedule then skips its reader's feeds for a while.
  /// - Parameter isDue: whether the schedule fetches it. What somebody requests takes none of its places, and holds up none of its reader's
  ///   feeds.
  private nonisolated func fetch(
    _ feed: StoredFeed, _ service: FeedService, isDue: Bool
  ) async throws -> (answer: FeedFetcher.Answer, taken: Duration) {
    let start = service.clock.uptime
    defer {
      let taken = service.clock.uptime - start
      if isDue, let reader = feed.addedBy, taken >= Self.longestInPlace {
        importLimits.pauseSchedule(of: reader, after: taken, at: clock.unixTime)
      }
    }
    let answer = try await service.fetcher.fetch(feed.version, isBound: service.isBound(feed))
    return (answer, service.clock.uptime - start)
  }

  private func remember(_ club: FanClub.ID, _ failure: (any Error)?, _ service: FeedService) {
    let now = service.clock.uptime
    recent = recent.filter { now - $0.value.at < service.moment }
    recent[club] = (now, failure)
  }

  private func failed(_ club: FanClub.ID, _ error: any Error, quiet: Int64?) async throws {
    try await feedRepository.failed(club, Self.sentence(of: error), quiet: quiet)
  }

  private func update(_ feed: StoredFeed, next: Int64?) async throws {
    try await whileLocked { try await feedRepository.update(feed, next: next) }
  }
}
