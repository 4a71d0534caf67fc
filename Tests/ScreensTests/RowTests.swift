import AppCore
import FeedFeature
import Foundation
import Gtk
import PublicationAPI
import SearchFeature
import TestSupport
import XCTest

@testable import Screens

/// Rows: what they show, and how little is done when one post changes.
final class RowTests: ScreensTestCase {
  func testARowSaysWhatThePostIs() throws {
    try MainActor.assumeIsolated {
      var post = Post.sample(1, reactions: 1234)
      post.byline = "Ada"
      let rig = ReaderRig(posts: [post, .sample(2, premium: true)])
      let feed = try rig.show(.tab(.home))
      let row = try XCTUnwrap(feed.row("Title 1"))
      XCTAssertEqual(row.texts, ["Club c1", "1 hour ago", "·  Ada", "Title 1", "Teaser 1", "1,234"])
      XCTAssertEqual(row.buttonNames, ["React", "Comments", "Bookmark", "More"])
      XCTAssertEqual(feed.row("Title 2")?.says("Premium"), true)
      XCTAssertEqual(feed.row("Title 2")?.button("React")?.texts, [], "nobody did: a number would only be in the way")
      XCTAssertEqual(feed.row("Title 1")?.says("Premium"), false)
      rig.close()
    }
  }

  func testARowWithoutAPictureUsesTheRoom() throws {
    try MainActor.assumeIsolated {
      var plain = Post.sample(1)
      plain.teaser = Array(repeating: "Some words that go on and on.", count: 9).joined(separator: " ")
      var pictured = plain
      (pictured.id, pictured.title, pictured.picture) = ("p2", "Title 2", "/2")
      for width in [360, 600, 990, 1600] {
        let rig = ReaderRig(posts: [plain, pictured], width: width)
        let feed = try rig.show(.tab(.home))
        let row = try XCTUnwrap(feed.row("Title 1"))
        XCTAssertFalse(row.all.contains { $0.hasStyle("picture-frame") }, "\(width)")
        let card = try XCTUnwrap(row.all.first { $0.hasStyle("card") })
        let text = try XCTUnwrap(row.label(plain.teaser)).place(in: card)
        let whole = card.place(in: rig.seen)
        XCTAssertGreaterThan(text.width, whole.width - 40, "\(width)")
        for title in ["Title 1", "Title 2"] {
          let row = try XCTUnwrap(feed.row(title))
          let (date, below) = (try XCTUnwrap(row.label("1 hour ago")).place(in: row), try XCTUnwrap(row.label(title)).place(in: row))
          XCTAssertLessThanOrEqual(date.y + date.height, below.y, "above the title, with a picture and without, \(width)")
        }
        let beside = try XCTUnwrap(feed.row("Title 2")?.all.first { $0.hasStyle("card") }).place(in: rig.seen)
        XCTAssertLessThanOrEqual(whole.height, beside.height, "\(width)")
        rig.close()
      }
    }
  }

  func testTheLinesOfARowBeginBelowEachOtherOnTheClubsOwnPage() throws {
    try MainActor.assumeIsolated {
      var post = Post.sample(1)
      (post.read, post.picture) = (true, "/1")
      for width in [360, 600] {
        let rig = ReaderRig(posts: [post], width: width)
        let row = try XCTUnwrap(try rig.show(.fanClub("c1")).row("Title 1"))
        let (title, date) = (try XCTUnwrap(row.label("Title 1")), try XCTUnwrap(row.label("1 hour ago")))
        XCTAssertEqual(title.place(in: row).x, date.place(in: row).x, accuracy: 1, "\(width)")
        rig.close()
      }
    }
  }

  func testPicturesAreAsWideAsEachOtherAndDatesAreWhole() throws {
    try MainActor.assumeIsolated {
      for (width, scale) in [(360, 1), (368, 1), (480, 1), (600, 1), (720, 2)] {
        setting("gtk-xft-dpi", 1024 * 96 * scale)
        defer { setting("gtk-xft-dpi", 1024 * 96) }
        let posts = (1...6).map { number in
          var post = Post.sample(number, premium: number == 2, reactions: [0, 3, 98, 236, 1234, 12_345][number - 1])
          post.published = Date(timeIntervalSince1970: 1_500_000_000)
          (post.byline, post.comments) = ("Ada Lovelace of Ockham", number * 30)
          post.teaser = Array(repeating: "Some words that go on.", count: number * 3).joined(separator: " ")
          post.picture = number == 6 ? nil : "/\(number)"
          return post
        }
        let rig = ReaderRig(posts: posts, width: width, height: 1200)
        let feed = try rig.show(.tab(.home))
        let frames = feed.all.filter { $0.hasStyle("picture-frame") }.map { $0.place(in: feed).width }
        XCTAssertGreaterThan(frames.count, 2)
        XCTAssertEqual(try XCTUnwrap(frames.min()), try XCTUnwrap(frames.max()), accuracy: 1, "\(width) × \(scale)")
        for label in feed.all where label.text?.contains("2017") == true { XCTAssertFalse(label.isCut, "\(width) × \(scale)") }
        for frame in feed.all where frame.hasStyle("picture-frame") {
          for badge in feed.all where badge.hasStyle("on-picture") {
            let (inner, outer) = (badge.place(in: feed), frame.place(in: feed))
            guard inner.y > outer.y, inner.y < outer.y + outer.height else { continue }
            XCTAssertLessThanOrEqual(inner.x + inner.width, outer.x + outer.width, "\(width) × \(scale)")
          }
        }
        rig.close()
      }
    }
  }

