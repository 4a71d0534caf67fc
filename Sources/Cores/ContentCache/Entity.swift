/// What a cache holds: one copy of each, found by its identifier.
public protocol Entity: Identifiable, Codable, Equatable, Sendable where ID == String {}

/// A cache, as a page sees it: nothing to write with.
@MainActor public protocol CacheReading<Value>: AnyObject {
  /// What the cache holds.
  associatedtype Value: Entity

  /// The entity as the reader shall see it: the server's value folded with its pending actions, in order; `nil` when the server's value
  /// is not known.
  subscript(id: String) -> Value? { get }

  /// Calls back with the identifiers of what changed, at most once a turn of the main loop, until the observation is cancelled or
  /// released.
  ///
  /// A page that is not on screen cancels its observation, and so costs nothing; when it reappears it re-reads the cache.
  func observe(_ onChange: @escaping @MainActor (Set<String>) -> Void) -> Observation
}

/// Somebody who is told of changes, until it is cancelled or released.
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

  /// Whether `a` was taken before `b`.
  public static func < (a: Stamp, b: Stamp) -> Bool { a.number < b.number }
}
