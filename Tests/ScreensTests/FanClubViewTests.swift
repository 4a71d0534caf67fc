import AppCore
import Foundation
import PublicationAPI
import PublicationClient
import TestSupport
import XCTest

@testable import Gtk
@testable import Screens

/// Fan clubs: what stands for one without a picture, what is unread, and the choice of those that one follows.
final class FanClubViewTests: ScreensTestCase {
  private static func club(_ id: String, _ name: String, picture: String? = nil) -> FanClub {
    FanClub(id: id, name: name, about: "About it", picture: picture, followers: 3, posts: 2)
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
}
