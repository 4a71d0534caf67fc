import HTTPTransport

/// Where the publication's own pages are, for the system browser.
public enum PublicAddress: Equatable, Sendable {
  /// At the host of the client's request, by `http`: for a server that clients reach directly.
  case ofRequest
  /// At this origin, such as `https://read.example.org`: for a server behind a proxy.
  case origin(String)

  /// The origin for a client; `nil` when its request names no host.
  func origin(for request: Request) -> String? {
    switch self {
    case .origin(let origin): origin
    case .ofRequest: Self.host(of: request).map { "http://\($0)" }
    }
  }

  /// The `Host` field, if it is a host and perhaps a port: it becomes part of an address.
  private static func host(of request: Request) -> String? {
    guard let host = request.headers["Host"], (1...255).contains(host.utf8.count),
      host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-:[]_".contains($0)) })
    else { return nil }
    return host
  }
}
