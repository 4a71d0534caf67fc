import Foundation
import Runtime

/// Where the entities of one kind are read and written: by screens, by fetchers with the server's values, and by the
/// ``ActionController`` with the pending changes.
///
/// Callers get a computed value: the server's, folded with the pending actions in their order. So taking one action back undoes only its
/// own change, and a new answer goes beneath the actions. With an ``EntityStore``, the server's values are stored there too.
@MainActor public final class Cache<Value: Entity>: CacheReading {
  /// An action that the server has not confirmed.
  struct Pending {
    let id: AnyHashable
    /// Changes the value, creates one where the server has none yet, or removes it.
    let apply: @Sendable (inout Value?) -> Void
  }

  private struct Folded {
    var actions: [Pending]
    var shown: Value?
  }

  private var entries: [String: AnyCacheEntry] = [:]
  /// Entities with pending actions of their own, in order, together with those about all entities.
  private var folded: [String: Folded] = [:]
  /// The pending actions about all, in their order.
  private var aboutAll: [Pending] = []
  /// Changes that the server made to all entities, each with its moment: they are applied to answers to older requests, and to stored values.
  private var bulkChanges: [(at: LogicalTime, apply: (inout Value?) -> Void)] = []
  private var lastBulkChange: LogicalTime { bulkChanges.last?.at ?? .beforeAll }
  /// When the server said that an entity was removed: an answer to an older request does not bring it back.
  private var removed: [String: LogicalTime] = [:]
  private var lastTime: UInt64 = 0
  /// Whether a stored page listed an entity that the entity store no longer has, or everything was removed.
  private var hasMissed = false
  /// Whether an entity of a page may be missing here: otherwise a page can be listed without looking its entities up.
  private var hasGaps: Bool { hasMissed || mayBeOutdated }
  /// Whether the server has made a change that its earlier answers do not show.
  private var mayBeOutdated: Bool { !removed.isEmpty || lastBulkChange > .beforeAll }
  /// Requests from before this time were made for a user who has signed out.
  private var erasedAt = LogicalTime.beforeAll

  private var observers: [Int: @MainActor (Set<String>) -> Void] = [:]
  private var lastToken = 0
  private var changed: Set<String> = []
  private var isNoticeDue = false

  /// The pages that were fetched or loaded from the entity store; their entities are here.
  var pages: [PageKey: PageRow] = [:]
  /// The requests under way, which all callers share.
  var requests: [PageKey: PageRequest] = [:]

  private let writer: StoreWriter<Value>?

  /// Called after each request to the server: with its error, or with `nil`.
  public var onAnswer: (((any Error)?) -> Void)?

  /// A cache in memory only, without an entity store.
  public init() { writer = nil }

  /// - Parameters:
  ///   - store: keeps what the server says; `nil` for memory only.
  ///   - effects: the door to it.
  public init(store: EntityStore?, effects: Effects) {
    writer = store.map { StoreWriter(store: $0, effects: effects) }
    writer?.isPending = { [weak self] in self?.isPending($0) ?? false }
  }

  /// Called with a sentence for the user when something is wrong with the entity store.
  public var onNotice: ((String) -> Void)? {
    get { writer?.onNotice }
    set { writer?.onNotice = newValue }
  }

  /// The entity as the user shall see it.
  public subscript(id: String) -> Value? {
    if let folded = folded[id] { return folded.shown }
    return aboutAll.isEmpty ? value(id) : fold(aboutAll, id)
  }

  /// Whether an action on the entity is pending.
  public func isPending(_ id: String) -> Bool { folded[id] != nil }

  /// This moment. Take it before the request, and hand it to ``store(_:asOf:)`` with the answer.
  public func logicalTime() -> LogicalTime {
    lastTime += 1
    return LogicalTime(number: lastTime)
  }

  /// Stores what the server answered.
  /// - Parameters:
  ///   - values: the entities.
  ///   - requestedAt: the moment before the request; an answer to an older request than that of the present value only fills in what is
  ///       missing, and one that was asked for before ``removeAll()`` is dropped. `nil` for now.
  public func store(_ values: [Value], asOf requestedAt: LogicalTime? = nil) {
    let time = requestedAt ?? logicalTime()
    guard time >= erasedAt else { return }
    merge(values.map { CacheEntry($0, time) })
  }

  /// Forgets entities that the server says are gone.
  public func remove(_ ids: [String]) {
    let time = logicalTime()
    for id in ids { change(id) { drop(id, time) } }
  }

