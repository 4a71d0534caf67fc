@testable import ContentCache
import Foundation
import Runtime
import SQLiteStorage
import Testing

/// One random play: the real cache, its store on a disk, lists, controller and outbox on one side; a model of what must be seen and a model
/// of the server on the other.
@MainActor final class Play {
  /// A question that the reader's side asked, and the moment at which it did.
  struct Reading {
    let number: Int
    let requested: Int
    /// What the server said, once it got the question.
    var answer: FetchedPage<Note>??
  }

  /// What came of opening a note by itself.
  struct Opened {
    let id: String
    let body: String?
  }

  /// How often the rarer things happened, in all plays.
  struct Tally {
    var notModified = 0
    var evicted = 0
    var killed = 0
    var takenAway = 0
  }

  static let notes = ["a", "b", "c", "d", "e", "f", "g"]
  /// Notes that the reader writes and removes.
  static let own = ["m", "n"]

  private let identifiers = SequentialIdentifiers()
  /// This run's: who slept in one that was killed sleeps for ever.
  private var clock = ManualClock()
  private let folder: TemporaryFolder
  private let database: Database
  /// How much is kept, for plays in which that is little.
  let limit: Int?
  private var random: SplitMix
  private(set) var world: World
  private(set) var store: EntityStore
  private(set) var asks = Gate<PlayQuestion, PageAnswer<Note>>()
  var fetchers: [PageFetcher<Note>] = []
  var readings: [Reading] = []
  var opened: [Opened] = []
  /// Whether the server's last word on a note by itself was without its body.
  var isBare: [String: Bool] = [:]
  private let bell = Bell()
  private var time = 0
  var lastStep = ""
  var tally = Tally()

  var server = PlayServer(notes)
  var model = PlayModel()
  /// What the server decided about the action that hangs.
  private var decided: Result<Note?, any Error>?
  private var line: [World.Sent] = []

  // What the reader did, in its order, and what of it the server would not have.
  private var done: [World.Sent] = []
  private var refused: Set<UUID> = []
  /// What the reader took back with what it was done to; some of it may have been on its way.
  private var dropped: Set<UUID> = [] { didSet { refused.formUnion(dropped) } }

  private var path: String { folder.path + "/content.sqlite" }

  init(seed: UInt64) async throws {
    random = SplitMix(state: seed)
    folder = try TemporaryFolder(isOnDisk: false)
    database = try await Database(path: ":memory:", migrations: Outbox.migrations)
    limit = seed.isMultiple(of: 3) ? 50_000 : nil
    store = EntityStore(path: ":memory:", owner: "", clock: clock)
    world = World()
    try await open()
  }

  private var onItsWay: World.Sent? { world.gate.hanging.first?.question }

  /// One thing happens, and whatever follows from it without anyone's doing.
  func step() async throws {
    tick()
    switch below(24) {
    case 0..<6: for _ in 0...below(3) { act() }
    case 6..<9: if onItsWay != nil, decided == nil { decide(fate: below(9)) }
    case 9..<12: answer()
    case 12, 13: reload()
    case 14: loadMore()
    case 15: if let id = (Self.notes + Self.own).randomElement(using: &random) { show(id) }
    case 16: if let index = readings.indices.randomElement(using: &random) { getReading(index) }
    case 17..<20: if let index = readings.indices.randomElement(using: &random) { arrive(index, isReached: below(6) > 0) }
    case 20:
      guard let id = Self.notes.randomElement(using: &random) else { break }
      let what = below(7)
      lastStep = "elsewhere something is done to \(id): \(what)"
      server.change(id, what)
    case 21:
      lastStep = "time passes, or somebody thinks that the network is back"
      switch below(3) {
      case 0: clock.advance(by: below(2) == 0 ? clock.nextDue ?? .zero : .seconds(below(20)))
      case 1: world.controller.retryNow()
      default: world.controller.networkIsBack()
      }
    case 22:
      switch below(8) {
      case 0: try await restart()
      case 1: try await kill()
      case 2: try await signOutAndIn()
      default: fetchers.randomElement(using: &random)?.reloadFromCache()
      }
    default:
      let what = below(6)
      guard what < 3, let id = Self.notes.randomElement(using: &random) else { break }
      if what == 2 { takeAway(from: id) } else { toggle(id) }
    }
    await quiet()
  }

