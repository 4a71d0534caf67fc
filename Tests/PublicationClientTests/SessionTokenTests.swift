import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import Runtime
import SessionService
import Synchronization
import Testing

/// A client and a session that share one token, as the app wires them.
@MainActor @Suite struct SessionTokenTests {
  private final class Backend: Sendable {
    private let state = Mutex<(ended: Set<String>, tokens: [String?])>(([], []))

    /// The tokens of the content calls, in order.
    var tokens: [String?] { state.withLock { $0.tokens } }
    func end(_ token: String) { _ = state.withLock { $0.ended.insert("Bearer \(token)") } }

    func answer(_ request: Request) throws -> Response {
      switch (request.method, request.target) {
      case (.post, "/v1/session"):
        let email = try Wire.decode(Credentials.self, from: request.body).email
        return Response(201, body: try Wire.encode(SignedIn(token: "t-\(email)", reader: Reader(id: email, email: email, name: email))))
      case (.delete, "/v1/session"): return Response(204)
      default:
        let token = request.headers["Authorization"]
        let isOpen = state.withLock { state in
          state.tokens.append(token)
          return token.map { !state.ended.contains($0) } ?? false
        }
        guard isOpen else {
          return Response(401, body: try Wire.encode(Problem(code: .sessionEnded, title: "Sign in again.", status: 401)))
        }
        return Response(200, body: try Wire.encode(Page<Post>(items: [])))
      }
    }
  }

  private func make(_ backend: Backend) -> (client: APIClient, session: Session) {
    let token = TokenBox()
    let client = APIClient(
      transport: InProcessTransport { try backend.answer($0) }, token: { token.current }, onUnauthorized: { token.refused($0) })
    let session = Session(auth: PublicationAuthProvider(client), store: MemoryTokenStore(), token: token, effects: Effects())
    return (client, session)
  }

  @Test func requestsCarryTheTokenOfNowAndNoneAfterSigningOut() async throws {
    let backend = Backend()
    let (client, session) = make(backend)
    try await session.signIn(email: "a@example.org", password: Secret("pw"))
    _ = try await client.posts()
    await session.signOut()
    _ = try? await client.posts()
    try await session.signIn(email: "b@example.org", password: Secret("pw"))
    _ = try await client.posts()
    #expect(backend.tokens == ["Bearer t-a@example.org", nil, "Bearer t-b@example.org"])
  }

  @Test func aRefusalOfAnyCallEndsTheSession() async throws {
    let backend = Backend()
    let (client, session) = make(backend)
    try await session.signIn(email: "a@example.org", password: Secret("pw"))
    backend.end("t-a@example.org")
    await #expect(throws: ClientError.self) { try await client.posts() }
    while session.state.user != nil { await Task.yield() }
    #expect(session.state == .signedOut(.ended))
  }
}
