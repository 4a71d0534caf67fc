import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import Testing

@testable import PublicationServer

/// The tokens of a session, which follow one another.
@Suite struct RefreshTokenTests {
  private func signIn(_ rig: Rig) async throws -> SignedIn {
    let credentials = Credentials(email: "ada@example.org", password: Rig.password, device: " A  laptop\n")
    return try Wire.decode(SignedIn.self, from: await rig.send(.post, "/v1/session", body: Wire.encode(credentials)).body)
  }

  private func refresh(_ rig: Rig, _ token: String) async throws -> Result<SignedIn, Problem> {
    let response = await rig.send(.post, "/v1/session/refresh", body: try Wire.encode(RefreshRequest(refreshToken: token)))
    guard response.status == 200 else { return .failure(try Wire.decode(Problem.self, from: response.body)) }
    return .success(try Wire.decode(SignedIn.self, from: response.body))
  }

  private func status(_ rig: Rig, _ access: String) async -> Int { await rig.send(.get, "/v1/session", token: access).status }

  @Test func anAccessTokenLastsAnHourAndARefreshTokenGivesTheNext() async throws {
    let rig = try await Rig()
    let first = try await signIn(rig)
    rig.clock.advance(by: .seconds(3599))
    #expect(await status(rig, first.accessToken) == 200)
    rig.clock.advance(by: .seconds(1))
    #expect(await status(rig, first.accessToken) == 401)
    #expect(await status(rig, first.refreshToken) == 401, "which opens nothing by itself")
    let second = try await refresh(rig, first.refreshToken).get()
    #expect(second.reader == first.reader)
    #expect(Set([first, second].flatMap { [$0.accessToken, $0.refreshToken] }).count == 4)
    #expect(await status(rig, second.accessToken) == 200)
  }

  /// A request that was lost may come late, after the one that was sent in its place: until one of the answers is used, each is good.
  @Test func aLostAnswerIsAskedForAgainAndEachAnswerIsGoodUntilOneIsUsed() async throws {
    let rig = try await Rig()
    for late in [false, true] {
      let first = try await signIn(rig)
      let (one, other) = (try await refresh(rig, first.refreshToken).get(), try await refresh(rig, first.refreshToken).get())
      let (used, dead) = late ? (one, other) : (other, one)
      #expect(await [status(rig, first.accessToken), status(rig, used.accessToken), status(rig, dead.accessToken)] == [200, 200, 200])
      let next = try await refresh(rig, used.refreshToken).get()
      #expect(await [status(rig, used.accessToken), status(rig, next.accessToken)] == [200, 200], "a request may be on its way")
      #expect(await [status(rig, first.accessToken), status(rig, dead.accessToken)] == [401, 401])
    }
  }

  @Test func ofManyAnswersTheLastAreGood() async throws {
    let rig = try await Rig()
    let first = try await signIn(rig)
    var answers: [SignedIn] = []
    for _ in 0..<6 { answers.append(try await refresh(rig, first.refreshToken).get()) }
    var statuses: [Int] = []
    for answer in answers { statuses.append(await status(rig, answer.accessToken)) }
    #expect(statuses == [401, 401, 200, 200, 200, 200])
    #expect(try await rig.publication.rows("access_token") == 5)
    #expect(try await rig.publication.rows("successor") == 4)
    _ = try await refresh(rig, answers[2].refreshToken).get()
  }

  /// Whoever of the two is the thief, both are told when they come next, and neither silences it.
  @Test(arguments: [true, false]) func whatWasExchangedForGoodEndsTheSession(isSuccessor: Bool) async throws {
    let rig = try await Rig()
    let other = try await signIn(rig)
    let first = try await signIn(rig)
    let dead = try await refresh(rig, first.refreshToken).get()
    let second = try await refresh(rig, first.refreshToken).get()
    let third = try await refresh(rig, second.refreshToken).get()
    #expect(await status(rig, third.accessToken) == 200)
    for token in [isSuccessor ? dead.refreshToken : first.refreshToken, third.refreshToken, second.refreshToken] {
      guard case .failure(let problem) = try await refresh(rig, token) else {
        Issue.record("\(token) was exchanged")
        continue
      }
      #expect((problem.code, problem.status) == (.sessionReused, 401))
      #expect(problem.title.hasPrefix("Your session was used from another place too"))
      #expect(await rig.send(.delete, "/v1/session", token: token).status == 401)
    }
    #expect(await status(rig, third.accessToken) == 401)
    _ = try await refresh(rig, other.refreshToken).get()
  }

