import CSQLite
import Foundation
import Runtime
@testable import SQLiteStorage
import Testing

@Suite struct ConnectionTests {
  enum Mood: String, SQLValue { case good, bad }

  private func open() throws -> Connection { try Connection(path: ":memory:") }

  @Test func everyKindOfValueComesBackAsItWas() throws {
    let connection = try open()
    let id = UUID()
    let date = Date(timeIntervalSince1970: 1_700_000_000.25)
    let row = try connection.queryOne(
      "SELECT ? AS a, ?, ?, ?, ?, ?, ?, ?, ?, ?", "Zoë\u{0}🎬", "", Int64.min, 7, 0.5, true, Data([0, 255]), Data(), date, id
    ) { row throws in
      #expect(try row.get("a", as: String.self) == "Zoë\u{0}🎬")
      #expect(try row.get(1, as: String.self) == "")
      #expect(try row.get(2, as: Int64.self) == .min)
      #expect(try row.get(3, as: Int.self) == 7)
      #expect(try row.get(4, as: Double.self) == 0.5)
      #expect(try row.get(5, as: Bool.self))
      #expect(try row.get(6, as: Data.self) == Data([0, 255]))
      #expect(try row.get(7, as: Data.self) == Data())
      #expect(try row.get(8, as: Date.self) == date)
      #expect(try row.get(9, as: UUID.self) == id)
      return true
    }
    #expect(row == true)
    let mood = try connection.queryOne("SELECT ?", Mood.bad) { try $0.get(0, as: Mood.self) }
    #expect(mood == .bad)
  }

  @Test func whatIsBoundStays() throws {
    let connection = try open()
    try connection.script("CREATE TABLE t (a TEXT, b TEXT, c BLOB) STRICT")
    try connection.prepared("INSERT INTO t VALUES (?, ?, ?)") { statement in
      try statement.bind("same", at: 0)
      for text in ["x", nil] {
        try statement.bind(text, at: 1)
        try [1, 2, 3].withUnsafeBytes { try statement.runBound(bytes: $0, at: 2) }
      }
      // The bytes are gone.
      try statement.runBound(bytes: UnsafeRawBufferPointer(start: nil, count: 0), at: 2)
      #expect(throws: SQLiteError.self) { try statement.bind("x", at: 3) }
    }
    let rows = try connection.query("SELECT a, b, length(c) FROM t ORDER BY rowid") {
      "\(try $0.get(0, as: String.self)) \(try $0.get(1, as: String?.self) ?? "-") \(try $0.get(2, as: Int?.self) ?? -1)"
    }
    #expect(rows == ["same x 24", "same - 24", "same - 0"])
    try connection.execute("INSERT INTO t VALUES ('same', '', NULL), ('same', 'a text that is longer than those', NULL)")
    let found = try connection.prepared("SELECT b FROM t WHERE a = ? AND b = ?") { statement -> [String?] in
      try statement.bind("same", at: 0)
      return try ["x", "y", "", "a text that is longer than those"].map { text in
        var (text, found) = (text, String?.none)
        try text.withUTF8 { try statement.firstBound(text: $0, at: 1) { found = try $0.get(0) } }
        return found
      }
    }
    #expect(found == ["x", nil, "", "a text that is longer than those"])
    // Whoever takes the statement next finds nothing bound.
    try connection.prepared("SELECT b FROM t WHERE a = ? AND b = ?") { statement in
      var text = "x"
      try text.withUTF8 { try statement.firstBound(text: $0, at: 1) { _ in Issue.record("found without what was bound before") } }
    }
  }

