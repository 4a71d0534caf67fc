import AppCore
import Foundation
import PublicationAPI
import TestSupport
import XCTest

@testable import Screens

/// The comments under a post: read, written, waiting, deleted.
final class CommentsViewTests: ScreensTestCase {
  func testCommentsAreListedOldestFirstAndOnlyOwnOnesCanBeDeleted() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      rig.publication.with { $0.comments = [.sample(2, isMine: true), .sample(1)] }
      let seen = try rig.show(.comments("p1"))
      XCTAssertEqual(seen.texts.filter { $0.hasPrefix("Comment ") }, ["Comment 1", "Comment 2"])
      XCTAssertEqual(seen.texts.filter { ["Ada", "You"].contains($0) }, ["Ada", "You"])
      XCTAssertNil(seen.row("Comment 1")?.button("Delete"))
      try XCTUnwrap(seen.row("Comment 2")?.button("Delete")).click()
      eventually("it is asked first") { seen.button("Delete the comment") != nil }
      XCTAssertTrue(seen.says("Comment 2"))
      seen.button("Delete the comment")?.click()
      try rig.settle()
      XCTAssertFalse(seen.says("Comment 2"))
      XCTAssertEqual(rig.publication.with { $0.comments.map(\.text) }, ["Comment 1"])
      rig.close()
    }
  }

  func testAddressesInACommentAreLinksThatTheKeyboardReaches() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      var comment = Comment.sample(1)
      comment.text = "Look: https://example.org/a&b, <b>and</b> http://example.org."
      rig.publication.with { $0.comments = [comment, .sample(2)] }
      let seen = try rig.show(.comments("p1"))
      let words = try XCTUnwrap(seen.label(comment.text))
      words.followLink(at: 8)
      words.followLink(at: 2)
      XCTAssertEqual(rig.outputs, ["openWeb(\"https://example.org/a&b\")"])
      XCTAssertTrue(words.selectByMouse())
      eventually("the keyboard is on it") { seen.all.contains { $0.hasStyle("read-by-keyboard") && $0.isFocus } }
      XCTAssertTrue(seen.pressAtFocus("<Control>c"))
      XCTAssertEqual(seen.copied, comment.text)
      XCTAssertTrue(try XCTUnwrap(seen.row(comment.text)).focus())
      for _ in 1...3 where !words.hasFocus { seen.pressTab() }
      XCTAssertTrue(words.hasFocus)
      rig.close()
    }
  }

  func testThatNobodyWroteIsKnownAlsoWithoutANetwork() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      XCTAssertTrue(try rig.show(.comments("p1")).says("No comments yet"))
      rig.closeScreens()
      rig.publication.with { $0.isOffline = true }
      let seen = try rig.show(.comments("p1"))
      XCTAssertTrue(seen.says("No comments yet"), "\(seen.texts)")
      XCTAssertTrue(seen.says("This is the list as it was when it was loaded last."))
      XCTAssertFalse(seen.says("Not on this computer yet"))
      rig.close()
    }
  }

  func testTheKeyboardIsInTheFieldAfterACommentWasDeleted() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      rig.publication.with { $0.comments = [.sample(1, isMine: true), .sample(2, isMine: true)] }
      let seen = try rig.show(.comments("p1"))
      for text in ["Comment 1", "Comment 2"] {
        let delete = try XCTUnwrap(seen.row(text)?.button("Delete"))
        XCTAssertTrue(delete.focus())
        delete.click()
        eventually("it is asked first") { seen.button("Delete the comment") != nil }
        seen.button("Delete the comment")?.focus()
        seen.button("Delete the comment")?.click()
        try rig.settle()
        XCTAssertFalse(seen.says(text))
        XCTAssertEqual(seen.textArea?.hasFocus, true, text)
      }
      rig.close()
    }
  }

  func testOpenedAgainTheKeyboardIsInTheFieldAndOnNothingThatDeletes() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      for _ in 1...2 {
        try XCTUnwrap(rig.seen.button("Comments")).click()
        try rig.settle()
        XCTAssertEqual(rig.shown, "comments")
        XCTAssertEqual(rig.seen.textArea?.hasFocus, true)
        rig.seen.textArea?.write("Mine")
        rig.seen.button("Send")?.click()
        try rig.settle()
        XCTAssertNotNil(rig.seen.button("Delete"))
        rig.seen.button("Back")?.click()
        try rig.settle()
      }
      try rig.close()
    }
  }

  func testTheTitleTheCommentsAndTheFieldStandInOneLine() throws {
    try MainActor.assumeIsolated {
      for width in [360, 1000] {
        let rig = ReaderRig(posts: [.sample(1)], width: width)
        rig.publication.with { $0.comments = [.sample(1)] }
        let seen = try rig.show(.comments("p1"))
        let edges = [seen.label("Title 1"), seen.all.first { $0.hasStyle("comment") }, seen.all.first { $0.hasStyle("text-area") }]
          .map { $0?.place(in: seen).x ?? -1 }
        for edge in edges { XCTAssertEqual(edge, edges[1], accuracy: 1, "\(width): \(edges)") }
        rig.close()
      }
    }
  }

  func testThereIsAGapAboveTheTitle() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      rig.publication.with { $0.comments = [.sample(1)] }
      let seen = try rig.show(.comments("p1"))
      let title = try XCTUnwrap(seen.label("Title 1")).place(in: seen)
      let card = try XCTUnwrap(seen.all.first { $0.hasStyle("comment") }).place(in: seen)
      XCTAssertGreaterThan(title.y, 14)
      XCTAssertGreaterThan(card.y, title.y + title.height + 10)
      rig.close()
    }
  }

  func testWhatIsWrittenIsThereAtOnceAndSaysThatItWaits() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      let seen = try rig.show(.comments("p1"))
      XCTAssertTrue(seen.says("No comments yet"))
      XCTAssertEqual(seen.button("Send")?.isSensitive, false)
      rig.publication.with { $0.holds = ["PUT"] }
      try XCTUnwrap(seen.textArea).write("<b>Bold</b> &amp; on\ntwo lines")
      seen.button("Send")?.click()
      try rig.waitForSuspended()
      XCTAssertEqual(seen.textArea?.written, "")
      XCTAssertTrue(seen.says("<b>Bold</b> &amp; on\ntwo lines"))
      XCTAssertTrue(seen.says("Waiting to be sent"))
      try rig.release()
      XCTAssertFalse(seen.says("Waiting to be sent"))
      XCTAssertEqual(rig.publication.with { $0.comments.map(\.text) }, ["<b>Bold</b> &amp; on\ntwo lines"])
      rig.close()
    }
  }

  func testACommentJustSentIsInSightWhereCommentsFillThePage() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      rig.publication.with { $0.comments = (11...40).map { .sample($0) } }
      let seen = try rig.show(.comments("p1"))
      for text in ["Mine", "And another"] {
        seen.scroll(to: 0)
        rig.window.painted()
        seen.textArea?.write(text)
        seen.button("Send")?.click()
        try rig.settle()
        let list = try XCTUnwrap(seen.scroller)
        let place = try XCTUnwrap(seen.row(text), "\(text) is not even a row").place(in: list)
        XCTAssertLessThanOrEqual(place.y + place.height, list.height + 1, text)
        XCTAssertGreaterThanOrEqual(place.y, 0, text)
      }
      rig.close()
    }
  }

  func testTheLimitIsSaidBeforeItIsReached() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      let seen = try rig.show(.comments("p1"))
      let field = try XCTUnwrap(seen.textArea)
      field.write(String(repeating: "x", count: Comment.longest - 201))
      XCTAssertFalse(seen.texts.contains { $0.hasSuffix(" left") })
      field.write(String(repeating: "x", count: Comment.longest - 40))
      XCTAssertTrue(seen.says("40 characters left"))
      XCTAssertEqual(seen.button("Send")?.isSensitive, true)
      field.write(String(repeating: "x", count: Comment.longest + 2))
      XCTAssertTrue(seen.says("2 characters too many"))
      XCTAssertEqual(seen.button("Send")?.isSensitive, false)
      rig.close()
    }
  }

  /// The field has the height of a line when the text comes.
  func testAPastedCommentFillsTheFieldBeforeItScrolls() throws {
    try MainActor.assumeIsolated {
      setting("gtk-enable-animations", true)
      let rig = ReaderRig(posts: [.sample(1)])
      let seen = try rig.show(.comments("p1"))
      let area = try XCTUnwrap(seen.textArea)
      let paragraph = String(repeating: "as many words as make some lines of a comment ", count: 9)
      area.paste(paragraph + "\n\n" + paragraph)
      eventually("it is pasted") { !area.written.isEmpty }
      try rig.settle()
      eventually("as much as has room") {
        let text = area.shownText
        return text.height > 100 && text.end > text.height && abs(text.top + text.height - text.end) <= 16
      }
      rig.close()
    }
  }

  func testTheFieldShowsAllOfATextThatFits() throws {
    try MainActor.assumeIsolated {
      for (pieces, animates) in [
        (["one\n", "two\n", "three\n", "four"], true), (["one\ntwo\nthree\nfour"], true), (["1\n2\n3\n4"], false),
      ] {
        setting("gtk-enable-animations", animates)
        let rig = ReaderRig(posts: [.sample(1)])
        rig.publication.with { $0.comments = (1...9).map { .sample($0) } }
        let seen = try rig.show(.comments("p1"))
        let area = try XCTUnwrap(seen.textArea)
        area.focus()
        rig.window.painted()
        for piece in pieces {
          area.paste(piece)
          eventually("it is pasted") { area.written.hasSuffix(piece) }
          try rig.settle()
        }
        let scroller = try XCTUnwrap(area.enclosing("scrolledwindow"))
        eventually("it begins with the room above the text, after \(pieces)") { scroller.position == 0 }
        XCTAssertLessThanOrEqual(scroller.surplus, 0, "there is nothing to scroll, after \(pieces)")
        rig.close()
      }
    }
  }

  /// GTK 4.8 complained of parts without a place when so long a text went at once.
  func testFarTooLongATextDoesNotFitIntoTheField() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      let seen = try rig.show(.comments("p1"))
      let area = try XCTUnwrap(seen.textArea)
      area.focus()
      area.paste("Before.")
      eventually("it is pasted") { area.written == "Before." }
      area.paste(String(repeating: "many words and ", count: 6000))
      eventually("it is pasted") { area.written.count > 1000 }
      try rig.settle()
      XCTAssertEqual(area.written.count, Comment.largest)
      XCTAssertTrue(area.written.hasPrefix("Before.many words"))
      XCTAssertTrue(seen.texts.contains { $0.hasSuffix(" characters too many") })
      area.selectAll()
      area.paste("x")
      eventually("it takes the place of all") { area.written == "x" }
      try rig.settle()
      rig.close()
    }
  }

  func testWhoCannotReadCannotWrite() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1, premium: true)])
      let seen = try rig.show(.comments("p1"))
      XCTAssertNil(seen.textArea)
      XCTAssertTrue(seen.says("You can comment once you have unlocked this post."))
      XCTAssertNotNil(seen.button("Open the post"), "where it can be unlocked")
      rig.fixture.store.hasPremium = true
      rig.publication.with { $0.hasPremium = true }
      rig.publication.with { $0.isOffline = true }
      rig.closeScreens()
      let again = try rig.show(.comments("p1"))
      XCTAssertNotNil(again.textArea)
      XCTAssertNil(again.button("Open the post"))
      rig.close()
    }
  }
}
