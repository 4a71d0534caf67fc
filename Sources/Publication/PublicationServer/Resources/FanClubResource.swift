import HTTPTransport
import PublicationAPI

/// Fan clubs: lists, one club, following it, and removing it.
struct FanClubResource {
  let content: any ContentRepository
  /// Whether readers see the addresses of feeds and their problems.
  let showsFeeds: Bool
  /// Whether few enough posts of removed clubs are left that another club may be removed.
  let mayRemove: nonisolated(nonsending) () async throws -> Bool
  /// Called with a club that was removed and whose posts are still there.
  let removed: (FanClub.ID) -> Void

  nonisolated(nonsending) func list(_ call: Call) async throws -> LateAnswer {
    let limit = try call.limit(standard: 100)
    let after = try call.cursor(.fanClubs).map { NamePosition(key: $0.key, id: $0.id) }
    var found = try await content.fanClubs(after: after, limit: limit + 1, for: call.signedIn.id)
    let hasMore = found.count > limit
    if hasMore { found.removeLast() }
    let next = found.last.map { Cursor(.fanClubs, key: $0.position.key, id: $0.position.id).text }
    return .current(Page(items: found.map { told($0.club) }, next: hasMore ? next : nil), call)
  }

  nonisolated(nonsending) func fanClub(_ call: Call) async throws -> LateAnswer {
    .current(try await club(call), call)
  }

  nonisolated(nonsending) func follow(_ isSet: Bool, _ call: Call) async throws -> Response {
    try await content.setFollow(of: call.parameter, by: call.signedIn.id, isSet)
    return try .json(await club(call))
  }

  /// Removes a club that the reader added, unless other readers use it. Its posts are removed afterwards.
  nonisolated(nonsending) func remove(_ call: Call) async throws -> Response {
    // Looked up before, since one that is refused can be requested again and again.
    let isUsed = try await content.isUsedByOthers(call.parameter, than: call.signedIn.id)
    // Of one that is gone, or another reader's, the answer says so.
    if !isUsed, try await !mayRemove(), try await content.fanClub(call.parameter, for: call.signedIn.id)?.canRemove == true {
      throw Refusal(response: Self.tooManyLeft)
    }
    switch isUsed ? .inUse : try await content.removeClub(call.parameter, by: call.signedIn.id) {
    case .removed:
      removed(call.parameter)
      return Response(204)
    case .noClub: throw Problem.notFound("fan club")
    case .notYours: throw Problem(code: .notYours, title: "Only who added a feed can remove it.", status: 403)
    case .inUse:
      let title = "Other readers follow this fan club, or have bookmarked its posts, reacted to or commented on them, so it stays."
      throw Problem(code: .inUse, title: title, status: 409)
    }
  }

  private static let tooManyLeft = Response.problem(
    503, .busy, "The publication is still removing the posts of other feeds, so this one was not removed. Try again in a minute.",
    retryAfter: 10)

  private nonisolated(nonsending) func club(_ call: Call) async throws -> FanClub {
    guard let club = try await content.fanClub(call.parameter, for: call.signedIn.id) else { throw Problem.notFound("fan club") }
    return told(club)
  }

  /// The addresses and problems of feeds are only for readers who can do something about them.
  func told(_ club: FanClub) -> FanClub {
    var club = club
    if !showsFeeds { (club.problem, club.feed) = (nil, nil) }
    return club
  }
}
