import FeatureKit
import FeedFeature
import Foundation
import PublicationAPI
import TestSupport
import Testing

/// What comes while Home is open.
@MainActor @Suite struct NewPostsTests {
  private let recorder = Recorder<FeedViewModel.State>()
  private let reader = ReaderFixture(posts: (3...6).map { .sample($0) })

  private func shown(pageSize: Int = 20) async -> FeedViewModel {
    reader.publication.with { $0.pageSize = pageSize }
    let feed = FeedViewModel(store: reader.store, formatting: reader.formatting) { _ in }
    feed.observe { [recorder] in recorder.record($0) }
    feed.appear()
    await reader.settle()
    _ = recorder.take()
    return feed
  }

  private func publish(_ numbers: Int...) { reader.publication.with { $0.posts += numbers.map { .sample($0) } } }

  private func wait(_ duration: Duration = .seconds(60)) async {
    await reader.clock.waitForSleepers()
    reader.clock.advance(by: duration)
    // Whoever woke has looked, or asked, once it sleeps again.
    await reader.clock.waitForSleepers()
    await reader.settle()
  }

  @Test func whatIsNewIsCountedAndNothingMovesUntilTheReaderWantsIt() async {
    let feed = await shown()
    publish(2)
    await wait()
    publish(1)
    await wait()
    feed.send(.newPostsTapped)
    await reader.settle()
    let states = recorder.take()
    #expect(states.map(\.pill) == ["1 new post", "2 new posts", nil])
    #expect(states.map(\.posts.ids.count) == [4, 4, 6])
    #expect(states.map(\.isJumping) == [false, false, true])
    #expect(feed.state.posts.ids == ["p1", "p2", "p3", "p4", "p5", "p6"])
    #expect(feed.state.newPosts == 0)
  }

  @Test func whatTheServerGotLateIsCountedAndComesInWhereItBelongs() async {
    let feed = await shown()
    var late = Post.sample(4)
    late.id = "late"
    late.published -= 1
    reader.publication.with { $0.posts.append(late) }
    publish(2)
    await wait()
    feed.disappear()
    feed.appear()
    await reader.settle()
    #expect(feed.state.pill == "2 new posts")
    #expect(feed.state.posts.ids == ["p3", "p4", "p5", "p6"])
    feed.send(.newPostsTapped)
    await reader.settle()
    #expect((feed.state.pill, feed.state.posts.ids) == (nil, ["p2", "p3", "p4", "late", "p5", "p6"]))
  }

  @Test func aLookThatFindsNothingCostsNoBody() async {
    let feed = await shown()
    reader.publication.forgetRequests()
    await wait()
    #expect(reader.publication.requests == ["GET /v1/posts"])
    #expect(recorder.take().isEmpty)
    feed.send(.newPostsTapped)
    #expect(!feed.state.isJumping)
  }

  @Test func whatWasFoundComesInWithoutNetworkToo() async {
    let feed = await shown()
    publish(1)
    await wait()
    reader.publication.with { $0.isOffline = true }
    feed.send(.newPostsTapped)
    await reader.settle()
    #expect(feed.state.posts.ids.first == "p1")
    #expect(feed.state.posts.message == nil)
    await wait()
    #expect(feed.state.posts.phase == .ready)
    #expect(feed.state.posts.message == nil)
  }

  @Test func aWholePageOfNewsMayHaveMoreBelowAndTheListGoesOnFromThere() async {
    let feed = await shown(pageSize: 2)
    feed.send(.reachedEnd)
    await reader.settle()
    publish(0, 1, 2)
    await wait()
    #expect((feed.state.newPosts, feed.state.pill) == (2, "2 or more new posts"))
    feed.send(.newPostsTapped)
    await reader.settle()
    #expect((feed.state.posts.ids, feed.state.posts.canLoadMore) == (["p0", "p1"], true))
    for _ in 0..<3 {
      feed.send(.reachedEnd)
      await reader.settle()
    }
    #expect(feed.state.posts.ids == ["p0", "p1", "p2", "p3", "p4", "p5", "p6"])
  }

  @Test func offScreenItLooksLessOften() async {
    let feed = await shown()
    feed.disappear()
    reader.publication.forgetRequests()
    publish(1)
    await wait(.seconds(240))
    #expect(reader.publication.requests.isEmpty)
    await wait(.seconds(60))
    #expect(reader.publication.requests == ["GET /v1/posts"])
    feed.appear()
    await reader.settle()
    #expect(feed.state.pill == "1 new post")
  }

