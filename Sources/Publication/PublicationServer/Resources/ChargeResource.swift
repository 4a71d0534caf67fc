import HTTPTransport
import PublicationAPI
import Runtime

/// Charges and refunds: at most one charge for an order, also after failures and repeated requests.
struct ChargeResource {
  /// One step about an order with the gateway. It gets the resource and the order as they are once no other step of that order runs.
  typealias Step = nonisolated(nonsending) @Sendable (ChargeResource, StoredOrder) async throws -> StoredOrder

  let orders: OrderResource
  let gateway: any PaymentGateway
  let log: OperatorLog
  /// Whether the publication is about to be closed, so that no more charges are resumed.
  let isEnding: @Sendable () -> Bool
  /// See ``Publication/perform(_:isCharge:_:)``.
  let perform: nonisolated(nonsending) (StoredOrder, _ isCharge: Bool, @escaping Step) async throws -> StoredOrder
  /// Whether the gateway may be asked again about an order that waits for approval; see ``Publication/mayCheckApproval(of:)``.
  let mayCheckApproval: (Order.ID) -> Bool
  /// Has open charges resumed in the background.
  let resumeLater: () -> Void

  private var repository: any OrderRepository { orders.orders }
  private var now: Int64 { orders.clock.unixTime }

  nonisolated(nonsending) func charge(_ call: Call, _ request: ChargeRequest) async throws -> Response {
    guard !request.paymentToken.isEmpty, request.paymentToken.utf8.count <= 512 else {
      throw Problem.badRequest("“paymentToken” has 1 to 512 bytes.")
    }
    let order = try await perform(orders.own(call), true) { resource, order in
      // Clients ask again and again whether it was approved, and each question would be one to the provider.
      if order.state == .deferred, !resource.mayCheckApproval(order.id) { return order }
      return try await resource.charge(current: order, token: request.paymentToken)
    }
    return try .json(await orders.signed(order, for: call), status: order.state == .paid ? 200 : 202)
  }

  /// The operator's decision about a payment that waits for approval. One that waits for its reader to confirm can only be declined.
  nonisolated(nonsending) func decide(_ approved: Bool, _ call: Call) async throws -> Response {
    let order = try await orders.any(call)
    let settled = try await perform(order, false) { resource, order in try await resource.decide(approved, order) }
    return try .json(Order(settled))
  }

  /// Withdraws the page of a checkout while its reader has not agreed on it, and a payment that they are to confirm there. A charge that is
  /// under way ends first: a reader who is told that nothing was charged is not charged after that.
  nonisolated(nonsending) func cancelCheckout(_ call: Call) async throws -> Response {
    let order = try await perform(orders.own(call), false) { resource, order in
      let checkouts = resource.orders.checkouts.checkouts
      guard try await resource.repository.openAttempt(of: order.id) == nil else { return order }
      try await checkouts.withdraw(order.id, reason: "You cancelled this payment. Nothing was charged.", at: resource.now)
      return order
    }
    if [.paid, .refunded].contains(order.state) { throw Problem.conflict("It was paid already.") }
    return try await orders.checkouts.state(call, orders)
  }

  nonisolated(nonsending) func refund(_ call: Call, _ request: RefundRequest) async throws -> Response {
    let order = try await orders.any(call)
    let reason = request.reason.visibleText
    guard (1...200).contains(reason.count) else { throw Problem.badRequest("“reason” has 1 to 200 characters.") }
    if request.trustsClock != true, let doubt = try await orders.doubt.sentence() { throw Problem.conflict(doubt) }
    return try .json(Order(await refund(order.id, reason: reason)))
  }

  /// Requests every charge and refund without a recorded outcome again.
  /// - Returns: whether there was an answer to everything.
  nonisolated(nonsending) func resume() async throws -> Bool {
    if let doubt = try await orders.doubt.sentence() {
      log(doubt)
      return false
    }
    var isAnswered = true
    for attempt in try await repository.openAttempts() where !Task.isCancelled && !isEnding() {
      guard let order = try await repository.order(attempt.order), order.state != .paid else { continue }
      do {
        _ = try await perform(order, true) { resource, order in try await resource.charge(current: order, token: attempt.token) }
      } catch let problem as Problem {
        if problem.code != .paymentDeclined { isAnswered = false }
      }
    }
    for id in try await repository.openRefunds() where !Task.isCancelled && !isEnding() {
      do { _ = try await refund(id, reason: "") } catch is Problem { isAnswered = false }
    }
    return isAnswered
  }

  /// Refunds a charge. The reason of a refund that was started before stays.
  private nonisolated(nonsending) func refund(_ id: Order.ID, reason: String) async throws -> StoredOrder {
    guard let order = try await repository.order(id) else { throw Problem.notFound("order") }
    return try await perform(order, false) { resource, order in try await resource.refund(current: order, reason: reason) }
  }

  // MARK: Steps

