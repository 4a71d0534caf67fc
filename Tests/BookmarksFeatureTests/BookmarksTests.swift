import BookmarksFeature
import PublicationAPI
import TestSupport
import Testing

@testable import ReaderContent

private let refused = Problem(code: .locked, title: "Not for you.", status: 403)

@MainActor @Suite struct BookmarksTests {
  private let recorder = Recorder<BookmarksViewModel.State>()

  private func page(of reader: ReaderFixture) -> BookmarksViewModel {
    let page = BookmarksViewModel(store: reader.store, formatting: reader.formatting) { _ in }
    page.observe { [recorder] in recorder.record($0) }
    return page
  }

  @Test func listsWhatIsBookmarked() async {
    let reader = ReaderFixture(posts: [.sample(1), .sample(2, bookmarked: true), .sample(3, bookmarked: true)])
    let page = page(of: reader)
    page.appear()
    await reader.settle()
    #expect(recorder.states.map(\.ids) == [[], ["p2", "p3"]])
    #expect(reader.publication.requests == ["GET /v1/posts?bookmarked=true"])
  }

  @Test func withoutBookmarksItIsEmpty() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let page = page(of: reader)
    page.appear()
    await reader.settle()
    #expect(recorder.states.map(\.phase) == [.loading, .empty])
  }

  @Test func aRowLeavesWithItsBookmark() async {
    let reader = ReaderFixture(posts: [.sample(1, bookmarked: true), .sample(2, bookmarked: true)])
    let page = page(of: reader)
    page.appear()
    await reader.settle()
    _ = recorder.take()
    reader.publication.with { $0.holds = ["DELETE"] }
    page.send(.bookmarkTapped("p1"))
    await reader.waitForSuspended()
    #expect(recorder.states.map(\.ids) == [["p2"]])
    reader.publication.release()
    await reader.settle()
    page.send(.bookmarkTapped("p2"))
    await reader.settle()
    #expect(recorder.states.map(\.ids) == [["p2"], []])
    #expect(page.state.phase == .empty)
  }

  @Test func aRefusedRemovalBringsTheRowBackWhereItWas() async {
    let reader = ReaderFixture(posts: [.sample(1, bookmarked: true), .sample(2, bookmarked: true)])
    let page = page(of: reader)
    page.appear()
    await reader.settle()
    _ = recorder.take()
    reader.publication.with { $0.refusals["DELETE"] = refused }
    page.send(.bookmarkTapped("p1"))
    await reader.settle()
    #expect(recorder.states.first?.ids == ["p2"])
    #expect(page.state.ids == ["p1", "p2"])
    #expect(page.state.message == "Your bookmark was not saved. Not for you.")
  }

  @Test func whatIsBookmarkedElsewhereIsThereWhenThePageComesBack() async {
    let reader = ReaderFixture(posts: [.sample(1), .sample(2, bookmarked: true), .sample(3)])
    let page = page(of: reader)
    page.appear()
    await reader.settle()
    page.disappear()
    _ = recorder.take()
    reader.store.postCache.store([.sample(1), .sample(3)])
    reader.store.toggleBookmark("p3")
    reader.store.toggleBookmark("p1")
    await reader.settle()
    #expect(recorder.states.isEmpty)
    page.appear()
    await reader.settle()
    #expect(recorder.states.map(\.ids) == [["p1", "p2", "p3"]])
    page.send(.refreshTapped)
    await reader.settle()
    #expect(page.state.ids == ["p1", "p2", "p3"])
  }

  @Test func aPageWhoseRowsAllLeftLoadsTheNext() async {
    let reader = ReaderFixture(posts: (1...3).map { .sample($0, bookmarked: true) })
    reader.publication.with { $0.pageSize = 1 }
    let page = page(of: reader)
    page.appear()
    await reader.settle()
    // The cursor of the scripted publication is an offset: keep the list as it was.
    reader.publication.with { $0.holds = ["DELETE"] }
    page.send(.bookmarkTapped("p1"))
    await reader.waitForSuspended()
    while page.state.ids.isEmpty { await mainQueueTurn() }
    #expect(page.state.phase == .ready)
    #expect(!recorder.states.contains { $0.phase == .empty })
    reader.publication.release()
    await reader.settle()
  }

  @Test func aBookmarkThatWasTakenAwayElsewhereIsGoneWhenTheListIsLoadedAnew() async {
    let reader = ReaderFixture(posts: [.sample(1, bookmarked: true), .sample(2, bookmarked: true)])
    let page = BookmarksViewModel(store: reader.store, formatting: reader.formatting) { _ in }
    page.appear()
    await reader.settle()
    #expect(page.state.ids == ["p1", "p2"])
    reader.publication.with { $0.posts[0].bookmarked = false }
    page.send(.refreshTapped)
    await reader.settle()
    #expect(page.state.ids == ["p2"])
    page.disappear()
    page.appear()
    await reader.settle()
    #expect(page.state.ids == ["p2"])
  }
}
