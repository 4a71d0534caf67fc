import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// Orders. Charges are in ChargeResource.swift, receipts in ReceiptResource.swift.
struct OrderResource {
  let orders: any OrderRepository
  let content: any ContentRepository
  let receipts: ReceiptResource
  let checkouts: CheckoutResource
  let doubt: ClockDoubt
  let clock: any AppClock

  nonisolated(nonsending) func start(_ call: Call, _ request: OrderRequest) async throws -> Response {
    let reader = try call.signedIn.id
    let id = try Self.orderID(call)
    if let stored = try await orders.order(id) { return try await answer(stored, request, call) }
    guard let product = try await content.product(request.productID, in: request.currency?.uppercased()) else {
      throw Problem(
        code: .unknownProduct, title: "This publication does not sell “\(request.productID.prefix(100))”.", status: 404)
    }
    let order = StoredOrder(
      id: id, reader: reader, product: product.id, kind: product.kind, entitlement: product.entitlement, group: product.group,
      period: product.period, consumable: product.consumableType, amount: product.amount, total: product.priceMinorUnits,
      currency: product.currency, tax: product.tax, extendsAccess: product.kind == .subscription && request.extendsAccess == true,
      created: clock.unixTime)
    try await refuseSecond(order)
    try await doubt.check()
    try await refuseMany(reader)
    let (begun, isNew) = try await orders.start(order)
    return isNew ? try .json(await signed(begun, for: call), status: 201) : try await answer(begun, request, call)
  }

  /// Refuses another order of a reader who has started many without paying, or has many that wait for approval: a store that sends a new
  /// identifier each time would fill the disk, and waiting orders are resumed at each start.
  private nonisolated(nonsending) func refuseMany(_ reader: Reader.ID) async throws {
    let count = try await orders.unpaid(of: reader, since: clock.unixTime - 86_400)
    guard count.begun < Self.mostUnpaidADay else {
      throw Problem(
        code: .tooManyAttempts, title: "You have begun \(Self.mostUnpaidADay) orders today without paying them. Try again tomorrow.",
        status: 429)
    }
    guard count.waiting < Self.mostWaiting else {
      throw Problem(
        code: .tooManyAttempts, title: "\(Self.mostWaiting) of your payments wait for approval. Try again when they were decided.",
        status: 429)
    }
  }

  private static let mostUnpaidADay = 100
  private static let mostWaiting = 20

  nonisolated(nonsending) func order(_ call: Call) async throws -> Response { try .json(await signed(own(call), for: call)) }

  nonisolated(nonsending) func list(_ call: Call) async throws -> LateAnswer {
    let (stored, next) = try await page(OrderQuery(reader: call.signedIn.id), usually: 500, call)
    var shown: [Order] = []
    for order in stored { shown.append(try await self.shown(order, for: call)) }
    let (listed, receipts) = (shown, try await receipts.unsigned(stored))
    return LateAnswer(length: receipts.count > ReceiptResource.fewReceipts ? .long : .short) {
      let signed = try zip(listed, receipts).map { order, receipt in
        var order = order
        order.receipt = try receipt.signed()
        return order
      }
      return try .json(signed).linked(to: next)
    }
  }

  /// All readers' orders, for the operator.
  nonisolated(nonsending) func listAll(_ call: Call, _ readers: any ReaderRepository) async throws -> Response {
    let state = try call.query(.state).map { text in
      guard let state = Order.State(rawValue: text) else { throw Problem.badRequest("“\(text.prefix(40))” is no state of an order.") }
      return state
    }
    let (found, next) = try await page(OrderQuery(state: state), usually: 1000, call)
    var emails: [Reader.ID: String] = [:]
    for reader in Set(found.map(\.reader)) { emails[reader] = try await readers.reader(reader)?.email }
    let listed = found.map { ListedOrder(order: Order($0), reader: emails[$0.reader]) }
    return try .json(listed).linked(to: next)
  }

  /// A page of orders. The answer is a plain list, as it was before there were pages, so the next one is named in its head (RFC 8288).
  /// - Returns: the orders, and where the next page is.
  nonisolated(nonsending) func page(_ query: OrderQuery, usually limit: Int, _ call: Call) async throws -> (
    orders: [StoredOrder], next: String?
  ) {
    let limit = try call.limit(standard: limit)
    var query = query
    query.after = try call.cursor(.orders)?.id
    query.limit = limit + 1
    var page = try await orders.orders(query)
    guard page.count > limit else { return (page, nil) }
    page.removeLast()
    let cursor = Cursor(.orders, key: "", id: page.last?.id ?? "").text
    return (
      page, call.request.path + APIParameter.query([(.cursor, cursor), (.limit, call.query(.limit)), (.state, query.state?.rawValue)])
    )
  }

