import PublicationAPI
import SQLiteStorage

/// ``FlagRepository`` on SQLite.
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
      for event in events {
        for (flag, variant) in event.buckets {
          try database.execute(
            """
            INSERT OR IGNORE INTO flag_event (reader, id, flag, variant, kind, code, received)
            SELECT ?, ?, name, ?, ?, ?, ? FROM flag WHERE name = ?
            """, reader, event.id, variant, event.kind, event.code, time, flag)
        }
      }
    }
  }

  func eventCount(of reader: Reader.ID, since time: Int64) throws -> Int {
    try database.queryOne("SELECT count(*) FROM flag_event WHERE reader = ? AND received > ?", reader, time) { try $0.get(0) } ?? 0
  }

  func report(_ name: String) throws -> FlagReport? {
    guard let flag = try select("WHERE name = ?", [name]).first else { return nil }
    var buckets: [String: FlagReport.Bucket] = [:]
    for variant in ["on", "off"] { buckets[variant] = FlagReport.Bucket(variant: variant) }
    let readers = try database.query("SELECT variant, count(DISTINCT reader) FROM flag_event WHERE flag = ? GROUP BY variant", name) {
      (variant: try $0.get(0, as: String.self), count: try $0.get(1, as: Int.self))
    }
    for row in readers { buckets[row.variant]?.readers = row.count }
    let counts = try database.query(
      "SELECT variant, kind, code, count(*) FROM flag_event WHERE flag = ? GROUP BY variant, kind, code", name
    ) { row in
      (
        variant: try row.get(0, as: String.self), kind: try row.get(1, as: String.self), code: try row.get(2, as: String?.self),
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
  /// Rows of one kind; one that this version does not know counts nowhere.
  fileprivate mutating func add(_ count: Int, _ kind: String, _ code: String?) {
    switch FlagEventRecord.Kind(rawValue: kind) {
    case .exposed: sessions += count
    case .paywallSeen: paywallsSeen += count
    case .bought: bought += count
    case .failed: failed[code ?? "", default: 0] += count
    case .crashed: crashes += count
    case nil: break
    }
  }
}
