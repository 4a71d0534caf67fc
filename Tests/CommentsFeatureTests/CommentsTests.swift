import CommentsFeature
import Foundation
import PublicationAPI
import TestSupport
import Testing

// Testing has one too.
private typealias Comment = PublicationAPI.Comment

@MainActor @Suite struct CommentDraftTests {
  private func page(_ reader: ReaderFixture) -> CommentsViewModel {
    CommentsViewModel("p1", store: reader.store, formatting: reader.formatting) { _ in }
  }

  @Test func onlyATextOfTheRightLengthCanBeSent() {
    let page = page(ReaderFixture())
    #expect(!page.state.canSend)
    page.send(.draftChanged(" \n "))
    #expect((page.state.canSend, page.state.surplus) == (false, nil))
    page.send(.draftChanged(String(repeating: "x", count: Comment.longest) + "  "))
    #expect((page.state.canSend, page.state.surplus) == (true, nil))
    page.send(.draftChanged(String(repeating: "x", count: Comment.longest + 12)))
    #expect((page.state.canSend, page.state.surplus) == (false, "12 characters too many"))
    page.send(.draftChanged(String(repeating: "x", count: Comment.longest + 1)))
    #expect(page.state.surplus == "1 character too many")
    page.send(.draftChanged("xx" + String(repeating: "\u{301}", count: 8191)))
    #expect((page.state.canSend, page.state.surplus) == (true, nil))
    page.send(.draftChanged("x" + String(repeating: "\u{301}", count: 8192)))
    #expect((page.state.canSend, page.state.surplus) == (false, "too many accents or emoji"))
  }

  @Test func aDraftIsKeptForItsPostWhileTheAppRuns() {
    let reader = ReaderFixture()
    page(reader).send(.draftChanged("Half a thought"))
    #expect((page(reader).state.draft, page(reader).state.canSend) == ("Half a thought", true))
    let other = CommentsViewModel("p2", store: reader.store, formatting: reader.formatting) { _ in }
    #expect(other.state.draft.isEmpty)
  }
}

@MainActor @Suite struct CommentsTests {
  private final class Outputs { var all: [CommentsViewModel.Output] = [] }
  private let outputs = Outputs()
  private let recorder = Recorder<CommentsViewModel.State>()

  private func page(_ reader: ReaderFixture) -> CommentsViewModel {
    let page = CommentsViewModel("p1", store: reader.store, formatting: reader.formatting) { [outputs] in outputs.all.append($0) }
    page.observe { [recorder] in recorder.record($0) }
    return page
  }

  private func comment(_ number: Int, mine: Bool = false, on post: Post.ID = "p1") -> Comment {
    Comment(
      id: UUID(uuidString: "00000000-0000-0000-0000-00000000FF0\(number)")?.uuidString ?? "", postID: post,
      author: mine ? "Reader" : "Author \(number)", isMine: mine, text: "Text \(number)",
      posted: Date(timeIntervalSince1970: 1_699_990_000 + Double(number)))
  }

