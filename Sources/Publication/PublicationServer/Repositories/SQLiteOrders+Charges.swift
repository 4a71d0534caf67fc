import PublicationAPI
import SQLiteStorage

/// Charging and giving back.
extension SQLiteOrders {
  func startAttempt(_ id: Order.ID, token: String, at time: Int64) throws -> ChargeAttempt {
    try database.transaction {
      // The charge may have waited for others of this reader, who was removed meanwhile.
      if let reader = try order(id)?.reader, try SQLiteReaders(database: database).isRemoved(reader) {
        throw Problem(code: .sessionEnded, title: "This reader was removed, and nothing is charged any more.", status: 401)
      }
      if let open = try openAttempt(of: id) {
        try database.execute(
          "UPDATE attempt SET token = ? WHERE purchase = ? AND number = ? AND NOT confirmed", token, id, open.number)
        return try openAttempt(of: id) ?? open
      }
      let confirmed = try database.queryOne(
        "SELECT token FROM checkout WHERE purchase = ? AND purpose = ? AND state = ? AND used IS NULL ORDER BY number DESC LIMIT 1", id,
        StoredCheckout.Purpose.confirmation.rawValue, StoredCheckout.State.authorized.rawValue, map: { try $0.get(0, as: String.self) })
      let last = try database.queryOne("SELECT max(number) FROM attempt WHERE purchase = ?", id) { try $0.get(0, as: Int?.self) } ?? nil
      guard last ?? 0 < ChargeAttempt.most else {
        throw Problem(code: .tooManyAttempts, title: "This order was declined too often. Begin another one.", status: 429)
      }
      let attempt = ChargeAttempt(order: id, number: (last ?? 0) + 1, token: confirmed ?? token)
      try database.execute(
        """
        INSERT INTO attempt (purchase, number, token, begun, confirmed, reader)
        VALUES (?1, ?2, ?3, ?4, ?5, (SELECT reader FROM purchase WHERE id = ?1))
        """, id, attempt.number, attempt.token, time, confirmed != nil)
      try database.execute(
        "UPDATE checkout SET used = ? WHERE purchase = ? AND state = ? AND used IS NULL", time, id, StoredCheckout.State.authorized.rawValue
      )
      try update(id, "state = ?, decline_reason = NULL", [Order.State.open.rawValue])
      return attempt
    }
  }

  func openAttempt(of id: Order.ID) throws -> ChargeAttempt? {
    try attempts("WHERE purchase = ? AND ended IS NULL", [id]).first
  }

  func openAttempts() throws -> [ChargeAttempt] { try attempts("WHERE ended IS NULL ORDER BY purchase", []) }

  func undecided(of reader: Reader.ID) throws -> [StoredOrder] { try select(Self.undecided, [reader]) }

  /// By the attempts' own reader: to look from the orders, all that the reader ever began would be read.
  static let undecided = "WHERE id IN (SELECT purchase FROM attempt WHERE reader = ? AND ended IS NULL) ORDER BY number DESC"

  func wait(_ attempt: ChargeAttempt) throws { try update(attempt.order, "state = ?", [Order.State.deferred.rawValue]) }

  func interrupt(_ attempt: ChargeAttempt, page: StoredCheckout, at time: Int64) throws {
    try database.transaction {
      // Under this key nothing will be charged: the reader has to confirm first.
      try end(attempt, with: "the reader has to confirm", in: "decline_reason", at: time)
      try SQLiteCheckouts(database: database).insert(page, at: time)
      try update(attempt.order, "state = ?", [Order.State.interrupted.rawValue])
    }
  }

  func decline(_ attempt: ChargeAttempt, reason: String, at time: Int64) throws {
    try database.transaction {
      try end(attempt, with: reason, in: "decline_reason", at: time)
      try update(attempt.order, "state = ?, decline_reason = ?", [Order.State.declined.rawValue, reason])
    }
  }

