import HTTPTransport
import PublicationAPI

/// Fan clubs: lists, one club, and following it.
extension Publication {
  func fanClubs(_ call: Call) async throws -> Response {
    let limit = try call.limit(standard: 100)
    let after = try call.cursor(.fanClubs).map { NamePosition(key: $0.key, id: $0.id) }
    var found = try await content.fanClubs(after: after, limit: limit + 1, for: call.signedIn.id)
    let hasMore = found.count > limit
    if hasMore { found.removeLast() }
    let next = found.last.map { Cursor(.fanClubs, key: $0.position.key, id: $0.position.id).text }
    return try .current(Page(items: found.map { told($0.club) }, next: hasMore ? next : nil), call)
  }

  func fanClub(_ call: Call) async throws -> Response {
    try .current(await club(call), call)
  }

  func follow(_ isSet: Bool, _ call: Call) async throws -> Response {
    try await content.setFollow(of: call.parameter, by: call.signedIn.id, isSet)
    return try .json(await club(call))
  }

  private func club(_ call: Call) async throws -> FanClub {
    guard let club = try await content.fanClub(call.parameter, for: call.signedIn.id) else { throw Problem.notFound("fan club") }
    return told(club)
  }

  /// Where feeds are, and what goes wrong with them, concerns only those who can do something about it.
  private func told(_ club: FanClub) -> FanClub {
    var club = club
    if feeds?.readersMayAdd != true { (club.problem, club.feed) = (nil, nil) }
    return club
  }
}
