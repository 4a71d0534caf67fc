import AccountFeature
import AddFeedFeature
import AppCore
import ArticleFeature
import CommentsFeature
import Foundation
import HTTPTransport
import MenuFeature
import NavigationCore
import PublicationAPI
import PublicationServer
import ReaderContent
import Runtime
import SQLiteStorage
import SearchFeature
import SessionService
import TestSupport
import Testing

/// The places beside posts and fan clubs: comments, search, the dialog that adds feeds, notifications.
@MainActor @Suite struct PlacesTests {
  /// A web on which nobody is.
  private struct EmptyWeb: Transport {
    func send(_ request: Request) async throws -> Response { throw TransportError.unreachable("nobody is there") }
  }

  /// - Parameter answer: answers in place of the publication; `nil` leaves that to it.
  private func signedIn(
    readersMayAdd: Bool = false, answer: @escaping @Sendable (Request) async throws -> Response? = { _ in nil }
  ) async throws -> PathRig {
    let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
    let publication = try await Sample.publication(clock: clock)
    if readersMayAdd { await publication.fetchFeeds(from: EmptyWeb(), readersMayAdd: true, clock: clock) }
    let rig = PathRig(
      InProcessTransport { request in
        if let answer = try await answer(request) { return answer }
        return await publication.handle(request)
      })
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    return rig
  }

  @Test func howLongAgoACommentWasWrittenIsSaidAnewEachMinute() async throws {
    let rig = try await signedIn()
    rig.coordinator.perform(.comments("p44"))
    await rig.settle()
    guard let page = rig.presenter.visibleScreen?.model as? CommentsViewModel else { throw PathRig.Missing("comments") }
    page.send(.draftChanged("Written now."))
    page.send(.sendTapped)
    await rig.settle()
    let id = try #require(page.state.comments.ids.last)
    #expect(page.row(for: id)?.date == "Just now")
    var drawn = 0
    page.onRowsChanged = { if $0.contains(id) { drawn += 1 } }
    rig.coordinator.upkeep.startUpdatingTimes()
    var said = ["Just now"]
    for _ in 1...2 {
      drawn = 0
      await rig.pass(.seconds(60)) { drawn > 0 }
      said.append(page.row(for: id)?.date ?? "")
    }
    #expect(Set(said).count == 3, "\(said)")
  }

  @Test func aLinkLeadsToThePostsComments() async throws {
    let rig = try await signedIn()
    rig.coordinator.open(uri: "matinee://posts/p44/comments")
    await rig.settle()
    #expect(rig.visible == .comments("p44"))
    guard let comments = rig.presenter.visibleScreen?.model as? CommentsViewModel else { throw PathRig.Missing("comments") }
    #expect(comments.state.title == "Post 44")
    comments.send(.postTapped)
    await rig.settle()
    #expect(rig.visible == .post("p44"))
    rig.coordinator.open(uri: "matinee://posts/p999/comments")
    await rig.settle()
    #expect(rig.visible == .post("p44"))
    #expect(rig.presenter.messages.last == "This link leads to something that is not here, or no longer.")
  }

  @Test func thereIsOneSearchWhateverIsLookedFor() async throws {
    let rig = try await signedIn()
    rig.coordinator.perform(.search("Post 44"))
    await rig.settle()
    guard let search = rig.presenter.visibleScreen?.model as? SearchViewModel else { throw PathRig.Missing("search") }
    #expect(search.state.query == "Post 44")
    rig.coordinator.perform(.search("Post 43"))
    await rig.settle()
    #expect(search.state.query == "Post 43")
    search.send(.postTapped("p43"))
    await rig.settle()
    #expect(rig.visible == .post("p43"))
    // As it was left.
    rig.coordinator.perform(.search(""))
    await rig.settle()
    #expect(rig.visible == .search)
    #expect(search.state.query == "Post 43")
    // What was found is one step back from the search, and what was read before it another.
    rig.coordinator.perform(.post("p43"))
    for place in [Destination.search, .tab(.home)] {
      rig.coordinator.perform(.back)
      #expect(rig.visible == place)
    }
    rig.coordinator.perform(.post("p43"))
    rig.coordinator.perform(.search(""))
    rig.coordinator.perform(.back)
    #expect(rig.visible == .post("p43"))
  }

