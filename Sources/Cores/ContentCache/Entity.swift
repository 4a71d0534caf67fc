/// What a cache holds: one copy of each, found by its identifier.
public protocol Entity: Identifiable, Codable, Equatable, Sendable where ID == String {
  /// The name it is stored under. By default the type's; another only means that what was stored under the old one is fetched again.
  static var kind: String { get }
  /// One whose fields are yet to be read. What a field may miss has its value from here.
  static var blank: Self { get }
  /// Hands over each of its fields with its name, for writing and for reading: all but ``detail``, which is stored beside them.
  mutating func fields(_ form: inout StoredForm)
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

/// A cache, as a page sees it: nothing to write with.
@MainActor public protocol CacheReading<Value>: AnyObject {
  /// What the cache holds.
  associatedtype Value: Entity

  /// The entity as the reader shall see it: the server's value folded with its pending actions, in order; `nil` when the server's value
  /// is not known.
  subscript(id: String) -> Value? { get }

  /// Whether the server has yet to hear of something that the reader did to it.
  func isPending(_ id: String) -> Bool

  /// The identifiers of all entities in memory that fulfil a condition as they are shown, in no order.
  func ids(where condition: (Value) -> Bool) -> [String]

  /// Calls back with the identifiers of what changed, at most once a turn of the main loop, until the observation is cancelled or
  /// released.
  ///
  /// A page that is not on screen cancels its observation, and so costs nothing; when it reappears it re-reads the cache.
  func observe(_ onChange: @escaping @MainActor (Set<String>) -> Void) -> Observation
}

extension CacheReading {
  /// Calls back when one entity changed: as ``observe(_:)``.
  public func observe(_ id: String, _ onChange: @escaping @MainActor () -> Void) -> Observation {
    observe { ids in if ids.contains(id) { onChange() } }
  }
}

/// A cache, as fetchers see it. No page is ever handed one.
@MainActor public protocol CacheWriting<Value>: CacheReading {
  /// This moment. Take it before asking the server, and hand it to ``store(_:asOf:)`` with the answer.
  func stamp() -> Stamp

  /// Stores what the server answered.
  /// - Parameters:
  ///   - values: the entities.
  ///   - requestedAt: the moment before the question; an answer that was asked for earlier than what is there only fills in what is
  ///     missing, and one from before everything was forgotten is dropped. `nil` for now.
  func store(_ values: [Value], asOf requestedAt: Stamp?)

  /// Forgets entities that the server says are gone.
  func remove(_ ids: [String])
}

extension CacheWriting {
  /// Stores what the server says now.
  public func store(_ values: [Value]) { store(values, asOf: nil) }
}

/// Somebody who is told of something, until it is cancelled or released.
@MainActor public final class Observation {
  private var onCancel: (@MainActor () -> Void)?

  init(onCancel: @escaping @MainActor () -> Void) { self.onCancel = onCancel }

  /// Ends it; nothing is told any more, not even what changed before.
  public func cancel() {
    onCancel?()
    onCancel = nil
  }

  isolated deinit { onCancel?() }
}

/// A moment in a cache's life: takes the place of "when was this asked?", so that an older answer never covers a newer one.
public struct Stamp: Comparable, Sendable {
  let number: UInt64

  /// Before any that is taken.
  static let beforeAll = Stamp(number: 0)

  /// Whether `a` was taken before `b`.
  public static func < (a: Stamp, b: Stamp) -> Bool { a.number < b.number }
}
