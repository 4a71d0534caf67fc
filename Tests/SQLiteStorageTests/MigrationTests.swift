import Foundation
import SQLiteStorage
import Testing

/// A folder that goes with the test.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }
  func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: file(name))) }
  var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

@Suite struct MigrationTests {
  let folder: TemporaryFolder
  let path: String
  let first = Migration(version: 1, sql: "CREATE TABLE a (x); INSERT INTO a VALUES (1)")
  let second = Migration(version: 2, sql: "ALTER TABLE a ADD COLUMN y; UPDATE a SET y = 2")

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("data.sqlite")
  }

  private func sum(_ path: String, _ column: String) throws -> Int? {
    try Connection(path: path).queryOne("SELECT sum(\(column)) FROM a") { try $0.get(0) }
  }

  @Test func newFileGetsEveryStepAndNoBackup() throws {
    let connection = try Connection(path: path)
    try connection.migrate([first, second])
    #expect(try connection.schemaVersion() == 2)
    #expect(try sum(path, "y") == 2)
    #expect(!folder.files.contains { $0.hasSuffix("backup") })
  }

  @Test func usesALogThatReadersDoNotWaitFor() throws {
    let mode = try Connection(path: path).queryOne("PRAGMA journal_mode") { try $0.get(0, as: String.self) }
    #expect(mode == "wal")
  }

  @Test(arguments: [(Connection.Synchronous.full, 2), (.normal, 1)])
  func synchronousIsAsAskedFor(_ synchronous: Connection.Synchronous, _ number: Int) throws {
    let connection = try Connection(path: path, synchronous: synchronous)
    #expect(try connection.queryOne("PRAGMA synchronous") { try $0.get(0, as: Int.self) } == number)
  }

  @Test func upgradeTakesTheMissingStepsAfterABackup() throws {
    let connection = try Connection(path: path)
    try connection.migrate([first])
    try connection.migrate([first, second])
    #expect(try sum(path, "y") == 2)
    let backup = try Connection(path: path + ".v1.backup")
    #expect(try backup.schemaVersion() == 1)
    #expect(try backup.queryOne("SELECT x FROM a") { try $0.get(0, as: Int.self) } == 1)
    #expect(!folder.files.contains { $0.hasSuffix("partial") })
  }

  @Test func nothingToDoMakesNoBackup() throws {
    let connection = try Connection(path: path)
    try connection.migrate([first])
    try connection.migrate([first])
    #expect(!folder.files.contains { $0.hasSuffix("backup") })
  }

  @Test func failedStepLeavesTheOldSchemaWhole() throws {
    let connection = try Connection(path: path)
    try connection.migrate([first])
    let broken = Migration(version: 3, sql: "DROP TABLE nowhere")
    let error = #expect(throws: MigrationError.self) { try connection.migrate([first, second, broken]) }
    guard case .failed(path, 3, let cause) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause.message == "no such table: nowhere")
    #expect(try connection.schemaVersion() == 1)
    #expect(throws: SQLiteError.self) { try connection.execute("SELECT y FROM a") }
    #expect(try connection.queryOne("PRAGMA foreign_keys") { try $0.get(0, as: Bool.self) } == true)
  }

  @Test func rebuiltTableMayNotLoseWhatOthersReferTo() throws {
    let connection = try Connection(path: path)
    let start = Migration(
      version: 1,
      sql: """
        CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p (id)); INSERT INTO p VALUES (1); INSERT INTO c VALUES (1)
        """)
    try connection.migrate([start])
    let careless = Migration(version: 2, sql: "DROP TABLE p; CREATE TABLE p (id INTEGER PRIMARY KEY)")
    #expect(throws: MigrationError.brokenReference(path: path, table: "c")) { try connection.migrate([start, careless]) }
    let careful = Migration(
      version: 2,
      sql: """
        CREATE TABLE q (id INTEGER PRIMARY KEY, n); INSERT INTO q SELECT id, 0 FROM p; DROP TABLE p; ALTER TABLE q RENAME TO p
        """)
    try connection.migrate([start, careful])
    #expect(try connection.schemaVersion() == 2)
  }

  @Test func newerFileIsRefusedUntouched() throws {
    do {
      let connection = try Connection(path: path)
      try connection.migrate([first, second])
    }
    let before = try folder.bytes("data.sqlite")
    do {
      let connection = try Connection(path: path)
      let error = #expect(throws: MigrationError.newer(path: path, found: 2, known: 1)) { try connection.migrate([first]) }
      #expect(error?.description.contains("newer version") == true)
    }
    #expect(try folder.bytes("data.sqlite") == before)
    #expect(folder.files.filter { $0.contains("backup") } == [])
  }

  @Test func nobodyElseReadsTheFileItsLogOrItsBackup() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.sqlite")
    let connection = try Connection(path: path)
    try connection.migrate([Migration(version: 1, sql: "CREATE TABLE a (x)")])
    try connection.migrate([Migration(version: 1, sql: ""), Migration(version: 2, sql: "CREATE TABLE b (x)")])
    for name in ["a.sqlite", "a.sqlite-wal", "a.sqlite.v1.backup"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
    }
  }

  @Test func backupThatCannotBeWrittenStopsTheUpgrade() throws {
    let connection = try Connection(path: path)
    try connection.migrate([first])
    try FileManager.default.createDirectory(atPath: path + ".v1.backup/in the way", withIntermediateDirectories: true)
    let error = #expect(throws: MigrationError.self) { try connection.migrate([first, second]) }
    guard case .backupFailed = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try connection.schemaVersion() == 1)
  }

  @Test func fileThatIsNoDatabaseIsSaidSo() throws {
    try Data(repeating: 0x41, count: 4096).write(to: URL(filePath: path))
    let error = #expect(throws: SQLiteError.self) { try Connection(path: path) }
    #expect(error?.isCorruption == true)
    #expect(error?.description == "The database is damaged (file is not a database): \(path)")
    #expect(try folder.bytes("data.sqlite") == Data(repeating: 0x41, count: 4096))
  }

  @Test func damagedPageIsSaidSo() throws {
    do {
      let connection = try Connection(path: path)
      try connection.migrate([first])
      for number in 0..<500 { try connection.execute("INSERT INTO a VALUES (?)", String(repeating: "x", count: number)) }
    }
    var bytes = try folder.bytes("data.sqlite")
    for index in 4096..<bytes.count { bytes[index] = 0xff }
    try bytes.write(to: URL(filePath: path))
    let error = #expect(throws: SQLiteError.self) { try Connection(path: path).query("SELECT x FROM a") { _ in } }
    #expect(error?.code == .corrupt)
  }

  @Test func missingFolderIsSaidSo() {
    let error = #expect(throws: SQLiteError.self) { try Connection(path: folder.file("nowhere/data.sqlite")) }
    #expect(error?.code == .cannotOpen)
    #expect(error?.sql.contains("nowhere") == true)
  }
}

