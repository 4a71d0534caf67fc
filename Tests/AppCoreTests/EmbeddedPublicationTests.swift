import AppCore
import Foundation
import HTTPTransport
import LoginFeature
import PublicationServer
import Runtime
import SessionService
import TestSupport
import Synchronization
import Testing

/// The app with the publication inside it, when that cannot be opened.
@MainActor @Suite(.timeLimit(.minutes(3))) struct EmbeddedPublicationTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)").path
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
  private var key: String { folder + "/publication/receipts.pem" }

  private func embedded() -> EmbeddedPublication {
    EmbeddedPublication(folder: folder + "/publication", clock: clock, web: nil) { _ in }
  }

  /// A start makes many requests, and each finds the same.
  @Test func whatKeepsItFromOpeningIsLoggedOnce() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    await (try await embedded().opened()).close()
    try FileManager.default.removeItem(atPath: key)
    let lines = Mutex<[String]>([])
    let embedded = EmbeddedPublication(folder: folder + "/publication", clock: clock, web: nil) { line in lines.withLock { $0.append(line) }
    }
    for _ in 1...3 { #expect(try await embedded.answer(Request(.get, "/v1/publication")).status == 500) }
    #expect(lines.withLock { $0.count } == 1)
    try Data("no key".utf8).write(to: URL(fileURLWithPath: key))
    for _ in 1...2 { _ = try await embedded.answer(Request(.get, "/v1/publication")) }
    #expect(lines.withLock { $0.count } == 2)
  }

  @Test(arguments: [nil, "no key"]) func aKeyThatIsNotThereIsToldInASentenceThatSaysWhatToDo(text: String?) async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    await (try await embedded().opened()).close()
    let stored = try #require(FileManager.default.contents(atPath: key))
    try FileManager.default.removeItem(atPath: key)
    if let text { #expect(FileManager.default.createFile(atPath: key, contents: Data(text.utf8))) }

    let embedded = embedded()
    let rig = PathRig(InProcessTransport { try await embedded.answer($0) }, folder: folder, clock: clock)
    rig.coordinator.start()
    await rig.settle()
    let sentence =
      "The publication on this computer cannot be opened, because the file \(key) is \(text == nil ? "missing" : "damaged"): put a backup of "
      + "it there and try again, or have a new one made by “matinee-server key rotate --data \(folder)/publication” in a terminal, which "
      + "leaves what you have bought as it is."
    guard let login = rig.presenter.visibleScreen?.model as? LoginViewModel else { throw PathRig.Missing("login") }
    #expect(login.state.notice == sentence)
    // Whoever puts it back need not start the app again.
    try stored.write(to: URL(fileURLWithPath: key))
    try await rig.signIn(email: "reader@example.org", password: "wrong")
    #expect(login.state.notice == nil)
    #expect(login.state.publication != nil)
    await (try await embedded.opened()).close()
  }
}
