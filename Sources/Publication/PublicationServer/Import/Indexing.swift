import PublicationAPI
import SQLiteStorage

/// Posts wait in a queue until their words are indexed, so that an import need not wait for that.
extension Publication {
  /// Indexes some of the posts in the queue. Other callers meanwhile wait for the same part, and requests run between two parts.
  /// - Returns: whether there are more.
  func indexPart() async throws -> Bool {
    try await indexParts.value(for: "words") { [weak self] in try await self?.index() ?? false }
  }

  /// Adapts the size of a part to how long the last ones took: with a large vocabulary, fifty posts hold this thread for fifth parts of a
  /// second.
  private func index() async throws -> Bool {
    let limit = partOfIndex
    // Nobody finds those, and many may be ahead of what was added just now.
    if !removedClubs.isEmpty { try await partTurns.takePart { try await searchRepository.dropRemoved(limit: Self.mostDropped) } }
    let (posts, hasMore) = try await searchRepository.queue(limit: limit)
    let words = try await IndexedPost.all(posts)
    let (hasLeft, taken) = try await partTurns.takePart {
      let start = clock.uptime
      return (try await searchRepository.index(words, clubs: limit), clock.uptime - start)
    }
    if taken > Self.longestPart { partOfIndex = max(1, partOfIndex / 2) }
    if taken < Self.longestPart / 2 { partOfIndex = min(Self.mostOfIndex, partOfIndex + 1) }
    return hasMore || hasLeft
  }

  /// How many posts are indexed at a time, at most.
  static let mostOfIndex = 50
  private static let longestPart = Duration.milliseconds(50)
  /// How many posts of the queue are looked at for removed ones, which takes some milliseconds.
  private static let mostDropped = 1000

  /// Indexes words until few enough posts wait for it: those that are added next are found only after them. Nothing waits for an index that
  /// cannot be written.
  /// - Throws: `CancellationError`; `SQLiteError` when the queue cannot be read.
  func indexBacklog() async throws {
    while try await searchRepository.hasQueue(longerThan: mostQueued), await indexSome() {}
    try Task.checkCancellation()
  }

  /// Indexes the words of posts in the background, some at a time, so that requests run in between.
  func indexSoon() {
    guard indexing == nil else { return }
    indexing = Task { [weak self] in
      while !Task.isCancelled, await self?.indexSome() ?? false {}
      await self?.indexingEnded()
    }
  }

  private func indexSome() async -> Bool {
    do {
      return try await whileLocked { try await indexPart() }
    } catch {
      if !(error is Failure || error is CancellationError) { log("search", error) }
      return false
    }
  }

  private func indexingEnded() { indexing = nil }
}
