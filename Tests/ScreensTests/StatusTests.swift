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

  /// In the middle of what one sees, and after a moment with what is waited for.
  func testWhatTakesLongSaysSoInSight() throws {
    try MainActor.assumeIsolated {
      let patience = LoadingWords.patience
      LoadingWords.patience = 0.3
      defer { LoadingWords.patience = patience }
      for place in Self.places + [.comments("p1"), .search] {
        for width in [360, 990] {
          let rig = ReaderRig(posts: [.sample(1, bookmarked: true)], width: width, height: 480)
          rig.publication.with { $0.holds = ["GET"] }
          let seen = try rig.show(place, settles: false)
          if place == .search {
            seen.entries[0].type("rain")
            seen.entries[0].pressEnter()
          }
          eventually("\(place) says it") { seen.texts.contains { $0.hasSuffix("… \(LoadingWords.explanation)") } }
          rig.window.painted()
          XCTAssertTrue(seen.isSpinning)
          for part in seen.all where part.text?.hasSuffix(LoadingWords.explanation) == true || part.isSpinner {
            let spot = part.place(in: rig.seen)
            XCTAssertGreaterThanOrEqual(spot.y, 0, "\(place) at \(width)")
            XCTAssertLessThanOrEqual(spot.y + spot.height, Double(rig.window.height), "\(place) at \(width)")
            if part.isSpinner { XCTAssertEqual(spot.width, spot.height, accuracy: 1, "round, \(place) at \(width)") }
          }
          try rig.release()
          XCTAssertFalse(seen.texts.contains { $0.hasSuffix(LoadingWords.explanation) }, "\(place)")
          rig.close()
        }
      }
    }
  }

  /// What is there is read on meanwhile, however long it is.
  func testARefreshThatTakesLongSaysSoInSight() throws {
    try MainActor.assumeIsolated {
      let patience = LoadingWords.patience
      LoadingWords.patience = 0.3
      defer { LoadingWords.patience = patience }
      let body = (1...40).map { "<p>Paragraph \($0)</p>" }.joined()
      for (place, words) in [
        (Destination.tab(.home), "Refreshing…"), (.tab(.fanClubs), "Refreshing…"), (.fanClub("c1"), "Refreshing…"),
        (.post("p1"), "Refreshing…"),
      ] {
        let rig = ReaderRig(posts: [.sample(1, body: body)], height: 480)
        let screen = rig.screen(place)
        let seen = try rig.show(screen)
        rig.publication.with { $0.holds = ["GET"] }
        screen.refresh()
        eventually("\(place) says it") { seen.texts.contains("\(words) \(LoadingWords.explanation)") }
        rig.window.painted()
        let spot = try XCTUnwrap(seen.label("\(words) \(LoadingWords.explanation)")).place(in: rig.seen)
        XCTAssertLessThanOrEqual(spot.y + spot.height, Double(rig.window.height), "\(place)")
        try rig.release()
        XCTAssertFalse(seen.texts.contains { $0.hasPrefix(words) }, "\(place)")
        rig.close()
      }
    }
  }

  /// Nothing moves for an answer that comes at once: below the rows it is said only once it takes long.
  func testASearchOverRowsThatTakesLongSaysSoInSight() throws {
    try MainActor.assumeIsolated {
      let patience = LoadingWords.patience
      LoadingWords.patience = 0.3
      defer { LoadingWords.patience = patience }
      let rig = ReaderRig(posts: (1...30).map { .sample($0) }, height: 480)
      let seen = try rig.show(.search)
      seen.entries[0].type("title")
      seen.entries[0].pressEnter()
      try rig.settle()
      rig.publication.with { $0.holds = ["GET"] }
      seen.entries[0].pressEnter()
      try rig.waitForSuspended()
      XCTAssertTrue(seen.says("Title 1"))
      XCTAssertFalse(seen.texts.contains { $0.hasPrefix("Searching…") })
      let words = "Searching… \(LoadingWords.explanation)"
      eventually("it is said") { seen.says(words) }
      rig.window.painted()
      let spot = try XCTUnwrap(seen.label(words)).place(in: rig.seen)
      XCTAssertLessThanOrEqual(spot.y + spot.height, Double(rig.window.height))
      try rig.release()
      XCTAssertFalse(seen.texts.contains { $0.hasPrefix("Searching…") })
      XCTAssertTrue(seen.says("Title 1"))
      rig.close()
    }
  }

  func testWhatIsAskedOnTheAccountsPagesIsSaid() throws {
    try MainActor.assumeIsolated {
      let patience = LoadingWords.patience
      LoadingWords.patience = 0.3
      defer { LoadingWords.patience = patience }
      let rig = try AppRig(width: 360, height: 480)
      try rig.start()
      try rig.signIn()
      try rig.go(.payment("premium.yearly"))
      rig.line.isCut = true
      rig.seen.button("Pay €49.00")?.click()
      try rig.settle()
      rig.line.isCut = false
      try rig.go(.dismiss)
      for place in [Navigation.tab(.account), .purchases(order: nil)] {
        try rig.go(place)
        rig.line.hold("")
        XCTAssertTrue(rig.seen.press("F5"))
        XCTAssertTrue(rig.seen.says("Refreshing…"), "\(rig.seen.texts)")
        eventually("it takes long") { rig.seen.says("Refreshing… \(LoadingWords.explanation)") }
        rig.line.release()
        try rig.settle()
        XCTAssertFalse(rig.seen.texts.contains { $0.hasPrefix("Refreshing…") })
      }
      rig.line.hold("PUT /v1/orders")
      rig.seen.button("Check now")?.click()
      eventually("the store is asked") { rig.seen.says("Asking the store…") || rig.seen.says("Paid") }
      XCTAssertTrue(rig.seen.says("Asking the store…"), "\(rig.seen.texts)")
      eventually("it takes long") { rig.seen.says("Asking the store… \(LoadingWords.explanation)") }
      rig.line.release()
      eventually("it is paid") { rig.seen.says("Paid") }
      try rig.settle()
      XCTAssertFalse(rig.seen.texts.contains { $0.hasPrefix("Asking the store…") })
      try rig.close()
    }
  }

  func testOffline() throws {
    try failing(icon: .offline, heading: "Not on this computer yet") {
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

  func testFurtherRowsThatCouldNotBeHadAreNamedAndAskedForAgain() throws {
    try MainActor.assumeIsolated {
      let numbers = 1...60
      for (place, last) in [(Destination.tab(.home), "Title 60"), (.tab(.fanClubs), "Club c60"), (.comments("p1"), "Comment 60")] {
        let rig = ReaderRig(posts: numbers.map { .sample($0) }, clubs: numbers.map { .sample("c\($0)") })
        rig.publication.with { state in
          state.comments = numbers.map { .sample($0) }
        }
        let seen = try rig.show(place)
        // Fast pages come before anybody sees the end of the list: all but one.
        let problem = Problem(code: .internalError, title: "The publication is having a nap.", status: 503)
        rig.publication.with { $0.refusals = ["GET": problem] }
        for _ in 0..<3 {
          rig.scroll(seen, to: 1)
          try rig.settle()
        }
        XCTAssertFalse(seen.says(last), "\(place)")
        XCTAssertEqual(seen.texts.count { $0.contains("having a nap") }, 1, "\(place): \(seen.texts.suffix(8))")
        rig.publication.with { $0.refusals = [:] }
        try XCTUnwrap(seen.button("Try again"), "\(place)").click()
        for _ in 0..<3 {
          try rig.settle()
          rig.scroll(seen, to: 1)
        }
        XCTAssertTrue(seen.says(last), "\(place): \(seen.texts.suffix(8))")
        XCTAssertNil(seen.button("Try again"), "\(place)")
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
        try XCTUnwrap(seen.button("Go back"), "\(place)").click()
        XCTAssertEqual(rig.outputs, ["goBack"], "\(place)")
        rig.close()
      }
    }
  }
}
