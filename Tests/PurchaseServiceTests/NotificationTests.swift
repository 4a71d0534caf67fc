import Foundation
import PurchaseServiceTesting
import Testing

@testable import PurchaseService

/// Whoever is told of something may look at everything while being told.
@MainActor @Suite(.timeLimit(.minutes(1))) struct NotificationTests {
  @Test func case6AStageMayReadStateInsideItsNotification() async throws {
    let rig = try await Rig()
    var owned: [Bool] = []
    _ = await rig.buy { [weak rig] _ in
      guard let purchases = rig?.purchases else { return }
      _ = (purchases.entitlements, purchases.isUnderWay("premium.monthly"), purchases.expiry(of: "premium.monthly"))
      owned.append(purchases.owns("premium.monthly"))
    }
    #expect(owned == [false, false, false, false, false, true])
  }

  @Test func case6AReaderMayReadChangeAndListenInsideItsNotification() async throws {
    let rig = try await Rig()
    let purchases = rig.purchases
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
    await rig.effects.settled()
    _ = await rig.buy()
    #expect(await reader.value == [[], ["premium.monthly"], []])
  }

  @Test func case6ANoticeMayBeAnsweredByAskingTheStore() async throws {
    let rig = try await Rig()
    let purchases = rig.purchases
    try await purchases.resume()
    _ = await rig.buy()
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
    rig.queue.tell(.revoked(id(1), reason: "Refunded."))
    #expect(try await reader.value == [.revoked])
  }

  @Test func severalChangesInOneTurnAreOneAndNoneIsNone() async throws {
    let rig = try await Rig()
    var iterator = rig.purchases.entitlementStream().makeAsyncIterator()
    #expect(await iterator.next() == [])
    rig.purchases.entitled.value = ["a"]
    rig.purchases.entitled.value = ["a", "b"]
    #expect(await iterator.next() == ["a", "b"])
    rig.purchases.entitled.value = ["a"]
    rig.purchases.entitled.value = ["a", "b"]
    rig.purchases.entitled.value = ["c"]
    #expect(await iterator.next() == ["c"], "what came back in between is no change")
  }
}
