import AppCore
import CGtk
import CGtkShims
import FanClubFeature
import FeatureKit
import Foundation
import PublicationAPI
import ReaderContent
import Runtime
import TestSupport
import XCTest

@testable import Gtk
@testable import Screens

/// Fan clubs: what stands for one without a picture, what is unread, and the choice of those that one follows.
final class FanClubViewTests: ScreensTestCase {
  private static func club(_ id: String, _ name: String, picture: String? = nil) -> FanClub {
    FanClub(id: id, name: name, about: "About it", picture: picture, followers: 3, posts: 2, unread: 0)
  }

  func testALongDescriptionLeavesThePostsTheirRoom() throws {
    try MainActor.assumeIsolated {
      var heights: [Int] = []
      let long = String(repeating: "What this is about, in many words. ", count: 150)
      for about in ["Short", long] {
        let club = FanClub(id: "c1", name: "Club", about: about, followers: 3, posts: 2)
        let rig = ReaderRig(posts: (1..<9).map { .sample($0) }, clubs: [club], width: 360, height: 640)
        let page = try rig.show(.fanClub("c1"))
        heights.append(page.leastHeight(width: 360))
        let header = try XCTUnwrap(page.all.first { $0.hasStyle("club-header") })
        XCTAssertEqual(header.button("More") != nil, about == long)
        if about == long {
          @MainActor func room() throws -> Double { try XCTUnwrap(page.all.first { $0.hasStyle("plain-list") }).place(in: page).height }
          XCTAssertGreaterThan(try room(), 300)
          header.button("More")?.click()
          try rig.settle()
          XCTAssertTrue(page.says(long.trimmingCharacters(in: .whitespaces)))
          XCTAssertGreaterThan(try room(), 200)
          heights.append(page.leastHeight(width: 360))
          header.button("Less")?.click()
          try rig.settle()
          XCTAssertNotNil(header.button("More"))
        }
        rig.close()
      }
      XCTAssertLessThanOrEqual(heights[2], heights[0] + 50, "all of it scrolls")
      XCTAssertLessThanOrEqual(heights[1], heights[0] + 50, "for the button at most")
    }
  }

