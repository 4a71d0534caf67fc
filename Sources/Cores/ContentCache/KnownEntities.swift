/// What is known of an entity besides its value.
@MainActor class Known {
  let id: String
  /// When this value was asked for.
  var stamp: Stamp
  /// Whether it is among those that a ``Keeper`` is going to write.
  var isUnwritten = false
  /// When the store last noted it, in its own counting; `nil` when it has not, or may not have.
  var storedAt: Int64?
  /// Whether it was forgotten since.
  var isGone = false

  init(_ id: String, _ stamp: Stamp) {
    self.id = id
    self.stamp = stamp
  }
}

/// What the server said of an entity.
@MainActor final class KnownEntity<Value: Entity>: Known {
  var held: Held<Value>

  var value: Value { held.value }

  init(_ held: Held<Value>, _ id: String, _ stamp: Stamp) {
    self.held = held
    super.init(id, stamp)
  }
}

/// Entities by their ids, in a dictionary whose type is known here: one of `KnownEntity<Value>` would be searched by code that has to find
/// out at run time what it is about, several times as slowly.
@MainActor struct KnownEntities<Value: Entity> {
  private var entities: [String: Known] = [:]

  var count: Int { entities.count }
  var ids: Dictionary<String, Known>.Keys { entities.keys }
  var all: some Sequence<KnownEntity<Value>> { entities.values.lazy.map { unsafeDowncast($0, to: KnownEntity<Value>.self) } }

  subscript(id: String) -> KnownEntity<Value>? {
    get { entities[id].map { unsafeDowncast($0, to: KnownEntity<Value>.self) } }
    set { entities[id] = newValue }
  }

  /// The entity of an id, or a new one, which is put in: with one search.
  mutating func find(_ id: String, orInsert new: () -> KnownEntity<Value>) -> (entity: KnownEntity<Value>, isNew: Bool) {
    var isNew = false
    func make() -> Known {
      isNew = true
      return new()
    }
    let read = { (entity: inout Known) in entity }
    // Read in place: otherwise the default would not be put in.
    let entity = read(&entities[id, default: make()])
    return (unsafeDowncast(entity, to: KnownEntity<Value>.self), isNew)
  }

  /// Those of some ids that an entity is known of, in their order.
  func those(of ids: [String]) -> [String] {
    let entities = entities
    return ids.filter { entities[$0] != nil }
  }

  func contains(_ id: String) -> Bool { entities[id] != nil }
  mutating func reserveCapacity(_ count: Int) { entities.reserveCapacity(count) }
  mutating func removeAll() { entities.removeAll() }
}
