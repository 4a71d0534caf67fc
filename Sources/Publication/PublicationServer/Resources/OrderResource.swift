import Foundation
import HTTPTransport
import PublicationAPI

/// Orders. Charging is in Charging.swift, receipts are in ReceiptResource.swift.
extension Publication {
  func beginOrder(_ call: Call) async throws -> Response {
    let reader = try call.signedIn.id
    let request: OrderRequest = try call.body()
    let id = try Self.orderID(call)
    if let known = try await orderBook.order(id) { return try await answer(known, request, call) }
    guard let product = try await content.product(request.productID, in: request.currency?.uppercased()) else {
      throw Problem(
        code: .unknownProduct, title: "This publication does not sell “\(request.productID.prefix(100))”.", status: 404)
    }
    let order = StoredOrder(
      id: id, reader: reader, product: product.id, kind: product.kind, entitlement: product.entitlement, group: product.group,
      period: product.period, consumable: product.consumableType, amount: product.amount, total: product.priceMinorUnits,
      currency: product.currency, tax: product.tax, created: now)
    try await refuseSecond(order, name: product.name)
    try await checkClock()
    // A store that asks under a new identifier each time would fill the disk.
    let open = try await orderBook.orders(OrderQuery(reader: reader, state: .open, limit: Self.mostOpenOrders))
    guard open.count < Self.mostOpenOrders || open.contains(where: { now - $0.created >= 86_400 }) else {
      throw Problem(
        code: .tooManyAttempts, title: "You have begun \(Self.mostOpenOrders) orders today without paying them. Try again tomorrow.",
        status: 429)
    }
    let (begun, isNew) = try await orderBook.begin(order)
    return isNew ? try .json(await signed(begun, for: call), status: 201) : try await answer(begun, request, call)
  }

  private static let mostOpenOrders = 100

  func order(_ call: Call) async throws -> Response { try .json(await signed(own(call), for: call)) }

  func orders(_ call: Call) async throws -> Response {
    let (stored, next) = try await page(OrderQuery(reader: call.signedIn.id), usually: 500, call)
    var orders: [Order] = []
    for order in stored { orders.append(try await signed(order, for: call)) }
    return try .json(orders).linked(to: next)
  }

  /// A page of orders. The answer is a plain list, as it was before there were pages, so the next one is named in its head (RFC 8288).
  /// - Returns: the orders, and where the next page is.
  func page(_ query: OrderQuery, usually limit: Int, _ call: Call) async throws -> (orders: [StoredOrder], next: String?) {
    let limit = try call.limit(standard: limit)
    var query = query
    query.after = try call.cursor(.orders)?.id
    query.limit = limit + 1
    var orders = try await orderBook.orders(query)
    guard orders.count > limit else { return (orders, nil) }
    orders.removeLast()
    let cursor = Cursor(.orders, key: "", id: orders.last?.id ?? "").text
    var parameters = ["cursor=\(cursor)"]
    if call.request.query("limit") != nil { parameters.append("limit=\(limit)") }
    if let state = query.state { parameters.append("state=\(state.rawValue)") }
    return (orders, "\(call.request.path)?\(parameters.joined(separator: "&"))")
  }

  /// Refuses what is kept for good when the reader has it, or may have been charged for it with another order, or somebody else is yet to
  /// agree to that one. An order that may be charged itself is never refused: only the gateway's answer tells.
  func refuseSecond(_ order: StoredOrder, name: String? = nil) async throws {
    guard order.kind == .nonConsumable, try await orderBook.openAttempt(of: order.id) == nil else { return }
    let others = try await orderBook.orders(OrderQuery(reader: order.reader, product: order.product)).filter { $0.id != order.id }
    let known = if let name { name } else { try await content.product(order.product, in: nil)?.name ?? order.product }
    if others.contains(where: { $0.state == .paid && ($0.expires ?? .max) > now }) {
      throw Problem.conflict("You own “\(known)” already, so nothing was charged.")
    }
    if others.contains(where: { $0.state == .deferred }) {
      throw Problem.conflict("You have ordered “\(known)” already, and the payment waits for approval. Nothing more was charged.")
    }
    for other in others where other.state == .open {
      guard try await orderBook.openAttempt(of: other.id) != nil else { continue }
      throw Problem.conflict(
        "You have ordered “\(known)” already, and the payment provider has yet to say whether it charged you. Nothing more was charged; try "
          + "again in a moment.")
    }
  }

  /// The order of the path, if it is this reader's.
  func own(_ call: Call) async throws -> StoredOrder {
    let reader = try call.signedIn.id
    guard let order = try await orderBook.order(Self.orderID(call)), order.reader == reader else { throw Problem.notFound("order") }
    return order
  }

  /// The order as its reader gets it: with a receipt, signed now, and a page's address that is right for who asks.
  func signed(_ stored: StoredOrder, for call: Call) async throws -> Order {
    var order = Order(stored)
    if stored.state == .interrupted { order.actionURL = try await openPage(of: stored.id).flatMap { address(of: $0, for: call.request) } }
    order.receipt = try await receipt(for: stored)
    return order
  }

  /// An order that was begun before.
  private func answer(_ order: StoredOrder, _ request: OrderRequest, _ call: Call) async throws -> Response {
    guard try order.reader == call.signedIn.id, order.product == request.productID else {
      throw Problem.conflict("There is an order of this identifier for something else.")
    }
    guard try await isSame(order, in: request.currency?.uppercased()) else {
      throw Problem.conflict("There is an order of this identifier in \(order.currency). Nothing more was charged.")
    }
    return try .json(await signed(order, for: call))
  }

  /// Whether asking for the product in that currency, or in none, is asking for the order as it is. A currency that it is not sold in was
  /// the first one when it was begun.
  private func isSame(_ order: StoredOrder, in currency: String?) async throws -> Bool {
    guard let currency, currency != order.currency else { return true }
    return try await content.product(order.product, in: currency)?.currency == order.currency
  }

  static func orderID(_ call: Call) throws -> Order.ID {
    guard let id = UUID(uuidString: call.parameter)?.uuidString else {
      throw Problem.badRequest("An order’s identifier is a UUID, which “\(call.parameter.prefix(60))” is not.")
    }
    return id
  }
}

extension Order {
  /// What an order says without what is made for who asks.
  init(_ stored: StoredOrder) {
    self.init(
      id: stored.id, number: stored.code, productID: stored.product, state: stored.state,
      created: Date(timeIntervalSince1970: TimeInterval(stored.created)), totalMinorUnits: stored.total, currency: stored.currency,
      tax: stored.tax, declineReason: stored.state == .declined ? stored.declineReason : nil,
      refundReason: stored.state == .refunded ? stored.refundReason : nil,
      // What is paid for is credited in the same transaction.
      credited: stored.state == .paid ? true : nil)
  }
}
