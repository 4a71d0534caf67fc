import Foundation
import PurchaseService
import Runtime

extension TestStore {
  /// Performs a tester's command. Returns when it is done, saved, and reported to the observers.
  /// - Throws: ``Refusal``, when the command applies to nothing.
  public func perform(_ command: Command) async throws(Refusal) {
    switch command {
    case .clockRate(let rate): clock.rate = rate
    case .step(let duration): clock.step(by: duration)
    case .stepPeriod(let period): clock.step(by: .seconds(period.end(from: clock.now, in: .gmt).timeIntervalSince(clock.now)))
    default: break
    }
    try await change { [identifiers] core, now throws(Refusal) in
      let updates = try core.carryOut(command, at: now, identifiers)
      core.ledger.note("command: \(command.name.rawValue)\(command.target?.product.map { " " + $0 } ?? "")", at: now)
      return ((), updates)
    }
  }

  /// What a user has left to spend, by type.
  public func balances(of user: String) -> [String: Int] { core.withLock { $0.ledger.balances[user] ?? [:] } }

  /// Whether one of a user's consumables was spent on this.
  public func hasSpent(_ type: String, of user: String, on key: String) -> Bool {
    core.withLock { $0.ledger.spent.contains(Self.spending(type, user, key)) }
  }

  private static func spending(_ type: String, _ user: String, _ key: String) -> String { "\(user)\n\(type)\n\(key)" }

  /// Spends one of a user's consumables.
  /// - Parameters:
  ///   - type: the type of consumable.
  ///   - user: whose it is.
  ///   - key: names the thing that it is spent on: the same key again spends nothing more, and returns `true` again.
  /// - Returns: whether there was one.
  public func spend(_ type: String, of user: String, on key: String) async -> Bool {
    let spent = try? await change { core, now throws(Refusal) in
      let key = Self.spending(type, user, key)
      if core.ledger.spent.contains(key) { return (true, []) }
      guard let balance = core.ledger.balances[user]?[type], balance > 0 else { return (false, []) }
      core.ledger.balances[user]?[type] = balance - 1
      core.ledger.spent.insert(key)
      core.ledger.note("\(user) spent one \(type)", at: now)
      return (true, [])
    }
    return spent ?? false
  }
}

extension TestStore.Core {
  typealias Refusal = TestStore.Refusal

  mutating func carryOut(
    _ command: TestStore.Command, at now: Date, _ identifiers: any IdentifierSource
  ) throws(Refusal) -> [QueueUpdate] {
    switch command {
    case .nextOutcome(let outcome, let product):
      if let product {
        productOutcomes[try soldProduct(product).id, default: []].insert(outcome, at: 0)
      } else {
        outcomes.insert(outcome, at: 0)
      }
      return []
    case .requests(let requests): self.requests = requests
    case .paymentsAllowed(let allowed): paymentsAllowed = allowed
    case .clockRate, .step, .stepPeriod: break
    case .restore: return [.receipts]
    case .reset:
      let users = ledger.users
      self = Self(file, revision: revision)
      for user in users { ledger.welcome(user, file, at: now) { identifiers.next() } }
      return [.receipts]
    case .buyElsewhere(let product, let user):
      let product = try soldProduct(product)
      guard let user = user ?? ledger.lastUser else {
        ledger.unclaimed.append(product.id)
        return []
      }
      ledger.welcome(user, file, at: now) { identifiers.next() }
      ledger.buyElsewhere(product.id, in: file, user: user, at: now, id: identifiers.next())
      return [.receipts]
    case .priceIncrease(let product, let price, let needsConsent):
      ledger.prices[try soldProduct(product).id] = price
      for index in ledger.orders.indices where ledger.orders[index].product == product && ledger.orders[index].isSubscription {
        ledger.orders[index].needsConsent = needsConsent
      }
    case .approve(let target), .decline(let target), .resolve(let target): return try settle(command, target, at: now)
    case .refund(let target, let reason): return [try refund(target, reason, at: now)]
    default: return try renewing(command, at: now)
    }
    return []
  }

  private func soldProduct(_ id: Product.ID) throws(Refusal) -> Product {
    guard let product = file.product(id)?.product else { throw Refusal(sentence: "The test store's file has no product “\(id)”.") }
    return product
  }

  func find(_ target: TestStore.Target, _ what: String, _ fits: (StubOrder) -> Bool) throws(Refusal) -> Int {
    let found = ledger.orders.lastIndex { order in
      (target.product ?? order.product) == order.product && (target.user ?? order.user) == order.user && fits(order)
    }
    guard let found else {
      throw Refusal(sentence: "There is no \(what)\(target.product.map { " of “\($0)”" } ?? "")\(target.user.map { " for \($0)" } ?? "").")
    }
    return found
  }

  private mutating func settle(_ command: TestStore.Command, _ target: TestStore.Target, at now: Date) throws(Refusal) -> [QueueUpdate] {
    if case .resolve = command {
      let index = try find(target, "purchase that waits") { $0.isPending && $0.standing != .deferred }
      let order = ledger.orders[index]
      if order.standing != .paid { ledger.settle(index, try soldProduct(order.product), at: now) }
      ledger.orders[index].isResolved = true
      return [.transaction(order.id)]
    }
    let index = try find(target, "purchase that waits for approval") { $0.standing == .deferred }
    if case .approve = command {
      ledger.settle(index, try soldProduct(ledger.orders[index].product), at: now)
    } else {
      ledger.orders[index].standing = .declined
    }
    return [.transaction(ledger.orders[index].id)]
  }

  private mutating func refund(_ target: TestStore.Target, _ reason: String, at now: Date) throws(Refusal) -> QueueUpdate {
    let index = try find(target, "purchase that was paid") { $0.payments > 0 && $0.standing != .refunded }
    let order = ledger.orders[index]
    ledger.stop(index, .refunded, at: now)
    if case .consumable(let type, let amount) = try soldProduct(order.product).kind {
      ledger.balances[order.user, default: [:]][type, default: 0] -= min(amount, ledger.balances[order.user]?[type] ?? 0)
    }
    return .revoked(order.id, reason: reason)
  }

  private mutating func renewing(_ command: TestStore.Command, at now: Date) throws(Refusal) -> [QueueUpdate] {
    let target = command.target ?? TestStore.Target()
    let index = try find(target, "subscription") { $0.isSubscription }
    let product = try soldProduct(ledger.orders[index].product)
    switch command {
    case .renew: ledger.charge(index, product, from: max(ledger.orders[index].paidUntil ?? now, now), at: now)
    case .expire: ledger.stop(index, .expired, at: now)
    case .autoRenew(_, let on): ledger.orders[index].renews = on
    case .billingRetry(_, .renewal): ledger.orders[index].failsWithGrace = 0
    case .grace(_, let days, .renewal): ledger.orders[index].failsWithGrace = days
    case .billingRetry(_, .now): ledger.beginRetrying(index, from: now, at: now)
    case .grace(_, let days, .now): ledger.beginGrace(index, days: days, from: now, at: now)
    case .recover: ledger.recover(index, product, at: now)
    case .consent(_, let agreed):
      ledger.orders[index].needsConsent = false
      if !agreed { ledger.orders[index].renews = false }
      return []
    default: return []
    }
    return [.receipts]
  }
}
