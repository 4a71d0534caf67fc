import Foundation
import Testing

@testable import ContentCache

/// Every status with everything that can happen to a page.
@Suite struct PageStatusTests {
  private static let date = Date(timeIntervalSince1970: 1_700_000_000)
  private static let (earlier, later) = (LogicalTime(number: 1), LogicalTime(number: 2))
  private static let unreachable = RequestError.unreachable("Nobody answers.")
  private static let refused = RequestError.refused("No.")

  private static let events: [(name: String, event: PageStatus.Event)] = [
    ("load", .load(.storedThenServer)), ("found", .foundInStore(date)), ("missing", .missingInStore), ("answered", .answered(later)),
    ("no news", .nothingNew), ("held back", .heldBack), ("unreachable", .failed(unreachable)), ("refused", .failed(refused)),
    ("cancelled", .cancelled),
  ]
  private static let statuses: [(name: String, status: PageStatus)] = [
    ("unloaded", .unloaded), ("store", .loadingFromStore(after: nil)), ("store, unreachable", .loadingFromStore(after: unreachable)),
    ("requested", .requested), ("unreachable", .failed(unreachable)), ("refused", .failed(refused)), ("stored", .stored(date)),
    ("revalidating", .revalidating(date)), ("fetched", .fetched(earlier)), ("refreshing", .refreshing(earlier)),
    ("fetched now", .fetched(later)), ("paused", .failed(.nothingNew)),
  ]

  /// What follows in a list that shows what is stored and then asks the server; a dash stands for what cannot happen.
  private static let table = """
    after              | load         | found        | missing     | answered    | no news | held back | unreachable | refused  | cancelled
    unloaded           | store        | -            | -           | -           | -       | -         | -           | -        | unloaded
    store              | -            | revalidating | requested   | -           | -       | -         | -           | -        | unloaded
    store, unreachable | -            | revalidating | unreachable | -           | -       | -         | -           | -        | unloaded
    requested          | -            | -            | -           | fetched now | paused  | -         | unreachable | refused  | unloaded
    unreachable        | store        | -            | -           | -           | -       | -         | -           | -        | unreachable
    refused            | store        | -            | -           | -           | -       | -         | -           | -        | refused
    stored             | revalidating | -            | -           | fetched now | -       | stored    | -           | -        | stored
    revalidating       | revalidating | -            | -           | fetched now | -       | stored    | stored      | stored   | stored
    fetched            | refreshing   | -            | -           | fetched now | -       | fetched   | -           | -        | fetched
    refreshing         | refreshing   | -            | -           | fetched now | -       | fetched   | fetched     | fetched  | fetched
    """

  /// Where lists of other policies differ.
  private static let differences: [(policy: FetchPolicy, status: String, event: String, after: String)] = [
    (.storedOnly, "store", "found", "stored"), (.storedOnly, "store, unreachable", "found", "stored"),
    (.storedOnly, "store", "missing", "unloaded"),
    (.network, "unloaded", "load", "requested"), (.network, "unreachable", "load", "requested"), (.network, "refused", "load", "requested"),
    (.network, "store", "found", "stored"), (.network, "store, unreachable", "found", "stored"), (.network, "store", "missing", "unloaded"),
    (.serverElseStored, "unloaded", "load", "requested"), (.serverElseStored, "unreachable", "load", "requested"),
    (.serverElseStored, "refused", "load", "requested"), (.serverElseStored, "store", "found", "stored"),
    (.serverElseStored, "store, unreachable", "found", "stored"), (.serverElseStored, "store", "missing", "unloaded"),
    (.serverElseStored, "requested", "unreachable", "store, unreachable"),
  ]

  @Test(arguments: FetchPolicy.allCases) func everyTransition(policy: FetchPolicy) throws {
    let lines = Self.table.split(separator: "\n").map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    #expect(lines[0].dropFirst() == Self.events.map(\.name)[...])
    #expect(lines.dropFirst().map { $0[0] } == Self.statuses.map(\.name).dropLast(2))
    for line in lines.dropFirst() {
      let status = try #require(Self.statuses.first { $0.name == line[0] }).status
      for (column, event) in Self.events.enumerated() {
        let difference = Self.differences.first { $0.policy == policy && $0.status == line[0] && $0.event == event.name }
        let expected = difference?.after ?? line[column + 1]
        let what = event.name == "load" ? .load(policy) : event.event
        let after = status.after(what, policy)
        #expect(after == Self.statuses.first { $0.name == expected }?.status, "\(line[0]), \(event.name): \(expected)")
      }
    }
  }

  @Test func whatIsShownAndAwaited() throws {
    let statuses = Self.statuses.map(\.status)
    #expect(statuses.map(\.isLoading) == [false, true, true, true, false, false, false, true, false, true, false, false])
    #expect(statuses.compactMap(\.storedDate).count == 2 && statuses.compactMap(\.requestedAt) == [Self.earlier, Self.earlier, Self.later])
    #expect(statuses.filter(\.isRevalidating) == [.revalidating(Self.date)])
  }
}
