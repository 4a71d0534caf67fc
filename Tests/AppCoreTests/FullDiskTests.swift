import CommentsFeature
import ContentCache
import FeedFeature
import Foundation
import HTTPTransport
import MenuFeature
import Patience
import PublicationServer
import ReaderContent
import Runtime
import SQLiteStorage
import Synchronization
import TestSupport
import Testing

@testable import AppCore

/// What could not be stored on this computer: the app does not end without a question.
@MainActor @Suite(.timeLimit(.minutes(3))) struct FullDiskTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)").path
  private let network = Network()
  private let nothing = "Nothing would be lost any more."

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  private func signedIn() async throws -> PathRig {
    let publication = try await Sample.publication(clock: ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000)))
    let rig = PathRig(
      InProcessTransport { [network] request in
        guard network.isThere else { throw TransportError.unreachable("there is no network") }
        return await publication.handle(request)
      }, folder: folder)
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    return rig
  }

  /// Does what a full disk does: nothing that meets the condition can be added to a table.
  private func fill(_ file: String, _ table: String, when condition: String = "true") throws {
    try Connection(path: "\(folder)/\(file).sqlite").script(
      "CREATE TRIGGER noRoom BEFORE INSERT ON \(table) WHEN \(condition) BEGIN SELECT RAISE(ABORT, 'no room'); END")
  }

  private func makeRoom(_ file: String) throws { try Connection(path: "\(folder)/\(file).sqlite").script("DROP TRIGGER noRoom") }

  /// The question that the reader is asked when the window is closed.
  private func question(_ rig: PathRig) throws -> ConfirmViewModel {
    rig.coordinator.perform(.quit)
    #expect(rig.quits == 0)
    #expect(rig.visible == .confirm(.quit))
    return try #require(rig.presenter.visibleScreen?.model as? ConfirmViewModel)
  }

  /// Writes a comment that the settings have no room for, and waits until that is known.
  private func writeWithoutRoom(_ text: String, _ rig: PathRig) async throws -> CommentsViewModel {
    rig.coordinator.perform(.comments("p44"))
    await rig.settle()
    guard let comments = rig.presenter.visibleScreen?.model as? CommentsViewModel else { throw PathRig.Missing("comments") }
    try fill("settings", "setting", when: "new.name = 'unfinished'")
    comments.send(.draftChanged(text))
    await rig.pass(.seconds(1)) { rig.coordinator.reader?.lossOnQuitting != nil }
    return comments
  }

  @Test func aDraftThatCannotBeStoredIsAskedAboutUntilItIs() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let rig = try await signedIn()
    let comments = try await writeWithoutRoom("Well said", rig)
    #expect(rig.presenter.messages.contains { $0.hasPrefix("What you do now may be lost when the app ends") })
    let first = try question(rig)
    #expect(first.state.question == "Quit Matinee?")
    #expect(first.state.loss == "What you are writing cannot be kept on this computer. If you quit, it is lost.")
    first.send(.cancelTapped)
    #expect(rig.visible == .comments("p44"))
    let second = try question(rig)
    try makeRoom("settings")
    comments.send(.draftChanged("Well said."))
    await rig.pass(.seconds(1)) { second.state.loss == nothing }
    #expect(rig.visible == .confirm(.quit), "the keys that the reader is about to press are meant for it")
    second.send(.cancelTapped)
    #expect(rig.visible == .comments("p44"))
    rig.coordinator.perform(.quit)
    #expect(rig.quits == 1, "and nothing is asked")
    await rig.coordinator.finish()
  }

  /// The reader agreed to lose it, and room was made since.
  @Test func whatCouldNotBeStoredIsTriedOnceMoreAtTheEnd() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let rig = try await signedIn()
    _ = try await writeWithoutRoom("Well said", rig)
    try question(rig).send(.confirmTapped)
    #expect(rig.quits == 1)
    try makeRoom("settings")
    await rig.coordinator.finish()
    let stored = try Connection(path: folder + "/settings.sqlite").queryOne("SELECT value FROM setting WHERE name = 'unfinished'") { row in
      try JSONDecoder().decode(UnfinishedWork.self, from: row.get(0, as: Data.self))
    }
    #expect(stored?.drafts == ["p44": "Well said"])
  }

  @Test func aChangeThatIsNeitherStoredNorSentIsAskedAboutUntilItIs() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let rig = try await signedIn()
    guard let feed = rig.presenter.visibleScreen?.model as? FeedViewModel else { throw PathRig.Missing("feed") }
    try fill("outbox", "outbox")
    network.isThere = false
    feed.send(.bookmarkTapped("p44"))
    await until { rig.coordinator.reader?.lossOnQuitting != nil }
    let sentence = "Changes that wait to be sent cannot be kept on this computer. If you quit, they are lost."
    let first = try question(rig)
    #expect(first.state.loss == sentence)
    // Nothing is sent again while the request in vain is under way.
    await until { rig.coordinator.reader?.content.outboxStatus.value.problem != nil }
    network.isThere = true
    rig.coordinator.reader?.content.actions.retryNow()
    await until { first.state.loss == nothing }
    #expect(rig.visible == .confirm(.quit), "the publication has it, and the question stays")
    first.send(.cancelTapped)
    #expect(rig.visible == .tab(.home))
    network.isThere = false
    feed.send(.bookmarkTapped("p43"))
    await until { rig.coordinator.reader?.lossOnQuitting != nil }
    try question(rig).send(.confirmTapped)
    #expect(rig.quits == 1)
  }
}

/// Whether there is a network. Safe from any thread.
private final class Network: Sendable {
  private let state = Mutex(true)
  var isThere: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
