import CurlTransport
import PurchaseServiceTesting

/// Nobody waits for these: `swift test` begins all tests at once, and on a busy machine an answer takes half a minute.
private struct TestConfig: CurlTransportConfig {
  let userAgent = "Matinee"
  let connectTimeout: Duration = .seconds(120)
  let requestTimeout: Duration = .seconds(600)
  let stallTimeout: Duration = .seconds(120)
}

/// Sets every module up. A constructor calls it before the first test of a process; nothing else does.
@_cdecl("matinee_set_up_tests") public func setUpModules() {
  _ = purchaseServiceIsSetUp
  CurlTransportModule.setUp(with: TestConfig())
}
