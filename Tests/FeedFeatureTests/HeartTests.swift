import FeedFeature
import PublicationAPI
import TestSupport
import Testing

/// A heart is there when it was pressed, whatever else goes on at that moment.
@MainActor @Suite(.timeLimit(.minutes(1))) struct HeartTests {
  private let reader = ReaderFixture(posts: [.sample(1), .sample(2), .sample(3)])

  private func feed() async -> FeedViewModel {
    let feed = FeedViewModel(store: reader.store, formatting: reader.formatting) { _ in }
    feed.appear()
    await reader.settle()
    for id in feed.state.posts.ids { _ = feed.row(for: id) }
    return feed
  }

  private func isReacted(_ id: Post.ID) -> Bool {
    reader.publication.with { state in state.posts.first { $0.id == id }?.reaction != nil }
  }

  /// What is on its way while the heart is pressed, and how that came to be.
  enum Moment: CaseIterable { case refresh, otherRows, furtherRows, bookmark, earlierHeart, article, offline }

  @Test(arguments: Moment.allCases) func pressedOnceItIsThere(_ moment: Moment) async {
    if moment == .furtherRows { reader.publication.with { $0.pageSize = 2 } }
    let feed = await feed()
    var drawn: Set<Post.ID> = []
    feed.onRowsChanged = { drawn.formUnion($0) }
    switch moment {
    case .refresh, .otherRows:
      if moment == .otherRows { reader.publication.with { $0.posts.append(.sample(0)) } }
      reader.publication.with { $0.holds = ["GET /v1/posts"] }
      feed.send(.refreshTapped)
    case .furtherRows:
      reader.publication.with { $0.holds = ["GET /v1/posts"] }
      feed.send(.reachedEnd)
    case .bookmark:
      reader.publication.with { $0.holds = ["PUT"] }
      feed.send(.bookmarkTapped("p1"))
    case .earlierHeart:
      reader.publication.with { $0.holds = ["PUT"] }
      feed.send(.reactionToggled("p1"))
    case .article:
      reader.publication.with { $0.holds = ["GET /v1/posts/p1"] }
      Task { [store = reader.store] in try? await store.loadPost("p1") }
    case .offline: reader.publication.with { $0.isOffline = true }
    }
    if moment != .offline { await reader.waitForSuspended() }
    if moment == .earlierHeart { feed.send(.reactionToggled("p1")) }
    feed.send(.reactionToggled("p1"))
    #expect(feed.row(for: "p1")?.isReacted == true)
    reader.publication.release()
    await reader.settle()
    #expect(feed.row(for: "p1")?.isReacted == true)
    #expect(feed.row(for: "p1")?.reactions == "1")
    #expect(drawn.contains("p1"))
    if moment == .offline {
      reader.publication.with { $0.isOffline = false }
      reader.store.networkIsBack()
      await reader.settle()
      #expect(feed.row(for: "p1")?.isReacted == true)
    }
    #expect(isReacted("p1"))
  }

  @Test func onARowThatCameByTheLastAnswerItIsThere() async {
    let feed = await feed()
    reader.publication.with { $0.posts.append(.sample(0)) }
    feed.observe { [weak feed] state in
      // In the very turn in which the row appears.
      if state.posts.ids.first == "p0", feed?.row(for: "p0")?.isReacted == false { feed?.send(.reactionToggled("p0")) }
    }
    feed.send(.refreshTapped)
    await reader.settle()
    #expect(feed.row(for: "p0")?.isReacted == true)
    #expect(isReacted("p0"))
  }

  @Test func onAPostOfWhichOnlyASearchKnowsItIsThere() async throws {
    _ = try await reader.store.search("2")
    reader.store.toggleReaction("p2")
    #expect(reader.store.posts["p2"]?.reaction == .love)
    await reader.settle()
    #expect(isReacted("p2"))
    let feed = await feed()
    #expect(feed.row(for: "p2")?.isReacted == true)
  }
}
