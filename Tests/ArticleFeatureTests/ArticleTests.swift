import ArticleFeature
import FeedFormats
import PublicationAPI
import TestSupport
import Testing

@testable import ReaderContent

private let offline = "It comes as soon as the publication can be reached."
private let body: ArticleViewModel.State.Text = .body(ArticleBody(html: "<p>Body</p>").blocks)

@MainActor @Suite struct ArticleTests {
  private final class Outputs { var all: [ArticleViewModel.Output] = [] }
  private let outputs = Outputs()
  private let recorder = Recorder<ArticleViewModel.State>()

  private func article(_ id: Post.ID = "p1", of reader: ReaderFixture) -> ArticleViewModel {
    let article = ArticleViewModel(id, paywallID: "premium", store: reader.store, formatting: reader.formatting) { [outputs] in
      outputs.all.append($0)
    }
    article.observe { [recorder] in recorder.record($0) }
    return article
  }

  private func listed(_ post: Post) -> Post {
    var post = post
    post.body = nil
    return post
  }

  // MARK: - Reading

  @Test func howLongAgoThePostAppearedIsSaidAnewEachMinuteOnScreen() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let article = article(of: reader)
    article.appear()
    await reader.settle()
    #expect(article.state.post?.date == "1 hour ago")
    reader.clock.advance(by: .seconds(3600))
    reader.store.timePassed()
    #expect(article.state.post?.date == "2 hours ago")
    article.disappear()
    reader.clock.advance(by: .seconds(3600))
    reader.store.timePassed()
    #expect(article.state.post?.date == "2 hours ago", "not off screen")
  }

  @Test func showsWhatTheCacheKnowsAndFetchesTheBody() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.store.postCache.store([listed(.sample(1))])
    let article = article(of: reader)
    article.appear()
    #expect(article.state.post?.title == "Title 1")
    #expect(article.state.text == .teaser("Teaser 1"))
    await reader.settle()
    // Reading it marks it as read, which is the last of these.
    #expect(recorder.states.map(\.phase) == [.loading, .loading, .ready, .ready])
    #expect(recorder.states.map(\.text) == [nil, .teaser("Teaser 1"), body, body])
    #expect(recorder.states.map { $0.post?.isRead } == [nil, false, false, true])
    #expect(reader.publication.requests == ["GET /v1/posts/p1", "PUT /v1/posts/p1/read"])
  }

  @Test func aPictureOfTheTextStandsOnlyThere() async {
    for body in ["<p>Text</p><p><img src='https://e.org/a.png'></p>", "<ul><li><img src='https://e.org/a.png'></li></ul>", "<p>Text</p>"] {
      var post = Post.sample(1, body: body)
      post.picture = "https://e.org/a.png"
      let reader = ReaderFixture(posts: [post])
      reader.store.postCache.store([listed(post)])
      let article = article(of: reader)
      article.appear()
      #expect(article.state.post?.picture == "https://e.org/a.png")
      await reader.settle()
      #expect(article.state.phase == .ready)
      #expect(article.state.post?.picture == (body.contains("img") ? nil : "https://e.org/a.png"))
    }
  }

  @Test func aBodyThatIsKnownIsReadableOffline() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let first = article(of: reader)
    first.appear()
    await reader.settle()
    first.disappear()
    reader.publication.with { $0.isOffline = true }
    let second = article(of: reader)
    second.appear()
    await reader.settle()
    #expect(second.state.text == body)
    #expect(second.state.phase == .ready)
  }

  @Test func aListDoesNotTakeTheBodyAway() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let article = article(of: reader)
    article.appear()
    await reader.settle()
    reader.store.postCache.store([listed(.sample(1, reactions: 9))])
    await reader.settle()
    #expect(article.state.text == body)
    #expect(article.state.post?.reactions == "9")
  }

  @Test func aPostThatIsGoneSaysSo() async {
    let reader = ReaderFixture()
    reader.store.postCache.store([listed(.sample(1))])
    let article = article(of: reader)
    article.appear()
    await reader.settle()
    #expect(article.state.phase == .gone("This post is no longer here."))
    #expect(article.state.post == nil)
  }

  @Test func aPostThatIsRemovedAfterItWasReadSaysSo() async {
    let reader = ReaderFixture(posts: [.sample(1)], clubs: [FanClub(id: "c1", name: "Club")])
    let article = article(of: reader)
    article.appear()
    await reader.settle()
    article.disappear()
    #expect(await reader.store.removeFanClub("c1"))
    article.appear()
    #expect(article.state.phase == .gone("This post is no longer here."))
  }

  @Test func offlineKeepsTheTeaserAndTryingAgainLoads() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.store.postCache.store([listed(.sample(1))])
    reader.publication.with { $0.isOffline = true }
    let article = article(of: reader)
    article.appear()
    await reader.settle()
    #expect(article.state.phase == .offline(offline))
    #expect(article.state.text == .teaser("Teaser 1"))
    reader.publication.with { $0.isOffline = false }
    article.send(.retryTapped)
    #expect(article.state.phase == .loading)
    await reader.settle()
    #expect(article.state.phase == .ready)
    #expect(article.state.text == body)
  }

  @Test func whatIsReadOfflineIsRead() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let first = article(of: reader)
    first.appear()
    await reader.settle()
    first.send(.readTapped)
    first.disappear()
    await reader.settle()
    #expect(reader.publication.with { $0.posts[0].read } == false)
    reader.publication.with { $0.isOffline = true }
    let second = article(of: reader)
    second.appear()
    await reader.settle()
    #expect(second.state.note == "This is the text as it was when you read it last.")
    #expect(second.state.post?.isRead == true)
    second.disappear()
    #expect(reader.store.outboxStatus.value.count == 1)
    reader.publication.with { $0.isOffline = false }
    reader.store.networkIsBack()
    await reader.settle()
    #expect(reader.publication.with { $0.posts[0].read })
    #expect(reader.store.posts["p1"]?.read == true)
  }

  @Test func anOpeningIsNotThePostSoItStaysUnreadAndSaysSoUntilTheRestComes() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.store.postCache.store([listed(.sample(1))])
    reader.publication.with { $0.isOffline = true }
    let article = article(of: reader)
    article.appear()
    await reader.settle()
    #expect(article.state.note == "Only the opening of this post is on this computer.")
    #expect(article.state.post?.isRead == false)
    _ = recorder.take()
    reader.store.networkIsBack()
    await reader.settle()
    #expect(recorder.states.isEmpty, "in vain, and without a word")
    reader.publication.with { $0.isOffline = false }
    reader.store.networkIsBack()
    await reader.settle()
    #expect(article.state.text == body)
    #expect(article.state.note == nil)
    #expect(article.state.post?.isRead == true)
  }

  @Test func aRefusalShowsThePublicationsSentence() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.publication.with { $0.refusals["GET"] = Problem(code: .internalError, title: "Broken.", status: 500) }
    let article = article(of: reader)
    article.appear()
    await reader.settle()
    #expect(article.state.phase == .failed("Broken."))
    #expect(article.state.text == nil)
  }

  @Test func aFreePostWithoutABodyShowsItsOpening() async {
    let reader = ReaderFixture(posts: [.sample(1, body: nil)])
    let article = article(of: reader)
    article.appear()
    await reader.settle()
    #expect(article.state.phase == .ready)
    #expect(article.state.text == .teaser("Teaser 1"))
  }

  @Test func anOlderAnswerThatComesLateIsDropped() async {
    let reader = ReaderFixture(posts: [.sample(1, body: "<p>Old</p>")])
    reader.publication.with { $0.holds = ["GET"] }
    let article = article(of: reader)
    article.appear()
    await reader.waitForSuspended()
    reader.publication.with {
      $0.holds = []
      $0.posts = [.sample(1)]
    }
    article.send(.refreshTapped)
    while article.state.phase != .ready { await mainQueueTurn() }
    reader.publication.release()
    await reader.settle()
    #expect(article.state.text == body)
  }

  // MARK: - Acting

  @Test func reactionsAndBookmarksShowAtOnceAndAreTakenBackWhenRefused() async {
    let reader = ReaderFixture(posts: [.sample(1, reactions: 4)])
    let article = article(of: reader)
    article.appear()
    await reader.settle()
    reader.publication.with { $0.refusals["PUT /v1/posts/p1/reaction"] = Problem(code: .locked, title: "Not for you.", status: 403) }
    _ = recorder.take()
    article.send(.reactionToggled)
    #expect(recorder.states.map(\.post?.reactions) == ["5"])
    article.send(.bookmarkTapped)
    #expect(recorder.states.map(\.post?.isBookmarked) == [false, true])
    await reader.settle()
    #expect(article.state.post?.reactions == "4")
    #expect(article.state.post?.isReacted == false)
    #expect(article.state.post?.isBookmarked == true)
    #expect(article.state.message == "Your reaction was not saved. Not for you.")
    article.send(.messageDismissed)
    #expect(article.state.message == nil)
  }

  @Test func linksLeadOnOnlyWhereABrowserMayGo() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let article = article(of: reader)
    article.appear()
    await reader.settle()
    for url in ["https://example.org/a", "mailto:a@example.org", "file:///etc/passwd", "javascript:alert(1)", "matinee://posts/1", ""] {
      article.send(.linkTapped(url))
    }
    article.send(.clubTapped)
    article.send(.unlockTapped)
    #expect(outputs.all == [.openWeb("https://example.org/a"), .openWeb("mailto:a@example.org"), .openFanClub("c1")])
  }

  @Test(arguments: [("https://example.org/a", true), ("file:///etc/passwd", false), (nil, false)])
  func thePageOnTheWebIsOpenedAndItsAddressCopied(url: String?, leads: Bool) async {
    var post = Post.sample(1)
    post.url = url
    let reader = ReaderFixture(posts: [post])
    let article = article(of: reader)
    article.send(.openInBrowserTapped)
    article.appear()
    await reader.settle()
    article.send(.openInBrowserTapped)
    article.send(.copyLinkTapped)
    article.send(.mailTapped)
    #expect(outputs.all == (leads ? [.openWeb(url ?? ""), .copyLink(url ?? ""), .mail(title: "Title 1", link: url ?? "")] : []))
    #expect(article.state.message == (leads ? nil : "This post has no page on the web."))
  }

  @Test func offScreenNothingHappens() async {
    let reader = ReaderFixture(posts: [.sample(1, premium: true)])
    let article = article(of: reader)
    article.appear()
    await reader.settle()
    article.disappear()
    _ = recorder.take()
    reader.publication.forgetRequests()
    reader.store.hasPremium = true
    reader.store.toggleReaction("p1")
    await reader.settle()
    #expect(recorder.states.isEmpty)
    #expect(reader.publication.requests == ["PUT /v1/posts/p1/reaction"])
  }

  @Test func aClosedPageIsReleased() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    weak var closed: ArticleViewModel?
    do {
      let article = article(of: reader)
      closed = article
      article.appear()
      await reader.settle()
    }
    #expect(closed == nil)
  }

  // MARK: - Read

  @Test func openingMarksAsReadOnceAndWhatTheReaderSaysAfterThatHolds() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let article = article(of: reader)
    article.appear()
    await reader.settle()
    #expect(article.state.post?.isRead == true)
    article.send(.readTapped)
    #expect(article.state.post?.isRead == false, "at once")
    await reader.settle()
    #expect(article.state.post?.isRead == false)
    // Coming back to the page is not opening it.
    article.disappear()
    article.appear()
    article.send(.refreshTapped)
    await reader.settle()
    #expect(article.state.post?.isRead == false)
    #expect(reader.publication.with { $0.posts[0].read } == false)
    let again = self.article(of: reader)
    again.appear()
    await reader.settle()
    #expect(reader.publication.with { $0.posts[0].read } == true)
  }

  @Test func whatNeverCameIsNotRead() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.publication.with { $0.isOffline = true }
    let article = article(of: reader)
    article.appear()
    await reader.settle()
    #expect(article.state.phase == .offline(offline))
    #expect(!reader.publication.requests.contains { $0.hasSuffix("/read") })
  }

  @Test func theCommentsAreOneTapAway() async {
    var post = Post.sample(1)
    post.comments = 1234
    let reader = ReaderFixture(posts: [post])
    let article = article(of: reader)
    article.send(.commentsTapped)
    #expect(outputs.all.isEmpty)
    article.appear()
    await reader.settle()
    #expect(article.state.post?.comments == "1,234")
    article.send(.commentsTapped)
    #expect(outputs.all == [.openComments("p1")])
  }
}
