import Foundation
import PurchaseServiceTesting
import Synchronization
import Testing

@testable import PurchaseService

@MainActor @Suite(.timeLimit(.minutes(1))) struct PurchaseTests {
  @Test func aPurchaseRunsThroughItsStagesAndUnlocks() async throws {
    let rig = try await Rig()
    #expect(await rig.buy() == .purchased("premium.monthly"))
    #expect(rig.stages == [.begun, .waitingForAuthorization, .authorizing, .charging, .verifying, .unlocked])
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.purchases.owns("premium.monthly"))
    #expect(rig.ledger.charges == [id(1)])
    #expect(rig.queue.finished == [id(1)])
    #expect(try await rig.steps(id(1)) == [.begun, .authorized, .submitted, .received, .verified, .finished])
  }

  @Test func aTokenIsInTheJournalBeforeTheStoreHearsOfItAndGoneAfterwards() async throws {
    let rig = try await Rig()
    let journal = rig.journal
    let issuer = rig.issuer
    let seen = Mutex<[Transaction]>([])
    rig.queue.setAnswer { transaction, _ in
      let rows = try? await journal.unfinished(seller: "store")
      seen.withLock { $0 = rows ?? [] }
      return issuer.accepted(transaction)
    }
    _ = await rig.buy()
    #expect(seen.withLock { $0.map(\.step) } == [.submitted])
    #expect(seen.withLock { $0.first?.token } == PaymentToken("token"))
    let rows = try await rig.journal.purchases(seller: "store", user: "ada")
    #expect(rows.map(\.step) == [.finished])
    #expect(rows.first?.token == nil)
    #expect(!"\(PaymentToken("secret")) \(String(reflecting: PaymentToken("secret")))".contains("secret"))
  }

  @Test func case1NothingIsFinishedBeforeTheStoreHasProcessedIt() async throws {
    let rig = try await Rig()
    let gate = Gate()
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in
      await gate.wait()
      return issuer.accepted(transaction)
    }
    async let outcome = rig.buy()
    await gate.reached()
    #expect(rig.queue.finished.isEmpty)
    #expect(rig.purchases.entitlements.isEmpty)
    gate.open()
    #expect(await outcome == .purchased("premium.monthly"))
    #expect(rig.queue.finished == [id(1)])
  }

  @Test func case1AOneTimeProductThatTheAnswerDoesNotListIsKept() async throws {
    let rig = try await Rig()
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, call in
      let answer = issuer.accepted(transaction)
      guard call == 1, case .accepted(let receipt, _) = answer else { return answer }
      return .accepted(receipt: receipt, listed: [])
    }
    async let outcome = rig.buy(forever)
    await rig.clock.waitForSleepers()
    #expect(rig.queue.finished.isEmpty)
    #expect(rig.purchases.entitlements.isEmpty)
    rig.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("premium.forever"))
    #expect(rig.queue.submitted.map(\.id) == [id(1), id(1)])
  }

  @Test func case2OneSubmissionForEachTransactionWhoeverComesFirst() async throws {
    let rig = try await Rig()
    let gate = Gate()
    let issuer = rig.issuer
    let ledger = rig.ledger
    rig.queue.setAnswer { transaction, _ in
      ledger.charge(transaction.id)
      await gate.wait()
      return issuer.accepted(transaction)
    }
    async let outcome = rig.buy()
    await gate.reached()
    // The queue tells of it, and a second resume finds it in the journal: both wait for the submission that runs.
    rig.queue.tell(.transaction(id(1)))
    try await rig.purchases.resume()
    try await rig.purchases.resume()
    gate.open()
    #expect(await outcome == .purchased("premium.monthly"))
    await rig.idle()
    #expect(rig.queue.submitted.count == 1)
    #expect(!rig.queue.overlapped)
    #expect(rig.ledger.charges.count == 1)
  }

  @Test func case3ASecondPurchaseOfTheSameProductIsRefusedWhileOneIsUnderWay() async throws {
    let rig = try await Rig()
    let gate = Gate()
    let slow = ScriptedAuthorizer { _, started in
      await gate.wait()
      await started()
      return .authorized(PaymentToken("token"))
    }
    async let first = rig.buy(authorizer: slow)
    await gate.reached()
    #expect(rig.purchases.isUnderWay("premium.monthly"))
    #expect(await rig.buy() == .failed(.inProgress))
    #expect(await rig.buy(forever) == .purchased("premium.forever"), "another product is another matter")
    gate.open()
    #expect(await first == .purchased("premium.monthly"))
    #expect(!rig.purchases.isUnderWay("premium.monthly"))
    #expect(rig.ledger.charges.count == 2)
  }

  @Test func case3APurchaseThatIsPaidAndNotConfirmedIsNotSoldAgainAfterARestart() async throws {
    let rig = try await Rig()
    let paid = try await rig.leave(.submitted)
    // Without resume(): the journal alone must prevent the second sale.
    #expect(await rig.buy() == .failed(.inProgress))
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"], "asking again went on with the first")
    #expect(rig.ledger.charges == [paid])
  }

  @Test func whatIsOwnedIsNotSoldAgain() async throws {
    let rig = try await Rig()
    _ = await rig.buy()
    #expect(await rig.buy() == .failed(.alreadyOwned))
    let passes = Product(
      id: "passes", kind: .consumable(type: "pass", amount: 5), name: "Passes", price: Price(minorUnits: 500, currency: "EUR"))
    #expect(await rig.buy(passes) == .purchased("passes"))
    #expect(await rig.buy(passes) == .purchased("passes"))
  }

  @Test func case4TheResultBelongsToTheUserWhoBegan() async throws {
    let rig = try await Rig()
    let gate = Gate()
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in
      await gate.wait()
      return issuer.accepted(transaction)
    }
    async let outcome = rig.buy()
    await gate.reached()
    rig.purchases.setUser("bob")
    gate.open()
    #expect(await outcome == .purchased("premium.monthly"))
    #expect(rig.purchases.entitlements.isEmpty, "what the new user has is untouched")
    #expect(rig.queue.submitted.map(\.user) == ["ada"])
    try await rig.purchases.resume()
    #expect(rig.purchases.entitlements.isEmpty)
    rig.purchases.setUser("ada")
    #expect(rig.purchases.entitlements.isEmpty)
    try await rig.purchases.resume()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
  }

  @Test func case4NobodyElsePaysForWhatWasAgreedToBeforeTheUserChanged() async throws {
    let rig = try await Rig()
    let gate = Gate()
    let slow = ScriptedAuthorizer { _, started in
      await started()
      await gate.wait()
      return .authorized(PaymentToken("token"))
    }
    async let outcome = rig.buy(authorizer: slow)
    await gate.reached()
    rig.purchases.setUser("bob")
    gate.open()
    #expect(await outcome == .pending(.otherUser))
    #expect(rig.queue.submitted.isEmpty)
    try await rig.purchases.resume()
    await rig.idle()
    #expect(rig.queue.submitted.isEmpty)
    rig.purchases.setUser("ada")
    try await rig.purchases.resume()
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.queue.submitted.map(\.user) == ["ada"])
  }

  @Test func case4ChangingTheUserCancelsWhatWasNotAgreedTo() async throws {
    let rig = try await Rig()
    let gate = Gate()
    let slow = ScriptedAuthorizer { _, _ in
      await gate.wait()
      return .authorized(PaymentToken("token"))
    }
    async let outcome = rig.buy(authorizer: slow)
    await gate.reached()
    rig.purchases.setUser(nil)
    #expect(await outcome == .cancelled)
    #expect(try await rig.steps(id(1)) == [.begun, .cancelled])
  }

  @Test func case5CancellingTheCallerDoesNotCancelTheSubmission() async throws {
    let rig = try await Rig()
    let gate = Gate()
    let issuer = rig.issuer
    let cancelled = Mutex(false)
    rig.queue.setAnswer { transaction, _ in
      await gate.wait()
      cancelled.withLock { $0 = Task.isCancelled }
      return issuer.accepted(transaction)
    }
    let caller = Task { await rig.buy() }
    await gate.reached()
    caller.cancel()
    gate.open()
    #expect(await caller.value == .purchased("premium.monthly"))
    #expect(!cancelled.withLock { $0 })
    #expect(rig.purchases.entitlements == ["premium.monthly"])
  }

  @Test func case5AnAuthorizerThatNeverAnswersCanBeLeftAndItsLateTokenIsNotCharged() async throws {
    let rig = try await Rig()
    let requested = Gate()
    let late = Mutex<CheckedContinuation<PaymentAuthorization, Never>?>(nil)
    let deaf = ScriptedAuthorizer { _, _ in
      await withCheckedContinuation { continuation in
        late.withLock { $0 = continuation }
        requested.open()
      }
    }
    let caller = Task { await rig.buy(authorizer: deaf) }
    await requested.reached()
    caller.cancel()
    #expect(await caller.value == .cancelled)
    late.withLock { $0 }?.resume(returning: .authorized(PaymentToken("late")))
    await rig.effects.settled()
    #expect(rig.queue.submitted.isEmpty)
    #expect(try await rig.steps(id(1)) == [.begun, .cancelled])
  }

  @Test func case6AnObserverReadsStateInsideItsOwnNotification() async throws {
    let rig = try await Rig()
    var seen: [Set<String>] = []
    let purchases = rig.purchases
    _ = await rig.buy { _ in seen.append(purchases.entitlements) }
    #expect(seen.last == ["premium.monthly"])
    #expect(seen.dropLast().allSatisfy { $0.isEmpty })
  }

  @Test func case12ACancellationIsNeitherErrorNorSuccess() async throws {
    let rig = try await Rig()
    #expect(await rig.buy(authorizer: ScriptedAuthorizer { _, _ in .cancelled }) == .cancelled)
    #expect(await rig.buy(authorizer: ScriptedAuthorizer { _, _ in throw CancellationError() }) == .cancelled)
    #expect(rig.queue.submitted.isEmpty)
    #expect(try await rig.steps(id(1)) == [.begun, .cancelled])
    #expect(await rig.buy() == .purchased("premium.monthly"), "and the next try is free")
  }

  @Test func aProviderThatGivesNoTokenSaysWhy() async throws {
    let rig = try await Rig()
    let broken = ScriptedAuthorizer { _, started in
      await started()
      throw PaymentAuthorizationError(sentence: "The card has expired.")
    }
    #expect(await rig.buy(authorizer: broken) == .failed(.authorization("The card has expired.")))
    let rows = try await rig.journal.purchases(seller: "store", user: "ada")
    #expect(rows.map(\.failure) == ["authorization"])
    #expect(rig.queue.submitted.isEmpty)
  }

  @Test func aDeclinedPaymentIsOverAndCanBeTriedAgain() async throws {
    let rig = try await Rig()
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, call in call == 1 ? .declined("Your bank said no.") : issuer.accepted(transaction) }
    #expect(await rig.buy() == .failed(.declined("Your bank said no.")))
    #expect(try await rig.steps(id(1)) == [.begun, .authorized, .submitted, .failed])
    #expect(try await rig.journal.purchases(seller: "store", user: "ada").first?.token == nil)
    #expect(await rig.buy() == .purchased("premium.monthly"))
    #expect(rig.queue.submitted.map(\.id) == [id(1), id(2)], "a new try is a new transaction")
  }

  @Test func whatCannotBeWrittenDownIsNotBegun() async throws {
    let rig = try await Rig()
    await rig.journal.close()
    let authorizer = ScriptedAuthorizer()
    guard case .failed(.storage) = await rig.buy(authorizer: authorizer) else {
      Issue.record("bought without a journal")
      return
    }
    #expect(authorizer.orders.isEmpty)
  }

  @Test func aTokenThatCannotBeWrittenDownIsNotCharged() async throws {
    let rig = try await Rig()
    let journal = rig.journal
    let closing = ScriptedAuthorizer { _, started in
      await started()
      await journal.close()
      return .authorized(PaymentToken("token"))
    }
    guard case .failed(.storage) = await rig.buy(authorizer: closing) else {
      Issue.record("charged without a journal")
      return
    }
    #expect(rig.queue.submitted.isEmpty)
  }

  @Test func whatWasPaidIsUnlockedAlsoWhenTheDiskIsFullByThen() async throws {
    let rig = try await Rig()
    let journal = rig.journal
    let issuer = rig.issuer
    let ledger = rig.ledger
    // The keys are known, so that only the journal is missing.
    _ = await rig.buy(forever)
    rig.queue.setAnswer { transaction, _ in
      ledger.charge(transaction.id)
      await journal.close()
      return issuer.accepted(transaction)
    }
    #expect(await rig.buy() == .purchased("premium.monthly"))
    #expect(rig.purchases.entitlements == ["premium.monthly", "premium.forever"])
    #expect(rig.queue.finished == [id(1)], "and not finished, since the journal does not have it")
    try await rig.restart()
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly", "premium.forever"])
    #expect(rig.ledger.charges.count == 2)
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