  /// Refuses what the reader has already, or may have been charged for with another order: on another device they may not see that, and would
  /// pay twice. Of a subscription that is anything that gives the same and has not ended; from a reader who knows, only what never ends. Of
  /// what is sold permanently it is the product itself. Also refuses what another order gives that waits for approval. An order that may have
  /// been charged itself is never refused: only the gateway knows.
  nonisolated(nonsending) func refuseSecond(_ order: StoredOrder) async throws {
    guard order.kind != .consumable, try await orders.openAttempt(of: order.id) == nil else { return }
    let inForce = try await orders.inForce(of: order.reader, at: clock.unixTime)
    let owned = inForce.first {
      guard order.givesTheSame(as: $0) else { return false }
      return order.kind == .subscription ? !order.extendsAccess || $0.expires == nil : order.product == $0.product
    }
    if let owned {
      let have = "You \(owned.expires == nil ? "own" : "have") “\(try await name(of: owned))” already"
      let why = owned.product == order.product ? "" : ", which has all of this\(owned.expires == nil ? " for good" : " and has not ended")"
      throw Problem(code: .alreadyOwned, title: "\(have)\(why), so nothing was charged.", status: 409)
    }
    // By state: those that were never paid may be tens of thousands.
    let waiting = try await orders.orders(OrderQuery(reader: order.reader, state: .deferred)).first(where: order.givesTheSame)
    if let waiting {
      let name = try await name(of: waiting)
      throw Problem.conflict("You have ordered “\(name)” already, and the payment waits for approval. Nothing more was charged.")
    }
    guard !order.extendsAccess else { return }
    let undecided = try await orders.undecided(of: order.reader).first { $0.state == .open && order.givesTheSame(as: $0) }
    if let undecided {
      let name = try await name(of: undecided)
      throw Problem.conflict(
        "You have ordered “\(name)” already, and the payment provider has yet to say whether it charged you. Nothing more was charged; try "
          + "again in a moment.")
    }
  }

  private nonisolated(nonsending) func name(of order: StoredOrder) async throws -> String {
    try await content.product(order.product, in: nil)?.name ?? order.product
  }

  /// The order of the path, if it is this reader's.
  nonisolated(nonsending) func own(_ call: Call) async throws -> StoredOrder {
    let reader = try call.signedIn.id
    guard let order = try await orders.order(Self.orderID(call)), order.reader == reader else { throw Problem.notFound("order") }
    return order
  }

  /// The order of the path, by its identifier or its number.
  nonisolated(nonsending) func any(_ call: Call) async throws -> StoredOrder {
    if let id = UUID(uuidString: call.parameter)?.uuidString, let order = try await orders.order(id) { return order }
    if let code = OrderNumber.read(call.parameter), let order = try await orders.order(code: code) { return order }
    throw Problem(code: .notFound, title: "There is no order “\(call.parameter.prefix(60))”.", status: 404)
  }

  /// The order as its reader gets it: with a receipt, signed now, and a page's address that is right for the request.
  nonisolated(nonsending) func signed(_ stored: StoredOrder, for call: Call) async throws -> Order {
    var order = try await shown(stored, for: call)
    order.receipt = try await receipts.receipt(for: stored)
    return order
  }

  private nonisolated(nonsending) func shown(_ stored: StoredOrder, for call: Call) async throws -> Order {
    var order = Order(stored)
    guard stored.state == .interrupted else { return order }
    if let page = try await checkouts.openPage(of: stored.id) {
      order.actionURL = checkouts.address(of: page, for: call.request)
      return order
    }
    // Its reader cannot confirm it any more. Without an end it would keep its reader from buying the same again.
    try await checkouts.checkouts.withdraw(
      stored.id, reason: "You did not confirm the payment in time. Nothing was charged.", at: clock.unixTime)
    return try await orders.order(stored.id).map(Order.init) ?? order
  }

  /// An order that was started before.
  private nonisolated(nonsending) func answer(_ order: StoredOrder, _ request: OrderRequest, _ call: Call) async throws -> Response {
    guard try order.reader == call.signedIn.id, order.product == request.productID else {
      throw Problem.conflict("There is an order of this identifier for something else.")
    }
    guard try await isSame(order, in: request.currency?.uppercased()) else {
      throw Problem.conflict("There is an order of this identifier in \(order.currency). Nothing more was charged.")
    }
    return try .json(await signed(order, for: call))
  }

  /// Whether a request for the product in that currency, or in none, is one for the order as it is. For a currency in which it is not sold,
  /// its first currency was used at its start.
  private nonisolated(nonsending) func isSame(_ order: StoredOrder, in currency: String?) async throws -> Bool {
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
  /// What an order says without the parts that depend on the request.
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
