import AppCore
import FeatureKit
import Foundation
import Gtk
import PublicationAPI
import TestSupport
import XCTest

@testable import Screens

/// Pictures: each is loaded once, and one that cannot be had harms nothing.
final class PictureTests: ScreensTestCase {
  func testAPictureThatCannotBeHadLeavesItsPlace() throws {
    try MainActor.assumeIsolated {
      let good = Samples.picture(side: 64)
      let huge = Samples.claiming(width: 60_000, height: 60_000)
      let server = PictureServer { path in
        switch path {
        case "/good": good
        case "/text": Data("<html>no picture</html>".utf8)
        case "/cut": good.prefix(40)
        case "/huge": huge
        case "/empty": Data()
        default: nil
        }
      }
      let paths = ["/good", "/missing", "/text", "/cut", "/huge", "/empty", "ftp://example.org/x.png", "not a path"]
      let rig = ReaderRig(posts: paths.enumerated().map { .pictured($0 + 1, $1) }, pictureServer: server, height: 900)
      let feed = try rig.show(.tab(.home))
      XCTAssertEqual(feed.pictureCount, 1)
      let frames = (1...4).compactMap { feed.row("Title \($0)")?.all.first { $0.hasStyle("picture-frame") }?.place(in: feed) }
      XCTAssertEqual(Set(frames.map(\.width)), [208])
      XCTAssertEqual(Set(frames.map(\.height)), [117])
      XCTAssertEqual(rig.pictures.inFlight, 0)
      XCTAssertNil(rig.pictures.cached("/huge"))
      let seen = feed.all.filter { $0.hasStyle("picture-frame") }
      XCTAssertGreaterThan(seen.count, 4)
      for frame in seen {
        XCTAssertNotEqual(frame.pictureCount == 1, frame.hasStyle("missing"))
        // An empty frame would be one that is still on its way.
        XCTAssertEqual(frame.texts, frame.hasStyle("missing") ? ["Picture not available"] : [])
        XCTAssertEqual(frame.icons, frame.hasStyle("missing") ? [Icon.noPicture.name] : [])
      }
      // What is no picture is not asked for again and again, and not for ever missing.
      let requested = server.paths
      for minutes in [0, 4] {
        rig.pictureClock.advance(by: .seconds(60 * minutes))
        rig.closeScreens()
        XCTAssertEqual(try rig.show(.tab(.home)).all.count { $0.hasStyle("missing") }, seen.count - 1)
        XCTAssertEqual(server.paths, requested)
      }
      rig.pictureClock.advance(by: .seconds(61))
      rig.closeScreens()
      try rig.show(.tab(.home))
      XCTAssertGreaterThan(server.paths.count, requested.count)
      rig.close()
    }
  }

  func testAPostWithoutAPictureKeepsNoRoomForOne() throws {
    try MainActor.assumeIsolated {
      let good = Samples.picture(side: 64)
      let rig = ReaderRig(posts: [.pictured(1, "/1"), .sample(2)], pictureServer: PictureServer { _ in good })
      let feed = try rig.show(.tab(.home))
      let texts = try [1, 2].map { number -> Double in
        let row = try XCTUnwrap(feed.row("Title \(number)"))
        return try XCTUnwrap(row.label("Title \(number)")).place(in: row).x
      }
      XCTAssertEqual(texts[0] - texts[1], 208 + 14, accuracy: 1)
      XCTAssertEqual(feed.all.count { $0.hasStyle("picture-frame") }, 1)
      rig.close()
    }
  }

  func testAPictureThatWasMissingForWantOfANetworkComesWithIt() throws {
    try MainActor.assumeIsolated {
      let good = Samples.picture(side: 64)
      let server = PictureServer { _ in good }
      server.fault = .unreachable("no network")
      let rig = ReaderRig(posts: [.pictured(1, "/1")], pictureServer: server)
      let feed = try rig.show(.tab(.home))
      XCTAssertEqual(feed.all.count { $0.hasStyle("missing") }, 1)
      server.fault = nil
      rig.closeScreens()
      let again = try rig.show(.tab(.home))
      XCTAssertEqual(again.pictureCount, 1)
      XCTAssertEqual(again.all.count { $0.hasStyle("missing") }, 0)
      rig.close()
    }
  }

