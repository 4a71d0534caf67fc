import Foundation
import HTTPTransport
import PublicationAPI
import Testing

@testable import PublicationServer

/// Marking as read all that appeared until some moment.
@Suite struct ReadAllTests {
  private let rig: Rig
  private let token: String

  init() async throws {
    rig = try await Rig()
    token = try await rig.signIn()
  }

  private func mark(_ body: String) async -> Response {
    await rig.send(
      .put, "/v1/posts/read", token: token, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
  }

  private func mark(until: Date, in clubs: [FanClub.ID]? = nil, as id: UUID? = nil) async throws {
    let body = try Wire.encode(ReadRequest(id: id, until: until, clubs: clubs))
    let response = await mark(String(decoding: body, as: UTF8.self))
    #expect((response.status, response.body) == (204, Data()))
  }

  private func unread(_ token: String? = nil) async throws -> [Post] {
    try await rig.get("/v1/posts?unread=true&limit=100", token ?? self.token, as: Page<Post>.self).items
  }

  @Test func everythingUntilAMomentAndNothingLater() async throws {
    let all = try await unread()
    let until = all[10].published
    try await mark(until: until)
    #expect(try await unread().map(\.id) == all.filter { $0.published > until }.map(\.id))
    // As often as one likes, and for nobody else.
    try await mark(until: until)
    #expect(try await unread().count == all.count { $0.published > until })
    #expect(try await unread(rig.signIn("bo")).count == all.count)
  }

  @Test func ofSomeClubs() async throws {
    let all = try await unread()
    let club = all[3].fanClubID
    try await mark(until: .distantFuture, in: [])
    try await mark(until: .distantFuture, in: ["nobody"])
    #expect(try await unread().count == all.count)
    try await mark(until: .distantFuture, in: [club, "nobody"])
    #expect(try await unread().map(\.id) == all.filter { $0.fanClubID != club }.map(\.id))
    try await mark(until: .distantFuture)
    #expect(try await unread().isEmpty)
  }

  @Test func whatIsMarkedAsUnreadAfterwardsStaysSo() async throws {
    let all = try await unread()
    try await mark(until: .distantFuture)
    #expect(await rig.send(.delete, "/v1/posts/\(all[2].id)/read", token: token).status == 200)
    #expect(try await unread().map(\.id) == [all[2].id])
    let post = try await rig.get("/v1/posts/\(all[1].id)", token, as: Post.self)
    #expect(post.read)
  }

  private func unmark(_ id: UUID, _ token: String? = nil) async {
    #expect(await rig.send(.delete, "/v1/posts/read/\(id)", token: token ?? self.token).status == 204)
  }

  @Test func itIsTakenBackForExactlyThoseThatWereUnread() async throws {
    let all = try await unread()
    let (first, second) = (UUID(), UUID())
    #expect(await rig.send(.put, "/v1/posts/\(all[12].id)/read", token: token).status == 200)
    try await mark(until: all[15].published, as: first)
    let before = try await unread().map(\.id)
    try await mark(until: .distantFuture, as: second)
    // As a device does whose answer was lost.
    try await mark(until: .distantFuture, as: second)
    #expect(try await unread().isEmpty)
    let marks = try await rig.get("/v1/posts?limit=100", token, as: Page<Post>.self).items.map(\.readMark)
    #expect((marks[0], marks[12], marks[15]) == (second.uuidString, nil, first.uuidString))
    // For nobody else, and not what was read by itself since.
    await unmark(second, try await rig.signIn("bo"))
    #expect(try await unread().isEmpty)
    #expect(await rig.send(.put, "/v1/posts/\(all[3].id)/read", token: token).status == 200)
    for _ in 1...2 { await unmark(second) }
    #expect(try await unread().map(\.id) == before.filter { $0 != all[3].id })
    await unmark(first)
    #expect(try await unread().map(\.id) == all.map(\.id).filter { $0 != all[3].id && $0 != all[12].id })
    #expect(await rig.send(.delete, "/v1/posts/read/nothing", token: token).status == 400)
    #expect(await rig.send(.delete, "/v1/posts/read/\(first)").status == 401)
  }

  @Test func whatIsNoMomentAndWhoIsNobody() async throws {
    for body in ["", "{}", "{\"until\": 5}", "{\"until\": \"soon\"}"] { #expect(await mark(body).status == 400, "\(body)") }
    let clubs = (0...ReadRequest.mostClubs).map { "c\($0)" }
    let body = try Wire.encode(ReadRequest(until: .now, clubs: clubs))
    #expect(await mark(String(decoding: body, as: UTF8.self)).status == 400)
    #expect(await rig.send(.put, "/v1/posts/read").status == 401)
    #expect(await rig.send(.get, "/v1/posts/read", token: token).status == 404)
    #expect(try await unread().count == Rig.posts.count)
  }
}
