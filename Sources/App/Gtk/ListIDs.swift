import CGtk
import CGtkShims

/// The source of the C list model. Its C callbacks cannot be generic over `ID`, so this class is not either.
package class ListSource {
  func count() -> Int { 0 }
  /// What stands at a position, with a reference for the caller.
  func item(at position: Int) -> UnsafeMutableRawPointer? { nil }
  func forget(_ entry: ListEntry) {}

  /// A model that asks this source, and keeps it for as long as it lives.
  final func makeModel() -> UnsafeMutableRawPointer {
    let source = MatineeListSource(
      count: { UInt32(clamping: ListSource.behind($0).count()) },
      item_at: { ListSource.behind($0).item(at: Int($1)) },
      item_gone: { ListSource.behind($0).forget(Unmanaged<ListEntry>.fromOpaque($1).takeRetainedValue()) },
      released: { Unmanaged<ListSource>.fromOpaque($0).release() })
    return UnsafeMutableRawPointer(matinee_list_model_new(source, Unmanaged.passRetained(self).toOpaque()))
  }

  private static func behind(_ data: UnsafeMutableRawPointer) -> ListSource {
    Unmanaged<ListSource>.fromOpaque(data).takeUnretainedValue()
  }
}

/// The entry behind an item of the toolkit. The item retains it, and it refers to the item, which lives as long.
class ListEntry {
  fileprivate var item: UnsafeMutableRawPointer?

  /// The entry behind an item that ``ListSource/item(at:)`` gave.
  static func behind(_ item: UnsafeMutableRawPointer) -> ListEntry {
    Unmanaged<ListEntry>.fromOpaque(matinee_list_item_entry(item)).takeUnretainedValue()
  }
}

/// Ids in order, with an entry for each that a row has requested: the toolkit recycles rows by the identity of items.
package final class ListIDs<ID: Hashable>: ListSource {
  final class Entry: ListEntry {
    let id: ID
    /// The row that shows it.
    var row: AnyObject?
    init(_ id: ID) { self.id = id }
  }

  private(set) var ids: [ID] = []
  private(set) var entries: [ID: Entry] = [:]
  /// Borrowed: it keeps this object and not the other way round.
  private var model: UnsafeMutableRawPointer?

  package override init() {
    // What a list keeps, so that it does not grow there step by step.
    entries.reserveCapacity(256)
  }

  /// The toolkit's model of these ids, with a reference for the caller; to be made once.
  package func makeListModel() -> UnsafeMutableRawPointer {
    let made = makeModel()
    model = made
    return made
  }

  override func count() -> Int { ids.count }

  // Specialized for texts, since ids are texts: unspecialized code would look each step up in the type's metadata.
  @specialized(where ID == String)
  override func item(at position: Int) -> UnsafeMutableRawPointer? {
    guard position < ids.count else { return nil }
    guard let model else { return nil }
    let entry = Self.found(&entries[ids[position], default: Entry(ids[position])])
    if let item = entry.item { return g_object_ref(item) }
    let item = UnsafeMutableRawPointer(matinee_list_item_new(OpaquePointer(model), Unmanaged<ListEntry>.passRetained(entry).toOpaque()))
    entry.item = item
    return item
  }

  /// Looked up once, there or not.
  private static func found(_ entry: inout Entry) -> Entry { entry }

  @specialized(where ID == String)
  override func forget(_ entry: ListEntry) { entries[unsafeDowncast(entry, to: Entry.self).id] = nil }

  /// A run of places that differ, as a list model reports it.
  struct Change: Equatable {
    var position: Int
    var removed: Int
    var added: Int
  }

  /// More runs than this are reported as one.
  private static var mostRuns: Int { 32 }

  /// Whether these are the very same ids, at the cost of no comparison; equal ones elsewhere are not.
  func isSame(_ next: [ID]) -> Bool { Self.isSame(ids, next) }

  /// Replaces the ids, and notifies the list views.
  /// - Returns: whether anything differs.
  @discardableResult package func show(_ next: [ID]) -> Bool {
    show(next) { change in
      if let model { g_list_model_items_changed(OpaquePointer(model), guint(change.position), guint(change.removed), guint(change.added)) }
    }
  }

  /// - Parameter changed: called with each run, the last first. Meanwhile ``ids`` has the changes that were reported so far.
  @specialized(where ID == String)
  func show(_ next: [ID], changed: (Change) -> Void) -> Bool {
    // Most often it is the very same array.
    if Self.isSame(ids, next) { return false }
    let shorter = min(ids.count, next.count)
    var start = 0
    while start < shorter, ids[start] == next[start] { start += 1 }
    guard start < ids.count || start < next.count else { return false }
    var end = 0
    while end < shorter - start, ids[ids.count - 1 - end] == next[next.count - 1 - end] { end += 1 }
    let (old, new) = (start..<ids.count - end, start..<next.count - end)
    let runs = old.isEmpty || new.isEmpty ? [(old, new)] : Self.runs(ids[old], next[new])
    for place in runs.indices.reversed() {
      let run = runs[place]
      if place == 0 {
        ids = next
      } else {
        ids.replaceSubrange(run.old, with: next[run.new])
      }
      changed(Change(position: run.old.lowerBound, removed: run.old.count, added: run.new.count))
    }
    return true
  }

  /// Whether two arrays are in the same place; equal ones elsewhere are not.
  private static func isSame(_ old: [ID], _ next: [ID]) -> Bool {
    old.withUnsafeBufferPointer { old in next.withUnsafeBufferPointer { old.baseAddress == $0.baseAddress && old.count == $0.count } }
  }

  /// Where two lists differ that begin and end with different ones: ids that both have in the same order stay.
  @specialized(where ID == String)
  private static func runs(_ old: ArraySlice<ID>, _ next: ArraySlice<ID>) -> [(old: Range<Int>, new: Range<Int>)] {
    var places: (old: [ID: Int], new: [ID: Int]) = ([:], [:])
    for (place, id) in zip(old.indices, old) { places.old[id] = place }
    for (place, id) in zip(next.indices, next) { places.new[id] = place }
    var runs: [(old: Range<Int>, new: Range<Int>)] = []
    var (i, j) = (old.startIndex, next.startIndex)
    while i < old.endIndex || j < next.endIndex {
      let (first, second) = (i, j)
      while i < old.endIndex || j < next.endIndex, !(i < old.endIndex && j < next.endIndex && old[i] == next[j]) {
        // How far away each one's partner is; one that lies behind is matched already, or was moved.
        let ahead = i < old.endIndex ? places.new[old[i]].flatMap { $0 >= j ? $0 - j : nil } : nil
        let behind = j < next.endIndex ? places.old[next[j]].flatMap { $0 >= i ? $0 - i : nil } : nil
        if i < old.endIndex, ahead == nil || j == next.endIndex {
          i += 1
        } else if j < next.endIndex, behind == nil || i == old.endIndex {
          j += 1
        } else if let ahead, let behind, ahead <= behind {
          j += 1
        } else {
          i += 1
        }
      }
      if i > first || j > second { runs.append((first..<i, second..<j)) }
      while i < old.endIndex, j < next.endIndex, old[i] == next[j] {
        i += 1
        j += 1
      }
    }
    return runs.count > mostRuns ? [(old.indices, next.indices)] : runs
  }
}
