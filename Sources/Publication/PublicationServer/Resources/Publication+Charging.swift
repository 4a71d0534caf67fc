import PublicationAPI
import Runtime

/// A charge or refund under way.
struct ChargeInFlight {
  /// Whether it is a charge: another request to charge the same order waits for the same answer.
  let isCharge: Bool
  let order: StoredOrder
  let task: Task<StoredOrder, any Error>
}

/// The part of charging that the actor serialises. ``ChargeResource`` has the rest.
extension Publication {
  /// Runs a step about an order with the gateway, and no other step of the same order meanwhile.
  /// - Throws: what the step throws; `Problem` for what is being bought with another order.
  func perform(_ order: StoredOrder, isCharge: Bool, _ step: @escaping ChargeResource.Step) async throws -> StoredOrder {
    // Nothing else runs between this check and the entry below: other calls enter this actor only at an await.
    while let running = charges[order.id] {
      if isCharge, running.isCharge { return try await running.task.value }
      _ = try? await running.task.value
    }
    if isCharge, !order.extendsAccess, charges.values.contains(where: { $0.isCharge && order.givesTheSame(as: $0.order) }) {
      throw Problem.conflict("This is being bought already with another order.")
    }
    // Not a child of the request: a client that goes away does not stop the recording.
    let task = Task {
      defer { self.charges[order.id] = nil }
      return try await self.chargeTurns.take(order.reader) {
        guard let current = try await self.orderRepository.order(order.id) else { throw Problem.notFound("order") }
        return try await step(self.charging, current)
      }
    }
    charges[order.id] = ChargeInFlight(isCharge: isCharge, order: order, task: task)
    return try await task.value
  }

  /// Whether a reader's request may ask the gateway about an order that waits for approval: once in ten seconds for each order. Counts it if
  /// so. Meanwhile the order as it is answers.
  func mayCheckApproval(of order: Order.ID) -> Bool {
    let now = clock.uptime
    approvalChecks = approvalChecks.filter { now - $0.value < .seconds(10) }
    guard approvalChecks[order] == nil else { return false }
    approvalChecks[order] = now
    return true
  }

  /// Resumes what an earlier process left without an outcome, until there is an answer to everything: less and less often while the
  /// provider cannot be reached or the clock is wrong. Call it after a start. ``close()`` ends it.
  /// - Returns: the task that resumes them. Once it is cancelled, it waits for the charge or refund under way, and starts no other.
  @discardableResult
  public func startResumingCharges() -> Task<Void, Never> {
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

  /// Requests every charge and refund again whose outcome was not recorded, because the process ended in between, and orders that wait for
  /// approval. Readers' requests are answered meanwhile. In a task that is cancelled it waits for the charge or refund that is under way,
  /// and starts no other.
  /// - Returns: whether there was an answer to everything.
  @discardableResult
  public func resumeCharges() async -> Bool {
    do { return try await charging.resume() } catch {
      log("resuming charges", error)
      return false
    }
  }
}
