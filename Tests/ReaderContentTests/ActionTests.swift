import ContentCache
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import TestSupport
import Testing

@testable import ReaderContent

// Swift Testing has one too.
private typealias Comment = PublicationAPI.Comment

@Suite struct ActionTests {
  private let id = UUID()

  @Test func aReactionCountsItsReaderOnce() {
    var post = Post.sample()
    post.reactions = [.love: 3, .wow: 1]
    for _ in 1...2 { ReactionSetting.set(.love, in: &post) }
    #expect(post.reaction == .love)
    #expect(post.reactions == [.love: 4, .wow: 1])
    for _ in 1...2 { ReactionSetting.set(.wow, in: &post) }
    #expect(post.reaction == .wow)
    #expect(post.reactions == [.love: 3, .wow: 2])
    for _ in 1...2 { ReactionSetting.set(nil, in: &post) }
    #expect(post.reaction == nil)
    #expect(post.reactions == [.love: 3, .wow: 1])
  }

  @Test func allAreReadThatAppearedUntilThen() throws {
    let (one, two) = (Post.sample(), Post.sample())
    var other = two
    other.fanClubID = "other"
    var later = two
    later.published += 1
    let action = ReadAllAction(id: id, until: one.published, clubs: [one.fanClubID])
    let stored = try JSONDecoder().decode(ReadAllAction.self, from: JSONEncoder().encode(action))
    #expect((stored.id, stored.until, stored.clubs) == (id, one.published, [one.fanClubID]))
    func isRead(_ post: Post, _ action: ReadAllAction) -> Bool? {
      var read: Post? = post
      for _ in 1...2 { action.apply(to: &read) }
      return read?.read
    }
    #expect([one, other, later].map { isRead($0, stored) } == [true, false, false])
    #expect([one, other, later].map { isRead($0, ReadAllAction(id: id, until: one.published)) } == [true, true, false])
    var nothing: Post?
    action.apply(to: &nothing)
    #expect(nothing == nil)
  }

  @Test func itIsTakenBackOfThoseThatItMarked() throws {
    var unread = Post.sample()
    unread.read = false
    var read = unread
    read.read = true
    let all = ReadAllAction(id: id, until: unread.published)
    let undo = UnreadAllAction(id: UUID(), mark: id, clubs: ["c1"])
    let stored = try JSONDecoder().decode(UnreadAllAction.self, from: JSONEncoder().encode(undo))
    #expect((stored.id, stored.mark, stored.clubs) == (undo.id, id, ["c1"]))
    for (post, isRead) in [(unread, false), (read, true)] {
      var changed: Post? = post
      all.apply(to: &changed)
      #expect(changed?.read == true)
      for _ in 1...2 { stored.apply(to: &changed) }
      #expect(changed == post)
      #expect(changed?.read == isRead)
    }
    // What was opened since stays read.
    var opened: Post? = unread
    all.apply(to: &opened)
    SettingAction<ReadSetting>(id: UUID(), of: unread.id, true).apply(to: &opened)
    stored.apply(to: &opened)
    #expect(opened?.read == true)
    // The name goes over the wire, and into the store.
    var marked: Post? = unread
    all.apply(to: &marked)
    #expect(try Wire.decode(Post.self, from: Wire.encode(marked)) == marked)
  }

