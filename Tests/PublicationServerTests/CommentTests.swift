import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Testing

// Swift Testing has a type of this name too.
import struct PublicationAPI.Comment

/// What readers say about a post.
@Suite struct CommentTests {
  private static let id = UUID(uuidString: "AAAAAAAA-1111-4222-8333-555555555555") ?? UUID()
  private static let other = UUID(uuidString: "BBBBBBBB-1111-4222-8333-555555555555") ?? UUID()

  private func put(
    _ rig: Rig, _ token: String, _ text: String, id: UUID = id, on post: String = "p01"
  ) async throws -> Response {
    await rig.send(
      .put, "/v1/posts/\(post)/comments/\(id.uuidString.lowercased())", token: token, body: try Wire.encode(CommentRequest(text: text)))
  }

  private func texts(_ rig: Rig, _ token: String, on post: String = "p01") async throws -> [String] {
    try await rig.get("/v1/posts/\(post)/comments", token, as: Page<Comment>.self).items.map(\.text)
  }

  @Test func aCommentIsThereOnceHoweverOftenItIsSent() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let first = try await put(rig, ada, "  Well\nsaid.  ")
    #expect(first.status == 201)
    let comment = try Wire.decode(Comment.self, from: first.body)
    #expect(
      comment == Comment(id: Self.id.uuidString, postID: "p01", author: "Ada", isMine: true, text: "Well\nsaid.", posted: Rig.start))
    rig.clock.advance(by: .seconds(60))
    let again = try await put(rig, ada, "Well\nsaid.")
    #expect(again.status == 200)
    #expect(try Wire.decode(Comment.self, from: again.body) == comment)
    let seen = try await rig.get("/v1/posts/p01/comments", bo, as: Page<Comment>.self)
    #expect(seen.items.map(\.author) == ["Ada"])
    #expect(seen.items.map(\.isMine) == [false])
    #expect(seen.next == nil)
    #expect(try await rig.get("/v1/posts/p01", bo, as: Post.self).comments == 1)
    #expect(try await rig.get("/v1/posts/p02", bo, as: Post.self).comments == 0)
    // Written again it keeps its place and its time.
    #expect(try Wire.decode(Comment.self, from: try await put(rig, ada, "Better said.").body).posted == Rig.start)
    #expect(try await texts(rig, ada) == ["Better said."])
  }

  @Test func anIdentifierIsOneCommentsForGood() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    _ = try await put(rig, ada, "Mine")
    for response in [try await put(rig, bo, "Bo's"), try await put(rig, ada, "Elsewhere", on: "p02")] {
      #expect(response.status == 409)
      #expect(try response.problem.code == .conflict)
    }
    #expect(try await texts(rig, ada) == ["Mine"])
    #expect(await rig.send(.delete, "/v1/posts/p01/comments/\(Self.id)", token: ada).status == 204)
    // A late second sending does not bring back what was deleted.
    #expect(try await put(rig, ada, "Mine").status == 409)
    #expect(try await texts(rig, ada).isEmpty)
  }

  @Test func whatIsDeletedBeforeItArrivesStaysAway() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    for _ in 0..<2 { #expect(await rig.send(.delete, "/v1/posts/p01/comments/\(Self.id)", token: ada).status == 204) }
    let late = try await put(rig, ada, "Overtaken on the way")
    #expect(late.status == 409)
    #expect(try late.problem.code == .conflict)
    #expect(try await texts(rig, bo).isEmpty)
    #expect(try await rig.get("/v1/posts/p01", ada, as: Post.self).comments == 0)
    // Under a post that there is not, nothing is kept.
    #expect(await rig.send(.delete, "/v1/posts/none/comments/\(Self.other)", token: ada).status == 204)
    #expect(try await put(rig, ada, "Another", id: Self.other).status == 201)
  }

  @Test func onlyWhoWroteItDeletesIt() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    _ = try await put(rig, ada, "Mine")
    let refused = await rig.send(.delete, "/v1/posts/p01/comments/\(Self.id)", token: bo)
    #expect(refused.status == 403)
    #expect(try refused.problem.code == .notYours)
    // On another post there is none of that name.
    #expect(await rig.send(.delete, "/v1/posts/p02/comments/\(Self.id)", token: ada).status == 204)
    #expect(try await texts(rig, ada) == ["Mine"])
    for _ in 0..<2 { #expect(await rig.send(.delete, "/v1/posts/p01/comments/\(Self.id)", token: ada).status == 204) }
    #expect(try await texts(rig, ada).isEmpty)
    #expect(try await rig.get("/v1/posts/p01", ada, as: Post.self).comments == 0)
  }

  @Test func whatIsNoComment() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    // Of 16,348 bytes, and as many marks as a letter may have.
    let marked = String(repeating: "a" + String(repeating: "\u{301}", count: 30), count: 268)
    for text in [
      "", "  \n ", String(repeating: "é", count: 4001), "a\u{0}b", "bell\u{7}", "\u{9B}2J", "\u{200B}\u{200D}", "\u{202E}",
      "\u{3164} \u{2800}", String(repeating: "a\u{301}\u{302}\u{303}\u{304}\u{306}\u{307}", count: 3900),
      marked + String(repeating: "a", count: 37), "a" + String(repeating: "\u{301}", count: 31),
    ] {
      let response = try await put(rig, token, text)
      #expect(response.status == 400)
      #expect(try response.problem.code == .badRequest)
    }
    #expect(try await put(rig, token, String(repeating: "é", count: 4000)).status == 201)
    #expect(try await put(rig, token, marked + String(repeating: "a", count: 36)).status == 200)
    #expect(try await put(rig, token, "Hi", on: "nobody").status == 404)
    #expect(await rig.send(.get, "/v1/posts/nobody/comments", token: token).status == 404)
    #expect(await rig.send(.put, "/v1/posts/p01/comments/7", token: token, body: Data("{\"text\":\"a\"}".utf8)).status == 400)
    #expect(await rig.send(.put, "/v1/posts/p01/comments/\(UUID())", token: token, body: Data("{}".utf8)).status == 400)
    #expect(await rig.send(.get, "/v1/posts/p01/comments").status == 401)
  }

  /// What a text beside it, such as the name of who wrote it, would be turned around by.
  @Test func aCommentTurnsAroundNothingBesideIt() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let family = "👨\u{200D}👩\u{200D}👧"
    #expect(try await put(rig, token, "\u{202E} abc\u{202C} \u{2067}אבג\u{200F} \(family)\u{FEFF}").status == 201)
    // Marks that take a side and joiners are part of words.
    #expect(try await texts(rig, token) == ["abc אבג\u{200F} \(family)\u{FEFF}"])
    #expect(try await put(rig, token, String(repeating: "é", count: 4000) + "\u{2066}", id: Self.other).status == 201)
  }

  @Test func aPremiumPostTakesAccessToCommentOn() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let refused = try await put(rig, ada, "Hi", on: "p04")
    #expect(refused.status == 403)
    #expect(try refused.problem.code == .locked)
    _ = try await rig.buy("premium.monthly", ada)
    #expect(try await put(rig, ada, "Hi", on: "p04").status == 201)
    #expect(try await texts(rig, bo, on: "p04") == ["Hi"])
  }

  @Test func pageByPageOldestFirst() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    var ids: [String] = []
    for number in 0..<7 {
      let id = UUID()
      ids.append(id.uuidString)
      #expect(try await put(rig, token, "Comment \(number)", id: id).status == 201)
    }
    for limit in [1, 3, 7, 100] {
      var seen: [String] = []
      var cursor: String?
      repeat {
        let page = try await rig.get(
          "/v1/posts/p01/comments?limit=\(limit)\(cursor.map { "&cursor=\($0)" } ?? "")", token, as: Page<Comment>.self)
        seen += page.items.map(\.id)
        cursor = page.next
        // What is deleted meanwhile moves nothing.
        if let first = seen.first, limit == 3 { _ = await rig.send(.delete, "/v1/posts/p01/comments/\(first)", token: token) }
      } while cursor != nil
      #expect(seen == (limit > 3 ? Array(ids.dropFirst()) : ids))
    }
    let posts = try await rig.get("/v1/posts?limit=1", token, as: Page<Post>.self)
    #expect(await rig.send(.get, "/v1/posts/p01/comments?cursor=\(try #require(posts.next))", token: token).status == 400)
  }

  @Test func nobodyWritesMoreThanSixtyInAnHour() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    #expect(try await put(rig, ada, "First").status == 201)
    rig.clock.advance(by: .seconds(600))
    for _ in 2...58 { #expect(try await put(rig, ada, "Again", id: UUID()).status == 201) }
    // What is deleted takes its place all the same, also before it arrives.
    #expect(await rig.send(.delete, "/v1/posts/p01/comments/\(UUID())", token: ada).status == 204)
    #expect(try await put(rig, ada, "Sixtieth", id: UUID()).status == 201)
    for method in [Request.Method.put, .delete] {
      let body = try Wire.encode(CommentRequest(text: "One more"))
      let refused = await rig.send(method, "/v1/posts/p01/comments/\(Self.other)", token: ada, body: body)
      #expect(refused.status == 429)
      #expect(refused.headers["Retry-After"] == "3000")
      #expect(try refused.problem.code == "too_many_attempts")
    }
    // Others do, and what is there is written again and deleted.
    #expect(try await put(rig, bo, "Bo's", id: UUID()).status == 201)
    #expect(try await put(rig, ada, "First, again").status == 200)
    #expect(await rig.send(.delete, "/v1/posts/p01/comments/\(Self.id)", token: ada).status == 204)
    rig.clock.advance(by: .seconds(2999))
    #expect(try await put(rig, ada, "Too early", id: Self.other).headers["Retry-After"] == "1")
    rig.clock.advance(by: .seconds(1))
    #expect(try await put(rig, ada, "Later", id: Self.other).status == 201)
    #expect(try await put(rig, ada, "Too many again", id: UUID()).headers["Retry-After"] == "600")
  }

  @Test func commentsStayWhenAPublicationIsOpenedAgain() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    _ = try await put(rig, try await rig.signIn(), "Stays")
    await rig.publication.close()
    let again = try await Rig(folder: folder.path)
    #expect(try await texts(again, try await again.signIn()) == ["Stays"])
  }
}
