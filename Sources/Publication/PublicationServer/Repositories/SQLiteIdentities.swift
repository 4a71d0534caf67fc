import Foundation
import PublicationAPI
import SQLiteStorage

/// An account at an identity provider: the pair that OpenID Connect Core 1.0 calls unique (section 5.7).
struct Identity: Equatable {
  let issuer: String
  let subject: String
  /// What the provider calls it; for the reader's eyes alone.
  let account: String?

  /// What became of adding one to a reader's.
  enum Outcome: Equatable {
    case linked
    /// It is, and was that of a reader who came by it and did nothing since.
    case moved(from: Reader.ID)
    /// It is another reader's.
    case taken
    /// The reader has another one of the same provider.
    case hasAnother
    /// The reader was removed meanwhile.
    case gone
  }
}

/// ``IdentityRepository`` on SQLite.
struct SQLiteIdentities: IdentityRepository {
  let database: Connection

  func reader(of identity: Identity) throws -> (reader: Reader, password: PasswordHash)? {
    try database.queryOne(
      """
      SELECT reader.id, email, name, password FROM identity JOIN reader ON reader.id = identity.reader
      WHERE issuer = ? AND subject = ? AND \(SQLiteReaders.isThere)
      """, identity.issuer, identity.subject
    ) { row in (try SQLiteReaders.reader(row), try PasswordHash(text: row.get(3))) }
  }

  func add(_ reader: Reader, password: PasswordHash, by identity: Identity, at time: Int64) throws -> Bool {
    try database.transaction {
      guard try self.reader(of: identity) == nil, try SQLiteReaders(database: database).add(reader, password: password) else {
        return false
      }
      try insert(identity, reader.id, isFirst: true, time)
      return true
    }
  }

  func link(_ identity: Identity, to reader: Reader.ID, at time: Int64) throws -> Identity.Outcome {
    try database.transaction {
      guard try !SQLiteReaders(database: database).isRemoved(reader) else { return .gone }
      let owner = try self.reader(of: identity)?.reader.id
      guard owner != reader else { return .linked }
      if let owner, try !hasDoneNothing(owner) { return .taken }
      guard try identities(of: reader).allSatisfy({ $0.issuer != identity.issuer }) else { return .hasAnother }
      guard let owner else {
        try insert(identity, reader, isFirst: false, time)
        return .linked
      }
      try database.execute(
        "UPDATE identity SET reader = ?, first = 0, linked = ?, account = ? WHERE issuer = ? AND subject = ?", reader, time,
        identity.account, identity.issuer, identity.subject)
      return .moved(from: owner)
    }
  }

  /// Whether a reader has one account at a provider, by which they came, and nothing that they would miss.
  private func hasDoneNothing(_ reader: Reader.ID) throws -> Bool {
    guard try identities(of: reader).map(\.isFirst) == [true] else { return false }
    let tables = ["purchase", "comment", "reaction", "bookmark", "follow", "unlock"].map { "SELECT 1 FROM \($0) WHERE reader = ?1" }
    let uses = (tables + ["SELECT 1 FROM fan_club WHERE added_by = ?1"]).map { "EXISTS (\($0))" }.joined(separator: " OR ")
    return try database.queryOne("SELECT \(uses)", reader) { try $0.get(0, as: Bool.self) } == false
  }

  private func insert(_ identity: Identity, _ reader: Reader.ID, isFirst: Bool, _ time: Int64) throws {
    try database.execute(
      "INSERT INTO identity (issuer, subject, reader, first, linked, account) VALUES (?, ?, ?, ?, ?, ?)", identity.issuer,
      identity.subject, reader, isFirst, time, identity.account)
  }

  func unlink(_ issuer: String, from reader: Reader.ID) throws -> Bool {
    try database.execute("DELETE FROM identity WHERE reader = ? AND issuer = ? AND NOT first", reader, issuer) == 1
  }

  func identities(of reader: Reader.ID) throws -> [ReaderIdentity] {
    try database.query("SELECT issuer, first, account FROM identity WHERE reader = ? ORDER BY linked, issuer", reader) {
      ReaderIdentity(issuer: try $0.get(0), isFirst: try $0.get(1), account: try $0.get(2))
    }
  }
}
