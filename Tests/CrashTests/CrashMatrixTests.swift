import Foundation
import Patience
import PurchaseService
import TestSupport
import Testing

@testable import CrashProbe

/// Client, server, both and the payment provider are killed at every point of a purchase, and started again: always one charge, always
/// the right entitlement, never a purchase that does not end.
///
/// A seed is a third of what there is to play, and ``turn`` says which. `MATINEE_SEED=7` plays one seed again, `MATINEE_CRASH_SEEDS=100`
/// plays more of them, `MATINEE_CRASH_CASE=TEXT` only the cases whose description holds that text.
@Suite(.serialized) struct CrashMatrixTests {
  private static let environment = ProcessInfo.processInfo.environment

  @Test func everyStepOfTheJournalIsAPlaceToBeKilledAt() async throws {
    var steps: Set<String> = []
    for rehearsal in try await Matrix.rehearsed() {
      #expect(rehearsal.problems == [], "\(rehearsal.journey.name)")
      steps.formUnion(rehearsal.steps)
    }
    #expect(Set(Transaction.Step.allCases.map(\.rawValue)).subtracting(steps) == [])
  }

  /// The receipt is stored and only the backend can prove it, which is killed while it is asked.
  @Test func whatWasPaidIsThereOnceTheServerIsBack() async throws {
    let journey = try #require(Matrix.purchases.first { $0.name == "one-time product" })
    let world = try await World(readers: 1)
    let outcome = await world.play(
      journey,
      [
        Blow(place: .point(Point(label: "before GET /v1/entitlements")), victim: .client),
        Blow(place: .point(Point(label: "before POST /v1/receipts/verify")), victim: .server, fate: .isLost),
      ])
    #expect(outcome.problems == [])
    #expect(outcome.blows == 2)
    #expect(outcome.isEntitled)
    await world.close()
  }

  /// The ledger's file was opened, and not by a process that the server asks: nothing stands still for that, or it would for ever.
  @Test func whoeverElseOpensTheLedgerIsNotTakenForTheServer() async throws {
    let journey = try #require(Matrix.purchases.first)
    let world = try await World(readers: 1)
    world.tell(.ledgerCalled)
    let outcome = await world.play(journey, [Blow(place: .point(.ledgerWrote), victim: .client)])
    #expect(outcome.problems == [])
    #expect(outcome.blows == 1)
    await world.close()
  }

  @Test func whoeverIsKilledWhereverThereIsOneCharge() async throws {
    func number(_ variable: String) -> UInt64? { Self.environment[variable].flatMap(UInt64.init) }
    let seed = number("MATINEE_SEED") ?? (number("MATINEE_CRASH_SEEDS") == nil ? turn.map { UInt64($0 + 1) } : nil)
    let seeds = seed.map { $0...$0 } ?? 1...(number("MATINEE_CRASH_SEEDS") ?? 3)
    let (summary, failures) = try await Matrix.play(seeds, matching: Self.environment["MATINEE_CRASH_CASE"])
    print(summary.lines("Crash matrix, seeds \(seeds.lowerBound) to \(seeds.upperBound)").joined(separator: "\n"))
    #expect(summary.cases > 0)
    for failure in failures.prefix(20) { Issue.record(Comment(rawValue: failure)) }
    #expect(failures.count == 0)
  }
}
