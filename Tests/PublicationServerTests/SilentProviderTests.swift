import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import Synchronization
import Testing

@testable import PublicationServer

/// Signing in by an identity provider that does not answer.
@Suite(.timeLimit(.minutes(10))) struct SilentProviderTests {
  /// Keeps whoever asks until it is opened.
  private final class Silence: Transport {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]?>([])

    func send(_ request: Request) async throws -> Response {
      await withCheckedContinuation { continuation in
        let isOpen = waiting.withLock { waiting in
          waiting?.append(continuation)
          return waiting == nil
        }
        if isOpen { continuation.resume() }
      }
      return Response(404)
    }

    func open() { for continuation in waiting.withLock({ $0.take() }) ?? [] { continuation.resume() } }
  }

  private static let issuer = "https://accounts.example.org"
  private static let client = "203.0.113.5"

  private func request(_ method: Request.Method, _ target: String, _ body: (any Encodable)? = nil) throws -> Request {
    var request = Request(method, target, body: try body.map { try Wire.encode($0) } ?? Data())
    request.client = Self.client
    return request
  }

  /// Its apps ask for pictures, and refresh their tokens, while somebody in the same house waits for the provider.
  @Test func theOtherRoutesStayOpenToTheClient() async throws {
    let (rig, silence) = (try await Rig(), Silence())
    await rig.publication.offerSignIn(
      by: [IdentityProvider(issuer: Self.issuer, name: "Example", clientID: "reader-app")], addingReaders: [],
      at: .origin("https://read.example.org"), transport: silence, clock: rig.clock)
    let signIn = try request(
      .post, "/v1/session/openid",
      IDTokenCredentials(issuer: Self.issuer, idToken: "e30.e30.e30", nonceSecret: String(repeating: "s", count: 43)))
    let info = try request(.get, "/v1/publication")
    await withTaskGroup(of: Int.self) { group in
      // More wait for their turns, as those of any one client do.
      for _ in 0..<(RequestTurns.most + 2) { group.addTask { await rig.publication.handle(signIn).status } }
      await until { rig.publication.providerTurns.count(Self.client) == RequestTurns.most + 2 }
      #expect(await rig.publication.handle(info).status == 200)
      silence.open()
      for await status in group { #expect(status == 503) }
    }
    #expect(rig.publication.providerTurns.count(Self.client) == 0)
  }
}
