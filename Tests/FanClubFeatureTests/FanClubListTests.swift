import FanClubFeature
import FeedFormats
import Foundation
import Patience
import PublicationAPI
import Runtime
import TestSupport
import Testing

@MainActor @Suite struct FanClubListTests {
  private final class Outputs { var all: [FanClubListViewModel.Output] = [] }

  private func club(_ id: String, _ name: String, followers: Int = 0, followed: Bool = false) -> FanClub {
    FanClub(id: id, name: name, about: "About \(name)", followers: followers, followed: followed, posts: 2)
  }

  @Test func clubsAreListedByNameAndLeadToTheirPages() async {
    let reader = ReaderFixture(clubs: [club("b", "Beta"), club("a", "Alpha", followers: 1200)])
    let outputs = Outputs()
    let page = FanClubListViewModel(store: reader.store, formatting: reader.formatting, documents: .onDisk) { outputs.all.append($0) }
    let recorder = Recorder<FanClubListViewModel.State>()
    page.observe { recorder.record($0) }
    page.appear()
    await reader.settle()
    #expect(recorder.states.map(\.clubs.ids) == [[], ["a", "b"]])
    #expect(recorder.states.map(\.clubs.phase) == [.loading, .ready])
    #expect(page.row(for: "a")?.followers == "1,200 followers")
    #expect(page.row(for: "a")?.posts == "2 posts")
    page.send(.clubTapped("b"))
    #expect(outputs.all == [.openFanClub("b")])
  }

  @Test func followingShowsAtOnceAndIsTakenBackWhenRefused() async {
    let reader = ReaderFixture(clubs: [club("a", "Alpha")])
    let page = FanClubListViewModel(store: reader.store, formatting: reader.formatting, documents: .onDisk) { _ in }
    page.appear()
    await reader.settle()
    reader.publication.with { $0.refusals["PUT"] = Problem(code: .locked, title: "Not for you.", status: 403) }
    page.send(.followTapped("a"))
    #expect(page.row(for: "a")?.isFollowed == true)
    #expect(page.row(for: "a")?.followers == "1 follower")
    await reader.settle()
    #expect(page.row(for: "a")?.isFollowed == false)
    #expect(page.row(for: "a")?.followers == "0 followers")
    #expect(page.state.clubs.message?.hasPrefix("Following was not changed. ") == true)
  }

  @Test func furtherClubsComeByCursor() async {
    let reader = ReaderFixture(clubs: [club("a", "A"), club("b", "B"), club("c", "C")])
    reader.publication.with { $0.pageSize = 2 }
    let page = FanClubListViewModel(store: reader.store, formatting: reader.formatting, documents: .onDisk) { _ in }
    page.appear()
    await reader.settle()
    page.send(.reachedEnd)
    await reader.settle()
    #expect(page.state.clubs.ids == ["a", "b", "c"])
    #expect(!page.state.clubs.canLoadMore)
  }

  @Test func followedOnlyShowsThoseAndARowLeavesWhenTheReaderStops() async {
    let reader = ReaderFixture(clubs: [club("a", "A", followed: true), club("b", "B"), club("c", "C", followed: true)])
    let page = FanClubListViewModel(store: reader.store, formatting: reader.formatting, documents: .onDisk) { _ in }
    page.appear()
    await reader.settle()
    page.send(.followedOnlyTapped)
    await reader.settle()
    #expect((page.state.isFollowedOnly, page.state.clubs.ids) == (true, ["a", "c"]))
    page.send(.followTapped("a"))
    await reader.settle()
    #expect(page.state.clubs.ids == ["c"])
    page.send(.followedOnlyTapped)
    await reader.settle()
    #expect((page.state.isFollowedOnly, page.state.clubs.ids) == (false, ["a", "b", "c"]))
  }

