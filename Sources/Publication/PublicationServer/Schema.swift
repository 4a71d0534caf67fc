import SQLiteStorage

/// The publication's tables. Times are whole seconds since 1970, in UTC.
enum Schema {
  static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE fan_club (
          id TEXT PRIMARY KEY, name TEXT NOT NULL, about TEXT NOT NULL, picture TEXT, url TEXT, source TEXT, digest TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE post (
          id TEXT PRIMARY KEY, fan_club TEXT NOT NULL REFERENCES fan_club (id), title TEXT NOT NULL, byline TEXT NOT NULL,
          teaser TEXT NOT NULL, body TEXT NOT NULL, picture TEXT, url TEXT, published INTEGER NOT NULL, premium INTEGER NOT NULL,
          digest TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX post_by_time ON post (published, id);
        CREATE INDEX post_of_club ON post (fan_club, published, id);
        CREATE TABLE picture (name TEXT PRIMARY KEY, type TEXT NOT NULL, bytes BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE reader (
          id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT NOT NULL, salt BLOB NOT NULL, password BLOB NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE session (
          token_digest BLOB PRIMARY KEY, reader TEXT NOT NULL REFERENCES reader (id), created INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE reaction (
          post TEXT NOT NULL REFERENCES post (id), reader TEXT NOT NULL REFERENCES reader (id), PRIMARY KEY (post, reader)
        ) WITHOUT ROWID;
        CREATE TABLE bookmark (
          post TEXT NOT NULL REFERENCES post (id), reader TEXT NOT NULL REFERENCES reader (id), PRIMARY KEY (post, reader)
        ) WITHOUT ROWID;
        CREATE INDEX bookmark_of_reader ON bookmark (reader, post);
        CREATE TABLE follow (
          fan_club TEXT NOT NULL REFERENCES fan_club (id), reader TEXT NOT NULL REFERENCES reader (id), PRIMARY KEY (fan_club, reader)
        ) WITHOUT ROWID;
        CREATE TABLE product (id TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE paywall (id TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE purchase (
          id TEXT PRIMARY KEY, reader TEXT NOT NULL REFERENCES reader (id), product TEXT NOT NULL REFERENCES product (id),
          state TEXT NOT NULL, created INTEGER NOT NULL, total INTEGER NOT NULL, currency TEXT NOT NULL,
          attempt INTEGER NOT NULL DEFAULT 1, charge TEXT, decline_reason TEXT, paid INTEGER, expires INTEGER,
          entitlement TEXT NOT NULL, subscription_group TEXT
        ) WITHOUT ROWID;
        CREATE INDEX purchase_of_reader ON purchase (reader, created);
        """)
  ]
}
