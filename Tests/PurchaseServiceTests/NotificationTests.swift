import Foundation
import Patience
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

  @Test func case6AnObserverMayReadChangeAndObserveInsideItsNotification() async throws {
    let rig = try await Rig()
    let purchases = rig.purchases
    var (told, inner, owned): ([Set<String>], [Set<String>], [Bool]) = ([], [], [])
    let observation = purchases.observeEntitlements { [weak purchases] entitlements in
      guard let purchases else { return }
      told.append(entitlements)
      #expect(entitlements == purchases.entitlements)
      owned.append(purchases.owns("premium.monthly"))
      purchases.observeEntitlements { inner.append($0) }.cancel()
      if !entitlements.isEmpty { purchases.setUser(nil) }
    }
    #expect(await rig.buy() == .purchased("premium.monthly"), "what was paid is bought")
    #expect(told == [[], ["premium.monthly"], []])
    #expect(inner == told)
    #expect(owned == [false, true, false])
    observation.cancel()
    purchases.setUser("ada")
    try await purchases.resume()
    #expect(purchases.entitlements == ["premium.monthly"])
    #expect(told.count == 3)
  }

  /// What a screen shows of a purchase is there when the purchase returns, not some turns later.
  @Test func observersAreToldBeforeThePurchaseReturns() async throws {
    let rig = try await Rig()
    var (told, changes): ([Set<String>], Int) = ([], 0)
    let observations = [rig.purchases.observeEntitlements { told.append($0) }, rig.purchases.observeHistory { changes += 1 }]
    #expect(changes == 1, "at once")
    _ = await rig.buy()
    #expect(told == [[], ["premium.monthly"]])
    let steps = try await rig.journal.steps(of: id(1)).count
    #expect(changes >= 1 + steps, "each step is in the history")
    withExtendedLifetime(observations) {}
  }

  @Test func noticesFromBeforeTheFirstObserverAreToldToItAlone() async throws {
    let rig = try await Rig()
    try await rig.purchases.resume()
    _ = await rig.buy()
    rig.queue.tell(.revoked(id(1), reason: "Refunded."))
    await until { rig.purchases.entitlements.isEmpty }
    await rig.effects.settled()
    var told: [[String]] = [[], []]
    let observations = [0, 1].map { number in rig.purchases.observeNotices { told[number].append($0.sentence) } }
    #expect(told == [["Refunded."], []])
    withExtendedLifetime(observations) {}
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
