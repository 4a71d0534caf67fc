import Foundation
import SQLiteStorage
import Testing

@Suite struct DamageTests {
  private let migrations = [Migration(version: 1, sql: "CREATE TABLE post (id INTEGER PRIMARY KEY, title TEXT)")]

  private func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test func damagedFileIsRefusedUnlessItMayBeSetAside() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.sqlite")
    let garbage = Data(repeating: 7, count: 5000)
    try garbage.write(to: file)
    await #expect { _ = try await Database(path: file.path, migrations: migrations) } throws: { ($0 as? SQLiteError)?.isCorruption == true }
    #expect(try Data(contentsOf: file) == garbage)

    try Data("older".utf8).write(to: URL(filePath: file.path + ".damaged"))
    let database = try await Database(path: file.path, migrations: migrations, ifDamaged: .setAside)
    #expect(database.timesSetAside == 1)
    #expect(try Data(contentsOf: URL(filePath: file.path + ".damaged")) == garbage)
    try await database.run { _ = try $0.execute("INSERT INTO post (title) VALUES ('a')") }
    await database.close()
    let next = try await Database(path: file.path, migrations: migrations, ifDamaged: .setAside)
    #expect(next.timesSetAside == 0)
    #expect(try await next.run { try $0.query("SELECT title FROM post") { try $0.get(0, as: String.self) } } == ["a"])
  }

  @Test func damageMetWhileRunningIsMetOnce() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.sqlite")
    let first = try await Database(path: file.path, migrations: migrations)
    try await first.run { connection in
      try connection.transaction {
        for _ in 1...2000 { try connection.execute("INSERT INTO post (title) VALUES (?)", String(repeating: "x", count: 100)) }
      }
    }
    await first.close()
    var bytes = try Data(contentsOf: file)
    for index in (4096 * 3)..<bytes.count { bytes[index] = 0xee }
    try bytes.write(to: file)
    let database = try await Database(path: file.path, migrations: migrations, ifDamaged: .setAside)
    #expect(database.timesSetAside == 0)
    let count = { try await database.run { try $0.queryOne("SELECT count(title) FROM post") { try $0.get(0, as: Int.self) } } }
    #expect(try await count() == 0)
    #expect(database.timesSetAside == 1)
    #expect(try await count() == 0)
    #expect(database.timesSetAside == 1)
    #expect(FileManager.default.fileExists(atPath: file.path + ".damaged"))
  }

  @Test func newerFileIsNoDamage() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "a.sqlite").path
    do { try Connection(path: path).script("CREATE TABLE later (x); PRAGMA user_version = 9") }
    await #expect(throws: MigrationError.newer(path: path, found: 9, known: 1)) {
      _ = try await Database(path: path, migrations: migrations, ifDamaged: .setAside)
    }
    #expect(!FileManager.default.fileExists(atPath: path + ".damaged"))
  }

  /// Beside a log, SQLite opens a file that was cut like a whole one, and fills it with nothing when it closes it.
  @Test(arguments: [false, true]) func aFileThatWasCutIsTooShort(hasLog: Bool) throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, copy) = (folder.appending(path: "a.sqlite").path, folder.appending(path: "b.sqlite").path)
    func fill(_ table: String, _ connection: Connection) throws {
      let rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT hex(zeroblob(50)) FROM n"
      try connection.execute("INSERT INTO \(table) (title) \(rows)")
    }
    let connection = try Connection(path: file)
    try connection.script("CREATE TABLE post (title); CREATE TABLE later (title)")
    try fill("post", connection)
    try connection.script("PRAGMA wal_checkpoint(TRUNCATE)")
    let short = try size(file)
    // The log has the pages of these alone, also once the file has them.
    try fill("later", connection)
    try connection.script("PRAGMA wal_checkpoint(PASSIVE)")
    let whole = try size(file)
    #expect(short < whole)
    func cut(to length: Int) throws {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
      try FileManager.default.copyItem(atPath: file, toPath: copy)
      if hasLog { try FileManager.default.copyItem(atPath: file + "-wal", toPath: copy + "-wal") }
      #expect(truncate(copy, length) == 0)
    }
    try cut(to: whole)
    try Connection.checkLength(of: copy)
    try cut(to: short / 2)
    let log = FileManager.default.contents(atPath: copy + "-wal")
    let reason = SQLiteError(code: SQLiteError.Code.corrupt.rawValue, message: "it ends after \(short / 2) of \(whole) bytes", sql: copy)
    #expect(throws: reason) { try Connection.checkLength(of: copy) }
    #expect(try size(copy) == short / 2)
    #expect(FileManager.default.contents(atPath: copy + "-wal") == log)
    // Killed while it moved the log into the file: nothing is lost.
    try cut(to: short)
    guard hasLog else {
      #expect(throws: SQLiteError.self) { try Connection.checkLength(of: copy) }
      return
    }
    try Connection.checkLength(of: copy)
    let rows = try Connection(path: copy).queryOne("SELECT count(title) FROM later") { try $0.get(0, as: Int.self) }
    #expect(rows == 500)
  }

  @Test func whatIsNoDatabaseHasNoLength() throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.sqlite").path
    for text in ["", "Dear diary", String(repeating: "Dear diary. ", count: 1000)] {
      try Data(text.utf8).write(to: URL(filePath: file))
      try Connection.checkLength(of: file)
    }
    try Connection.checkLength(of: folder.appending(path: "nothing").path)
  }

  private func size(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
  }
}
