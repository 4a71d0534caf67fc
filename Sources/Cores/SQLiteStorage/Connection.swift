import CSQLite
import Foundation
import Runtime

/// One connection to one SQLite database. Not `Sendable`: it belongs to one thread or actor.
///
/// Opens in WAL mode with foreign keys on and a busy time-out of five seconds. Statements are prepared once and kept.
///
///     try connection.execute("INSERT INTO post (id, title) VALUES (?, ?)", post.id, post.title)
///     let titles = try connection.query("SELECT title FROM post") { try $0.get(0, as: String.self) }
public final class Connection {
  /// What survives a power failure; a killed process loses nothing either way.
  public enum Synchronous: String, Sendable {
    /// Every committed transaction survives a power failure.
    case full = "FULL"
    /// The database is never damaged, but the last transactions may be lost.
    case normal = "NORMAL"
  }

  /// The version of the SQLite that runs.
  public static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  /// The file, or `:memory:`.
  public let path: String
  let handle: OpaquePointer
  let executor: ThreadExecutor?
  /// What SQLite asks whether to go on; it lives as long as the handle.
  let watch = WorkWatch()
  /// The statements that are not in use, in the order of their last use. They are few: looking through them takes less than a hash of their
  /// SQL.
  private var statements: [Statement] = []
  private var depth = 0
  /// Whether SQL has ``addTextRank()``'s function.
  var hasTextRank = false

