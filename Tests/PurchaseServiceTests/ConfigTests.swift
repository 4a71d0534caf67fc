import PurchaseServiceTesting
import Testing

@testable import PurchaseService

/// The module is set up once, and says so when it is not.
@Suite struct ConfigTests {
  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func usingTheModuleBeforeItIsSetUpNamesTheMissingCall() async throws {
    let process = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) { _ = Config.offlineGrace }
    let errors = Self.text(process.standardErrorContent)
    #expect(errors.contains("PurchaseService is not set up: PurchaseServiceModule.setUp(with:) has not been called"), "\(errors)")
  }

  @Test func aSecondSetUpIsRefused() async throws {
    let process = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      PurchaseServiceModule.setUp(with: TestingConfig())
      PurchaseServiceModule.setUp(with: TestingConfig())
    }
    let errors = Self.text(process.standardErrorContent)
    #expect(errors.contains("PurchaseService is set up already: PurchaseServiceModule.setUp(with:) was called twice"), "\(errors)")
  }

  @Test func whatItIsGivenIsWhatItReads() async {
    await #expect(processExitsWith: .success) {
      _ = purchaseServiceIsSetUp
      _ = purchaseServiceIsSetUp
      precondition(Config.offlineGrace == TestingConfig().offlineGrace && Config.offlineStarts == TestingConfig().offlineStarts)
    }
  }
}
