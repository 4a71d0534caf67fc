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

  private func bench(_ error: (any Error)? = nil) async throws -> (Bench, ScriptedBackend) {
    let bench = try await Bench()
    let backend = Mutex<ScriptedBackend?>(nil)
    bench.wrap = { device in
      let scripted = backend.withLock { known in
        let scripted = known ?? ScriptedBackend(device)
        known = scripted
        return scripted
      }
      return CombinedVerifier(device: device, backend: scripted.verifier)
    }
    try await bench.restart()
    let scripted = try #require(backend.withLock { $0 })
    scripted.fails(error)
    return (bench, scripted)
  }

  private func stored(_ bench: Bench) async throws -> [String] {
    try await bench.journal.receipts(seller: "store", purchasePath: "device", user: "ada")
  }

  @Test func aYesOfBothFinishes() async throws {
    let (bench, backend) = try await bench()
    #expect(await bench.buy() == .purchased("premium.monthly"))
    #expect(backend.requested == 1)
    #expect(bench.queue.finished == [id(1)])
    try await bench.restart()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(backend.requested == 1, "what both confirmed before is verified on the device alone")
  }

  @Test func aNoOfTheDeviceIsANoWithoutAsking() async throws {
    let (bench, backend) = try await bench()
    let forged = try ReceiptIssuer().receipt(id(1), user: "ada", product: "premium.monthly")
    bench.queue.setAnswer { _, _ in .accepted(receipt: forged, listed: []) }
    async let outcome = bench.buy()
    await bench.clock.waitForSleepers()
    #expect(backend.requested == 0)
    #expect(bench.purchases.entitlements.isEmpty)
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction) }
    bench.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("premium.monthly"))
  }

  @Test func case10ADefiniteNoOfTheBackendIsANoAndNothingIsKept() async throws {
    let (bench, _) = try await bench(Self.no)
    #expect(await bench.buy() == .failed(.refused(code: "receipt_rejected", sentence: "This receipt was taken back.")))
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(try await stored(bench).isEmpty)
    #expect(bench.queue.finished == [id(1)], "a definite refusal is finished, and told")
  }

  @Test func whatTheStoreListsAfterAllWasNotChargedInVain() async throws {
    let (bench, backend) = try await bench(Self.no)
    _ = await bench.buy()
    #expect(try await bench.purchases.history().map(\.state) == [.failed])
    backend.fails(nil)
    bench.queue.setRestored(.success([try bench.issuer.receipt(id(1), user: "ada", product: "premium.monthly")]))
    #expect(try await bench.purchases.restore() == ["premium.monthly"])
    let transaction = try #require(try await bench.purchases.history().first)
    #expect(transaction.state == .purchased)
    #expect(transaction.failure == nil)
    #expect(transaction.sentence == nil)
  }

  @Test func whatWasChargedInVainIsBoughtWhenItIsAskedAboutAgain() async throws {
    let (bench, backend) = try await bench(Self.no)
    let refused = PurchaseError.refused(code: "receipt_rejected", sentence: "This receipt was taken back.")
    #expect(await bench.buy() == .failed(refused))
    var notices = bench.purchases.noticeStream().makeAsyncIterator()
    await bench.purchases.check(id(1))
    #expect(await notices.next()?.event == .failed, "still refused, and whoever asked hears it")
    // The device alone has no say in what the backend has refused.
    backend.fails(Self.away)
    await bench.purchases.check(id(1))
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(try await bench.steps(id(1)) == [.begun, .authorized, .submitted, .received, .failed])
    backend.fails(nil)
    bench.queue.setAnswer { _, _ in .unavailable(reason: "time-out") }
    await bench.purchases.check(id(1))
    #expect(try await bench.purchases.history().map(\.failure) == ["receipt_rejected"])
    let (issuer, ledger) = (bench.issuer, bench.ledger)
    bench.queue.setAnswer { transaction, _ in
      ledger.charge(transaction.id)
      return issuer.accepted(transaction)
    }
    async let first: Void = bench.purchases.check(id(1))
    async let second: Void = bench.purchases.check(id(1))
    _ = await (first, second)
    #expect(await notices.next()?.event == .purchased)
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(try await bench.steps(id(1)).suffix(2) == [.verified, .finished])
    #expect(try await bench.purchases.history().map(\.failure) == [nil])
    #expect(bench.ledger.charges == [id(1)])
    let requested = bench.queue.submitted.count
    await bench.purchases.check(id(1))
    #expect(bench.queue.submitted.count == requested, "what is over is over")
  }

  @Test func somebodyElsesIsNotAskedAbout() async throws {
    let (bench, _) = try await bench(Self.no)
    _ = await bench.buy()
    bench.purchases.setUser("bob")
    await bench.purchases.check(id(1))
    #expect(bench.queue.submitted.count == 1)
  }

  @Test func case10WhatTheDeviceComputedWhileTheBackendWasAwayIsNotFinishedAndNotKept() async throws {
    let (bench, backend) = try await bench(Self.away)
    #expect(await bench.buy() == .purchased("premium.monthly"), "access, at once")
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.stages.last == .unlocked)
    #expect(bench.queue.finished.isEmpty)
    #expect(try await stored(bench).isEmpty)
    #expect(try await bench.steps(id(1)).last == .received)
    backend.fails(nil)
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(1))
    await bench.idle()
    #expect(bench.queue.finished == [id(1)])
    #expect(try await stored(bench).count == 1)
    #expect(bench.queue.submitted.count == 1, "the store is not asked to charge again")
  }

  @Test func itIsConfirmedInALaterSession() async throws {
    let (bench, backend) = try await bench(Self.away)
    let transaction = try await bench.leave(.received)
    try await bench.restart()
    await until { !bench.purchases.entitlements.isEmpty }
    #expect(bench.queue.finished.isEmpty)
    bench.purchases.setUser(nil)
    backend.fails(nil)
    try await bench.restart()
    await until { bench.queue.finished.contains(transaction) }
    await bench.idle()
    #expect(bench.purchases.entitlements == ["premium.monthly"])
    #expect(bench.ledger.charges == [transaction])
  }

  @Test func aNoThatComesLaterEndsTheAccessAndIsTold() async throws {
    let (bench, backend) = try await bench(Self.away)
    _ = await bench.buy()
    var notices = bench.purchases.noticeStream().makeAsyncIterator()
    backend.fails(Self.no)
    await bench.purchases.check(id(1))
    let notice = await notices.next()
    #expect(notice?.event == .failed)
    #expect(notice?.sentence == "This receipt was taken back.")
    #expect(bench.purchases.entitlements.isEmpty)
  }

  @Test func whatIsSpentIsNotCreditedByTheDeviceAlone() async throws {
    let (bench, backend) = try await bench(Self.away)
    let issuer = bench.issuer
    bench.queue.setAnswer { transaction, _ in issuer.accepted(transaction, isConsumable: true) }
    async let outcome = bench.buy(passes)
    await bench.clock.waitForSleepers()
    #expect(bench.queue.finished.isEmpty)
    backend.fails(nil)
    bench.clock.advance(by: .seconds(1))
    #expect(await outcome == .purchased("passes.5"))
    #expect(bench.queue.finished == [id(1)])
  }

  @Test func restoringNeedsBothAndChangesNothingWithout() async throws {
    let (bench, backend) = try await bench()
    _ = await bench.buy()
    backend.fails(Self.away)
    bench.queue.setRestored(.success([try bench.issuer.receipt(id(2), user: "ada", product: "premium.forever")]))
    await #expect { try await bench.purchases.restore() } throws: { ($0 as? StoreError)?.kind == .unavailable }
    #expect(bench.purchases.entitlements == ["premium.monthly"])
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
