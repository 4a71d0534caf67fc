import CurlTransport
import PurchaseService

// What the app decides about its modules. What differs between flavours is in their JSON files, of which the rest of `Config` is generated;
// what is the same in all of them stands here. A module that asks for one more property breaks the build until it is given.

extension Config: PurchaseServiceConfig {
  /// See `PurchaseServiceConfig`.
  public var productTimeToLive: Duration { .seconds(3600) }
  /// See `PurchaseServiceConfig`.
  public var offlineGrace: Duration { .seconds(3 * 86_400) }
  /// See `PurchaseServiceConfig`.
  public var offlineStarts: Int { 20 }
  /// See `PurchaseServiceConfig`.
  public var clockSkewLimit: Duration { .seconds(5 * 60) }
}

extension Config: CurlTransportConfig {
  /// See `CurlTransportConfig`.
  public var userAgent: String { "Matinee" }
  /// See `CurlTransportConfig`.
  public var connectTimeout: Duration { .seconds(10) }
  /// See `CurlTransportConfig`.
  public var requestTimeout: Duration { .seconds(60) }
  /// See `CurlTransportConfig`.
  public var stallTimeout: Duration { .seconds(20) }
}

extension Config {
  /// Gives every module what this build decides about it: the first thing each program does, once.
  public func setUpModules() {
    PurchaseServiceModule.setUp(with: self)
    CurlTransportModule.setUp(with: self)
  }
}