  func testARowSaysWhoAndWhenAlsoWhereThereIsLittleRoom() throws {
    try MainActor.assumeIsolated {
      var post = Post.sample(1)
      (post.byline, post.fanClubName, post.picture) = ("Ada Lovelace", "Static & Candlelight", "/1")
      for (width, isShared) in [(360, false), (1000, true)] {
        let rig = ReaderRig(posts: [post, .sample(2)], width: width)
        let feed = try rig.show(.tab(.home))
        let row = try XCTUnwrap(feed.row("Title 1"))
        let places = try ["Static & Candlelight", "1 hour ago", "·  Ada Lovelace"].map { text in
          let label = try XCTUnwrap(row.label(text), text)
          XCTAssertFalse(label.isCut, "\(text), \(width)")
          return label.place(in: row)
        }
        XCTAssertEqual(places[0].y + places[0].height <= places[1].y, !isShared, "a line of its own where there is little room")
        XCTAssertGreaterThan(places[2].x, places[1].x + places[1].width - 1)
        rig.close()
      }
    }
  }

  func testWhoIsLeftOutBeforeWhen() throws {
    try MainActor.assumeIsolated {
      var post = Post.sample(1)
      (post.byline, post.picture) = ("A whole desk of writers and photographers", "/1")
      let rig = ReaderRig(posts: [post], width: 360)
      let row = try XCTUnwrap(try rig.show(.tab(.home)).row("Title 1"))
      XCTAssertEqual(row.label("1 hour ago")?.isCut, false)
      let byline = try XCTUnwrap(row.label("·  A whole desk of writers and photographers"))
      XCTAssertGreaterThan(byline.place(in: row).width, 80, "enough to tell who")
      rig.close()
    }
  }

  func testTheRingOfTheKeyboardIsAroundTheCard() throws {
    try MainActor.assumeIsolated {
      for place in [Destination.tab(.home), .tab(.fanClubs), .comments("p1"), .search] {
        let rig = ReaderRig(posts: [.sample(1), .sample(2)], width: 1200)
        rig.publication.with { $0.comments = [.sample(1)] }
        let screen = rig.screen(place)
        let page = try rig.show(screen)
        if let search = screen.model as? SearchViewModel { search.send(.opened(with: "Title")) }
        try rig.settle()
        let text = [.tab(.fanClubs): "Club c1", .comments("p1"): "Comment 1"][place] ?? "Title 1"
        let row = try XCTUnwrap(page.row(text), "\(place)")
        let card = try XCTUnwrap(row.all.first { $0.hasStyle("card") }).place(in: page)
        rig.showsFocus = false
        XCTAssertTrue(row.focus())
        rig.window.painted()
        let before = try XCTUnwrap(page.columns)
        rig.showsFocus = true
        rig.window.painted()
        let changed = zip(before, try XCTUnwrap(page.columns)).enumerated().filter { $1.0 != $1.1 }.map { Double($0.offset) }
        XCTAssertLessThan(card.width, Double(before.count) - 200, "the window is wider than what one sees of a row")
        let (first, last) = (try XCTUnwrap(changed.first, "\(place)"), try XCTUnwrap(changed.last))
        XCTAssertEqual(first, card.x - 4, accuracy: 4, "\(place)")
        XCTAssertEqual(last, card.x + card.width + 4, accuracy: 4, "\(place)")
        if let button = row.all.first(where: \.isButton) {
          XCTAssertTrue(button.focus())
          rig.window.painted()
          XCTAssertEqual(page.columns?[Int(first)], before[Int(first)], "\(place): it is around the button alone")
        }
        rig.close()
      }
    }
  }

