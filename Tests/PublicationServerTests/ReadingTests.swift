import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Testing

/// What readers do to posts and what lists make of it: kinds of reactions, read marks, filters, and asking only for what changed.
@Suite struct ReadingTests {
  private func react(_ rig: Rig, _ token: String, _ kind: Reaction, to post: String = "p01") async throws -> Response {
    await rig.send(.put, "/v1/posts/\(post)/reaction", token: token, body: try Wire.encode(ReactionRequest(kind: kind)))
  }

  @Test func oneReactionOfEachReader() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    for _ in 0..<2 { #expect(try await react(rig, ada, .wow).post.reactions == [.wow: 1]) }
    #expect(try await react(rig, bo, .wow).post.reactions == [.wow: 2])
    let changed = try await react(rig, ada, .laugh).post
    #expect((changed.reactions, changed.reaction) == ([.wow: 1, .laugh: 1], .laugh))
    // A kind that this version does not know.
    #expect(try await react(rig, bo, "dance").post.reactions == [.laugh: 1, "dance": 1])
    #expect(try await rig.send(.delete, "/v1/posts/p01/reaction", token: ada).post.reactions == ["dance": 1])
    for kind: Reaction in ["", "Wow", "a b", "a,b", "ä", Reaction(rawValue: String(repeating: "a", count: 33))] {
      #expect(try await react(rig, ada, kind).status == 400)
    }
    #expect(try await react(rig, ada, .like, to: "nobody").status == 404)
  }

  /// Nobody waits for megabytes who presses a heart.
  @Test func theAnswerToAMarkHasNoBody() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    #expect(try await rig.get("/v1/posts/p01", token, as: Post.self).body == "<p>Body 1</p>")
    for mark in ["reaction", "bookmark", "read"] {
      for method in [Request.Method.put, .delete] {
        let post = try await rig.send(method, "/v1/posts/p01/\(mark)", token: token).post
        #expect((post.title, post.body, post.enclosures) == ("Post 1", nil, []))
      }
    }
  }

  @Test func countsOfBeforeAreAddedByKind() async throws {
    var post = Rig.posts[0]
    post.reactions = [.love: 98, .sad: 2]
    let rig = try await Rig(posts: [post])
    let token = try await rig.signIn()
    #expect(try await react(rig, token, .sad).post.reactions == [.love: 98, .sad: 3])
    #expect(try await react(rig, token, .like).post.reactions == [.love: 98, .sad: 2, .like: 1])
  }

  @Test func unreadAndFollowedLists() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    for _ in 0..<2 { #expect(try await rig.send(.put, "/v1/posts/p01/read", token: ada).post.read) }
    #expect(try await rig.get("/v1/posts/p01", bo, as: Post.self).read == false)
    func ids(_ query: String, _ token: String) async throws -> [String] {
      try await rig.get("/v1/posts?limit=100&\(query)", token, as: Page<Post>.self).items.map(\.id)
    }
    #expect(try await ids("unread=true", ada).count == 24)
    #expect(try await ids("unread=true", ada).contains("p01") == false)
    #expect(try await ids("unread=true", bo).count == 25)
    #expect(try await ids("followed=true", ada).isEmpty)
    _ = await rig.send(.put, "/v1/fanclubs/odd/follow", token: ada)
    #expect(try await ids("followed=true", ada).count == 13)
    #expect(try await ids("followed=true&unread=true", ada).count == 12)
    #expect(try await ids("followed=true&fanclub=even", ada).isEmpty)
    #expect(try await rig.send(.delete, "/v1/posts/p01/read", token: ada).post.read == false)
    #expect(try await ids("unread=true", ada).count == 25)
    #expect(await rig.send(.put, "/v1/posts/nobody/read", token: ada).status == 404)
    #expect(await rig.send(.get, "/v1/posts?unread=maybe", token: ada).status == 400)
  }

  @Test func clubsSayHowManyPostsEachReaderHasNotRead() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    func unread(_ token: String) async throws -> [String: Int?] {
      let clubs = try await rig.get("/v1/fanclubs", token, as: Page<FanClub>.self).items
      for club in clubs {
        // What a list of them would show.
        let listed = try await rig.get("/v1/posts?limit=100&unread=true&fanclub=\(club.id)", token, as: Page<Post>.self).items.count
        #expect(club.unread == listed)
        #expect(try await rig.get("/v1/fanclubs/\(club.id)", token, as: FanClub.self) == club)
      }
      return Dictionary(uniqueKeysWithValues: clubs.map { ($0.id, $0.unread) })
    }
    #expect(try await unread(ada) == ["odd": 13, "even": 12, "none": 0])
    for post in ["p01", "p01", "p03", "p02"] { _ = await rig.send(.put, "/v1/posts/\(post)/read", token: ada) }
    #expect(try await unread(ada) == ["odd": 11, "even": 11, "none": 0])
    #expect(try await unread(bo) == ["odd": 13, "even": 12, "none": 0])
    _ = await rig.send(.delete, "/v1/posts/p03/read", token: ada)
    let followed = try Wire.decode(FanClub.self, from: await rig.send(.put, "/v1/fanclubs/odd/follow", token: ada).body)
    #expect((followed.followed, followed.unread) == (true, 12))
  }

  @Test(arguments: [
    "/v1/posts", "/v1/posts?limit=3&unread=true", "/v1/posts/p01", "/v1/fanclubs", "/v1/fanclubs/odd", "/v1/posts/p01/comments",
    "/v1/search?q=post",
  ])
  func whatDidNotChangeIsNotSentAgain(target: String) async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let first = await rig.send(.get, target, token: ada)
    let tag = try #require(first.headers["ETag"])
    #expect(first.headers["Cache-Control"] == "private, no-cache")
    for field in [tag, "\"x\", W/\(tag)"] {
      let known = await rig.send(.get, target, token: ada, headers: ["If-None-Match": field])
      #expect(known.status == 304)
      #expect(known.body.isEmpty)
      #expect(known.headers["ETag"] == tag)
      #expect(known.headers["Content-Type"] == nil)
      #expect(known.headers["Content-Length"] == "\(first.body.count)")
    }
    // Each thing that can be seen there is another version once it changes.
    _ = try await react(rig, ada, .like)
    _ = await rig.send(.put, "/v1/fanclubs/odd/follow", token: ada)
    _ = await rig.send(
      .put, "/v1/posts/p01/comments/\(UUID())", token: ada, body: try Wire.encode(CommentRequest(text: "New")))
    let second = await rig.send(.get, target, token: ada, headers: ["If-None-Match": tag])
    #expect(second.status == 200)
    #expect(second.headers["ETag"] != tag)
    // What another reader sees is another version too, where it differs.
    let others = await rig.send(.get, target, token: bo, headers: ["If-None-Match": try #require(second.headers["ETag"])])
    #expect(others.status == 200)
    #expect(await rig.send(.get, target, headers: ["If-None-Match": tag]).status == 401)
  }

  @Test func accessMakesAnotherVersion() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let tag = try #require(await rig.send(.get, "/v1/posts/p04", token: token).headers["ETag"])
    _ = try await rig.buy("premium.monthly", token)
    let opened = await rig.send(.get, "/v1/posts/p04", token: token, headers: ["If-None-Match": tag])
    #expect(try opened.post.body != nil)
  }
}
