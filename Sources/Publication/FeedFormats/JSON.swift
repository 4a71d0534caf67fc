/// A value of a JSON document, and where it starts.
struct JSON {
  enum Value {
    /// In the order of the document.
    case object([(key: String, value: JSON)])
    case array([JSON])
    case string(String)
    /// As written.
    case number(String)
    case bool(Bool)
    case null
  }

  let value: Value
  /// Bytes from the document's beginning.
  let offset: Int

  /// A member of an object; of several with one name the last, as most readers of JSON have it.
  subscript(key: String) -> JSON? { members.last { $0.key == key }?.value }

  /// The members of an object; none for any other value.
  var members: [(key: String, value: JSON)] {
    if case .object(let members) = value { members } else { [] }
  }

  /// The elements of an array, or this value itself where a publisher left out the brackets around a single one; none for `null`.
  var elements: [JSON] {
    switch value {
    case .array(let elements): elements
    case .null: []
    default: [self]
    }
  }

  /// The text of a string; numbers and truth values as they are written, since publishers mix them up.
  var text: String? {
    switch value {
    case .string(let text), .number(let text): text
    case .bool(let value): value ? "true" : "false"
    case .object, .array, .null: nil
    }
  }

  var isObject: Bool { if case .object = value { true } else { false } }
}