  func testWhatIsMissingOnScreenIsTriedAgainThere() throws {
    for isMaintained in [false, true] { try tryAgain(isMaintained: isMaintained) }
  }

  private func tryAgain(isMaintained: Bool) throws {
    try MainActor.assumeIsolated {
      let good = Samples.picture(side: 64)
      let server = PictureServer { _ in good }
      server.isMaintained = isMaintained
      if !isMaintained { server.fault = .unreachable("no network") }
      let rig = ReaderRig(posts: [.pictured(1, "/1"), .pictured(2, "/2")], pictureServer: server)
      let feed = try rig.show(.tab(.home))
      XCTAssertEqual(feed.all.count { $0.hasStyle("missing") }, 2)
      // Still nothing: it stays missing, and is tried once more when somebody answers again.
      rig.pictures.retryUnreachable()
      try rig.settle()
      XCTAssertEqual(feed.all.count { $0.hasStyle("missing") }, 2)
      XCTAssertEqual(server.paths.count, 4)
      server.fault = nil
      server.isMaintained = false
      rig.pictures.retryUnreachable()
      try rig.settle()
      XCTAssertEqual(feed.pictureCount, 2)
      XCTAssertEqual(feed.all.count { $0.hasStyle("missing") }, 0)
      XCTAssertEqual(server.paths.count, 6)
      // What is there, or is off screen, asks for nothing.
      rig.closeScreens()
      rig.pictures.retryUnreachable()
      try rig.settle()
      XCTAssertEqual(server.paths.count, 6)
      rig.close()
    }
  }

  func testInitialsFitTheirFrameAndGrowWithTheTextAsIconsDo() throws {
    try MainActor.assumeIsolated {
      var (icons, initials): ([Double], [Double]) = ([], [])
      defer { setting("gtk-xft-dpi", 1024 * 96) }
      for scale in 1...2 {
        setting("gtk-xft-dpi", 1024 * 96 * scale)
        let rig = ReaderRig()
        let frames = [40, 56, 72].map { (room: Double($0 * scale), view: PictureView(width: $0, ratio: 1, growsWithText: true)) }
        let icon = Image(.heart)
        (icon.horizontal, icon.vertical) = (.start, .start)
        rig.window.child(Box(.vertical, children: frames.map(\.view.root) + [icon]))
        for frame in frames {
          frame.view.root.horizontal = .start
          frame.view.show(nil, or: Emblem(name: "Women Writers", id: "a"), from: rig.pictures)
        }
        rig.window.painted()
        for frame in frames {
          let letters = try XCTUnwrap(Seen(frame.view.root).label("WW"))
          XCTAssertFalse(letters.isCut, "\(frame.room) at text size \(scale)")
          let line = try XCTUnwrap(letters.lines.first)
          XCTAssertGreaterThan(line.right - line.left, frame.room * 0.5, "large enough to be read")
          XCTAssertLessThan(line.right - line.left, frame.room * 0.9, "with an edge beside them")
          initials.append(line.right - line.left)
        }
        icons.append(Seen(icon).room)
        for frame in frames { frame.view.scope.close() }
        rig.close()
      }
      XCTAssertEqual(icons[1], icons[0] * 2, accuracy: 1)
      for (small, large) in zip(initials, initials.dropFirst(3)) { XCTAssertEqual(large, small * 2, accuracy: 4) }
    }
  }

  func testAPictureIsKeptAsLargeAsItsPlace() throws {
    try MainActor.assumeIsolated {
      let large = Samples.picture(side: 900)
      let rig = ReaderRig(posts: [.pictured(1, "/1")], pictureServer: PictureServer { _ in large })
      XCTAssertEqual(try rig.show(.tab(.home)).pictureCount, 1)
      // Wide enough for the frame, and higher, since it is square.
      let texture = try XCTUnwrap(rig.pictures.cached("/1"))
      XCTAssertEqual([texture.width, texture.height], [208 * rig.window.scaleFactor, 208 * rig.window.scaleFactor])
      rig.close()
    }
  }

