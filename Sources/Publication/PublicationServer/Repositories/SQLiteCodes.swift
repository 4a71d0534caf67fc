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
      let ofAll = try count("code <> x''", [])
      let ofAddress = try count("email = ?", [code.email])
      let ofClient = try code.client.map { try count("client = ?", [$0]) } ?? 0
      let ofBoth = try count("email = ? AND client IS ?", [code.email, code.client])
      guard ofClient < MailedCode.mostOfAClient, ofBoth < MailedCode.mostOfAClientForAnAddress,
        isOwn || (ofAll < MailedCode.most && ofAddress < MailedCode.mostForAnAddress)
      else { return false }
      // A request for an address that is no reader's sends no mail. Its row only takes room, so the oldest such row makes room for it, and
      // no reader is refused a code.
      if code.code.isEmpty, try count("code = x''", []) >= MailedCode.most {
        try database.execute(
          "DELETE FROM mailed_code WHERE digest = (SELECT digest FROM mailed_code WHERE code = x'' ORDER BY requested_at LIMIT 1)")
      }
      try database.execute(
        "INSERT INTO mailed_code (digest, code, email, client, requested_at, tries) VALUES (?, ?, ?, ?, ?, 0)", code.digest, code.code,
        code.email,
        code.client, code.requestedAt)
      return true
    }
  }

  private func count(_ condition: String, _ values: [(any SQLValue)?]) throws -> Int {
    try database.query("SELECT count(*) FROM mailed_code WHERE \(condition)", values: values) { try $0.get(0, as: Int.self) }[0]
  }

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
