import AccountFeature
import AddFeedFeature
import AppCore
import CommentsFeature
import FeatureKit
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import TestSupport
import XCTest

@testable import Screens

/// Account with its pages, and the dialog that adds a feed.
final class SettingsViewTests: ScreensTestCase {
  func testSwitchesShowTheStateAndNothingElse() throws {
    try MainActor.assumeIsolated {
      var club = FanClub.sample("c1")
      club.followed = true
      let rig = ReaderRig(posts: [.sample(1)], clubs: [club])
      let screen = rig.screen(.notifications)
      let seen = try rig.show(screen)
      guard let model = screen.model as? NotificationsViewModel else { return XCTFail("no page") }
      XCTAssertEqual(seen.switches.map(\.isSwitchedOn), [true, false, true])
      XCTAssertFalse(seen.says("From"))
      seen.switches[1].flip()
      rig.window.painted()
      XCTAssertTrue(model.state.hasQuietHours)
      XCTAssertEqual(seen.numbers.map(\.typed), ["22", "00", "07", "00"])
      // Typed to the minute, and stepped over midnight.
      seen.numbers[1].type("47")
      seen.numbers[1].enter()
      seen.numbers[2].step(-8)
      rig.window.painted()
      XCTAssertEqual([model.state.quietFrom, model.state.quietTo], [22 * 60 + 47, 23 * 60])
      XCTAssertEqual(seen.numbers.map(\.typed), ["22", "47", "23", "00"])
      XCTAssertTrue(seen.says("Nothing from 22:47 to 23:00. What came meanwhile is told afterwards."))
      seen.switches[2].flip()
      XCTAssertEqual(model.state.clubs.map(\.isOn), [false])
      seen.switches[0].flip()
      XCTAssertFalse(model.state.isOn)
      XCTAssertEqual(seen.switches[1].isSensitive, false)
      XCTAssertEqual(seen.switches[2].isSensitive, false)
      rig.close()
    }
  }

  /// Three thousand rows at once took nine seconds.
  func testAThousandFollowedFanClubsGetTheirRowsAsOneScrolls() throws {
    try MainActor.assumeIsolated {
      let clubs = (1...1000).map { number in
        var club = FanClub.sample("c\(number)")
        club.followed = true
        return club
      }
      let rig = ReaderRig(posts: [.sample(1)], clubs: clubs)
      let seen = try rig.show(rig.screen(.notifications))
      let atFirst = seen.switches.count
      XCTAssertLessThanOrEqual(atFirst, 2 + 2 * NotificationsView.step)
      for _ in 1...3 {
        seen.scroll(to: 1)
        rig.window.painted()
      }
      XCTAssertGreaterThan(seen.switches.count, atFirst)
      XCTAssertLessThan(seen.switches.count, 500)
      rig.close()
    }
  }

  func testTheAccountsRowsAreOneListAsWideAsItsCard() throws {
    try MainActor.assumeIsolated {
      for width in [360, 1000] {
        let rig = ReaderRig(width: width)
        let seen = try rig.show(.tab(.account))
        let list = try XCTUnwrap(seen.all.first { $0.hasStyle("rows") })
        let rows = ["Purchases", "Notifications", "Privacy", "Sessions", "Change password", "Sign out"].map { name in
          list.all.first { $0.isButton && $0.texts.first == name }
        }
        let places = try rows.map { try XCTUnwrap($0).place(in: list) }
        for place in places { XCTAssertEqual(place.width, list.room, accuracy: 1, "\(width)") }
        for (above, below) in zip(places, places.dropFirst()) {
          XCTAssertEqual(below.y, above.y + above.height, accuracy: 1.5, "\(width): a line between them, and no gap")
        }
        rig.close()
      }
    }
  }