  @Test func whatIsUnreadIsCountedAnewOnceForEachClubWhenAllThatWasReadIsSent() async {
    let reader = ReaderFixture(
      posts: [.sample(1, club: "a"), .sample(2, club: "a"), .sample(3, club: "b"), .sample(4, club: "c")],
      clubs: [FanClub(id: "a", name: "A", unread: 0), FanClub(id: "b", name: "B", unread: 0), FanClub(id: "c", name: "C")])
    let page = FanClubListViewModel(store: reader.store, formatting: reader.formatting, documents: .onDisk) { _ in }
    page.appear()
    for id in ["p1", "p2", "p3", "p4"] { _ = try? await reader.store.loadPost(id) }
    await reader.settle()
    // The publication does not say it of the last one.
    #expect(["a", "b", "c"].map { page.row(for: $0)?.unread } == ["2", "1", ""])
    reader.publication.forgetRequests()
    reader.store.markRead(["p1", "p2", "p3", "p4"])
    await reader.settle()
    #expect(["a", "b", "c"].map { page.row(for: $0)?.unread } == ["", "", ""])
    #expect(reader.publication.requests.filter { $0.hasPrefix("GET") }.sorted() == ["GET /v1/fanclubs/a", "GET /v1/fanclubs/b"])
    reader.store.markRead("p3", false)
    await reader.settle()
    #expect(page.row(for: "b")?.unread == "1")
    reader.publication.forgetRequests()
    reader.store.markAllRead(until: .distantFuture)
    await reader.settle()
    #expect(["a", "b", "c"].map { page.row(for: $0)?.unread } == ["", "", ""])
    #expect(reader.publication.requests == ["PUT /v1/posts/read", "GET /v1/fanclubs/b"])
  }

  @Test func theLastThatIsSentNeedNotBeWhatWasRead() async {
    let reader = ReaderFixture(posts: [.sample(1, club: "a")], clubs: [FanClub(id: "a", name: "A", unread: 0)])
    let page = FanClubListViewModel(store: reader.store, formatting: reader.formatting, documents: .onDisk) { _ in }
    page.appear()
    _ = try? await reader.store.loadPost("p1")
    await reader.settle()
    reader.publication.with { $0.holds = ["PUT"] }
    reader.store.markRead("p1")
    reader.store.comment(on: "p1", "So it goes")
    await reader.waitForSuspended()
    reader.publication.release()
    await reader.settle()
    #expect(page.row(for: "a")?.unread == "")
  }

  @Test func feedsCanBeAddedWhereThePublicationLetsThem() async {
    let reader = ReaderFixture(clubs: [club("a", "A")])
    let outputs = Outputs()
    let permission = LastValue(false)
    let page = FanClubListViewModel(store: reader.store, formatting: reader.formatting, canAddFeeds: permission, documents: .onDisk) {
      outputs.all.append($0)
    }
    page.appear()
    await reader.settle()
    page.send(.addFeedTapped)
    #expect(outputs.all.isEmpty)
    // While the reader looks: the publication could not be asked before.
    permission.value = true
    await until { page.state.canAddFeeds }
    page.send(.addFeedTapped)
    #expect(outputs.all == [.openAddFeed])
  }

  // MARK: - Export

  /// What the page asked to be told in passing.
  private final class Told { var all: [FanClubListViewModel.Output] = [] }
  private let told = Told()

  private func exporting(_ clubs: [FanClub]) async -> (ReaderFixture, FanClubListViewModel) {
    let reader = ReaderFixture(clubs: clubs)
    // All of them, and not those that the page has come to.
    reader.publication.with { $0.pageSize = 2 }
    let page = FanClubListViewModel(store: reader.store, formatting: reader.formatting, canAddFeeds: LastValue(true), documents: .onDisk) {
      [told] in
      told.all.append($0)
    }
    page.appear()
    await reader.settle()
    return (reader, page)
  }

  private func export(_ page: FanClubListViewModel, _ reader: ReaderFixture, to path: String) async throws {
    page.send(.exportTapped)
    await reader.settle()
    try #require(page.state.isChoosingExportFile)
    page.send(.exportChosen(path))
    #expect(!page.state.isChoosingExportFile)
    await reader.settle()
  }

  private func path() -> String { NSTemporaryDirectory() + "export-\(UUID().uuidString).opml" }

