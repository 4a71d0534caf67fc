import Foundation
import HTTPTransport
import OpenIDConnect
import OpenIDConnectTesting
import PublicationAPI
import PublicationServer
import Runtime
import Synchronization
import TestSupport
import Testing

/// Signing in by an ID token, and the accounts at providers that sign a reader in.
@Suite(.timeLimit(.minutes(10))) struct IdentityTests {
  private static let secret = String(repeating: "s", count: 43)
  private static let origin = "https://read.example.org"
  private final class Log: Sendable {
    let lines = Mutex<[String]>([])
  }

  private let log = Log()
  private let rig: Rig
  private let key: StubKey
  private let provider: StubProvider

  init() async throws {
    rig = try await Rig(log: { [log] line in log.lines.withLock { $0.append(line) } })
    key = try StubKey.ec("ec-1")
    provider = StubProvider(keys: [key], clock: rig.clock)
    await offer(addingReaders: [StubProvider.issuer])
  }

  private func offer(addingReaders: Set<String>) async {
    await rig.publication.offerSignIn(
      by: [IdentityProvider(issuer: StubProvider.issuer, name: "Example", clientID: "reader-app", ports: [47_115])],
      addingReaders: addingReaders, at: .origin(Self.origin), transport: provider, clock: rig.clock)
  }

  /// A token as the app has it. A claim that is `nil` is left out.
  private func credentials(
    _ changes: [String: (any Sendable)?] = [:], secret: String = secret, key: StubKey? = nil
  ) throws -> IDTokenCredentials {
    var claims = StubProvider.claims(at: rig.clock.now)
    // No two tokens of a provider are the same.
    claims["jti"] = UUID().uuidString
    claims["nonce"] = try IDToken.nonce(for: Self.secret, at: Self.origin)
    claims["email"] = "grace@example.org"
    for (name, value) in changes { claims[name] = value }
    return IDTokenCredentials(
      issuer: StubProvider.issuer, idToken: (key ?? self.key).token(claims), nonceSecret: secret, device: "Desk")
  }

  private func signIn(_ credentials: IDTokenCredentials) async throws -> Response {
    await rig.send(.post, "/v1/session/openid", body: try Wire.encode(credentials))
  }

  private func signedIn(_ credentials: IDTokenCredentials) async throws -> SignedIn {
    let response = try await signIn(credentials)
    #expect(response.status == 201, "\(String(decoding: response.body, as: UTF8.self))")
    return try Wire.decode(SignedIn.self, from: response.body)
  }

  /// - Parameter refresh: that of the session by itself.
  private func link(_ credentials: IDTokenCredentials, _ token: String, refresh: String? = nil) async throws -> Response {
    var credentials = credentials
    credentials.refreshToken = refresh ?? rig.refreshToken(of: token)
    return await rig.send(.put, "/v1/session/identities", token: token, body: try Wire.encode(credentials))
  }

  @Test func thePublicationSaysWhereReadersMaySignIn() async throws {
    let info = try await rig.get("/v1/publication", nil, as: PublicationInfo.self)
    #expect(info.identityProviders.map(\.issuer) == [StubProvider.issuer] && info.identityProviders[0].ports == [47_115])
    let none = try await Rig()
    #expect(try await none.get("/v1/publication", nil, as: PublicationInfo.self).identityProviders.isEmpty)
    let response = await none.send(.post, "/v1/session/openid", body: try Wire.encode(try credentials()))
    #expect(response.status == 404)
  }

  /// A reader is the pair of issuer and subject: whatever else changes, they stay the same.
  @Test func whoeverComesAgainIsTheSameReader() async throws {
    let first = try await signedIn(credentials())
    #expect(first.reader.email == "grace@example.org" && first.reader.name == "Ada L.")
    let again = try await signedIn(credentials(["email": "grace@elsewhere.example.org", "name": "Grace"]))
    #expect(again.reader == first.reader)
    #expect(try await signedIn(credentials(["sub": "user-8", "email": "heidi@example.org"])).reader.id != first.reader.id)
    #expect(try await rig.get("/v1/session", again.accessToken, as: Reader.self) == first.reader)
    #expect(try await rig.get("/v1/sessions", again.accessToken, as: [ReaderSession].self).count == 2)
  }

  /// A token that somebody read along, or kept, begins no other session.
  @Test func aTokenIsUsedOnce() async throws {
    let used = try credentials()
    let first = try await signedIn(used)
    #expect(await rig.send(.put, "/v1/posts/p01/bookmark", token: first.accessToken).status == 200)
    let again = try await signIn(used)
    #expect(again.status == 403)
    #expect(try again.problem.code == .identityRejected)
    #expect(try again.problem.title == "This sign-in by Example took too long. Try again.")
    #expect(try await link(used, first.accessToken, refresh: first.refreshToken).status == 403)
    #expect(try await rig.operate(.delete, "readers/grace@example.org/sessions").status == 200)
    #expect(try await signIn(used).status == 403)
    // One that is linked begins no session either, and another one does.
    let linked = try credentials()
    let ada = try await rig.signIn()
    #expect(try await link(linked, ada).status == 409)
    #expect(try await signIn(linked).status == 403)
    _ = try await signedIn(credentials())
  }

  @Test func withoutAnAddressThatTheProviderVouchesForThereIsNone() async throws {
    for (index, changes) in ([["email_verified": false], ["email": nil], ["email": "no address"]] as [[String: (any Sendable)?]])
      .enumerated()
    {
      var changes = changes
      changes["sub"] = "user-\(index)"
      changes["name"] = "a\nb"
      let reader = try await signedIn(credentials(changes)).reader
      #expect(reader.email.isEmpty && reader.name == "Reader")
    }
    // What stands in its place signs nobody in.
    let operated = try await rig.publication.newOperatorToken()
    let listed = try await rig.get("/v1/operator/readers", operated, as: [ListedReader].self).map(\.email)
    let place = try #require(listed.first { $0.hasPrefix("openid ") })
    let response = await rig.send(.post, "/v1/session", body: try Wire.encode(Credentials(email: place, password: "")))
    #expect(response.status == 401)
    // The operator's commands know them by it.
    let path = "/v1/operator/readers/" + place.replacing(" ", with: "%20")
    #expect(await rig.send(.delete, path, token: operated).status == 204)
  }

  /// Providers that list somebody's groups make tokens as long as any that is read.
  @Test func aLongTokenSignsIn() async throws {
    let long = try credentials(["groups": Array(repeating: String(repeating: "g", count: 36), count: 290)])
    #expect((15_000...16_384).contains(long.idToken.utf8.count))
    let ada = try await rig.signIn()
    #expect(try await link(long, ada).status == 204)
    _ = try await signedIn(credentials(["groups": Array(repeating: String(repeating: "g", count: 36), count: 290)]))
    let longer = try await signIn(credentials(["groups": Array(repeating: String(repeating: "g", count: 36), count: 400)]))
    #expect(longer.status == 413)
    #expect(try longer.problem.title == "The body has more than 20480 bytes.")
  }

  /// Whoever gives a provider somebody's address must not get their account.
  @Test func anAddressAloneIsNoAccount() async throws {
    let response = try await signIn(credentials(["email": "ADA@example.org"]))
    #expect(response.status == 409)
    #expect(try response.problem.code == .identityRejected)
    #expect(try response.problem.title.hasPrefix("There is an account with the address ada@example.org already. Sign in to it"))
    // Signed in to it, it is added, and signs in from then on.
    let ada = try await rig.signIn()
    #expect(try await link(credentials(["email": "ADA@example.org"]), ada).status == 204)
    #expect(try await link(credentials(["email": "ADA@example.org"]), ada).status == 204, "once more changes nothing")
    #expect(try await signedIn(credentials()).reader.email == "ada@example.org")
    #expect(
      try await rig.get("/v1/session/identities", ada, as: [ReaderIdentity].self)
        == [.init(issuer: StubProvider.issuer, isFirst: false, account: "ada@example.org")])
    #expect(try await link(credentials(["sub": "user-8"]), ada).status == 409, "another account of the same provider")
    let another = try await signedIn(credentials(["sub": "user-9", "email": nil]))
    let other = another.accessToken
    #expect(try await link(credentials(), other, refresh: another.refreshToken).status == 409, "it is Ada's")

    let path = "/v1/session/identities?issuer=https%3A%2F%2Faccounts.example.org"
    #expect(await rig.send(.delete, path, token: other).status == 409, "they have no other way in")
    #expect(await rig.send(.delete, path, token: ada).status == 204)
    #expect(await rig.send(.delete, path, token: ada).status == 404)
    #expect(await rig.send(.delete, "/v1/session/identities", token: ada).status == 400)
    #expect(try await signIn(credentials(["email": "ADA@example.org"])).status == 409)
    for method in [Request.Method.get, .put, .delete] {
      #expect(await rig.send(method, "/v1/session/identities", body: try Wire.encode(credentials())).status == 401)
    }
  }

  /// Whoever runs a provider could fill the publication with readers.
  @Test func oneClientBringsTwentyNewReadersAnHour() async throws {
    func come(_ number: Int) async throws -> Response {
      let credentials = try credentials(["sub": "user-\(number)", "email": nil])
      var request = Request(.post, "/v1/session/openid", body: try Wire.encode(credentials))
      request.client = "203.0.113.5"
      return await rig.publication.handle(request)
    }
    for number in 1...20 { #expect(try await come(number).status == 201) }
    let refused = try await come(21)
    #expect(refused.status == 429 && refused.headers["Retry-After"] == "3600")
    #expect(try await come(20).status == 201, "who has come before signs in")
    rig.clock.advance(by: .seconds(3600))
    #expect(try await come(21).status == 201)
  }

  /// An access token that somebody has seen is worth an hour to them; an account that they add would let them in for good.
  @Test func whoHasOnlyAnAccessTokenAddsNoAccount() async throws {
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let own = try #require(rig.refreshToken(of: ada))
    for refresh in ["", "nonsense", ada, try #require(rig.refreshToken(of: bo))] {
      let response = try await link(credentials(), ada, refresh: refresh)
      #expect(response.status == 403)
      #expect(try response.problem.title == "Sign in again before you add an account.")
    }
    #expect(await rig.send(.put, "/v1/session/identities", token: ada, body: try Wire.encode(credentials())).status == 403)
    #expect(try await rig.get("/v1/session/identities", ada, as: [ReaderIdentity].self).isEmpty)
    // The app may have another one by the time that the reader comes back from the browser.
    #expect(await rig.send(.post, "/v1/session/refresh", body: try Wire.encode(RefreshRequest(refreshToken: own))).status == 200)
    #expect(try await link(credentials(), ada, refresh: own).status == 204)
  }

  /// Whoever signs in by the provider before they add it there becomes another reader, and shall not be caught in that.
  @Test func anAccountOfAReaderWhoDidNothingPassesOn() async throws {
    let empty = try await signedIn(credentials())
    let ada = try await rig.signIn()
    #expect(try await link(credentials(), ada).status == 204)
    #expect(try await signedIn(credentials()).reader.email == "ada@example.org")
    #expect(await rig.send(.get, "/v1/session", token: empty.accessToken).status == 401)
    #expect(
      try await rig.get("/v1/session/identities", ada, as: [ReaderIdentity].self)
        == [.init(issuer: StubProvider.issuer, isFirst: false, account: "grace@example.org")])
    #expect(try await rig.get("/v1/operator/readers", rig.publication.newOperatorToken(), as: [ListedReader].self).count == 3)
    // One who has something loses nothing.
    let other = try await signedIn(credentials(["sub": "user-8", "email": "heidi@example.org"]))
    #expect(await rig.send(.put, "/v1/posts/p01/bookmark", token: other.accessToken).status == 200)
    let bo = try await rig.signIn("bo")
    #expect(try await link(credentials(["sub": "user-8"]), bo).status == 409)
    #expect(await rig.send(.get, "/v1/session", token: other.accessToken).status == 200)
  }

  @Test func whoMayNotBecomeAReader() async throws {
    await offer(addingReaders: [])
    let response = try await signIn(credentials())
    #expect(response.status == 403)
    #expect(try response.problem.title.contains("add it in Account → Sessions"))
    let ada = try await rig.signIn()
    #expect(try await link(credentials(), ada).status == 204)
    #expect(try await signedIn(credentials()).reader.email == "ada@example.org")
  }

  @Test func aRemovedReaderIsForgottenWithTheirAccount() async throws {
    let first = try await signedIn(credentials())
    let operated = try await rig.publication.newOperatorToken()
    #expect(await rig.send(.delete, "/v1/operator/readers/grace@example.org", token: operated).status == 204)
    #expect(await rig.send(.get, "/v1/session", token: first.accessToken).status == 401)
    #expect(try await signedIn(credentials()).reader.id != first.reader.id)
  }

  @Test func tokensThatAreNotForThisSignIn() async throws {
    let secret = String(repeating: "t", count: 43)
    for (credentials, status) in [
      (try credentials(secret: secret), 403), (try credentials(secret: "short"), 400), (try credentials(["aud": "another-app"]), 403),
      (try credentials(key: try StubKey.ec("ec-1")), 403), (try credentials(["iat": Int(rig.clock.now.timeIntervalSince1970) - 600]), 403),
      (IDTokenCredentials(issuer: "https://elsewhere.example.org", idToken: "a.b.c", nonceSecret: secret), 404),
    ] {
      let response = try await signIn(credentials)
      #expect(response.status == status)
      #expect(!(try response.problem.title.isEmpty))
    }
    #expect(try await signedIn(credentials(["iat": Int(rig.clock.now.timeIntervalSince1970) - 599])).reader.name == "Ada L.")
  }

  /// A reader who signs in to another publication hands it a token of the same provider. That one may name this one's client, too.
  @Test func whatAnotherPublicationWasGivenSignsInNobodyHere() async throws {
    let nonce = try IDToken.nonce(for: Self.secret, at: "https://other.example.org")
    let response = try await signIn(credentials(["nonce": nonce]))
    #expect(response.status == 403)
    #expect(try response.problem.title == "The publication could not verify the answer of Example.")
    // Nor by a name that the request gives the publication.
    await rig.publication.offerSignIn(
      by: [IdentityProvider(issuer: StubProvider.issuer, name: "Example", clientID: "reader-app")], addingReaders: [StubProvider.issuer],
      at: .ofRequest, transport: provider, clock: rig.clock)
    let body = try Wire.encode(credentials(["nonce": nonce]))
    #expect(await rig.send(.post, "/v1/session/openid", headers: ["Host": "other.example.org"], body: body).status == 404)
    let local = try Wire.encode(credentials(["nonce": IDToken.nonce(for: Self.secret, at: "http://127.0.0.1:8080")]))
    #expect(await rig.send(.post, "/v1/session/openid", headers: ["Host": "127.0.0.1:8080"], body: local).status == 201)
  }

  /// Whoever was in the account may have added one of their own.
  @Test func aNewPasswordForgetsWhatWasAdded() async throws {
    let ada = try await rig.signIn()
    #expect(try await link(credentials(), ada).status == 204)
    let change = try Wire.encode(PasswordChange(currentPassword: Rig.password, newPassword: "a row of my own"))
    #expect(await rig.send(.put, "/v1/password", token: ada, body: change).status == 204)
    #expect(try await rig.get("/v1/session/identities", ada, as: [ReaderIdentity].self).isEmpty)
    #expect(try await signedIn(credentials()).reader.email == "grace@example.org")
  }

  /// A provider may have vouched for an address that is somebody else's. Whoever reads the mail of that address has the account for themselves
  /// from then on.
  @Test func aPasswordByAMailedCodeForgetsWhomTheAccountBeganWith() async throws {
    let box = Mailbox()
    await rig.publication.sendMail(by: box)
    let stranger = try await signedIn(credentials())
    #expect(stranger.reader.email == "grace@example.org")
    let asked = await rig.send(.post, "/v1/session/code", body: try Wire.encode(CodeRequest(email: "grace@example.org")))
    #expect(asked.status == 202)
    let challenge = try Wire.decode(CodeChallenge.self, from: asked.body).challenge
    let reset = CodeCredentials(challenge: challenge, code: await box.code(), device: "Desk", newPassword: "a row of my own")
    let response = await rig.send(.post, "/v1/session/mailed", body: try Wire.encode(reset))
    #expect(response.status == 201)
    let grace = try Wire.decode(SignedIn.self, from: response.body)
    #expect(grace.reader.id == stranger.reader.id)
    #expect(try await rig.get("/v1/session/identities", grace.accessToken, as: [ReaderIdentity].self).isEmpty)
    try await expectStrangerIsOut(stranger)
  }

  /// Who reads that mail may ask the operator instead.
  @Test func aPasswordByTheOperatorForgetsWhomTheAccountBeganWith() async throws {
    let stranger = try await signedIn(credentials())
    #expect(stranger.reader.email == "grace@example.org")
    let reset = try Wire.encode(PasswordRequest(password: "a row of my own"))
    #expect(try await rig.operate(.put, "readers/grace@example.org/password", reset).status == 200)
    try await expectStrangerIsOut(stranger)
  }

  /// Neither by the session that they had, nor by the account at the provider.
  private func expectStrangerIsOut(_ stranger: SignedIn) async throws {
    #expect(await rig.send(.get, "/v1/session", token: stranger.accessToken).status == 401)
    let again = try await signIn(credentials())
    #expect(again.status == 409)
    #expect(try again.problem.title.hasPrefix("There is an account with the address grace@example.org already."))
  }

  /// It is no error of the reader's, and the operator learns of it.
  @Test func aProviderThatIsAway() async throws {
    provider.state.withLock { $0.failure = .timedOut }
    let response = try await signIn(credentials())
    #expect(response.status == 503)
    #expect(try response.problem.title == "The publication cannot ask Example at the moment. Try again later.")
    #expect(log.lines.withLock { $0 }.contains { $0.contains("Example (https://accounts.example.org)") })
    provider.state.withLock { $0.failure = nil }
    // Others who come meanwhile do not make it any busier.
    #expect(try await signIn(credentials()).status == 503)
    rig.clock.advance(by: .seconds(10))
    _ = try await signedIn(credentials())
  }

  @Test func twoDevicesForTheFirstTimeAtOnce() async throws {
    let (one, two) = (try credentials(), try credentials())
    async let first = signedIn(one)
    async let second = signedIn(two)
    #expect(try await first.reader == second.reader)
  }
}
