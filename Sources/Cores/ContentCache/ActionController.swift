import Foundation
import Runtime

/// Carries out a user's actions: the cache changes before `perform` returns, the outbox keeps the action, the server gets it, and an
/// action that the server refuses is taken back.
///
/// All actions are in one queue and are sent in their order, one at a time. While the server is unreachable, the first of them waits, and
/// so do all behind it: see ``outboxStatus`` and ``retryNow()``. One controller serves one signed-in user and ends with ``close()``.
@MainActor public final class ActionController {
  private let outbox: Outbox?
  private let effects: Effects
  private let retry: RetryEnvironment
  private let explain: @MainActor (_ error: any Error, _ tries: Int) -> RequestError
  private let writer: OutboxWriter

  private var registrations: [String: any Registration] = [:]
  private var line = ActionLine()
  /// Every action ever taken on, so that none is sent as two.
  private var seen: Set<UUID> = []
  private var sending: Task<Void, Never>?
  /// Until when nothing is sent.
  private var pause: Task<Void, Never>?
  /// How many requests other than actions the server has answered. Failures of one action between two of them count as one try, since the
  /// server may be down for all.
  private var otherAnswers = 0
  /// How many tries have failed since the server's last answer.
  private var failedTries = 0
  /// Whether the server itself wants this pause.
  private var isRetryAfterPause = false
  private var mayBegin: Bool
  private var isClosed = false
  /// Whether a change that the server made to all entities is being stored. Until it is written, the action stays in the outbox and nothing
  /// else is sent: if the process ended now, the change would be made again after the later action.
  private var isStoring = false
  /// How many damages of the outbox were reported.
  private var damagesTold = 0
  /// Those that the outbox does not have, in the order of the line, since it could not be written.
  private var unstored: [PendingAction] = []

  /// What the server has not confirmed, and why not.
  public let outboxStatus = LastValue(OutboxStatus())
  /// How many actions wait in memory alone, since the outbox could not be written: the end of the process loses them. One less for each
  /// that the server confirms. The next action that can be stored takes the others with it.
  public let unstoredCount = LastValue(0)
  /// Called after an action was taken back from the cache, with a sentence for the user.
  public var onFailure: ((RefusedAction) -> Void)?
  /// Called with the error of `send` whenever the server could not be reached.
  public var onUnreachable: ((any Error) -> Void)?
  /// Called when the outbox cannot be read or written. The action is sent nevertheless; only the end of the process could lose it.
  public var onStorageError: ((any Error) -> Void)? {
    get { writer.onError }
    set { writer.onError = newValue }
  }

  /// - Parameters:
  ///   - outbox: where actions survive the process; with one, nothing is sent before ``resume()`` has loaded its actions.
  ///   - effects: the door off the main actor.
  ///   - retry: when a request is repeated after the server could not be reached.
  ///   - explain: turns an error of `send` into a ``RequestError``. `tries` counts the sends; those before ``serverAnswered()`` count as one. An
  ///     action whose error is ``RequestError/unreachable(_:retryAfter:)`` is sent again.
  public init(
    outbox: Outbox?, effects: Effects, retry: RetryEnvironment,
    explain: @escaping @MainActor (_ error: any Error, _ tries: Int) -> RequestError
  ) {
    self.outbox = outbox
    self.effects = effects
    self.retry = retry
    self.explain = explain
    writer = OutboxWriter(effects)
    mayBegin = outbox == nil
  }

  isolated deinit { pause?.cancel() }

  /// Registers a kind of action: which cache it changes and how it is sent. To be called before ``resume()``, once for each kind.
  /// - Parameters:
  ///   - type: the kind of action.
  ///   - cache: the cache it changes.
  ///   - relatedChange: what it changes beside its own entity; `nil` for nothing.
  ///   - send: asks the server, which may see the same ``Action/id`` again; returns the entity as it is afterwards, `nil` when it is no
  ///     more. Of an action about all, nothing is returned: what the server has done to each is known.
  ///   - confirmed: called after the server carried one out and the cache has its answer.
  ///   - refused: called with the error of `send`, after the server refused an action and it was taken back.
  ///   - handBack: takes the user's text of a refused action, and returns whether there is one. A text is handed back by each ``resume()``
  ///     until ``forgetRefused(_:)``. Called before ``onFailure``, and only for the newest action on its entity.
  public func register<A: Action>(
    _ type: A.Type, cache: Cache<A.Value>, relatedChange: @escaping @MainActor (A) -> RelatedChange? = { _ in nil },
    confirmed: @escaping @MainActor (A) -> Void = { _ in },
    refused: @escaping @MainActor (A, any Error) -> Void = { _, _ in }, handBack: @escaping @MainActor (A) -> Bool = { _ in false },
    send: @escaping @Sendable (A) async throws -> A.Value?
  ) {
    precondition(registrations[A.kind] == nil, "\(A.kind) is registered twice")
    registrations[A.kind] = Registered(
      cache: cache, relatedChange: relatedChange, effects: effects, send: send, confirmed: confirmed, refused: refused, handBack: handBack)
  }

