import FeatureKit
import FeedFeature
import PublicationAPI
import TestSupport
import Testing

private let refused = Problem(code: .locked, title: "Not for you.", status: 403)

/// Rows: what they show, and which are drawn again.
@MainActor @Suite struct FeedRowTests {
  private final class Drawn { var notices: [Set<Post.ID>] = [] }
  private final class Outputs { var all: [PostList.Output] = [] }
  private let drawn = Drawn()

  /// A feed on screen whose rows were all drawn.
  private func shown(_ reader: ReaderFixture) async -> FeedViewModel {
    let feed = FeedViewModel(store: reader.store, formatting: reader.formatting) { _ in }
    feed.onRowsChanged = { [drawn] in drawn.notices.append($0) }
    feed.appear()
    await reader.settle()
    for id in feed.state.posts.ids { _ = feed.row(for: id) }
    drawn.notices = []
    return feed
  }

  @Test func aRowIsTextAndFlags() async throws {
    let reader = ReaderFixture(posts: [.sample(3, premium: true, reactions: 1234, bookmarked: true)])
    let row = try #require(await shown(reader).row(for: "p3"))
    #expect(row.title == "Title 3")
    #expect(row.club == "Club c1")
    #expect(row.date == "3 hours ago")
    #expect(row.reactions == "1,234")
    #expect((row.isReacted, row.isBookmarked, row.isLocked) == (false, true, true))
  }

  @Test(arguments: [
    (" One\n\n  two\t\tthree\r\nfour ", "One two three four"), ("a\u{2028}b\u{a0} c", "a b c"), ("\n", ""), ("", ""), (" x", "x"),
    ("x ", "x"), ("It’s “so” – as it is", "It’s “so” – as it is"), ("a\u{301} b", "a\u{301} b"),
  ])
  func textsOfARowAreOnOneLine(written: String, expected: String) async throws {
    var post = Post.sample(1)
    // A teaser that says no more than the title is left out.
    (post.title, post.teaser, post.byline, post.fanClubName) = (written, "T\(written)", written, written)
    let row = try #require(await shown(ReaderFixture(posts: [post])).row(for: "p1"))
    #expect([row.title, row.byline, row.club] == Array(repeating: expected, count: 3))
    #expect(row.teaser.filter { $0 != " " } == "T" + expected.filter { $0 != " " })
    #expect(!row.teaser.contains { $0.isNewline || $0 == "\t" })
  }

  @Test(arguments: [
    ("https://example.org/a?b=1#c", true), ("HTTP://example.org", true), ("ftp://example.org/a", false), ("javascript:alert(1)", false),
    ("file:///etc/passwd", false), ("matinee://posts/p2", false), ("https:", false), ("https:///a", false), ("/a", false), ("", false),
    (nil, false),
  ])
  func aRowLeadsToItsPageOnlyWhereABrowserMayGo(url: String?, leads: Bool) async throws {
    var post = Post.sample(1)
    post.url = url
    let reader = ReaderFixture(posts: [post])
    let outputs = Outputs()
    let feed = FeedViewModel(store: reader.store, formatting: reader.formatting) { outputs.all.append($0) }
    feed.appear()
    await reader.settle()
    #expect(feed.row(for: "p1")?.link == (leads ? url : nil))
    feed.send(.openInBrowserTapped("p1"))
    feed.send(.copyLinkTapped("p1"))
    feed.send(.copyLinkTapped("gone"))
    feed.send(.mailTapped("p1"))
    #expect(outputs.all == (leads ? [.openWeb(url ?? ""), .copyLink(url ?? ""), .mail(title: "Title 1", link: url ?? "")] : []))
  }

  @Test func aPostWithoutAHomeElsewhereHasItsPageAtThePublication() {
    var formatting = ReaderFixture(posts: []).formatting
    var post = Post.sample(1)
    #expect(PostRow(post, hasPremium: false, formatting: formatting).link == nil, "the publication inside the app has no pages")
    formatting.pages = "https://read.example"
    #expect(PostRow(post, hasPremium: false, formatting: formatting).link == "https://read.example/posts/p1")
    post.url = "https://example.org/a"
    #expect(PostRow(post, hasPremium: false, formatting: formatting).link == "https://example.org/a")
  }

  @Test func aReactionShowsAtOnceAndStays() async {
    let reader = ReaderFixture(posts: [.sample(1, reactions: 4), .sample(2)])
    let feed = await shown(reader)
    reader.publication.with { $0.holds = ["PUT"] }
    feed.send(.reactionToggled("p1"))
    #expect(feed.row(for: "p1")?.isReacted == true)
    #expect(feed.row(for: "p1")?.reactions == "5")
    await reader.waitForSuspended()
    #expect(drawn.notices == [["p1"]])
    #expect(feed.row(for: "p1")?.isReacted == true)
    reader.publication.release()
    await reader.settle()
    #expect(feed.row(for: "p1")?.reactions == "5")
    #expect(feed.state.posts.message == nil)
    feed.send(.reactionToggled("p1"))
    await reader.settle()
    #expect(feed.row(for: "p1")?.reactions == "4")
    #expect(reader.publication.requests.suffix(2) == ["PUT /v1/posts/p1/reaction", "DELETE /v1/posts/p1/reaction"])
  }

