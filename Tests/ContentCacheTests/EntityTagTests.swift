@testable import ContentCache
import Foundation
import Runtime
import Testing

/// When a page is asked for by its entity tag: when, and only when, what is here is what the answer with that tag said.
@MainActor @Suite(.timeLimit(.minutes(3))) struct EntityTagTests {
  private let folder: TemporaryFolder
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_700_000_000))

  init() throws { folder = try TemporaryFolder() }

  private func shelf() async throws -> Shelf { try await Shelf(folder.path + "/content.sqlite", clock: clock) }

  private func page(_ notes: Note..., etag: String? = "\"1\"") -> Result<PageAnswer<Note>, any Error> {
    .success(.page(FetchedPage(items: notes, etag: etag)))
  }

  private func load(_ id: String, from shelf: Shelf) -> Task<Note, any Error> {
    Task { @MainActor [gate = shelf.gate] in
      try await shelf.cache.load(id, "note.load", effects: shelf.effects) { try await gate.ask(.init(cursor: "=" + id, etag: $0)) }
    }
  }

  /// Asks for "a" by itself and gets it whole, since it was asked for in full.
  private func loadWhole(from shelf: Shelf) async throws {
    let loading = load("a", from: shelf)
    await shelf.quiet()
    #expect(shelf.gate.hanging.map(\.question.etag) == [nil])
    await shelf.answer(0, page(Note(id: "a", title: "a", body: "text"), etag: "\"a\""))
    #expect(try await loading.value.body == "text")
    #expect(shelf.cache["a"]?.body == "text")
  }

  private func reload(_ fetcher: PageFetcher<Note>, _ shelf: Shelf, _ result: Result<PageAnswer<Note>, any Error>) async -> String? {
    fetcher.reload()
    await shelf.quiet()
    let tag = shelf.gate.hanging.last?.question.etag
    await shelf.answer(shelf.gate.hanging.count - 1, result)
    return tag
  }

  @Test func whatAnotherAnswerChangedIsAskedForInFull() async throws {
    var shelf = try await shelf()
    var fetcher = shelf.fetcher()
    #expect(await reload(fetcher, shelf, page(Note(id: "a"), Note(id: "b"))) == nil)
    #expect(await reload(fetcher, shelf, .success(.notModified)) == "\"1\"")
    // The reader marked it here; then another device took the mark away, so that the server's page is what it was.
    shelf.cache.store([Note(id: "a", marked: true)])
    #expect(await reload(fetcher, shelf, page(Note(id: "a"), Note(id: "b"))) == nil)
    #expect(shelf.cache["a"]?.marked == false)
    #expect(await reload(fetcher, shelf, .success(.notModified)) == "\"1\"")
    shelf.cache.store([Note(id: "a", marked: true)])
    await shelf.end()

    shelf = try await self.shelf()
    fetcher = shelf.fetcher()
    #expect(await reload(fetcher, shelf, page(Note(id: "a"), Note(id: "b"))) == nil)
    #expect(shelf.cache["a"]?.marked == false)
    await shelf.end()
    shelf = try await self.shelf()
    #expect(await reload(shelf.fetcher(), shelf, .success(.notModified)) == "\"1\"")
  }

  @Test func pageWhoseAnswerWasOlderThanWhatIsHereIsAskedForInFull() async throws {
    let shelf = try await shelf()
    let fetcher = shelf.fetcher()
    fetcher.reload()
    await shelf.quiet()
    shelf.cache.store([Note(id: "a", likes: 1)])
    await shelf.answer(0, page(Note(id: "a")))
    #expect(shelf.cache["a"]?.likes == 1)
    #expect(await reload(fetcher, shelf, page(Note(id: "a", likes: 2))) == nil)
    #expect(shelf.cache["a"]?.likes == 2)
  }

  @Test func notModifiedIsAsNewAsAnyAnswer() async throws {
    let shelf = try await shelf()
    let (fetcher, other) = (shelf.fetcher(), shelf.fetcher(list: "others"))
    #expect(await reload(fetcher, shelf, page(Note(id: "a"))) == nil)
    other.reload()
    await shelf.quiet()
    #expect(await reload(fetcher, shelf, .success(.notModified)) == "\"1\"")
    // The server said this before it said that nothing has changed.
    await shelf.answer(0, page(Note(id: "a", likes: 1)))
    #expect(shelf.cache["a"]?.likes == 0)
  }

  @Test func whatIsKnownSinceTheQuestionOutlivesNotModified() async throws {
    let shelf = try await shelf()
    let fetcher = shelf.fetcher()
    #expect(await reload(fetcher, shelf, page(Note(id: "a"), Note(id: "b"))) == nil)
    fetcher.reload()
    await shelf.quiet()
    #expect(shelf.gate.hanging.map(\.question.etag) == ["\"1\""])
    shelf.cache.store([Note(id: "a", likes: 1)])
    shelf.cache.remove(["b"])
    await shelf.answer(0, .success(.notModified))
    #expect(shelf.cache["a"]?.likes == 1)
    #expect(shelf.cache["b"] == nil)
  }

  @Test func dictionariesHaveNoOrder() throws {
    struct Counted: Entity {
      var id: String
      var counts: [String: Int]
      static var blank: Counted { Counted(id: "", counts: [:]) }
      mutating func fields(_ form: inout FieldCoder) { form.field("id", &id) }
    }
    let names = (1...50).map { "\($0)" }
    // Other capacities, other orders.
    var grown: [String: Int] = [:]
    grown.reserveCapacity(4000)
    for name in names.reversed() { grown[name] = 1 }
    let other = Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })
    let digest = { FetchedPage(items: [Counted(id: "a", counts: $0)]).digest }
    #expect(digest(grown) == digest(other))
    #expect(digest(["a": 1]) != digest(["a": 2]))
  }

  // MARK: One by itself

  @Test func whatCameBackWithoutItsBodyIsAskedForInFull() async throws {
    let shelf = try await shelf()
    try await loadWhole(from: shelf)
    // For a while the server does not have it.
    shelf.cache.remove(["a"])
    #expect(await reload(shelf.fetcher(), shelf, page(Note(id: "a", title: "a"))) == nil)
    try await loadWhole(from: shelf)
    await shelf.end()
  }

  @Test func whatWasEvictedAndCameBackWithoutItsBodyIsAskedForInFull() async throws {
    var shelf = try await shelf()
    try await loadWhole(from: shelf)
    await shelf.cache.written()
    await shelf.store.write(StoreBatch<Note>(removed: ["a"]))
    await shelf.end()
    shelf = try await self.shelf()
    #expect(await reload(shelf.fetcher(), shelf, page(Note(id: "a", title: "a"))) == nil)
    await shelf.end()
    shelf = try await self.shelf()
    try await loadWhole(from: shelf)
    await shelf.end()
  }

  @Test func answerWithoutBodyIsConfirmedAsOne() async throws {
    var shelf = try await shelf()
    var loading = load("a", from: shelf)
    await shelf.answer(0, page(Note(id: "a", body: "text"), etag: "\"whole\""))
    #expect(try await loading.value.body == "text")
    // Access has ended: what was read stays, but is not what the server says.
    loading = load("a", from: shelf)
    await shelf.answer(0, page(Note(id: "a"), etag: "\"bare\""))
    #expect(try await loading.value.body == nil)
    await shelf.end()
    shelf = try await self.shelf()
    for _ in 1...2 {
      loading = load("a", from: shelf)
      await shelf.quiet()
      #expect(shelf.gate.hanging.map(\.question.etag) == ["\"bare\""])
      #expect(shelf.cache["a"]?.body == "text")
      await shelf.answer(0, .success(.notModified))
      #expect(try await loading.value.body == nil)
    }
    await shelf.end()
  }
}
