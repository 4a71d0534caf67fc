import CurlTransport
import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import SQLiteStorage
import Synchronization
import TestSupport
import Testing

@testable import PublicationServer

/// The program is told to stop in the middle of work that would never end: a trigger in its database sees to that.
@Suite struct InterruptedWorkTests: ServerRig {
  let folder: Folder
  init() throws { folder = try Folder() }

  private var database: String { data + "/publication.sqlite" }

  /// Lets a statement that fires the trigger go on for ever, and write meanwhile, which a test can wait for.
  private static func endless(on event: String) -> String {
    """
    CREATE TABLE spill (text TEXT);
    CREATE VIEW endless (i) AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;
    CREATE TRIGGER hold \(event) BEGIN INSERT INTO spill SELECT 'spilled over ' || i FROM endless; END;
    """
  }

  private static let endlessNoMore = "DROP TRIGGER hold; DROP VIEW endless; DROP TABLE spill;"

  private func untilItWrites() async throws {
    try await FileWatch(folder: data).wait(for: "publication.sqlite-wal", toHold: "spilled over")
  }

  private func count(_ table: String) throws -> Int? {
    try Connection(path: database).queryOne("SELECT count(*) FROM \(table)") { try $0.get(0, as: Int.self) }
  }

  private func isWhole() throws -> Bool {
    try Connection(path: database).queryOne("PRAGMA integrity_check") { try $0.get(0, as: String.self) } == "ok"
  }

  @Test(.timeLimit(.minutes(2)), arguments: ["serve", "import"]) func anUpgradeIsUndone(command: String) async throws {
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    do {
      let first = try Connection(path: database)
      try first.migrate(Array(Schema.migrations.prefix(1)))
      try first.script(
        """
        INSERT INTO setting VALUES ('info', '{"id":"pub","name":"The Reel","tagline":"","defaultPaywallID":"premium"}');
        INSERT INTO reader VALUES ('r1', 'ada@example.org', 'Ada', '');
        INSERT INTO purchase (number, id, reader, product, kind, entitlement, total, currency, state, created)
          VALUES (1, 'o1', 'r1', 'premium.monthly', 'subscription', 'premium', 490, 'EUR', 'open', 1704067200);
        \(Self.endless(on: "AFTER UPDATE ON purchase"))
        """)
    }
    let feed = try folder.write("feed.xml", Self.feed(["One"]))
    let arguments = command == "serve" ? ["serve", "--port", "0", "--data", data] : ["import", "--data", data, feed]
    let stopped = try await Server.run(arguments, stoppedAt: untilItWrites)
    #expect(
      stopped
        == Server.Outcome(
          status: command == "serve" ? 0 : 1, output: "",
          errors: "matinee-server: Stopped before the publication was open. An upgrade that was under way was undone.\n"))
    #expect(try isWhole())
    #expect(try Connection(path: database).schemaVersion() == 1)
    #expect(try count("purchase") == 1)
    #expect(try count("spill") == 0)
    try Connection(path: database).script(Self.endlessNoMore)

    let server = try await RunningServer(folder: data)
    #expect(try await server.end(SIGTERM) == 0)
    #expect(try Connection(path: database).schemaVersion() == Schema.migrations.count)
    #expect(try isWhole())
  }

  @Test(.timeLimit(.minutes(2))) func anImportIsUndone() async throws {
    try await makeOwn()
    try Connection(path: database).script(Self.endless(on: "AFTER INSERT ON post WHEN new.title = 'Endless'"))
    let feeds = try [("one", ["One"]), ("two", ["Two", "Endless", "Three"]), ("three", ["Four"])].map { name, items in
      try folder.write("\(name).xml", Self.feed(items))
    }
    let stopped = try await Server.run(["import", "--data", data] + feeds, stoppedAt: untilItWrites)
    #expect(
      stopped
        == Server.Outcome(
          status: 1, output: "\(feeds[0]): 1 item, 1 added, 0 updated, 0 unchanged\n",
          errors: "[1/3] \(feeds[0])\n[2/3] \(feeds[1])\nStopped. Imported: 1 of 3 sources. Nothing of the others was stored.\n"))
    #expect(try isWhole())
    #expect(try [count("post"), count("fan_club"), count("spill")] == [1, 1, 0])
    try Connection(path: database).script(Self.endlessNoMore)

    let again = try await Server.run(["import", "--data", data] + feeds)
    #expect(
      again.output
        == """
        \(feeds[0]): 1 item, 0 added, 0 updated, 1 unchanged
        \(feeds[1]): 3 items, 3 added, 0 updated, 0 unchanged
        \(feeds[2]): 1 item, 1 added, 0 updated, 0 unchanged

        """)
    #expect(try isWhole())
  }

  /// Whether a process reads a database at the moment: it holds one of the read locks of a write-ahead log.
  private func isReading(_ process: pid_t) throws -> Bool {
    // String(contentsOfFile:) ends with the first part that the kernel gives: a page.
    let locks = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/locks")).readToEnd() ?? Data()
    return String(decoding: locks, as: UTF8.self).split(separator: "\n").contains { line in
      let words = line.split(separator: " ")
      return words.count > 7 && words[1] == "POSIX" && words[3] == "READ" && words[4] == "\(process)"
        && (123...127).contains(Int(words[6]) ?? 0)
    }
  }

  @Test(.timeLimit(.minutes(2))) func aSearchIsEnded() async throws {
    try await addUser()
    let server = try await RunningServer(folder: data)
    let transport = try NetworkTransport(origin: server.origin)
    let search = Request(.get, "/v1/search?q=the", headers: try await authorization(transport))
    #expect(try await transport.send(search).status == 200)
    // Whether a reader may read a post is never known from now on.
    try Connection(path: database).script(
      """
      DROP TABLE unlock;
      CREATE VIEW unlock (post, reader) AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT -i, -i FROM n;
      """)
    let isAnswered = Atomic(false)
    async let answering = {
      defer { isAnswered.store(true, ordering: .relaxed) }
      return try await transport.send(search)
    }()
    try await until { try isReading(server.process) || isAnswered.load(ordering: .relaxed) }
    #expect(try await server.end(SIGTERM) == 0)
    let answer = try await answering
    #expect(answer.status == 503)
    #expect(try Wire.decode(Problem.self, from: answer.body).title == "Nobody waits for this any more.")
  }

  private static func feed(_ titles: [String]) -> String {
    let items = titles.map { "<item><guid isPermaLink=\"false\">\($0)</guid><title>\($0)</title><description>Text</description></item>" }
    return "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Feed</title>\(items.joined())</channel></rss>"
  }
}
