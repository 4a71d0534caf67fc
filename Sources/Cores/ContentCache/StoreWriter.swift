import Runtime

/// A cache's way to its ``EntityStore``: collects the changes of a turn of the main loop, and those during the last write, and writes them
/// as one batch.
@MainActor final class StoreWriter<Value: Entity> {
  let store: EntityStore
  private let effects: Effects
  /// Whether an entity has pending actions.
  var isPending: (String) -> Bool = { _ in false }
  var onNotice: ((String) -> Void)?

  /// In the order of their last change, in which they are likely to be read.
  private var changed: [AnyCacheEntry] = []
  /// What was read and is as it is stored.
  private var read: [String: AnyCacheEntry] = [:]
  /// What is not known here, and has pending actions or had.
  private var unknown: Set<String> = []
  private var removed: Set<String> = []
  /// What the server did to all.
  private var bulkChanges: [@Sendable (inout Value?) -> Void] = []
  private var pages: [PageKey: PageRow] = [:]
  private var isWriting = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(store: EntityStore, effects: Effects) {
    self.store = store
    self.effects = effects
  }

  func persist(_ entity: AnyCacheEntry) {
    guard !entity.isUnwritten else { return }
    entity.isUnwritten = true
    changed.append(entity)
    begin()
  }

  func persist(read entity: AnyCacheEntry) {
    guard !entity.isUnwritten else { return }
    guard entity.storedAt != nil else { return persist(entity) }
    read[entity.id] = entity
    begin()
  }

  func persist(unknown id: String) {
    unknown.insert(id)
    begin()
  }

  func persist(removed id: String) {
    removed.insert(id)
    begin()
  }

  func persist(bulkChanges: @escaping @Sendable (inout Value?) -> Void) {
    self.bulkChanges.append(bulkChanges)
    begin()
  }

  func persist(_ page: PageRow) {
    pages[page.key] = page
    begin()
  }

  /// Forgets what is not being written yet: whose it was is gone.
  func drop() {
    changed.removeAll()
    read.removeAll()
    unknown.removeAll()
    removed.removeAll()
    bulkChanges.removeAll()
    pages.removeAll()
  }

  func written() async {
    if store.hasUnnoted { begin() }
    guard isWriting else { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Asks the entity store something; `nil` when it cannot say.
  func read<Answer: Sendable>(_ body: nonisolated(nonsending) (EntityStore) async -> Answer) async -> Answer? {
    let answer = try? await effects.call("\(Value.kind).load") { [store] in await body(store) }
    tellNotice()
    return answer
  }

  private func begin() {
    guard !isWriting else { return }
    isWriting = true
    Task {
      // Whose it was may have left meanwhile.
      var isDue = hasMore || store.hasUnnoted
      while isDue { isDue = await write() }
      isWriting = false
      let waiting = waiting
      self.waiting.removeAll()
      for continuation in waiting { continuation.resume() }
    }
  }

  /// Writes what there is to write.
  /// - Returns: whether there is more since.
  private func write() async -> Bool {
    let (changed, read) = (changed.filter { !$0.isGone }, read.values.filter { !$0.isGone && !$0.isUnwritten })
    let entry = { (entity: AnyCacheEntry) in
      (unsafeDowncast(entity, to: CacheEntry<Value>.self), isPinned: entity.isPinned || self.isPending(entity.id))
    }
    let batch = StoreBatch<Value>(
      bulkChanges: bulkChanges, values: changed.map(entry), read: read.map(entry), isReadSince: read.compactMap(\.storedAt).min(),
      unknown: unknown.map { ($0, isPending($0)) }, removed: Array(removed), pages: Array(pages.values))
    for entity in self.changed { entity.isUnwritten = false }
    drop()
    let time = (try? await effects.call("\(Value.kind).write") { [store] in await store.write(batch) }) ?? nil
    tellNotice()
    for entity in changed { entity.storedAt = time }
    for entity in read { entity.storedAt = time }
    guard time == nil else { return hasMore }
    // With the next batch, since otherwise a value that cannot be written would be tried for ever; values in memory are written when they
    // are read again.
    defer {
      unknown.formUnion(batch.unknown.map(\.id))
      removed.formUnion(batch.removed)
      bulkChanges = batch.bulkChanges + bulkChanges
    }
    return hasMore
  }

  private var hasMore: Bool {
    !(changed.isEmpty && read.isEmpty && unknown.isEmpty && removed.isEmpty && bulkChanges.isEmpty && pages.isEmpty)
  }

  private func tellNotice() { if let notice = store.takeNotice() { onNotice?(notice) } }
}
