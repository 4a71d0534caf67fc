import ContentCache
import Foundation
import Runtime
import Synchronization

/// An entity with two flags that a reader sets, a count that depends on one of them, and a body that lists leave out.
struct Note: Entity {
  var id: String
  var title = ""
  var body: String?
  var liked = false
  var likes = 0
  var marked = false
  var comments: [UUID] = []

  var detail: String? {
    get { body }
    set { body = newValue }
  }
  var isPinned: Bool { marked }

  static var blank: Note { Note(id: "") }

  mutating func fields(_ form: inout FieldCoder) {
    form.field("id", &id)
    form.field("title", &title)
    form.field("liked", &liked)
    form.field("likes", &likes)
    form.field("marked", &marked)
    var written = comments.map(\.uuidString)
    form.field("comments", &written)
    comments = written.compactMap { UUID(uuidString: $0) }
  }
}

struct LikeAction: Action, Equatable {
  typealias Value = Note
  static let kind = "like"
  let id: UUID
  let entityID: String
  let on: Bool

  func apply(to note: inout Note?) {
    guard var changed = note, changed.liked != on else { return }
    changed.liked = on
    changed.likes += on ? 1 : -1
    note = changed
  }
}

struct MarkAction: Action, Equatable {
  typealias Value = Note
  static let kind = "mark"
  let id: UUID
  let entityID: String
  let on: Bool

  func apply(to note: inout Note?) { note?.marked = on }
}

/// Marks all notes whose names are not behind a letter, or takes their marks away. Each counts.
struct MarkAllAction: Action, Equatable {
  typealias Value = Note
  static let kind = "mark_all"
  static let isAboutAll = true
  let id: UUID
  let entityID: String
  let on: Bool
  var supersedesKey: String? { nil }

  func apply(to note: inout Note?) { if let id = note?.id, id <= entityID { note?.marked = on } }
}

/// Takes back what one of those did.
struct UnmarkAllAction: Action, Equatable {
  typealias Value = Note
  static let kind = "unmark_all"
  static let isAboutAll = true
  let id: UUID
  let entityID: String
  let undoes: UUID?
  var supersedesKey: String? { nil }

  func apply(to note: inout Note?) { if let id = note?.id, id <= entityID { note?.marked = false } }
}

/// Each counts.
struct CommentAction: Action, Equatable {
  typealias Value = Note
  static let kind = "comment"
  let id: UUID
  let entityID: String
  var supersedesKey: String? { nil }

  func apply(to note: inout Note?) { if note?.comments.contains(id) == false { note?.comments.append(id) } }
}

/// Makes a note of the reader's own, or removes it.
struct WriteAction: Action, Equatable {
  typealias Value = Note
  static let kind = "write"
  let id: UUID
  let entityID: String
  let on: Bool

  func apply(to note: inout Note?) { note = on ? note ?? Note(id: entityID, title: "mine") : nil }
}

/// What a test's server answers with, or what the way to it does.
struct Refused: Error {}
struct Unreachable: Error { var retryAfter: Duration? }

@MainActor func explain(_ error: any Error) -> RequestError {
  if let error = error as? Unreachable {
    .unreachable("The server cannot be reached.", retryAfter: error.retryAfter)
  } else {
    .refused("The server said no.")
  }
}

/// Where questions hang until a test answers them. Safe from any thread.
final class Gate<Question: Sendable, Answer: Sendable>: Sendable {
  struct Hanging: Sendable {
    let number: Int
    let question: Question
    fileprivate let continuation: CheckedContinuation<Answer, any Error>
  }

  private struct State {
    var hanging: [Hanging] = []
    var requested: [Question] = []
    var onRequest: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Not yet answered, in order.
  var hanging: [Hanging] { state.withLock { $0.hanging } }
  /// Everything ever asked, in order.
  var requested: [Question] { state.withLock { $0.requested } }

  /// Calls back after each question, on any thread.
  func observe(_ onRequest: @escaping @Sendable () -> Void) { state.withLock { $0.onRequest = onRequest } }

  func ask(_ question: Question) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
      let onRequest = state.withLock {
        $0.hanging.append(Hanging(number: $0.requested.count, question: question, continuation: continuation))
        $0.requested.append(question)
        return $0.onRequest
      }
      onRequest?()
    }
  }

  /// Answers the question that hangs at a place, the oldest by default.
  func answer(_ index: Int = 0, _ result: Result<Answer, any Error>) {
    let hanging = state.withLock { $0.hanging.remove(at: index) }
    hanging.continuation.resume(with: result)
  }
}

/// A cache, a controller and the server's end of both.
@MainActor final class World {
  let effects = Effects()
  let cache: Cache<Note>
  let gate = Gate<Sent, Note?>()
  let controller: ActionController
  let clock: ManualClock
  let ids: any IdentifierSource
  private(set) var failures: [RefusedAction] = []
  private(set) var storageErrors = 0
  private(set) var labels: [String] = []
  /// What is being opened by itself.
  var opening: [String] = []

  /// An action as it reached the server.
  struct Sent: Sendable, Equatable {
    let id: UUID
    let kind: String
    let entityID: String
    let on: Bool
  }

