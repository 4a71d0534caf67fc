import ArticleFeature
import FeatureKit
import FeedFormats
import PublicationAPI
import TestSupport
import Testing

private let body: ArticleViewModel.State.Text = .body(ArticleBody(html: "<p>Body</p>").blocks)
private let locked: ArticleViewModel.State.Text = .locked(teaser: "Teaser 1")

/// One premium post opened with a pass.
@MainActor @Suite struct PassTests {
  private final class Outputs { var all: [ArticleViewModel.Output] = [] }
  private let outputs = Outputs()
  private let recorder = Recorder<ArticleViewModel.State>()
  private let reader = ReaderFixture(posts: [.sample(1, premium: true), .sample(2, premium: true)])

  private func shown(passes: Int = 3) async -> ArticleViewModel {
    reader.publication.with { $0.passes = passes }
    try? await reader.store.refreshPasses()
    let article = ArticleViewModel("p1", paywallID: "premium", store: reader.store, formatting: reader.formatting) { [outputs] in
      outputs.all.append($0)
    }
    article.observe { [recorder] in recorder.record($0) }
    article.appear()
    await reader.settle()
    return article
  }

  private var spent: [String] { reader.publication.requests.filter { $0.hasSuffix("/unlock") } }

  @Test func aReaderWithPassesIsOfferedOneBesideUnlocking() async {
    let article = await shown()
    #expect(article.state.text == locked)
    #expect(article.state.passOffer == "Unlock with a pass (3 left)")
    article.send(.unlockTapped)
    #expect(outputs.all == [.openPaywall("premium", post: "p1")])
  }

  @Test func aReaderWithoutPassesIsOfferedNone() async {
    let article = await shown(passes: 0)
    #expect(article.state.text == locked)
    #expect(article.state.passOffer == nil)
    article.send(.passTapped)
    await reader.settle()
    #expect(spent.isEmpty)
  }

  @Test func aPassOpensThePostAndIsGone() async {
    let article = await shown()
    _ = recorder.take()
    article.send(.passTapped)
    #expect(article.state.isUnlocking)
    await reader.settle()
    #expect(article.state.text == body)
    #expect(article.state.passOffer == nil)
    #expect(!article.state.isUnlocking)
    #expect(article.state.post?.isLocked == false)
    #expect(reader.store.passes.value == 2)
    #expect(outputs.all == [.passSpent("This post stays open to you. You have 2 passes left.")])
    #expect(PostRow(reader.store.posts["p1"] ?? .sample(9), hasPremium: false, formatting: reader.formatting).isLocked == false)
  }

  /// A button that went would make what scrolls higher, and move the text that one reads.
  @Test(arguments: [1, 3]) func whatIsOfferedStaysWhileThePostOpens(passes: Int) async {
    let article = await shown(passes: passes)
    let offer = article.state.passOffer
    _ = recorder.take()
    article.send(.passTapped)
    await reader.settle()
    let opening = recorder.take().filter(\.isUnlocking)
    #expect(opening.contains { $0.text != locked }, "it is open, and its text is being read")
    #expect(opening.allSatisfy { $0.passOffer == offer })
    #expect(article.state.text == body)
    #expect(article.state.passOffer == nil)
  }

  @Test func aDoubleTapSpendsOne() async {
    let article = await shown()
    reader.publication.with { $0.holds = ["PUT"] }
    article.send(.passTapped)
    article.send(.passTapped)
    await reader.waitForSuspended()
    article.send(.passTapped)
    article.send(.unlockTapped)
    #expect(outputs.all.isEmpty, "nothing else is bought meanwhile")
    reader.publication.release()
    await reader.settle()
    article.send(.passTapped)
    await reader.settle()
    #expect(spent == ["PUT /v1/posts/p1/unlock"])
    #expect(reader.publication.with { $0.passes } == 2)
    #expect(reader.store.passes.value == 2)
  }

  @Test func anAnswerThatWasLostIsAskedForAgainAndSpendsNoSecondPass() async {
    let article = await shown()
    // As the publication is left when its answer gets lost.
    reader.publication.with {
      $0.passes = 2
      $0.posts[0].unlocked = true
      $0.isOffline = true
    }
    article.send(.passTapped)
    await reader.settle()
    #expect(
      article.state.message
        == "This post was not unlocked. The publication cannot be reached. Check your connection and try again.")
    #expect(article.state.text == locked)
    #expect(!article.state.isUnlocking)
    reader.publication.with { $0.isOffline = false }
    article.send(.passTapped)
    await reader.settle()
    #expect(article.state.text == body)
    #expect(reader.store.passes.value == 2)
  }

  @Test func passesThatWereSpentElsewhereAreSaidToBeGone() async {
    let article = await shown(passes: 1)
    reader.publication.with { $0.passes = 0 }
    article.send(.passTapped)
    await reader.settle()
    #expect(article.state.message == "This post was not unlocked. You have no passes left.")
    #expect(article.state.passOffer == nil)
    #expect(article.state.text == locked)
  }

  @Test func theBalanceFollowsOnEveryPageOnScreen() async {
    let article = await shown()
    let other = ArticleViewModel("p2", paywallID: "premium", store: reader.store, formatting: reader.formatting) { _ in }
    other.appear()
    await reader.settle()
    article.send(.passTapped)
    await reader.settle()
    await mainQueueTurn()
    #expect(other.state.passOffer == "Unlock with a pass (2 left)")
  }

  /// Passes that were bought, and what they opened, go with the money that is given back.
  @Test(arguments: [true, false]) func afterARefundNoPassIsOfferedThatIsGone(isRefreshed: Bool) async {
    let article = await shown(passes: 5)
    article.send(.passTapped)
    await reader.settle()
    #expect(article.state.text == body)
    reader.publication.with { ($0.passes, $0.posts[0].unlocked) = (0, false) }
    var page = article
    if isRefreshed {
      article.send(.refreshTapped)
    } else {
      article.disappear()
      page = ArticleViewModel("p1", paywallID: "premium", store: reader.store, formatting: reader.formatting) { _ in }
      page.appear()
    }
    await reader.settle()
    #expect(page.state.text == locked)
    #expect(page.state.passOffer == nil)
  }

  @Test func refreshingALockedPostCountsThePassesAnew() async {
    let article = await shown(passes: 5)
    reader.publication.with { $0.passes = 2 }
    article.send(.refreshTapped)
    await reader.settle()
    #expect(article.state.passOffer == "Unlock with a pass (2 left)")
    // Whoever may read it all the same needs none.
    reader.publication.with { $0.hasPremium = true }
    reader.store.hasPremium = true
    await reader.settle()
    reader.publication.forgetRequests()
    article.send(.refreshTapped)
    await reader.settle()
    #expect(!reader.publication.requests.contains { $0.contains("balances") })
  }

  @Test func passesThatAreBoughtBehindThePaywallAreThereOnReturn() async {
    let article = await shown(passes: 0)
    article.disappear()
    reader.publication.with { $0.passes = 5 }
    try? await reader.store.refreshPasses()
    article.appear()
    #expect(article.state.passOffer == "Unlock with a pass (5 left)")
  }
}
