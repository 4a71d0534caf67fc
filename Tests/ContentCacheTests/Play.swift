import ContentCache
import Foundation
import Runtime
import SQLiteStorage
import Testing

/// One random play: the real cache, controller and outbox on one side, a model of what must be seen and a model of the server on the other.
@MainActor final class Play {
  private struct Fetch {
    let stamp: Stamp
    let begun: Int
    /// What the server answered, once it got the question.
    var answer: [Note]?
  }

  private static let notes = ["a", "b", "c"]
  /// Notes that the reader writes and removes.
  private static let own = ["m", "n"]

  private let identifiers = SequentialIdentifiers()
  private let clock = ManualClock()
  private let database: Database
  private var random: SplitMix
  private var world: World
  private var time = 0
  private(set) var lastStep = ""

  private var server = Server()
  /// What it decided about the question that hangs.
  private var decided: Result<Note?, any Error>?

  // The model.
  private var known: [String: (note: Note, asOf: Int)] = [:]
  private var gone: [String: Int] = [:]
  private var line: [World.Sent] = []
  private var fetches: [Fetch] = []

  // What the reader did, in its order, and what of it the server would not have.
  private var done: [World.Sent] = []
  private var refused: Set<UUID> = []

  init(seed: UInt64) async throws {
    random = SplitMix(state: seed)
    database = try await Database(path: ":memory:", migrations: Outbox.migrations)
    for id in Self.notes { server.notes[id] = Note(id: id, likes: 3) }
    world = World()
    try await open()
  }

  private var onItsWay: World.Sent? { world.gate.hanging.first?.question }

  /// One thing happens, and whatever follows from it without anyone's doing.
  func step() async throws {
    time += 1
    switch below(20) {
    case 0..<6: for _ in 0...below(3) { act() }
    case 6..<9: if onItsWay != nil, decided == nil { decide(fate: below(9)) }
    case 9..<12: answer()
    case 12: fetch()
    case 13:
      if let index = fetches.indices.randomElement(using: &random) {
        lastStep = "the server gets a fetch"
        fetches[index].answer = fetches[index].answer ?? server.all
      }
    case 14: if let index = fetches.indices.randomElement(using: &random) { arrive(index) }
    case 15:
      lastStep = "somebody else likes"
      if let id = Self.notes.randomElement(using: &random) { server.notes[id]?.likes += 1 }
    case 16:
      lastStep = "time passes"
      clock.advance(by: below(2) == 0 ? clock.nextDue ?? .zero : .seconds(below(20)))
    case 17:
      lastStep = "the network is back, or somebody thinks so"
      if below(2) == 0 { world.controller.retryNow() } else { world.controller.networkIsBack() }
    case 18:
      switch below(4) {
      case 0: try await restart()
      case 1: try await signOutAndIn()
      default: break
      }
    default:
      if below(10) == 0 {
        lastStep = "somebody else removes a note"
        server.notes["c"] = nil
      }
    }
    await world.quiet()
  }

  /// Whether the reader sees what the model says.
  func check(_ comment: String) -> Bool {
    for id in Self.notes + Self.own {
      var expected = known[id]?.note
      for action in line where action.entityID == id { action.apply(to: &expected) }
      guard world.cache[id] == expected else {
        Issue.record("\(comment): \(id) shows \(String(describing: world.cache[id])), expected \(String(describing: expected))")
        return false
      }
    }
    guard world.pending == line.count else {
      Issue.record("\(comment): \(world.pending) wait, expected \(line)")
      return false
    }
    return true
  }

  /// Lets everything arrive: the server must have what the reader did last, each comment once, and the outbox nothing.
  func finish(_ comment: String) async throws -> Bool {
    while world.pending > 0 {
      if onItsWay == nil {
        world.controller.retryNow()
      } else {
        if decided == nil { decide(fate: 0) }
        answer()
      }
      await world.quiet()
    }
    for index in fetches.indices.reversed() { arrive(index) }
    guard check("\(comment), at the end") else { return false }
    var wrong = lastActions().filter { !refused.contains($0.id) && !server.shows($0) }.map { "\($0) is not on the server" }
    wrong += done.filter { $0.kind == CommentAction.kind && !refused.contains($0.id) && server.comments[$0.id] != 1 }
      .map { "\($0) came out \(server.comments[$0.id] ?? 0) times" }
    fetch()
    arrive(0)
    for (id, note) in server.notes where world.cache[id] != note { wrong.append("\(id) shows \(String(describing: world.cache[id]))") }
    await world.controller.written()
    let rows = try await database.run { try $0.query("SELECT kind FROM outbox") { try $0.get(0, as: String.self) } }
    if !rows.isEmpty { wrong.append("\(rows) stayed in the outbox") }
    for problem in wrong { Issue.record("\(comment), at the end: \(problem)") }
    world.controller.close()
    return wrong.isEmpty
  }

  // MARK: The reader

  private func act() {
    let kind = [LikeAction.kind, LikeAction.kind, MarkAction.kind, CommentAction.kind, WriteAction.kind][below(5)]
    guard let id = (kind == WriteAction.kind ? Self.own : Self.notes).randomElement(using: &random) else { return }
    let on = below(2) == 0
    let action: UUID =
      switch kind {
      case LikeAction.kind: world.like(id, on)
      case MarkAction.kind: world.mark(id, on)
      case WriteAction.kind: world.write(id, on)
      default: world.comment(id)
      }
    let sent = World.Sent(id: action, kind: kind, entityID: id, on: kind == CommentAction.kind || on)
    line.removeAll { $0 != onItsWay && $0.isSuperseded(by: sent) }
    line.append(sent)
    done.append(sent)
    lastStep = "\(kind) \(id) \(on)"
  }

