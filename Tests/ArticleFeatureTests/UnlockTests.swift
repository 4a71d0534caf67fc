import ArticleFeature
import FeedFormats
import PublicationAPI
import TestSupport
import Testing

@testable import ReaderContent

private let body: ArticleViewModel.State.Text = .body(ArticleBody(html: "<p>Body</p>").blocks)
private let locked: ArticleViewModel.State.Text = .locked(teaser: "Teaser 1")

/// Premium posts: who may read, and what happens when that changes.
@MainActor @Suite struct UnlockTests {
  private final class Outputs { var all: [ArticleViewModel.Output] = [] }
  private let outputs = Outputs()
  private let recorder = Recorder<ArticleViewModel.State>()
  private let reader = ReaderFixture(posts: [.sample(1, premium: true)])

  private func shown() async -> ArticleViewModel {
    let article = ArticleViewModel("p1", paywallID: "premium", store: reader.store, formatting: reader.formatting) { [outputs] in
      outputs.all.append($0)
    }
    article.observe { [recorder] in recorder.record($0) }
    article.appear()
    await reader.settle()
    return article
  }

  /// The purchase went through: the publication knows, and so does the app.
  private func buy() {
    reader.publication.with { $0.hasPremium = true }
    reader.store.hasPremium = true
  }

  @Test func withoutAccessThereIsTheTeaserAndAWayToAccess() async {
    let article = await shown()
    #expect(article.state.text == locked)
    #expect(article.state.phase == .ready)
    #expect(article.state.post?.isLocked == true)
    #expect(article.state.post?.isRead == true)
    article.send(.unlockTapped)
    #expect(outputs.all == [.openPaywall("premium", post: "p1")])
  }

  @Test func accessThatComesWhileThePageIsShownOpensIt() async {
    let article = await shown()
    _ = recorder.take()
    buy()
    await reader.settle()
    #expect(recorder.states.map(\.text).first == .teaser("Teaser 1"))
    #expect(recorder.states.map(\.isUnlocking).first == true)
    #expect(recorder.states.allSatisfy { $0.isUnlocking == ($0.text != body) }, "until it is open")
    #expect(article.state.text == body)
    #expect(article.state.post?.isLocked == false)
    #expect(!recorder.states.contains { $0.text == locked })
  }

  @Test func accessThatCameBehindAPaywallOpensItOnReturn() async {
    let article = await shown()
    article.disappear()
    buy()
    await reader.settle()
    #expect(article.state.text == locked)
    article.appear()
    #expect(article.state.text == .teaser("Teaser 1"))
    await reader.settle()
    #expect(article.state.text == body)
  }

  @Test func withAccessTheBodyIsThereFromTheStart() async {
    buy()
    let article = await shown()
    #expect(article.state.text == body)
    #expect(!recorder.states.contains { $0.text == locked })
  }

  @Test func accessThatEndsClosesTheArticle() async {
    buy()
    let article = await shown()
    reader.publication.with { $0.hasPremium = false }
    reader.store.hasPremium = false
    #expect(article.state.text == .teaser("Teaser 1"))
    await reader.settle()
    #expect(article.state.text == locked)
  }

  @Test func accessThatEndedElsewhereClosesItThoughTheBodyIsKnown() async {
    buy()
    await shown().disappear()
    reader.publication.with { $0.hasPremium = false }
    reader.store.hasPremium = false
    let article = await shown()
    #expect(article.state.text == locked)
  }

  @Test func accessThatThePublicationDoesNotKnowYetCanBeTriedAgain() async {
    reader.store.hasPremium = true
    let article = await shown()
    #expect(article.state.phase == .failed("Your access has not reached the publication yet. Try again in a moment."))
    #expect(article.state.text == .teaser("Teaser 1"))
    reader.publication.with { $0.hasPremium = true }
    article.send(.retryTapped)
    await reader.settle()
    #expect(article.state.text == body)
  }

  @Test func whatThePublicationGivesIsShownThoughTheAppKnowsOfNoAccess() async {
    reader.publication.with { $0.hasPremium = true }
    #expect(await shown().state.text == body)
  }

  @Test func anAnswerFromBeforeTheAccessIsDropped() async {
    reader.publication.with { $0.holds = ["GET"] }
    let article = ArticleViewModel("p1", paywallID: "premium", store: reader.store, formatting: reader.formatting) { _ in }
    reader.store.postCache.store([.sample(1, premium: true, body: nil)])
    article.appear()
    await reader.waitForSuspended()
    reader.publication.with { $0.holds = [] }
    buy()
    while article.state.text != body { await mainQueueTurn() }
    reader.publication.release()
    await reader.settle()
    #expect(article.state.text == body)
  }
}
