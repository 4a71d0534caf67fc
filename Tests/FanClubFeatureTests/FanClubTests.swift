import FanClubFeature
import PublicationAPI
import TestSupport
import Testing

@testable import FeatureKit
@testable import ReaderContent

private let club = FanClub(id: "c1", name: "Club", about: "About", picture: "/v1/pictures/c1.png", followers: 7, posts: 2)
private let offline = "It comes as soon as the publication can be reached."

@MainActor @Suite struct FanClubTests {
  private final class Outputs { var all: [FanClubViewModel.Output] = [] }
  private let outputs = Outputs()
  private let recorder = Recorder<FanClubViewModel.State>()

  private func page(_ id: FanClub.ID, of reader: ReaderFixture) -> FanClubViewModel {
    let page = FanClubViewModel(id, store: reader.store, formatting: reader.formatting) { [outputs] in outputs.all.append($0) }
    page.observe { [recorder] in recorder.record($0) }
    return page
  }

  @Test func showsTheClubAndItsPostsOnly() async {
    let reader = ReaderFixture(posts: [.sample(1), .sample(2, club: "c2"), .sample(3)], clubs: [club])
    let page = page("c1", of: reader)
    page.appear()
    await reader.settle()
    #expect(recorder.states.first == FanClubViewModel.State())
    #expect(page.state.phase == .ready)
    #expect(page.state.club == FanClubRow(club, formatting: reader.formatting))
    #expect(page.state.posts.ids == ["p1", "p3"])
    #expect(Set(reader.publication.requests) == ["GET /v1/fanclubs/c1", "GET /v1/posts?fanclub=c1"])
  }

  @Test func ofALongDescriptionThereIsTheBeginningUntilTheReaderWantsMore() async {
    var wordy = club
    wordy.about = String(repeating: "word ", count: 1000) + "end"
    let reader = ReaderFixture(clubs: [wordy])
    let page = page("c1", of: reader)
    page.appear()
    await reader.settle()
    #expect(page.state.isAboutWhole == false)
    #expect(page.state.about == String(repeating: "word ", count: 31) + "word…")
    page.send(.aboutTapped)
    #expect((page.state.about, page.state.isAboutWhole) == (wordy.about, true))
    page.send(.aboutTapped)
    #expect(page.state.isAboutWhole == false)
    // A few characters are not worth a button, and a word without end is cut.
    for (about, shown, isWhole) in [
      (String(repeating: "x", count: 200), String(repeating: "x", count: 200), Bool?.none),
      (String(repeating: "x", count: 201), String(repeating: "x", count: 160) + "…", false), ("", "", nil),
      (String(repeating: "word, ", count: 40), String(repeating: "word, ", count: 25) + "word…", false),
    ] {
      reader.publication.with { $0.clubs[0].about = about }
      page.send(.refreshTapped)
      await reader.settle()
      #expect((page.state.about, page.state.isAboutWhole) == (shown, isWhole))
    }
  }

