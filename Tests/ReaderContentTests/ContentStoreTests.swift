import ContentCache
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SQLiteStorage
import Synchronization
import TestSupport
import Testing

@testable import PublicationClient
@testable import ReaderContent

// Swift Testing has one too.
private typealias Comment = PublicationAPI.Comment

@MainActor @Suite struct ContentStoreTests {
  private final class Page: ContentScreen {
    var changes = 0
    var failures: [String] = []
    func accessChanged() { changes += 1 }
    func actionFailed(_ sentence: String) { failures.append(sentence) }
    func retryUnreachable() -> Bool { false }
    func timePassed() {}
  }

  @Test func pagesOnScreenAreToldOfAccessOnce() {
    let store = ReaderFixture().store
    let page = Page()
    let other = Page()
    store.enter(page)
    store.enter(page)
    store.enter(other)
    store.leave(other)
    store.hasPremium = true
    store.hasPremium = true
    #expect(page.changes == 1)
    #expect(other.changes == 0)
  }

  @Test func aPageThatIsGoneIsNotHeld() {
    let store = ReaderFixture().store
    weak var closed: Page?
    do {
      let page = Page()
      closed = page
      store.enter(page)
    }
    #expect(closed == nil)
    store.hasPremium = true
  }

  @Test func aFailureIsToldOnceWithWhatAndWhy() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.store.postCache.store([.sample(1)])
    reader.publication.with { $0.refusals["PUT"] = Problem(code: .locked, title: "Not for you.", status: 403) }
    reader.store.toggleBookmark("p1")
    await reader.settle()
    let page = Page()
    reader.store.enter(page)
    reader.store.leave(page)
    reader.store.enter(page)
    #expect(page.failures == ["Your bookmark was not saved. Not for you."])
  }

  @Test func whatFailedWhileNoPageWasThereIsToldInOne() async {
    let reader = ReaderFixture(posts: [.sample(1), .sample(2)])
    reader.store.postCache.store([.sample(1), .sample(2)])
    reader.publication.with { $0.refusals["PUT"] = Problem(code: .locked, title: "Not for you.", status: 403) }
    reader.store.toggleBookmark("p1")
    reader.store.toggleReaction("p1")
    reader.store.toggleBookmark("p2")
    await reader.settle()
    let page = Page()
    reader.store.enter(page)
    #expect(page.failures == ["Your bookmark was not saved. Not for you. Your reaction was not saved. Not for you."])
  }

  // MARK: Removing a fan club

  private func club(_ id: String) -> FanClub { FanClub(id: id, name: "The \(id)", canRemove: true) }

  /// A reader with two clubs and a post of each, all known.
  private func readerOfTwo() -> ReaderFixture {
    let (posts, clubs) = ([Post.sample(1), .sample(2, club: "c2")], [club("c1"), club("c2")])
    let reader = ReaderFixture(posts: posts, clubs: clubs)
    reader.store.postCache.store(posts)
    reader.store.clubCache.store(clubs)
    return reader
  }

  @Test func aRemovedClubGoesWithItsPostsAndAllThatWaits() async {
    let reader = readerOfTwo()
    let (store, page) = (reader.store, Page())
    store.enter(page)
    reader.publication.with { $0.holds = ["PUT"] }
    store.toggleReaction("p2")
    await reader.waitForSuspended()
    for post in ["p1", "p2"] { store.toggleBookmark(post) }
    for club in ["c1", "c2"] { store.toggleFollow(club) }
    let written = store.comment(on: "p1", "Words")
    store.commentDrafts = ["p1": "More w", "p2": "Other w"]
    #expect(store.outboxStatus.value.count == 6)
    #expect(await store.removeFanClub("c1"))
    #expect((store.fanClubs["c1"], store.posts["p1"], written.flatMap { store.comments[$0] }) == (nil, nil, nil))
    #expect(store.outboxStatus.value.count == 3)
    #expect(store.commentDrafts == ["p2": "Other w"])
    #expect(store.listsAge == 1)
    reader.publication.release()
    await reader.settle()
    #expect(
      reader.publication.requests.filter { $0.hasPrefix("PUT") || $0.hasPrefix("DELETE") } == [
        "PUT /v1/posts/p2/reaction", "DELETE /v1/fanclubs/c1", "PUT /v1/posts/p2/bookmark", "PUT /v1/fanclubs/c2/follow",
      ])
    #expect((store.posts["p2"]?.bookmarked, store.fanClubs["c2"]?.followed) == (true, true))
    #expect(page.failures.isEmpty)
  }

  @Test func anAnswerThatComesAfterTheRemovalBringsNothingBack() async {
    let reader = readerOfTwo()
    reader.publication.with { $0.holds = ["GET /v1/posts", "PUT"] }
    reader.store.toggleBookmark("p1")
    let requested = Task { try await reader.store.search("Title") }
    let loading = Task { try await reader.store.loadPost("p1") }
    await reader.waitForSuspended(2)
    #expect(await reader.store.removeFanClub("c1"))
    reader.publication.release()
    _ = try? await requested.value
    _ = try? await loading.value
    await reader.settle()
    #expect((reader.store.posts["p1"], reader.store.posts["p2"]?.id) == (nil, "p2"))
  }

  @Test func aClubThatIsGoneAlreadyIsRemoved() async {
    let reader = readerOfTwo()
    reader.publication.with { $0.clubs.removeAll { $0.id == "c1" } }
    #expect(await reader.store.removeFanClub("c1"))
    #expect((reader.store.fanClubs["c1"], reader.store.posts["p1"]) == (nil, nil))
  }

  @Test func whyAClubWasNotRemovedIsTold() async {
    let reader = readerOfTwo()
    let page = Page()
    reader.store.enter(page)
    reader.publication.with { $0.refusals["DELETE"] = Problem(code: .inUse, title: "Others follow it.", status: 409) }
    #expect(await !reader.store.removeFanClub("c1"))
    reader.publication.with { $0.isOffline = true }
    #expect(await !reader.store.removeFanClub("c1"))
    #expect(
      page.failures == [
        "“The c1” was not removed. Others follow it.",
        "“The c1” was not removed. The publication cannot be reached. Check your connection and try again.",
      ])
    #expect((reader.store.fanClubs["c1"]?.id, reader.store.posts["p1"]?.id, reader.store.listsAge) == ("c1", "p1", 0))
  }

  @Test func whatIsNotKnownIsNotChanged() async {
    let reader = ReaderFixture()
    reader.store.toggleReaction("p1")
    reader.store.toggleBookmark("p1")
    reader.store.toggleFollow("c1")
    await reader.settle()
    #expect(reader.publication.requests.isEmpty)
  }

  @Test func aClosedStoreHoldsNothingAndDoesNothing() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let page = Page()
    reader.store.enter(page)
    reader.store.postCache.store([.sample(1)])
    reader.publication.with {
      $0.holds = ["PUT"]
      $0.refusals["PUT"] = Problem(code: .locked, title: "Not for you.", status: 403)
    }
    reader.store.toggleReaction("p1")
    await reader.waitForSuspended()
    reader.store.close()
    reader.publication.release()
    await reader.settle()
    reader.store.hasPremium = true
    reader.store.toggleBookmark("p1")
    #expect(reader.store.posts["p1"] == nil)
    #expect(page.failures.isEmpty)
    #expect(page.changes == 0)
    #expect(reader.publication.requests.count == 1)
  }

  @Test func aReactionOfOneKindTakesThePlaceOfAnother() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.store.postCache.store([.sample(1)])
    reader.store.react("p1", .wow)
    reader.store.react("p1", .laugh)
    await reader.settle()
    #expect(reader.publication.requests == ["PUT /v1/posts/p1/reaction"], "at most the last reaches the publication")
    #expect(reader.publication.with { $0.posts[0].reactions } == [.laugh: 1])
    reader.store.react("p1", .laugh)
    await reader.settle()
    #expect(reader.publication.with { $0.posts[0].reactions } == [:])
    #expect(reader.store.posts["p1"]?.reaction == nil)
  }

  @Test func aPostIsMarkedReadOnce() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.store.postCache.store([.sample(1)])
    reader.store.markRead("p1")
    reader.store.markRead("p1")
    await reader.settle()
    reader.store.markRead("p1")
    await reader.settle()
    #expect(reader.publication.requests == ["PUT /v1/posts/p1/read"])
    #expect(reader.store.posts["p1"]?.read == true)
  }

  @Test func aCommentIsThereAndCountedAtOnce() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.store.postCache.store([.sample(1)])
    let id = reader.store.comment(on: "p1", " \u{7}\r\nWell said.\n")
    let mine = id.flatMap { reader.store.comments[$0] }
    #expect(mine?.text == "Well said.")
    #expect(mine?.isMine == true)
    #expect(reader.store.posts["p1"]?.comments == 1, "counted at once")
    #expect(mine?.posted == reader.clock.now)
    #expect(reader.store.comments.ids { $0.postID == "p1" } == [id].compactMap { $0 })
    await reader.settle()
    #expect(reader.publication.with { $0.comments.map(\.id) } == [id])
    #expect(reader.store.posts["p1"]?.comments == 1)
    reader.store.deleteComment(id ?? "")
    #expect(reader.store.comments[id ?? ""] == nil)
    #expect(reader.store.posts["p1"]?.comments == 0, "at once")
    await reader.settle()
    #expect(reader.publication.with(\.comments).isEmpty)
    #expect(reader.store.posts["p1"]?.comments == 0)
  }

  @Test func whatIsPastedIsPlainText() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let id = reader.store.comment(on: "p1", "One\r\nTwo\rThree\tfour\u{1B}[0m 👩‍👩‍👧") ?? ""
    #expect(reader.store.comments[id]?.text == "One\nTwo\nThree\tfour[0m 👩‍👩‍👧")
    await reader.settle()
  }

  @Test(arguments: ["", " \n ", String(repeating: "x", count: Comment.longest + 1), "x" + String(repeating: "\u{301}", count: 8192)])
  func aCommentNeedsATextThatFits(text: String) async {
    let reader = ReaderFixture(posts: [.sample(1)])
    #expect(reader.store.comment(on: "p1", text) == nil)
    await reader.settle()
    #expect(reader.publication.requests.isEmpty)
  }

  @Test func aCommentThatWasNeverSentIsDeletedWithoutItsText() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.store.postCache.store([.sample(1)])
    reader.publication.with { $0.isOffline = true }
    let id = reader.store.comment(on: "p1", "Too much.") ?? ""
    await reader.settle()
    #expect(reader.store.posts["p1"]?.comments == 1)
    reader.store.deleteComment(id)
    #expect(reader.store.posts["p1"]?.comments == 0)
    #expect(reader.store.outboxStatus.value.count == 1)
    reader.publication.with { $0.isOffline = false }
    reader.publication.forgetRequests()
    reader.store.retryNow()
    await reader.settle()
    #expect(reader.publication.requests.first == "DELETE /v1/posts/p1/comments/\(id)")
    #expect(!reader.publication.requests.contains { $0.hasPrefix("PUT") })
    #expect(reader.store.outboxStatus.value == OutboxStatus())
  }

  @Test func theTextOfARefusedCommentIsHandedBackOnce() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let page = Page()
    reader.store.enter(page)
    reader.publication.with { $0.refusals["PUT"] = Problem(code: .locked, title: "Not for you.", status: 403) }
    reader.store.postCache.store([.sample(1)])
    let id = reader.store.comment(on: "p1", "Well said.") ?? ""
    #expect(reader.store.posts["p1"]?.comments == 1)
    await reader.settle()
    #expect(reader.store.posts["p1"]?.comments == 0)
    #expect(reader.store.comments[id] == nil)
    #expect(page.failures == ["Your comment was not saved. Not for you."])
    #expect(reader.store.takeRefusedComment(on: "p1") == "Well said.")
    #expect(reader.store.takeRefusedComment(on: "p1") == nil)
  }

  @Test func eachRefusedCommentIsHandedBack() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.publication.with { $0.refusals["PUT"] = Problem(code: .locked, title: "Not for you.", status: 403) }
    reader.store.comment(on: "p1", "First.")
    reader.store.comment(on: "p1", "Second.")
    await reader.settle()
    #expect(reader.store.takeRefusedComment(on: "p1") == "First.\n\nSecond.")
  }

  @Test func aRefusedCommentOutlivesTheProcessUntilItIsSentOrGivenUp() async throws {
    let outbox = Outbox(database: try await Database(path: ":memory:", migrations: Outbox.migrations), owner: "reader")
    let (publication, effects) = (ScriptedPublication(posts: [.sample(1)]), Effects())
    publication.with { $0.refusals["PUT"] = Problem(code: .locked, title: "Not for you.", status: 403) }
    let identifiers = SequentialIdentifiers()
    let started = { (unfinished: UnfinishedWork) in
      let store = ContentStore(
        client: APIClient(transport: publication, token: { "token" }), outbox: outbox, unfinished: unfinished,
        retry: RetryEnvironment(on: ManualClock()), effects: effects, identifiers: identifiers)
      await store.resume()
      await effects.settled()
      return store
    }
    let first = await started(UnfinishedWork())
    first.comment(on: "p1", "First.")
    first.comment(on: "p1", "Second.")
    await effects.settled()
    publication.forgetRequests()

    for _ in 1...2 {
      let again = await started(UnfinishedWork())
      let page = Page()
      again.enter(page)
      #expect(page.failures == ["Your comment was not saved. Not for you."])
      #expect(again.comments.ids { _ in true }.isEmpty)
      let text = again.takeRefusedComment(on: "p1")
      #expect(text == "First.\n\nSecond.")
      #expect(again.takeRefusedComment(on: "p1") == nil)
      // It is in the field now, and not sent.
      again.commentDrafts["p1"] = text
      again.commentDrafts["p2"] = nil
      await effects.settled()
      again.close()
      await again.written()
    }
    // A draft that was kept has the text in it, and is not given it twice.
    let stored = await started(UnfinishedWork())
    stored.commentDrafts["p1"] = stored.takeRefusedComment(on: "p1")
    let unfinished = stored.unfinished
    stored.close()
    await stored.written()
    let withDraft = await started(unfinished)
    #expect(withDraft.commentDrafts["p1"] == "First.\n\nSecond.")
    #expect(withDraft.takeRefusedComment(on: "p1") == nil)
    withDraft.close()
    await withDraft.written()
    let last = await started(UnfinishedWork())
    last.commentDrafts["p1"] = last.takeRefusedComment(on: "p1")
    last.commentDrafts["p1"] = nil
    await last.written()
    #expect(await started(UnfinishedWork()).takeRefusedComment(on: "p1") == nil)
    #expect(publication.requests.isEmpty, "what was refused is not sent again")
  }

  /// What the app was asked to offer, and what says that the reader has answered.
  private final class Offers {
    var all: [(message: String, text: String, answered: @MainActor () -> Void)] = []
    var texts: [String] { all.map(\.text) }
  }

  /// A start of the app with an outbox that outlives it.
  private func start(
    _ outbox: Outbox, _ publication: ScriptedPublication, offering offers: Offers, _ unfinished: UnfinishedWork = UnfinishedWork(),
    effects: Effects
  ) async -> ContentStore {
    let store = ContentStore(
      client: APIClient(transport: publication, token: { "token" }), outbox: outbox, unfinished: unfinished,
      retry: RetryEnvironment(on: ManualClock()), effects: effects)
    offers.all = []
    store.onTextWithoutField = { offers.all.append(($0, $1, $2)) }
    await store.resume()
    await effects.settled()
    return store
  }

  private func end(_ store: ContentStore) async {
    store.close()
    await store.written()
  }

  private func memoryOutbox() async throws -> Outbox {
    Outbox(database: try await Database(path: ":memory:", migrations: Outbox.migrations), owner: "reader")
  }

  /// No field can have it back.
  @Test func theTextOfACommentWhosePostIsGoneIsOfferedUntilTheReaderAnswers() async throws {
    let (outbox, publication, effects, offers, page) = (try await memoryOutbox(), ScriptedPublication(), Effects(), Offers(), Page())
    let first = await start(outbox, publication, offering: offers, effects: effects)
    first.enter(page)
    first.comment(on: "p1", "Well said.")
    await effects.settled()
    #expect(offers.all.map(\.message) == ["Your comment “Well said.” was not saved, and its post is gone."])
    #expect(offers.texts == ["Well said."])
    #expect(page.failures == [], "it is said once")
    await end(first)

    let second = await start(outbox, publication, offering: offers, effects: effects)
    #expect(offers.texts == ["Well said."], "the reader has not answered")
    offers.all.first?.answered()
    #expect(second.takeRefusedComment(on: "p1") == nil)
    await end(second)

    let third = await start(outbox, publication, offering: offers, effects: effects)
    #expect(offers.texts == [])
    await end(third)
  }

  /// As where it was refused for another reason, and the post went later.
  @Test func aDraftWithARefusedTextIsOfferedAsItIsOnceItsPostIsGone() async throws {
    let (outbox, publication) = (try await memoryOutbox(), ScriptedPublication(posts: [.sample(1)]))
    let (effects, offers) = (Effects(), Offers())
    publication.with { $0.refusals["PUT"] = Problem(code: .locked, title: "Not for you.", status: 403) }
    let first = await start(outbox, publication, offering: offers, effects: effects)
    first.comment(on: "p1", "Well said.")
    await effects.settled()
    #expect(offers.texts == [], "its field can have it back")
    first.commentDrafts["p1"] = try #require(first.takeRefusedComment(on: "p1")) + " Indeed."
    let unfinished = first.unfinished
    await end(first)
    publication.with { $0.posts = [] }

    let second = await start(outbox, publication, offering: offers, unfinished, effects: effects)
    #expect(offers.texts == ["Well said. Indeed."])
    offers.all.first?.answered()
    #expect(second.commentDrafts.isEmpty)
    await end(second)
    let third = await start(outbox, publication, offering: offers, effects: effects)
    #expect(offers.texts == [] && third.takeRefusedComment(on: "p1") == nil)
    await end(third)
  }

  /// What the reader writes on the page that is still open was not offered.
  @Test func whatWasWrittenAfterAnOfferStays() async throws {
    let (outbox, publication, effects, offers) = (try await memoryOutbox(), ScriptedPublication(), Effects(), Offers())
    let store = await start(outbox, publication, offering: offers, effects: effects)
    store.comment(on: "p1", "Well said.")
    await effects.settled()
    store.commentDrafts["p1"] = "Something else"
    offers.all.first?.answered()
    #expect(store.commentDrafts == ["p1": "Something else"])
    await end(store)
  }

  @Test func whileThePublicationCannotBeAskedARefusedTextWaitsForItsField() async throws {
    let (outbox, publication, effects, offers, page) = (try await memoryOutbox(), ScriptedPublication(), Effects(), Offers(), Page())
    let first = await start(outbox, publication, offering: offers, effects: effects)
    first.comment(on: "p1", "Well said.")
    await effects.settled()
    await end(first)
    publication.with { $0.isOffline = true }
    let second = await start(outbox, publication, offering: offers, effects: effects)
    second.enter(page)
    #expect(offers.texts == [])
    #expect(page.failures == ["Your comment was not saved. There is no such thing."])
    #expect(second.takeRefusedComment(on: "p1") == "Well said.")
    await end(second)
  }

  @Test func anotherReadersCommentIsNotDeleted() async {
    let reader = ReaderFixture(posts: [.sample(1)])
    let theirs = Comment(id: UUID().uuidString, postID: "p1", author: "Other", isMine: false, text: "Mine!", posted: .distantPast)
    reader.store.commentCache.store([theirs])
    reader.store.deleteComment(theirs.id)
    await reader.settle()
    #expect(reader.store.comments[theirs.id] == theirs)
    #expect(reader.publication.requests.isEmpty)
  }

  @Test func aPostThatIsGoneEndsTheActionAndTheReaderIsTold() async {
    let reader = ReaderFixture(posts: [])
    let page = Page()
    reader.store.enter(page)
    reader.store.postCache.store([.sample(1), .sample(2)])
    reader.publication.with { $0.posts = [.sample(2)] }
    reader.store.toggleBookmark("p1")
    reader.store.toggleBookmark("p2")
    await reader.settle()
    #expect(page.failures == ["Your bookmark was not saved. There is no such thing."])
    #expect(reader.publication.with { $0.posts[0].bookmarked })
    #expect(reader.store.outboxStatus.value == OutboxStatus())
    #expect(reader.store.posts["p1"] == nil, "no page shows it any more")
  }

  @Test func aPostThatIsGoneGoesWithTheCommentOnIt() async {
    let reader = ReaderFixture(posts: [])
    reader.store.postCache.store([.sample(1)])
    reader.store.comment(on: "p1", "Well said.")
    await reader.settle()
    #expect(reader.store.posts["p1"] == nil)
    #expect(reader.store.takeRefusedComment(on: "p1") == "Well said.")
  }

  @Test func aPublicationWhoseListOfClubsHasNoEndIsNotAskedForEver() async throws {
    let club = FanClub(id: "c1", name: "Club", followed: true)
    let canned = Canned { _ in Response(200, body: try Wire.encode(PublicationAPI.Page(items: [club], next: "\(UUID())"))) }
    let store = ContentStore(client: canned.client(), retry: RetryEnvironment(on: ManualClock()), effects: Effects())
    #expect(try await store.followedClubs("clubs") == [club])
    #expect(canned.requests.count == 6)
  }

  @Test func aClubThatIsGoneLeavesItsPages() async {
    let reader = ReaderFixture(clubs: [])
    reader.store.clubCache.store([FanClub(id: "c1", name: "Club")])
    reader.store.toggleFollow("c1")
    await reader.settle()
    #expect(reader.store.fanClubs["c1"] == nil)
  }

  @Test(arguments: [401, 408, 425, 429, 502, 503, 504]) func whoIsBusyOrDoesNotKnowTheReaderRefusesNothing(status: Int) async {
    let reader = ReaderFixture(posts: [.sample(1)])
    reader.store.postCache.store([.sample(1)])
    reader.publication.with { $0.refusals["PUT"] = Problem(code: "later", title: "Not now.", status: status) }
    reader.store.toggleBookmark("p1")
    for _ in 1...20 {
      await reader.settle()
      #expect(reader.store.posts["p1"]?.bookmarked == true)
      #expect(reader.store.outboxStatus.value == OutboxStatus(count: 1, problem: "Not now."))
      reader.store.retryNow()
    }
  }

  @Test func whatBreaksThePublicationIsGivenUpSoThatTheRestComesOut() async throws {
    let reader = ReaderFixture(posts: [.sample(1), .sample(2)], clubs: [FanClub(id: "c1", name: "Club")])
    let page = Page()
    reader.store.enter(page)
    reader.store.postCache.store([.sample(1), .sample(2)])
    reader.publication.with { $0.refusals["PUT /v1/posts/p1"] = Problem(code: .internalError, title: "Broken.", status: 500) }
    reader.store.toggleBookmark("p1")
    reader.store.toggleBookmark("p2")
    // While it answers nothing else it may be that it answers nothing at all.
    for tries in 1...8 {
      await reader.settle()
      #expect(reader.publication.requests.count == tries)
      #expect(reader.store.posts["p1"]?.bookmarked == true)
      reader.clock.advance(by: reader.clock.nextDue ?? .zero)
    }
    for _ in 2...5 {
      await reader.settle()
      #expect(reader.store.posts["p1"]?.bookmarked == true)
      try await reader.store.loadFanClub("c1")
    }
    await reader.settle()
    #expect(page.failures == ["Your bookmark was not saved. Broken."])
    #expect(reader.store.posts["p1"]?.bookmarked == false)
    #expect(reader.publication.with { $0.posts[1].bookmarked })
  }

  @Test(arguments: [403, 404, 405, 500]) func aPageInThePublicationsPlaceRefusesNothing(status: Int) async {
    let answers = Mutex(Array(repeating: Response(status, body: Data("<html>".utf8)), count: 8))
    let saved = (try? Wire.encode(Post.sample(1, bookmarked: true))) ?? Data()
    let transport = InProcessTransport { _ in answers.withLock { $0.isEmpty ? Response(200, body: saved) : $0.removeFirst() } }
    let (clock, effects) = (ManualClock(), Effects())
    let store = ContentStore(
      client: APIClient(transport: transport, token: { "token" }), retry: RetryEnvironment(on: clock), effects: effects)
    store.postCache.store([.sample(1)])
    store.toggleBookmark("p1")
    for left in (0..<8).reversed() {
      await effects.settled()
      #expect(answers.withLock { $0.count } == left)
      #expect(store.outboxStatus.value.count == 1)
      clock.advance(by: clock.nextDue ?? .zero)
    }
    await effects.settled()
    #expect(store.outboxStatus.value == OutboxStatus())
    #expect(store.posts["p1"]?.bookmarked == true)
  }

  @Test func thePublicationsRetryAfterIsHonoured() async {
    let answers = Mutex([Response(503, headers: ["Retry-After": "90"]), Response(200, body: (try? Wire.encode(Post.sample(1))) ?? Data())])
    let transport = InProcessTransport { _ in answers.withLock { $0.removeFirst() } }
    let (clock, effects) = (ManualClock(), Effects())
    let store = ContentStore(
      client: APIClient(transport: transport, token: { "token" }), retry: RetryEnvironment(on: clock), effects: effects)
    store.postCache.store([.sample(1)])
    store.toggleBookmark("p1")
    await effects.settled()
    #expect(clock.nextDue.map { $0 >= .seconds(90) && $0 < .milliseconds(90_500) } == true)
    #expect(answers.withLock { $0.count } == 1)
    clock.advance(by: .milliseconds(90_500))
    await effects.settled()
    #expect(store.outboxStatus.value == OutboxStatus())
  }
}