  @Test func theTextOfACommentWhosePostIsGoneIsOffered() async throws {
    let isGone = PathTests.Flag()
    let rig = try await signedIn { request in
      guard await isGone.isSet, request.path.hasPrefix("/v1/posts/p44") else { return nil }
      return Response(404, body: try Wire.encode(Problem(code: .notFound, title: "There is no such post.", status: 404)))
    }
    let page = try await comments(rig)
    page.send(.draftChanged("Well said."))
    await isGone.set()
    page.send(.sendTapped)
    await rig.settle()
    #expect(rig.offers.map(\.message) == ["Your comment “Well said.” was not saved, and its post is gone."])
    #expect(rig.offers.map(\.text) == ["Well said."])
    #expect(page.state.comments.message == nil, "it is said once")
  }

  @Test func feedsAreAddedOnlyWhereThePublicationLetsReaders() async throws {
    let rig = try await signedIn()
    rig.coordinator.perform(.addFeed(nil))
    #expect(rig.visible == .tab(.home))
    #expect(rig.tracks.last?.outcome == .ignored)
  }

  @Test func theDialogIsASheetAndAddsNothingUnasked() async throws {
    let rig = try await signedIn(readersMayAdd: true)
    rig.coordinator.perform(.addFeed("example.org/feed"))
    await rig.settle()
    #expect(rig.presenter.tree?.sheets.map(\.destination) == [.addFeed])
    guard let dialog = rig.presenter.visibleScreen?.model as? AddFeedViewModel else { throw PathRig.Missing("dialog") }
    #expect((dialog.state.url, dialog.state.phase, dialog.state.canAdd) == ("example.org/feed", .asking, true))
    dialog.send(.closeTapped)
    await rig.settle()
    #expect(rig.visible == .tab(.home))
  }

  /// A reader who is asked about a feed that is still being added, which ends before they answer.
  private func askedWhileAddingEnds(by way: Navigation) async throws -> (rig: PathRig, question: ConfirmViewModel) {
    let isAdded = PathTests.Flag()
    let rig = try await signedIn(readersMayAdd: true) { request in
      guard request.path.hasPrefix("/v1/imports/") else { return nil }
      let latest = await isAdded.isSet ? Import(id: "i", state: .done, clubs: ["film"]) : Import(id: "i")
      return Response(request.method == .put ? 202 : 200, body: try Wire.encode(latest))
    }
    let dialog = try await addFeed(rig)
    dialog.send(.urlChanged("example.org/feed"))
    dialog.send(.addTapped)
    await rig.settle()
    rig.coordinator.perform(way)
    #expect(rig.visible == .confirm(way))
    let question = try #require(rig.presenter.visibleScreen?.model as? ConfirmViewModel)
    #expect(question.state.loss == "The feed is still being added. If you leave, that is cancelled.")
    await isAdded.set()
    await rig.pass(.milliseconds(500)) { question.state.loss == "Nothing would be lost any more." }
    #expect(rig.visible == .confirm(way))
    return (rig, question)
  }

  /// The keys that the reader is about to press are meant for the question, and would go to the club's page.
  @Test(arguments: [Navigation.quit, .back]) func aFeedThatIsAddedWhileItIsAskedAboutLeadsToItsClubAfterTheAnswer(
    way: Navigation
  ) async throws {
    let (rig, question) = try await askedWhileAddingEnds(by: way)
    question.send(.cancelTapped)
    #expect(rig.visible == .fanClub("film"))
    #expect(rig.presenter.tree?.sheets.isEmpty == true)
    #expect(rig.quits == 0)
    await rig.coordinator.finish()
  }

