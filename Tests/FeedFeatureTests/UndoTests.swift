import FeedFeature
import PublicationAPI
import TestSupport
import Testing

/// Undo of "Mark all as read": those that were unread before are unread again, and no others.
@MainActor @Suite struct UndoTests {
  private let reader: ReaderFixture

  init() {
    var posts = (1...30).map { Post.sample($0) }
    for index in [1, 4, 25] { posts[index].read = true }
    reader = ReaderFixture(posts: posts, clubs: [FanClub(id: "c1", name: "Club", followed: true, unread: 27)])
  }

  private func shown() async -> FeedViewModel {
    let feed = FeedViewModel(store: reader.store, formatting: reader.formatting) { _ in }
    feed.appear()
    await reader.settle()
    return feed
  }

  private func unread(_ feed: FeedViewModel) -> [Bool?] { feed.state.posts.ids.map { feed.row(for: $0).map { !$0.isRead } } }
  private var unreadThere: [Bool] { reader.publication.with { $0.posts.map { !$0.read } } }

  /// Who marks all as read goes on to what is unread.
  @Test func itStaysWhenTheListIsSeenInAnotherWay() async {
    let feed = await shown()
    let before = unreadThere
    feed.send(.allReadTapped)
    await reader.settle()
    for _ in 1...2 {
      feed.send(.unreadOnlyTapped)
      await reader.settle()
      #expect(feed.state.posts.message == "Everything here was marked as read." && feed.state.posts.canUndo)
    }
    feed.send(.undoTapped)
    await reader.settle()
    #expect(unreadThere == before)
    #expect((feed.state.posts.message, feed.state.posts.canUndo) == (nil, false))
    feed.send(.unreadOnlyTapped)
    #expect(!feed.state.posts.canUndo)
  }

  @Test(arguments: [false, true]) func aDoubleClickIsUndoneAsOne(hasArrived: Bool) async {
    let feed = await shown()
    let (before, beforeThere) = (unread(feed), unreadThere)
    feed.send(.allReadTapped)
    if hasArrived { await reader.settle() }
    feed.send(.allReadTapped)
    await reader.settle()
    feed.send(.undoTapped)
    await reader.settle()
    #expect(unread(feed) == before)
    #expect(unreadThere == beforeThere)
    #expect(!feed.state.posts.canUndo)
  }

  @Test func afterThePublicationHasDoneIt() async {
    let feed = await shown()
    let (before, beforeThere) = (unread(feed), unreadThere)
    feed.send(.allReadTapped)
    #expect(feed.state.posts.message == "Everything here was marked as read.")
    #expect(feed.state.posts.canUndo)
    await reader.settle()
    #expect(!unreadThere.contains(true))
    feed.send(.undoTapped)
    #expect((feed.state.posts.message, feed.state.posts.canUndo) == (nil, false))
    #expect(unread(feed) == before)
    await reader.settle()
    #expect(unreadThere == beforeThere)
    // Those that were never loaded here, too.
    feed.send(.reachedEnd)
    await reader.settle()
    #expect(unread(feed) == beforeThere)
    #expect(reader.store.fanClubs["c1"]?.unread == 27)
    // A second press does nothing.
    reader.publication.forgetRequests()
    feed.send(.undoTapped)
    await reader.settle()
    #expect(reader.publication.requests.isEmpty)
  }

  @Test func withoutANetworkAndWhatIsLoadedMeanwhile() async {
    let feed = await shown()
    let (before, beforeThere) = (unread(feed), unreadThere)
    reader.publication.with { $0.isOffline = true }
    feed.send(.allReadTapped)
    await reader.settle()
    #expect(!unread(feed).contains(true))
    feed.send(.undoTapped)
    #expect(unread(feed) == before)
    #expect(unreadThere == beforeThere)
    reader.publication.with { $0.isOffline = false }
    reader.store.retryNow()
    await reader.settle()
    #expect(reader.store.outboxStatus.value.count == 0)
    #expect((unread(feed), unreadThere) == (before, beforeThere))
  }

  /// Nothing has to be sent for it: what waits is what waited before.
  @Test func whatWasNeverSentWaitsNoMoreOnceItIsUndone() async {
    let feed = await shown()
    let (before, beforeThere) = (unread(feed), unreadThere)
    reader.publication.with { $0.isOffline = true }
    feed.send(.bookmarkTapped("p3"))
    await reader.settle()
    for _ in 1...2 {
      feed.send(.allReadTapped)
      await reader.settle()
      #expect(reader.store.outboxStatus.value.count == 2)
      feed.send(.undoTapped)
      await reader.settle()
      #expect(reader.store.outboxStatus.value.count == 1)
      #expect(unread(feed) == before)
    }
    reader.publication.with { $0.isOffline = false }
    reader.store.retryNow()
    await reader.settle()
    #expect(reader.store.outboxStatus.value.count == 0)
    #expect((unread(feed), unreadThere) == (before, beforeThere))
  }

  @Test func afterTheListWasLoadedAnew() async {
    let feed = await shown()
    let before = unread(feed)
    feed.send(.allReadTapped)
    await reader.settle()
    feed.send(.refreshTapped)
    await reader.settle()
    #expect(feed.state.posts.canUndo)
    #expect(!unread(feed).contains(true))
    feed.send(.undoTapped)
    await reader.settle()
    #expect(unread(feed) == before)
  }

  @Test func ofTheRowsDownToOne() async {
    let feed = await shown()
    let before = unread(feed)
    feed.send(.readToHereTapped("p6"))
    #expect(feed.state.posts.message == "Everything down to “Title 6” was marked as read.")
    #expect(unread(feed).prefix(6) == [false, false, false, false, false, false])
    feed.send(.undoTapped)
    await reader.settle()
    #expect(unread(feed) == before)
    // Another message takes the offer with it.
    feed.send(.readToHereTapped("p6"))
    await reader.settle()
    reader.publication.with { $0.refusals = ["PUT /v1/posts/p9/bookmark": Problem(code: .notFound, title: "No.", status: 400)] }
    feed.send(.bookmarkTapped("p9"))
    await reader.settle()
    #expect((feed.state.posts.message != nil, feed.state.posts.canUndo) == (true, false))
    feed.send(.undoTapped)
    #expect(unread(feed).first == false)
  }
}
