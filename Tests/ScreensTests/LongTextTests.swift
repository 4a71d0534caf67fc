import AppCore
import Foundation
import Gtk
import PublicationAPI
import TestSupport
import XCTest

@testable import Screens

/// What publications write, however long: no window becomes wider for it, and nothing is drawn over something else.
final class LongTextTests: ScreensTestCase {
  func testLongTextsAndMissingPicturesFitANarrowWindow() throws {
    try MainActor.assumeIsolated {
      let long = String(repeating: "A title that goes on and on, as some of them do ", count: 5)
      let html = """
        <h2>\(long)</h2><p>\(String(repeating: "x", count: 300))</p><p>\(long)</p><ul><li>\(long)<ol><li>\(long)</li></ol></li></ul>
        <blockquote>\(long)</blockquote><pre>\(long)</pre><p><a href="https://example.org">\(long)</a></p>
        """
      var posts: [Post] = (1...5).map { .sample($0, premium: $0 < 3, bookmarked: true, body: html) }
      for index in posts.indices {
        if index != 1 { posts[index].title = long }
        posts[index].teaser = index == 2 ? "" : long
        posts[index].byline = long
        if index != 4 { posts[index].fanClubName = long }
        posts[index].reactions = [.love: 123_456_789]
        posts[index].picture = index.isMultiple(of: 2) ? nil : "/missing"
      }
      var club = FanClub.sample("c1", followers: 123_456_789)
      (club.name, club.about) = (long, long)
      let rig = ReaderRig(posts: posts, clubs: [club], width: 420, height: 900)
      for place in [Destination.tab(.home), .tab(.bookmarks), .tab(.fanClubs), .fanClub("c1"), .post("p1"), .post("p4")] {
        let seen = try rig.show(place)
        XCTAssertLessThanOrEqual(rig.window.width, 420, "\(place)")
        for part in seen.all {
          if let child = part.childThatSticksOut { XCTFail("\(place): \(child.texts) do not fit") }
        }
        rig.closeScreens()
      }
      rig.close()
    }
  }

  /// A book of a feed: all its parts at once took seven seconds, in which no key was heard.
  func testTheRestOfALongTextComesFrameByFrame() throws {
    try MainActor.assumeIsolated {
      let html = (1...600).map { "<p>Paragraph \($0) goes on.</p>" }.joined()
      let rig = ReaderRig(posts: [.sample(1, body: html)], width: 420, height: 640)
      // Not settled: frames that take long would bring the rest before one looks.
      let seen = try rig.show(.post("p1"), settles: false)
      eventually("the beginning") { seen.says("Paragraph 1 goes on.") }
      let first = seen.texts.count { $0.hasPrefix("Paragraph ") }
      XCTAssertTrue((1..<400).contains(first), "\(first)")
      eventually("all of it") { seen.texts.count { $0.hasPrefix("Paragraph ") } == 600 }
      XCTAssertEqual(seen.texts.filter { $0.hasPrefix("Paragraph ") }, (1...600).map { "Paragraph \($0) goes on." })
      // Another text takes its place while the rest is on its way.
      rig.preferences.change { $0.textSize = 150 }
      let again = seen.texts.count { $0.hasPrefix("Paragraph ") }
      XCTAssertTrue((1..<400).contains(again), "\(again)")
      eventually("all of it again") { seen.texts.count { $0.hasPrefix("Paragraph ") } == 600 }
      rig.preferences.change { $0.textSize = 100 }
      rig.close()
    }
  }

  /// A stranger's feed, and a comment: one word of any length stood still for minutes.
  func testAWordOfAnyLengthIsDrawn() throws {
    try MainActor.assumeIsolated {
      let word = String(repeating: "abcdefghij", count: 900)
      var post = Post.sample(1, body: "<p>Before.</p><p>\(word)</p><p>After.</p>")
      let line = String(word.prefix(1_200))
      (post.title, post.byline, post.teaser) = (line, line, line)
      let rig = ReaderRig(posts: [post], width: 600, height: 900)
      rig.fixture.publication.with {
        $0.comments = (1...20).map {
          var comment = Comment.sample($0)
          comment.text = String(word.prefix(4_000))
          return comment
        }
      }
      var seen = try rig.show(.tab(.home))
      eventually("the row") { seen.texts.contains { $0.hasPrefix("abcdefghij") } }
      XCTAssertLessThan(seen.texts.map(\.count).max() ?? 0, 1_100, "no more of a title than a row shows")
      seen = try rig.show(.post("p1"), settles: false)
      eventually("all of it", upTo: 30) { seen.says("After.") }
      XCTAssertEqual(seen.texts.filter { $0.hasPrefix("abcdefghij") }.map(\.count).suffix(2), [8_000, 1_000])
      XCTAssertLessThanOrEqual(rig.window.width, 600)
      seen = try rig.show(.comments("p1"), settles: false)
      eventually("the comments", upTo: 30) { seen.texts.contains { $0.count == 4_000 } }
      rig.closeScreens()
      rig.close()
    }
  }

