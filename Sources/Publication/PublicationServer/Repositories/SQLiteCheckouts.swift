import PublicationAPI
import SQLiteStorage

/// ``CheckoutRepository`` on SQLite.
struct SQLiteCheckouts: CheckoutRepository {
  let database: Connection

  func start(_ page: StoredCheckout, at time: Int64) throws -> StoredCheckout {
    try database.transaction {
      if let last = try self.page(of: page.order), !last.isUsed, [.open, .authorized].contains(last.state(at: time)) { return last }
      try insert(page, at: time)
      // As many as a reader may have open in a browser; a client that begins and withdraws endlessly does not fill the disk.
      try database.execute(
        """
        DELETE FROM checkout WHERE purchase = ?1 AND used IS NULL
          AND number <= (SELECT number FROM checkout WHERE purchase = ?1 ORDER BY number DESC LIMIT 1 OFFSET 20)
        """, page.order)
      return page
    }
  }

  func insert(_ page: StoredCheckout, at time: Int64) throws {
    try database.execute(
      "INSERT INTO checkout (key, purchase, purpose, state, begun, expires, token) VALUES (?, ?, ?, ?, ?, ?, ?)", page.key, page.order,
      page.purpose.rawValue, page.state.rawValue, time, page.expires, page.token)
  }

  func page(_ key: String) throws -> StoredCheckout? { try select("WHERE key = ?", key) }
  func page(of order: Order.ID) throws -> StoredCheckout? { try select("WHERE purchase = ? ORDER BY number DESC LIMIT 1", order) }

  func answer(_ key: String, token: String?, at time: Int64) throws -> StoredCheckout? {
    try database.transaction {
      guard let page = try page(key), page.state(at: time) == .open else { return try page(key) }
      let state: StoredCheckout.State = token != nil ? .authorized : .cancelled
      try database.execute("UPDATE checkout SET state = ?, token = ? WHERE key = ?", state.rawValue, token, key)
      if page.purpose == .confirmation {
        // The client fetches the order, and charges again when it is open.
        if token == nil { try end(page.order, .declined, "You did not confirm the payment.") } else { try end(page.order, .open, nil) }
      }
      return try self.page(key)
    }
  }

  func withdraw(_ order: Order.ID, reason: String, at time: Int64) throws {
    try database.transaction {
      try database.execute(
        "UPDATE checkout SET state = ? WHERE purchase = ? AND state = ? AND expires > ?", StoredCheckout.State.withdrawn.rawValue, order,
        StoredCheckout.State.open.rawValue, time)
      if let page = try page(of: order), page.purpose == .confirmation, page.state == .authorized, !page.isUsed {
        // Confirmed, and not charged yet.
        try database.execute("UPDATE checkout SET state = ?, token = NULL WHERE key = ?", StoredCheckout.State.withdrawn.rawValue, page.key)
        try database.execute(
          "UPDATE purchase SET state = ? WHERE id = ? AND state = ?", Order.State.interrupted.rawValue, order, Order.State.open.rawValue)
      }
      try end(order, .declined, reason)
    }
  }

  func ordersWithPages(of reader: Reader.ID, at time: Int64) throws -> [Order.ID] {
    try database.query(
      """
      SELECT DISTINCT purchase.id FROM purchase CROSS JOIN checkout ON checkout.purchase = purchase.id
      WHERE purchase.reader = ? AND (checkout.state = ? AND checkout.expires > ? OR purchase.state = ?)
      """, reader, StoredCheckout.State.open.rawValue, time, Order.State.interrupted.rawValue
    ) { try $0.get(0) }
  }

  /// Ends the wait for the reader's answer, if there is one. No charge is under way then: its start opens the order.
  private func end(_ order: Order.ID, _ state: Order.State, _ reason: String?) throws {
    try database.execute(
      "UPDATE purchase SET state = ?, decline_reason = ? WHERE id = ? AND state = ?", state.rawValue, reason, order,
      Order.State.interrupted.rawValue)
  }

  private func select(_ rest: String, _ value: String) throws -> StoredCheckout? {
    try database.queryOne("SELECT key, purchase, purpose, state, expires, token, used IS NOT NULL FROM checkout \(rest)", value) { row in
      StoredCheckout(
        key: try row.get(0), order: try row.get(1), purpose: try SQLiteOrders.value(row, 2), state: try SQLiteOrders.value(row, 3),
        expires: try row.get(4), token: try row.get(5, as: String?.self), isUsed: try row.get(6))
    }
  }
}
