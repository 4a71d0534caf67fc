import ContentCache
import Foundation
import Runtime
import SQLiteStorage
import Testing

/// Random interleavings of what a reader does, what the server does, answers in any order, and ends of the process. The invariant: what
/// the reader sees is the server's last known state with the pending actions on top.
@MainActor @Suite(.timeLimit(.minutes(5))) struct InterleavingTests {
  @Test(arguments: 1...60) func readerSeesServerStateAndPendingActions(seed: UInt64) async throws {
    let play = try await Play(seed: seed)
    for step in 1...80 {
      try await play.step()
      guard play.check("seed \(seed), step \(step), \(play.lastStep)") else { return }
    }
    try await play.finish("seed \(seed)")
  }
}

/// One random play: the real cache and controller on one side, a plain model of what must be seen on the other.
@MainActor private final class Play {
  private struct Pending: Equatable {
    let id: UUID
    let kind: String
    let on: Bool
  }

  private struct Fetch {
    let stamp: Stamp
    let begun: Int
    var snapshot: [Note]?
  }

  private static let ids = ["a", "b", "c"]
  private let folder: TemporaryFolder
  private let identifiers = SequentialIdentifiers()
  private var random: Chance
  private var world: World
  private var database: Database
  private var time = 0
  private(set) var lastStep = ""

  // The server.
  private var truth: [String: Note] = [:]
  /// What it decided for questions that hang, by their number.
  private var decided: [Int: Result<Note, any Error>] = [:]
  /// An answer was lost after the server acted: the reader is wrong until the next fetch.
  private var lost = false

  // The model.
  private var known: [String: (note: Note, asOf: Int)] = [:]
  private var pending: [String: [Pending]] = [:]
  private var fetches: [Fetch] = []

  init(seed: UInt64) async throws {
    random = Chance(state: seed)
    folder = try TemporaryFolder()
    for id in Self.ids { truth[id] = Note(id: id, likes: 3) }
    (world, database) = try await Self.open(folder, identifiers)
    await world.controller.resume()
    fetch()
    deliverFetch(0)
  }

  private static func open(_ folder: TemporaryFolder, _ identifiers: SequentialIdentifiers) async throws -> (World, Database) {
    let path = folder.path + "/outbox.sqlite"
    let database = try await Database(path: path, migrations: Outbox.migrations, synchronous: .normal)
    return (World(outbox: Outbox(database: database, owner: "reader"), ids: identifiers), database)
  }

  func step() async throws {
    time += 1
    // Questions of different entities reach the server in no certain order; one of each entity hangs at a time.
    let hanging = world.gate.hanging.sorted { $0.question.entityID < $1.question.entityID }
    switch random.below(16) {
    case 0..<5: act()
    case 5..<8: if let question = hanging.filter({ decided[$0.number] == nil }).randomElement(using: &random) { decide(question) }
    case 8..<11:
      if let question = hanging.filter({ decided[$0.number] != nil }).randomElement(using: &random) { answer(question) }
    case 11: fetch()
    case 12:
      if let index = fetches.indices.randomElement(using: &random) {
        lastStep = "snapshot"
        fetches[index].snapshot = fetches[index].snapshot ?? snapshot
      }
    case 13: if let index = fetches.indices.randomElement(using: &random) { deliverFetch(index) }
    case 14:
      lastStep = "somebody else likes"
      if let id = Self.ids.randomElement(using: &random) { truth[id]?.likes += 1 }
    default: if random.below(3) == 0 { try await restart() }
    }
    await world.quiet()
  }

  /// Whether the reader sees what the model says.
  func check(_ comment: String) -> Bool {
    for id in Self.ids {
      var expected = known[id]?.note
      for action in pending[id] ?? [] {
        if action.kind == "mark" {
          expected?.marked = action.on
        } else if let liked = expected?.liked, liked != action.on {
          expected?.liked = action.on
          expected?.likes += action.on ? 1 : -1
        }
      }
      guard world.cache[id] == expected else {
        Issue.record("\(comment): \(id) shows \(String(describing: world.cache[id])), expected \(String(describing: expected))")
        return false
      }
    }
    return true
  }

