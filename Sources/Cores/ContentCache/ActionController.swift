import Foundation
import Runtime

/// Carries out what a reader does: the cache changes before ``perform(_:)`` returns, the outbox keeps the action, the server is asked,
/// and what it refuses is taken back.
///
/// All actions stand in one line and are sent in the order they were performed in, one at a time. While the server cannot be reached the
/// first of them waits, and with it all behind it: see ``waiting`` and ``retryNow()``. One controller serves one signed-in reader and ends
/// with ``close()``.
@MainActor public final class ActionController {
  private let outbox: Outbox?
  private let effects: Effects
  private let retry: Retry
  private let explain: @MainActor (_ error: any Error, _ tries: Int) -> RequestFailure
  private let writer: OutboxWriter

  private var registrations: [String: any Registration] = [:]
  /// Not confirmed, in the order they are sent in.
  private var line: [PendingAction] = []
  /// Every action ever taken on, so that none is sent as two.
  private var seen: Set<UUID> = []
  private var sending: Task<Void, Never>?
  /// Until when nothing is sent.
  private var pause: Task<Void, Never>?
  /// How often the server was asked in vain since it last said anything.
  private var vainTries = 0
  /// Whether the server itself wants this pause.
  private var isPauseAskedFor = false
  private var mayBegin: Bool
  private var isClosed = false

  /// What the server has not confirmed, and why not.
  public let waiting = LastValue(Waiting())
  /// Told after an action was taken back from the cache, with a sentence for the reader.
  public var onFailure: ((ActionFailure) -> Void)?
  /// Told when the outbox cannot be read or written. The action is sent all the same; only the end of the process could lose it.
  public var onStorageError: ((any Error) -> Void)? {
    get { writer.onError }
    set { writer.onError = newValue }
  }

  /// - Parameters:
  ///   - outbox: where actions survive; with one, nothing is sent before ``resume()`` has brought in what it holds.
  ///   - retry: when the server is asked again after it could not be reached.
  ///   - explain: what an error of a `send` means, with a sentence for the reader, and how often this one was sent. What it calls
  ///     unreachable is sent again for as long as it does.
  public init(
    outbox: Outbox?, effects: Effects, retry: Retry, explain: @escaping @MainActor (_ error: any Error, _ tries: Int) -> RequestFailure
  ) {
    self.outbox = outbox
    self.effects = effects
    self.retry = retry
    self.explain = explain
    writer = OutboxWriter(effects)
    mayBegin = outbox == nil
  }

  isolated deinit { pause?.cancel() }

  /// Makes a kind of action known: which cache it changes and how it is sent. Before ``resume()``, and once for each kind.
  /// - Parameters:
  ///   - send: asks the server, which may see the same ``Action/id`` again; returns the entity as it is afterwards, `nil` when it is no
  ///     more.
  ///   - confirmed: told after the server carried one out and the cache has its answer.
  ///   - refused: told after the server refused one and it was taken back, before ``onFailure``.
  public func register<A: Action>(
    _ type: A.Type, cache: Cache<A.Value>, confirmed: @escaping @MainActor (A) -> Void = { _ in },
    refused: @escaping @MainActor (A) -> Void = { _ in }, send: @escaping @Sendable (A) async throws -> A.Value?
  ) {
    precondition(registrations[A.kind] == nil, "\(A.kind) is registered twice")
    registrations[A.kind] = Registered(cache: cache, effects: effects, send: send, confirmed: confirmed, refused: refused)
  }

  /// Carries out an action; the cache has changed when this returns. Does nothing for one that was performed before, and nothing once
  /// closed.
  public func perform<A: Action>(_ action: A) {
    guard let registered = registrations[A.kind] as? Registered<A> else { preconditionFailure("\(A.kind) is not registered") }
    guard !isClosed, seen.insert(action.id).inserted else { return }
    let new = registered.pending(action)
    let superseded = line.filter { $0.isSuperseded(by: new) }
    line.removeAll { $0.isSuperseded(by: new) }
    // First the new change and then the old one away, so that nobody sees what was before both.
    new.apply(false)
    for old in superseded { old.revert() }
    line.append(new)
    keep(action, new, superseding: superseded.map(\.id))
    tell()
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
    tell()
    go()
  }

