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

  private func rig() async throws -> StoreRig {
    let rig = try await StoreRig(path, clock: clock, limit: Self.limit)
    rig.store.startEvicting()
    return rig
  }

  private func notes(_ range: ClosedRange<Int>) -> [Note] { range.map { Note(id: "\($0)", title: String(repeating: "x", count: 1000)) } }

  private func answer(_ rig: StoreRig, _ range: ClosedRange<Int>) async {
    await rig.answer(0, .success(.page(FetchedPage(items: notes(range), etag: "\"1\""))))
  }

  /// Reads so much else that the limit is passed several times; a part is written at a time.
  private func readElse(_ rig: StoreRig, _ range: ClosedRange<Int> = 1001...1400) async {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 50) {
      rig.cache.store(notes(start...start + 49))
      await rig.cache.written()
    }
  }

  private func ids() throws -> Set<String> {
    Set(try Connection(path: path).query("SELECT id FROM entity") { try $0.get(0, as: String.self) })
  }

  private func lists() throws -> [String] {
    try Connection(path: path).query("SELECT list FROM page ORDER BY list") { try $0.get(0, as: String.self) }
  }

  @Test(arguments: ["unchanged", "the same", "from memory", "alone"]) func whatIsReadAgainStays(how: String) async throws {
    let rig = try await rig()
    let fetcher = rig.fetcher()
    fetcher.reload()
    await answer(rig, 1...5)
    for round in 1...4 {
      let start = 1000 * round
      await readElse(rig, start...start + 99)
      switch how {
      case "unchanged":
        fetcher.reload()
        await rig.answer(0, .success(.notModified))
      case "the same":
        fetcher.reload()
        await answer(rig, 1...5)
      case "from memory":
        rig.fetcher().reload(.storedOnly)
        await rig.quiet()
      default:
        for id in 1...5 {
          let loading = Task { @MainActor [gate = rig.gate] in
            try await rig.cache.load("\(id)", "note.load", effects: rig.effects) { try await gate.ask(.init(cursor: "=", etag: $0)) }
          }
          await answer(rig, id...id)
          _ = try await loading.value
        }
      }
      #expect(try ids().isSuperset(of: ["1", "2", "3", "4", "5"]), "round \(round)")
    }
    await rig.end()
    #expect(try ids().isSuperset(of: ["1", "2", "3", "4", "5"]))
  }

  @Test func whatWasReadLastBeforeTheEndStays() async throws {
    var rig = try await rig()
    var fetcher = rig.fetcher()
    fetcher.reload()
    await answer(rig, 1...5)
    await readElse(rig, 1001...1100)
    await rig.end()
    // A run that reads without network writes nothing else.
    rig = try await self.rig()
    fetcher = rig.fetcher()
    fetcher.reload(.storedOnly)
    await rig.quiet()
    #expect(fetcher.state.ids.count == 5)
    await rig.end()
    rig = try await self.rig()
    await readElse(rig, 2001...2050)
    #expect(try ids().isSuperset(of: ["1", "2", "3", "4", "5"]))
    await rig.end()
  }

  @Test func pageThatLostSomethingGoesWithIt() async throws {
    let rig = try await rig()
    let fetcher = rig.fetcher()
    fetcher.reload()
    await answer(rig, 1...50)
    let loading = Task { @MainActor [gate = rig.gate] in
      try await rig.cache.load("7", "note.load", effects: rig.effects) { try await gate.ask(.init(cursor: "=", etag: $0)) }
    }
    await answer(rig, 7...7)
    _ = try await loading.value
    #expect(try lists() == ["=7", "notes"])
    await readElse(rig)
    #expect(try ids().isDisjoint(with: (1...50).map { "\($0)" }))
    #expect(try lists() == [])
    // It is here all the same, and what the server says of it again is kept again, whole.
    fetcher.reload()
    await rig.quiet()
    #expect(rig.gate.hanging.map(\.question.etag) == ["\"1\""])
    await rig.answer(0, .success(.notModified))
    await rig.end()
    #expect(try ids().isSuperset(of: (1...50).map { "\($0)" }))
    #expect(try lists() == ["notes"])
  }

  // MARK: What cannot be written

  @Test func whatCouldNotBeWrittenIsWrittenWithWhatFollows() async throws {
    var rig = try await rig()
    var fetcher = rig.fetcher()
    fetcher.reload()
    await rig.answer(0, .success(.page(FetchedPage(items: [Note(id: "a"), Note(id: "gone")], etag: "\"1\""))))
    await rig.cache.written()
    let other = try Connection(path: path)
    try other.script("CREATE TRIGGER full BEFORE UPDATE ON entity BEGIN SELECT RAISE(ABORT, 'full'); END")
    fetcher.reload()
    await rig.answer(0, .success(.page(FetchedPage(items: [Note(id: "a", likes: 1)], etag: "\"2\""))))
    rig.cache.remove(["gone"])
    await rig.cache.written()
    try other.script("DROP TRIGGER full")
    // The same answer again: nothing has changed in memory.
    fetcher.reload()
    await rig.answer(0, .success(.notModified))
    await rig.end()

    rig = try await self.rig()
    fetcher = rig.fetcher()
    fetcher.reload()
    await rig.quiet()
    #expect(rig.cache["a"]?.likes == 1)
    #expect(rig.gate.hanging.map(\.question.etag) == ["\"2\""])
    #expect(try ids() == ["a"])
    await rig.answer(0, .success(.notModified))
    await rig.end()
  }

  @Test func whatIsNoLongerPendingIsKeptForGoodNoLonger() async throws {
    var rig = try await rig()
    rig.cache.store([Note(id: "a"), Note(id: "b", marked: true)])
    await rig.end()
    rig = try await self.rig()
    func stored() throws -> [String] {
      try Connection(path: path).query("SELECT id FROM entity WHERE pinned = 1 ORDER BY id") { try $0.get(0, as: String.self) }
    }
    // Neither is in memory.
    for id in ["a", "b"] { rig.cache.add(.init(id: id) { _ in }, to: id) }
    await rig.cache.written()
    #expect(try stored() == ["a", "b"])
    for id in ["a", "b"] { rig.cache.remove(.init(id: id) { _ in }, from: id) }
    await rig.cache.written()
    #expect(try stored() == ["b"])
    await rig.end()
  }
}
