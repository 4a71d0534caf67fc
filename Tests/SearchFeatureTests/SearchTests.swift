import PublicationAPI
import ReaderContent
import SearchFeature
import TestSupport
import Testing

@MainActor @Suite struct SearchTests {
  private final class Outputs { var all: [SearchViewModel.Output] = [] }
  private let outputs = Outputs()
  private let recorder = Recorder<SearchViewModel.State>()

  private func page(_ reader: ReaderFixture) -> SearchViewModel {
    let page = SearchViewModel(store: reader.store, formatting: reader.formatting) { [outputs] in outputs.all.append($0) }
    page.observe { [recorder] in recorder.record($0) }
    page.appear()
    return page
  }

  private func requested(_ reader: ReaderFixture) -> [String] { reader.publication.requests.filter { $0.hasPrefix("GET /v1/search") } }

  /// Types, and lets the pause pass.
  private func type(_ query: String, _ page: SearchViewModel, _ reader: ReaderFixture) async {
    page.send(.queryChanged(query))
    await reader.clock.waitForSleepers()
    reader.clock.advance(by: .milliseconds(200))
    await reader.settle()
  }

  private func state(_ phase: SearchViewModel.State.Phase, _ query: String, _ ids: [String] = []) -> SearchViewModel.State {
    var state = SearchViewModel.State()
    (state.phase, state.query, state.ids) = (phase, query, ids)
    return state
  }

