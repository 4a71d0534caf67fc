import Foundation

/// An HTTP response.
public struct Response: Equatable, Sendable {
  /// The status code, 100 to 599.
  public var status: Int
  /// The header fields.
  public var headers: Headers
  /// The body, with any content encoding undone.
  public var body: Data

  /// Nothing checks that `status` is in range.
  public init(_ status: Int, headers: Headers = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
