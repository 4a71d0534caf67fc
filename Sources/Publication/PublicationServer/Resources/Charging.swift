import HTTPTransport
import PublicationAPI
import Runtime

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
    let order = try await charge(own(call), token: request.paymentToken)
    return try .json(await signed(order, for: call), status: order.state == .paid ? 200 : 202)
  }

  /// Asks again for what an earlier process left without an outcome, until there is an answer to everything: less and less often while the
  /// provider cannot be reached or the clock is wrong. Call it after a start. ``close()`` ends it.
  /// - Returns: the task that asks. Once it is cancelled, it waits for the charge or refund that is under way, and begins no other.
  @discardableResult
  public func keepResumingCharges() -> Task<Void, Never> {
    resuming?.cancel()
    let task = Task { [weak self, clock] in
      let backoff = Backoff(first: .seconds(5), jitter: 0)
      var tries = 0
      while !Task.isCancelled, await self?.resumeCharges() == false {
        tries += 1
        guard (try? await clock.sleep(for: backoff.wait(after: tries, chance: 0))) != nil else { return }
      }
    }
    resuming = task
    return task
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
      for attempt in try await orderBook.openAttempts() where !Task.isCancelled {
        guard let order = try await orderBook.order(attempt.order), order.state != .paid else { continue }
        do { _ = try await charge(order, token: attempt.token) } catch let problem as Problem {
          if problem.code != .paymentDeclined { isAnswered = false }
        }
      }
      for id in try await orderBook.openRefunds() where !Task.isCancelled {
        do { _ = try await refund(id, reason: "") } catch is Problem { isAnswered = false }
      }
    } catch {
      report("resuming charges: \(error)")
      return false
    }
    return isAnswered
  }

  private func charge(_ order: StoredOrder, token: String) async throws -> StoredOrder {
    // Between this look and the entry below nothing else runs here: this actor lets others in only while it waits.
    if let running = charges[order.id] { return try await running.task.value }
    if order.kind == .nonConsumable,
      charges.values.contains(where: { $0.reader == order.reader && $0.product == order.product && $0.kind == .nonConsumable })
    {
      throw Problem.conflict("This is being bought already with another order.")
    }
    return try await alone(order) { publication, order in
      switch order.state {
      case .paid: return order
      case .refunded: throw Problem.conflict("This order was paid and given back. Buy it again with another one.")
      // The page is waiting for the reader's answer.
      case .interrupted where try await publication.openPage(of: order.id) != nil: return order
      case .open, .deferred, .interrupted, .declined: break
      }
      try await publication.checkClock()
      try await publication.refuseSecond(order)
      let attempt = try await publication.orderBook.beginAttempt(order.id, token: token, at: publication.now)
      return try await publication.settle(attempt, order) { gateway throws(GatewayError) in
        try await gateway.charge(token: attempt.token, amount: order.total, currency: order.currency, key: attempt.key)
      }
    }
  }

  /// Does what asks the gateway about an order, with nobody else asking about the same one.
  func alone(
    _ order: StoredOrder, _ step: @escaping @Sendable (isolated Publication, StoredOrder) async throws -> StoredOrder
  ) async throws -> StoredOrder {
    // Not a child of the request: a client that goes away does not stop the writing down.
    let task = Task {
      defer { self.charges[order.id] = nil }
      guard let current = try await self.orderBook.order(order.id) else { throw Problem.notFound("order") }
      return try await step(self, current)
    }
    charges[order.id] = ChargeInFlight(reader: order.reader, product: order.product, kind: order.kind, task: task)
    return try await task.value
  }

  /// Asks the gateway about a try, and writes down what it says.
  func settle(
    _ attempt: ChargeAttempt, _ order: StoredOrder, _ ask: @Sendable (any PaymentGateway) async throws(GatewayError) -> String
  ) async throws -> StoredOrder {
    do {
      try await orderBook.pay(attempt, charge: try await ask(gateway), at: now)
    } catch GatewayError.deferred {
      try await orderBook.wait(attempt)
    } catch GatewayError.needsAction {
      guard pages != nil else {
        return try await decline(
          attempt, "Your bank wants you to confirm this payment on a page, which is not possible here. Try another way to pay.")
      }
      try await orderBook.interrupt(attempt, page: newPage(for: order.id, .confirmation), at: now)
    } catch GatewayError.declined(let reason) {
      return try await decline(attempt, reason)
    } catch GatewayError.unavailable(let detail) {
      throw unavailable(attempt.key, detail)
    }
    guard let settled = try await orderBook.order(attempt.order) else { throw Problem.notFound("order") }
    return settled
  }

  private func decline(_ attempt: ChargeAttempt, _ reason: String) async throws -> StoredOrder {
    try await orderBook.decline(attempt, reason: reason, at: now)
    throw Problem(code: .paymentDeclined, title: reason, status: 402)
  }

  func unavailable(_ key: String, _ detail: String) -> Problem {
    report("charging \(key): \(detail)")
    return Problem(
      code: .paymentUnavailable, title: "The payment provider cannot be reached. Nothing is lost; try again in a moment.", status: 503)
  }
}
