import CSQLite
import Foundation

extension Connection {
  /// Checks that a database is as long as its header says. A file that was cut, such as a copy that ended too early, is opened like a whole
  /// one where a log is beside it: SQLite finds the damage only in the pages that are missing. When it closes the file, it makes it as long
  /// as it was, with nothing in it there.
  ///
  /// Not for a file that this process has open: closing it would release the locks of the other connection (POSIX).
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/corrupt`` for a file that is too short. Other files that cannot be read are left to
  ///   whoever opens them.
  package static func checkLength(of path: String) throws(SQLiteError) {
    guard let (length, wanted) = lengths(of: path), length < wanted else { return }
    // The log has the rest where a process was killed while it moved that into the file. This reads all of the file, which seldom happens.
    var log = stat()
    let hasLog = stat(path + "-wal", &log) == 0 && log.st_size > 0
    if hasLog, let found = try? texts("PRAGMA quick_check(1)", in: path), found == ["ok"] { return }
    throw SQLiteError(code: SQLITE_CORRUPT, message: "it ends after \(length) of \(wanted) bytes", sql: path)
  }

  /// How many bytes a database has, and how many it has by its header (sqlite.org/fileformat2.html, 1.3); `nil` for what is no database, or
  /// whose header does not say so.
  private static func lengths(of path: String) -> (length: Int, wanted: Int)? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    var header = [UInt8](repeating: 0, count: 100)
    guard fstat(file, &status) == 0, pread(file, &header, 100, 0) == 100, header.starts(with: "SQLite format 3\0".utf8) else { return nil }
    func number(_ bytes: Range<Int>) -> Int { header[bytes].reduce(0) { $0 << 8 | Int($1) } }
    // Old versions of SQLite change the file and not the number of its pages.
    guard number(24..<28) == number(92..<96) else { return nil }
    // 65,536 does not fit.
    let pageSize = number(16..<18) == 1 ? 65_536 : number(16..<18)
    return (Int(status.st_size), number(28..<32) * pageSize)
  }
}
