import ContentCache
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SQLiteStorage
import TestSupport
import Testing

@testable import FeatureKit
@testable import PublicationClient
@testable import ReaderContent

/// Files of the first version's schemas, as that version wrote them: no update of the app takes anything from a reader.
@MainActor @Suite(.timeLimit(.minutes(1))) struct EarlierStoreTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)")
  private let publication = ScriptedPublication(posts: (1...3).map { .sample($0, bookmarked: $0 == 2) }, clubs: [Self.club])
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_700_000_000))
  private let effects = Effects()
  private static let club = FanClub(id: "c1", name: "Club c1", followers: 7, followed: true, posts: 3)

  private var content: String { folder.path + "/content.sqlite" }

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Connection(path: content).script(Self.firstContent)
    let outbox = try Connection(path: folder.path + "/outbox.sqlite")
    try outbox.script(Self.firstOutbox)
    for (number, (kind, field)) in [("bookmark", #""bookmarked":true"#), ("reaction", #""reacted":true"#)].enumerated() {
      let id = try #require(UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number + 1)"))
      let payload = Data(#"{"id":"\#(id.uuidString)","entityID":"p3",\#(field)}"#.utf8)
      try outbox.execute(
        "INSERT INTO outbox (id, owner, kind, entity, payload) VALUES (?, 'reader', ?, 'p3', ?)", id, kind, payload)
    }
    publication.with { $0.isOffline = true }
  }

  /// A run of today's app.
  @MainActor private struct Run {
    let content: ContentStore
    let stored: EntityStore
    let outbox: Database
    let notices: Notices

    final class Notices { var all: [String] = [] }

    func end() async {
      await content.written()
      content.close()
      await stored.close()
      await outbox.close()
    }
  }

  private func open() async throws -> Run {
    let outbox = try await Database(path: folder.path + "/outbox.sqlite", migrations: Outbox.migrations, ifDamaged: .setAside)
    let stored = EntityStore(path: content, owner: "reader", clock: clock)
    let store = ContentStore(
      client: APIClient(transport: publication, token: { "token" }), outbox: Outbox(database: outbox, owner: "reader"), stored: stored,
      retry: RetryEnvironment(on: clock, random: FixedRandom()), effects: effects)
    let run = Run(content: store, stored: stored, outbox: outbox, notices: Run.Notices())
    store.onStorageNotice = { [notices = run.notices] in notices.all.append($0) }
    await store.resume()
    return run
  }

  private func posts(_ source: PostList.Source, _ run: Run) async -> EntityList<Post> {
    let formatting = Formatting(clock: clock, locale: Locale(identifier: "en_GB"), timeZone: .gmt)
    return await shown(PostList(source, store: run.content, formatting: formatting) { _ in }.list)
  }

  /// A list, read to its end.
  private func shown<Value>(_ list: EntityList<Value>) async -> EntityList<Value> {
    list.appear()
    await effects.settled()
    while list.state.canLoadMore, list.state.loadMoreFailure == nil {
      list.reachedEnd()
      await effects.settled()
    }
    return list
  }

  private func schema(_ path: String) throws -> Int { try Connection(path: path).schemaVersion() }

  @Test func allOfItIsThereWithoutNetwork() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try await open()
    let feed = await posts(.all, run)
    #expect(feed.state.ids == ["p1", "p2", "p3"])
    let third = try #require(run.content.posts["p3"])
    #expect(third.title == "Title 3" && third.bookmarked && third.reaction == .love, "what waited is shown over what was stored")
    #expect(run.content.outboxStatus.value.count == 2)
    let bookmarks = await posts(.bookmarks, run)
    #expect(bookmarks.state.ids == ["p2", "p3"])
    let clubs = await shown(EntityList.fanClubs(store: run.content, followedOnly: true))
    #expect(clubs.state.ids == ["c1"] && run.content.fanClubs["c1"]?.followers == 7)
    let comments = await shown(EntityList.comments(of: "p1", store: run.content))
    #expect(comments.state.ids.map { run.content.comments[$0]?.text } == ["Mine"])
    await #expect(throws: ClientError.self) { try await run.content.loadPost("p1") }
    #expect(run.content.posts["p1"]?.body == "<p>Body</p>")
    #expect(run.notices.all.isEmpty, "nothing was rebuilt, and nothing is told")
    await run.end()
    #expect(try schema(content) > 1)
    #expect(try schema(content + ".v1.backup") == 1)
  }

  @Test func whatWaitedIsSentAndTheRestIsAskedAnew() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    publication.with { $0.isOffline = false }
    let run = try await open()
    let feed = await posts(.all, run)
    await effects.settled()
    #expect(run.content.outboxStatus.value == OutboxStatus())
    #expect(publication.with { $0.posts.filter(\.bookmarked).map(\.id) } == ["p2", "p3"])
    #expect(publication.with { $0.posts.filter { $0.reaction == .love }.map(\.id) } == ["p3"])
    #expect(feed.state.ids == ["p1", "p2", "p3"] && feed.state.note == nil)
    await run.end()
    publication.with { $0.isOffline = true }
    let after = try await open()
    #expect(await posts(.bookmarks, after).state.ids == ["p2", "p3"])
    #expect(after.content.outboxStatus.value == OutboxStatus())
    await after.end()
  }

  @Test func damagedItIsBegunAnewAndTheReaderIsTold() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var bytes = try Data(contentsOf: URL(filePath: content))
    for index in 100..<bytes.count { bytes[index] = 0xee }
    try bytes.write(to: URL(filePath: content))
    let run = try await open()
    #expect(await posts(.all, run).state.ids.isEmpty)
    #expect(run.notices.all.count == 1 && run.notices.all[0].contains("damaged") && run.notices.all[0].hasSuffix("."))
    #expect(try Data(contentsOf: URL(filePath: content + ".damaged")) == bytes)
    #expect(run.content.outboxStatus.value.count == 2, "what waits is in a file of its own")
    publication.with { $0.isOffline = false }
    run.content.retryNow()
    await effects.settled()
    #expect(await posts(.bookmarks, run).state.ids == ["p2", "p3"])
    #expect(run.content.outboxStatus.value == OutboxStatus())
    await run.end()
  }

  @Test func nothingOfItIsLeftAfterSigningOut() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for isDamaged in [false, true] {
      if isDamaged { try Data("Title 1, and no database.".utf8).write(to: URL(filePath: content)) }
      let run = try await open()
      _ = await posts(.all, run)
      run.content.close()
      await run.stored.erase()
      await run.end()
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let bytes = try Data(contentsOf: folder.appending(path: name))
      #expect(bytes.range(of: Data("Title 1".utf8)) == nil, "\(name)")
    }
  }

  /// Three posts on two pages, the second of them bookmarked and the first read by itself; a fan club and a comment.
  private static let firstContent = """
    CREATE TABLE store (one INTEGER PRIMARY KEY CHECK (one = 1), owner TEXT NOT NULL, tick INTEGER NOT NULL) STRICT;
    CREATE TABLE entity (
      number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, kept INTEGER NOT NULL, read INTEGER NOT NULL,
      value BLOB NOT NULL, detail TEXT, UNIQUE (kind, id)
    ) STRICT;
    CREATE INDEX entity_unkept ON entity (read) WHERE kept = 0;
    CREATE INDEX entity_kept ON entity (kind, read) WHERE kept = 1;
    CREATE TABLE page (
      list TEXT NOT NULL, cursor TEXT NOT NULL, read INTEGER NOT NULL, fetched REAL NOT NULL, ids BLOB NOT NULL, next TEXT, etag TEXT,
      PRIMARY KEY (list, cursor)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO store VALUES (1, 'reader', 6);
    INSERT INTO entity VALUES (1, 'Post', 'p2', 1, 3, x'\
    BF6269646270326966616E436C756249446263316B66616E436C75624E616D6567436C7562206331657469746C65675469746C6520326662796C696E\
    656066746561736572685465617365722032697075626C6973686564FB41C5820630000000677072656D69756DF468756E6C6F636B6564F469726561\
    6374696F6E73BFFF6A626F6F6B6D61726B6564F56472656164F468636F6D6D656E747300FF', NULL);
    INSERT INTO entity VALUES (2, 'Post', 'p1', 0, 6, x'\
    BF6269646270316966616E436C756249446263316B66616E436C75624E616D6567436C7562206331657469746C65675469746C6520316662796C696E\
    656066746561736572685465617365722031697075626C6973686564FB41C5820D38000000677072656D69756DF468756E6C6F636B6564F469726561\
    6374696F6E73BFFF6A626F6F6B6D61726B6564F46472656164F468636F6D6D656E747300FF', '<p>Body</p>');
    INSERT INTO entity VALUES (3, 'Post', 'p3', 0, 2, x'\
    BF6269646270336966616E436C756249446263316B66616E436C75624E616D6567436C7562206331657469746C65675469746C6520336662796C696E\
    656066746561736572685465617365722033697075626C6973686564FB41C581FF28000000677072656D69756DF468756E6C6F636B6564F469726561\
    6374696F6E73BFFF6A626F6F6B6D61726B6564F46472656164F468636F6D6D656E747300FF', NULL);
    INSERT INTO entity VALUES (4, 'FanClub', 'c1', 0, 4, x'\
    BF626964626331646E616D6567436C75622063316561626F75746069666F6C6C6F776572730768666F6C6C6F776564F565706F737473036766657463\
    686564F5FF', NULL);
    INSERT INTO entity VALUES (5, 'Comment', '00000000-0000-0000-0000-000000000001', 0, 5, x'\
    BF626964782430303030303030302D303030302D303030302D303030302D30303030303030303030303166706F7374494462703166617574686F7263\
    4164616669734D696E65F56474657874644D696E6566706F73746564FB41C58200B8000000FF', NULL);
    INSERT INTO page VALUES ('=p1', '', 6, 1700000000, x'9f627031ff', NULL, '"p1"');
    INSERT INTO page VALUES ('fanclubs', '', 4, 1700000000, x'9f626331ff', NULL, NULL);
    INSERT INTO page VALUES ('posts', '', 1, 1700000000, x'9f627031627032ff', '2', '"one"');
    INSERT INTO page VALUES ('posts', '2', 2, 1700000000, x'9f627033ff', NULL, NULL);
    INSERT INTO page VALUES ('posts bookmarked=true', '', 3, 1700000000, x'9f627032ff', NULL, NULL);
    INSERT INTO page VALUES ('posts/p1/comments', '', 5, 1700000000, x'\
    9f782430303030303030302d303030302d303030302d303030302d303030303030303030303031ff', NULL, NULL);
    PRAGMA user_version = 1;
    """

  private static let firstOutbox = """
    CREATE TABLE outbox (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      owner TEXT NOT NULL,
      kind TEXT NOT NULL,
      entity TEXT NOT NULL,
      payload BLOB NOT NULL
    );
    PRAGMA user_version = 1;
    """
}