  /// Carries out an action; the cache has changed when this returns. Does nothing for one that was performed before, and nothing once
  /// closed.
  public func perform<A: Action>(_ action: A) { perform([action]) }

  /// Carries out several, which are stored in one transaction: all of them survive the end of the process, or none. One that undoes an
  /// action that was never sent takes that one back, and is no action of its own.
  public func perform<A: Action>(_ actions: [A]) {
    guard let registered = registrations[A.kind] as? Registered<A> else { preconditionFailure("\(A.kind) is not registered") }
    guard !isClosed else { return }
    let fresh = actions.filter { seen.insert($0.id).inserted }
    let new = fresh.filter { !takeBack($0.undoes) }
    if new.count < fresh.count {
      tell()
      go()
    }
    guard !new.isEmpty else { return }
    let pending = new.map(registered.pending)
    for action in pending {
      // The new change is applied before the old one is reverted, so that no observer sees the value without both.
      action.apply(false)
      line.append(action)?.revert()
    }
    persist(pending)
    tell()
  }

  /// Takes back an action that was never sent.
  /// - Returns: whether it could; one that may have arrived has to be undone at the server too.
  private func takeBack(_ id: UUID?) -> Bool {
    guard let id, let action = line.all.first(where: { $0.id == id }), !action.mayHaveArrived else { return false }
    line.remove(action)
    action.revert()
    forget(action.id)
    return true
  }

  /// Loads the outbox's actions of earlier runs, beneath those that were performed since, and begins to send.
  public func resume() async {
    guard let outbox, !isClosed else { return }
    var rows: [Outbox.Row] = []
    do { rows = try await effects.run("outbox.read") { try await outbox.rows() } } catch { onStorageError?(error) }
    guard !isClosed else { return }
    tellDamage()
    let (added, superseded) = line.prepend(rows.compactMap { seen.insert($0.id).inserted ? old($0) : nil })
    // From the last to the first, since each is inserted beneath all others.
    for action in added {
      (action.isPersisted, action.mayHaveArrived) = (true, true)
      action.apply(true)
    }
    for action in superseded { forget(action.id) }
    mayBegin = true
    tell()
    go()
  }

  /// Takes back, without a notice, the actions on entities that are gone because the user removed them: none of them is sent, and an
  /// answer still on its way is not stored.
  /// - Parameter isGone: whether an entity is gone, by the kind of the action and the entity's identifier.
  public func drop(where isGone: (_ kind: String, _ entityID: String) -> Bool) {
    for action in line.all where isGone(action.kind, action.target.entityID) {
      line.remove(action)
      action.revert()
      forget(action.id)
    }
    tell()
    go()
  }

  /// Whether an action on an entity is delayed, since the server is unreachable or does not answer. One that was just sent is pending, but not
  /// delayed. For kinds of actions of which only the last counts.
  public func isDelayed<A: Action>(_ type: A.Type, on entityID: String) -> Bool {
    guard outboxStatus.value.problem != nil, let registered = registrations[A.kind] as? Registered<A> else { return false }
    return line.has(PendingAction.Key(target: Target(cache: ObjectIdentifier(registered.cache), entityID: entityID), name: A.kind))
  }

  /// Whether an action waits for the server's answer, or for its turn. Known before ``outboxStatus`` is told.
  public var hasPendingActions: Bool { line.count > 0 }

  /// Sends the waiting actions at once, even in a pause that the server requested, since the user did this on purpose.
  /// - Returns: a task that ends when all was sent, or an action has to wait again; `nil` when nothing can be sent now.
  @discardableResult public func retryNow() -> Task<Void, Never>? {
    pause?.cancel()
    pause = nil
    go()
    return sending
  }

