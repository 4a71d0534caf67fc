import Foundation
import PurchaseService

/// The state of a test store: who bought what, and in which state that is. A value: each change is a function of it, the file and the time.
struct StubLedger: Codable, Equatable, Sendable {
  var orders: [StubOrder] = []
  /// By user, then by the type of what is spent.
  var balances: [String: [String: Int]] = [:]
  /// What was spent already, by the caller's key.
  var spent: Set<String> = []
  /// Prices that differ from the file's, in minor units.
  var prices: [Product.ID: Int] = [:]
  /// Every user who was here.
  var users: Set<String> = []
  var lastUser: String?
  /// Bought elsewhere before any user was here.
  var unclaimed: [Product.ID] = []
  var log: [StubLogEntry] = []

  /// How long a failed renewal is tried again, in seconds.
  static let retrying: TimeInterval = 60 * 86_400

  mutating func note(_ text: String, at now: Date) {
    log.append(StubLogEntry(date: now, text: text))
    if log.count > 200 { log.removeFirst(log.count - 200) }
  }

  func index(_ id: UUID) -> Int? { orders.firstIndex { $0.id == id } }

  func price(_ product: Product) -> Int { prices[product.id] ?? product.price.minorUnits }

  // MARK: Charging

  /// Takes the money for an order for the first time.
  mutating func settle(_ index: Int, _ product: Product, at now: Date) {
    let user = orders[index].user
    if let offer = product.offer, isNew(user, to: product, but: orders[index].id) { orders[index].offerCycles = offer.cycles }
    orders[index].standing = .paid
    switch product.kind {
    case .subscription(let group, _):
      orders[index].renews = true
      if let group { replace(group, of: user, by: orders[index].id, at: now) }
      charge(index, product, from: now, at: now)
    case .nonConsumable: charge(index, product, from: now, at: now)
    case .consumable(let type, let amount):
      charge(index, product, from: now, at: now)
      balances[user, default: [:]][type, default: 0] += amount
    }
  }

  /// Takes the money for the period that begins at `start`.
  mutating func charge(_ index: Int, _ product: Product, from start: Date, at now: Date) {
    var price = price(product)
    if var period = product.period {
      if orders[index].offerCycles > 0, let offer = product.offer {
        orders[index].offerCycles -= 1
        price = offer.price.minorUnits
        period = offer.period
      }
      orders[index].paidUntil = period.end(from: start, in: .gmt)
    }
    orders[index].payments += 1
    orders[index].charged = price
    orders[index].standing = .paid
    orders[index].patienceEnds = nil
    orders[index].issued = now
    let amount = Price(minorUnits: price, currency: product.price.currency).formatted(locale: Locale(identifier: "en"))
    note("\(orders[index].user) paid \(amount) for \(product.id)", at: now)
  }

  /// Whether a user never paid for this product, or for another one of its group.
  func isNew(_ user: String?, to product: Product, but order: UUID? = nil) -> Bool {
    !orders.contains {
      $0.user == user && $0.id != order && $0.payments > 0
        && ($0.product == product.id || ($0.group != nil && $0.group == product.group))
    }
  }

  private mutating func replace(_ group: String, of user: String, by order: UUID, at now: Date) {
    for index in orders.indices where orders[index].user == user && orders[index].id != order && orders[index].group == group {
      guard orders[index].isSubscription else { continue }
      orders[index].standing = .replaced
      orders[index].paidUntil = min(orders[index].paidUntil ?? now, now)
      note("\(orders[index].product) of \(user) was replaced", at: now)
    }
  }
}
