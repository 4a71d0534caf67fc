import Foundation
import PublicationAPI
import PublicationCommerce
import PurchaseService

@testable import CrashProbe

/// One case as it is played: a journey, and who is killed where. Belongs to its world.
final class Play {
  /// What came of it.
  struct Outcome: Sendable {
    /// Where somebody stood since the last blow, until the client was done; with the step its journal had then.
    var trace: [(point: Point, step: Transaction.Step?)] = []
    /// How many blows were struck.
    var blows = 0
    /// Every step that was seen in a journal.
    var steps: Set<String> = []
    /// How many charges there are.
    var charges = 0
    /// Whether all say that the reader has it: the client, the client without a network, and the server.
    var isEntitled = false
    /// Whether there was something left to do for ever.
    var isStuck = false
    /// What is not as it has to be, in words.
    var problems: [String] = []
  }

  private let journey: Journey
  private let reader: World.Reader
  private let isRehearsal: Bool
  private var blows: ArraySlice<Blow>
  private var outcome = Outcome()
  private var seen: [String: Int] = [:]
  private var standstills = 0
  private var client = 0
  private var exchanges = 0
  private var late: [Standstill] = []
  /// The client that waits for the bank.
  private var waiting: Standstill?
  private var askedAgain = 0
  private var report: Report?
  private var isFinished = false
  private var stage: Errand.Stage
  private let isSwitched: Bool

  /// - Parameters:
  ///   - isRehearsal: whether to write each point down, with what the journal says there.
  ///   - isSwitched: whether the other path is the one for new purchases after each start that follows a blow.
  init(_ journey: Journey, _ blows: [Blow], reader: World.Reader, isRehearsal: Bool = false, isSwitched: Bool = false) {
    self.isSwitched = isSwitched
    stage = journey.stage
    self.journey = journey
    self.reader = reader
    self.isRehearsal = isRehearsal
    self.blows = (journey.prelude + blows)[...]
  }

  /// Plays it to its end, and looks at what came of it.
  func run(in world: isolated World) async -> Outcome {
    do {
      try arm(world)
      client = try world.startClient(.buy, journey, stage: stage, reader: reader)
      let watchdog = world.watchdog()
      defer { watchdog.cancel() }
      for await event in world.events {
        try await hear(event, world)
        if isFinished, exchanges == 0, late.isEmpty { break }
      }
      if !outcome.isStuck { try await judge(world) }
    } catch {
      outcome.problems.append("\(error)")
    }
    return outcome
  }

  private func hear(_ event: Event, _ world: isolated World) async throws {
    switch event {
    case .stands(let standstill): try await stand(standstill, world)
    case .done(let report, let number): if number == client { try done(report, world) }
    case .gone(let number):
      guard number == client, !isFinished else { return }
      throw Broken(what: "the client ended by itself")
    case .exchangeBegan: exchanges += 1
    case .exchangeOver: exchanges -= 1
    case .ledgerCalled: try await atLedger(.ledgerCalled, world)
    case .ledgerWrote: try await atLedger(.ledgerWrote, world)
    case .bankAnswered:
      waiting?.tell(.goOn)
      waiting = nil
    case .late:
      outcome.isStuck = true
      throw Broken(what: "nothing came of it")
    }
  }

