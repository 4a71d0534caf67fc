import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import Testing

@testable import PublicationServer

/// What readers see of their sessions, end of them, and change of their password.
@Suite struct ReaderSessionTests {
  private func signIn(_ rig: Rig, _ name: String = "ada", on device: String?, with password: String = Rig.password) async throws -> SignedIn
  {
    let credentials = Credentials(email: "\(name)@example.org", password: password, device: device)
    let response = await rig.send(.post, "/v1/session", body: try Wire.encode(credentials))
    #expect(response.status == 201)
    return try Wire.decode(from: response.body)
  }

  private func sessions(_ rig: Rig, _ signedIn: SignedIn) async throws -> [ReaderSession] {
    try await rig.get("/v1/sessions", signedIn.accessToken)
  }

  private func works(_ rig: Rig, _ signedIn: SignedIn) async -> Bool {
    await rig.send(.get, "/v1/session", token: signedIn.accessToken).status == 200
  }

  private func refresh(_ rig: Rig, _ signedIn: SignedIn) async throws -> Response {
    await rig.send(.post, "/v1/session/refresh", body: try Wire.encode(RefreshRequest(refreshToken: signedIn.refreshToken)))
  }

  private func change(
    _ rig: Rig, _ signedIn: SignedIn, from old: String = Rig.password, to new: String, client: String? = nil
  ) async throws -> Response {
    var request = Request(
      .put, "/v1/password", headers: ["Authorization": "Bearer \(signedIn.accessToken)"],
      body: try Wire.encode(PasswordChange(currentPassword: old, newPassword: new)))
    request.client = client
    return await rig.publication.handle(request)
  }

