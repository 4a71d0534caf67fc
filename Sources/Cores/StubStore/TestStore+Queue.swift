import Foundation
import PurchaseService
import Runtime

extension TestStore: QueueProcessor {
  /// Whether payments are allowed, by the file or the last command.
  public var canMakePayments: Bool { core.withLock { $0.paymentsAllowed } }

  /// Charges by the script, once for each transaction.
  public func add(_ transaction: Transaction) async -> SubmissionOutcome {
    do {
      let (outcome, delay) = try await change { core, now throws(Refusal) in
        core.ledger.welcome(transaction.user, core.file, at: now) { self.identifiers.next() }
        return (self.answer(transaction, &core, now), [])
      }
      // What was done is done; only the answer is late.
      try await wait(delay)
      return outcome
    } catch { return .unavailable(reason: "\(error)") }
  }

  private func answer(_ transaction: Transaction, _ core: inout Core, _ now: Date) -> (SubmissionOutcome, Double) {
    if let index = core.ledger.index(transaction.id) {
      return (reply(to: index, &core, now), core.ledger.orders[index].outcome.delay ?? core.file.delay)
    }
    guard let product = core.file.product(transaction.productID)?.product else {
      return (.unknownProduct("The test store does not sell “\(transaction.productID)”."), core.file.delay)
    }
    guard core.paymentsAllowed else {
      return (.refused(code: "not_allowed", sentence: "Payments are not allowed on this device."), core.file.delay)
    }
    let outcome = core.assigned.removeValue(forKey: transaction.id) ?? Self.next(for: product.id, &core)
    core.ledger.orders.append(StubOrder(id: transaction.id, user: transaction.user, product: product, at: now, outcome: outcome))
    let index = core.ledger.orders.count - 1
    core.ledger.note("\(transaction.user) asked for \(product.id): \(outcome.result.rawValue)", at: now)
    switch outcome.result {
    case .success, .receiptRejected, .badSignature, .notListed: core.ledger.settle(index, product, at: now)
    case .deferred: core.ledger.orders[index].standing = .deferred
    case .interrupted: core.ledger.orders[index].standing = .interrupted
    case .fail where outcome.isRetried: break
    case .cancel, .authorizationFailed, .fail: core.ledger.orders[index].standing = .declined
    }
    return (reply(to: index, &core, now), outcome.delay ?? core.file.delay)
  }

  private func reply(to index: Int, _ core: inout Core, _ now: Date) -> SubmissionOutcome {
    let order = core.ledger.orders[index]
    let outcome = order.outcome
    switch order.standing {
    case .unsettled, .interrupted:
      if let times = outcome.times, order.badAnswers >= times, let product = core.file.product(order.product)?.product {
        core.ledger.settle(index, product, at: now)
        return accepted(core.ledger.orders[index])
      }
      core.ledger.orders[index].badAnswers += 1
      return order.standing == .interrupted
        ? .interrupted(outcome.sentence ?? "Your bank wants you to confirm this payment.", url: outcome.url) : outcome.refusal
    case .deferred: return .deferred(outcome.sentence ?? "The purchase waits for approval. Nothing is charged until then.")
    case .declined: return outcome.refusal
    case .refunded: return .refused(code: "refunded", sentence: "The purchase was refunded.")
    case .paid, .grace, .billingRetry, .expired, .replaced:
      guard order.givesBadReceipt else { return accepted(order) }
      core.ledger.orders[index].badAnswers += 1
      switch outcome.result {
      case .receiptRejected: return accepted(order, issuer: "another-store")
      case .badSignature: return accepted(order, damaged: true)
      default: return accepted(order, listed: [])
      }
    }
  }

  /// What the script has next for a product.
  static func next(for product: Product.ID, _ core: inout Core) -> StubOutcome {
    if let first = core.productOutcomes[product]?.first {
      core.productOutcomes[product]?.removeFirst()
      return first
    }
    return core.outcomes.isEmpty ? .success : core.outcomes.removeFirst()
  }

