import Foundation
import HTTPTransport
import OpenIDConnectTesting
import Runtime
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

/// The whole way by a page in the browser, and each way that it may end otherwise.
@Suite(.timeLimit(.minutes(1))) struct BrowserSignInTests {
  private static let key = StubKey.rsa("rsa-1")
  private static let backend = "https://read.example.org"
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
  private let provider: StubProvider

  init() { provider = StubProvider(keys: [Self.key], clock: clock) }

  private func signIn(
    _ registration: OpenIDProvider = StubProvider.registration, _ open: @escaping @Sendable (AuthorizationPage) async -> Void
  ) async throws(OpenIDError) -> BrowserSignIn.Grant {
    let directory = ProviderDirectory(registration, transport: provider, clock: clock)
    return try await BrowserSignIn(directory, app: "Matinee", for: Self.backend, clock: clock).signIn { [provider] url in
      let page = AuthorizationPage(url)
      // The provider's tokens carry the nonce of the request.
      provider.state.withLock { $0.claims["nonce"] = page["nonce"] }
      await open(page)
    }
  }

  @Test func theWholeWay() async throws {
    let answer = Mutex("")
    let granted = try await signIn { page in
      let said = await page.answer("code=c-1&state=\(page["state"])&session_state=x")
      answer.withLock { $0 = said }
    }
    #expect(granted.claims.subject == "user-7")
    #expect(try IDToken.nonce(for: granted.nonceSecret, at: Self.backend) == provider.state.withLock { $0.claims["nonce"] as? String })
    #expect(answer.withLock { $0 }.contains("HTTP/1.1 200 OK\r\n"))
    #expect(answer.withLock { $0 }.contains("Back to Matinee"))
    #expect(answer.withLock { $0 }.contains("Cache-Control: no-store\r\n"))
    let request = try #require(provider.state.withLock { $0.requests.last { $0.method == .post } })
    #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
    let fields = Dictionary(
      uniqueKeysWithValues: Request(.get, "/?" + String(decoding: request.body, as: UTF8.self)).query.map { ($0.name, $0.value) })
    #expect(fields["grant_type"] == "authorization_code" && fields["code"] == "c-1" && fields["client_id"] == "reader-app")
    #expect(fields["client_secret"] == nil)
    // RFC 7636, section 4.6.
    #expect(try AuthorizationRequest.digest(fields["code_verifier"] ?? "") == answerChallenge(request: fields))
  }

  /// The challenge of the request whose redirect address the token request names.
  private func answerChallenge(request fields: [String: String]) -> String? {
    AuthorizationPage.last.withLock { $0[fields["redirect_uri"] ?? ""] }
  }

  @Test func whatTheRequestSays() async throws {
    var registration = StubProvider.registration
    registration.clientSecret = "open & shut"
    provider.state.withLock { $0.document["authorization_endpoint"] = "\(StubProvider.issuer)/authorize?tenant=1" }
    _ = try await signIn(registration) { page in
      #expect(
        page.url.hasPrefix(
          "\(StubProvider.issuer)/authorize?tenant=1&response_type=code&client_id=reader-app&redirect_uri=http%3A%2F%2F127"))
      #expect(page["scope"] == "openid email profile" && page["code_challenge_method"] == "S256")
      #expect(page["redirect_uri"].hasSuffix("/callback"))
      #expect(Set([page["state"], page["nonce"], page["code_challenge"]]).count == 3)
      for name in ["state", "nonce", "code_challenge"] { #expect(page[name].count == 43) }
      _ = await page.answer("code=c-1&state=\(page["state"])")
    }
    let body = provider.state.withLock { String(decoding: $0.requests.last { $0.method == .post }?.body ?? Data(), as: UTF8.self) }
    #expect(body.hasSuffix("&client_secret=open%20%26%20shut"))
  }

  /// Whatever else comes to the port gets an answer, and changes nothing.
  @Test func theWaitGoesOnBesideStrangers() async throws {
    let granted = try await signIn { page in
      let idle = try? RawClient(port: page.port)
      // What the other tab says.
      let (over, nothing) = ("This sign-in is over", "There is nothing here")
      for (request, status, sentence) in [
        ("GET /favicon.ico HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n\r\n", 404, nothing),
        ("GET /callback?code=x&state=another HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n\r\n", 400, over),
        ("GET /callback?code=x HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n\r\n", 400, over),
        ("GET /callback?code=x&state=\(page["state"]) HTTP/1.1\r\nHost: elsewhere.example.org\r\n\r\n", 404, nothing),
        ("POST /callback?code=x&state=\(page["state"]) HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n\r\n", 404, nothing),
        ("GET /callback?code=x&state=\(page["state"])&state=\(page["state"]) HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n\r\n", 400, over),
        ("\u{16}\u{3}\u{1} nonsense\r\n\r\n", 404, nothing),
      ] {
        let said = await page.send(request)
        #expect(said.hasPrefix("HTTP/1.1 \(status) "), "\(request): \(said)")
        #expect(said.contains("<h1>\(sentence)</h1>"), "\(request): \(said)")
      }
      // Nor does one that sends too much, or leaves in the middle.
      _ = await page.send("GET /" + String(repeating: "a", count: 20_000))
      do {
        let leaving = try? RawClient(port: page.port)
        try? await leaving?.send("GET /callback?code=")
      }
      for _ in 1...40 { _ = try? RawClient(port: page.port) }
      _ = await page.answer("code=c-1&state=\(page["state"])")
      _ = idle
    }
    #expect(granted.claims.subject == "user-7")
  }

  /// They see the page's address in the list of processes, and could answer with an account of their own.
  @Test(.enabled(if: getuid() == 0, "only root becomes another user")) func anotherUserOfTheComputerIsNotHeard() async throws {
    let granted = try await signIn { page in
      let request = "GET /callback?code=evil&state=\(page["state"]) HTTP/1.1\\r\\nHost: 127.0.0.1:\(page.port)\\r\\n\\r\\n"
      let script = "exec 3<>/dev/tcp/127.0.0.1/\(page.port) && printf '\(request)' >&3 && cat <&3"
      let said = try? await Program(["/usr/bin/setpriv", "--reuid=65534", "--clear-groups", "bash", "-c", script]).run()
      #expect(said?.output.contains("HTTP/1.1") == false, "\(said?.output ?? "it did not run")")
      _ = await page.answer("code=c-1&state=\(page["state"])")
    }
    #expect(granted.claims.subject == "user-7")
    let body = provider.state.withLock { String(decoding: $0.requests.last { $0.method == .post }?.body ?? Data(), as: UTF8.self) }
    #expect(body.contains("code=c-1") && !body.contains("evil"))
  }

  static let endings: [(query: String, error: OpenIDError)] = [
    ("error=access_denied", .denied), ("error=consent_required", .denied),
    ("error=server_error&error_description=x", .refused("server_error")),
    ("error=%1b%5b2J%0a%E2%80%AEbad", .refused("[2Jbad")),
    ("code=", .refused("no code")), ("", .refused("no code")), ("code=a&code=b", .refused("no code")),
    ("code=c-1&iss=https%3A%2F%2Fevil.example.org", .otherIssuer), ("code=c-1&iss=a&iss=b", .otherIssuer),
  ]

  @Test(arguments: endings.indices) func otherAnswers(index: Int) async throws {
    let (query, error) = Self.endings[index]
    await #expect(throws: error) {
      try await signIn { page in
        let said = await page.answer("\(query)&state=\(page["state"])")
        #expect(said.contains("Nobody was signed in"))
      }
    }
    #expect(provider.count("/token") == 0)
    let sentence = error.sentence(of: "Example")
    #expect(sentence.contains("Example") && sentence.hasSuffix(error == .denied ? "page." : "Try again."))
  }

  /// RFC 9207: whoever says that answers name them has to. Some leave the name out where they say no.
  @Test func anAnswerNamesItsProvider() async throws {
    provider.state.withLock { $0.document["authorization_response_iss_parameter_supported"] = true }
    await #expect(throws: OpenIDError.otherIssuer) { try await signIn { page in _ = await page.answer("code=c-1&state=\(page["state"])") } }
    await #expect(throws: OpenIDError.denied) {
      try await signIn { page in _ = await page.answer("error=access_denied&state=\(page["state"])") }
    }
    let issuer = StubProvider.issuer.replacing(":", with: "%3A").replacing("/", with: "%2F")
    _ = try await signIn { page in _ = await page.answer("code=c-1&iss=\(issuer)&state=\(page["state"])") }
  }

  @Test func nothingComesForFiveMinutes() async throws {
    let port = Mutex(0)
    await #expect(throws: OpenIDError.timedOut) {
      try await signIn { [clock] page in
        port.withLock { $0 = page.port }
        await clock.waitForSleepers()
        #expect(clock.nextDue == .seconds(300))
        clock.advance(by: .seconds(300))
      }
    }
    #expect(throws: (any Error).self, "the port is closed") { try RawClient(port: port.withLock { $0 }) }
  }

  @Test func cancellingFreesThePortAtOnce() async throws {
    let (opened, hasOpened) = AsyncStream.makeStream(of: Int.self)
    var registration = StubProvider.registration
    registration.ports = [try LoopbackListener(ports: [], app: "Matinee").port]
    let task = Task { [registration] in try await signIn(registration) { hasOpened.yield($0.port) } }
    var ports = opened.makeAsyncIterator()
    #expect(await ports.next() == registration.ports[0])
    // While it waits, the port is nobody else's.
    await #expect(throws: OpenIDError.noPort(registration.ports)) { try await signIn(registration) { _ in } }
    task.cancel()
    let granted = try await signIn(registration) { page in _ = await page.answer("code=c-1&state=\(page["state"])") }
    #expect(granted.claims.subject == "user-7")
    await #expect(throws: OpenIDError.cancelled) { try await task.value }
  }

  @Test func thePortsThatTheProviderKnows() async throws {
    let taken = try LoopbackListener(ports: [], app: "Matinee")
    let free = try LoopbackListener(ports: [], app: "Matinee")
    free.close()
    var registration = StubProvider.registration
    registration.ports = [taken.port, free.port]
    _ = try await signIn(registration) { page in
      #expect(page.port == free.port)
      _ = await page.answer("code=c-1&state=\(page["state"])")
    }
    registration.ports = [taken.port]
    let error = await #expect(throws: OpenIDError.noPort([taken.port])) { try await signIn(registration) { _ in } }
    #expect(error?.sentence(of: "Example").contains("port \(taken.port) of this computer") == true)
    taken.close()
  }

  @Test func theTokenEndpointSaysNo() async throws {
    let answers: [(Response, OpenIDError)] = [
      (Response(400, body: Data(#"{"error":"invalid_grant"}"#.utf8)), .refused("invalid_grant")),
      (Response(502, body: Data("<html>".utf8)), .refused("status 502")),
      (Response(200, body: Data(#"{"access_token":"a"}"#.utf8)), .badToken(.malformed("there is no id_token"))),
      (Response(200, body: Data(#"{"id_token":"a.b.c"}"#.utf8)), .badToken(.malformed("it is not three parts of base64url"))),
    ]
    for (answer, error) in answers {
      provider.state.withLock { $0.tokenAnswer = answer }
      await #expect(throws: error) { try await signIn { page in _ = await page.answer("code=c-1&state=\(page["state"])") } }
    }
  }

  // MARK: The documents

  @Test func documentsAreFetchedOnceAndKeysAgainWhenTheyChange() async throws {
    let directory = ProviderDirectory(StubProvider.registration, transport: provider, clock: clock)
    var claims = StubProvider.claims(at: clock.now)
    claims["nonce"] = "n"
    for _ in 1...3 { _ = try await directory.verified(Self.key.token(claims), nonce: "n") }
    #expect(provider.count("/keys") == 1 && provider.count("/openid-configuration") == 1)
    let next = try StubKey.ec("ec-2")
    provider.state.withLock { $0.keys.append(next) }
    // Whoever makes up keys causes no request in the first minute.
    await #expect(throws: OpenIDError.badToken(.unknownKey)) { try await directory.verified(next.token(claims), nonce: "n") }
    #expect(provider.count("/keys") == 1)
    clock.advance(by: .seconds(60))
    for _ in 1...3 { #expect(try await directory.verified(next.token(claims), nonce: "n").subject == "user-7") }
    #expect(provider.count("/keys") == 2)
    // A key that the provider took back is not used for longer than an hour.
    provider.state.withLock { _ = $0.keys.removeFirst() }
    clock.advance(by: .seconds(3600))
    claims["exp"] = Int(clock.now.timeIntervalSince1970) + 300
    await #expect(throws: OpenIDError.badToken(.unknownKey)) { try await directory.verified(Self.key.token(claims), nonce: "n") }
  }

  @Test func aProviderThatIsAway() async throws {
    provider.state.withLock { $0.failure = .unreachable("no route", .noNetwork) }
    let error = await #expect(throws: OpenIDError.unreachable(.unreachable("no route", .noNetwork))) { try await signIn { _ in } }
    #expect(error?.sentence(of: "Example").hasPrefix("Example cannot be reached: this computer has no network.") == true)
    provider.state.withLock { $0.failure = nil }
    _ = try await signIn { page in _ = await page.answer("code=c-1&state=\(page["state"])") }
    var plain = StubProvider.registration
    plain.issuer = "http://accounts.example.org"
    await #expect(throws: OpenIDError.unusable("its issuer is no https address")) { try await signIn(plain) { _ in } }
  }
}

/// The provider's page, as a browser that a test plays sees it.
struct AuthorizationPage: Sendable {
  /// Challenges by redirect addresses.
  static let last = Mutex<[String: String]>([:])

  let url: String
  private let fields: [String: String]

  init(_ url: String) {
    self.url = url
    fields = Dictionary(Request(.get, url).query.map { ($0.name, $0.value) }) { first, _ in first }
    let (address, challenge) = (fields["redirect_uri"] ?? "", fields["code_challenge"] ?? "")
    _ = Self.last.withLock { $0.updateValue(challenge, forKey: address) }
  }

  subscript(name: String) -> String { fields[name] ?? "" }
  var port: Int { URLComponents(string: self["redirect_uri"])?.port ?? 0 }

  /// Sends the browser back with a query.
  func answer(_ query: String) async -> String { await send("GET /callback?\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n") }

  func send(_ request: String) async -> String {
    guard let client = try? RawClient(port: port) else { return "refused" }
    try? await client.send(request)
    return (try? await client.rest()) ?? ""
  }
}
