import Foundation
import PurchaseService
import Runtime
import SignedReceipts

/// A file that a tester writes: products, the outcomes of purchases, and the state at the start.
///
/// `Resources/stub-products/sample.json` shows every field, `schema.json` beside it says what each may be.
public struct StubStoreFile: Sendable {
  /// What is for sale, in the order of the file.
  public var products: [StubProduct]
  /// The outcomes of new purchases of any product, one after the other; after the last one they succeed.
  public var outcomes: [StubOutcome] = []
  /// How asking for products goes.
  public var requests = StubStoreAnswer()
  /// Whether this device may pay.
  public var paymentsAllowed = true
  /// How long the store takes for an answer, in seconds of the real clock.
  public var delay: Double = 0
  /// Seconds that pass in the store in one second.
  public var rate = 1
  /// Products that every user has bought before.
  public var owned: [Product.ID] = []
  /// How receipts are signed.
  public var signature = SignatureAlgorithm.edDSA

  /// Only products: every purchase succeeds at once.
  public init(products: [StubProduct]) { self.products = products }

  /// Reads a file.
  /// - Parameters:
  ///   - json: the file's bytes.
  ///   - name: what errors name the file.
  /// - Throws: `LocatedJSON.Failure`.
  public init(json: Data, name: String) throws(LocatedJSON.Failure) {
    self = try LocatedJSON.decode(StubStoreFile.self, from: json, file: name)
  }

  /// The product with this identifier.
  public func product(_ id: Product.ID) -> StubProduct? { products.first { $0.product.id == id } }
}

/// How asking a test store for something goes.
public struct StubStoreAnswer: Codable, Equatable, Sendable {
  /// The kind of answer that the store gives.
  public enum Answer: String, Codable, CaseIterable, Sendable {
    /// The products or purchases that were asked for.
    case normal
    /// A failure; ``StubStoreAnswer/code`` says which.
    case fail
    /// An answer without products.
    case empty
  }

  /// The kind of answer that the store gives.
  public var answer: Answer
  /// With ``Answer/fail``: the code, such as `timeout`; `unauthorized`, `busy` and `refused` are failures of that kind, all others mean
  /// that the store is unreachable.
  public var code: String?
  /// How long it takes, in seconds of the real clock.
  public var delay: Double

  /// By default the store answers normally and at once.
  public init(_ answer: Answer = .normal, code: String? = nil, delay: Double = 0) {
    self.answer = answer
    self.code = code
    self.delay = delay
  }

  /// Reads what people write.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    answer = try fields.decodeIfPresent(Answer.self, forKey: .answer) ?? .normal
    code = try fields.decodeIfPresent(String.self, forKey: .code)
    delay = try fields.seconds(.delay) ?? 0
    if code != nil, answer != .fail { throw DecodingError.located(fields.codingPath + [CodingKeys.code], "“code” goes with “fail”") }
  }

  /// What a failed request throws.
  var failure: StoreError {
    let code = code ?? "unavailable"
    let kind: StoreError.Kind =
      switch code {
      case "unauthorized": .unauthorized
      case "busy": .busy
      case "refused": .refused
      default: .unavailable
      }
    return StoreError(kind, code: code, sentence: "The test store does not answer, as it was told to.")
  }
}

extension StubStoreFile: Decodable {
  private enum CodingKeys: String, CodingKey {
    case schema = "$schema"
    case products, outcomes, requests, paymentsAllowed, delay, rate, owned, signature
  }

  /// Reads what people write.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    // Editors find the schema by it.
    _ = try fields.decodeIfPresent(String.self, forKey: .schema)
    self.init(products: try fields.decode([StubProduct].self, forKey: .products))
    outcomes = try fields.decodeIfPresent([StubOutcome].self, forKey: .outcomes) ?? []
    requests = try fields.decodeIfPresent(StubStoreAnswer.self, forKey: .requests) ?? StubStoreAnswer()
    paymentsAllowed = try fields.decodeIfPresent(Bool.self, forKey: .paymentsAllowed) ?? true
    delay = try fields.seconds(.delay) ?? 0
    rate = try fields.whole(.rate, in: 0...10_000_000) ?? 1
    owned = try fields.decodeIfPresent([Product.ID].self, forKey: .owned) ?? []
    signature = try fields.decodeIfPresent(SignatureAlgorithm.self, forKey: .signature) ?? .edDSA
    for (index, id) in owned.enumerated() where product(id) == nil {
      throw DecodingError.located([CodingKeys.owned, LocatedJSON.Step(intValue: index)], "there is no product “\(id)” in this file")
    }
    var seen: Set<Product.ID> = []
    for (index, product) in products.enumerated() where !seen.insert(product.product.id).inserted {
      throw DecodingError.located(
        [CodingKeys.products, LocatedJSON.Step(intValue: index), LocatedJSON.Step(stringValue: "id")],
        "the product “\(product.product.id)” is there twice")
    }
  }
}

extension KeyedDecodingContainer {
  /// A whole number within bounds.
  func whole(_ key: Key, in range: ClosedRange<Int>) throws -> Int? {
    guard let number = try decodeIfPresent(Int.self, forKey: key) else { return nil }
    guard range.contains(number) else {
      throw DecodingError.located(
        codingPath + [key], "expected a whole number from \(range.lowerBound) to \(range.upperBound), found \(number)")
    }
    return number
  }

  /// A length of time in seconds, up to a day.
  func seconds(_ key: Key) throws -> Double? {
    guard let number = try decodeIfPresent(Double.self, forKey: key) else { return nil }
    guard (0...86_400).contains(number) else {
      throw DecodingError.located(codingPath + [key], "expected seconds from 0 to 86400, found \(number)")
    }
    return number
  }
}
