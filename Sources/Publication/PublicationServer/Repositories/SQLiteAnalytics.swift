import Foundation
import PublicationAPI
import SQLiteStorage

/// ``AnalyticsRepository`` on SQLite. Events become counts at once: whose they were, and in which order, is stored nowhere.
struct SQLiteAnalytics: AnalyticsRepository {
  let database: Connection

  func count(_ batch: AnalyticsBatch, of reader: Reader.ID, at time: Int64) throws {
    try database.transaction {
      // A client gives up on a batch long before.
      try database.execute("DELETE FROM analytics_batch WHERE received < ?", time - Self.oldest)
      let isNew = try database.execute(
        "INSERT OR IGNORE INTO analytics_batch (reader, id, events, received) VALUES (?, ?, ?, ?)", reader, batch.id, batch.events.count,
        time)
      guard isNew > 0 else { return }
      for event in batch.events { try count(event, at: time) }
    }
  }

  /// On the day that the client says, as far as that can be true.
  private func count(_ event: AnalyticsEvent, at time: Int64) throws {
    let told = Int64(exactly: event.date.timeIntervalSince1970.rounded(.down)) ?? time
    let day = min(max(told, time - Self.oldest), time) / Self.day
    let detail = event.detail ?? ""
    let counted = try database.execute(
      "UPDATE analytics_count SET count = count + 1 WHERE day = ? AND name = ? AND detail = ?", day, event.name, detail)
    guard counted == 0 else { return }
    try database.execute(
      """
      INSERT INTO analytics_count (day, name, detail, count)
      SELECT ?1, ?2, ?3, 1 WHERE (SELECT count(*) FROM analytics_count WHERE day = ?1) < ?4
      """, day, event.name, detail, Self.kindsADay)
  }

  func eventCount(of reader: Reader.ID, since time: Int64) throws -> Int {
    try database.queryOne("SELECT coalesce(sum(events), 0) FROM analytics_batch WHERE reader = ? AND received > ?", reader, time) {
      try $0.get(0)
    } ?? 0
  }

  func counts(since time: Int64) throws -> [AnalyticsCount] {
    try database.query(
      "SELECT day, name, detail, count FROM analytics_count WHERE day >= ? ORDER BY day DESC, name, detail", time / Self.day
    ) { row in
      let date = Date(timeIntervalSince1970: Double(try row.get(0, as: Int64.self) * Self.day))
      let detail = try row.get(2, as: String.self)
      return AnalyticsCount(
        day: date.formatted(.iso8601.year().month().day()), name: try row.get(1), detail: detail.isEmpty ? nil : detail,
        count: try row.get(3))
    }
  }

  private static let day: Int64 = 86_400
  private static let oldest = 30 * day
  /// More than any client has: nobody fills the disk with words of their own.
  private static let kindsADay = 500
}
