import Foundation
import Runtime

/// The one copy of each entity of one kind. Pages hold identifiers and read it; fetchers write the server's values into it, and the
/// ``ActionController`` the changes that are on their way.
///
/// What is read is computed: the server's value, folded with the pending actions in their order. So taking one action back undoes only
/// its own change, and an answer that arrives meanwhile goes beneath. With an ``EntityStore``, the server's values are kept there too.
@MainActor public final class Cache<Value: Entity>: CacheWriting {
  /// An action that the server has not confirmed.
  struct Pending {
    let id: AnyHashable
    /// Changes the value, makes one where the server knows none yet, or takes it away.
    let apply: @Sendable (inout Value?) -> Void
  }

  private struct Folded {
    var actions: [Pending]
    var shown: Value?
  }

  private var known: [String: AnyHeld] = [:]
  /// Entities with pending actions of their own; those about all are among them, each in its place.
  private var folded: [String: Folded] = [:] {
    didSet {
      isFolding = !folded.isEmpty
      isPlain = folded.isEmpty && aboutAll.isEmpty
    }
  }
  /// Asked for with each entity: cheaper than asking the dictionary, whose type has to be found out.
  private var isFolding = false
  /// The pending actions about all, in their order.
  private var aboutAll: [Pending] = [] { didSet { isPlain = folded.isEmpty && aboutAll.isEmpty } }
  /// Whether each entity is shown as the server has it.
  private var isPlain = true
  /// What the server did to all, and when that was known: an answer to an older question, or what the store has, is from before.
  private var done: [(at: Stamp, apply: (inout Value?) -> Void)] = [] { didSet { lastDone = done.last?.at ?? .beforeAll } }
  private var lastDone = Stamp.beforeAll
  /// When the server said that an entity is no more: an answer to an older question does not bring it back.
  private var gone: [String: Stamp] = [:]
  private var lastStamp: UInt64 = 0
  /// Whether something on a page was not stored any more, or was forgotten with everything.
  private var hasMissed = false
  /// Whether something on a page may not be here: otherwise nothing has to be looked for to list what is there.
  private var hasGaps: Bool { hasMissed || mayBeOutdated }
  /// Whether the server has done anything that what it said before does not show.
  private var mayBeOutdated: Bool { !gone.isEmpty || lastDone > .beforeAll }
  /// What was asked for before this belongs to somebody who signed out.
  private var floor = Stamp.beforeAll

  private var observers: [Int: @MainActor (Set<String>) -> Void] = [:]
  private var lastToken = 0
  private var changed: Set<String> = []
  private var isNoticeDue = false

  /// The pages that were fetched or brought in from the store; their entities are here.
  var pages: [PageKey: PageRow] = [:]
  /// What is being asked, for all who want to know.
  var requests: [PageKey: PageRequest] = [:]

  private let keeper: Keeper<Value>?

  /// Told after each question that was put to the server: what went wrong with it, or `nil`.
  public var onAnswer: (((any Error)?) -> Void)?

  /// In memory only.
  public init() { keeper = nil }

  /// - Parameters:
  ///   - store: keeps what the server says; `nil` for memory only.
  ///   - effects: the door to it.
  public init(store: EntityStore?, effects: Effects) {
    keeper = store.map { Keeper(store: $0, effects: effects) }
    keeper?.isPending = { [weak self] in self?.isPending($0) ?? false }
  }

  /// Told what went wrong with the store, in a sentence for the reader.
  public var onNotice: ((String) -> Void)? {
    get { keeper?.onNotice }
    set { keeper?.onNotice = newValue }
  }

  /// The entity as the reader shall see it.
  public subscript(id: String) -> Value? {
    if isFolding, let folded = folded[id] { return folded.shown }
    guard !aboutAll.isEmpty else { return value(id) }
    return fold(aboutAll, id)
  }

