import Foundation

/// In which currency and language a person is sold to.
public struct Storefront: Hashable, Sendable {
  /// ISO 4217, such as `EUR`; `nil` for the one the store chooses.
  public var currency: String?
  /// The language of names, and how prices are written.
  public var locale: Locale

  /// By default the store's own currency, in English.
  public init(currency: String? = nil, locale: Locale = Locale(identifier: "en")) {
    self.currency = currency
    self.locale = locale
  }
}
