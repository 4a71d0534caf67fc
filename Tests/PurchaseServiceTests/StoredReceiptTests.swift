import Patience
import PurchaseServiceTesting
import Synchronization
import Testing

@testable import PurchaseService

/// What becomes of stored receipts that only the backend can prove, when it is away at the start.
@MainActor @Suite(.timeLimit(.minutes(1))) struct StoredReceiptTests {
  private nonisolated static let away = StoreError(.unavailable, code: "offline", sentence: "Offline.")

  /// A program that bought something and was started again while the backend was away.
  private func startedWithoutBackend() async throws -> (Bench, ScriptedBackend) {
    let bench = try await Bench()
    let backend = Mutex<ScriptedBackend?>(nil)
    bench.wrap = { device in
      let scripted = ScriptedBackend(device)
      // The backend is as far away after a start as it was before.
      scripted.fails(backend.withLock { $0 } == nil ? nil : Self.away)
      backend.withLock { $0 = scripted }
      return scripted.verifier
    }
    try await bench.restart()
    #expect(await bench.buy() == .purchased("premium.monthly"))
    // Nothing keeps the program before, whose timers are on the same clock.
    await bench.idle()
    try await bench.restart()
    #expect(bench.purchases.entitlements.isEmpty, "nobody vouches for it yet")
    #expect(bench.purchases.isVerifying)
    return (bench, try #require(backend.withLock { $0 }))
  }

  @Test func theyGiveAccessOnceTheBackendIsBack() async throws {
    let (bench, backend) = try await startedWithoutBackend()
    var owned = bench.purchases.entitlementStream().makeAsyncIterator()
    #expect(await owned.next() == [])
    for wait in [1, 2, 4] {
      await bench.clock.waitForSleepers()
      if wait == 4 { backend.fails(nil) }
      bench.clock.advance(by: .seconds(wait))
    }
    #expect(await owned.next() == ["premium.monthly"])
    #expect(!bench.purchases.isVerifying)
    #expect(backend.requested == 4)
    #expect(bench.queue.submitted.count == 1, "the store is not asked to charge again")
  }

  @Test func theNetworkBeingBackEndsTheWait() async throws {
    let (bench, backend) = try await startedWithoutBackend()
    await bench.clock.waitForSleepers()
    // The first time at once, and in vain.
    bench.purchases.networkIsBack()
    await until { backend.requested == 2 }
    await bench.clock.waitForSleepers()
    backend.fails(nil)
    for _ in 0..<3 {
      bench.purchases.networkIsBack()
      await bench.effects.settled()
    }
    #expect(backend.requested == 2, "a backend that answers everything else is not asked each time")
    bench.clock.advance(by: .seconds(1))
    await until { bench.purchases.entitlements == ["premium.monthly"] }
    #expect(backend.requested == 3)
  }

  @Test func keysThatBecomeKnownEndTheWait() async throws {
    let bench = try await Bench()
    bench.trusted.withLock { $0 = .failure(Self.away) }
    _ = try await bench.leave(.verified)
    try await bench.restart()
    #expect(bench.purchases.entitlements.isEmpty, "nobody knows who signed it")
    await bench.clock.waitForSleepers()
    let trusted = bench.issuer.trusted
    bench.trusted.withLock { $0 = .success(trusted) }
    #expect(await bench.buy(forever) == .purchased("premium.forever"))
    await until { bench.purchases.entitlements == ["premium.monthly", "premium.forever"] }
  }

  @Test func aNoIsNotAskedAbout() async throws {
    let (bench, backend) = try await startedWithoutBackend()
    backend.fails(StoreError(.refused, code: "receipt_rejected", sentence: "This receipt was taken back."))
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(1))
    await bench.purchases.judging?.value
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(!bench.purchases.isVerifying)
    #expect(backend.requested == 2)
  }

  @Test func whatTheStoreListsMeanwhileCounts() async throws {
    let (bench, backend) = try await startedWithoutBackend()
    await bench.clock.waitForSleepers()
    backend.fails(nil)
    #expect(try await bench.purchases.restore() == [])
    await bench.purchases.judging?.value
    #expect(backend.requested == 1, "the store lists it no more")
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(!bench.purchases.isVerifying)
  }

  @Test func anotherUserIsNotAskedForThem() async throws {
    let (bench, backend) = try await startedWithoutBackend()
    await bench.clock.waitForSleepers()
    backend.fails(nil)
    bench.purchases.setUser("bob")
    #expect(!bench.purchases.isVerifying)
    await bench.purchases.judging?.value
    #expect(backend.requested == 1)
    #expect(bench.purchases.entitlements.isEmpty)
  }
}
