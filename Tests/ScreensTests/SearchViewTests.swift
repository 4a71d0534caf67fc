import AppCore
import Foundation
import PublicationAPI
import TestSupport
import XCTest

@testable import Screens

/// Search: what is found with what matched marked, and what there is to say when nothing is.
final class SearchViewTests: ScreensTestCase {
  func testWhatMatchesIsMarkedAndMarkupIsOnlyText() throws {
    try MainActor.assumeIsolated {
      var post = Post.sample(1)
      post.title = "A <b>reel</b> & more"
      let rig = ReaderRig(posts: [post, .sample(2)])
      let seen = try rig.show(.search)
      seen.entries[0].type("REEL")
      seen.entries[0].pressEnter()
      try rig.settle()
      let title = try XCTUnwrap(seen.label("A <b>reel</b> & more"))
      XCTAssertEqual(title.markup?.contains("<b>reel</b></span>&lt;/b&gt; &amp; more"), true, title.markup ?? "")
      XCTAssertFalse(seen.says("Title 2"))
      seen.row("A <b>reel</b> & more")?.activate()
      XCTAssertEqual(rig.outputs, ["openPost(\"p1\")"])
      seen.button("Clear the search")?.click()
      try rig.settle()
      XCTAssertEqual(seen.entries[0].typed, "")
      XCTAssertTrue(seen.says("Search all posts"))
      rig.close()
    }
  }

  func testWhatWasReadIsNotBold() throws {
    try MainActor.assumeIsolated {
      var read = Post.sample(1)
      read.read = true
      let rig = ReaderRig(posts: [read, .sample(2)])
      let seen = try rig.show(.search)
      seen.entries[0].type("title")
      seen.entries[0].pressEnter()
      try rig.settle()
      for (title, isRead) in [("Title 1", true), ("Title 2", false)] {
        let row = try XCTUnwrap(seen.row(title))
        XCTAssertEqual(row.all.contains { $0.hasStyle("post-row") && $0.hasStyle("read") }, isRead, title)
        XCTAssertEqual(row.all.contains { $0.hasStyle("unread-dot") }, !isRead, title)
      }
      rig.close()
    }
  }

  func testNothingAndNobodyAreSaid() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      let seen = try rig.show(.search)
      seen.entries[0].type("zebra")
      seen.entries[0].pressEnter()
      try rig.settle()
      XCTAssertTrue(seen.says("Nothing found"))
      rig.publication.with { $0.isOffline = true }
      seen.entries[0].type("title")
      seen.entries[0].pressEnter()
      try rig.settle()
      XCTAssertTrue(seen.says("The publication is needed"))
      rig.publication.with { $0.isOffline = false }
      seen.button("Try again")?.click()
      try rig.settle()
      XCTAssertTrue(seen.says("Title 1"))
      rig.close()
    }
  }

  /// The rows go, and with them the one that had the keyboard.
  func testWhoIsOnARowWhenNothingIsFoundTypesOn() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      try rig.go(.search(""))
      let field = try XCTUnwrap(rig.seen.entries.first)
      field.type("rain")
      field.pressEnter()
      try rig.settle()
      let row = try XCTUnwrap(rig.seen.all.compactMap { $0.enclosing("row") }.first)
      XCTAssertTrue(row.focus())
      XCTAssertFalse(field.hasFocus)
      field.type("qqq")
      field.pressEnter()
      try rig.settle()
      XCTAssertTrue(rig.seen.says("Nothing found"))
      eventually("the keyboard is in the field") { field.hasFocus }
      try rig.close()
    }
  }

  func testWhoIsOnARowWhenOtherPostsAreFoundIsOnTheFirstOfThem() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1), .sample(2)])
      let seen = try rig.show(.search)
      seen.entries[0].type("1")
      seen.entries[0].pressEnter()
      try rig.settle()
      XCTAssertEqual(seen.row("Title 1")?.focus(), true)
      seen.entries[0].type("2")
      seen.entries[0].pressEnter()
      try rig.settle()
      XCTAssertNil(seen.label("Title 1"))
      eventually("the keyboard is on what was found") { seen.all.contains { $0.isFocus && $0.texts.contains("Title 2") } }
      rig.close()
    }
  }

  func testFanClubsStandAboveThePosts() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)], clubs: [FanClub(id: "c1", name: "Title & <b>Co</b>", followers: 3, posts: 1)])
      let seen = try rig.show(.search)
      seen.entries[0].type("title")
      seen.entries[0].pressEnter()
      try rig.settle()
      for text in ["Fan clubs", "Title & <b>Co</b>", "Posts", "Title 1"] { XCTAssertTrue(seen.says(text), text) }
      XCTAssertEqual(seen.label("Title & <b>Co</b>")?.markup?.contains("Title</b></span> &amp; &lt;b&gt;Co"), true)
      seen.row("Title & <b>Co</b>")?.activate()
      XCTAssertEqual(rig.outputs, ["openFanClub(\"c1\")"])
      // The arrow keys stop at what can be opened, and nowhere else.
      XCTAssertEqual(Set(seen.all.compactMap { $0.enclosing("row")?.texts.first }), ["Fan clubs", "Posts"])
      // What is known without the publication stays findable.
      rig.publication.with { $0.isOffline = true }
      seen.entries[0].type("titl")
      seen.entries[0].pressEnter()
      try rig.settle()
      XCTAssertTrue(seen.says("Title & <b>Co</b>"))
      XCTAssertTrue(seen.says("Searching posts takes the publication, which cannot be reached now."))
      XCTAssertFalse(seen.says("Title 1"))
      rig.close()
    }
  }
}
