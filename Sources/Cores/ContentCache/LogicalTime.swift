/// A moment of a cache, by a counter and not by a clock: before a request. An answer to an older request never covers a newer one.
public struct LogicalTime: Comparable, Sendable {
  let number: UInt64

  /// Before any that is taken.
  static let beforeAll = LogicalTime(number: 0)

  /// Whether `a` was taken before `b`.
  public static func < (a: LogicalTime, b: LogicalTime) -> Bool { a.number < b.number }
}
