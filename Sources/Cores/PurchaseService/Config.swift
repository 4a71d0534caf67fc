import Runtime

/// What a build of the app decides about this module, once. What differs by store, user or test comes in by initialiser.
public protocol PurchaseServiceConfig: Sendable {
  /// How long a list of products is served without asking again.
  var productTimeToLive: Duration { get }
  /// How long after its end a receipt still gives access while the store is unreachable.
  var offlineGrace: Duration { get }
  /// How many starts without an answer of the store the grace lasts at most.
  var offlineStarts: Int { get }
  /// How far ahead of the trusted time a receipt may claim to be signed.
  var clockSkewLimit: Duration { get }
}

/// The module as a whole.
public enum PurchaseServiceModule {
  /// Gives the module what the build decides about it: once, first thing in a program. Using the module without it, and a second call,
  /// stop the program with a message that says so. From any thread.
  public static func setUp(with config: some PurchaseServiceConfig) { Config.given.set(config) }
}

/// `Config.offlineGrace`: what ``PurchaseServiceModule/setUp(with:)`` was given.
@dynamicMemberLookup enum Config {
  fileprivate static let given = SetOnce<any PurchaseServiceConfig>(module: "PurchaseService")

  static subscript<Value>(dynamicMember property: KeyPath<any PurchaseServiceConfig, Value>) -> Value { given.get[keyPath: property] }
}
