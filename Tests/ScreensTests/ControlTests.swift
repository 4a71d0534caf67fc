import AppCore
import Foundation
import Gtk
import PublicationAPI
import TestSupport
import XCTest

@testable import Screens

/// Buttons that show a state: React, Bookmark, Follow.
final class ControlTests: ScreensTestCase {
  func testClicksThatReachNothingChangeNoPixel() throws {
    try MainActor.assumeIsolated {
      for (place, names) in Self.controls {
        let rig = ReaderRig(posts: [.sample(1, reactions: 4), .sample(2)])
        let seen = try rig.show(place)
        // A store that is closed changes nothing, whatever it is asked for.
        rig.fixture.store.close()
        for name in names {
          let before = try XCTUnwrap(seen.pixels)
          for _ in 0..<10 { try XCTUnwrap(seen.button(name), "\(place) \(name)").click() }
          try rig.settle()
          XCTAssertTrue(seen.pixels == before, "\(name) flipped on \(place)")
          XCTAssertEqual(seen.button(name)?.isOn, false)
        }
        rig.close()
      }
    }
  }

  func testClicksThatReachTheModelChangeWhatIsDrawn() throws {
    try MainActor.assumeIsolated {
      for (place, names) in Self.controls {
        let rig = ReaderRig(posts: [.sample(1, reactions: 4, bookmarked: place == .tab(.bookmarks)), .sample(2)])
        let seen = try rig.show(place)
        for name in names where !(place == .tab(.bookmarks) && name == "Bookmark") {
          let before = seen.pixels
          seen.button(name)?.click()
          // Drawn at once, before any answer.
          rig.window.painted()
          let button = seen.button(name) ?? seen.button("Following")
          XCTAssertEqual(button?.isOn, true, "\(place) \(name)")
          XCTAssertFalse(seen.pixels == before, "\(place) \(name)")
          try rig.settle()
          button?.click()
          try rig.settle()
          XCTAssertEqual(seen.button(name)?.isOn, false, "\(place) \(name)")
          XCTAssertTrue(seen.pixels == before, "\(place) \(name) does not come back to what it was")
        }
        rig.close()
      }
    }
  }

  func testEachKindOfReactionHasAnIconAndWords() {
    MainActor.assumeIsolated {
      for kind in Reaction.known {
        XCTAssertNotEqual(kind.icon(isChosen: true), .face, kind.rawValue)
        XCTAssertNotEqual(kind.words, kind.rawValue)
      }
    }
  }

