import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import Runtime
import TestSupport
import Testing

@Suite struct ClientErrorTests {
  private func error(_ answer: @escaping @Sendable (Request) throws -> Response) async throws -> ClientError {
    let canned = Canned(answer)
    // Wed, 21 Oct 2026 07:28:00 GMT.
    let clock = ManualClock(now: Date(timeIntervalSince1970: 1_792_567_680))
    do { _ = try await canned.client(clock: clock).post("p1") } catch { return error }
    throw Missing()
  }
  private struct Missing: Error {}

  @Test(arguments: [TransportError.unreachable("refused"), .timedOut, .cutShort("reset")])
  func noAnswerIsOffline(transportError: TransportError) async throws {
    let error = try await error { _ in throw transportError }
    guard case .offline(transportError) = error else { throw error }
    #expect(error.isOffline)
    #expect(!error.sentence.isEmpty)
  }

  @Test(arguments: [TransportError.insecure("expired"), .tooLarge(limit: 1), .unsupported("x")])
  func anAnswerTheTransportRefusesIsNotOffline(transportError: TransportError) async throws {
    let error = try await error { _ in throw transportError }
    guard case .unacceptable(transportError) = error else { throw error }
    #expect(!error.isOffline)
    #expect(!error.sentence.isEmpty)
  }

  @Test func whatATransportShouldNotThrowIsNoAnswerEither() async throws {
    struct Odd: Error {}
    #expect(try await error { _ in throw Odd() }.isOffline)
  }

  @Test func aCancelledTaskIsNoFailureOfTheNetwork() async throws {
    guard case .cancelled = try await error({ _ in throw CancellationError() }) else { throw Missing() }
  }

  @Test func aProblemKeepsCodeTitleAndStatus() async throws {
    let problem = Problem(code: "too_many", title: "Slow down.", status: 429)
    let body = try Wire.encode(problem)
    let error = try await error { _ in
      Response(429, headers: ["Content-Type": "application/problem+json", "Retry-After": "7"], body: body)
    }
    guard case .problem(problem, retryAfter: .seconds(7)) = error else { throw error }
    #expect(error.sentence == "Slow down.")
    #expect(error.code == "too_many")
  }

  @Test(arguments: ["Wed, 21 Oct 2026 07:28:20 GMT", nil]) func retryAfterMayBeADate(sent: String?) async throws {
    var headers: Headers = ["Retry-After": "Wed, 21 Oct 2026 07:29:30 GMT"]
    headers["Date"] = sent
    let (error, wait) = (try await error { [headers] _ in Response(503, headers: headers) }, Duration.seconds(sent == nil ? 90 : 70))
    guard case .problem(_, retryAfter: wait) = error else { throw error }
  }

  @Test(arguments: ["soon", "-1", "Wed, 21 Oct"]) func aRetryAfterThatSaysNothingIsNone(text: String) async throws {
    guard case .problem(_, retryAfter: nil) = try await error({ _ in Response(503, headers: ["Retry-After": text]) }) else {
      throw Missing()
    }
  }

  @Test(arguments: [301, 304, 401, 404, 502]) func anAnswerThatIsNoProblemDocumentKeepsItsStatus(status: Int) async throws {
    let canned = Canned { _ in Response(status, body: Data("<html>proxy</html>".utf8)) }
    await #expect {
      try await canned.client().post("p1")
    } throws: {
      guard case ClientError.problem(let problem, _) = $0 else { return false }
      return problem.status == status && problem.code.rawValue == "http_\(status)"
    }
    #expect(canned.refusedTokens.isEmpty)
  }

  @Test(arguments: [
    (429, "The publication was asked too often. Wait a minute and try again."),
    (500, "The publication cannot answer right now. Try again in a moment."),
    (503, "The publication cannot answer right now. Try again in a moment."),
    (302, "Something between this computer and the publication answers in its place. Sign in to the network first."),
  ])
  func whatSomebodyOnTheWayAnswersIsASentenceToo(status: Int, sentence: String) async throws {
    #expect(try await error { _ in Response(status, body: Data("<html>proxy</html>".utf8)) }.sentence == sentence)
  }

  @Test(arguments: [TransportError.unreachable("words", .refused), .insecure("words", .expired), .timedOut])
  func whatTheSystemSaysIsNotForReaders(transportError: TransportError) async throws {
    let sentence = try await error { _ in throw transportError }.sentence
    #expect(sentence == transportError.sentence(about: "The publication"))
    #expect(!sentence.contains("words"))
  }

  @Test func whatIsNotTheTypeIsUndecodableAndKeepsTheReason() async throws {
    let error = try await error { _ in Response(200, body: Data("[]".utf8)) }
    guard case .undecodable(let what, let underlying) = error else { throw error }
    #expect(what == "GET /v1/posts/p1")
    #expect(underlying is DecodingError)
    #expect(!error.sentence.isEmpty)
  }

  @Test func anEndedSessionIsToldWithTheTokenThatWasUsed() async throws {
    let canned = try Canned(Problem(code: .sessionEnded, title: "Sign in again.", status: 401), status: 401)
    await #expect(throws: ClientError.self) { try await canned.client(token: "mine").orders() }
    #expect(canned.refusedTokens == ["mine"])
    await #expect(throws: ClientError.self) { try await canned.client(token: "mine").refresh("explicit") }
    await #expect(throws: ClientError.self) { try await canned.client(token: nil).orders() }
    await #expect(throws: ClientError.self) { try await canned.client(token: "mine").keys() }
    #expect(canned.refusedTokens == ["mine"])
  }

  @Test func wrongCredentialsEndNoSession() async throws {
    let canned = try Canned(Problem(code: .wrongCredentials, title: "No.", status: 401), status: 401)
    await #expect { try await canned.client().signIn(Credentials(email: "a", password: "b")) } throws: {
      ($0 as? ClientError)?.code == .wrongCredentials
    }
    #expect(canned.refusedTokens.isEmpty)
  }
}
