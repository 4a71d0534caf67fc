import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import SessionService
import Synchronization
import Testing

@Suite struct PublicationAuthProviderTests {
  private final class Log: Sendable {
    let requests = Mutex<[Request]>([])
  }

  private func provider(
    _ log: Log = Log(), at address: String? = nil, answer: @escaping @Sendable (Request) throws -> Response
  ) -> PublicationAuthProvider {
    let transport = InProcessTransport { request in
      log.requests.withLock { $0.append(request) }
      return try answer(request)
    }
    return PublicationAuthProvider(APIClient(transport: transport, token: { "another-token" }), at: address)
  }

  private func problem(_ status: Int, _ code: Problem.Code, _ title: String = "No.") throws -> Response {
    Response(status, body: try Wire.encode(Problem(code: code, title: title, status: status)))
  }

  @Test func signingInSendsTheCredentialsAndNoToken() async throws {
    let log = Log()
    let reader = Reader(id: "r1", email: "ada@example.org", name: "Ada")
    let provider = provider(log) { _ in
      Response(201, body: try Wire.encode(SignedIn(accessToken: "t1", refreshToken: "r-t1", reader: reader)))
    }
    let granted = try await provider.signIn(with: .password(email: "ada@example.org", password: Secret("pw")))
    #expect((granted.access, granted.refresh) == (Secret("t1"), Secret("r-t1")))
    #expect(granted.user == User(id: "r1", email: "ada@example.org", name: "Ada"))
    let request = try #require(log.requests.withLock { $0.first })
    #expect(request.method == .post)
    #expect(request.target == "/v1/session")
    #expect(request.headers["Authorization"] == nil)
    #expect(try Wire.decode(Credentials.self, from: request.body) == Credentials(email: "ada@example.org", password: "pw"))
  }

  @Test func aCodeIsAskedForAndSentWithTheSecretOfItsRequest() async throws {
    let log = Log()
    let answer = SignedIn(accessToken: "t1", refreshToken: "r1", reader: Reader(id: "r1", email: "ada@example.org", name: "Ada"))
    let provider = provider(log) { request in
      request.path == "/v1/session/code"
        ? Response(202, body: try Wire.encode(CodeChallenge(challenge: "c1", expiresIn: 600)))
        : Response(201, body: try Wire.encode(answer))
    }
    let challenge = try await provider.requestCode(for: "ada@example.org")
    #expect(challenge == Secret("c1"))
    for password in [nil, Secret("another one")] {
      #expect(try await provider.signIn(with: .mailedCode("012345", challenge: challenge, newPassword: password)).user.name == "Ada")
    }
    let requests = log.requests.withLock { $0 }
    #expect(requests.map(\.target) == ["/v1/session/code", "/v1/session/mailed", "/v1/session/mailed"])
    #expect(requests.allSatisfy { $0.headers["Authorization"] == nil })
    #expect(try Wire.decode(CodeRequest.self, from: requests[0].body) == CodeRequest(email: "ada@example.org"))
    #expect(
      try requests.dropFirst().map { try Wire.decode(CodeCredentials.self, from: $0.body) } == [
        CodeCredentials(challenge: "c1", code: "012345"), CodeCredentials(challenge: "c1", code: "012345", newPassword: "another one"),
      ])
  }

  @Test(arguments: [
    (Problem.Code.wrongCode, AuthError.wrongCode("So.")), (.codeExpired, .codeExpired("So.")), (.notOffered, .rejected("So.")),
    (.identityRejected, .rejected("So.")),
  ])
  func whatIsWrongWithACodeIsSaid(code: Problem.Code, error: AuthError) async throws {
    let status = [Problem.Code.notOffered: 404, .identityRejected: 403][code] ?? 401
    let answer = try problem(status, code, "So.")
    await #expect(throws: error) { try await provider { _ in answer }.signIn(with: .mailedCode("1", challenge: Secret("c"))) }
  }

  @Test func aRefreshTokenGoesIntoTheBodyAndEndsItsSession() async throws {
    let log = Log()
    let answer = SignedIn(accessToken: "t2", refreshToken: "r2", reader: Reader(id: "r1", email: "ada@example.org", name: "Ada"))
    let provider = provider(log) { request in
      request.method == .delete ? Response(204) : Response(201, body: try Wire.encode(answer))
    }
    #expect(try await provider.refresh(Secret("r1")).refresh == Secret("r2"))
    await provider.signOut(Secret("r1"))
    let requests = log.requests.withLock { $0 }
    #expect(requests.map { "\($0.method.rawValue) \($0.target)" } == ["POST /v1/session/refresh", "DELETE /v1/session"])
    #expect(try Wire.decode(RefreshRequest.self, from: requests[0].body) == RefreshRequest(refreshToken: "r1"))
    #expect(requests.map { $0.headers["Authorization"] } == [nil, "Bearer r1"])
  }

  @Test func theServersNoBecomesOneOfOurs() async throws {
    let wrong = try problem(401, .wrongCredentials)
    await #expect(throws: AuthError.wrongCredentials) {
      try await provider { _ in wrong }.signIn(with: .password(email: "ada@example.org", password: Secret("no")))
    }
    let ended = try problem(401, .sessionEnded)
    await #expect(throws: AuthError.ended) { try await provider { _ in ended }.refresh(Secret("t1")) }
    let reused = try problem(401, .sessionReused)
    await #expect(throws: AuthError.reused) { try await provider { _ in reused }.refresh(Secret("t1")) }
    let busy = try problem(429, "too_many_requests", "Too many tries. Wait a minute.")
    await #expect(throws: AuthError.rejected("Too many tries. Wait a minute.")) {
      try await provider { _ in busy }.signIn(with: .password(email: "ada@example.org", password: Secret("no")))
    }
  }

  @Test(arguments: [
    (404, "There is no publication at https://x.example: what answers there says 404."),
    (200, "What answers at https://x.example is no publication that this version understands."),
  ])
  func whatIsNoPublicationIsSaidWithItsAddress(status: Int, sentence: String) async throws {
    await #expect(throws: AuthError.rejected("\(sentence) Check the address that this app was started with.")) {
      try await provider(at: "https://x.example") { _ in Response(status, body: Data("<html>".utf8)) }.refresh(Secret("t1"))
    }
  }

  @Test func aCertificateIsSaidWithItsAddress() async throws {
    let sentence =
      "The publication at https://x.example has a certificate for another address, so nothing was loaded. "
      + "Check the address, or try another network."
    await #expect(throws: AuthError.rejected(sentence)) {
      try await provider(at: "https://x.example") { _ in throw TransportError.insecure("no", .otherHost) }.refresh(Secret("t1"))
    }
  }

  @Test func noAnswerIsUnreachableAndABrokenOneIsNot() async throws {
    await #expect {
      try await provider { _ in throw TransportError.unreachable("down") }.refresh(Secret("t1"))
    } throws: { error in
      if case .unreachable(let sentence) = error as? AuthError { !sentence.isEmpty } else { false }
    }
    await #expect {
      try await provider { _ in Response(200, body: Data("<html>".utf8)) }.refresh(Secret("t1"))
    } throws: { error in
      if case .rejected(let sentence) = error as? AuthError { !sentence.isEmpty } else { false }
    }
  }
}