  func pay(_ attempt: ChargeAttempt, charge: String, at time: Int64) throws {
    try database.transaction {
      guard let order = try order(attempt.order) else { throw MissingRow(order: attempt.order) }
      try end(attempt, with: charge, in: "charge", at: time)
      if let period = order.period {
        let starts = try runningUntil(order, time) ?? time
        try update(order.id, "starts = ?, expires = ?", [starts, BillingPeriod(period).end(from: starts)])
      }
      try update(order.id, "state = ?, paid = ?", [Order.State.paid.rawValue, time])
      guard order.kind == .consumable, let type = order.consumable, let amount = order.amount else { return }
      try database.execute(
        "INSERT INTO credit (purchase, reader, type, amount, remaining) VALUES (?, ?, ?, ?, ?)", order.id, order.reader, type, amount,
        amount)
    }
  }

  // MARK: Giving back

  func startRefund(_ id: Order.ID, reason: String) throws -> ChargeAttempt {
    try database.transaction {
      guard let paid = try attempts("WHERE purchase = ? AND charge IS NOT NULL", [id]).first else { throw MissingRow(order: id) }
      try update(id, "refund_reason = coalesce(refund_reason, ?)", [reason])
      return paid
    }
  }

  func refund(_ id: Order.ID, at time: Int64) throws {
    try database.transaction {
      guard let order = try order(id) else { throw MissingRow(order: id) }
      try update(id, "state = ?, refunded = coalesce(refunded, ?)", [Order.State.refunded.rawValue, time])
      try closeGap(after: order, time)
      // Posts that were opened with what is given back close again.
      try database.execute("DELETE FROM unlock WHERE credit IN (SELECT number FROM credit WHERE purchase = ?)", id)
      try database.execute("UPDATE credit SET remaining = 0 WHERE purchase = ?", id)
    }
  }

  func declineRefund(_ id: Order.ID) throws { try update(id, "refund_reason = NULL", []) }

  func openRefunds() throws -> [Order.ID] {
    try database.query("SELECT id FROM purchase WHERE refund_reason IS NOT NULL AND refunded IS NULL ORDER BY id") { try $0.get(0) }
  }

  // MARK: Rows

  private func attempts(_ rest: String, _ values: [(any SQLValue)?]) throws -> [ChargeAttempt] {
    try database.query("SELECT purchase, number, token FROM attempt \(rest)", values: values) { row in
      ChargeAttempt(order: try row.get(0), number: try row.get(1), token: try row.get(2))
    }
  }

  /// When the present period of the order's group ends: a further purchase starts there.
  private func runningUntil(_ order: StoredOrder, _ time: Int64) throws -> Int64? {
    guard let group = order.group else { return nil }
    return try database.queryOne(
      "SELECT max(expires) FROM purchase WHERE reader = ? AND subscription_group = ? AND state = ? AND expires > ?", order.reader, group,
      Order.State.paid.rawValue, time, map: { try $0.get(0, as: Int64?.self) }) ?? nil
  }

  /// Moves the periods after a refunded one to the earliest possible start. A period that has started stays: readers had access until now,
  /// and no paid time may be in the past.
  private func closeGap(after refunded: StoredOrder, _ time: Int64) throws {
    guard let group = refunded.group else { return }
    let periods = try database.query(
      """
      SELECT id, period, paid, starts, expires FROM purchase
      WHERE reader = ? AND subscription_group = ? AND state = ? AND period IS NOT NULL ORDER BY starts, expires, number
      """, refunded.reader, group, Order.State.paid.rawValue
    ) { row in
      (
        id: try row.get(0, as: String.self), period: try BillingPeriod(row.get(1)), paid: try row.get(2, as: Int64.self),
        starts: try row.get(3, as: Int64.self), expires: try row.get(4, as: Int64.self)
      )
    }
    var free = time
    for period in periods {
      guard period.starts > time else {
        free = max(free, period.expires)
        continue
      }
      let starts = max(free, period.paid)
      free = period.period.end(from: starts)
      try update(period.id, "starts = ?, expires = ?", [starts, free])
    }
  }

  private func end(_ attempt: ChargeAttempt, with outcome: String, in column: String, at time: Int64) throws {
    let changed = try database.execute(
      "UPDATE attempt SET ended = ?, \(column) = ? WHERE purchase = ? AND number = ? AND ended IS NULL", time, outcome, attempt.order,
      attempt.number)
    guard changed == 1 else { throw MissingRow(order: attempt.order) }
  }
}
