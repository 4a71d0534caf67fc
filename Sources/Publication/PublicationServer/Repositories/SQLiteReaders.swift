import Foundation
import PublicationAPI
import SQLiteStorage

/// ``ReaderRepository`` on SQLite.
struct SQLiteReaders: ReaderRepository {
  let database: Connection

  func add(_ reader: Reader, password: PasswordHash) throws -> Bool {
    try database.transaction {
      guard try self.reader(email: reader.email) == nil else { return false }
      try database.execute(
        "INSERT INTO reader (id, email, name, password) VALUES (?, ?, ?, ?)", reader.id, reader.email, reader.name, password.text)
      return true
    }
  }

  func reader(email: String) throws -> (reader: Reader, password: PasswordHash)? {
    // Earlier versions stored an address as it was typed, also two of them that are the same: each of those is found as it was before.
    try database.queryOne(
      """
      SELECT id, email, name, password FROM reader WHERE email IN (?1, ?2, ?3) ORDER BY email = ?1 DESC, email = ?2 DESC LIMIT 1
      """, email, email.precomposedStringWithCanonicalMapping, email.decomposedStringWithCanonicalMapping
    ) { row in (try Self.reader(row), try PasswordHash(text: row.get(3))) }
  }

  func reader(_ id: Reader.ID) throws -> Reader? {
    try database.queryOne("SELECT id, email, name FROM reader WHERE id = ? AND \(Self.isThere)", id, map: Self.reader)
  }

  func readers(after email: String?, limit: Int) throws -> [Reader] {
    try database.query(
      "SELECT id, email, name FROM reader WHERE email > ? AND \(Self.isThere) ORDER BY email LIMIT ?", email ?? "", limit, map: Self.reader)
  }

  /// A removed reader's row stays, with what is no address.
  private static let isThere = "reader.email <> 'removed ' || reader.id"

  /// Whether a reader was removed, in the transaction that is under way.
  func isRemoved(_ reader: Reader.ID) throws -> Bool {
    try database.queryOne("SELECT 1 FROM reader WHERE id = ? AND NOT \(Self.isThere)", reader, map: { _ in true }) != nil
  }

  func reader(session digest: Data, at time: Int64) throws -> Reader? {
    let found = try database.queryOne(
      """
      SELECT reader.id, email, name, used FROM session JOIN reader ON reader.id = session.reader
      WHERE token_digest = ? AND used > ? AND \(Self.isThere)
      """, digest, time - Publication.sessionLifetime
    ) { (reader: try Self.reader($0), used: try $0.get(3, as: Int64.self)) }
    // Once a day is enough. Where it cannot be written, as on a full disk, reading goes on.
    if let found, time - found.used >= 86_400 {
      _ = try? database.execute("UPDATE session SET used = ? WHERE token_digest = ?", time, digest)
    }
    return found?.reader
  }

  func startSession(_ digest: Data, of reader: Reader.ID, password: PasswordHash, at time: Int64) throws -> Bool {
    try database.transaction {
      try database.execute("DELETE FROM session WHERE used <= ?", time - Publication.sessionLifetime)
      return try database.execute(
        """
        INSERT INTO session (token_digest, reader, begun, used)
        SELECT ?1, id, ?4, ?4 FROM reader WHERE id = ?2 AND password = ?3 AND \(Self.isThere)
        """, digest, reader, password.text, time) == 1
    }
  }

  func endSession(_ digest: Data) throws { try database.execute("DELETE FROM session WHERE token_digest = ?", digest) }

  func endSessions(of reader: Reader.ID) throws -> [Data] {
    try database.query("DELETE FROM session WHERE reader = ? RETURNING token_digest", reader) { try $0.get(0) }
  }

  func setPassword(_ password: PasswordHash, of reader: Reader.ID) throws {
    try database.execute("UPDATE reader SET password = ? WHERE id = ?", password.text, reader)
  }

  func remove(_ reader: Reader.ID, password: PasswordHash) throws {
    try database.transaction {
      // One may have started since the last check.
      let isCharged = try database.queryOne(
        "SELECT 1 FROM attempt JOIN purchase ON purchase.id = attempt.purchase WHERE attempt.ended IS NULL AND purchase.reader = ?", reader,
        map: { _ in true })
      guard isCharged == nil else { throw Problem.conflict("This reader is being charged at the moment. Try again.") }
      for table in ["session", "reaction", "bookmark", "follow", "read_mark", "unlock", "flag_event"] {
        try database.execute("DELETE FROM \(table) WHERE reader = ?", reader)
      }
      // Without its words, as one that was deleted: a late second sending would bring it back.
      try database.execute("UPDATE comment SET deleted = 1, text = '' WHERE reader = ?", reader)
      try database.execute("UPDATE fan_club SET added_by = NULL WHERE added_by = ?", reader)
      try database.execute("UPDATE reader SET email = 'removed ' || id, name = '', password = ? WHERE id = ?", password.text, reader)
    }
  }

  private static func reader(_ row: Row) throws -> Reader {
    Reader(id: try row.get(0), email: try row.get(1), name: try row.get(2))
  }
}
