import Foundation
import Patience
import PurchaseServiceTesting
import Runtime
import Testing

@testable import PurchaseService

/// What happens when the store does not settle a transaction at once.
@MainActor @Suite(.timeLimit(.minutes(5))) struct RetryTests {
  /// Answers `count` times like this, then as a store should.
  private func failing(_ bench: Bench, _ count: Int, _ outcome: SubmissionOutcome) {
    let issuer = bench.issuer
    let ledger = bench.ledger
    bench.queue.setAnswer { transaction, call in
      ledger.charge(transaction.id)
      return call <= count ? outcome : issuer.accepted(transaction)
    }
  }

  @Test func aStoreThatIsAwayForAMomentIsAskedAgainUnderTheSameKey() async throws {
    let bench = try await Bench()
    failing(bench, 2, .unavailable(reason: "time-out"))
    async let outcome = bench.buy()
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(1))
    await until { bench.queue.submitted.count == 2 }
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(1))
    #expect(bench.queue.submitted.count == 2, "the second wait is longer")
    bench.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("premium.monthly"))
    #expect(bench.queue.submitted.map(\.id) == [id(1), id(1), id(1)])
    #expect(bench.ledger.charges == [id(1)])
    #expect(
      bench.stages == [
        .begun, .waitingForAuthorization, .authorizing, .charging, .retrying, .charging, .retrying, .charging, .verifying, .unlocked,
      ])
  }

  @Test func retryAfterIsKept() async throws {
    let bench = try await Bench()
    failing(bench, 1, .busy(retryAfter: .seconds(15)))
    async let outcome = bench.buy()
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(14))
    await bench.effects.settled()
    #expect(bench.queue.submitted.count == 1)
    bench.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("premium.monthly"))
  }

  /// As under a test store whose clock stands still.
  @Test func case5WhoLeavesDuringAWaitIsToldThatItIsPendingAndHearsTheEnd() async throws {
    let bench = try await Bench()
    failing(bench, 1, .unavailable(reason: "time-out"))
    var notices = bench.purchases.noticeStream().makeAsyncIterator()
    let caller = Task { await bench.buy() }
    await bench.clock.waitForSleepers()
    caller.cancel()
    #expect(await caller.value == .pending(.storeUnavailable))
    #expect(bench.purchases.isUnderWay("premium.monthly"))
    #expect(await bench.buy() == .failed(.inProgress))
    bench.clock.advance(by: .seconds(1))
    #expect(await notices.next()?.event == .purchased)
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.ledger.charges == [id(1)])
  }

  @Test func case5WhoLeavesBetweenTwoWaitsIsToldAtTheNext() async throws {
    let bench = try await Bench()
    let gate = Gate()
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, call in
      await gate.wait()
      return call == 1 ? .unavailable(reason: "time-out") : issuer.accepted(transaction)
    }
    let caller = Task { await bench.buy() }
    await gate.reached()
    caller.cancel()
    gate.open()
    #expect(await caller.value == .pending(.storeUnavailable))
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(1))
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
  }

  /// Whoever has closed the sheet is told elsewhere.
  @Test func case5TheEndThatComesAfterLeavingIsANoticeToo() async throws {
    let bench = try await Bench()
    let gate = Gate()
    bench.queue.setAnswer { _, _ in
      await gate.wait()
      return .declined("Your bank said no.")
    }
    var notices = bench.purchases.noticeStream().makeAsyncIterator()
    let caller = Task { await bench.buy() }
    await gate.reached()
    caller.cancel()
    gate.open()
    #expect(await caller.value == .failed(.declined("Your bank said no.")))
    #expect(await notices.next()?.sentence == "Your bank said no.")
  }

  @Test func aLongWaitIsNotSatThrough() async throws {
    let bench = try await Bench()
    failing(bench, 1, .busy(retryAfter: .seconds(300)))
    #expect(await bench.buy() == .pending(.storeUnavailable))
    #expect(bench.purchases.isUnderWay("premium.monthly"))
    #expect(await bench.buy() == .failed(.inProgress))
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(300))
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"], "it went on by itself")
    #expect(bench.queue.submitted.count == 2)
  }

  @Test func afterThreeTriesTheCallerIsToldThatItIsPending() async throws {
    let bench = try await Bench()
    failing(bench, 3, .unavailable(reason: "no connection"))
    async let outcome = bench.buy()
    for seconds in [1, 2] {
      await bench.clock.waitForSleepers()
      bench.clock.advance(by: .seconds(seconds))
      await bench.effects.settled()
    }
    #expect(await outcome == .pending(.storeUnavailable))
    let told = bench.stages.count
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(4))
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.stages.count == told, "whoever asked has an answer")
  }

  @Test func thereIsNoLastTry() async throws {
    let bench = try await Bench(random: FixedRandom(.max))
    failing(bench, 60, .unavailable(reason: "no connection"))
    async let outcome = bench.buy()
    for tries in 1...60 {
      await bench.clock.waitForSleepers()
      // The longest wait, with all of the jitter.
      bench.clock.advance(by: .seconds(450))
      await until { bench.queue.submitted.count > tries }
    }
    #expect(await outcome == .pending(.storeUnavailable))
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.ledger.charges == [id(1)])
  }

  // MARK: The network is back

  /// A purchase that is asked about every few minutes by now.
  private func longOut(_ bench: Bench, _ outcome: SubmissionOutcome = .unavailable(reason: "no connection")) async {
    failing(bench, .max, outcome)
    #expect(await bench.buy() == .pending(outcome == .unauthorized ? .sessionEnded : .storeUnavailable))
    await bench.clock.waitForSleepers()
  }

  private func works(_ bench: Bench) {
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
  }

  @Test func aNetworkThatIsBackEndsTheWait() async throws {
    let bench = try await Bench(retry: RetryPolicy(backoff: Backoff(first: .seconds(300)), triesInForeground: 1))
    await longOut(bench)
    works(bench)
    bench.purchases.networkIsBack()
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.queue.submitted.count == 2)
    bench.purchases.networkIsBack()
    #expect(bench.queue.submitted.count == 2, "and nothing is left to be asked")
  }

  @Test func aNetworkThatCameBackWhileTheStoreWasAskedCounts() async throws {
    let gate = Gate()
    let bench = try await Bench(retry: RetryPolicy(backoff: Backoff(first: .seconds(300)), triesInForeground: 1))
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, call in
      guard call == 1 else { return issuer.accepted(transaction) }
      await gate.wait()
      return .unavailable(reason: "time-out")
    }
    async let outcome = bench.buy()
    await gate.reached()
    bench.purchases.networkIsBack()
    gate.open()
    #expect(await outcome == .pending(.storeUnavailable))
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"], "asked again at once, without a wait")
  }

  @Test func aStoreThatAnswersAllButThisIsNotAskedEachTime() async throws {
    let bench = try await Bench(retry: RetryPolicy(backoff: Backoff(first: .seconds(10)), triesInForeground: 1))
    await longOut(bench)
    var tries: [Int] = []
    // Somebody reads on for ten minutes: the publication answers every second.
    for _ in 0..<600 {
      bench.purchases.networkIsBack()
      bench.clock.advance(by: .seconds(1))
      await bench.effects.settled()
      await bench.clock.waitForSleepers()
      if tries.last != bench.queue.submitted.count { tries.append(bench.queue.submitted.count) }
    }
    #expect(bench.queue.submitted.count <= 9, "at once, then 10, 20, 40, 80, 160, 300 seconds apart")
    #expect(bench.queue.submitted.count >= 6)
    // The reader puts it away; a whole wait later nobody has answered anything.
    let before = bench.queue.submitted.count
    while bench.queue.submitted.count < before + 2 {
      bench.clock.advance(by: .seconds(10))
      await bench.effects.settled()
      await bench.clock.waitForSleepers()
    }
    works(bench)
    bench.purchases.networkIsBack()
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"], "at once again")
  }

  @Test func whatTheStoreItselfAskedForIsKeptTo() async throws {
    let bench = try await Bench()
    await longOut(bench, .busy(retryAfter: .seconds(60)))
    bench.purchases.networkIsBack()
    bench.clock.advance(by: .seconds(59))
    await bench.effects.settled()
    #expect(bench.queue.submitted.count == 1)
    works(bench)
    bench.clock.advance(by: .seconds(1))
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
  }

  @Test func whatWaitsForSomebodyIsNoMatterOfTheNetwork() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .deferred("A parent.") }
    #expect(await bench.buy() == .pending(.deferred("A parent.")))
    await bench.clock.waitForSleepers()
    bench.purchases.networkIsBack()
    await bench.effects.settled()
    #expect(bench.queue.submitted.count == 1)
  }

  @Test func aSessionThatGoesOnIsAskedWithAgain() async throws {
    let bench = try await Bench()
    failing(bench, 1, .unauthorized)
    #expect(await bench.buy() == .pending(.sessionEnded))
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(1))
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.ledger.charges == [id(1)])
  }

  @Test func askingAgainEndsAWait() async throws {
    let bench = try await Bench()
    failing(bench, 1, .busy(retryAfter: .seconds(3600)))
    #expect(await bench.buy() == .pending(.storeUnavailable))
    await bench.clock.waitForSleepers()
    try await bench.purchases.resume()
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
  }

  @Test func anEndedSessionIsKeptUntilTheSameUserSignsInAgain() async throws {
    let bench = try await Bench()
    failing(bench, 1, .unauthorized)
    #expect(await bench.buy() == .pending(.sessionEnded))
    #expect(bench.queue.finished.isEmpty)
    #expect(bench.queue.submitted.count == 1, "not asked again without a session")
    bench.purchases.setUser(nil)
    try await bench.purchases.resume()
    await bench.idle()
    #expect(bench.queue.submitted.count == 1)
    bench.purchases.setUser("ada")
    try await bench.purchases.resume()
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.ledger.charges == [id(1)])
  }

  @Test func aBadSignatureIsAskedAboutAgainAndGrantsNothing() async throws {
    let bench = try await Bench()
    let issuer = bench.issuer
    var forger = try ReceiptIssuer()
    forger.key = try .generate(.edDSA, kid: issuer.key.kid)
    let forged = forger
    bench.queue.setAnswer { transaction, call in call == 1 ? forged.accepted(transaction) : issuer.accepted(transaction) }
    async let outcome = bench.buy()
    await bench.clock.waitForSleepers()
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(bench.queue.finished.isEmpty)
    bench.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("premium.monthly"))
    #expect(bench.queue.submitted.map(\.id) == [id(1), id(1)])
  }

  @Test func aRefusalIsToldOnceAndNotAskedAgain() async throws {
    let bench = try await Bench()
    bench.queue.setAnswer { _, _ in .unknownProduct("This is not sold any more.") }
    #expect(await bench.buy() == .failed(.unknownProduct("This is not sold any more.")))
    #expect(bench.queue.finished == [id(1)])
    try await bench.restart()
    await bench.idle()
    #expect(bench.queue.submitted.count == 1)
    #expect(bench.clock.sleeperCount == 0)
  }

  @Test func keysThatCannotBeFetchedKeepAReceiptUntilTheyCan() async throws {
    let bench = try await Bench()
    let trusted = bench.issuer.trusted
    bench.trusted.withLock { $0 = .failure(StoreError(.unavailable, code: "offline", sentence: "Offline.")) }
    async let outcome = bench.buy()
    await bench.clock.waitForSleepers()
    #expect(try await bench.steps(id(1)).last == .received)
    bench.trusted.withLock { $0 = .success(trusted) }
    bench.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("premium.monthly"))
    #expect(bench.queue.submitted.count == 1, "the receipt is there: the store is not asked again")
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
    let bench = try await Bench(random: FixedRandom(.max))
    failing(bench, 1, .unavailable(reason: "time-out"))
    async let outcome = bench.buy()
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(1.4))
    await bench.effects.settled()
    #expect(bench.queue.submitted.count == 1)
    bench.clock.advance(by: .seconds(0.1))
    #expect(await outcome == .purchased("premium.monthly"))
  }
}
