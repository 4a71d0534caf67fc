import AccountFeature
import AppCore
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Runtime
import SessionService
import Synchronization
import TestSupport
import Testing

/// Counting what a reader does, where they agreed to that, through the whole app.
@MainActor @Suite(.timeLimit(.minutes(5))) struct AnalyticsTests {
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))

  /// What a publication was told, and whether it can be reached.
  private final class Told: Sendable {
    let batches = Mutex<[AnalyticsBatch]>([])
    let answer = Mutex<Response?>(nil)
    let isAway = Mutex(false)

    func note(_ request: Request) throws -> Response? {
      guard request.path == "/v1/analytics" else { return nil }
      guard !isAway.withLock({ $0 }) else { throw TransportError.unreachable("there is no network") }
      let batch = try Wire.decode(AnalyticsBatch.self, from: request.body)
      batches.withLock { $0.append(batch) }
      return answer.withLock { $0 }
    }

    var names: [String] { batches.withLock { $0.flatMap(\.events).map { $0.name + ($0.detail.map { " \($0)" } ?? "") } } }
  }

  private func rig(
    _ publication: Publication, _ told: Told, tokens: MemoryTokenStore = MemoryTokenStore(), folder: String? = nil
  ) -> PathRig {
    PathRig(
      InProcessTransport { request in
        if let response = try? told.note(request) { return response }
        if told.isAway.withLock({ $0 }), request.path == "/v1/analytics" { return Response(503) }
        return await publication.handle(request)
      }, tokens: tokens, folder: folder, clock: clock)
  }

  private func signedIn(
    _ publication: Publication, _ told: Told, tokens: MemoryTokenStore = MemoryTokenStore(), folder: String? = nil
  ) async throws -> PathRig {
    let rig = rig(publication, told, tokens: tokens, folder: folder)
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    return rig
  }

  private func choose(_ choice: AnalyticsChoice, _ rig: PathRig) async throws {
    rig.coordinator.perform(.privacy)
    await rig.settle()
    guard let privacy = rig.presenter.visibleScreen?.model as? PrivacyViewModel else { throw PathRig.Missing("privacy") }
    privacy.send(.choiceTapped(choice))
    #expect(privacy.state.chosen == choice)
  }

  /// Lets the wait for more events pass.
  private func pass(_ rig: PathRig, until condition: () -> Bool) async {
    await rig.pass(.seconds(10), until: condition)
    #expect(condition())
  }

  private func folder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "analytics-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }

  private func lines(_ folder: String) -> [String] {
    let text = FileManager.default.contents(atPath: folder + "/analytics.jsonl").map { String(decoding: $0, as: UTF8.self) } ?? ""
    return text.split(separator: "\n").compactMap { line in
      (try? Wire.decode(AnalyticsEvent.self, from: Data(line.utf8))).map { $0.name + ($0.detail.map { " \($0)" } ?? "") }
    }
  }

  @Test func nothingIsToldBeforeTheReaderAgreedNorAfterTheyChangedTheirMind() async throws {
    let (told, publication) = (Told(), try await Sample.publication(clock: clock))
    let rig = try await signedIn(publication, told)
    rig.coordinator.perform(.tab(.bookmarks))
    try await choose(.publication, rig)
    rig.coordinator.perform(.post("p44"))
    rig.coordinator.perform(.comments("p44"))
    await pass(rig) { told.names.count == 2 }
    await rig.settle()
    #expect(told.names == ["screen_seen article", "screen_seen comments"])
    #expect(told.batches.withLock { $0.count } == 1, "together")
    rig.coordinator.perform(.back)
    try await choose(.none, rig)
    rig.coordinator.perform(.tab(.home))
    clock.advance(by: .seconds(60))
    await rig.settle()
    #expect(told.names.count == 2)
    let headers: Headers = ["Authorization": "Bearer \(try await publication.newOperatorToken())"]
    let counts = try Wire.decode(
      [AnalyticsCount].self, from: await publication.handle(Request(.get, "/v1/operator/analytics", headers: headers)).body)
    #expect(counts.map(\.detail) == ["article", "comments"])
  }

  /// The choice, and what happened without a network, are there after the next start; nothing is counted twice.
  @Test func whatCouldNotBeToldIsToldAfterTheNextStart() async throws {
    let (told, publication, tokens, folder) = (Told(), try await Sample.publication(clock: clock), MemoryTokenStore(), try folder())
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let first = try await signedIn(publication, told, tokens: tokens, folder: folder)
    try await choose(.publication, first)
    told.isAway.withLock { $0 = true }
    first.coordinator.perform(.search(""))
    clock.advance(by: .seconds(20))
    await first.settle()
    await first.coordinator.finish()

    told.isAway.withLock { $0 = false }
    let second = rig(publication, told, tokens: tokens, folder: folder)
    second.coordinator.start()
    await second.settle()
    await pass(second) { told.names.contains("signed_in") }
    #expect(told.names.first == "screen_seen search")
    #expect(Set(told.batches.withLock { $0.map(\.id) }).count == told.batches.withLock { $0.count })
    try await choose(.none, second)
    await second.coordinator.finish()
  }

  /// It would hold up everything after it.
  @Test func whatIsRefusedIsDroppedAndReported() async throws {
    let (told, publication) = (Told(), try await Sample.publication(clock: clock))
    let rig = try await signedIn(publication, told)
    try await choose(.publication, rig)
    let problem = Problem(code: .badRequest, title: "“events” is nothing.", status: 400)
    let refusal = Response(400, body: try Wire.encode(problem))
    told.answer.withLock { $0 = refusal }
    rig.coordinator.perform(.tab(.home))
    await pass(rig) { rig.reports == ["What was counted is not taken. “events” is nothing."] }
    told.answer.withLock { $0 = nil }
    rig.coordinator.perform(.tab(.account))
    await pass(rig) { told.names.last == "screen_seen account" }
    #expect(told.names.count { $0 == "screen_seen feed" } == 1)
  }

  @Test func aFileHasItAllForTheReaderAlone() async throws {
    let (told, publication, folder) = (Told(), try await Sample.publication(clock: clock), try folder())
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let rig = try await signedIn(publication, told, folder: folder)
    try await choose(.file, rig)
    rig.coordinator.perform(.tab(.home))
    await pass(rig) { lines(folder) == ["screen_seen feed"] }
    // The sign-out is the last that is seen of a reader.
    rig.coordinator.perform(.login(then: nil))
    await rig.settle()
    await rig.coordinator.finish()
    #expect(lines(folder) == ["screen_seen feed", "screen_seen login", "signed_out"])
    #expect(told.names.isEmpty)
    // Another reader has agreed to nothing.
    try await rig.signIn(email: "other@example.org", password: "curtain call")
    rig.coordinator.perform(.tab(.bookmarks))
    clock.advance(by: .seconds(60))
    await rig.settle()
    await rig.coordinator.finish()
    #expect(lines(folder).count == 3)
  }

  @Test func aFileThatCannotBeWrittenIsReportedOnceAndItsModeIsItsOwnersAlone() async throws {
    let (told, publication, folder) = (Told(), try await Sample.publication(clock: clock), try folder())
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let rig = try await signedIn(publication, told, folder: folder)
    let file = folder + "/analytics.jsonl"
    try FileManager.default.createDirectory(atPath: file + "/in the way", withIntermediateDirectories: true)
    try await choose(.file, rig)
    for tab in [Tab.home, .bookmarks] {
      rig.coordinator.perform(.tab(tab))
      await pass(rig) { !rig.reports.isEmpty }
      await rig.settle()
    }
    #expect(rig.reports.count == 1)
    #expect(rig.reports.first?.hasPrefix("What is counted cannot be written down.") == true)
    try FileManager.default.removeItem(atPath: file)
    rig.coordinator.perform(.tab(.account))
    await pass(rig) { lines(folder).last == "screen_seen account" }
    #expect(lines(folder).count == 3, "nothing was lost")
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    await rig.coordinator.finish()
  }

  @Test func aLongFileLosesItsOlderHalf() throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = AnalyticsFile(path: folder + "/analytics.jsonl", limit: 1000)
    let event = { (number: Int) in AnalyticsEvent(name: "n\(number)", date: Date(timeIntervalSince1970: 1_780_000_000)) }
    for number in 1...40 { try file.append(AnalyticsBatch(id: "", events: [event(number)])) }
    let names = lines(folder)
    #expect(names.last == "n40")
    #expect(names.count > 5 && names.count < 30)
    #expect(names == (1...40).map { "n\($0)" }.suffix(names.count), "\(names)")
  }
}