  func testMemoryIsCountedInBytes() throws {
    try MainActor.assumeIsolated {
      let good = Samples.picture(side: 64)
      // Room for two of 64 by 64 pixels in 4 bytes each, and not for three.
      let rig = ReaderRig(pictureServer: PictureServer { _ in good }, pictureMemory: 5 * 64 * 64 * 2)
      let pictures = rig.pictures
      for path in ["/1", "/2"] { XCTAssertTrue(try finish { await pictures.load(path, side: 64) != nil }) }
      XCTAssertEqual(["/1", "/2"].map { pictures.cached($0, side: 64) != nil }, [true, true])
      XCTAssertTrue(try finish { await pictures.load("/3", side: 64) != nil })
      XCTAssertEqual(["/1", "/3"].map { pictures.cached($0, side: 64) != nil }, [false, true])
      rig.close()
    }
  }

  func testAPictureWithoutEndLeavesItsPlaceAndIsNotAskedForAgain() throws {
    try MainActor.assumeIsolated {
      let server = PictureServer()
      server.fault = .tooLarge(limit: 20 << 20)
      let rig = ReaderRig(posts: [.pictured(1, "/endless")], pictureServer: server)
      for _ in 0..<2 {
        let feed = try rig.show(.tab(.home))
        XCTAssertEqual(feed.row("Title 1")?.all.count { $0.hasStyle("missing") }, 1)
        rig.closeScreens()
      }
      XCTAssertEqual(server.paths, ["/endless"])
      rig.close()
    }
  }

  func testAPictureThatManyShowIsLoadedOnceAndKept() throws {
    try MainActor.assumeIsolated {
      let good = Samples.picture(side: 64)
      let server = PictureServer { _ in good }
      let rig = ReaderRig(posts: (1...6).map { .pictured($0, "/same") }, pictureServer: server)
      server.publication.with { $0.holds = ["GET"] }
      let feed = try rig.show(.tab(.home), settles: false)
      try finish { await server.publication.waitForSuspended() }
      rig.window.painted()
      XCTAssertEqual(server.paths, ["/same"])
      XCTAssertEqual(rig.pictures.inFlight, 1)
      XCTAssertEqual(feed.pictureCount, 0)
      server.publication.release()
      try rig.settle()
      XCTAssertGreaterThan(feed.pictureCount, 3)
      rig.closeScreens()
      // A place that needs it larger shows the smaller one until it has its own.
      server.publication.with { $0.holds = ["GET"] }
      let again = try rig.show(.post("p1"), settles: false)
      try finish { await server.publication.waitForSuspended() }
      XCTAssertEqual(again.pictureCount, 1)
      server.publication.release()
      try rig.settle()
      rig.closeScreens()
      let feedAgain = try rig.show(.tab(.home))
      XCTAssertGreaterThan(feedAgain.pictureCount, 3)
      XCTAssertEqual(server.paths, ["/same", "/same"])
      rig.close()
    }
  }

  func testOnlyWhatIsOnScreenIsLoaded() throws {
    try MainActor.assumeIsolated {
      let good = Samples.picture(side: 64)
      let server = PictureServer { _ in good }
      let rig = ReaderRig(posts: (1...300).map { .pictured($0, "/\($0)") }, pictureServer: server)
      rig.publication.with { $0.pageSize = 300 }
      server.publication.with { $0.holds = ["GET"] }
      let feed = try rig.show(.tab(.home), settles: false)
      eventually("the first pictures are asked for") { server.paths.contains("/3") }
      XCTAssertLessThan(server.paths.count, 15, "a list makes more rows than it shows")
      rig.scroll(feed, to: 1)
      eventually("the last pictures are asked for") { server.paths.contains("/300") }
      eventually("nobody waits for the first ones any more") { rig.pictures.inFlight < 8 }
      server.publication.release()
      try rig.settle()
      XCTAssertNotNil(rig.pictures.cached("/300"))
      XCTAssertNil(rig.pictures.cached("/3"))
      XCTAssertEqual(feed.pictureCount, feed.all.count { $0.hasStyle("picture-frame") })
      rig.scroll(feed, to: 0)
      try rig.settle()
      XCTAssertNotNil(rig.pictures.cached("/3"))
      XCTAssertEqual(feed.pictureCount, feed.all.count { $0.hasStyle("picture-frame") })
      rig.close()
    }
  }

