import AppCore
import CGtk
import Foundation
@testable import Gtk
import PublicationAPI
import TestSupport
import XCTest

@testable import Screens

/// An article: its text, its links, and what is locked.
final class ArticleViewTests: ScreensTestCase {
  private static let html = """
    <h2>A heading &amp; more</h2>
    <p>Some <em>leaning</em> and <strong>heavy</strong> words, <code>a &lt; b</code>.</p>
    <p>Read <a href="https://example.org/one?a=1&amp;b=2">this page</a> or <a href="mailto:a@example.org">write</a>.</p>
    <blockquote>Somebody else said so.</blockquote>
    <ul><li>First</li><li>Second</li></ul>
    <pre>let x = 1 &lt; 2</pre><hr>
    <script>alert("no")</script><p>&lt;b&gt;not bold&lt;/b&gt; &amp;amp;</p>
    """

  func testABodyIsDrawnBlockByBlock() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1, body: Self.html)])
      let seen = try rig.show(.post("p1"))
      for text in [
        "Title 1", "A heading & more", "Some leaning and heavy words, a < b.", "Read this page or write.", "Somebody else said so.",
        "First",
        "Second", "let x = 1 < 2", "<b>not bold</b> &amp;",
      ] { XCTAssertTrue(seen.says(text), "\(text): \(seen.texts)") }
      XCTAssertFalse(seen.texts.contains { $0.contains("alert") })
      XCTAssertEqual(seen.label("A heading & more")?.hasStyle("title-2"), true)
      let markup = seen.label("Some leaning and heavy words, a < b.")?.markup
      XCTAssertEqual(markup, "Some <i>leaning </i>and <b>heavy </b>words, <tt>a &lt; b</tt>.")
      XCTAssertEqual(seen.label("Somebody else said so.")?.hasStyle("quote"), true)
      XCTAssertFalse(seen.says("Unlock"))
      XCTAssertFalse(seen.isSpinning)
      rig.close()
    }
  }

  func testATableIsDrawnInRowsAndColumns() throws {
    try MainActor.assumeIsolated {
      let html = """
        <table><caption>How many came</caption><tr><th>Year</th><th>Readers</th></tr>\
        <tr><td>2025</td><td>12</td></tr><tr><td colspan="2">Nobody counted before.</td></tr></table>
        """
      let rig = ReaderRig(posts: [.sample(1, body: html)])
      let seen = try rig.show(.post("p1"))
      @MainActor func place(_ text: String) throws -> (x: Double, y: Double, width: Double, height: Double) {
        try XCTUnwrap(seen.label(text)?.enclosing("box"), "\(text): \(seen.texts)").place(in: seen)
      }
      let (year, readers, number, wide) = try (place("Year"), place("Readers"), place("12"), place("Nobody counted before."))
      XCTAssertLessThan(try place("How many came").y, year.y)
      XCTAssertEqual(year.y, readers.y)
      XCTAssertGreaterThanOrEqual(readers.x, year.x + year.width)
      XCTAssertEqual(number.x, readers.x)
      XCTAssertGreaterThanOrEqual(number.y, readers.y + readers.height)
      XCTAssertEqual(wide.x, year.x)
      XCTAssertGreaterThanOrEqual(wide.width, year.width + readers.width)
      XCTAssertEqual(seen.label("Year")?.enclosing("box")?.hasStyle("header"), true)
      XCTAssertEqual(seen.label("12")?.enclosing("box")?.hasStyle("header"), false)
      rig.close()
    }
  }

  func testLinksReachTheCoordinatorAndNothingElse() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1, body: Self.html)])
      let seen = try rig.show(.post("p1"))
      let label = try XCTUnwrap(seen.label("Read this page or write."))
      label.followLink(at: 6)
      XCTAssertEqual(rig.outputs, ["openWeb(\"https://example.org/one?a=1&b=2\")"])
      label.followLink(at: 19)
      XCTAssertEqual(rig.outputs.last, "openWeb(\"mailto:a@example.org\")")
      label.followLink(at: 0)
      XCTAssertEqual(rig.outputs.count, 2)
      seen.button("Club c1")?.click()
      XCTAssertEqual(rig.outputs.last, "openFanClub(\"c1\")")
      rig.close()
    }
  }

  func testAFootnoteScrollsToItsPlaceAndBack() throws {
    try MainActor.assumeIsolated {
      let filler = String(repeating: "<p>\(String(repeating: "Some words. ", count: 60))</p>", count: 20)
      let words = String(repeating: "More words. ", count: 300)
      var post = Post.sample(
        1,
        body: "\(filler)<p>\(words)A claim<a id=ref1 href='https://example.org/one#fn1'>1</a>. \(words)</p>\(filler)"
          + "<ol><li id=fn1>The note. <a href='#ref1'>Back</a></li></ol>\(filler)")
      post.url = "https://example.org/one"
      let rig = ReaderRig(posts: [post])
      let seen = try rig.show(.post("p1"))
      let claim = try XCTUnwrap(seen.all.first { $0.text?.contains("A claim") == true })
      claim.followLink(at: words.count + 7)
      rig.paint()
      let scroller = try XCTUnwrap(seen.scroller)
      let note = try XCTUnwrap(seen.label("The note. Back"))
      XCTAssertEqual(note.place(in: scroller).y, 12, accuracy: 6)
      note.followLink(at: 10)
      rig.paint()
      // To its line, which is far below the beginning of its paragraph.
      XCTAssertLessThan(claim.place(in: scroller).y, -300)
      XCTAssertGreaterThan(claim.place(in: scroller).y + claim.place(in: scroller).height, 300)
      XCTAssertEqual(rig.outputs, [])
      rig.close()
    }
  }

  func testAnArticleOffersItsPageOnTheWeb() throws {
    try MainActor.assumeIsolated {
      var post = Post.sample(1)
      post.url = "https://example.org/one"
      let rig = ReaderRig(posts: [post, .sample(2)])
      let seen = try rig.show(.post("p1"))
      try XCTUnwrap(seen.button("More")).click()
      eventually("the menu opens") { seen.button("Copy link") != nil }
      seen.button("Copy link")?.click()
      XCTAssertEqual(rig.outputs, ["copyLink(\"https://example.org/one\")"])
      eventually("the menu closes") { seen.button("Copy link") == nil }
      seen.button("More")?.click()
      eventually("the menu opens again") { seen.button("Open in browser") != nil }
      seen.button("Open in browser")?.click()
      XCTAssertEqual(rig.outputs.last, "openWeb(\"https://example.org/one\")")
      eventually("the menu closes again") { seen.button("Open in browser") == nil }
      XCTAssertTrue(seen.press("<Control>o"))
      XCTAssertTrue(seen.press("<Control><Shift>c"))
      XCTAssertEqual(rig.outputs.suffix(2), ["openWeb(\"https://example.org/one\")", "copyLink(\"https://example.org/one\")"])
      rig.closeScreens()
      XCTAssertNil(try rig.show(.post("p2")).button("More"), "there is nothing to offer")
      rig.close()
    }
  }

  func testARowOffersItsPageOnTheWeb() throws {
    try MainActor.assumeIsolated {
      var post = Post.sample(1)
      post.url = "https://example.org/one"
      let rig = ReaderRig(posts: [post, .sample(2)])
      let feed = try rig.show(.tab(.home))
      for name in ["Open in browser", "Copy link"] {
        feed.row("Title 1")?.button("More")?.click()
        eventually("the menu opens") { feed.button(name) != nil }
        feed.button(name)?.click()
        eventually("the menu closes") { feed.button(name) == nil }
      }
      XCTAssertEqual(rig.outputs, ["openWeb(\"https://example.org/one\")", "copyLink(\"https://example.org/one\")"])
      feed.row("Title 2")?.button("More")?.click()
      eventually("the menu opens") { feed.button("Go to the fan club") != nil }
      XCTAssertNil(feed.button("Copy link"), "this one leads nowhere")
      rig.close()
    }
  }

  func testTheFilesOfAPostCanBeOpened() throws {
    try MainActor.assumeIsolated {
      var post = Post.sample(1)
      post.enclosures = [
        Enclosure(url: "https://example.org/a/talk.mp3", type: "audio/mpeg", length: 12_345_678, duration: 2700),
        Enclosure(url: "https://example.org/x.pdf", type: "application/pdf", title: "The paper"),
        Enclosure(url: "file:///etc/passwd", title: "Never"),
      ]
      let rig = ReaderRig(posts: [post], width: 360)
      let seen = try rig.show(.post("p1"))
      for text in ["talk.mp3", "Audio\u{a0}\u{a0}·  45 min\u{a0}\u{a0}·  12.3 MB", "The paper", "PDF"] {
        XCTAssertTrue(seen.says(text), "\(seen.texts)")
      }
      XCTAssertFalse(seen.says("Never"))
      let buttons = seen.all.filter { $0.isButton && $0.texts == ["Open"] }
      XCTAssertEqual(buttons.count, 2)
      buttons.last?.click()
      XCTAssertEqual(rig.outputs, ["openWeb(\"https://example.org/x.pdf\")"])
      rig.close()
    }
  }

  func testALockedPostOffersNoCommentThatCannotBeWritten() throws {
    try MainActor.assumeIsolated {
      var discussed = Post.sample(2, premium: true)
      discussed.comments = 3
      let rig = ReaderRig(posts: [.sample(1, premium: true), discussed, .sample(3)])
      let locked = try rig.show(.post("p1"))
      XCTAssertNil(locked.button("Write a comment"))
      XCTAssertTrue(locked.says("You can comment once you have unlocked this post."))
      let read = try rig.show(.post("p2"))
      XCTAssertNotNil(read.button("Read the comments"))
      XCTAssertTrue(read.says("You can comment once you have unlocked this post."))
      let open = try rig.show(.post("p3"))
      XCTAssertNotNil(open.button("Write a comment"))
      XCTAssertFalse(open.says("You can comment once you have unlocked this post."))
      rig.close()
    }
  }

  func testAPictureThatDidNotComeKeepsNoRoomAndCanBeTriedAgain() throws {
    try MainActor.assumeIsolated {
      let good = Samples.picture(side: 400)
      let server = PictureServer { $0 == "/lead" ? nil : good }
      server.fault = .unreachable("no network")
      var post = Post.sample(1, body: "<p>Before</p><img src='https://example.org/a.png' alt='A cat'><p>After</p>")
      post.picture = "/lead"
      let rig = ReaderRig(posts: [post], pictureServer: server)
      let seen = try rig.show(.post("p1"))
      rig.paint()
      XCTAssertTrue(seen.says("A cat (picture not available)"), "\(seen.texts)")
      XCTAssertTrue(seen.says("Picture not available"))
      let room = { try XCTUnwrap(seen.label("After")).place(in: seen).y - XCTUnwrap(seen.label("Before")).place(in: seen).y }
      XCTAssertLessThan(try room(), 150)
      // As after a while without a network, nothing comes of itself.
      XCTAssertEqual(seen.pictureCount, 0)
      server.fault = nil
      seen.all.filter { $0.isButton && $0.texts == ["Try again"] }.forEach { $0.click() }
      try rig.settle()
      rig.paint()
      XCTAssertEqual(seen.pictureCount, 1)
      XCTAssertGreaterThan(try room(), 250)
      XCTAssertFalse(seen.says("A cat (picture not available)"))
      XCTAssertTrue(seen.says("Picture not available"), "the other one is none")
      rig.close()
    }
  }

  func testATooLargePictureSaysSoAndCanBeOpenedInTheBrowser() throws {
    try MainActor.assumeIsolated {
      let huge = Samples.claiming(width: 60_000, height: 60_000)
      let server = PictureServer { _ in huge }
      var post = Post.sample(1, body: "<p>Before</p><img src='https://example.org/a.png' alt='A cat'><p>After</p>")
      post.picture = "/lead"
      let rig = ReaderRig(posts: [post], pictureServer: server)
      let seen = try rig.show(.post("p1"))
      rig.paint()
      XCTAssertTrue(seen.says("A cat (the picture is too large to be shown)"), "\(seen.texts)")
      XCTAssertTrue(seen.says("The picture is too large to be shown"), "the publication's own, which has no page to open")
      XCTAssertFalse(seen.says("Try again"), "it would be too large again")
      let buttons = seen.all.filter { $0.isButton && $0.texts == ["Open in browser"] }
      XCTAssertEqual(buttons.count, 1)
      buttons.first?.click()
      XCTAssertEqual(rig.outputs, ["openWeb(\"https://example.org/a.png\")"])
      rig.close()
    }
  }

  func testASmallPictureIsAsWideAsItIs() throws {
    try MainActor.assumeIsolated {
      let (wide, square) = (Samples.picture(width: 64, height: 32), Samples.picture(side: 64))
      let body =
        "<p>Before</p><img src='https://example.org/a.png' width=300 height=150><img src='https://example.org/b.png' width=40 height=40>"
      let rig = ReaderRig(posts: [.sample(1, body: body)], pictureServer: PictureServer { $0.hasSuffix("a.png") ? wide : square })
      let seen = try rig.show(.post("p1"))
      rig.paint()
      let text = try XCTUnwrap(seen.label("Before")).place(in: seen)
      let frames = seen.all.filter { $0.hasStyle("picture-frame") }.map { $0.place(in: seen) }
      XCTAssertEqual(frames.map(\.width), [300, 40])
      XCTAssertEqual(frames.map(\.height), [150, 40])
      XCTAssertEqual(frames.map(\.x), [text.x, text.x])
      rig.close()
    }
  }

  private static let selected = """
    <h2>Heading</h2><p>First <b>paragraph</b> is häßlich.</p><blockquote>Somebody said so.</blockquote>
    <ol><li>One</li><li>Two</li></ol><pre>let x = 1</pre><table><tr><td>a<td>b<tr><td>c<td>d</table>
    """

  func testASelectionRunsAcrossParagraphsHeadingsAndQuotes() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1, body: Self.selected)])
      let seen = try rig.show(.post("p1"))
      let area = try XCTUnwrap(rig.lastView as? ArticleView).selection
      XCTAssertEqual(area.selectedText, "")
      area.copyToClipboard("kept")
      area.copy()
      XCTAssertEqual(seen.copied, "kept", "nothing is selected")
      @MainActor func point(_ text: String, _ share: Double) throws -> (x: Double, y: Double) {
        let place = try XCTUnwrap(seen.label(text)).place(in: Seen(area))
        return (place.x + (share < 0.5 ? -1 : share > 0.5 ? place.width + 1 : 30), place.y + place.height / 2)
      }
      XCTAssertEqual(seen.label("Heading")?.isHeading, true)
      XCTAssertEqual(seen.label("Somebody said so.")?.isHeading, false)
      let before = try XCTUnwrap(Seen(area).pixels)
      for (from, to) in [("Heading", "Somebody said so."), ("Somebody said so.", "Heading")] {
        area.press(at: try point(from, from == "Heading" ? 0 : 1))
        area.drag(to: try point(to, to == "Heading" ? 0 : 1))
        area.release()
        XCTAssertEqual(area.selectedText, "Heading\n\nFirst paragraph is häßlich.\n\nSomebody said so.")
      }
      rig.paint()
      XCTAssertNotEqual(Seen(area).pixels, before, "it is drawn")
      XCTAssertTrue(seen.pressAtFocus("<Control>c"))
      XCTAssertEqual(seen.copied, area.selectedText)
      // Within one paragraph, and from its middle.
      area.press(at: try point("First paragraph is häßlich.", 0.5))
      area.drag(to: try point("Heading", 0))
      XCTAssertTrue(area.selectedText.hasPrefix("Heading\n\nF"), area.selectedText)
      XCTAssertFalse(area.selectedText.contains("häßlich"))
      // A click selects nothing, and leaves the keyboard where it scrolls.
      area.press(at: try point("Heading", 0))
      area.release()
      XCTAssertEqual(area.selectedText, "")
      rig.paint()
      XCTAssertEqual(Seen(area).pixels, before)
      XCTAssertTrue(seen.pressAtFocus("<Control>a"))
      let all = "Title 1\n\nHeading\n\nFirst paragraph is häßlich.\n\nSomebody said so.\n\n1. One\n2. Two\n\nlet x = 1\n\na\tb\nc\td"
      XCTAssertEqual(area.selectedText, all)
      XCTAssertEqual(area.text, all)
      rig.close()
    }
  }

  func testTheMenuOfAnArticleCopiesAndNeverCuts() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1, body: Self.selected)])
      let seen = try rig.show(.post("p1"))
      let area = try XCTUnwrap(rig.lastView as? ArticleView).selection
      area.press(at: (10, 10))
      area.release()
      let others = Set(seen.buttonNames)
      let names = ["Copy", "Copy article", "Select all"]
      for (name, isSensitive) in [("Copy article", false), ("Select all", false), ("Copy", true)] {
        XCTAssertTrue(seen.pressAtFocus("<Shift>F10"))
        eventually("the menu opens") { seen.button("Copy") != nil }
        XCTAssertEqual(seen.buttonNames.filter { !others.contains($0) }, names)
        XCTAssertEqual(seen.button("Copy")?.isSensitive, isSensitive)
        seen.button(name)?.click()
        eventually("the menu closes") { seen.button("Copy") == nil }
        eventually("the keyboard scrolls again") {
          seen.scroller?.pressAtFocus("space") == true && !seen.all.contains { $0.isButton && $0.hasFocus }
        }
        XCTAssertEqual(seen.copied, area.text)
      }
      rig.close()
    }
  }

  func testTheMenuLeavesTheReaderWhereTheyAre() throws {
    try MainActor.assumeIsolated {
      let long = (1...60).map { "<p>Paragraph \($0). \(String(repeating: "Some more words. ", count: 20))</p>" }.joined()
      let rig = ReaderRig(posts: [.sample(1, body: long)])
      let seen = try rig.show(.post("p1"))
      let area = try XCTUnwrap(rig.lastView as? ArticleView).selection
      area.press(at: (10, 10))
      area.release()
      XCTAssertTrue(seen.pressAtFocus("End"))
      eventually("it scrolls") { seen.position > 1000 }
      MainLoop.run(upTo: 0.3)
      let place = seen.position
      XCTAssertTrue(seen.pressAtFocus("Menu"))
      eventually("the menu opens") { seen.button("Copy") != nil }
      rig.paint()
      MainLoop.run(upTo: 0.3)
      XCTAssertEqual(seen.position, place)
      seen.button("Copy article")?.click()
      eventually("the menu closes") { seen.button("Copy") == nil }
      rig.paint()
      XCTAssertEqual(seen.position, place)
      rig.close()
    }
  }

  func testAClickIntoTheTextLeavesNoCaretAndTheKeysScroll() throws {
    try MainActor.assumeIsolated {
      let long = (1...60).map { "<p>Paragraph \($0). \(String(repeating: "Some more words. ", count: 20))</p>" }.joined()
      let rig = ReaderRig(posts: [.sample(1, body: long)])
      let seen = try rig.show(.post("p1"))
      XCTAssertFalse(seen.all.contains { $0.isSelectableByItself })
      seen.button("Bookmark")?.focus()
      let area = try XCTUnwrap(rig.lastView as? ArticleView).selection
      area.press(at: (100, 400))
      area.release()
      var last = 0.0
      for (key, goesDown) in [("space", true), ("<Shift>space", false), ("End", true), ("Home", false), ("Down", true)] {
        XCTAssertTrue(seen.pressAtFocus(key), key)
        eventually("\(key) scrolls") { goesDown ? seen.position > last : seen.position < last }
        MainLoop.run(upTo: 0.3)
        last = seen.position
      }
      rig.close()
    }
  }

  func testTheKeysScrollTheArticleFromTheBarThatUnlocksItToo() throws {
    try MainActor.assumeIsolated {
      var post = Post.sample(1, premium: true)
      post.teaser = String(repeating: "Some more words. ", count: 200)
      let rig = ReaderRig(posts: [post], width: 500, height: 480)
      let seen = try rig.show(.post("p1"))
      rig.paint()
      let unlock = try XCTUnwrap(seen.button("Unlock"))
      XCTAssertTrue(unlock.focus())
      XCTAssertGreaterThan(seen.surplus, 0)
      var last = 0.0
      for (key, goesDown) in [("Page_Down", true), ("Page_Up", false), ("End", true), ("Home", false), ("KP_Page_Down", true)] {
        XCTAssertTrue(seen.pressAtFocus(key), key)
        eventually("\(key) scrolls") { goesDown ? seen.position > last : seen.position < last }
        MainLoop.run(upTo: 0.3)
        last = seen.position
      }
      XCTAssertTrue(unlock.hasFocus, "the reader has moved nothing else")
      rig.close()
    }
  }

  func testTextThatLooksLikeMarkupIsOnlyText() throws {
    try MainActor.assumeIsolated {
      var post = Post.sample(1, body: "<p>x &lt;a href=\"https://evil.example\"&gt;y&lt;/a&gt;</p>")
      post.title = "<span size=\"99999\">&lt;"
      post.byline = "A & B <i>"
      post.fanClubName = "<b>C</b>"
      let rig = ReaderRig(posts: [post])
      let seen = try rig.show(.post("p1"))
      XCTAssertTrue(seen.says("<span size=\"99999\">&lt;"))
      XCTAssertTrue(seen.texts.contains { $0.hasPrefix("A & B <i>") })
      XCTAssertTrue(seen.says("<b>C</b>"))
      XCTAssertTrue(seen.says("x <a href=\"https://evil.example\">y</a>"))
      seen.label("x <a href=\"https://evil.example\">y</a>")?.followLink(at: 35)
      XCTAssertEqual(rig.outputs, [])
      rig.close()
    }
  }

  func testAnArticleOpensWhereItsReaderLeftItWhateverTheWidth() throws {
    try MainActor.assumeIsolated {
      let long = (1...80).map { "<p>Paragraph \($0). \(String(repeating: "Some more words. ", count: 20))</p>" }.joined()
      let rig = ReaderRig(posts: [.sample(1, body: long)])
      @MainActor func scroll(_ page: Seen, to share: Double) -> Double {
        page.scroll(to: share)
        rig.paint()
        return page.position
      }
      let first = try rig.show(.post("p1"))
      XCTAssertEqual(first.position, 0)
      let position = scroll(first, to: 0.5)
      XCTAssertGreaterThan(position, 1000)
      let top = try XCTUnwrap(first.topParagraph)
      rig.closeScreens()

      let again = try rig.show(.post("p1"))
      XCTAssertEqual(again.position, position, accuracy: 1)
      XCTAssertEqual(again.topParagraph, top)
      // Half as wide: every paragraph is higher now, and the same one is at the top.
      try rig.show(.post("p1"))
      rig.paint()
      XCTAssertGreaterThan(again.position, position * 1.2)
      XCTAssertEqual(again.topParagraph, top)
      rig.closeScreens()
      _ = scroll(try rig.show(.post("p1")), to: 0)
      rig.closeScreens()
      let third = try rig.show(.post("p1"))
      XCTAssertEqual(third.position, 0)
      // Above the text, where a picture may be as high as the window.
      let above = scroll(third, to: 0.002)
      XCTAssertGreaterThan(above, 5)
      XCTAssertLessThan(above, 60)
      rig.closeScreens()
      XCTAssertEqual(try rig.show(.post("p1")).position, above, accuracy: 1)
      rig.close()
    }
  }

  func testALockedArticleShowsItsOpeningAndOpensByItselfWithAccess() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1, premium: true, body: "<p>The secret.</p>")])
      let seen = try rig.show(.post("p1"))
      XCTAssertTrue(seen.says("Teaser 1"))
      XCTAssertFalse(seen.says("The secret."))
      XCTAssertTrue(seen.all.contains { $0.hasStyle(Icon.lock.name) })
      seen.button("Unlock")?.click()
      XCTAssertEqual(rig.outputs, ["openPaywall(\"premium\", post: \"p1\")"])
      rig.publication.with { $0.hasPremium = true }
      rig.fixture.store.hasPremium = true
      try rig.settle()
      XCTAssertTrue(seen.says("The secret."))
      XCTAssertNil(seen.button("Unlock"))
      rig.close()
    }
  }

  func testWhatAListHasShownIsThereAtOnceAndTheRestIsSaidToBeComing() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      try rig.show(.tab(.home))
      rig.publication.with { $0.holds = ["GET"] }
      let seen = try rig.show(.post("p1"), settles: false)
      XCTAssertTrue(seen.says("Title 1"))
      XCTAssertTrue(seen.says("Teaser 1"))
      XCTAssertTrue(seen.isSpinning)
      rig.publication.with { $0.isOffline = true }
      try rig.release()
      // The answer was made before the network went.
      XCTAssertTrue(seen.says("Body"))
      rig.close()
    }
  }

  func testATextThatDoesNotComeCanBeAskedForAgain() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)], width: 720)
      try rig.show(.tab(.home))
      rig.publication.with { $0.isOffline = true }
      let seen = try rig.show(.post("p1"))
      let retry = try XCTUnwrap(seen.button("Try again")).place(in: seen)
      XCTAssertLessThan(retry.height, 50, "as high as a button, however many lines the sentence takes")
      XCTAssertTrue(seen.says("Title 1"))
      XCTAssertTrue(seen.says("Teaser 1"))
      rig.publication.with { $0.isOffline = false }
      try XCTUnwrap(seen.button("Try again")).click()
      try rig.settle()
      XCTAssertTrue(seen.says("Body"))
      XCTAssertNil(seen.button("Try again"))
      rig.close()
    }
  }
}

extension ReaderRig {
  /// Waits until what follows from a layout is laid out and painted too.
  fileprivate func paint() { for _ in 1...3 { window.painted() } }
}

extension Seen {
  /// The beginning of the paragraph at the upper edge.
  fileprivate var topParagraph: String? {
    guard let scroller else { return nil }
    let paragraphs = scroller.all.filter { $0.text?.hasPrefix("Paragraph") == true }
    return paragraphs.first { $0.place(in: scroller).y + $0.place(in: scroller).height > 1 }?.text.map { String($0.prefix(14)) }
  }
}
