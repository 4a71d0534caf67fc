import Foundation
import PublicationAPI
import SQLiteStorage

/// ``OrderRepository`` on SQLite.
struct SQLiteOrders: OrderRepository {
  /// The row that a step rests on is not there: somebody else changed the file.
  struct MissingRow: Error { let order: Order.ID }

  let database: Connection

  func begin(_ order: StoredOrder) throws -> (order: StoredOrder, isNew: Bool) {
    try database.transaction {
      if let known = try self.order(order.id) { return (known, false) }
      try database.execute(
        """
        INSERT INTO purchase (id, reader, product, kind, entitlement, subscription_group, period, total, currency, state, created)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, order.id, order.reader, order.product, order.kind.rawValue, order.entitlement, order.group, order.period, order.total,
        order.currency, order.state.rawValue, order.created)
      return (order, true)
    }
  }

  func order(_ id: Order.ID) throws -> StoredOrder? { try select("WHERE id = ?", [id]).first }

  func orders(of reader: Reader.ID, limit: Int) throws -> [StoredOrder] {
    try select("WHERE reader = ? ORDER BY number DESC LIMIT ?", [reader, limit])
  }

  func inForce(of reader: Reader.ID, at time: Int64) throws -> [StoredOrder] {
    try select(
      "WHERE reader = ? AND state = ? AND (expires IS NULL OR expires > ?) ORDER BY number DESC",
      [reader, Order.State.paid.rawValue, time])
  }

  func isEntitled(_ reader: Reader.ID, to entitlement: String, at time: Int64) throws -> Bool {
    try database.queryOne(
      "SELECT 1 FROM purchase WHERE reader = ? AND entitlement = ? AND state = ? AND (expires IS NULL OR expires > ?)", reader,
      entitlement, Order.State.paid.rawValue, time, map: { _ in true }) != nil
  }

  // MARK: Charging

  func beginAttempt(_ id: Order.ID, token: String, at time: Int64) throws -> ChargeAttempt {
    try database.transaction {
      let last = try database.queryOne(
        "SELECT number, ended IS NULL FROM attempt WHERE purchase = ? ORDER BY number DESC LIMIT 1", id
      ) { (number: try $0.get(0, as: Int.self), isOpen: try $0.get(1, as: Bool.self)) }
      if let last, last.isOpen {
        try database.execute("UPDATE attempt SET token = ? WHERE purchase = ? AND number = ?", token, id, last.number)
        return ChargeAttempt(order: id, number: last.number, token: token)
      }
      let attempt = ChargeAttempt(order: id, number: (last?.number ?? 0) + 1, token: token)
      try database.execute(
        "INSERT INTO attempt (purchase, number, token, begun) VALUES (?, ?, ?, ?)", id, attempt.number, token, time)
      try update(id, "state = ?, decline_reason = NULL", [Order.State.open.rawValue])
      return attempt
    }
  }

  func decline(_ attempt: ChargeAttempt, reason: String, at time: Int64) throws {
    try database.transaction {
      try end(attempt, "decline_reason", reason, time)
      try update(attempt.order, "state = ?, decline_reason = ?", [Order.State.declined.rawValue, reason])
    }
  }

  func pay(_ attempt: ChargeAttempt, charge: String, at time: Int64) throws {
    try database.transaction {
      guard let order = try order(attempt.order) else { throw MissingRow(order: attempt.order) }
      try end(attempt, "charge", charge, time)
      let expires = try order.period.map { try BillingPeriod($0).end(from: runningUntil(order, time) ?? time) }
      try update(attempt.order, "state = ?, paid = ?, expires = ?", [Order.State.paid.rawValue, time, expires])
    }
  }

  func openAttempts() throws -> [ChargeAttempt] {
    try database.query("SELECT purchase, number, token FROM attempt WHERE ended IS NULL ORDER BY purchase") { row in
      ChargeAttempt(order: try row.get(0), number: try row.get(1), token: try row.get(2))
    }
  }

  /// When what runs in the order's group ends: what is bought again begins there.
  private func runningUntil(_ order: StoredOrder, _ time: Int64) throws -> Int64? {
    guard let group = order.group else { return nil }
    return try database.queryOne(
      "SELECT max(expires) FROM purchase WHERE reader = ? AND subscription_group = ? AND state = ? AND expires > ?", order.reader, group,
      Order.State.paid.rawValue, time, map: { try $0.get(0, as: Int64?.self) }) ?? nil
  }

  private func end(_ attempt: ChargeAttempt, _ column: String, _ outcome: String, _ time: Int64) throws {
    let changed = try database.execute(
      "UPDATE attempt SET ended = ?, \(column) = ? WHERE purchase = ? AND number = ? AND ended IS NULL", time, outcome, attempt.order,
      attempt.number)
    guard changed == 1 else { throw MissingRow(order: attempt.order) }
  }

  private func update(_ id: Order.ID, _ changes: String, _ values: [(any SQLValue)?]) throws {
    guard try database.execute("UPDATE purchase SET \(changes) WHERE id = ?", values: values + [id]) == 1 else {
      throw MissingRow(order: id)
    }
  }

  private func select(_ rest: String, _ values: [(any SQLValue)?]) throws -> [StoredOrder] {
    try database.query(
      """
      SELECT id, reader, product, kind, entitlement, subscription_group, period, total, currency, state, created, decline_reason, paid,
        expires
      FROM purchase \(rest)
      """, values: values
    ) { row in
      StoredOrder(
        id: try row.get(0), reader: try row.get(1), product: try row.get(2), kind: try Self.value(row, 3), entitlement: try row.get(4),
        group: try row.get(5, as: String?.self), period: try row.get(6, as: String?.self), total: try row.get(7),
        currency: try row.get(8), state: try Self.value(row, 9), created: try row.get(10),
        declineReason: try row.get(11, as: String?.self), paid: try row.get(12, as: Int64?.self),
        expires: try row.get(13, as: Int64?.self))
    }
  }

  private static func value<Value: RawRepresentable<String>>(_ row: Row, _ column: Int) throws -> Value {
    let text = try row.get(column, as: String.self)
    guard let value = Value(rawValue: text) else { throw UnknownValue(text: text) }
    return value
  }

  /// A column holds a word that this version does not know.
  struct UnknownValue: Error { let text: String }
}
