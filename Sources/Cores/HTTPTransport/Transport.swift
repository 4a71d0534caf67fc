import Foundation

/// The one seam to the outside: bytes out, bytes in.
///
/// An answer with any status is an answer; errors mean that there is none.
public protocol Transport: Sendable {
  /// Sends a request and waits for the whole answer.
  /// - Throws: ``TransportError``; `CancellationError` when the task is cancelled.
  func send(_ request: Request) async throws -> Response
}

/// Why there is no answer.
public enum TransportError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kept a host from being reached.
  public enum Obstacle: Equatable, Sendable {
    /// There is no way to it from this computer, as without a network.
    case noNetwork
    /// Its name cannot be resolved.
    case unknownName
    /// It takes no connections.
    case refused
  }

  /// What is wrong with a certificate.
  public enum CertificateProblem: Equatable, Sendable {
    /// It was good until a moment that has passed.
    case expired
    /// It becomes valid at a later moment.
    case notYetValid
    /// This computer does not trust its issuer.
    case unknownIssuer
    /// It is for another host.
    case otherHost
  }

  /// The host could not be found or reached, or refused; with the reason, where known.
  case unreachable(String, Obstacle? = nil)
  /// No answer within the time limit.
  case timedOut
  /// The connection ended in the middle of the answer, was reset, or the answer was malformed.
  case cutShort(String)
  /// The certificate or the encryption was not acceptable; with the reason, where known.
  case insecure(String, CertificateProblem? = nil)
  /// The answer was larger than the transport accepts, in bytes.
  case tooLarge(limit: Int)
  /// The answer is of a form that this transport does not read, and why.
  case unreadable(String)
  /// The request cannot be sent by this transport, and why.
  case unsupported(String)

  /// One clause for a log or a terminal, without a period; see ``sentence(about:)`` for people.
  public var description: String {
    switch self {
    case .unreachable(let reason, _), .cutShort(let reason), .insecure(let reason, _), .unreadable(let reason), .unsupported(let reason):
      reason
    case .timedOut: "there was no answer in time"
    case .tooLarge(let limit): "the answer has more than \(limit) bytes"
    }
  }

  /// What happened and what to do, for people: the only place with these sentences. The details are in the ``description``.
  /// - Parameter who: who was asked, as a sentence begins: "The publication".
  public func sentence(about who: String) -> String {
    switch self {
    case .unreachable(_, .noNetwork): "\(who) cannot be reached: this computer has no network. Connect it and try again."
    case .unreachable(_, .unknownName): "\(who) cannot be reached: its name was not found. Check the address and your connection."
    case .unreachable(_, .refused): "\(who) cannot be reached: nothing answers at its address. Try again in a moment."
    case .unreachable: "\(who) cannot be reached. Check your connection and try again."
    case .timedOut: "\(who) takes too long to answer. Try again in a moment."
    case .cutShort: "\(who) broke off the connection. Try again."
    case .insecure(_, .expired): "\(who) has a certificate that has expired, so nothing was loaded. Check the date of this computer."
    case .insecure(_, .notYetValid):
      "\(who) has a certificate that is not valid yet, so nothing was loaded. Check the date of this computer."
    case .insecure(_, .unknownIssuer):
      "\(who) has a certificate of no authority that is known here, so nothing was loaded. Check the address, or try another network."
    case .insecure(_, .otherHost):
      "\(who) has a certificate for another address, so nothing was loaded. Check the address, or try another network."
    case .insecure: "\(who) cannot be reached securely, so nothing was loaded. Try another network."
    case .tooLarge: "\(who) sent more than this app accepts."
    case .unreadable: "\(who) sent an answer of a form that is not read here."
    case .unsupported: "\(who) cannot be loaded from this address."
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

/// Two transports as one: paths go to a publication, absolute URLs to the web.
public struct OriginSplit: Transport {
  private let publication: any Transport
  private let web: any Transport

  /// - Parameters:
  ///   - publication: answers requests for a path.
  ///   - web: answers those for an absolute URL.
  public init(publication: any Transport, web: any Transport) { (self.publication, self.web) = (publication, web) }

  /// Sends a request by the transport that it is for.
  /// - Throws: what that throws.
  public func send(_ request: Request) async throws -> Response {
    try await (request.target.hasPrefix("/") ? publication : web).send(request)
  }
}