  @Test func howLongAgoAPostAppearedIsSaidAnewEachMinute() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let page = page(reader)
    await type("title 1", page, reader)
    #expect(page.row(for: "p1")?.post.date == "1 hour ago")
    var drawn: [Set<Post.ID>] = []
    page.onRowsChanged = { drawn.append($0) }
    reader.clock.advance(by: .seconds(3600))
    reader.store.timePassed()
    #expect(drawn == [["p1"]])
    #expect(page.row(for: "p1")?.post.date == "2 hours ago")
  }

  @Test func findsAsOneTypesOnceThereIsAPause() async {
    let reader = ReaderFixture(posts: (1...12).map { .sample($0) })
    let page = page(reader)
    page.send(.queryChanged("t"))
    page.send(.queryChanged("tit"))
    page.send(.queryChanged("title 11"))
    await type("title 1", page, reader)
    #expect(requested(reader) == ["GET /v1/search?q=title%201"])
    #expect(
      recorder.take() == [
        state(.idle, ""), state(.idle, "t"), state(.searching, "t"), state(.searching, "tit"), state(.searching, "title 11"),
        state(.searching, "title 1"), state(.results, "title 1", ["p1", "p10", "p11", "p12"]),
      ])
    let row = page.row(for: "p11")
    #expect(row?.title == MarkedText("Title 11", matches: [0..<7]))
    #expect(row?.excerpt == MarkedText("Teaser 11"))
    page.send(.postTapped("p11"))
    #expect(outputs.all == [.openPost("p11")])
  }

  @Test func aBylineThatWasFoundIsShown() async {
    var found = Post.sample(1)
    found.byline = "The Title desk"
    let reader = ReaderFixture(posts: [found, .sample(2)])
    let page = page(reader)
    await type("tit", page, reader)
    #expect(page.row(for: "p1")?.byline == MarkedText("The Title desk", matches: [4..<9]))
    #expect(page.row(for: "p2")?.byline == nil)
  }

  @Test func whileTheNextAnswerIsOnItsWayTheRowsStay() async {
    let reader = ReaderFixture(posts: [.sample(1), .sample(21)])
    let page = page(reader)
    await type("Title", page, reader)
    _ = recorder.take()
    await type("Title 2", page, reader)
    let states = recorder.take()
    #expect(states.map(\.ids) == [["p1", "p21"], ["p1", "p21"], ["p21"]])
    #expect(states.map(\.isSearching) == [false, true, false])
  }

  @Test func anAnswerToAnOlderQuestionIsDropped() async {
    let reader = ReaderFixture(posts: [.sample(1), .sample(2)])
    reader.publication.with { $0.holds = ["GET /v1/search?q=Title%201"] }
    let page = page(reader)
    page.send(.opened(with: "Title 1"))
    await reader.waitForSuspended()
    page.send(.opened(with: "Title 2"))
    while page.state.phase != .results { await mainQueueTurn() }
    reader.publication.release()
    await reader.settle()
    #expect(page.state.ids == ["p2"])
  }

  @Test func whatIsRemovedLeavesTheRows() async {
    let reader = ReaderFixture(posts: [.sample(1), .sample(2, club: "c2")], clubs: ["c1", "c2"].map { FanClub(id: $0, name: $0) })
    let page = page(reader)
    page.send(.opened(with: "Title"))
    await reader.settle()
    _ = recorder.take()
    #expect(await reader.store.removeFanClub("c1"))
    await reader.settle()
    #expect(recorder.take() == [state(.results, "Title", ["p2"])])
    page.disappear()
    #expect(await reader.store.removeFanClub("c2"))
    page.appear()
    #expect(recorder.take() == [state(.nothing("Nothing was found for “Title”."), "Title")])
  }

  @Test func nothingFoundNamesWhatWasLookedFor() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let page = page(reader)
    await type("  lost   reel ", page, reader)
    #expect(page.state.phase == .nothing("Nothing was found for “lost reel”."))
    page.send(.clearTapped)
    #expect(page.state == state(.idle, ""))
  }

  @Test func withoutNetworkItSaysSoAndAsksAgainWhenThePageIsBack() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let page = page(reader)
    await type("Title", page, reader)
    reader.publication.with { $0.isOffline = true }
    await type("Title 1", page, reader)
    #expect(page.state == state(.offline("Searching posts takes the publication, which cannot be reached now."), "Title 1"))
    reader.publication.with { $0.isOffline = false }
    page.disappear()
    page.appear()
    await reader.settle()
    #expect(page.state == state(.results, "Title 1", ["p1"]))
  }

  @Test func whatNobodyCouldBeReachedForComesByItself() async {
    let reader = ReaderFixture(posts: (1...3).map { .sample($0) })
    reader.publication.with {
      $0.pageSize = 2
      $0.isOffline = true
    }
    let page = page(reader)
    page.send(.opened(with: "Title"))
    await reader.settle()
    _ = recorder.take()
    reader.store.networkIsBack()
    await reader.settle()
    #expect(requested(reader).count == 2)
    #expect(recorder.take().isEmpty, "in vain, and without a word")
    reader.publication.with { $0.isOffline = false }
    reader.store.networkIsBack()
    await reader.settle()
    #expect(page.state.ids == ["p1", "p2"])
    reader.publication.with { $0.isOffline = true }
    page.send(.reachedEnd)
    await reader.settle()
    #expect(page.state.loadMoreFailure != nil)
    reader.publication.with { $0.isOffline = false }
    reader.store.networkIsBack()
    await reader.settle()
    #expect(page.state.ids == ["p1", "p2", "p3"])
    #expect(page.state.loadMoreFailure == nil)
    let all = requested(reader).count
    reader.store.networkIsBack()
    await reader.settle()
    #expect(requested(reader).count == all)
  }

  @Test func aRefusalShowsThePublicationsSentence() async {
    let reader = ReaderFixture()
    reader.publication.with { $0.refusals["GET /v1/search"] = Problem(code: .internalError, title: "It broke.", status: 500) }
    let page = page(reader)
    page.send(.opened(with: "x"))
    await reader.settle()
    #expect(page.state.phase == .failed("It broke."))
    reader.publication.with { $0.refusals = [:] }
    page.send(.retryTapped)
    await reader.settle()
    #expect(page.state.phase == .nothing("Nothing was found for “x”."))
  }

  @Test func whatWasNotFoundIsNotPrintedByThePage() async {
    let reader = ReaderFixture()
    let page = page(reader)
    page.send(.opened(with: String(repeating: "x", count: 5000)))
    await reader.settle()
    #expect(page.state.phase == .nothing("Nothing was found for “\(String(repeating: "x", count: 80))…”."))
  }

  @Test func furtherRowsComeByCursorAndAfterAFailureOnlyWhenTheReaderTries() async {
    let reader = ReaderFixture(posts: (1...5).map { .sample($0) })
    reader.publication.with { $0.pageSize = 2 }
    let page = page(reader)
    page.send(.opened(with: "Title"))
    await reader.settle()
    #expect((page.state.ids, page.state.canLoadMore) == (["p1", "p2"], true))
    reader.publication.with { $0.isOffline = true }
    page.send(.reachedEnd)
    await reader.settle()
    #expect(page.state.loadMoreFailure != nil)
    page.send(.reachedEnd)
    await reader.settle()
    #expect(requested(reader).count == 2)
    reader.publication.with { $0.isOffline = false }
    page.send(.retryTapped)
    await reader.settle()
    page.send(.reachedEnd)
    await reader.settle()
    #expect((page.state.ids, page.state.canLoadMore) == (["p1", "p2", "p3", "p4", "p5"], false))
  }

  @Test func rowsFollowTheCacheWhileThePageIsOnScreen() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let page = page(reader)
    page.send(.opened(with: "Title"))
    await reader.settle()
    var drawn: [Set<Post.ID>] = []
    page.onRowsChanged = { drawn.append($0) }
    _ = page.row(for: "p1")
    page.send(.bookmarkTapped("p1"))
    await reader.settle()
    #expect(page.row(for: "p1")?.post.isBookmarked == true)
    #expect(!drawn.isEmpty)
    drawn = []
    page.disappear()
    reader.store.toggleBookmark("p1")
    await reader.settle()
    #expect(drawn.isEmpty)
  }

  // MARK: Fan clubs

  private static let clubs = [FanClub(id: "c1", name: "Title Hunters", posts: 3), FanClub(id: "c2", name: "Others")]

  @Test func findsFanClubsByTheirNames() async {
    let reader = ReaderFixture(posts: [.sample(1)], clubs: Self.clubs)
    let page = page(reader)
    page.send(.opened(with: "title"))
    await reader.settle()
    #expect(page.state.phase == .results)
    #expect(page.state.clubs == ["c1"])
    #expect(page.state.ids == ["p1"])
    #expect(page.clubRow(for: "c1")?.name == MarkedText("Title Hunters", matches: [0..<5]))
    #expect(page.clubRow(for: "c1")?.club.name == "Title Hunters")
    #expect(page.clubRow(for: "c2") == nil)
    page.send(.clubTapped("c1"))
    #expect(outputs.all == [.openFanClub("c1")])
    // The next answer says again which clubs there are.
    page.send(.opened(with: "title 1"))
    await reader.settle()
    #expect(page.state.clubs.isEmpty)
    page.send(.clearTapped)
    #expect(page.state == SearchViewModel.State())
  }

  @Test func aFanClubAloneIsAResult() async {
    let reader = ReaderFixture(clubs: Self.clubs)
    let page = page(reader)
    page.send(.opened(with: "hunters"))
    await reader.settle()
    #expect((page.state.phase, page.state.clubs) == (.results, ["c1"]))
    #expect(await reader.store.removeFanClub("c1"))
    await reader.settle()
    #expect((page.state.phase, page.state.clubs) == (.nothing("Nothing was found for “hunters”."), []))
  }

  /// What changes about a club is seen in its row.
  @Test func rowsOfFanClubsFollowTheCache() async {
    let reader = ReaderFixture(clubs: Self.clubs)
    let page = page(reader)
    page.send(.opened(with: "hunters"))
    await reader.settle()
    var changed: Set<String> = []
    page.onClubsChanged = { changed.formUnion($0) }
    reader.store.toggleFollow("c1")
    await reader.settle()
    #expect(changed == ["c1"])
    #expect(page.clubRow(for: "c1")?.club.isFollowed == true)
  }

  @Test func furtherPagesKeepTheFanClubs() async {
    let reader = ReaderFixture(posts: (1...12).map { .sample($0) }, clubs: Self.clubs)
    reader.publication.with { $0.pageSize = 5 }
    let page = page(reader)
    page.send(.opened(with: "title"))
    await reader.settle()
    page.send(.reachedEnd)
    await reader.settle()
    #expect(page.state.clubs == ["c1"])
    #expect(page.state.ids.count == 10)
  }

  @Test func aPublicationOfBeforeFindsPostsOnly() async {
    let reader = ReaderFixture(posts: [.sample(1)], clubs: Self.clubs)
    reader.publication.with { $0.findsClubs = false }
    let page = page(reader)
    page.send(.opened(with: "title"))
    await reader.settle()
    #expect((page.state.phase, page.state.clubs, page.state.ids) == (.results, [], ["p1"]))
  }

  /// Without the publication those are found that the reader has met.
  @Test func findsKnownFanClubsOutOfReach() async throws {
    let reader = ReaderFixture(posts: [.sample(1)], clubs: Self.clubs)
    try await reader.store.loadFanClub("c1")
    reader.publication.with { $0.isOffline = true }
    let page = page(reader)
    page.send(.opened(with: "HUNT"))
    await reader.settle()
    let offline = SearchViewModel.State.Phase.offline("Searching posts takes the publication, which cannot be reached now.")
    #expect((page.state.phase, page.state.clubs) == (offline, ["c1"]))
    #expect(page.clubRow(for: "c1")?.name == MarkedText("Title Hunters", matches: [6..<13]))
    page.send(.opened(with: "others"))
    await reader.settle()
    #expect((page.state.phase, page.state.clubs) == (offline, []))
    reader.publication.with { $0.isOffline = false }
    page.send(.retryTapped)
    await reader.settle()
    #expect((page.state.phase, page.state.clubs) == (.results, ["c2"]))
  }
}