  @Test func whyItsFeedCouldNotBeReadIsSaid() async {
    var failing = club
    failing.problem = "https://example.org/feed: the server answered with status 500."
    let reader = ReaderFixture(clubs: [failing])
    let page = page("c1", of: reader)
    page.appear()
    await reader.settle()
    #expect(
      page.state.club?.problem
        == "New posts could not be fetched the last time. https://example.org/feed: the server answered with status 500.")
    reader.publication.with { $0.clubs = [club] }
    page.send(.refreshTapped)
    await reader.settle()
    #expect(page.state.club != nil && page.state.club?.problem == nil)
  }

  @Test func aClubThatAListHasShownIsThereAtOnce() async {
    let reader = ReaderFixture(clubs: [club])
    reader.store.clubCache.store([club])
    reader.publication.with { $0.holds = ["GET"] }
    let page = page("c1", of: reader)
    page.appear()
    await reader.waitForSuspended(2)
    #expect(page.state.phase == .ready)
    #expect(page.state.club?.name == "Club")
    #expect(page.state.posts.phase == .loading)
    reader.publication.release()
    await reader.settle()
    #expect(page.state.posts.phase == .empty)
  }

  @Test func followingShowsAtOnceAndIsTakenBackWhenRefused() async {
    let reader = ReaderFixture(clubs: [club])
    let page = page("c1", of: reader)
    page.appear()
    await reader.settle()
    _ = recorder.take()
    page.send(.followTapped)
    await reader.settle()
    reader.publication.with { $0.refusals["DELETE"] = Problem(code: .locked, title: "Not for you.", status: 403) }
    page.send(.followTapped)
    await reader.settle()
    let (states, last) = (recorder.states.dropLast(), recorder.states.last)
    #expect(states.map(\.club?.isFollowed) == [true, false, true])
    #expect(states.map(\.club?.followers) == ["8 followers", "7 followers", "8 followers"])
    #expect(last?.club == states.last?.club && states.last?.posts.message == nil, "and then it is said")
    #expect(page.state.posts.message == "Following was not changed. Not for you.")
  }

  @Test func aClubThatDoesNotExistIsGone() async {
    let reader = ReaderFixture()
    let page = page("nobody", of: reader)
    page.appear()
    await reader.settle()
    #expect(page.state.phase == .gone("This fan club is no longer here."))
  }

  @Test func clubAndPostsComeByThemselves() async {
    let reader = ReaderFixture(posts: [.sample(1)], clubs: [club])
    reader.publication.with { $0.isOffline = true }
    let page = page("c1", of: reader)
    page.appear()
    await reader.settle()
    _ = recorder.take()
    reader.store.networkIsBack()
    await reader.settle()
    #expect(recorder.take().isEmpty, "in vain, and without a word")
    reader.publication.with { $0.isOffline = false }
    reader.store.networkIsBack()
    await reader.settle()
    #expect(page.state.phase == .ready)
    #expect(page.state.posts.ids == ["p1"])
  }

  @Test func offlineAndTryingAgain() async {
    let reader = ReaderFixture(posts: [.sample(1)], clubs: [club])
    reader.publication.with { $0.isOffline = true }
    let page = page("c1", of: reader)
    page.appear()
    await reader.settle()
    #expect(page.state.phase == .offline(offline))
    #expect(page.state.posts.phase == .offline(offline))
    reader.publication.with { $0.isOffline = false }
    page.send(.retryTapped)
    await reader.settle()
    #expect(page.state.phase == .ready)
    #expect(page.state.posts.ids == ["p1"])
  }

  @Test func offScreenNothingHappens() async {
    let reader = ReaderFixture(posts: [.sample(1)], clubs: [club])
    let page = page("c1", of: reader)
    page.appear()
    await reader.settle()
    page.disappear()
    _ = recorder.take()
    reader.store.toggleFollow("c1")
    reader.store.toggleReaction("p1")
    await reader.settle()
    #expect(recorder.states.isEmpty)
    reader.publication.forgetRequests()
    page.appear()
    await reader.settle()
    #expect(page.state.club?.isFollowed == true)
    #expect(reader.publication.requests.isEmpty)
  }

  @Test func aRowsClubIsThisPageAndAPostOpens() async {
    let reader = ReaderFixture(posts: [.sample(1)], clubs: [club])
    let page = page("c1", of: reader)
    page.appear()
    await reader.settle()
    page.send(.clubTapped("p1"))
    page.send(.postTapped("p1"))
    #expect(outputs.all == [.openPost("p1")])
  }

  // MARK: Removing it

  private var mine: FanClub {
    var mine = club
    mine.canRemove = true
    return mine
  }

  /// A page of a club that the reader added, and what it showed from then on.
  private func pageOfMine() async -> (ReaderFixture, FanClubViewModel) {
    let reader = ReaderFixture(posts: [.sample(1)], clubs: [mine])
    let page = page("c1", of: reader)
    page.appear()
    await reader.settle()
    _ = recorder.take()
    return (reader, page)
  }

  @Test func aFeedThatTheReaderAddedIsRemovedAndItsPageLeft() async {
    let (reader, page) = await pageOfMine()
    let ready = page.state
    #expect(ready.canRemove)
    page.send(.removeTapped)
    page.send(.removeTapped)
    var removing = ready
    removing.isRemoving = true
    #expect(recorder.states == [removing])
    await reader.settle()
    #expect(outputs.all == [.fanClubRemoved("Club")])
    #expect(reader.publication.requests.filter { $0.hasPrefix("DELETE") } == ["DELETE /v1/fanclubs/c1"])
    // Whoever comes back to it by another way finds nothing.
    #expect((page.state.phase, page.state.club, page.state.canRemove) == (.gone("This fan club is no longer here."), nil, false))
    #expect(page.state.posts.ids.isEmpty)
    reader.store.clubCache.store([mine])
    await reader.settle()
    #expect(page.state.phase == .ready)
  }

  @Test func aRefusedRemovalChangesNothingAndIsExplained() async {
    let (reader, page) = await pageOfMine()
    let ready = page.state
    reader.publication.with { $0.refusals["DELETE"] = Problem(code: .inUse, title: "Others follow it.", status: 409) }
    page.send(.removeTapped)
    await reader.settle()
    var (removing, told) = (ready, ready)
    removing.isRemoving = true
    told.posts.message = "“Club” was not removed. Others follow it."
    var both = told
    both.isRemoving = true
    #expect(recorder.take() == [removing, both, told])
    page.send(.messageDismissed)
    reader.publication.with { $0.isOffline = true }
    page.send(.removeTapped)
    await reader.settle()
    #expect(page.state.posts.message == "“Club” was not removed. The publication cannot be reached. Check your connection and try again.")
    #expect((page.state.phase, page.state.isRemoving, outputs.all) == (.ready, false, []))
  }

  @Test func itsPagesAreClosedAlsoForWhoeverWentElsewhereMeanwhile() async {
    let (reader, page) = await pageOfMine()
    reader.publication.with { $0.holds = ["DELETE"] }
    page.send(.removeTapped)
    await reader.waitForSuspended()
    page.disappear()
    reader.publication.release()
    await reader.settle()
    #expect(outputs.all == [.fanClubRemoved("Club")])
    page.appear()
    await reader.settle()
    #expect(page.state.phase == .gone("This fan club is no longer here."))
  }

  @Test func othersFeedsAreNotOffered() async {
    let reader = ReaderFixture(clubs: [club])
    let page = page("c1", of: reader)
    page.appear()
    await reader.settle()
    page.send(.removeTapped)
    #expect((page.state.canRemove, page.state.isRemoving) == (false, false))
    #expect(reader.publication.requests.allSatisfy { $0.hasPrefix("GET") })
  }

  @Test func aClosedPageIsReleased() async {
    let reader = ReaderFixture(clubs: [club])
    weak var closed: FanClubViewModel?
    do {
      let page = page("c1", of: reader)
      closed = page
      page.appear()
      await reader.settle()
    }
    #expect(closed == nil)
  }
}
