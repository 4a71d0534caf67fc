import Foundation

/// An origin: scheme, host and port of an HTTP server (RFC 9110, section 4.3.1).
public struct Origin: Equatable, Sendable {
  /// A text that is no origin.
  public struct Invalid: Error, Equatable {
    /// How a sentence about it ends: `not “example.org”`, or `and “https://example.org/a” has a path`.
    public let reason: String
  }

  /// Such as `https://example.org:8443`, without a slash at its end.
  public let text: String

  /// - Parameter address: with or without a slash at its end.
  /// - Throws: ``Invalid``.
  public init(_ address: String) throws(Invalid) {
    guard let parts = URLComponents(string: address), ["http", "https"].contains(parts.scheme), parts.host?.isEmpty == false,
      (1...65535).contains(parts.port ?? 443)
    else { throw Invalid(reason: "not “\(address)”") }
    let path = parts.path == "" || parts.path == "/" ? nil : parts.path
    for (part, name) in [
      (parts.user ?? parts.password, "user name"), (path, "path"), (parts.query, "query"), (parts.fragment, "fragment"),
    ] where part != nil {
      throw Invalid(reason: "and “\(address)” has a \(name)")
    }
    text = address.hasSuffix("/") ? String(address.dropLast()) : address
  }
}