  private nonisolated(nonsending) func charge(current order: StoredOrder, token: String) async throws -> StoredOrder {
    switch order.state {
    case .paid: return order
    case .refunded: throw Problem.conflict("This order was paid and given back. Buy it again with another one.")
    // The reader was told that nothing is charged. A reader who wants it after all begins another order.
    case .declined where try await orders.checkouts.isWithdrawn(order.id):
      throw Problem(code: .paymentDeclined, title: order.declineReason ?? "This payment was cancelled. Nothing was charged.", status: 402)
    // The page is waiting for the reader's answer.
    case .interrupted where try await orders.checkouts.openPage(of: order.id) != nil: return order
    case .open, .deferred, .interrupted, .declined: break
    }
    try await orders.doubt.check()
    try await orders.refuseSecond(order)
    let attempt = try await repository.startAttempt(order.id, token: token, at: now)
    return try await settle(attempt, order) { gateway throws(GatewayError) in
      try await gateway.charge(token: attempt.token, amount: order.total, currency: order.currency, key: attempt.key)
    }
  }

  private nonisolated(nonsending) func decide(_ approved: Bool, _ order: StoredOrder) async throws -> StoredOrder {
    if order.state == .interrupted {
      guard !approved else { throw Problem.conflict("This order waits for its reader to confirm, which nobody can do for them.") }
      try await orders.checkouts.checkouts.withdraw(
        order.id, reason: "The publication cancelled this payment. Nothing was charged.", at: now)
      return try await repository.order(order.id) ?? order
    }
    if let doubt = try await orders.doubt.sentence() { throw Problem.conflict(doubt) }
    guard let attempt = try await repository.openAttempt(of: order.id), order.state == .deferred else {
      throw Problem.conflict("This order is \(order.state.rawValue), and waits for no approval.")
    }
    do {
      return try await settle(attempt, order) { gateway throws(GatewayError) in
        try await gateway.settle(key: attempt.key, approved: approved)
      }
    } catch let problem as Problem where problem.code == .paymentDeclined {
      return try await repository.order(order.id) ?? order
    }
  }

  private nonisolated(nonsending) func refund(current order: StoredOrder, reason: String) async throws -> StoredOrder {
    if order.state == .refunded { return order }
    guard order.state == .paid else {
      if order.state == .open, try await repository.openAttempt(of: order.id) != nil {
        throw Problem.conflict("The payment provider has yet to say whether it charged this order.")
      }
      throw Problem.conflict("This order is \(order.state.rawValue): nothing was charged.")
    }
    let attempt = try await repository.startRefund(order.id, reason: reason)
    do throws(GatewayError) {
      try await gateway.refund(key: attempt.key)
    } catch GatewayError.declined(let reason) {
      // For good, so it is not requested again.
      try await repository.declineRefund(order.id)
      throw Problem.conflict("The payment provider does not give this payment back. \(reason)")
    } catch { throw unavailable(attempt.key, "\(error)") }
    do { try await repository.refund(order.id, at: now) } catch { throw unwritten(attempt.key, error) }
    return try await repository.order(order.id) ?? order
  }

  /// Sends a try to the gateway, and records the outcome.
  private nonisolated(nonsending) func settle(
    _ attempt: ChargeAttempt, _ order: StoredOrder, _ request: @Sendable (any PaymentGateway) async throws(GatewayError) -> String
  ) async throws -> StoredOrder {
    let outcome: Result<String, GatewayError>
    do throws(GatewayError) { outcome = .success(try await request(gateway)) } catch { outcome = .failure(error) }
    if case .failure(.unavailable(let detail)) = outcome { throw unavailable(attempt.key, detail) }
    do { try await write(outcome, of: attempt, order) } catch let error where !(error is Problem) {
      throw unwritten(attempt.key, error)
    }
    guard let settled = try await repository.order(attempt.order) else { throw Problem.notFound("order") }
    return settled
  }

  /// Records what the gateway said.
  private nonisolated(nonsending) func write(
    _ outcome: Result<String, GatewayError>, of attempt: ChargeAttempt, _ order: StoredOrder
  ) async throws {
    switch outcome {
    case .success(let charge): try await repository.pay(attempt, charge: charge, at: now)
    case .failure(.deferred): try await repository.wait(attempt)
    case .failure(.needsAction) where orders.checkouts.pages == nil:
      try await decline(
        attempt, "Your bank wants you to confirm this payment on a page, which is not possible here. Try another way to pay.")
    case .failure(.needsAction):
      try await repository.interrupt(attempt, page: orders.checkouts.newPage(for: order.id, .confirmation), at: now)
    case .failure(.declined(let reason)): try await decline(attempt, reason)
    // The outcome is unknown.
    case .failure(.unavailable): break
    }
  }

  private nonisolated(nonsending) func decline(_ attempt: ChargeAttempt, _ reason: String) async throws {
    try await repository.decline(attempt, reason: reason, at: now)
    throw Problem(code: .paymentDeclined, title: reason, status: 402)
  }

  private func unavailable(_ key: String, _ detail: String) -> Problem {
    log("charging \(key): \(detail)")
    return Problem(
      code: .paymentUnavailable, title: "The payment provider cannot be reached. Nothing is lost; try again in a moment.", status: 503)
  }

  /// The provider's answer could not be recorded, such as on a full disk. The attempt is resumed as after a start.
  private func unwritten(_ key: String, _ error: any Error) -> Problem {
    log("charging \(key): what the payment provider did could not be written down", error)
    resumeLater()
    return Problem(
      code: .paymentUnavailable, title: "Your payment is being confirmed. Nothing is lost; look again in a moment.", status: 503)
  }
}
