import Foundation
import Runtime
import SQLiteStorage
import Synchronization
import Testing

/// A clock that goes on by a second whenever somebody looks at it.
final class LeapingClock: AppClock {
  private let looks = Atomic(0)
  var now: Date { Date(timeIntervalSince1970: 0) }
  var uptime: Duration { .seconds(looks.add(1, ordering: .relaxed).newValue) }
  var boot: String { "boot" }
  func sleep(for duration: Duration) async throws {}
}

/// Says no from the given look on.
final class Patience: Sendable {
  private let left: Atomic<Int>
  init(_ looks: Int) { left = Atomic(looks) }
  var isFinished: Bool { left.subtract(1, ordering: .relaxed).newValue < 0 }
  var looksLeft: Int { left.load(ordering: .relaxed) }
}

/// Work that takes too long, or that nobody wants any more, ends in its middle.
@Suite struct WorkLimitTests {
  private static let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

  private func connection() throws -> Connection {
    let connection = try Connection(path: ":memory:")
    try connection.script("CREATE TABLE a (x); CREATE VIRTUAL TABLE words USING fts5 (text, prefix = '1 2 3')")
    return connection
  }

  private func count(_ connection: Connection, _ table: String = "a") throws -> Int? {
    try connection.queryOne("SELECT count(*) FROM \(table)") { try $0.get(0) }
  }

  @Test func aStatementEndsAtItsDeadline() throws {
    let connection = try connection()
    connection.setLimit(WorkLimit(deadline: .seconds(5), clock: LeapingClock()))
    let ended = #expect(throws: SQLiteError.self) { try connection.queryOne(Self.endless) { try $0.get(0, as: Int.self) } }
    #expect(ended?.code == .interrupted)
    #expect(ended?.description.contains("ended after 5 seconds") == true)
    // The next one has as much time again.
    #expect(try count(connection) == 0)
    #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO a \(Self.endless)") }
    #expect(throws: SQLiteError.self) { try connection.script(Self.endless) }
    #expect(try count(connection) == 0)
  }

  /// Many short statements are as long as a long one.
  @Test func aTransactionHasOneDeadline() throws {
    let connection = try connection()
    connection.setLimit(WorkLimit(deadline: .seconds(5), clock: LeapingClock()))
    let some = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) INSERT INTO a SELECT i FROM n"
    try connection.execute(some)
    let ended = #expect(throws: SQLiteError.self) {
      let _: Void = try connection.transaction { while true { try connection.execute(some) } }
    }
    #expect(ended?.code == .interrupted)
    #expect(try count(connection) == 1000)
    #expect(throws: SQLiteError.self) { let _: Void = try connection.reading { while true { _ = try count(connection) } } }
    try connection.transaction { _ = try connection.execute(some) }
    #expect(try count(connection) == 2000)
  }

  @Test(arguments: [0, 1, 2, 5, 20, 50])
  func whatNobodyWantsIsUndone(looks: Int) throws {
    let connection = try connection()
    connection.setLimit(WorkLimit(deadline: .seconds(1), clock: ManualClock()))
    let patience = Patience(looks)
    #expect(throws: CancellationError.self) {
      try connection.withLimit(WorkLimit(isCancelled: { patience.isFinished })) {
        let _: Void = try connection.transaction {
          var number = 0
          while true {
            number += 1
            try connection.execute("INSERT INTO a VALUES (?)", number)
            try connection.execute("INSERT INTO words (text) VALUES (?)", "word\(number) and\(number) more")
          }
        }
      }
    }
    #expect(try count(connection) == 0)
    #expect(try count(connection, "words") == 0)
    #expect(try connection.query("SELECT rowid FROM words WHERE words MATCH 'more'") { try $0.get(0, as: Int.self) } == [])
    try connection.execute("INSERT INTO words (text) VALUES ('integrity')")
    try connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
  }

  @Test func otherErrorsStayWhatTheyAre() throws {
    let connection = try connection()
    connection.setLimit(WorkLimit(deadline: .seconds(5), clock: LeapingClock(), isCancelled: { false }))
    let failed = #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO b VALUES (1)") }
    #expect(failed?.code == .error)
    #expect(throws: SQLiteError.self) { try connection.withLimit(WorkLimit(isCancelled: { true })) { try connection.execute("nonsense") } }
  }

  /// Inside of what has another limit, the outer one is in force again afterwards.
  @Test func aLimitInsideAnother() throws {
    let connection = try connection()
    connection.setLimit(WorkLimit(deadline: .seconds(5), clock: LeapingClock()))
    try connection.withLimit(WorkLimit()) {
      for _ in 0..<100 {
        try connection.script("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) SELECT * FROM n")
      }
    }
    #expect(throws: SQLiteError.self) { try connection.script(Self.endless) }
  }

  @Test func readingALongTextEndsToo() throws {
    let connection = try connection()
    let tokenizer = try Tokenizer("unicode61", for: connection)
    var text = String(repeating: "word ", count: 100_000)
    let patience = Patience(3)
    #expect(throws: CancellationError.self) {
      try connection.withLimit(WorkLimit(isCancelled: { patience.isFinished })) {
        try text.withUTF8 { try tokenizer.words(of: $0) { _, _ in true } }
      }
    }
    var words = 0
    try text.withUTF8 {
      try tokenizer.words(of: $0) { _, _ in
        words += 1
        return true
      }
    }
    #expect(words == 100_000)
  }

  /// At whatever point an upgrade is ended, the file is as it was.
  @Test func anUpgradeEndsWhenItIsUnwanted() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("data.sqlite")
    let some = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) INSERT INTO a SELECT i FROM n"
    let first = Migration(version: 1, sql: "CREATE TABLE a (x); \(some)")
    let second = Migration(version: 2, sql: "CREATE TABLE b (y); \(some); UPDATE a SET x = x + 1; INSERT INTO b SELECT x FROM a")
    try Connection(path: path).migrate([first])
    var ended = 0
    for looks in 0... {
      let patience = Patience(looks)
      let connection = try Connection(path: path)
      do {
        try connection.migrate([first, second], isCancelled: { patience.isFinished })
      } catch is CancellationError {
        ended += 1
        #expect(try connection.schemaVersion() == 1)
        #expect(try connection.queryOne("SELECT sum(x) FROM a") { try $0.get(0, as: Int.self) } == 200_010_000)
        #expect(try connection.queryOne("SELECT name FROM sqlite_master WHERE name = 'b'") { _ in true } == nil)
        #expect(!folder.files.contains { $0.hasSuffix(".partial") })
        continue
      }
      #expect(try connection.schemaVersion() == 2)
      break
    }
    #expect(ended > 10, "it was ended at \(ended) points")
  }
}