  /// Whether the reader sees what the model says.
  func check(_ comment: String) -> Bool {
    defer { opened = [] }
    for id in Self.notes + Self.own {
      let known = world.cache.value(id)
      guard model.allows(id, known) else {
        Issue.record("\(comment): of \(id) \(String(describing: known)) is known, expected \(model.expected(id))")
        return false
      }
      var expected = known
      for action in line where action.isAboutAll || action.entityID == id { action.apply(to: &expected) }
      guard world.cache[id] == expected else {
        Issue.record("\(comment): \(id) shows \(String(describing: world.cache[id])), expected \(String(describing: expected))")
        return false
      }
    }
    for opened in opened where (opened.body == nil) != (isBare[opened.id] ?? false) {
      Issue.record("\(comment): \(opened.id) was opened \(opened.body == nil ? "without its" : "with a") body")
      return false
    }
    for fetcher in fetchers where Set(fetcher.state.ids).count != fetcher.state.ids.count {
      Issue.record("\(comment): something is there twice in \(fetcher.state.ids)")
      return false
    }
    guard world.pending == line.count else {
      Issue.record("\(comment): \(world.pending) wait, expected \(line)")
      return false
    }
    return true
  }

  /// Lets everything arrive: the server must have what the reader did last, each comment once, the lists what the server has, and the outbox
  /// nothing.
  func finish(_ comment: String) async throws -> Bool {
    while world.pending > 0 {
      if onItsWay == nil {
        world.controller.retryNow()
      } else {
        if decided == nil { decide(fate: 0) }
        answer()
      }
      await quiet()
    }
    while !readings.isEmpty {
      arrive(readings.count - 1)
      await quiet()
    }
    guard check("\(comment), at the end") else { return false }
    var wrong = lastActions().filter { !refused.contains($0.action.id) && !server.shows($0.action, on: $0.note) }
      .map { "\($0.action) is not on the server's \($0.note)" }
    wrong += done.filter { $0.kind == CommentAction.kind && !refused.contains($0.id) && server.comments[$0.id] != 1 }
      .map { "\($0) came out \(server.comments[$0.id] ?? 0) times" }
    wrong += await readEverything()
    guard check("\(comment), when everything was read") else { return false }
    await world.controller.written()
    let rows = try await database.run { try $0.query("SELECT kind FROM outbox") { try $0.get(0, as: String.self) } }
    if !rows.isEmpty { wrong.append("\(rows) stayed in the outbox") }
    for problem in wrong { Issue.record("\(comment), at the end: \(problem)") }
    try await end()
    return wrong.isEmpty
  }

  /// Returns when everything that can happen without an answer from the server has happened.
  func quiet() async {
    // One look is not enough: a delivery may just have started a task that is about to ask the next question.
    var calm = 0
    while calm < 6 {
      if isEverythingRequested { await Task.yield() } else { await bell.next() }
      // Whoever opens something has the answer, and has not done with it what they do.
      calm = isEverythingRequested && world.isAsleep && world.opening.allSatisfy(isRequested) ? calm + 1 : 0
    }
    tick()
    let known = Set(readings.map(\.number))
    readings += asks.hanging.filter { !known.contains($0.number) }.map { Reading(number: $0.number, requested: time) }
  }

  /// Whether nothing is on its way but what the server has to answer.
  private var isEverythingRequested: Bool { world.effects.inFlight == world.gate.hanging.count + asks.hanging.count }

  private func isRequested(_ id: String) -> Bool { asks.hanging.contains { $0.question.list == "=" + id } }

  // MARK: The reader

