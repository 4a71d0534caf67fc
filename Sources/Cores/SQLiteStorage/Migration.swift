import CSQLite
import Foundation

/// One step of a schema's history. Steps are never changed once they shipped; new ones are added.
public struct Migration: Equatable, Sendable {
  /// The version that the schema has after this step; from 1, rising.
  public let version: Int
  /// The statements that lead there.
  public let sql: String

  public init(version: Int, sql: String) {
    self.version = version
    self.sql = sql
  }
}

/// Why a database was not upgraded; it is as it was before.
public enum MigrationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A newer version of the program wrote the file.
  case newer(path: String, found: Int, known: Int)
  /// The backup from before the upgrade could not be written.
  case backupFailed(path: String, SQLiteError)
  /// The step to `version` failed, with SQLite's error.
  case failed(path: String, version: Int, SQLiteError)
  /// After the steps a row refers to one that does not exist.
  case brokenReference(path: String, table: String)

  /// Why the database was not upgraded, in a sentence for people.
  public var description: String {
    switch self {
    case .newer(let path, let found, let latest):
      "\(path) was written by a newer version of this program (schema \(found), this one knows \(latest)); it was left untouched."
    case .backupFailed(let path, let error): "\(path) was not upgraded because its backup could not be written: \(error)"
    // A step is many statements.
    case .failed(let path, let version, let error): "\(path) could not be upgraded to schema \(version): \(error.reason)"
    case .brokenReference(let path, let table): "\(path) could not be upgraded: a row of \(table) refers to one that does not exist."
    }
  }
}

extension Connection {
  /// The schema's version (`PRAGMA user_version`); 0 for a new file.
  /// - Throws: ``SQLiteError``.
  public func schemaVersion() throws(SQLiteError) -> Int {
    executor?.checkIsolated()
    let sql = "PRAGMA user_version"
    var version: Int32 = 0
    // By no statement that is kept: an app asks once, before all else.
    let code = sqlite3_exec(
      handle, sql,
      { version, _, values, _ in
        if let text = values?[0] { version?.storeBytes(of: atoi(text), as: Int32.self) }
        return 0
      }, &version, nil)
    try check(code, sql)
    return Int(version)
  }

  /// Brings the schema to the last step's version, in one transaction.
  ///
  /// A file that holds something is copied to `PATH.vN.backup` first, N being the version it has.
  /// There is no deadline. It stops when `isCancelled` returns true, and the file is then as it was.
  /// - Throws: ``MigrationError``; ``SQLiteError`` when the version cannot be read; `CancellationError` when
  ///   `isCancelled` returned true.
  public func migrate(_ steps: [Migration], isCancelled: @escaping @Sendable () -> Bool = { false }) throws {
    try withLimit(WorkLimit(isCancelled: isCancelled)) { try migrateNow(steps) }
  }

  private func migrateNow(_ steps: [Migration]) throws {
    precondition(zip(steps, steps.dropFirst()).allSatisfy { $0.version < $1.version }, "versions rise")
    let found = try schemaVersion()
    let latest = steps.last?.version ?? 0
    guard found <= latest else {
      // Without this, closing would still move what the newer program left in its log into the file.
      matinee_sqlite3_no_checkpoint_on_close(handle)
      throw MigrationError.newer(path: path, found: found, known: latest)
    }
    let missing = steps.filter { $0.version > found }
    guard !missing.isEmpty else { return }
    if try hasContent() { try backUp(to: "\(path).v\(found).backup") }
    // Steps that rebuild a table need this off, and it cannot be switched inside a transaction; the check below makes up for it.
    try script("PRAGMA foreign_keys = OFF")
    defer { try? script("PRAGMA foreign_keys = ON") }
    try transaction {
      for step in missing {
        do throws(SQLiteError) { try script(step.sql) } catch { throw MigrationError.failed(path: path, version: step.version, error) }
      }
      if let table = try queryOne("PRAGMA foreign_key_check", map: { try $0.get(0, as: String.self) }) {
        throw MigrationError.brokenReference(path: path, table: table)
      }
      try script("PRAGMA user_version = \(latest)")
    }
  }

  private func hasContent() throws -> Bool {
    guard let file = sqlite3_db_filename(handle, "main"), file.pointee != 0 else { return false }
    return try queryOne("SELECT count(*) FROM sqlite_master") { try $0.get(0, as: Int.self) } ?? 0 > 0
  }

  /// Copies the whole database, log included, to a file that appears only once it is complete.
  private func backUp(to target: String) throws {
    let partial = target + ".partial"
    do {
      try? FileManager.default.removeItem(atPath: partial)
      try copy(to: partial)
      guard rename(partial, target) == 0 else {
        throw SQLiteError(code: SQLITE_IOERR, message: String(cString: strerror(errno)), sql: target)
      }
    } catch let error as SQLiteError {
      try? FileManager.default.removeItem(atPath: partial)
      throw MigrationError.backupFailed(path: path, error)
    }
  }

  private func copy(to target: String) throws(SQLiteError) {
    Self.makeFile(target)
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(target, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    defer { sqlite3_close_v2(opened) }
    guard code == SQLITE_OK, let opened else {
      throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)), sql: target)
    }
    let backup = sqlite3_backup_init(opened, "main", handle, "main")
    var step = SQLITE_OK
    while step == SQLITE_OK, let backup {
      guard watch.mayGoOn else {
        sqlite3_backup_finish(backup)
        throw SQLiteError(code: SQLITE_INTERRUPT, message: watch.reason, sql: target)
      }
      step = sqlite3_backup_step(backup, 1000)
    }
    let result = backup == nil ? sqlite3_errcode(opened) : sqlite3_backup_finish(backup)
    guard result == SQLITE_OK else { throw SQLiteError(code: result, message: String(cString: sqlite3_errmsg(opened)), sql: target) }
  }
}