  /// A reader who refreshes in a loop fills nothing, and is signed out at once.
  @Test func aSessionIsAFewRowsHoweverOftenItIsRefreshed() async throws {
    let rig = try await Rig()
    var token = try await signIn(rig)
    for number in 0..<200 { token = number.isMultiple(of: 3) ? try await refresh(rig, token.refreshToken).get() : token }
    for _ in 0..<200 { token = try await refresh(rig, token.refreshToken).get() }
    #expect(try await rig.publication.rows("access_token") == 2)
    #expect(try await rig.publication.rows("successor") == 1)
    #expect(try await rig.publication.rows("session") == 1)
    #expect(await rig.send(.delete, "/v1/session", token: token.refreshToken).status == 204)
    #expect(try await rig.publication.rows("access_token") == 0)
  }

  @Test func ofAReadersSessionsTheLastUsedStay() async throws {
    let rig = try await Rig()
    let stored = try await signIn(rig)
    var others: [SignedIn] = []
    for _ in 1..<SessionFamily.most {
      rig.clock.advance(by: .seconds(1))
      others.append(try await signIn(rig))
    }
    rig.clock.advance(by: .seconds(1))
    let used = try await refresh(rig, stored.refreshToken).get()
    let last = try await signIn(rig)
    #expect(try await rig.publication.rows("session") == SessionFamily.most)
    #expect(await [status(rig, used.accessToken), status(rig, last.accessToken)] == [200, 200])
    #expect(await [status(rig, others[0].accessToken), status(rig, others[1].accessToken)] == [401, 200])
  }

  /// A clock that was ahead gives no token that lasts, and ends no session for good.
  @Test func aClockThatWasAheadLeavesNothingBehind() async throws {
    let rig = try await Rig()
    let before = try await signIn(rig)
    rig.clock.advance(by: .seconds(400 * 86_400))
    let ahead = try await signIn(rig)
    #expect(await [status(rig, before.accessToken), status(rig, ahead.accessToken)] == [401, 200])
    rig.clock.setNow(Rig.start.addingTimeInterval(60))
    #expect(await [status(rig, before.accessToken), status(rig, ahead.accessToken)] == [200, 401])
    _ = try await refresh(rig, before.refreshToken).get()
    let again = try await refresh(rig, ahead.refreshToken).get()
    #expect(await status(rig, again.accessToken) == 200)
  }

  /// What an earlier version gave is a family, its refresh token and its access token.
  @Test func aTokenOfAnEarlierVersionGoesOn() async throws {
    let rig = try await Rig()
    let token = String(repeating: "a", count: 43)
    try await rig.publication.addSessionOfBefore(token, email: "ada@example.org", at: Int64(Rig.start.timeIntervalSince1970))
    rig.clock.advance(by: .seconds(30 * 86_400))
    #expect(await status(rig, token) == 200)
    let next = try await refresh(rig, token).get()
    #expect(await [status(rig, token), status(rig, next.accessToken)] == [200, 200], "the old app goes on, for an hour")
    rig.clock.advance(by: .seconds(3600))
    #expect(await status(rig, token) == 401)
    let third = try await refresh(rig, next.refreshToken).get()
    #expect(await status(rig, third.accessToken) == 200)
    guard case .failure(let problem) = try await refresh(rig, token) else {
      Issue.record("it was exchanged again")
      return
    }
    #expect(problem.code == .sessionReused)
  }

  @Test(arguments: [
    ("\u{1B}[31mA\u{0}B", "[31mA B"), ("\u{202E}A laptop\u{2066}", "A laptop"), ("", nil), (" \n ", nil),
    (String(repeating: "x", count: 100), String(repeating: "x", count: 80)),
  ]) func aDeviceIsOneLineThatCanBeSeen(device: String, shown: String?) {
    #expect(SessionResource.shown(device) == shown)
  }

