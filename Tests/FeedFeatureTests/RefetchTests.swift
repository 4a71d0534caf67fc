import FeatureKit
import FeedFeature
import Patience
import PublicationAPI
import TestSupport
import Testing

private let offline = "It comes as soon as the publication can be reached."

/// What failed for want of a network comes by itself, and what was said of it goes.
@MainActor @Suite(.timeLimit(.minutes(1))) struct RefetchTests {
  private let recorder = Recorder<ListState>()
  private let reader = ReaderFixture(posts: [.sample(1), .sample(2), .sample(3)])

  private func feed() -> FeedViewModel {
    let feed = FeedViewModel(store: reader.store, formatting: reader.formatting) { _ in }
    feed.observe { [recorder] in recorder.record($0.posts) }
    return feed
  }

  /// Loaded, and then asked for again in vain.
  private func refreshedOffline() async -> FeedViewModel {
    let feed = feed()
    feed.appear()
    await reader.settle()
    reader.publication.with { $0.isOffline = true }
    feed.send(.refreshTapped)
    await reader.settle()
    return feed
  }

  private var requested: Int { reader.publication.requests.count { $0.hasPrefix("GET /v1/posts") } }

  @Test func aListComesWhenSomebodyAnswersAgainWithoutAWordInBetween() async {
    reader.publication.with { $0.isOffline = true }
    let feed = feed()
    feed.appear()
    await reader.settle()
    for wait in [2, 4] {
      let before = requested
      // The list's, and Home's look for new posts.
      await reader.clock.waitForSleepers(2)
      reader.clock.advance(by: .seconds(wait - 1))
      await reader.settle()
      #expect(requested == before)
      reader.clock.advance(by: .seconds(1))
      await until { requested != before }
      await reader.settle()
    }
    #expect(recorder.states.map(\.phase) == [.loading, .offline(offline)])
    reader.publication.with { $0.isOffline = false }
    await reader.clock.waitForSleepers(2)
    reader.clock.advance(by: .seconds(8))
    await until { feed.state.posts.phase == .ready }
    #expect(recorder.states.map(\.phase) == [.loading, .offline(offline), .ready])
    await reader.settle()
    #expect(!reader.store.isOutOfReach)
  }

  @Test func aNetworkThatIsBackIsNotWaitedFor() async {
    reader.publication.with { $0.isOffline = true }
    let feed = feed()
    feed.appear()
    await reader.settle()
    #expect(reader.store.isOutOfReach)
    reader.publication.with { $0.isOffline = false }
    reader.store.networkIsBack()
    await reader.settle()
    #expect(recorder.states.map(\.phase) == [.loading, .offline(offline), .ready])
  }

  @Test func whatTheReaderDidAndCameThroughShowsThatThereIsANetwork() async {
    let feed = await refreshedOffline()
    reader.publication.with { $0.isOffline = false }
    feed.send(.bookmarkTapped("p1"))
    await reader.settle()
    #expect(feed.state.posts.message == nil)
    #expect(feed.row(for: "p1")?.isBookmarked == true)
  }

  @Test(arguments: [true, false]) func whatWasSaidOfARefreshGoesWithTheNextThatSucceeds(byItself: Bool) async {
    let feed = await refreshedOffline()
    #expect(feed.state.posts.message == "The list could not be refreshed. \(offline)")
    _ = recorder.take()
    reader.publication.with { $0.isOffline = false }
    if byItself { reader.store.networkIsBack() } else { feed.send(.refreshTapped) }
    await reader.settle()
    #expect(feed.state.posts.message == nil)
    #expect(recorder.states.map(\.isRefreshing) == (byItself ? [false] : [false, true, false]))
  }

  @Test func itGoesAlsoWhenThePageWasAwayMeanwhile() async {
    let feed = await refreshedOffline()
    feed.disappear()
    reader.publication.with { $0.isOffline = false }
    reader.store.networkIsBack()
    await reader.settle()
    feed.appear()
    await reader.settle()
    #expect(feed.state.posts.message == nil)
  }

  @Test func anotherRefusalIsNotSaidAgainAndOtherNewsStays() async {
    let feed = await refreshedOffline()
    feed.send(.messageDismissed)
    let before = requested
    reader.store.networkIsBack()
    await reader.settle()
    #expect(requested > before)
    #expect(feed.state.posts.message == nil, "the reader put it away")
    reader.publication.with {
      $0.isOffline = false
      $0.refusals["PUT"] = Problem(code: .locked, title: "Not for you.", status: 403)
    }
    feed.send(.bookmarkTapped("p1"))
    await reader.settle()
    reader.store.networkIsBack()
    await reader.settle()
    #expect(feed.state.posts.message == "Your bookmark was not saved. Not for you.")
  }

  @Test func furtherRowsComeToo() async {
    reader.publication.with { $0.pageSize = 2 }
    let feed = feed()
    feed.appear()
    await reader.settle()
    reader.publication.with { $0.isOffline = true }
    feed.send(.reachedEnd)
    await reader.settle()
    #expect(feed.state.posts.loadMoreFailure == offline)
    _ = recorder.take()
    reader.store.networkIsBack()
    await reader.settle()
    #expect(recorder.states.isEmpty, "in vain, and without a word")
    reader.publication.with { $0.isOffline = false }
    reader.store.networkIsBack()
    await reader.settle()
    #expect(feed.state.posts.ids == ["p1", "p2", "p3"])
    #expect(feed.state.posts.loadMoreFailure == nil)
    #expect(recorder.states.allSatisfy { !$0.isLoadingMore })
  }

  @Test func aRefreshThatFailedComesBeforeFurtherRowsThatDid() async {
    reader.publication.with { $0.pageSize = 2 }
    let feed = await refreshedOffline()
    feed.send(.reachedEnd)
    await reader.settle()
    #expect(feed.state.posts.message != nil && feed.state.posts.loadMoreFailure != nil)
    reader.publication.with { $0.isOffline = false }
    reader.store.networkIsBack()
    await reader.settle()
    #expect(feed.state.posts.message == nil && feed.state.posts.loadMoreFailure == nil)
    #expect(feed.state.posts.ids == ["p1", "p2", "p3"])
  }

  @Test func whatIsAskedQuietlyShowsOnceTheReaderAsksToo() async {
    let feed = await refreshedOffline()
    reader.publication.with {
      $0.isOffline = false
      $0.holds = ["GET /v1/posts"]
    }
    reader.store.networkIsBack()
    await reader.waitForSuspended()
    #expect(!feed.state.posts.isRefreshing)
    feed.send(.refreshTapped)
    #expect(feed.state.posts.isRefreshing)
    reader.publication.release()
    await reader.settle()
    #expect(!feed.state.posts.isRefreshing && feed.state.posts.message == nil)
  }

  @Test func nobodyAsksForAReaderWhoIsGoneNorForAPageThatIsAway() async {
    reader.publication.with { $0.isOffline = true }
    let feed = feed()
    feed.appear()
    await reader.settle()
    feed.disappear()
    let before = requested
    reader.store.networkIsBack()
    await reader.settle()
    #expect(requested == before)
    feed.appear()
    await reader.settle()
    let then = requested
    reader.store.close()
    reader.store.networkIsBack()
    await reader.settle()
    #expect(requested == then)
  }
}
