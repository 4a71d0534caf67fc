import AppCore
import Foundation
import Gtk
import XCTest

@testable import Screens

/// The whole app in its window.
final class WholeWindowTests: ScreensTestCase {
  func testAWindowWithAllScreensLeavesNothing() throws {
    try MainActor.assumeIsolated {
      // The first time the toolkit makes what it keeps.
      try visitEverything()
      let (signals, objects) = (Diagnostics.liveSignals, Diagnostics.liveObjects)
      let left = try visitEverything()
      eventually("everything is gone") {
        Diagnostics.liveSignals <= signals && Diagnostics.liveObjects <= objects && left.allSatisfy { $0.object == nil }
      }
      XCTAssertLessThanOrEqual(Diagnostics.liveSignals, signals)
      XCTAssertLessThanOrEqual(Diagnostics.liveObjects, objects)
      XCTAssertEqual(left.filter { $0.object != nil }.map(\.name), [])
    }
  }

  func testTheBrandStaysWhereItIsWhenTheCurtainHasSomethingToSay() throws {
    try MainActor.assumeIsolated {
      let former = try AppRig()
      try former.start()
      try former.signIn()
      try former.close()
      let rig = try AppRig(after: former)
      rig.line.hold("POST /v1/session/refresh")
      rig.begin()
      rig.window.window.painted()
      let brand = try XCTUnwrap(rig.seen.label("Matinee"))
      let before = brand.place(in: rig.seen).y
      XCTAssertGreaterThan(before, 100)
      rig.wait(for: "going on offline is offered") { rig.seen.button("Continue offline") != nil }
      rig.window.window.painted()
      XCTAssertEqual(brand.place(in: rig.seen).y, before)
      rig.line.release()
      try rig.settle()
      try rig.close()
    }
  }

