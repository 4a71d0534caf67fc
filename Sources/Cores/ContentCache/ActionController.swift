import Foundation
import Runtime

/// Carries out what a reader does: the cache changes before ``perform(_:)`` returns, the outbox keeps the action, the server is asked,
/// and what it refuses is taken back.
///
/// Actions on one entity are sent in their order, one at a time; those on different entities at the same time. One controller serves one
/// signed-in reader and ends with ``close()``.
@MainActor public final class ActionController {
  private let outbox: Outbox?
  private let effects: Effects
  private let unreachable: UnreachablePolicy
  private let explain: @MainActor (any Error) -> RequestFailure

  private var registrations: [String: any Registration] = [:]
  /// Not yet confirmed, in order.
  private var queues: [Target: [Item]] = [:]
  private var sending: [Target: Task<Void, Never>] = [:]
  /// Every action ever taken on, so that none is sent as two.
  private var seen: Set<UUID> = []
  private var writes: [Write] = []
  private var isWriting = false
  private var waitingForWrites: [CheckedContinuation<Void, Never>] = []
  /// The place in line of the last action performed, and of the first brought in.
  private var numbers = (last: 0, first: 0)
  private var mayBegin: Bool
  private var isClosed = false

  /// Told after an action was taken back from the cache, with a sentence for the reader.
  public var onFailure: ((ActionFailure) -> Void)?
  /// Told when the outbox cannot be read or written. The action is sent all the same; only the end of the process could lose it.
  public var onStorageError: ((any Error) -> Void)?

  /// - Parameters:
  ///   - outbox: where actions survive; with one, nothing is sent before ``resume()`` has brought in what it holds.
  ///   - unreachable: what becomes of an action when nobody could be reached.
  ///   - explain: what an error of a `send` means, with a sentence for the reader.
  public init(
    outbox: Outbox?, effects: Effects, unreachable: UnreachablePolicy = .revert, explain: @escaping @MainActor (any Error) -> RequestFailure
  ) {
    self.outbox = outbox
    self.effects = effects
    self.unreachable = unreachable
    self.explain = explain
    mayBegin = outbox == nil
  }

  /// Makes a kind of action known: which cache it changes and how it is sent. Before ``resume()``, and once for each kind.
  /// - Parameter send: asks the server, which may see the same ``Action/id`` again; returns the entity as it is afterwards.
  public func register<A: Action>(_ type: A.Type, cache: Cache<A.Value>, send: @escaping @Sendable (A) async throws -> A.Value) {
    precondition(registrations[A.kind] == nil, "\(A.kind) is registered twice")
    registrations[A.kind] = Registered(cache: cache, effects: effects, send: send)
  }

  /// How many actions the server has not confirmed.
  public var pendingCount: Int { queues.values.reduce(0) { $0 + $1.count } }

  /// Carries out an action; the cache has changed when this returns. Does nothing for one that was performed before, and nothing once
  /// closed.
  public func perform<A: Action>(_ action: A) {
    guard let registered = registrations[A.kind] as? Registered<A> else { preconditionFailure("\(A.kind) is not registered") }
    guard !isClosed, seen.insert(action.id).inserted else { return }
    let item = registered.item(action)
    let superseded = takeOut(item.target) { $0.isSuperseded(by: item) }
    numbers.last += 1
    item.number = numbers.last
    item.apply(false)
    queues[item.target, default: []].append(item)
    keep(action, item, superseding: superseded)
  }

  /// Brings in what the outbox holds from an earlier run, beneath what was performed since, and begins to send.
  public func resume() async {
    guard let outbox, !isClosed else { return }
    var rows: [Outbox.Row] = []
    do { rows = try await effects.run("outbox.read") { try await outbox.rows() } } catch { onStorageError?(error) }
    guard !isClosed else { return }
    // From the last to the first, since each goes beneath all that are there.
    for row in rows.reversed() where seen.insert(row.id).inserted { bringIn(row) }
    mayBegin = true
    // In the order they were made, not in a dictionary's.
    let heads = queues.values.compactMap(\.first).sorted { $0.number < $1.number }
    for head in heads { send(head.target) }
  }

  /// Returns when everything accepted so far is in the outbox, and everything confirmed out of it: before the process ends.
  public func written() async {
    guard isWriting else { return }
    await withCheckedContinuation { waitingForWrites.append($0) }
  }

