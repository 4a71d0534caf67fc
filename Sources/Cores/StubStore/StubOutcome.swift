import Foundation
import PurchaseService
import Runtime

/// The outcome of one purchase in a test store. In JSON `{"result": "fail", "code": "insufficient_funds"}`.
public struct StubOutcome: Equatable, Sendable {
  /// How a purchase ends, or what it waits for.
  public enum Result: String, Codable, CaseIterable, Sendable {
    /// Charged, with a good receipt.
    case success
    /// The person cancels before agreeing to pay.
    case cancel
    /// The payment provider gives no token.
    case authorizationFailed = "authorization_failed"
    /// The store answers with ``StubOutcome/code``.
    case fail
    /// A bank or another person has to approve: it waits for the commands `approve` and `decline`.
    case deferred
    /// The person has to act first: it waits for the command `resolve`.
    case interrupted
    /// Charged, and the receipt is genuine but names another seller, so that it is rejected.
    case receiptRejected = "receipt_rejected"
    /// Charged, and the receipt's signature is wrong.
    case badSignature = "bad_signature"
    /// Charged, and the answer does not list the product yet.
    case notListed = "not_listed"
  }

  /// How the purchase ends, or what it waits for.
  public var result: Result
  /// With ``Result/fail``: `declined` and `unknown_product` are final, as is every code of your own; after `unavailable`, `busy` and
  /// `unauthorized` the request is repeated.
  public var code: String?
  /// The sentence for the person, where one is shown; each case has a standard one.
  public var sentence: String?
  /// With ``Result/interrupted``: the page that the person is sent to.
  public var url: String?
  /// After how many such answers the purchase succeeds, where requests are repeated; `nil` to wait for the command `resolve`.
  public var times: Int?
  /// How long the store takes, in seconds of the real clock; `nil` for the file's own.
  public var delay: Double?

  public init(
    _ result: Result, code: String? = nil, sentence: String? = nil, url: String? = nil, times: Int? = nil, delay: Double? = nil
  ) {
    self.result = result
    self.code = code
    self.sentence = sentence
    self.url = url
    self.times = times
    self.delay = delay
  }

  /// A purchase that is charged and unlocked.
  public static let success = StubOutcome(.success)

  /// The codes after which a request is repeated.
  static let passing: Set<String> = ["unavailable", "busy", "unauthorized"]

  /// Whether the request is repeated after this answer.
  var isRetried: Bool {
    switch result {
    case .fail: Self.passing.contains(code ?? "")
    case .interrupted, .receiptRejected, .badSignature, .notListed: true
    case .success, .cancel, .authorizationFailed, .deferred: false
    }
  }
}

extension StubOutcome: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable { case result, code, sentence, url, times, delay }

  /// Reads what people write: an object, or just the result's name.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    if let word = try? decoder.singleValueContainer().decode(String.self), let result = Result(rawValue: word), result != .fail {
      self.init(result)
      return
    }
    if (try? decoder.singleValueContainer().decode(String.self)) != nil {
      // Again, for the error that lists what there is.
      let result = try decoder.singleValueContainer().decode(Result.self)
      throw DecodingError.located(decoder.codingPath, "“\(result.rawValue)” needs a code: {\"result\": \"fail\", \"code\": \"declined\"}")
    }
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    let result = try fields.decode(Result.self, forKey: .result)
    self.init(result)
    // A field that does not belong to the result is not decoded, and is therefore refused as unknown.
    if result == .fail { code = try fields.word(.code) }
    if result == .interrupted { url = try fields.decodeIfPresent(String.self, forKey: .url) }
    if [.fail, .deferred, .interrupted, .authorizationFailed].contains(result) {
      sentence = try fields.decodeIfPresent(String.self, forKey: .sentence)
    }
    if isRetried { times = try fields.whole(.times, in: 1...1000) }
    delay = try fields.seconds(.delay)
  }

  /// Writes what ``init(from:)`` reads.
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(result, forKey: .result)
    try fields.encodeIfPresent(code, forKey: .code)
    try fields.encodeIfPresent(sentence, forKey: .sentence)
    try fields.encodeIfPresent(url, forKey: .url)
    try fields.encodeIfPresent(times, forKey: .times)
    try fields.encodeIfPresent(delay, forKey: .delay)
  }
}
