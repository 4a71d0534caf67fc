import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SQLiteStorage
import Testing

@testable import PublicationServer

/// Charges whose outcome nobody knows: they are asked about until there is an answer, and nothing is sold twice meanwhile.
@Suite struct ResumedChargeTests {
  private let gateway = CountingGateway()

  /// An order for what is kept for good, which the provider charges, and whose answer is lost with the process.
  private func lose(_ folder: TemporaryFolder, _ orders: UUID...) async throws -> (rig: Rig, token: String) {
    let rig = try await Rig(folder: folder.path, gateway: gateway)
    let token = try await rig.signIn()
    for id in orders { _ = try await rig.begin(id, "premium.lifetime", token) }
    await gateway.set(.lost)
    #expect(try await rig.charge(orders[0], token).status == 503)
    #expect(await gateway.charges == 1)
    return (rig, token)
  }

  private func restart(
    _ rig: Rig, _ folder: TemporaryFolder, at date: Date = Rig.start, log: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> Rig {
    await rig.publication.close()
    return try await Rig(folder: folder.path, gateway: gateway, clock: ManualClock(now: date), log: log)
  }

  @Test func noSecondOrderIsChargedWhileTheFirstOneMayBe() async throws {
    let (folder, first, second) = (try TemporaryFolder(), UUID(), UUID())
    let (dead, token) = try await lose(folder, first, second)
    await gateway.set(.up)
    let rig = try await restart(dead, folder)
    for response in [try await rig.charge(second, token), try await rig.begin(UUID(), "premium.lifetime", token)] {
      #expect(response.status == 409)
      #expect(
        try response.problem.title == "You have ordered “For good” already, and the payment provider has yet to say whether it charged "
          + "you. Nothing more was charged; try again in a moment.")
    }
    #expect(try await rig.begin(UUID(), "premium.lifetime", rig.signIn("bo")).status == 201)
    let removal = try await rig.operate(.delete, "readers/ada@example.org")
    #expect(removal.status == 409)
    #expect(try removal.problem.title.hasPrefix("The payment provider has yet to say whether it charged order "))
    #expect(try await rig.charge(first, token).order.state == .paid)
    #expect(await gateway.charges == 1)
    #expect(Set(await gateway.calls.map(\.key)) == [first.uuidString])
  }

  /// As on a full disk: the money is charged by then.
  @Test(arguments: ["tok_approved", "tok_deferred", "tok_declined"])
  func anOutcomeThatCannotBeWrittenIsAskedForAgain(payment: String) async throws {
    let rig = try await Rig(gateway: gateway)
    let (token, id) = (try await rig.signIn(), UUID())
    _ = try await rig.begin(id, "premium.lifetime", token)
    try await rig.publication.refuseToWrite(true)
    let response = try await rig.charge(id, token, with: payment)
    #expect((response.status, response.headers["Retry-After"]) == (503, "10"))
    #expect(try response.problem.code == .paymentUnavailable)
    #expect(try response.problem.title == "Your payment is being confirmed. Nothing is lost; look again in a moment.")
    await rig.clock.waitForSleepers()
    try await rig.publication.refuseToWrite(false)
    let resuming = try #require(await rig.publication.resuming)
    rig.clock.advance(by: .seconds(5))
    await resuming.value
    let state = try await rig.get("/v1/orders/\(id)", token, as: Order.self).state
    #expect(state == (payment == "tok_approved" ? .paid : payment == "tok_deferred" ? .deferred : .declined))
    #expect(await gateway.charges == (state == .paid ? 1 : 0))
    #expect(await rig.publication.resuming == nil)
    guard state == .paid else { return }
    // The same of giving it back.
    try await rig.publication.refuseToWrite(true)
    #expect(try await rig.refund(id.uuidString).status == 503)
    await rig.clock.waitForSleepers()
    try await rig.publication.refuseToWrite(false)
    let again = try #require(await rig.publication.resuming)
    rig.clock.advance(by: .seconds(5))
    await again.value
    #expect(try await rig.get("/v1/orders/\(id)", token, as: Order.self).state == .refunded)
  }