  @Test @MainActor func moreClubsThanOneRequestTakesAreSeveral() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.store.markAllRead(until: Post.sample(1).published, in: Set((0...ReadRequest.mostClubs).map { "c\($0)" }))
    #expect(reader.store.outboxStatus.value.count == 2)
    await reader.settle()
    #expect(reader.publication.requests == ["PUT /v1/posts/read", "PUT /v1/posts/read"])
    #expect(reader.publication.with { $0.posts[0].read })
    reader.store.markAllRead(until: .distantFuture, in: [])
    #expect(reader.store.outboxStatus.value.count == 0)
  }

  @Test func noCountIsEverNegative() {
    var post = Post.sample()
    post.reaction = .love
    ReactionSetting.set(nil, in: &post)
    #expect(post.reactions == [:])
    var club = FanClub(id: "c1", name: "Club", followed: true)
    FollowSetting.set(false, in: &club)
    #expect(club.followers == 0)
  }

  @Test func noCountOfAPublicationStopsTheApp() {
    var post = Post.sample()
    post.reactions = [.love: .max]
    ReactionSetting.set(.love, in: &post)
    #expect(post.reactions == [.love: .max])
    post.reactions = [.love: .min]
    ReactionSetting.set(nil, in: &post)
    #expect(post.reactions == [:])
    var club = FanClub(id: "c1", name: "Club", followers: .max)
    FollowSetting.set(true, in: &club)
    #expect(club.followers == .max)
  }

  @Test func bookmarksReadMarksAndFollowing() {
    var post = Post.sample()
    BookmarkSetting.set(true, in: &post)
    ReadSetting.set(true, in: &post)
    #expect(post.bookmarked && post.read)
    var club = FanClub(id: "c1", name: "Club", followers: 1)
    for _ in 1...2 { FollowSetting.set(true, in: &club) }
    #expect(club.followed)
    #expect(club.followers == 2)
  }

  @Test func aSettingOfWhatIsNotKnownMakesNothing() {
    var post: Post?
    BookmarkAction(id: id, of: "p1", true).apply(to: &post)
    #expect(post == nil)
  }

  @Test func aCommentIsMadeWrittenAnewAndDeleted() {
    let uuid = UUID()
    let action = { (text: String?) in
      CommentAction(id: UUID(), comment: uuid, post: "p1", text: text, author: "Reader", written: .distantPast)
    }
    var comment: Comment?
    for _ in 1...2 { action("First").apply(to: &comment) }
    let made = Comment(id: uuid.uuidString, postID: "p1", author: "Reader", isMine: true, text: "First", posted: .distantPast)
    #expect(comment == made)
    comment?.author = "As the publication says"
    action("Second").apply(to: &comment)
    #expect(comment?.text == "Second")
    #expect(comment?.author == "As the publication says")
    for _ in 1...2 { action(nil).apply(to: &comment) }
    #expect(comment == nil)
    #expect(action("First").supersedesKey == action(nil).supersedesKey)
  }

  @Test func actionsSurviveTheOutbox() throws {
    let reaction = try roundTrip(ReactionAction(id: id, of: "p1", .laugh))
    #expect(reaction.id == id && reaction.entityID == "p1" && reaction.choice == .laugh)
    #expect(try roundTrip(ReactionAction(id: id, of: "p1", nil)).choice == nil)
    #expect(try roundTrip(BookmarkAction(id: id, of: "p1", true)).choice)
    #expect(try roundTrip(SettingAction<ReadSetting>(id: id, of: "p1", true)).choice)
    #expect(try roundTrip(FollowAction(id: id, of: "c1", true)).choice)
    let comment = try roundTrip(
      CommentAction(id: id, comment: UUID(), post: "p1", text: "Text", author: "Reader", written: Date(timeIntervalSince1970: 1.25)))
    #expect(comment.text == "Text" && comment.post == "p1" && comment.written == Date(timeIntervalSince1970: 1.25))
    // They are the rows' names for good.
    let kinds = [ReactionAction.kind, BookmarkAction.kind, SettingAction<ReadSetting>.kind, FollowAction.kind, CommentAction.kind]
    #expect(kinds == ["reaction", "bookmark", "read", "follow", "comment"])
  }

  /// Rows as versions before wrote them, each kind of action with a field of its own.
  @Test func rowsOfEarlierVersionsAreRead() throws {
    let read = { (fields: String) in Data(#"{"id":"\#(id.uuidString)","entityID":"p1"\#(fields)}"#.utf8) }
    let reaction = { try JSONDecoder().decode(ReactionAction.self, from: read($0)) }
    #expect(try reaction(#","reacted":true"#).choice == .love)
    #expect(try reaction(#","reacted":true"#).id == id && reaction(#","reacted":true"#).entityID == "p1")
    #expect(try reaction(#","reacted":false"#).choice == nil)
    #expect(try reaction(#","reaction":"wow""#).choice == .wow)
    #expect(try reaction("").choice == nil, "none was left out")
    #expect(try reaction(#","choice":"laugh""#).choice == .laugh)
    for flag in [true, false] {
      #expect(try JSONDecoder().decode(BookmarkAction.self, from: read(#","bookmarked":\#(flag)"#)).choice == flag)
      #expect(try JSONDecoder().decode(FollowAction.self, from: read(#","followed":\#(flag)"#)).choice == flag)
    }
    // One that says nothing is reported and not sent.
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(BookmarkAction.self, from: read("")) }
  }

  private func roundTrip<A: Action>(_ action: A) throws -> A { try JSONDecoder().decode(A.self, from: JSONEncoder().encode(action)) }

  @MainActor @Test func aListKeepsTheBodyThatIsKnownAndNothingElse() {
    let cache = Cache<Post>()
    let known = Post.sample(body: "<p>Text</p>")
    var newer = Post.sample(body: nil)
    newer.title = "Newer"
    newer.reactions = [.love: 9]
    cache.store([known])
    cache.store([newer])
    let merged = cache[known.id]
    #expect(merged?.body == "<p>Text</p>")
    #expect(merged?.title == "Newer")
    #expect(merged?.reactions == [.love: 9])
    newer.body = "<p>Newer</p>"
    cache.store([newer])
    #expect(cache[known.id]?.body == "<p>Newer</p>")
  }
}
