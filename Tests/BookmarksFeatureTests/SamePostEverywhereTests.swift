import BookmarksFeature
import ContentCache
import FanClubFeature
import FeatureKit
import FeedFeature
import PublicationAPI
import TestSupport
import Testing

/// The same post in the feed, on its fan club's page and among the bookmarks is one post.
@MainActor @Suite struct SamePostEverywhereTests {
  private final class Drawn { var pages: [String: [Set<Post.ID>]] = [:] }

  private let reader = ReaderFixture(
    posts: [.sample(1, reactions: 4, bookmarked: true), .sample(2, club: "c2")], clubs: [FanClub(id: "c1", name: "Club")])
  private let drawn = Drawn()
  private let pages: [(name: String, page: any PostListScreen)]

  init() {
    pages = [
      ("feed", FeedViewModel(store: reader.store, formatting: reader.formatting) { _ in }),
      ("club", FanClubViewModel("c1", store: reader.store, formatting: reader.formatting) { _ in }),
      ("bookmarks", BookmarksViewModel(store: reader.store, formatting: reader.formatting) { _ in }),
    ]
  }

  private func appear() async {
    for (name, page) in pages {
      page.onRowsChanged = { [drawn] in drawn.pages[name, default: []].append($0) }
      page.appear()
    }
    await reader.settle()
    for (_, page) in pages { _ = page.row(for: "p1") }
    drawn.pages = [:]
  }

  @Test func aReactionOnOnePageShowsOnAll() async {
    await appear()
    pages[2].page.send(.reactionToggled("p1"))
    for (_, page) in pages { #expect(page.row(for: "p1")?.reactions == "5") }
    await reader.settle()
    #expect(Set(drawn.pages.keys) == ["feed", "club", "bookmarks"])
    #expect(drawn.pages.values.allSatisfy { $0.allSatisfy { $0 == ["p1"] } })
    #expect(reader.publication.requests.filter { $0.hasPrefix("PUT") } == ["PUT /v1/posts/p1/reaction"])
  }

  @Test func aRefusalTakesItBackOnAll() async {
    await appear()
    reader.publication.with { $0.refusals["PUT"] = Problem(code: .locked, title: "Not for you.", status: 403) }
    pages[0].page.send(.reactionToggled("p1"))
    for (_, page) in pages { #expect(page.row(for: "p1")?.isReacted == true) }
    await reader.settle()
    for (_, page) in pages { #expect(page.row(for: "p1")?.isReacted == false) }
    for (_, page) in pages { #expect(page.posts.list.state.message?.hasPrefix("Your reaction was not saved.") == true) }
  }

  @Test func whatCannotBeSentStaysOnAllAndComesOutOnce() async {
    await appear()
    reader.publication.with { $0.isOffline = true }
    pages[0].page.send(.reactionToggled("p1"))
    pages[1].page.send(.bookmarkTapped("p1"))
    await reader.settle()
    for (_, page) in pages.prefix(2) {
      #expect(page.row(for: "p1")?.isReacted == true)
      #expect(page.row(for: "p1")?.isBookmarked == false)
      #expect(page.posts.list.state.message == nil)
    }
    #expect(reader.store.outboxStatus.value.count == 2)
    #expect(reader.store.outboxStatus.value.problem != nil)
    for (_, page) in pages.prefix(2) {
      #expect(page.row(for: "p1")?.waiting == "Your reaction and your bookmark wait to be sent.")
    }
    reader.publication.with { $0.isOffline = false }
    reader.publication.forgetRequests()
    // Whatever else is answered says that the publication is there.
    pages[0].page.send(.refreshTapped)
    await reader.settle()
    #expect(reader.publication.requests.dropFirst() == ["PUT /v1/posts/p1/reaction", "DELETE /v1/posts/p1/bookmark"])
    #expect(reader.store.outboxStatus.value == OutboxStatus())
    for (_, page) in pages.prefix(2) { #expect(page.row(for: "p1")?.waiting == nil) }
  }

  @Test func whatIsSimplyOnItsWayIsNotMarkedAndWhatWaitsIsDrawnAgainWhenItIsSent() async throws {
    await appear()
    reader.publication.with { $0.isOffline = true }
    drawn.pages = [:]
    pages[0].page.send(.reactionToggled("p1"))
    #expect(pages[0].page.row(for: "p1")?.waiting == nil, "nobody knows yet that it waits")
    await reader.settle()
    #expect(pages[0].page.row(for: "p1")?.waiting == "Your reaction waits to be sent.")
    #expect(drawn.pages["feed"]?.count == 2, "once for the reaction, once for that it waits")
    drawn.pages = [:]
    reader.publication.with { $0.isOffline = false }
    pages[0].page.send(.refreshTapped)
    await reader.settle()
    #expect(drawn.pages["feed"]?.contains(["p1"]) == true, "though the post is the same as before")
    #expect(pages[0].page.row(for: "p1")?.waiting == nil)
  }

  @Test func thatAClubIsFollowedWaitsVisiblyInItsRowAndOnItsPage() async throws {
    let list = FanClubListViewModel(store: reader.store, formatting: reader.formatting, documents: .onDisk) { _ in }
    let page = FanClubViewModel("c1", store: reader.store, formatting: reader.formatting) { _ in }
    var drawn: [Set<FanClub.ID>] = []
    list.onRowsChanged = { drawn.append($0) }
    list.appear()
    page.appear()
    await reader.settle()
    _ = list.row(for: "c1")
    reader.publication.with { $0.isOffline = true }
    for words in ["Your choice to follow waits to be sent.", "Your choice to stop following waits to be sent."] {
      page.send(.followTapped)
      await reader.settle()
      #expect(list.row(for: "c1")?.waiting == words)
      #expect(page.state.club?.waiting == words)
    }
    drawn = []
    reader.publication.with { $0.isOffline = false }
    page.send(.refreshTapped)
    await reader.settle()
    #expect(reader.store.outboxStatus.value == OutboxStatus())
    #expect(drawn.contains(["c1"]))
    #expect(list.row(for: "c1")?.waiting == nil)
    #expect(page.state.club?.waiting == nil)
    list.disappear()
    page.disappear()
  }

  @Test func onlyPagesOnScreenWork() async {
    await appear()
    pages[0].page.disappear()
    pages[1].page.disappear()
    pages[2].page.send(.reactionToggled("p1"))
    await reader.settle()
    #expect(Set(drawn.pages.keys) == ["bookmarks"])
  }
}
