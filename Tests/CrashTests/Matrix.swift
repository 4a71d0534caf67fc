import PurchaseService

@testable import CrashProbe

/// All cases: every point of every journey, with everyone who can be killed there.
enum Matrix {
  /// A journey that nobody disturbed, and the points that were found on it.
  struct Rehearsal: Sendable {
    let journey: Journey
    /// The points in their order, each with a title for the table.
    let points: [(point: Point, title: String)]
    let steps: Set<String>
    let problems: [String]
  }

  /// One case.
  struct Case: Sendable {
    let seed: UInt64
    let journey: Journey
    let title: String
    let blows: [Blow]
    let isSwitched: Bool

    var description: String { "MATINEE_SEED=\(seed), \(journey.name), \(title), switched: \(isSwitched), \(blows)" }
  }

  /// Ways to buy: three seeds in a row take everything of them.
  static let purchases = [
    Journey(name: "subscription", product: "premium.monthly", decision: .approved, stage: .device),
    Journey(name: "article passes", product: "passes.5", decision: .approved, stage: .backend, passes: 5),
    Journey(
      name: "recovery after a charge", product: "premium.lifetime", decision: .approved, stage: .device,
      prelude: [Blow(place: .point(Point(label: "answered POST /v1/orders/ID/charge")), victim: .both, fate: .isLost)]),
    Journey(name: "one-time product", product: "premium.lifetime", decision: .approved, stage: .backend),
  ]

  /// What else can come of a purchase: each seed takes some of their points.
  static let others = [
    Journey(name: "declined", product: "premium.monthly", decision: .declined, stage: .backend),
    Journey(name: "cancelled", product: "premium.monthly", decision: .cancelled, stage: .device),
    Journey(name: "deferred, then approved", product: "passes.5", decision: .deferred, stage: .backend, passes: 5),
    Journey(name: "interrupted, then confirmed", product: "premium.monthly", decision: .interrupted, stage: .device),
    Journey(
      name: "recovery before anything was agreed to", product: "premium.lifetime", decision: .cancelled, stage: .backend,
      prelude: [Blow(place: .point(Point(label: "purchase.begin")), victim: .client)]),
  ]

  /// Plays every journey without a blow, but for its prelude.
  static func rehearsed() async throws -> [Rehearsal] {
    let journeys = purchases + others
    let world = try await World(readers: journeys.count)
    var rehearsals: [Rehearsal] = []
    for journey in journeys {
      let outcome = await world.play(journey, [], isRehearsal: true)
      rehearsals.append(
        Rehearsal(journey: journey, points: points(outcome), steps: outcome.steps, problems: outcome.problems))
    }
    await world.close()
    return rehearsals
  }

  private static func points(_ outcome: Play.Outcome) -> [(point: Point, title: String)] {
    outcome.trace.flatMap { point, step in
      let again = point.occurrence > 1 ? " (\(point.occurrence))" : ""
      let title = step.map { "\(point.label) (\($0.rawValue))" } ?? point.label + again
      let blocked = point.blocked.map { [(point: $0, title: $0.label + again)] } ?? []
      return blocked + [(point: point, title: title)]
    }
  }

  /// Plays the cases of all seeds, in several worlds at a time.
  static func play(
    _ seeds: ClosedRange<UInt64>, matching text: String?
  ) async throws -> (summary: Summary, failures: [String]) {
    let rehearsals = try await rehearsed()
    var cases = seeds.flatMap { Self.cases(of: $0, rehearsals) }
    if let text { cases.removeAll { !$0.description.contains(text) } }
    var summary = Summary()
    var failures: [String] = []
    let chunks = stride(from: 0, to: cases.count, by: 20).map { Array(cases[$0..<min($0 + 20, cases.count)]) }
    var outcomes: [Int: [Play.Outcome]] = [:]
    try await withThrowingTaskGroup(of: (Int, [Play.Outcome]).self) { group in
      for (number, chunk) in chunks.enumerated() {
        // Processes mostly wait for one another: on a busy machine more worlds than cores get more done.
        if number >= 6, let (done, found) = try await group.next() { outcomes[done] = found }
        group.addTask { (number, try await play(chunk)) }
      }
      for try await (done, found) in group { outcomes[done] = found }
    }
    for (number, chunk) in chunks.enumerated() {
      for (played, outcome) in zip(chunk, outcomes[number] ?? []) {
        summary.add(outcome, of: played.journey, killing: played.blows[0].victim, title: played.title)
        if !outcome.problems.isEmpty { failures.append("\(played.description): \(outcome.problems.joined(separator: "; "))") }
      }
    }
    return (summary, failures)
  }

  /// Plays cases one after another; a world in which something went wrong is not used again.
  private static func play(_ cases: [Case]) async throws -> [Play.Outcome] {
    var outcomes: [Play.Outcome] = []
    var world: World?
    for (number, item) in cases.enumerated() {
      let stage = if let world { world } else { try await World(readers: cases.count - number) }
      world = stage
      var outcome = await stage.play(item.journey, item.blows, isSwitched: item.isSwitched)
      if !outcome.problems.isEmpty {
        outcome.problems.append(await stage.serverLog)
        await stage.close()
        world = nil
      }
      outcomes.append(outcome)
    }
    await world?.close()
    return outcomes
  }

  /// A seed's cases: a third of everything of each way to buy, another with each next seed, and a part of the rest.
  private static func cases(of seed: UInt64, _ rehearsals: [Rehearsal]) -> [Case] {
    var chance = Chance(state: seed)
    var cases: [Case] = []
    for (number, rehearsal) in rehearsals.enumerated() {
      for (place, (point, title)) in rehearsal.points.enumerated() {
        let victims = Self.victims(at: point)
        let struck =
          if number < purchases.count {
            victims.enumerated().filter { (UInt64(place + $0.offset) + seed) % 3 == 0 }.map(\.element)
          } else {
            Bool.random(using: &chance) ? [victims.randomElement(using: &chance) ?? .both] : []
          }
        for victim in struck {
          cases.append(
            Case(
              seed: seed, journey: rehearsal.journey, title: title, blows: Self.blows(point, victim, &chance),
              isSwitched: Bool.random(using: &chance)))
        }
      }
    }
    return cases
  }

  private static func victims(at point: Point) -> [Victim] {
    point.isAtLedger || ["/charge", "/approve"].contains(where: point.label.hasSuffix) ? Victim.allCases : [.client, .server, .both]
  }

  private static func blows(_ point: Point, _ victim: Victim, _ chance: inout Chance) -> [Blow] {
    func blow(_ place: Blow.Place, _ victim: Victim) -> Blow {
      Blow(
        place: place, victim: victim, fate: Blow.Fate.allCases.randomElement(using: &chance) ?? .isLost,
        inItsStride: Int.random(in: 0..<4, using: &chance) == 0, withLedger: victim.killsServer && Bool.random(using: &chance),
        serverFirst: Bool.random(using: &chance))
    }
    let first = blow(.point(point), victim)
    guard Int.random(in: 0..<3, using: &chance) == 0 else { return [first] }
    // Killed again while it recovers.
    let second = Int.random(in: 1...12, using: &chance)
    return [first, blow(.standstill(second), Victim.allCases.randomElement(using: &chance) ?? .both)]
  }
}
