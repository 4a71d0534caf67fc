/// Values up to a total cost; when it is exceeded, those that were used longest ago go first.
///
/// A value type: its owner decides on which thread.
public struct LeastRecentlyUsed<Key: Hashable, Value> {
  fileprivate struct Entry {
    let value: Value
    let cost: Int
    var lastUse: UInt64
  }

  /// The most that all values may cost together, in the owner's unit.
  public private(set) var limit: Int
  /// What all values cost together, in the unit of ``limit``.
  public private(set) var cost = 0
  private var entries: [Key: Entry] = [:]
  private var uses: UInt64 = 0

  /// A cache without values, up to a total cost in the owner's unit.
  public init(limit: Int) { self.limit = limit }

  /// How many values there are.
  public var count: Int { entries.count }

  /// A value; asking for it is using it.
  public mutating func value(for key: Key) -> Value? {
    guard let index = entries.index(forKey: key) else { return nil }
    uses += 1
    entries.values[index].lastUse = uses
    return entries.values[index].value
  }

  /// Adds a value, or puts it in the place of another.
  /// - Returns: the keys of the removed values; `key` itself when it alone costs more than the limit.
  @discardableResult public mutating func insert(_ value: Value, for key: Key, cost: Int) -> [Key] {
    remove(key)
    guard cost <= limit else { return [key] }
    uses += 1
    entries[key] = Entry(value: value, cost: cost, lastUse: uses)
    self.cost += cost
    return self.cost > limit ? makeRoom() : []
  }

  /// Changes ``limit``.
  /// - Returns: the keys of those that had to go.
  @discardableResult public mutating func setLimit(_ limit: Int) -> [Key] {
    self.limit = limit
    return cost > limit ? makeRoom(retainingLast: false) : []
  }

  /// Takes a value out.
  @discardableResult public mutating func remove(_ key: Key) -> Value? {
    guard let entry = entries.removeValue(forKey: key) else { return nil }
    cost -= entry.cost
    return entry.value
  }

  /// An eighth more than needed, so that not every insertion sorts them again.
  private mutating func makeRoom(retainingLast retainsLast: Bool = true) -> [Key] {
    var dropped: [Key] = []
    for (key, _) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }).dropLast(retainsLast ? 1 : 0) {
      if cost <= limit - limit / 8 { break }
      remove(key)
      dropped.append(key)
    }
    return dropped
  }
}

extension LeastRecentlyUsed: Sendable where Key: Sendable, Value: Sendable {}
extension LeastRecentlyUsed.Entry: Sendable where Key: Sendable, Value: Sendable {}