  @Test func aDeviceOfMarksIsShort() {
    let name = SessionResource.shown(String(repeating: "e" + String(repeating: "\u{301}", count: 30), count: 80)) ?? ""
    #expect((1...320).contains(name.utf8.count))
  }

  @Test func aSessionIsEndedByAnyOfItsTokens() async throws {
    let rig = try await Rig()
    for token in [\SignedIn.accessToken, \.refreshToken] {
      let signedIn = try await signIn(rig)
      #expect(await rig.send(.delete, "/v1/session", token: signedIn[keyPath: token]).status == 204)
      #expect(await rig.send(.delete, "/v1/session", token: signedIn[keyPath: token]).status == 401)
      guard case .failure(let problem) = try await refresh(rig, signedIn.refreshToken) else {
        Issue.record("it was exchanged")
        continue
      }
      #expect(problem.code == .sessionEnded)
    }
    // Also by one that was exchanged, as an app with an old keyring has.
    for isSuccessor in [true, false] {
      let signedIn = try await signIn(rig)
      let successor = try await refresh(rig, signedIn.refreshToken).get()
      let token = isSuccessor ? successor.refreshToken : signedIn.refreshToken
      #expect(await rig.send(.delete, "/v1/session", token: token).status == 204)
      #expect(await [status(rig, signedIn.accessToken), status(rig, successor.accessToken)] == [401, 401])
    }
    let signedIn = try await signIn(rig)
    rig.clock.advance(by: .seconds(3600))
    #expect(await rig.send(.delete, "/v1/session", token: signedIn.accessToken).status == 401, "which is none any more")
    _ = try await refresh(rig, signedIn.refreshToken).get()
  }

  @Test func aSessionThatIsUsedLastsAndOneUnusedForNinetyDaysEnds() async throws {
    let rig = try await Rig()
    var used = try await signIn(rig)
    let unused = try await signIn(rig)
    for _ in 0..<3 {
      rig.clock.advance(by: .seconds(40 * 86_400))
      used = try await refresh(rig, used.refreshToken).get()
    }
    guard case .failure(let problem) = try await refresh(rig, unused.refreshToken) else {
      Issue.record("it was exchanged")
      return
    }
    #expect(problem.code == .sessionEnded)
  }

  @Test(arguments: ["", "x", "a.b.c", "ä", "a\u{0}", String(repeating: "x", count: 600)]) func whatIsNoTokenIsRefused(token: String)
    async throws
  {
    guard case .failure(let problem) = try await refresh(try await Rig(), token) else {
      Issue.record("it was exchanged")
      return
    }
    #expect((problem.code, problem.status) == (.sessionEnded, 401))
  }

  @Test func theDatabaseHasNoToken() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    let first = try await signIn(rig)
    let second = try await refresh(rig, first.refreshToken).get()
    await rig.publication.close()
    let files = try FileManager.default.contentsOfDirectory(at: URL(filePath: folder.path), includingPropertiesForKeys: nil)
    for file in files where !file.hasDirectoryPath {
      let bytes = try Data(contentsOf: file)
      for token in [first.accessToken, first.refreshToken, second.accessToken, second.refreshToken] {
        #expect(bytes.range(of: Data(token.utf8)) == nil, "\(file.lastPathComponent)")
      }
    }
  }
}

extension Publication {
  /// A session as the upgrade from version 20 makes it.
  fileprivate func addSessionOfBefore(_ token: String, email: String, at time: Int64) throws {
    let database = try #require(readers as? SQLiteReaders).database
    let digest = try Digest.sha256(Data(token.utf8))
    try database.execute(
      "INSERT INTO session (reader, begun, used, family, refresh) SELECT id, ?1, ?1, ?2, ?2 FROM reader WHERE email = ?3", time, digest,
      email)
    try database.execute(
      "INSERT INTO access_token (digest, session, refresh, expires) SELECT ?1, max(id), ?1, ?2 FROM session", digest,
      time + Publication.sessionIdleTimeout)
  }
}