  @Test func whoLeavesTheDialogOfAFeedThatWasAddedMeanwhileIsWhereTheyWere() async throws {
    let (rig, question) = try await askedWhileAddingEnds(by: .back)
    question.send(.confirmTapped)
    #expect(rig.visible == .tab(.home))
    await rig.coordinator.finish()
  }

  @Test func aSheetHasToBeAnsweredFirstUnlessALinkLeadsElsewhere() async throws {
    let rig = try await signedIn(readersMayAdd: true)
    rig.coordinator.perform(.tab(.fanClubs))
    for sheet in [Navigation.addFeed(nil), .paywall("premium", then: nil), .payment("premium.monthly"), .signOut] {
      rig.coordinator.perform(sheet)
      await rig.settle()
      let tree = rig.presenter.tree
      #expect(tree?.sheets.count == 1)
      for elsewhere in Tab.allCases.map(Navigation.tab) + [.search(""), .post("p44"), .notifications] {
        rig.coordinator.perform(elsewhere)
        #expect(rig.tracks.last?.outcome == .ignored)
      }
      await rig.settle()
      #expect(rig.presenter.tree == tree)
      rig.coordinator.open(uri: "matinee://posts/p44")
      await rig.settle()
      #expect(rig.visible == .post("p44"))
      #expect(rig.presenter.tree?.sheets.isEmpty == true)
      rig.coordinator.perform(.back)
    }
  }

  @Test func theAccountLeadsToTheNotifications() async throws {
    let rig = try await signedIn()
    rig.coordinator.perform(.tab(.account))
    guard let account = rig.presenter.visibleScreen?.model as? AccountViewModel else { throw PathRig.Missing("account") }
    account.send(.notificationsTapped)
    await rig.settle()
    #expect(rig.visible == .notifications)
    rig.coordinator.perform(.back)
    #expect(rig.visible == .tab(.account))
  }

  // MARK: - What was begun