  func testOnlyTheRowOfTheChangedPostIsDrawnAgain() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: (1...9).map { .sample($0) })
      let screen = rig.screen(.tab(.home))
      let feed = try rig.show(screen)
      guard let model = screen.model as? FeedViewModel else { return XCTFail("no feed") }
      feed.ignorePointer()
      try rig.settle()
      let told = Told()
      let draw = model.onRowsChanged
      model.onRowsChanged = { ids in
        told.ids.append(ids)
        draw?(ids)
      }
      let before = (1...9).map { feed.row("Title \($0)")?.pixels }
      feed.row("Title 3")?.button("React")?.click()
      try rig.settle()
      XCTAssertEqual(Set(told.ids), [["p3"]])
      for number in 1...9 where feed.row("Title \(number)") != nil {
        XCTAssertEqual(feed.row("Title \(number)")?.pixels == before[number - 1], number != 3, "row \(number)")
      }
      // A page that is away does nothing, and is up to date when it comes back.
      screen.disappear()
      told.ids = []
      rig.fixture.store.toggleReaction("p1")
      try rig.settle()
      XCTAssertEqual(told.ids, [])
      XCTAssertEqual(feed.row("Title 1")?.button("React")?.isOn, false)
      screen.appear()
      try rig.settle()
      XCTAssertEqual(feed.row("Title 1")?.button("React")?.isOn, true)
      rig.close()
    }
  }

  func testLocksGoWhenAccessArrives() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1, premium: true, bookmarked: true), .sample(2, bookmarked: true)], width: 1200)
      let pages = try [Destination.tab(.home), .fanClub("c1"), .tab(.bookmarks)].map { try rig.show($0) }
      for page in pages { XCTAssertEqual(page.row("Title 1")?.says("Premium"), true) }
      rig.fixture.store.hasPremium = true
      rig.window.painted()
      for page in pages { XCTAssertFalse(page.says("Premium")) }
      rig.fixture.store.hasPremium = false
      rig.window.painted()
      for page in pages { XCTAssertEqual(page.row("Title 1")?.says("Premium"), true) }
      rig.close()
    }
  }

  func testRowsOpenPostsAndClubs() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1), .sample(2)])
      let feed = try rig.show(.tab(.home))
      feed.row("Title 2")?.activate()
      XCTAssertEqual(rig.outputs, ["openPost(\"p2\")"])
      rig.closeScreens()
      let clubs = try rig.show(.tab(.fanClubs))
      clubs.row("Club c1")?.activate()
      XCTAssertEqual(rig.outputs.last, "openFanClub(\"c1\")")
      rig.close()
    }
  }

  func testTheMenuOfACardOpensAtThePointer() throws {
    try MainActor.assumeIsolated {
      for width in [360, 990] {
        let rig = ReaderRig(posts: [.sample(1), .sample(2)], width: width)
        let feed = try rig.show(.tab(.home))
        let row = try XCTUnwrap(feed.row("Title 2"))
        let card = try XCTUnwrap(row.all.first { $0.hasStyle("post-row") })
        for (x, y) in [(20.0, 30.0), (card.width - 15, card.height - 10)] {
          XCTAssertTrue(card.clickSecondary(x, y))
          eventually("it is open") { !feed.popovers.isEmpty }
          let menu = try XCTUnwrap(feed.popovers.first)
          let (page, place) = (try XCTUnwrap(menu.parent), try XCTUnwrap(menu.pointsTo))
          let pointer = card.point(x, y, in: page)
          XCTAssertEqual(Double(place.x), pointer.x, accuracy: 2, "\(width)")
          XCTAssertEqual(Double(place.y), pointer.y, accuracy: 2, "\(width)")
          menu.closePopover()
          eventually("it is closed") { feed.popovers.isEmpty }
        }
        rig.close()
      }
    }
  }

  func testFurtherPagesLoadAsOneScrolls() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: (1...60).map { .sample($0) })
      let feed = try rig.show(.tab(.home))
      let pages = rig.publication.requests.filter { $0.hasPrefix("GET /v1/posts") }
      XCTAssertEqual(pages.count, 1, "the first page is longer than the window")
      rig.publication.with { $0.holds = ["GET"] }
      rig.scroll(feed, to: 1)
      try rig.waitForSuspended()
      XCTAssertTrue(feed.says("Loading more…"))
      XCTAssertTrue(feed.isSpinning)
      try rig.release()
      XCTAssertFalse(feed.says("Loading more…"))
      XCTAssertTrue(feed.says("Title 21"))
      // Once it fails it is not tried again by itself, but on request.
      rig.publication.with { $0.isOffline = true }
      rig.scroll(feed, to: 1)
      try rig.settle()
      let requested = rig.publication.requests.count
      rig.scroll(feed, to: 0.5)
      rig.scroll(feed, to: 1)
      try rig.settle()
      XCTAssertEqual(rig.publication.requests.count, requested)
      rig.publication.with { $0.isOffline = false }
      try XCTUnwrap(feed.button("Try again")).click()
      try rig.settle()
      XCTAssertTrue(feed.says("Title 41"))
      rig.close()
    }
  }

  func testTextFromOutsideIsShownAsItIs() throws {
    try MainActor.assumeIsolated {
      var post = Post.sample(1)
      post.title = "<b>Bold</b> & <a href=\"x\">"
      post.teaser = "&amp; <i>"
      post.fanClubName = "<u>Club</u>"
      var club = FanClub.sample("c1")
      club.name = "<b>Rock & Roll</b>"
      club.about = "1 < 2"
      let rig = ReaderRig(posts: [post], clubs: [club])
      let feed = try rig.show(.tab(.home))
      XCTAssertEqual(feed.row("<b>Bold</b> & <a href=\"x\">")?.says("&amp; <i>"), true)
      XCTAssertTrue(feed.says("<u>Club</u>"))
      XCTAssertTrue(try rig.show(.fanClub("c1")).says("<b>Rock & Roll</b>"))
      XCTAssertTrue(try rig.show(.tab(.fanClubs)).says("1 < 2"))
      rig.close()
    }
  }
}

@MainActor private final class Told { var ids: [Set<String>] = [] }
