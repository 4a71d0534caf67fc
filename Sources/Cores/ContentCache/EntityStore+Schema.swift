import SQLiteStorage

extension EntityStore {
  /// The schema's history.
  static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE store (one INTEGER PRIMARY KEY CHECK (one = 1), owner TEXT NOT NULL, tick INTEGER NOT NULL) STRICT;
        CREATE TABLE entity (
          number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, kept INTEGER NOT NULL, read INTEGER NOT NULL,
          value BLOB NOT NULL, detail TEXT, UNIQUE (kind, id)
        ) STRICT;
        CREATE INDEX entity_unkept ON entity (read) WHERE kept = 0;
        CREATE INDEX entity_kept ON entity (kind, read) WHERE kept = 1;
        CREATE TABLE page (
          list TEXT NOT NULL, cursor TEXT NOT NULL, read INTEGER NOT NULL, fetched REAL NOT NULL, ids BLOB NOT NULL, next TEXT, etag TEXT,
          PRIMARY KEY (list, cursor)
        ) STRICT, WITHOUT ROWID;
        """),
    Migration(version: 2, sql: "ALTER TABLE page ADD COLUMN digest INTEGER"),
    Migration(
      version: 3,
      sql: """
        DROP INDEX entity_unkept;
        DROP INDEX entity_kept;
        ALTER TABLE entity RENAME COLUMN kept TO pinned;
        CREATE INDEX entity_unpinned ON entity (read) WHERE pinned = 0;
        CREATE INDEX entity_pinned ON entity (kind, read) WHERE pinned = 1;
        """),
  ]

  /// Finds an entity.
  static func find(withDetail: Bool) -> String {
    "SELECT number, value\(withDetail ? ", detail" : "") FROM entity WHERE kind = ? AND id = ?"
  }

  /// A detail that is not given is not lost: lists have none.
  static let upsert = """
    INSERT INTO entity (kind, id, pinned, read, value, detail) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (kind, id) DO UPDATE SET
      pinned = excluded.pinned, read = excluded.read, value = excluded.value, detail = coalesce(excluded.detail, detail)
    """
}
