import Foundation
import PublicationAPI
import SQLiteStorage

/// ``ReaderRepository`` on SQLite.
struct SQLiteReaders: ReaderRepository {
  let database: Connection

  func add(_ reader: Reader, password: PasswordHash) throws -> Bool {
    try database.execute(
      "INSERT INTO reader (id, email, name, password) VALUES (?, ?, ?, ?) ON CONFLICT (email) DO NOTHING", reader.id, reader.email,
      reader.name, password.text) == 1
  }

  func reader(email: String) throws -> (reader: Reader, password: PasswordHash)? {
    try database.queryOne("SELECT id, email, name, password FROM reader WHERE email = ?", email) { row in
      (try Self.reader(row), try PasswordHash(text: row.get(3)))
    }
  }

  func reader(session digest: Data, at time: Int64) throws -> Reader? {
    let found = try database.queryOne(
      "SELECT reader.id, email, name, used FROM session JOIN reader ON reader.id = session.reader WHERE token_digest = ? AND used > ?",
      digest, time - Publication.sessionLifetime
    ) { (reader: try Self.reader($0), used: try $0.get(3, as: Int64.self)) }
    // Once a day is enough. Where it cannot be written, as on a full disk, reading goes on.
    if let found, time - found.used >= 86_400 {
      _ = try? database.execute("UPDATE session SET used = ? WHERE token_digest = ?", time, digest)
    }
    return found?.reader
  }

  func beginSession(_ digest: Data, of reader: Reader.ID, at time: Int64) throws {
    try database.transaction {
      try database.execute("DELETE FROM session WHERE used <= ?", time - Publication.sessionLifetime)
      try database.execute("INSERT INTO session (token_digest, reader, begun, used) VALUES (?, ?, ?, ?)", digest, reader, time, time)
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