  /// Ends it: what was not confirmed is taken back and forgotten, and answers still on their way reach nothing. For signing out.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    for task in sending.values { task.cancel() }
    sending.removeAll()
    let items = queues.values.joined().sorted { $0.number < $1.number }
    queues.removeAll()
    for item in items { item.revert() }
    if let outbox { write("outbox.clear") { try await outbox.removeAll() } }
  }

  // MARK: Outbox

  /// Writes the action's row, and sends it afterwards.
  private func keep<A: Action>(_ action: A, _ item: Item, superseding superseded: [Item]) {
    let isKept: @MainActor () -> Void = { [weak self] in
      item.isKept = true
      self?.send(item.target)
    }
    guard let outbox else { return isKept() }
    do {
      let row = Outbox.Row(id: action.id, kind: A.kind, entityID: action.entityID, payload: try JSONEncoder().encode(action))
      let old = superseded.map(\.id)
      write("outbox.add", then: isKept) { try await outbox.add(row, superseding: old) }
    } catch {
      onStorageError?(error)
      isKept()
    }
  }

  private func forget(_ id: UUID) {
    guard let outbox else { return }
    write("outbox.remove") { try await outbox.remove(id) }
  }

  /// Writes come one after the other in the order of their calls; each is its own delivery.
  ///
  /// A queue and not a chain of tasks: whoever awaits a task's value comes back by way of the shared pool, in no certain order.
  private func write(
    _ label: String, then: @escaping @MainActor () -> Void = {}, _ work: @escaping @concurrent @Sendable () async throws -> Void
  ) {
    writes.append(Write(label: label, work: work, then: then))
    guard !isWriting else { return }
    isWriting = true
    Task {
      while !writes.isEmpty {
        let next = writes.removeFirst()
        do { try await effects.run(next.label, next.work) } catch { onStorageError?(error) }
        next.then()
      }
      isWriting = false
      let waiting = waitingForWrites
      waitingForWrites.removeAll()
      for continuation in waiting { continuation.resume() }
    }
  }

  private func bringIn(_ row: Outbox.Row) {
    let item: Item
    do {
      guard let registration = registrations[row.kind] else { throw UnknownKind() }
      item = try registration.item(decoding: row.payload)
    } catch {
      forget(row.id)
      let sentence = "A change made with another version of this app could not be sent."
      onFailure?(ActionFailure(kind: row.kind, actionID: row.id, entityID: row.entityID, reason: .refused(sentence)))
      return
    }
    if let newer = queues[item.target], newer.contains(where: { item.isSuperseded(by: $0) }) {
      forget(row.id)
      return
    }
    numbers.first -= 1
    item.number = numbers.first
    item.isKept = true
    item.apply(true)
    queues[item.target, default: []].insert(item, at: 0)
  }

  // MARK: Sending

  /// Sends the entity's actions as far as they are kept, unless that is under way.
  private func send(_ target: Target) {
    guard mayBegin, !isClosed, sending[target] == nil, queues[target]?.first?.isKept == true else { return }
    sending[target] = Task {
      while !isClosed, let item = queues[target]?.first, item.isKept {
        item.isSent = true
        let outcome: Result<@MainActor () -> Void, any Error>
        do { outcome = .success(try await item.send()) } catch { outcome = .failure(error) }
        guard !isClosed else { return }
        settle(item, outcome)
      }
      if !isClosed { sending[target] = nil }
    }
  }

  private func settle(_ item: Item, _ outcome: Result<@MainActor () -> Void, any Error>) {
    takeOut(item.target, revert: false) { $0 === item }
    forget(item.id)
    switch outcome {
    case .success(let confirm): confirm()
    case .failure(let error):
      let reason = explain(error)
      switch (reason, unreachable) {
      case (.refused, _), (.unreachable, .revert):
        item.revert()
        onFailure?(ActionFailure(kind: item.kind, actionID: item.id, entityID: item.target.entityID, reason: reason))
      }
    }
  }

  @discardableResult
  private func takeOut(_ target: Target, revert: Bool = true, where condition: (Item) -> Bool) -> [Item] {
    guard let queue = queues[target] else { return [] }
    let out = queue.filter(condition)
    let rest = queue.filter { !condition($0) }
    queues[target] = rest.isEmpty ? nil : rest
    if revert { for item in out { item.revert() } }
    return out
  }
}

private struct UnknownKind: Error {}

private struct Write {
  let label: String
  let work: @concurrent @Sendable () async throws -> Void
  let then: @MainActor () -> Void
}

/// One entity of one cache.
private struct Target: Hashable {
  let cache: ObjectIdentifier
  let entityID: String
}

/// An action whose type is forgotten.
@MainActor private final class Item {
  let id: UUID
  let kind: String
  let target: Target
  let supersedesKey: String?
  /// Changes the cache; true puts it beneath the other pending actions.
  let apply: (_ beneath: Bool) -> Void
  let revert: () -> Void
  /// Asks the server; what is returned stores the answer.
  let send: @MainActor () async throws -> @MainActor () -> Void
  /// Its place in line.
  var number = 0
  /// Its row is written, or never will be.
  var isKept = false
  var isSent = false

  init<A: Action>(
    _ action: A, target: Target, apply: @escaping (Bool) -> Void, revert: @escaping () -> Void,
    send: @escaping @MainActor () async throws -> @MainActor () -> Void
  ) {
    id = action.id
    kind = A.kind
    self.target = target
    supersedesKey = action.supersedesKey
    self.apply = apply
    self.revert = revert
    self.send = send
  }

  func isSuperseded(by newer: Item) -> Bool {
    guard !isSent, let supersedesKey else { return false }
    return supersedesKey == newer.supersedesKey
  }
}

@MainActor private protocol Registration {
  func item(decoding payload: Data) throws -> Item
}

@MainActor private struct Registered<A: Action>: Registration {
  let cache: Cache<A.Value>
  let effects: Effects
  let send: @Sendable (A) async throws -> A.Value

  func item(decoding payload: Data) throws -> Item { item(try JSONDecoder().decode(A.self, from: payload)) }

  func item(_ action: A) -> Item {
    let (cache, effects, send) = (cache, effects, send)
    return Item(
      action, target: Target(cache: ObjectIdentifier(cache), entityID: action.entityID),
      apply: { beneath in cache.add(.init(id: action.id, apply: action.apply), to: action.entityID, beneath: beneath) },
      revert: { cache.remove(action.id, from: action.entityID) },
      send: {
        let value = try await effects.run("action.\(A.kind)") { try await send(action) }
        return { cache.remove(action.id, from: action.entityID, storing: value) }
      })
  }
}
