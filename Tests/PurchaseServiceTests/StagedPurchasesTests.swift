import Foundation
import Patience
import PurchaseServiceTesting
import Runtime
import Testing

@testable import PurchaseService

@MainActor @Suite(.timeLimit(.minutes(1))) struct StagedPurchasesTests {
  typealias Stage = StagedRig.Stage
  typealias Step = Transaction.Step

  @Test(arguments: [Stage.old, .new]) func aNewPurchaseGoesWhereTheFlagSays(stage: Stage) async throws {
    let rig = try await StagedRig()
    rig.flag = stage
    #expect(await rig.buy() == .purchased("premium.monthly"))
    #expect(rig.side(stage).queue.submitted.count == 1)
    #expect(rig.side(stage).queue.finished == [id(1)])
    #expect(rig.side(stage.other).queue.submitted.isEmpty)
    #expect(try await rig.purchases.history().map(\.purchasePath) == [rig.side(stage).name])
    #expect(try await rig.purchases.products(["premium.monthly"]).products == [monthly])
    #expect(rig.side(stage).products.requests.count == 1)
    #expect(rig.side(stage.other).products.requests.isEmpty)
  }

  @Test func theHistoryOfBothIsInTheOrderInWhichItWasWritten() async throws {
    let rig = try await StagedRig()
    for stage in [Stage.new, .old, .new] {
      rig.flag = stage
      for side in [rig.old, rig.new] { side.queue.setAnswer { _, _ in .declined("No.") } }
      _ = await rig.buy()
    }
    let history = try await rig.purchases.history()
    #expect(Set(history.map(\.begun)).count == 1)
    #expect(history.map(\.id) == [id(3), id(2), id(1)])
    #expect(history.map(\.purchasePath) == ["new", "old", "new"])
  }

  /// A backend may take its time to verify what is stored, when the device has its proof at once.
  @Test func thePathThatWaitsForItsVerifierDoesNotHoldUpTheOther() async throws {
    let rig = try await StagedRig()
    #expect(await rig.buy() == .purchased("premium.monthly"))
    await rig.idle()
    await until { rig.paths[.new]?.owns("premium.monthly") == true }
    try await rig.restart(resuming: false)
    let gate = Gate()
    rig.old.gate.gate.withLock { $0 = gate }
    let resuming = Task { try await rig.purchases.resume() }
    await gate.reached()
    await until { rig.purchases.entitlements == ["premium.monthly"] }
    #expect(rig.purchases.isVerifying)
    gate.open()
    try await resuming.value
    #expect(!rig.purchases.isVerifying)
  }

  // MARK: Switching with a purchase under way

  @Test(arguments: [Stage.old, .new], ["asking", "agreed", "charging", "waiting", "verifying"])
  func switchingInTheMiddleOfAPurchaseLosesNothingAndChargesOnce(stage: Stage, moment: String) async throws {
    let rig = try await StagedRig()
    rig.flag = stage
    let (gate, side, issuer, ledger) = (Gate(), rig.side(stage), rig.issuer, rig.ledger)
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

    async let outcome = rig.buy(authorizer: authorizer)
    if moment == "waiting" { await rig.clock.waitForSleepers() } else { await gate.reached() }
    rig.flag = stage.other
    #expect(rig.purchases.isUnderWay("premium.monthly"))
    #expect(await rig.buy() == .failed(.inProgress), "under way on one path is in progress on the other")
    try await rig.purchases.resume()
    #expect(await rig.buy(forever) == .purchased("premium.forever"), "another product goes the new way meanwhile")
    gate.open()
    if moment == "waiting" { rig.clock.advance(by: .seconds(1)) }

    #expect(await outcome == .purchased("premium.monthly"))
    await rig.idle()
    #expect(rig.ledger.charges.count == 2)
    #expect(Set(side.queue.submitted.map(\.id)) == [id(1)])
    #expect(side.queue.finished == [id(1)], "the path that began it finishes it")
    #expect(rig.side(stage.other).queue.submitted.map(\.productID) == ["premium.forever"])
    #expect(rig.purchases.entitlements == ["premium.monthly", "premium.forever"])
    #expect(await rig.buy() == .failed(.alreadyOwned))
  }

  @Test(arguments: [Stage.old, .new], [Step.begun, .authorized, .submitted, .received, .verified])
  func case20SwitchingAcrossARestartLosesNothingAndChargesOnce(stage: Stage, step: Step) async throws {
    let rig = try await StagedRig()
    let left = try await rig.leave(step, path: rig.side(stage).name)
    rig.flag = stage.other
    try await rig.restart()
    await rig.idle()
    let (began, other) = (rig.side(stage).queue, rig.side(stage.other).queue)
    #expect(other.submitted.isEmpty)
    if step == .begun {
      #expect(rig.ledger.charges.isEmpty)
      #expect(try await rig.purchases.history().map(\.step) == [.abandoned])
      #expect(await rig.buy() == .purchased("premium.monthly"), "nothing was agreed to, so it can be bought")
      #expect(other.submitted.count == 1)
    } else {
      #expect(rig.ledger.charges == [left])
      #expect(rig.purchases.entitlements == ["premium.monthly"])
      #expect(began.finished == [left])
      #expect(try await rig.purchases.history().map(\.step) == [.finished])
      #expect(await rig.buy() == .failed(.alreadyOwned))
    }
    #expect(rig.ledger.charges.count == 1)
  }

  @Test(arguments: [Stage.old, .new], [Step.authorized, .submitted, .received])
  func case3WhatTheOtherPathLeftUnconfirmedIsNotSoldAgainAndGoesOn(stage: Stage, step: Step) async throws {
    let rig = try await StagedRig()
    let left = try await rig.leave(step, path: rig.side(stage).name)
    rig.flag = stage.other
    try await rig.restart(resuming: false)
    // Without resume(): the journal alone must prevent the second sale.
    #expect(await rig.buy() == .failed(.inProgress))
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"], "asking again went on with the first")
    #expect(rig.ledger.charges == [left])
    #expect(rig.side(stage.other).queue.submitted.isEmpty)
  }

  @Test func onePathDoesNotCloseWhatIsBeingAskedOnTheOther() async throws {
    let rig = try await StagedRig()
    let gate = Gate()
    let slow = ScriptedAuthorizer { _, started in
      await gate.wait()
      await started()
      return .authorized(PaymentToken("token"))
    }
    async let outcome = rig.buy(authorizer: slow)
    await gate.reached()
    try await rig.purchases.resume()
    #expect(try await rig.purchases.history().map(\.step) == [.begun])
    gate.open()
    #expect(await outcome == .purchased("premium.monthly"))
  }

  // MARK: A path that is gone

  @Test(arguments: [Step.begun, .authorized, .submitted, .received, .verified])
  func theTransactionsOfAPathThatIsGoneAreLeftAsTheyAreAndShown(step: Step) async throws {
    let rig = try await StagedRig()
    let left = try await rig.leave(step, path: "gone")
    try await rig.restart()
    await rig.purchases.check(left)
    await rig.idle()
    #expect(try await rig.purchases.history().map(\.step) == [step])
    #expect(rig.old.queue.submitted.isEmpty && rig.new.queue.submitted.isEmpty)
    if step.isPaying {
      #expect(await rig.buy() == .failed(.inProgress), "it may have been paid")
    } else {
      #expect(await rig.buy() == .purchased("premium.monthly"))
    }
    #expect(try await rig.journal.steps(of: left).last == step)
  }

  // MARK: What the user has

  @Test func whatEitherPathKnowsIsTheUsersAndOnlyChangesAreTold() async throws {
    let rig = try await StagedRig()
    var stream = rig.purchases.entitlementStream().makeAsyncIterator()
    #expect(await stream.next() == [])
    #expect(await rig.buy() == .purchased("premium.monthly"))
    #expect(await stream.next() == ["premium.monthly"])
    rig.flag = .new
    // The new path learns of the same purchase: no news.
    await until { rig.paths[.new]?.entitlements == ["premium.monthly"] }
    #expect(try await rig.purchases.restore() == ["premium.monthly"])
    #expect(await rig.buy(forever) == .purchased("premium.forever"))
    #expect(await stream.next() == ["premium.monthly", "premium.forever"])
    var late = rig.purchases.entitlementStream().makeAsyncIterator()
    #expect(await late.next() == ["premium.monthly", "premium.forever"], "the last value comes first")
    try await rig.restart()
    #expect(rig.purchases.entitlements == ["premium.monthly", "premium.forever"])
  }

  @Test func observersAreToldOfTheUnionOnce() async throws {
    let rig = try await StagedRig()
    var told: [Set<String>] = []
    let observation = rig.purchases.observeEntitlements { told.append($0) }
    #expect(await rig.buy() == .purchased("premium.monthly"))
    await until { rig.paths[.new]?.entitlements == ["premium.monthly"] }
    #expect(told == [[], ["premium.monthly"]])
    withExtendedLifetime(observation) {}
  }

  @Test func atOnceNothingOfAnotherUsersIsShown() async throws {
    let rig = try await StagedRig()
    _ = await rig.buy()
    rig.purchases.setUser("bob")
    #expect(rig.purchases.user == "bob")
    #expect(rig.purchases.entitlements.isEmpty)
    var stream = rig.purchases.entitlementStream().makeAsyncIterator()
    #expect(await stream.next() == [])
    #expect(try await rig.purchases.history().isEmpty)
  }

  @Test func whatOnePathNoLongerListsTheOtherKeeps() async throws {
    let rig = try await StagedRig()
    _ = await rig.buy()
    rig.flag = .new
    _ = await rig.buy(forever)
    await rig.effects.settled()
    rig.old.queue.setRestored(.success([]))
    rig.new.queue.setRestored(.success([try rig.issuer.receipt(id(2), user: "ada", product: "premium.forever")]))
    #expect(try await rig.purchases.restore() == ["premium.forever"])
    try await rig.restart()
    #expect(rig.purchases.entitlements == ["premium.forever"], "in the file too")
  }

  @Test func restoringTakesOnePathThatAnswers() async throws {
    let rig = try await StagedRig()
    let away = StoreError(.unavailable, code: "offline", sentence: "Offline.")
    rig.old.queue.setRestored(.failure(away))
    rig.new.queue.setRestored(.success([try rig.issuer.receipt(id(9), user: "ada", product: "premium.monthly")]))
    #expect(try await rig.purchases.restore() == ["premium.monthly"])
    rig.new.queue.setRestored(.failure(away))
    await #expect(throws: away) { try await rig.purchases.restore() }
    #expect(rig.purchases.owns("premium.monthly"))
  }

  @Test func accessEndsWhenTheLastOfBothEnds() async throws {
    let rig = try await StagedRig()
    let (soon, later) = (rig.clock.now + 100, rig.clock.now + 200)
    func restore(_ old: Date?, _ new: Date?) async throws {
      for (queue, end) in [(rig.old.queue, old), (rig.new.queue, new)] {
        queue.setRestored(.success([try rig.issuer.receipt(id(9), user: "ada", product: "premium.monthly", expires: end)]))
      }
      _ = try await rig.purchases.restore()
    }
    try await restore(soon, later)
    #expect(rig.purchases.expiry(of: "premium.monthly") == later)
    try await restore(nil, later)
    #expect(rig.purchases.expiry(of: "premium.monthly") == nil, "one that never ends outlasts the other")
    #expect(rig.purchases.expiry(of: "premium.forever") == nil)
  }

  // MARK: The rest of the layer

  @Test func aStorefrontIsBothPaths() async throws {
    let rig = try await StagedRig()
    rig.purchases.storefront = Storefront(currency: "CHF", locale: Locale(identifier: "de_CH"))
    for stage in [Stage.old, .new] {
      rig.flag = stage
      _ = try await rig.purchases.products(["premium.monthly"])
      #expect(rig.side(stage).products.requests.map(\.storefront.currency) == ["CHF"])
    }
    #expect(rig.purchases.storefront.currency == "CHF")
  }

  @Test func paymentsAreAllowedAsTheChosenPathSays() async throws {
    let rig = try await StagedRig()
    rig.old.queue.allowPayments(false)
    #expect(!rig.purchases.canMakePayments)
    #expect(await rig.buy() == .failed(.notAllowed))
    rig.flag = .new
    #expect(rig.purchases.canMakePayments)
    #expect(await rig.buy() == .purchased("premium.monthly"))
  }

  @Test func checkingAsksThePathThatBegan() async throws {
    let rig = try await StagedRig()
    let issuer = rig.issuer
    rig.old.queue.setAnswer { transaction, call in call == 1 ? .busy(retryAfter: .seconds(3600)) : issuer.accepted(transaction) }
    #expect(await rig.buy() == .pending(.storeUnavailable))
    rig.flag = .new
    var changes = rig.purchases.historyStream().makeAsyncIterator()
    await changes.next()
    await rig.clock.waitForSleepers()
    await rig.purchases.check(id(1))
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    await changes.next()
    #expect(rig.old.queue.submitted.count == 2)
    #expect(rig.new.queue.submitted.isEmpty)
    await rig.purchases.check(id(77))
  }

  @Test func thePathThatBeganAPurchaseCancelsIt() async throws {
    let rig = try await StagedRig()
    rig.flag = .old
    rig.old.queue.setAnswer { _, _ in .interrupted("Confirm it.") }
    #expect(await rig.buy() == .pending(.interrupted("Confirm it.")))
    rig.flag = .new
    rig.old.queue.setAnswer { _, _ in .declined("Cancelled.") }
    try await rig.purchases.cancel(id(1))
    #expect(rig.old.queue.cancelled == [id(1)])
    #expect(try await rig.purchases.history().map(\.state) == [.failed])
    // The journal does not have one of another device.
    try await rig.purchases.cancel(id(77))
    #expect(rig.new.queue.cancelled == [id(77)])
  }

  @Test func aNoticeIsSaidOnceHoweverManyPathsSayIt() async throws {
    let rig = try await StagedRig()
    let receipt = try rig.issuer.receipt(id(9), user: "ada", product: "premium.monthly")
    rig.old.queue.setRestored(.success([receipt]))
    rig.new.queue.setRestored(.success([receipt]))
    _ = try await rig.purchases.restore()
    try await rig.purchases.resume()
    var notices = rig.purchases.noticeStream().makeAsyncIterator()
    var told: [String] = []
    let observation = rig.purchases.observeNotices { told.append($0.sentence) }
    rig.old.queue.tell(.revoked(id(9), reason: "It was refunded."))
    rig.new.queue.tell(.revoked(id(9), reason: "It was refunded."))
    await until { rig.purchases.entitlements.isEmpty }
    rig.new.queue.tell(.revoked(id(10), reason: "Never had."))
    rig.new.queue.setRestored(.success([try rig.issuer.receipt(id(11), user: "ada", product: "premium.forever")]))
    _ = try await rig.purchases.restore()
    rig.new.queue.tell(.revoked(id(11), reason: "It was refunded as well."))
    #expect(await notices.next()?.sentence == "It was refunded.")
    #expect(await notices.next()?.sentence == "It was refunded as well.")
    #expect(told == ["It was refunded.", "It was refunded as well."])
    withExtendedLifetime(observation) {}
  }
}
