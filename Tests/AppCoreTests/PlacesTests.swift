import AppCore
import Foundation
import HTTPTransport
import NavigationCore
import PublicationAPI
import PublicationServer
import Runtime
import TestSupport
import Testing

/// The places beside posts and fan clubs: comments, search, the dialog that adds feeds, notifications.
@MainActor @Suite struct PlacesTests {
  init() { _ = modulesAreSetUp }

  /// A web on which nobody is.
  private struct EmptyWeb: Transport {
    func send(_ request: Request) async throws -> Response { throw TransportError.unreachable("nobody is there") }
  }

  private func signedIn(readersMayAdd: Bool = false) async throws -> PathRig {
    let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
    let publication = try await Sample.publication(clock: clock)
    if readersMayAdd { await publication.fetchFeeds(from: EmptyWeb(), readersMayAdd: true, clock: clock) }
    let rig = PathRig(InProcessTransport { await publication.handle($0) })
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    return rig
  }

  @Test func aLinkLeadsToThePostsComments() async throws {
    let rig = try await signedIn()
    rig.coordinator.open(uri: "matinee://posts/p44/comments")
    await rig.settle()
    #expect(rig.visible == .comments("p44"))
    guard case .comments(let comments) = rig.presenter.visibleScreen else { throw PathRig.Missing("comments") }
    #expect(comments.state.title == "Post 44")
    comments.postTapped()
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
    guard case .search(let search) = rig.presenter.visibleScreen else { throw PathRig.Missing("search") }
    #expect(search.state.query == "Post 44")
    rig.coordinator.perform(.search("Post 43"))
    await rig.settle()
    #expect(search.state.query == "Post 43")
    search.postTapped("p43")
    await rig.settle()
    #expect(rig.visible == .post("p43"))
    // As it was left.
    rig.coordinator.perform(.search(""))
    await rig.settle()
    #expect(rig.visible == .search)
    #expect(search.state.query == "Post 43")
    rig.coordinator.perform(.back)
    #expect(rig.visible == .tab(.home))
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
    guard case .addFeed(let dialog) = rig.presenter.visibleScreen else { throw PathRig.Missing("dialog") }
    #expect((dialog.state.url, dialog.state.phase, dialog.state.canAdd) == ("example.org/feed", .asking, true))
    dialog.closeTapped()
    await rig.settle()
    #expect(rig.visible == .tab(.home))
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
    guard case .account(let account) = rig.presenter.visibleScreen else { throw PathRig.Missing("account") }
    account.notificationsTapped()
    await rig.settle()
    #expect(rig.visible == .notifications)
    rig.coordinator.perform(.back)
    #expect(rig.visible == .tab(.account))
  }
}
