import Foundation
import PurchaseService

/// Prices and periods in words, the same on paywall and payment sheet.
extension SubscriptionPeriod {
  /// "a month", "a year", "every 3 months": what follows a price.
  public var afterPrice: String { unit.count == 1 ? "a \(unit.name)" : every }
  /// "every month", "every 3 months".
  public var every: String {
    if months > 0, days > 0 { return "every \(months) \(months == 1 ? "month" : "months") and \(days) \(days == 1 ? "day" : "days")" }
    return unit.count == 1 ? "every \(unit.name)" : "every \(unit.count) \(unit.name)s"
  }

  private var unit: (count: Int, name: String) {
    if months > 0, days > 0 { return (0, "month") }
    if months > 0 { return months % 12 == 0 ? (months / 12, "year") : (months, "month") }
    return days % 7 == 0 ? (days / 7, "week") : (days, "day")
  }
}

extension Product {
  /// "4,90 € a month"; just the price for what is paid once.
  public func priceText(_ locale: Locale) -> String {
    let price = price.formatted(locale: locale)
    return period.map { "\(price) \($0.afterPrice)" } ?? price
  }

  /// What the price comes to in a month, or how it is paid.
  public func paceText(_ locale: Locale) -> String {
    guard let period else { return "Paid once" }
    let isMonthly = period == SubscriptionPeriod(months: 1)
    return isMonthly ? "Renews every month" : "\(price.perMonth(of: period).formatted(locale: locale)) a month"
  }

  /// What happens after the first payment: "Renews every month until cancelled."
  public var renewalText: String { period.map { "Renews \($0.every) until cancelled." } ?? "Paid once. It does not renew." }
}
