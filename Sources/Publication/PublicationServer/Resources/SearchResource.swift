import HTTPTransport
import PublicationAPI
import SQLiteStorage

/// Searching as one types. Posts wait in a queue until their words are taken up, so that an import need not wait for it.
extension Publication {
  func search(_ call: Call) async throws -> Response {
    let limit = try call.limit(standard: 20)
    let after = try call.cursor(.search).map { cursor in
      guard let order = SearchPosition.Order(rawValue: cursor.id), let offset = Int(cursor.key), SearchPosition.offsets.contains(offset)
      else { throw Problem.noCursor }
      return SearchPosition(order: order, offset: offset)
    }
    guard let asked = SearchWords(call.request.query("q") ?? "") else { return try .current(SearchResults(), call) }
    // By the reader, who may have any number of sessions: whoever searches for very much waits for themselves.
    return try await searchTurns.take(call.signedIn.id) { try await search(asked, after: after, limit: limit, call) }
  }

  private func search(_ asked: SearchWords, after: SearchPosition?, limit: Int, _ call: Call) async throws -> Response {
    // A reader who types on has cancelled a search that waited for this thread.
    try Task.checkCancellation()
    // Posts that an import brought just now are found at once; after one of a hundred thousand nobody waits for all of them, and words
    // that take too long here are taken up in the background.
    do { _ = try await words.index(limit: 500, inBackground: false) } catch let error as SQLiteError where error.code == .interrupted {
      indexSoon()
    }
    let reader = try call.signedIn.id
    var found = try await words.search(
      asked, after: after, limit: limit + 1, for: reader, seesAll: try await orderBook.isEntitled(reader, to: Self.premium, at: now))
    let hasMore = found.hits.count > limit
    if hasMore { found.hits.removeLast() }
    let end = (after?.offset ?? 0) + limit
    let goesOn = hasMore && SearchPosition.offsets.contains(end)
    let next = goesOn ? Cursor(.search, key: "\(end)", id: found.order.rawValue).text : nil
    let clubs = found.clubs.map { FanClubHit(club: told($0.club), name: $0.name) }
    return try .current(SearchResults(clubs: clubs, items: found.hits, next: next), call)
  }

  /// Takes up the words of posts in the background, some at a time, so that requests come in between.
  func indexSoon() {
    guard indexing == nil else { return }
    indexing = Task { [weak self] in
      while !Task.isCancelled, await self?.indexSome() ?? false { await Task.yield() }
      await self?.indexingEnded()
    }
  }

  private func indexSome() async -> Bool {
    do {
      return try await words.index(limit: 50, inBackground: true)
    } catch {
      if !(error is Failure || error is CancellationError) { report("search: \(error)") }
      return false
    }
  }

  private func indexingEnded() { indexing = nil }
}
