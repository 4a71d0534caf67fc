@testable import ContentCache
import Foundation
import Runtime
import SQLiteStorage
import Testing

/// What goes when the store is full, seen from the cache: what was not read for longest, however it was read.
@MainActor @Suite(.timeLimit(.minutes(3))) struct LeastReadTests {
  private static let limit = 200_000
  private let folder: TemporaryFolder
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_700_000_000))
  private var path: String { folder.path + "/content.sqlite" }

  init() throws { folder = try TemporaryFolder() }

  private func shelf() async throws -> Shelf {
    let shelf = try await Shelf(path, clock: clock, limit: Self.limit)
    shelf.store.startEvicting()
    return shelf
  }

  private func notes(_ range: ClosedRange<Int>) -> [Note] { range.map { Note(id: "\($0)", title: String(repeating: "x", count: 1000)) } }

  private func answer(_ shelf: Shelf, _ range: ClosedRange<Int>) async {
    await shelf.answer(0, .success(.page(FetchedPage(items: notes(range), etag: "\"1\""))))
  }

  /// Reads so much else that the limit is passed several times; a part is written at a time.
  private func readElse(_ shelf: Shelf, _ range: ClosedRange<Int> = 1001...1400) async {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 50) {
      shelf.cache.store(notes(start...start + 49))
      await shelf.cache.written()
    }
  }

  private func ids() throws -> Set<String> {
    Set(try Connection(path: path).query("SELECT id FROM entity") { try $0.get(0, as: String.self) })
  }

  private func lists() throws -> [String] {
    try Connection(path: path).query("SELECT list FROM page ORDER BY list") { try $0.get(0, as: String.self) }
  }

  @Test(arguments: ["unchanged", "the same", "from memory", "alone"]) func whatIsReadAgainStays(how: String) async throws {
    let shelf = try await shelf()
    let fetcher = shelf.fetcher()
    fetcher.reload()
    await answer(shelf, 1...5)
    for round in 1...4 {
      let start = 1000 * round
      await readElse(shelf, start...start + 99)
      switch how {
      case "unchanged":
        fetcher.reload()
        await shelf.answer(0, .success(.notModified))
      case "the same":
        fetcher.reload()
        await answer(shelf, 1...5)
      case "from memory":
        shelf.fetcher().reload(.storedOnly)
        await shelf.quiet()
      default:
        for id in 1...5 {
          let loading = Task { @MainActor [gate = shelf.gate] in
            try await shelf.cache.load("\(id)", "note.load", effects: shelf.effects) { try await gate.ask(.init(cursor: "=", etag: $0)) }
          }
          await answer(shelf, id...id)
          _ = try await loading.value
        }
      }
      #expect(try ids().isSuperset(of: ["1", "2", "3", "4", "5"]), "round \(round)")
    }
    await shelf.end()
    #expect(try ids().isSuperset(of: ["1", "2", "3", "4", "5"]))
  }

  @Test func whatWasReadLastBeforeTheEndStays() async throws {
    var shelf = try await shelf()
    var fetcher = shelf.fetcher()
    fetcher.reload()
    await answer(shelf, 1...5)
    await readElse(shelf, 1001...1100)
    await shelf.end()
    // A run that reads without network writes nothing else.
    shelf = try await self.shelf()
    fetcher = shelf.fetcher()
    fetcher.reload(.storedOnly)
    await shelf.quiet()
    #expect(fetcher.state.ids.count == 5)
    await shelf.end()
    shelf = try await self.shelf()
    await readElse(shelf, 2001...2050)
    #expect(try ids().isSuperset(of: ["1", "2", "3", "4", "5"]))
    await shelf.end()
  }

  @Test func pageThatLostSomethingGoesWithIt() async throws {
    let shelf = try await shelf()
    let fetcher = shelf.fetcher()
    fetcher.reload()
    await answer(shelf, 1...50)
    let loading = Task { @MainActor [gate = shelf.gate] in
      try await shelf.cache.load("7", "note.load", effects: shelf.effects) { try await gate.ask(.init(cursor: "=", etag: $0)) }
    }
    await answer(shelf, 7...7)
    _ = try await loading.value
    #expect(try lists() == ["=7", "notes"])
    await readElse(shelf)
    #expect(try ids().isDisjoint(with: (1...50).map { "\($0)" }))
    #expect(try lists() == [])
    // It is here all the same, and what the server says of it again is kept again, whole.
    fetcher.reload()
    await shelf.quiet()
    #expect(shelf.gate.hanging.map(\.question.etag) == ["\"1\""])
    await shelf.answer(0, .success(.notModified))
    await shelf.end()
    #expect(try ids().isSuperset(of: (1...50).map { "\($0)" }))
    #expect(try lists() == ["notes"])
  }

  // MARK: What cannot be written

  @Test func whatCouldNotBeWrittenIsWrittenWithWhatFollows() async throws {
    var shelf = try await shelf()
    var fetcher = shelf.fetcher()
    fetcher.reload()
    await shelf.answer(0, .success(.page(FetchedPage(items: [Note(id: "a"), Note(id: "gone")], etag: "\"1\""))))
    await shelf.cache.written()
    let other = try Connection(path: path)
    try other.script("CREATE TRIGGER full BEFORE UPDATE ON entity BEGIN SELECT RAISE(ABORT, 'full'); END")
    fetcher.reload()
    await shelf.answer(0, .success(.page(FetchedPage(items: [Note(id: "a", likes: 1)], etag: "\"2\""))))
    shelf.cache.remove(["gone"])
    await shelf.cache.written()
    try other.script("DROP TRIGGER full")
    // The same answer again: nothing has changed in memory.
    fetcher.reload()
    await shelf.answer(0, .success(.notModified))
    await shelf.end()

    shelf = try await self.shelf()
    fetcher = shelf.fetcher()
    fetcher.reload()
    await shelf.quiet()
    #expect(shelf.cache["a"]?.likes == 1)
    #expect(shelf.gate.hanging.map(\.question.etag) == ["\"2\""])
    #expect(try ids() == ["a"])
    await shelf.answer(0, .success(.notModified))
    await shelf.end()
  }

  @Test func whatIsNoLongerPendingIsKeptForGoodNoLonger() async throws {
    var shelf = try await shelf()
    shelf.cache.store([Note(id: "a"), Note(id: "b", marked: true)])
    await shelf.end()
    shelf = try await self.shelf()
    func kept() throws -> [String] {
      try Connection(path: path).query("SELECT id FROM entity WHERE kept = 1 ORDER BY id") { try $0.get(0, as: String.self) }
    }
    // Neither is in memory.
    for id in ["a", "b"] { shelf.cache.add(.init(id: id) { _ in }, to: id) }
    await shelf.cache.written()
    #expect(try kept() == ["a", "b"])
    for id in ["a", "b"] { shelf.cache.remove(.init(id: id) { _ in }, from: id) }
    await shelf.cache.written()
    #expect(try kept() == ["b"])
    await shelf.end()
  }
}