  /// Sends what waits at once, whatever the server wanted: the reader asked.
  public func retryNow() {
    pause?.cancel()
    pause = nil
    go()
  }

  /// Sends what waits at once, unless the server itself wants to be left alone: something else was answered, so the network is there.
  public func networkIsBack() {
    if !isPauseAskedFor { retryNow() }
  }

  /// Returns when everything accepted so far is in the outbox, and everything confirmed out of it: before the process ends.
  public func written() async { await writer.written() }

  /// Ends it: what was not confirmed is taken back from the cache and stays in the outbox, to be sent when the same reader comes again.
  /// Answers still on their way reach nothing. For signing out.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    sending?.cancel()
    pause?.cancel()
    let all = line
    line = []
    for action in all { action.revert() }
    tell()
  }

  // MARK: Outbox

  /// Writes the action's row, and sends it afterwards.
  private func keep<A: Action>(_ action: A, _ pending: PendingAction, superseding superseded: [UUID]) {
    let isKept: @MainActor () -> Void = { [weak self] in
      pending.isKept = true
      self?.go()
    }
    guard let outbox else { return isKept() }
    do {
      let row = Outbox.Row(id: action.id, kind: A.kind, entityID: action.entityID, payload: try JSONEncoder().encode(action))
      writer.write("outbox.add", then: isKept) { try await outbox.add(row, superseding: superseded) }
    } catch {
      onStorageError?(error)
      isKept()
    }
  }

  private func forget(_ id: UUID) {
    guard let outbox else { return }
    writer.write("outbox.remove") { try await outbox.remove(id) }
  }

  private func bringIn(_ row: Outbox.Row) {
    struct UnknownKind: Error {}
    let old: PendingAction
    do {
      guard let registration = registrations[row.kind] else { throw UnknownKind() }
      old = try registration.pending(decoding: row.payload)
    } catch {
      forget(row.id)
      let sentence = "A change made with another version of this app could not be sent."
      onFailure?(ActionFailure(kind: row.kind, actionID: row.id, entityID: row.entityID, sentence: sentence))
      return
    }
    guard !line.contains(where: { old.isSuperseded(by: $0) }) else { return forget(row.id) }
    old.isKept = true
    old.apply(true)
    line.insert(old, at: 0)
  }

  // MARK: Sending

  /// Sends as far as the line is kept, unless that is under way or has to wait.
  private func go() {
    guard mayBegin, !isClosed, sending == nil, pause == nil, line.first?.isKept == true else { return }
    sending = Task {
      while !isClosed, pause == nil, let first = line.first, first.isKept {
        first.isOnItsWay = true
        first.tries += 1
        let outcome: Result<@MainActor () -> Void, any Error>
        do { outcome = .success(try await first.send()) } catch { outcome = .failure(error) }
        guard !isClosed else { return }
        first.isOnItsWay = false
        settle(first, outcome)
      }
      sending = nil
    }
  }

  private func settle(_ action: PendingAction, _ outcome: Result<@MainActor () -> Void, any Error>) {
    switch outcome {
    case .success(let confirm):
      end(action)
      confirm()
    case .failure(let error):
      switch explain(error, action.tries) {
      case .refused(let sentence):
        end(action)
        action.revert()
        action.refused()
        onFailure?(ActionFailure(kind: action.kind, actionID: action.id, entityID: action.target.entityID, sentence: sentence))
      case .unreachable(let sentence, let asked): wait(sentence, asked)
      }
    }
  }

  /// The server has spoken about the first in line.
  private func end(_ action: PendingAction) {
    vainTries = 0
    line.removeAll { $0 === action }
    forget(action.id)
    tell()
  }

  private func wait(_ problem: String, _ asked: Duration?) {
    vainTries += 1
    isPauseAskedFor = asked != nil
    waiting.value = Waiting(count: line.count, problem: problem)
    let wait = retry.wait(after: vainTries, asked: asked)
    pause = Task { [weak self, effects, clock = retry.clock] in
      guard (try? await effects.sleep("actions.retry", for: wait, on: clock)) != nil, !Task.isCancelled else { return }
      self?.pause = nil
      self?.go()
    }
  }

  /// A problem lasts until the server has spoken.
  private func tell() { waiting.value = Waiting(count: line.count, problem: vainTries > 0 && !line.isEmpty ? waiting.value.problem : nil) }
}
