import AppCore
import FeedFeature
import Foundation
import PublicationAPI
import TestSupport
import XCTest

@testable import Gtk
@testable import Screens

/// Home: what is unread, what is chosen, what is newer, and what can be done to a row.
final class FeedViewTests: ScreensTestCase {
  func testWhoeverIsAtTheTopStaysThereInAnySize() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 1000, height: 860)
      try rig.start()
      try rig.signIn()
      XCTAssertFalse(rig.seen.says("All posts"), "nothing to choose among")
      let scroller = try XCTUnwrap(rig.seen.scroller)
      for (width, height) in [(360, 640), (1000, 860), (360, 860), (990, 500), (360, 640)] {
        rig.window.window.setUnmaximizedSize(width: width, height: height)
        eventually("it is \(width) wide") { abs(scroller.width - Double(width)) < 40 }
        try rig.settle()
        XCTAssertEqual(rig.seen.position, 0, "\(width)×\(height)")
      }
      try rig.close()
    }
  }

  func testReadPostsLookReadAndUnreadOnesSaySo() throws {
    try MainActor.assumeIsolated {
      var read = Post.sample(2)
      read.read = true
      let rig = ReaderRig(posts: [.sample(1), read])
      let feed = try rig.show(.tab(.home))
      XCTAssertEqual(feed.row("Title 1")?.all.contains { $0.hasStyle("unread-dot") }, true)
      XCTAssertEqual(feed.row("Title 2")?.all.contains { $0.hasStyle("unread-dot") }, false)
      XCTAssertEqual(feed.row("Title 2")?.all.contains { $0.hasStyle("read") }, true)
      try XCTUnwrap(feed.button("Mark all as read")).click()
      try rig.settle()
      XCTAssertFalse(feed.all.contains { $0.hasStyle("unread-dot") })
      try XCTUnwrap(feed.button("Only what you have not read")).click()
      try rig.settle()
      XCTAssertTrue(feed.says("All read"))
      XCTAssertEqual(feed.button("Only what you have not read")?.isOn, true)
      rig.close()
    }
  }

  func testWhatWaitsToBeSentIsMarkedInTheListAndInTheArticle() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1), .sample(2)], width: 720)
      let feed = try rig.show(.tab(.home))
      let marks = { (seen: Seen) in seen.all.filter { $0.hasStyle("waiting-mark") } }
      XCTAssertEqual(marks(feed).count, 0)
      rig.publication.with { $0.isOffline = true }
      try XCTUnwrap(feed.row("Title 1")?.button("React")).click()
      try rig.settle()
      XCTAssertEqual(marks(feed).map(\.tooltip), ["Your reaction waits to be sent."])
      XCTAssertEqual(feed.row("Title 2").map { marks($0).count }, 0)
      let article = try rig.show(.post("p1"))
      XCTAssertEqual(marks(article).map(\.tooltip), ["Your reaction waits to be sent."])
      try XCTUnwrap(article.button("Bookmark")).click()
      try rig.settle()
      XCTAssertEqual(marks(article).map(\.tooltip), ["Your reaction and your bookmark wait to be sent."])
      rig.publication.with { $0.isOffline = false }
      rig.fixture.store.networkIsBack()
      try rig.settle()
      XCTAssertEqual(marks(article).count, 0)
      XCTAssertEqual(marks(feed).count, 0)
      rig.close()
    }
  }

  func testAnEmptyListSaysWhoseItIs() throws {
    try MainActor.assumeIsolated {
      var club = FanClub.sample("c1")
      club.followed = true
      let rig = ReaderRig(clubs: [club])
      let screen = rig.screen(.tab(.home))
      let feed = try rig.show(screen)
      guard let model = screen.model as? FeedViewModel else { return XCTFail("no feed") }
      for (choice, words) in [
        (FeedViewModel.Choice.all, "This publication"), (.followed, "The fan clubs that you follow"), (.fanClub("c1"), "This fan club"),
      ] {
        model.send(.choiceTapped(choice))
        try rig.settle()
        XCTAssertTrue(feed.texts.contains { $0.hasPrefix(words) }, "\(feed.texts)")
      }
      rig.close()
    }
  }

  func testAClubFromAListOfFeedsFetchesItsPostsHereToo() throws {
    try MainActor.assumeIsolated {
      var club = FanClub.sample("c1")
      (club.followed, club.fetched) = (true, false)
      let rig = ReaderRig(clubs: [club])
      let screen = rig.screen(.tab(.home))
      let feed = try rig.show(screen)
      guard let model = screen.model as? FeedViewModel else { return XCTFail("no feed") }
      model.send(.choiceTapped(.fanClub("c1")))
      try rig.settle()
      XCTAssertTrue(feed.says("Not fetched yet"))
      rig.publication.with {
        $0.imports = [Import(id: "i", state: .done, clubs: ["c1"])]
        $0.clubs[0].fetched = true
        $0.posts = [.sample(1, club: "c1")]
      }
      try XCTUnwrap(feed.button("Fetch posts")).click()
      try rig.settle()
      XCTAssertNotNil(feed.row("Title 1"))
      rig.close()
    }
  }

  func testARefreshLeavesTheKeyboardAndThePlaceWhereTheyAre() throws {
    try MainActor.assumeIsolated {
      for row in [0, 12] {
        let rig = ReaderRig(posts: (10..<50).map { .sample($0) }, clubs: [FanClub(id: "c1", name: "Club", feed: "https://c.example/feed")])
        rig.canAddFeeds.value = true
        let screen = rig.screen(.tab(.home))
        let feed = try rig.show(screen)
        let list = try XCTUnwrap((rig.lastView as? FeedView)?.list.list)
        list.scroll(to: row)
        rig.window.painted()
        list.focusRow("p\(10 + row)")
        // The toolkit brings all of it into view, a frame later.
        for _ in 0..<3 { rig.window.painted() }
        let place = { try XCTUnwrap(feed.row("Title \(10 + row)")).place(in: rig.seen).y }
        let before = try place()
        XCTAssertEqual(feed.row("Title \(10 + row)")?.hasFocus, true)
        rig.publication.with {
          $0.holds = ["GET", "POST"]
          $0.imports = [Import(id: "i", state: .done)]
        }
        screen.refresh()
        try rig.waitForSuspended(2)
        XCTAssertTrue(feed.says("Refreshing…"), "also as long as nobody answers")
        XCTAssertEqual(feed.row("Title \(10 + row)")?.hasFocus, true)
        XCTAssertEqual(try place(), before, accuracy: 1)
        rig.publication.release("GET")
        try rig.waitForSuspended(1)
        XCTAssertTrue(feed.says("Fetching the feed…"))
        XCTAssertEqual(feed.row("Title \(10 + row)")?.hasFocus, true)
        XCTAssertEqual(try place(), before, accuracy: 1)
        rig.publication.with { $0.posts += (5..<10).map { .sample($0) } }
        try rig.release()
        XCTAssertEqual(list.ids.first, "p5")
        XCTAssertEqual(list.row(for: "p\(10 + row)").flatMap { Seen($0.root).enclosing("row") }?.hasFocus, true)
        if row > 0 { XCTAssertEqual(try place(), before, accuracy: 1) } else { XCTAssertNotNil(feed.row("Title 5"), "what came is seen") }
        rig.close()
      }
    }
  }

  func testAReactionLeavesTheOthersWhereTheyAre() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      let feed = try rig.show(.tab(.home))
      let article = try rig.show(.post("p1"))
      let places = {
        try [feed.button("React"), article.button("Like"), article.button("Funny")].map { try XCTUnwrap($0).place(in: rig.seen).x }
      }
      let before = try places()
      article.button("Like")?.click()
      try rig.settle()
      XCTAssertEqual(feed.button("React")?.texts, ["1"])
      XCTAssertEqual(try places(), before)
      rig.close()
    }
  }

  func testNewerPostsWaitBehindAPillAndMoveNothing() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: (1...30).map { .sample($0) })
      let screen = rig.screen(.tab(.home))
      let feed = try rig.show(screen)
      guard let model = screen.model as? FeedViewModel else { return XCTFail("no feed") }
      let place = feed.scroll(to: 0.4)
      rig.window.painted()
      rig.publication.with { $0.posts.append(.sample(0)) }
      model.posts.list.checkForNewItems()
      try rig.settle()
      XCTAssertEqual(feed.position, place, accuracy: 1)
      XCTAssertNil(feed.label("Title 0"))
      let pill = try XCTUnwrap(feed.button("1 new post"))
      XCTAssertTrue(pill.focus())
      pill.click()
      try rig.settle()
      XCTAssertEqual(feed.position, 0)
      XCTAssertTrue(feed.says("Title 0"))
      XCTAssertNil(feed.button("1 new post"))
      eventually("the keyboard is on the newest") { feed.row("Title 0")?.isFocus == true }
      rig.close()
    }
  }

  func testWhatIsUnderThePointerOpensWhileTheListIsRenewed() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: (1...40).map { .sample($0) })
      rig.publication.with { $0.pageSize = 10 }
      let screen = rig.screen(.tab(.home))
      let feed = try rig.show(screen)
      guard let model = screen.model as? FeedViewModel else { return XCTFail("no feed") }
      while model.state.posts.canLoadMore {
        model.send(.reachedEnd)
        try rig.settle()
      }
      rig.scroll(feed, to: 0.6)
      // A row of the third page, in the middle of what is on screen.
      let title = try XCTUnwrap(feed.texts.filter { $0.hasPrefix("Title ") }.dropFirst(2).first)
      let row = try XCTUnwrap(feed.row(title))
      let place = row.place(in: feed).y
      let click = try XCTUnwrap(row.clicks)
      click.press()
      rig.publication.with { $0.posts.append(.sample(0)) }
      model.send(.refreshTapped)
      try rig.settle()
      XCTAssertEqual(model.state.posts.ids.first, "p0")
      XCTAssertEqual(try XCTUnwrap(feed.row(title)).place(in: feed).y, place, accuracy: 1)
      click.release()
      XCTAssertEqual(rig.outputs, ["openPost(\"p\(title.dropFirst("Title ".count))\")"])
      rig.close()
    }
  }

  func testOneMenuOffersAllKindsForEveryRow() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1, reactions: 4), .sample(2)])
      let feed = try rig.show(.tab(.home))
      for title in ["Title 1", "Title 2"] {
        try XCTUnwrap(feed.row(title)?.button("More")).click()
        eventually("the menu opens") { feed.button("Funny") != nil }
        try XCTUnwrap(feed.button("Funny")).click()
        try rig.settle()
        XCTAssertEqual(feed.row(title)?.button("React")?.isOn, true)
        XCTAssertEqual(feed.row(title)?.icons.contains("face-laugh-symbolic"), true)
        eventually("the menu closes") { feed.button("Funny") == nil }
      }
      XCTAssertEqual(feed.row("Title 1")?.says("5"), true)
      XCTAssertEqual(rig.publication.with { $0.posts.map(\.reaction) }, [.laugh, .laugh])
      rig.close()
    }
  }

  func testTheChoiceNamesFollowedFanClubs() throws {
    try MainActor.assumeIsolated {
      var club = FanClub.sample("c1")
      club.followed = true
      let rig = ReaderRig(posts: [.sample(1), .sample(2, club: "c2")], clubs: [club, .sample("c2")])
      let screen = rig.screen(.tab(.home))
      let feed = try rig.show(screen)
      guard let model = screen.model as? FeedViewModel else { return XCTFail("no feed") }
      XCTAssertEqual(model.state.options.map(\.name), ["All posts", "Fan clubs you follow", "Club c1"])
      XCTAssertTrue(feed.says("All posts"))
      model.send(.choiceTapped(.fanClub("c1")))
      try rig.settle()
      XCTAssertTrue(feed.says("Club c1"))
      XCTAssertTrue(feed.says("Title 1"))
      XCTAssertFalse(feed.says("Title 2"))
      feed.menus.first?.openMenu()
      eventually("the keyboard is on what is chosen") { feed.all.contains { $0.texts == ["Club c1"] && $0.isButton && $0.isFocus } }
      rig.close()
    }
  }

  func testTheMenuDoesNotOpenWithoutAChoice() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)], clubs: [.sample("c1")])
      let feed = try rig.show(.tab(.home))
      XCTAssertEqual(feed.menus.count, 0, "nor is it there")
      rig.fixture.store.toggleFollow("c1")
      try rig.settle()
      XCTAssertEqual(feed.menus.map(\.isSensitive), [true])
      rig.close()
    }
  }

  /// So many that a choice of them has to scroll.
  private static let manyFollowedClubs = (10...90).map { number in
    var club = FanClub.sample("c\(number)")
    club.followed = true
    return club
  }

  func testALongChoiceOpensWhereItsChoiceIs() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(clubs: Self.manyFollowedClubs)
      let screen = rig.screen(.tab(.home))
      let feed = try rig.show(screen)
      guard let model = screen.model as? FeedViewModel else { return XCTFail("no feed") }
      model.send(.choiceTapped(.fanClub("c80")))
      try rig.settle()
      let menu = try XCTUnwrap(feed.menus.first)
      for _ in 1...2 {
        menu.openMenu()
        eventually("it is scrolled to") { menu.position > 1000 }
        menu.all.first { $0.texts == ["Club c80"] && $0.isButton && $0.isFocus }?.click()
        eventually("it closes") { menu.position == 0 }
      }
      rig.close()
    }
  }

  func testHomeEndAndLettersMoveTheKeyboardInALongChoice() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(clubs: Self.manyFollowedClubs)
      let feed = try rig.show(.tab(.home))
      let menu = try XCTUnwrap(feed.menus.first)
      @MainActor func isOn(_ name: String) -> Bool { menu.all.contains { $0.texts == [name] && $0.isButton && $0.isFocus } }
      menu.openMenu()
      eventually("the keyboard is on what is chosen") { isOn("All posts") }
      eventually("it is laid out") { menu.scroller.map { $0.place(in: menu).height > 200 } == true }
      XCTAssertTrue(menu.pressAtFocus("End"))
      XCTAssertTrue(isOn("Club c90"))
      eventually("it is in sight") { menu.position > 1000 }
      XCTAssertTrue(menu.pressAtFocus("Home"))
      XCTAssertTrue(isOn("All posts"))
      rig.close()
    }
  }

  func testLettersGoToTheFirstThatBeginsWithThem() {
    MainActor.assumeIsolated {
      let menu = ChoiceMenu<Int>(name: "Choice")
      let window = Window(nil, title: "Choice", width: 300, height: 300)
      window.child(menu.root)
      window.present()
      menu.show(["All posts", "Ästhetik", "Window desk", "Wood"].enumerated().map { (id: $0, name: $1) }, chosen: 0)
      menu.root.open()
      let seen = Seen(menu.root)
      @MainActor func isOn(_ name: String) -> Bool { seen.all.contains { $0.texts == [name] && $0.isButton && $0.isFocus } }
      eventually("it opens") { isOn("All posts") }
      XCTAssertTrue(menu.find("w", at: 10))
      XCTAssertTrue(isOn("Window desk"))
      XCTAssertTrue(menu.find("O", at: 10.5))
      XCTAssertTrue(isOn("Wood"))
      XCTAssertFalse(menu.find("x", at: 10.9), "it stays where it is")
      XCTAssertTrue(isOn("Wood"))
      XCTAssertTrue(menu.find("a", at: 20))
      XCTAssertTrue(isOn("All posts"))
      XCTAssertTrue(menu.find("ä", at: 30))
      window.destroy()
    }
  }

  func testCommentsOfARowOpen() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      let feed = try rig.show(.tab(.home))
      feed.row("Title 1")?.button("Comments")?.click()
      XCTAssertEqual(rig.outputs, ["openComments(\"p1\")"])
      rig.close()
    }
  }
}
