import Foundation
import Patience
import PurchaseServiceTesting
import Runtime
import Testing

@testable import PurchaseService

@MainActor @Suite(.timeLimit(.minutes(1))) struct StagedPurchasesTests {
  typealias Stage = StagedBench.Stage
  typealias Step = Transaction.Step

  @Test(arguments: [Stage.old, .new]) func aNewPurchaseGoesWhereTheFlagSays(stage: Stage) async throws {
    let bench = try await StagedBench()
    bench.flag = stage
    #expect(await bench.buy() == .purchased("premium.monthly"))
    #expect(bench.side(stage).queue.submitted.count == 1)
    #expect(bench.side(stage).queue.finished == [id(1)])
    #expect(bench.side(stage.other).queue.submitted.isEmpty)
    #expect(try await bench.purchases.history().map(\.purchasePath) == [bench.side(stage).name])
    #expect(try await bench.purchases.products(["premium.monthly"]).products == [monthly])
    #expect(bench.side(stage).products.requests.count == 1)
    #expect(bench.side(stage.other).products.requests.isEmpty)
  }

  @Test func theHistoryOfBothIsInTheOrderInWhichItWasWritten() async throws {
    let bench = try await StagedBench()
    for stage in [Stage.new, .old, .new] {
      bench.flag = stage
      for side in [bench.old, bench.new] { side.queue.setAnswer { _, _ in .declined("No.") } }
      _ = await bench.buy()
    }
    let history = try await bench.purchases.history()
    #expect(Set(history.map(\.begun)).count == 1)
    #expect(history.map(\.id) == [id(3), id(2), id(1)])
    #expect(history.map(\.purchasePath) == ["new", "old", "new"])
  }

  /// A backend may take its time to verify what is stored, when the device has its proof at once.
  @Test func thePathThatWaitsForItsVerifierDoesNotHoldUpTheOther() async throws {
    let bench = try await StagedBench()
    #expect(await bench.buy() == .purchased("premium.monthly"))
    await bench.idle()
    await until { bench.paths[.new]?.owns("premium.monthly") == true }
    try await bench.restart(resuming: false)
    let gate = Gate()
    bench.old.gate.gate.withLock { $0 = gate }
    let resuming = Task { try await bench.purchases.resume() }
    await gate.reached()
    await until { bench.purchases.entitlements == ["premium.monthly"] }
    #expect(bench.purchases.isVerifying)
    gate.open()
    try await resuming.value
    #expect(!bench.purchases.isVerifying)
  }

  // MARK: Switching with a purchase under way

  @Test(arguments: [Stage.old, .new], ["asking", "agreed", "charging", "waiting", "verifying"])
  func switchingInTheMiddleOfAPurchaseLosesNothingAndChargesOnce(stage: Stage, moment: String) async throws {
    let bench = try await StagedBench()
    bench.flag = stage
    let (gate, side, issuer, ledger) = (Gate(), bench.side(stage), bench.issuer, bench.ledger)
    let authorizer = ScriptedAuthorizer { _, started in
      if moment == "asking" { await gate.wait() }
      await started()
      if moment == "agreed" { await gate.wait() }
      return .authorized(PaymentToken("token"))
    }
    side.queue.setAnswer { transaction, call in
      ledger.charge(transaction.id)
      if moment == "charging" { await gate.wait() }
      return moment == "waiting" && call == 1 ? .unavailable(reason: "away") : issuer.accepted(transaction)
    }
    if moment == "verifying" { side.gate.gate.withLock { $0 = gate } }

    async let outcome = bench.buy(authorizer: authorizer)
    if moment == "waiting" { await bench.clock.waitForSleepers() } else { await gate.reached() }
    bench.flag = stage.other
    #expect(bench.purchases.isUnderWay("premium.monthly"))
    #expect(await bench.buy() == .failed(.inProgress), "under way on one path is in progress on the other")
    try await bench.purchases.resume()
    #expect(await bench.buy(forever) == .purchased("premium.forever"), "another product goes the new way meanwhile")
    gate.open()
    if moment == "waiting" { bench.clock.advance(by: .seconds(1)) }

    #expect(await outcome == .purchased("premium.monthly"))
    await bench.idle()
    #expect(bench.ledger.charges.count == 2)
    #expect(Set(side.queue.submitted.map(\.id)) == [id(1)])
    #expect(side.queue.finished == [id(1)], "the path that began it finishes it")
    #expect(bench.side(stage.other).queue.submitted.map(\.productID) == ["premium.forever"])
    #expect(bench.purchases.entitlements == ["premium.monthly", "premium.forever"])
    #expect(await bench.buy() == .failed(.alreadyOwned))
  }

  @Test(arguments: [Stage.old, .new], [Step.begun, .authorized, .submitted, .received, .verified])
  func case20SwitchingAcrossARestartLosesNothingAndChargesOnce(stage: Stage, step: Step) async throws {
    let bench = try await StagedBench()
    let left = try await bench.leave(step, path: bench.side(stage).name)
    bench.flag = stage.other
    try await bench.restart()
    await bench.idle()
    let (began, other) = (bench.side(stage).queue, bench.side(stage.other).queue)
    #expect(other.submitted.isEmpty)
    if step == .begun {
      #expect(bench.ledger.charges.isEmpty)
      #expect(try await bench.purchases.history().map(\.step) == [.abandoned])
      #expect(await bench.buy() == .purchased("premium.monthly"), "nothing was agreed to, so it can be bought")
      #expect(other.submitted.count == 1)
    } else {
      #expect(bench.ledger.charges == [left])
      #expect(bench.purchases.entitlements == ["premium.monthly"])
      #expect(began.finished == [left])
      #expect(try await bench.purchases.history().map(\.step) == [.finished])
      #expect(await bench.buy() == .failed(.alreadyOwned))
    }
    #expect(bench.ledger.charges.count == 1)
  }

  @Test(arguments: [Stage.old, .new], [Step.authorized, .submitted, .received])
  func case3WhatTheOtherPathLeftUnconfirmedIsNotSoldAgainAndGoesOn(stage: Stage, step: Step) async throws {
    let bench = try await StagedBench()
    let left = try await bench.leave(step, path: bench.side(stage).name)
    bench.flag = stage.other
    try await bench.restart(resuming: false)
    // Without resume(): the journal alone must prevent the second sale.
    #expect(await bench.buy() == .failed(.inProgress))
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"], "asking again went on with the first")
    #expect(bench.ledger.charges == [left])
    #expect(bench.side(stage.other).queue.submitted.isEmpty)
  }

  @Test func onePathDoesNotCloseWhatIsBeingAskedOnTheOther() async throws {
    let bench = try await StagedBench()
    let gate = Gate()
    let slow = ScriptedAuthorizer { _, started in
      await gate.wait()
      await started()
      return .authorized(PaymentToken("token"))
    }
    async let outcome = bench.buy(authorizer: slow)
    await gate.reached()
    try await bench.purchases.resume()
    #expect(try await bench.purchases.history().map(\.step) == [.begun])
    gate.open()
    #expect(await outcome == .purchased("premium.monthly"))
  }

  // MARK: A path that is gone

  @Test(arguments: [Step.begun, .authorized, .submitted, .received, .verified])
  func theTransactionsOfAPathThatIsGoneAreLeftAsTheyAreAndShown(step: Step) async throws {
    let bench = try await StagedBench()
    let left = try await bench.leave(step, path: "gone")
    try await bench.restart()
    await bench.purchases.check(left)
    await bench.idle()
    #expect(try await bench.purchases.history().map(\.step) == [step])
    #expect(bench.old.queue.submitted.isEmpty && bench.new.queue.submitted.isEmpty)
    if step.isPaying {
      #expect(await bench.buy() == .failed(.inProgress), "it may have been paid")
    } else {
      #expect(await bench.buy() == .purchased("premium.monthly"))
    }
    #expect(try await bench.journal.steps(of: left).last == step)
  }

  // MARK: What the user has

  @Test func whatEitherPathKnowsIsTheUsersAndOnlyChangesAreTold() async throws {
    let bench = try await StagedBench()
    var stream = bench.purchases.entitlementStream().makeAsyncIterator()
    #expect(await stream.next() == [])
    #expect(await bench.buy() == .purchased("premium.monthly"))
    #expect(await stream.next() == ["premium.monthly"])
    bench.flag = .new
    // The new path learns of the same purchase: no news.
    await until { bench.paths[.new]?.entitlements == ["premium.monthly"] }
    #expect(try await bench.purchases.restore() == ["premium.monthly"])
    #expect(await bench.buy(forever) == .purchased("premium.forever"))
    #expect(await stream.next() == ["premium.monthly", "premium.forever"])
    var late = bench.purchases.entitlementStream().makeAsyncIterator()
    #expect(await late.next() == ["premium.monthly", "premium.forever"], "the last value comes first")
    try await bench.restart()
    #expect(bench.purchases.entitlements == ["premium.monthly", "premium.forever"])
  }

  @Test func atOnceNothingOfAnotherUsersIsShown() async throws {
    let bench = try await StagedBench()
    _ = await bench.buy()
    bench.purchases.setUser("bob")
    #expect(bench.purchases.user == "bob")
    #expect(bench.purchases.entitlements.isEmpty)
    var stream = bench.purchases.entitlementStream().makeAsyncIterator()
    #expect(await stream.next() == [])
    #expect(try await bench.purchases.history().isEmpty)
  }

  @Test func whatOnePathNoLongerListsTheOtherKeeps() async throws {
    let bench = try await StagedBench()
    _ = await bench.buy()
    bench.flag = .new
    _ = await bench.buy(forever)
    await bench.effects.settled()
    bench.old.queue.setRestored(.success([]))
    bench.new.queue.setRestored(.success([try bench.issuer.receipt(id(2), user: "ada", product: "premium.forever")]))
    #expect(try await bench.purchases.restore() == ["premium.forever"])
    try await bench.restart()
    #expect(bench.purchases.entitlements == ["premium.forever"], "in the file too")
  }

  @Test func restoringTakesOnePathThatAnswers() async throws {
    let bench = try await StagedBench()
    let away = StoreError(.unavailable, code: "offline", sentence: "Offline.")
    bench.old.queue.setRestored(.failure(away))
    bench.new.queue.setRestored(.success([try bench.issuer.receipt(id(9), user: "ada", product: "premium.monthly")]))
    #expect(try await bench.purchases.restore() == ["premium.monthly"])
    bench.new.queue.setRestored(.failure(away))
    await #expect(throws: away) { try await bench.purchases.restore() }
    #expect(bench.purchases.owns("premium.monthly"))
  }

  @Test func accessEndsWhenTheLastOfBothEnds() async throws {
    let bench = try await StagedBench()
    let (soon, later) = (bench.clock.now + 100, bench.clock.now + 200)
    func restore(_ old: Date?, _ new: Date?) async throws {
      for (queue, end) in [(bench.old.queue, old), (bench.new.queue, new)] {
        queue.setRestored(.success([try bench.issuer.receipt(id(9), user: "ada", product: "premium.monthly", expires: end)]))
      }
      _ = try await bench.purchases.restore()
    }
    try await restore(soon, later)
    #expect(bench.purchases.expiry(of: "premium.monthly") == later)
    try await restore(nil, later)
    #expect(bench.purchases.expiry(of: "premium.monthly") == nil, "one that never ends outlasts the other")
    #expect(bench.purchases.expiry(of: "premium.forever") == nil)
  }

  // MARK: The rest of the layer

  @Test func aStorefrontIsBothPaths() async throws {
    let bench = try await StagedBench()
    bench.purchases.storefront = Storefront(currency: "CHF", locale: Locale(identifier: "de_CH"))
    for stage in [Stage.old, .new] {
      bench.flag = stage
      _ = try await bench.purchases.products(["premium.monthly"])
      #expect(bench.side(stage).products.requests.map(\.storefront.currency) == ["CHF"])
    }
    #expect(bench.purchases.storefront.currency == "CHF")
  }

  @Test func paymentsAreAllowedAsTheChosenPathSays() async throws {
    let bench = try await StagedBench()
    bench.old.queue.allowPayments(false)
    #expect(!bench.purchases.canMakePayments)
    #expect(await bench.buy() == .failed(.notAllowed))
    bench.flag = .new
    #expect(bench.purchases.canMakePayments)
    #expect(await bench.buy() == .purchased("premium.monthly"))
  }

  @Test func checkingAsksThePathThatBegan() async throws {
    let bench = try await StagedBench()
    let issuer = bench.issuer
    bench.old.queue.setAnswer { transaction, call in call == 1 ? .busy(retryAfter: .seconds(3600)) : issuer.accepted(transaction) }
    #expect(await bench.buy() == .pending(.storeUnavailable))
    bench.flag = .new
    var changes = bench.purchases.historyStream().makeAsyncIterator()
    await changes.next()
    await bench.clock.waitForSleepers()
    await bench.purchases.check(id(1))
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    await changes.next()
    #expect(bench.old.queue.submitted.count == 2)
    #expect(bench.new.queue.submitted.isEmpty)
    await bench.purchases.check(id(77))
  }

  @Test func thePathThatBeganAPurchaseCancelsIt() async throws {
    let bench = try await StagedBench()
    bench.flag = .old
    bench.old.queue.setAnswer { _, _ in .interrupted("Confirm it.") }
    #expect(await bench.buy() == .pending(.interrupted("Confirm it.")))
    bench.flag = .new
    bench.old.queue.setAnswer { _, _ in .declined("Cancelled.") }
    try await bench.purchases.cancel(id(1))
    #expect(bench.old.queue.cancelled == [id(1)])
    #expect(try await bench.purchases.history().map(\.state) == [.failed])
    // The journal does not have one of another device.
    try await bench.purchases.cancel(id(77))
    #expect(bench.new.queue.cancelled == [id(77)])
  }

  @Test func aNoticeIsSaidOnceHoweverManyPathsSayIt() async throws {
    let bench = try await StagedBench()
    let receipt = try bench.issuer.receipt(id(9), user: "ada", product: "premium.monthly")
    bench.old.queue.setRestored(.success([receipt]))
    bench.new.queue.setRestored(.success([receipt]))
    _ = try await bench.purchases.restore()
    try await bench.purchases.resume()
    var notices = bench.purchases.noticeStream().makeAsyncIterator()
    bench.old.queue.tell(.revoked(id(9), reason: "It was refunded."))
    bench.new.queue.tell(.revoked(id(9), reason: "It was refunded."))
    await until { bench.purchases.entitlements.isEmpty }
    bench.new.queue.tell(.revoked(id(10), reason: "Never had."))
    bench.new.queue.setRestored(.success([try bench.issuer.receipt(id(11), user: "ada", product: "premium.forever")]))
    _ = try await bench.purchases.restore()
    bench.new.queue.tell(.revoked(id(11), reason: "It was refunded as well."))
    #expect(await notices.next()?.sentence == "It was refunded.")
    #expect(await notices.next()?.sentence == "It was refunded as well.")
  }
}
