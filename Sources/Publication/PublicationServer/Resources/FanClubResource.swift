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
    return try .json(Page(items: found.map(\.club), next: hasMore ? next : nil))
  }

  func fanClub(_ call: Call) async throws -> Response {
    guard let club = try await content.fanClub(call.parameter, for: call.signedIn.id) else { throw Problem.notFound("fan club") }
    return try .json(club)
  }

  func follow(_ isSet: Bool, _ call: Call) async throws -> Response {
    try await content.setFollow(of: call.parameter, by: call.signedIn.id, isSet)
    return try await fanClub(call)
  }
}