@Suite struct DatabaseTests {
  @Test func runsOnItsThreadInOrderAndKeepsWhatWasAccepted() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("data.sqlite")
    let database = try await Database(path: path, migrations: [Migration(version: 1, sql: "CREATE TABLE t (n)")])
    await withThrowingTaskGroup { group in
      for number in 0..<50 {
        group.addTask { try await database.run { try $0.execute("INSERT INTO t VALUES (?)", number) } }
      }
    }
    await database.close()
    await #expect(throws: SQLiteError.self) { try await database.run { try $0.execute("SELECT 1") } }
    let count = try Connection(path: path).queryOne("SELECT count(*) FROM t") { try $0.get(0, as: Int.self) }
    #expect(count == 50)
  }

  @Test func failureToOpenIsThrown() async {
    await #expect(throws: SQLiteError.self) { try await Database(path: "/nowhere/at/all.sqlite", migrations: []) }
  }

  /// What keeps it from opening may pass, such as too many open files.
  @Test func afterAFailureItIsOpenedAgain() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("later/data.sqlite")
    let database = Database(opening: path, migrations: [Migration(version: 1, sql: "CREATE TABLE t (n)")])
    for _ in 0..<2 { await #expect(throws: SQLiteError.self) { try await database.run { try $0.execute("INSERT INTO t VALUES (1)") } } }
    try FileManager.default.createDirectory(atPath: folder.file("later"), withIntermediateDirectories: true)
    try await database.run { _ = try $0.execute("INSERT INTO t VALUES (1)") }
    #expect(try await database.run { try $0.queryOne("SELECT count(*) FROM t") { try $0.get(0, as: Int.self) } } == 1)
  }
}

