import Foundation
import HTTPTransport
import PublicationAPI
import SignedReceipts

/// Orders and the receipts of what was paid. Charging is in Checkout.swift.
extension Publication {
  func beginOrder(_ call: Call) async throws -> Response {
    let reader = try call.signedIn.id
    let request: OrderRequest = try call.body()
    let id = try Self.orderID(call)
    if let known = try await orderBook.order(id) { return try await answer(known, reader, request) }
    guard let product = try await content.product(request.productID) else {
      throw Problem(
        code: .unknownProduct, title: "This publication does not sell “\(request.productID.prefix(100))”.", status: 404)
    }
    let order = StoredOrder(
      id: id, reader: reader, product: product.id, kind: product.kind, entitlement: product.entitlement, group: product.group,
      period: product.period, total: product.priceMinorUnits, currency: product.currency, created: now)
    try await refuseSecond(order, name: product.name)
    let (begun, isNew) = try await orderBook.begin(order)
    return isNew ? try .json(await signed(begun), status: 201) : try await answer(begun, reader, request)
  }

  func order(_ call: Call) async throws -> Response { try .json(await signed(own(call))) }

  func orders(_ call: Call) async throws -> Response {
    var orders: [Order] = []
    for order in try await orderBook.orders(of: call.signedIn.id, limit: 500) { orders.append(try await signed(order)) }
    return try .json(orders)
  }

  func entitlements(_ call: Call) async throws -> Response {
    var receipts: [String] = []
    for order in try await orderBook.inForce(of: call.signedIn.id, at: now) {
      if let receipt = try await signed(order).receipt { receipts.append(receipt) }
    }
    return try .json(receipts)
  }

  /// Refuses what is kept for good when the reader has it.
  func refuseSecond(_ order: StoredOrder, name: String? = nil) async throws {
    guard order.kind == .nonConsumable else { return }
    let owned = try await orderBook.inForce(of: order.reader, at: now).contains { $0.product == order.product && $0.id != order.id }
    guard owned else { return }
    let known = if let name { name } else { try await content.product(order.product)?.name ?? order.product }
    throw Problem.conflict("You own “\(known)” already, so nothing was charged.")
  }

  /// The order of the path, if it is this reader's.
  func own(_ call: Call) async throws -> StoredOrder {
    let reader = try call.signedIn.id
    guard let order = try await orderBook.order(Self.orderID(call)), order.reader == reader else { throw Problem.notFound("order") }
    return order
  }

  /// The order with a receipt, signed now: a fresh `iat` is what clients take for the time.
  func signed(_ stored: StoredOrder) async throws -> Order {
    var order = Order(
      id: stored.id, productID: stored.product, state: stored.state, created: Date(timeIntervalSince1970: TimeInterval(stored.created)),
      totalMinorUnits: stored.total, currency: stored.currency, declineReason: stored.declineReason)
    guard stored.state == .paid, let paid = stored.paid, let info = try await content.info() else { return order }
    let claims = ReceiptClaims(
      iss: info.id, sub: stored.reader, jti: stored.id, iat: now, exp: stored.expires, product: stored.product,
      entitlement: stored.entitlement, purchased: paid, period: stored.period)
    order.receipt = try JWS.sign(payload: Wire.encode(claims), key: signingKey)
    return order
  }

  /// An order that was begun before.
  private func answer(_ order: StoredOrder, _ reader: Reader.ID, _ request: OrderRequest) async throws -> Response {
    guard order.reader == reader, order.product == request.productID else {
      throw Problem.conflict("There is an order of this identifier for something else.")
    }
    return try .json(await signed(order))
  }

  private static func orderID(_ call: Call) throws -> Order.ID {
    guard let id = UUID(uuidString: call.parameter)?.uuidString else {
      throw Problem.badRequest("An order’s identifier is a UUID, which “\(call.parameter.prefix(60))” is not.")
    }
    return id
  }
}
