import Foundation
import Patience
import PurchaseServiceTesting
import Synchronization
import Testing

@testable import PurchaseService

/// A backend that confirms receipts as it is told, and counts how often it is asked.
final class ScriptedBackend: Sendable {
  private let state = Mutex<(error: (any Error)?, requested: Int)>((nil, 0))
  private let device: DeviceVerifier<String>

  init(_ device: DeviceVerifier<String>) { self.device = device }

  var requested: Int { state.withLock { $0.requested } }
  func fails(_ error: (any Error)?) { state.withLock { $0.error = error } }

  var verifier: BackendVerifier<String> {
    BackendVerifier { receipt in
      let error = self.state.withLock { state in
        state.requested += 1
        return state.error
      }
      if let error { throw error }
      return try await self.device.verify(receipt)
    }
  }
}

/// On the device first, then confirmed by the backend.
@MainActor @Suite(.timeLimit(.minutes(1))) struct CombinedVerifierTests {
  private static let away = StoreError(.unavailable, code: "offline", sentence: "Offline.")
  private static let no = StoreError(.refused, code: "receipt_rejected", sentence: "This receipt was taken back.")

  private func rig(_ error: (any Error)? = nil) async throws -> (Rig, ScriptedBackend) {
    let rig = try await Rig()
    let backend = Mutex<ScriptedBackend?>(nil)
    rig.wrap = { device in
      let scripted = backend.withLock { known in
        let scripted = known ?? ScriptedBackend(device)
        known = scripted
        return scripted
      }
      return CombinedVerifier(device: device, backend: scripted.verifier)
    }
    try await rig.restart()
    let scripted = try #require(backend.withLock { $0 })
    scripted.fails(error)
    return (rig, scripted)
  }

  private func stored(_ rig: Rig) async throws -> [String] {
    try await rig.journal.receipts(seller: "store", purchasePath: "device", user: "ada")
  }

  @Test func aYesOfBothFinishes() async throws {
    let (rig, backend) = try await rig()
    #expect(await rig.buy() == .purchased("premium.monthly"))
    #expect(backend.requested == 1)
    #expect(rig.queue.finished == [id(1)])
    try await rig.restart()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(backend.requested == 1, "what both confirmed before is verified on the device alone")
  }

  @Test func aNoOfTheDeviceIsANoWithoutAsking() async throws {
    let (rig, backend) = try await rig()
    let forged = try ReceiptIssuer().receipt(id(1), user: "ada", product: "premium.monthly")
    rig.queue.setAnswer { _, _ in .accepted(receipt: forged, listed: []) }
    async let outcome = rig.buy()
    await rig.clock.waitForSleepers()
    #expect(backend.requested == 0)
    #expect(rig.purchases.entitlements.isEmpty)
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    rig.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("premium.monthly"))
  }

  @Test func case10ADefiniteNoOfTheBackendIsANoAndNothingIsKept() async throws {
    let (rig, _) = try await rig(Self.no)
    #expect(await rig.buy() == .failed(.refused(code: "receipt_rejected", sentence: "This receipt was taken back.")))
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(try await stored(rig).isEmpty)
    #expect(rig.queue.finished == [id(1)], "a definite refusal is finished, and told")
  }

  @Test func whatTheStoreListsAfterAllWasNotChargedInVain() async throws {
    let (rig, backend) = try await rig(Self.no)
    _ = await rig.buy()
    #expect(try await rig.purchases.history().map(\.state) == [.failed])
    backend.fails(nil)
    rig.queue.setRestored(.success([try rig.issuer.receipt(id(1), user: "ada", product: "premium.monthly")]))
    #expect(try await rig.purchases.restore() == ["premium.monthly"])
    let transaction = try #require(try await rig.purchases.history().first)
    #expect(transaction.state == .purchased)
    #expect(transaction.failure == nil)
    #expect(transaction.sentence == nil)
  }

  @Test func whatWasChargedInVainIsBoughtWhenItIsAskedAboutAgain() async throws {
    let (rig, backend) = try await rig(Self.no)
    let refused = PurchaseError.refused(code: "receipt_rejected", sentence: "This receipt was taken back.")
    #expect(await rig.buy() == .failed(refused))
    var notices = rig.purchases.noticeStream().makeAsyncIterator()
    await rig.purchases.check(id(1))
    #expect(await notices.next()?.event == .failed, "still refused, and whoever asked hears it")
    // The device alone has no say in what the backend has refused.
    backend.fails(Self.away)
    await rig.purchases.check(id(1))
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(try await rig.steps(id(1)) == [.begun, .authorized, .submitted, .received, .failed])
    backend.fails(nil)
    rig.queue.setAnswer { _, _ in .unavailable(reason: "time-out") }
    await rig.purchases.check(id(1))
    #expect(try await rig.purchases.history().map(\.failure) == ["receipt_rejected"])
    let (issuer, ledger) = (rig.issuer, rig.ledger)
    rig.queue.setAnswer { transaction, _ in
      ledger.charge(transaction.id)
      return issuer.accepted(transaction)
    }
    async let first: Void = rig.purchases.check(id(1))
    async let second: Void = rig.purchases.check(id(1))
    _ = await (first, second)
    #expect(await notices.next()?.event == .purchased)
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(try await rig.steps(id(1)).suffix(2) == [.verified, .finished])
    #expect(try await rig.purchases.history().map(\.failure) == [nil])
    #expect(rig.ledger.charges == [id(1)])
    let requested = rig.queue.submitted.count
    await rig.purchases.check(id(1))
    #expect(rig.queue.submitted.count == requested, "what is over is over")
  }

  @Test func somebodyElsesIsNotAskedAbout() async throws {
    let (rig, _) = try await rig(Self.no)
    _ = await rig.buy()
    rig.purchases.setUser("bob")
    await rig.purchases.check(id(1))
    #expect(rig.queue.submitted.count == 1)
  }

  @Test func case10WhatTheDeviceComputedWhileTheBackendWasAwayIsNotFinishedAndNotKept() async throws {
    let (rig, backend) = try await rig(Self.away)
    #expect(await rig.buy() == .purchased("premium.monthly"), "access, at once")
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.stages.last == .unlocked)
    #expect(rig.queue.finished.isEmpty)
    #expect(try await stored(rig).isEmpty)
    #expect(try await rig.steps(id(1)).last == .received)
    backend.fails(nil)
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(1))
    await rig.idle()
    #expect(rig.queue.finished == [id(1)])
    #expect(try await stored(rig).count == 1)
    #expect(rig.queue.submitted.count == 1, "the store is not asked to charge again")
  }

  @Test func itIsConfirmedInALaterSession() async throws {
    let (rig, backend) = try await rig(Self.away)
    let transaction = try await rig.leave(.received)
    try await rig.restart()
    await until { !rig.purchases.entitlements.isEmpty }
    #expect(rig.queue.finished.isEmpty)
    rig.purchases.setUser(nil)
    backend.fails(nil)
    try await rig.restart()
    await until { rig.queue.finished.contains(transaction) }
    await rig.idle()
    #expect(rig.purchases.entitlements == ["premium.monthly"])
    #expect(rig.ledger.charges == [transaction])
  }

  @Test func aNoThatComesLaterEndsTheAccessAndIsTold() async throws {
    let (rig, backend) = try await rig(Self.away)
    _ = await rig.buy()
    var notices = rig.purchases.noticeStream().makeAsyncIterator()
    backend.fails(Self.no)
    await rig.purchases.check(id(1))
    let notice = await notices.next()
    #expect(notice?.event == .failed)
    #expect(notice?.sentence == "This receipt was taken back.")
    #expect(rig.purchases.entitlements.isEmpty)
  }

  @Test func whatIsSpentIsNotCreditedByTheDeviceAlone() async throws {
    let (rig, backend) = try await rig(Self.away)
    let issuer = rig.issuer
    rig.queue.setAnswer { transaction, _ in issuer.accepted(transaction, isConsumable: true) }
    async let outcome = rig.buy(passes)
    await rig.clock.waitForSleepers()
    #expect(rig.queue.finished.isEmpty)
    backend.fails(nil)
    rig.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("passes.5"))
    #expect(rig.queue.finished == [id(1)])
  }

  @Test func restoringNeedsBothAndChangesNothingWithout() async throws {
    let (rig, backend) = try await rig()
    _ = await rig.buy()
    backend.fails(Self.away)
    rig.queue.setRestored(.success([try rig.issuer.receipt(id(2), user: "ada", product: "premium.forever")]))
    await #expect { try await rig.purchases.restore() } throws: { ($0 as? StoreError)?.kind == .unavailable }
    #expect(rig.purchases.entitlements == ["premium.monthly"])
  }

  @Test func aBackendThatReadsSomethingElseIsANo() async throws {
    let issuer = try ReceiptIssuer()
    let device = Reading { try ReceiptIssuer.read($0) }
    let other = try JSONPayload.of(issuer.receipt(id(2), user: "ada", product: "p"))
    let backend = BackendVerifier { _ in try ReceiptIssuer.read(other) }
    let receipt = try issuer.receipt(id(1), user: "ada", product: "p")
    await #expect { try await CombinedVerifier(device: device, backend: backend).verify(receipt) } throws: {
      if case VerificationError.rejected = $0 { true } else { false }
    }
  }

  @Test func theBackendsNoIsARefusalAndNothingElse() async throws {
    let failures: [(any Error, Bool)] = [
      (Self.no, true), (Self.away, false), (StoreError(.unauthorized, code: "401", sentence: "Sign in."), false),
      (CancellationError(), false), (VerificationError.otherUser, true),
    ]
    for (error, isDefinite) in failures {
      let verifier = BackendVerifier<String> { _ in throw error }
      await #expect { try await verifier.verify("receipt") } throws: { thrown in
        if case VerificationError.unavailable = thrown { !isDefinite } else { isDefinite && thrown is VerificationError }
      }
    }
  }

  /// A verifier that trusts everything.
  private struct Reading: ReceiptVerifier {
    let read: @Sendable (Data) throws -> ReceiptContents<String>
    func verify(_ receipt: String) async throws -> ReceiptContents<String> { try read(JSONPayload.of(receipt)) }
  }

  private enum JSONPayload {
    static func of(_ receipt: String) throws -> Data {
      let part = receipt.split(separator: ".")[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
      return try #require(Data(base64Encoded: part.padding(toLength: (part.count + 3) / 4 * 4, withPad: "=", startingAt: 0)))
    }
  }
}
