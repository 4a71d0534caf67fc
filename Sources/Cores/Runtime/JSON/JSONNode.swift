/// A value of a JSON text (RFC 8259), and its place.
package struct JSONNode: Sendable {
  package enum Value: Sendable {
    /// In the order of the text.
    case object([Member])
    case array([JSONNode])
    case string(String)
    /// A number, as the text writes it.
    case number(String)
    case bool(Bool)
    case null
  }

  package struct Member: Sendable {
    package let name: String
    /// Where the name's quotation mark stands.
    let place: Int
    package let node: JSONNode
  }

  package let value: Value
  /// Where the value stands in the text, in bytes.
  package let range: Range<Int>

  /// How an error names it.
  var found: String {
    switch value {
    case .object: "an object"
    case .array: "a list"
    case .string(let text): Self.quoted(text)
    case .number(let text): String(text.prefix(40))
    case .bool(let value): "\(value)"
    case .null: "null"
    }
  }

  /// How an error quotes a text, which may be long.
  static func quoted(_ text: String) -> String { "“\(text.count > 40 ? text.prefix(40) + "…" : text[...])”" }
}
