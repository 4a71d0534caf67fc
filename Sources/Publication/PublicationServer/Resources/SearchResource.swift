import HTTPTransport
import PublicationAPI
import Runtime
import SQLiteStorage

/// Searching as one types.
struct SearchResource {
  let words: any SearchRepository
  let orders: any OrderRepository
  let fanClubs: FanClubResource
  let clock: any AppClock
  /// One search of a reader is made at a time, however many sessions they have.
  let turns: RequestTurns
  /// Indexes some of the words in the queue, and returns whether there are more.
  let index: @Sendable () async throws -> Bool

  nonisolated(nonsending) func find(_ call: Call) async throws -> LateAnswer {
    let limit = try call.limit(standard: 20)
    let after = try call.cursor(.search).map { cursor in
      guard let order = SearchOrder(rawValue: cursor.id), let offset = Int(cursor.key), SearchPosition.offsets.contains(offset)
      else { throw Problem.noCursor }
      return SearchPosition(order: order, offset: offset)
    }
    guard let terms = SearchWords(call.query(.text) ?? "") else { return .current(SearchResults(), call) }
    // By reader, who may have any number of sessions: many searches of a reader delay only each other.
    return try await turns.take(call.signedIn.id) { try await search(terms, after: after, limit: limit, call) }
  }

  private nonisolated(nonsending) func search(_ terms: SearchWords, after: SearchPosition?, limit: Int, _ call: Call) async throws
    -> LateAnswer
  {
    // A reader who types on has cancelled a search that waited for this thread.
    try Task.checkCancellation()
    try await takeUpPosts()
    let reader = try call.signedIn.id
    var found = try await words.search(
      terms, after: after, limit: limit + 1, for: reader,
      seesAll: try await orders.isEntitled(reader, to: PostResource.premium, at: clock.unixTime)
    )
    let hasMore = found.hits.count > limit
    if hasMore { found.hits.removeLast() }
    let end = (after?.offset ?? 0) + limit
    let goesOn = hasMore && SearchPosition.offsets.contains(end)
    let next = goesOn ? Cursor(.search, key: "\(end)", id: found.order.rawValue).text : nil
    let clubs = found.clubs.map { FanClubHit(club: fanClubs.told($0.club), name: $0.name) }
    return .current(SearchResults(clubs: clubs, items: found.hits, next: next), call)
  }

  /// Posts of a recent import are found at once; after one of a hundred thousand a search does not wait for all of them. Where nothing can
  /// be stored, indexed posts are found.
  nonisolated(nonsending) func takeUpPosts() async throws {
    do {
      let start = clock.uptime
      while try await index(), clock.uptime - start < Self.longestWait {}
    } catch let error as SQLiteError where [SQLiteError.Code.full, .busy, .readOnly].contains(error.code) {}
  }

  /// How long a search waits for what is to be taken up, and for the part that is under way then.
  private static let longestWait = Duration.milliseconds(150)
}
