import FeatureKit
import FeedFeature
import PublicationAPI
import TestSupport
import Testing

private let offline = "It comes as soon as the publication can be reached."
private let broken = Problem(code: .internalError, title: "Something broke at the publication.", status: 500)

@MainActor @Suite struct FeedTests {
  private let recorder = Recorder<ListState>()
  private final class Outputs { var all: [FeedViewModel.Output] = [] }
  private let outputs = Outputs()

  private func feed(of reader: ReaderFixture) -> FeedViewModel {
    let feed = FeedViewModel(store: reader.store, formatting: reader.formatting) { [outputs] in outputs.all.append($0) }
    feed.observe { [recorder] in recorder.record($0.posts) }
    return feed
  }

  private func state(
    _ phase: ListState.Phase, _ ids: [String] = [], more: Bool = false, _ change: (inout ListState) -> Void = { _ in }
  ) -> ListState {
    var state = ListState()
    state.ids = ids
    state.phase = phase
    state.canLoadMore = more
    change(&state)
    return state
  }

  /// What was asked about posts; Home also asks which fan clubs there are.
  private func requested(_ reader: ReaderFixture) -> [String] { reader.publication.requests.filter { $0.hasPrefix("GET /v1/posts") } }

  // MARK: - Loading

  @Test func loadsNewestFirstAndTellsTheStateOnceOnBinding() async {
    let reader = ReaderFixture(posts: [.sample(2), .sample(1), .sample(3)])
    let feed = feed(of: reader)
    #expect(recorder.states == [state(.loading)])
    #expect(reader.publication.requests.isEmpty)
    feed.appear()
    await reader.settle()
    #expect(recorder.states == [state(.loading), state(.ready, ["p1", "p2", "p3"])])
    #expect(requested(reader) == ["GET /v1/posts"])
  }

  @Test func anEmptyPublicationIsEmpty() async {
    let reader = ReaderFixture()
    let feed = feed(of: reader)
    feed.appear()
    await reader.settle()
    #expect(recorder.states == [state(.loading), state(.empty)])
  }

