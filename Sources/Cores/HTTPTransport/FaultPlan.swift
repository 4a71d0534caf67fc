import Foundation

/// Which requests go wrong, and how; a tester writes it as JSON.
///
///     {"seed": 7, "rules": [
///       {"fault": "status", "status": 503, "method": "PUT", "path": "/v1/posts/", "count": 2},
///       {"fault": "delay", "seconds": 3, "path": "/v1/session"},
///       {"fault": "drop", "path": "/v1/orders/", "skip": 1, "probability": 0.5}
///     ]}
public struct FaultPlan: Equatable, Sendable {
  /// What goes wrong.
  public enum Fault: Equatable, Sendable {
    /// The request never arrives: nobody could be reached.
    case refuse
    /// The request arrives and is acted on, and its answer is lost.
    case drop
    /// The request waits this long before it is sent; other rules still apply.
    case delay(Duration)
    /// The body of the answer ends after so many bytes, as if it were whole.
    case truncate(Int)
    /// One byte in sixteen of the answer's body is another one.
    case corrupt
    /// The request never arrives; the answer has this status and no body.
    case status(Int)
  }

  /// One fault and the requests that it happens to. The first rule that hits decides; delays only add up.
  public struct Rule: Equatable, Sendable {
    /// What goes wrong.
    public var fault: Fault
    /// Only requests with this method; `nil` for every method.
    public var method: Request.Method?
    /// Only requests whose target starts with this.
    public var path: String
    /// How many matching requests go well first.
    public var skip: Int
    /// How many requests it happens to after that; `nil` for no end.
    public var count: Int?
    /// How probable it is for each of those, 0 to 1; the plan's seed decides.
    public var probability: Double

    /// Makes one; without conditions it hits every request.
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

  /// Why a file is no plan.
  public struct Invalid: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where and what, such as `rule 2: there is no fault "dorp"`.
    public let description: String
  }

  /// What chance follows: the same plan and the same requests fail in the same way.
  public var seed: UInt64
  /// The rules, in order.
  public var rules: [Rule]

  /// Makes one; without rules nothing goes wrong.
  public init(seed: UInt64 = 0, rules: [Rule] = []) {
    self.seed = seed
    self.rules = rules
  }

  /// Reads a plan from JSON.
  /// - Throws: ``Invalid``, with the line and column of a slip in the JSON, or the number of the rule that cannot be.
  public init(json: Data) throws(Invalid) {
    let root = try Fields(Self.parse(json), at: "the plan", known: ["seed", "rules"])
    seed = UInt64(try root.integer("seed", in: 0...Int.max) ?? 0)
    guard case .list(let list) = root.values["rules"] else { throw Invalid(description: "the plan: \"rules\" is a list") }
    rules = []
    for (index, entry) in list.enumerated() { rules.append(try Rule(entry, at: "rule \(index + 1)")) }
  }

  private static func parse(_ json: Data) throws(Invalid) -> JSONValue {
    do {
      // The decoder tells `true` from 1; only the older parser says where a slip is.
      _ = try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)
      return try JSONDecoder().decode(JSONValue.self, from: json)
    } catch {
      let text = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String ?? "\(error)"
      // Foundation counts characters from the start; people count lines.
      let words = text.split(separator: " around character ")
      let offset = words.count == 2 ? Int(words[1].prefix { $0.isNumber }) ?? json.count : json.count
      let before = json.prefix(offset)
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      let column = before.count - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 - before.startIndex + 1 } ?? 0) + 1
      throw Invalid(description: "line \(line), column \(column): \(words.first.map(String.init) ?? text)")
    }
  }
}

extension FaultPlan.Rule {
  fileprivate init(_ entry: JSONValue, at place: String) throws(FaultPlan.Invalid) {
    let fields = try Fields(
      entry, at: place, known: ["fault", "method", "path", "skip", "count", "probability", "seconds", "bytes", "status"])
    guard let name = try fields.text("fault") else { throw fields.invalid("\"fault\" is missing") }
    let fault: FaultPlan.Fault
    var argument: String?
    switch name {
    case "refuse": fault = .refuse
    case "drop": fault = .drop
    case "corrupt": fault = .corrupt
    case "delay":
      argument = "seconds"
      fault = .delay(.seconds(try fields.required(fields.number("seconds", in: 0...86_400), "seconds")))
    case "truncate":
      argument = "bytes"
      fault = .truncate(try fields.required(fields.integer("bytes", in: 0...Int.max), "bytes"))
    case "status":
      argument = "status"
      fault = .status(try fields.required(fields.integer("status", in: 100...599), "status"))
    default: throw fields.invalid("there is no fault \"\(name)\"; there are refuse, drop, delay, truncate, corrupt and status")
    }
    for other in ["seconds", "bytes", "status"] where other != argument && fields.values[other] != nil {
      throw fields.invalid("\"\(other)\" does not go with \"\(name)\"")
    }
    var method: Request.Method?
    if let text = try fields.text("method") {
      method = Request.Method(rawValue: text)
      if method == nil { throw fields.invalid("there is no method \"\(text)\"") }
    }
    self.init(
      fault, method: method, path: try fields.text("path") ?? "", skip: try fields.integer("skip", in: 0...Int.max) ?? 0,
      count: try fields.integer("count", in: 0...Int.max), probability: try fields.number("probability", in: 0...1) ?? 1)
  }
}

private enum JSONValue: Decodable {
  case object([String: JSONValue])
  case list([JSONValue])
  case text(String)
  case number(Double)
  case other

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let object = try? container.decode([String: JSONValue].self) {
      self = .object(object)
    } else if let list = try? container.decode([JSONValue].self) {
      self = .list(list)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else {
      self = .other
    }
  }
}

/// The fields of one JSON object; whoever asks for a wrong one gets an error that says where.
private struct Fields {
  let values: [String: JSONValue]
  let place: String

  init(_ value: JSONValue, at place: String, known: Set<String>) throws(FaultPlan.Invalid) {
    guard case .object(let values) = value else { throw FaultPlan.Invalid(description: "\(place) is no object") }
    self.values = values
    self.place = place
    if let unknown = values.keys.sorted().first(where: { !known.contains($0) }) { throw invalid("there is no field \"\(unknown)\"") }
  }

  func invalid(_ text: String) -> FaultPlan.Invalid { FaultPlan.Invalid(description: "\(place): \(text)") }

  func required<Value>(_ value: Value?, _ name: String) throws(FaultPlan.Invalid) -> Value {
    guard let value else { throw invalid("\"\(name)\" is missing") }
    return value
  }

  func text(_ name: String) throws(FaultPlan.Invalid) -> String? {
    guard let value = values[name] else { return nil }
    guard case .text(let text) = value else { throw invalid("\"\(name)\" is text") }
    return text
  }

  func number(_ name: String, in range: ClosedRange<Double>) throws(FaultPlan.Invalid) -> Double? {
    guard let value = values[name] else { return nil }
    guard case .number(let number) = value, range.contains(number) else {
      throw invalid("\"\(name)\" is a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
    }
    return number
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(FaultPlan.Invalid) -> Int? {
    guard let value = values[name] else { return nil }
    guard case .number(let number) = value, let integer = Int(exactly: number), range.contains(integer) else {
      throw invalid("\"\(name)\" is a whole number from \(range.lowerBound)\(range.upperBound == .max ? "" : " to \(range.upperBound)")")
    }
    return integer
  }
}
