@testable import ContentCache
import Foundation
import Runtime
import Testing

/// When a page is asked for by its entity tag: when, and only when, what is here is what the answer with that tag said.
@MainActor @Suite(.timeLimit(.minutes(3))) struct EntityTagTests {
  private let folder: TemporaryFolder
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_700_000_000))

  init() throws { folder = try TemporaryFolder() }

  private func rig() async throws -> StoreRig { try await StoreRig(folder.path + "/content.sqlite", clock: clock) }

  private func page(_ notes: Note..., etag: String? = "\"1\"") -> Result<PageAnswer<Note>, any Error> {
    .success(.page(FetchedPage(items: notes, etag: etag)))
  }

  private func load(_ id: String, from rig: StoreRig) -> Task<Note, any Error> {
    Task { @MainActor [gate = rig.gate] in
      try await rig.cache.load(id, "note.load", effects: rig.effects) { try await gate.ask(.init(cursor: "=" + id, etag: $0)) }
    }
  }

  /// Asks for "a" by itself and gets it whole, since it was asked for in full.
  private func loadWhole(from rig: StoreRig) async throws {
    let loading = load("a", from: rig)
    await rig.quiet()
    #expect(rig.gate.hanging.map(\.question.etag) == [nil])
    await rig.answer(0, page(Note(id: "a", title: "a", body: "text"), etag: "\"a\""))
    #expect(try await loading.value.body == "text")
    #expect(rig.cache["a"]?.body == "text")
  }

  private func reload(_ fetcher: PageFetcher<Note>, _ rig: StoreRig, _ result: Result<PageAnswer<Note>, any Error>) async -> String? {
    fetcher.reload()
    await rig.quiet()
    let tag = rig.gate.hanging.last?.question.etag
    await rig.answer(rig.gate.hanging.count - 1, result)
    return tag
  }

  @Test func whatAnotherAnswerChangedIsAskedForInFull() async throws {
    var rig = try await rig()
    var fetcher = rig.fetcher()
    #expect(await reload(fetcher, rig, page(Note(id: "a"), Note(id: "b"))) == nil)
    #expect(await reload(fetcher, rig, .success(.notModified)) == "\"1\"")
    // The reader marked it here; then another device took the mark away, so that the server's page is what it was.
    rig.cache.store([Note(id: "a", marked: true)])
    #expect(await reload(fetcher, rig, page(Note(id: "a"), Note(id: "b"))) == nil)
    #expect(rig.cache["a"]?.marked == false)
    #expect(await reload(fetcher, rig, .success(.notModified)) == "\"1\"")
    rig.cache.store([Note(id: "a", marked: true)])
    await rig.end()

    rig = try await self.rig()
    fetcher = rig.fetcher()
    #expect(await reload(fetcher, rig, page(Note(id: "a"), Note(id: "b"))) == nil)
    #expect(rig.cache["a"]?.marked == false)
    await rig.end()
    rig = try await self.rig()
    #expect(await reload(rig.fetcher(), rig, .success(.notModified)) == "\"1\"")
  }

  @Test func pageWhoseAnswerWasOlderThanWhatIsHereIsAskedForInFull() async throws {
    let rig = try await rig()
    let fetcher = rig.fetcher()
    fetcher.reload()
    await rig.quiet()
    rig.cache.store([Note(id: "a", likes: 1)])
    await rig.answer(0, page(Note(id: "a")))
    #expect(rig.cache["a"]?.likes == 1)
    #expect(await reload(fetcher, rig, page(Note(id: "a", likes: 2))) == nil)
    #expect(rig.cache["a"]?.likes == 2)
  }

  @Test func notModifiedIsAsNewAsAnyAnswer() async throws {
    let rig = try await rig()
    let (fetcher, other) = (rig.fetcher(), rig.fetcher(list: "others"))
    #expect(await reload(fetcher, rig, page(Note(id: "a"))) == nil)
    other.reload()
    await rig.quiet()
    #expect(await reload(fetcher, rig, .success(.notModified)) == "\"1\"")
    // The server said this before it said that nothing has changed.
    await rig.answer(0, page(Note(id: "a", likes: 1)))
    #expect(rig.cache["a"]?.likes == 0)
  }

  @Test func whatIsKnownSinceTheQuestionOutlivesNotModified() async throws {
    let rig = try await rig()
    let fetcher = rig.fetcher()
    #expect(await reload(fetcher, rig, page(Note(id: "a"), Note(id: "b"))) == nil)
    fetcher.reload()
    await rig.quiet()
    #expect(rig.gate.hanging.map(\.question.etag) == ["\"1\""])
    rig.cache.store([Note(id: "a", likes: 1)])
    rig.cache.remove(["b"])
    await rig.answer(0, .success(.notModified))
    #expect(rig.cache["a"]?.likes == 1)
    #expect(rig.cache["b"] == nil)
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
    let rig = try await rig()
    try await loadWhole(from: rig)
    // For a while the server does not have it.
    rig.cache.remove(["a"])
    #expect(await reload(rig.fetcher(), rig, page(Note(id: "a", title: "a"))) == nil)
    try await loadWhole(from: rig)
    await rig.end()
  }

  @Test func whatWasEvictedAndCameBackWithoutItsBodyIsAskedForInFull() async throws {
    var rig = try await rig()
    try await loadWhole(from: rig)
    await rig.cache.written()
    await rig.store.write(StoreBatch<Note>(removed: ["a"]))
    await rig.end()
    rig = try await self.rig()
    #expect(await reload(rig.fetcher(), rig, page(Note(id: "a", title: "a"))) == nil)
    await rig.end()
    rig = try await self.rig()
    try await loadWhole(from: rig)
    await rig.end()
  }

  @Test func answerWithoutBodyIsConfirmedAsOne() async throws {
    var rig = try await rig()
    var loading = load("a", from: rig)
    await rig.answer(0, page(Note(id: "a", body: "text"), etag: "\"whole\""))
    #expect(try await loading.value.body == "text")
    // Access has ended: what was read stays, but is not what the server says.
    loading = load("a", from: rig)
    await rig.answer(0, page(Note(id: "a"), etag: "\"bare\""))
    #expect(try await loading.value.body == nil)
    await rig.end()
    rig = try await self.rig()
    for _ in 1...2 {
      loading = load("a", from: rig)
      await rig.quiet()
      #expect(rig.gate.hanging.map(\.question.etag) == ["\"bare\""])
      #expect(rig.cache["a"]?.body == "text")
      await rig.answer(0, .success(.notModified))
      #expect(try await loading.value.body == nil)
    }
    await rig.end()
  }
}
