import Foundation
import PublicationAPI
import SQLiteStorage

/// ``AnalyticsRepository`` on SQLite. Events become counts at once: whose they were, and in which order, is stored nowhere.
struct SQLiteAnalytics: AnalyticsRepository {
  let database: Connection

  func count(_ batch: AnalyticsBatch, of reader: Reader.ID, at time: Int64) throws {
    try database.transaction {
      // A few rows a call, and more than a call adds: a backlog does not delay a request.
      try database.execute(
        """
        DELETE FROM analytics_batch WHERE (reader, id) IN (SELECT reader, id FROM analytics_batch WHERE received < ? LIMIT ?)
        """, time - Self.batchMemory, Self.removedAtATime)
      try database.execute(
        """
        DELETE FROM analytics_count WHERE (day, name, detail) IN (SELECT day, name, detail FROM analytics_count WHERE day < ? LIMIT ?)
        """, (time - Self.countMemory) / Self.day, Self.removedAtATime)
      let isNew = try database.execute(
        "INSERT OR IGNORE INTO analytics_batch (reader, id, events, received) VALUES (?, ?, ?, ?)", reader, batch.id, batch.events.count,
        time)
      guard isNew > 0 else { return }
      for event in batch.events where AnalyticsEvent.Name(rawValue: event.name) != nil { try count(event, at: time) }
    }
  }

  /// On the day that the client says, as far as that can be true.
  private func count(_ event: AnalyticsEvent, at time: Int64) throws {
    let told = Int64(exactly: event.date.timeIntervalSince1970.rounded(.down)) ?? time
    let day = min(max(told, time - Self.oldest), time) / Self.day
    guard try !add(event.detail ?? "", of: event.name, on: day) else { return }
    let kinds = try database.queryOne("SELECT count(*) FROM analytics_count WHERE day = ?", day) { try $0.get(0, as: Int.self) } ?? 0
    // What a day's first words have filled still says how often each thing happened.
    let detail = kinds < Self.kindsADay ? event.detail ?? "" : "other"
    guard try !add(detail, of: event.name, on: day) else { return }
    try database.execute("INSERT INTO analytics_count (day, name, detail, count) VALUES (?, ?, ?, 1)", day, event.name, detail)
  }

  /// - Returns: whether that was counted before on that day.
  private func add(_ detail: String, of name: String, on day: Int64) throws -> Bool {
    try database.execute(
      "UPDATE analytics_count SET count = count + 1 WHERE day = ? AND name = ? AND detail = ?", day, name, detail) > 0
  }

  func load(of reader: Reader.ID, since time: Int64) throws -> (batches: Int, events: Int) {
    try database.queryOne(
      "SELECT count(*), coalesce(sum(events), 0) FROM analytics_batch WHERE reader = ? AND received > ?", reader, time
    ) { (try $0.get(0), try $0.get(1)) } ?? (0, 0)
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
  /// An event that is older counts on the first day that is not.
  private static let oldest = 30 * day
  /// A client that sends a batch again does so sooner.
  private static let batchMemory = 7 * day
  private static let countMemory = 366 * day
  private static let removedAtATime = 200
  /// The most rows of a day, which is more than any client makes: invented details cannot fill the disk.
  private static let kindsADay = 500
}
