import ContentCache
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import Testing

@testable import PublicationClient

@Suite struct ActionTests {
  private let id = UUID()

  @Test func aReactionSetsTheFlagAndCountsOnce() {
    var post = Post.sample()
    post.reactions = [.love: 3]
    let add = ReactionAction(id: id, post: "p1", reaction: .love)
    add.apply(to: &post)
    add.apply(to: &post)
    #expect(post.reaction == .love)
    #expect(post.reactions == [.love: 4])
    let remove = ReactionAction(id: id, post: "p1", reaction: nil)
    remove.apply(to: &post)
    remove.apply(to: &post)
    #expect(post.reaction == nil)
    #expect(post.reactions == [.love: 3])
  }

  @Test func noCountIsEverNegative() {
    var post = Post.sample()
    post.reaction = .love
    ReactionAction(id: id, post: "p1", reaction: nil).apply(to: &post)
    #expect(post.reactions == [:])
    var club = FanClub(id: "c1", name: "Club", followed: true)
    FollowAction(id: id, fanClub: "c1", followed: false).apply(to: &club)
    #expect(club.followers == 0)
  }

  @Test func noCountOfAPublicationStopsTheApp() {
    var post = Post.sample()
    post.reactions = [.love: .max]
    ReactionAction(id: id, post: "p1", reaction: .love).apply(to: &post)
    #expect(post.reactions == [.love: .max])
    post.reactions = [.love: .min]
    ReactionAction(id: id, post: "p1", reaction: nil).apply(to: &post)
    #expect(post.reactions == [:])
    var club = FanClub(id: "c1", name: "Club", followers: .max)
    FollowAction(id: id, fanClub: "c1", followed: true).apply(to: &club)
    #expect(club.followers == .max)
  }

  @Test func bookmarksAndFollowing() {
    var post = Post.sample()
    BookmarkAction(id: id, post: "p1", bookmarked: true).apply(to: &post)
    #expect(post.bookmarked)
    var club = FanClub(id: "c1", name: "Club", followers: 1)
    let follow = FollowAction(id: id, fanClub: "c1", followed: true)
    follow.apply(to: &club)
    follow.apply(to: &club)
    #expect(club.followed)
    #expect(club.followers == 2)
  }

  @Test func actionsSurviveTheOutbox() throws {
    let action = ReactionAction(id: id, post: "p1", reaction: .love)
    let restored = try Wire.decode(ReactionAction.self, from: Wire.encode(action))
    #expect(restored.id == id)
    #expect(restored.entityID == "p1")
    #expect(restored.reaction == .love)
    #expect(Set([ReactionAction.kind, BookmarkAction.kind, FollowAction.kind]).count == 3)
  }

  @Test func aListKeepsTheBodyThatIsKnownAndNothingElse() {
    let known = Post.sample(body: "<p>Text</p>")
    var newer = Post.sample()
    newer.title = "Newer"
    newer.reactions = [.love: 9]
    let merged = Post.merge(known: known, newer: newer)
    #expect(merged.body == "<p>Text</p>")
    #expect(merged.title == "Newer")
    #expect(merged.reactions == [.love: 9])
    newer.body = "<p>Newer</p>"
    #expect(Post.merge(known: known, newer: newer).body == "<p>Newer</p>")
  }
}

@MainActor @Suite struct IsolationTests {
  /// Notes where it was decoded.
  private struct Probe: Decodable, Sendable {
    let wasOnMainThread: Bool
    init(from decoder: any Decoder) throws { wasOnMainThread = Thread.isMainThread }
  }

  @Test func answersAreDecodedOffTheMainThread() async throws {
    let client = Canned { _ in Response(200, body: Data("{}".utf8)) }.client()
    let probe: Probe = try await client.call(.get, ["v1", "probe"])
    #expect(!probe.wasOnMainThread)
  }
}
