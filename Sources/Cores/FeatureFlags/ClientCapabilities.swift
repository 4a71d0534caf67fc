/// What a client can do, which decides whether a rule is meant for it.
public struct ClientCapabilities: Equatable, Sendable {
  /// The client's version.
  public let version: ClientVersion
  /// What it reports to know, such as `device_receipts`.
  public let features: Set<String>

  public init(version: ClientVersion, features: Set<String> = []) {
    self.version = version
    self.features = features
  }
}
