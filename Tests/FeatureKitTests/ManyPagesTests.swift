import ContentCache
import HTTPTransport
import PublicationAPI
import Runtime
import TestSupport
import Testing

@testable import FeatureKit

@MainActor @Suite struct ManyPagesTests {
  @Test func oneActionTouchesTheThreeOfAThousandThatAreOnScreen() async throws {
    let reader = ReaderFixture(posts: (1...30).map { .sample($0) })
    let formatting = reader.formatting
    let pages = (0..<1000).map { _ in PostList(.all, store: reader.store, formatting: formatting) { _ in } }
    var told: [Int: Set<Post.ID>] = [:]
    for (number, page) in pages.enumerated() { page.list.onRowsChanged = { told[number, default: []].formUnion($0) } }
    for page in pages {
      page.list.appear()
      await reader.settle()
      for id in page.list.state.ids { _ = page.row(for: id) }
      page.list.disappear()
    }
    for page in pages[500..<503] { page.list.appear() }
    await reader.settle()
    told = [:]
    reader.store.toggleBookmark("p1")
    await mainQueueTurn()
    #expect(told == [500: ["p1"], 501: ["p1"], 502: ["p1"]])
    await reader.settle()
    told = [:]
    // Who comes back reads again.
    pages[7].list.appear()
    #expect(pages[7].row(for: "p1")?.isBookmarked == true)
    #expect(told.keys.sorted() == [7])
  }

  @Test func manyOpenedAtOnceAskOnce() async throws {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.publication.with { $0.holds = ["GET"] }
    let pages = (0..<20).map { _ in PostList(.all, store: reader.store, formatting: reader.formatting) { _ in } }
    for page in pages { page.list.appear() }
    await reader.waitForSuspended()
    reader.publication.release()
    await reader.settle()
    #expect(pages.allSatisfy { $0.list.state.ids == ["p1"] })
    #expect(reader.publication.requests.count == 1)
  }
}
