import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import Synchronization
import Testing

@testable import PublicationServer

/// A server whose clock is wrong sells nothing by it.
@Suite struct ClockTests {
  private static let day = Duration.seconds(86_400)

  /// The same publication on a machine with another clock.
  private func restart(
    _ rig: Rig, _ folder: TemporaryFolder, at date: Date, log: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> Rig {
    await rig.publication.close()
    return try await Rig(folder: folder.path, gateway: rig.gateway, clock: ManualClock(now: date), log: log)
  }

  @Test func nothingIsSoldByAClockThatIsBehind() async throws {
    let (folder, gateway) = (try TemporaryFolder(), CountingGateway())
    let rig = try await Rig(folder: folder.path, gateway: gateway)
    let token = try await rig.signIn()
    let first = try await rig.buy("premium.monthly", token)
    let (begun, deferred) = (UUID(), UUID())
    #expect(try await rig.begin(begun, "premium.monthly", token).status == 201)
    #expect(try await rig.begin(deferred, "passes.5", token).status == 201)
    #expect(try await rig.charge(deferred, token, with: "tok_deferred").status == 202)
    #expect(try await rig.publication.clockDoubt() == nil)

    let told = Mutex<[String]>([])
    let dead = try await restart(rig, folder, at: Date(timeIntervalSince1970: 60)) { line in told.withLock { $0.append(line) } }
    let doubt = try #require(try await dead.publication.clockDoubt())
    #expect(
      doubt
        == "The clock says 1970-01-01T00:01:00Z, and order \(first.number ?? "") was paid at 2024-01-01T00:00:00Z: nothing is sold or given "
        + "back until the clock is right. If it is, that order was paid by a wrong one: “matinee-server order refund --trust-clock "
        + "\(first.number ?? "")”.")
    await dead.publication.resumeCharges()
    #expect(told.withLock { $0 } == [doubt])
    for response in [try await dead.begin(UUID(), "premium.yearly", token), try await dead.charge(begun, token)] {
      #expect(response.status == 503)
      #expect(try response.problem.code == .paymentUnavailable)
    }
    for response in [try await dead.operate(.post, "orders/\(deferred)/approve"), try await dead.refund(first.id)] {
      #expect(response.status == 409)
      #expect(try response.problem.title == doubt)
    }
    #expect(await gateway.charges == 1)
    #expect(await gateway.refunds.isEmpty)
    // Reading goes on, and so does the sale once the network has told the time.
    #expect(await dead.send(.get, "/v1/posts/p04", token: token).status == 200)
    dead.clock.advance(by: .seconds(1_704_067_200 + 86_400 - 60))
    #expect(try await dead.publication.clockDoubt() == nil)
    let second = try await dead.charge(begun, token)
    #expect(second.status == 200)
    let claims = try await dead.claims(try second.order.receipt)
    // Behind the first month, as ever.
    #expect(claims.exp == 1_709_251_200)
    #expect(claims.purchased == 1_704_153_600)
  }

  /// What was sold by a clock that was ahead is in the way of the right one, until its operator has given it back.
  @Test func whatWasSoldByAClockThatWasAheadIsGivenBack() async throws {
    let (folder, gateway) = (try TemporaryFolder(), CountingGateway())
    let ahead = try await Rig(folder: folder.path, gateway: gateway, clock: ManualClock(now: Rig.start.addingTimeInterval(1e9)))
    let token = try await ahead.signIn()
    let wrong = try await ahead.buy("premium.monthly", token)
    let rig = try await restart(ahead, folder, at: Rig.start)
    let again = try await rig.signIn()
    #expect(try await rig.begin(UUID(), "premium.monthly", again).status == 503)
    #expect(try await rig.refund(wrong.id).status == 409)
    #expect(try await rig.refund(wrong.id, trustsClock: true).status == 200)
    #expect(try await rig.publication.clockDoubt() == nil)
    #expect(try await rig.claims(rig.buy("premium.monthly", again).receipt).exp == 1_706_745_600)
  }

  /// A key that is replaced while the clock is behind has signed what is still in force.
  @Test func aKeyIsNotRetiredBeforeItSigned() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    let receipt = try await rig.buy("premium.monthly", rig.signIn()).receipt
    let dead = try await restart(rig, folder, at: Date(timeIntervalSince1970: 60))
    #expect(try await dead.operate(.post, "keys", Wire.encode(KeyRequest(algorithm: "eddsa"))).status == 201)
    dead.clock.setNow(Rig.start.addingTimeInterval(20 * 86_400))
    #expect(try await dead.claims(receipt).product == "premium.monthly")
  }

  @Test func aFeedThatWasAskedByAClockThatWasAheadIsAskedAgain() async throws {
    let readers = try await FeedReadersRig()
    readers.rig.clock.setNow(Rig.start.addingTimeInterval(60 * 86_400))
    readers.web.answer(FeedReadersRig.url, Response(200, body: Documents.rss("One")))
    _ = try await readers.end(try await readers.begin(FeedReadersRig.url))
    #expect(try await readers.rig.publication.due().isEmpty)
    readers.rig.clock.setNow(Rig.start)
    #expect(try await readers.rig.publication.due().map(\.version.url) == [FeedReadersRig.url])
  }

  @Test func aClockThatIsPutRightALittleIsNoMatter() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    _ = try await rig.buy("premium.monthly", rig.signIn())
    let later = try await restart(rig, folder, at: Rig.start.addingTimeInterval(-3600))
    #expect(try await later.publication.clockDoubt() == nil)
    _ = try await later.buy("passes.5", later.signIn())
  }
}

extension Publication {
  fileprivate func due() async throws -> [StoredFeed] { try await feedRepository.due(at: now, after: nil, limit: 10) }
}