  func testAHeartIsEmptyUntilItIsPressed() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      let article = try rig.show(.post("p1"))
      @MainActor func hearts(_ seen: Seen) throws -> [String] {
        try XCTUnwrap(seen.button("Love")).icons
      }
      XCTAssertEqual(try hearts(article), [Icon.heartOutline.name])
      article.button("Love")?.click()
      try rig.settle()
      XCTAssertEqual(try hearts(article), [Icon.heart.name])
      article.button("Love")?.click()
      try rig.settle()
      XCTAssertEqual(try hearts(article), [Icon.heartOutline.name])
      rig.closeScreens()
      let feed = try rig.show(.tab(.home))
      for icon in [Icon.heartOutline, .heart] {
        feed.row("Title 1")?.button("More")?.click()
        eventually("the menu opens") { feed.button("Love") != nil }
        XCTAssertEqual(try hearts(feed), [icon.name])
        feed.button("Love")?.click()
        try rig.settle()
        eventually("the menu closes") { feed.button("Love") == nil }
      }
      rig.close()
    }
  }

  private static let controls: [(Destination, [String])] = [
    (.tab(.home), ["React", "Bookmark"]), (.fanClub("c1"), ["Follow", "React", "Bookmark"]), (.tab(.fanClubs), ["Follow"]),
    (.post("p1"), ["Love", "Bookmark"]),
  ]

  func testAReactionStaysWhileItsRequestHangsAndTheRowIsAway() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: (1...400).map { .sample($0, reactions: 7) })
      rig.publication.with { $0.pageSize = 400 }
      let feed = try rig.show(.tab(.home))
      rig.publication.with { $0.holds = ["PUT"] }
      try XCTUnwrap(feed.row("Title 1")?.button("React")).click()
      try rig.waitForSuspended()
      XCTAssertEqual(feed.row("Title 1")?.button("React")?.isOn, true)
      XCTAssertEqual(feed.row("Title 1")?.says("8"), true)
      rig.scroll(feed, to: 1)
      XCTAssertNil(feed.row("Title 1"), "the row shall be away, filled with another post")
      XCTAssertNotNil(feed.row("Title 400"), "\(feed.texts)")
      XCTAssertFalse(feed.all.contains { $0.isOn })
      rig.scroll(feed, to: 0)
      XCTAssertEqual(feed.row("Title 1")?.button("React")?.isOn, true)
      XCTAssertEqual(feed.row("Title 1")?.says("8"), true)
      XCTAssertEqual(feed.row("Title 2")?.button("React")?.isOn, false)
      try rig.release()
      XCTAssertEqual(feed.row("Title 1")?.button("React")?.isOn, true)
      rig.close()
    }
  }

  func testARefusedReactionIsTakenBackAndExplained() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1, reactions: 7), .sample(2)])
      let feed = try rig.show(.tab(.home))
      let before = feed.pixels
      rig.publication.with {
        $0.holds = ["PUT"]
        $0.refusals = ["PUT": Problem(code: .locked, title: "Not for you.", status: 403)]
      }
      feed.row("Title 1")?.button("React")?.click()
      try rig.waitForSuspended()
      XCTAssertEqual(feed.row("Title 1")?.button("React")?.isOn, true)
      XCTAssertNil(feed.button("Dismiss message"))
      try rig.release()
      XCTAssertEqual(feed.row("Title 1")?.button("React")?.isOn, false)
      XCTAssertEqual(feed.row("Title 1")?.says("7"), true)
      XCTAssertTrue(feed.texts.contains { $0.contains("Your reaction was not saved") }, "\(feed.texts)")
      feed.button("Dismiss message")?.click()
      rig.window.painted()
      XCTAssertNil(feed.button("Dismiss message"))
      XCTAssertTrue(feed.pixels == before)
      rig.close()
    }
  }

  func testRefusalsAreExplainedOnEveryPage() throws {
    try MainActor.assumeIsolated {
      for (place, name, sentence) in [
        (Destination.tab(.fanClubs), "Follow", "Following was not changed"), (.fanClub("c1"), "Follow", "Following was not changed"),
        (.fanClub("c1"), "Bookmark", "Your bookmark was not saved"), (.post("p1"), "Bookmark", "Your bookmark was not saved"),
      ] {
        let rig = ReaderRig(posts: [.sample(1)])
        let seen = try rig.show(place)
        let refused = Problem(code: .locked, title: "Not for you.", status: 403)
        rig.publication.with { $0.refusals = ["PUT": refused, "DELETE": refused] }
        seen.button(name)?.click()
        try rig.settle()
        XCTAssertTrue(seen.texts.contains { $0.contains(sentence) }, "\(place) \(name): \(seen.texts)")
        XCTAssertEqual(seen.button(name)?.isOn, false)
        rig.close()
      }
    }
  }

  func testOnePostShownThriceChangesEverywhere() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1, reactions: 4, bookmarked: true), .sample(2, bookmarked: true)], width: 1260)
      let pages = try [Destination.tab(.home), .fanClub("c1"), .tab(.bookmarks)].map { try rig.show($0) }
      let article = try rig.show(.post("p1"))
      pages[1].row("Title 1")?.button("React")?.click()
      try rig.settle()
      for page in pages {
        XCTAssertEqual(page.row("Title 1")?.button("React")?.isOn, true)
        XCTAssertEqual(page.row("Title 1")?.says("5"), true)
        XCTAssertEqual(page.row("Title 2")?.button("React")?.isOn, false)
      }
      XCTAssertEqual(article.button("Love")?.isOn, true)
      XCTAssertTrue(article.says("5"))
      article.button("Bookmark")?.click()
      try rig.settle()
      XCTAssertEqual(pages[0].row("Title 1")?.button("Bookmark")?.isOn, false)
      XCTAssertEqual(pages[1].row("Title 1")?.button("Bookmark")?.isOn, false)
      XCTAssertNil(pages[2].row("Title 1"), "bookmarks show what is bookmarked")
      XCTAssertNotNil(pages[2].row("Title 2"))
      rig.close()
    }
  }

  func testFollowingChangesTheListAndThePage() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(clubs: [.sample("c1"), .sample("c2")])
      let list = try rig.show(.tab(.fanClubs))
      let page = try rig.show(.fanClub("c1"))
      page.button("Follow")?.click()
      try rig.settle()
      XCTAssertEqual(page.button("Following")?.isOn, true)
      XCTAssertTrue(page.texts.contains { $0.hasPrefix("4 followers") })
      XCTAssertEqual(list.row("Club c1")?.button("Following")?.isOn, true)
      XCTAssertEqual(list.row("Club c2")?.button("Follow")?.isOn, false)
      rig.close()
    }
  }
}
