import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import Testing

@testable import PublicationServer

/// Makes the hasher's thread wait until ``open()``.
final class HasherGate: Sendable {
  // DispatchSemaphore is Sendable; it blocks the hasher's own thread only.
  private let semaphore = DispatchSemaphore(value: 0)
  init(_ hasher: PasswordHasher) { hasher.executor.post { [semaphore] in semaphore.wait() } }
  func open() { semaphore.signal() }
}

/// What the operator does while a password is compared, which takes its time on purpose.
@Suite struct SignInRaceTests {
  /// Ada's sign-in, whose comparison waits in the queue while `change` is made.
  private func signIn(_ rig: Rig, while change: (Rig) async throws -> Void) async throws -> Response {
    let gate = HasherGate(rig.publication.hasher)
    let body = try Wire.encode(Credentials(email: "ada@example.org", password: Rig.password))
    let attempt = Task { await rig.send(.post, "/v1/session", body: body) }
    // What was read for the comparison is the old hash.
    await until { rig.publication.hasher.waitingCount != 0 }
    try await change(rig)
    gate.open()
    return await attempt.value
  }

  @Test func aNewPasswordIsSetMeanwhile() async throws {
    let rig = try await Rig()
    let other = try PasswordHash(of: "another one", cost: .none)
    let response = try await signIn(rig) { rig in try await rig.publication.setPassword(other, of: "ada@example.org") }
    #expect(response.status == 401)
    #expect(try response.problem.code == .wrongCredentials)
    let again = try Wire.encode(Credentials(email: "ada@example.org", password: "another one"))
    #expect(await rig.send(.post, "/v1/session", body: again).status == 201)
  }

  @Test func theReaderIsRemovedMeanwhile() async throws {
    let rig = try await Rig()
    let response = try await signIn(rig) { rig in
      let removed = try await rig.operate(.delete, "readers/ada@example.org")
      #expect(removed.status == 204)
    }
    #expect(response.status == 401)
  }

  @Test func theReaderIsSignedOutMeanwhile() async throws {
    let rig = try await Rig()
    let response = try await signIn(rig) { rig in
      let ended = try await rig.operate(.delete, "readers/ada@example.org/sessions")
      #expect(ended.status == 200)
    }
    #expect(response.status == 401)
    #expect(try response.problem.code == .sessionEnded)
    _ = try await rig.signIn()
  }

  /// As one that an earlier version began.
  @Test func aSessionOfARemovedReaderIsGoodForNothing() async throws {
    let rig = try await Rig()
    let id = try await rig.get("/v1/session", try await rig.signIn(), as: Reader.self).id
    #expect(try await rig.operate(.delete, "readers/ada@example.org").status == 204)
    try await rig.publication.beginSession("stale", of: id)
    #expect(await rig.send(.get, "/v1/session", token: "stale").status == 401)
    #expect(try await rig.begin(UUID(), "premium.monthly", "stale").status == 401)
  }
}

extension Publication {
  /// Sets the hash itself: the command would wait for the hasher.
  fileprivate func setPassword(_ hash: PasswordHash, of email: String) async throws {
    let reader = try #require(try await readers.reader(email: email)?.reader.id)
    _ = try await readers.setPassword(hash, of: reader)
  }

  /// A row of the table, whatever may be begun.
  fileprivate func beginSession(_ token: String, of reader: Reader.ID) async throws {
    let database = try #require(readers as? SQLiteReaders).database
    let digest = try Digest.sha256(Data(token.utf8))
    try database.execute(
      "INSERT INTO session (reader, begun, used, family, refresh) VALUES (?, ?, ?, ?, ?)", reader, now, now, digest, digest)
    try database.execute("INSERT INTO access_token SELECT ?1, id, ?1, ?2 FROM session WHERE refresh = ?1", digest, now + 3600)
  }
}
