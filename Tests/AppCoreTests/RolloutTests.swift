import AppCore
import ArticleFeature
import FeatureFlags
import Foundation
import HTTPTransport
import NavigationCore
import Patience
import PaymentFeature
import PaywallFeature
import PublicationAPI
import PublicationServer
import PurchaseService
import Runtime
import SessionService
import TestSupport
import Testing

/// A purchase layer that is replaced under a flag, through the whole app: who takes which path, and what is counted.
@MainActor @Suite(.timeLimit(.minutes(5))) final class RolloutTests {
  private let gateway = CountingGateway()
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
  private var folders: [String] = []

  isolated deinit { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }

  private func folder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rollout-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    folders.append(folder)
    return folder
  }

  private func publication(percent: Int, minVersion: String? = nil) async throws -> Publication {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    try await publication.setFlag(FlagRecord(name: Flag.deviceFirstPurchases.name, percent: percent, minVersion: minVersion))
    return publication
  }

  /// A new reader who is on that side of half a roll-out.
  private func reader(_ variant: Variant, of publication: Publication) async throws -> Reader {
    let rule = try FlagRule(name: Flag.deviceFirstPurchases.name, percent: 50)
    while true {
      let email = "\(UUID().uuidString)@example.org"
      let reader = try await publication.addReader(email: email, name: "Reader", password: "open sesame")
      if rule.variant(for: reader.id) == variant { return reader }
    }
  }

  /// From the start to the payment sheet.
  private func atThePayment(_ rig: PathRig, _ email: String) async throws -> PaymentScreen {
    rig.coordinator.start(opening: "matinee://paywall/premium")
    await rig.settle()
    try await rig.signIn(email: email, password: "open sesame")
    guard let paywall = rig.presenter.visibleScreen?.model as? PaywallViewModel else { throw PathRig.Missing("paywall") }
    await until { paywall.state.phase == .ready }
    paywall.send(.buyTapped("premium.monthly"))
    await rig.settle()
    guard let payment = rig.presenter.visibleScreen?.model as? PaymentViewModel else { throw PathRig.Missing("payment") }
    await until { payment.state.canPay }
    return PaymentScreen(
      pay: { payment.send(.payTapped) },
      choose: { name in
        if let method = payment.state.methods.first(where: { $0.name.contains(name) }) { payment.send(.methodChosen(method.id)) }
      }, hasFailed: { payment.state.canPay })
  }

  private struct PaymentScreen {
    let pay: @MainActor () -> Void
    let choose: @MainActor (String) -> Void
    let hasFailed: @MainActor () -> Bool
  }

  private func report(_ publication: Publication) async throws -> [String: FlagReport.Bucket] {
    let report = try await publication.flagReport(Flag.deviceFirstPurchases.name)
    return Dictionary(uniqueKeysWithValues: report.buckets.map { ($0.variant, $0) })
  }

  /// The journal's rows of a reader: which path began them, and where they stand.
  private func rows(_ folder: String, _ reader: Reader.ID) async throws -> [String] {
    let journal = try await Journal(path: folder + "/purchases.sqlite", clock: clock)
    let rows = try await journal.purchases(seller: "embedded", user: reader)
    await journal.close()
    return rows.map { "\($0.purchasePath) \($0.step)" }
  }

  @Test func halfOfTheReadersTakeTheNewPathAndTheOthersTheOld() async throws {
    let publication = try await publication(percent: 50)
    for (variant, path) in [(Variant.on, "publication.device"), (.off, "publication.backend")] {
      let (reader, folder) = (try await reader(variant, of: publication), try folder())
      let rig = PathRig(InProcessTransport { await publication.handle($0) }, folder: folder)
      let payment = try await atThePayment(rig, reader.email)
      payment.choose("Declined")
      payment.pay()
      await rig.settle()
      await until { payment.hasFailed() }
      payment.choose("Test card")
      payment.pay()
      try await until { try await report(publication)[variant.rawValue]?.bought == 1 }
      await rig.coordinator.finish()
      #expect(try await rows(folder, reader.id).sorted() == ["\(path) failed", "\(path) finished"])
      #expect(rig.reports.isEmpty)
    }
    #expect(await gateway.charges == 2)
    for bucket in try await report(publication).values {
      #expect((bucket.readers, bucket.sessions, bucket.paywallsSeen, bucket.bought, bucket.crashes) == (1, 1, 1, 1, 0))
      #expect(bucket.failed == ["declined": 1])
    }
  }

  @Test(arguments: [(100, 0, "on", "publication.device"), (0, 100, "off", "publication.backend")])
  func switchingTheFlagUnderAPurchaseLosesNothing(from: Int, to: Int, bucket: String, path: String) async throws {
    let publication = try await publication(percent: from)
    let (reader, folder, tokens) = (try await reader(.on, of: publication), try folder(), MemoryTokenStore())
    // The charge goes through and its answer never arrives; then the app is killed.
    let lost = PurchasePathTests.Lost()
    let first = PathRig(
      InProcessTransport { request in
        let response = await publication.handle(request)
        if request.path.hasSuffix("/charge") { await lost.swallow() }
        return response
      }, tokens: tokens, folder: folder)
    try await atThePayment(first, reader.email).pay()
    await lost.waitUntilSwallowed()
    try await publication.setFlag(FlagRecord(name: Flag.deviceFirstPurchases.name, percent: to))

    let second = PathRig(InProcessTransport { await publication.handle($0) }, tokens: tokens, folder: folder)
    second.clock.advance(by: .seconds(60))
    second.coordinator.start(opening: "matinee://posts/p45")
    await second.settle()
    try await until { try await report(publication)[bucket]?.bought == 1 }
    guard let article = second.presenter.visibleScreen?.model as? ArticleViewModel else { throw PathRig.Missing("article") }
    await until { if case .body = article.state.text { true } else { false } }
    guard case .body = article.state.text else { throw PathRig.Missing("body") }
    #expect(await gateway.charges == 1)
    #expect(try await rows(folder, reader.id) == ["\(path) finished"])

    // Counted where it began, with the crash of the session that was killed; nothing on the other side.
    let counted = try await report(publication)
    #expect(counted[bucket]?.bought == 1)
    #expect(counted[bucket]?.crashes == 1)
    #expect(counted[bucket]?.sessions == 1)
    #expect(counted[bucket == "on" ? "off" : "on"]?.sessions == 0)
    await lost.release()
    await first.settle()
    #expect(await gateway.charges == 1)
  }

  @Test func aKilledSessionCountsOneCrashAndAnOrderlyEndNone() async throws {
    let publication = try await publication(percent: 100)
    let (reader, folder, tokens) = (try await reader(.on, of: publication), try folder(), MemoryTokenStore())
    let start = { (minutes: Int) in
      let rig = PathRig(InProcessTransport { await publication.handle($0) }, tokens: tokens, folder: folder)
      rig.clock.advance(by: .seconds(60 * minutes))
      rig.coordinator.start(opening: "matinee://paywall/premium")
      await rig.settle()
      return rig
    }
    // Ends in an orderly way.
    let quitting = await start(0)
    try await quitting.signIn(email: reader.email, password: "open sesame")
    try await until { try await report(publication)["on"]?.sessions == 1 }
    await quitting.coordinator.finish()
    // Signed out, then killed at the login.
    let leaving = await start(1)
    try await until { try await report(publication)["on"]?.sessions == 2 }
    leaving.coordinator.perform(.login(then: nil))
    await leaving.settle()
    // Killed, with the paywall on screen; and once more.
    for (number, sessions) in [(2, 3), (3, 4)] {
      let killed = await start(number)
      if number == 2 { try await killed.signIn(email: reader.email, password: "open sesame") }
      if killed.visible != .paywall("premium") { killed.coordinator.perform(.paywall("premium", then: nil)) }
      try await until { try await report(publication)["on"]?.sessions == sessions }
      #expect(try await report(publication)["on"]?.crashes == number - 2)
    }
    let last = await start(4)
    try await until { try await report(publication)["on"]?.crashes == 2 }
    await last.coordinator.finish()
    #expect(try await report(publication)["on"]?.crashes == 2)
    #expect(try await report(publication)["off"]?.crashes == 0)
  }

  @Test func twoFoldersDoNotDisturbEachOther() async throws {
    let publication = try await publication(percent: 100)
    let reader = try await reader(.on, of: publication)
    let running = PathRig(InProcessTransport { await publication.handle($0) }, folder: try folder())
    _ = try await atThePayment(running, reader.email)
    let beside = PathRig(InProcessTransport { await publication.handle($0) }, folder: try folder())
    _ = try await atThePayment(beside, reader.email)
    try await until { try await report(publication)["on"]?.sessions == 2 }
    await beside.coordinator.finish()
    await running.coordinator.finish()
    #expect(try await report(publication)["on"]?.crashes == 0)
  }

  @Test func aClientThatIsTooOldStaysOnTheOldPathAndIsCountedNowhere() async throws {
    let publication = try await publication(percent: 100, minVersion: "1.10")
    for (version, path, sessions) in [("1.9 (7.0.abc)", "publication.backend", 0), ("1.10 (8.0.abc)", "publication.device", 1)] {
      let (reader, folder) = (try await reader(.on, of: publication), try folder())
      let rig = PathRig(InProcessTransport { await publication.handle($0) }, folder: folder, version: version)
      try await atThePayment(rig, reader.email).pay()
      try await until { try await rows(folder, reader.id) == ["\(path) finished"] }
      await rig.settle()
      await rig.coordinator.finish()
      #expect(try await rows(folder, reader.id) == ["\(path) finished"])
      #expect(try await report(publication)["on"]?.sessions == sessions)
    }
  }
}