  @Test func anotherOrderIsChargedOnceTheFirstOneIsDeclined() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let (first, second) = (UUID(), UUID())
    for id in [first, second] { _ = try await rig.begin(id, "premium.lifetime", token) }
    await gateway.set(.lost)
    #expect(try await rig.charge(first, token, with: "tok_declined").status == 503)
    await gateway.set(.up)
    #expect(try await rig.charge(second, token).status == 409)
    #expect(try await rig.charge(first, token).status == 402)
    #expect(try await rig.charge(second, token).order.state == .paid)
    #expect(try await rig.charge(first, token).status == 409)
    #expect(await gateway.charges == 1)
  }

  /// An earlier version sold the same thing a second time.
  @Test(arguments: [true, false]) func aChargeIsAskedAboutToItsEndWhateverWasBoughtSince(byReader: Bool) async throws {
    let (folder, first, second) = (try TemporaryFolder(), UUID(), UUID())
    let (dead, token) = try await lose(folder, first, second)
    await dead.publication.close()
    do {
      let database = try Connection(path: folder.file("publication.sqlite"))
      try database.execute("UPDATE purchase SET state = 'paid', paid = created WHERE id = ?", second.uuidString)
    }
    await gateway.set(.up)
    let rig = try await restart(dead, folder)
    let refused = try await rig.refund(first.uuidString)
    #expect(refused.status == 409)
    #expect(try refused.problem.title == "The payment provider has yet to say whether it charged this order.")
    if byReader { #expect(try await rig.charge(first, token).status == 200) } else { #expect(await rig.publication.resumeCharges()) }
    #expect(try await rig.get("/v1/orders/\(first)", token, as: Order.self).state == .paid)
    #expect(try await rig.refund(first.uuidString).order.state == .refunded)
    #expect(await gateway.refunds == [first.uuidString])
    // The other order still gives it.
    #expect(try await rig.get("/v1/posts/p04", token, as: Post.self).body != nil)
    #expect(try await rig.operate(.delete, "readers/ada@example.org").status == 204)
  }

  // MARK: Again and again

  @Test func aProviderThatCannotBeReachedIsAskedAgain() async throws {
    let (folder, id) = (try TemporaryFolder(), UUID())
    let (dead, token) = try await lose(folder, id)
    let rig = try await restart(dead, folder)
    let resuming = await rig.publication.startResumingCharges()
    await rig.clock.waitForSleepers()
    #expect(await gateway.calls.count == 2)
    let pause = try #require(rig.clock.nextDue)
    rig.clock.advance(by: pause)
    await gateway.waitForCalls(3)
    await rig.clock.waitForSleepers()
    // Less often than at first.
    #expect(try #require(rig.clock.nextDue) > pause)
    await gateway.set(.up)
    rig.clock.advance(by: try #require(rig.clock.nextDue))
    await resuming.value
    #expect(try await rig.get("/v1/orders/\(id)", token, as: Order.self).state == .paid)
    #expect(await gateway.charges == 1)
    #expect(await gateway.calls.count == 4)
    #expect(rig.clock.sleeperCount == 0)
  }

  @Test func chargesAreResumedOnceTheClockIsRight() async throws {
    let (folder, id) = (try TemporaryFolder(), UUID())
    let (sold, token) = try await lose(folder, id)
    await gateway.set(.up)
    _ = try await sold.buy("passes.5", token)
    let rig = try await restart(sold, folder, at: Date(timeIntervalSince1970: 60))
    let resuming = await rig.publication.startResumingCharges()
    await rig.clock.waitForSleepers()
    #expect(await gateway.calls.count == 2)
    rig.clock.setNow(Rig.start)
    rig.clock.advance(by: try #require(rig.clock.nextDue))
    await resuming.value
    #expect(try await rig.get("/v1/orders/\(id)", token, as: Order.self).state == .paid)
  }

  @Test func whatWaitsForSomebodyIsAskedAboutOnce() async throws {
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let id = UUID()
    _ = try await rig.begin(id, "premium.lifetime", token)
    #expect(try await rig.charge(id, token, with: "tok_deferred").status == 202)
    await rig.publication.startResumingCharges().value
    #expect(await gateway.calls.count == 2)
  }

  @Test func closingEndsTheResuming() async throws {
    let (folder, id) = (try TemporaryFolder(), UUID())
    let (dead, _) = try await lose(folder, id)
    let rig = try await restart(dead, folder)
    let resuming = await rig.publication.startResumingCharges()
    await rig.clock.waitForSleepers()
    await rig.publication.close()
    await resuming.value
    #expect(rig.clock.sleeperCount == 0)
    #expect(await gateway.calls.count == 2)
  }
}

extension Publication {
  /// Has every outcome of a charge or a refund be refused by the database.
  fileprivate func refuseToWrite(_ isRefused: Bool) throws {
    let database = try #require(content as? SQLiteContent).database
    try database.script(
      isRefused
        ? """
        CREATE TEMP TRIGGER no_outcome BEFORE UPDATE OF state ON purchase WHEN new.state <> 'open' BEGIN SELECT RAISE(ABORT, 'no'); END
        """ : "DROP TRIGGER no_outcome")
  }
}
