import Foundation
import PurchaseServiceTesting
import Testing

@testable import PurchaseService

/// Whoever is told of something may look at everything while being told.
@MainActor @Suite(.timeLimit(.minutes(1))) struct NotificationTests {
  @Test func case6AStageMayReadStateInsideItsNotification() async throws {
    let bench = try await Bench()
    var owned: [Bool] = []
    _ = await bench.buy { [weak bench] _ in
      guard let purchases = bench?.purchases else { return }
      _ = (purchases.entitlements, purchases.isUnderWay("premium.monthly"), purchases.expiry(of: "premium.monthly"))
      owned.append(purchases.owns("premium.monthly"))
    }
    #expect(owned == [false, false, false, false, false, true])
  }

  @Test func case6AReaderMayReadChangeAndListenInsideItsNotification() async throws {
    let bench = try await Bench()
    let purchases = bench.purchases
    let stream = purchases.entitlementStream()
    let reader = Task {
      var seen: [Set<String>] = []
      for await entitlements in stream {
        #expect(entitlements == purchases.entitlements)
        #expect(purchases.owns("premium.monthly") == entitlements.contains("premium.monthly"))
        var inner = purchases.entitlementStream().makeAsyncIterator()
        #expect(await inner.next() == entitlements)
        _ = try? await purchases.history()
        seen.append(entitlements)
        if entitlements.contains("premium.monthly") { purchases.setUser(nil) }
        if seen.count == 3 { break }
      }
      return seen
    }
    await bench.effects.settled()
    _ = await bench.buy()
    #expect(await reader.value == [[], ["premium.monthly"], []])
  }

  @Test func case6ANoticeMayBeAnsweredByAskingTheStore() async throws {
    let bench = try await Bench()
    let purchases = bench.purchases
    try await purchases.resume()
    _ = await bench.buy()
    let notices = purchases.noticeStream()
    let reader = Task {
      var states: [Transaction.State?] = []
      for await _ in notices {
        _ = try? await purchases.restore()
        states.append(try await purchases.history().first?.state)
        break
      }
      return states
    }
    bench.queue.tell(.revoked(id(1), reason: "Refunded."))
    #expect(try await reader.value == [.revoked])
  }

  @Test func severalChangesInOneTurnAreOneAndNoneIsNone() async throws {
    let bench = try await Bench()
    var iterator = bench.purchases.entitlementStream().makeAsyncIterator()
    #expect(await iterator.next() == [])
    bench.purchases.entitled.value = ["a"]
    bench.purchases.entitled.value = ["a", "b"]
    #expect(await iterator.next() == ["a", "b"])
    bench.purchases.entitled.value = ["a"]
    bench.purchases.entitled.value = ["a", "b"]
    bench.purchases.entitled.value = ["c"]
    #expect(await iterator.next() == ["c"], "what came back in between is no change")
  }
}