  @Test func theFeedsOfFollowedClubsAreWrittenForOtherPrograms() async throws {
    let feed = { (id: String, followed: Bool) in
      FanClub(
        id: id, name: "Club & \(id)", about: "About it", url: "https://\(id).example/", followed: followed,
        feed: "https://\(id).example/feed?a&b")
    }
    let (reader, page) = await exporting([
      feed("a", true), feed("b", false), club("c", "C", followed: true), feed("d", true), feed("e", false),
    ])
    let path = path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data("before".utf8).write(to: URL(fileURLWithPath: path))
    reader.publication.with { $0.isOffline = true }
    page.send(.exportChosen(path))
    page.send(.exportTapped)
    await reader.settle()
    #expect(!page.state.isChoosingExportFile)
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: path)) == Data("before".utf8), "no file is written that nobody looked the feeds up for")
    #expect(
      page.state.clubs.message == "The feeds were not exported. The publication cannot be reached. Check your connection and try again.")
    page.send(.messageDismissed)
    #expect(page.state.clubs.message == nil)
    page.send(.exportTapped)
    await reader.settle()
    #expect(page.state.clubs.message?.hasPrefix("The feeds were not exported.") == true)
    reader.publication.with { $0.isOffline = false }
    page.send(.exportTapped)
    page.send(.exportTapped)
    await reader.settle()
    #expect(page.state.isChoosingExportFile)
    #expect(page.state.clubs.message == nil, "what went wrong before is settled")
    page.send(.exportCancelled)
    #expect(!page.state.isChoosingExportFile)
    try await export(page, reader, to: path)
    let file = URL(fileURLWithPath: path).lastPathComponent
    #expect(told.all == [.exported("2 feeds were written to “\(file)”. 1 fan club that you follow has none.")])
    #expect(page.state.clubs.message == nil, "what went well leaves by itself")
    guard case .outline(let list) = try FeedParser.document(Data(contentsOf: URL(fileURLWithPath: path)), source: "test") else {
      throw NoList()
    }
    #expect(
      list.outlines
        == ["a", "d"].map {
          .init(title: "Club & \($0)", about: "About it", feedURL: "https://\($0).example/feed?a&b", homeURL: "https://\($0).example/")
        })
  }
  private struct NoList: Error {}

  @Test func aFollowThatWaitsToBeSentCounts() async throws {
    let (reader, page) = await exporting([FanClub(id: "a", name: "A", feed: "https://a.example/feed")])
    let path = path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    reader.publication.with { $0.refusals["PUT"] = Problem(code: "busy", title: "Later.", status: 503) }
    page.send(.followTapped("a"))
    await reader.settle()
    #expect(reader.publication.with { $0.clubs[0].followed } == false)
    try await export(page, reader, to: path)
    #expect(told.all == [.exported("1 feed was written to “\(URL(fileURLWithPath: path).lastPathComponent)”.")])
  }

  @Test func aFileThatCannotBeWrittenIsNamedAndNoFileIsAskedForWhereThereIsNothing() async throws {
    let (reader, page) = await exporting([FanClub(id: "a", name: "A", followed: true, feed: "https://a.example/feed")])
    try await export(page, reader, to: "/nowhere/feeds.opml")
    #expect(page.state.clubs.message == "“feeds.opml” cannot be written: No such file or directory.")
    try await export(page, reader, to: "/")
    #expect(page.state.clubs.message == "“/” cannot be written: Is a directory.")
    reader.publication.with { $0.clubs[0].followed = false }
    page.send(.exportTapped)
    await reader.settle()
    // Said in passing: it may not be so for long.
    #expect(page.state.clubs.message == nil)
    #expect(told.all == [.exported("There is nothing to export: no fan club that you follow has a feed.")])
    #expect(!page.state.isChoosingExportFile, "before it is said that there is nothing")
  }

  @Test func aFeedThatWasAddedIsThereWhenThePageIsBack() async {
    let reader = ReaderFixture(clubs: [club("a", "A")])
    let page = FanClubListViewModel(store: reader.store, formatting: reader.formatting, documents: .onDisk) { _ in }
    page.appear()
    await reader.settle()
    page.disappear()
    reader.publication.with { $0.clubs.append(FanClub(id: "b", name: "B", fetched: false)) }
    reader.store.listsAreStale()
    page.appear()
    await reader.settle()
    #expect(page.state.clubs.ids == ["a", "b"])
    #expect(["a", "b"].map { page.row(for: $0)?.posts } == ["2 posts", "Not fetched yet"])
  }
}
