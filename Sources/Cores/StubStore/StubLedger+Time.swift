import Foundation
import PurchaseService

extension StubLedger {
  /// When something happens by itself; `nil` for never.
  func nextEvent(_ file: StubStoreFile) -> Date? { orders.compactMap { due($0, file) }.min() }

  private func due(_ order: StubOrder, _ file: StubStoreFile) -> Date? {
    // What the file no longer has cannot be renewed.
    guard let period = file.product(order.product)?.product.period else { return order.due(lead: 0) }
    return order.due(lead: period.lead)
  }

  /// Lets everything happen that is due, in its order.
  /// - Returns: whether anything did.
  mutating func advance(to now: Date, _ file: StubStoreFile) -> Bool {
    var happened = false
    while let next = orders.indices.compactMap({ index in due(orders[index], file).map { (index, $0) } }).min(by: { $0.1 < $1.1 }),
      next.1 <= now
    {
      happen(next.0, at: next.1, file)
      happened = true
    }
    return happened
  }

  private mutating func happen(_ index: Int, at time: Date, _ file: StubStoreFile) {
    let order = orders[index]
    let end = order.paidUntil ?? time
    switch order.standing {
    case .grace:
      orders[index].paidUntil = order.patienceEnds
      beginRetrying(index, from: time, at: time)
    case .paid:
      if !order.renews || order.needsConsent {
        stop(index, .expired, at: time)
      } else if let grace = order.failsWithGrace {
        if grace > 0 { beginGrace(index, days: grace, from: end, at: time) } else { beginRetrying(index, from: end, at: time) }
      } else if let product = file.product(order.product)?.product {
        charge(index, product, from: end, at: time)
      } else {
        stop(index, .expired, at: time)
      }
    default: stop(index, .expired, at: time)
    }
  }

  /// Ends an order permanently.
  mutating func stop(_ index: Int, _ standing: StubStanding, at now: Date) {
    orders[index].standing = standing
    orders[index].patienceEnds = nil
    orders[index].renews = false
    orders[index].issued = now
    if orders[index].group != nil || orders[index].paidUntil != nil { orders[index].paidUntil = min(orders[index].paidUntil ?? now, now) }
    note("\(orders[index].product) of \(orders[index].user): \(standing.rawValue)", at: now)
  }

  /// The renewal failed, and access continues for some days after `end`.
  mutating func beginGrace(_ index: Int, days: Int, from end: Date, at now: Date) {
    orders[index].standing = .grace
    orders[index].patienceEnds = end + Double(days) * 86_400
    orders[index].failsWithGrace = 0
    orders[index].issued = now
    note("\(orders[index].product) of \(orders[index].user) could not be charged; \(days) days of grace", at: now)
  }

  /// The renewal failed, and access has ended.
  mutating func beginRetrying(_ index: Int, from end: Date, at now: Date) {
    orders[index].standing = .billingRetry
    orders[index].paidUntil = min(orders[index].paidUntil ?? end, end)
    orders[index].patienceEnds = end + Self.retrying
    orders[index].failsWithGrace = 0
    orders[index].issued = now
    note("\(orders[index].product) of \(orders[index].user) could not be charged; the store tries again", at: now)
  }

  /// A renewal that failed goes through after all.
  mutating func recover(_ index: Int, _ product: Product, at now: Date) {
    // The days of grace are part of the new period: it begins where the paid one ended.
    let start = orders[index].standing == .grace ? orders[index].paidUntil ?? now : now
    orders[index].failsWithGrace = nil
    charge(index, product, from: start, at: now)
  }

  /// At a user's first request, adds what everyone owns from the beginning, and purchases from elsewhere.
  mutating func welcome(_ user: String, _ file: StubStoreFile, at now: Date, _ id: () -> UUID) {
    lastUser = user
    guard users.insert(user).inserted else { return }
    for product in file.owned + unclaimed { buyElsewhere(product, in: file, user: user, at: now, id: id()) }
    unclaimed = []
  }

  mutating func buyElsewhere(_ product: Product.ID, in file: StubStoreFile, user: String, at now: Date, id: UUID) {
    guard let product = file.product(product)?.product else { return }
    orders.append(StubOrder(id: id, user: user, product: product, at: now, isElsewhere: true))
    settle(orders.count - 1, product, at: now)
  }
}
