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

  func reader(session digest: Data) throws -> Reader? {
    try database.queryOne(
      "SELECT reader.id, email, name FROM session JOIN reader ON reader.id = session.reader WHERE token_digest = ?", digest,
      map: Self.reader)
  }

  func beginSession(_ digest: Data, of reader: Reader.ID, at time: Int64) throws {
    try database.execute("INSERT INTO session (token_digest, reader, begun) VALUES (?, ?, ?)", digest, reader, time)
  }

  func endSession(_ digest: Data) throws { try database.execute("DELETE FROM session WHERE token_digest = ?", digest) }

  private static func reader(_ row: Row) throws -> Reader {
    Reader(id: try row.get(0), email: try row.get(1), name: try row.get(2))
  }
}