  func testAFeedThatCannotBeFetchedIsNamedAndTheKeyboardIsNotLost() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: (1..<4).map { .sample($0) }, clubs: [FanClub(id: "c1", name: "Club", feed: "https://c.example/feed")])
      let screen = rig.screen(.fanClub("c1"))
      let page = try rig.show(screen)
      let problem = "https://c.example/feed: the server answered with status 500."
      rig.publication.with {
        $0.holds = ["POST"]
        $0.imports = [Import(id: "i", state: .failed, title: "Club", problem: problem), Import(id: "j", state: .done)]
      }
      screen.refresh()
      try rig.waitForSuspended(1)
      XCTAssertTrue(page.says("Fetching the feed…"))
      XCTAssertTrue(page.isSpinning)
      XCTAssertTrue(try XCTUnwrap(page.button("Cancel")).focus())
      try rig.release()
      XCTAssertTrue(page.says("The feed could not be fetched."))
      XCTAssertTrue(page.says(problem))
      XCTAssertTrue(try XCTUnwrap(page.button("Try again")).hasFocus)
      try XCTUnwrap(page.button("Try again")).click()
      try rig.settle()
      XCTAssertFalse(page.texts.contains { $0.hasPrefix("The feed") })
      XCTAssertTrue(try XCTUnwrap(page.row("Title 1")).hasFocus)
      rig.close()
    }
  }

  func testManyFeedsThatCannotBeFetchedLeaveThePostsTheirRoomAndTheKeyboard() throws {
    try MainActor.assumeIsolated {
      let clubs = (10..<50).map { FanClub(id: "c\($0)", name: "Club \($0)", feed: "https://c\($0).example/feed") }
      let rig = ReaderRig(posts: (1..<9).map { .sample($0) }, clubs: clubs)
      rig.canAddFeeds.value = true
      let screen = rig.screen(.tab(.home))
      let page = try rig.show(screen)
      rig.publication.with { publication in
        publication.imports = clubs.map {
          Import(id: $0.id, state: .failed, title: $0.name, problem: "The document of \($0.name) is empty.")
        }
      }
      screen.refresh()
      try rig.settle()
      XCTAssertTrue(page.says("40 of 40 feeds could not be fetched."))
      let line = try XCTUnwrap(page.all.first { $0.hasStyle("fetch-line") })
      let (whole, part) = (page.place(in: page).height, line.place(in: page).height)
      XCTAssertLessThan(part, whole * 0.4)
      XCTAssertTrue(try XCTUnwrap(page.button("Dismiss message")).focus())
      page.button("Dismiss message")?.click()
      try rig.settle()
      XCTAssertFalse(page.says("40 of 40 feeds could not be fetched."))
      XCTAssertTrue(try XCTUnwrap(page.row("Title 1")).hasFocus, "the first in sight")
      rig.close()
    }
  }

  func testAClubWithoutAPictureHasItsInitialsOnAColorOfItsOwn() throws {
    try MainActor.assumeIsolated {
      let good = Samples.picture(side: 64)
      let rig = ReaderRig(
        clubs: [
          Self.club("a", "Rooftop & Sill"), Self.club("b", "Film", picture: "/missing"), Self.club("c", "Radio", picture: "/good"),
        ], pictureServer: PictureServer { $0 == "/good" ? good : nil })
      let list = try rig.show(.tab(.fanClubs))
      @MainActor func frame(_ name: String) throws -> Seen {
        let found = list.row(name)?.all.first { $0.hasStyle("picture-frame") }
        return try XCTUnwrap(found, name)
      }
      for (id, name, initials) in [("a", "Rooftop & Sill", "RS"), ("b", "Film", "F")] {
        let tint = Emblem(name: name, id: id).tint
        XCTAssertEqual(try frame(name).texts, [initials])
        for other in 0..<Emblem.tints { XCTAssertEqual(try frame(name).hasStyle("tint-\(other)"), other == tint) }
        XCTAssertFalse(try frame(name).hasStyle("missing"))
        let page = try rig.show(.fanClub(id))
        XCTAssertEqual(page.all.first { $0.hasStyle("picture-frame") }?.hasStyle("tint-\(tint)"), true, "the same on its page")
      }
      XCTAssertEqual(try frame("Radio").pictureCount, 1)
      XCTAssertEqual(try frame("Radio").texts, [])
      // A row that is filled with another club takes nothing of the one before along.
      rig.publication.with { $0.clubs[0].picture = "/good" }
      rig.fixture.store.toggleFollow("a")
      try rig.settle()
      XCTAssertEqual(try frame("Rooftop & Sill").pictureCount, 1)
      XCTAssertEqual(try frame("Rooftop & Sill").texts, [])
      for tint in 0..<Emblem.tints { XCTAssertFalse(try frame("Rooftop & Sill").hasStyle("tint-\(tint)")) }
      rig.close()
    }
  }

  func testWhiteLettersCanBeReadOnEveryColor() throws {
    try MainActor.assumeIsolated {
      for tint in 0..<Emblem.tints {
        let rule = try XCTUnwrap(Theme.styleSheet.firstRange(of: ".tint-\(tint) {\n  background-color: #"))
        let color = try XCTUnwrap(Int(Theme.styleSheet[rule.upperBound...].prefix(6), radix: 16))
        XCTAssertGreaterThan(1.05 / (Self.luminance(color) + 0.05), 4.5, "\(tint)")
      }
    }
  }

  /// As WCAG has it.
  private static func luminance(_ color: Int) -> Double {
    func part(_ shift: Int) -> Double {
      let value = Double(color >> shift & 255) / 255
      return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
  }

  func testARowSaysHowManyPostsAreUnread() throws {
    try MainActor.assumeIsolated {
      var silent = Self.club("c", "Gamma")
      silent.unread = nil
      let rig = ReaderRig(
        posts: [.sample(1, club: "a"), .sample(2, club: "a")], clubs: [Self.club("a", "Alpha"), Self.club("b", "Beta"), silent])
      let list = try rig.show(.tab(.fanClubs))
      let marks = { list.all.filter { $0.hasStyle("unread") }.map(\.text) }
      for mark in list.all where mark.hasStyle("unread") {
        for frame in list.all where frame.hasStyle("picture-frame") {
          let (mark, frame) = (mark.place(in: list), frame.place(in: list))
          XCTAssertTrue(mark.x > frame.x + frame.width, "on no picture: \(mark), \(frame)")
        }
      }
      XCTAssertEqual(marks(), [], "nobody waits for a club that they do not follow")
      XCTAssertEqual(
        list.texts.filter { $0.hasPrefix("3 followers") },
        ["2\u{a0}posts, 2\u{a0}unread", "2\u{a0}posts", "2\u{a0}posts"].map { "3 followers\u{a0}\u{a0}·  " + $0 })
      let page = try rig.show(.fanClub("a"))
      page.button("Follow")?.click()
      try rig.settle()
      XCTAssertEqual(marks(), ["2"])
      page.row("Title 1")?.button("More")?.click()
      eventually("the menu opens") { page.button("Mark as read") != nil }
      page.button("Mark as read")?.click()
      try rig.settle()
      XCTAssertEqual(marks(), ["1"])
      XCTAssertTrue(list.says("4 followers\u{a0}\u{a0}·  2\u{a0}posts, 1\u{a0}unread"))
      rig.close()
    }
  }

  func testRemovingAFeedAsksFirstAndSaysWhyNot() throws {
    try MainActor.assumeIsolated {
      var mine = Self.club("a", "Alpha")
      mine.canRemove = true
      let rig = ReaderRig(posts: [.sample(1, club: "a")], clubs: [mine, Self.club("b", "Beta")])
      XCTAssertNil(try rig.show(.fanClub("b")).button("Remove feed…"), "somebody else added it")
      let page = try rig.show(.fanClub("a"))
      let remove = try XCTUnwrap(page.button("Remove feed…"))
      XCTAssertTrue(remove.hasStyle("removal"), "it takes something away for good")
      remove.click()
      eventually("it is asked first") { page.button("Remove feed") != nil }
      XCTAssertTrue(page.texts.contains { $0.hasPrefix("Remove “Alpha”? Its posts go with it") })
      eventually("the keyboard is where nothing is lost") { page.button("Keep it")?.hasFocus == true }
      page.button("Keep it")?.click()
      try rig.settle()
      XCTAssertTrue(rig.publication.requests.allSatisfy { $0.hasPrefix("GET") })
      rig.publication.with {
        $0.refusals["DELETE"] = Problem(code: .inUse, title: "Others follow it.", status: 409)
        $0.holds = ["DELETE"]
      }
      remove.click()
      eventually("it is asked again") { page.button("Remove feed") != nil }
      page.button("Remove feed")?.click()
      try rig.waitForSuspended()
      let progress = try XCTUnwrap(page.button("Removing…"))
      XCTAssertFalse(progress.isSensitive)
      try rig.release()
      XCTAssertTrue(page.says("“Alpha” was not removed. Others follow it."))
      XCTAssertTrue(try XCTUnwrap(page.button("Remove feed…")).isSensitive)
      rig.publication.with { $0.refusals = [:] }
      page.button("Remove feed…")?.click()
      eventually("it is asked once more") { page.button("Remove feed") != nil }
      page.button("Remove feed")?.click()
      try rig.settle()
      XCTAssertEqual(rig.outputs, ["fanClubRemoved(\"Alpha\")"])
      rig.close()
    }
  }

  func testAfterAFeedWasRemovedTheKeyboardIsOnARowAndOnNoButton() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(addsFeeds: true)
      try rig.start()
      try rig.signIn()
      try rig.go(.addFeed(nil))
      try XCTUnwrap(rig.seen.entries.first).type(Web.feed)
      try XCTUnwrap(rig.seen.button("Add")).click()
      rig.wait(for: "it is added") { rig.shown == "fanclub" }
      try rig.settle()
      try rig.go(.tab(.fanClubs))
      while rig.shown != "fanclubs" { try rig.go(.back) }
      let row = try XCTUnwrap(rig.seen.row("The Long Evening"))
      XCTAssertTrue(row.focus())
      row.activate()
      try rig.settle()
      XCTAssertEqual(rig.shown, "fanclub")
      let remove = try XCTUnwrap(rig.seen.button("Remove feed…"))
      remove.focus()
      remove.click()
      eventually("it is asked first") { rig.seen.button("Remove feed") != nil }
      rig.seen.button("Remove feed")?.focus()
      rig.seen.button("Remove feed")?.click()
      eventually("the page is gone") { rig.shown == "fanclubs" }
      try rig.settle()
      XCTAssertFalse(rig.seen.says("The Long Evening"))
      let focus = try XCTUnwrap(rig.seen.all.first(where: \.isFocus))
      XCTAssertFalse(focus.isButton, "\(focus.texts)")
      XCTAssertNotNil(rig.seen.all.compactMap(\.text).compactMap(rig.seen.row).first(where: \.isFocus))
      try rig.close()
    }
  }

  func testAFilterIsTickedWhileItIsOn() throws {
    try MainActor.assumeIsolated {
      for (place, name) in [(Destination.tab(.fanClubs), "Only fan clubs that you follow"), (.tab(.home), "Only what you have not read")] {
        let rig = ReaderRig(posts: [.sample(1)])
        let seen = try rig.show(place)
        let filter = try XCTUnwrap(seen.button(name))
        XCTAssertFalse(filter.hasStyle("flat"), "it would look like a heading")
        XCTAssertTrue(!filter.isOn && filter.icons.isEmpty)
        filter.click()
        try rig.settle()
        XCTAssertTrue(filter.isOn && filter.icons == [Icon.done.name])
        filter.click()
        try rig.settle()
        XCTAssertTrue(!filter.isOn && filter.icons.isEmpty)
        rig.close()
      }
    }
  }

  func testFollowedFeedsAreWrittenWhereTheReaderSaysSo() throws {
    try MainActor.assumeIsolated {
      var club = Self.club("a", "Alpha")
      (club.followed, club.feed) = (true, "https://a.example/feed")
      let rig = ReaderRig(clubs: [club])
      let folder = FileManager.default.temporaryDirectory.appending(path: "export-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      // Where a file was saved is noted for other programs, by whom.
      g_set_prgname("matinee")
      let (store, formatting) = (rig.fixture.store, rig.fixture.formatting)
      let permission = LastValue(false)
      var outputs: [FanClubListViewModel.Output] = []
      let model = FanClubListViewModel(store: store, formatting: formatting, canAddFeeds: permission, documents: .onDisk) {
        outputs.append($0)
      }
      let seen = try rig.show(Screen(model))
      XCTAssertNil(seen.button("Export…"))
      permission.value = true
      model.disappear()
      model.appear()
      try rig.settle()
      try XCTUnwrap(seen.button("Export…")).click()
      var dialog: FileDialog?
      eventually("the dialog opens") {
        dialog = FileDialog.open
        return dialog != nil
      }
      XCTAssertEqual(dialog?.name, "fan-clubs.opml")
      dialog?.type(folder.appending(path: "feeds.opml").path)
      dialog?.accept()
      eventually("the window is to say so") { outputs == [.exported("1 feed was written to “feeds.opml”.")] }
      let written = try String(contentsOf: folder.appending(path: "feeds.opml"), encoding: .utf8)
      XCTAssertTrue(written.contains("xmlUrl=\"https://a.example/feed\""), written)
      XCTAssertFalse(seen.says("1 feed was written to “feeds.opml”."), "it would stay until it is dismissed")
      // What asks goes with the page.
      try XCTUnwrap(seen.button("Export…")).click()
      eventually("the dialog opens") { FileDialog.open != nil }
      rig.closeScreens()
      eventually("the dialog closes") { FileDialog.open == nil }
      rig.close()
    }
  }

  func testTheHeaderMakesRoomForPostsInASmallWindow() throws {
    try MainActor.assumeIsolated {
      for (height, posts, makesRoom) in [(420, 30, true), (1000, 30, false), (420, 1, false)] {
        let rig = ReaderRig(
          posts: (1...posts).map { .sample($0, club: "a") }, clubs: [Self.club("a", "Alpha")], width: 360, height: height)
        let seen = try rig.show(.fanClub("a"))
        XCTAssertNotNil(seen.button("Follow"))
        let list = try XCTUnwrap(seen.all.first { matinee_is_a($0.pointer, gtk_list_view_get_type()) != 0 })
        let place = try XCTUnwrap(gtk_scrollable_get_vadjustment(OpaquePointer(list.pointer)))
        gtk_adjustment_set_value(place, 200)
        try rig.settle()
        eventually("the header to be \(makesRoom ? "gone" : "there") at \(height)") { (seen.button("Follow") == nil) == makesRoom }
        gtk_adjustment_set_value(place, 0)
        eventually("the header is there at the top") { seen.button("Follow") != nil }
        rig.close()
      }
    }
  }

  func testNamesHaveRoomInANarrowWindow() throws {
    try MainActor.assumeIsolated {
      var club = Self.club("a", "Static & Candlelight")
      (club.followers, club.posts, club.followed) = (1234, 56, true)
      for (width, isBeside) in [(360, false), (1000, true)] {
        for place in [Destination.tab(.fanClubs), .fanClub("a")] {
          let rig = ReaderRig(posts: (1...12).map { .sample($0, club: "a") }, clubs: [club], width: width)
          let (store, formatting, preferences) = (rig.fixture.store, rig.fixture.formatting, NotificationPreferences())
          let page = FanClubViewModel("a", store: store, formatting: formatting, notifications: preferences) { _ in }
          let seen = try place == .fanClub("a") ? rig.show(Screen(page)) : rig.show(place)
          for text in ["Static & Candlelight", "1,234 followers\u{a0}\u{a0}·  56\u{a0}posts, 12\u{a0}unread"] {
            XCTAssertFalse(try XCTUnwrap(seen.label(text)).isCut, text)
          }
          let name = try XCTUnwrap(seen.label("Static & Candlelight")).place(in: seen)
          XCTAssertGreaterThan(name.width, 170, "\(place), \(width): not a word a line")
          let follow = try XCTUnwrap(seen.button("Following")).place(in: seen)
          XCTAssertEqual(follow.x >= name.x + name.width, isBeside, "\(place), \(width)")
          XCTAssertTrue(isBeside || follow.y >= name.y + name.height, "\(place), \(width)")
          rig.close()
        }
      }
    }
  }
}

/// The toolkit's own dialog that asks for a file.
@MainActor private struct FileDialog {
  private let pointer: OpaquePointer

  /// The one that is open.
  static var open: FileDialog? {
    let windows = gtk_window_get_toplevels()
    for place in 0..<g_list_model_get_n_items(windows) {
      guard let window = g_list_model_get_item(windows, place) else { continue }
      defer { g_object_unref(window) }
      let widget = window.assumingMemoryBound(to: GtkWidget.self)
      if matinee_is_a(widget, gtk_file_chooser_get_type()) != 0, gtk_widget_get_mapped(widget) != 0 {
        return FileDialog(pointer: OpaquePointer(window))
      }
    }
    return nil
  }

  var name: String? { takenString(gtk_file_chooser_get_current_name(pointer)) }

  /// A path, in place of the name.
  func type(_ path: String) { gtk_file_chooser_set_current_name(pointer, path) }

  func accept() { gtk_dialog_response(UnsafeMutablePointer(pointer), GTK_RESPONSE_ACCEPT.rawValue) }
}
