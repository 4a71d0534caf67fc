import AppCore
import Foundation
import Gtk
import PublicationAPI
import TestSupport
import XCTest

@testable import Screens

/// A page that has nothing else to show has a picture, a sentence with what to do, and a button that does it.
final class StatusTests: ScreensTestCase {
  private static let places: [Destination] = [.tab(.home), .tab(.fanClubs), .tab(.bookmarks), .fanClub("c1"), .post("p1")]

  func testLoading() throws {
    try MainActor.assumeIsolated {
      for place in Self.places {
        let rig = ReaderRig(posts: [.sample(1, bookmarked: true)])
        rig.publication.with { $0.holds = ["GET"] }
        let seen = try rig.show(place, settles: false)
        XCTAssertTrue(seen.isSpinning, "\(place)")
        XCTAssertTrue(seen.texts.contains { $0.hasPrefix("Fetching ") && $0.hasSuffix("…") }, "\(place): \(seen.texts)")
        try rig.release()
        XCTAssertFalse(seen.isSpinning, "\(place)")
        XCTAssertFalse(seen.texts.contains { $0.hasPrefix("Fetching ") }, "\(place)")
        rig.close()
      }
    }
  }

  func testOffline() throws {
    try failing(icon: .offline, heading: "You are offline") {
      $0.isOffline = true
    } mend: {
      $0.isOffline = false
    }
  }

  func testFailed() throws {
    let problem = Problem(code: .internalError, title: "The publication is having a nap.", status: 500)
    try failing(icon: .failed, heading: "This did not work") {
      $0.refusals = ["GET": problem]
    } mend: {
      $0.refusals = [:]
    }
  }

  typealias ScriptedState = ScriptedPublication.State

  private func failing(
    icon: Icon, heading: String, _ breakIt: @escaping @Sendable (inout ScriptedState) -> Void,
    mend: @escaping @Sendable (inout ScriptedState) -> Void
  ) throws {
    try MainActor.assumeIsolated {
      for place in Self.places {
        let rig = ReaderRig(posts: [.sample(1, bookmarked: true)])
        rig.publication.with { breakIt(&$0) }
        let seen = try rig.show(place)
        XCTAssertEqual(seen.icons.filter { $0 == icon.name }.count, 1, "\(place)")
        XCTAssertTrue(seen.says(heading), "\(place): \(seen.texts)")
        XCTAssertTrue(seen.texts.contains { $0.hasSuffix(".") }, "\(place) says why: \(seen.texts)")
        seen.button("Try again")?.click()
        try rig.settle()
        XCTAssertTrue(seen.says(heading), "\(place) still")
        rig.publication.with { mend(&$0) }
        seen.button("Try again")?.click()
        try rig.settle()
        XCTAssertFalse(seen.says(heading), "\(place)")
        XCTAssertTrue(seen.says(place == .tab(.fanClubs) ? "Club c1" : "Title 1"), "\(place): \(seen.texts)")
        rig.close()
      }
    }
  }

  func testEmpty() throws {
    try MainActor.assumeIsolated {
      for place in [Destination.tab(.home), .tab(.fanClubs), .tab(.bookmarks), .fanClub("c1")] {
        let rig = ReaderRig(clubs: place == .tab(.fanClubs) ? [] : [.sample("c1")])
        let seen = try rig.show(place)
        let status = try XCTUnwrap(seen.all.first { $0.hasStyle("status-picture") }, "\(place)")
        XCTAssertFalse(status.icons.isEmpty, "\(place)")
        XCTAssertTrue(seen.texts.contains { $0.hasSuffix("yet") }, "\(place): \(seen.texts)")
        rig.publication.with {
          $0.posts = [.sample(1, bookmarked: true)]
          $0.clubs = [.sample("c1")]
        }
        try XCTUnwrap(seen.button("Refresh"), "\(place)").click()
        try rig.settle()
        XCTAssertTrue(seen.says(place == .tab(.fanClubs) ? "Club c1" : "Title 1"), "\(place): \(seen.texts)")
        rig.close()
      }
    }
  }

  func testWhatIsGone() throws {
    try MainActor.assumeIsolated {
      for place in [Destination.fanClub("nobody"), .post("nothing")] {
        let rig = ReaderRig()
        let seen = try rig.show(place)
        XCTAssertTrue(seen.says("Not here"), "\(place)")
        XCTAssertTrue(seen.icons.contains(Icon.failed.name), "\(place)")
        XCTAssertTrue(seen.texts.contains { $0.hasSuffix("is no longer here.") }, "\(place)")
        rig.close()
      }
    }
  }
}
