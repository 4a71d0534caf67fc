import Runtime

/// What a build of the app decides about this module, once. What differs by publication, user or test comes in by initialiser.
public protocol CurlTransportConfig: Sendable {
  /// What transports call themselves.
  var userAgent: String { get }
  /// The time until a connection is established, unless a transport says otherwise.
  var connectTimeout: Duration { get }
  /// The time for a whole transfer, unless a transport says otherwise.
  var requestTimeout: Duration { get }
  /// How long nothing may arrive, in whole seconds, unless a transport says otherwise.
  var stallTimeout: Duration { get }
}

/// The module as a whole.
public enum CurlTransportModule {
  /// Gives the module what the build decides about it: once, first thing in a program. Using the module without it, and a second call,
  /// stop the program with a message that says so. From any thread.
  public static func setUp(with config: some CurlTransportConfig) { Config.given.set(config) }
}

/// `Config.userAgent`: what ``CurlTransportModule/setUp(with:)`` was given.
@dynamicMemberLookup enum Config {
  fileprivate static let given = SetOnce<any CurlTransportConfig>(module: "CurlTransport")

  static subscript<Value>(dynamicMember property: KeyPath<any CurlTransportConfig, Value>) -> Value { given.get[keyPath: property] }
}
