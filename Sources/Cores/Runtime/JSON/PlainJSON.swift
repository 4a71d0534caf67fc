import Foundation

/// What a value was expected to be and is not.
struct PlainMismatch: Error { let expected: String }

/// A type that is read directly from a JSON value, rather than through its own `init(from:)`.
protocol PlainJSON {
  /// - Throws: ``PlainMismatch``.
  init(_ node: JSONNode) throws
}

extension Bool: PlainJSON {
  init(_ node: JSONNode) throws {
    guard case .bool(let value) = node.value else { throw PlainMismatch(expected: "true or false") }
    self = value
  }
}

extension String: PlainJSON {
  init(_ node: JSONNode) throws {
    guard case .string(let text) = node.value else { throw PlainMismatch(expected: "text") }
    self = text
  }
}

extension BinaryFloatingPoint where Self: LosslessStringConvertible {
  init(_ node: JSONNode) throws {
    guard case .number(let text) = node.value, let value = Self(text), value.isFinite else { throw PlainMismatch(expected: "a number") }
    self = value
  }
}

extension Double: PlainJSON {}
extension Float: PlainJSON {}

extension FixedWidthInteger {
  init(_ node: JSONNode) throws {
    guard case .number(let text) = node.value else { throw PlainMismatch(expected: "a whole number") }
    // 1e3 and 2.0 are whole numbers too.
    if let value = Self(text) ?? Double(text).flatMap({ Self(exactly: $0) }) {
      self = value
    } else if Double(text).map({ $0.rounded() == $0 }) ?? false {
      throw PlainMismatch(expected: "a whole number from \(Self.min) to \(Self.max)")
    } else {
      throw PlainMismatch(expected: "a whole number")
    }
  }
}

extension Int: PlainJSON {}
extension Int8: PlainJSON {}
extension Int16: PlainJSON {}
extension Int32: PlainJSON {}
extension Int64: PlainJSON {}
extension UInt: PlainJSON {}
extension UInt8: PlainJSON {}
extension UInt16: PlainJSON {}
extension UInt32: PlainJSON {}
extension UInt64: PlainJSON {}

extension Date: PlainJSON {
  init(_ node: JSONNode) throws {
    guard case .string(let text) = node.value,
      let date = try? Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains(".")).parse(text)
    else { throw PlainMismatch(expected: "a time such as “2030-01-31T12:00:00Z”") }
    self = date
  }
}

extension URL: PlainJSON {
  init(_ node: JSONNode) throws {
    guard case .string(let text) = node.value, let url = URL(string: text) else { throw PlainMismatch(expected: "a URL") }
    self = url
  }
}

extension UUID: PlainJSON {
  init(_ node: JSONNode) throws {
    guard case .string(let text) = node.value, let id = UUID(uuidString: text) else { throw PlainMismatch(expected: "a UUID") }
    self = id
  }
}
