import Foundation
import PurchaseServiceTesting
import Testing

@testable import PurchaseService

/// Restoring, by every verifier.
@MainActor @Suite(.timeLimit(.minutes(1))) struct RestoreTests {
  enum Path: CaseIterable, Sendable { case device, backend, both }

  private func bench(_ path: Path, user: String? = "ada") async throws -> Bench {
    let bench = try await Bench(user: user)
    bench.wrap = { device in
      let backend = BackendVerifier { try await device.verify($0) }
      return switch path {
      case .device: device
      case .backend: backend
      case .both: CombinedVerifier(device: device, backend: backend)
      }
    }
    try await bench.restart(user: user)
    return bench
  }

  @Test(arguments: Path.allCases) func case21OnANewMachine(path: Path) async throws {
    let bench = try await bench(path)
    let token = try bench.issuer.receipt(id(100), user: "ada", product: "premium.monthly")
    bench.queue.setRestored(.success([token, "nonsense", try ReceiptIssuer().receipt(id(101), user: "ada", product: "forged")]))
    #expect(try await bench.purchases.restore() == ["premium.monthly"])
    let transaction = try #require(try await bench.purchases.history().first)
    #expect(transaction.state == .restored)
    #expect(transaction.id == id(100))
    #expect(transaction.price == nil)
    #expect(await bench.buy() == .failed(.alreadyOwned))
    try await bench.restart()
    #expect(bench.purchases.entitlements == ["premium.monthly"], "and it is kept")
    #expect(try await bench.purchases.history().map(\.state) == [.restored])
  }

  @Test(arguments: Path.allCases) func case21ForAUserWhoOwnsNothing(path: Path) async throws {
    let bench = try await bench(path)
    #expect(try await bench.purchases.restore() == [])
    #expect(try await bench.purchases.history().isEmpty)
    #expect(await bench.buy() == .purchased("premium.monthly"), "and can buy")
  }

  @Test(arguments: Path.allCases) func case21WhileSignedOut(path: Path) async throws {
    let bench = try await bench(path, user: nil)
    await #expect { try await bench.purchases.restore() } throws: { error in
      (error as? StoreError)?.kind == .unauthorized && (error as? StoreError)?.sentence == "Sign in to restore what you bought."
    }
    #expect(bench.purchases.entitlements.isEmpty)
  }

  @Test(arguments: Path.allCases) func case21SomebodyElsesReceiptRestoresNothing(path: Path) async throws {
    let bench = try await bench(path)
    bench.queue.setRestored(.success([try bench.issuer.receipt(id(100), user: "bob", product: "premium.monthly")]))
    #expect(try await bench.purchases.restore() == [])
    #expect(try await bench.journal.receipts(seller: "store", purchasePath: "device", user: "ada").isEmpty)
  }

  @Test func case21SignedOutWhileRestoringChangesNothing() async throws {
    let bench = try await bench(.device)
    bench.queue.setRestored(.success([try bench.issuer.receipt(id(100), user: "ada", product: "premium.monthly")]))
    async let restored = bench.purchases.restore()
    bench.purchases.setUser("bob")
    _ = try? await restored
    #expect(bench.purchases.entitlements.isEmpty)
    #expect(try await bench.journal.receipts(seller: "store", purchasePath: "device", user: "bob").isEmpty)
  }

  @Test func whatWasBoughtHereIsNotListedTwice() async throws {
    let bench = try await bench(.device)
    _ = await bench.buy()
    bench.queue.setRestored(.success([try bench.issuer.receipt(id(1), user: "ada", product: "premium.monthly")]))
    _ = try await bench.purchases.restore()
    #expect(try await bench.purchases.history().map(\.state) == [.purchased])
  }
}
