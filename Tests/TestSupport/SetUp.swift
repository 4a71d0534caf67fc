import CurlTransport
import PurchaseServiceTesting

private struct TestConfig: CurlTransportConfig {
  let userAgent = "Matinee"
  let connectTimeout: Duration = .seconds(10)
  let requestTimeout: Duration = .seconds(60)
  let stallTimeout: Duration = .seconds(20)
}

/// Sets every module up, once, however many suites of this process touch it: `init() { _ = modulesAreSetUp }`.
public let modulesAreSetUp: Void = {
  _ = purchaseServiceIsSetUp
  CurlTransportModule.setUp(with: TestConfig())
}()
