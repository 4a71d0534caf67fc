import Runtime

/// A cache's way to its ``EntityStore``: gathers what changes in a turn of the main loop, and while the last batch is being written, and
/// hands it over as one.
@MainActor final class Keeper<Value: Entity> {
  let store: EntityStore
  private let effects: Effects
  /// What there is to write of some entities.
  var describe: ([String]) -> StoreBatch<Value> = { _ in StoreBatch() }
  var onNotice: ((String) -> Void)?

  private var changed: Set<String> = []
  private var removed: Set<String> = []
  private var pages: [PageKey: PageRow] = [:]
  private var isWriting = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(store: EntityStore, effects: Effects) {
    self.store = store
    self.effects = effects
  }

  func keep(changed ids: [String]) {
    changed.formUnion(ids)
    if !removed.isEmpty { for id in ids where !describe([id]).values.isEmpty { removed.remove(id) } }
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
      while !(changed.isEmpty && removed.isEmpty && pages.isEmpty) {
        var batch = describe(Array(changed))
        batch.removed = Array(removed)
        batch.pages = Array(pages.values)
        changed.removeAll()
        removed.removeAll()
        pages.removeAll()
        _ = try? await effects.run("\(Value.kind).keep") { [store, batch] in await store.write(batch) }
        tellNotice()
      }
      isWriting = false
      let waiting = waiting
      self.waiting.removeAll()
      for continuation in waiting { continuation.resume() }
    }
  }

  private func tellNotice() { if let notice = store.takeNotice() { onNotice?(notice) } }
}
