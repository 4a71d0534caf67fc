import PurchaseService
import Runtime

/// The fields are those of a publication's product records, so that a tester can copy them.
extension StubProduct: Decodable {
  private enum CodingKeys: String, CodingKey {
    case id, kind, name, detail, priceMinorUnits, currency, period, group, entitlement, consumableType, amount, offer, tax, outcomes
  }

  private enum Kind: String, Decodable, CaseIterable {
    case subscription
    case nonConsumable = "non_consumable"
    case consumable
  }

  private struct OfferFields: Decodable {
    let priceMinorUnits: Int
    let period: SubscriptionPeriod
    let cycles: Int

    enum CodingKeys: String, CodingKey { case priceMinorUnits, period, cycles }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      priceMinorUnits = try fields.whole(.priceMinorUnits, in: 0...StubProduct.highestPrice) ?? fields.missing(.priceMinorUnits)
      period = try fields.period(.period) ?? fields.missing(.period)
      cycles = try fields.whole(.cycles, in: 1...100) ?? 1
    }
  }

  private struct TaxFields: Decodable {
    let name: String
    let basisPoints: Int
    let minorUnits: Int

    enum CodingKeys: String, CodingKey { case name, basisPoints, minorUnits }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      name = try fields.decode(String.self, forKey: .name)
      basisPoints = try fields.whole(.basisPoints, in: 0...10_000) ?? fields.missing(.basisPoints)
      minorUnits = try fields.whole(.minorUnits, in: 0...StubProduct.highestPrice) ?? fields.missing(.minorUnits)
    }
  }

  static let highestPrice = 1_000_000_000

  /// Reads what people write.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    let currency = try fields.decode(String.self, forKey: .currency)
    guard Price.isInUse(currency) else {
      throw DecodingError.located(
        fields.codingPath + [CodingKeys.currency], "expected a currency that people pay in, such as “EUR”, found “\(currency)”")
    }
    let kind: Product.Kind
    switch try fields.decode(Kind.self, forKey: .kind) {
    case .nonConsumable: kind = .nonConsumable
    case .subscription:
      kind = .subscription(
        group: try fields.decodeIfPresent(String.self, forKey: .group), period: try fields.period(.period) ?? fields.missing(.period))
    case .consumable:
      kind = .consumable(
        type: try fields.decode(String.self, forKey: .consumableType),
        amount: try fields.whole(.amount, in: 1...1_000_000) ?? fields.missing(.amount))
    }
    var offer: Offer?
    // Only a subscription has an introductory offer; for other products the field is refused.
    if case .subscription = kind, let written = try fields.decodeIfPresent(OfferFields.self, forKey: .offer) {
      offer = Offer(price: Price(minorUnits: written.priceMinorUnits, currency: currency), period: written.period, cycles: written.cycles)
    }
    let tax = try fields.decodeIfPresent(TaxFields.self, forKey: .tax).map {
      Product.Tax(name: $0.name, basisPoints: $0.basisPoints, amount: Price(minorUnits: $0.minorUnits, currency: currency))
    }
    let price = try fields.whole(.priceMinorUnits, in: 0...Self.highestPrice) ?? fields.missing(.priceMinorUnits)
    self.init(
      Product(
        id: try fields.word(.id), kind: kind, name: try fields.decode(String.self, forKey: .name),
        detail: try fields.decodeIfPresent(String.self, forKey: .detail) ?? "", price: Price(minorUnits: price, currency: currency),
        entitlement: try fields.decodeIfPresent(String.self, forKey: .entitlement), offer: offer, tax: tax),
      outcomes: try fields.decodeIfPresent([StubOutcome].self, forKey: .outcomes) ?? [])
  }
}

extension KeyedDecodingContainer {
  func missing<Value>(_ key: Key) throws -> Value {
    throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "missing"))
  }

  /// Text that is not empty.
  func word(_ key: Key) throws -> String {
    let text = try decode(String.self, forKey: key)
    if text.isEmpty { throw DecodingError.located(codingPath + [key], "expected text that is not empty") }
    return text
  }

  /// A period such as `P1M`.
  func period(_ key: Key) throws -> SubscriptionPeriod? {
    guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
    guard let period = SubscriptionPeriod(iso8601: text) else {
      throw DecodingError.located(codingPath + [key], "expected a period such as “P1M”, “P1Y” or “P2W”, found “\(text)”")
    }
    return period
  }
}
