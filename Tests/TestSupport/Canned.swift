import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import Runtime
import SessionService
import Synchronization

/// A transport that gives one answer and keeps what it was asked.
public final class Canned: Transport {
  private let answer: @Sendable (Request) throws -> Response
  private let requested = Mutex<[Request]>([])
  private let refused = Mutex<[String]>([])

  /// - Parameter answer: what it answers.
  public init(_ answer: @escaping @Sendable (Request) throws -> Response) { self.answer = answer }
  /// Answers each request with this value as JSON.
  public convenience init(_ value: some Encodable, status: Int = 200) throws {
    let response = Response(status, headers: ["Content-Type": "application/json"], body: try Wire.encode(value))
    self.init { _ in response }
  }

  /// What it was asked.
  public var requests: [Request] { requested.withLock { $0 } }
  /// The tokens that another one was asked for in the place of.
  public var refusedTokens: [String] { refused.withLock { $0 } }

  /// A client over it.
  public func client(token: String? = "secret", clock: any AppClock = SystemClock()) -> APIClient {
    APIClient(transport: self, tokens: Tokens(canned: self, current: token), clock: clock)
  }

  private struct Tokens: AccessTokens {
    let canned: Canned
    let current: String?
    func renewed(after refused: String?) async throws(AuthError) -> String? {
      if let refused { canned.refused.withLock { $0.append(refused) } }
      return nil
    }
    func pinned() -> (any AccessTokens)? { current == nil ? nil : self }
  }

  /// See `Transport`.
  public func send(_ request: Request) async throws -> Response {
    requested.withLock { $0.append(request) }
    return try await InProcessTransport { [answer] in try answer($0) }.send(request)
  }
}
