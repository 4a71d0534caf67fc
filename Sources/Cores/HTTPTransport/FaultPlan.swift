import Foundation
import Runtime

/// Which requests go wrong, and how; a tester writes it as JSON.
///
///     {"seed": 7, "rules": [
///       {"fault": "status", "status": 503, "method": "PUT", "path": "/v1/posts/", "count": 2},
///       {"fault": "delay", "seconds": 3, "path": "/v1/session"},
///       {"fault": "drop", "path": "/v1/orders/", "skip": 1, "probability": 0.5}
///     ]}
public struct FaultPlan: Equatable, Sendable {
  /// What goes wrong with a request or its answer.
  public enum Fault: Equatable, Sendable {
    /// The request never arrives, as if the server could not be reached.
    case refuse
    /// The request arrives and is acted on, and its answer is lost.
    case drop
    /// The request waits this long before it is sent; other rules still apply.
    case delay(Duration)
    /// The body of the answer ends after so many bytes, as if it were whole.
    case truncate(Int)
    /// One byte in sixteen of the answer's body is another one.
    case corrupt
    /// The request never arrives; the answer has this status and this body, such as a refusal that the server itself would give.
    case status(Int, body: String = "")
  }

  /// One fault and the requests that it happens to. The first rule that hits decides; delays only add up.
  public struct FaultRule: Equatable, Sendable {
    /// What goes wrong with the requests that the rule hits.
    public var fault: Fault
    /// Only requests with this method; `nil` for every method.
    public var method: Request.Method?
    /// Only requests whose target starts with this.
    public var path: String
    /// How many matching requests go well first.
    public var skip: Int
    /// How many requests it happens to after that; `nil` for no end.
    public var count: Int?
    /// The probability for each of those, 0 to 1; the plan's seed decides.
    public var probability: Double

    /// By default the rule hits every request.
    public init(
      _ fault: Fault, method: Request.Method? = nil, path: String = "", skip: Int = 0, count: Int? = nil, probability: Double = 1
    ) {
      self.fault = fault
      self.method = method
      self.path = path
      self.skip = skip
      self.count = count
      self.probability = probability
    }
  }

  /// The seed of all chance: the same plan and the same requests fail in the same way.
  public var seed: UInt64
  /// The rules, in order.
  public var rules: [FaultRule]

  /// Without rules nothing goes wrong.
  public init(seed: UInt64 = 0, rules: [FaultRule] = []) {
    self.seed = seed
    self.rules = rules
  }

  /// Reads a plan from JSON.
  /// - Parameters:
  ///   - json: the file's bytes.
  ///   - file: what errors name the file.
  /// - Throws: `LocatedJSON.Failure`.
  public init(json: Data, file: String) throws(LocatedJSON.Failure) {
    self = try LocatedJSON.decode(FaultPlan.self, from: json, file: file)
  }
}

extension FaultPlan: Decodable {
  private enum CodingKeys: String, CodingKey { case seed, rules }

  /// Reads what people write.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    seed = try fields.decodeIfPresent(UInt64.self, forKey: .seed) ?? 0
    rules = try fields.decode([FaultRule].self, forKey: .rules)
  }
}

extension FaultPlan.FaultRule: Decodable {
  private enum CodingKeys: String, CodingKey { case fault, method, path, skip, count, probability, seconds, bytes, status, body }

  private enum Name: String, Decodable, CaseIterable { case refuse, drop, delay, truncate, corrupt, status }

  /// Reads what people write.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    func checked<Value: Comparable>(_ value: Value, in range: ClosedRange<Value>, _ what: String, of key: CodingKeys) throws -> Value {
      guard range.contains(value) else { throw DecodingError.located(fields.codingPath + [key], "expected \(what), found \(value)") }
      return value
    }
    // A field that does not belong to the fault is not decoded, and is therefore refused as unknown.
    let fault: FaultPlan.Fault
    switch try fields.decode(Name.self, forKey: .fault) {
    case .refuse: fault = .refuse
    case .drop: fault = .drop
    case .corrupt: fault = .corrupt
    case .delay:
      let seconds = try fields.decode(Double.self, forKey: .seconds)
      fault = .delay(.seconds(try checked(seconds, in: 0...86_400, "seconds from 0 to 86400", of: .seconds)))
    case .truncate:
      fault = .truncate(try checked(fields.decode(Int.self, forKey: .bytes), in: 0...Int.max, "a whole number from 0", of: .bytes))
    case .status:
      fault = .status(
        try checked(fields.decode(Int.self, forKey: .status), in: 100...599, "a status from 100 to 599", of: .status),
        body: try fields.decodeIfPresent(String.self, forKey: .body) ?? "")
    }
    self.init(
      fault, method: try fields.decodeIfPresent(Request.Method.self, forKey: .method),
      path: try fields.decodeIfPresent(String.self, forKey: .path) ?? "",
      skip: try checked(fields.decodeIfPresent(Int.self, forKey: .skip) ?? 0, in: 0...Int.max, "a whole number from 0", of: .skip),
      count: try fields.decodeIfPresent(Int.self, forKey: .count).map {
        try checked($0, in: 0...Int.max, "a whole number from 0", of: .count)
      },
      probability: try checked(
        fields.decodeIfPresent(Double.self, forKey: .probability) ?? 1, in: 0...1, "a number from 0 to 1", of: .probability))
  }
}
