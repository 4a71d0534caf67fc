import Foundation
import Patience
import PurchaseServiceTesting
import Runtime
import Testing

@testable import PurchaseService

/// What happens when the store does not settle a transaction at once.
@MainActor @Suite(.timeLimit(.minutes(5))) struct RetryTests {
  /// Answers `count` times like this, then as a store should.
  private func failing(_ rig: Rig, _ count: Int, _ outcome: SubmissionOutcome) {
    let issuer = rig.issuer
    let ledger = rig.ledger
    rig.queue.setAnswer { transaction, call in
      ledger.charge(transaction.id)
      return call <= count ? outcome : issuer.accepted(transaction)
    }
  }

  @Test func aStoreThatIsAwayForAMomentIsAskedAgainUnderTheSameKey() async throws {
    let rig = try await Rig()
    failing(rig, 2, .unavailable(reason: "time-out"))
    async let outcome = rig.buy()
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(1))
    await until { rig.queue.submitted.count == 2 }
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(1))
    #expect(rig.queue.submitted.count == 2, "the second wait is longer")
    rig.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("premium.monthly"))
    #expect(rig.queue.submitted.map(\.id) == [id(1), id(1), id(1)])
    #expect(rig.ledger.charges == [id(1)])
    #expect(
      rig.stages == [
        .begun, .waitingForAuthorization, .authorizing, .charging, .retrying, .charging, .retrying, .charging, .verifying, .unlocked,
      ])
  }

  @Test func retryAfterIsKept() async throws {
    let rig = try await Rig()
    failing(rig, 1, .busy(retryAfter: .seconds(15)))
    async let outcome = rig.buy()
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(14))
    await rig.effects.settled()
    #expect(rig.queue.submitted.count == 1)
    rig.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("premium.monthly"))
  }

  /// As under a test store whose clock stands still.
  @Test func case5WhoLeavesDuringAWaitIsToldThatItIsPendingAndHearsTheEnd() async throws {
    let rig = try await Rig()
    failing(rig, 1, .unavailable(reason: "time-out"))
    var notices = rig.purchases.noticeStream().makeAsyncIterator()
    let caller = Task { await rig.buy() }
    await rig.clock.waitForSleepers()
    caller.cancel()
    #expect(await caller.value == .pending(.storeUnavailable))
    #expect(rig.purchases.isUnderWay("premium.monthly"))
    #expect(await rig.buy() == .failed(.inProgress))
    rig.clock.advance(by: .seconds(1))
    #expect(await notices.next()?.event == .purchased)
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.ledger.charges == [id(1)])
  }

  @Test func case5WhoLeavesBetweenTwoWaitsIsToldAtTheNext() async throws {
    let rig = try await Rig()
    let gate = Gate()
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, call in
      await gate.wait()
      return call == 1 ? .unavailable(reason: "time-out") : issuer.accepted(transaction)
    }
    let caller = Task { await rig.buy() }
    await gate.reached()
    caller.cancel()
    gate.open()
    #expect(await caller.value == .pending(.storeUnavailable))
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(1))
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
  }

  /// Whoever has closed the sheet is told elsewhere.
  @Test func case5TheEndThatComesAfterLeavingIsANoticeToo() async throws {
    let rig = try await Rig()
    let gate = Gate()
    rig.queue.setAnswer { _, _ in
      await gate.wait()
      return .declined("Your bank said no.")
    }
    var notices = rig.purchases.noticeStream().makeAsyncIterator()
    let caller = Task { await rig.buy() }
    await gate.reached()
    caller.cancel()
    gate.open()
    #expect(await caller.value == .failed(.declined("Your bank said no.")))
    #expect(await notices.next()?.sentence == "Your bank said no.")
  }

  @Test func aLongWaitIsNotSatThrough() async throws {
    let rig = try await Rig()
    failing(rig, 1, .busy(retryAfter: .seconds(300)))
    #expect(await rig.buy() == .pending(.storeUnavailable))
    #expect(rig.purchases.isUnderWay("premium.monthly"))
    #expect(await rig.buy() == .failed(.inProgress))
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(300))
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"], "it went on by itself")
    #expect(rig.queue.submitted.count == 2)
  }

  @Test func afterThreeTriesTheCallerIsToldThatItIsPending() async throws {
    let rig = try await Rig()
    failing(rig, 3, .unavailable(reason: "no connection"))
    async let outcome = rig.buy()
    for seconds in [1, 2] {
      await rig.clock.waitForSleepers()
      rig.clock.advance(by: .seconds(seconds))
      await rig.effects.settled()
    }
    #expect(await outcome == .pending(.storeUnavailable))
    let told = rig.stages.count
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(4))
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.stages.count == told, "whoever asked has an answer")
  }

  @Test func thereIsNoLastTry() async throws {
    let rig = try await Rig(random: FixedRandom(.max))
    failing(rig, 60, .unavailable(reason: "no connection"))
    async let outcome = rig.buy()
    for tries in 1...60 {
      await rig.clock.waitForSleepers()
      // The longest wait, with all of the jitter.
      rig.clock.advance(by: .seconds(450))
      await until { rig.queue.submitted.count > tries }
    }
    #expect(await outcome == .pending(.storeUnavailable))
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.ledger.charges == [id(1)])
  }

  // MARK: The network is back

  /// A purchase that is asked about every few minutes by now.
  private func longOut(_ rig: Rig, _ outcome: SubmissionOutcome = .unavailable(reason: "no connection")) async {
    failing(rig, .max, outcome)
    #expect(await rig.buy() == .pending(outcome == .unauthorized ? .sessionEnded : .storeUnavailable))
    await rig.clock.waitForSleepers()
  }

  private func works(_ rig: Rig) {
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
  }

  @Test func aNetworkThatIsBackEndsTheWait() async throws {
    let rig = try await Rig(retry: RetryPolicy(backoff: Backoff(first: .seconds(300)), triesInForeground: 1))
    await longOut(rig)
    works(rig)
    rig.purchases.networkIsBack()
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.queue.submitted.count == 2)
    rig.purchases.networkIsBack()
    #expect(rig.queue.submitted.count == 2, "and nothing is left to be asked")
  }

  @Test func aNetworkThatCameBackWhileTheStoreWasAskedCounts() async throws {
    let gate = Gate()
    let rig = try await Rig(retry: RetryPolicy(backoff: Backoff(first: .seconds(300)), triesInForeground: 1))
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, call in
      guard call == 1 else { return issuer.accepted(transaction) }
      await gate.wait()
      return .unavailable(reason: "time-out")
    }
    async let outcome = rig.buy()
    await gate.reached()
    rig.purchases.networkIsBack()
    gate.open()
    #expect(await outcome == .pending(.storeUnavailable))
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"], "asked again at once, without a wait")
  }

  @Test func aStoreThatAnswersAllButThisIsNotAskedEachTime() async throws {
    let rig = try await Rig(retry: RetryPolicy(backoff: Backoff(first: .seconds(10)), triesInForeground: 1))
    await longOut(rig)
    var tries: [Int] = []
    // Somebody reads on for ten minutes: the publication answers every second.
    for _ in 0..<600 {
      rig.purchases.networkIsBack()
      rig.clock.advance(by: .seconds(1))
      await rig.effects.settled()
      await rig.clock.waitForSleepers()
      if tries.last != rig.queue.submitted.count { tries.append(rig.queue.submitted.count) }
    }
    #expect(rig.queue.submitted.count <= 9, "at once, then 10, 20, 40, 80, 160, 300 seconds apart")
    #expect(rig.queue.submitted.count >= 6)
    // The reader puts it away; a whole wait later nobody has answered anything.
    let before = rig.queue.submitted.count
    while rig.queue.submitted.count < before + 2 {
      rig.clock.advance(by: .seconds(10))
      await rig.effects.settled()
      await rig.clock.waitForSleepers()
    }
    works(rig)
    rig.purchases.networkIsBack()
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"], "at once again")
  }

  @Test func whatTheStoreItselfAskedForIsKeptTo() async throws {
    let rig = try await Rig()
    await longOut(rig, .busy(retryAfter: .seconds(60)))
    rig.purchases.networkIsBack()
    rig.clock.advance(by: .seconds(59))
    await rig.effects.settled()
    #expect(rig.queue.submitted.count == 1)
    works(rig)
    rig.clock.advance(by: .seconds(1))
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
  }

  @Test func whatWaitsForSomebodyIsNoMatterOfTheNetwork() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .deferred("A parent.") }
    #expect(await rig.buy() == .pending(.deferred("A parent.")))
    await rig.clock.waitForSleepers()
    rig.purchases.networkIsBack()
    await rig.effects.settled()
    #expect(rig.queue.submitted.count == 1)
  }

  @Test func aSessionThatGoesOnIsAskedWithAgain() async throws {
    let rig = try await Rig()
    failing(rig, 1, .unauthorized)
    #expect(await rig.buy() == .pending(.sessionEnded))
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(1))
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.ledger.charges == [id(1)])
  }

  @Test func askingAgainEndsAWait() async throws {
    let rig = try await Rig()
    failing(rig, 1, .busy(retryAfter: .seconds(3600)))
    #expect(await rig.buy() == .pending(.storeUnavailable))
    await rig.clock.waitForSleepers()
    try await rig.purchases.resume()
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
  }

  @Test func anEndedSessionIsKeptUntilTheSameUserSignsInAgain() async throws {
    let rig = try await Rig()
    failing(rig, 1, .unauthorized)
    #expect(await rig.buy() == .pending(.sessionEnded))
    #expect(rig.queue.finished.isEmpty)
    #expect(rig.queue.submitted.count == 1, "not asked again without a session")
    rig.purchases.setUser(nil)
    try await rig.purchases.resume()
    await rig.idle()
    #expect(rig.queue.submitted.count == 1)
    rig.purchases.setUser("ada")
    try await rig.purchases.resume()
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.ledger.charges == [id(1)])
  }

  @Test func aBadSignatureIsAskedAboutAgainAndGrantsNothing() async throws {
    let rig = try await Rig()
    let issuer = rig.issuer
    var forger = try ReceiptIssuer()
    forger.key = try .generate(.edDSA, kid: issuer.key.kid)
    let forged = forger
    rig.queue.setAnswer { transaction, call in call == 1 ? forged.accepted(transaction) : issuer.accepted(transaction) }
    async let outcome = rig.buy()
    await rig.clock.waitForSleepers()
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(rig.queue.finished.isEmpty)
    rig.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("premium.monthly"))
    #expect(rig.queue.submitted.map(\.id) == [id(1), id(1)])
  }

  @Test func aRefusalIsToldOnceAndNotAskedAgain() async throws {
    let rig = try await Rig()
    rig.queue.setAnswer { _, _ in .unknownProduct("This is not sold any more.") }
    #expect(await rig.buy() == .failed(.unknownProduct("This is not sold any more.")))
    #expect(rig.queue.finished == [id(1)])
    try await rig.restart()
    await rig.idle()
    #expect(rig.queue.submitted.count == 1)
    #expect(rig.clock.sleeperCount == 0)
  }

  @Test func keysThatCannotBeFetchedKeepAReceiptUntilTheyCan() async throws {
    let rig = try await Rig()
    let trusted = rig.issuer.trusted
    rig.trusted.withLock { $0 = .failure(StoreError(.unavailable, code: "offline", sentence: "Offline.")) }
    async let outcome = rig.buy()
    await rig.clock.waitForSleepers()
    #expect(try await rig.steps(id(1)).last == .received)
    rig.trusted.withLock { $0 = .success(trusted) }
    rig.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("premium.monthly"))
    #expect(rig.queue.submitted.count == 1, "the receipt is there: the store is not asked again")
  }

  @Test func waitsDoubleUpToALimitAndTheStoreMayAskForMore() {
    let backoff = Backoff(first: .seconds(1), longest: .seconds(60))
    #expect((1...8).map { backoff.wait(after: $0, chance: 0).seconds } == [1, 2, 4, 8, 16, 32, 60, 60])
    #expect(backoff.wait(after: 1, retryAfter: .seconds(90), chance: 0) == .seconds(90))
    #expect(backoff.wait(after: 8, retryAfter: .seconds(5), chance: 0) == .seconds(60))
    #expect(backoff.wait(after: .max, chance: 0) == .seconds(60))
  }

  @Test func chanceMakesWaitsLongerUpToItsShareAndTheSameForTheSameSeed() {
    let backoff = Backoff(first: .seconds(10), longest: .seconds(60), jitter: 0.5)
    func waits(_ seed: UInt64) -> [Duration] {
      let random = SeededRandom(seed: seed)
      return (1...50).map { backoff.wait(after: $0, retryAfter: .seconds(15), chance: random.fraction()) }
    }
    #expect(waits(1) == waits(1))
    #expect(waits(1) != waits(2))
    #expect(Set(waits(1)).count > 40, "two devices do not come back together")
    for seed in UInt64(0)..<20 { #expect(waits(seed).dropFirst(3).allSatisfy { (.seconds(60)...(.seconds(90))).contains($0) }) }
    #expect(backoff.wait(after: 1, retryAfter: .seconds(15), chance: 0) == .seconds(15), "never before the store said")
    #expect(backoff.wait(after: 1, retryAfter: .seconds(15), chance: 1) == .seconds(20))
    #expect(backoff.wait(after: 9, chance: 7) == .seconds(90), "whatever the chance")
    #expect(Backoff(first: .seconds(600), jitter: 0).wait(after: 3, chance: 0) == .seconds(600), "longer than the longest")
    #expect(Backoff(first: .seconds(1), jitter: -3).wait(after: 1, chance: 1) == .seconds(1))
  }

  @Test func theWaitOfATransactionIsSpreadByTheInjectedChance() async throws {
    let rig = try await Rig(random: FixedRandom(.max))
    failing(rig, 1, .unavailable(reason: "time-out"))
    async let outcome = rig.buy()
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(1.4))
    await rig.effects.settled()
    #expect(rig.queue.submitted.count == 1)
    rig.clock.advance(by: .seconds(0.1))
    #expect(await outcome == .purchased("premium.monthly"))
  }
}
