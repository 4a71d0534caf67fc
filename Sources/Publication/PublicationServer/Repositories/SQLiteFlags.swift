import PublicationAPI
import SQLiteStorage

/// ``FlagRepository`` on SQLite. Events become counts at once, and are remembered only so that none counts twice.
struct SQLiteFlags: FlagRepository {
  let database: Connection

  func flags() throws -> [FlagRecord] { try select("ORDER BY name", []) }

  func setFlag(_ flag: FlagRecord) throws {
    try database.execute(
      """
      INSERT INTO flag (name, percent, min_version, features) VALUES (?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET percent = excluded.percent, min_version = excluded.min_version, features = excluded.features
      """, flag.name, flag.percent, flag.minVersion, (flag.features ?? []).joined(separator: ","))
  }

  func count(_ events: [FlagEventRecord], of reader: Reader.ID, at time: Int64) throws {
    try database.transaction {
      var added = 0
      for event in events {
        for (flag, variant) in event.buckets {
          let isNew = try database.execute(
            "INSERT OR IGNORE INTO flag_event (reader, id, flag, received) SELECT ?, ?, name, ? FROM flag WHERE name = ?", reader, event.id,
            time, flag)
          guard isNew > 0 else { continue }
          added += 1
          try database.execute("INSERT OR IGNORE INTO flag_reader (flag, variant, reader) VALUES (?, ?, ?)", flag, variant, reader)
          try count(event, for: flag, variant)
        }
      }
      // More than came, so that there are never many more than of the last month; not all that an earlier version left, since others wait.
      try database.execute(
        """
        DELETE FROM flag_event WHERE (reader, id, flag) IN (SELECT reader, id, flag FROM flag_event WHERE received < ? LIMIT ?)
        """, time - Self.memory, max(Self.fewestRemoved, 2 * added))
    }
  }

  private func count(_ event: FlagEventRecord, for flag: String, _ variant: String) throws {
    let code = event.code ?? ""
    guard try !add(event.kind, code: code, flag, variant: variant) else { return }
    let kinds = try database.queryOne("SELECT count(*) FROM flag_count WHERE flag = ?", flag) { try $0.get(0, as: Int.self) } ?? 0
    // What the first codes have filled still says how often each thing happened.
    let counted = kinds < Self.mostKinds ? code : Self.otherCode
    guard try !add(event.kind, code: counted, flag, variant: variant) else { return }
    try database.execute(
      "INSERT INTO flag_count (flag, variant, kind, code, count) VALUES (?, ?, ?, ?, 1)", flag, variant, event.kind, counted)
  }

  /// - Returns: whether that was counted before.
  private func add(_ kind: String, code: String, _ flag: String, variant: String) throws -> Bool {
    try database.execute(
      "UPDATE flag_count SET count = count + 1 WHERE flag = ? AND variant = ? AND kind = ? AND code = ?", flag, variant, kind, code) > 0
  }

  /// How long an event is remembered, in seconds: a client that sends it again does so sooner.
  private static let memory: Int64 = 30 * 86_400
  private static let fewestRemoved = 200
  /// The most rows of a flag's counts, which is more than any client makes: invented codes cannot fill the disk.
  private static let mostKinds = 500
  private static let otherCode = "other"

  func eventCount(of reader: Reader.ID, since time: Int64) throws -> Int {
    try database.queryOne(Self.recentEvents, reader, time) { try $0.get(0) } ?? 0
  }

  static let recentEvents = "SELECT count(*) FROM flag_event WHERE reader = ? AND received > ?"

  func report(_ name: String) throws -> FlagReport? {
    guard let flag = try select("WHERE name = ?", [name]).first else { return nil }
    var buckets: [String: FlagReport.Bucket] = [:]
    for variant in ["on", "off"] { buckets[variant] = FlagReport.Bucket(variant: variant) }
    let readers = try database.query("SELECT variant, count(*) FROM flag_reader WHERE flag = ? GROUP BY variant", name) {
      (variant: try $0.get(0, as: String.self), count: try $0.get(1, as: Int.self))
    }
    for row in readers { buckets[row.variant]?.readers = row.count }
    let counts = try database.query("SELECT variant, kind, code, count FROM flag_count WHERE flag = ?", name) { row in
      (
        variant: try row.get(0, as: String.self), kind: try row.get(1, as: String.self), code: try row.get(2, as: String.self),
        count: try row.get(3, as: Int.self)
      )
    }
    for row in counts { buckets[row.variant]?.add(row.count, row.kind, row.code) }
    return FlagReport(flag: flag, buckets: ["on", "off"].compactMap { buckets[$0] })
  }

  private func select(_ rest: String, _ values: [(any SQLValue)?]) throws -> [FlagRecord] {
    try database.query("SELECT name, percent, min_version, features FROM flag \(rest)", values: values) { row in
      FlagRecord(
        name: try row.get(0), percent: try row.get(1), minVersion: try row.get(2, as: String?.self),
        features: try row.get(3, as: String.self).split(separator: ",").map(String.init))
    }
  }
}

extension FlagReport.Bucket {
  /// Events of one kind; one that this version does not know counts nowhere.
  fileprivate mutating func add(_ count: Int, _ kind: String, _ code: String) {
    switch FlagEventRecord.Kind(rawValue: kind) {
    case .exposed: sessions += count
    case .paywallSeen: paywallsSeen += count
    case .bought: bought += count
    case .failed: failed[code, default: 0] += count
    case .crashed: crashes += count
    case nil: break
    }
  }
}
