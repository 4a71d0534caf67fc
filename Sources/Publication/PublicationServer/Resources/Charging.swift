import HTTPTransport
import PublicationAPI
import Runtime

/// What the gateway is being asked about an order.
struct ChargeInFlight {
  /// Whether it is a charge: who asks for another one of the same order waits for the same answer.
  let isCharge: Bool
  let reader: Reader.ID
  let product: ProductRecord.ID
  let kind: ProductRecord.Kind
  let task: Task<StoredOrder, any Error>
}

/// Charging: one charge for an order, whatever happens and however often it is asked.
extension Publication {
  func charge(_ call: Call, _ request: ChargeRequest) async throws -> Response {
    guard !request.paymentToken.isEmpty, request.paymentToken.utf8.count <= 512 else {
      throw Problem.badRequest("“paymentToken” has 1 to 512 bytes.")
    }
    let order = try await charge(orders.own(call), token: request.paymentToken)
    return try .json(await orders.signed(order, for: call), status: order.state == .paid ? 200 : 202)
  }

  /// Asks again for what an earlier process left without an outcome, until there is an answer to everything: less and less often while the
  /// provider cannot be reached or the clock is wrong. Call it after a start. ``close()`` ends it.
  /// - Returns: the task that asks. Once it is cancelled, it waits for the charge or refund that is under way, and begins no other.
  @discardableResult
  public func keepResumingCharges() -> Task<Void, Never> {
    if let resuming { return resuming }
    let task = Task { [weak self, clock] in
      let backoff = Backoff(first: .seconds(5), jitter: 0)
      var tries = 0
      while !Task.isCancelled, await self?.resumeCharges() == false {
        tries += 1
        guard (try? await clock.sleep(for: backoff.wait(after: tries, chance: 0))) != nil else { break }
      }
      await self?.resumingEnded()
    }
    resuming = task
    return task
  }

  private func resumingEnded() { resuming = nil }

  /// What the provider did is done, and could not be written down, as on a full disk. It is asked again as after a start.
  func unwritten(_ key: String, _ error: any Error) -> Problem {
    report("charging \(key): what the payment provider did could not be written down: \(logged(error))")
    if !isEnding { keepResumingCharges() }
    return Problem(
      code: .paymentUnavailable, title: "Your payment is being confirmed. Nothing is lost; look again in a moment.", status: 503)
  }

  /// Asks the gateway again for every charge and refund whose outcome nobody wrote down, because the process ended in between, and for
  /// what waits for somebody's approval. Readers may ask meanwhile. In a task that is cancelled it waits for the charge or refund that is
  /// under way, and begins no other.
  /// - Returns: whether there was an answer to everything.
  @discardableResult
  public func resumeCharges() async -> Bool {
    var isAnswered = true
    do {
      if let doubt = try await clockDoubt() {
        report(doubt)
        return false
      }
      for attempt in try await orderBook.openAttempts() where !Task.isCancelled && !isEnding {
        guard let order = try await orderBook.order(attempt.order), order.state != .paid else { continue }
        do { _ = try await charge(order, token: attempt.token) } catch let problem as Problem {
          if problem.code != .paymentDeclined { isAnswered = false }
        }
      }
      for id in try await orderBook.openRefunds() where !Task.isCancelled && !isEnding {
        do { _ = try await refund(id, reason: "") } catch is Problem { isAnswered = false }
      }
    } catch {
      report("resuming charges: \(logged(error))")
      return false
    }
    return isAnswered
  }

  private func charge(_ order: StoredOrder, token: String) async throws -> StoredOrder {
    // Between this look and the entry below nothing else runs here: this actor lets others in only while it waits.
    while let running = charges[order.id] {
      if running.isCharge { return try await running.task.value }
      _ = try? await running.task.value
    }
    if order.kind == .nonConsumable,
      charges.values.contains(where: { $0.reader == order.reader && $0.product == order.product && $0.kind == .nonConsumable })
    {
      throw Problem.conflict("This is being bought already with another order.")
    }
    return try await alone(order, isCharge: true) { publication, order in
      switch order.state {
      case .paid: return order
      case .refunded: throw Problem.conflict("This order was paid and given back. Buy it again with another one.")
      // The page is waiting for the reader's answer.
      case .interrupted where try await publication.checkouts.openPage(of: order.id) != nil: return order
      case .open, .deferred, .interrupted, .declined: break
      }
      try await publication.doubt.check()
      try await publication.orders.refuseSecond(order)
      let attempt = try await publication.orderBook.beginAttempt(order.id, token: token, at: publication.now)
      return try await publication.settle(attempt, order) { gateway throws(GatewayError) in
        try await gateway.charge(token: attempt.token, amount: order.total, currency: order.currency, key: attempt.key)
      }
    }
  }

  /// Does what asks the gateway about an order, with nobody else asking about the same one.
  func alone(
    _ order: StoredOrder, isCharge: Bool = false,
    _ step: @escaping @Sendable (isolated Publication, StoredOrder) async throws -> StoredOrder
  ) async throws -> StoredOrder {
    // Not a child of the request: a client that goes away does not stop the writing down.
    let task = Task {
      defer { self.charges[order.id] = nil }
      return try await self.chargeTurns.take(order.reader) {
        guard let current = try await self.orderBook.order(order.id) else { throw Problem.notFound("order") }
        return try await step(self, current)
      }
    }
    charges[order.id] = ChargeInFlight(
      isCharge: isCharge, reader: order.reader, product: order.product, kind: order.kind, task: task)
    return try await task.value
  }

  /// Asks the gateway about a try, and writes down what it says.
  func settle(
    _ attempt: ChargeAttempt, _ order: StoredOrder, _ ask: @Sendable (any PaymentGateway) async throws(GatewayError) -> String
  ) async throws -> StoredOrder {
    let outcome: Result<String, GatewayError>
    do throws(GatewayError) { outcome = .success(try await ask(gateway)) } catch { outcome = .failure(error) }
    if case .failure(.unavailable(let detail)) = outcome { throw unavailable(attempt.key, detail) }
    do { try await write(outcome, of: attempt, order) } catch let error where !(error is Problem) {
      throw unwritten(attempt.key, error)
    }
    guard let settled = try await orderBook.order(attempt.order) else { throw Problem.notFound("order") }
    return settled
  }

  /// Writes down what the gateway said.
  private func write(_ outcome: Result<String, GatewayError>, of attempt: ChargeAttempt, _ order: StoredOrder) async throws {
    switch outcome {
    case .success(let charge): try await orderBook.pay(attempt, charge: charge, at: now)
    case .failure(.deferred): try await orderBook.wait(attempt)
    case .failure(.needsAction) where pages == nil:
      try await decline(
        attempt, "Your bank wants you to confirm this payment on a page, which is not possible here. Try another way to pay.")
    case .failure(.needsAction):
      try await orderBook.interrupt(attempt, page: checkouts.newPage(for: order.id, .confirmation), at: now)
    case .failure(.declined(let reason)): try await decline(attempt, reason)
    // Nobody knows what became of it.
    case .failure(.unavailable): break
    }
  }

  private func decline(_ attempt: ChargeAttempt, _ reason: String) async throws {
    try await orderBook.decline(attempt, reason: reason, at: now)
    throw Problem(code: .paymentDeclined, title: reason, status: 402)
  }

  func unavailable(_ key: String, _ detail: String) -> Problem {
    report("charging \(key): \(detail)")
    return Problem(
      code: .paymentUnavailable, title: "The payment provider cannot be reached. Nothing is lost; try again in a moment.", status: 503)
  }
}