  @Test func aRefusedReactionIsTakenBackAndTheReaderIsTold() async {
    let reader = ReaderFixture(posts: [.sample(1, reactions: 4)])
    let feed = await shown(reader)
    reader.publication.with { $0.refusals["PUT"] = refused }
    feed.send(.reactionToggled("p1"))
    #expect(feed.row(for: "p1")?.reactions == "5")
    await reader.settle()
    #expect(feed.row(for: "p1")?.isReacted == false)
    #expect(feed.row(for: "p1")?.reactions == "4")
    #expect(drawn.notices.last == ["p1"])
    #expect(feed.state.posts.message == "Your reaction was not saved. Not for you.")
    feed.send(.messageDismissed)
    #expect(feed.state.posts.message == nil)
  }

  @Test func aServerThatCountsOthersTooIsRight() async {
    let reader = ReaderFixture(posts: [.sample(1, reactions: 4)])
    let feed = await shown(reader)
    reader.publication.with { $0.posts[0].reactions = [.love: 40] }
    feed.send(.reactionToggled("p1"))
    await reader.settle()
    #expect(feed.row(for: "p1")?.reactions == "41")
  }

  @Test func aRefreshDoesNotOverwriteWhatIsOnItsWay() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let feed = await shown(reader)
    reader.publication.with {
      $0.refusals["PUT"] = refused
      $0.holds = ["PUT"]
    }
    feed.send(.bookmarkTapped("p1"))
    await reader.waitForSuspended()
    feed.send(.refreshTapped)
    await mainQueueTurn()
    while feed.state.posts.isRefreshing { await mainQueueTurn() }
    #expect(feed.row(for: "p1")?.isBookmarked == true)
    reader.publication.release()
    await reader.settle()
    #expect(feed.row(for: "p1")?.isBookmarked == false)
  }

  @Test func onlyRowsThatWereDrawnAreDrawnAgain() async {
    let reader = ReaderFixture(posts: [.sample(1), .sample(2)])
    let feed = FeedViewModel(store: reader.store, formatting: reader.formatting) { _ in }
    feed.appear()
    await reader.settle()
    _ = feed.row(for: "p2")
    feed.onRowsChanged = { [drawn] in drawn.notices.append($0) }
    reader.store.toggleReaction("p1")
    reader.store.toggleReaction("p2")
    await reader.settle()
    #expect(!drawn.notices.isEmpty)
    #expect(drawn.notices.allSatisfy { $0 == ["p2"] })
  }

  @Test func aPageOffScreenDoesNothingAndReadsTheCacheWhenItIsBack() async {
    let reader = ReaderFixture(posts: [.sample(1), .sample(2)])
    let feed = await shown(reader)
    let recorder = Recorder<FeedViewModel.State>()
    feed.observe { recorder.record($0) }
    _ = recorder.take()
    feed.disappear()
    reader.publication.forgetRequests()
    reader.store.toggleReaction("p1")
    reader.store.hasPremium = true
    await reader.settle()
    #expect(drawn.notices.isEmpty)
    #expect(recorder.states.isEmpty)
    feed.appear()
    await reader.settle()
    #expect(drawn.notices == [["p1", "p2"]])
    #expect(feed.row(for: "p1")?.isReacted == true)
    #expect(reader.publication.requests == ["PUT /v1/posts/p1/reaction"])
  }

  @Test func whatFailedWhileNoPageWasThereIsToldByTheNext() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let feed = await shown(reader)
    reader.publication.with { $0.refusals["PUT"] = refused }
    feed.send(.bookmarkTapped("p1"))
    feed.disappear()
    await reader.settle()
    #expect(feed.state.posts.message == nil)
    feed.appear()
    #expect(feed.state.posts.message?.hasPrefix("Your bookmark was not saved. ") == true)
  }

  @Test func locksFollowTheReadersAccess() async {
    let reader = ReaderFixture(posts: [.sample(1, premium: true), .sample(2)])
    let feed = await shown(reader)
    #expect(feed.row(for: "p1")?.isLocked == true)
    reader.store.hasPremium = true
    #expect(drawn.notices == [["p1"]])
    #expect(feed.row(for: "p1")?.isLocked == false)
  }

  // MARK: - Reactions of several kinds

  @Test func reactionsAreCountedByKindAndEachReaderHasOne() async {
    var post = Post.sample(1)
    post.reactions = [.love: 1200, "mind-blown": 2, "gone": 0]
    let reader = ReaderFixture(posts: [post])
    let feed = FeedViewModel(store: reader.store, formatting: reader.formatting) { _ in }
    feed.appear()
    await reader.settle()
    func kinds() -> [String] { feed.row(for: "p1")?.kinds.map { "\($0.kind.rawValue) \($0.count)\($0.isChosen ? " me" : "")" } ?? [] }
    #expect(kinds() == ["like ", "love 1,200", "laugh ", "wow ", "sad ", "mind-blown 2"])
    #expect(feed.row(for: "p1")?.reactions == "1,202")
    feed.send(.reactionChosen("p1", .wow))
    #expect(kinds() == ["like ", "love 1,200", "laugh ", "wow 1 me", "sad ", "mind-blown 2"])
    feed.send(.reactionChosen("p1", .love))
    #expect(kinds() == ["like ", "love 1,201 me", "laugh ", "wow ", "sad ", "mind-blown 2"])
    // The chosen one again takes it away.
    feed.send(.reactionChosen("p1", .love))
    #expect(kinds() == ["like ", "love 1,200", "laugh ", "wow ", "sad ", "mind-blown 2"])
    feed.send(.reactionChosen("p1", .sad))
    await reader.settle()
    #expect(kinds().contains("sad 1 me"))
    #expect(reader.publication.with { $0.posts[0].reaction } == .sad)
  }
}
