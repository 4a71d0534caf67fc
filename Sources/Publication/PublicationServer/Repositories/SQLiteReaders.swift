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
    // Earlier versions stored an address as it was typed, even two equivalent ones: each of those is still found by its own spelling.
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
  static let isThere = "reader.email <> 'removed ' || reader.id"

  /// Whether a reader was removed, in the transaction that is under way.
  func isRemoved(_ reader: Reader.ID) throws -> Bool {
    try database.queryOne("SELECT 1 FROM reader WHERE id = ? AND NOT \(Self.isThere)", reader, map: { _ in true }) != nil
  }

  func reader(access digest: Data, at time: Int64) throws -> (reader: Reader, session: SessionFamily.ID, expires: Int64)? {
    // A token that lasts longer than any new one was given by a clock that was ahead, unless it is older than token families.
    try database.queryOne(
      """
      SELECT reader.id, email, name, session.id, expires FROM access_token JOIN session ON session.id = access_token.session
      JOIN reader ON reader.id = session.reader
      WHERE digest = ?1 AND expires > ?2 AND (expires <= ?2 + ?3 OR digest = family) AND \(Self.isThere)
      """, digest, time, Publication.accessLifetime
    ) { (try Self.reader($0), try $0.get(3), try $0.get(4)) }
  }

  func startSession(
    _ tokens: SessionFamily.Tokens, of reader: Reader.ID, password: PasswordHash, device: String?, at time: Int64
  ) throws -> SessionFamily.ID? {
    try database.transaction {
      let session: SessionFamily.ID? = try database.queryOne(
        """
        INSERT INTO session (reader, device, begun, used, family, refresh)
        SELECT id, ?3, ?4, ?4, ?5, ?6 FROM reader WHERE id = ?1 AND password = ?2 AND \(Self.isThere) RETURNING id
        """, reader, password.text, device, time, tokens.refresh.family, tokens.refresh.token
      ) { try $0.get(0) }
      guard let session else { return nil }
      try add(tokens, to: session, at: time)
      // By time nothing is removed: the clock may be wrong.
      try database.execute(
        "DELETE FROM session WHERE id IN (SELECT id FROM session WHERE reader = ? ORDER BY id = ? DESC, used DESC, id DESC LIMIT -1 OFFSET ?)",
        reader, session, SessionFamily.most)
      return session
    }
  }

  func exchange(_ old: SessionFamily.Refresh, for tokens: SessionFamily.Tokens, at time: Int64) throws -> SessionFamily.Exchange {
    try database.transaction {
      typealias Found = (reader: Reader, session: SessionFamily.ID, current: Data, isReused: Bool)
      let found: Found? = try database.queryOne(
        """
        SELECT reader.id, email, name, session.id, refresh, reused FROM session JOIN reader ON reader.id = session.reader
        WHERE family = ? AND used > ? AND \(Self.isThere)
        """, old.family, time - Publication.sessionIdleTimeout
      ) { (try Self.reader($0), try $0.get(3), try $0.get(4), try $0.get(5)) }
      guard let found else { return .unknown }
      guard !found.isReused else { return .reused(found.session) }
      if old.token != found.current {
        // Its client has stored it: the earlier token, and its other successors, are not needed any more.
        guard try database.execute("DELETE FROM successor WHERE digest = ? AND session = ?", old.token, found.session) == 1 else {
          try database.execute("UPDATE session SET reused = 1 WHERE id = ?", found.session)
          try database.execute("DELETE FROM access_token WHERE session = ?", found.session)
          return .reused(found.session)
        }
        try database.execute("DELETE FROM successor WHERE session = ?", found.session)
        try database.execute("DELETE FROM access_token WHERE session = ? AND refresh IS NOT ?", found.session, old.token)
      }
      let lost = try database.query(
        "DELETE FROM successor WHERE digest IN (SELECT digest FROM successor WHERE session = ? ORDER BY number DESC LIMIT -1 OFFSET ?) RETURNING digest",
        found.session, SessionFamily.successors - 1
      ) { try $0.get(0, as: Data.self) }
      for lost in lost { try database.execute("DELETE FROM access_token WHERE session = ? AND refresh = ?", found.session, lost) }
      try database.execute(
        "INSERT INTO successor (digest, session, number) SELECT ?1, ?2, ifnull(max(number), 0) + 1 FROM successor WHERE session = ?2",
        tokens.refresh.token, found.session)
      // Once a newer token was given, a token that is older than token families expires like others.
      try database.execute(
        "UPDATE access_token SET expires = min(expires, ?) WHERE digest = ?", time + Publication.accessLifetime, old.family)
      // Never backwards: after an hour with a clock that is behind, the session would end as soon as the clock is right.
      try database.execute("UPDATE session SET refresh = ?, used = max(used, ?) WHERE id = ?", old.token, time, found.session)
      try add(tokens, to: found.session, at: time)
      return .exchanged(found.reader, found.session)
    }
  }

  private func add(_ tokens: SessionFamily.Tokens, to session: SessionFamily.ID, at time: Int64) throws {
    try database.execute(
      "INSERT INTO access_token (digest, session, refresh, expires) VALUES (?, ?, ?, ?)", tokens.access, session, tokens.refresh.token,
      time + Publication.accessLifetime)
  }

  func isFamily(_ digest: Data, of session: SessionFamily.ID) throws -> Bool {
    try database.queryOne("SELECT 1 FROM session WHERE id = ? AND family = ? AND NOT reused", session, digest, map: { _ in true }) != nil
  }

  func endSession(_ token: SessionFamily.Refresh, at time: Int64) throws -> SessionFamily.ID? {
    try database.queryOne(
      """
      DELETE FROM session WHERE NOT reused AND id IN (
        SELECT id FROM session WHERE family = ?1 UNION ALL SELECT session FROM access_token WHERE digest = ?2 AND expires > ?3
      ) RETURNING id
      """, token.family, token.token, time
    ) { try $0.get(0) }
  }

  func endSession(_ id: SessionFamily.ID, of reader: Reader.ID) throws -> Bool {
    try database.execute("DELETE FROM session WHERE id = ? AND reader = ?", id, reader) == 1
  }

  func endSessions(of reader: Reader.ID, except session: SessionFamily.ID?) throws -> [SessionFamily.ID] {
    try database.transaction {
      // A code would begin one more.
      try SQLiteCodes(database: database).void(for: reader)
      return try database.query("DELETE FROM session WHERE reader = ? AND id IS NOT ? RETURNING id", reader, session) { try $0.get(0) }
    }
  }

  func sessions(of reader: Reader.ID, at time: Int64, limit: Int) throws -> [SessionFamily.Listed] {
    try database.query(
      "SELECT id, device, begun, used FROM session WHERE reader = ? AND NOT reused AND used > ? ORDER BY used DESC, id DESC LIMIT ?",
      reader,
      time - Publication.sessionIdleTimeout, limit
    ) { SessionFamily.Listed(id: try $0.get(0), device: try $0.get(1), began: try $0.get(2), used: try $0.get(3)) }
  }

  func changePassword(
    _ password: PasswordHash, from old: PasswordHash, of reader: Reader.ID, retaining session: SessionFamily.ID
  ) throws -> [SessionFamily.ID]? {
    try database.transaction {
      let changed = try database.execute(
        "UPDATE reader SET password = ? WHERE id = ? AND password = ? AND \(Self.isThere)", password.text, reader, old.text)
      guard changed == 1 else { return nil }
      try forgetIdentities(of: reader)
      return try endSessions(of: reader, except: session)
    }
  }

  func setPassword(_ password: PasswordHash, of reader: Reader.ID) throws -> [SessionFamily.ID] {
    try database.transaction {
      try database.execute("UPDATE reader SET password = ? WHERE id = ?", password.text, reader)
      try forgetIdentities(of: reader)
      return try endSessions(of: reader, except: nil)
    }
  }

  /// An intruder may have added an account of their own, or have come by it first, with an address that was not theirs.
  private func forgetIdentities(of reader: Reader.ID) throws {
    try database.execute("DELETE FROM identity WHERE reader = ?", reader)
  }

  func remove(_ reader: Reader.ID, password: PasswordHash, at time: Int64) throws {
    try database.transaction {
      // One may have started since the last check.
      let isCharged = try database.queryOne(
        "SELECT 1 FROM attempt JOIN purchase ON purchase.id = attempt.purchase WHERE attempt.ended IS NULL AND purchase.reader = ?", reader,
        map: { _ in true })
      guard isCharged == nil else { throw Problem.conflict("This reader is being charged at the moment. Try again.") }
      try SQLiteCodes(database: database).void(for: reader)
      // Reactions are found by post alone, so all are read: once, and not for each part and at each start.
      for table in ["session", "identity", "reaction"] { try database.execute("DELETE FROM \(table) WHERE reader = ?", reader) }
      // A reader who agreed on a page now would wait for a charge that never comes.
      let checkouts = SQLiteCheckouts(database: database)
      for order in try checkouts.ordersWithPages(of: reader, at: time) {
        try checkouts.withdraw(order, reason: "The reader was removed.", at: time)
      }
      try database.execute("UPDATE reader SET email = 'removed ' || id, name = '', password = ? WHERE id = ?", password.text, reader)
    }
  }

  /// Where a reader has rows that go with them, each found by an index.
  private static let activity = ["bookmark", "follow", "unlock", "flag_event", "flag_reader", "analytics_batch"]
  /// How much of a removed reader goes at a time. To find who has a club next takes longer.
  private static let mostOfPart = (rows: 2000, clubs: 20)

  func removedReaders() throws -> [Reader.ID] {
    let left =
      (Self.activity + ["read_mark"]).map { "EXISTS (SELECT 1 FROM \($0) WHERE \($0).reader = reader.id)" }
      + ["EXISTS (SELECT 1 FROM comment WHERE comment.reader = reader.id AND NOT deleted)"]
      + ["EXISTS (SELECT 1 FROM fan_club WHERE added_by = reader.id)"]
    return try database.query("SELECT id FROM reader WHERE NOT \(Self.isThere) AND (\(left.joined(separator: " OR ")))") { try $0.get(0) }
  }

  func removeActivity(of reader: Reader.ID) throws -> (clubs: [FanClub.ID], hasMore: Bool) {
    guard try isRemoved(reader) else { return ([], false) }
    // A transaction of its own: it is one without foreign keys.
    let clubs = try SQLiteContent(database: database).passOnClubs(of: reader, limit: Self.mostOfPart.clubs)
    guard clubs.taken == 0 else { return (clubs.removed, true) }
    return try database.transaction {
      // Without its text, like a deleted one: a late repeated request would bring it back.
      let comments = "SELECT number FROM comment WHERE reader = ?1 AND NOT deleted LIMIT ?2"
      var left = Self.mostOfPart.rows
      left -= try database.execute("UPDATE comment SET deleted = 1, text = '' WHERE number IN (\(comments))", reader, left)
      for table in Self.activity where left > 0 { left -= try remove(from: table, of: reader, limit: left) }
      return ([], left == 0)
    }
  }

  /// - Returns: how many rows there were of them.
  private func remove(from table: String, of reader: Reader.ID, limit: Int) throws -> Int {
    // Of tables without row numbers as of others, by the column that with the reader names a row.
    let column =
      switch table {
      case "follow": "fan_club"
      case "flag_event", "analytics_batch": "id"
      case "flag_reader": "flag"
      default: "post"
      }
    return try database.execute(
      "DELETE FROM \(table) WHERE reader = ?1 AND \(column) IN (SELECT \(column) FROM \(table) WHERE reader = ?1 LIMIT ?2)", reader, limit)
  }

  func sweepMarks(of reader: Reader.ID) throws -> Bool {
    guard try isRemoved(reader) else { return false }
    let marks = "SELECT number FROM read_mark WHERE reader = ?1 LIMIT ?2"
    let most = Self.mostOfPart.rows
    return try database.transaction {
      let hasMore = try database.execute("DELETE FROM read_mark WHERE reader = ?1 AND number IN (\(marks))", reader, most) == most
      if !hasMore { try database.execute("DELETE FROM read_count WHERE reader = ?", reader) }
      return hasMore
    }
  }

  static func reader(_ row: Row) throws -> Reader {
    Reader(id: try row.get(0), email: try row.get(1), name: try row.get(2))
  }
}
