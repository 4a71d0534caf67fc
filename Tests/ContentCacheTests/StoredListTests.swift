@testable import ContentCache
import Foundation
import Runtime
import SQLiteStorage
import Testing

/// One run of an app on a store, with the server's end of its lists.
@MainActor final class StoreRig {
  struct Requested: Equatable, Sendable {
    var cursor: String?
    var etag: String?
  }

  let effects = Effects()
  let cache: Cache<Note>
  let store: EntityStore
  let gate = Gate<Requested, PageAnswer<Note>>()
  private(set) var labels: [String] = []

  init(_ path: String, clock: any AppClock, limit: Int = EntityStore.defaultLimit) async throws {
    store = EntityStore(path: path, owner: "reader", clock: clock, limit: limit)
    cache = Cache(store: store, effects: effects)
    effects.onDelivery = { [weak self] in self?.labels.append($0.label) }
  }

  func fetcher(_ membership: ListMembership<Note>? = nil, list: String = "notes") -> PageFetcher<Note> {
    PageFetcher("notes.load", list: list, cache: cache, effects: effects, membership: membership, explain: explain) { [gate] in
      try await gate.ask(Requested(cursor: $0, etag: $1))
    }
  }

  func quiet() async {
    var calm = 0
    while calm < 32 {
      await Task.yield()
      calm = effects.inFlight == gate.hanging.count ? calm + 1 : 0
    }
  }

  func answer(_ index: Int = 0, _ ids: String..., next: String? = nil, etag: String? = nil) async {
    await answer(index, .success(.page(FetchedPage(items: ids.map { Note(id: $0, title: $0) }, next: next, etag: etag))))
  }

  func answer(_ index: Int = 0, _ result: Result<PageAnswer<Note>, any Error>) async {
    await quiet()
    gate.answer(index, result)
    await quiet()
  }

  /// The app ends in an orderly way.
  func end() async {
    await cache.written()
    await store.close()
  }
}

