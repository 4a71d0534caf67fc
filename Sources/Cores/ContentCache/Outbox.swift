import Foundation
import SQLiteStorage

/// Actions that were accepted from the reader and not yet confirmed by the server, in a database of their own, so that they survive the
/// end of the process. Each belongs to its owner; another's are never seen.
public struct Outbox: Sendable {
  /// The schema's history, for ``SQLiteStorage/Database``.
  public static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE outbox (
          position INTEGER PRIMARY KEY AUTOINCREMENT,
          id TEXT NOT NULL UNIQUE,
          owner TEXT NOT NULL,
          kind TEXT NOT NULL,
          entity TEXT NOT NULL,
          payload BLOB NOT NULL
        )
        """)
  ]

  /// One kept action.
  struct Row: Equatable, Sendable {
    let id: UUID
    let kind: String
    let entityID: String
    let payload: Data
  }

  private let database: Database
  private let owner: String

  /// - Parameters:
  ///   - database: opened with ``migrations``.
  ///   - owner: whose actions these are, such as a reader's id with their publication's.
  public init(database: Database, owner: String) {
    self.database = database
    self.owner = owner
  }

  /// Keeps an action in the place of those that it supersedes.
  func add(_ row: Row, superseding: [UUID]) async throws {
    try await database.run { connection in
      try connection.transaction {
        for id in superseding { try connection.execute("DELETE FROM outbox WHERE id = ?", id) }
        try connection.execute(
          "INSERT OR IGNORE INTO outbox (id, owner, kind, entity, payload) VALUES (?, ?, ?, ?, ?)", row.id, owner, row.kind, row.entityID,
          row.payload)
      }
    }
  }

  func remove(_ id: UUID) async throws { try await database.run { _ = try $0.execute("DELETE FROM outbox WHERE id = ?", id) } }

  func removeAll() async throws { try await database.run { _ = try $0.execute("DELETE FROM outbox WHERE owner = ?", owner) } }

  /// What is kept, oldest first.
  func rows() async throws -> [Row] {
    try await database.run { connection in
      try connection.query("SELECT id, kind, entity, payload FROM outbox WHERE owner = ? ORDER BY position", owner) { row in
        Row(id: try row.get(0), kind: try row.get(1), entityID: try row.get(2), payload: try row.get(3))
      }
    }
  }
}