  @Test func theyAreListedByWhenTheyWereSeen() async throws {
    let rig = try await Rig()
    let laptop = try await signIn(rig, on: "  the\nlaptop  ")
    rig.clock.advance(by: .seconds(600))
    let phone = try await signIn(rig, on: nil)
    _ = try await signIn(rig, "bo", on: "bo's")
    rig.clock.advance(by: .seconds(600))
    let later = try Wire.decode(SignedIn.self, from: try await refresh(rig, laptop).body)
    let (start, ids) = (Rig.start, try await sessions(rig, phone).map(\.id))
    #expect(
      try await sessions(rig, later) == [
        ReaderSession(id: ids[0], device: "the laptop", began: start, lastSeen: start.addingTimeInterval(1200), isCurrent: true),
        ReaderSession(
          id: ids[1], device: nil, began: start.addingTimeInterval(600), lastSeen: start.addingTimeInterval(600), isCurrent: false),
      ])
    #expect(try await sessions(rig, phone).map(\.isCurrent) == [false, true])
    #expect(await rig.send(.get, "/v1/sessions").status == 401)
  }

  @Test func oneIsEnded() async throws {
    let rig = try await Rig()
    let (laptop, phone, other) = (
      try await signIn(rig, on: "laptop"), try await signIn(rig, on: "phone"), try await signIn(rig, "bo", on: nil)
    )
    let id = try #require(try await sessions(rig, laptop).first { $0.device == "phone" }?.id)
    #expect(await rig.send(.delete, "/v1/sessions/\(id)", token: other.accessToken).status == 404, "another reader's")
    #expect(await works(rig, phone))
    #expect(await rig.send(.delete, "/v1/sessions/\(id)", token: laptop.accessToken).status == 204)
    #expect(await !works(rig, phone))
    #expect(try await refresh(rig, phone).problem.code == .sessionEnded)
    #expect(try await sessions(rig, laptop).map(\.device) == ["laptop"])
    for path in [id, "x", "-1", "99999999999999999999"] {
      #expect(await rig.send(.delete, "/v1/sessions/\(path)", token: laptop.accessToken).status == 404)
    }
  }

  @Test func allOthersAreEnded() async throws {
    let rig = try await Rig()
    let here = try await signIn(rig, on: "here")
    let others = [try await signIn(rig, on: "a"), try await signIn(rig, on: "b")]
    let bo = try await signIn(rig, "bo", on: nil)
    let response = await rig.send(.delete, "/v1/sessions", token: here.accessToken)
    #expect(try Wire.decode(EndedSessions.self, from: response.body).count == 2)
    for other in others { #expect(await !works(rig, other)) }
    #expect(await works(rig, here))
    #expect(await works(rig, bo))
    #expect(try await refresh(rig, here).status == 200)
  }

  @Test func aSessionThatWasMisusedIsNotListed() async throws {
    let rig = try await Rig()
    let (stolen, here) = (try await signIn(rig, on: "stolen"), try await signIn(rig, on: "here"))
    let second = try Wire.decode(SignedIn.self, from: try await refresh(rig, stolen).body)
    #expect(try await refresh(rig, second).status == 200)
    #expect(try await refresh(rig, stolen).problem.code == .sessionReused)
    #expect(try await sessions(rig, here).map(\.device) == ["here"])
  }

  // MARK: Passwords

  @Test func aNewPasswordEndsAllOtherSessions() async throws {
    let rig = try await Rig()
    let (here, other) = (try await signIn(rig, on: "here"), try await signIn(rig, on: "other"))
    #expect(try await change(rig, here, to: "a walk in the rain").status == 204)
    #expect(await works(rig, here))
    #expect(try await refresh(rig, here).status == 200)
    #expect(await !works(rig, other))
    #expect(try await refresh(rig, other).problem.code == .sessionEnded)
    let old = try Wire.encode(Credentials(email: "ada@example.org", password: Rig.password))
    #expect(await rig.send(.post, "/v1/session", body: old).status == 401)
    _ = try await signIn(rig, on: nil, with: "a walk in the rain")
  }

  @Test func aChangeWhoseAnswerWasLostIsSentAgain() async throws {
    let rig = try await Rig()
    let here = try await signIn(rig, on: "here")
    #expect(try await change(rig, here, to: "a walk in the rain").status == 204)
    #expect(try await change(rig, here, to: "a walk in the rain").status == 204)
    #expect(try await change(rig, here, to: "a walk in the snow").status == 403)
    #expect(await works(rig, here))
    _ = try await signIn(rig, on: nil, with: "a walk in the rain")
  }

  @Test(arguments: [
    ("short", "A password has at least 10 characters."), ("", "A password has at least 10 characters."),
    ("e\u{301}\u{302}e\u{301}e\u{301}e\u{301}e\u{301}", "A password has at least 10 characters."),
    ("a walk in\u{0} the rain", "A password has no NUL character."),
    (String(repeating: "ab", count: 513), "A password has at most 1024 bytes."),
    ("1Q2W3E4R5T", "This password is one of the commonest, which are tried first. Choose another one."),
    ("qwertyuiop", "This password is one of the commonest, which are tried first. Choose another one."),
    ("xxxxxxxxxxxx", "This password is one of the commonest, which are tried first. Choose another one."),
    ("ADA@example.org", "The password is the address. Choose another one."),
  ]) func whatAPasswordHasToBe(password: String, sentence: String) async throws {
    let rig = try await Rig()
    let ada = try await signIn(rig, on: nil)
    let answers = [
      try await change(rig, ada, to: password),
      try await rig.operate(.put, "readers/ada@example.org/password", Wire.encode(PasswordRequest(password: password))),
    ]
    for answer in answers {
      #expect(answer.status == 400)
      #expect(try answer.problem.title == sentence)
    }
    #expect(await works(rig, ada), "nothing was changed")
    #expect(try await change(rig, ada, to: "a walk in the rain").status == 204)
  }

  @Test func theListHasPasswordsThatTheLengthLetsThrough() {
    #expect(PasswordRule.commonest.count > 1500)
    #expect(PasswordRule.commonest.allSatisfy { $0.count >= PasswordRule.shortest && $0 == $0.lowercased() })
  }

  /// Whoever finds a screen unlocked guesses no faster than at the login.
  @Test func wrongPasswordsAreSlowedDown() async throws {
    let rig = try await Rig()
    let ada = try await signIn(rig, on: nil)
    for _ in 1...5 {
      let answer = try await change(rig, ada, from: "a guess", to: "a walk in the rain", client: "203.0.113.5")
      #expect(answer.status == 403)
      #expect(try answer.problem.code == .wrongCredentials)
    }
    let answer = try await change(rig, ada, to: "a walk in the rain", client: "203.0.113.5")
    #expect(answer.status == 429)
    #expect(answer.headers["Retry-After"] != nil)
    #expect(await works(rig, ada), "the session goes on")
    rig.clock.advance(by: .seconds(60))
    #expect(try await change(rig, ada, to: "a walk in the rain", client: "203.0.113.5").status == 204)
  }

  /// Everybody knows it: one stranger would lock all others out.
  @Test func theSampleAccountKeepsIts() async throws {
    let rig = try await Rig()
    let sample = try await signIn(rig, "sample", on: nil, with: "known to all")
    let answer = try await change(rig, sample, from: "known to all", to: "a walk in the rain")
    #expect(answer.status == 403)
    #expect(try answer.problem.code == .notOffered)
    _ = try await signIn(rig, "sample", on: nil, with: "known to all")
  }

  @Test func ofTwoChangesOneCounts() async throws {
    let rig = try await Rig()
    let (here, other) = (try await signIn(rig, on: "here"), try await signIn(rig, on: "other"))
    async let first = change(rig, here, to: "a walk in the rain")
    async let second = change(rig, other, to: "a night at the opera")
    let statuses = [try await first.status, try await second.status]
    #expect(statuses.filter { $0 == 204 }.count == 1, "\(statuses)")
    let stays = statuses[0] == 204 ? here : other
    #expect(await works(rig, stays))
    #expect(try await sessions(rig, stays).count == 1)
    _ = try await signIn(rig, on: nil, with: statuses[0] == 204 ? "a walk in the rain" : "a night at the opera")
  }
}
