@testable import ContentCache
import Foundation
import Patience
import Runtime
import SQLiteStorage
import Synchronization
import Testing

/// A list that is longer than anyone reads, a page of 20 at a time to its end: each item is there once and in its place, and the last page
/// costs what the first did. Costs are counted and not timed.
@MainActor @Suite(.timeLimit(.minutes(3)), .serialized) final class LongListTests {
  /// An entity that counts how often one is written to a store or read out of it.
  struct Line: Entity {
    static let coded = Atomic(0)
    static var blank: Line { Line(id: "") }
    var id: String

    mutating func fields(_ form: inout FieldCoder) {
      Self.coded.add(1, ordering: .relaxed)
      form.field("id", &id)
    }
  }

  /// What a page costs.
  private struct Cost: Hashable {
    var questions = 0
    /// What a view was told.
    var states = 0
    /// Entities that were read out of the store.
    var decoded = 0
  }

  /// With every turn at once it is as long as the longest that anybody has.
  nonisolated private static let (count, size) = (turn == nil ? 100_000 : 40_000, 20)
  nonisolated private static let ids = (0..<count).map { String(format: "line-%06d", $0) }

  private let effects = Effects()
  private let folder: TemporaryFolder
  private let cursors = Mutex<[String]>([])
  private var path: String { folder.path + "/content.sqlite" }

  init() throws { folder = try TemporaryFolder(isOnDisk: false) }

  /// Reads a list to its end.
  /// - Parameter isStored: whether it comes out of the store; otherwise what is coded is on its way there, some time later.
  /// - Returns: what each page cost.
  private func read(_ list: PageFetcher<Line>, _ policy: FetchPolicy, isStored: Bool) async -> [Cost] {
    var costs: [Cost] = []
    var (cost, requested, coded) = (Cost(), cursors.withLock(\.count), Line.coded.load(ordering: .relaxed))
    while !list.state.reachedEnd {
      let shown = list.state.ids.count
      cost = Cost()
      await withCheckedContinuation { (loaded: CheckedContinuation<Void, Never>) in
        var loaded: CheckedContinuation<Void, Never>? = loaded
        list.onChange = { state in
          cost.states += 1
          guard !state.isLoading else { return }
          loaded?.resume()
          loaded = nil
        }
        if shown == 0 { list.reload(policy) } else { list.loadMore() }
      }
      guard list.state.ids.count == shown + Self.size else { break }
      (cost.questions, requested) = (cursors.withLock(\.count) - requested, cursors.withLock(\.count))
      if isStored { (cost.decoded, coded) = (Line.coded.load(ordering: .relaxed) - coded, Line.coded.load(ordering: .relaxed)) }
      costs.append(cost)
    }
    return costs
  }

  private func list(_ cache: Cache<Line>) -> PageFetcher<Line> {
    PageFetcher("lines.load", list: "lines", cache: cache, effects: effects, explain: explain) { [self] cursor, _ in
      cursors.withLock { $0.append(cursor ?? "") }
      let start = cursor.flatMap { Int($0) } ?? 0
      let end = min(start + Self.size, Self.count)
      return .page(FetchedPage(items: Self.ids[start..<end].map { Line(id: $0) }, next: end < Self.count ? "\(end)" : nil))
    }
  }

  @Test func fromTheServerAndThenFromTheStore() async throws {
    let clock = ManualClock()
    let pages = Self.count / Self.size
    do {
      let store = EntityStore(path: path, owner: "reader", clock: clock)
      let cache = Cache<Line>(store: store, effects: effects)
      let list = list(cache)
      let costs = await read(list, .network, isStored: false)
      #expect(list.state.ids == Self.ids)
      #expect(costs.count == pages)
      // A view is told that a page is on its way, and that it is there.
      #expect(Set(costs) == [Cost(questions: 1, states: 2)])
      #expect(cursors.withLock { $0 } == (0..<pages).map { $0 == 0 ? "" : "\($0 * Self.size)" })
      await cache.written()
      #expect(await store.reading().rows == 0)
      // Each was written once.
      #expect(Line.coded.load(ordering: .relaxed) == Self.count)
      await store.close()
    }
    let store = EntityStore(path: path, owner: "reader", clock: clock)
    let cache = Cache<Line>(store: store, effects: effects)
    let list = list(cache)
    let costs = await read(list, .storedOnly, isStored: true)
    #expect(list.state.ids == Self.ids)
    #expect(costs.count == pages)
    #expect(Set(costs) == [Cost(states: 2, decoded: Self.size)])
    // Those of the pages are the other ones.
    #expect(await store.reading().rows == Self.count + pages)
    await store.close()
  }
}
