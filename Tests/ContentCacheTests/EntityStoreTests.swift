@testable import ContentCache
import Foundation
import Runtime
import SQLiteStorage
import Testing

@Suite(.timeLimit(.minutes(3))) struct EntityStoreTests {
  private let folder: TemporaryFolder
  private let path: String
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_700_000_000))

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/content.sqlite"
  }

  private func open(owner: String = "reader", limit: Int = EntityStore.defaultLimit) -> EntityStore {
    EntityStore(path: path, owner: owner, clock: clock, limit: limit)
  }

  private func notes(_ ids: String..., body: String? = nil) -> [(CacheEntry<Note>, isPinned: Bool)] {
    ids.map { (CacheEntry(Note(id: $0, title: "title \($0)", body: body), .beforeAll), false) }
  }

  private func notes(of page: StoredPage) -> [Note] { page.items.map { $0.value(of: Note.self) } }

  private func row(_ cursor: String?, _ ids: String..., next: String? = nil, etag: String? = nil) -> PageRow {
    PageRow(key: PageKey("all", cursor), ids: ids, next: next, etag: etag, fetchedAt: clock.now)
  }

  private func ids(_ store: EntityStore, _ cursor: String? = nil) async -> [String]? {
    await store.page(PageKey("all", cursor), of: Note.self)?.items.map(\.id)
  }

  private func count(_ table: String = "entity", where condition: String = "1") throws -> Int {
    try Connection(path: path).queryOne("SELECT count(*) FROM \(table) WHERE \(condition)") { try $0.get(0) } ?? -1
  }

  @Test func survivesTheEndOfTheProcess() async throws {
    let first = open()
    await first.write(StoreBatch(values: notes("b", "a", body: "text"), pages: [row(nil, "a", "b", next: "2", etag: "\"1\"")]))
    await first.close()
    let second = open()
    let page = await second.page(PageKey("all", nil), of: Note.self)
    #expect(page?.page == row(nil, "a", "b", next: "2", etag: "\"1\""))
    // A list comes without details.
    #expect(page.map(notes(of:)) == [Note(id: "a", title: "title a"), Note(id: "b", title: "title b")])
    #expect(
      await second.single("a", as: PageKey("=a", nil), of: Note.self).map(notes(of:)) == [Note(id: "a", title: "title a", body: "text")]
    )
    #expect(await second.page(PageKey("other", nil), of: Note.self) == nil)
    #expect(second.takeNotice() == nil)
  }

  @Test func detailOutlivesAnAnswerWithoutOne() async throws {
    let store = open()
    await store.write(StoreBatch(values: notes("a", body: "text")))
    await store.write(StoreBatch(values: [(CacheEntry(Note(id: "a", title: "new"), .beforeAll), isPinned: false)]))
    #expect(
      await store.single("a", as: PageKey("=a", nil), of: Note.self).map(notes(of:)) == [Note(id: "a", title: "new", body: "text")])
    await store.write(StoreBatch<Note>(removed: ["a"]))
    #expect(await store.single("a", as: PageKey("=a", nil), of: Note.self) == nil)
  }

  @Test func anotherReaderFindsNothingOfTheFirst() async throws {
    let first = open(owner: "first")
    await first.write(StoreBatch(values: notes("secret"), pages: [row(nil, "secret")]))
    await first.close()
    let second = open(owner: "second")
    #expect(await ids(second) == nil)
    await second.close()
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let bytes = try Data(contentsOf: URL(filePath: folder.path + "/" + file))
      #expect(bytes.range(of: Data("secret".utf8)) == nil, "\(file)")
    }
    #expect(await open(owner: "first").reading().rows == 0)
  }

  @Test func erasingLeavesNothingOnTheDisk() async throws {
    let store = open()
    await store.write(StoreBatch(values: notes("secret", body: "secret"), pages: [row(nil, "secret")]))
    await store.erase()
    #expect(await ids(store) == nil)
    await store.close()
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let bytes = try Data(contentsOf: URL(filePath: folder.path + "/" + file))
      #expect(bytes.range(of: Data("secret".utf8)) == nil, "\(file)")
    }
  }

  @Test func whoeverLeavesLateNeitherErasesNorWritesWhatIsAnothers() async throws {
    let first = open(owner: "first")
    await first.write(StoreBatch(values: notes("a")))
    let second = open(owner: "second")
    await second.write(StoreBatch(values: notes("b"), pages: [row(nil, "b")]))
    await first.write(StoreBatch(values: notes("c")))
    await first.erase()
    #expect(await ids(second) == ["b"])
    #expect(try count() == 1)
    #expect(first.takeNotice() == nil)
  }

  /// So many pages of which nothing is left are passed over, and no more: a list whose pages lead in a circle comes to an end.
  @Test(arguments: [(PageRow.hops, ["a"]), (PageRow.hops + 1, [])]) func pagesOfWhichNothingIsLeftArePassedOver(
    count: Int, found: [String]
  ) async {
    let store = open()
    let empty = (0..<count).map { row($0 == 0 ? nil : "\($0)", next: "\($0 + 1)") }
    await store.write(StoreBatch(values: notes("a"), pages: empty + [row("\(count)", "a")]))
    #expect(await ids(store) == found)
  }

  @Test func newerVersionIsRefusedUntouched() async throws {
    do {
      let connection = try Connection(path: path)
      try connection.script("CREATE TABLE later (x); PRAGMA user_version = 99")
    }
    let before = try Data(contentsOf: URL(filePath: path))
    let store = open()
    await store.write(StoreBatch(values: notes("a"), pages: [row(nil, "a")]))
    #expect(await ids(store) == nil)
    let notice = try #require(store.takeNotice())
    #expect(notice.contains("newer version") && notice.hasSuffix("."))
    #expect(store.takeNotice() == nil)
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test func fileThatIsNoDatabaseIsSetAside() async throws {
    let garbage = Data(repeating: 0x2a, count: 9000)
    try garbage.write(to: URL(filePath: path))
    let store = open()
    #expect(await ids(store) == nil)
    #expect(try #require(store.takeNotice()).hasSuffix("."))
    #expect(store.takeNotice() == nil)
    #expect(try Data(contentsOf: URL(filePath: path + ".damaged")) == garbage)
    await store.write(StoreBatch(values: notes("a"), pages: [row(nil, "a")]))
    #expect(await ids(store) == ["a"])
  }

  @Test func damageThatIsMetLaterSetsTheFileAsideToo() async throws {
    do {
      let store = open()
      let values = (1...500).map { (CacheEntry(Note(id: "\($0)", title: String(repeating: "x", count: 500)), .beforeAll), isPinned: false) }
      await store.write(StoreBatch(values: values, pages: [row(nil, "1", "250", "500")]))
      await store.close()
    }
    // All but the first pages, which hold the schema.
    var bytes = try Data(contentsOf: URL(filePath: path))
    for index in (4096 * 8)..<bytes.count { bytes[index] = 0xee }
    try bytes.write(to: URL(filePath: path))
    let store = open()
    #expect(store.takeNotice() == nil)
    #expect(await ids(store) == nil)
    #expect(store.takeNotice() != nil)
    #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
    await store.write(StoreBatch(values: notes("a"), pages: [row(nil, "a")]))
    #expect(await ids(store) == ["a"])
    await store.close()
    let next = open()
    #expect(await ids(next) == ["a"])
    #expect(next.takeNotice() == nil)
  }

  @Test func valueThatCannotBeReadIsAsGoodAsNone() async throws {
    let store = open()
    await store.write(StoreBatch(values: notes("a", "b"), pages: [row(nil, "a", "b")]))
    await store.close()
    try Connection(path: path).execute("UPDATE entity SET value = x'ff00' WHERE id = 'a'")
    #expect(await ids(open()) == ["b"])
  }

  @Test func closedOrFullStoreStopsNobody() async throws {
    let store = open()
    await store.close()
    await store.write(StoreBatch(values: notes("a")))
    #expect(await ids(store) == nil)
    #expect(store.takeNotice() == nil)
  }

  // MARK: Lists

  @Test func whatNewItemsPushDownStaysReadable() async throws {
    let store = open()
    let all = (1...9).map { (CacheEntry(Note(id: "\($0)"), .beforeAll), isPinned: false) }
    await store.write(
      StoreBatch(
        values: all, pages: [row(nil, "4", "5", "6", next: "after 6"), row("after 6", "7", "8", "9")]))
    // One more came before: the first page ends earlier.
    await store.write(StoreBatch(values: notes("3"), pages: [row(nil, "3", "4", "5", next: "after 5", etag: "\"2\"")]))
    #expect(await ids(store) == ["3", "4", "5"])
    let rest = await store.page(PageKey("all", "after 5"), of: Note.self)
    #expect(rest?.items.map(\.id) == ["6"])
    #expect(rest?.page.etag == nil)
    #expect(rest?.page.next == "after 6")
    #expect(await ids(store, "after 6") == ["7", "8", "9"])
    // Three more, so that the page ends where it ended before.
    await store.write(StoreBatch(values: notes("1", "2"), pages: [row(nil, "1", "2", "3", next: "after 3")]))
    #expect(await ids(store, "after 3") == ["4", "5"])
    // So many that there is a gap: what was read before comes after it.
    await store.write(StoreBatch(values: notes("x", "y"), pages: [row(nil, "x", "y", next: "after y")]))
    #expect(await ids(store, "after y") == ["1", "2", "3"])
    // A page of which nothing is left leads on.
    await store.write(StoreBatch<Note>(pages: [row(nil, "x", "y", "1", "2", "3", next: "after 3b")]))
    #expect(await ids(store, "after 3b") == ["4", "5"])
  }

  @Test func readsOnlyWhatTheFirstScreenShowsOfAHundredThousand() async throws {
    await open().write(StoreBatch<Note>())
    do {
      let connection = try Connection(path: path, synchronous: .normal)
      var form = FieldCoder()
      let value = form.write(Note(id: "x", title: String(repeating: "title ", count: 20))) { Data($0) }
      try connection.transaction {
        try connection.execute(
          """
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000)
          INSERT INTO entity (kind, id, pinned, read, value, detail) SELECT 'Note', 'n' || n, n % 50 = 0, n, ?, ? FROM number
          """, value, String(repeating: "body ", count: 400))
        for page in 0..<2000 {
          let ids = (1...50).map { "n\(page * 50 + $0)" }
          try connection.execute(
            "INSERT INTO page (list, cursor, read, fetched, ids, next) VALUES ('all', ?, 1, 0, ?, ?)", page == 0 ? "" : "\(page)",
            FieldCoder.bytes(ids), "\(page + 1)")
        }
      }
    }
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    #expect(size > 200 << 20)
    let store = open()
    let opened = await store.reading()
    #expect(opened.rows == 0)
    #expect(opened.pages < 10)
    #expect(await store.page(PageKey("all", nil), of: Note.self)?.items.count == 50)
    let first = await store.reading()
    #expect(first.rows == 51)
    // Two trees of three levels, and a page of a few rows each time: of more than fifty thousand pages.
    #expect(first.pages < 160)
    #expect(await store.page(PageKey("all", "1999"), of: Note.self)?.items.count == 50)
    #expect(await store.reading().rows == 102)
    await store.close()
  }

  // MARK: The limit

  private func fill(_ store: EntityStore, _ range: ClosedRange<Int>, pinning pinned: Set<Int> = []) async {
    let values = range.map {
      (CacheEntry(Note(id: "\($0)", title: String(repeating: "x", count: 1000)), .beforeAll), isPinned: pinned.contains($0))
    }
    await store.write(StoreBatch(values: values))
  }

  @Test func whatWasNotReadForLongestGoesFirst() async throws {
    let limit = 400_000
    let store = open(limit: limit)
    store.startEvicting()
    await fill(store, 1...100, pinning: [3, 4])
    await fill(store, 101...200)
    // Shown again.
    await store.write(StoreBatch<Note>(pages: [row(nil, "1", "2")]))
    #expect(await ids(store) == ["1", "2"])
    await fill(store, 201...350)
    await store.close()
    let left = try Connection(path: path).query("SELECT CAST(id AS INTEGER) FROM entity ORDER BY 1") { try $0.get(0, as: Int.self) }
    #expect(left.prefix(4) == [1, 2, 3, 4])
    #expect(!left.contains(5) && !left.contains(100))
    #expect(left.suffix(150) == Array(201...350)[...])
    #expect(try size() <= limit)
  }

  /// Of the pages in use, in bytes.
  private func size() throws -> Int {
    try #require(
      try Connection(path: path).queryOne("SELECT (page_count - freelist_count) * 4096 FROM pragma_page_count, pragma_freelist_count") {
        try $0.get(0, as: Int.self)
      })
  }

  @Test(arguments: [0, 1]) func aFileAsLargeAsItMayBeLosesNothing(excess: Int) async throws {
    let first = open()
    await fill(first, 1...200)
    await first.close()
    let store = open(limit: try size() - excess)
    store.startEvicting()
    // Takes no more room than before.
    await fill(store, 1...1)
    await store.close()
    #expect(try (count() == 200) == (excess == 0))
  }

  @Test func whatIsKeptForGoodIsNeverDropped() async throws {
    let store = open(limit: 100_000)
    store.startEvicting()
    await fill(store, 1...200, pinning: Set(1...200))
    await fill(store, 201...300)
    #expect(try count(where: "pinned = 1") == 200)
    #expect(try count(where: "pinned = 0") == 0)
    let part = await store.entities(Note.self, limit: 120)
    let rest = await store.entities(Note.self, after: try #require(part.next), limit: 120)
    #expect(part.values.count == 120 && rest.values.count == 80 && rest.next == nil)
    #expect(Set((part.values + rest.values).map(\.id)).count == 200)
  }

  @Test func nothingIsDroppedBeforeItIsKnownWhatIsPending() async throws {
    let store = open(limit: 100_000)
    await fill(store, 1...200)
    #expect(try count() == 200)
    await store.write(StoreBatch<Note>(unknown: [("7", true)]))
    store.startEvicting()
    await fill(store, 201...202)
    #expect(try count() < 200)
    #expect(try count(where: "id = '7'") == 1)
  }

  @Test func anotherLimitHoldsAtOnce() async throws {
    let store = open()
    await fill(store, 1...200, pinning: [1])
    let before = await store.size()
    #expect(try before == size())
    await store.setLimit(100_000)
    #expect(try count() == 200, "it is not known yet what is pending")
    store.startEvicting()
    await store.setLimit(100_000)
    #expect(await store.size() <= 100_000)
    #expect(try count(where: "id = '1'") == 1)
    await store.setLimit(1 << 20)
    await fill(store, 201...400)
    #expect(try count() > 200)
  }

  @Test func whatIsNotPinnedCanBeRemovedAndIsWrittenAgainWhenItIsReadAgain() async throws {
    let store = open()
    await fill(store, 1...200, pinning: [7])
    await store.write(StoreBatch<Note>(pages: [row(nil, "1", "7")]))
    await store.removeUnpinned()
    #expect(try count() == 200, "it is not known yet what is pending")
    store.startEvicting()
    await store.removeUnpinned()
    #expect(try count() == 1)
    #expect(await ids(store) == nil)
    #expect(await store.single("7", as: PageKey("=7", nil), of: Note.self) != nil)
    let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    #expect(bytes.map { $0 < 100_000 } == true, "the room is given back")
    await store.write(StoreBatch(values: notes("1"), pages: [row(nil, "1", "7")]))
    #expect(await ids(store) == ["1", "7"])
  }
}