  @Test func refreshingBringsThemInAndAnotherChoiceHasItsOwn() async {
    let feed = await shown()
    publish(2)
    await wait()
    feed.send(.refreshTapped)
    await reader.settle()
    #expect((feed.state.pill, feed.state.posts.ids.first) == (nil, "p2"))
    publish(1)
    await wait()
    feed.send(.choiceTapped(.fanClub("c1")))
    await reader.settle()
    #expect((feed.state.pill, feed.state.posts.ids.first) == (nil, "p1"))
  }

  @Test func aReaderWhoIsGoneIsNotAskedFor() async {
    let feed = await shown()
    reader.store.close()
    reader.publication.forgetRequests()
    await wait()
    #expect(reader.publication.requests.isEmpty)
    #expect(feed.state.newPosts == 0)
  }

  @Test func whoComesBackIsToldAtOnceWhatCameMeanwhile() async {
    let feed = await shown()
    feed.disappear()
    await wait(.seconds(240))
    publish(1)
    reader.publication.forgetRequests()
    feed.appear()
    await reader.settle()
    #expect(feed.state.pill == "1 new post")
    // Coming and going neither repeats a look nor puts it off.
    publish(2)
    for _ in 0..<3 {
      await wait(.seconds(19))
      feed.disappear()
      feed.appear()
      await reader.settle()
    }
    #expect(feed.state.pill == "1 new post")
    await wait(.seconds(3))
    #expect(feed.state.pill == "2 new posts")
    #expect(reader.publication.requests.filter { $0 == "GET /v1/posts" }.count == 2)
  }

  @Test func moreOfTheClubsOfWhatIsNewAreUnread() async {
    reader.publication.with { $0.clubs = [FanClub(id: "c1", name: "One", followed: true, unread: 0)] }
    let clubs = FollowedClubs(store: reader.store)
    var unread: [Int?] = []
    clubs.onChange = { unread = clubs.clubs.map(\.unread) }
    clubs.appear()
    let feed = await shown()
    #expect(unread == [4])
    publish(2)
    await wait()
    #expect(unread == [5])
    reader.publication.forgetRequests()
    await wait()
    feed.send(.newPostsTapped)
    await reader.settle()
    #expect(reader.publication.requests == ["GET /v1/posts"])
    publish(1)
    feed.send(.refreshTapped)
    await reader.settle()
    #expect(unread == [6])
  }

  @Test func aCountThatNobodyCouldBeAskedForIsAskedForLater() async {
    reader.publication.with { $0.clubs = [FanClub(id: "c1", name: "One", followed: true, unread: 0)] }
    let feed = await shown()
    publish(2)
    reader.publication.with { $0.holds = ["GET /v1/posts"] }
    await reader.clock.waitForSleepers()
    reader.clock.advance(by: .seconds(60))
    await reader.waitForSuspended()
    reader.publication.with { $0.isOffline = true }
    reader.publication.release()
    await reader.settle()
    #expect(feed.state.pill == "1 new post")
    #expect(reader.store.fanClubs["c1"]?.unread == 4)
    reader.publication.with { $0.isOffline = false }
    await wait()
    #expect(reader.store.fanClubs["c1"]?.unread == 5)
  }

  @Test func whereNothingIsWhatComesIsShown() async {
    reader.publication.with { $0.posts = [] }
    let feed = await shown()
    #expect(feed.state.posts.phase == .empty)
    await wait()
    publish(2, 1)
    await wait()
    let states = recorder.take()
    #expect(states.map(\.posts.ids) == [["p1", "p2"]])
    #expect(states.map(\.posts.phase) == [.ready])
    #expect(states.map(\.pill) == [nil])
    publish(0)
    await wait()
    #expect(feed.state.pill == "1 new post")
  }

  @Test func olderPostsAreNotNewWhenThoseAboveHaveLeft() async {
    let feed = await shown(pageSize: 2)
    feed.send(.unreadOnlyTapped)
    await reader.settle()
    #expect(feed.state.posts.ids == ["p3", "p4"])
    feed.send(.allReadTapped)
    await reader.settle()
    await wait()
    #expect((feed.state.newPosts, feed.state.pill) == (0, nil))
    publish(1)
    await wait()
    #expect((feed.state.newPosts, feed.state.pill) == (1, "1 new post"))
  }
}