  /// The last of each switch that the reader turned.
  private func lastActions() -> [World.Sent] {
    done.enumerated().filter { entry in !done[(entry.offset + 1)...].contains { entry.element.isSuperseded(by: $0) } }.map(\.element)
  }

  // MARK: The server and the way to it

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
      decided = fate == 8 ? .failure(Unreachable()) : .success(server.notes[sent.entityID])
    }
  }

  private func answer() {
    guard let sent = onItsWay, let result = decided else { return }
    lastStep = "answer to \(sent.kind) \(sent.entityID)"
    decided = nil
    time += 1
    switch result {
    case .success(let note?): known[sent.entityID] = (note, time)
    case .success(nil): (known[sent.entityID], gone[sent.entityID]) = (nil, time)
    case .failure: break
    }
    // What did not come for sure gives way to a later one of its kind.
    if !result.isUnreachable || line.contains(where: { $0 != sent && sent.isSuperseded(by: $0) }) { line.removeAll { $0 == sent } }
    world.gate.answer(0, result)
  }

  private func fetch() {
    lastStep = "fetch"
    time += 1
    fetches.append(Fetch(stamp: world.cache.stamp(), begun: time))
  }

  private func arrive(_ index: Int) {
    lastStep = "fetched"
    time += 1
    let fetch = fetches.remove(at: index)
    let notes = fetch.answer ?? server.all
    world.cache.store(notes, asOf: fetch.stamp)
    for note in notes where fetch.begun >= max(known[note.id]?.asOf ?? 0, gone[note.id] ?? 0) { known[note.id] = (note, fetch.begun) }
  }

  // MARK: Ends and beginnings

  /// The process dies where it stands, and starts again on the same outbox.
  private func restart() async throws {
    lastStep = "restart"
    world.effects.stop()
    leave()
    try await open()
  }

  private func signOutAndIn() async throws {
    lastStep = "sign out, somebody else, sign in"
    world.controller.close()
    for id in Self.notes + Self.own { #expect(world.cache[id] == known[id]?.note) }
    await world.controller.written()
    leave()
    let other = World(outbox: Outbox(database: database, owner: "other"), ids: identifiers, clock: clock)
    await other.controller.resume()
    await other.quiet()
    #expect(other.pending == 0 && other.gate.asked.isEmpty)
    other.controller.close()
    try await open()
  }

  private func leave() {
    if onItsWay != nil { world.gate.answer(0, .failure(CancellationError())) }
    decided = nil
    fetches.removeAll()
    known.removeAll()
    gone.removeAll()
    // What was on its way is unsent again, and so gives way to a later one of its kind.
    line = line.enumerated().filter { entry in !line[(entry.offset + 1)...].contains { entry.element.isSuperseded(by: $0) } }.map(\.element)
  }

  private func open() async throws {
    world = World(outbox: Outbox(database: database, owner: "reader"), ids: identifiers, clock: clock)
    // The reader may be faster than the outbox.
    if below(3) == 0 { act() }
    await world.controller.resume()
    fetch()
    arrive(0)
    await world.quiet()
  }

  private func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
}

/// What a server does with actions, in the plainest form.
private struct Server {
  var notes: [String: Note] = [:]
  /// How often each comment was taken on.
  var comments: [UUID: Int] = [:]

  var all: [Note] { notes.keys.sorted().compactMap { notes[$0] } }

  /// Whether it could.
  mutating func carryOut(_ sent: World.Sent) -> Bool {
    guard notes[sent.entityID] != nil || sent.kind == WriteAction.kind else { return false }
    let before = notes[sent.entityID]?.comments.count ?? 0
    sent.apply(to: &notes[sent.entityID])
    if notes[sent.entityID]?.comments.count ?? 0 > before { comments[sent.id, default: 0] += 1 }
    return true
  }

  /// Whether the action's change is there, as far as what it was made on is.
  func shows(_ sent: World.Sent) -> Bool {
    guard sent.kind != WriteAction.kind else { return (notes[sent.entityID] != nil) == sent.on }
    guard let note = notes[sent.entityID] else { return true }
    return switch sent.kind {
    case LikeAction.kind: note.liked == sent.on
    case MarkAction.kind: note.marked == sent.on
    default: note.comments.contains(sent.id)
    }
  }
}

extension World.Sent {
  fileprivate func apply(to note: inout Note?) {
    switch kind {
    case LikeAction.kind: LikeAction(id: id, entityID: entityID, on: on).apply(to: &note)
    case MarkAction.kind: MarkAction(id: id, entityID: entityID, on: on).apply(to: &note)
    case WriteAction.kind: WriteAction(id: id, entityID: entityID, on: on).apply(to: &note)
    default: CommentAction(id: id, entityID: entityID).apply(to: &note)
    }
  }

  fileprivate func isSuperseded(by newer: World.Sent) -> Bool {
    kind != CommentAction.kind && kind == newer.kind && entityID == newer.entityID
  }
}

extension Result<Note?, any Error> {
  fileprivate var isUnreachable: Bool { if case .failure(let error) = self { error is Unreachable } else { false } }
}