  @Test func offlineSaysWhatToDoAndTryingAgainLoads() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.publication.with { $0.isOffline = true }
    let feed = feed(of: reader)
    feed.appear()
    await reader.settle()
    reader.publication.with { $0.isOffline = false }
    feed.send(.retryTapped)
    await reader.settle()
    #expect(recorder.states == [state(.loading), state(.offline(offline)), state(.loading), state(.ready, ["p1"])])
  }

  @Test func aRefusalShowsThePublicationsSentence() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.publication.with { $0.refusals["GET /v1/posts"] = broken }
    let feed = feed(of: reader)
    feed.appear()
    await reader.settle()
    #expect(recorder.states == [state(.loading), state(.failed(broken.title))])
  }

  @Test func aFailedPageLoadsWhenItComesBack() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.publication.with { $0.isOffline = true }
    let feed = feed(of: reader)
    feed.appear()
    await reader.settle()
    feed.disappear()
    reader.publication.with { $0.isOffline = false }
    feed.appear()
    await reader.settle()
    #expect(feed.state.posts.phase == .ready)
  }

  // MARK: - Refreshing

  @Test func refreshKeepsTheRowsUntilTheNewOnesAreThere() async {
    let reader = ReaderFixture(posts: [.sample(2)])
    let feed = feed(of: reader)
    feed.appear()
    await reader.settle()
    _ = recorder.take()
    reader.publication.with { $0.posts.append(.sample(1)) }
    feed.send(.refreshTapped)
    await reader.settle()
    #expect(recorder.states == [state(.ready, ["p2"]) { $0.isRefreshing = true }, state(.ready, ["p1", "p2"])])
  }

  @Test func aFailedRefreshKeepsTheRowsAndSaysSo() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let feed = feed(of: reader)
    feed.appear()
    await reader.settle()
    _ = recorder.take()
    reader.publication.with { $0.isOffline = true }
    feed.send(.refreshTapped)
    await reader.settle()
    feed.send(.messageDismissed)
    #expect(
      recorder.states == [
        state(.ready, ["p1"]) { $0.isRefreshing = true },
        state(.ready, ["p1"]) { $0.message = "The list could not be refreshed. \(offline)" },
        state(.ready, ["p1"]),
      ])
  }

  @Test func aFurtherPageThatComesAfterARefreshIsDropped() async {
    let reader = ReaderFixture(posts: [.sample(2), .sample(3)])
    reader.publication.with { $0.pageSize = 1 }
    let feed = feed(of: reader)
    feed.appear()
    await reader.settle()
    reader.publication.with { $0.holds = ["GET /v1/posts?cursor=1"] }
    feed.send(.reachedEnd)
    await reader.waitForSuspended()
    reader.publication.with { $0.posts.append(.sample(1)) }
    feed.send(.refreshTapped)
    while feed.state.posts.isRefreshing { await mainQueueTurn() }
    #expect(feed.state.posts == state(.ready, ["p1"], more: true))
    reader.publication.release()
    await reader.settle()
    #expect(feed.state.posts == state(.ready, ["p1"], more: true))
  }

  // MARK: - Further pages

  @Test func furtherPagesComeByCursorUntilTheLast() async {
    let reader = ReaderFixture(posts: (1...5).map { .sample($0) })
    reader.publication.with { $0.pageSize = 2 }
    let feed = feed(of: reader)
    feed.appear()
    await reader.settle()
    for _ in 0..<4 {
      feed.send(.reachedEnd)
      feed.send(.reachedEnd)
      await reader.settle()
    }
    #expect(requested(reader) == ["GET /v1/posts", "GET /v1/posts?cursor=3", "GET /v1/posts?cursor=1"])
    #expect(
      recorder.states == [
        state(.loading),
        state(.ready, ["p1", "p2"], more: true),
        state(.ready, ["p1", "p2"], more: true) { $0.isLoadingMore = true },
        state(.ready, ["p1", "p2", "p3", "p4"], more: true),
        state(.ready, ["p1", "p2", "p3", "p4"], more: true) { $0.isLoadingMore = true },
        state(.ready, ["p1", "p2", "p3", "p4", "p5"]),
      ])
  }

  @Test func aFailedFurtherPageIsAskedForAgainOnlyWhenTheReaderTries() async {
    let reader = ReaderFixture(posts: (1...3).map { .sample($0) })
    reader.publication.with { $0.pageSize = 2 }
    let feed = feed(of: reader)
    feed.appear()
    await reader.settle()
    reader.publication.with { $0.isOffline = true }
    feed.send(.reachedEnd)
    await reader.settle()
    #expect(feed.state.posts == state(.ready, ["p1", "p2"], more: true) { $0.loadMoreFailure = offline })
    reader.publication.forgetRequests()
    feed.send(.reachedEnd)
    await reader.settle()
    #expect(reader.publication.requests.isEmpty)
    reader.publication.with { $0.isOffline = false }
    feed.send(.retryTapped)
    await reader.settle()
    #expect(feed.state.posts == state(.ready, ["p1", "p2", "p3"]))
  }

  // MARK: - Leaving

  @Test func tapsLeadOn() async {
    let reader = ReaderFixture(posts: [.sample(1, club: "c7")])
    let feed = feed(of: reader)
    feed.appear()
    await reader.settle()
    feed.send(.postTapped("p1"))
    feed.send(.clubTapped("p1"))
    feed.send(.clubTapped("unknown"))
    #expect(outputs.all == [.openPost("p1"), .openFanClub("c7")])
  }

  @Test func aReaderWhoIsGoneLeavesNothing() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let feed = feed(of: reader)
    feed.appear()
    await reader.settle()
    _ = recorder.take()
    reader.publication.with { $0.holds = ["GET"] }
    feed.send(.refreshTapped)
    await reader.waitForSuspended()
    reader.store.close()
    reader.publication.release()
    await reader.settle()
    #expect(feed.row(for: "p1") == nil)
    feed.send(.reactionToggled("p1"))
    await reader.settle()
    #expect(!reader.publication.requests.contains { $0.hasPrefix("PUT") })
    #expect(recorder.states == [state(.ready, ["p1"]) { $0.isRefreshing = true }])
  }

  @Test func aClosedPageIsReleased() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    weak var closed: FeedViewModel?
    do {
      let feed = feed(of: reader)
      closed = feed
      feed.appear()
      await reader.settle()
      feed.observe { _ in }
    }
    #expect(closed == nil)
  }
}
