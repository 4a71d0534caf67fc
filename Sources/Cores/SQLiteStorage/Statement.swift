import CSQLite
import Foundation

/// A prepared statement; belongs to one connection and is used by one caller at a time.
final class Statement {
  let sql: String
  let handle: OpaquePointer
  let parameterCount: Int
  private(set) lazy var columns: [String: Int32] = {
    var columns: [String: Int32] = [:]
    for index in (0..<sqlite3_column_count(handle)).reversed() {
      if let name = sqlite3_column_name(handle, index) { columns[String(cString: name)] = index }
    }
    return columns
  }()

  init(sql: String, handle: OpaquePointer) {
    self.sql = sql
    self.handle = handle
    parameterCount = Int(sqlite3_bind_parameter_count(handle))
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ scalar: SQLScalar, at index: Int32) -> Int32 {
    switch scalar {
    case .null: return sqlite3_bind_null(handle, index)
    case .integer(let integer): return sqlite3_bind_int64(handle, index, integer)
    case .real(let double): return sqlite3_bind_double(handle, index, double)
    case .text(var text): return text.withUTF8 { bind(text: $0, at: index, isCopied: true) }
    case .blob(let data):
      guard !data.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
      return data.withUnsafeBytes { matinee_sqlite3_bind_blob(handle, index, $0.baseAddress, sqlite3_uint64($0.count)) }
    }
  }

  /// - Parameter isCopied: if not, the bytes must stay valid until another value is bound in their place.
  func bind(text: UnsafeBufferPointer<UInt8>, at index: Int32, isCopied: Bool) -> Int32 {
    // An empty string may come without an address, which SQLite would take for NULL.
    guard let base = text.baseAddress else { return matinee_sqlite3_bind_text(handle, index, "", 0) }
    return base.withMemoryRebound(to: CChar.self, capacity: text.count) { start in
      let count = sqlite3_uint64(text.count)
      guard !isCopied else { return matinee_sqlite3_bind_text(handle, index, start, count) }
      return sqlite3_bind_text64(handle, index, start, count, nil, UInt8(SQLITE_UTF8))
    }
  }

  func column(_ index: Int32) -> SQLScalar {
    switch sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, index))
    case SQLITE_TEXT:
      guard let text = sqlite3_column_text(handle, index) else { return .null }
      return .text(String(decoding: UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, index))), as: UTF8.self))
    case SQLITE_BLOB:
      guard let blob = sqlite3_column_blob(handle, index) else { return .blob(Data()) }
      return .blob(Data(bytes: blob, count: Int(sqlite3_column_bytes(handle, index))))
    default: return .null
    }
  }
}

/// One statement for many uses in a row; valid only inside the closure it was handed to.
public struct RepeatedStatement {
  let connection: Connection
  let statement: Statement

  /// Runs it, without looking at rows.
  /// - Throws: ``SQLiteError``.
  public func run(_ values: (any SQLValue)?...) throws(SQLiteError) {
    defer { sqlite3_reset(statement.handle) }
    try connection.bind(values, to: statement)
    while try connection.step(statement) {}
  }

  /// Binds one value. It stays bound, for ``runBound(bytes:at:)`` and ``firstBound(text:at:_:)``, until another replaces it: a value that
  /// many uses share is bound once.
  /// - Parameters:
  ///   - value: the value; `nil` for NULL.
  ///   - parameter: its place from 0.
  /// - Throws: ``SQLiteError``.
  public func bind(_ value: (some SQLValue)?, at parameter: Int) throws(SQLiteError) {
    try connection.check(statement.bind(value?.scalar ?? .null, at: Int32(parameter + 1)), statement.sql)
  }

  /// Runs it with the bound values, ignoring rows, and with bytes in place of one value, which are not copied.
  /// - Parameters:
  ///   - bytes: read before this returns.
  ///   - parameter: the bytes' place from 0.
  /// - Throws: ``SQLiteError``.
  public func runBound(bytes: UnsafeRawBufferPointer, at parameter: Int) throws(SQLiteError) {
    defer {
      sqlite3_reset(statement.handle)
      // The bytes are gone after this call, so no later run may find them bound.
      sqlite3_bind_null(statement.handle, Int32(parameter + 1))
    }
    // No bytes may come without an address, which SQLite would take for NULL.
    let code =
      bytes.isEmpty
      ? sqlite3_bind_zeroblob(statement.handle, Int32(parameter + 1), 0)
      : sqlite3_bind_blob64(statement.handle, Int32(parameter + 1), bytes.baseAddress, sqlite3_uint64(bytes.count), nil)
    try connection.check(code, statement.sql)
    while try connection.step(statement) {}
  }