  @Test func nilIsNullAndOnlyAnOptionalReadsIt() throws {
    let connection = try open()
    let none: String? = nil
    let values = try connection.queryOne("SELECT ? AS a, ? AS b", none, "x" as String?) { row -> [String?] in
      let a: String? = try row.get("a")
      let b: String? = try row.get("b")
      return [a, b]
    }
    #expect(values == [nil, "x"])
    let error = #expect(throws: SQLiteError.self) {
      try connection.queryOne("SELECT NULL AS title") { row -> String in try row.get("title") }
    }
    #expect(error?.code == .mismatch)
    #expect(error?.message == "column title holds NULL where String was expected")
  }

  @Test func anotherTypeIsAnErrorNotAGuess() throws {
    let connection = try open()
    for sql in ["SELECT 'x'", "SELECT 1.5", "SELECT x'00'"] {
      let error = #expect(throws: SQLiteError.self) { try connection.query(sql) { try $0.get(0, as: Int.self) } }
      #expect(error?.code == .mismatch)
    }
    #expect(throws: SQLiteError.self) { try connection.query("SELECT 1") { try $0.get(1, as: Int.self) } }
    #expect(throws: SQLiteError.self) { try connection.query("SELECT 1") { try $0.get("x", as: Int.self) } }
    #expect(throws: SQLiteError.self) { try connection.query("SELECT 'sad'") { try $0.get(0, as: Mood.self) } }
  }

  @Test func executeCountsChangedRows() throws {
    let connection = try open()
    #expect(try connection.execute("CREATE TABLE t (a)") == 0)
    #expect(try connection.execute("INSERT INTO t VALUES (?), (?)", 1, 2) == 2)
    #expect(try connection.execute("UPDATE t SET a = 3 WHERE a = ?", 9) == 0)
    #expect(try connection.execute("CREATE TABLE u (a)") == 0)
    #expect(connection.lastInsertedRowID == 2)
  }

  @Test func errorsCarryCodeMessageAndStatement() throws {
    let connection = try open()
    try connection.script("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)")
    let error = #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES (?)", 1) }
    #expect(error?.code == .constraint)
    #expect(error?.extendedCode == 2067)  // SQLITE_CONSTRAINT_UNIQUE, a macro that Swift cannot import
    #expect(error?.message == "UNIQUE constraint failed: t.a")
    #expect(error?.sql == "INSERT INTO t VALUES (?)")
    let wrong = #expect(throws: SQLiteError.self) { try connection.execute("SELEKT") }
    #expect(wrong?.description.contains("SELEKT") == true)
  }

  @Test func wrongNumberOfValuesAndOfStatementsIsRefused() throws {
    let connection = try open()
    for call in [{ try connection.execute("SELECT ?") }, { try connection.execute("SELECT 1; SELECT 2") }, { try connection.execute("") }] {
      let error = #expect(throws: SQLiteError.self) { try call() }
      #expect(error?.code == .misuse)
    }
    try connection.execute("SELECT 1; \n ")
  }

  @Test func foreignKeysAreOn() throws {
    let connection = try open()
    try connection.script("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a (id))")
    #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO b VALUES (1)") }
  }

  @Test func sameStatementInsideItsOwnRows() throws {
    let connection = try open()
    let sql = "SELECT value FROM json_each('[1,2]')"
    let pairs = try connection.query(sql) { outer in
      try connection.query(sql) { try $0.get(0, as: Int.self) }.map { [try outer.get(0, as: Int.self), $0] }
    }
    #expect(pairs == [[[1, 1], [1, 2]], [[2, 1], [2, 2]]])
  }

  @Test func manyStatementsGrowNoCacheWithoutEnd() throws {
    let connection = try open()
    for number in 0..<300 { #expect(try connection.queryOne("SELECT \(number)") { try $0.get(0, as: Int.self) } == number) }
    var statements = 0
    var statement = sqlite3_next_stmt(connection.handle, nil)
    while let found = statement {
      statements += 1
      statement = sqlite3_next_stmt(connection.handle, found)
    }
    #expect(statements == 64)
  }

  @Test func errorInMapLeavesNoTransactionOpen() throws {
    let connection = try open()
    try connection.script("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
    #expect(throws: CancellationError.self) { try connection.query("SELECT a FROM t") { _ in throw CancellationError() } }
    try connection.script("DROP TABLE t")
  }

  @Test func callsFromAnotherThreadStop() async {
    await #expect(processExitsWith: .failure) {
      let executor = ThreadExecutor(name: "owner")
      let database = try await executor.run { Box(try Connection(path: ":memory:", executor: executor)) }
      try database.connection.execute("SELECT 1")
    }
  }

  // @unchecked: hands a connection to a thread that does not own it, which is what the test is about.
  final class Box: @unchecked Sendable {
    let connection: Connection
    init(_ connection: Connection) { self.connection = connection }
  }
}

@Suite struct TransactionTests {
  private func open() throws -> Connection {
    let connection = try Connection(path: ":memory:")
    try connection.script("CREATE TABLE t (a UNIQUE)")
    return connection
  }

  private func rows(_ connection: Connection) throws -> [Int] {
    try connection.query("SELECT a FROM t ORDER BY a") { try $0.get(0, as: Int.self) }
  }

  @Test func failureUndoesEverything() throws {
    let connection = try open()
    #expect(throws: SQLiteError.self) {
      try connection.transaction {
        try connection.execute("INSERT INTO t VALUES (1)")
        try connection.execute("INSERT INTO t VALUES (1)")
      }
    }
    #expect(try rows(connection) == [])
    try connection.transaction { _ = try connection.execute("INSERT INTO t VALUES (2)") }
    #expect(try rows(connection) == [2])
  }

  @Test func innerFailureUndoesOnlyTheInnerOne() throws {
    let connection = try open()
    try connection.transaction {
      try connection.execute("INSERT INTO t VALUES (1)")
      #expect(throws: CancellationError.self) {
        try connection.transaction {
          try connection.execute("INSERT INTO t VALUES (2)")
          throw CancellationError()
        }
      }
      try connection.transaction { _ = try connection.execute("INSERT INTO t VALUES (3)") }
    }
    #expect(try rows(connection) == [1, 3])
  }

  /// SQLite calls it an error of reading and writing when there is no room for the file that stands beside the log.
  @Test func aDiskThatIsFullIsToldAsOne() throws {
    let connection = try open()
    try connection.script("PRAGMA max_page_count = 1")
    let full = #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES (zeroblob(100000))") }
    for error in [try #require(full), SQLiteError(code: SQLITE_IOERR | 19 << 8, message: "disk I/O error", sql: "p.sqlite")] {
      #expect(error.code == .full)
      #expect(error.description == "The disk is full, and nothing of this was stored.")
    }
    #expect(SQLiteError(code: SQLITE_IOERR | 3 << 8, message: "disk I/O error", sql: "p.sqlite").code == .io)
  }

  @Test func commitThatFailsRollsBack() throws {
    let connection = try open()
    try connection.script("CREATE TABLE p (id PRIMARY KEY); CREATE TABLE c (p REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED)")
    #expect(throws: SQLiteError.self) {
      try connection.transaction {
        try connection.execute("INSERT INTO t VALUES (1)")
        try connection.execute("INSERT INTO c VALUES (1)")
      }
    }
    #expect(try rows(connection) == [])
    try connection.transaction { _ = try connection.execute("INSERT INTO t VALUES (2)") }
  }
}
