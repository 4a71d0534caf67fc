import ContentCache
import Foundation
import Runtime
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct PageFetcherTests {
  private let effects = Effects()
  private let cache = Cache<Note>()
  private let gate = Gate<String?, FetchedPage<Note>>()

  private func fetcher(_ membership: ListMembership<Note>? = nil) -> PageFetcher<Note> {
    let gate = gate
    return PageFetcher("notes.load", list: "notes", cache: cache, effects: effects, membership: membership, explain: explain) { cursor, _ in
      .page(try await gate.ask(cursor))
    }
  }

  private func page(_ ids: String..., next: String? = nil) -> FetchedPage<Note> {
    FetchedPage(items: ids.map { Note(id: $0) }, next: next)
  }

  private func quiet() async {
    // One look is not enough: a delivery may just have started a task that is about to ask the next question.
    var calm = 0
    while calm < 5 {
      await Task.yield()
      calm = effects.inFlight == gate.hanging.count ? calm + 1 : 0
    }
  }

  private func answer(_ index: Int = 0, _ result: Result<FetchedPage<Note>, any Error>) async {
    await quiet()
    gate.answer(index, result)
    await quiet()
  }

  @Test func loadsPageAfterPage() async {
    let fetcher = fetcher()
    var statuses: [PageFetcher<Note>.State.Status] = [fetcher.state.status]
    fetcher.onChange = { if statuses.last != $0.status { statuses.append($0.status) } }
    fetcher.reload()
    #expect(fetcher.state.isReloading)
    #expect(!fetcher.state.isLoadingMore && !fetcher.state.isRevalidating)
    await answer(0, .success(page("a", "b", next: "2")))
    #expect(fetcher.state.ids == ["a", "b"])
    #expect(!fetcher.state.reachedEnd)
    #expect(cache["a"] != nil)
    fetcher.loadMore()
    #expect(fetcher.state.isLoadingMore)
    await answer(0, .success(page("c")))
    #expect(fetcher.state.ids == ["a", "b", "c"])
    #expect(fetcher.state.reachedEnd)
    #expect(!fetcher.state.isLoading)
    fetcher.loadMore()
    #expect(!fetcher.state.isLoading)
    #expect(gate.requested == [nil, "2"])
    #expect(statuses == [.initial, .loading, .content])
  }

  @Test func emptyFailedAndOfflineAreDifferentThings() async {
    let fetcher = fetcher()
    fetcher.reload()
    await answer(0, .failure(Refused()))
    #expect(fetcher.state.status == .failed("The server said no."))
    fetcher.reload()
    #expect(fetcher.state.status == .loading)
    await answer(0, .failure(Unreachable()))
    #expect(fetcher.state.status == .offline("The server cannot be reached."))
    fetcher.reload()
    await answer(0, .success(page()))
    #expect(fetcher.state.status == .empty)
    #expect(fetcher.state.failure == nil)
  }

  /// Two requests under way at once fail, or not, each by itself.
  @Test(arguments: [true, false]) func aFailureIsThatOfItsRequest(isReload: Bool) async {
    let fetcher = fetcher()
    fetcher.reload()
    await answer(0, .success(page("a", next: "2")))
    fetcher.loadMore()
    fetcher.reload()
    #expect(fetcher.state.isReloading && fetcher.state.isLoadingMore)
    // The next page was asked for first.
    await answer(isReload ? 1 : 0, .failure(Unreachable()))
    await answer(0, .success(isReload ? page("b") : page("a", next: "2")))
    let failure = RequestError.unreachable("The server cannot be reached.")
    #expect(fetcher.state.reloadFailure == (isReload ? failure : nil))
    #expect(fetcher.state.loadMoreFailure == (isReload ? nil : failure))
    #expect(fetcher.state.ids == (isReload ? ["a", "b"] : ["a"]))
    fetcher.loadMore()
    if isReload { return #expect(fetcher.state.reachedEnd) }
    #expect(fetcher.state.failure == nil)
  }

  /// Otherwise nobody would ask for the page that follows now.
  @Test func aPageThatIsDroppedTakesItsFailureWithIt() async {
    let fetcher = fetcher()
    fetcher.reload()
    await answer(0, .success(page("a", "b", next: "2")))
    fetcher.loadMore()
    fetcher.reload()
    await answer(0, .failure(Unreachable()))
    #expect(fetcher.state.loadMoreFailure != nil)
    // None of it is shown, so that other pages follow now.
    await answer(0, .success(page("x", "y", next: "3")))
    #expect(fetcher.state.failure == nil)
    #expect(fetcher.state.ids == ["x", "y"] && !fetcher.state.reachedEnd)
  }

  @Test func theListIsEmptyOnceTheCacheWasEmptied() async {
    let fetcher = fetcher()
    fetcher.reload()
    await answer(0, .success(page("a", next: "2")))
    fetcher.reload()
    cache.removeAll()
    #expect(fetcher.state.ids.isEmpty && fetcher.state.status == .initial && !fetcher.state.isLoading)
    fetcher.reload()
    #expect(fetcher.state.status == .loading)
  }

  @Test func failedReloadKeepsWhatIsThere() async {
    let fetcher = fetcher()
    fetcher.reload()
    await answer(0, .success(page("a", next: "2")))
    fetcher.reload()
    await answer(0, .failure(Unreachable()))
    #expect(fetcher.state.status == .content)
    #expect(fetcher.state.failure == .unreachable("The server cannot be reached."))
    fetcher.loadMore()
    #expect(fetcher.state.failure == nil)
    await answer(0, .failure(Refused()))
    #expect(fetcher.state.failure == .refused("The server said no."))
    fetcher.loadMore()
    await answer(0, .success(page("b")))
    #expect(fetcher.state.ids == ["a", "b"])
    #expect(gate.requested == [nil, nil, "2", "2"])
  }

  @Test func concurrentReloadsAreOne() async {
    let fetcher = fetcher()
    fetcher.reload()
    fetcher.reload()
    await answer(0, .success(page("a")))
    #expect(gate.requested.count == 1)
    fetcher.reload()
    await answer(0, .success(page("a")))
    #expect(gate.requested.count == 2)
  }

  @Test func postInsertedMeanwhileIsNotThereTwice() async {
    let fetcher = fetcher()
    fetcher.reload()
    await answer(0, .success(page("b", "c", "c", next: "2")))
    #expect(fetcher.state.ids == ["b", "c"])
    fetcher.loadMore()
    await answer(0, .success(page("c", "d", next: "3")))
    #expect(fetcher.state.ids == ["b", "c", "d"])
  }

  @Test func whatAPageHasTwiceIsThereOnce() async {
    let fetcher = fetcher()
    fetcher.reload()
    await answer(0, .success(page("a", "b", "a", next: "2")))
    #expect(fetcher.state.ids == ["a", "b"])
    fetcher.loadMore()
    await answer(0, .success(page("c", "b", "c")))
    #expect(fetcher.state.ids == ["a", "b", "c"])
  }

  private func shown(_ pages: [(ids: [String], next: String?)]) async -> PageFetcher<Note> {
    let fetcher = fetcher()
    for (number, page) in pages.enumerated() {
      if number == 0 { fetcher.reload() } else { fetcher.loadMore() }
      await answer(0, .success(FetchedPage(items: page.ids.map { Note(id: $0) }, next: page.next)))
    }
    return fetcher
  }

  /// A server may get many items late that belong between the first and the second: there may be more of them than the page has room for.
  @Test func whereItemsMayBeMissingInBetweenTheListEnds() async {
    let fetcher = await shown([(["x", "b", "c"], "2"), (["d", "e"], "3")])
    fetcher.reload()
    await answer(0, .success(page("x", "l1", "l2", next: "1b")))
    #expect(fetcher.state.ids == ["x", "l1", "l2"])
    fetcher.loadMore()
    await answer(0, .success(page("l3", "b", next: "2b")))
    #expect(fetcher.state.ids == ["x", "l1", "l2", "l3", "b"])
    #expect(gate.requested == [nil, "2", nil, "1b"])
  }

  /// Late items may be on any of the pages that are shown. A reader further down keeps their place.
  @Test func allPagesThatAreShownAreAskedForAgain() async {
    let fetcher = await shown([(["a", "b"], "2"), (["c", "d"], "3"), (["e", "f"], nil)])
    fetcher.reload()
    await answer(0, .success(page("a", "b", next: "2")))
    await answer(0, .success(page("c", "l", next: "2b")))
    // What is behind the last one of that page is not known any more, so there is no page to ask for.
    #expect(fetcher.state.ids == ["a", "b", "c", "l"])
    #expect(gate.hanging.isEmpty && !fetcher.state.reachedEnd)
    let other = await shown([(["a", "b"], "2"), (["c", "d"], "3"), (["e", "f"], nil)])
    other.reload()
    await answer(0, .success(page("n", "a", next: "1b")))
    #expect(other.state.ids == ["n", "a", "b", "c", "d", "e", "f"])
    await answer(0, .success(page("b", "c", next: "2c")))
    await answer(0, .success(page("d", "e", next: "3c")))
    await answer(0, .success(page("f")))
    #expect(other.state.ids == ["n", "a", "b", "c", "d", "e", "f"])
    #expect(other.state.reachedEnd && gate.hanging.isEmpty)
  }

  /// Nobody waits for what is asked only to be sure.
  @Test func whoReloadsBesideThatStartsNothingTwice() async {
    let fetcher = await shown([(["a"], "2"), (["b"], "3"), (["c"], nil)])
    fetcher.reload()
    await answer(0, .success(page("a", next: "2")))
    #expect(!fetcher.state.isReloading && gate.hanging.count == 1)
    fetcher.reload(showsNewItems: false)
    await quiet()
    await answer(1, .success(page("a", next: "2")))
    await answer(0, .failure(Unreachable()))
    #expect(fetcher.state.ids == ["a", "b", "c"])
    #expect(gate.hanging.isEmpty)
  }

  /// A server may go on without end, and whoever loads until there is something to show would ask for ever.
  @Test func afterSomeEmptyPagesTheNextWaitsForAnotherTry() async {
    let fetcher = fetcher()
    fetcher.onChange = { [weak fetcher] state in
      if state.status == .empty, !state.reachedEnd, state.failure == nil { fetcher?.loadMore() }
    }
    fetcher.reload()
    for number in 1...6 { await answer(0, .success(page(next: "\(number)"))) }
    #expect(gate.requested == [nil, "1", "2", "3", "4", "5"])
    #expect(gate.hanging.isEmpty)
    #expect(fetcher.state.loadMoreFailure == nothingNew)
    #expect(fetcher.state.status == .failed(nothingNew.sentence))
    // The page that was one too many is shown now, and confirmed.
    fetcher.loadMore()
    await quiet()
    #expect(Set(gate.hanging.map(\.question)) == ["5", "6"])
    await answer(gate.hanging.firstIndex { $0.question == "5" } ?? 0, .success(page(next: "6")))
    await answer(0, .success(page("a")))
    #expect(fetcher.state.ids == ["a"])
    #expect(fetcher.state.reachedEnd && fetcher.state.failure == nil && gate.hanging.isEmpty)
  }

  private var nothingNew: RequestError { .refused("There may be more, but the last pages were empty. Try again to look further.") }

  @Test(arguments: [false, true]) func pagesThatRepeatAnEarlierOneBringNothingNew(hasMembership: Bool) async {
    let fetcher = fetcher(hasMembership ? marked : nil)
    let note = Note(id: "a", marked: true)
    fetcher.reload()
    await answer(0, .success(FetchedPage(items: [note], next: "1")))
    for number in 2...7 {
      #expect(fetcher.state.failure == nil)
      fetcher.loadMore()
      await answer(0, .success(FetchedPage(items: [note], next: "\(number)")))
    }
    #expect(fetcher.state.loadMoreFailure == nothingNew)
    #expect(fetcher.state.ids == ["a"])
  }

  private var marked: ListMembership<Note> { ListMembership(contains: \.marked) { $0.id < $1.id } }

  /// Between two that belong to the list there may be many that do not.
  @Test func pagesOfWhatDoesNotBelongToTheListAreProgress() async {
    let fetcher = fetcher(marked)
    fetcher.reload()
    for number in 1...10 {
      await answer(0, .success(FetchedPage(items: [Note(id: "other \(number)")], next: "\(number)")))
      fetcher.reloadFromCache()
      #expect(fetcher.state.ids == [] && fetcher.state.failure == nil)
      fetcher.loadMore()
    }
    await answer(0, .success(FetchedPage(items: [Note(id: "a", marked: true)])))
    #expect(fetcher.state.ids == ["a"])
  }

  @Test func nextPageOfAnOlderListIsDropped() async {
    let fetcher = fetcher()
    fetcher.reload()
    await answer(0, .success(page("a", next: "2")))
    fetcher.loadMore()
    await quiet()
    fetcher.reload()
    await answer(1, .success(page("x", next: "x2")))
    #expect(!fetcher.state.isLoadingMore)
    await answer(0, .success(page("b", next: "3")))
    #expect(fetcher.state.ids == ["x"])
    #expect(cache["b"] == nil)
    fetcher.loadMore()
    await answer(0, .success(page("y")))
    #expect(gate.requested.last == "x2")
    #expect(fetcher.state.ids == ["x", "y"])
  }

  @Test func nothingArrivesAfterAReset() async {
    let fetcher = fetcher()
    fetcher.reload()
    await quiet()
    fetcher.reset()
    cache.removeAll()
    #expect(fetcher.state.status == .initial)
    await answer(0, .success(page("a")))
    #expect(fetcher.state.status == .initial)
    #expect(cache["a"] == nil)
  }

  @Test func releasedFetcherStoresNothing() async {
    var fetcher: PageFetcher<Note>? = fetcher()
    fetcher?.reload()
    await quiet()
    weak let released = fetcher
    fetcher = nil
    #expect(released == nil)
    await answer(0, .success(page("a")))
    #expect(cache["a"] == nil)
  }

  @Test(arguments: [false, true]) func whatIsNoMoreSinceTheServerWasAskedIsNotListed(byCondition: Bool) async {
    let fetcher = fetcher()
    fetcher.reload()
    await quiet()
    if byCondition { cache.remove { $0.id == "b" } } else { cache.remove(["b"]) }
    await answer(0, .success(page("a", "b", "c")))
    #expect(fetcher.state.ids == ["a", "c"])
    #expect(cache["b"] == nil)
  }

  @Test func answerAskedForBeforeAnActionWasConfirmedDoesNotUndoIt() async {
    let controller = ActionController(outbox: nil, effects: effects, retry: RetryEnvironment(on: ManualClock())) { error, _ in
      explain(error)
    }
    controller.register(MarkAction.self, cache: cache) { Note(id: $0.entityID, marked: true) }
    let fetcher = fetcher()
    fetcher.reload()
    await quiet()
    controller.perform(MarkAction(id: UUID(), entityID: "a", on: true))
    await quiet()
    #expect(controller.outboxStatus.value == OutboxStatus())
    await answer(0, .success(page("a")))
    #expect(cache["a"]?.marked == true)
  }

  @Test func reappearingPageRereadsTheCache() async {
    let fetcher = fetcher()
    fetcher.reload()
    await answer(0, .success(page("a", "b")))
    cache.remove(["a"])
    #expect(fetcher.state.ids == ["a", "b"])
    fetcher.reloadFromCache()
    #expect(fetcher.state.ids == ["b"])
    #expect(gate.requested.count == 1)
  }

  @Test func listThatTheReaderChangesFollowsTheCache() async {
    let fetcher = fetcher(ListMembership(contains: \.marked, precedes: { $0.title < $1.title }))
    cache.store([Note(id: "z", title: "0", marked: true)])
    fetcher.reloadFromCache()
    #expect(fetcher.state.ids == [])
    fetcher.reload()
    let items = [Note(id: "b", title: "2", marked: true), Note(id: "d", title: "4", marked: true)]
    await answer(0, .success(FetchedPage(items: items, next: "5")))
    cache.store([Note(id: "b", title: "2"), Note(id: "c", title: "3", marked: true), Note(id: "e", title: "5", marked: true)])
    cache.store([Note(id: "f", title: "1")])
    fetcher.reloadFromCache()
    // "e" lies behind what was fetched: the next page brings it. "z" was known before the server was asked, which left it out.
    #expect(fetcher.state.ids == ["c", "d"])
    fetcher.loadMore()
    await answer(0, .success(FetchedPage(items: [Note(id: "e", title: "5", marked: true)])))
    cache.store([Note(id: "g", title: "9", marked: true)])
    fetcher.reloadFromCache()
    #expect(fetcher.state.ids == ["c", "d", "e", "g"])
  }

  @Test func whatWasKnownBeforeAndTheServerLeavesOutLeavesTheList() async {
    let membership = ListMembership<Note>(contains: \.marked) { $0.id < $1.id }
    let first = fetcher(membership)
    first.reload()
    let page = FetchedPage(items: [Note(id: "b", marked: true)])
    await answer(0, .success(page))
    // Marked here, and no more so on the server, which nobody has said.
    cache.store([Note(id: "d", marked: true)])
    let second = fetcher(membership)
    second.reload()
    #expect(second.state.ids == ["b", "d"])
    await answer(0, .success(page))
    second.reloadFromCache()
    #expect(second.state.ids == ["b"])
  }

  @Test func changeThatMovesNothingInAListOfAThousandCostsNoThousand() async {
    final class Count {
      var looks = 0
    }
    let count = Count()
    let fetcher = fetcher(
      ListMembership(
        contains: {
          count.looks += 1
          return $0.marked
        },
        precedes: {
          count.looks += 1
          return $0.title < $1.title
        }))
    let notes = (1001...2000).map { Note(id: "\($0)", title: "\($0)", marked: true) }
    fetcher.reload()
    await answer(0, .success(FetchedPage(items: notes)))
    var states = 0
    fetcher.onChange = { _ in states += 1 }
    func change(_ note: Note) {
      cache.store([note])
      count.looks = 0
      fetcher.reloadFromCache([note.id])
    }
    change(Note(id: "other"))
    #expect(count.looks == 1)
    change(Note(id: "1500", title: "1500", likes: 7, marked: true))
    #expect(count.looks < 5 && states == 0)
    change(Note(id: "1500", title: "1502b", marked: true))
    #expect(fetcher.state.ids[499...502] == ["1501", "1502", "1500", "1503"])
    change(Note(id: "1501", title: "1501"))
    #expect(!fetcher.state.ids.contains("1501"))
    change(Note(id: "joins", title: "1000", marked: true))
    #expect(fetcher.state.ids.first == "joins" && fetcher.state.ids.count == 1000)
    cache.remove(["1600", "else"])
    fetcher.reloadFromCache(["1600", "else"])
    #expect(fetcher.state.ids.count == 999 && states == 4)
  }
}
