import Foundation
import PurchaseServiceTesting
import Testing

@testable import PurchaseService

/// Restoring, by every verifier.
@MainActor @Suite(.timeLimit(.minutes(1))) struct RestoreTests {
  enum Path: CaseIterable, Sendable { case device, backend, both }

  private func rig(_ path: Path, user: String? = "ada") async throws -> Rig {
    let rig = try await Rig(user: user)
    rig.wrap = { device in
      let backend = BackendVerifier { try await device.verify($0) }
      return switch path {
      case .device: device
      case .backend: backend
      case .both: CombinedVerifier(device: device, backend: backend)
      }
    }
    try await rig.restart(user: user)
    return rig
  }

  @Test(arguments: Path.allCases) func case21OnANewMachine(path: Path) async throws {
    let rig = try await rig(path)
    let token = try rig.issuer.receipt(id(100), user: "ada", product: "premium.monthly")
    rig.queue.setRestored(.success([token, "nonsense", try ReceiptIssuer().receipt(id(101), user: "ada", product: "forged")]))
    #expect(try await rig.purchases.restore() == ["premium.monthly"])
    let transaction = try #require(try await rig.purchases.history().first)
    #expect(transaction.state == .restored)
    #expect(transaction.id == id(100))
    #expect(transaction.price == nil)
    #expect(await rig.buy() == .failed(.alreadyOwned))
    try await rig.restart()
    #expect(rig.purchases.entitlements == ["premium.monthly"], "and it is kept")
    #expect(try await rig.purchases.history().map(\.state) == [.restored])
  }

  @Test(arguments: Path.allCases) func case21ForAUserWhoOwnsNothing(path: Path) async throws {
    let rig = try await rig(path)
    #expect(try await rig.purchases.restore() == [])
    #expect(try await rig.purchases.history().isEmpty)
    #expect(await rig.buy() == .purchased("premium.monthly"), "and can buy")
  }

  @Test(arguments: Path.allCases) func case21WhileSignedOut(path: Path) async throws {
    let rig = try await rig(path, user: nil)
    await #expect { try await rig.purchases.restore() } throws: { error in
      (error as? StoreError)?.kind == .unauthorized && (error as? StoreError)?.sentence == "Sign in to restore what you bought."
    }
    #expect(rig.purchases.entitlements.isEmpty)
  }

  @Test(arguments: Path.allCases) func case21SomebodyElsesReceiptRestoresNothing(path: Path) async throws {
    let rig = try await rig(path)
    rig.queue.setRestored(.success([try rig.issuer.receipt(id(100), user: "bob", product: "premium.monthly")]))
    #expect(try await rig.purchases.restore() == [])
    #expect(try await rig.journal.receipts(seller: "store", purchasePath: "device", user: "ada").isEmpty)
  }

  @Test func case21SignedOutWhileRestoringChangesNothing() async throws {
    let rig = try await rig(.device)
    rig.queue.setRestored(.success([try rig.issuer.receipt(id(100), user: "ada", product: "premium.monthly")]))
    async let restored = rig.purchases.restore()
    rig.purchases.setUser("bob")
    _ = try? await restored
    #expect(rig.purchases.entitlements.isEmpty)
    #expect(try await rig.journal.receipts(seller: "store", purchasePath: "device", user: "bob").isEmpty)
  }

  @Test func whatWasBoughtHereIsNotListedTwice() async throws {
    let rig = try await rig(.device)
    _ = await rig.buy()
    rig.queue.setRestored(.success([try rig.issuer.receipt(id(1), user: "ada", product: "premium.monthly")]))
    _ = try await rig.purchases.restore()
    #expect(try await rig.purchases.history().map(\.state) == [.purchased])
  }
}