  /// Whether something was done to the entity that the server has not confirmed.
  public func isPending(_ id: String) -> Bool { isFolding && folded[id] != nil }

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
    learn(values.map { Held($0, stamp) })
  }

  /// Forgets entities that the server says are gone.
  public func remove(_ ids: [String]) {
    let stamp = stamp()
    for id in ids { change(id) { drop(id, stamp) } }
  }

  /// Forgets all entities that the server says are gone, by what they have in common: those that are known, those that answers to older
  /// questions bring, and those that are nowhere but in the store, which is done when ``written()`` returns.
  public func remove(where isGone: @escaping @Sendable (Value) -> Bool) {
    changeAll { doToAll { if $0.map(isGone) == true { $0 = nil } } }
  }

  /// Forgets everything, pending actions among it, and drops every answer to what was asked before: for signing out. The store is
  /// erased by whoever opened it.
  public func removeAll() {
    floor = stamp()
    hasMissed = true
    let ids = Set(known.keys).union(folded.keys)
    known.removeAll()
    folded.removeAll()
    aboutAll.removeAll()
    done.removeAll()
    gone.removeAll()
    pages.removeAll()
    keeper?.drop()
    for id in ids { note(id) }
    let asked = requests
    requests.removeAll()
    for request in asked.values {
      request.task?.cancel()
      request.finish(.failure(CancellationError()))
    }
  }

  /// Returns when everything stored so far is written: before the process ends.
  public func written() async { await keeper?.written() }

  /// The identifiers of all entities that fulfil a condition as they are shown, in no order.
  public func ids(where condition: (Value) -> Bool) -> [String] {
    var ids = !isFolding ? [] : folded.compactMap { $1.shown.map(condition) == true ? $0 : nil }
    for held in known.values where !isFolding || folded[held.id] == nil {
      if aboutAll.isEmpty ? condition(held.value(of: Value.self)) : self[held.id].map(condition) ?? false { ids.append(held.id) }
    }
    return ids
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
  /// - Parameter id: `nil` for one about all.
  func add(_ action: Pending, to id: String?, beneath: Bool = false) {
    let insert = { (actions: inout [Pending]) in actions.insert(action, at: beneath ? 0 : actions.count) }
    guard let id else {
      return changeAll {
        insert(&aboutAll)
        for id in folded.keys { insert(&folded[id, default: Folded(actions: [])].actions) }
      }
    }
    change(id) { insert(&folded[id, default: Folded(actions: aboutAll)].actions) }
    keep(id)
  }

  /// Takes an action back.
  func remove(_ action: Pending, from id: String?) {
    guard let id else { return changeAll { removeFromAll(action) } }
    change(id) { folded[id]?.actions.removeAll { $0.id == action.id } }
    keep(id)
  }

  /// Takes an action about all away that the server carried out, and does the same to what is known of each, and to what is stored: that is
  /// done when ``written()`` returns.
  func confirm(_ action: Pending) {
    changeAll {
      removeFromAll(action)
      doToAll(action.apply)
    }
  }

  private func doToAll(_ apply: @escaping @Sendable (inout Value?) -> Void) {
    done.append((stamp(), apply))
    for entity in Array(known.values) { put(entity) }
    keeper?.keep(done: apply)
  }

  private func removeFromAll(_ action: Pending) {
    aboutAll.removeAll { $0.id == action.id }
    for id in folded.keys { folded[id]?.actions.removeAll { $0.id == action.id } }
  }

  /// Takes an action away that the server carried out, and in the same step stores what it answered: the entity as it is afterwards, or
  /// `nil` for one that is no more.
  func confirm(_ action: Pending, of id: String, as value: Value?) {
    let stamp = stamp()
    change(id) {
      folded[id]?.actions.removeAll { $0.id == action.id }
      guard let value else { return drop(id, stamp) }
      if value.id == id { put(Held(value, stamp)) }
    }
    keep(id)
    // An answer that is about another entity is stored as any other.
    if let value, value.id != id { store([value]) }
  }

  // MARK: For fetchers

  /// The store, where there is one.
  var entityStore: EntityStore? { keeper?.store }

  /// The server's value.
  func value(_ id: String) -> Value? {
    guard let held = known[id] else { return nil }
    return held.value(of: Value.self)
  }

  /// Whether there is something to show.
  func shows(_ id: String) -> Bool {
    if isFolding, let index = folded.index(forKey: id) { return folded.values[index].shown != nil }
    return known[id] != nil
  }

  /// Those of the entities of this cache's pages that there is something to show of, in their order.
  func shown(of ids: [String]) -> [String] {
    guard hasGaps || isFolding else {
      assert(ids.allSatisfy { self.known[$0] != nil })
      return ids
    }
    let (known, isFolding) = (known, isFolding)
    var shown: [String] = []
    shown.reserveCapacity(ids.count)
    // No filter: that finds out each time that this is the main thread.
    for id in ids where isFolding ? shows(id) : known[id] != nil { shown.append(id) }
    return shown
  }

  /// Whether what is here of an entity was asked for at that moment or later.
  func isKnown(_ id: String, since stamp: Stamp) -> Bool { known[id].map { $0.stamp >= stamp } ?? false }

  /// Notes what is known of a page, and that it is being read; its entities are stored already.
  func keep(_ page: PageRow) {
    pages[page.key] = page
    guard let keeper else { return }
    keeper.keep(page)
    for id in page.ids { if let entity = known[id] { keeper.keep(read: entity) } }
  }

  /// Brings in what the store holds of a page, beneath what is known here.
  /// - Parameter id: the entity, for a page of one.
  func recall(_ key: PageKey, single id: String? = nil) async -> PageRow? {
    guard let keeper else { return nil }
    let asked = stamp()
    let found =
      await keeper.ask { store in
        if let id { return await store.single(id, as: key, of: Value.self) }
        return await store.page(key, of: Value.self)
      } ?? nil
    guard let found, asked >= floor else { return nil }
    learn(found.items)
    if found.items.count < found.page.ids.count { hasMissed = true }
    // An answer of the server that came meanwhile is newer.
    if pages[key] == nil { pages[key] = found.page }
    return pages[key]
  }

  /// Brings in all that the store keeps for good, such as bookmarks: a part at a time, so that nobody else waits for long.
  func recallKept() async { await recall(keptOnly: true) }

  /// Brings in all that the store has, in the same way: for few entities, of which one is looked for.
  public func recallAll() async { await recall(keptOnly: false) }

  private func recall(keptOnly: Bool) async {
    guard let keeper else { return }
    let asked = stamp()
    var place: EntityStore.KeptPlace? = (.max, .max)
    while let after = place {
      let found = await keeper.ask { await $0.kept(Value.self, only: keptOnly, after: after) }
      guard let found, asked >= floor else { return }
      learn(found.values)
      place = found.next
    }
  }

  // MARK: Inside

  /// Whether an entity has pending actions is written with it: those that have stay, so that there is something to show them on.
  private func keep(_ id: String) {
    guard let keeper else { return }
    if let entity = known[id] { keeper.keep(entity) } else { keeper.keep(unknown: id) }
  }

  private func drop(_ id: String, _ stamp: Stamp) {
    known[id]?.isGone = true
    known[id] = nil
    gone[id] = stamp
    keeper?.keep(removed: id)
  }

  /// Takes in what the server says now, or said before and the store has.
  private func learn(_ values: [AnyHeld]) {
    known.reserveCapacity(known.count + values.count)
    // Asked for all of them at once: each look at what belongs to an object is checked.
    let (isPlain, mayBeOutdated) = (isPlain, mayBeOutdated)
    for held in values {
      if !isPlain, isPending(held.id) || !aboutAll.isEmpty {
        change(held.id) { put(held) }
      } else if mayBeOutdated ? put(held) : merge(held) {
        note(held.id)
      }
    }
  }

  /// - Returns: whether what is known has changed.
  @discardableResult private func put(_ held: AnyHeld) -> Bool {
    if !gone.isEmpty, let end = gone[held.id] {
      guard held.stamp >= end else { return false }
      gone[held.id] = nil
    }
    var held = held
    if held.stamp < lastDone {
      guard let newer = upToDate(held) else {
        guard let old = known[held.id], old.stamp <= held.stamp else { return false }
        drop(held.id, lastDone)
        return true
      }
      held = newer
    }
    return merge(held)
  }

  /// Puts a value in, or in the place of an older one.
  /// - Returns: whether what is known has changed.
  private func merge(_ held: AnyHeld) -> Bool {
    guard let old = known.find(orInsert: held) else {
      if held.storedAt == nil { keeper?.keep(held) }
      return true
    }
    let (older, newer) = held.stamp < old.stamp ? (held, old) : (old, held)
    var newest = newer.value(of: Value.self)
    if newest.detail == nil { newest.detail = older.value(of: Value.self).detail }
    guard newest != old.value(of: Value.self) else {
      old.stamp = newer.stamp
      return false
    }
    let new = Held(newest, newer.stamp)
    old.isGone = true
    known[new.id] = new
    keeper?.keep(new)
    return true
  }

  /// A value with what the server has done to all since it was asked for; `nil` for one that is no more.
  private func upToDate(_ held: AnyHeld) -> AnyHeld? {
    let old = held.value(of: Value.self)
    var newer: Value? = old
    for (at, apply) in done where held.stamp < at { apply(&newer) }
    return newer.map { $0 == old ? held : Held($0, held.stamp) }
  }

  private func change(_ id: String, _ body: () -> Void) {
    let before = self[id]
    body()
    refold(id)
    if self[id] != before { note(id) }
  }

  private func changeAll(_ body: () -> Void) {
    let before = Set(known.keys).union(folded.keys).map { ($0, self[$0]) }
    body()
    for id in Array(folded.keys) { refold(id) }
    for (id, value) in before where self[id] != value { note(id) }
  }

  private func refold(_ id: String) {
    guard let actions = folded[id]?.actions else { return }
    if actions.count > aboutAll.count { folded[id]?.shown = fold(actions, id) } else { folded[id] = nil }
  }

  private func fold(_ actions: [Pending], _ id: String) -> Value? { actions.reduce(into: value(id)) { $1.apply(&$0) } }

  private func note(_ id: String) {
    guard !observers.isEmpty else { return }
    changed.insert(id)
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