  /// Lets everything arrive: the reader's own changes must be as the server has them, and after a fetch everything.
  func finish(_ comment: String) async throws {
    while let question = world.gate.hanging.first {
      if decided[question.number] == nil { decide(question, always: true) }
      answer(question)
      await world.quiet()
    }
    #expect(world.controller.pendingCount == 0, "\(comment)")
    for index in fetches.indices.reversed() { deliverFetch(index) }
    _ = check("\(comment), at the end")
    if !lost {
      for (id, note) in truth {
        #expect(world.cache[id]?.liked == note.liked, "\(comment), \(id)")
        #expect(world.cache[id]?.marked == note.marked, "\(comment), \(id)")
      }
    }
    fetch()
    deliverFetch(0)
    for (id, note) in truth { #expect(world.cache[id] == note, "\(comment), \(id)") }
    await world.controller.written()
    await database.close()
    let rows = try Connection(path: folder.path + "/outbox.sqlite").query("SELECT kind FROM outbox") { try $0.get(0, as: String.self) }
    #expect(rows.isEmpty, "\(comment)")
  }

  private var snapshot: [Note] { Self.ids.compactMap { truth[$0] } }

  private func act() {
    guard let id = Self.ids.randomElement(using: &random) else { return }
    let on = random.below(2) == 0
    let kind = random.below(3) == 0 ? "mark" : "like"
    let action = kind == "mark" ? world.mark(id, on) : world.like(id, on)
    // The first of an entity is on its way; behind it, the same kind is superseded.
    let rest = (pending[id] ?? []).enumerated().filter { $0.offset == 0 || $0.element.kind != kind }.map(\.element)
    pending[id] = rest + [Pending(id: action, kind: kind, on: on)]
    lastStep = "\(kind) \(id) \(on)"
  }

  private func decide(_ question: Gate<World.Sent, Note>.Hanging, always: Bool = false) {
    let sent = question.question
    let fate = always ? 0 : random.below(8)
    lastStep = "server decides \(sent.kind) \(sent.entityID): \(fate)"
    switch fate {
    case 6: decided[question.number] = .failure(Refused())
    default:
      truth[sent.entityID].map { note in
        var note = note
        if sent.kind == "mark" {
          MarkAction(id: sent.id, entityID: sent.entityID, on: sent.on).apply(to: &note)
        } else {
          LikeAction(id: sent.id, entityID: sent.entityID, on: sent.on).apply(to: &note)
        }
        truth[sent.entityID] = note
        decided[question.number] = fate == 7 ? .failure(Unreachable()) : .success(note)
      }
    }
  }

  private func answer(_ question: Gate<World.Sent, Note>.Hanging) {
    guard let result = decided.removeValue(forKey: question.number),
      let index = world.gate.hanging.firstIndex(where: { $0.number == question.number })
    else { return }
    let id = question.question.entityID
    lastStep = "answer \(question.question.kind) \(id)"
    pending[id]?.removeAll { $0.id == question.question.id }
    time += 1
    switch result {
    case .success(let note): known[id] = (note, time)
    case .failure(let error): if error is Unreachable { lost = true }
    }
    world.gate.answer(index, result)
  }

  private func fetch() {
    lastStep = "fetch"
    time += 1
    fetches.append(Fetch(stamp: world.cache.stamp(), begun: time))
  }

  private func deliverFetch(_ index: Int) {
    lastStep = "fetched"
    time += 1
    let fetch = fetches.remove(at: index)
    let notes = fetch.snapshot ?? snapshot
    world.cache.store(notes, asOf: fetch.stamp)
    for note in notes where known[note.id].map({ $0.asOf <= fetch.begun }) ?? true { known[note.id] = (note, fetch.begun) }
  }

  /// The process ends, whatever is under way, and starts again on the same outbox.
  private func restart() async throws {
    lastStep = "restart"
    await world.controller.written()
    await database.close()
    let old = world.gate
    decided.removeAll()
    fetches.removeAll()
    known.removeAll()
    // What was on its way is unsent again, and so gives way to a later one of its kind.
    for (id, actions) in pending {
      pending[id] = actions.enumerated().filter { entry in !actions[(entry.offset + 1)...].contains { $0.kind == entry.element.kind } }
        .map(\.element)
    }
    (world, database) = try await Self.open(folder, identifiers)
    await world.controller.resume()
    for _ in old.hanging { old.answer(0, .failure(CancellationError())) }
    fetch()
    deliverFetch(0)
  }
}

/// Sebastiano Vigna's SplitMix64, so that a seed plays the same everywhere.
private struct Chance: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &self) }
}