  private let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)")

  /// The app with its files, as each start of it makes it again.
  private func started(_ publication: Publication, tokens: MemoryTokenStore) async throws -> PathRig {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let rig = PathRig(InProcessTransport { await publication.handle($0) }, tokens: tokens, folder: folder.path)
    rig.coordinator.start()
    await rig.settle()
    return rig
  }

  /// Waits for a screen: on a busy machine there are moments in which nothing is under way before it comes.
  private func shown(_ rig: PathRig, _ isIt: (Any) -> Bool) async {
    await rig.settle()
    for _ in 0..<100_000 where !(rig.presenter.visibleScreen.map { isIt($0.model) } ?? false) { await Task.yield() }
    await rig.settle()
  }

  private func comments(_ rig: PathRig, on post: Post.ID = "p44") async throws -> CommentsViewModel {
    rig.coordinator.perform(.comments(post))
    await shown(rig) { $0 is CommentsViewModel }
    guard let comments = rig.presenter.visibleScreen?.model as? CommentsViewModel else { throw PathRig.Missing("comments") }
    return comments
  }

  private func article(_ rig: PathRig, _ post: Post.ID = "p44") async throws -> ArticleViewModel {
    rig.coordinator.perform(.post(post))
    await shown(rig) { $0 is ArticleViewModel }
    guard let article = rig.presenter.visibleScreen?.model as? ArticleViewModel else { throw PathRig.Missing("article") }
    return article
  }

  @Test func aHalfWrittenCommentAndThePlaceInAnArticleAreThereAtTheNextStart() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (publication, tokens) = (try await Sample.publication(clock: ManualClock()), MemoryTokenStore())
    let first = try await started(publication, tokens: tokens)
    try await first.signIn()
    try await comments(first).send(.draftChanged("Half a thou"))
    try await comments(first).send(.draftChanged("Half a thought"))
    try await comments(first, on: "p43").send(.draftChanged("Sent in a moment"))
    try await comments(first, on: "p43").send(.sendTapped)
    try await article(first).send(.scrolled(to: ReadingPlace(block: 7, fraction: 0.25)))
    try await article(first, "p42").send(.scrolled(to: ReadingPlace(block: 3, fraction: 0)))
    try await article(first, "p42").send(.scrolled(to: nil))
    // Closing the app asks nothing, and writes at once.
    await first.coordinator.finish()

    let second = try await started(publication, tokens: tokens)
    #expect(try await comments(second).state.draft == "Half a thought")
    #expect(try await comments(second).state.canSend)
    #expect(try await comments(second, on: "p43").state.draft.isEmpty)
    #expect(try await article(second).place == ReadingPlace(block: 7, fraction: 0.25))
    let untouched = try await article(second, "p42").place
    #expect(untouched == nil)
    try await comments(second).send(.sendTapped)
    await second.settle()
    await second.coordinator.finish()

    let third = try await started(publication, tokens: tokens)
    #expect(try await comments(third).state.draft.isEmpty)
    await third.coordinator.finish()
  }

  @Test func anAddressThatWasNotAddedYetIsThereAgain() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (publication, tokens) = (try await Sample.publication(clock: ManualClock()), MemoryTokenStore())
    await publication.fetchFeeds(from: EmptyWeb(), readersMayAdd: true, clock: ManualClock())
    let first = try await started(publication, tokens: tokens)
    try await first.signIn()
    try await addFeed(first).send(.urlChanged("example.org/feed"))
    // A link asks nothing, and what was typed waits.
    first.coordinator.open(uri: "matinee://posts/p44")
    await first.settle()
    #expect(first.visible == .post("p44"))
    let again = try await addFeed(first).state
    #expect((again.url, again.canAdd) == ("example.org/feed", true))
    await first.coordinator.finish()

    let second = try await started(publication, tokens: tokens)
    let dialog = try await addFeed(second)
    #expect(dialog.state.url == "example.org/feed")
    dialog.send(.urlChanged(""))
    dialog.send(.closeTapped)
    await second.settle()
    #expect(try await addFeed(second).state.url.isEmpty)
    await second.coordinator.finish()
  }

  private func addFeed(_ rig: PathRig) async throws -> AddFeedViewModel {
    rig.coordinator.perform(.addFeed(nil))
    await shown(rig) { $0 is AddFeedViewModel }
    guard let dialog = rig.presenter.visibleScreen?.model as? AddFeedViewModel else { throw PathRig.Missing("dialog") }
    return dialog
  }

  /// Passwords are not kept, so leaving them is asked about; "Cancel" is the answer already.
  @Test func halfTypedPasswordsAreAskedAbout() async throws {
    let rig = try await signedIn()
    rig.coordinator.perform(.changePassword)
    await rig.settle()
    guard let form = rig.presenter.visibleScreen?.model as? ChangePasswordViewModel else { throw PathRig.Missing("form") }
    let link = { rig.coordinator.open(uri: "matinee://posts/p44") }
    form.send(.currentChanged(.init("matinee")))
    link()
    await rig.settle()
    #expect(rig.visible == .confirm(.post("p44")))
    rig.coordinator.perform(.back)
    await rig.settle()
    #expect(rig.visible == .changePassword)
    form.send(.cancelTapped)
    await rig.settle()
    #expect(rig.visible == .tab(.home))

    rig.coordinator.perform(.changePassword)
    await rig.settle()
    link()
    await rig.settle()
    #expect(rig.visible == .post("p44"), "nothing is typed, so nothing is lost")
  }

  @Test func aDraftIsWrittenWhileItIsTyped() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (publication, tokens) = (try await Sample.publication(clock: ManualClock()), MemoryTokenStore())
    let first = try await started(publication, tokens: tokens)
    try await first.signIn()
    let page = try await comments(first)
    // The page that was opened is written, too.
    first.clock.advance(by: .seconds(1))
    await first.settle()
    var writes = 0
    first.effects.onDelivery = { if $0.label == "settings.write" { writes += 1 } }
    for count in 1...20 { page.send(.draftChanged(String(repeating: "x", count: count))) }
    await first.settle()
    #expect(writes == 0, "typing waits for no disk")
    first.clock.advance(by: .seconds(1))
    await first.settle()
    #expect(writes == 1)
    // As a process that is killed.
    first.effects.stop()

    let second = try await started(publication, tokens: tokens)
    #expect(try await comments(second).state.draft == String(repeating: "x", count: 20))
    await second.coordinator.finish()
  }

  @Test func signingOutErasesWhatWasBegun() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (publication, tokens) = (try await Sample.publication(clock: ManualClock()), MemoryTokenStore())
    let rig = try await started(publication, tokens: tokens)
    try await rig.signIn()
    try await comments(rig).send(.draftChanged("My secret thought"))
    await rig.settle()
    rig.clock.advance(by: .seconds(1))
    await rig.settle()
    #expect(try stored(contains: "My secret thought"))
    rig.coordinator.perform(.login(then: nil))
    await rig.settle()
    try await rig.signIn()
    #expect(try await comments(rig).state.draft.isEmpty)
    await rig.coordinator.finish()
    #expect(try !stored(contains: "My secret thought"), "nor is it in the file")
  }

  @Test func aSessionThatEndsByItselfKeepsWhatWasBegunForItsReaderAlone() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (publication, tokens) = (try await Sample.publication(clock: ManualClock()), MemoryTokenStore())
    let rig = try await started(publication, tokens: tokens)
    try await rig.signIn()
    try await comments(rig).send(.draftChanged("Half a thought"))
    try await article(rig).send(.scrolled(to: ReadingPlace(block: 7, fraction: 0.25)))
    // In the middle of a word, of which nothing is written yet, somebody ends it elsewhere.
    let token = try #require(tokens.stored).token.revealed
    _ = await publication.handle(Request(.delete, "/v1/session", headers: ["Authorization": "Bearer \(token)"]))
    rig.coordinator.perform(.tab(.fanClubs))
    await rig.settle()
    #expect(rig.visible == .login)
    try await rig.signIn(email: "other@example.org", password: "curtain call")
    #expect(try await comments(rig).state.draft.isEmpty, "it is somebody else's")
    rig.coordinator.perform(.login(then: nil))
    await rig.settle()
    try await rig.signIn()
    #expect(try await comments(rig).state.draft == "Half a thought")
    #expect(try await article(rig).place == ReadingPlace(block: 7, fraction: 0.25))
    await rig.coordinator.finish()
  }

  @Test func aDraftThatCannotBeKeptIsToldOfOnce() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (publication, tokens) = (try await Sample.publication(clock: ManualClock()), MemoryTokenStore())
    let rig = try await started(publication, tokens: tokens)
    try await rig.signIn()
    let page = try await comments(rig)
    try await Database(path: folder.path + "/settings.sqlite", migrations: [Migration(version: 1, sql: "")]).run {
      try $0.script("DROP TABLE setting")
    }
    for text in ["Half", "Half a thought"] {
      page.send(.draftChanged(text))
      await rig.settle()
      rig.clock.advance(by: .seconds(1))
      await rig.settle()
    }
    let told = rig.presenter.messages.filter { $0.hasPrefix("What you do now may be lost when the app ends") }
    #expect(told.count == 1)
    #expect(page.state.draft == "Half a thought")
    await rig.coordinator.finish()
  }

  private func stored(contains text: String) throws -> Bool {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("settings.sqlite") {
      if try Data(contentsOf: folder.appending(path: name)).range(of: Data(text.utf8)) != nil { return true }
    }
    return false
  }
}
