import FanClubFeature
import FeatureKit
import PublicationAPI
import ReaderContent
import TestSupport
import Testing

/// Clubs that came from a list of feeds, and the switch for notifications.
@MainActor @Suite struct FanClubFetchTests {
  private let recorder = Recorder<FanClubFetch.State>()

  private func page(_ reader: ReaderFixture, _ notifications: NotificationPreferences? = nil) -> FanClubViewModel {
    let page = FanClubViewModel("c1", store: reader.store, formatting: reader.formatting, notifications: notifications) { _ in }
    page.observe { [recorder] in recorder.record($0.fetch) }
    page.appear()
    return page
  }

  private func look(_ reader: ReaderFixture) async {
    await reader.clock.waitForSleepers()
    reader.clock.advance(by: .milliseconds(500))
    await reader.settle()
  }

  @Test func itsPostsAreFetchedWhenTheReaderAsks() async {
    let reader = ReaderFixture(posts: [.sample(1)], clubs: [FanClub(id: "c1", name: "Club", fetched: false)])
    let page = page(reader)
    await reader.settle()
    #expect(page.state.fetch == .offered(nil))
    reader.publication.with { $0.imports = [Import(id: "i"), Import(id: "i", state: .done, clubs: ["c1"])] }
    page.send(.fetchTapped)
    page.send(.fetchTapped)
    await reader.settle()
    reader.publication.with { $0.clubs[0].fetched = true }
    await look(reader)
    #expect(recorder.states == [.notNeeded, .offered(nil), .running, .notNeeded])
    #expect(page.state.posts.ids == ["p1"])
    #expect(reader.publication.requests.filter { $0.hasPrefix("POST") } == ["POST /v1/fanclubs/c1/refresh"])
  }

  @Test func whatWentWrongIsSaidAndItCanBeTriedAgain() async {
    let reader = ReaderFixture(clubs: [FanClub(id: "c1", name: "Club", fetched: false)])
    let page = page(reader)
    await reader.settle()
    reader.publication.with { $0.imports = [Import(id: "i", state: .failed, problem: "https://c.example/feed is no feed.")] }
    page.send(.fetchTapped)
    await reader.settle()
    #expect(page.state.fetch == .offered("https://c.example/feed is no feed."))
    reader.publication.with { $0.isOffline = true }
    page.send(.fetchTapped)
    #expect(page.state.fetch == .running)
    await reader.settle()
    #expect(page.state.fetch == .offered("The publication cannot be reached. Check your connection and try again."))
  }

  @Test func refreshingFetchesTheFeedAndSaysWhatWentWrong() async {
    let reader = ReaderFixture(posts: [.sample(2)], clubs: [FanClub(id: "c1", name: "Club", feed: "https://c.example/feed")])
    let page = page(reader)
    await reader.settle()
    reader.publication.with { $0.imports = [Import(id: "i"), Import(id: "i", state: .failed, title: "Club", problem: "It is broken.")] }
    page.send(.refreshTapped)
    page.send(.refreshTapped)
    await reader.settle()
    #expect((page.state.refresh.words, page.state.refresh.isUnderWay) == ("Fetching the feed…", true))
    #expect(page.state.posts.ids == ["p2"])
    await look(reader)
    #expect(page.state.refresh.words == "The feed could not be fetched.")
    #expect(page.state.refresh.failures == [.init("Club", "It is broken.")])
    reader.publication.with {
      $0.imports = [Import(id: "j", state: .done)]
      $0.posts.append(.sample(1))
    }
    page.send(.fetchAgainTapped)
    await reader.settle()
    #expect((page.state.refresh, page.state.posts.ids) == (.init(), ["p1", "p2"]))
    #expect(reader.publication.requests.filter { $0.hasPrefix("POST") }.count == 2)
  }

  @Test func refreshingFetchesPostsThatWereNeverFetchedAndNoFeedWhereThereIsNone() async {
    let club = FanClub(id: "c1", name: "Club", fetched: false, feed: "https://c.example/feed")
    let reader = ReaderFixture(posts: [.sample(1)], clubs: [club])
    let page = page(reader)
    await reader.settle()
    reader.publication.with {
      $0.imports = [Import(id: "i", state: .done)]
      $0.clubs[0].fetched = true
    }
    page.send(.refreshTapped)
    #expect(page.state.fetch == .running)
    await reader.settle()
    #expect((page.state.fetch, page.state.posts.ids) == (.notNeeded, ["p1"]))
    reader.publication.with { $0.clubs[0].feed = nil }
    page.send(.refreshTapped)
    await reader.settle()
    reader.publication.forgetRequests()
    page.send(.refreshTapped)
    await reader.settle()
    #expect(!reader.publication.requests.contains { $0.hasPrefix("POST") })
  }

  @Test func notificationsAreAChoiceOfWhoFollows() async {
    let reader = ReaderFixture(clubs: [FanClub(id: "c1", name: "Club")])
    let preferences = NotificationPreferences()
    let page = page(reader, preferences)
    await reader.settle()
    #expect(page.state.notifies == nil)
    page.send(.notifyTapped)
    #expect(preferences.settings.value.muted.isEmpty)
    page.send(.followTapped)
    await reader.settle()
    #expect(page.state.notifies == true)
    page.send(.notifyTapped)
    #expect((page.state.notifies, preferences.settings.value.muted) == (false, ["c1"]))
    await reader.settle()
    // Another page may change it too.
    preferences.set(true, for: "c1")
    await reader.settle()
    #expect(page.state.notifies == true)
  }

  @Test func whereNobodyCanBeToldThereIsNoChoice() async {
    let reader = ReaderFixture(clubs: [FanClub(id: "c1", name: "Club", followed: true)])
    let page = page(reader)
    await reader.settle()
    #expect(page.state.notifies == nil)
  }
}