  /// Each answer has pages ask again for what the publication could not be reached for, and "there is no such post" is an answer.
  @Test func aPostThatIsGoneIsAskedForOnce() async {
    let reader = ReaderFixture(posts: [])
    let page = page(reader)
    page.appear()
    for _ in 0..<5_000 { await Task.yield() }
    let requests = reader.publication.requests.filter { $0.hasSuffix("/posts/p1") }
    #expect(requests.count == 1, "\(requests.count)")
    #expect(
      page.state.statusPage
        == .message(.failed, heading: "Not here", sentence: "The post that this is about is not here, or no longer."))
    #expect(!page.state.canWrite)
    page.disappear()
    await reader.settle()
  }

  @Test func howLongAgoItWasIsSaidAnewEachMinuteOnScreen() async {
    let reader = reader([comment(1)])
    let page = page(reader)
    var drawn: [Set<Comment.ID>] = []
    page.onRowsChanged = { drawn.append($0) }
    page.appear()
    await reader.settle()
    let id = comment(1).id
    #expect(page.row(for: id)?.date == "2 hours ago")
    drawn = []
    reader.clock.advance(by: .seconds(3600))
    reader.store.timePassed()
    #expect(drawn == [[id]])
    #expect(page.row(for: id)?.date == "3 hours ago")
    page.disappear()
    reader.store.timePassed()
    #expect(drawn.count == 1, "not off screen")
  }

  private func reader(_ comments: [Comment] = []) -> ReaderFixture {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.publication.with { $0.comments = comments }
    return reader
  }

  private func texts(_ page: CommentsViewModel) -> [String] { page.state.comments.ids.compactMap { page.row(for: $0)?.text } }

  // MARK: - Reading

  @Test func commentsAndTheirPostComeByThemselves() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.publication.with {
      $0.comments = [.sample(1)]
      $0.isOffline = true
    }
    let page = CommentsViewModel("p1", store: reader.store, formatting: reader.formatting) { _ in }
    page.appear()
    await reader.settle()
    guard case .offline = page.state.comments.phase else { return #expect(Bool(false), "\(page.state.comments.phase)") }
    reader.publication.with { $0.isOffline = false }
    reader.store.networkIsBack()
    await reader.settle()
    #expect(page.state.comments.phase == .ready)
    #expect(page.state.title == "Title 1")
  }

  @Test func theOldestComesFirst() async {
    let reader = reader([comment(2, mine: true), comment(1), comment(3, on: "p2")])
    let page = page(reader)
    page.appear()
    await reader.settle()
    #expect(page.state.title == "Title 1")
    #expect(page.state.comments.phase == .ready)
    let rows = page.state.comments.ids.compactMap { page.row(for: $0) }
    #expect(rows.map(\.author) == ["Author 1", "You"])
    #expect(rows.map(\.text) == ["Text 1", "Text 2"])
    #expect(rows.map(\.isMine) == [false, true])
    #expect(rows.map(\.isWaiting) == [false, false])
    page.send(.postTapped)
    #expect(outputs.all == [.openPost("p1")])
  }

  @Test func aCommentThatWaitsIsShownUnderAThreadThatWasNeverLoaded() async {
    let reader = reader([comment(1), comment(2)])
    reader.publication.with { $0.isOffline = true }
    reader.store.comment(on: "p1", "Written offline")
    reader.store.comment(on: "p2", "Elsewhere")
    reader.store.comment(on: "p1", "And another")
    await reader.settle()
    let page = page(reader)
    page.appear()
    await reader.settle()
    #expect(texts(page) == ["Written offline", "And another"])
    #expect(page.state.comments.ids.compactMap { page.row(for: $0)?.isWaiting } == [true, true])
    #expect(page.state.comments.phase == .ready)
    #expect(page.state.comments.loadMoreFailure != nil, "that the others did not come is said")
    reader.publication.with { $0.isOffline = false }
    page.send(.retryTapped)
    reader.store.networkIsBack()
    await reader.settle()
    #expect(Set(texts(page)) == ["Text 1", "Text 2", "Written offline", "And another"])
    #expect(page.state.comments.ids.count == 4)
    #expect(page.state.comments.loadMoreFailure == nil)
  }

  @Test func thatNobodyWroteIsKnownAlsoWithoutANetwork() async {
    let reader = reader()
    do {
      let page = page(reader)
      page.appear()
      await reader.settle()
      page.disappear()
    }
    reader.publication.with { $0.isOffline = true }
    let page = page(reader)
    page.appear()
    await reader.settle()
    #expect(page.state.comments.phase == .empty)
    #expect(page.state.comments.showsNote)
    reader.publication.with {
      $0.comments = [comment(1)]
      $0.isOffline = false
    }
    reader.store.networkIsBack()
    await reader.settle()
    #expect((texts(page), page.state.comments.note) == (["Text 1"], nil))
  }

  @Test func nobodyWroteYet() async {
    let reader = reader()
    let page = page(reader)
    page.appear()
    await reader.settle()
    #expect(page.state.comments.phase == .empty)
  }

  @Test func furtherPagesComeByCursor() async {
    let reader = reader((1...5).map { comment($0) })
    reader.publication.with { $0.pageSize = 2 }
    let page = page(reader)
    page.appear()
    await reader.settle()
    #expect(texts(page) == ["Text 1", "Text 2"])
    for _ in 0..<3 {
      page.send(.reachedEnd)
      await reader.settle()
    }
    #expect(texts(page) == ["Text 1", "Text 2", "Text 3", "Text 4", "Text 5"])
    #expect(!page.state.comments.canLoadMore)
  }

  // MARK: - Writing

  @Test func whatIsSentIsThereAtOnceAndWaitsUntilThePublicationHasIt() async {
    let reader = reader([comment(1)])
    let page = page(reader)
    page.appear()
    await reader.settle()
    reader.publication.with { $0.holds = ["PUT"] }
    page.send(.draftChanged("  Well said  "))
    page.send(.sendTapped)
    #expect((page.state.draft, page.state.canSend) == ("", false))
    #expect(texts(page) == ["Text 1", "Well said"])
    let id = page.state.comments.ids[1]
    #expect(page.row(for: id)?.isWaiting == true)
    await reader.waitForSuspended()
    reader.publication.release()
    await reader.settle()
    #expect(texts(page) == ["Text 1", "Well said"])
    #expect(page.state.comments.ids[1] == id)
    #expect(page.row(for: id)?.isWaiting == false)
    // The post is counted again by the publication.
    #expect(reader.store.posts["p1"]?.comments == 1)
  }

  @Test func whatTheReaderWroteIsAtTheEndAlsoWhileTheListIsNot() async {
    let reader = reader((1...5).map { comment($0) })
    reader.publication.with { $0.pageSize = 2 }
    let page = page(reader)
    page.appear()
    await reader.settle()
    page.send(.draftChanged("Last"))
    page.send(.sendTapped)
    await reader.settle()
    #expect(texts(page) == ["Text 1", "Text 2", "Last"])
    for _ in 0..<3 {
      page.send(.reachedEnd)
      await reader.settle()
    }
    #expect(texts(page) == ["Text 1", "Text 2", "Text 3", "Text 4", "Text 5", "Last"])
  }

  @Test func withoutNetworkItWaitsAndGoesOutWhenTheReaderTries() async {
    let reader = reader()
    let page = page(reader)
    page.appear()
    await reader.settle()
    reader.publication.with { $0.isOffline = true }
    page.send(.draftChanged("From a train"))
    page.send(.sendTapped)
    await reader.settle()
    #expect(texts(page) == ["From a train"])
    #expect(page.state.comments.phase == .ready)
    #expect(page.row(for: page.state.comments.ids[0])?.isWaiting == true)
    #expect(reader.store.outboxStatus.value.count == 1)
    reader.publication.with { $0.isOffline = false }
    reader.store.retryNow()
    await reader.settle()
    #expect(page.row(for: page.state.comments.ids[0])?.isWaiting == false)
    #expect(reader.publication.with { $0.comments.map(\.text) } == ["From a train"])
  }

  @Test func whatIsRefusedComesBackIntoTheField() async {
    let reader = reader([comment(1)])
    let page = page(reader)
    page.appear()
    await reader.settle()
    reader.publication.with {
      $0.refusals["PUT"] = Problem(code: .locked, title: "Comments are closed.", status: 403)
      $0.holds = ["PUT"]
    }
    page.send(.draftChanged("Rash words"))
    page.send(.sendTapped)
    await reader.waitForSuspended()
    page.send(.draftChanged("More"))
    reader.publication.release()
    await reader.settle()
    #expect(texts(page) == ["Text 1"])
    #expect(page.state.draft == "Rash words\n\nMore")
    #expect(page.state.canSend)
    #expect(page.state.comments.message == "Your comment was not saved. Comments are closed.")
  }

  @Test func whatWasRefusedWhileThePageWasGoneIsInTheFieldWhenItIsBack() async {
    let reader = reader()
    let page = page(reader)
    page.appear()
    await reader.settle()
    reader.publication.with { $0.refusals["PUT"] = Problem(code: .locked, title: "Closed.", status: 403) }
    page.send(.draftChanged("Words"))
    page.send(.sendTapped)
    page.disappear()
    await reader.settle()
    let again = self.page(reader)
    again.appear()
    #expect(again.state.draft == "Words")
  }

  @Test func onlyOnesOwnCanBeDeleted() async {
    let reader = reader([comment(1), comment(2, mine: true)])
    let page = page(reader)
    page.appear()
    await reader.settle()
    page.send(.deleteTapped(comment(1).id))
    page.send(.deleteTapped(comment(2).id))
    await reader.settle()
    #expect(texts(page) == ["Text 1"])
    #expect(reader.publication.with { $0.comments.count } == 1)
  }

  @Test func aPageThatIsGoneDoesNothing() async {
    let reader = reader([comment(1)])
    let page = page(reader)
    page.appear()
    await reader.settle()
    page.disappear()
    _ = recorder.take()
    reader.store.comment(on: "p1", "From elsewhere")
    await reader.settle()
    #expect(recorder.states.isEmpty)
    page.appear()
    #expect(texts(page) == ["Text 1", "From elsewhere"])
  }

  @Test func whatWasDeletedElsewhereIsGoneWhenTheListIsLoadedAnew() async {
    let reader = reader([comment(1), comment(2, mine: true), comment(3)])
    let page = page(reader)
    page.appear()
    await reader.settle()
    reader.publication.with { $0.comments.removeFirst(2) }
    page.send(.refreshTapped)
    await reader.settle()
    #expect(texts(page) == ["Text 3"])
  }
}