  /// Removes all entities that the server has removed, by what they have in common: those in memory, and those in answers to older requests.
  /// Those that are only in the entity store are removed by the time ``written()`` returns.
  public func remove(where isGone: @escaping @Sendable (Value) -> Bool) {
    changeAll { doToAll { if $0.map(isGone) == true { $0 = nil } } }
  }

  /// Removes the ``Entity/detail`` of all entities that meet a condition: in memory, in the entity store, and in answers to older
  /// requests. What is only in the entity store is removed by the time ``written()`` returns.
  public func removeDetails(where isClosed: @escaping @Sendable (Value) -> Bool) {
    changeAll { doToAll { if $0.map(isClosed) == true { $0?.detail = nil } } }
  }

  /// Forgets everything, pending actions among it, and drops the answers to all earlier requests: for signing out. The entity
  /// store is erased by its owner.
  public func removeAll() {
    erasedAt = logicalTime()
    hasMissed = true
    let ids = Set(entries.keys).union(folded.keys)
    entries.removeAll()
    folded.removeAll()
    aboutAll.removeAll()
    bulkChanges.removeAll()
    removed.removeAll()
    pages.removeAll()
    writer?.drop()
    for id in ids { note(id) }
    let cancelled = requests
    requests.removeAll()
    for request in cancelled.values {
      request.task?.cancel()
      request.finish(.failure(CancellationError()))
    }
  }

  /// Returns when everything stored so far is written: for use before the process ends.
  public func written() async { await writer?.written() }

