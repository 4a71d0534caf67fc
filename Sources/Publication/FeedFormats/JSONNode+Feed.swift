import Runtime

/// What publishers of feeds in JSON mean by a value.
extension JSONNode {
  /// A member of an object; of several with one name the last, as most readers of JSON have it.
  subscript(name: String) -> JSONNode? { members.last { $0.name == name }?.node }

  /// The members of an object; none for any other value.
  var members: [Member] {
    if case .object(let members) = value { members } else { [] }
  }

  /// The elements of an array, or this value itself where a publisher left out the brackets around a single one; none for `null`.
  var elements: [JSONNode] {
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
