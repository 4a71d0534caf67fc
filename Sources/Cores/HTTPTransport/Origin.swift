import Foundation

/// An origin: scheme, host and port of an HTTP server (RFC 9110, section 4.3.1).
public struct Origin: Equatable, Sendable {
  /// A text that is no origin.
  public struct Failure: Error, Equatable {
    /// How a sentence about it ends: `not “example.org”`, or `and “https://example.org/a” has a path`.
    public let reason: String
  }

  /// Such as `https://example.org:8443`: in small letters, without a slash at its end, and without the port that the scheme implies.
  public let text: String

  /// - Parameter address: with or without a slash at its end.
  /// - Throws: ``Failure``.
  public init(_ address: String) throws(Failure) {
    guard let origin = Origin(of: address), let parts = URLComponents(string: address) else { throw Failure(reason: "not “\(address)”") }
    let path = parts.path == "" || parts.path == "/" ? nil : parts.path
    for (part, name) in [
      (parts.user ?? parts.password, "user name"), (path, "path"), (parts.query, "query"), (parts.fragment, "fragment"),
    ] where part != nil {
      throw Failure(reason: "and “\(address)” has a \(name)")
    }
    self = origin
  }

  /// The origin of a URL; `nil` when that is not one of HTTP.
  public init?(of url: String) {
    guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(), let host = parts.encodedHost?.lowercased(),
      let usual = ["http": 80, "https": 443][scheme], !host.isEmpty, (1...65535).contains(parts.port ?? usual)
    else { return nil }
    text = "\(scheme)://\(host)" + (parts.port.map { $0 == usual ? "" : ":\($0)" } ?? "")
  }
}
