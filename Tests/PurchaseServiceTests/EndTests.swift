import Foundation
import PurchaseServiceTesting
import Testing

@testable import PurchaseService

/// Whoever counts is told each end, whichever run began the purchase.
@MainActor @Suite(.timeLimit(.minutes(1))) struct EndTests {
  private final class Ends {
    var all: [String] = []
    var steps: [String] = []
  }

  private func ends(_ rig: Rig) -> Ends {
    let ends = Ends()
    rig.purchases.onEvent = { transaction, event in
      guard case .ended(let outcome) = event else { return ends.steps.append("\(event)") }
      switch outcome {
      case .purchased: ends.all.append("\(transaction.productID) bought")
      case .failed(let failure): ends.all.append("\(transaction.productID) \(failure.code)")
      case .cancelled: ends.all.append("\(transaction.productID) cancelled")
      case .pending: ends.all.append("\(transaction.productID) pending")
      }
    }
    return ends
  }

  @Test func eachPurchaseEndsOnce() async throws {
    let rig = try await Rig()
    let ends = ends(rig)
    _ = await rig.buy(authorizer: ScriptedAuthorizer { _, _ in .cancelled })
    _ = await rig.buy(authorizer: ScriptedAuthorizer { _, _ in throw PaymentAuthorizationError(sentence: "No card.") })
    let issuer = rig.issuer
    rig.queue.setAnswer { _, _ in .declined("The bank says no.") }
    _ = await rig.buy()
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    _ = await rig.buy()
    await rig.idle()
    #expect(
      ends.all == ["premium.monthly cancelled", "premium.monthly authorization", "premium.monthly declined", "premium.monthly bought"])
    #expect(ends.steps == ["started", "started", "started", "authorized", "started", "authorized"])
  }

  @Test func whatWaitsHasNotEnded() async throws {
    let rig = try await Rig()
    let ends = ends(rig)
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, call in call == 1 ? .unauthorized : issuer.accepted(transaction) }
    #expect(await rig.buy() == .pending(.sessionEnded))
    #expect(ends.all.isEmpty)
    #expect(ends.steps == ["started", "authorized", "pending(PurchaseService.PendingReason.sessionEnded)"])
    try await rig.purchases.resume()
    await rig.idle()
    #expect(ends.all == ["premium.monthly bought"])
  }

  @Test func whatNeverBeganDoesNotEnd() async throws {
    let rig = try await Rig(user: nil)
    let ends = ends(rig)
    #expect(await rig.buy() == .failed(.notSignedIn))
    #expect(ends.all.isEmpty)
  }

  @Test(arguments: [Transaction.Step.authorized, .submitted, .received, .verified])
  func whatAnEarlierRunBeganEndsInThisOne(step: Transaction.Step) async throws {
    let rig = try await Rig()
    _ = try await rig.leave(step)
    let ends = ends(rig)
    try await rig.purchases.resume()
    await rig.idle()
    #expect(ends.all == ["premium.monthly bought"])
  }
}