@MainActor @Suite(.timeLimit(.minutes(3))) struct StoredListTests {
  private let folder: TemporaryFolder
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_700_000_000))

  init() throws { folder = try TemporaryFolder() }

  private func rig() async throws -> StoreRig { try await StoreRig(folder.path + "/content.sqlite", clock: clock) }

  /// A run that fetched two pages.
  private func readBefore() async throws {
    let rig = try await rig()
    let fetcher = rig.fetcher()
    fetcher.reload()
    await rig.answer(0, "a", "b", next: "2", etag: "\"1\"")
    fetcher.loadMore()
    await rig.answer(0, "c", "d")
    #expect(!fetcher.state.isFromStore)
    await rig.end()
  }

  @Test func listIsShownFromTheStoreAndConfirmedByItsTag() async throws {
    try await readBefore()
    clock.advance(by: .seconds(3600))
    let rig = try await rig()
    let fetcher = rig.fetcher()
    fetcher.reload()
    #expect(fetcher.state.status == .loading)
    await rig.quiet()
    #expect(fetcher.state.ids == ["a", "b"])
    #expect(rig.cache["a"]?.title == "a")
    #expect(fetcher.state.isFromStore && fetcher.state.isReloading)
    #expect(fetcher.state.fetchedAt == Date(timeIntervalSince1970: 1_700_000_000))
    #expect(rig.gate.requested == [.init(cursor: nil, etag: "\"1\"")])
    await rig.answer(0, .success(.notModified))
    #expect(fetcher.state.ids == ["a", "b"])
    #expect(!fetcher.state.isFromStore && fetcher.state.fetchedAt == nil && !fetcher.state.isLoading)
    // Now it is from now.
    await rig.cache.written()
    let page = await rig.store.page(PageKey("notes", nil), of: Note.self)?.page
    #expect(page?.fetchedAt == clock.now)
    #expect(page?.etag == "\"1\"")
  }

  @Test func everythingReadIsThereWithoutNetworkPageByPage() async throws {
    try await readBefore()
    let rig = try await rig()
    let fetcher = rig.fetcher()
    fetcher.reload()
    await rig.answer(0, .failure(Unreachable()))
    #expect(fetcher.state.status == .content)
    #expect(fetcher.state.failure == .unreachable("The server cannot be reached."))
    #expect(fetcher.state.isFromStore && fetcher.state.fetchedAt != nil)
    #expect(rig.cache["c"] == nil)
    #expect(await rig.store.reading().rows == 3)
    fetcher.loadMore()
    await rig.quiet()
    #expect(fetcher.state.ids == ["a", "b", "c", "d"])
    #expect(!fetcher.state.isLoadingMore)
    await rig.answer(0, .failure(Unreachable()))
    #expect(fetcher.state.reachedEnd && fetcher.state.isFromStore)
    // The network is back.
    fetcher.reload()
    #expect(fetcher.state.ids == ["a", "b", "c", "d"])
    await rig.answer(0, "n", "a", next: "1b")
    // What the new one pushed down stays, and is asked about; so does what was read further down.
    #expect(fetcher.state.ids == ["n", "a", "b", "c", "d"])
    #expect(rig.gate.hanging.map(\.question.cursor) == ["1b"])
    await rig.answer(0, "b", "c", next: "2b")
    #expect(fetcher.state.ids == ["n", "a", "b", "c", "d"])
  }

  @Test func whoHasScrolledDownIsNotThrownBackByTheAnswer() async throws {
    try await readBefore()
    let rig = try await rig()
    let fetcher = rig.fetcher()
    fetcher.reload()
    await rig.quiet()
    fetcher.loadMore()
    await rig.quiet()
    #expect(fetcher.state.ids == ["a", "b", "c", "d"])
    await rig.answer(1, "c", "d")
    await rig.answer(0, "n", "a", next: "1b")
    #expect(fetcher.state.ids == ["n", "a", "b", "c", "d"])
    // What moved is asked about.
    #expect(fetcher.state.isFromStore)
    #expect(rig.gate.hanging.map(\.question.cursor) == ["1b"])
    await rig.answer(0, "b", next: "2")
    #expect(fetcher.state.ids == ["n", "a", "b", "c", "d"])
    #expect(!fetcher.state.isFromStore)
  }

  @Test func whatIsNotWholeIsAskedForInFull() async throws {
    try await readBefore()
    let rig = try await rig()
    await rig.store.write(StoreBatch<Note>(removed: ["b"]))
    let fetcher = rig.fetcher()
    fetcher.reload()
    await rig.quiet()
    #expect(fetcher.state.ids == ["a"])
    #expect(rig.gate.requested == [.init(cursor: nil, etag: nil)])
    await rig.answer(0, "a", "b", next: "2", etag: "\"1\"")
    #expect(fetcher.state.ids == ["a", "b"])
  }

  @Test(arguments: FetchPolicy.allCases) func policies(policy: FetchPolicy) async throws {
    try await readBefore()
    let rig = try await rig()
    let fetcher = rig.fetcher()
    fetcher.reload(policy)
    await rig.quiet()
    let showsAtOnce = policy == .storedOnly || policy == .storedThenServer
    #expect(fetcher.state.ids == (showsAtOnce ? ["a", "b"] : []))
    #expect(rig.gate.hanging.count == (policy == .storedOnly ? 0 : 1))
    guard policy != .storedOnly else {
      #expect(fetcher.state.isFromStore && !fetcher.state.isLoading)
      fetcher.loadMore()
      await rig.quiet()
      #expect(fetcher.state.ids == ["a", "b", "c", "d"])
      return #expect(rig.gate.requested.isEmpty)
    }
    await rig.answer(0, .failure(Unreachable()))
    #expect(fetcher.state.status == (policy == .network ? .offline("The server cannot be reached.") : .content))
    #expect(fetcher.state.isFromStore == (policy != .network))
    #expect(!fetcher.state.isLoading)
    fetcher.reload(policy)
    await rig.answer(0, .failure(Refused()))
    #expect(fetcher.state.failure == .refused("The server said no."))
  }

  @Test func neverFetchedListIsEmptyInTheCacheOnly() async throws {
    let rig = try await rig()
    let fetcher = rig.fetcher()
    fetcher.reload(.storedOnly)
    await rig.quiet()
    #expect(fetcher.state.status == .empty)
  }

  // MARK: Sharing

  @Test func samePageAskedByTwoIsOneRequest() async throws {
    let rig = try await rig()
    let (first, second, other) = (rig.fetcher(), rig.fetcher(), rig.fetcher(list: "others"))
    for fetcher in [first, second, other] { fetcher.reload() }
    await rig.quiet()
    #expect(rig.gate.hanging.count == 2)
    await rig.answer(0, "a", next: "2")
    #expect(first.state.ids == ["a"] && second.state.ids == ["a"] && other.state.ids == [])
    first.loadMore()
    second.loadMore()
    await rig.quiet()
    #expect(rig.gate.hanging.count == 2)
    await rig.answer(1, .failure(Unreachable()))
    #expect(first.state.failure != nil && second.state.failure != nil)
    await rig.answer(0, "b")
  }

  @Test func whoeverLeavesTakesTheAnswerFromNobody() async throws {
    let rig = try await rig()
    var first: PageFetcher<Note>? = rig.fetcher()
    let second = rig.fetcher()
    first?.reload()
    second.reload()
    await rig.quiet()
    first = nil
    await rig.answer(0, "a")
    #expect(second.state.ids == ["a"])
    second.reload()
    await rig.quiet()
    second.reset()
    await rig.answer(0, "b")
    #expect(rig.cache["b"] == nil)
  }

  @Test func oneEntityIsAskedForOnceAndAnewWhenItMayHaveChanged() async throws {
    let rig = try await rig()
    let gate = rig.gate
    let load = { (refetch: Bool) in
      Task { @MainActor in
        try await rig.cache.load("a", "note.load", effects: rig.effects, refetch: refetch) {
          try await gate.ask(.init(cursor: "=a", etag: $0))
        }
      }
    }
    let (one, two) = (load(false), load(false))
    await rig.quiet()
    #expect(gate.hanging.count == 1)
    let three = load(true)
    await rig.quiet()
    #expect(gate.hanging.count == 2)
    await rig.answer(1, .success(.page(FetchedPage(items: [Note(id: "a", title: "new", body: "text")], etag: "\"1\""))))
    await rig.answer(0, .success(.page(FetchedPage(items: [Note(id: "a", title: "old")]))))
    for task in [one, two, three] { #expect(try await task.value == Note(id: "a", title: "new", body: "text")) }
    await rig.end()

    let next = try await self.rig()
    let again = Task { @MainActor in
      try await next.cache.load("a", "note.load", effects: next.effects) { try await next.gate.ask(.init(cursor: "=a", etag: $0)) }
    }
    await next.quiet()
    #expect(next.cache["a"]?.body == "text")
    #expect(next.gate.requested.map(\.etag) == ["\"1\""])
    await next.answer(0, .success(.notModified))
    #expect(try await again.value.body == "text")
  }

  @Test func whoeverSignedOutIsToldNothingMore() async throws {
    try await readBefore()
    let rig = try await rig()
    let fetcher = rig.fetcher()
    fetcher.reload()
    let loading = Task { @MainActor in
      try await rig.cache.load("a", "note.load", effects: rig.effects) { try await rig.gate.ask(.init(cursor: "=a", etag: $0)) }
    }
    await rig.quiet()
    rig.cache.store([Note(id: "x")])
    rig.cache.removeAll()
    for _ in 0..<2 { await rig.answer(0, "a", "z") }
    await #expect(throws: CancellationError.self) { try await loading.value }
    #expect(rig.cache["a"] == nil && rig.cache["z"] == nil)
    await rig.cache.written()
    #expect(await rig.store.single("x", as: PageKey("=x", nil), of: Note.self) == nil)
  }

  // MARK: Writing

  @Test func whatChangesInATurnIsOneWrite() async throws {
    let rig = try await rig()
    for number in 1...5 { rig.cache.store([Note(id: "a", likes: number), Note(id: "\(number)")]) }
    await rig.cache.written()
    #expect(rig.labels == ["Note.write"])
    rig.cache.remove(["a", "1"])
    rig.cache.store([Note(id: "1", likes: 7)])
    await rig.end()
    let next = try await self.rig()
    #expect(await next.store.single("a", as: PageKey("=a", nil), of: Note.self) == nil)
    #expect(await next.store.single("1", as: PageKey("=1", nil), of: Note.self)?.items.map { $0.value(of: Note.self).likes } == [7])
  }

  @Test func answerThatCameWhileTheStoreWasReadIsNewer() async throws {
    try await readBefore()
    let rig = try await rig()
    let fetcher = rig.fetcher()
    fetcher.reload(.storedOnly)
    rig.cache.store([Note(id: "a", title: "newer")])
    rig.cache.remove(["b"])
    await rig.quiet()
    #expect(rig.cache["a"]?.title == "newer")
    #expect(fetcher.state.ids == ["a"])
  }

  @Test func pendingActionsAreFoldedOverStoredValues() async throws {
    let path = folder.path + "/content.sqlite"
    let outboxPath = folder.path + "/outbox.sqlite"
    do {
      let store = EntityStore(path: path, owner: "reader", clock: clock)
      let database = try await Database(path: outboxPath, migrations: Outbox.migrations)
      let world = World(outbox: Outbox(database: database, owner: "reader"), store: store)
      await world.controller.resume()
      world.cache.store([Note(id: "a", likes: 5)])
      world.like("a")
      await world.quiet()
      #expect(world.cache["a"]?.likes == 6)
      await world.cache.written()
      await world.controller.written()
      await store.close()
      await database.close()
      world.gate.answer(0, .failure(CancellationError()))
    }
    let stored = try Connection(path: path).queryOne("SELECT pinned FROM entity WHERE id = 'a'") { try $0.get(0, as: Bool.self) }
    #expect(stored == true)
    let store = EntityStore(path: path, owner: "reader", clock: clock)
    let database = try await Database(path: outboxPath, migrations: Outbox.migrations)
    let world = World(outbox: Outbox(database: database, owner: "reader"), store: store)
    await world.controller.resume()
    #expect(world.cache["a"] == nil)
    _ = await world.cache.loadFromStore(PageKey("=a", nil), single: "a")
    // The server's value is what was stored; the action is on top of it.
    #expect(world.cache["a"] == Note(id: "a", liked: true, likes: 6))
    await world.quiet()
    await world.answer(0, .failure(Refused()))
    #expect(world.cache["a"] == Note(id: "a", likes: 5))
    await world.cache.written()
    #expect(try Connection(path: path).queryOne("SELECT pinned FROM entity WHERE id = 'a'") { try $0.get(0, as: Bool.self) } == false)
  }

  @Test func anAnswerThatComesJustBeforeWhatIsStoredIsWrittenWithIt() async throws {
    do {
      let rig = try await rig()
      rig.cache.store([Note(id: "a", title: "old", body: "body")])
      await rig.end()
    }
    do {
      let rig = try await rig()
      rig.effects.onDelivery = { [cache = rig.cache] in if $0.label == "Note.load" { cache.store([Note(id: "a", title: "new")]) } }
      _ = await rig.cache.loadFromStore(PageKey("=a", nil), single: "a")
      #expect(rig.cache["a"] == Note(id: "a", title: "new", body: "body"))
      await rig.end()
    }
    let rig = try await rig()
    _ = await rig.cache.loadFromStore(PageKey("=a", nil), single: "a")
    #expect(rig.cache["a"] == Note(id: "a", title: "new", body: "body"))
  }

  @Test func whatIsForgottenBeforeItIsWrittenIsNotWritten() async throws {
    do {
      let rig = try await rig()
      rig.cache.store([Note(id: "a", title: "old")])
      rig.cache.store([Note(id: "a", title: "new")])
      rig.cache.remove(["a"])
      await rig.end()
    }
    let rig = try await rig()
    _ = await rig.cache.loadFromStore(PageKey("=a", nil), single: "a")
    #expect(rig.cache["a"] == nil)
  }

  @Test func whatTheReaderKeepsIsListedWithoutTheListEverFetched() async throws {
    do {
      let rig = try await rig()
      rig.cache.store([Note(id: "a", title: "1", marked: true), Note(id: "b", title: "2"), Note(id: "c", title: "0", marked: true)])
      await rig.end()
    }
    let rig = try await rig()
    let fetcher = rig.fetcher(ListMembership(contains: \.marked, precedes: { $0.title < $1.title }), list: "marked")
    fetcher.reload()
    await rig.answer(0, .failure(Unreachable()))
    #expect(fetcher.state.ids == ["c", "a"])
    #expect(fetcher.state.isFromStore && fetcher.state.fetchedAt == nil)
  }

  // MARK: Nothing moves

  /// The second run of ``readBefore()``, with both of its pages on screen, neither confirmed.
  private func reading(_ rig: StoreRig) async -> PageFetcher<Note> {
    let fetcher = rig.fetcher()
    fetcher.reload(showsNewItems: false)
    await rig.quiet()
    fetcher.loadMore()
    await rig.quiet()
    #expect(fetcher.state.ids == ["a", "b", "c", "d"])
    return fetcher
  }

  @Test func whatIsNewWaitsAboveWhatWasStored() async throws {
    try await readBefore()
    let rig = try await rig()
    let fetcher = await reading(rig)
    await rig.answer(0, "m", "n", "a", next: "1b")
    #expect(fetcher.state.ids == ["a", "b", "c", "d"])
    #expect((fetcher.state.newItemCount, fetcher.state.hasMoreNewItems, fetcher.state.isReloading) == (2, false, false))
    fetcher.showNewItems()
    #expect(fetcher.state.ids == ["m", "n", "a", "b", "c", "d"])
    #expect(fetcher.state.newItemCount == 0)
  }

  @Test func whatIsNewConnectsWithNothingAndTheListStaysUntilItIsWanted() async throws {
    try await readBefore()
    let rig = try await rig()
    let fetcher = await reading(rig)
    await rig.answer(0, "m", "n", next: "1b")
    #expect(fetcher.state.ids == ["a", "b", "c", "d"])
    #expect((fetcher.state.newItemCount, fetcher.state.hasMoreNewItems, fetcher.state.isReloading) == (2, true, false))
    await rig.answer(0, "c", "d")
    fetcher.showNewItems()
    #expect(fetcher.state.ids == ["m", "n"])
    #expect((fetcher.state.newItemCount, fetcher.state.hasMoreNewItems) == (0, false))
    fetcher.loadMore()
    await rig.answer(0, "o", "a", next: "1")
    #expect(fetcher.state.ids == ["m", "n", "o", "a", "b"])
  }

  @Test func whatTheServerNoLongerHasGoesAndNothingElse() async throws {
    try await readBefore()
    let rig = try await rig()
    let fetcher = await reading(rig)
    await rig.answer(0, "b", next: "2")
    #expect(fetcher.state.ids == ["b", "c", "d"])
    await rig.answer(0, "c", "d")
    // The whole list is another one now.
    fetcher.reload(showsNewItems: false)
    await rig.answer(0, "x", "y")
    #expect((fetcher.state.ids, fetcher.state.newItemCount, fetcher.state.reachedEnd) == (["x", "y"], 0, true))
    fetcher.reload(showsNewItems: false)
    await rig.answer(0, .success(.page(FetchedPage(items: []))))
    #expect(fetcher.state.status == .empty)
    // Nobody reads an empty list.
    fetcher.reload(showsNewItems: false)
    await rig.answer(0, "z", next: "2")
    #expect((fetcher.state.ids, fetcher.state.newItemCount) == (["z"], 0))
  }

  @Test func sameAnswerIsNoChangeAndThePageOnItsWayArrives() async throws {
    let rig = try await rig()
    let fetcher = rig.fetcher()
    fetcher.reload()
    await rig.answer(0, "a", "b", next: "2")
    fetcher.loadMore()
    await rig.quiet()
    var lists: [[String]] = []
    fetcher.onChange = { if lists.last != $0.ids { lists.append($0.ids) } }
    fetcher.reload(showsNewItems: false)
    await rig.answer(1, "a", "b", next: "2")
    #expect(lists == [["a", "b"]])
    await rig.answer(0, "c", next: "3")
    fetcher.reload()
    await rig.answer(0, "n", "a", next: "1")
    #expect(lists == [["a", "b"], ["a", "b", "c"], ["n", "a", "b", "c"]])
    // The pages behind it are asked for again, one after the other.
    await rig.answer(0, "b", next: "2")
    await rig.answer(0, "c", next: "3")
    #expect(lists.count == 3)
    fetcher.loadMore()
    await rig.answer(0, "d")
    #expect(rig.gate.requested.last?.cursor == "3")
    #expect(fetcher.state.ids == ["n", "a", "b", "c", "d"])
  }

  @Test func readerWhoAsksWhileTheListIsRenewedSeesWhatIsNew() async throws {
    try await readBefore()
    let rig = try await rig()
    let fetcher = await reading(rig)
    fetcher.reload()
    await rig.answer(0, "n", "a", "b", next: "2")
    #expect((fetcher.state.ids, fetcher.state.newItemCount) == (["n", "a", "b", "c", "d"], 0))
    #expect(rig.gate.requested.filter { $0.cursor == nil }.count == 1)
  }

  private let marked = ListMembership<Note>(contains: \.marked, precedes: { $0.title < $1.title })

  private func note(_ number: Int, of count: Int) -> Note {
    Note(id: "n\(number)", title: "\(1_000_000 + number * 7919 % count)", marked: true)
  }

  /// A run that marked many notes while it read others.
  private func markedBefore(_ count: Int) async throws -> [String] {
    let notes = (0..<count).map { note($0, of: count) }
    let rig = try await rig()
    rig.cache.store(notes + (0..<100).map { Note(id: "other\($0)") })
    await rig.end()
    return notes.sorted { $0.title < $1.title }.map(\.id)
  }

  @Test func allThatTheReaderKeepsIsListedHoweverMuch() async throws {
    let all = try await markedBefore(1_200)
    let rig = try await rig()
    let fetcher = rig.fetcher(marked, list: "marked")
    fetcher.reload()
    await rig.answer(0, .failure(Unreachable()))
    #expect(fetcher.state.ids == all)
    #expect(await rig.store.reading().rows == 1_200)
    // In parts: others may ask between.
    #expect(rig.labels.count { $0 == "Note.load" } == 1 + 3)
    // A second page for the same asks nobody.
    let second = rig.fetcher(marked, list: "marked")
    second.reload(.storedOnly)
    await rig.quiet()
    #expect(second.state.ids == all)
  }

  @Test func beyondTheLastPageThatWasFetchedIsWhatTheReaderKeeps() async throws {
    let all = try await markedBefore(1_200)
    let page = { (range: Range<Int>, next: String?) in
      let items = all[range].compactMap { Int($0.dropFirst()).map { note($0, of: 1_200) } }
      return Result<PageAnswer<Note>, any Error>.success(.page(FetchedPage(items: items, next: next)))
    }
    do {
      let rig = try await rig()
      let fetcher = rig.fetcher(marked, list: "marked")
      fetcher.reload()
      await rig.answer(0, page(0..<50, "2"))
      #expect(fetcher.state.ids == Array(all[..<50]))
      await rig.end()
    }
    let rig = try await rig()
    let fetcher = rig.fetcher(marked, list: "marked")
    fetcher.reload()
    await rig.answer(0, .failure(Unreachable()))
    #expect(fetcher.state.ids == Array(all[..<50]))
    fetcher.loadMore()
    await rig.answer(0, .failure(Unreachable()))
    #expect(fetcher.state.ids == all)
    #expect(!fetcher.state.reachedEnd && fetcher.state.failure != nil, "there may be more that was never here")
    // The network is back: from here on it is what the server says.
    fetcher.loadMore()
    await rig.answer(0, page(50..<100, "3"))
    #expect(fetcher.state.ids == Array(all[..<100]))
    fetcher.reload()
    await rig.answer(0, page(0..<50, "2"))
    fetcher.reloadFromCache()
    #expect(fetcher.state.ids == Array(all[..<100]))
    // And goes in the midst of a run.
    fetcher.loadMore()
    await rig.answer(0, .failure(Unreachable()))
    #expect(fetcher.state.ids == all)
  }

  @Test func lookingForNewerChangesNothing() async throws {
    let rig = try await rig()
    let fetcher = rig.fetcher()
    fetcher.reload()
    await rig.answer(0, "b", "c", next: "2")
    let state = fetcher.state
    fetcher.checkForNewItems()
    await rig.answer(0, "x", "a", "b", next: "1")
    #expect((fetcher.state.newItemCount, fetcher.state.hasMoreNewItems) == (2, false))
    #expect((fetcher.state.ids, fetcher.state.status, fetcher.state.isLoading) == (state.ids, .content, false))
    fetcher.checkForNewItems()
    await rig.answer(0, .failure(Unreachable()))
    #expect(fetcher.state.newItemCount == 2 && fetcher.state.failure == nil)
    fetcher.checkForNewItems()
    await rig.quiet()
    fetcher.reload()
    #expect(fetcher.state.newItemCount == 0)
    await rig.answer(1, "x", "a", "b", next: "1")
    await rig.answer(0, "late")
    #expect(fetcher.state.ids == ["x", "a", "b", "c"])
    #expect(fetcher.state.newItemCount == 0)
  }
}
