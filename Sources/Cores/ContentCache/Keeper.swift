import Runtime

/// A value by reference: values are large, and would be copied on their way to the store.
final class Held<Value: Entity>: Sendable {
  let value: Value
  /// Whether it is kept for good by what it is.
  let isKept: Bool

  init(_ value: Value) {
    self.value = value
    isKept = value.isKept
  }
}

/// What the server said of an entity.
@MainActor final class KnownEntity<Value: Entity> {
  var held: Held<Value>
  let id: String
  /// When this value was asked for.
  var stamp: Stamp
  /// Whether it is among those that a ``Keeper`` is going to write.
  var isUnwritten = false
  /// Whether it was forgotten since.
  var isGone = false

  var value: Value { held.value }

  init(_ held: Held<Value>, _ id: String, _ stamp: Stamp) {
    self.held = held
    self.id = id
    self.stamp = stamp
  }
}

/// A cache's way to its ``EntityStore``: gathers what changes in a turn of the main loop, and while the last batch is being written, and
/// hands it over as one.
@MainActor final class Keeper<Value: Entity> {
  let store: EntityStore
  private let effects: Effects
  /// Whether an entity has pending actions.
  var isPending: (String) -> Bool = { _ in false }
  var onNotice: ((String) -> Void)?

  /// In the order of their first change, in which they are likely to be read.
  private var changed: [KnownEntity<Value>] = []
  /// What has pending actions and is not known here.
  private var pending: Set<String> = []
  private var removed: Set<String> = []
  private var pages: [PageKey: PageRow] = [:]
  private var isWriting = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(store: EntityStore, effects: Effects) {
    self.store = store
    self.effects = effects
  }

  func keep(_ entity: KnownEntity<Value>) {
    guard !entity.isUnwritten else { return }
    entity.isUnwritten = true
    changed.append(entity)
    if !removed.isEmpty { removed.remove(entity.id) }
    begin()
  }

  func keep(pending id: String) {
    pending.insert(id)
    begin()
  }

  func keep(removed id: String) {
    removed.insert(id)
    begin()
  }

  func keep(_ page: PageRow) {
    pages[page.key] = page
    begin()
  }

  /// Forgets what is not being written yet: whose it was is gone.
  func drop() {
    changed.removeAll()
    pending.removeAll()
    removed.removeAll()
    pages.removeAll()
  }

  func written() async {
    guard isWriting else { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Asks the store something; `nil` when it cannot say.
  func ask<Answer: Sendable>(_ question: @escaping @concurrent @Sendable (EntityStore) async -> Answer) async -> Answer? {
    let store = store
    let answer = try? await effects.run("\(Value.kind).recall") { await question(store) }
    tellNotice()
    return answer
  }

  private func begin() {
    guard !isWriting else { return }
    isWriting = true
    Task {
      while !(changed.isEmpty && pending.isEmpty && removed.isEmpty && pages.isEmpty) {
        let batch = batch()
        _ = try? await effects.run("\(Value.kind).keep") { [store, batch] in await store.write(batch) }
        tellNotice()
      }
      isWriting = false
      let waiting = waiting
      self.waiting.removeAll()
      for continuation in waiting { continuation.resume() }
    }
  }

  /// What there is to write, which is going to be written from now on.
  private func batch() -> StoreBatch<Value> {
    var batch = StoreBatch<Value>(kept: pending.filter(isPending), removed: Array(removed), pages: Array(pages.values))
    batch.values.reserveCapacity(changed.count)
    for entity in changed {
      entity.isUnwritten = false
      if !entity.isGone { batch.values.append((entity.held, entity.held.isKept || isPending(entity.id))) }
    }
    drop()
    return batch
  }

  private func tellNotice() { if let notice = store.takeNotice() { onNotice?(notice) } }
}
