import HTTPTransport
import PublicationAPI
import PublicationClient
import Runtime
import TestSupport
import Testing

@MainActor @Suite struct ContentStoreTests {
  private final class Page: ContentPage {
    var changes = 0
    var failures: [String] = []
    func accessChanged() { changes += 1 }
    func actionFailed(_ sentence: String) { failures.append(sentence) }
  }

  @Test func pagesOnScreenAreToldOfAccessOnce() {
    let store = ReaderFixture().store
    let page = Page()
    let other = Page()
    store.enter(page)
    store.enter(page)
    store.enter(other)
    store.leave(other)
    store.hasPremium = true
    store.hasPremium = true
    #expect(page.changes == 1)
    #expect(other.changes == 0)
  }

  @Test func aPageThatIsGoneIsNotHeld() {
    let store = ReaderFixture().store
    weak var closed: Page?
    do {
      let page = Page()
      closed = page
      store.enter(page)
    }
    #expect(closed == nil)
    store.hasPremium = true
  }

  @Test func aFailureIsToldOnceWithWhatAndWhy() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.store.posts.store([.sample(1)])
    reader.publication.with { $0.refusals["PUT"] = Problem(code: "too_many", title: "Slow down.", status: 429) }
    reader.store.toggleBookmark("p1")
    await reader.settle()
    let page = Page()
    reader.store.enter(page)
    reader.store.leave(page)
    reader.store.enter(page)
    #expect(page.failures == ["Your bookmark was not saved. Slow down."])
  }

  @Test func whatIsNotKnownIsNotChanged() async {
    let reader = ReaderFixture()
    reader.store.toggleReaction("p1")
    reader.store.toggleBookmark("p1")
    reader.store.toggleFollow("c1")
    await reader.settle()
    #expect(reader.publication.requests.isEmpty)
  }

  @Test func aClosedStoreHoldsNothingAndDoesNothing() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let page = Page()
    reader.store.enter(page)
    reader.store.posts.store([.sample(1)])
    reader.publication.with {
      $0.holds = ["PUT"]
      $0.refusals["PUT"] = Problem(code: "too_many", title: "Slow down.", status: 429)
    }
    reader.store.toggleReaction("p1")
    await reader.waitForHeld()
    reader.store.close()
    reader.publication.release()
    await reader.settle()
    reader.store.hasPremium = true
    reader.store.toggleBookmark("p1")
    #expect(reader.store.posts["p1"] == nil)
    #expect(page.failures.isEmpty)
    #expect(page.changes == 0)
    #expect(reader.publication.requests.count == 1)
  }
}