  /// Some people go to the end first. Who reads on by pages is not taken along.
  func testTheEndIsTheEndAlsoWhileTheTextIsOnItsWay() throws {
    try MainActor.assumeIsolated {
      let html = (1...600).map { "<p>Paragraph \($0) goes on.</p>" }.joined()
      let rig = ReaderRig(posts: [.sample(1, body: html)], width: 420, height: 640)
      let seen = try rig.show(.post("p1"), settles: false)
      eventually("the beginning") { seen.says("Paragraph 1 goes on.") }
      rig.window.painted()
      rig.lastView?.takeKeyboard()
      XCTAssertTrue(seen.pressAtFocus("End"))
      XCTAssertFalse(seen.says("Paragraph 600 goes on."))
      eventually("all of it") { seen.says("Paragraph 600 goes on.") }
      for _ in 0..<5 { rig.window.painted() }
      eventually("the end") { (rig.fixture.store.readingPlaces["p1"]?.block ?? 0) > 570 }
      rig.closeScreens()
      rig.close()
    }
  }

  /// GTK 4.8 stands still for ever when another program pastes more than 256 KB of a string.
  func testALongTextIsPastedIntoAnotherProgram() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)], width: 420, height: 640)
      _ = try rig.show(.post("p1"))
      let text = String(repeating: "Zwölf Absätze. ", count: 60_000)
      rig.window.copyToClipboard(text)
      let (program, output) = (Process(), Pipe())
      program.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
      program.arguments = ["-c", Self.paste]
      program.standardOutput = output
      try program.run()
      eventually("it has pasted", upTo: 30) { !program.isRunning }
      let told = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      XCTAssertEqual(told, "\(text.count) Zwölf Absätze.\n")
      rig.close()
    }
  }

  private static let paste = """
    import gi
    gi.require_version("Gtk", "4.0")
    from gi.repository import Gdk, GLib, Gtk
    Gtk.init()
    loop = GLib.MainLoop()
    def done(clipboard, result):
        text = clipboard.read_text_finish(result)
        print(len(text), text[:14])
        loop.quit()
    Gdk.Display.get_default().get_clipboard().read_text_async(None, done)
    GLib.timeout_add_seconds(20, loop.quit)
    loop.run()
    """

  /// Smaller text is less high: a place near the end is out of it until all parts have their new height.
  func testWhoTriesLargerTextIsThenWhereTheyWere() throws {
    try MainActor.assumeIsolated {
      let html = (1...60).map { "<p>\(String(repeating: "Paragraph \($0) goes on. ", count: 1 + $0 % 7))</p>" }.joined()
      let rig = ReaderRig(posts: [.sample(1, body: html)], width: 700, height: 640)
      let seen = try rig.show(.post("p1"))
      for share in [1.0, 0.95, 0.5] {
        seen.scroll(to: share)
        rig.window.painted()
        let place = rig.fixture.store.readingPlaces["p1"]
        XCTAssertNotNil(place)
        for size in [200, 100] {
          Theme.useText(size: Double(size) / 100, articlesHaveSerifs: false)
          rig.preferences.change { $0.textSize = size }
          for _ in 0..<5 { rig.window.painted() }
        }
        XCTAssertEqual(rig.fixture.store.readingPlaces["p1"]?.block, place?.block, "\(share)")
      }
      rig.close()
    }
  }

  /// The GL renderer makes no texture of what is as tall as a text: it aborts where that is more than a surface of cairo's can be.
  func testWhateverIsAsTallAsItsTextIsDrawnWithoutATexture() throws {
    try MainActor.assumeIsolated {
      let tall = String(repeating: "A line of many. ", count: 1_000)
      let lines = String(repeating: "let x = 1\n", count: 5_000)
      let rows = String(repeating: "<tr><td>One</td><td>Two</td></tr>", count: 1_000)
      let html = """
        <p>\(tall)</p><blockquote><p>\(tall)</p></blockquote><pre>\(lines)</pre><ul><li>\(tall)</li></ul><table>\(rows)</table>
        """
      // A picture that is not there is told in words.
      let captions = """
        <figure><img src="https://example.org/missing.png" alt="\(tall)"><figcaption>\(tall)</figcaption></figure>
        <table><caption>\(tall)</caption><tr><td>One</td></tr></table>
        """
      let rig = ReaderRig(posts: [.sample(1, body: html), .sample(2, body: captions)], width: 420, height: 640)
      rig.publication.with {
        $0.comments = [.sample(1)]
        $0.comments[0].text = tall
      }
      let watch = FrameWatch(rig.window)
      for place in [Destination.post("p1"), .post("p2"), .comments("p1")] {
        let seen = try rig.show(place)
        XCTAssertEqual(seen.texts.contains { $0.hasSuffix("(picture not available)") }, place == .post("p2"), "\(place)")
        rig.scroll(seen, to: 1)
        rig.closeScreens()
      }
      XCTAssertEqual(watch.tooLarge, [])
      XCTAssertGreaterThan(watch.frames, 3)
      watch.scope.close()
      rig.close()
    }
  }
}
