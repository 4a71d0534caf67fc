import CGtk
import CGtkShims

/// Where the C list model asks. The closures behind it know nothing of `ID`, so this class does not either.
class ListSource {
  func count() -> Int { 0 }
  func key(at position: Int) -> UInt64 { 0 }
  func released(_ key: UInt64) {}

  /// A model that asks this source, and keeps it for as long as it lives.
  final func makeModel() -> OpaquePointer {
    let source = MatineeListSource(
      count: { UInt32(clamping: ListSource.behind($0).count()) },
      key_at: { ListSource.behind($0).key(at: Int($1)) },
      key_released: { ListSource.behind($0).released($1) },
      released: { Unmanaged<ListSource>.fromOpaque($0).release() })
    return matinee_list_model_new(source, Unmanaged.passRetained(self).toOpaque())
  }

  private static func behind(_ data: UnsafeMutableRawPointer) -> ListSource {
    Unmanaged<ListSource>.fromOpaque(data).takeUnretainedValue()
  }
}

/// Ids in order, and a key for each that a row has asked for.
final class Identifiers<ID: Hashable>: ListSource {
  private(set) var ids: [ID] = []
  private var keys: [ID: UInt64] = [:]
  private var owners: [UInt64: ID] = [:]
  private var lastKey: UInt64 = 0

  override func count() -> Int { ids.count }

  override func key(at position: Int) -> UInt64 {
    let id = ids[position]
    if let key = keys[id] { return key }
    lastKey += 1
    keys[id] = lastKey
    owners[lastKey] = id
    return lastKey
  }

  override func released(_ key: UInt64) {
    if let id = owners.removeValue(forKey: key) { keys[id] = nil }
  }

  /// What differs between the present ids and the next ones: one run of places, as a list model tells it.
  struct Change: Equatable {
    var position: Int
    var removed: Int
    var added: Int
  }

  /// - Returns: nil when nothing differs.
  func replace(with next: [ID]) -> Change? {
    let shorter = min(ids.count, next.count)
    var start = 0
    while start < shorter, ids[start] == next[start] { start += 1 }
    if start == ids.count, start == next.count { return nil }
    var end = 0
    while end < shorter - start, ids[ids.count - 1 - end] == next[next.count - 1 - end] { end += 1 }
    let change = Change(position: start, removed: ids.count - start - end, added: next.count - start - end)
    ids = next
    return change
  }
}
