import CurlTransport
import PurchaseService

// `Config` is generated from the flavour's JSON file. It conforms by having the same property names: a module that asks for one more
// breaks the build here until the file gives it.

extension Config: PurchaseServiceConfig {}
extension Config: CurlTransportConfig {}

extension Config {
  /// Gives every module what this build decides about it: the first thing each program does, once.
  public func setUpModules() {
    PurchaseServiceModule.setUp(with: self)
    CurlTransportModule.setUp(with: self)
  }
}
