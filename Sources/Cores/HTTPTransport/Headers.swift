import Runtime

/// Header fields: names compare without case, order and repetitions are kept.
public struct Headers: Equatable, Sendable, ExpressibleByDictionaryLiteral {
  /// The fields, as given.
  public private(set) var fields: [(name: String, value: String)]

  /// Headers without fields.
  public init() { fields = [] }
  /// The fields of a literal, in order.
  public init(dictionaryLiteral elements: (String, String)...) { fields = elements.map { ($0.0.streamSafe, $0.1.streamSafe) } }

  /// The first value of a field; setting replaces all of that name, `nil` removes them.
  public subscript(name: String) -> String? {
    get { fields.first { Self.same($0.name, name) }?.value }
    set {
      fields.removeAll { Self.same($0.name, name) }
      if let newValue { add(name, newValue) }
    }
  }

  /// All values of a field, in order.
  public func values(of name: String) -> [String] { fields.filter { Self.same($0.name, name) }.map(\.value) }

  /// Adds a field beside those of the same name. Both may be a stranger's: see `StreamSafeText`.
  public mutating func add(_ name: String, _ value: String) { fields.append((name.streamSafe, value.streamSafe)) }

  /// Whether both hold the same fields in the same order.
  public static func == (a: Headers, b: Headers) -> Bool {
    a.fields.elementsEqual(b.fields) { same($0.name, $1.name) && $0.value == $1.value }
  }

  // Names are ASCII, so that those of another length are others.
  private static func same(_ a: String, _ b: String) -> Bool { a.utf8.count == b.utf8.count && a.lowercased() == b.lowercased() }
}
