import Foundation
import SQLiteStorage

/// Actions that were accepted from the user and not yet confirmed by the server, in a database of their own, so that they survive the end
/// of the process. Each belongs to its owner, and only that owner's are read.
public struct Outbox: Sendable {
  /// The schema's history, for `Database` of SQLiteStorage.
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
        """),
    // Until then every action took the place of those of its kind.
    Migration(
      version: 2,
      sql: """
        ALTER TABLE outbox ADD COLUMN key TEXT;
        ALTER TABLE outbox ADD COLUMN refused TEXT;
        UPDATE outbox SET key = kind;
        CREATE INDEX outbox_key ON outbox (owner, entity, key)
        """),
  ]

  /// One kept action.
  struct Row: Equatable, Sendable {
    let id: UUID
    let kind: String
    let entityID: String
    /// ``Action/supersedesKey``.
    var key: String?
    let payload: Data
    /// Why the server refused it; `nil` while it has not.
    var refused: String?
  }

  /// The file was damaged; it was set aside, and a new one is in its place.
  public struct Damaged: Error {
    /// Whether all pending actions are still in memory, and are written to the new file.
    public let isRestored: Bool
  }

  private let database: Database
  private let owner: String

  /// - Parameters:
  ///   - database: opened with ``migrations``.
  ///   - owner: whose actions these are, such as a user's id with their publication's.
  public init(database: Database, owner: String) {
    self.database = database
    self.owner = owner
  }

  /// How often the file was set aside because it was damaged.
  var timesSetAside: Int { database.timesSetAside }

  /// Stores actions, each in place of those that it supersedes, including stored ones that this process could not read.
  func add(_ rows: [Row]) async throws {
    try await database.run { connection in try connection.transaction { try add(rows, connection) } }
  }

  /// Keeps these in the place of all that wait, in their order.
  func replace(_ rows: [Row]) async throws {
    try await database.run { connection in
      try connection.transaction {
        try connection.execute("DELETE FROM outbox WHERE owner = ? AND refused IS NULL", owner)
        try add(rows, connection)
      }
    }
  }

  private func add(_ rows: [Row], _ connection: Connection) throws {
    for row in rows {
      try connection.execute("DELETE FROM outbox WHERE owner = ? AND entity = ? AND key = ?", owner, row.entityID, row.key)
      try connection.execute(
        "INSERT OR IGNORE INTO outbox (id, owner, kind, entity, key, payload) VALUES (?, ?, ?, ?, ?, ?)", row.id, owner, row.kind,
        row.entityID, row.key, row.payload)
    }
  }

  /// Keeps a refused action for the user's text; it is not sent any more, and no action supersedes it.
  func refuse(_ id: UUID, _ sentence: String) async throws {
    try await database.run { _ = try $0.execute("UPDATE outbox SET refused = ?, key = NULL WHERE id = ?", sentence, id) }
  }

  func remove(_ id: UUID) async throws { try await database.run { _ = try $0.execute("DELETE FROM outbox WHERE id = ?", id) } }

  func removeAll() async throws { try await database.run { _ = try $0.execute("DELETE FROM outbox WHERE owner = ?", owner) } }

  /// The stored actions, oldest first.
  func rows() async throws -> [Row] {
    try await database.run { connection in
      try connection.query("SELECT id, kind, entity, key, payload, refused FROM outbox WHERE owner = ? ORDER BY position", owner) { row in
        Row(
          id: try row.get(0), kind: try row.get(1), entityID: try row.get(2), key: try row.get(3), payload: try row.get(4),
          refused: try row.get(5))
      }
    }
  }
}

extension Outbox.Row {
  init<A: Action>(_ action: A) throws {
    self.init(
      id: action.id, kind: A.kind, entityID: action.entityID, key: action.supersedesKey, payload: try JSONEncoder().encode(action))
  }
}
