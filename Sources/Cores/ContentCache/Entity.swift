/// What a cache holds: one copy of each, found by its identifier.
public protocol Entity: Identifiable, Codable, Equatable, Sendable where ID == String {
  /// The name it is stored under. By default the type's; another only means that what was stored under the old one is fetched again.
  static var kind: String { get }
  /// One whose fields are yet to be read. What a field may miss has its value from here.
  static var blank: Self { get }
  /// Hands over each of its fields with its name, for writing and for reading: all but ``detail``, which is stored beside them.
  mutating func fields(_ form: inout FieldCoder)
  /// A long text that only a single answer brings, such as a body; `nil` in lists, which are read without it. An answer that has none takes
  /// none away. By default there is no such thing.
  var detail: String? { get set }
  /// Whether it stays in the store however much else is read, such as what a reader bookmarked. By default not.
  var isPinned: Bool { get }
}

extension Entity {
  /// The type's name.
  public static var kind: String { "\(Self.self)" }
  /// Nothing.
  public var detail: String? {
    get { nil }
    set {}
  }
  /// It is not.
  public var isPinned: Bool { false }
}

extension CacheReading {
  /// Calls back when one entity changed: as ``observe(_:)``.
  public func observe(_ id: String, _ onChange: @escaping @MainActor () -> Void) -> Observation {
    observe { ids in if ids.contains(id) { onChange() } }
  }
}

extension CacheWriting {
  /// Stores what the server says now.
  public func store(_ values: [Value]) { store(values, asOf: nil) }
}