  private func act() {
    let kinds = [LikeAction.kind, LikeAction.kind, MarkAction.kind, CommentAction.kind, WriteAction.kind, MarkAllAction.kind]
    let kind = kinds[below(kinds.count)]
    guard let id = (kind == WriteAction.kind ? Self.own : Self.notes).randomElement(using: &random) else { return }
    let on = below(2) == 0
    let action: UUID =
      switch kind {
      case LikeAction.kind: world.like(id, on)
      case MarkAction.kind: world.mark(id, on)
      case MarkAllAction.kind: world.markAll(to: id, on)
      case WriteAction.kind: world.write(id, on)
      default: world.comment(id)
      }
    let sent = World.Sent(id: action, kind: kind, entityID: id, on: kind == CommentAction.kind || on)
    line.removeAll { $0 != onItsWay && $0.isSuperseded(by: sent) }
    line.append(sent)
    done.append(sent)
    lastStep = "\(kind) \(id) \(on)"
  }

  /// The reader takes notes away that have something in common, and with them what waits to be sent about them.
  private func takeAway(from first: String) {
    let gone = Set(Self.notes.filter { $0 >= first }.prefix(2))
    lastStep = "\(gone.sorted()) are taken away"
    server.takeAway(gone)
    let isGone = { (kind: String, id: String) in kind != MarkAllAction.kind && gone.contains(id) }
    world.controller.drop(where: isGone)
    world.cache.remove { gone.contains($0.id) }
    dropped.formUnion(line.filter { isGone($0.kind, $0.entityID) }.map(\.id))
    line.removeAll { dropped.contains($0.id) }
    model.forget(gone, at: tick())
    tally.takenAway += 1
  }

  /// The last of each switch that the reader turned, for each note.
  private func lastActions() -> [(action: World.Sent, note: String)] {
    done.enumerated().flatMap { index, action in
      let notes = action.isAboutAll ? Self.notes.filter { $0 <= action.entityID } : [action.entityID]
      return notes.filter { note in !done[(index + 1)...].contains { action.isOverruled(by: $0, on: note) } }.map { (action, $0) }
    }
  }

  // MARK: Actions and the server

  private func decide(fate: Int) {
    guard let sent = onItsWay else { return }
    lastStep = "the server gets \(sent.kind) \(sent.entityID): \(fate)"
    switch fate {
    case 6:
      refused.insert(sent.id)
      decided = .failure(Refused())
    case 7: decided = .failure(Unreachable(retryAfter: below(2) == 0 ? .seconds(below(30)) : nil))
    default:
      guard server.carryOut(sent) else {
        refused.insert(sent.id)
        decided = .failure(Refused())
        return
      }
      decided = fate == 8 ? .failure(Unreachable()) : .success(sent.isAboutAll ? nil : server.notes[sent.entityID]?.bare)
    }
  }

  private func answer() {
    guard let sent = onItsWay, let result = decided else { return }
    lastStep = "answer to \(sent.kind) \(sent.entityID)"
    decided = nil
    tick()
    guard !dropped.contains(sent.id) else { return world.gate.answer(0, result) }
    switch result {
    case .success(let note?): model.learn(note, requested: time)
    case .success(nil) where sent.isAboutAll: model.apply(sent, at: time)
    case .success(nil): model.forget(sent.entityID, at: time)
    case .failure: break
    }
    // What did not come for sure gives way to a later one of its kind.
    if !result.isUnreachable || line.contains(where: { $0 != sent && sent.isSuperseded(by: $0) }) { line.removeAll { $0 == sent } }
    world.gate.answer(0, result)
  }

  private func toggle(_ id: String) {
    lastStep = "elsewhere \(id) is taken away or put back"
    server.toggle(id)
  }

  // MARK: Ends and beginnings

  /// The app ends in order, and starts again on the same disk.
  private func restart() async throws {
    lastStep = "restart"
    try await end()
    try await open()
  }

