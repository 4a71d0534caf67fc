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
    guard response.status == 201 else { return .failure(try Wire.decode(Problem.self, from: response.body)) }
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

  @Test func aLostAnswerIsAskedForAgainAndItsTokensAreGoodForNothing() async throws {
    let rig = try await Rig()
    let first = try await signIn(rig)
    let lost = try await refresh(rig, first.refreshToken).get()
    let second = try await refresh(rig, first.refreshToken).get()
    let third = try await refresh(rig, first.refreshToken).get()
    #expect(await [status(rig, lost.accessToken), status(rig, second.accessToken), status(rig, third.accessToken)] == [401, 401, 200])
    #expect(await status(rig, first.accessToken) == 200, "until its hour is over")
    _ = try await refresh(rig, third.refreshToken).get()
  }

  /// Whoever of the two is the thief, both are told when they come next.
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
    }
    #expect(await status(rig, third.accessToken) == 401)
    _ = try await refresh(rig, other.refreshToken).get()
  }

  @Test func aSessionIsEndedByAnyOfItsTokens() async throws {
    let rig = try await Rig()
    for token in [\SignedIn.accessToken, \.refreshToken] {
      let signedIn = try await signIn(rig)
      rig.clock.advance(by: .seconds(4000))
      #expect(await rig.send(.delete, "/v1/session", token: signedIn[keyPath: token]).status == 204)
      #expect(await rig.send(.delete, "/v1/session", token: signedIn[keyPath: token]).status == 401)
      guard case .failure(let problem) = try await refresh(rig, signedIn.refreshToken) else {
        Issue.record("it was exchanged")
        continue
      }
      #expect(problem.code == .sessionEnded)
    }
    let signedIn = try await signIn(rig)
    let successor = try await refresh(rig, signedIn.refreshToken).get()
    #expect(await rig.send(.delete, "/v1/session", token: successor.refreshToken).status == 204)
    #expect(await status(rig, signedIn.accessToken) == 401)
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

  @Test(arguments: ["", "x", String(repeating: "x", count: 600)]) func whatIsNoTokenIsRefused(token: String) async throws {
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
