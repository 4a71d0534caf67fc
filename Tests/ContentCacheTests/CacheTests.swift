import ContentCache
import Runtime
import Testing

@MainActor @Suite struct CacheTests {
  private let cache = Cache<Note>()

  /// Lets the main loop turn.
  private func turn() async { for _ in 0..<3 { await Task.yield() } }

  @Test func listWithoutBodyKeepsTheBody() {
    cache.store([Note(id: "a", title: "1", body: "text")])
    cache.store([Note(id: "a", title: "2")])
    #expect(cache["a"] == Note(id: "a", title: "2", body: "text"))
  }

  @Test func olderAnswerOnlyFillsIn() {
    let early = cache.logicalTime()
    let late = cache.logicalTime()
    cache.store([Note(id: "a", title: "late")], asOf: late)
    cache.store([Note(id: "a", title: "early", body: "text"), Note(id: "b", title: "early")], asOf: early)
    #expect(cache["a"] == Note(id: "a", title: "late", body: "text"))
    #expect(cache["b"] == Note(id: "b", title: "early"))
  }

  @Test func answersToThePreviousReaderAreDropped() {
    cache.store([Note(id: "a")])
    let before = cache.logicalTime()
    cache.removeAll()
    #expect(cache["a"] == nil)
    cache.store([Note(id: "a")], asOf: before)
    #expect(cache["a"] == nil)
    cache.store([Note(id: "a")], asOf: cache.logicalTime())
    #expect(cache["a"] != nil)
  }

  @Test func oneNoticeATurnWithTheIdsThatChanged() async {
    cache.store([Note(id: "a"), Note(id: "same")])
    var notices: [Set<String>] = []
    let observation = cache.observe { notices.append($0) }
    await turn()
    #expect(notices == [])
    cache.store([Note(id: "a", title: "1"), Note(id: "same")])
    cache.store([Note(id: "b")])
    cache.store([Note(id: "a", title: "2")])
    #expect(notices == [])
    await turn()
    #expect(notices == [["a", "b"]])
    cache.remove(["b", "never"])
    await turn()
    #expect(notices == [["a", "b"], ["b"]])
    observation.cancel()
    cache.store([Note(id: "c")])
    await turn()
    #expect(notices.count == 2)
  }

  @Test func cancelledOrReleasedObserverHearsNothingMore() async {
    var first = 0
    var second = 0
    var third = 0
    let cancelled = cache.observe { _ in first += 1 }
    var released: Observation? = cache.observe { _ in second += 1 }
    _ = released
    let staying = cache.observe { _ in third += 1 }
    cache.store([Note(id: "a")])
    cancelled.cancel()
    released = nil
    await turn()
    #expect((first, second, third) == (0, 0, 1))
    staying.cancel()
  }

  @Test func observerMayCancelAnotherAndChangeTheCache() async {
    var heard: [String] = []
    var other: Observation?
    let observation = cache.observe { ids in
      heard.append("first \(ids.sorted())")
      other?.cancel()
      if ids == ["a"] { cache.store([Note(id: "b")]) }
    }
    other = cache.observe { _ in heard.append("other") }
    cache.store([Note(id: "a")])
    await turn()
    await turn()
    #expect(heard == ["first [\"a\"]", "first [\"b\"]"])
    observation.cancel()
  }

  @Test func readersNeedOnlyTheReadingHalf() {
    let reading: any CacheReading<Note> = cache
    cache.store([Note(id: "a", marked: true), Note(id: "b")])
    #expect(reading["a"]?.marked == true)
    #expect(cache.ids { $0.marked } == ["a"])
  }
}