  /// Opens the database, and makes the file, readable by its owner only, when there is none.
  /// - Parameters:
  ///   - path: a file, or `:memory:`.
  ///   - synchronous: when a transaction counts as written.
  ///   - executor: the thread that owns the connection; every call asserts that it runs there.
  /// - Throws: ``SQLiteError``; its ``SQLiteError/isCorruption`` says that the file is damaged or no database.
  public init(path: String, synchronous: Synchronous = .full, executor: ThreadExecutor? = nil) throws(SQLiteError) {
    executor?.checkIsolated()
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var code = sqlite3_open_v2(path, &handle, flags, nil)
    if code & 0xff == SQLITE_CANTOPEN {
      sqlite3_close_v2(handle)
      Self.makeFile(path)
      code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_CREATE, nil)
    }
    guard code == SQLITE_OK, let handle else {
      let message = handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "out of memory"
      sqlite3_close_v2(handle)
      throw SQLiteError(code: code, message: message, sql: path)
    }
    self.path = path
    self.handle = handle
    self.executor = executor
    sqlite3_busy_timeout(handle, 5000)
    do {
      // Read first: the first access is what finds a damaged file.
      try script(
        "PRAGMA schema_version; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA synchronous = \(synchronous.rawValue)")
    } catch {
      throw error.isCorruption ? SQLiteError(code: error.extendedCode, message: error.message, sql: path) : error
    }
  }

  /// How long a call waits for another connection's lock from now on; five seconds by default.
  public func setBusyTimeout(_ time: Duration) {
    executor?.checkIsolated()
    sqlite3_busy_timeout(handle, Int32(time / .milliseconds(1)))
  }

  /// The names of the tables of an existing database, which is opened for reading alone: to find out which program wrote a file.
  /// - Throws: ``SQLiteError``.
  public static func tables(in path: String) throws(SQLiteError) -> Set<String> {
    Set(try texts("SELECT name FROM sqlite_master WHERE type = 'table'", in: path))
  }

  /// The first column of a query's rows, of an existing database that is opened for reading alone.
  static func texts(_ sql: String, in path: String) throws(SQLiteError) -> [String] {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    var code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    var texts: [String] = []
    if code == SQLITE_OK, let handle {
      code = withUnsafeMutablePointer(to: &texts) { texts in
        sqlite3_exec(
          handle, sql,
          { texts, _, values, _ in
            if let text = values?[0] { texts?.assumingMemoryBound(to: [String].self).pointee.append(String(cString: text)) }
            return 0
          }, texts, nil)
      }
    }
    guard code == SQLITE_OK else {
      throw SQLiteError(code: code, message: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory", sql: path)
    }
    return texts
  }

  deinit {
    statements.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Runs one statement that returns no rows.
  /// - Returns: how many rows it changed.
  /// - Throws: ``SQLiteError``.
  @discardableResult
  public func execute(_ sql: String, _ values: (any SQLValue)?...) throws(SQLiteError) -> Int {
    try execute(sql, values: values)
  }

  /// Runs one statement that returns no rows, with values in an array.
  /// - Returns: how many rows it changed.
  /// - Throws: ``SQLiteError``.
  @discardableResult
  public func execute(_ sql: String, values: [(any SQLValue)?]) throws(SQLiteError) -> Int {
    watch.enter()
    defer { watch.leave() }
    let statement = try borrow(sql, values)
    defer { giveBack(statement) }
    // Rows before and after: sqlite3_changes keeps the last count when a statement changes nothing.
    let before = sqlite3_total_changes64(handle)
    while try step(statement) {}
    return sqlite3_total_changes64(handle) == before ? 0 : Int(sqlite3_changes64(handle))
  }

  /// Runs one statement and maps each of its rows.
  /// - Throws: ``SQLiteError``, or what `map` throws.
  public func query<Value>(_ sql: String, _ values: (any SQLValue)?..., map: (Row) throws -> Value) throws -> [Value] {
    try query(sql, values: values, map: map)
  }

  /// Runs one statement, with values in an array, and maps each of its rows.
  /// - Throws: ``SQLiteError``, or what `map` throws.
  public func query<Value>(_ sql: String, values: [(any SQLValue)?], map: (Row) throws -> Value) throws -> [Value] {
    watch.enter()
    defer { watch.leave() }
    let statement = try borrow(sql, values)
    defer { giveBack(statement) }
    var result: [Value] = []
    let row = Row(statement: statement)
    while try step(statement) { result.append(try map(row)) }
    return result
  }

  /// Runs one statement and maps the first of its rows, if there is one.
  /// - Throws: ``SQLiteError``, or what `map` throws.
  public func queryOne<Value>(_ sql: String, _ values: (any SQLValue)?..., map: (Row) throws -> Value) throws -> Value? {
    watch.enter()
    defer { watch.leave() }
    let statement = try borrow(sql, values)
    defer { giveBack(statement) }
    return try step(statement) ? try map(Row(statement: statement)) : nil
  }

  /// Takes one statement for many uses in a row, so that it is looked up once.
  /// - Throws: ``SQLiteError``, or what `body` throws.
  public func prepared<Value>(_ sql: String, _ body: (RepeatedStatement) throws -> Value) throws -> Value {
    executor?.checkIsolated()
    watch.enter()
    defer { watch.leave() }
    let statement = try taken(sql)
    defer { giveBack(statement) }
    return try body(RepeatedStatement(connection: self, statement: statement))
  }

  /// Runs any number of statements, without values and without results: schemas and pragmas.
  /// - Throws: ``SQLiteError``.
  public func script(_ sql: String) throws(SQLiteError) {
    executor?.checkIsolated()
    watch.enter()
    defer { watch.leave() }
    try check(sqlite3_exec(handle, sql, nil, nil, nil), sql)
  }

  /// The row id of the last row inserted.
  public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// How many pages of the file had to be read since it was opened: tests use it to show that few pages are read of a large file.
  public var pagesRead: Int {
    var (count, highest) = (Int32(0), Int32(0))
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_MISS, &count, &highest, 0)
    return Int(count)
  }

  /// Runs `body` in a transaction that holds the write lock from its start; all or nothing. Inside another transaction it is a
  /// savepoint, which can fail alone.
  /// - Throws: ``SQLiteError``, or what `body` throws, after everything was undone.
  public func transaction<Value>(_ body: () throws -> Value) throws -> Value {
    watch.enter()
    defer { watch.leave() }
    let outermost = depth == 0
    try script(outermost ? "BEGIN IMMEDIATE" : "SAVEPOINT level\(depth)")
    depth += 1
    defer { depth -= 1 }
    do {
      let value = try body()
      try script(outermost ? "COMMIT" : "RELEASE level\(depth - 1)")
      return value
    } catch {
      // SQLite rolls back by itself on some errors (full disk); the first error is the one that explains.
      if sqlite3_get_autocommit(handle) == 0 {
        watch.isUndoing = true
        defer { watch.isUndoing = false }
        try? script(outermost ? "ROLLBACK" : "ROLLBACK TO level\(depth - 1); RELEASE level\(depth - 1)")
      }
      throw error
    }
  }

  /// Runs `body`, which only reads, on one snapshot, and locks the file once instead of for each statement.
  /// - Throws: ``SQLiteError``, or what `body` throws.
  public func reading<Value>(_ body: () throws -> Value) throws -> Value {
    guard depth == 0 else { return try body() }
    watch.enter()
    defer { watch.leave() }
    try script("BEGIN")
    depth += 1
    defer {
      depth -= 1
      watch.isUndoing = true
      try? script("COMMIT")
      watch.isUndoing = false
    }
    return try body()
  }

  /// The one place where a result code becomes an error.
  func check(_ code: Int32, _ sql: String) throws(SQLiteError) {
    guard code != SQLITE_OK, code != SQLITE_ROW, code != SQLITE_DONE else { return }
    // Any other error is then a consequence of the limit.
    if watch.end != nil { throw SQLiteError(code: SQLITE_INTERRUPT, message: watch.reason, sql: sql) }
    // What SQLite remembers belongs to the last call on the connection, which may have been another.
    let extended = sqlite3_extended_errcode(handle)
    let matches = extended & 0xff == code & 0xff
    let message = matches ? sqlite3_errmsg(handle) : sqlite3_errstr(code)
    throw SQLiteError(code: matches ? extended : code, message: String(cString: message), sql: sql)
  }

  /// Makes the file when there is none: SQLite would make it readable by everybody. Its log gets the same permissions.
  static func makeFile(_ path: String) {
    // Only when there is none: closing a file that another connection has open would release that one's locks (POSIX). SQLite reports what
    // is wrong with the path.
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if file >= 0 { close(file) }
  }

  func step(_ statement: Statement) throws(SQLiteError) -> Bool {
    let code = sqlite3_step(statement.handle)
    try check(code, statement.sql)
    return code == SQLITE_ROW
  }

  /// Takes a statement out of the cache, so that the same SQL inside a `map` closure gets one of its own.
  private func borrow(_ sql: String, _ values: [(any SQLValue)?]) throws(SQLiteError) -> Statement {
    executor?.checkIsolated()
    let statement = try taken(sql)
    do { try bind(values, to: statement) } catch {
      giveBack(statement)
      throw error
    }
    return statement
  }

  private func taken(_ sql: String) throws(SQLiteError) -> Statement {
    if let place = statements.lastIndex(where: { $0.sql == sql }) { statements.remove(at: place) } else { try prepare(sql) }
  }

  func bind(_ values: [(any SQLValue)?], to statement: Statement) throws(SQLiteError) {
    guard values.count == statement.parameterCount else {
      let message = "\(values.count) values for \(statement.parameterCount) parameters"
      throw SQLiteError(code: SQLITE_MISUSE, message: message, sql: statement.sql)
    }
    for (index, value) in values.enumerated() {
      try check(statement.bind(value?.scalar ?? .null, at: Int32(index + 1)), statement.sql)
    }
  }

  private func giveBack(_ statement: Statement) {
    sqlite3_reset(statement.handle)
    sqlite3_clear_bindings(statement.handle)
    if statements.count >= 64 { statements.removeFirst() }
    statements.append(statement)
  }

  private func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    var prepared: OpaquePointer?
    var rest = ""
    let code = sql.withCString { start in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v3(handle, start, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, &tail)
      if let tail { rest = String(cString: tail) }
      return code
    }
    try check(code, sql)
    guard let prepared else { throw SQLiteError(code: SQLITE_MISUSE, message: "there is no statement", sql: sql) }
    let statement = Statement(sql: sql, handle: prepared)
    guard rest.allSatisfy({ $0.isWhitespace || $0 == ";" }) else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "more than one statement; use script(_:)", sql: sql)
    }
    return statement
  }
}
