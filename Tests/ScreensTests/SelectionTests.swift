import AppCore
import FeatureKit
import Foundation
import PublicationAPI
import TestSupport
import XCTest

@testable import CommentsFeature
@testable import Gtk
@testable import Screens

/// What can be copied besides articles: comments, what the account says, and why a feed could not be fetched.
final class SelectionTests: ScreensTestCase {
  func testTheWordsOfCommentsAreCopied() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      rig.publication.with { $0.comments = [.sample(1), .sample(2)] }
      let seen = try rig.show(.comments("p1"))
      for (text, other) in [("Comment 1", "Comment 2"), ("Comment 2", "Comment 1")] {
        XCTAssertEqual(seen.textArea?.focus(), true)
        let label = try XCTUnwrap(seen.label(text))
        XCTAssertTrue(label.selectByMouse())
        eventually("the keyboard is on the comment") { seen.textArea?.hasFocus == false && seen.row(text)?.hasFocus == true }
        XCTAssertTrue(seen.pressAtFocus("<Control>c"))
        XCTAssertEqual(seen.copied, text)
        // One has what is selected: by the keyboard nothing is copied of the other.
        XCTAssertTrue(try XCTUnwrap(seen.row(other)).pressTab())
        XCTAssertTrue(seen.pressAtFocus("<Control>c"))
        XCTAssertEqual(seen.copied, text)
        XCTAssertTrue(seen.pressAtFocus("<Control>a"))
        XCTAssertTrue(seen.pressAtFocus("<Control>c"))
        XCTAssertEqual(seen.copied, other)
      }
      let others = Set(seen.buttonNames)
      XCTAssertTrue(seen.pressAtFocus("Menu"))
      eventually("the menu opens") { seen.button("Copy") != nil }
      XCTAssertEqual(seen.buttonNames.filter { !others.contains($0) }, ["Copy", "Copy comment", "Select all"])
      seen.button("Copy comment")?.click()
      eventually("the menu closes") { seen.button("Copy") == nil }
      rig.close()
    }
  }

  private static func comment(_ number: Int, isWaiting: Bool = false) -> CommentRow {
    CommentRow(id: "\(number)", author: "Ada", text: "Comment \(number)", date: "today", isMine: false, isWaiting: isWaiting)
  }

  func testACommentThatTakesThePlaceOfAnotherIsNotSelected() throws {
    MainActor.assumeIsolated {
      let rig = ReaderRig()
      let row = CommentRowView(selected: { _ in }, linkTapped: { _ in }, deleteTapped: { _, _ in })
      rig.window.child(row.root)
      let seen = Seen(row.root)
      row.show(Self.comment(1))
      rig.window.painted()
      XCTAssertEqual(seen.label("Comment 1")?.selectByMouse(), true)
      XCTAssertEqual(row.text.selectedText, "Comment 1")
      row.show(Self.comment(1, isWaiting: true))
      XCTAssertEqual(row.text.selectedText, "Comment 1", "it is the same")
      row.show(Self.comment(2))
      rig.window.painted()
      XCTAssertEqual(row.text.selectedText, "")
      row.scope.close()
      rig.close()
    }
  }

  func testWhatTheAccountSaysIsCopiedAndTheKeysScroll() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 360, height: 400)
      try rig.start()
      try rig.signIn()
      try rig.go(.payment("premium.yearly"))
      rig.seen.button("Pay €49.00")?.click()
      try rig.settle()
      try rig.go(.purchases(order: nil))
      XCTAssertFalse(rig.seen.all.contains { $0.isSelectableByItself })
      for start in ["To cancel your subscription: ", "Order "] {
        let text = try XCTUnwrap(rig.seen.texts.first { $0.contains(start) }, "\(rig.seen.texts)")
        XCTAssertEqual(rig.seen.label(text)?.selectByMouse(), true)
        eventually("it is copied") { rig.seen.pressAtFocus("<Control>c") && rig.seen.copied == text }
      }
      let page = try XCTUnwrap(rig.seen.scroller)
      rig.seen.scroll(to: 0)
      for (key, goesDown) in [("End", true), ("Home", false)] {
        let last = page.position
        XCTAssertTrue(rig.seen.pressAtFocus(key), key)
        eventually("\(key) scrolls") { goesDown ? page.position > last : page.position < last }
        MainLoop.run(upTo: 0.3)
      }
      try rig.close()
    }
  }

  func testEveryFeedThatCouldNotBeFetchedIsNamed() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let list = FailureList(name: "What could not be fetched", tallest: 160)
      rig.window.child(list.root)
      list.show((1...200).map { FanClubsFetch.Failure("Club \($0)", "It is away.") })
      rig.window.painted()
      let seen = Seen(list.root)
      XCTAssertTrue(seen.says("200 feeds") && seen.says("It is away."))
      let names = try XCTUnwrap(seen.all.first { $0.texts.first?.hasSuffix("Club 199, Club 200") == true })
      XCTAssertFalse(names.isCut)
      rig.close()
    }
  }

  func testWhyFeedsCouldNotBeFetchedIsCopied() throws {
    MainActor.assumeIsolated {
      let rig = ReaderRig()
      let list = FailureList(name: "What could not be fetched")
      rig.window.child(list.root)
      list.show([FanClubsFetch.Failure("Club 1", "It is empty."), FanClubsFetch.Failure("Club 2", "It is away.")])
      rig.window.painted()
      let seen = Seen(list.root)
      XCTAssertFalse(seen.all.contains { $0.isSelectableByItself })
      XCTAssertEqual(seen.label("It is empty.")?.selectByMouse(), true)
      XCTAssertTrue(seen.hasFocus)
      XCTAssertTrue(seen.pressAtFocus("<Control>c"))
      XCTAssertEqual(seen.copied, "It is empty.")
      XCTAssertTrue(seen.pressAtFocus("<Control>a"))
      XCTAssertTrue(seen.pressAtFocus("<Control>c"))
      XCTAssertEqual(seen.copied, "Club 1\nIt is empty.\n\nClub 2\nIt is away.")
      rig.close()
    }
  }
}
