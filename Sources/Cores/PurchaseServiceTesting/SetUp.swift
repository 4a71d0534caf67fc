import PurchaseService

/// What `PurchaseService` is set up with in tests.
public struct TestingConfig: PurchaseServiceConfig {
  /// Products are used for one hour before they are fetched again.
  public let productTimeToLive: Duration = .seconds(3600)
  /// Access continues for three days while the store cannot be asked.
  public let offlineGrace: Duration = .seconds(3 * 86_400)
  /// Access continues for twenty starts while the store cannot be asked.
  public let offlineStarts = 20
  /// A receipt may be signed five minutes ahead of this machine's clock.
  public let clockSkewLimit: Duration = .seconds(300)

  /// The values above, which every instance has.
  public init() {}
}

/// Sets `PurchaseService` up with ``TestingConfig``, once, however many suites of a test process touch it:
///
///     import PurchaseService
///     import PurchaseServiceTesting   // mock and scripted queue, scripted products and authorizer, a desk that signs receipts
///     import Runtime                  // ManualClock, SequentialIdentifiers, SeededRandom, Effects
///
///     @MainActor @Suite struct ShopTests {
///       init() { _ = purchaseServiceIsSetUp }
///     }
public let purchaseServiceIsSetUp: Void = PurchaseServiceModule.setUp(with: TestingConfig())
