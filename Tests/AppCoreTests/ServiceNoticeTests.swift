import AppCore
import ArticleFeature
import FeedFeature
import Foundation
import HTTPTransport
import MenuFeature
import Patience
import PublicationAPI
import PublicationServer
import Runtime
import SessionService
import TestSupport
import Testing

/// A publication that serves later versions only, or nobody for a while, through the whole app.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ServiceNoticeTests {
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))

  private func operate(_ publication: Publication, _ method: Request.Method, _ path: String, body: Data = Data()) async throws {
    let headers: Headers = ["Authorization": "Bearer \(try await publication.newOperatorToken())"]
    #expect(await publication.handle(Request(method, "/v1/operator/" + path, headers: headers, body: body)).status < 300)
  }

  private func notice(_ rig: PathRig) throws -> ServiceNoticeViewModel {
    guard let model = rig.presenter.visibleScreen?.model as? ServiceNoticeViewModel else { throw PathRig.Missing("notice") }
    return model
  }

  @Test func anAppThatIsTooOldSaysSoAndStillReads() async throws {
    let publication = try await Sample.publication(clock: clock)
    try await operate(publication, .put, "minimum-version", body: Wire.encode(MinimumVersionRequest(version: "2.0")))
    let rig = PathRig(InProcessTransport { await publication.handle($0) }, version: "1.9.1 (7.0.abc)", clock: clock)
    rig.coordinator.start()
    await until { rig.visible == .serviceNotice }
    #expect(try notice(rig).state.heading == "This Matinee is too old")
    #expect(try notice(rig).state.sentence.hasPrefix("This publication asks for version 2.0 or a later one, and this is 1.9.1"))
    try notice(rig).send(.closeTapped)
    #expect(rig.visible == .login)
    try await rig.signIn()
    rig.coordinator.perform(.post("p45"))
    await rig.settle()
    let article = try #require(rig.presenter.visibleScreen?.model as? ArticleViewModel)
    article.send(.unlockTapped)
    await rig.settle()
    #expect(rig.visible == .serviceNotice, "what the publication would have to do is explained instead")
    try notice(rig).send(.closeTapped)
    #expect(rig.visible == .post("p45"))
  }

  @Test(arguments: ["2.0", "1.9.1", "no version"]) func anAppThatIsNewEnoughHearsNothing(minimum: String) async throws {
    let publication = try await Sample.publication(clock: clock)
    if minimum != "no version" {
      try await operate(publication, .put, "minimum-version", body: Wire.encode(MinimumVersionRequest(version: minimum)))
    }
    let rig = PathRig(InProcessTransport { await publication.handle($0) }, version: "2.0", clock: clock)
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    #expect(rig.visible == .tab(.home))
  }

  /// What is stored is there meanwhile, and the sheet goes when it is over.
  @Test func maintenanceIsToldAtTheStartWithItsEnd() async throws {
    let (publication, tokens) = (try await Sample.publication(clock: clock), MemoryTokenStore())
    let folder = FileManager.default.temporaryDirectory.appending(path: "notice-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let transport = InProcessTransport { await publication.handle($0) }
    let first = PathRig(transport, tokens: tokens, folder: folder, clock: clock)
    first.coordinator.start()
    await first.settle()
    try await first.signIn()
    first.coordinator.perform(.post("p44"))
    await first.settle()
    await first.coordinator.finish()

    try await operate(publication, .put, "maintenance", body: Wire.encode(MaintenanceRequest(minutes: 30)))
    let second = PathRig(transport, tokens: tokens, folder: folder, clock: clock)
    second.coordinator.start()
    await until { second.visible == .serviceNotice }
    let model = try notice(second)
    #expect(model.state.heading == "The publication is being maintained")
    #expect(model.state.sentence.hasPrefix("It is back at about May 28, 2026"))
    model.send(.actionTapped)
    await until { !model.state.isChecking }
    #expect(second.visible == .serviceNotice)
    model.send(.closeTapped)
    #expect(second.visible == .post("p44"))
    // Whoever has read it is not told again by each further try.
    clock.advance(by: .seconds(60))
    second.coordinator.upkeep.networkIsBack()
    await second.settle()
    #expect(second.visible == .post("p44"))
    let article = try #require(second.presenter.visibleScreen?.model as? ArticleViewModel)
    await until { if case .body = article.state.text { true } else { false } }
    second.coordinator.perform(.serviceNotice)
    try await operate(publication, .delete, "maintenance")
    try notice(second).send(.actionTapped)
    await until { second.visible == .post("p44") }
    await second.coordinator.finish()
  }

  /// It may end before the time that was told. Whatever the publication answers then shows it.
  @Test func whatWaitsForTheEndOfMaintenanceIsSentWithTheFirstAnswer() async throws {
    let publication = try await Sample.publication(clock: clock)
    let rig = PathRig(InProcessTransport { await publication.handle($0) }, clock: clock)
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    try await operate(publication, .put, "maintenance", body: Wire.encode(MaintenanceRequest(minutes: 30)))
    let feed = try #require(rig.presenter.visibleScreen?.model as? FeedViewModel)
    feed.send(.bookmarkTapped(try #require(feed.state.posts.ids.first)))
    let bar = rig.coordinator.upkeep.waiting
    await until { bar.state.text == "1 change waiting" }
    try await operate(publication, .delete, "maintenance")
    rig.coordinator.perform(.purchases(order: nil))
    await until { bar.state.text == nil }
    await rig.coordinator.finish()
  }

  /// Some never quit.
  @Test func whoComesBackAfterAnHourHearsThatTheAppIsTooOldByNow() async throws {
    let publication = try await Sample.publication(clock: clock)
    let rig = PathRig(InProcessTransport { await publication.handle($0) }, version: "1.9.1", clock: clock)
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    try await operate(publication, .put, "minimum-version", body: Wire.encode(MinimumVersionRequest(version: "2.0")))
    for (minutes, expected) in [(30, Destination.tab(.home)), (30, .serviceNotice)] {
      rig.coordinator.upkeep.isWindowVisible = false
      clock.advance(by: .seconds(60 * minutes))
      rig.coordinator.upkeep.isWindowVisible = true
      await rig.settle()
      #expect(rig.visible == expected)
    }
    await rig.coordinator.finish()
  }
}
