import FeatureKit
import PublicationAPI
import TestSupport
import Testing

/// A list that is out of date while it is being asked for.
@MainActor @Suite(.timeLimit(.minutes(1))) struct StaleListTests {
  private let reader = ReaderFixture(posts: [.sample(2), .sample(3)])

  private func list() -> EntityList<Post> { PostList(.all, store: reader.store, formatting: reader.formatting) { _ in }.list }

  /// Something comes to the publication while an answer without it is on its way.
  private func suspended(_ ask: () -> Void) async {
    reader.publication.with { $0.holds = ["GET /v1/posts"] }
    ask()
    await reader.waitForSuspended()
    reader.publication.with { $0.posts.append(.sample(1)) }
    reader.store.listsAreStale()
  }

  @Test func aReloadDoesNotWaitForAnOlderQuestionOfItsOwn() async {
    let list = list()
    await suspended { list.appear() }
    list.disappear()
    list.appear()
    reader.publication.release()
    await reader.settle()
    #expect(list.state.ids == ["p1", "p2", "p3"])
  }

  @Test func norForThatOfAnotherPage() async {
    let (first, second) = (list(), list())
    first.appear()
    await reader.settle()
    first.disappear()
    await suspended { second.appear() }
    first.appear()
    reader.publication.release()
    await reader.settle()
    #expect(first.state.ids == ["p1", "p2", "p3"])
    // Nobody asked it for what is new, which waits above what was there at once.
    #expect((second.state.ids, second.state.newItemCount) == (["p2", "p3"], 1))
  }

  @Test(arguments: [true, false]) func aReloadThatFailedIsTriedAgain(byItself: Bool) async {
    let list = list()
    list.appear()
    await reader.settle()
    list.disappear()
    reader.publication.with { $0.posts.append(.sample(1)) }
    reader.store.listsAreStale()
    reader.publication.with { $0.isOffline = true }
    list.appear()
    await reader.settle()
    reader.publication.with { $0.isOffline = false }
    if byItself {
      reader.store.networkIsBack()
    } else {
      list.disappear()
      list.appear()
    }
    await reader.settle()
    #expect(list.state.ids == ["p1", "p2", "p3"])
    reader.publication.forgetRequests()
    list.disappear()
    list.appear()
    await reader.settle()
    #expect(reader.publication.requests.isEmpty)
  }
}