  func testTheKeyboardIsWhereOneReads() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      XCTAssertTrue(try XCTUnwrap(rig.seen.entries.first).hasFocus, "the login asks for an address first")
      try rig.signIn()
      XCTAssertTrue(try XCTUnwrap(rig.seen.row("What a curtain is for")).isFocus, "the newest post, and no button of it")
      let title = "Rain is made of rice"
      let row = try XCTUnwrap(rig.seen.row(title))
      XCTAssertTrue(row.focus())
      row.activate()
      try rig.settle()
      XCTAssertEqual(rig.shown, "article")
      XCTAssertFalse(rig.seen.all.contains { $0.isButton && $0.hasFocus }, "the space bar shall not press anything")
      XCTAssertEqual(rig.seen.position, 0)
      XCTAssertTrue(rig.seen.pressAtFocus("space"))
      eventually("a page further") { rig.seen.position > 100 }
      XCTAssertTrue(rig.seen.pressAtFocus("Home"))
      eventually("at the start") { rig.seen.position == 0 }
      XCTAssertTrue(rig.seen.pressTab())
      XCTAssertTrue(try XCTUnwrap(rig.seen.button("Static & Candlelight")).hasFocus, "the first of the article, and not of the window")
      // As a click does, on a button that is gone then.
      XCTAssertTrue(try XCTUnwrap(rig.seen.button("Back")).focus())
      try rig.go(.back)
      XCTAssertTrue(try XCTUnwrap(rig.seen.row(title)).hasFocus, "where it was")
      try rig.go(.search(""))
      XCTAssertTrue(try XCTUnwrap(rig.seen.entries.first).hasFocus, "one searches by typing")
      try rig.go(.tab(.account))
      XCTAssertFalse(try XCTUnwrap(rig.seen.button("Home")).hasFocus)
      XCTAssertTrue(try XCTUnwrap(rig.seen.button("Purchases")).hasFocus, "the first that took it")
      try rig.go(.tab(.bookmarks))
      XCTAssertTrue(try XCTUnwrap(rig.seen.button("Refresh")).hasFocus)
      rig.seen.all.last { $0.isButton && $0.hasFocus }?.click()
      XCTAssertFalse(rig.seen.all.contains { $0.isButton && $0.hasFocus }, "gone while it is done")
      try rig.settle()
      XCTAssertTrue(rig.seen.all.contains { $0.isButton && $0.hasFocus && $0.texts == ["Refresh"] }, "it is here again")
      try rig.go(.tab(.account))
      XCTAssertTrue(try XCTUnwrap(rig.seen.button("Account")).focus())
      try rig.go(.tab(.fanClubs))
      XCTAssertTrue(try XCTUnwrap(rig.seen.button("Fan clubs")).hasFocus, "whoever walks along the tabs stays there")
      try rig.close()
    }
  }

  func testOnTheFanClubOfAFeedThatOneAddedTheKeyboardIsOnThePosts() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(addsFeeds: true)
      try rig.start()
      try rig.signIn()
      try rig.go(.addFeed(nil))
      try XCTUnwrap(rig.seen.entries.last).type(Web.feed)
      try XCTUnwrap(rig.seen.entries.last).pressEnter()
      rig.wait(for: "the fan club") { rig.shown == "fanclub" }
      try rig.settle()
      for isAgain in [false, true] {
        let row = try XCTUnwrap(rig.seen.row("Evening 1") ?? rig.seen.row("Evening 3"))
        XCTAssertTrue(
          rig.seen.all.contains { $0.isFocus && $0.texts.contains { $0.hasPrefix("Evening") } } || row.hasFocus, "again: \(isAgain)")
        XCTAssertFalse(try XCTUnwrap(rig.seen.button("Remove feed…")).hasFocus, "again: \(isAgain)")
        if isAgain { break }
        try rig.go(.tab(.fanClubs))
        try XCTUnwrap(rig.seen.row("The Long Evening")).activate()
        try rig.settle()
        XCTAssertEqual(rig.shown, "fanclub")
      }
      try rig.close()
    }
  }

  func testARefreshLeavesTheKeyboardWhereItIs() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      let row = try XCTUnwrap(rig.seen.row("Rain is made of rice"))
      XCTAssertTrue(row.focus())
      XCTAssertTrue(rig.seen.press("F5"))
      XCTAssertTrue(try XCTUnwrap(rig.seen.row("Rain is made of rice")).isFocus)
      try rig.settle()
      XCTAssertTrue(try XCTUnwrap(rig.seen.row("Rain is made of rice")).isFocus)
      let unread = try XCTUnwrap(rig.seen.button("Only what you have not read"))
      XCTAssertTrue(unread.focus())
      XCTAssertTrue(rig.seen.press("F5"))
      try rig.settle()
      XCTAssertTrue(unread.hasFocus)
      try rig.close()
    }
  }

  func testARefreshOfAnyPageLeavesTheKeyboardAndItsRing() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      let post = try XCTUnwrap(rig.lockedPost)
      let places: [(Navigation, [String])] = [
        (.tab(.account), ["Unlock premium", "Purchases", "Sign out"]), (.purchases(order: nil), ["Restore purchases"]),
        (.post(post), ["Unlock", "Bookmark"]), (.tab(.fanClubs), ["Follow"]), (.tab(.home), ["React", "Mark all as read"]),
        (.comments(post), ["The colour of rain"]), (.notifications, []), (.privacy, []), (.payment("premium.yearly"), ["Cancel"]),
      ]
      for (place, buttons) in places {
        try rig.go(place)
        for name in buttons {
          let button = try XCTUnwrap(rig.seen.button(name), "\(place): \(rig.seen.buttonNames)")
          XCTAssertTrue(button.focus())
          rig.window.window.showsFocus = true
          XCTAssertTrue(rig.seen.press("F5"))
          try rig.settle()
          XCTAssertEqual(rig.seen.button(name)?.hasFocus, true, "\(place): \(name)")
          XCTAssertTrue(rig.window.window.showsFocus, "\(place): \(name)")
        }
      }
      try rig.go(.dismiss)
      try rig.go(.post(post))
      XCTAssertFalse(rig.seen.all.contains { $0.isButton && $0.hasFocus })
      XCTAssertTrue(rig.seen.press("F5"))
      try rig.settle()
      XCTAssertFalse(rig.seen.all.contains { $0.isButton && $0.hasFocus }, "on the text")
      try rig.close()
    }
  }

  func testMarkingAllAsReadHasANameAndIsUndone() throws {
    try MainActor.assumeIsolated {
      for (width, words) in [(360, "Mark all as read"), (600, "Mark all as read"), (1600, "Mark all as read")] {
        let rig = try AppRig(width: width)
        try rig.start()
        try rig.signIn()
        let unread = { rig.seen.all.count { $0.hasStyle("unread-dot") } }
        let before = unread()
        XCTAssertGreaterThan(before, 1)
        let button = try XCTUnwrap(rig.seen.button("Mark all as read"))
        XCTAssertEqual(button.texts, [words], "\(width)")
        for undo in [{ rig.seen.button("Undo")?.click() }, { rig.seen.press("<Control>z") }] {
          button.click()
          try rig.settle()
          XCTAssertEqual(unread(), 0)
          XCTAssertTrue(rig.seen.says("Everything here was marked as read."))
          _ = undo()
          try rig.settle()
          XCTAssertEqual(unread(), before)
          eventually("the message goes") { !rig.seen.says("Everything here was marked as read.") }
        }
        XCTAssertFalse(rig.seen.press("<Control>z"), "it is for whatever has the keyboard")
        try rig.close()
      }
    }
  }

  func testTabsKeepTheirWordsAsLongAsThereIsRoom() throws {
    try MainActor.assumeIsolated {
      for (width, hasWords, hasIcons) in [(360, false, true), (600, true, false), (990, true, true)] {
        let rig = try AppRig(width: width)
        try rig.start()
        try rig.signIn()
        let bar = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("tab-bar") }, "\(width)")
        XCTAssertEqual(bar.texts, hasWords ? ["Home", "Fan clubs", "Bookmarks", "Account"] : [], "\(width)")
        XCTAssertEqual(bar.icons.count, hasIcons ? 4 : 0, "\(width)")
        XCTAssertEqual(bar.buttonNames, ["Home", "Fan clubs", "Bookmarks", "Account"], "\(width)")
        try rig.close()
      }
    }
  }

  /// A choice may have a long name, and the title bar all its buttons.
  func testAPageThatNeedsMoreRoomDoesNotChangeTheSizeThatThePersonChose() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 400, height: 600)
      try rig.start()
      let window = rig.window.window
      XCTAssertEqual(window.unmaximizedSize.width, 400)
      let wide = Box(.horizontal)
      wide.setMinimumSize(width: 700, height: 800)
      window.child(wide)
      eventually("the content makes it wider") { wide.width >= 700 }
      XCTAssertEqual(window.unmaximizedSize.width, 400)
      XCTAssertEqual(window.unmaximizedSize.height, 600)
      window.setUnmaximizedSize(width: 900, height: 950)
      eventually("the person makes it wider") { wide.width >= 880 }
      XCTAssertEqual(window.unmaximizedSize.width, 900)
      XCTAssertEqual(window.unmaximizedSize.height, 950)
      try rig.close()
    }
  }

  /// The next start restores both: that it fills the screen, and the size that it goes back to.
  func testAMaximizedWindowKeepsTheSizeThatThePersonChose() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 500, height: 600)
      try rig.start()
      let window = rig.window.window
      XCTAssertFalse(window.isMaximized)
      window.maximize()
      eventually("it fills the screen") { window.isMaximized && window.width > 500 }
      XCTAssertTrue(window.isMaximized)
      XCTAssertEqual(window.unmaximizedSize.width, 500)
      XCTAssertEqual(window.unmaximizedSize.height, 600)
      try rig.close()
    }
  }

  func testTheKeysOfTheTabsWaitUntilASheetIsAnswered() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      for sheet in [Navigation.paywall("premium", then: nil), .payment("premium.yearly")] {
        try rig.go(sheet)
        let shown = rig.shown
        for key in ["<Alt>1", "<Alt>3", "<Control>f"] { XCTAssertTrue(rig.seen.press(key), key) }
        try rig.settle()
        XCTAssertEqual(rig.shown, shown)
      }
      try rig.go(.dismiss)
      XCTAssertTrue(rig.seen.press("<Alt>3"))
      XCTAssertEqual(rig.shown, "bookmarks")
      try rig.close()
    }
  }

  func testWhatWaitsMovesNothing() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      let place = try XCTUnwrap(rig.seen.button("React")).place(in: rig.seen)
      rig.line.isCut = true
      rig.seen.button("React")?.click()
      try rig.settle()
      XCTAssertTrue(rig.seen.says("Offline · 1 change waiting"))
      let now = try XCTUnwrap(rig.seen.button("React")).place(in: rig.seen)
      XCTAssertEqual([now.x, now.y], [place.x, place.y])
      rig.line.isCut = false
      try rig.close()
    }
  }

  func testOneBarSaysThatThePublicationCannotBeReached() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      rig.line.isCut = true
      rig.seen.button("React")?.click()
      try rig.settle()
      for place in [Navigation.tab(.home), .tab(.bookmarks), .post(try XCTUnwrap(rig.lockedPost))] {
        try rig.go(place)
        rig.seen.press("F5")
        try rig.settle()
        XCTAssertTrue(rig.seen.says("Offline · 1 change waiting"))
        XCTAssertEqual(rig.seen.texts.count { $0.contains("cannot be reached") }, 1, "\(place): \(rig.seen.texts)")
      }
      // Nor does a page that has nothing to show, and one that could not be refreshed.
      for place in [Navigation.tab(.home), .comments(try XCTUnwrap(rig.lockedPost))] {
        try rig.go(place)
        rig.seen.press("F5")
        try rig.settle()
        XCTAssertTrue(rig.seen.texts.contains { $0.contains("It comes as soon as the publication can be reached.") }, "\(rig.seen.texts)")
        XCTAssertEqual(rig.seen.texts.count { $0.contains("cannot be reached") }, 1, "\(place): \(rig.seen.texts)")
      }
      rig.line.isCut = false
      try rig.close()
    }
  }

  func testWhoGoesBackFromThePaymentIsWhereTheyLeftThePaywall() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      try rig.go(.paywall("premium", then: nil))
      XCTAssertTrue(try XCTUnwrap(rig.seen.button("Not now")).hasFocus)
      let name = try XCTUnwrap(rig.seen.buttonNames.first { $0.contains("Monthly") })
      let offer = try XCTUnwrap(rig.seen.button(name))
      XCTAssertTrue(offer.focus())
      offer.click()
      try rig.settle()
      XCTAssertEqual(rig.shown, "payment")
      XCTAssertTrue(rig.seen.press("Escape"))
      try rig.settle()
      XCTAssertEqual(rig.shown, "paywall")
      XCTAssertTrue(try XCTUnwrap(rig.seen.button(name)).hasFocus)
      try rig.close()
    }
  }

  func testAfterSigningOutTheKeyboardIsInTheFirstEmptyField() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      XCTAssertTrue(rig.seen.entries[0].hasFocus)
      rig.seen.entries[1].focus()
      try rig.signIn()
      try rig.go(.tab(.account))
      rig.seen.button("Sign out")?.click()
      try rig.settle()
      XCTAssertEqual(rig.shown, "login")
      XCTAssertTrue(rig.seen.entries[0].hasFocus, "not where it was when the reader before signed in")
      try rig.close()
    }
  }

  func testAfterASessionThatEndedTheKeyboardIsInThePassword() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      rig.seen.entries[0].focus()
      try rig.signIn()
      rig.line.endsSessions = true
      try rig.go(.post("the-colour-of-rain"))
      rig.wait(for: "the login") { rig.shown == "login" }
      try rig.settle()
      XCTAssertEqual(rig.seen.entries[0].typed, "reader@example.org")
      XCTAssertTrue(rig.seen.entries[1].hasFocus, "a password must not be typed behind the address, to be read by all")
      try rig.close()
    }
  }

  func testWhoeverTypesGoesOnBehindTheWordsOfALink() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      try rig.go(.search("rain"))
      XCTAssertEqual(rig.seen.entries[0].typed, "rain")
      XCTAssertEqual(rig.seen.entries[0].cursor, 4)
      try rig.close()
    }
  }

  func testSigningOutLeavesNothingOfTheReader() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      rig.seen.button("Bookmark")?.click()
      try rig.settle()
      try rig.go(.tab(.account))
      rig.seen.button("Sign out")?.click()
      try rig.settle()
      XCTAssertEqual(rig.shown, "login")
      let (signals, objects) = (Diagnostics.liveSignals, Diagnostics.liveObjects)
      try rig.signIn()
      XCTAssertEqual(rig.shown, "feed")
      for tab in Tab.allCases { try rig.go(.tab(tab)) }
      rig.seen.button("Sign out")?.click()
      try rig.settle()
      XCTAssertEqual(rig.seen.entries.map(\.typed), ["", ""])
      XCTAssertFalse(rig.seen.says("Sample reader"))
      // Fewer, when a message was still to be taken away at the first count.
      eventually("the pages are gone") { Diagnostics.liveSignals <= signals && Diagnostics.liveObjects <= objects }
      XCTAssertLessThanOrEqual(Diagnostics.liveSignals, signals)
      XCTAssertLessThanOrEqual(Diagnostics.liveObjects, objects)
      try rig.close()
    }
  }
}

/// Something that should be gone.
@MainActor private struct Left {
  let name: String
  weak var object: AnyObject?
}

/// Starts the app, opens every screen, uses most of them, and ends it.
@MainActor @discardableResult private func visitEverything() throws -> [Left] {
  let rig = try AppRig()
  try rig.start()
  rig.seen.button("Sign in")?.click()
  try rig.signIn()
  rig.seen.button("React")?.click()
  rig.seen.scroll(to: 0.5)
  try rig.settle()
  try rig.go(.post(try XCTUnwrap(rig.lockedPost)))
  rig.seen.button("Bookmark")?.click()
  rig.seen.button("Unlock")?.click()
  try rig.settle()
  try rig.go(.payment("premium.yearly"))
  try rig.go(.dismiss)
  try rig.go(.tab(.fanClubs))
  rig.seen.button("Follow")?.click()
  try rig.go(.fanClub("unknown"))
  for tab in [Tab.bookmarks, .account, .home] { try rig.go(.tab(tab)) }
  try rig.settle()
  let left = [Left(name: "window", object: rig.window), Left(name: "coordinator", object: rig.coordinator)]
  try rig.close()
  return left
}
