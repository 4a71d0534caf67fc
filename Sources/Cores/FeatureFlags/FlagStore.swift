import Foundation
import SQLiteStorage

/// The data that survive the program: the last known rules, a marker for each run, and events that no server took yet.
struct FlagStore: Sendable {
  static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE rule (
          scope TEXT NOT NULL, name TEXT NOT NULL, percent INTEGER NOT NULL, min_version TEXT, features TEXT NOT NULL,
          PRIMARY KEY (scope, name)
        ) STRICT, WITHOUT ROWID;
        -- is_open: the marker. buckets: a JSON object of the flags that were asked for and the sides they gave.
        CREATE TABLE session (
          number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, user_id TEXT NOT NULL,
          begun REAL NOT NULL, is_open INTEGER NOT NULL, buckets TEXT NOT NULL
        ) STRICT;
        CREATE TABLE event (
          number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, user_id TEXT NOT NULL,
          kind TEXT NOT NULL, code TEXT, buckets TEXT NOT NULL
        ) STRICT;
        """),
    Migration(version: 2, sql: "ALTER TABLE session RENAME TO run"),
  ]
  /// The most that is stored, so that a server that never answers fills no disk; the oldest go first.
  static let (eventLimit, runLimit) = (500, 200)

  let database: Database
  /// Whose flags these are, where one file serves several servers.
  let scope: String

  // MARK: Rules

  func rules() async throws -> FetchedRules {
    try await database.run { connection in
      let read = try connection.query("SELECT name, percent, min_version, features FROM rule WHERE scope = ?", scope) { row in
        let (name, percent) = (try row.get(0, as: String.self), try row.get(1, as: Int.self))
        let (version, features) = (try row.get(2, as: String?.self), try row.get(3, as: String.self))
        return Result { () throws(FlagRule.Failure) in
          try FlagRule(name: name, percent: percent, minimumVersion: version, features: features.split(separator: ",").map(String.init))
        }
      }
      return FetchedRules(
        rules: read.compactMap { try? $0.get() },
        malformed: read.compactMap { if case .failure(let error) = $0 { error } else { nil } })
    }
  }

  func setRules(_ rules: [FlagRule]) async throws {
    try await database.run { connection in
      try connection.transaction {
        try connection.execute("DELETE FROM rule WHERE scope = ?", scope)
        for rule in rules {
          try connection.execute(
            "INSERT INTO rule (scope, name, percent, min_version, features) VALUES (?, ?, ?, ?, ?)", scope, rule.name, rule.percent,
            rule.minimumVersion?.description, rule.features.sorted().joined(separator: ","))
        }
      }
    }
  }

  // MARK: Runs

  /// Counts the earlier runs that were not closed, each once, and closes them.
  func countCrashes() async throws {
    try await database.run { connection in
      try connection.transaction {
        // The event has the run's own identifier: it can never be counted as another one.
        try connection.execute(
          """
          INSERT OR IGNORE INTO event (id, scope, user_id, kind, code, buckets)
          SELECT id, scope, user_id, ?, NULL, buckets FROM run WHERE is_open AND buckets <> '{}' ORDER BY number
          """, FlagEvent.Name.crashed)
        try connection.execute("UPDATE run SET is_open = 0 WHERE is_open")
      }
    }
  }

  func begin(_ run: UUID, of user: String, at time: Date) async throws {
    try await database.run { connection in
      try connection.transaction {
        try connection.execute(
          "INSERT INTO run (id, scope, user_id, begun, is_open, buckets) VALUES (?, ?, ?, ?, 1, '{}')", run, scope, user, time)
        try connection.execute("DELETE FROM run WHERE number <= (SELECT max(number) FROM run) - ?", Self.runLimit)
      }
    }
  }

  func end(_ run: UUID) async throws {
    try await database.run { _ = try $0.execute("UPDATE run SET is_open = 0 WHERE id = ?", run) }
  }

  /// Writes down the sides of a run, together with the event that reports them: both or neither.
  func expose(_ event: FlagEvent, in run: UUID, of user: String, now buckets: [String: Variant]) async throws {
    try await database.run { connection in
      try connection.transaction {
        try connection.execute("UPDATE run SET buckets = ? WHERE id = ?", Buckets.text(buckets), run)
        try Self.add(event, scope: scope, user: user, in: connection)
      }
    }
  }

  // MARK: Events

  func add(_ event: FlagEvent, of user: String) async throws {
    try await database.run { connection in try connection.transaction { try Self.add(event, scope: scope, user: user, in: connection) } }
  }

  /// Adds an event to the run of a user at the event's time, if that run was in any bucket.
  func add(_ id: UUID, _ name: FlagEvent.Name, _ code: String?, of user: String, begun: Date) async throws {
    try await database.run { connection in
      try connection.transaction {
        let buckets = try connection.queryOne(
          """
          SELECT buckets FROM run WHERE scope = ? AND user_id = ? AND begun <= ? AND buckets <> '{}'
          ORDER BY begun DESC, number DESC LIMIT 1
          """, scope, user, begun
        ) { Buckets.read(try $0.get(0)) }
        guard let buckets, !buckets.isEmpty else { return }
        try Self.add(FlagEvent(id: id, name: name, code: code, buckets: buckets), scope: scope, user: user, in: connection)
      }
    }
  }

  /// The oldest events of a user.
  func events(of user: String, limit: Int) async throws -> [FlagEvent] {
    try await database.run { connection in
      try connection.query(
        "SELECT id, kind, code, buckets FROM event WHERE scope = ? AND user_id = ? ORDER BY number LIMIT ?", scope, user, limit
      ) { row in
        FlagEvent(id: try row.get(0), name: try row.get(1), code: try row.get(2, as: String?.self), buckets: Buckets.read(try row.get(3)))
      }
    }
  }

  func remove(_ events: [FlagEvent]) async throws {
    try await database.run { connection in
      try connection.transaction { for event in events { try connection.execute("DELETE FROM event WHERE id = ?", event.id) } }
    }
  }

  private static func add(_ event: FlagEvent, scope: String, user: String, in connection: Connection) throws {
    try connection.execute(
      "INSERT OR IGNORE INTO event (id, scope, user_id, kind, code, buckets) VALUES (?, ?, ?, ?, ?, ?)", event.id, scope, user, event.name,
      event.code, Buckets.text(event.buckets))
    try connection.execute("DELETE FROM event WHERE number <= (SELECT max(number) FROM event) - ?", eventLimit)
  }
}

extension FlagEvent.Name: SQLValue {}

/// Sides by flag, as a column holds them.
private enum Buckets {
  static func text(_ buckets: [String: Variant]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(buckets), as: UTF8.self)
  }

  /// What cannot be read counts nowhere.
  static func read(_ text: String) -> [String: Variant] {
    (try? JSONDecoder().decode([String: Variant].self, from: Data(text.utf8))) ?? [:]
  }
}
