import CSQLite

/// An error that SQLite returned.
public struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A primary result code (sqlite.org/rescode.html).
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// SQLite's number of the code, such as 5 for `SQLITE_BUSY`.
    public let rawValue: Int32
    /// The code with that number.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The SQL is wrong, or names something that does not exist.
    public static let error = Code(rawValue: SQLITE_ERROR)
    /// Another connection holds the lock, for the whole busy time-out.
    public static let busy = Code(rawValue: SQLITE_BUSY)
    /// The file or its folder cannot be written.
    public static let readOnly = Code(rawValue: SQLITE_READONLY)
    /// It was ended before it was done, by its ``WorkLimit``; nothing of it is stored.
    public static let interrupted = Code(rawValue: SQLITE_INTERRUPT)
    /// Reading or writing the file failed.
    public static let io = Code(rawValue: SQLITE_IOERR)
    /// The file is damaged.
    public static let corrupt = Code(rawValue: SQLITE_CORRUPT)
    /// The disk is full, for the database or for what stands beside it.
    public static let full = Code(rawValue: SQLITE_FULL)
    /// The file cannot be opened.
    public static let cannotOpen = Code(rawValue: SQLITE_CANTOPEN)
    /// A constraint of the schema was violated; ``SQLiteError/extendedCode`` says which kind.
    public static let constraint = Code(rawValue: SQLITE_CONSTRAINT)
    /// A column holds another type than the requested one.
    public static let mismatch = Code(rawValue: SQLITE_MISMATCH)
    /// A call that makes no sense: more values than parameters, a connection that was closed.
    public static let misuse = Code(rawValue: SQLITE_MISUSE)
    /// The file is no database.
    public static let notADatabase = Code(rawValue: SQLITE_NOTADB)
  }

  /// The primary code, to match on.
  public let code: Code
  /// The extended code; equal to the primary one when there is nothing to add.
  public let extendedCode: Int32
  /// What went wrong, in SQLite's own words.
  public let message: String
  /// The statement, without its values, which may be private; the file's path when none was running.
  public let sql: String

  /// Derives ``code`` and ``extendedCode`` from `code`, a primary or an extended result code of SQLite.
  public init(code: Int32, message: String, sql: String) {
    // SQLITE_IOERR_SHMSIZE: there is no room for the index of the log.
    self.code = code == SQLITE_IOERR | 19 << 8 ? .full : Code(rawValue: code & 0xff)
    extendedCode = code
    self.message = message
    self.sql = sql
  }

  /// Whether the file itself is damaged or no database, so that trying again cannot help.
  public var isCorruption: Bool { code == .corrupt || code == .notADatabase }

  /// Whether an error reports a damaged file, including one that could not be upgraded because of the damage.
  public static func isCorruption(_ error: any Error) -> Bool {
    if case MigrationError.failed(_, _, let cause) = error { return cause.isCorruption }
    return (error as? SQLiteError)?.isCorruption == true
  }

  /// The error in one line, for logs.
  public var description: String {
    switch code {
    case .corrupt, .notADatabase: "The database is damaged (\(message)): \(statement)"
    case .full: reason
    default: "SQLite error \(extendedCode), \(message): \(statement)"
    }
  }

  /// The same without the statement, in one sentence.
  var reason: String {
    switch code {
    case .corrupt, .notADatabase: "The database is damaged (\(message))."
    case .full: "The disk is full, and nothing of this was stored."
    default: "SQLite error \(extendedCode), \(message)."
    }
  }

  /// The statement on one line.
  private var statement: String { sql.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