@Suite struct DataFolderTests {
  @Test func oneOwnerAtATime() throws {
    let parent = try TemporaryFolder()
    let path = parent.file("deep/data")
    do {
      let folder = try DataFolder(path: path + "/")
      #expect(folder.path == path)
      #expect(folder.file("a.sqlite") == path + "/a.sqlite")
      let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(permissions == 0o700)
      let error = #expect(throws: DataFolder.Failure.inUse(path: path)) { try DataFolder(path: path) }
      #expect(error?.description == "\(path) is in use by another running program.")
    }
    _ = try DataFolder(path: path)
  }

  @Test(arguments: [0o777, 0o755, 0o750, 0o2770]) func whatIsOpenToOthersIsNoMore(mode: Int) throws {
    let parent = try TemporaryFolder()
    let path = parent.file("data")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    #expect(chmod(path, mode_t(mode)) == 0)
    _ = try DataFolder(path: path)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode & 0o7700)
  }

  /// Such as `/tmp`; and the system's own where the test is not the system's administrator.
  @Test func whatIsForOthersIsLeftAsItIs() throws {
    let parent = try TemporaryFolder()
    let (shared, foreign) = (parent.file("shared"), geteuid() == 0 ? parent.file("foreign") : "/")
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
    #expect(chmod(shared, 0o1777) == 0)
    if geteuid() == 0 {
      try FileManager.default.createDirectory(atPath: foreign, withIntermediateDirectories: true)
      #expect(chmod(foreign, 0o755) == 0 && chown(foreign, 65_534, 65_534) == 0)
    }
    for path in [shared, foreign] {
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      let error = #expect(throws: DataFolder.Failure.self) { try DataFolder(path: path) }
      #expect(error?.description == "\(path) cannot be used: it is another user’s or for all users, and others can read it.")
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
      #expect(!FileManager.default.fileExists(atPath: path + "/lock"))
    }
  }

  @Test func fileInTheWayIsSaidSo() throws {
    let parent = try TemporaryFolder()
    let file = parent.file("data")
    try Data().write(to: URL(filePath: file))
    for (path, reason) in [(file, "it is a file, not a folder"), (file + "/a/b", "\(file) is a file, not a folder")] {
      #expect(throws: DataFolder.Failure.unusable(path: path, reason: reason)) { try DataFolder(path: path) }
    }
  }

  @Test func aFailureIsOneLine() throws {
    let connection = try Connection(path: ":memory:")
    let step = Migration(version: 1, sql: "CREATE TABLE a (b);\n\n-- Twice.\nCREATE TABLE a (b);")
    let error = #expect(throws: MigrationError.self) { try connection.migrate([step]) }
    #expect(error.map { "\($0)" } == ":memory: could not be upgraded to schema 1: SQLite error 1, table a already exists.")
    let failure = #expect(throws: SQLiteError.self) { try connection.execute("SELECT\n  c\n  FROM empty") }
    #expect(failure.map { "\($0)" } == "SQLite error 1, no such table: empty: SELECT c FROM empty")
  }
}
