import Patience
import PurchaseServiceTesting
import Synchronization
import Testing

@testable import PurchaseService

/// What becomes of stored receipts that only the backend can prove, when it is away at the start.
@MainActor @Suite(.timeLimit(.minutes(1))) struct StoredReceiptTests {
  private nonisolated static let away = StoreError(.unavailable, code: "offline", sentence: "Offline.")

  /// A program that bought something and was started again while the backend was away.
  private func startedWithoutBackend() async throws -> (Rig, ScriptedBackend) {
    let rig = try await Rig()
    let backend = Mutex<ScriptedBackend?>(nil)
    rig.wrap = { device in
      let scripted = ScriptedBackend(device)
      // The backend is as far away after a start as it was before.
      scripted.fails(backend.withLock { $0 } == nil ? nil : Self.away)
      backend.withLock { $0 = scripted }
      return scripted.verifier
    }
    try await rig.restart()
    #expect(await rig.buy() == .purchased("premium.monthly"))
    // Nothing keeps the program before, whose timers are on the same clock.
    await rig.idle()
    try await rig.restart()
    #expect(rig.purchases.entitlements.isEmpty, "nobody vouches for it yet")
    #expect(rig.purchases.isVerifying)
    return (rig, try #require(backend.withLock { $0 }))
  }

  @Test func theyGiveAccessOnceTheBackendIsBack() async throws {
    let (rig, backend) = try await startedWithoutBackend()
    var owned = rig.purchases.entitlementStream().makeAsyncIterator()
    #expect(await owned.next() == [])
    for wait in [1, 2, 4] {
      await rig.clock.waitForSleepers()
      if wait == 4 { backend.fails(nil) }
      rig.clock.advance(by: .seconds(wait))
    }
    #expect(await owned.next() == ["premium.monthly"])
    #expect(!rig.purchases.isVerifying)
    #expect(backend.requested == 4)
    #expect(rig.queue.submitted.count == 1, "the store is not asked to charge again")
  }

  @Test func theNetworkBeingBackEndsTheWait() async throws {
    let (rig, backend) = try await startedWithoutBackend()
    await rig.clock.waitForSleepers()
    // The first time at once, and in vain.
    rig.purchases.networkIsBack()
    await until { backend.requested == 2 }
    await rig.clock.waitForSleepers()
    backend.fails(nil)
    for _ in 0..<3 {
      rig.purchases.networkIsBack()
      await rig.effects.settled()
    }
    #expect(backend.requested == 2, "a backend that answers everything else is not asked each time")
    rig.clock.advance(by: .seconds(1))
    await until { rig.purchases.entitlements == ["premium.monthly"] }
    #expect(backend.requested == 3)
  }

  @Test func keysThatBecomeKnownEndTheWait() async throws {
    let rig = try await Rig()
    rig.trusted.withLock { $0 = .failure(Self.away) }
    _ = try await rig.leave(.verified)
    try await rig.restart()
    #expect(rig.purchases.entitlements.isEmpty, "nobody knows who signed it")
    await rig.clock.waitForSleepers()
    let trusted = rig.issuer.trusted
    rig.trusted.withLock { $0 = .success(trusted) }
    #expect(await rig.buy(forever) == .purchased("premium.forever"))
    await until { rig.purchases.entitlements == ["premium.monthly", "premium.forever"] }
  }

  @Test func aNoIsNotAskedAbout() async throws {
    let (rig, backend) = try await startedWithoutBackend()
    backend.fails(StoreError(.refused, code: "receipt_rejected", sentence: "This receipt was taken back."))
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(1))
    await rig.purchases.judging?.value
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(!rig.purchases.isVerifying)
    #expect(backend.requested == 2)
  }

  @Test func whatTheStoreListsMeanwhileCounts() async throws {
    let (rig, backend) = try await startedWithoutBackend()
    await rig.clock.waitForSleepers()
    backend.fails(nil)
    #expect(try await rig.purchases.restore() == [])
    await rig.purchases.judging?.value
    #expect(backend.requested == 1, "the store lists it no more")
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(!rig.purchases.isVerifying)
  }

  @Test func anotherUserIsNotAskedForThem() async throws {
    let (rig, backend) = try await startedWithoutBackend()
    await rig.clock.waitForSleepers()
    backend.fails(nil)
    rig.purchases.setUser("bob")
    #expect(!rig.purchases.isVerifying)
    await rig.purchases.judging?.value
    #expect(backend.requested == 1)
    #expect(rig.purchases.entitlements.isEmpty)
  }
}
