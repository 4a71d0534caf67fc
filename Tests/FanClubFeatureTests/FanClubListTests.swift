import FanClubFeature
import PublicationAPI
import PublicationClient
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
    let page = FanClubListViewModel(store: reader.store, formatting: reader.formatting) { outputs.all.append($0) }
    let recorder = Recorder<FanClubListViewModel.State>()
    page.onChange = { recorder.record($0) }
    page.appear()
    await reader.settle()
    #expect(recorder.states.map(\.clubs.ids) == [[], ["a", "b"]])
    #expect(recorder.states.map(\.clubs.phase) == [.loading, .ready])
    #expect(page.row(for: "a")?.followers == "1,200 followers")
    #expect(page.row(for: "a")?.posts == "2 posts")
    page.clubTapped("b")
    #expect(outputs.all == [.openFanClub("b")])
  }

  @Test func followingShowsAtOnceAndIsTakenBackWhenRefused() async {
    let reader = ReaderFixture(clubs: [club("a", "Alpha")])
    let page = FanClubListViewModel(store: reader.store, formatting: reader.formatting) { _ in }
    page.appear()
    await reader.settle()
    reader.publication.with { $0.refusals["PUT"] = Problem(code: .locked, title: "Not for you.", status: 403) }
    page.followTapped("a")
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
    let page = FanClubListViewModel(store: reader.store, formatting: reader.formatting) { _ in }
    page.appear()
    await reader.settle()
    page.reachedEnd()
    await reader.settle()
    #expect(page.state.clubs.ids == ["a", "b", "c"])
    #expect(!page.state.clubs.canLoadMore)
  }
}
