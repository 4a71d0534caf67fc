import FeedFeature
import PublicationAPI
import TestSupport
import Testing

@MainActor @Suite struct FeedChoiceTests {
  private let recorder = Recorder<FeedViewModel.State>()

  private func shown(_ reader: ReaderFixture) async -> FeedViewModel {
    let feed = FeedViewModel(store: reader.store, formatting: reader.formatting) { _ in }
    feed.observe { [recorder] in recorder.record($0) }
    feed.appear()
    await reader.settle()
    _ = recorder.take()
    return feed
  }

  private let clubs = [
    FanClub(id: "c1", name: "Beta", followed: true), FanClub(id: "c2", name: "Alpha", followed: true), FanClub(id: "c3", name: "Gamma"),
  ]

  @Test func theFollowedClubsAreAChoice() async {
    let reader = ReaderFixture(posts: [.sample(1)], clubs: clubs)
    let feed = await shown(reader)
    #expect(
      feed.state.options == [
        .init(.all, "All posts"), .init(.followed, "Fan clubs you follow"), .init(.fanClub("c2"), "Alpha"), .init(.fanClub("c1"), "Beta"),
      ])
  }

  @Test func clubsOfOneNameAreToldApartByTheirAddresses() async {
    let clubs = [
      FanClub(id: "c1", name: "News", url: "https://www.example.org/", followed: true),
      FanClub(id: "c2", name: "News", url: "https://example.net", followed: true, feed: "http://example.net/feed.xml"),
      FanClub(id: "c3", name: "News", followed: true), FanClub(id: "c4", name: "Views", url: "https://example.com/", followed: true),
    ]
    let feed = await shown(ReaderFixture(posts: [.sample(1)], clubs: clubs))
    #expect(Set(feed.state.options.dropFirst(2).map(\.name)) == ["News (example.org)", "News (example.net/feed.xml)", "News", "Views"])
  }

  @Test func allOfThemHoweverManyPagesTheyFill() async {
    let reader = ReaderFixture(clubs: (10...30).map { FanClub(id: "c\($0)", name: "Club \($0)", followed: true) })
    reader.publication.with { $0.pageSize = 2 }
    let feed = await shown(reader)
    #expect(feed.state.options.count == 2 + 21)
  }

  @Test func whoFollowsNobodyHasNoChoice() async {
    let feed = await shown(ReaderFixture(posts: [.sample(1)], clubs: [FanClub(id: "c", name: "C")]))
    #expect(feed.state.options == [.init(.all, "All posts")])
  }

  @Test func choosingAClubShowsItsPostsFromTheTop() async {
    let reader = ReaderFixture(posts: [.sample(1, club: "c1"), .sample(2, club: "c2"), .sample(3, club: "c3")], clubs: clubs)
    let feed = await shown(reader)
    feed.send(.choiceTapped(.fanClub("c2")))
    #expect(feed.state.posts.ids.isEmpty)
    await reader.settle()
    feed.send(.choiceTapped(.followed))
    await reader.settle()
    feed.send(.choiceTapped(.followed))
    feed.send(.choiceTapped(.all))
    await reader.settle()
    let states = recorder.take().filter { $0.posts.phase == .ready && !$0.posts.isRefreshing }
    #expect(states.map(\.choice) == [.fanClub("c2"), .followed, .all])
    #expect(states.map(\.posts.ids) == [["p2"], ["p1", "p2"], ["p1", "p2", "p3"]])
    #expect(states.map(\.isJumping) == [true, true, true])
    #expect(reader.publication.requests.contains("GET /v1/posts?followed=true"))
  }

  @Test func thePageIsAtItsTopUntilWhatWasChosenHasCome() async {
    let reader = ReaderFixture(posts: [.sample(1, club: "c1"), .sample(2, club: "c2")], clubs: clubs)
    let feed = await shown(reader)
    #expect(!feed.state.isJumping)
    _ = recorder.take()
    feed.send(.choiceTapped(.fanClub("c2")))
    await reader.settle()
    let jumps = recorder.take().map(\.isJumping)
    #expect(jumps.count > 1 && !jumps.contains(false), "\(jumps)")
    #expect(feed.state.posts.ids == ["p2"])
    // The reader may scroll from here on.
    feed.send(.posts(.refreshTapped))
    #expect(!feed.state.isJumping)
  }

  @Test func aClubStaysChosenWhenTheReaderFollowsItNoMore() async {
    let reader = ReaderFixture(posts: [.sample(1)], clubs: clubs)
    let feed = await shown(reader)
    feed.send(.choiceTapped(.fanClub("c1")))
    reader.store.toggleFollow("c1")
    await reader.settle()
    #expect(feed.state.choice == .fanClub("c1"))
    #expect(feed.state.options.last == .init(.fanClub("c1"), "Beta"))
  }

  @Test func aSwitchedListIsFollowedAndTheOldOneIsNot() async {
    let reader = ReaderFixture(posts: [.sample(1, club: "c1"), .sample(2, club: "c2")], clubs: clubs)
    let feed = await shown(reader)
    var drawn: [Set<Post.ID>] = []
    feed.onRowsChanged = { drawn.append($0) }
    _ = feed.row(for: "p1")
    feed.send(.choiceTapped(.fanClub("c2")))
    await reader.settle()
    _ = feed.row(for: "p2")
    reader.store.toggleBookmark("p1")
    reader.store.toggleBookmark("p2")
    await reader.settle()
    #expect(!drawn.isEmpty)
    #expect(drawn.allSatisfy { $0 == ["p2"] })
  }

  // MARK: - A club from a list of feeds

  @Test func itsPostsAreFetchedWhenTheReaderAsks() async {
    let reader = ReaderFixture(clubs: [FanClub(id: "c1", name: "Listed", followed: true, fetched: false)])
    let feed = await shown(reader)
    #expect(feed.state.fetch == .notNeeded, "of all posts nobody can say that they were never fetched")
    feed.send(.choiceTapped(.fanClub("c1")))
    await reader.settle()
    #expect(feed.state.fetch == .offered(nil))
    reader.publication.with { $0.imports = [Import(id: "i"), Import(id: "i", state: .done, clubs: ["c1"])] }
    feed.send(.fetchTapped)
    feed.send(.fetchTapped)
    #expect(feed.state.fetch == .running)
    await reader.settle()
    reader.publication.with {
      $0.clubs[0].fetched = true
      $0.posts = [.sample(1, club: "c1")]
    }
    await reader.clock.waitForSleepers()
    reader.clock.advance(by: .milliseconds(500))
    await reader.settle()
    #expect(feed.state.fetch == .notNeeded)
    #expect(feed.state.posts.ids == ["p1"])
    #expect(reader.publication.requests.filter { $0.hasPrefix("POST") } == ["POST /v1/fanclubs/c1/refresh"])
  }

  @Test func whyItCouldNotBeFetchedIsSaidOfThatClubOnly() async {
    let reader = ReaderFixture(clubs: clubs.map { FanClub(id: $0.id, name: $0.name, followed: true, fetched: false) })
    let feed = await shown(reader)
    feed.send(.choiceTapped(.fanClub("c1")))
    await reader.settle()
    reader.publication.with { $0.imports = [Import(id: "i", state: .failed, problem: "https://c.example/feed is no feed.")] }
    feed.send(.fetchTapped)
    await reader.settle()
    #expect(feed.state.fetch == .offered("https://c.example/feed is no feed."))
    feed.send(.unreadOnlyTapped)
    await reader.settle()
    #expect(feed.state.fetch == .offered("https://c.example/feed is no feed."))
    feed.send(.choiceTapped(.fanClub("c2")))
    await reader.settle()
    #expect(feed.state.fetch == .offered(nil))
    feed.send(.choiceTapped(.followed))
    await reader.settle()
    #expect(feed.state.fetch == .notNeeded)
  }

  // MARK: - Unread

  @Test func unreadOnlyKeepsARowUntilTheListIsLoadedAnew() async {
    let reader = ReaderFixture(posts: [.sample(1), .sample(2), .sample(3)])
    reader.publication.with { $0.posts[1].read = true }
    let feed = await shown(reader)
    #expect(feed.state.posts.ids == ["p1", "p2", "p3"])
    #expect(["p1", "p2"].map { feed.row(for: $0)?.isRead } == [false, true])
    feed.send(.unreadOnlyTapped)
    await reader.settle()
    #expect((feed.state.isUnreadOnly, feed.state.posts.ids) == (true, ["p1", "p3"]))
    feed.send(.readTapped("p1"))
    await reader.settle()
    #expect(feed.row(for: "p1")?.isRead == true)
    #expect(feed.state.posts.ids == ["p1", "p3"])
    feed.send(.refreshTapped)
    await reader.settle()
    #expect(feed.state.posts.ids == ["p3"])
    feed.send(.unreadOnlyTapped)
    await reader.settle()
    #expect((feed.state.isUnreadOnly, feed.state.posts.ids) == (false, ["p1", "p2", "p3"]))
  }

  @Test func rowsCanBeMarkedOneByOneDownToOneAndAllTogether() async {
    let reader = ReaderFixture(posts: (1...4).map { .sample($0) })
    let feed = await shown(reader)
    func read() -> [Bool] { feed.state.posts.ids.map { feed.row(for: $0)?.isRead ?? false } }
    feed.send(.readTapped("p4"))
    #expect(read() == [false, false, false, true])
    feed.send(.readTapped("p4"))
    #expect(read() == [false, false, false, false])
    feed.send(.readToHereTapped("p2"))
    #expect(read() == [true, true, false, false])
    feed.send(.allReadTapped)
    #expect(read() == [true, true, true, true])
    await reader.settle()
    #expect(reader.publication.with { $0.posts.allSatisfy(\.read) })
    // What is read already is not sent again.
    reader.publication.forgetRequests()
    feed.send(.allReadTapped)
    feed.send(.readToHereTapped("gone"))
    await reader.settle()
    #expect(reader.publication.requests.isEmpty)
  }

  @Test func allIsOneRequestAndMeansWhatIsNotLoadedToo() async {
    let reader = ReaderFixture(posts: (1...50).map { .sample($0) })
    let feed = await shown(reader)
    #expect(feed.state.posts.ids.count == 20)
    feed.send(.readTapped("p3"))
    reader.publication.with { $0.posts.append(.sample(0)) }
    reader.publication.forgetRequests()
    feed.send(.allReadTapped)
    feed.send(.readTapped("p7"))
    #expect(feed.state.posts.ids.filter { feed.row(for: $0)?.isRead == false } == ["p7"])
    await reader.settle()
    #expect(reader.publication.requests.suffix(2) == ["PUT /v1/posts/read", "DELETE /v1/posts/p7/read"])
    // Nor what came since, which nobody has seen.
    #expect(reader.publication.with { $0.posts.filter { !$0.read }.map(\.id) } == ["p7", "p0"])
    feed.send(.reachedEnd)
    await reader.settle()
    #expect(feed.row(for: "p40")?.isRead == true)
  }

  @Test func allOfAChoiceIsOfItsClubs() async {
    var posts = (1...4).map { Post.sample($0) }
    for index in posts.indices { posts[index].fanClubID = index < 2 ? "a" : "b" }
    let reader = ReaderFixture(posts: posts, clubs: [FanClub(id: "a", name: "A", followed: true), FanClub(id: "b", name: "B")])
    let feed = await shown(reader)
    feed.send(.choiceTapped(.followed))
    await reader.settle()
    #expect(feed.state.posts.ids == ["p1", "p2"])
    feed.send(.allReadTapped)
    await reader.settle()
    #expect(reader.publication.with { $0.posts.map(\.read) } == [true, true, false, false])
  }

  @Test func whatIsRefusedIsTakenBack() async {
    let reader = ReaderFixture(posts: (1...3).map { .sample($0) })
    let feed = await shown(reader)
    reader.publication.with { $0.refusals["PUT /v1/posts/read"] = Problem(code: .locked, title: "Not for you.", status: 403) }
    feed.send(.allReadTapped)
    #expect(feed.row(for: "p2")?.isRead == true)
    await reader.settle()
    #expect(feed.row(for: "p2")?.isRead == false)
    #expect(feed.state.posts.message?.hasPrefix("Not everything was marked as read. ") == true)
  }
}
