import Foundation
import PurchaseService

/// Prices and periods in words, the same on paywall, payment sheet and in the list of purchases.
extension SubscriptionPeriod {
  /// "a month", "a year", "every 3 months": what follows a price.
  public var afterPrice: String { unit.count == 1 ? "a \(unit.name)" : every }
  /// "every month", "every 3 months".
  public var every: String { unit.count == 1 ? "every \(unit.name)" : "every \(length())" }

  /// "1 month", "2 weeks", "1 month and 3 days"; `times` of it in a row.
  public func length(times: Int = 1) -> String {
    let parts = unit.count == 0 ? [(months, "month"), (days, "day")] : [unit]
    return parts.map { count, name in "\(count * times) \(count * times == 1 ? name : name + "s")" }.joined(separator: " and ")
  }

  /// A count of 0 stands for months and days together.
  private var unit: (count: Int, name: String) {
    if months > 0, days > 0 { return (0, "month") }
    if months > 0 { return months % 12 == 0 ? (months / 12, "year") : (months, "month") }
    return days % 7 == 0 ? (days / 7, "week") : (days, "day")
  }
}

extension Product {
  /// "4,90 € a month"; just the price for what is paid once.
  public func priceText(_ locale: Locale) -> String { price.text(every: period, locale) }

  /// What the price comes to in a month, or how it is paid, or what the beginning costs.
  public func paceText(_ locale: Locale) -> String {
    if let offer { return offer.text(locale) }
    switch kind {
    case .nonConsumable: return "Paid once"
    case .consumable(_, let amount): return amount > 1 ? "\(price.divided(by: amount).formatted(locale: locale)) each" : "Paid once"
    case .subscription(_, let period):
      let isMonthly = period == SubscriptionPeriod(months: 1)
      return isMonthly ? "Renews every month" : "\(price.perMonth(of: period).formatted(locale: locale)) a month"
    }
  }

  /// "19 % VAT, 0,78 €": the tax within what is paid at first; `nil` when the seller does not say.
  public func taxText(_ locale: Locale) -> String? {
    guard let tax, firstPayment == price else { return nil }
    let rate = (Double(tax.basisPoints) / 10_000).formatted(.percent.precision(.fractionLength(0...2)).locale(locale))
    return "\(rate) \(tax.name), \(tax.amount.formatted(locale: locale))"
  }

  /// What follows the first payment, one sentence each: "Free until 5 December 2026, then 4,90 € a month.", "Renews every month until
  /// cancelled.", and how to cancel.
  /// - Parameter now: when the first payment is made.
  public func terms(from now: Date, _ formatting: Formatting) -> [String] {
    switch kind {
    case .nonConsumable: return ["Paid once. It does not renew."]
    case .consumable: return ["Paid once. It does not renew, and does not run out until it is spent."]
    case .subscription(_, let period):
      let renewal = "Renews \(period.every) until cancelled."
      guard let offer else {
        return [renewal, "Cancel under Account → Purchases. What is paid for stays open until its end."]
      }
      let end = formatting.day(offer.period.end(from: now, times: offer.cycles, in: formatting.timeZone))
      let then = "then \(priceText(formatting.locale))."
      guard offer.isFree else {
        let beginning = offer.price.text(every: offer.cycles == 1 ? nil : offer.period, formatting.locale)
        return [
          "\(beginning) until \(end), \(then)", renewal, "Cancel under Account → Purchases. What is paid for stays open until its end.",
        ]
      }
      return ["Free until \(end), \(then)", renewal, "Cancel under Account → Purchases before \(end), and nothing is charged."]
    }
  }
}

extension Offer {
  /// Whether it is a trial.
  public var isFree: Bool { price.minorUnits == 0 }

  /// "First 2 weeks free", "First month for 1,00 €", "First 3 months for 2,00 € a month".
  func text(_ locale: Locale) -> String {
    let length = period.length(times: cycles)
    let first = "First \(length.hasPrefix("1 ") ? String(length.dropFirst(2)) : length)"
    return isFree ? "\(first) free" : "\(first) for \(price.text(every: cycles == 1 ? nil : period, locale))"
  }
}

extension Price {
  func text(every period: SubscriptionPeriod?, _ locale: Locale) -> String {
    let text = formatted(locale: locale)
    return period.map { "\(text) \($0.afterPrice)" } ?? text
  }
}
