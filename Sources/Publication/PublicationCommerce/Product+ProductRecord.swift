import PublicationAPI
import PurchaseService

extension Product {
  /// From the wire.
  /// - Returns: `nil` for a subscription whose period this version does not understand, or a consumable without a type: a product that is
  ///   not understood is not offered.
  public init?(_ record: ProductRecord) {
    let kind: Kind
    switch record.kind {
    case .nonConsumable: kind = .nonConsumable
    case .consumable:
      guard let type = record.consumableType, let amount = record.amount, amount > 0 else { return nil }
      kind = .consumable(type: type, amount: amount)
    case .subscription:
      guard let period = record.period.flatMap(SubscriptionPeriod.init(iso8601:)) else { return nil }
      kind = .subscription(group: record.group, period: period)
    }
    let tax = record.tax.map {
      Tax(name: $0.name, basisPoints: $0.basisPoints, amount: Price(minorUnits: $0.minorUnits, currency: record.currency))
    }
    self.init(
      id: record.id, kind: kind, name: record.name, detail: record.detail,
      price: Price(minorUnits: record.priceMinorUnits, currency: record.currency), entitlement: record.entitlement, tax: tax)
  }
}