  /// Sends the waiting actions at once, except in a pause that the server requested: another request was answered, so the network is there.
  public func networkIsBack() {
    if !isRetryAfterPause { retryNow() }
  }

  /// Call it when the server has answered a request that is no action. It does what ``networkIsBack()`` does. From then on, the failure of
  /// an action counts against the action itself.
  public func serverAnswered() {
    otherAnswers += 1
    networkIsBack()
  }

  /// Returns when all actions so far are stored, and all confirmed ones removed: for use before the process ends. Those that could not be
  /// stored are tried once more.
  public func written() async {
    if !unstored.isEmpty { persist([]) }
    await writer.written()
  }

  /// Ends the controller: unconfirmed actions are taken back from the cache and stay in the outbox, to be sent when the same user signs
  /// in again. Later answers have no effect. For signing out.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    sending?.cancel()
    pause?.cancel()
    let all = line.all
    line = ActionLine()
    unstored = []
    for action in all { action.revert() }
    tell()
  }

  /// Forgets a refused action: the user has its text back, or has discarded it.
  public func forgetRefused(_ id: UUID) { forget(id) }

  // MARK: Outbox

  /// Writes the actions' rows, and sends them afterwards.
  private func persist(_ actions: [PendingAction]) {
    // Those that could not be written come along, before the new ones: there may be room again.
    let older = unstored.filter { !$0.isFinished }
    let arePersisted: @MainActor (Bool) -> Void = { [weak self] isWritten in
      for action in actions { action.isPersisted = true }
      self?.note(older + actions, areStored: isWritten)
      self?.go()
    }
    guard outbox != nil else { return arePersisted(true) }
    let rows = (older + actions).map(\.row)
    write("outbox.add", then: arePersisted) { try await $0.add(rows.map { try $0() }) }
  }

  /// Remembers which actions the outbox does not have.
  private func note(_ actions: [PendingAction], areStored: Bool) {
    guard !isClosed else { return }
    for action in actions where action.isUnstored == areStored {
      action.isUnstored = !areStored
      if !areStored { unstored.append(action) }
    }
    tellUnstored()
  }

  private func tellUnstored() {
    unstored.removeAll { $0.isFinished || !$0.isUnstored }
    unstoredCount.value = unstored.count
  }

  private func forget(_ id: UUID) { write("outbox.remove") { try await $0.remove(id) } }

  /// Forgets one that the server carried out.
  private func forget(_ action: PendingAction) {
    guard let outbox, let isStored = action.isStored else { return forget(action.id) }
    isStoring = true
    let go: @MainActor (Bool) -> Void = { [weak self] _ in
      self?.isStoring = false
      self?.go()
    }
    writer.write("outbox.remove", after: isStored, then: go) { [id = action.id] in try await outbox.remove(id) }
  }

  private func write(
    _ label: String, then: @escaping @MainActor (_ isWritten: Bool) -> Void = { _ in },
    _ work: @escaping @concurrent @Sendable (Outbox) async throws -> Void
  ) {
    guard let outbox else { return }
    let after: @MainActor (Bool) -> Void = { [weak self] isWritten in
      self?.tellDamage()
      then(isWritten)
    }
    writer.write(label, then: after) { try await work(outbox) }
  }

  /// - Returns: the action of an earlier run that is to be sent; `nil` for one that was refused then, or cannot be read.
  private func old(_ row: Outbox.Row) -> PendingAction? {
    struct UnknownKind: Error {}
    do {
      guard let registration = registrations[row.kind] else { throw UnknownKind() }
      guard let sentence = row.refused else { return try registration.pending(decoding: row.payload) }
      try registration.handBack(decoding: row.payload)
      onFailure?(RefusedAction(kind: row.kind, actionID: row.id, entityID: row.entityID, sentence: sentence))
    } catch {
      forget(row.id)
      let sentence = "A change made with another version of this app could not be sent."
      onFailure?(RefusedAction(kind: row.kind, actionID: row.id, entityID: row.entityID, sentence: sentence))
    }
    return nil
  }

  private func tellDamage() {
    guard let times = outbox?.timesSetAside, times > damagesTold else { return }
    damagesTold = times
    // Before the rows of an earlier run were read, they were only in the file.
    onStorageError?(Outbox.Damaged(isRestored: mayBegin))
    let all = line.all
    let rows = all.map(\.row)
    let areRestored: @MainActor (Bool) -> Void = { [weak self] in self?.note(all, areStored: $0) }
    if !rows.isEmpty { write("outbox.restore", then: areRestored) { try await $0.replace(rows.map { try $0() }) } }
  }

  // MARK: Sending

  /// Sends the actions that are stored, unless that is under way or has to wait.
  private func go() {
    guard mayBegin, !isClosed, !isStoring, sending == nil, pause == nil, line.first?.isPersisted == true else { return }
    sending = Task {
      while !isClosed, !isStoring, pause == nil, let first = line.first, first.isPersisted {
        (first.isOnItsWay, first.mayHaveArrived) = (true, true)
        if first.triedAt != otherAnswers { (first.tries, first.triedAt) = (first.tries + 1, otherAnswers) }
        let slow = outboxStatus.value.problem == nil ? sayWhenSlow() : nil
        let outcome: Result<@MainActor () -> Void, any Error>
        do { outcome = .success(try await first.send()) } catch { outcome = .failure(error) }
        slow?.cancel()
        guard !isClosed else { return }
        first.isOnItsWay = false
        // It may have been dropped meanwhile.
        if !first.isFinished { settle(first, outcome) }
      }
      sending = nil
    }
  }

  /// How long an answer may take before people are told that a change waits.
  static let patience = Duration.seconds(5)

  /// A server that hangs looks to people like one that cannot be reached.
  private func sayWhenSlow() -> Task<Void, Never> {
    Task { [weak self, effects, clock = retry.clock] in
      guard (try? await effects.sleep("actions.slow", for: Self.patience, on: clock)) != nil, !Task.isCancelled, let self else { return }
      guard !isClosed, outboxStatus.value.problem == nil else { return }
      outboxStatus.value = OutboxStatus(count: line.count, problem: "There is no answer yet.")
    }
  }

  private func settle(_ action: PendingAction, _ outcome: Result<@MainActor () -> Void, any Error>) {
    switch outcome {
    case .success(let confirm):
      end(action)
      confirm()
      tell()
      forget(action)
    case .failure(let error):
      switch explain(error, action.tries) {
      case .refused(let sentence): refuse(action, error, sentence)
      case .unreachable(let sentence, let retryAfter):
        // It does not matter whether the server got this one: the newer action sets the final value.
        if line.isSuperseded(action) {
          line.remove(action)
          action.revert()
          forget(action.id)
        }
        onUnreachable?(error)
        wait(sentence, retryAfter)
      }
    }
  }

  private func refuse(_ action: PendingAction, _ error: any Error, _ sentence: String) {
    let isWanted = !line.isSuperseded(action)
    end(action)
    action.revert()
    action.refused(error)
    if isWanted, action.handBack() {
      write("outbox.refuse") { [id = action.id] in try await $0.refuse(id, sentence) }
    } else {
      forget(action.id)
    }
    tell()
    onFailure?(RefusedAction(kind: action.kind, actionID: action.id, entityID: action.target.entityID, sentence: sentence))
  }

  /// The server has spoken about the first in line. The status is told when the cache has what follows: an observer would see the entity
  /// without the change and without the answer.
  private func end(_ action: PendingAction) {
    failedTries = 0
    line.remove(action)
  }

  private func wait(_ problem: String, _ retryAfter: Duration?) {
    failedTries += 1
    isRetryAfterPause = retryAfter != nil
    outboxStatus.value = OutboxStatus(count: line.count, problem: problem)
    let wait = retry.wait(after: failedTries, retryAfter: retryAfter)
    pause = Task { [weak self, effects, clock = retry.clock] in
      guard (try? await effects.sleep("actions.retry", for: wait, on: clock)) != nil, !Task.isCancelled else { return }
      self?.pause = nil
      self?.go()
    }
  }

  /// A problem lasts until the server answers.
  private func tell() {
    tellUnstored()
    let lasts = line.count > 0 && (failedTries > 0 || line.first?.isOnItsWay == true)
    outboxStatus.value = OutboxStatus(count: line.count, problem: lasts ? outboxStatus.value.problem : nil)
  }
}
