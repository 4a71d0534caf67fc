import AppCore
import Foundation
import PublicationAPI

/// A view model's state as plain data: what a scenario prints and compares.
///
/// A structure is an object by its properties' names, an enumeration's case its name, or an object of that one name when it carries
/// something; a date is ISO 8601 in UTC.
public indirect enum StateValue: Equatable, Sendable {
  /// No value: JSON's `null`, or an empty optional.
  case null
  /// Yes or no.
  case bool(Bool)
  /// A number.
  case number(Double)
  /// Text, a case's name, a date.
  case text(String)
  /// A list of values, in its order.
  case list([StateValue])
  /// Values by the names of their fields.
  case object([String: StateValue])

  /// What a value of any type looks like. Types without children describe themselves, so that a secret stays one.
  public init(reflecting value: Any) {
    switch value {
    case let value as Bool: self = .bool(value)
    case let value as any BinaryInteger: self = .number(Double(value))
    case let value as any BinaryFloatingPoint: self = .number(Double(value))
    case let value as String: self = .text(value)
    case let value as Reaction: self = .text(value.rawValue)
    case let value as Date: self = .text(value.ISO8601Format())
    default: self = Self.children(of: value)
    }
  }

  private static func children(of value: Any) -> StateValue {
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.map { StateValue(reflecting: $0.value) } ?? .null
    case .collection: return .list(mirror.children.map { StateValue(reflecting: $0.value) })
    case .set: return .list(mirror.children.map { StateValue(reflecting: $0.value) }.sorted { $0.description < $1.description })
    case .enum:
      guard let payload = mirror.children.first else { return .text("\(value)") }
      return .object([payload.label ?? "": StateValue(reflecting: payload.value)])
    default:
      guard !mirror.children.isEmpty else { return .text(String(describing: value)) }
      let named = mirror.children.enumerated().map { ($1.label ?? "\($0)", StateValue(reflecting: $1.value)) }
      return .object(Dictionary(named) { first, _ in first })
    }
  }

  /// What is different from an older value, by path (`status.working`), in the paths' order.
  public func changes(since old: StateValue?, at path: String = "") -> [(path: String, value: StateValue)] {
    guard self != old else { return [] }
    guard case .object(let members) = self, case .object(let before)? = old, Set(members.keys) == Set(before.keys) else {
      return [(path, self)]
    }
    return members.keys.sorted().flatMap { name in
      members[name]?.changes(since: before[name], at: path.isEmpty ? name : "\(path).\(name)") ?? []
    }
  }

  /// Why this is not what was expected; `nil` when it is.
  ///
  /// An object expects only the members it names; a text may hold `*` for any characters; an object `{"count": 3}` or
  /// `{"contains": …}` is what is expected of a list.
  public func objection(to expected: StateValue, at path: String = "") -> String? {
    switch (self, expected) {
    case (.text(let text), .text(let pattern)) where Self.matches(text, pattern): return nil
    case (.list(let items), .object(let wanted)) where wanted.keys.allSatisfy { ["count", "contains"].contains($0) } && !wanted.isEmpty:
      if let count = wanted["count"], let wrong = StateValue.number(Double(items.count)).objection(to: count, at: path + ".count") {
        return wrong
      }
      guard let item = wanted["contains"], !items.contains(where: { $0.objection(to: item) == nil }) else { return nil }
      return "\(path) contains nothing like \(item); it is \(self)"
    case (.list(let items), .list(let wanted)) where items.count == wanted.count:
      return zip(items, wanted).enumerated().lazy.compactMap { $1.0.objection(to: $1.1, at: "\(path)[\($0)]") }.first
    case (.object(let members), .object(let wanted)):
      for (name, value) in wanted.sorted(by: { $0.key < $1.key }) {
        let inner = path.isEmpty ? name : "\(path).\(name)"
        guard let member = members[name] else { return "\(inner) is not there; there is \(members.keys.sorted().joined(separator: ", "))" }
        if let wrong = member.objection(to: value, at: inner) { return wrong }
      }
      return nil
    default: return self == expected ? nil : "\(path) is \(self), not \(expected)"
    }
  }

  /// Whether a text fits a pattern in which `*` stands for any characters.
  static func matches(_ text: String, _ pattern: String) -> Bool {
    let parts = pattern.components(separatedBy: "*")
    guard parts.count > 1, let first = parts.first, let last = parts.last else { return text == pattern }
    guard text.hasPrefix(first), text.count >= first.count + last.count, text.hasSuffix(last) else { return false }
    var rest = text.dropFirst(first.count).dropLast(last.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let found = rest.range(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return true
  }
}

extension StateValue: Decodable {
  /// Reads any value of a JSON text.
  /// - Throws: `DecodingError`, for what JSON has no form for.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([StateValue].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: StateValue].self))
    }
  }
}

extension StateValue: CustomStringConvertible {
  /// On one line, much like JSON.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let value): value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    case .text(let value): "“\(value)”"
    case .list(let items): "[" + items.map(\.description).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
    }
  }
}
