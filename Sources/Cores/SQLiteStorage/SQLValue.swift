import Foundation

/// What a column can hold, one case for each of SQLite's storage classes.
public enum SQLScalar: Equatable, Sendable {
  /// No value: `NULL`.
  case null
  /// A signed 64-bit integer.
  case integer(Int64)
  /// A double; SQLite stores NaN as `NULL`.
  case real(Double)
  /// Text in UTF-8.
  case text(String)
  /// Bytes.
  case blob(Data)
}

/// A type that can be bound to a parameter and read from a column.
///
/// `String`, `Int`, `Int64`, `Double`, `Bool`, `Data`, `Date`, `UUID` and every `RawRepresentable` of one of them; in a place for an
/// optional, `nil` is `NULL`.
public protocol SQLValue {
  /// The value as a column holds it.
  var scalar: SQLScalar { get }
  /// The value of a column; `nil` when the column holds something else.
  init?(scalar: SQLScalar)
}

extension String: SQLValue {
  /// The string as a column holds it: as text.
  public var scalar: SQLScalar { .text(self) }
  /// The text of a column; `nil` when the column holds something else.
  public init?(scalar: SQLScalar) {
    guard case .text(let text) = scalar else { return nil }
    self = text
  }
}

extension Int64: SQLValue {
  /// The number as a column holds it: as a signed 64-bit integer.
  public var scalar: SQLScalar { .integer(self) }
  /// The integer of a column; `nil` when the column holds something else.
  public init?(scalar: SQLScalar) {
    guard case .integer(let integer) = scalar else { return nil }
    self = integer
  }
}

extension Int: SQLValue {
  /// The number as a column holds it: as a signed 64-bit integer.
  public var scalar: SQLScalar { .integer(Int64(self)) }
  /// The integer of a column; `nil` when the column holds something else.
  public init?(scalar: SQLScalar) {
    guard case .integer(let integer) = scalar else { return nil }
    self = Int(integer)
  }
}

extension Double: SQLValue {
  /// The number as a column holds it: as a double.
  public var scalar: SQLScalar { .real(self) }
  /// Reads a double, or an integer as one.
  public init?(scalar: SQLScalar) {
    switch scalar {
    case .real(let double): self = double
    case .integer(let integer): self = Double(integer)
    default: return nil
    }
  }
}

extension Bool: SQLValue {
  /// As 0 or 1.
  public var scalar: SQLScalar { .integer(self ? 1 : 0) }
  /// Reads an integer; 0 is `false`.
  public init?(scalar: SQLScalar) {
    guard case .integer(let integer) = scalar else { return nil }
    self = integer != 0
  }
}

extension Data: SQLValue {
  /// The bytes as a column holds them: as a blob.
  public var scalar: SQLScalar { .blob(self) }
  /// The bytes of a column; `nil` when the column holds something else.
  public init?(scalar: SQLScalar) {
    guard case .blob(let data) = scalar else { return nil }
    self = data
  }
}

extension Date: SQLValue {
  /// As seconds since 1970, a double.
  public var scalar: SQLScalar { .real(timeIntervalSince1970) }
  /// Reads seconds since 1970.
  public init?(scalar: SQLScalar) {
    guard let seconds = Double(scalar: scalar) else { return nil }
    self.init(timeIntervalSince1970: seconds)
  }
}

extension UUID: SQLValue {
  /// As text in upper case.
  public var scalar: SQLScalar { .text(uuidString) }
  /// The identifier of a column; `nil` when the column holds no text that is one.
  public init?(scalar: SQLScalar) {
    guard case .text(let text) = scalar, let uuid = UUID(uuidString: text) else { return nil }
    self = uuid
  }
}

extension SQLValue where Self: RawRepresentable, RawValue: SQLValue {
  /// As the raw value.
  public var scalar: SQLScalar { rawValue.scalar }
  /// Reads the raw value.
  public init?(scalar: SQLScalar) {
    guard let raw = RawValue(scalar: scalar) else { return nil }
    self.init(rawValue: raw)
  }
}
