import HTTPTransport
import PublicationAPI

/// A charge that the gateway is being asked for: whoever asks for the same order waits for the same answer.
struct ChargeInFlight {
  let reader: Reader.ID
  let product: ProductRecord.ID
  let kind: ProductRecord.Kind
  let task: Task<StoredOrder, any Error>
}

/// Charging: one charge for an order, whatever happens and however often it is asked.
extension Publication {
  func charge(_ call: Call) async throws -> Response {
    let request: ChargeRequest = try call.body()
    guard !request.paymentToken.isEmpty, request.paymentToken.utf8.count <= 512 else {
      throw Problem.badRequest("“paymentToken” has 1 to 512 bytes.")
    }
    let order = try await own(call)
    let paid = try await charge(order, token: request.paymentToken)
    return try .json(await signed(paid))
  }

  /// Asks the gateway again for every charge whose outcome nobody wrote down, because the process ended in between. Call it after a
  /// start; readers may ask meanwhile.
  public func resumeCharges() async {
    do {
      for attempt in try await orderBook.openAttempts() {
        guard let order = try await orderBook.order(attempt.order), order.state != .paid else { continue }
        do { _ = try await charge(order, token: attempt.token) } catch is Problem { continue }
      }
    } catch { report("resuming charges: \(error)") }
  }

  private func charge(_ order: StoredOrder, token: String) async throws -> StoredOrder {
    // Between this look and the entry below nothing else runs here: this actor lets others in only while it waits.
    if let running = charges[order.id] { return try await running.task.value }
    if order.kind == .nonConsumable,
      charges.values.contains(where: { $0.reader == order.reader && $0.product == order.product && $0.kind == .nonConsumable })
    {
      throw Problem.conflict("This is being bought already with another order.")
    }
    // Not a child of the request: a client that goes away does not stop the writing down.
    let task = Task { try await self.settle(order.id, token: token) }
    charges[order.id] = ChargeInFlight(reader: order.reader, product: order.product, kind: order.kind, task: task)
    return try await task.value
  }

  private func settle(_ id: Order.ID, token: String) async throws -> StoredOrder {
    defer { charges[id] = nil }
    guard let order = try await orderBook.order(id) else { throw Problem.notFound("order") }
    if order.state == .paid { return order }
    try await refuseSecond(order)
    let attempt = try await orderBook.beginAttempt(id, token: token, at: now)
    do {
      let charge = try await gateway.charge(token: token, amount: order.total, currency: order.currency, key: attempt.key)
      try await orderBook.pay(attempt, charge: charge, at: now)
    } catch GatewayError.declined(let reason) {
      try await orderBook.decline(attempt, reason: reason, at: now)
      throw Problem(code: .paymentDeclined, title: reason, status: 402)
    } catch GatewayError.unavailable(let detail) {
      report("charging \(attempt.key): \(detail)")
      throw Problem(
        code: .paymentUnavailable, title: "The payment provider cannot be reached. Nothing is lost; try again in a moment.", status: 503)
    }
    guard let paid = try await orderBook.order(id) else { throw Problem.notFound("order") }
    return paid
  }
}
