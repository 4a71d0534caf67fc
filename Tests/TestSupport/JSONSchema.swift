import Foundation
import Runtime

/// Any JSON value, as a schema sees it.
public enum JSON: Decodable, Equatable, Sendable {
  case object([String: JSON])
  case list([JSON])
  case text(String)
  case number(Double)
  case bool(Bool)
  case null

  /// From JSON.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let list = try? value.decode([JSON].self) {
      self = .list(list)
    } else {
      self = .object(try value.decode([String: JSON].self))
    }
  }

  /// From JSON as text.
  public init(_ text: String) throws { self = try LocatedJSON.decode(JSON.self, from: Data(text.utf8), file: "test") }

  /// As JSON, with sorted fields.
  public var text: String {
    switch self {
    case .object(let fields):
      "{" + fields.sorted { $0.key < $1.key }.map { "\(JSON.text($0.key).text): \($0.value.text)" }.joined(separator: ", ") + "}"
    case .list(let items): "[" + items.map(\.text).joined(separator: ", ") + "]"
    case .text(let text): "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    case .number(let number): number == number.rounded() ? "\(Int(number))" : "\(number)"
    case .bool(let bool): "\(bool)"
    case .null: "null"
    }
  }
}

/// JSON Schema (draft 2020-12), as far as the schemas of this project use it: any other keyword is an error.
public struct JSONSchema: Sendable {
  /// A keyword that this reader of schemas does not know.
  public struct Unsupported: Error { let keyword: String }

  private let root: JSON
  private let others: [String: JSONSchema]

  /// - Parameter others: the schemas in other files that this one refers to, by the names that it has for them.
  public init(root: JSON, others: [String: JSONSchema] = [:]) {
    self.root = root
    self.others = others
  }

  /// Whether a value fits.
  public func allows(_ value: JSON) throws -> Bool { try allows(value, root) }

  private func allows(_ value: JSON, _ schema: JSON) throws -> Bool {
    if case .bool(let allowed) = schema { return allowed }
    guard case .object(let keywords) = schema else { throw Unsupported(keyword: schema.text) }
    for (keyword, argument) in keywords {
      guard try allows(value, keyword, argument, among: keywords) else { return false }
    }
    return true
  }

  private func allows(_ value: JSON, _ keyword: String, _ argument: JSON, among all: [String: JSON]) throws -> Bool {
    switch (keyword, argument) {
    case ("$schema", _), ("title", _), ("description", _), ("default", _), ("$defs", _), ("then", _): return true
    case ("$ref", .text(let path)) where !path.hasPrefix("#"):
      guard let file = path.firstIndex(of: "#"), let other = others[String(path[..<file])] else { throw Unsupported(keyword: path) }
      return try other.allows(value, .object([keyword: .text(String(path[file...]))]))
    case ("$ref", .text(let path)):
      guard case .object(let fields) = root, case .object(let definitions) = fields["$defs"],
        let definition = definitions[path.replacing("#/$defs/", with: "")]
      else { throw Unsupported(keyword: path) }
      return try allows(value, definition)
    case ("type", .text(let name)): return has(value, name)
    case ("enum", .list(let values)): return values.contains(value)
    case ("const", let constant): return value == constant
    case ("oneOf", .list(let schemas)): return try schemas.count { try allows(value, $0) } == 1
    case ("not", let schema): return try !allows(value, schema)
    case ("if", let schema): return try !allows(value, schema) || allows(value, all["then"] ?? .bool(true))
    default: break
    }
    switch (keyword, argument, value) {
    case ("minimum", .number(let least), .number(let number)): return number >= least
    case ("maximum", .number(let most), .number(let number)): return number <= most
    case ("minLength", .number(let least), .text(let text)): return Double(text.unicodeScalars.count) >= least
    case ("minItems", .number(let least), .list(let items)): return Double(items.count) >= least
    case ("pattern", .text(let pattern), .text(let text)):
      return try NSRegularExpression(pattern: pattern).firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    case ("items", let schema, .list(let items)): return try items.allSatisfy { try allows($0, schema) }
    case ("required", .list(let names), .object(let fields)):
      return names.allSatisfy { name in if case .text(let text) = name { fields[text] != nil } else { false } }
    case ("properties", .object(let schemas), .object(let fields)):
      return try schemas.allSatisfy { name, schema in try fields[name].map { try allows($0, schema) } ?? true }
    case ("additionalProperties", let schema, .object(let fields)):
      let known: Set<String> = if case .object(let schemas) = all["properties"] { Set(schemas.keys) } else { [] }
      return try fields.allSatisfy { try known.contains($0.key) || allows($0.value, schema) }
    case ("minimum", _, _), ("maximum", _, _), ("minLength", _, _), ("minItems", _, _), ("pattern", _, _), ("items", _, _),
      ("required", _, _), ("properties", _, _), ("additionalProperties", _, _):
      // It says nothing about values of another type.
      return true
    default: throw Unsupported(keyword: keyword)
    }
  }

  private func has(_ value: JSON, _ type: String) -> Bool {
    switch (value, type) {
    case (.object, "object"), (.list, "array"), (.text, "string"), (.number, "number"), (.bool, "boolean"), (.null, "null"): true
    case (.number(let number), "integer"): number == number.rounded()
    default: false
    }
  }
}

extension JSON {
  /// This value with one slip in it: a field lost, misnamed or made something else, at every place in turn.
  public var slips: [JSON] {
    switch self {
    case .object(let fields):
      var slips: [JSON] = []
      for (name, value) in fields {
        var without = fields
        without[name] = nil
        slips.append(.object(without))
        without[name + "x"] = value
        slips.append(.object(without))
        for slip in value.slips + Self.strangers {
          var other = fields
          other[name] = slip
          slips.append(.object(other))
        }
      }
      return slips + [.object(fields.merging(["stranger": .number(1)]) { one, _ in one })]
    case .list(let items):
      var slips: [JSON] = [.list([])]
      for (index, value) in items.enumerated() {
        for slip in value.slips + Self.strangers {
          var other = items
          other[index] = slip
          slips.append(.list(other))
        }
      }
      return slips
    default: return []
    }
  }

  private static let strangers: [JSON] = [
    .null, .bool(true), .number(1), .number(-1), .number(1.5), .number(20_000_000_000), .text(""), .text("stranger"), .text("/x"),
    .list([]),
    .object([:]),
  ]
}