  func testWhereThingsAreCountedIsChosenByACardAndNothingMoves() throws {
    try MainActor.assumeIsolated {
      for width in [360, 1000] {
        let rig = ReaderRig(width: width)
        let seen = try rig.show(.privacy)
        let names = ["Do not count", "Tell The Sample", "Write it into a file"]
        let cards = try names.map { name in try XCTUnwrap(seen.all.first { $0.isButton && $0.texts.first == name }, name) }
        XCTAssertEqual(cards.map(\.isOn), [true, false, false])
        XCTAssertNil(seen.button("Show the file"))
        let places = cards.map { $0.place(in: seen).height }
        cards[2].click()
        rig.window.painted()
        XCTAssertEqual(cards.map(\.isOn), [false, false, true])
        XCTAssertEqual(cards.map { $0.place(in: seen).height }, places)
        try XCTUnwrap(seen.button("Show the file")).click()
        XCTAssertEqual(rig.outputs.last, "openFolder(\"/data\")")
        // The button that goes had the keyboard, which stays on the page.
        try XCTUnwrap(seen.button("Show the file")).focus()
        cards[0].click()
        rig.window.painted()
        XCTAssertNil(seen.button("Show the file"))
        rig.close()
      }
    }
  }

  func testPrivacySaysWhatIsCountedWithoutBeingChosen() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let seen = try rig.show(.privacy)
      let trials = try XCTUnwrap(seen.texts.first { $0.hasPrefix("Trials: ") })
      for words in ["By account it keeps only whether you had the change", "no switch for this", "off until you choose it above"] {
        XCTAssertTrue(trials.contains(words), words)
      }
      XCTAssertFalse(seen.texts.contains { $0.contains("counted nowhere") }, "trials are counted")
      rig.close()
    }
  }

  func testASessionIsEndedByItsButtonAndThisOneHasNone() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(width: 360)
      let began = Date(timeIntervalSince1970: 1_690_000_000)
      let sessions = ["Desk", "Pocket", "Attic"].map {
        ReaderSession(id: $0, device: $0, began: began, lastSeen: began, isCurrent: $0 == "Desk")
      }
      let client = APIClient(
        transport: InProcessTransport { request in
          request.method == .get ? Response(200, body: try Wire.encode(sessions)) : Response(204)
        }, token: { "token" })
      let model = SessionsViewModel(client: client, effects: rig.fixture.effects, formatting: rig.fixture.formatting) { _ in }
      let seen = try rig.show(Screen(model))
      XCTAssertEqual(seen.buttonNames, ["Sign out", "Sign out", "Sign out everywhere else"])
      XCTAssertTrue(seen.button("Sign out")?.focus() == true)
      seen.button("Sign out")?.click()
      try rig.settle()
      XCTAssertEqual(seen.buttonNames, ["Sign out", "Sign out everywhere else"])
      XCTAssertFalse(seen.says("Pocket"))
      // The next Enter must not end another one.
      XCTAssertFalse(seen.all.contains { $0.isButton && $0.hasFocus })
      rig.close()
    }
  }

  func testAFeedNeedsAnAddressAndAFileTakesItsPlace() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let screen = rig.screen(.addFeed)
      let seen = try rig.show(screen)
      guard let model = screen.model as? AddFeedViewModel else { return XCTFail("no dialog") }
      XCTAssertEqual(seen.button("Add")?.isSensitive, false)
      seen.entries[0].type("example.org/feed")
      XCTAssertEqual(seen.button("Add")?.isSensitive, true)
      model.send(.fileChosen("/nowhere/all.opml"))
      rig.window.painted()
      XCTAssertEqual(seen.entries[0].typed, "")
      XCTAssertTrue(seen.says("all.opml"))
      seen.button("Add")?.click()
      try rig.settle()
      XCTAssertTrue(seen.texts.contains { $0.hasPrefix("“all.opml” cannot be read") }, "\(seen.texts)")
      seen.button("Cancel")?.click()
      XCTAssertEqual(rig.outputs, ["close"])
      rig.close()
    }
  }

  func testAfterACancelTheKeyboardIsInTheField() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let seen = try rig.show(.addFeed)
      rig.publication.with { $0.imports = [Import(id: "i")] }
      let field = seen.entries[0]
      field.type("example.org/feed")
      seen.button("Add")?.click()
      eventually("it is under way") { seen.button("Add") == nil }
      let cancel = try XCTUnwrap(seen.button("Cancel"))
      XCTAssertTrue(cancel.focus())
      cancel.click()
      eventually("it can be changed") { seen.button("Add") != nil }
      XCTAssertTrue(field.hasFocus)
      rig.close()
    }
  }

  func testATryThatIsInVainIsSeen() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      rig.line.isCut = true
      rig.seen.button("React")?.click()
      try rig.settle()
      let again = try XCTUnwrap(rig.seen.button("Try now"))
      XCTAssertTrue(again.focus())
      again.click()
      XCTAssertNotNil(rig.seen.button("Trying…"))
      XCTAssertTrue(again.hasFocus)
      try rig.settle()
      rig.clock.advance(by: .seconds(1))
      eventually("it says so") { rig.seen.texts.contains { $0.hasPrefix("Tried again without success.") } }
      XCTAssertNotNil(rig.seen.button("Try now"))
      XCTAssertTrue(again.hasFocus)
      rig.line.isCut = false
      try rig.close()
    }
  }

  func testTheKeyboardGoesOverAllFailuresInOneStep() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(height: 420)
      let seen = try rig.show(.addFeed)
      // Each for a reason of its own: those that share one are one entry.
      let failed = (1...12).map {
        Import(id: "j\($0)", state: .failed, problem: "https://example.org/feed: the server answered with status \(500 + $0).")
      }
      rig.publication.with {
        $0.imports = [Import(id: "i", state: .done, clubs: (1...12).map { "c\($0)" }, title: "My feeds")] + failed
      }
      seen.entries[0].type("example.org/my.opml")
      seen.button("Add")?.click()
      try rig.settle()
      try XCTUnwrap(seen.button("Fetch all")).click()
      eventually("all have failed") { seen.button("Fetch the rest") != nil }
      try rig.settle()
      XCTAssertEqual(seen.texts.count { $0.hasPrefix("https://example.org/feed") }, 12)
      XCTAssertTrue(try XCTUnwrap(seen.button("Close")).focus())
      var steps = 0
      repeat {
        XCTAssertTrue(seen.pressTab() || rig.seen.pressTab())
        steps += 1
      } while seen.button("Close")?.hasFocus == false && steps < 30
      XCTAssertEqual(steps, 4, "the two other buttons, the list, and round again")
      while seen.all.contains(where: { $0.isButton && $0.hasFocus }) { XCTAssertTrue(seen.pressTab() || rig.seen.pressTab()) }
      XCTAssertTrue(seen.pressAtFocus("End"))
      eventually("it scrolls") { seen.position > 0 }
      rig.close()
    }
  }

  func testWhatWaitsIsSaidAboveThePageWithAWayToTryNow() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      rig.line.isCut = true
      for name in ["React", "Bookmark"] { rig.seen.button(name)?.click() }
      try rig.settle()
      eventually("the bar says so") { rig.seen.says("Offline · 2 changes waiting") }
      rig.line.isCut = false
      let again = try XCTUnwrap(rig.seen.button("Try now"))
      XCTAssertTrue(again.focus())
      again.click()
      eventually("nothing waits") { rig.seen.button("Try now") == nil }
      eventually("the keyboard goes back to the page") { rig.seen.button("React")?.enclosing("row")?.isFocus == true }
      XCTAssertEqual(rig.seen.button("React")?.isOn, true)
      try rig.close()
    }
  }

  /// The question is asked after a moment, in which nothing else on the page can be pressed.
  func testWhoStaysSignedInIsBackOnSignOut() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      try rig.go(.comments("rain-is-made-of-rice"))
      for case let page as CommentsViewModel in rig.screens.map(\.model) { page.send(.draftChanged("Half a thought")) }
      try rig.go(.tab(.account))
      let signOut = try XCTUnwrap(rig.seen.button("Sign out"))
      XCTAssertTrue(signOut.focus())
      signOut.click()
      XCTAssertTrue(signOut.hasFocus)
      XCTAssertEqual(rig.seen.button("Purchases")?.isSensitive, false)
      eventually("it is asked about") { rig.shown == "signout" }
      try rig.settle()
      XCTAssertTrue(rig.seen.says("The comment that you began to write will be lost."))
      XCTAssertTrue(rig.seen.press("Escape"))
      try rig.settle()
      XCTAssertEqual(rig.shown, "account")
      XCTAssertTrue(signOut.hasFocus)
      try rig.close()
    }
  }
}
