import Foundation

/// The one seam to the outside: bytes out, bytes in.
///
/// An answer with any status is an answer; errors are for when there is none.
public protocol Transport: Sendable {
  /// Sends a request and waits for the whole answer.
  /// - Throws: ``TransportError``; `CancellationError` when the task is cancelled.
  func send(_ request: Request) async throws -> Response
}

/// Why there is no answer.
public enum TransportError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The host could not be found or reached, or refused.
  case unreachable(String)
  /// No answer within the time limit.
  case timedOut
  /// The connection ended in the middle of the answer, was reset, or the answer was malformed.
  case cutShort(String)
  /// The certificate or the encryption was not acceptable.
  case insecure(String)
  /// The answer was larger than the transport accepts, in bytes.
  case tooLarge(limit: Int)
  /// The request cannot be sent by this transport, and why.
  case unsupported(String)

  /// One clause for a log or a terminal, without a period; what readers see is the app's own.
  public var description: String {
    switch self {
    case .unreachable(let reason), .cutShort(let reason), .insecure(let reason), .unsupported(let reason): reason
    case .timedOut: "there was no answer in time"
    case .tooLarge(let limit): "the answer has more than \(limit) bytes"
    }
  }
}

/// Answers in this process: the same bytes to the same router that a server listens with.
public struct InProcessTransport: Transport {
  private let handler: @Sendable (Request) async throws -> Response

  /// - Parameter handler: answers a request; may throw ``TransportError``.
  public init(handler: @escaping @Sendable (Request) async throws -> Response) { self.handler = handler }

  /// Hands the request to the handler.
  /// - Throws: ``TransportError/unsupported(_:)`` for an absolute URL; `CancellationError`; what the handler throws.
  public func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    guard request.target.hasPrefix("/") else { throw TransportError.unsupported("\(request.target) is outside this publication") }
    return try await handler(request)
  }
}
