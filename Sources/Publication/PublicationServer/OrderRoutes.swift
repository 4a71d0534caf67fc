import Foundation
import HTTPTransport
import PublicationAPI
import SQLiteStorage
import SignedReceipts

extension Publication {
  func keys(_ call: Router.Call) throws -> Response {
    let jwk = try signingKey.verificationKey.jwk
    return try .json(KeySet(keys: [.init(kty: jwk.kty, crv: jwk.crv, kid: jwk.kid, alg: jwk.alg, x: jwk.x, y: jwk.y)]))
  }

  func paywall(_ call: Router.Call) throws -> Response {
    guard let record = try record("paywall", call.parameters[0], as: PaywallRecord.self) else { throw Problem.notFound("paywall") }
    return try .json(record)
  }

  func products(_ call: Router.Call) throws -> Response {
    guard let ids = call.request.query("ids"), !ids.isEmpty else { throw Problem.badRequest("“ids” names products, with commas between.") }
    let wanted = ids.split(separator: ",").prefix(100)
    return try .json(wanted.compactMap { try record("product", String($0), as: ProductRecord.self) })
  }

  func beginOrder(_ call: Router.Call) throws -> Response {
    let reader = try call.signedIn
    let request: OrderRequest = try call.body()
    guard let id = UUID(uuidString: call.parameters[0])?.uuidString else { throw Problem.badRequest("An order is named by a UUID.") }
    if let purchase = try purchase(id) {
      guard purchase.reader == reader.id, purchase.order.productID == request.productID else {
        throw Problem(code: .conflict, title: "This order exists already, for something else.", status: 409)
      }
      return try .json(signed(purchase))
    }
    guard let product = try record("product", request.productID, as: ProductRecord.self) else {
      throw Problem(code: .unknownProduct, title: "This publication does not sell “\(request.productID)”.", status: 404)
    }
    if product.kind == .nonConsumable, try owns(reader, product.id) {
      throw Problem(code: .conflict, title: "You own “\(product.name)” already.", status: 409)
    }
    try database.execute(
      """
      INSERT INTO purchase (id, reader, product, state, created, total, currency, entitlement, subscription_group)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, id, reader.id, product.id, Order.State.open.rawValue, now, product.priceMinorUnits, product.currency, product.entitlement,
      product.group)
    guard let begun = try purchase(id) else { throw Problem.notFound("order") }
    return try .json(signed(begun), status: 201)
  }

  func order(_ call: Router.Call) throws -> Response { try .json(signed(own(call))) }

  func orders(_ call: Router.Call) throws -> Response {
    let reader = try call.signedIn
    return try .json(select("WHERE reader = ? ORDER BY created DESC, id DESC LIMIT 500", [reader.id]).map(signed))
  }

  func entitlements(_ call: Router.Call) throws -> Response {
    let reader = try call.signedIn
    let inForce = try select(
      "WHERE reader = ? AND state = ? AND (expires IS NULL OR expires > ?) ORDER BY created DESC, id DESC",
      [reader.id, Order.State.paid.rawValue, now])
    return try .json(inForce.compactMap { try signed($0).receipt })
  }

  func charge(_ call: Router.Call) async throws -> Response {
    let request: ChargeRequest = try call.body()
    guard !request.paymentToken.isEmpty, request.paymentToken.utf8.count <= 512 else {
      throw Problem.badRequest("“paymentToken” is empty or too long.")
    }
    let id = try own(call).order.id
    // An order has one charge under way at a time: this actor lets others in while it waits for the gateway.
    let running: Task<Order, any Error>
    if let task = charges[id] {
      running = task
    } else {
      running = Task { try await self.charge(id, token: request.paymentToken) }
      charges[id] = running
    }
    let order = try await running.value
    return try .json(order)
  }

  /// Whether the reader's purchases give this, now.
  func isEntitled(_ reader: Reader, to entitlement: String) throws -> Bool {
    try database.queryOne(
      "SELECT 1 FROM purchase WHERE reader = ? AND entitlement = ? AND state = ? AND (expires IS NULL OR expires > ?)", reader.id,
      entitlement, Order.State.paid.rawValue, now, map: { _ in true }) != nil
  }

  private func charge(_ id: Order.ID, token: String) async throws -> Order {
    defer { charges[id] = nil }
    guard var purchase = try purchase(id) else { throw Problem.notFound("order") }
    if purchase.order.state == .paid { return try signed(purchase) }
    if purchase.order.state == .declined {
      // A definite no ends a key. Until then every try goes under the same one, also after a crash.
      purchase.attempt += 1
      purchase.order.state = .open
      purchase.order.declineReason = nil
      try database.execute(
        "UPDATE purchase SET attempt = ?, state = ?, decline_reason = NULL WHERE id = ?", purchase.attempt, Order.State.open.rawValue, id)
    }
    do {
      let charge = try await gateway.charge(
        token: token, amount: purchase.order.totalMinorUnits, currency: purchase.order.currency, key: "\(id)-\(purchase.attempt)")
      try pay(purchase, charge: charge)
    } catch GatewayError.declined(let reason) {
      try database.execute(
        "UPDATE purchase SET state = ?, decline_reason = ? WHERE id = ?", Order.State.declined.rawValue, reason, id)
      throw Problem(code: .paymentDeclined, title: reason, status: 402)
    } catch GatewayError.unavailable(_) {
      throw Problem(
        code: .paymentUnavailable, title: "The payment provider cannot be reached. Nothing is lost; try again in a moment.", status: 503)
    }
    guard let paid = try self.purchase(id) else { throw Problem.notFound("order") }
    return try signed(paid)
  }

  private func pay(_ purchase: Purchase, charge: String) throws {
    let product = try record("product", purchase.order.productID, as: ProductRecord.self)
    try database.transaction {
      // What is bought again while it runs begins where it ends.
      let running = try purchase.group.flatMap { group in
        try database.queryOne(
          "SELECT max(expires) FROM purchase WHERE reader = ? AND subscription_group = ? AND state = ? AND expires > ?", purchase.reader,
          group, Order.State.paid.rawValue, now) { try $0.get(0, as: Int64?.self) }
      } ?? nil
      let expires = try product?.period.map { try Self.end(of: $0, from: running ?? now) }
      try database.execute(
        "UPDATE purchase SET state = ?, charge = ?, paid = ?, expires = ? WHERE id = ?", Order.State.paid.rawValue, charge, now, expires,
        purchase.order.id)
    }
  }

  /// The end of an ISO 8601 period of days, weeks, months or years, in the Gregorian calendar and UTC.
  static func end(of period: String, from start: Int64) throws -> Int64 {
    let units: [Character: Calendar.Component] = ["D": .day, "W": .weekOfYear, "M": .month, "Y": .year]
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    guard period.first == "P", let letter = period.last, let unit = units[letter], let count = Int(period.dropFirst().dropLast()), count > 0,
      let end = calendar.date(byAdding: unit, value: count, to: Date(timeIntervalSince1970: TimeInterval(start)))
    else { throw Problem(code: .internalError, title: "The product's period “\(period)” cannot be read.", status: 500) }
    return Int64(end.timeIntervalSince1970)
  }

  private struct Purchase {
    var order: Order
    let reader: Reader.ID
    var attempt: Int
    let paid: Int64?
    let expires: Int64?
    let entitlement: String
    let group: String?
  }

  /// The order with a receipt, signed now: a fresh `iat` is what clients trust as the time.
  private func signed(_ purchase: Purchase) throws -> Order {
    var order = purchase.order
    guard order.state == .paid, let paid = purchase.paid, let info = try setting("info", as: PublicationInfo.self) else { return order }
    let claims = ReceiptClaims(
      iss: info.id, sub: purchase.reader, jti: order.id, iat: now, exp: purchase.expires, product: order.productID,
      entitlement: purchase.entitlement, purchased: paid)
    order.receipt = try JWS.sign(payload: Wire.encode(claims), key: signingKey)
    return order
  }

  private func own(_ call: Router.Call) throws -> Purchase {
    let reader = try call.signedIn
    guard let id = UUID(uuidString: call.parameters[0])?.uuidString, let purchase = try purchase(id), purchase.reader == reader.id else {
      throw Problem.notFound("order")
    }
    return purchase
  }

  private func purchase(_ id: Order.ID) throws -> Purchase? { try select("WHERE id = ?", [id]).first }

  private func select(_ rest: String, _ values: [(any SQLValue)?]) throws -> [Purchase] {
    try database.query(
      """
      SELECT id, product, state, created, total, currency, decline_reason, reader, attempt, paid, expires, entitlement, subscription_group
      FROM purchase \(rest)
      """, values: values
    ) { row in
      let order = Order(
        id: try row.get(0), productID: try row.get(1), state: Order.State(rawValue: try row.get(2)) ?? .open,
        created: Date(timeIntervalSince1970: TimeInterval(try row.get(3, as: Int64.self))), totalMinorUnits: try row.get(4),
        currency: try row.get(5), declineReason: try row.get(6, as: String?.self))
      return Purchase(
        order: order, reader: try row.get(7), attempt: try row.get(8), paid: try row.get(9, as: Int64?.self),
        expires: try row.get(10, as: Int64?.self), entitlement: try row.get(11), group: try row.get(12, as: String?.self))
    }
  }

  private func owns(_ reader: Reader, _ product: ProductRecord.ID) throws -> Bool {
    try database.queryOne(
      "SELECT 1 FROM purchase WHERE reader = ? AND product = ? AND state = ? AND (expires IS NULL OR expires > ?)", reader.id, product,
      Order.State.paid.rawValue, now, map: { _ in true }) != nil
  }

  private func record<Value: Decodable>(_ table: String, _ id: String, as type: Value.Type) throws -> Value? {
    try database.queryOne("SELECT record FROM \(table) WHERE id = ?", id) { row in
      try Wire.decode(type, from: Data(try row.get(0, as: String.self).utf8))
    }
  }
}