  /// The identifiers of all entities whose shown value meets a condition, in no order.
  public func ids(where condition: (Value) -> Bool) -> [String] {
    var ids = folded.compactMap { $1.shown.map(condition) == true ? $0 : nil }
    for entry in entries.values where folded[entry.id] == nil {
      if aboutAll.isEmpty ? condition(entry.value(of: Value.self)) : self[entry.id].map(condition) ?? false { ids.append(entry.id) }
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

  /// Adds an action on top of the others, or beneath them if it is older than all.
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
    persist(id)
  }

  /// Takes an action back.
  func remove(_ action: Pending, from id: String?) {
    guard let id else { return changeAll { removeFromAll(action) } }
    change(id) { folded[id]?.actions.removeAll { $0.id == action.id } }
    persist(id)
  }

  /// Removes an action about all entities that the server carried out, and makes its change to each value in memory and in the entity
  /// store: the latter is done when ``written()`` returns.
  func confirm(_ action: Pending) {
    changeAll {
      removeFromAll(action)
      doToAll(action.apply)
    }
  }

  private func doToAll(_ apply: @escaping @Sendable (inout Value?) -> Void) {
    bulkChanges.append((logicalTime(), apply))
    for entity in Array(entries.values) { put(entity) }
    writer?.persist(bulkChanges: apply)
  }

  private func removeFromAll(_ action: Pending) {
    aboutAll.removeAll { $0.id == action.id }
    for id in folded.keys { folded[id]?.actions.removeAll { $0.id == action.id } }
  }

  /// Removes an action that the server carried out, and in the same step stores the answer: the entity as it is afterwards, or `nil` for a
  /// removed one.
  func confirm(_ action: Pending, of id: String, as value: Value?) {
    let time = logicalTime()
    change(id) {
      folded[id]?.actions.removeAll { $0.id == action.id }
      guard let value else { return drop(id, time) }
      if value.id == id { put(CacheEntry(value, time)) }
    }
    persist(id)
    // An answer that is about another entity is stored as any other.
    if let value, value.id != id { store([value]) }
  }

  // MARK: For fetchers

  /// The entity store, where there is one.
  var entityStore: EntityStore? { writer?.store }

  /// The server's value.
  func value(_ id: String) -> Value? {
    guard let entry = entries[id] else { return nil }
    return entry.value(of: Value.self)
  }

  /// Whether there is something to show.
  func shows(_ id: String) -> Bool {
    folded[id].map { $0.shown != nil } ?? (entries[id] != nil)
  }

  /// The entities of a page that have a value to show, in their order.
  func shown(of ids: [String]) -> [String] {
    guard hasGaps || !folded.isEmpty else {
      assert(ids.allSatisfy { self.entries[$0] != nil })
      return ids
    }
    return ids.filter(shows)
  }

  /// Whether an entity's value is from a request at that moment or later.
  func isFetched(_ id: String, since time: LogicalTime) -> Bool { entries[id].map { $0.time >= time } ?? false }

  /// Records a page, and that it is being read; its entities are stored already.
  func persist(_ page: PageRow) {
    pages[page.key] = page
    guard let writer else { return }
    writer.persist(page)
    for id in page.ids { if let entity = entries[id] { writer.persist(read: entity) } }
  }

  /// Loads the stored page; entities that are in memory already stay as they are.
  /// - Parameter id: the entity, for a page of one.
  func loadFromStore(_ key: PageKey, single id: String? = nil) async -> PageRow? {
    guard let writer else { return nil }
    let requestedAt = logicalTime()
    let found =
      await writer.read { store in
        if let id { return await store.single(id, as: key, of: Value.self) }
        return await store.page(key, of: Value.self)
      } ?? nil
    guard let found, requestedAt >= erasedAt else { return nil }
    merge(found.items)
    if found.items.count < found.page.ids.count { hasMissed = true }
    // An answer of the server that arrived meanwhile is newer.
    if pages[key] == nil { pages[key] = found.page }
    return pages[key]
  }

  /// Loads all pinned entities of the entity store, such as bookmarks: a part at a time, so that no other read or write waits for long.
  func loadPinnedFromStore() async { await loadFromStore(pinnedOnly: true) }

  /// Loads all entities of the entity store, in the same way: for a kind with few entities, among which a caller searches.
  public func loadAllFromStore() async { await loadFromStore(pinnedOnly: false) }

  private func loadFromStore(pinnedOnly: Bool) async {
    guard let writer else { return }
    let requestedAt = logicalTime()
    var place: EntityStore.ReadPosition? = (.max, .max)
    while let after = place {
      let found = await writer.read { await $0.entities(Value.self, pinnedOnly: pinnedOnly, after: after) }
      guard let found, requestedAt >= erasedAt else { return }
      merge(found.values)
      place = found.next
    }
  }

  // MARK: Inside

  /// Writes the entity, and whether actions on it are pending: then the entity store keeps it.
  private func persist(_ id: String) {
    guard let writer else { return }
    if let entity = entries[id] { writer.persist(entity) } else { writer.persist(unknown: id) }
  }

  private func drop(_ id: String, _ time: LogicalTime) {
    entries[id]?.isGone = true
    entries[id] = nil
    removed[id] = time
    writer?.persist(removed: id)
  }

  /// Takes in what the server says now, or said before and the entity store has.
  private func merge(_ values: [AnyCacheEntry]) {
    entries.reserveCapacity(entries.count + values.count)
    for entry in values {
      if isPending(entry.id) || !aboutAll.isEmpty {
        change(entry.id) { put(entry) }
      } else if put(entry) {
        note(entry.id)
      }
    }
  }

  /// - Returns: whether what is known has changed.
  @discardableResult private func put(_ entry: AnyCacheEntry) -> Bool {
    if let end = removed[entry.id] {
      guard entry.time >= end else { return false }
      removed[entry.id] = nil
    }
    guard let entry = upToDate(entry) else {
      guard let old = entries[entry.id], old.time <= entry.time else { return false }
      drop(entry.id, lastBulkChange)
      return true
    }
    return merge(entry)
  }

  /// Puts a value in, or in the place of an older one.
  /// - Returns: whether what is known has changed.
  private func merge(_ entry: AnyCacheEntry) -> Bool {
    guard let old = entries.find(orInsert: entry) else {
      if entry.storedAt == nil { writer?.persist(entry) }
      return true
    }
    let (older, newer) = entry.time < old.time ? (entry, old) : (old, entry)
    var newest = newer.value(of: Value.self)
    if newest.detail == nil { newest.detail = upToDate(older)?.value(of: Value.self).detail }
    guard newest != old.value(of: Value.self) else {
      old.time = newer.time
      return false
    }
    let new = CacheEntry(newest, newer.time)
    old.isGone = true
    entries[new.id] = new
    writer?.persist(new)
    return true
  }

  /// A value with the bulk changes that the server has made since its request; `nil` for a removed one.
  private func upToDate(_ entry: AnyCacheEntry) -> AnyCacheEntry? {
    guard entry.time < lastBulkChange else { return entry }
    let old = entry.value(of: Value.self)
    var newer: Value? = old
    for (at, apply) in bulkChanges where entry.time < at { apply(&newer) }
    return newer.map { $0 == old ? entry : CacheEntry($0, entry.time) }
  }

  private func change(_ id: String, _ body: () -> Void) {
    let before = self[id]
    body()
    refold(id)
    if self[id] != before { note(id) }
  }

  private func changeAll(_ body: () -> Void) {
    let before = Set(entries.keys).union(folded.keys).map { ($0, self[$0]) }
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
