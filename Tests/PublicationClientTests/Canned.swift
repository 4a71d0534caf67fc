import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import Runtime
import Synchronization

/// A transport that gives one answer and keeps what it was asked.
final class Canned: Transport {
  private let answer: @Sendable (Request) throws -> Response
  private let asked = Mutex<[Request]>([])
  private let refused = Mutex<[String]>([])

  init(_ answer: @escaping @Sendable (Request) throws -> Response) { self.answer = answer }
  convenience init(_ value: some Encodable, status: Int = 200) throws {
    let response = Response(status, headers: ["Content-Type": "application/json"], body: try Wire.encode(value))
    self.init { _ in response }
  }

  var requests: [Request] { asked.withLock { $0 } }
  /// The tokens that `onUnauthorized` was told.
  var refusedTokens: [String] { refused.withLock { $0 } }

  func client(token: String? = "secret", clock: any AppClock = SystemClock()) -> APIClient {
    APIClient(transport: self, token: { token }, onUnauthorized: { token in self.refused.withLock { $0.append(token) } }, clock: clock)
  }

  func send(_ request: Request) async throws -> Response {
    asked.withLock { $0.append(request) }
    return try await InProcessTransport { [answer] in try answer($0) }.send(request)
  }
}

extension Post {
  static func sample(_ id: String = "p1", body: String? = nil) -> Post {
    Post(
      id: id, fanClubID: "c1", fanClubName: "Club", title: "Title \(id)", body: body, published: Date(timeIntervalSince1970: 1_700_000_000))
  }
}