  /// Runs it with the bound values, and with a text in place of one value, which is not copied; passes the first row to `body`, if there is
  /// one.
  /// - Parameters:
  ///   - text: in UTF-8.
  ///   - parameter: its place from 0.
  ///   - body: reads the row, which is good until it returns.
  /// - Throws: ``SQLiteError``, or what `body` throws.
  public func firstBound(text: UnsafeBufferPointer<UInt8>, at parameter: Int, _ body: (Row) throws -> Void) throws {
    defer {
      sqlite3_reset(statement.handle)
      // The text is gone after this call, so no later run may find it bound.
      sqlite3_bind_null(statement.handle, Int32(parameter + 1))
    }
    try connection.check(statement.bind(text: text, at: Int32(parameter + 1), isCopied: false), statement.sql)
    if try connection.step(statement) { try body(Row(statement: statement)) }
  }

  /// Runs it and maps the first of its rows, if there is one.
  /// - Throws: ``SQLiteError``, or what `map` throws.
  @discardableResult
  public func first<Value>(_ values: (any SQLValue)?..., map: (Row) throws -> Value) throws -> Value? {
    defer { sqlite3_reset(statement.handle) }
    try connection.bind(values, to: statement)
    return try connection.step(statement) ? try map(Row(statement: statement)) : nil
  }
}

/// The present row of a query; valid only inside the `map` closure it was handed to.
public struct Row {
  let statement: Statement

  /// The value of a column, by its place from 0.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/mismatch`` when it holds something else, `NULL` among it.
  public func get<Value: SQLValue>(_ column: Int, as type: Value.Type = Value.self) throws -> Value {
    let scalar = try scalar(column)
    guard let value = Value(scalar: scalar) else { throw mismatch("\(column)", scalar, "\(type)") }
    return value
  }

  /// The value of a column that may be `NULL`, by its place from 0.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/mismatch`` when it holds something else.
  public func get<Value: SQLValue>(_ column: Int, as type: Value?.Type = Value?.self) throws -> Value? {
    let scalar = try scalar(column)
    if scalar == .null { return nil }
    guard let value = Value(scalar: scalar) else { throw mismatch("\(column)", scalar, "\(type)") }
    return value
  }

  /// The value of a column, by the name it has in the result.
  /// - Throws: ``SQLiteError`` when there is none of that name or it holds something else, including `NULL`.
  public func get<Value: SQLValue>(_ column: String, as type: Value.Type = Value.self) throws -> Value {
    try get(try index(column), as: type)
  }

  /// The value of a column that may be `NULL`, by the name it has in the result.
  /// - Throws: ``SQLiteError`` when there is none of that name or it holds something else.
  public func get<Value: SQLValue>(_ column: String, as type: Value?.Type = Value?.self) throws -> Value? {
    try get(try index(column), as: type)
  }

  /// A column as SQLite holds it.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/misuse`` when there is no such column.
  public func scalar(_ column: Int) throws -> SQLScalar {
    guard column >= 0, column < Int(sqlite3_column_count(statement.handle)) else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "there is no column \(column)", sql: statement.sql)
    }
    return statement.column(Int32(column))
  }

  /// The integer in a column, by its index from 0, for columns that hold nothing else, such as a rowid; 0 for any other value.
  public func integer(_ column: Int) -> Int64 { sqlite3_column_int64(statement.handle, Int32(column)) }

  /// The bytes of a column that holds a blob, where SQLite has them: valid inside `body` only.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/mismatch`` when it holds something else, or what `body` throws.
  @inlinable public func withBytes<Value>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value {
    try body(try bytes(column))
  }

  /// The text of a column, in UTF-8, where SQLite has it: valid inside `body` only.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/mismatch`` when it holds something else, or what `body` throws.
  public func withText<Value>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Value) throws -> Value {
    let index = Int32(column)
    guard sqlite3_column_type(statement.handle, index) == SQLITE_TEXT else { throw mismatch("\(column)", try scalar(column), "text") }
    let text = sqlite3_column_text(statement.handle, index)
    return try body(UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement.handle, index))))
  }

  @usableFromInline func bytes(_ column: Int) throws -> UnsafeRawBufferPointer {
    let index = Int32(column)
    guard sqlite3_column_type(statement.handle, index) == SQLITE_BLOB else { throw mismatch("\(column)", try scalar(column), "bytes") }
    let bytes = sqlite3_column_blob(statement.handle, index)
    return UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement.handle, index)))
  }

  private func index(_ name: String) throws -> Int {
    guard let index = statement.columns[name] else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "there is no column \(name)", sql: statement.sql)
    }
    return Int(index)
  }

  private func mismatch(_ column: String, _ scalar: SQLScalar, _ wanted: String) -> SQLiteError {
    let found =
      switch scalar {
      case .null: "NULL"
      case .integer: "an integer"
      case .real: "a double"
      case .text: "text"
      case .blob: "bytes"
      }
    let name = Int32(column).flatMap { sqlite3_column_name(statement.handle, $0) }.map { String(cString: $0) } ?? column
    return SQLiteError(code: SQLITE_MISMATCH, message: "column \(name) holds \(found) where \(wanted) was expected", sql: statement.sql)
  }
}