  /// The process dies where it stands.
  private func kill() async throws {
    lastStep = "kill"
    tally.killed += 1
    if let index = readings.indices.randomElement(using: &random) { arrive(index) }
    for _ in 0..<below(12) { await Task.yield() }
    world.effects.stop()
    await store.close()
    leave()
    model.breakOff()
    try await open()
  }

  private func signOutAndIn() async throws {
    lastStep = "sign out, somebody else, sign in"
    world.controller.close()
    for id in Self.notes + Self.own { #expect(world.cache[id] == world.cache.value(id)) }
    await world.controller.written()
    world.cache.removeAll()
    await store.erase()
    await store.close()
    leave()
    model.erase()
    let others = EntityStore(path: path, owner: "other", clock: clock)
    let other = World(outbox: Outbox(database: database, owner: "other"), store: others, ids: identifiers, clock: clock)
    await other.controller.resume()
    await other.quiet()
    #expect(other.pending == 0 && other.gate.requested.isEmpty)
    #expect(await other.cache.loadFromStore(PageKey("notes", nil)) == nil)
    other.cache.store(Self.notes.map { Note(id: $0, title: "somebody else's") })
    await other.cache.written()
    other.controller.close()
    await others.close()
    try await open()
  }

  /// Ends a run: what the disk has of it is what was known, and what it may not lose.
  private func end() async throws {
    await world.controller.written()
    await world.cache.written()
    let ids = Self.notes + Self.own
    let known = Dictionary(uniqueKeysWithValues: ids.compactMap { id in world.cache.value(id).map { (id, $0) } })
    world.effects.stop()
    await store.close()
    let pending = Set(line.filter { !$0.isAboutAll }.map(\.entityID))
    for problem in try model.problems(path, notes: known, pending: pending, isLimited: limit != nil) {
      Issue.record("\(lastStep), on the disk: \(problem)")
    }
    let stored = try Connection(path: path).queryOne("SELECT count(*) FROM entity") { try $0.get(0, as: Int.self) } ?? 0
    if stored < known.count { tally.evicted += 1 }
    leave()
    model.end(with: known)
  }

  private func leave() {
    fetchers = []
    readings = []
    opened = []
    while !world.gate.hanging.isEmpty { world.gate.answer(0, .failure(CancellationError())) }
    while !asks.hanging.isEmpty { asks.answer(0, .failure(CancellationError())) }
    decided = nil
    // What was on its way is unsent again, and so gives way to a later one of its kind.
    line = line.enumerated().filter { entry in !line[(entry.offset + 1)...].contains { entry.element.isSuperseded(by: $0) } }.map(\.element)
  }

  private func open() async throws {
    clock = ManualClock(now: clock.now)
    store = EntityStore(path: path, owner: "reader", clock: clock, limit: limit ?? EntityStore.defaultLimit)
    world = World(outbox: Outbox(database: database, owner: "reader"), store: store, ids: identifiers, clock: clock)
    asks = Gate()
    world.effects.onDelivery = { [bell] _ in bell.ring() }
    asks.observe { [bell] in bell.ring() }
    world.gate.observe { [bell] in bell.ring() }
    // The reader may be faster than the outbox.
    if below(3) == 0 { act() }
    await world.controller.resume()
    await world.cache.written()
    store.startEvicting()
    makeFetchers()
    if below(3) > 0 { reload() }
    await quiet()
  }

  func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }

  /// - Returns: this moment, which is later than all before.
  @discardableResult func tick() -> Int {
    time += 1
    return time
  }
}

/// Rung whenever something was asked or delivered.
@MainActor private final class Bell {
  private let rings: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation

  init() { (rings, end) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  nonisolated func ring() { end.yield() }

  /// Returns after the next ring, or at once when it was rung since.
  func next() async {
    for await _ in rings { return }
    // Nothing rings for a test that ran out of time.
    await Task.yield()
  }
}

extension Result<Note?, any Error> {
  fileprivate var isUnreachable: Bool { if case .failure(let error) = self { error is Unreachable } else { false } }
}