  init(
    outbox: Outbox? = nil, store: EntityStore? = nil, ids: any IdentifierSource = SequentialIdentifiers(),
    clock: ManualClock = ManualClock(), random: any RandomSource = FixedRandom()
  ) {
    cache = Cache(store: store, effects: effects)
    self.ids = ids
    self.clock = clock
    controller = ActionController(outbox: outbox, effects: effects, retry: RetryEnvironment(on: clock, random: random)) { error, _ in
      explain(error)
    }
    let gate = gate
    controller.register(LikeAction.self, cache: cache) {
      try await gate.ask(Sent(id: $0.id, kind: LikeAction.kind, entityID: $0.entityID, on: $0.on))
    }
    controller.register(MarkAction.self, cache: cache) {
      try await gate.ask(Sent(id: $0.id, kind: MarkAction.kind, entityID: $0.entityID, on: $0.on))
    }
    controller.register(MarkAllAction.self, cache: cache) {
      try await gate.ask(Sent(id: $0.id, kind: MarkAllAction.kind, entityID: $0.entityID, on: $0.on))
    }
    controller.register(UnmarkAllAction.self, cache: cache) {
      try await gate.ask(Sent(id: $0.id, kind: UnmarkAllAction.kind, entityID: $0.entityID, on: false))
    }
    controller.register(CommentAction.self, cache: cache) {
      try await gate.ask(Sent(id: $0.id, kind: CommentAction.kind, entityID: $0.entityID, on: true))
    }
    controller.register(WriteAction.self, cache: cache) {
      try await gate.ask(Sent(id: $0.id, kind: WriteAction.kind, entityID: $0.entityID, on: $0.on))
    }
    controller.onFailure = { [weak self] in self?.failures.append($0) }
    controller.onStorageError = { [weak self] _ in self?.storageErrors += 1 }
    effects.onDelivery = { [weak self] in self?.labels.append($0.label) }
  }

  /// How many actions the server has not confirmed.
  var pending: Int { controller.outboxStatus.value.count }

  @discardableResult func like(_ entityID: String, _ on: Bool = true) -> UUID {
    perform(LikeAction(id: ids.next(), entityID: entityID, on: on))
  }

  @discardableResult func mark(_ entityID: String, _ on: Bool = true) -> UUID {
    perform(MarkAction(id: ids.next(), entityID: entityID, on: on))
  }

  /// - Parameter last: the last note that is meant.
  @discardableResult func markAll(to last: String, _ on: Bool = true) -> UUID {
    perform(MarkAllAction(id: ids.next(), entityID: last, on: on))
  }

  @discardableResult func undoMarkAll(_ id: UUID, to last: String) -> UUID {
    perform(UnmarkAllAction(id: ids.next(), entityID: last, undoes: id))
  }

  @discardableResult func comment(_ entityID: String) -> UUID { perform(CommentAction(id: ids.next(), entityID: entityID)) }

  @discardableResult func write(_ entityID: String, _ on: Bool = true) -> UUID {
    perform(WriteAction(id: ids.next(), entityID: entityID, on: on))
  }

  private func perform<A: Action>(_ action: A) -> UUID where A.Value == Note {
    controller.perform(action)
    return action.id
  }

  /// Returns when everything that can happen without an answer from the server has happened.
  func quiet() async {
    // One look is not enough: a delivery may just have started a task that is about to ask the next question.
    var calm = 0
    while calm < 5 {
      await Task.yield()
      calm = effects.inFlight == gate.hanging.count && isAsleep ? calm + 1 : 0
    }
  }

  /// Whether no timer is on its way to its clock, or back: whoever wakes comes by way of the shared pool, where others may be in front.
  var isAsleep: Bool { effects.timers <= clock.sleeperCount }

  func answer(_ index: Int = 0, _ result: Result<Note?, any Error>) async {
    gate.answer(index, result)
    await quiet()
  }

  /// Nobody is reached, and the controller waits.
  func fail(retryAfter: Duration? = nil) async { await answer(0, .failure(Unreachable(retryAfter: retryAfter))) }

  /// Time passes.
  func advance(_ duration: Duration) async {
    clock.advance(by: duration)
    await quiet()
  }
}

/// Which plays are played: so many, or those that are chosen.
func seeds(_ count: UInt64) -> ClosedRange<UInt64> { chosenSeeds() ?? 1...count }

/// The play that `MATINEE_SEED` names, or as many as `MATINEE_PLAYS` says; `nil` if nobody chooses.
func chosenSeeds() -> ClosedRange<UInt64>? {
  let number = { ProcessInfo.processInfo.environment[$0].flatMap(UInt64.init) }
  return number("MATINEE_SEED").map { $0...$0 } ?? number("MATINEE_PLAYS").map { 1...$0 }
}

/// A folder that goes with the test.
final class TemporaryFolder {
  let path: String

  /// - Parameter isOnDisk: whether it has to be; otherwise it is in memory where the system has a place for that, which is much faster.
  init(isOnDisk: Bool = true) throws {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isThere = FileManager.default.isWritableFile(atPath: memory.path)
    let place = isOnDisk || !isThere ? FileManager.default.temporaryDirectory : memory
    path = place.appending(path: "matinee-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Identifiers that differ between two runs of one test.
final class Numbered: IdentifierSource {
  private let numbers: SequentialIdentifiers

  init(first: UInt8) {
    numbers = SequentialIdentifiers()
    for _ in 1..<first { _ = numbers.next() }
  }

  func next() -> UUID { numbers.next() }
}
