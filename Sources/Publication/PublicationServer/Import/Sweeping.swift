import PublicationAPI

/// Removes the posts of removed clubs and what removed readers leave, in parts, between which other requests run.
extension Publication {
  /// Removes the posts of removed clubs, and what removed readers leave, in the background, including those of an earlier run.
  func sweepSoon(_ clubs: [FanClub.ID], _ readers: [Reader.ID] = []) {
    removedClubs.formUnion(clubs)
    removedReaders.formUnion(readers)
    guard sweeping == nil, !removedClubs.isEmpty || !removedReaders.isEmpty else { return }
    sweeping = Task { [weak self] in
      while !Task.isCancelled, await self?.sweepSome() ?? false {}
    }
  }

  /// Removes all posts of a removed club that is about to be added again: it would get its posts and their marks back.
  func finishRemoval(of clubs: some Sequence<FanClub.ID>) async throws {
    for club in clubs where removedClubs.contains(club) {
      while try await sweepPart(of: club) {}
    }
  }

  /// Removes posts of removed clubs until few enough are left. What would bring more waits for this, so that sweeping comes first.
  func sweepBacklog() async throws {
    while let club = removedClubs.first, try await hasBacklog() { _ = try await sweepPart(of: club) }
  }

  /// Whether a reader may remove another club: lists pass the posts that are left of removed ones, so there must not be any number of them.
  func mayRemoveClub() async throws -> Bool {
    guard try await hasBacklog() else { return true }
    // What ended it, such as a full disk, may be over.
    sweepSoon([])
    return false
  }

  private func hasBacklog() async throws -> Bool {
    guard !removedClubs.isEmpty else { return false }
    return try await content.hasRemovedPosts(moreThan: mostRemoved)
  }

  /// - Returns: whether there may be more. If not, the next removal starts the loop again: that is decided in the same step, so that no
  ///   removal is missed.
  private func sweepSome() async -> Bool {
    let (club, reader) = (removedClubs.first, removedReaders.first)
    guard club != nil || reader != nil else {
      sweeping = nil
      return false
    }
    do {
      if let club { _ = try await sweepPart(of: club) } else if let reader { try await sweepMarks(of: reader) }
      return true
    } catch {
      sweeping = nil
      // The next removal tries again, or the next start.
      if !(error is Failure || error is CancellationError) { log("removing \(club ?? "what a reader left")", error) }
      return false
    }
  }

  private func sweepPart(of club: FanClub.ID) async throws -> Bool {
    if try await whileLocked({ try await partTurns.takePart { try await content.sweep(club) } }) { return true }
    removedClubs.remove(club)
    return false
  }

  /// Removes what a removed reader did. What is left when this ends early, and the read marks, go in the background.
  func removeActivity(of reader: Reader.ID) async throws {
    sweepSoon([], [reader])
    while try await removePart(of: reader) {}
  }

  private func removePart(of reader: Reader.ID) async throws -> Bool {
    let (clubs, hasMore) = try await whileLocked { try await partTurns.takePart { try await readers.removeActivity(of: reader) } }
    sweepSoon(clubs)
    return hasMore
  }

  private func sweepMarks(of reader: Reader.ID) async throws {
    guard try await !removePart(of: reader) else { return }
    if try await !whileLocked({ try await partTurns.takePart { try await readers.sweepMarks(of: reader) } }) {
      removedReaders.remove(reader)
    }
  }
}
