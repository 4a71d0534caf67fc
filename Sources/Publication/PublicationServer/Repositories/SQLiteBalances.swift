import PublicationAPI
import SQLiteStorage

/// ``BalanceRepository`` on SQLite.
struct SQLiteBalances: BalanceRepository {
  let database: Connection

  func balances(of reader: Reader.ID) throws -> [Balance] {
    try database.query("SELECT type, sum(remaining) FROM credit WHERE reader = ? GROUP BY type ORDER BY type", reader) { row in
      Balance(type: try row.get(0), amount: try row.get(1))
    }
  }

  func unlock(
    _ post: Post.ID, by reader: Reader.ID, with type: String, unlessEntitledTo entitlement: String, at time: Int64
  ) throws -> UnlockOutcome {
    try database.transaction {
      guard let isPremium = try database.queryOne("SELECT premium FROM post WHERE id = ?", post, map: { try $0.get(0, as: Bool.self) })
      else { return .noPost }
      guard isPremium, try !isUnlocked(post, reader),
        try !SQLiteOrders(database: database).isEntitled(reader, to: entitlement, at: time)
      else { return .open }
      let oldest = try database.queryOne(
        "SELECT number FROM credit WHERE reader = ? AND type = ? AND remaining > 0 ORDER BY number LIMIT 1", reader, type,
        map: { try $0.get(0, as: Int64.self) })
      guard let oldest else { return .noBalance }
      try database.execute("UPDATE credit SET remaining = remaining - 1 WHERE number = ?", oldest)
      try database.execute("INSERT INTO unlock (reader, post, credit, at) VALUES (?, ?, ?, ?)", reader, post, oldest, time)
      return .open
    }
  }

  private func isUnlocked(_ post: Post.ID, _ reader: Reader.ID) throws -> Bool {
    try database.queryOne("SELECT 1 FROM unlock WHERE reader = ? AND post = ?", reader, post, map: { _ in true }) != nil
  }
}
