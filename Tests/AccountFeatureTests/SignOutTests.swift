import AccountFeature
import Patience
import PublicationAPI
import ReaderContent
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
    #expect(store.costsOfLeaving == ["The comment that you began to write will be lost."])
    store.commentDrafts["p2"] = "Another"
    #expect(store.costsOfLeaving == ["The 2 comments that you began to write will be lost."])
    store.commentDrafts = [:]
    #expect(store.costsOfLeaving == [])
  }

  /// The text of a refused comment is found again after the next start. What the reader wrote to it is not.
  @Test func whatIsWrittenToARefusedCommentIsLost() async throws {
    try await store.loadPost("p1")
    reader.publication.with { $0.refusals["PUT"] = Problem(code: .locked, title: "Comments are closed.", status: 403) }
    store.comment(on: "p1", "Refused")
    await reader.settle()
    #expect(store.costsOfLeaving == [])
    let refused = try #require(store.takeRefusedComment(on: "p1"))
    store.commentDrafts["p1"] = refused
    #expect(store.costsOfLeaving == [])
    store.commentDrafts["p1"] = "\(refused)\n\nAnd half a thought"
    #expect(store.costsOfLeaving == ["The comment that you began to write will be lost."])
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
        "The publication cannot be reached. Until it can you cannot sign in again. What is kept here for reading is removed, and the publication goes on listing this session as yours.",
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
    await reader.waitForSuspended()
    async let sent: Void = store.learnCostsOfLeaving()
    await reader.clock.waitForSleepers()
    reader.publication.release()
    await sent
    #expect(store.costsOfLeaving == [])
    // What waits for something else to change, or for too long, is not.
    reader.publication.with { $0.holds = ["DELETE"] }
    store.toggleBookmark("p1")
    await reader.waitForSuspended()
    var isReached = false
    reader.effects.onDelivery = { if $0.label == "leave.reach" { isReached = true } }
    async let late: Void = store.learnCostsOfLeaving()
    await reader.clock.waitForSleepers()
    await until { isReached }
    reader.clock.advance(by: .seconds(2))
    await late
    #expect(store.costsOfLeaving.count == 1)
    reader.publication.release()
    await reader.settle()
    try await wait(with: 1)
    await store.learnCostsOfLeaving()
    #expect(store.costsOfLeaving.count == 1)
  }

  /// None of these had failed a question before: the reader stands at the network's edge, or went on with what is stored.
  @Test(arguments: ["silent", "gone", "a proxy's", "busy"]) func aPublicationThatDoesNotAnswerNowIsOutOfReach(it: String) async throws {
    try await store.loadPost("p1")
    reader.publication.with {
      switch it {
      case "silent": $0.holds = ["GET"]
      case "gone": $0.isOffline = true
      case "busy": $0.refusals["GET"] = Problem(code: "busy", title: "Not now.", status: 503)
      default: $0.refusals["GET"] = Problem(code: "http_403", title: "Sign in to the network.", status: 403)
      }
    }
    async let learned: Void = store.learnCostsOfLeaving()
    if it == "silent" {
      await reader.waitForSuspended()
      await reader.clock.waitForSleepers()
      reader.clock.advance(by: .seconds(2))
    }
    await learned
    #expect(store.costsOfLeaving.count == 1)
    #expect(store.costsOfLeaving.first?.hasPrefix("The publication cannot be reached.") == true)
    // An answer that comes late counts all the same.
    reader.publication.with { ($0.isOffline, $0.refusals) = (false, [:]) }
    reader.publication.release()
    await reader.settle()
    if it != "silent" { await store.learnCostsOfLeaving() }
    #expect(store.costsOfLeaving == [])
  }

  @Test func theSheetFollowsWhetherThePublicationIsThere() async throws {
    reader.publication.with { $0.isOffline = true }
    await store.learnCostsOfLeaving()
    let sheet = SignOutViewModel(store: store) { _ in }
    sheet.appear()
    #expect(sheet.state.costs == store.costsOfLeaving)
    reader.publication.with { $0.isOffline = false }
    try await store.loadPost("p1")
    await until { sheet.state.costs == ["Nothing is put off or lost any more."] }
  }

  /// Drafts and payments are told one after the other.
  @Test func aPaymentThatWaitsIsPutOff() {
    let payments = LastValue(WaitingPayments())
    let sheet = SignOutViewModel(store: store, payments: payments.observe) { _ in }
    #expect(sheet.state.costs == [], "nothing is known yet")
    sheet.appear()
    payments.value.forReader = 1
    func says(_ costs: [String]) { #expect(sheet.state.costs == costs) }
    says(["1 payment is not confirmed yet. You hear what becomes of it when you sign in again."])
    store.commentDrafts = ["p1": "Half a thought"]
    payments.value.forBank = 1
    says([
      "The comment that you began to write will be lost.",
      "2 payments are not confirmed yet. You hear what becomes of them when you sign in again.",
    ])
    store.commentDrafts = [:]
    payments.value = WaitingPayments()
    says(["Nothing is put off or lost any more."])
    sheet.disappear()
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
    await until { sheet.state.costs == ["Nothing is put off or lost any more."] }
    sheet.send(.cancelTapped)
    sheet.send(.signOutTapped)
    #expect(outputs == [.close, .signOut])
  }
}