  /// Waits on the real clock, however fast the store's runs.
  func wait(_ seconds: Double) async throws { if seconds > 0 { try await realClock.sleep(for: .seconds(seconds)) } }

  /// Does nothing: the store has no list of unfinished transactions.
  /// - Throws: nothing.
  public func finish(_ transaction: Transaction) async throws {}

  /// Declines a purchase that was interrupted.
  /// - Throws: nothing.
  public func cancel(_ transaction: UUID, user: String) async throws {
    try await change { core, now throws(Refusal) in
      guard let index = core.ledger.index(transaction), core.ledger.orders[index].standing == .interrupted else { return ((), []) }
      core.ledger.orders[index].standing = .declined
      core.ledger.note("\(user) cancelled the payment of \(core.ledger.orders[index].product)", at: now)
      return ((), [])
    }
  }

  /// The receipts in force, or the answer in ``StubStoreAnswer``; due renewals happen first.
  /// - Throws: `StoreError`.
  public func restore(user: String) async throws -> [String] {
    let requests = core.withLock { $0.requests }
    try await wait(requests.delay)
    switch requests.answer {
    case .fail: throw requests.failure
    case .empty, .normal: break
    }
    let orders = try await change { [identifiers] core, now throws(Refusal) in
      core.ledger.welcome(user, core.file, at: now) { identifiers.next() }
      return (core.ledger.orders.filter { $0.user == user && $0.isInForce(at: now) && !$0.givesBadReceipt }, [])
    }
    return orders.compactMap { try? receipt(for: $0) }
  }

  /// `nil` for one that has ended: only a refund, or a store that was begun again, revokes a purchase.
  public func revocationReason(of transaction: UUID, user: String) async -> String? {
    let order = core.withLock { core in core.ledger.orders.first { $0.id == transaction } }
    guard let order else { return "The test store was begun again, so this purchase is gone." }
    return order.standing == .refunded ? "The purchase was refunded." : nil
  }

  /// Approvals, renewals, refunds: all changes by command and by time. A new stream for each caller.
  public func observe() -> AsyncStream<QueueUpdate> { updates.all() }
}

extension TestStore: ProductFetcher {
  /// The requested products, in the order of the file and at today's prices. An introductory offer is left out for users who had the
  /// product or another one of its group.
  /// - Throws: `StoreError`.
  public func products(_ request: ProductRequest) async throws -> [Product] {
    let (requests, products) = core.withLock { core in
      let products = core.file.products.map(\.product).filter { request.ids.contains($0.id) }.map { product in
        let priced = product.priced(core.ledger.price(product))
        return core.ledger.isNew(request.user, to: product) ? priced : priced.withoutOffer
      }
      return (core.requests, products)
    }
    try await wait(requests.delay)
    switch requests.answer {
    case .fail: throw requests.failure
    case .empty: return []
    case .normal: return products
    }
  }
}

extension StubOutcome {
  /// The answer to a purchase that is not charged.
  var refusal: SubmissionOutcome {
    switch (result, code) {
    case (.fail, "unavailable"): .unavailable(reason: "the test store was told to")
    case (.fail, "busy"): .busy(retryAfter: nil)
    case (.fail, "unauthorized"): .unauthorized
    case (.fail, "unknown_product"): .unknownProduct(sentence ?? "The store does not sell this any more.")
    case (.fail, "declined"): .declined(sentence ?? "The payment was declined. Nothing was charged.")
    case (.interrupted, _): .declined("You cancelled this payment. Nothing was charged.")
    case (.deferred, _): .declined("The purchase was not approved. Nothing was charged.")
    case (.fail, let code?): .refused(code: code, sentence: sentence ?? "The store refused (\(code)). Nothing was charged.")
    default: .refused(code: result.rawValue, sentence: sentence ?? "The payment was not authorized. Nothing was charged.")
    }
  }
}
