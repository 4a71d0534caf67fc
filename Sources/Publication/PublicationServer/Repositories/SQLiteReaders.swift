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

  func reader(access digest: Data, at time: Int64) throws -> (reader: Reader, session: SessionFamily.ID)? {
    try database.queryOne(
      """
      SELECT reader.id, email, name, session.id FROM access_token JOIN session ON session.id = access_token.session
      JOIN reader ON reader.id = session.reader WHERE digest = ? AND expires > ? AND \(Self.isThere)
      """, digest, time
    ) { (try Self.reader($0), try $0.get(3)) }
  }

  func startSession(
    _ tokens: SessionFamily.Tokens, of reader: Reader.ID, password: PasswordHash, device: String?, at time: Int64
  ) throws -> Bool {
    try database.transaction {
      try database.execute("DELETE FROM session WHERE used <= ?", time - Publication.sessionIdleTimeout)
      let session: SessionFamily.ID? = try database.queryOne(
        """
        INSERT INTO session (reader, device, begun, used, refresh)
        SELECT id, ?4, ?5, ?5, ?3 FROM reader WHERE id = ?1 AND password = ?2 AND \(Self.isThere) RETURNING id
        """, reader, password.text, tokens.refresh, device, time
      ) { try $0.get(0) }
      guard let session else { return false }
      try add(tokens, to: session, at: time)
      return true
    }
  }

  func exchange(_ refresh: Data, for tokens: SessionFamily.Tokens, at time: Int64) throws -> SessionFamily.Exchange {
    try database.transaction {
      typealias Found = (reader: Reader, session: SessionFamily.ID, current: Data, successor: Data?)
      let found: Found? = try database.queryOne(
        """
        SELECT reader.id, email, name, session.id, refresh, successor FROM session JOIN reader ON reader.id = session.reader
        WHERE ?1 IN (refresh, successor) AND NOT reused AND used > ?2 AND \(Self.isThere)
        """, refresh, time - Publication.sessionIdleTimeout
      ) { (try Self.reader($0), try $0.get(3), try $0.get(4), try $0.get(5)) }
      guard let found else {
        let session: SessionFamily.ID? = try database.queryOne(
          """
          SELECT session FROM spent_token WHERE digest = ?1
          UNION ALL SELECT id FROM session WHERE reused AND ?1 IN (refresh, successor) LIMIT 1
          """, refresh
        ) { try $0.get(0) }
        guard let session else { return .unknown }
        try database.execute("UPDATE session SET reused = 1 WHERE id = ?", session)
        try database.execute("DELETE FROM access_token WHERE session = ?", session)
        return .reused(session)
      }
      if refresh == found.successor {
        // Its client has it, and stored it: the one before has done its work.
        try spend(found.current, of: found.session)
      } else if let lost = found.successor {
        try spend(lost, of: found.session)
        try database.execute("DELETE FROM access_token WHERE session = ? AND refresh = ?", found.session, lost)
      }
      try database.execute(
        "UPDATE session SET refresh = ?, successor = ?, used = ? WHERE id = ?", refresh, tokens.refresh, time, found.session)
      try add(tokens, to: found.session, at: time)
      return .exchanged(found.reader)
    }
  }

  private func spend(_ digest: Data, of session: SessionFamily.ID) throws {
    try database.execute("INSERT OR IGNORE INTO spent_token (digest, session) VALUES (?, ?)", digest, session)
  }

  private func add(_ tokens: SessionFamily.Tokens, to session: SessionFamily.ID, at time: Int64) throws {
    try database.execute("DELETE FROM access_token WHERE session = ? AND expires <= ?", session, time)
    try database.execute(
      "INSERT INTO access_token (digest, session, refresh, expires) VALUES (?, ?, ?, ?)", tokens.access, session, tokens.refresh,
      time + Publication.accessLifetime)
  }

  func endSession(_ digest: Data) throws -> SessionFamily.ID? {
    try database.queryOne(
      """
      DELETE FROM session WHERE ?1 IN (refresh, successor) OR id = (SELECT session FROM access_token WHERE digest = ?1) RETURNING id
      """, digest
    ) { try $0.get(0) }
  }

  func endSessions(of reader: Reader.ID) throws -> [SessionFamily.ID] {
    try database.query("DELETE FROM session WHERE reader = ? RETURNING id", reader) { try $0.get(0) }
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
