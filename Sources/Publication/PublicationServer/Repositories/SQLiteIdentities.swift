import Foundation
import PublicationAPI
import SQLiteStorage

/// An account at an identity provider: the pair that OpenID Connect Core 1.0 calls unique (section 5.7).
struct Identity: Equatable {
  let issuer: String
  let subject: String

  /// What became of adding one to a reader's.
  enum Outcome: Equatable {
    case linked
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
      if let owner = try self.reader(of: identity)?.reader.id { return owner == reader ? .linked : .taken }
      guard try identities(of: reader).allSatisfy({ $0.issuer != identity.issuer }) else { return .hasAnother }
      try insert(identity, reader, isFirst: false, time)
      return .linked
    }
  }

  private func insert(_ identity: Identity, _ reader: Reader.ID, isFirst: Bool, _ time: Int64) throws {
    try database.execute(
      "INSERT INTO identity (issuer, subject, reader, first, linked) VALUES (?, ?, ?, ?, ?)", identity.issuer, identity.subject, reader,
      isFirst, time)
  }

  func unlink(_ issuer: String, from reader: Reader.ID) throws -> Bool {
    try database.execute("DELETE FROM identity WHERE reader = ? AND issuer = ? AND NOT first", reader, issuer) == 1
  }

  func identities(of reader: Reader.ID) throws -> [ReaderIdentity] {
    try database.query("SELECT issuer, first FROM identity WHERE reader = ? ORDER BY linked, issuer", reader) {
      ReaderIdentity(issuer: try $0.get(0), isFirst: try $0.get(1))
    }
  }
}
