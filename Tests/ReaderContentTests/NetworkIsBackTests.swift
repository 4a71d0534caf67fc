import ContentCache
import Foundation
import PublicationAPI
import Runtime
import TestSupport
import Testing

@testable import FeatureKit
@testable import PublicationClient
@testable import ReaderContent

/// Who tells what waits that the network is there, and who does not.
@MainActor @Suite(.timeLimit(.minutes(1))) struct NetworkIsBackTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)")
  private let publication = ScriptedPublication(posts: (1...10).map { .sample($0) })
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_700_000_000))
  private let effects = Effects()

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    publication.with { $0.pageSize = 2 }
  }

  private func store() -> ContentStore {
    ContentStore(
      client: APIClient(transport: publication, token: { "token" }),
      stored: EntityStore(path: folder.path + "/content.sqlite", owner: "reader", clock: clock),
      retry: RetryEnvironment(on: clock, random: FixedRandom()), effects: effects)
  }

  private func list(_ store: ContentStore) -> EntityList<Post> {
    let formatting = Formatting(clock: clock, locale: Locale(identifier: "en_GB"), timeZone: .gmt)
    return PostList(.all, store: store, formatting: formatting) { _ in }.list
  }

  private var sent: Int { publication.requests.count { $0.hasPrefix("PUT") } }

  /// A list of four pages, the first of them shown, with one change that could not be sent.
  private func waiting(_ change: (ContentStore) -> Void = { $0.toggleBookmark("p1") }) async -> (ContentStore, EntityList<Post>) {
    let before = store()
    let read = list(before)
    read.appear()
    await effects.settled()
    for _ in 1...3 {
      read.reachedEnd()
      await effects.settled()
    }
    await before.written()
    publication.with { $0.isOffline = true }
    let store = store()
    let list = list(store)
    list.appear()
    await effects.settled()
    #expect(list.state.ids.count == 2 && list.state.note != nil)
    change(store)
    await effects.settled()
    #expect(sent == 1)
    return (store, list)
  }

  @Test func whatComesFromTheDiskSaysNothingOfTheNetwork() async {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (store, list) = await waiting()
    var notes: [Bool] = []
    list.observe { notes.append($0.note != nil) }
    for count in [4, 6, 8] {
      list.reachedEnd()
      await effects.settled()
      #expect(list.state.ids.count == count)
      list.retryTapped()
      await effects.settled()
    }
    #expect(sent == 1)
    #expect(!notes.contains(false), "the note that one is offline does not flicker")
    publication.with { $0.isOffline = false }
    list.retryTapped()
    await effects.settled()
    #expect(sent == 2, "the publication's answer does")
    #expect(list.state.note == nil)
    #expect(store.outboxStatus.value == OutboxStatus())
  }

  @Test(arguments: 0..<6) func anyAnswerDoes(question: Int) async {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (store, list) = await waiting()
    publication.with { $0.isOffline = false }
    switch question {
    case 0: list.checkForNewItems()
    case 1: _ = try? await store.loadPost("p9")
    case 2: _ = try? await store.search("1")
    case 3: _ = try? await store.followedPosts("notify.look", ifNoneMatch: nil)
    case 4: try? await store.refreshPasses()
    default:
      // No is an answer too.
      _ = try? await store.loadPost("p99")
    }
    await effects.settled()
    #expect(sent == 2)
    #expect(store.outboxStatus.value == OutboxStatus())
  }

  @Test(arguments: 0..<4) func whatIsSentCallsForTheListsToo(change: Int) async {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (store, list) = await waiting {
      switch change {
      case 0: $0.toggleReaction("p1")
      case 1: $0.comment(on: "p1", "Words")
      case 2: $0.markRead("p1")
      default: $0.markAllRead(until: clock.now)
      }
    }
    publication.with { $0.isOffline = false }
    store.retryNow()
    await effects.settled()
    #expect(sent == 2)
    #expect(list.state.note == nil, "the list asks, and need not wait for its next try")
  }

  @Test func whoIsBusyDoesNot() async {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (store, list) = await waiting()
    publication.with {
      $0.isOffline = false
      $0.refusals["GET"] = Problem(code: "busy", title: "Not now.", status: 503)
    }
    list.refreshTapped()
    await effects.settled()
    #expect(sent == 1)
    #expect(store.outboxStatus.value.count == 1)
    store.close()
  }

  /// The publication had asked for a pause of five minutes, and is there again before that.
  @Test func theEndOfMaintenanceEndsThePause() async {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = store()
    let list = list(store)
    list.appear()
    await effects.settled()
    publication.with { $0.isMaintained = true }
    store.toggleBookmark("p1")
    await effects.settled()
    #expect(sent == 1)
    #expect(store.outboxStatus.value.count == 1)
    store.networkIsBack()
    list.refreshTapped()
    await effects.settled()
    #expect(sent == 1, "a pause that was asked for is kept")
    publication.with { $0.isMaintained = false }
    list.refreshTapped()
    await effects.settled()
    #expect(sent == 2)
    #expect(store.outboxStatus.value == OutboxStatus())
  }
}