  func testARowThatIsFilledAnewNeverShowsThePictureOfThePostBefore() throws {
    try MainActor.assumeIsolated {
      let good = Samples.picture(side: 64)
      let server = PictureServer { $0 == "/1" ? good : nil }
      let rig = ReaderRig(posts: [.pictured(1, "/1"), .sample(2)], pictureServer: server)
      let feed = try rig.show(.tab(.home))
      XCTAssertEqual(feed.row("Title 1")?.pictureCount, 1)
      for path in ["/2", nil, "/1"] {
        rig.publication.with { $0.posts[0].picture = path }
        rig.fixture.store.toggleReaction("p1")
        try rig.settle()
        XCTAssertEqual(feed.row("Title 1")?.pictureCount, path == "/1" ? 1 : 0, path ?? "none")
      }
      rig.close()
    }
  }

  func testALoadEndsWhenTheLastWhoWaitedLeaves() throws {
    try MainActor.assumeIsolated {
      let good = Samples.picture(side: 8)
      let server = PictureServer { _ in good }
      server.publication.with { $0.holds = ["GET"] }
      let rig = ReaderRig(pictureServer: server)
      let pictures = rig.pictures
      let waiters = (0..<3).map { _ in Task { await pictures.load("/one", side: 100) != nil } }
      eventually("all wait for one answer") { server.paths == ["/one"] && pictures.waiting(for: "/one", side: 100) == 3 }
      waiters[0].cancel()
      waiters[1].cancel()
      try finish { await mainQueueTurn() }
      XCTAssertEqual(pictures.inFlight, 1, "one still waits")
      waiters[2].cancel()
      eventually("nobody waits") { pictures.inFlight == 0 }
      // Who asks now begins again, and is not disturbed by what becomes of the load before.
      server.publication.release()
      let refetch = try finish { await pictures.load("/one", side: 100) != nil }
      XCTAssertTrue(refetch)
      XCTAssertEqual(server.paths, ["/one", "/one"])
      XCTAssertNotNil(pictures.cached("/one"))
      rig.close()
    }
  }

  /// A comic or a portrait loses nothing, and what is small stays as sharp as it is.
  func testAPictureOfAnArticleIsShownWhole() throws {
    try MainActor.assumeIsolated {
      let sizes = [(100, 300, 100, 300), (1344, 672, 672, 336), (20, 20, 20, 20), (90, 2700, 90, 2700)]
      for (width, height, shownWidth, shownHeight) in sizes {
        let server = PictureServer { _ in Samples.picture(width: width, height: height) }
        let rig = ReaderRig(posts: [.sample(1, body: "<p>Before</p><img src='https://example.org/a.png'>")], pictureServer: server)
        let seen = try rig.show(.post("p1"))
        rig.window.painted()
        let frame = try XCTUnwrap(seen.all.first { $0.hasStyle("picture-frame") }).place(in: seen)
        XCTAssertEqual([frame.width, frame.height], [Double(shownWidth), Double(shownHeight)], "\(width) × \(height)")
        rig.close()
      }
    }
  }

  func testAnArticleShowsItsPicturesAtTheirOwnPace() throws {
    try MainActor.assumeIsolated {
      let good = Samples.picture(side: 64)
      let body = "<p>One</p><p><img src=\"https://pictures.example/a.png\" alt=\"A hill\"></p><p>Two</p>"
      let server = PictureServer { $0.hasSuffix("a.png") ? good : nil }
      var post = Post.pictured(1, "/missing")
      post.body = body
      let rig = ReaderRig(posts: [post], pictureServer: server)
      let seen = try rig.show(.post("p1"))
      XCTAssertEqual(Set(server.paths), ["/missing", "https://pictures.example/a.png"])
      XCTAssertEqual(seen.pictureCount, 1)
      XCTAssertTrue(seen.says("Two"))
      rig.close()
    }
  }
}

extension Post {
  static func pictured(_ number: Int, _ path: String, body: String? = "<p>Body</p>") -> Post {
    var post = Post.sample(number, body: body)
    post.picture = path
    return post
  }
}
