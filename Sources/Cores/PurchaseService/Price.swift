import Foundation

/// An amount of money, exact: a whole number of the currency's smallest unit.
public struct Price: Hashable, Sendable {
  /// In the currency's minor units: 490 is 4.90 € and 490 ¥.
  public let minorUnits: Int
  /// ISO 4217, such as `EUR`.
  public let currency: String

  /// A `currency` that ISO 4217 does not list counts as one with two digits, and is shown as it is.
  public init(minorUnits: Int, currency: String) {
    self.minorUnits = minorUnits
    self.currency = currency
  }

  /// The amount in the currency's main unit.
  public var amount: Decimal {
    Decimal(sign: minorUnits < 0 ? .minus : .plus, exponent: -Self.digits(of: currency), significand: Decimal(minorUnits.magnitude))
  }

  /// The amount as people write it: the currency decides the digits and the name, and the locale only the arrangement.
  public func formatted(locale: Locale) -> String {
    let digits = Self.digits(of: currency)
    guard currency.utf8.count == 3, currency.allSatisfy({ $0.isASCII && $0.isLetter && $0.isUppercase }) else {
      return amount.formatted(.number.precision(.fractionLength(digits)).locale(locale)) + " " + currency
    }
    return amount.formatted(.currency(code: currency).precision(.fractionLength(digits)).locale(locale))
  }

  /// The monthly equivalent of this price, paid every `period`; rounded to the nearest minor unit.
  public func perMonth(of period: SubscriptionPeriod) -> Price {
    Price(minorUnits: Self.rounded(Decimal(minorUnits) / period.lengthInMonths), currency: currency)
  }

  /// The price of one of `count` things that are sold together; rounded to the nearest minor unit.
  public func divided(by count: Int) -> Price {
    Price(minorUnits: Self.rounded(Decimal(minorUnits) / Decimal(max(1, count))), currency: currency)
  }

  /// How much cheaper this price is for `period` than paying `monthly` every month, in whole percent.
  /// - Returns: 1 to 100, rounded to the nearest; `nil` when nothing is saved or the currencies differ.
  public func saving(of period: SubscriptionPeriod, against monthly: Price) -> Int? {
    guard currency == monthly.currency, monthly.minorUnits > 0, minorUnits >= 0 else { return nil }
    let full = Decimal(monthly.minorUnits) * period.lengthInMonths
    let percent = Self.rounded((full - Decimal(minorUnits)) * 100 / full)
    return percent >= 1 ? percent : nil
  }

  /// Whether people pay in the currency of that code (ISO 4217): not in `XXX`, which is no currency, in `XAU`, which is gold, or in a
  /// former currency.
  public static func isInUse(_ currency: String) -> Bool { inUse.contains(currency) }

  private static let inUse = Set(Locale.commonISOCurrencyCodes)

  /// How many digits the minor unit has (ISO 4217, List One).
  static func digits(of currency: String) -> Int {
    switch currency {
    case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF": 0
    case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND": 3
    case "CLF", "UYW": 4
    default: 2
    }
  }

  private static func rounded(_ value: Decimal) -> Int {
    var value = value
    var result = Decimal()
    NSDecimalRound(&result, &value, 0, .plain)
    // Beyond what counts, an amount stays at the end of the scale.
    if result >= Decimal(Int.max) { return .max }
    if result <= Decimal(Int.min) { return .min }
    return NSDecimalNumber(decimal: result).intValue
  }
}
