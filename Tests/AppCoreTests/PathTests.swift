import AccountFeature
import AppCore
import ArticleFeature
import BookmarksFeature
import CurlTransport
import FanClubFeature
import FeedFeature
import Foundation
import HTTPTransport
import LoginFeature
import NavigationCore
import Patience
import PublicationClient
import PublicationListener
import PublicationServer
import Runtime
import SessionService
import Synchronization
import TestSupport
import Testing

/// The path from the curtain to a page, through the coordinator, against the real router, in this process and over a socket.
@MainActor @Suite struct PathTests {
  /// The two ways to the same router.
  enum End: CaseIterable { case inProcess, network }

  private func rig(_ end: End = .inProcess) async throws -> PathRig {
    let publication = try await Sample.publication(clock: ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000)))
    switch end {
    case .inProcess: return PathRig(InProcessTransport { await publication.handle($0) })
    case .network:
      let listener = try Listener(publication, port: 0, clock: SystemClock())
      return PathRig(try NetworkTransport(origin: listener.origin), retaining: listener)
    }
  }

  @Test(arguments: End.allCases) func startWithoutASessionLeadsToTheLogin(end: End) async throws {
    let rig = try await rig(end)
    rig.coordinator.start()
    #expect(rig.presenter.visited == [nil])
    await rig.settle()
    #expect(rig.presenter.visited == [nil, .login])
    guard let login = rig.presenter.visibleScreen?.model as? LoginViewModel else { throw PathRig.Missing("login") }
    #expect(login.state.publication?.name == "The Sample")
    #expect(login.state.offersSampleAccount)
  }

  /// The answer to what a reader did may come when they have left. It is not for whoever reads then.
  @Test func whatIsSaidToAReaderIsNotSaidToTheNext() async throws {
    let publication = try await Sample.publication(clock: ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000)))
    let (requested, isAnswering) = (Flag(), Flag())
    let rig = PathRig(
      InProcessTransport { request in
        let response = await publication.handle(request)
        if request.method == .delete, request.path == "/v1/sessions" {
          await requested.set()
          await until { await isAnswering.isSet }
        }
        return response
      })
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    // Somewhere else, too.
    let other = Request(
      .post, "/v1/session", headers: ["Content-Type": "application/json"],
      body: Data(#"{"email": "reader@example.org", "password": "matinee", "device": "Desk"}"#.utf8))
    #expect(await publication.handle(other).status == 201)
    rig.coordinator.perform(.sessions)
    await rig.settle()
    let sessions = try #require(rig.presenter.visibleScreen?.model as? SessionsViewModel)
    sessions.send(.endOthersTapped)
    await until { await requested.isSet }
    rig.coordinator.perform(.tab(.account))
    try #require(rig.presenter.visibleScreen?.model as? AccountViewModel).send(.signOutTapped)
    await until { rig.visible == .login }
    await isAnswering.set()
    await rig.settle()
    try await rig.signIn()
    #expect(rig.visible == .tab(.home))
    #expect(rig.presenter.messages == [])
  }

  @Test(arguments: End.allCases) func signingInLeadsToTheFeed(end: End) async throws {
    let rig = try await rig(end)
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn(password: "wrong")
    #expect(rig.visible == .login)
    try await rig.signIn()
    #expect(rig.visible == .tab(.home))
    guard let feed = rig.presenter.visibleScreen?.model as? FeedViewModel else { throw PathRig.Missing("feed") }
    #expect(feed.state.posts.phase == .ready)
    #expect(feed.state.posts.ids.first == "p45")
    #expect(feed.row(for: "p45")?.isLocked == true)
    #expect(feed.row(for: "p44")?.isLocked == false)
    feed.send(.reachedEnd)
    await rig.settle()
    #expect(feed.state.posts.ids.count == 40)
  }

  @Test func aWarmSessionGoesFromTheCurtainStraightToTheFeed() async throws {
    let tokens = MemoryTokenStore()
    let publication = try await Sample.publication(clock: ManualClock())
    let transport = InProcessTransport { await publication.handle($0) }
    let first = PathRig(transport, tokens: tokens)
    first.coordinator.start()
    await first.settle()
    try await first.signIn()
    let second = PathRig(transport, tokens: tokens)
    second.coordinator.start()
    await second.settle()
    #expect(second.presenter.visited == [nil, .tab(.home)])
  }

  @Test func aCheckThatTakesLongOffersToContinueOffline() async throws {
    let publication = try await Sample.publication(clock: ManualClock())
    let tokens = MemoryTokenStore()
    let first = PathRig(InProcessTransport { await publication.handle($0) }, tokens: tokens)
    first.coordinator.start()
    await first.settle()
    try await first.signIn()

    let (gate, hangs) = (ManualClock(), Flag())
    await hangs.set()
    let slow = InProcessTransport { request in
      if request.path == "/v1/session/refresh", await hangs.isSet { try await gate.sleep(for: .seconds(60)) }
      return await publication.handle(request)
    }
    let second = PathRig(slow, tokens: tokens)
    second.coordinator.start()
    await gate.waitForSleepers()
    await second.clock.waitForSleepers()
    #expect(!second.curtain.state.showsSpinner)
    // Others sleep on this clock too: what the timer does is awaited, not that somebody sleeps.
    await second.pass(.milliseconds(300)) { second.curtain.state.showsSpinner }
    await second.pass(.seconds(5)) { second.curtain.state.offersChoice }
    second.curtain.send(.continueOfflineTapped)
    await until { second.visible != nil }
    #expect(second.presenter.visited == [nil, .tab(.home)])
    await hangs.set(false)
    gate.advance(by: .seconds(60))
    await second.settle()
    #expect(second.presenter.visited == [nil, .tab(.home)])
  }

  /// Keeps the session behind a keyring that takes its time.
  struct SlowKeyring: TokenStore {
    let tokens: MemoryTokenStore
    let gate: ManualClock
    func load() async throws(TokenStoreError) -> StoredSession? {
      try? await gate.sleep(for: .seconds(4))
      return tokens.load()
    }
    func save(_ session: StoredSession) async throws(TokenStoreError) { tokens.save(session) }
    func clear() async throws(TokenStoreError) { tokens.clear() }
  }

  @Test func aSlowKeyringDoesNotTakeTheChoiceAwayFromASlowCheck() async throws {
    let publication = try await Sample.publication(clock: ManualClock())
    let tokens = MemoryTokenStore()
    let first = PathRig(InProcessTransport { await publication.handle($0) }, tokens: tokens)
    first.coordinator.start()
    await first.settle()
    try await first.signIn()

    let (keyring, gate) = (ManualClock(), ManualClock())
    let checks = Mutex(0)
    let slow = InProcessTransport { request in
      if request.path == "/v1/session/refresh" {
        checks.withLock { $0 += 1 }
        try await gate.sleep(for: .seconds(60))
      }
      return await publication.handle(request)
    }
    let second = PathRig(slow, tokens: tokens, keyring: SlowKeyring(tokens: tokens, gate: keyring))
    second.coordinator.start()
    await keyring.waitForSleepers()
    await second.clock.waitForSleepers()
    second.clock.advance(by: .seconds(4))
    await until { second.curtain.state.showsSpinner }
    #expect(!second.curtain.state.offersChoice, "nobody is known who could continue")
    keyring.advance(by: .seconds(4))
    await gate.waitForSleepers()
    await second.clock.waitForSleepers()
    second.clock.advance(by: .seconds(5))
    await until { second.curtain.state.offersChoice }
    #expect(second.curtain.state.showsSpinner)
    second.curtain.send(.tryAgainTapped)
    #expect(!second.curtain.state.offersChoice, "the new check has its own time")
    // In the place of the first, which nobody waits for any more.
    await until { checks.withLock({ $0 }) >= 2 }
    await gate.waitForSleepers()
    gate.advance(by: .seconds(60))
    await second.settle()
    #expect(second.visible == .tab(.home))
  }

  @Test func aReaderWhoIsBeingLetInIsNotLetInTwice() async throws {
    let publication = try await Sample.publication(clock: ManualClock())
    let tokens = MemoryTokenStore()
    let first = PathRig(InProcessTransport { await publication.handle($0) }, tokens: tokens)
    first.coordinator.start()
    await first.settle()
    try await first.signIn()
    let user = try #require(tokens.stored?.user)

    let gate = ManualClock()
    let slow = InProcessTransport { request in
      if request.path == "/v1/session/refresh" { try await gate.sleep(for: .seconds(60)) }
      return await publication.handle(request)
    }
    let second = PathRig(slow, tokens: tokens)
    var opened = 0
    second.effects.onDelivery = { if $0.label == "reader.open" { opened += 1 } }
    second.coordinator.start()
    await gate.waitForSleepers()
    // The reader continues offline, and the answer arrives in the same moment.
    let session = Session(
      auth: PublicationAuthProvider(APIClient(transport: slow, token: { nil })), store: tokens, tokens: TokenBox(), effects: Effects())
    second.coordinator.session(session, changedFrom: .checking(user, .persisted), to: .unverified(user, .persisted))
    second.coordinator.session(session, changedFrom: .unverified(user, .persisted), to: .signedIn(user, .persisted))
    gate.advance(by: .seconds(60))
    await second.settle()
    #expect(second.visible == .tab(.home))
    #expect(opened == 1)
  }

  @Test func whatIsWrongWithTheFirstLinkIsSaidWhenItCanBeSeen() async throws {
    let rig = try await rig()
    rig.coordinator.start(opening: "nonsense")
    #expect(rig.presenter.messages.isEmpty, "the curtain hides it")
    await rig.settle()
    #expect(rig.presenter.messages == ["“nonsense” is not a Matinee link."])
  }

  @Test(arguments: End.allCases) func aLinkWaitsForTheLoginAndTheLastOneWins(end: End) async throws {
    let rig = try await rig(end)
    rig.coordinator.start(opening: "matinee://posts/p1")
    await rig.settle()
    rig.coordinator.perform(.tab(.bookmarks))
    rig.coordinator.open(uri: "matinee://fanclubs/film")
    try await rig.signIn()
    #expect(rig.visible == .fanClub("film"))
    #expect(rig.tracks.map(\.outcome) == [.deferred, nil, .ignored, .deferred, nil, .performed])
  }

  @Test func everyStepIsTrackedWithWhatIsOpenAfterIt() async throws {
    let rig = try await rig()
    rig.coordinator.start()
    await rig.settle()
    #expect(rig.tracks.map(\.step) == [.started])
    try await rig.signIn()
    rig.coordinator.perform(.preferences)
    rig.coordinator.perform(.back)
    rig.coordinator.perform(.back)
    rig.coordinator.perform(.login(then: nil))
    await rig.settle()
    #expect(
      rig.tracks.map(\.step) == [
        .started, .signedIn, .navigation(.preferences, from: .app, .performed), .navigation(.back, from: .app, .performed),
        .navigation(.back, from: .app, .ignored), .navigation(.login(then: nil), from: .app, .performed), .signedOut(isDeliberate: true),
      ])
    #expect(
      rig.tracks.map(\.tree.top.destination) == [.login, .tab(.home), .preferences, .tab(.home), .tab(.home), .tab(.home), .login],
      "the sign-out begins after its step")
    #expect(rig.tracks.last?.tree == rig.presenter.tree)
  }

  @Test func aBadLinkIsExplainedAndChangesNothing() async throws {
    let rig = try await rig()
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    let before = rig.presenter.tree
    for uri in ["matinee://orders/1", "nonsense", "matinee://posts/p1?publication=https://elsewhere.example"] {
      rig.coordinator.open(uri: uri)
    }
    #expect(rig.presenter.tree == before)
    #expect(rig.presenter.messages.count == 3)
  }

  @Test(arguments: ["matinee://posts/none", "matinee://fanclubs/none"])
  func aStartWithALinkToWhatIsNotThereLeadsOn(uri: String) async throws {
    let rig = try await rig()
    rig.coordinator.start(opening: uri)
    await rig.settle()
    try await rig.signIn()
    switch rig.presenter.visibleScreen?.model {
    case let article as ArticleViewModel:
      #expect(article.state.phase == .gone("This post is no longer here."))
      article.send(.backTapped)
    case let club as FanClubViewModel:
      #expect(club.state.phase == .gone("This fan club is no longer here."))
      club.send(.backTapped)
    default: throw PathRig.Missing("page")
    }
    await rig.settle()
    #expect(rig.visible == .tab(.home))
  }

  @Test(arguments: ["matinee://posts/none", "matinee://fanclubs/none", "matinee://paywall/none"])
  func aLinkToWhatIsNotThereIsExplainedAndChangesNothing(uri: String) async throws {
    let rig = try await rig()
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    let before = rig.presenter.tree
    rig.coordinator.open(uri: uri)
    await rig.settle()
    #expect(rig.presenter.tree == before)
    #expect(rig.presenter.messages == ["This link leads to something that is not here, or no longer."])
    #expect(rig.tracks.map(\.outcome) == [nil, nil, .ignored])
  }

  @Test(arguments: End.allCases) func theSamePostChangesOnEveryPage(end: End) async throws {
    let rig = try await rig(end)
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    guard let feed = rig.presenter.visibleScreen?.model as? FeedViewModel else { throw PathRig.Missing("feed") }
    feed.send(.reactionToggled("p44"))
    feed.send(.bookmarkTapped("p44"))
    #expect(feed.row(for: "p44")?.isReacted == true)
    rig.coordinator.perform(.tab(.bookmarks))
    await rig.settle()
    guard let bookmarks = rig.presenter.visibleScreen?.model as? BookmarksViewModel else { throw PathRig.Missing("bookmarks") }
    #expect(bookmarks.state.ids == ["p44"])
    #expect(bookmarks.row(for: "p44")?.isReacted == true)
    rig.coordinator.perform(.fanClub("film"))
    await rig.settle()
    guard let club = rig.presenter.visibleScreen?.model as? FanClubViewModel else { throw PathRig.Missing("fan club") }
    #expect(club.row(for: "p44")?.reactions == "1")
    club.send(.followTapped)
    await rig.settle()
    #expect(club.state.club?.isFollowed == true)
  }

  @Test(arguments: End.allCases) func anArticleOpensAndItsLinkGoesToTheBrowser(end: End) async throws {
    let rig = try await rig(end)
    rig.coordinator.start(opening: "matinee://posts/p44")
    await rig.settle()
    try await rig.signIn()
    #expect(rig.visible == .post("p44"))
    guard let article = rig.presenter.visibleScreen?.model as? ArticleViewModel else { throw PathRig.Missing("article") }
    guard case .body(let blocks) = article.state.text else { throw PathRig.Missing("body") }
    #expect(blocks.count == 1)
    article.send(.linkTapped("https://example.org/"))
    #expect(rig.opened == ["https://example.org/"])
    rig.coordinator.perform(.back)
    #expect(rig.visible == .tab(.home))
  }

  /// Whatever a publication hands out, and whoever asks: nothing but the web is opened.
  @Test(arguments: ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "matinee://account", "ftp://example.org/", ""])
  func whatIsNotOnTheWebIsNotOpened(url: String) async throws {
    let rig = try await rig()
    rig.coordinator.start(opening: "matinee://posts/p44")
    await rig.settle()
    try await rig.signIn()
    rig.coordinator.perform(.web(url))
    #expect(rig.presenter.messages == ["This link is not opened: it does not lead to the web."])
    #expect(rig.opened.isEmpty)
    #expect(rig.reports.count == 1)
    rig.coordinator.perform(.web("mailto:a@example.org"))
    #expect(rig.opened == ["mailto:a@example.org"])
  }

  @Test func anAddressIsCopiedAndTheReaderIsTold() async throws {
    let rig = try await rig()
    rig.coordinator.start()
    await rig.settle()
    rig.coordinator.perform(.copyLink("https://example.org/a"))
    #expect(rig.copied.isEmpty, "nobody is signed in")
    try await rig.signIn()
    rig.coordinator.perform(.copyLink("https://example.org/a"))
    #expect(rig.copied == ["https://example.org/a"])
    #expect(rig.presenter.messages == ["Link copied."])
    #expect(rig.opened.isEmpty)
    rig.coordinator.perform(.mail(subject: "Post", text: "https://example.org/a"))
    #expect(rig.mails == ["Post: https://example.org/a"])
  }

  @Test(arguments: End.allCases) func signingOutLeadsToTheLoginFromAnywhereAndLeavesNothing(end: End) async throws {
    let rig = try await rig(end)
    rig.coordinator.start(opening: "matinee://posts/p44")
    await rig.settle()
    try await rig.signIn()
    guard let article = rig.presenter.visibleScreen?.model as? ArticleViewModel else { throw PathRig.Missing("article") }
    article.send(.bookmarkTapped)
    await rig.settle()
    rig.coordinator.perform(.login(then: nil))
    await rig.settle()
    #expect(rig.visible == .login)
    #expect(rig.presenter.tree?.tabs == [])
    #expect(rig.tokens.stored == nil)
    try await rig.signIn(email: "other@example.org", password: "curtain call")
    rig.coordinator.perform(.tab(.bookmarks))
    await rig.settle()
    guard let bookmarks = rig.presenter.visibleScreen?.model as? BookmarksViewModel else { throw PathRig.Missing("bookmarks") }
    #expect(bookmarks.state.phase == .empty)
  }

  @Test func theLastPlaceIsThereAgainAndALinkWinsOverIt() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (publication, tokens) = (try await Sample.publication(clock: ManualClock()), MemoryTokenStore())
    func started(_ uri: String? = nil) async -> PathRig {
      let rig = PathRig(InProcessTransport { await publication.handle($0) }, tokens: tokens, folder: folder.path)
      rig.coordinator.start(opening: uri)
      await rig.settle()
      return rig
    }
    let first = await started()
    try await first.signIn()
    for move in [Navigation.tab(.fanClubs), .fanClub("film"), .search("rain"), .post("p44"), .preferences] {
      first.coordinator.perform(move)
      await first.settle()
    }
    await first.coordinator.finish()
    let second = await started()
    var back: [Destination?] = [second.visible]
    for _ in 0..<2 {
      second.coordinator.perform(.back)
      back.append(second.visible)
    }
    #expect(back == [.post("p44"), .fanClub("film"), .tab(.fanClubs)], "no sheet, and no search without its words")
    await second.settle()
    await second.coordinator.finish()
    let third = await started("matinee://posts/p1")
    #expect(third.visible == .post("p1"))
    third.coordinator.perform(.back)
    #expect(third.visible == .tab(.home))
    third.coordinator.perform(.tab(.account))
    await third.settle()
    third.coordinator.perform(.login(then: nil))
    await until { third.visible == .login }
    await third.settle()
    try await third.signIn()
    #expect(third.visible == .tab(.home), "signing out leaves nothing")
    await third.coordinator.finish()
  }

  @Test func aSessionThatEndsLeadsToTheLoginAndSaysSo() async throws {
    let publication = try await Sample.publication(clock: ManualClock())
    let ended = Flag()
    let rig = PathRig(
      InProcessTransport { request in
        await publication.handle(await ended.isSet ? try request.ofEndedSession() : request)
      })
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    await ended.set()
    guard let feed = rig.presenter.visibleScreen?.model as? FeedViewModel else { throw PathRig.Missing("feed") }
    feed.send(.refreshTapped)
    await rig.settle()
    await until { rig.visible == .login }
    #expect(try rig.loginNotice == AuthError.ended.sentence)
    #expect(rig.presenter.messages.isEmpty, "it is said once")
  }

  @Test func aSessionThatEndsLosesNothingThatTheReaderDid() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let publication = try await Sample.publication(clock: ManualClock())
    let ended = Flag()
    let rig = PathRig(
      InProcessTransport { request in
        let isRefused = request.method == .put || request.path == "/v1/session/refresh"
        let hasEnded = await ended.isSet
        return await publication.handle(isRefused && hasEnded ? try request.ofEndedSession() : request)
      }, folder: folder.path)
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    await ended.set()
    guard let feed = rig.presenter.visibleScreen?.model as? FeedViewModel else { throw PathRig.Missing("feed") }
    feed.send(.bookmarkTapped("p44"))
    await until { rig.visible == .login }
    await ended.set(false)
    await rig.settle()
    #expect(try rig.loginNotice == AuthError.ended.sentence + " 1 change is kept here, and sent when you sign in again.")
    #expect(rig.presenter.messages.isEmpty, "not that a bookmark was refused")

    try await rig.signIn(email: "other@example.org", password: "curtain call")
    rig.coordinator.perform(.tab(.bookmarks))
    await rig.settle()
    guard let others = rig.presenter.visibleScreen?.model as? BookmarksViewModel else { throw PathRig.Missing("bookmarks") }
    #expect(others.state.phase == .empty)
    rig.coordinator.perform(.login(then: nil))
    await rig.settle()

    try await rig.signIn()
    rig.coordinator.perform(.tab(.bookmarks))
    await rig.settle()
    guard let bookmarks = rig.presenter.visibleScreen?.model as? BookmarksViewModel else { throw PathRig.Missing("bookmarks") }
    #expect(bookmarks.state.ids == ["p44"])
    await rig.coordinator.finish()
  }

  /// A reader who bookmarked a post while nobody could be reached, as long as the flag is set.
  private func bookmarkedOffline() async throws -> (rig: PathRig, feed: FeedViewModel, away: Flag) {
    let publication = try await Sample.publication(clock: ManualClock())
    let away = Flag()
    let rig = PathRig(
      InProcessTransport { request in
        if await away.isSet { throw TransportError.unreachable("no network") }
        return await publication.handle(request)
      })
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    await away.set()
    guard let feed = rig.presenter.visibleScreen?.model as? FeedViewModel else { throw PathRig.Missing("feed") }
    feed.send(.bookmarkTapped("p44"))
    await rig.settle()
    return (rig, feed, away)
  }

  @Test func aNetworkThatIsBackEndsTheWait() async throws {
    let (rig, feed, away) = try await bookmarkedOffline()
    #expect(rig.coordinator.upkeep.waiting.state.text == "Offline · 1 change waiting")
    #expect(feed.row(for: "p44")?.isBookmarked == true)
    await away.set(false)
    rig.coordinator.upkeep.networkIsBack()
    await rig.settle()
    #expect(rig.coordinator.upkeep.waiting.state.text == nil)
    #expect(feed.row(for: "p44")?.isBookmarked == true)
  }

  @Test func aTryThatIsInVainIsSeen() async throws {
    let (rig, feed, away) = try await bookmarkedOffline()
    let waiting = rig.coordinator.upkeep.waiting
    let problem = waiting.state.detail
    #expect((waiting.state.text, waiting.state.isTrying) == ("Offline · 1 change waiting", false))
    for _ in 1...2 {
      waiting.send(.tryNowTapped)
      #expect((waiting.state.text, waiting.state.isTrying, waiting.state.detail) == ("Offline · 1 change waiting", true, problem))
      await rig.settle()
      #expect(waiting.state.isTrying, "an answer at once would not be seen")
      while waiting.state.isTrying {
        rig.clock.advance(by: .milliseconds(600))
        await rig.settle()
      }
      #expect((waiting.state.text, waiting.state.detail) == ("Offline · 1 change waiting", "Tried again without success. \(problem)"))
    }
    await away.set(false)
    waiting.send(.tryNowTapped)
    await rig.settle()
    #expect(waiting.state == WaitingViewModel.State())
    // The next trouble is another one.
    await away.set()
    feed.send(.bookmarkTapped("p43"))
    await rig.settle()
    #expect((waiting.state.text, waiting.state.detail, waiting.state.isTrying) == ("Offline · 1 change waiting", problem, false))
  }

  actor Flag {
    private(set) var isSet = false
    func set(_ isSet: Bool = true) { self.isSet = isSet }
  }
}
