import Testing

@testable import CurlTransport

/// The module is set up once, and says so when it is not.
@Suite struct ConfigTests {
  private struct Given: CurlTransportConfig {
    let userAgent = "Tests"
    let connectTimeout: Duration = .seconds(1)
    let requestTimeout: Duration = .seconds(1)
    let stallTimeout: Duration = .seconds(1)
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func usingTheModuleBeforeItIsSetUpNamesTheMissingCall() async throws {
    let process = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) { _ = Config.userAgent }
    let errors = Self.text(process.standardErrorContent)
    #expect(errors.contains("CurlTransport is not set up: CurlTransportModule.setUp(with:) has not been called"), "\(errors)")
  }

  @Test func aSecondSetUpIsRefused() async throws {
    let process = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      CurlTransportModule.setUp(with: Given())
      CurlTransportModule.setUp(with: Given())
    }
    let errors = Self.text(process.standardErrorContent)
    #expect(errors.contains("CurlTransport is set up already: CurlTransportModule.setUp(with:) was called twice"), "\(errors)")
  }
}
