import Foundation
import PublicationAPI
import SQLiteStorage

/// A code that was mailed, as it is stored: neither it nor its challenge can be read from there.
struct MailedCode {
  /// Of the challenge: what names it.
  let digest: Data
  /// Of challenge and code together; empty when none was mailed.
  let code: Data
  /// The address that it was requested for, a reader's or not.
  let email: String
  /// Who requested it.
  let client: String?
  /// In seconds since 1970.
  let requestedAt: Int64
}

/// ``CodeRepository`` on SQLite.
struct SQLiteCodes: CodeRepository {
  let database: Connection

  func add(_ code: MailedCode, isOwn: Bool) throws -> Bool {
    try database.transaction {
      // What is ahead was requested by a clock that was wrong.
      try database.execute(
        "DELETE FROM mailed_code WHERE requested_at <= ? OR requested_at > ?", code.requestedAt - Self.memory, code.requestedAt)
      let counts = try database.queryOne(Self.counts, code.email, code.client) { row in
        (
          rows: try row.get(0, as: Int.self), ofAll: try row.get(1, as: Int.self), ofAddress: try row.get(2, as: Int.self),
          ofClient: try row.get(3, as: Int.self), ofBoth: try row.get(4, as: Int.self)
        )
      }
      guard let counts, counts.ofClient < MailedCode.mostOfAClient, counts.ofBoth < MailedCode.mostOfAClientForAnAddress,
        isOwn || (counts.ofAll < MailedCode.most && counts.ofAddress < MailedCode.mostForAnAddress)
      else { return false }
      // A request for an address that is no reader's sends no mail. Its row only takes room, so the oldest such row makes room for another,
      // and no reader is refused a code. It makes room for a reader's row too: otherwise the time of this request, or of the next one, would
      // tell whether the address is a reader's.
      if counts.rows >= MailedCode.most { try database.execute(Self.makeRoom) }
      try database.execute(
        "INSERT INTO mailed_code (digest, code, email, client, requested_at, tries) VALUES (?, ?, ?, ?, ?, 0)", code.digest, code.code,
        code.email,
        code.client, code.requestedAt)
      return true
    }
  }

  /// How many rows there are, how many mails were sent, and how many codes were asked for to the address ?1, by the client ?2, and by both.
  /// Without a client, nothing is counted for it alone.
  static let counts = """
    SELECT (SELECT count(*) FROM mailed_code), (SELECT count(*) FROM mailed_code WHERE code <> x''),
      (SELECT count(*) FROM mailed_code WHERE email = ?1), (SELECT count(*) FROM mailed_code WHERE client = ?2),
      (SELECT count(*) FROM mailed_code WHERE email = ?1 AND client IS ?2)
    """

  /// Removes the oldest row of a request that sent no mail.
  static let makeRoom = """
    DELETE FROM mailed_code WHERE digest = (SELECT digest FROM mailed_code WHERE code = x'' ORDER BY requested_at LIMIT 1)
    """

  func code(_ digest: Data, at time: Int64) throws -> MailedCode? {
    try database.queryOne(
      "SELECT digest, code, email, client, requested_at FROM mailed_code WHERE digest = ?1 AND \(Self.isGood)", digest, time
    ) { MailedCode(digest: try $0.get(0), code: try $0.get(1), email: try $0.get(2), client: try $0.get(3), requestedAt: try $0.get(4)) }
  }

  func countTry(_ digest: Data, at time: Int64) throws -> Int? {
    try database.queryOne(
      "UPDATE mailed_code SET tries = tries + 1 WHERE digest = ?1 AND \(Self.isGood) RETURNING tries", digest, time
    ) { MailedCode.tries - (try $0.get(0, as: Int.self)) }
  }

  func use(_ digest: Data) throws -> Bool {
    // The row stays, and counts for the limits. A right code is one of the tries, however many there were.
    try database.execute("UPDATE mailed_code SET tries = ? WHERE digest = ? AND tries <= ?", Self.used, digest, MailedCode.tries) == 1
  }

  /// Makes the codes for a reader's address worthless, in the transaction that is under way. Their rows count for the limits.
  func void(for reader: Reader.ID) throws {
    try database.execute("UPDATE mailed_code SET tries = ? WHERE email = (SELECT email FROM reader WHERE id = ?)", Self.used, reader)
  }

  private static let isGood = "requested_at > ?2 - \(MailedCode.lifetime) AND requested_at <= ?2 AND tries < \(MailedCode.tries)"
  private static let used = MailedCode.tries + 1
  private static let memory: Int64 = 3600
}

extension MailedCode {
  /// For how long one is good, in seconds.
  static let lifetime: Int64 = 600
  /// How often one may be tried.
  static let tries = 5
  /// How many an hour a client may ask for to one address, and for all: one who floods a reader's mail does not keep that reader out.
  static let mostOfAClientForAnAddress = 5
  static let mostOfAClient = 30
  /// How many an hour an address gets, and all readers together.
  static let mostForAnAddress = 20
  static let most = 10_000
}
