import Foundation
import HTTPTransport
import PublicationAPI
import SignedReceipts
import Testing

@testable import PublicationServer

/// What a receipt is worth, and the keys that say so.
@Suite struct ReceiptTests {
  private static let start = Int64(Rig.start.timeIntervalSince1970)

  private func verify(_ rig: Rig, _ receipt: String, _ token: String?) async throws -> Response {
    await rig.send(.post, "/v1/receipts/verify", token: token, body: try Wire.encode(ReceiptRequest(receipt: receipt)))
  }

  private func rotate(_ rig: Rig, _ algorithm: String) async throws -> KeySet.Key {
    let response = try await rig.operate(.post, "keys", Wire.encode(KeyRequest(algorithm: algorithm)))
    #expect(response.status == 201)
    return try Wire.decode(from: response.body)
  }

  private func kids(_ rig: Rig) async throws -> [String] { try await rig.get("/v1/keys", nil, as: KeySet.self).keys.map(\.kid) }

  @Test func aGenuineReceiptComesBackFresh() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let receipt = try #require(try await rig.buy("premium.monthly", token).receipt)
    rig.clock.advance(by: .seconds(3600))
    let answer = try await verify(rig, receipt, token)
    #expect(answer.status == 200)
    let verdict = try Wire.decode(ReceiptVerdict.self, from: answer.body)
    #expect(try await rig.claims(verdict.receipt) == verdict.claims)
    #expect(verdict.claims.iat == Self.start + 3600)
    #expect((verdict.claims.purchased, verdict.claims.exp) == (Self.start, Self.start + 31 * 86_400))
    // What has ended was bought all the same: its end says so.
    rig.clock.advance(by: .seconds(60 * 86_400))
    let late = try Wire.decode(ReceiptVerdict.self, from: try await verify(rig, receipt, token).body)
    #expect(late.claims.exp == Self.start + 31 * 86_400)
  }

  @Test func whateverIsNotGenuineOrNotMineIsRejected() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let order = try await rig.buy("premium.monthly", ada)
    let receipt = try #require(order.receipt)
    let claims = try await rig.claims(receipt)
    let forged = try JWS.sign(payload: Wire.encode(claims), key: .generate(.es256))
    for (text, token) in [(receipt, bo), (forged, ada), ("", ada), ("a.b.c", ada), (String(repeating: "x", count: 20_000), ada)] {
      let answer = try await verify(rig, text, token)
      #expect(answer.status == 422)
      #expect(try answer.problem.code == .receiptRejected)
    }
    #expect(try await verify(rig, receipt, nil).status == 401)
    #expect(await rig.send(.post, "/v1/receipts/verify", token: ada, body: Data("{}".utf8)).status == 400)
  }

  @Test func aRefundedReceiptIsRevoked() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let order = try await rig.buy("premium.monthly", token)
    #expect(try await rig.refund(order.id).status == 200)
    let answer = try await verify(rig, try #require(order.receipt), token)
    #expect(answer.status == 410)
    #expect(try answer.problem == Problem(code: .receiptRevoked, title: "It was a mistake.", status: 410))
  }

  @Test(arguments: ["es256", "EdDSA"])
  func aNewKeySignsAndTheOldOneIsKnown(algorithm: String) async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    let old = try #require(try await rig.buy("premium.lifetime", token).receipt)
    let first = try await kids(rig)
    let key = try await rotate(rig, algorithm)
    #expect(key.alg.lowercased() == algorithm.lowercased())
    #expect(try await kids(rig) == [key.kid] + first)
    let fresh = try #require(try await rig.get("/v1/entitlements", token, as: [String].self).first)
    // Both are good, by the published keys and by the publication's word.
    for receipt in [old, fresh] {
      #expect(try await rig.claims(receipt).product == "premium.lifetime")
      #expect(try await verify(rig, receipt, token).status == 200)
    }
    await rig.publication.close()
    let restarted = try await Rig(folder: folder.path)
    #expect(try await kids(restarted) == [key.kid] + first)
    #expect(try await verify(restarted, old, token).status == 200)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("receipts.pem"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func anOldKeyIsListedAsLongAsAReceiptMayNeedIt() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    _ = try await rig.buy("premium.monthly", token)
    _ = try await rig.buy("passes.5", token)
    let first = try await kids(rig)
    let second = try await rotate(rig, "eddsa").kid
    // 31 days of access and 60 of grace after them.
    rig.clock.advance(by: .seconds(91 * 86_400 - 1))
    #expect(try await kids(rig) == [second] + first)
    rig.clock.advance(by: .seconds(1))
    #expect(try await kids(rig) == [second])
    // What is kept for good keeps its key.
    _ = try await rig.buy("premium.lifetime", rig.signIn())
    let third = try await rotate(rig, "es256").kid
    rig.clock.advance(by: .seconds(1000 * 86_400))
    #expect(try await kids(rig) == [third, second])
  }

  @Test func noOtherAlgorithm() async throws {
    let rig = try await Rig()
    let answer = try await rig.operate(.post, "keys", Wire.encode(KeyRequest(algorithm: "none")))
    #expect(answer.status == 400)
    #expect(try answer.problem.title == "“none” is no algorithm; es256 and eddsa are.")
  }
}
