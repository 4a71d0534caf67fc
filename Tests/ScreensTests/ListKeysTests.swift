import AppCore
import XCTest

@testable import Gtk
@testable import Screens

/// The wheel leaves the keyboard where it is: on a row that may be out of sight.
final class ListKeysTests: ScreensTestCase {
  func testHomeAndEndGoThereFromARowThatHasTheKeyboard() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      XCTAssertTrue(try XCTUnwrap(rig.seen.row("What a curtain is for")).isFocus)
      for key in ["Home", "KP_Home"] {
        XCTAssertGreaterThan(rig.seen.scroll(to: 0.5), 200)
        try rig.settle()
        XCTAssertTrue(rig.seen.pressAtFocus(key))
        eventually("at the start") { rig.seen.position == 0 }
      }
      XCTAssertTrue(rig.seen.pressAtFocus("End"))
      eventually("at the end") { rig.seen.position > 200 }
      try rig.settle()
      let end = rig.seen.position
      rig.seen.scroll(to: 0)
      try rig.settle()
      XCTAssertTrue(rig.seen.pressAtFocus("KP_End"))
      eventually("at the end again") { rig.seen.position > end - 50 }
      try rig.close()
    }
  }

  func testKeysAboveTheListMoveInIt() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      for (name, key) in [("Only what you have not read", "Down"), ("Mark all as read", "KP_Down")] {
        XCTAssertTrue(try XCTUnwrap(rig.seen.button(name)).focus())
        XCTAssertTrue(rig.seen.pressAtFocus(key))
        XCTAssertTrue(try XCTUnwrap(rig.seen.row("What a curtain is for")).isFocus, name)
      }
      XCTAssertTrue(try XCTUnwrap(rig.seen.button("Only what you have not read")).focus())
      XCTAssertTrue(rig.seen.pressAtFocus("End"))
      eventually("at the end") { rig.seen.position > 200 }
      XCTAssertTrue(try XCTUnwrap(rig.seen.button("Mark all as read")).focus())
      XCTAssertTrue(rig.seen.pressAtFocus("Home"))
      eventually("at the beginning") { rig.seen.position == 0 && rig.seen.row("What a curtain is for")?.isFocus == true }
      try rig.close()
    }
  }

  func testWhenTheLastRowGoesTheKeyboardIsOnWhatComesInItsPlace() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      try XCTUnwrap(rig.seen.row("What a curtain is for")?.button("Bookmark")).click()
      try rig.settle()
      try rig.go(.tab(.bookmarks))
      let row = try XCTUnwrap(rig.seen.row("What a curtain is for"))
      XCTAssertTrue(row.focus())
      try XCTUnwrap(row.button("Bookmark")).click()
      try rig.settle()
      XCTAssertTrue(rig.seen.says("No bookmarks yet"))
      eventually("the keyboard is on the page") { rig.seen.all.contains { $0.isButton && $0.hasFocus && $0.texts == ["Refresh"] } }
      try rig.close()
    }
  }

  func testTheMenuOfAPostIsOpenedByKeysAndGivesTheKeyboardBack() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      for key in ["Menu", "<Shift>F10"] {
        XCTAssertTrue(try XCTUnwrap(rig.seen.row("What a curtain is for")).isFocus)
        XCTAssertTrue(rig.seen.pressAtFocus(key))
        eventually("it is open") { !rig.seen.popovers.isEmpty }
        let menu = try XCTUnwrap(rig.seen.popovers.first)
        XCTAssertNotNil(menu.button("Go to the fan club"))
        menu.closePopover()
        eventually("the keyboard is back") { rig.seen.row("What a curtain is for")?.isFocus == true }
      }
      try rig.close()
    }
  }

  /// Both keys before the list is laid out again: the row is not in its place yet.
  func testEnterRightAfterAKeyMovedTheKeyboardOpensTheRowThatScrollsIntoSight() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: (1...20).map { .sample($0) }, height: 400)
      try rig.show(.tab(.home))
      let list = try XCTUnwrap((rig.lastView as? FeedView)?.list.list)
      XCTAssertTrue(list.focusRow())
      rig.window.painted()
      XCTAssertFalse(list.isInSight("p6"))
      list.focusRow("p6")
      XCTAssertTrue(list.activate("p6"))
      XCTAssertEqual(rig.outputs, ["openPost(\"p6\")"])
      // Once it was laid out there, and the wheel took it out of sight, it is shown first.
      rig.window.painted()
      rig.scroll(rig.seen, to: 0)
      rig.window.painted()
      XCTAssertFalse(list.isInSight("p6"))
      XCTAssertTrue(list.activate("p6"))
      XCTAssertEqual(rig.outputs.count, 1)
      rig.close()
    }
  }

  func testEnterShowsARowThatIsOutOfSightBeforeItOpensIt() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      let row = try XCTUnwrap(rig.seen.row("What a curtain is for"))
      rig.seen.scroll(to: 0.5)
      try rig.settle()
      row.activate()
      eventually("in sight") { rig.seen.position == 0 }
      XCTAssertEqual(rig.shown, "feed")
      try rig.settle()
      row.activate()
      try rig.settle()
      XCTAssertEqual(rig.shown, "article")
      try rig.close()
    }
  }
}
