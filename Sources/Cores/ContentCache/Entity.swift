import Runtime

/// What a cache holds: one copy of each, found by its identifier.
public protocol Entity: Identifiable, Codable, Equatable, Sendable where ID == String {
  /// The name it is stored under, by default the type's. After a change of the name, stored entities are fetched again.
  static var kind: String { get }
  /// An entity before its fields are read. A field that is missing in the file keeps its value from here.
  static var blank: Self { get }
  /// Passes each field with its name to `coder`, for writing and for reading: all but ``detail``, which is stored beside them.
  mutating func fields(_ form: inout FieldCoder)
  /// A long text that only a single answer brings, such as a body; `nil` in lists, which are read without it. An answer without one does
  /// not remove it, ``Cache/removeDetails(where:)`` does. By default there is none.
  var detail: String? { get set }
  /// Whether it stays in the entity store however full that is, such as a bookmarked post. By default not.
  var isPinned: Bool { get }
}

extension Entity {
  /// The name of the type, as the source has it.
  public static var kind: String { "\(Self.self)" }
  /// `nil`: most entities have no long text. Setting it does nothing.
  public var detail: String? {
    get { nil }
    set {}
  }
  /// `false`: most entities may leave the entity store when it is full.
  public var isPinned: Bool { false }
}

extension CacheReading {
  /// Calls back when one entity changed: as ``observe(_:)``.
  public func observe(_ id: String, _ onChange: @escaping @MainActor () -> Void) -> Observation {
    observe { ids in if ids.contains(id) { onChange() } }
  }
}