  struct Broken: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
  }

  // MARK: Standing still

  private func stand(_ standstill: Standstill, _ world: isolated World) async throws {
    if let number = standstill.client, number != client { return standstill.tell(.drop) }
    guard !isFinished else { return standstill.tell(.goOn) }
    seen[standstill.label, default: 0] += 1
    standstills += 1
    let point = Point(label: standstill.label, occurrence: seen[standstill.label] ?? 1)
    try await note(point, isClient: standstill.client != nil, world)
    guard let blow = blows.first else { return letGo(standstill, world) }
    switch blow.place {
    case .point(let place) where place == point || place == point.blocked: try strike(blow, standstill, world)
    case .point(let place) where place.beforeBlocked == point:
      try world.lockDatabase()
      standstill.tell(.goOn)
    case .standstill(standstills): try strike(blow, standstill, world)
    default: letGo(standstill, world)
    }
  }

  /// Whoever waits for the bank goes on when that has answered, so that each play goes the same way.
  private func letGo(_ standstill: Standstill, _ world: isolated World) {
    guard journey.needsBank, standstill.label == "waits" else { return standstill.tell(.goOn) }
    waiting = standstill
    world.askBank(about: reader)
  }

  private func atLedger(_ point: Point, _ world: isolated World) async throws {
    guard !isFinished, point != .ledgerCalled || world.hasCalledLedger, seen.updateValue(1, forKey: point.label) == nil else { return }
    try await note(point, isClient: false, world)
    if case .point(point) = blows.first?.place, let blow = blows.first { return try strike(blow, nil, world) }
    guard point == .ledgerCalled else { return }
    // What the provider says shall not be written down before this play knows of it.
    if case .point(.ledgerWrote) = blows.first?.place { try world.lockDatabase() }
    world.ledger.letGo()
  }

  private func note(_ point: Point, isClient: Bool, _ world: isolated World) async throws {
    guard isRehearsal, blows.isEmpty else { return }
    let step = isClient ? try await world.step(of: reader) : nil
    if let step { outcome.steps.insert(step.rawValue) }
    outcome.trace.append((point, step))
  }

  /// Holds the ledger's file when the next blow is to fall there, or all points are to be found.
  private func arm(_ world: isolated World) throws {
    world.ledger.stopWatching()
    world.ledger.letGo()
    let isWanted = if case .point(let point) = blows.first?.place { point.isAtLedger } else { isRehearsal && blows.isEmpty }
    if isWanted { try world.hold() }
  }

  // MARK: Killing

  private func strike(_ blow: Blow, _ standstill: Standstill?, _ world: isolated World) throws {
    blows.removeFirst()
    outcome.blows += 1
    if blow.inItsStride { standstill?.tell(.goOn) }
    if blow.victim.killsServer, blow.serverFirst { world.killServer() }
    if blow.victim.killsClient { world.killClient() }
    if blow.victim.killsServer { world.killServer() }
    if blow.victim == .ledger || blow.withLedger { world.ledger.killProcesses() }
    try world.unlockDatabase()
    (seen, standstills) = ([:], 0)
    try arm(world)
    try world.mendServer()
    world.closeLock()
    if let standstill, !blow.inItsStride { settle(standstill, blow) }
    if blow.victim.killsClient, isSwitched { stage = stage.other }
    if blow.victim.killsClient { client = try world.startClient(.resume, journey, stage: stage, reader: reader) }
  }

  private func settle(_ standstill: Standstill, _ blow: Blow) {
    guard standstill.client == nil else { return standstill.tell(.goOn) }
    switch blow.fate {
    case .arrives: standstill.tell(.goOn)
    case .isLost: standstill.tell(.drop)
    // A client that lives on waits for it, as the bank does for its own, and nothing would ever be over.
    case .arrivesLate where blow.victim.killsClient && !standstill.isBanks: late.append(standstill)
    case .arrivesLate: standstill.tell(.drop)
    }
  }

  // MARK: The end

  private func done(_ report: Report, _ world: isolated World) throws {
    world.leaveClient()
    outcome.steps.formUnion(report.purchases.flatMap(\.steps))
    let isBought = report.purchases.contains { $0.steps.last == Transaction.Step.finished.rawValue }
    // The shop could not be seen, or the blow fell before anything was agreed to: a person tries again.
    let isNothing = report.failure != nil || journey.isBought && !isBought
    if isNothing, report.unfinished == 0, askedAgain < 3 {
      askedAgain += 1
      client = try world.startClient(.buy, journey, stage: stage, reader: reader)
      return
    }
    self.report = report
    isFinished = true
    for standstill in late { standstill.tell(.goOn) }
    late = []
  }

  private func judge(_ world: isolated World) async throws {
    world.ledger.letGo()
    world.ledger.stopWatching()
    guard let report else { throw Broken(what: "there is no report") }
    if let failure = report.failure { outcome.problems.append("the client says: \(failure)") }
    outcome.isStuck = report.unfinished > 0
    if outcome.isStuck { outcome.problems.append("unfinished: \(report.purchases)") }
    // The looks of the order watch come by time: one that the rehearsal had need not come again.
    let isDue = { (blow: Blow) in if case .point(let point) = blow.place { !point.label.hasSuffix("GET /v1/orders") } else { false } }
    if blows.contains(where: isDue) { outcome.problems.append("never came to \(blows)") }

    let orders = try await world.orders(of: reader)
    let own = Set(orders.map(\.id)).union(report.purchases.map(\.id.uuidString))
    let charges = try world.ledger.charges().filter { key, _ in own.contains { key.hasPrefix($0) } }
    outcome.charges = charges.values.reduce(0) { $0 + $1.count }
    let wanted = journey.isBought ? 1 : 0
    if outcome.charges != wanted { outcome.problems.append("charged \(outcome.charges) times: \(charges)") }
    let paid = orders.filter { $0.state == .paid }
    if paid.count != wanted { outcome.problems.append("paid orders: \(orders)") }
    if orders.contains(where: { $0.state == .open }) { outcome.problems.append("orders left open: \(orders)") }

    let stored = try await look(world)
    var says = ["server": paid.contains { $0.receipt != nil }]
    if let passes = journey.passes {
      // Kept and spent on the server alone.
      let credited = try await world.passes(of: reader)
      says["balance"] = credited == passes
      if ![0, passes].contains(credited) { outcome.problems.append("credited \(credited) passes") }
    } else {
      says["client"] = report.entitled.contains(journey.product)
      // What only the backend can verify gives nothing while it is away.
      let isByDevice = report.purchases.last?.path == PublicationPath.device
      if isByDevice || !journey.isBought { says["client without a network"] = stored.contains(journey.product) }
    }
    outcome.isEntitled = says.values.allSatisfy { $0 }
    if Set(says.values) != [journey.isBought] { outcome.problems.append("entitled: \(says)") }
  }

  /// What the client has after another start, without a network.
  private func look(_ world: isolated World) async throws -> Set<String> {
    client = try world.startClient(.look, journey, stage: stage, reader: reader)
    for await event in world.events {
      switch event {
      case .stands(let standstill): standstill.tell(.goOn)
      case .done(let report, let number) where number == client:
        world.leaveClient()
        return report.entitled
      case .late: throw Broken(what: "the client does not start without a network")
      default: continue
      }
    }
    return []
  }
}
