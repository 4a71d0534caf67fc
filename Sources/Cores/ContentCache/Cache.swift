/// The one copy of each entity of one kind. Pages hold identifiers and read it; fetchers write the server's values into it, and the
/// ``ActionController`` the changes that are on their way.
///
/// What is read is computed: the server's value, folded with the pending actions in their order. So taking one action back undoes only
/// its own change, and an answer that arrives meanwhile goes beneath.
@MainActor public final class Cache<Value: Entity>: CacheReading {
  /// An action that the server has not confirmed.
  struct Pending {
    let id: AnyHashable
    let apply: (inout Value?) -> Void
  }

  private struct Known {
    var value: Value
    /// When this value was asked for.
    var stamp: Stamp
  }

  private struct Folded {
    var actions: [Pending]
    var shown: Value?
  }

  private let merge: (_ old: Value, _ new: Value) -> Value
  private var known: [String: Known] = [:]
  private var folded: [String: Folded] = [:]
  /// When the server said that an entity is no more: an answer to an older question does not bring it back.
  private var gone: [String: Stamp] = [:]
  private var lastStamp: UInt64 = 0
  /// What was asked for before this belongs to somebody who signed out.
  private var floor = Stamp(number: 0)

  private var observers: [Int: @MainActor (Set<String>) -> Void] = [:]
  private var lastToken = 0
  private var changed: Set<String> = []
  private var isNoticeDue = false

  /// - Parameter merge: what is kept of the older value when the server gives a newer one; a list's answer without a body must not
  ///   erase the body that a single answer brought. By default the newer value as it is.
  public init(merge: @escaping (_ old: Value, _ new: Value) -> Value = { _, new in new }) { self.merge = merge }

  /// The entity as the reader shall see it.
  public subscript(id: String) -> Value? {
    if let folded = folded[id] { folded.shown } else { known[id]?.value }
  }

  /// Whether something was done to the entity that the server has not confirmed.
  public func isPending(_ id: String) -> Bool { folded[id] != nil }

  /// This moment. Take it before asking the server, and hand it to ``store(_:asOf:)`` with the answer.
  public func stamp() -> Stamp {
    lastStamp += 1
    return Stamp(number: lastStamp)
  }

  /// Stores what the server answered.
  /// - Parameter asked: the moment before the question; an answer that was asked for earlier than what is there only fills in what is
  ///   missing, and one that was asked for before ``removeAll()`` is dropped. `nil` for now.
  public func store(_ values: [Value], asOf asked: Stamp? = nil) {
    let stamp = asked ?? stamp()
    guard stamp >= floor else { return }
    for value in values { change(value.id) { put(value, stamp) } }
  }

  /// Forgets entities that the server says are gone.
  public func remove(_ ids: [String]) {
    let stamp = stamp()
    for id in ids { change(id) { drop(id, stamp) } }
  }

  /// Forgets everything, pending actions among it, and drops every answer to what was asked before: for signing out.
  public func removeAll() {
    floor = stamp()
    let ids = Set(known.keys).union(folded.keys)
    known.removeAll()
    folded.removeAll()
    gone.removeAll()
    note(ids)
  }

  /// The identifiers of all entities that fulfil a condition as they are shown, in no order.
  public func ids(where condition: (Value) -> Bool) -> [String] {
    // An action may have made one that the server has yet to hear of.
    (Array(known.keys) + folded.keys.filter { known[$0] == nil }).filter { id in self[id].map(condition) ?? false }
  }

  /// Calls back with the identifiers of what changed, at most once a turn of the main loop.
  public func observe(_ onChange: @escaping @MainActor (Set<String>) -> Void) -> Observation {
    lastToken += 1
    let token = lastToken
    observers[token] = onChange
    return Observation { [weak self] in self?.observers[token] = nil }
  }

  // MARK: For the action controller

  /// Adds an action on top of the others, or beneath them when it is older than all.
  func add(_ action: Pending, to id: String, beneath: Bool = false) {
    change(id) {
      folded[id, default: Folded(actions: [])].actions.insert(action, at: beneath ? 0 : folded[id]?.actions.count ?? 0)
    }
  }

  /// Takes an action back.
  func remove(_ action: AnyHashable, from id: String) {
    change(id) { folded[id]?.actions.removeAll { $0.id == action } }
  }

  /// Takes an action away that the server carried out, and in the same step stores what it answered: the entity as it is afterwards, or
  /// `nil` for one that is no more.
  func confirm(_ action: AnyHashable, of id: String, as value: Value?) {
    let stamp = stamp()
    change(id) {
      folded[id]?.actions.removeAll { $0.id == action }
      guard let value else { return drop(id, stamp) }
      if value.id == id { put(value, stamp) }
    }
    // An answer that is about another entity is stored as any other.
    if let value, value.id != id { store([value]) }
  }

  // MARK: Inside

  private func drop(_ id: String, _ stamp: Stamp) {
    known[id] = nil
    gone[id] = stamp
  }

  private func put(_ value: Value, _ stamp: Stamp) {
    if let end = gone[value.id] {
      guard stamp >= end else { return }
      gone[value.id] = nil
    }
    guard let old = known[value.id] else {
      known[value.id] = Known(value: value, stamp: stamp)
      return
    }
    if stamp >= old.stamp {
      known[value.id] = Known(value: merge(old.value, value), stamp: stamp)
    } else {
      known[value.id]?.value = merge(value, old.value)
    }
  }

  private func change(_ id: String, _ body: () -> Void) {
    let before = self[id]
    body()
    if let actions = folded[id]?.actions {
      if actions.isEmpty {
        folded[id] = nil
      } else {
        folded[id]?.shown = actions.reduce(into: known[id]?.value) { $1.apply(&$0) }
      }
    }
    if self[id] != before { note([id]) }
  }

  private func note(_ ids: Set<String>) {
    guard !ids.isEmpty, !observers.isEmpty else { return }
    changed.formUnion(ids)
    guard !isNoticeDue else { return }
    isNoticeDue = true
    Task { tell() }
  }

  private func tell() {
    isNoticeDue = false
    let ids = changed
    changed.removeAll()
    // Looked up one by one: an observer may cancel another.
    for token in observers.keys.sorted() { observers[token]?(ids) }
  }
}
