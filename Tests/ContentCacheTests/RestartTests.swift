@testable import ContentCache
import Foundation
import Runtime
import Testing

/// Random plays of a list that changes on the server while it is read, with ends of the process. The invariant: whoever starts again without
/// network sees what they saw before. `MATINEE_SEED` and `MATINEE_PLAYS` as in ``InterleavingTests``.
@MainActor @Suite(.timeLimit(.minutes(5))) struct RestartTests {
  /// Newest first; a cursor is the number that everything on the page is below.
  private struct Server {
    var notes: [Int: Note] = [:]
    var last = 0

    mutating func add() {
      last += 1
      notes[last] = Note(id: "\(last)", title: "\(last)")
    }

    func page(_ cursor: String?, size: Int) -> FetchedPage<Note> {
      let numbers = notes.keys.filter { $0 < cursor.flatMap { Int($0) } ?? .max }.sorted(by: >)
      let page = numbers.prefix(size)
      return FetchedPage(items: page.compactMap { notes[$0] }, next: page.count < numbers.count ? page.last.map { "\($0)" } : nil)
    }
  }

  @Test(arguments: seeds(40)) func startingAgainShowsWhatWasShown(seed: UInt64) async throws {
    var random = SplitMix(state: seed)
    let folder = try TemporaryFolder()
    let clock = ManualClock(now: Date(timeIntervalSince1970: 1_700_000_000))
    let path = folder.path + "/content.sqlite"
    var server = Server()
    for _ in 1...20 { server.add() }
    var rig = try await StoreRig(path, clock: clock)
    var fetcher = rig.fetcher()
    var lastStep = ""
    for step in 1...40 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1: server.add()
      case 2: if let number = server.notes.keys.sorted().randomElement(using: &random) { server.notes[number]?.likes += 1 }
      case 3:
        if server.notes.count > 5, let number = server.notes.keys.sorted().randomElement(using: &random) { server.notes[number] = nil }
      case 4, 5: fetcher.reload()
      case 6, 7, 8: fetcher.loadMore()
      case 9, 10:
        if let index = rig.gate.hanging.indices.randomElement(using: &random) {
          let isReached = Int.random(in: 0..<5, using: &random) > 0
          let page = server.page(rig.gate.hanging[index].question.cursor, size: 4)
          await rig.answer(index, isReached ? .success(.page(page)) : .failure(Unreachable()))
        }
      default:
        let shown = fetcher.state.ids
        let values = shown.map { rig.cache[$0] }
        lastStep = "seed \(seed), step \(step)"
        let old = rig
        await old.quiet()
        await old.end()
        while !old.gate.hanging.isEmpty { old.gate.answer(0, .failure(CancellationError())) }
        rig = try await StoreRig(path, clock: clock)
        fetcher = rig.fetcher()
        fetcher.reload(.storedOnly)
        await rig.quiet()
        while fetcher.state.ids.count < shown.count, !fetcher.state.reachedEnd {
          fetcher.loadMore()
          await rig.quiet()
        }
        #expect(Array(fetcher.state.ids.prefix(shown.count)) == shown, "\(lastStep)")
        #expect(shown.map { rig.cache[$0] } == values, "\(lastStep)")
        guard Array(fetcher.state.ids.prefix(shown.count)) == shown else { return }
      }
      await rig.quiet()
      #expect(Set(fetcher.state.ids).count == fetcher.state.ids.count, "seed \(seed), step \(step): something is there twice")
    }
    await rig.quiet()
    while !rig.gate.hanging.isEmpty { await rig.answer(0, .failure(CancellationError())) }
    await rig.end()
  }
}
