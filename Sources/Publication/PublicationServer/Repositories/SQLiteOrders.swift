import Foundation
import PublicationAPI
import SQLiteStorage

/// ``OrderRepository`` on SQLite: orders. Charging and giving back are in SQLiteOrders+Charges.swift.
struct SQLiteOrders: OrderRepository {
  /// A row that a step needs is missing: another program changed the file.
  struct MissingRow: Error { let order: Order.ID }

  let database: Connection

  func start(_ order: StoredOrder) throws -> (order: StoredOrder, isNew: Bool) {
    try database.transaction {
      if let stored = try self.order(order.id) { return (stored, false) }
      var order = order
      order.code = try freeCode(order.id)
      try database.execute(
        """
        INSERT INTO purchase (id, reader, product, kind, entitlement, subscription_group, period, total, currency, state, created, code,
          consumable, amount, tax, extends_access)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, order.id, order.reader, order.product, order.kind.rawValue, order.entitlement, order.group, order.period, order.total,
        order.currency, order.state.rawValue, order.created, order.code, order.consumable, order.amount,
        try order.tax.map { String(decoding: try Wire.encode($0), as: UTF8.self) }, order.extendsAccess)
      return (order, true)
    }
  }

  /// The number that is derived from the order's identifier, or the next one when an older order has it.
  private func freeCode(_ id: Order.ID) throws -> String {
    var salt = 0
    while true {
      let code = try OrderNumber.make(id, salt)
      if try order(code: code) == nil { return code }
      salt += 1
    }
  }

  func order(_ id: Order.ID) throws -> StoredOrder? { try select("WHERE id = ?", [id]).first }
  func order(code: String) throws -> StoredOrder? { try select("WHERE code = ?", [code]).first }

  func orders(_ query: OrderQuery) throws -> [StoredOrder] {
    let (rest, values) = Self.statement(query)
    return try select(rest, values)
  }

  /// What follows the table's name.
  static func statement(_ query: OrderQuery) -> (rest: String, values: [(any SQLValue)?]) {
    var (conditions, values): ([String], [(any SQLValue)?]) = ([], [])
    for (condition, value) in [
      ("reader = ?", query.reader), ("state = ?", query.state?.rawValue), ("product = ?", query.product),
      ("number < (SELECT number FROM purchase WHERE id = ?)", query.after),
    ] {
      guard let value else { continue }
      conditions.append(condition)
      values.append(value)
    }
    let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    return ("\(filter) ORDER BY number DESC LIMIT ?", values + [query.limit ?? -1])
  }

  func unpaid(of reader: Reader.ID, since time: Int64) throws -> (begun: Int, waiting: Int) {
    try database.queryOne(
      "SELECT count(*) FILTER (WHERE created > ?), count(*) FILTER (WHERE state = ?) FROM purchase WHERE reader = ? AND state NOT IN (?, ?)",
      time, Order.State.deferred.rawValue, reader, Order.State.paid.rawValue, Order.State.refunded.rawValue
    ) { (begun: try $0.get(0, as: Int.self), waiting: try $0.get(1, as: Int.self)) } ?? (0, 0)
  }

  func inForce(of reader: Reader.ID, at time: Int64) throws -> [StoredOrder] {
    try select(
      "WHERE reader = ? AND state = ? AND kind <> ? AND (expires IS NULL OR expires > ?) ORDER BY number DESC",
      [reader, Order.State.paid.rawValue, ProductRecord.Kind.consumable.rawValue, time])
  }

  func lastPaid() throws -> StoredOrder? {
    try select("WHERE paid IS NOT NULL AND state = ? ORDER BY paid DESC LIMIT 1", [Order.State.paid.rawValue]).first
  }

  func isEntitled(_ reader: Reader.ID, to entitlement: String, at time: Int64) throws -> Bool {
    try database.queryOne(
      "SELECT 1 FROM purchase WHERE reader = ? AND entitlement = ? AND state = ? AND kind <> ? AND (expires IS NULL OR expires > ?)",
      reader, entitlement, Order.State.paid.rawValue, ProductRecord.Kind.consumable.rawValue, time, map: { _ in true }) != nil
  }

  // MARK: Rows

  func update(_ id: Order.ID, _ changes: String, _ values: [(any SQLValue)?]) throws {
    guard try database.execute("UPDATE purchase SET \(changes) WHERE id = ?", values: values + [id]) == 1 else {
      throw MissingRow(order: id)
    }
  }

  func select(_ rest: String, _ values: [(any SQLValue)?]) throws -> [StoredOrder] {
    try database.query(
      """
      SELECT id, reader, product, kind, entitlement, subscription_group, period, total, currency, state, created, decline_reason, paid,
        expires, code, consumable, amount, tax, refund_reason, extends_access
      FROM purchase \(rest)
      """, values: values
    ) { row in
      StoredOrder(
        id: try row.get(0), reader: try row.get(1), product: try row.get(2), kind: try Self.value(row, 3), entitlement: try row.get(4),
        group: try row.get(5, as: String?.self), period: try row.get(6, as: String?.self),
        consumable: try row.get(15, as: String?.self), amount: try row.get(16, as: Int?.self), total: try row.get(7),
        currency: try row.get(8), tax: try row.get(17, as: String?.self).map { try Wire.decode(from: Data($0.utf8)) },
        extendsAccess: try row.get(19), code: try row.get(14), state: try Self.value(row, 9), created: try row.get(10),
        declineReason: try row.get(11, as: String?.self),
        paid: try row.get(12, as: Int64?.self), expires: try row.get(13, as: Int64?.self),
        refundReason: try row.get(18, as: String?.self))
    }
  }

  static func value<Value: RawRepresentable<String>>(_ row: Row, _ column: Int) throws -> Value {
    let text = try row.get(column, as: String.self)
    guard let value = Value(rawValue: text) else { throw UnknownValue(text: text) }
    return value
  }

  /// A column holds a word that this version does not know.
  struct UnknownValue: Error { let text: String }
}

/// The number of an order that people read out: eight letters and digits of Crockford's alphabet, in which none looks like another.
enum OrderNumber {
  /// Always the same for an identifier; `salt` separates the few that would share one.
  static func make(_ id: Order.ID, _ salt: Int) throws -> String {
    let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    let digest = try Digest.sha256(fields: [id, "\(salt)"])
    let letters = String(digest.prefix(8).map { alphabet[Int($0 & 31)] })
    return "\(letters.prefix(4))-\(letters.suffix(4))"
  }

  /// As a person may have typed it: small letters, without the hyphen, `O` for zero, `I` or `L` for one. `nil` for an invalid one.
  static func read(_ text: String) -> String? {
    let letters = text.uppercased().filter { $0 != "-" && $0 != " " }
    let plain = String(letters.map { $0 == "O" ? "0" : "IL".contains($0) ? "1" : $0 })
    guard plain.utf8.count == 8, plain.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else { return nil }
    return "\(plain.prefix(4))-\(plain.suffix(4))"
  }
}
