import Foundation
import PurchaseServiceTesting
import Synchronization
import Testing

@testable import PurchaseService

@MainActor @Suite(.timeLimit(.minutes(1))) struct PurchaseTests {
  @Test func aPurchaseRunsThroughItsStagesAndUnlocks() async throws {
    let bench = try await Bench()
    #expect(await bench.buy() == .purchased("premium.monthly"))
    #expect(bench.stages == [.begun, .waitingForAuthorization, .authorizing, .charging, .verifying, .unlocked])
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.purchases.owns("premium.monthly"))
    #expect(bench.ledger.charges == [id(1)])
    #expect(bench.queue.finished == [id(1)])
    #expect(try await bench.steps(id(1)) == [.begun, .authorized, .submitted, .received, .verified, .finished])
  }

  @Test func aTokenIsInTheJournalBeforeTheStoreHearsOfItAndGoneAfterwards() async throws {
    let bench = try await Bench()
    let journal = bench.journal
    let issuer = bench.issuer
    let seen = Mutex<[Transaction]>([])
    bench.queue.setAnswer { transaction, _ in
      let rows = try? await journal.unfinished(seller: "store")
      seen.withLock { $0 = rows ?? [] }
      return issuer.accepted(transaction)
    }
    _ = await bench.buy()
    #expect(seen.withLock { $0.map(\.step) } == [.submitted])
    #expect(seen.withLock { $0.first?.token } == PaymentToken("token"))
    let rows = try await bench.journal.purchases(seller: "store", user: "ada")
    #expect(rows.map(\.step) == [.finished])
    #expect(rows.first?.token == nil)
    #expect(!"\(PaymentToken("secret")) \(String(reflecting: PaymentToken("secret")))".contains("secret"))
  }

  @Test func case1NothingIsFinishedBeforeTheStoreHasProcessedIt() async throws {
    let bench = try await Bench()
    let gate = Gate()
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in
      await gate.wait()
      return issuer.accepted(transaction)
    }
    async let outcome = bench.buy()
    await gate.reached()
    #expect(bench.queue.finished.isEmpty)
    #expect(bench.purchases.entitlements.isEmpty)
    gate.open()
    #expect(await outcome == .purchased("premium.monthly"))
    #expect(bench.queue.finished == [id(1)])
  }

  @Test func case1AOneTimeProductThatTheAnswerDoesNotListIsKept() async throws {
    let bench = try await Bench()
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, call in
      let answer = issuer.accepted(transaction)
      guard call == 1, case .accepted(let receipt, _) = answer else { return answer }
      return .accepted(receipt: receipt, listed: [])
    }
    async let outcome = bench.buy(forever)
    await bench.clock.waitForSleepers()
    #expect(bench.queue.finished.isEmpty)
    #expect(bench.purchases.entitlements.isEmpty)
    bench.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("premium.forever"))
    #expect(bench.queue.submitted.map(\.id) == [id(1), id(1)])
  }

  @Test func case2OneSubmissionForEachTransactionWhoeverComesFirst() async throws {
    let bench = try await Bench()
    let gate = Gate()
    let issuer = bench.issuer
    let ledger = bench.ledger
    bench.queue.setAnswer { transaction, _ in
      ledger.charge(transaction.id)
      await gate.wait()
      return issuer.accepted(transaction)
    }
    async let outcome = bench.buy()
    await gate.reached()
    // The queue tells of it, and a second resume finds it in the journal: both wait for the submission that runs.
    bench.queue.tell(.transaction(id(1)))
    try await bench.purchases.resume()
    try await bench.purchases.resume()
    gate.open()
    #expect(await outcome == .purchased("premium.monthly"))
    await bench.idle()
    #expect(bench.queue.submitted.count == 1)
    #expect(!bench.queue.overlapped)
    #expect(bench.ledger.charges.count == 1)
  }

  @Test func case3ASecondPurchaseOfTheSameProductIsRefusedWhileOneIsUnderWay() async throws {
    let bench = try await Bench()
    let gate = Gate()
    let slow = ScriptedAuthorizer { _, started in
      await gate.wait()
      await started()
      return .authorized(PaymentToken("token"))
    }
    async let first = bench.buy(authorizer: slow)
    await gate.reached()
    #expect(bench.purchases.isUnderWay("premium.monthly"))
    #expect(await bench.buy() == .failed(.inProgress))
    #expect(await bench.buy(forever) == .purchased("premium.forever"), "another product is another matter")
    gate.open()
    #expect(await first == .purchased("premium.monthly"))
    #expect(!bench.purchases.isUnderWay("premium.monthly"))
    #expect(bench.ledger.charges.count == 2)
  }

  @Test func case3APurchaseThatIsPaidAndNotConfirmedIsNotSoldAgainAfterARestart() async throws {
    let bench = try await Bench()
    let paid = try await bench.leave(.submitted)
    // Without resume(): the journal alone must prevent the second sale.
    #expect(await bench.buy() == .failed(.inProgress))
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"], "asking again went on with the first")
    #expect(bench.ledger.charges == [paid])
  }

  @Test func whatIsOwnedIsNotSoldAgain() async throws {
    let bench = try await Bench()
    _ = await bench.buy()
    #expect(await bench.buy() == .failed(.alreadyOwned))
    let passes = Product(
      id: "passes", kind: .consumable(type: "pass", amount: 5), name: "Passes", price: Price(minorUnits: 500, currency: "EUR"))
    #expect(await bench.buy(passes) == .purchased("passes"))
    #expect(await bench.buy(passes) == .purchased("passes"))
  }

  @Test func case4TheResultBelongsToTheUserWhoBegan() async throws {
    let bench = try await Bench()
    let gate = Gate()
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in
      await gate.wait()
      return issuer.accepted(transaction)
    }
    async let outcome = bench.buy()
    await gate.reached()
    bench.purchases.setUser("bob")
    gate.open()
    #expect(await outcome == .purchased("premium.monthly"))
    #expect(bench.purchases.entitlements.isEmpty, "what the new user has is untouched")
    #expect(bench.queue.submitted.map(\.user) == ["ada"])
    try await bench.purchases.resume()
    #expect(bench.purchases.entitlements.isEmpty)
    bench.purchases.setUser("ada")
    #expect(bench.purchases.entitlements.isEmpty)
    try await bench.purchases.resume()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
  }

  @Test func case4NobodyElsePaysForWhatWasAgreedToBeforeTheUserChanged() async throws {
    let bench = try await Bench()
    let gate = Gate()
    let slow = ScriptedAuthorizer { _, started in
      await started()
      await gate.wait()
      return .authorized(PaymentToken("token"))
    }
    async let outcome = bench.buy(authorizer: slow)
    await gate.reached()
    bench.purchases.setUser("bob")
    gate.open()
    #expect(await outcome == .pending(.otherUser))
    #expect(bench.queue.submitted.isEmpty)
    try await bench.purchases.resume()
    await bench.idle()
    #expect(bench.queue.submitted.isEmpty)
    bench.purchases.setUser("ada")
    try await bench.purchases.resume()
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.queue.submitted.map(\.user) == ["ada"])
  }

  @Test func case4ChangingTheUserCancelsWhatWasNotAgreedTo() async throws {
    let bench = try await Bench()
    let gate = Gate()
    let slow = ScriptedAuthorizer { _, _ in
      await gate.wait()
      return .authorized(PaymentToken("token"))
    }
    async let outcome = bench.buy(authorizer: slow)
    await gate.reached()
    bench.purchases.setUser(nil)
    #expect(await outcome == .cancelled)
    #expect(try await bench.steps(id(1)) == [.begun, .cancelled])
  }

  @Test func case5CancellingTheCallerDoesNotCancelTheSubmission() async throws {
    let bench = try await Bench()
    let gate = Gate()
    let issuer = bench.issuer
    let cancelled = Mutex(false)
    bench.queue.setAnswer { transaction, _ in
      await gate.wait()
      cancelled.withLock { $0 = Task.isCancelled }
      return issuer.accepted(transaction)
    }
    let caller = Task { await bench.buy() }
    await gate.reached()
    caller.cancel()
    gate.open()
    #expect(await caller.value == .purchased("premium.monthly"))
    #expect(!cancelled.withLock { $0 })
    #expect(bench.purchases.entitlements == ["premium.monthly"])
  }

  @Test func case5AnAuthorizerThatNeverAnswersCanBeLeftAndItsLateTokenIsNotCharged() async throws {
    let bench = try await Bench()
    let requested = Gate()
    let late = Mutex<CheckedContinuation<PaymentAuthorization, Never>?>(nil)
    let deaf = ScriptedAuthorizer { _, _ in
      await withCheckedContinuation { continuation in
        late.withLock { $0 = continuation }
        requested.open()
      }
    }
    let caller = Task { await bench.buy(authorizer: deaf) }
    await requested.reached()
    caller.cancel()
    #expect(await caller.value == .cancelled)
    late.withLock { $0 }?.resume(returning: .authorized(PaymentToken("late")))
    await bench.effects.settled()
    #expect(bench.queue.submitted.isEmpty)
    #expect(try await bench.steps(id(1)) == [.begun, .cancelled])
  }

  @Test func case6AnObserverReadsStateInsideItsOwnNotification() async throws {
    let bench = try await Bench()
    var seen: [Set<String>] = []
    let purchases = bench.purchases
    _ = await bench.buy { _ in seen.append(purchases.entitlements) }
    #expect(seen.last == ["premium.monthly"])
    #expect(seen.dropLast().allSatisfy { $0.isEmpty })
  }

  @Test func case12ACancellationIsNeitherErrorNorSuccess() async throws {
    let bench = try await Bench()
    #expect(await bench.buy(authorizer: ScriptedAuthorizer { _, _ in .cancelled }) == .cancelled)
    #expect(await bench.buy(authorizer: ScriptedAuthorizer { _, _ in throw CancellationError() }) == .cancelled)
    #expect(bench.queue.submitted.isEmpty)
    #expect(try await bench.steps(id(1)) == [.begun, .cancelled])
    #expect(await bench.buy() == .purchased("premium.monthly"), "and the next try is free")
  }

  @Test func aProviderThatGivesNoTokenSaysWhy() async throws {
    let bench = try await Bench()
    let broken = ScriptedAuthorizer { _, started in
      await started()
      throw PaymentAuthorizationError(sentence: "The card has expired.")
    }
    #expect(await bench.buy(authorizer: broken) == .failed(.authorization("The card has expired.")))
    let rows = try await bench.journal.purchases(seller: "store", user: "ada")
    #expect(rows.map(\.failure) == ["authorization"])
    #expect(bench.queue.submitted.isEmpty)
  }

  @Test func aDeclinedPaymentIsOverAndCanBeTriedAgain() async throws {
    let bench = try await Bench()
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, call in call == 1 ? .declined("Your bank said no.") : issuer.accepted(transaction) }
    #expect(await bench.buy() == .failed(.declined("Your bank said no.")))
    #expect(try await bench.steps(id(1)) == [.begun, .authorized, .submitted, .failed])
    #expect(try await bench.journal.purchases(seller: "store", user: "ada").first?.token == nil)
    #expect(await bench.buy() == .purchased("premium.monthly"))
    #expect(bench.queue.submitted.map(\.id) == [id(1), id(2)], "a new try is a new transaction")
  }

  @Test func whatCannotBeWrittenDownIsNotBegun() async throws {
    let bench = try await Bench()
    await bench.journal.close()
    let authorizer = ScriptedAuthorizer()
    guard case .failed(.storage) = await bench.buy(authorizer: authorizer) else {
      Issue.record("bought without a journal")
      return
    }
    #expect(authorizer.orders.isEmpty)
  }

  @Test func aTokenThatCannotBeWrittenDownIsNotCharged() async throws {
    let bench = try await Bench()
    let journal = bench.journal
    let closing = ScriptedAuthorizer { _, started in
      await started()
      await journal.close()
      return .authorized(PaymentToken("token"))
    }
    guard case .failed(.storage) = await bench.buy(authorizer: closing) else {
      Issue.record("charged without a journal")
      return
    }
    #expect(bench.queue.submitted.isEmpty)
  }

  @Test func whatWasPaidIsUnlockedAlsoWhenTheDiskIsFullByThen() async throws {
    let bench = try await Bench()
    let journal = bench.journal
    let issuer = bench.issuer
    let ledger = bench.ledger
    // The keys are known, so that only the journal is missing.
    _ = await bench.buy(forever)
    bench.queue.setAnswer { transaction, _ in
      ledger.charge(transaction.id)
      await journal.close()
      return issuer.accepted(transaction)
    }
    #expect(await bench.buy() == .purchased("premium.monthly"))
    #expect(bench.purchases.entitlements == ["premium.monthly", "premium.forever"])
    #expect(bench.queue.finished == [id(1)], "and not finished, since the journal does not have it")
    try await bench.restart()
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly", "premium.forever"])
    #expect(bench.ledger.charges.count == 2)
  }

  @Test func everyFailureHasASentence() {
    let failures: [PurchaseError] = [
      .notSignedIn, .notAllowed, .inProgress, .alreadyOwned, .storage("x"), .authorization("a."), .declined("d."), .unknownProduct("u."),
      .refused(code: "c", sentence: "r."),
    ]
    for failure in failures {
      #expect(failure.sentence.hasSuffix(".") || failure.sentence.hasSuffix("?"))
      #expect(!failure.code.isEmpty)
    }
    for reason in [PendingReason.storeUnavailable, .sessionEnded, .otherUser] { #expect(reason.sentence.hasSuffix(".")) }
  }
}
