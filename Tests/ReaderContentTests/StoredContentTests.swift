import Foundation
import PublicationAPI
import Runtime
import SQLiteStorage
import TestSupport
import Testing

@testable import ContentCache
@testable import FeatureKit
@testable import PublicationClient
@testable import ReaderContent

/// What a reader's content keeps in a file, from one start to the next.
@MainActor @Suite(.timeLimit(.minutes(3))) struct StoredContentTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)")
  private let publication = ScriptedPublication(posts: (1...1000).map { .sample($0) })
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_700_000_000))
  private let effects = Effects()
  private var path: String { folder.path + "/content.sqlite" }

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  private func content(limit: Int = EntityStore.defaultLimit) -> (EntityStore, ContentStore) {
    let stored = EntityStore(path: path, owner: "reader", clock: clock, limit: limit)
    let store = ContentStore(
      client: APIClient(transport: publication, token: { "token" }), stored: stored,
      retry: RetryEnvironment(on: clock, random: FixedRandom()),
      effects: effects)
    return (stored, store)
  }

  private func home(_ store: ContentStore) -> EntityList<Post> {
    let formatting = Formatting(clock: clock, locale: Locale(identifier: "en_GB"), timeZone: .gmt)
    return PostList(.all, store: store, formatting: formatting) { _ in }.list
  }

  @Test func aStartReadsNoMoreOfWhatIsStoredThanTheFirstScreenShows() async {
    defer { try? FileManager.default.removeItem(at: folder) }
    publication.with { $0.pageSize = 50 }
    do {
      let (stored, store) = content()
      let read = home(store)
      read.appear()
      await effects.settled()
      for _ in 2...20 {
        read.reachedEnd()
        await effects.settled()
      }
      #expect(read.state.ids.count == 1000)
      await store.written()
      await stored.close()
    }
    publication.with { $0.isOffline = true }
    let (stored, store) = content()
    await store.resume()
    let list = home(store)
    list.appear()
    await effects.settled()
    #expect(list.state.ids.count == 50)
    let rows = await stored.reading().rows
    // The page, and what is on it.
    #expect(rows == 51)
    await stored.close()
  }

  /// A search without the publication finds the fan clubs of earlier runs, also those that nothing has brought into memory.
  @Test func fanClubsOfEarlierRunsAreFoundByName() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let clubs = (1...1200).map { FanClub(id: "c\($0)", name: "Club \($0)") } + [FanClub(id: "cafe", name: "Café Society")]
    do {
      let (stored, store) = content()
      store.clubCache.store(clubs)
      await store.written()
      await stored.close()
    }
    publication.with { $0.isOffline = true }
    let (stored, store) = content()
    await store.resume()
    #expect(store.fanClubs["cafe"] == nil)
    let found = await store.storedFanClubs(named: "cafe soc")
    #expect(found.map(\.club) == clubs.suffix(1))
    #expect(found.map(\.name) == ["\u{E000}Café\u{E001} \u{E000}Society\u{E001}"])
    #expect(store.fanClubs["cafe"] != nil)
    #expect(await store.storedFanClubs(named: "club").map(\.club.name) == (1...SearchResults.mostClubs).map { "Club \($0)" })
    #expect(await store.storedFanClubs(named: "nobody").isEmpty)
    await stored.close()
  }

  @Test func theLimitHoldsFromWhenItIsKnownWhatWaits() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (stored, store) = content(limit: 200_000)
    let posts = (1...400).map { number in
      var post = Post.sample(number, bookmarked: number == 1)
      post.teaser = String(repeating: "x", count: 1000)
      return post
    }
    let ids = {
      Set(try Connection(path: path).query("SELECT id FROM entity WHERE kind = 'Post'") { try $0.get(0, as: String.self) })
    }
    store.postCache.store(posts)
    await store.written()
    #expect(try ids().count == 400)
    await store.resume()
    store.postCache.store([.sample(401)])
    await store.written()
    let left = try ids()
    #expect(left.count < 200)
    #expect(left.isSuperset(of: ["p1", "p401"]))
    await stored.close()
  }
}
