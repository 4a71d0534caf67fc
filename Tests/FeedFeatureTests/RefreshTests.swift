import FeatureKit
import FeedFeature
import PublicationAPI
import Runtime
import TestSupport
import Testing

/// F5 at Home, where readers add feeds: the feeds behind what is shown are fetched.
@MainActor @Suite struct RefreshTests {
  private let recorder = Recorder<FanClubsFetch.Report>()
  private let reader = ReaderFixture(
    posts: [.sample(2, club: "a")],
    clubs: [
      FanClub(id: "a", name: "Ant", followed: true, feed: "https://a.example/feed"),
      FanClub(id: "b", name: "Bee", followed: true, feed: "https://b.example/feed"),
      FanClub(id: "c", name: "Cat", feed: "https://c.example/feed"),
      FanClub(id: "d", name: "Dog", followed: true),
      FanClub(id: "e", name: "Elk", fetched: false, feed: "https://e.example/feed"),
    ])

  private func shown(canAddFeeds: Bool = true) async -> FeedViewModel {
    let feed = FeedViewModel(store: reader.store, formatting: reader.formatting, canAddFeeds: LastValue(canAddFeeds)) { _ in }
    feed.observe { [recorder] in recorder.record($0.refresh) }
    feed.appear()
    await reader.settle()
    _ = recorder.take()
    reader.publication.forgetRequests()
    return feed
  }

  private var fetched: [String] { reader.publication.requests.filter { $0.hasPrefix("POST") } }

  private func words(_ reports: [FanClubsFetch.Report]) -> [String?] {
    reports.map(\.words).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  @Test func theFeedsBehindWhatIsShownAreFetchedAndTheNewPostsAreThere() async {
    let feed = await shown()
    reader.publication.with {
      $0.holds = ["POST /v1/fanclubs"]
      $0.imports = [Import(id: "i", state: .done)]
    }
    feed.send(.refreshTapped)
    feed.send(.refreshTapped)
    await reader.waitForSuspended(2)
    // At most two at a time.
    #expect(Set(fetched) == ["POST /v1/fanclubs/a/refresh", "POST /v1/fanclubs/b/refresh"])
    #expect(words(recorder.take()) == [nil, "Fetching 1 of 3 feeds…"])
    reader.publication.with { $0.posts.append(.sample(1, club: "a")) }
    reader.publication.release()
    await reader.settle()
    #expect(fetched.sorted() == ["a", "b", "c"].map { "POST /v1/fanclubs/\($0)/refresh" })
    #expect(words(recorder.take()) == ["Fetching 2 of 3 feeds…", "Fetching 3 of 3 feeds…", nil])
    #expect(feed.state.posts.ids == ["p1", "p2"])
    #expect(feed.state.refresh == .init())
  }

  @Test(arguments: [(FeedViewModel.Choice.followed, ["a", "b"]), (.fanClub("c"), ["c"]), (.fanClub("e"), ["e"]), (.fanClub("d"), [])])
  func onlyThoseAreFetchedThatAreShown(choice: FeedViewModel.Choice, clubs: [String]) async {
    let feed = await shown()
    reader.publication.with { $0.imports = [Import(id: "i", state: .done)] }
    feed.send(.choiceTapped(choice))
    await reader.settle()
    feed.send(.refreshTapped)
    await reader.settle()
    #expect(fetched.sorted() == clubs.map { "POST /v1/fanclubs/\($0)/refresh" })
  }

  @Test func whereReadersAddNoneOnlyThePublicationIsAsked() async {
    let feed = await shown(canAddFeeds: false)
    feed.send(.refreshTapped)
    await reader.settle()
    #expect(reader.publication.requests == ["GET /v1/posts"])
    #expect(recorder.take().allSatisfy { $0 == .init() })
  }

  @Test func whatFailedIsNamedAndTriedAgain() async {
    let feed = await shown()
    let problem = "https://b.example/feed: the server answered with status 500."
    reader.publication.with {
      $0.imports = [
        Import(id: "i", state: .done), Import(id: "j", state: .failed, title: "Bee", problem: problem), Import(id: "k", state: .done),
      ]
    }
    feed.send(.refreshTapped)
    await reader.settle()
    #expect(feed.state.refresh.words == "1 of 3 feeds could not be fetched.")
    #expect(feed.state.refresh.failures == [.init("Bee", problem)])
    reader.publication.forgetRequests()
    feed.send(.fetchAgainTapped)
    #expect(feed.state.refresh.words == "Fetching the feed…")
    await reader.settle()
    #expect(fetched.count == 1)
    #expect(feed.state.refresh == .init())
  }

  @Test func theSameReasonIsSaidOnce() {
    let failures: [FanClubsFetch.Failure] = [
      .init("Film", "https://a.example/feed: the server answered with status 500."), .init("Own", "The document is empty."),
      .init("Radio", "https://b.example/feed: the server answered with status 500."),
    ]
    #expect(
      FanClubsFetch.Failure.byReason(failures) == [
        .init("2 feeds", "The server answered with status 500.", of: ["Film", "Radio"]), failures[1],
      ])
    #expect(FanClubsFetch.Failure.byReason([failures[0]]) == [failures[0]])
  }

  @Test func whatFailedCanBePutAway() async {
    let feed = await shown()
    reader.publication.with { $0.imports = [Import(id: "j", state: .failed, title: "Bee", problem: "No.")] }
    feed.send(.refreshTapped)
    await reader.settle()
    #expect(feed.state.refresh.failures.count == 3)
    feed.send(.fetchDismissed)
    #expect(feed.state.refresh == .init())
  }

  @Test func cancellingAsksForNoMoreAndShowsWhatCame() async {
    let feed = await shown()
    reader.publication.with { $0.imports = [Import(id: "i", title: "Slow")] }
    feed.send(.refreshTapped)
    await reader.settle()
    reader.publication.with { $0.posts.append(.sample(1, club: "a")) }
    feed.send(.cancelFetchTapped)
    #expect(feed.state.refresh == .init())
    await reader.settle()
    #expect(reader.publication.requests.filter { $0.hasPrefix("DELETE") } == ["DELETE /v1/imports/i", "DELETE /v1/imports/i"])
    #expect(!fetched.contains("POST /v1/fanclubs/c/refresh"))
    #expect(feed.state.posts.ids == ["p1", "p2"])
  }

  @Test func whatCameWhileThePageWasAwayIsThereWhenItComesBack() async {
    let feed = await shown()
    reader.publication.with {
      $0.holds = ["POST /v1/fanclubs"]
      $0.imports = [Import(id: "i", state: .done)]
    }
    feed.send(.refreshTapped)
    await reader.waitForSuspended(2)
    feed.disappear()
    reader.publication.with { $0.posts.append(.sample(1, club: "a")) }
    reader.publication.release()
    await reader.settle()
    feed.appear()
    await reader.settle()
    #expect(feed.state.posts.ids == ["p1", "p2"])
  }
}
