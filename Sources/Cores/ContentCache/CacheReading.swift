import Runtime

/// A cache, as a screen sees it: nothing to write with. Code that asks the server takes a ``Cache``, which no screen is ever handed.
@MainActor public protocol CacheReading<Value>: AnyObject {
  /// What the cache holds.
  associatedtype Value: Entity

  /// The entity as the user sees it: the server's value folded with its pending actions, in order; `nil` when the server's value is not
  /// known.
  subscript(id: String) -> Value? { get }

  /// Whether an action on it is pending.
  func isPending(_ id: String) -> Bool

  /// The identifiers of all entities in memory whose shown value meets a condition, in no order.
  func ids(where condition: (Value) -> Bool) -> [String]

  /// Calls back with the identifiers of what changed, at most once a turn of the main loop, until the observation is cancelled or
  /// released.
  ///
  /// A screen that is not shown cancels its observation, and so costs nothing; when it reappears it re-reads the cache.
  func observe(_ onChange: @escaping @MainActor (Set<String>) -> Void) -> Observation
}
