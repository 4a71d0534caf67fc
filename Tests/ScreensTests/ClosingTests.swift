import Foundation
import Gtk
import PublicationAPI
import TestSupport
import XCTest

@testable import AppCore
@testable import Screens

/// A screen that is closed leaves no closure, no widget and no view model behind.
final class ClosingTests: ScreensTestCase {
  func testLogin() throws {
    try leavesNothing(.login) { seen in
      seen.entries[0].type("ada")
      seen.entries[0].focus()
      seen.button("Sign in")?.click()
    }
  }

  func testFeed() throws {
    try leavesNothing(.tab(.home)) { seen in
      seen.button("React")?.click()
      seen.scroll(to: 1)
    }
  }

  func testFanClubs() throws { try leavesNothing(.tab(.fanClubs)) { $0.button("Follow")?.click() } }

  func testFanClub() throws {
    try leavesNothing(.fanClub("c1")) { seen in
      seen.button("Follow")?.click()
      seen.button("Bookmark")?.click()
    }
  }

  func testBookmarks() throws { try leavesNothing(.tab(.bookmarks)) { $0.button("Bookmark")?.click() } }

  func testAccount() throws { try leavesNothing(.tab(.account)) { $0.button("Unlock premium")?.click() } }

  func testArticle() throws {
    try leavesNothing(.post("p2")) { seen in
      seen.button("Love")?.click()
      seen.label("A link.")?.followLink(at: 3)
    }
  }

  func testComments() throws {
    try leavesNothing(.comments("p1"), setUp: { $0.publication.with { $0.comments = [.sample(1, isMine: true)] } }) { seen in
      seen.textArea?.write("A thought")
      seen.button("Send")?.click()
      seen.button("Delete")?.click()
    }
  }

  func testSearch() throws { try leavesNothing(.search) { $0.entries[0].type("tit") } }

  func testAddFeed() throws { try leavesNothing(.addFeed) { $0.entries[0].type("example.org") } }

  func testNotifications() throws { try leavesNothing(.notifications) { $0.switches.first?.flip() } }

  func testPrivacy() throws { try leavesNothing(.privacy) { $0.all.last { $0.isButton && $0.texts.count == 2 }?.click() } }

  func testAMenuThatIsOpen() throws { try leavesNothing(.tab(.home)) { $0.button("More")?.click() } }

  func testLockedArticle() throws { try leavesNothing(.post("p3")) { $0.button("Unlock")?.click() } }

  func testScreensThatCouldNotLoad() throws {
    for place in [Destination.tab(.home), .tab(.fanClubs), .fanClub("c1"), .post("p1")] {
      try leavesNothing(place, setUp: { rig in rig.publication.with { $0.isOffline = true } }) { $0.button("Try again")?.click() }
    }
  }

  func testScreensThatAreStillLoading() throws {
    for place in [Destination.tab(.home), .tab(.fanClubs), .fanClub("c1"), .post("p1")] {
      try leavesNothing(place, setUp: { rig in rig.publication.with { $0.holds = ["GET"] } }, settles: false) { _ in }
    }
  }

  func testAPageThatHadTheKeyboardIsFreed() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      var lives: [Int] = []
      for _ in 0..<4 {
        for place in [Navigation.purchases(order: nil), .notifications, .search("a")] {
          try rig.go(place)
          XCTAssertTrue(rig.seen.pressTab())
          try rig.settle()
          try rig.go(.back)
        }
        lives.append(Diagnostics.liveObjects)
      }
      XCTAssertLessThanOrEqual(lives[3], lives[1], "\(lives)")
      try rig.close()
    }
  }

  /// Opens a place, uses it, closes it, and compares what lives.
  private func leavesNothing(
    _ place: Destination, setUp: @escaping @MainActor (ReaderRig) -> Void = { _ in }, settles: Bool = true,
    file: StaticString = #filePath, line: UInt = #line, use: @escaping @MainActor (Seen) -> Void
  ) throws {
    try MainActor.assumeIsolated {
      let picture = Samples.picture(side: 40)
      let rig = ReaderRig(
        posts: (1...30).map { number in
          var post = Post.sample(
            number, premium: number == 3, bookmarked: number < 3, body: "<h2>More</h2><p><a href=\"https://e.org\">A link.</a></p>")
          post.picture = "/v1/pictures/\(number)"
          return post
        }, pictureServer: PictureServer { _ in picture })
      // What the toolkit makes once and keeps, it shall have made before the counting begins.
      try rig.show(place)
      rig.closeScreens()
      try rig.settle()
      setUp(rig)
      let (signals, objects) = (Diagnostics.liveSignals, Diagnostics.liveObjects)
      weak var view: (any View)?
      weak var model: AnyObject?
      try scoped {
        let screen = rig.screen(place)
        model = screen.model
        let seen = try rig.show(screen, settles: settles)
        XCTAssertGreaterThan(Diagnostics.liveObjects, objects, file: file, line: line)
        use(seen)
        if settles { try rig.settle() }
        view = rig.lastView
        rig.closeScreens()
      }
      rig.publication.release()
      try rig.settle()
      eventually("\(place) is gone", file: file, line: line) {
        Diagnostics.liveSignals <= signals && Diagnostics.liveObjects <= objects && view == nil && model == nil
      }
      XCTAssertLessThanOrEqual(Diagnostics.liveSignals, signals, "signals", file: file, line: line)
      XCTAssertLessThanOrEqual(Diagnostics.liveObjects, objects, "objects", file: file, line: line)
      XCTAssertNil(view, file: file, line: line)
      XCTAssertNil(model, file: file, line: line)
      rig.close()
    }
  }
}

/// Ends the lifetime of what `body` made before the next line.
@MainActor func scoped(_ body: () throws -> Void) rethrows { try body() }
