/// A cache, as a page sees it: nothing to write with.
@MainActor public protocol CacheReading<Value>: AnyObject {
  /// What the cache holds.
  associatedtype Value: Entity

  /// The entity as the reader sees it: the server's value folded with its pending actions, in order; `nil` when the server's value is not
  /// known.
  subscript(id: String) -> Value? { get }

  /// Whether an action on it is pending.
  func isPending(_ id: String) -> Bool

  /// The identifiers of all entities in memory whose shown value meets a condition, in no order.
  func ids(where condition: (Value) -> Bool) -> [String]

  /// Calls back with the identifiers of what changed, at most once a turn of the main loop, until the observation is cancelled or
  /// released.
  ///
  /// A page that is not on screen cancels its observation, and so costs nothing; when it reappears it re-reads the cache.
  func observe(_ onChange: @escaping @MainActor (Set<String>) -> Void) -> Observation
}

/// A cache that can be written. Code that asks the server about single entities takes this; ``PageFetcher`` takes a ``Cache``, and no page
/// is ever handed either.
@MainActor public protocol CacheWriting<Value>: CacheReading {
  /// This moment. Take it before the request, and hand it to ``store(_:asOf:)`` with the answer.
  func stamp() -> Stamp

  /// Stores what the server answered.
  /// - Parameters:
  ///   - values: the entities.
  ///   - requestedAt: the moment before the request; an answer to an older request than that of the present value only fills in what is
  ///       missing, and one from before everything was forgotten is dropped. `nil` for now.
  func store(_ values: [Value], asOf requestedAt: Stamp?)

  /// Forgets entities that the server says are gone.
  func remove(_ ids: [String])
}

/// A moment in a cache's life, before a request. An answer to an older request never covers a newer one.
public struct Stamp: Comparable, Sendable {
  let number: UInt64

  /// Before any that is taken.
  static let beforeAll = Stamp(number: 0)

  /// Whether `a` was taken before `b`.
  public static func < (a: Stamp, b: Stamp) -> Bool { a.number < b.number }
}
