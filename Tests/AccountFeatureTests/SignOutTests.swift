import AccountFeature
import PublicationAPI
import PublicationClient
import Runtime
import SessionService
import TestSupport
import Testing

/// What signing out puts off or loses, and the question before it.
@MainActor @Suite(.timeLimit(.minutes(1))) struct SignOutTests {
  private let reader = ReaderFixture(posts: [.sample(1), .sample(2)])
  private var store: ContentStore { reader.store }

  /// Learns the posts, and does something to so many of them that cannot be sent.
  private func wait(with changes: Int) async throws {
    for id in ["p1", "p2"] { try await store.loadPost(id) }
    reader.publication.with { $0.refusals["PUT"] = Problem(code: "busy", title: "Not now.", status: 503) }
    for id in ["p1", "p2"].prefix(changes) { store.toggleBookmark(id) }
    await reader.settle()
  }

  @Test func whatIsSentCostsNothing() async throws {
    #expect(store.costsOfLeaving == [])
    try await store.loadPost("p1")
    store.toggleBookmark("p1")
    await reader.settle()
    #expect(store.costsOfLeaving == [])
  }

  @Test(arguments: [1, 2]) func whatWaitsIsPutOff(changes: Int) async throws {
    try await wait(with: changes)
    #expect(
      store.costsOfLeaving == [
        changes == 1
          ? "1 change waits to be sent. It stays on this computer, and is sent when you sign in here again."
          : "2 changes wait to be sent. They stay on this computer, and are sent when you sign in here again."
      ])
  }

  @Test func whatIsHalfWrittenIsLost() {
    store.commentDrafts = ["p1": "Half a thought"]
    #expect(store.costsOfLeaving == ["The comment that you began to write is lost."])
    store.commentDrafts["p2"] = "Another"
    #expect(store.costsOfLeaving == ["The 2 comments that you began to write are lost."])
    store.commentDrafts = [:]
    #expect(store.costsOfLeaving == [])
  }

  @Test func withoutNetworkWhatIsHereForReadingIsLost() async throws {
    reader.publication.with { $0.isOffline = true }
    _ = try? await store.loadPost("p1")
    #expect(store.costsOfLeaving.count == 1)
    #expect(store.costsOfLeaving.first?.hasPrefix("The publication cannot be reached. Until it can you cannot sign in again") == true)
    reader.publication.with { $0.isOffline = false }
    try await store.loadPost("p1")
    #expect(store.costsOfLeaving == [])
  }

  @Test func aChangeThatNobodyAnsweredIsPutOffAndTheWayBackIsClosed() async throws {
    try await store.loadPost("p1")
    reader.publication.with { $0.isOffline = true }
    store.toggleBookmark("p1")
    await reader.settle()
    #expect(
      store.costsOfLeaving == [
        "1 change waits to be sent. It stays on this computer, and is sent when you sign in here again.",
        "The publication cannot be reached. Until it can you cannot sign in again, and what is kept here for reading is removed.",
      ])
    reader.publication.with { $0.isOffline = false }
    store.retryNow()
    await reader.settle()
    #expect(store.costsOfLeaving == [])
  }

  @Test func whatIsOnItsWayIsAwaitedFirst() async throws {
    try await store.loadPost("p1")
    reader.publication.with { $0.holds = ["PUT"] }
    store.toggleBookmark("p1")
    await reader.waitForHeld()
    async let sent: Void = store.sent()
    await reader.clock.waitForSleepers()
    reader.publication.release()
    await sent
    #expect(store.costsOfLeaving == [])
    // What waits for something else to change, or for too long, is not.
    reader.publication.with { $0.holds = ["DELETE"] }
    store.toggleBookmark("p1")
    await reader.waitForHeld()
    async let late: Void = store.sent()
    await reader.clock.waitForSleepers()
    reader.clock.advance(by: .seconds(2))
    await late
    #expect(store.costsOfLeaving.count == 1)
    reader.publication.release()
    await reader.settle()
    try await wait(with: 1)
    await store.sent()
    #expect(store.costsOfLeaving.count == 1)
  }

  @Test func theSheetFollowsWhatWaits() async throws {
    try await wait(with: 2)
    var outputs: [SignOutViewModel.Output] = []
    let sheet = SignOutViewModel(store: store) { outputs.append($0) }
    sheet.appear()
    #expect(sheet.state.costs == store.costsOfLeaving)
    reader.publication.with { $0.refusals = [:] }
    store.retryNow()
    await reader.settle()
    while sheet.state.costs != ["Everything was sent meanwhile."] { await Task.yield() }
    sheet.cancelTapped()
    sheet.signOutTapped()
    #expect(outputs == [.close, .signOut])
  }
}
