import AccountFeature
import AppCore
import ArticleFeature
import BookmarksFeature
import CommentsFeature
import FanClubFeature
import FeatureKit
import FeedFeature
import Foundation
import HTTPTransport
import Patience
import PaymentFeature
import PaywallFeature
import PublicationAPI
import PublicationServer
import Runtime
import SearchFeature
import SessionService
import Synchronization
import TestSupport
import Testing

/// What a reader has read, through the whole app, when the publication cannot be reached any more.
@MainActor @Suite(.timeLimit(.minutes(3))) struct OfflineTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)")
  private let tokens = MemoryTokenStore()
  private let online = Switch()
  private let hanging = Switch(false)
  private let requested = Paths()
  /// What got no answer from a publication that hangs.
  private let hung = Paths()
  /// Time at the publication, for as long as it hangs.
  private let gate = ManualClock()

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  private func rig(_ publication: Publication) -> PathRig {
    PathRig(
      InProcessTransport { [online, hanging, gate, requested, hung] request in
        if hanging.isOn {
          hung.add(String(request.path))
          try await gate.sleep(for: .seconds(60))
        }
        requested.add(String(request.path))
        guard online.isOn else { throw TransportError.unreachable("there is no network") }
        return await publication.handle(request)
      }, tokens: tokens, folder: folder.path)
  }

  /// Starts the app, and goes on without the publication when it cannot be asked.
  private func started(_ publication: Publication) async -> PathRig {
    let rig = rig(publication)
    rig.coordinator.start()
    await rig.settle()
    if rig.curtain.state.offersChoice { rig.curtain.send(.continueOfflineTapped) }
    await rig.settle()
    return rig
  }

  private func feed(_ rig: PathRig) throws -> ListState {
    guard let feed = rig.presenter.visibleScreen?.model as? FeedViewModel else { throw PathRig.Missing("feed") }
    return feed.posts.list.state
  }

  /// The clock of the app stands still: no wait ends by itself.
  @Test func anyAnswerOfThePublicationSendsWhatWaits() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let rig = await started(try await Sample.publication(clock: ManualClock()))
    try await rig.signIn()
    guard let feed = rig.presenter.visibleScreen?.model as? FeedViewModel else { throw PathRig.Missing("feed") }
    online.isOn = false
    feed.send(.bookmarkTapped("p44"))
    await rig.settle()
    #expect(rig.coordinator.upkeep.waiting.state.text == "Offline · 1 change waiting")
    online.isOn = true
    // What the reader bought is no content.
    rig.coordinator.perform(.purchases(order: nil))
    for _ in 0..<100_000 where rig.coordinator.upkeep.waiting.state.text != nil { await Task.yield() }
    #expect(rig.coordinator.upkeep.waiting.state.text == nil)
  }

  @Test func everythingReadIsThereAfterAStartWithoutNetwork() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let publication = try await Sample.publication(clock: ManualClock())
    let first = await started(publication)
    try await first.signIn()
    let read = try feed(first)
    #expect(read.ids.count > 5)
    let free = "p44"
    first.coordinator.perform(.post(free))
    await first.settle()
    guard let article = first.presenter.visibleScreen?.model as? ArticleViewModel else { throw PathRig.Missing("article") }
    let text = article.state.text
    article.send(.bookmarkTapped)
    await first.settle()
    first.coordinator.perform(.comments(free))
    await first.settle()
    await first.coordinator.finish()

    online.isOn = false
    let second = await started(publication)
    #expect(second.visible == .comments(free), "where the reader was")
    second.coordinator.perform(.tab(.home))
    await second.settle()
    let cached = try feed(second)
    #expect(cached.ids == read.ids)
    #expect(cached.phase == .ready)
    #expect(cached.note != nil)
    // A link to what is known needs nobody's answer.
    var requested: [String] = []
    second.effects.onDelivery = { requested.append($0.label) }
    second.coordinator.open(uri: "matinee://posts/\(free)")
    await second.settle()
    #expect(requested.contains("article.load") && !requested.contains("link.load"))
    guard let again = second.presenter.visibleScreen?.model as? ArticleViewModel else { throw PathRig.Missing("article") }
    #expect(again.state.text == text)
    #expect(again.state.post?.isBookmarked == true)
    second.coordinator.perform(.comments(free))
    await second.settle()
    guard let comments = second.presenter.visibleScreen?.model as? CommentsViewModel else { throw PathRig.Missing("comments") }
    #expect((comments.state.comments.phase, comments.state.comments.showsNote) == (.empty, true))
    second.coordinator.perform(.tab(.bookmarks))
    await second.settle()
    guard let bookmarks = second.presenter.visibleScreen?.model as? BookmarksViewModel else { throw PathRig.Missing("bookmarks") }
    #expect(bookmarks.state.ids == [free])
    await second.coordinator.finish()
  }

  /// Adds a feed with one post in the name of the reader who is signed in, on another device.
  private func addFeed(to publication: Publication) async throws -> FanClub.ID {
    let document = #"""
      {"version": "https://jsonfeed.org/version/1.1", "title": "Wrong feed",
      "items": [{"id": "1", "content_text": "Nobody wants this.", "date_published": "2026-05-28T12:00:00Z"}]}
      """#
    let credentials = Credentials(email: try #require(tokens.stored?.user.email), password: "matinee")
    let response = await publication.handle(Request(.post, "/v1/session", body: try Wire.encode(credentials)))
    let authorization = "Bearer \(try Wire.decode(SignedIn.self, from: response.body).accessToken)"
    let ask = { (method: Request.Method, path: String, body: Data) async throws -> Import in
      let headers: Headers = ["Authorization": authorization, "Content-Type": "application/feed+json"]
      return try Wire.decode(from: await publication.handle(Request(method, path, headers: headers, body: body)).body)
    }
    var added = try await ask(.put, "/v1/imports/\(UUID())?name=feed.json", Data(document.utf8))
    while added.state == .running { added = try await ask(.get, "/v1/imports/\(added.id)", Data()) }
    return try #require(added.clubs.first)
  }

  @Test func aFeedThatTheReaderRemovedIsGoneFromEveryListAndStaysSo() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    // After the feed's post appeared.
    let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
    let publication = try await Sample.publication(clock: clock)
    await publication.fetchFeeds(from: NoWeb(), readersMayAdd: true, clock: clock)
    let first = await started(publication)
    try await first.signIn()
    let before = try feed(first).ids
    let club = try await addFeed(to: publication)
    guard let home = first.presenter.visibleScreen?.model as? FeedViewModel else { throw PathRig.Missing("feed") }
    home.send(.refreshTapped)
    await first.settle()
    let post = try #require(try feed(first).ids.first)
    #expect(!before.contains(post))
    home.send(.bookmarkTapped(post))
    for place in [Navigation.tab(.bookmarks), .search("nobody"), .post(post), .fanClub(club)] {
      first.coordinator.perform(place)
      await first.settle()
    }
    guard let page = first.presenter.visibleScreen?.model as? FanClubViewModel else { throw PathRig.Missing("fan club") }
    #expect(page.state.canRemove)
    page.send(.removeTapped)
    await first.settle()
    #expect(first.tracks.last?.navigation == .closeGone)
    // Also the article beneath it, which was of this club.
    guard let search = first.presenter.visibleScreen?.model as? SearchViewModel else { throw PathRig.Missing("search") }
    #expect(search.state.ids.isEmpty)
    let lists = { (rig: PathRig) async throws in
      rig.coordinator.perform(.tab(.bookmarks))
      await rig.settle()
      guard let bookmarks = rig.presenter.visibleScreen?.model as? BookmarksViewModel else { throw PathRig.Missing("bookmarks") }
      rig.coordinator.perform(.tab(.home))
      await rig.settle()
      return (home: try self.feed(rig).ids, bookmarks: bookmarks.state.ids)
    }
    // Twice to the tab's own first page.
    first.coordinator.perform(.tab(.bookmarks))
    let after = try await lists(first)
    #expect(after.home.starts(with: before) && !after.home.contains(post) && after.bookmarks.isEmpty)
    await first.coordinator.finish()

    online.isOn = false
    let second = await started(publication)
    let offline = try await lists(second)
    #expect(offline.home.starts(with: before) && !offline.home.contains(post) && offline.bookmarks.isEmpty)
    second.coordinator.open(uri: "matinee://posts/\(post)")
    await second.settle()
    guard let gone = second.presenter.visibleScreen?.model as? ArticleViewModel else { throw PathRig.Missing("article") }
    #expect(gone.state.post == nil)
    await second.coordinator.finish()
  }

  /// Starts the app beside a publication that takes requests and does not answer, until what was read shows.
  private func startedBesideAHangingOne(_ publication: Publication) async throws -> PathRig {
    let first = await started(publication)
    try await first.signIn()
    await first.coordinator.finish()
    hanging.isOn = true
    let second = rig(publication)
    second.coordinator.start()
    // Before that the keyring is waited for, which has a patience of its own.
    await until { hung.all.contains("/v1/session/refresh") }
    await second.pass(.seconds(5)) { second.curtain.state.offersChoice }
    second.curtain.send(.continueOfflineTapped)
    await until { (try? feed(second).phase) == .ready }
    return second
  }

  @Test func aPublicationThatHangsDoesNotHideWhatWasRead() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let publication = try await Sample.publication(clock: ManualClock())
    let rig = try await startedBesideAHangingOne(publication)
    #expect(try feed(rig).ids.count > 5)
    #expect(rig.presenter.visited == [nil, .tab(.home)])
    hanging.isOn = false
    gate.advance(by: .seconds(60))
    await rig.settle()
    #expect(rig.presenter.visited == [nil, .tab(.home)])
    #expect(try feed(rig).note == nil)
    guard rig.presenter.visibleScreen?.model is FeedViewModel else { throw PathRig.Missing("feed") }
    rig.coordinator.perform(.tab(.account))
    await rig.settle()
    guard let account = rig.presenter.visibleScreen?.model as? AccountViewModel else { throw PathRig.Missing("account") }
    #expect(account.state.notice == nil, "the check went on")
    await rig.coordinator.finish()
  }

  /// A click on a link shows something, and its page says when there is nothing.
  @Test(arguments: ["p1", "none"]) func aLinkToWhatIsNotStoredShowsItsPageWhileThePublicationHangs(post: String) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let publication = try await Sample.publication(clock: ManualClock())
    let rig = try await startedBesideAHangingOne(publication)
    rig.coordinator.open(uri: "matinee://posts/\(post)")
    #expect(rig.visible == .tab(.home), "an answer that comes at once shows a wrong link to be one")
    let limit = rig.clock.uptime + .seconds(2)
    await rig.pass(.milliseconds(500)) { rig.visible == .post(post) || rig.clock.uptime > limit }
    guard let article = rig.presenter.visibleScreen?.model as? ArticleViewModel else { throw PathRig.Missing("article") }
    #expect(article.state.phase == .loading)
    hanging.isOn = false
    gate.advance(by: .seconds(60))
    await rig.settle()
    await until { article.state.phase != .loading }
    #expect(article.state.phase == (post == "p1" ? .ready : .gone("This post is no longer here.")))
    #expect(!rig.presenter.messages.contains { $0.hasPrefix("This link") }, "it is said once")
    await rig.coordinator.finish()
  }

  @Test func besideAPublicationThatHangsSigningOutIsAskedAboutFirst() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let publication = try await Sample.publication(clock: ManualClock())
    let rig = try await startedBesideAHangingOne(publication)
    rig.coordinator.perform(.tab(.account))
    guard let account = rig.presenter.visibleScreen?.model as? AccountViewModel else { throw PathRig.Missing("account") }
    account.send(.signOutTapped)
    await rig.pass(.seconds(2)) { rig.visible != .tab(.account) }
    #expect(rig.visible == .signOut)
    #expect(tokens.stored != nil)
    hanging.isOn = false
    gate.advance(by: .seconds(60))
    await rig.settle()
    await rig.coordinator.finish()
  }

  @Test func aSessionThatIsRefusedLateStillLeadsToTheLogin() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let publication = try await Sample.publication(clock: ManualClock())
    let rig = try await startedBesideAHangingOne(publication)
    // Nothing of what is asked now bears the token's name any more.
    let token = try #require(tokens.stored?.token.revealed)
    let end = Request(.delete, "/v1/session", headers: ["Authorization": "Bearer \(token)"])
    #expect(await publication.handle(end).status < 300)
    hanging.isOn = false
    gate.advance(by: .seconds(60))
    await until { rig.visible == .login }
    #expect(try rig.loginNotice == AuthError.ended.sentence)
    #expect(rig.presenter.messages.isEmpty, "it is said once")
    await rig.coordinator.finish()
    #expect(tokens.stored == nil)
  }

  @Test func aSessionThatCouldNotBeCheckedIsCheckedOnceSomebodyAnswers() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let publication = try await Sample.publication(clock: ManualClock())
    let first = await started(publication)
    try await first.signIn()
    await first.coordinator.finish()
    online.isOn = false
    let rig = await started(publication)
    rig.coordinator.perform(.tab(.account))
    guard let account = rig.presenter.visibleScreen?.model as? AccountViewModel else { throw PathRig.Missing("account") }
    #expect(account.state.notice != nil)
    online.isOn = true
    rig.coordinator.upkeep.networkIsBack()
    await until { account.state.notice == nil }
    await rig.coordinator.finish()
  }

  /// Whoever notices tells the window, which asks by itself when that is over, and at once when the reader wants it.
  @Test(arguments: [false, true]) func anyRequestTellsThatThePublicationIsAway(byHand: Bool) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let rig = await started(try await Sample.publication(clock: ManualClock()))
    try await rig.signIn()
    rig.coordinator.perform(.tab(.account))
    await rig.settle()
    let bar = rig.coordinator.upkeep.waiting
    #expect(bar.state.text == nil)
    online.isOn = false
    rig.coordinator.upkeep.isWindowVisible = false
    rig.coordinator.upkeep.isWindowVisible = true
    await until { bar.state.text == "Offline" }
    #expect(bar.state.detail.hasPrefix("The publication cannot be reached"), "\(bar.state.detail)")
    if byHand {
      bar.send(.tryNowTapped)
      #expect(bar.state.isTrying)
      await rig.pass(.seconds(1)) { !bar.state.isTrying }
      #expect(bar.state.text == "Offline" && bar.state.detail.hasPrefix("Tried again without success."))
      online.isOn = true
      bar.send(.tryNowTapped)
      await until { bar.state.text == nil }
    } else {
      online.isOn = true
      await rig.pass(.seconds(2)) { bar.state.text == nil }
    }
    await rig.coordinator.finish()
  }

  /// A refund ends access while they read: nothing else would tell.
  @Test func aReaderWhoStaysIsAskedAboutNowAndThen() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let rig = await started(try await Sample.publication(clock: ManualClock()))
    try await rig.signIn()
    rig.coordinator.upkeep.startUpdatingTimes()
    rig.coordinator.upkeep.isWindowVisible = false
    rig.coordinator.upkeep.isWindowVisible = true
    await rig.settle()
    for (minutes, isRequested) in [(4, false), (2, true), (3, false), (2, true)] {
      requested.forget()
      for _ in 1...minutes {
        await rig.clock.waitForSleepers()
        rig.clock.advance(by: .seconds(60))
        await rig.settle()
      }
      #expect(requested.all.contains("/v1/entitlements") == isRequested, "\(minutes)")
    }
    requested.forget()
    rig.coordinator.upkeep.isWindowVisible = false
    for _ in 1...6 {
      rig.clock.advance(by: .seconds(60))
      await rig.settle()
    }
    #expect(!requested.all.contains("/v1/entitlements"), "nobody looks")
    await rig.coordinator.finish()
  }

  /// What is asked once, when a reader comes in.
  private static let atTheStart = ["/v1/publication", "/v1/balances", "/v1/entitlements"]

  @Test(arguments: [true, false]) func whatAStartWithoutNetworkCouldNotAskIsAskedOnceSomebodyAnswers(theDesktopSaysSo: Bool) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let publication = try await Sample.publication(clock: ManualClock())
    await publication.fetchFeeds(from: NoWeb(), readersMayAdd: true, clock: ManualClock())
    let first = await started(publication)
    try await first.signIn()
    await first.coordinator.finish()
    online.isOn = false
    let rig = await started(publication)
    #expect(Set(Self.atTheStart).isSubset(of: requested.all))
    rig.coordinator.perform(.addFeed(nil))
    #expect(rig.tracks.last?.outcome == .ignored)

    requested.forget()
    online.isOn = true
    if theDesktopSaysSo {
      rig.coordinator.upkeep.networkIsBack()
    } else {
      // Home asks again by itself, and is answered.
      rig.coordinator.perform(.post("p44"))
    }
    await rig.settle()
    // What the reader has bought elsewhere, and the watch for refunds, which knows the reader from there.
    await requested.wait(for: Self.atTheStart + ["/v1/orders"])
    await rig.settle()
    rig.coordinator.perform(.addFeed(nil))
    #expect(rig.tracks.last?.outcome == .performed)

    // Once each: whoever has an answer does not ask with every further one.
    requested.forget()
    rig.coordinator.upkeep.networkIsBack()
    rig.coordinator.perform(.dismiss)
    rig.coordinator.perform(.post("p42"))
    await rig.settle()
    #expect(requested.all.contains("/v1/posts/p42"))
    #expect(requested.all.filter(Self.atTheStart.contains) == [])
    await rig.coordinator.finish()
  }

  @Test func whoeverSignsOutLeavesNothingToRead() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let publication = try await Sample.publication(clock: ManualClock())
    let rig = await started(publication)
    try await rig.signIn()
    let title = try #require(try feed(rig).ids.first)
    rig.coordinator.perform(.login(then: nil))
    await rig.settle()
    await until { rig.visible == .login }
    await rig.coordinator.finish()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("content.sqlite") {
      let bytes = try Data(contentsOf: folder.appending(path: name))
      #expect(bytes.range(of: Data("\(title)".utf8)) == nil, "\(name)")
      #expect(bytes.range(of: Data("fanClubName".utf8)) == nil, "\(name)")
    }
  }

  /// What was paid for, and given back, is not on the disk any more; what is free is.
  @Test func aRefundTakesTheTextsFromTheDisk() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let gateway = CountingGateway()
    let publication = try await Sample.publication(clock: ManualClock(), gateway: gateway)
    let rig = await started(publication)
    try await rig.signIn()
    rig.coordinator.perform(.payment("premium.lifetime"))
    await rig.settle()
    (rig.presenter.visibleScreen?.model as? PaymentViewModel)?.send(.payTapped)
    await rig.settle()
    for (post, text) in [("p40", "Body 40"), ("p44", "Body 44"), ("p45", "Body 45")] {
      rig.coordinator.perform(.post(post))
      await rig.settle()
      await until { isStored(text) }
    }
    let order = try #require(await gateway.calls.last).key
    let headers: Headers = [
      "Authorization": "Bearer \(try await publication.newOperatorToken())", "Content-Type": "application/json",
    ]
    let refund = Request(
      .post, "/v1/operator/orders/\(order)/refund", headers: headers, body: try Wire.encode(RefundRequest(reason: "Sent back.")))
    let refunded = await publication.handle(refund)
    #expect(refunded.status == 200, "\(String(decoding: refunded.body, as: UTF8.self))")
    await rig.coordinator.finish()

    let next = await started(publication)
    await until { !["Body 40", "Body 45"].contains(where: isStored) }
    #expect(isStored("Body 44"))
    await next.coordinator.finish()
  }

  /// Whether a text is somewhere in the files of what was read.
  private func isStored(_ text: String) -> Bool {
    let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return files.contains {
      $0.lastPathComponent.hasPrefix("content.sqlite") && (try? Data(contentsOf: $0))?.range(of: Data(text.utf8)) != nil
    }
  }

  @Test(arguments: ["outbox", "settings"]) func noDamagedFileKeepsAnybodyOut(name: String) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let publication = try await Sample.publication(clock: ManualClock())
    let file = folder.appending(path: "\(name).sqlite")
    try Data(repeating: 1, count: 20_000).write(to: file)
    let rig = await started(publication)
    try await rig.signIn()
    #expect(try feed(rig).ids.count > 5)
    #expect(rig.presenter.messages.count { $0.contains("damaged") && $0.hasSuffix(".") } == 1)
    #expect(FileManager.default.fileExists(atPath: file.path + ".damaged"))
    await rig.coordinator.finish()
  }

  @Test func everyDamagedFileIsToldOf() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let publication = try await Sample.publication(clock: ManualClock())
    for name in ["content", "outbox", "settings", "purchases"] {
      try Data(repeating: 1, count: 20_000).write(to: folder.appending(path: "\(name).sqlite"))
    }
    let rig = await started(publication)
    try await rig.signIn()
    #expect(rig.presenter.messages.count { $0.contains("damaged") } == 4, "\(rig.presenter.messages)")
    await rig.coordinator.finish()
  }

  @Test func whoeverComesBackToTheWindowLearnsWhatBecameOfTheirPurchases() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let rig = await started(try await Sample.publication(clock: ManualClock()))
    try await rig.signIn()
    func looks(after seconds: Int) async -> Int {
      rig.clock.advance(by: .seconds(seconds))
      await rig.settle()
      requested.forget()
      rig.coordinator.upkeep.isWindowVisible = false
      rig.coordinator.upkeep.isWindowVisible = true
      await rig.settle()
      return requested.all.count { $0 == "/v1/entitlements" }
    }
    #expect(await looks(after: 0) > 0)
    #expect(await looks(after: 10) == 0, "not each time")
    #expect(await looks(after: 60) > 0)
    await rig.coordinator.finish()
  }

  @Test func aDamagedJournalKeepsNobodyFromReadingAndIsLeftAsItIs() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let publication = try await Sample.publication(clock: ManualClock())
    let (file, damaged) = (folder.appending(path: "purchases.sqlite"), Data(repeating: 1, count: 20_000))
    try damaged.write(to: file)
    // Without a break after the first slash.
    let path = "/\u{2060}\(file.path.dropFirst())"
    let rig = await started(publication)
    try await rig.signIn()
    #expect(try feed(rig).ids.count > 5)
    #expect(rig.presenter.messages.count { $0.contains("cannot") || $0.contains(path) } == 1)
    rig.coordinator.perform(.paywall("premium", then: nil))
    await rig.settle()
    guard let paywall = rig.presenter.visibleScreen?.model as? PaywallViewModel else { throw PathRig.Missing("paywall") }
    guard case .unavailable(let problem) = paywall.state.phase else { throw PathRig.Missing("problem") }
    #expect(problem.heading == "Nothing can be bought now")
    #expect(problem.sentence.contains("damaged") && problem.sentence.contains(path), "\(problem.sentence)")
    #expect(!problem.canRetry)
    #expect(problem.sentence.contains("restart Matinee") && !problem.sentence.contains("allowed"))
    await rig.coordinator.finish()
    #expect(try Data(contentsOf: file) == damaged)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("purchases") } == ["purchases.sqlite"])
  }

  @Test func damagedFileIsToldAndFetchedAgain() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let publication = try await Sample.publication(clock: ManualClock())
    try Data(repeating: 1, count: 20_000).write(to: folder.appending(path: "content.sqlite"))
    let rig = await started(publication)
    try await rig.signIn()
    #expect(try feed(rig).ids.count > 5)
    #expect(rig.presenter.messages.contains { $0.contains("damaged") && $0.hasSuffix(".") })
    #expect(FileManager.default.fileExists(atPath: folder.path + "/content.sqlite.damaged"))
    await rig.coordinator.finish()
  }
}

/// Whether there is a network. Safe from any thread.
private final class Switch: Sendable {
  private let state: Mutex<Bool>
  init(_ isOn: Bool = true) { state = Mutex(isOn) }
  var isOn: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// What was asked for. Safe from any thread.
private final class Paths: Sendable {
  private let paths = Mutex<[String]>([])
  var all: [String] { paths.withLock { $0 } }
  func add(_ path: String) { paths.withLock { $0.append(path) } }
  func forget() { paths.withLock { $0 = [] } }
  func wait(for wanted: [String]) async {
    await until { Set(wanted).isSubset(of: all) }
  }
}

/// A web on which nobody is.
private struct NoWeb: Transport {
  func send(_ request: Request) async throws -> Response { throw TransportError.unreachable("nobody is there") }
}
