/// The server's answer about an entity, by reference: values are large, and would be copied on their way to the entity store. Each new
/// value is a new entry.
///
/// Not generic, since the metadata of a generic type would be looked up at run time for each: long lists hold these.
// @unchecked: the mutable part belongs to the main actor.
class AnyCacheEntry: @unchecked Sendable {
  /// The value's: of a type that is not known here, the whole value is copied to look at a part.
  let id: String
  /// See ``Entity/isPinned``.
  let isPinned: Bool
  /// The moment of the last request for it; a stored value is older than every request.
  @MainActor var time: LogicalTime
  /// When the entity store last recorded it, by its own counter; `nil` when it has not, or may not have.
  @MainActor var storedAt: Int64?
  /// Whether it is among those that a ``StoreWriter`` is going to write.
  @MainActor var isUnwritten = false
  /// Whether it was forgotten since, or another is in its place.
  @MainActor var isGone = false

  fileprivate init(_ id: String, isPinned: Bool, _ time: LogicalTime, storedAt: Int64?) {
    self.id = id
    self.isPinned = isPinned
    self.time = time
    self.storedAt = storedAt
  }

  /// The value, which is of this type: all that a ``Cache`` has are of its own.
  func value<Value: Entity>(of type: Value.Type) -> Value { unsafeDowncast(self, to: CacheEntry<Value>.self).value }
}

/// The server's answer about an entity, with its value.
final class CacheEntry<Value: Entity>: AnyCacheEntry, @unchecked Sendable {
  let value: Value

  init(_ value: consuming Value, _ time: LogicalTime) {
    let (id, isPinned) = (value.id, value.isPinned)
    self.value = value
    super.init(id, isPinned: isPinned, time, storedAt: nil)
  }

  /// Reads one out of the entity store; `nil` when the bytes are no such value.
  /// - Parameter detail: what is stored beside the bytes, if it is wanted.
  init?(_ bytes: UnsafeRawBufferPointer, detail: String? = nil) {
    var value = Value.blank
    guard FieldCoder.read(&value, from: bytes) else { return nil }
    if let detail { value.detail = detail }
    let (id, isPinned) = (value.id, value.isPinned)
    self.value = consume value
    super.init(id, isPinned: isPinned, .beforeAll, storedAt: 0)
  }
}

extension [String: AnyCacheEntry] {
  /// Inserts an entry under its id where there is none, with one search.
  /// - Returns: the present one, which may be the same; `nil` when this was inserted.
  mutating func find(orInsert new: AnyCacheEntry) -> AnyCacheEntry? {
    var isNew = false
    func inserted() -> AnyCacheEntry {
      isNew = true
      return new
    }
    let read = { (entry: inout AnyCacheEntry) in entry }
    // Read in place: otherwise the default would not be put in.
    let entry = read(&self[new.id, default: inserted()])
    return isNew ? nil : entry
  }
}
