import CommentsFeature
import PublicationAPI
import PublicationClient
import TestSupport
import Testing

@MainActor @Suite struct CommentDraftTests {
  private func page(_ reader: ReaderFixture) -> CommentsViewModel {
    CommentsViewModel("p1", store: reader.store, formatting: reader.formatting) { _ in }
  }

  @Test func onlyATextOfTheRightLengthCanBeSent() {
    let page = page(ReaderFixture())
    #expect(!page.state.canSend)
    page.draftChanged(" \n ")
    #expect((page.state.canSend, page.state.surplus) == (false, nil))
    page.draftChanged(String(repeating: "x", count: Comment.longest) + "  ")
    #expect((page.state.canSend, page.state.surplus) == (true, nil))
    page.draftChanged(String(repeating: "x", count: Comment.longest + 12))
    #expect((page.state.canSend, page.state.surplus) == (false, "12 characters too many"))
    page.draftChanged(String(repeating: "x", count: Comment.longest + 1))
    #expect(page.state.surplus == "1 character too many")
  }

  @Test func aDraftIsKeptForItsPostWhileTheAppRuns() {
    let reader = ReaderFixture()
    page(reader).draftChanged("Half a thought")
    #expect((page(reader).state.draft, page(reader).state.canSend) == ("Half a thought", true))
    let other = CommentsViewModel("p2", store: reader.store, formatting: reader.formatting) { _ in }
    #expect(other.state.draft.isEmpty)
  }
}
