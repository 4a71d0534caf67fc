import PublicationAPI
import TestSupport
import XCTest

@testable import Gtk
@testable import Screens

/// The sheet that adds a feed, while it does.
final class AddFeedViewTests: ScreensTestCase {
  func testEnterSaysWhyNothingIsAdded() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let seen = try rig.show(.addFeed)
      let field = try XCTUnwrap(seen.entries.first)
      field.type("ftp://example.org")
      XCTAssertEqual(seen.button("Add")?.isSensitive, true)
      field.pressEnter()
      eventually("it says so") { seen.texts.contains { $0.hasPrefix("“ftp://” addresses are not fetched") } }
      XCTAssertEqual(field.typed, "ftp://example.org")
      eventually("what is typed next takes its place") { field.hasFocus && field.selection == 0..<field.typed.count }
      rig.close()
    }
  }

  func testTheBarShowsHowFarItIs() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      @MainActor func look() throws {
        try finish { [fixture = rig.fixture] in await fixture.clock.waitForSleepers() }
        rig.fixture.clock.advance(by: .milliseconds(500))
        try rig.settle()
      }
      rig.publication.with {
        $0.imports = [
          Import(id: "i", step: .fetching), Import(id: "i", step: .reading, done: 1, total: 4, title: "A feed"),
          Import(id: "i", step: .storing, done: 3, total: 4, title: "A feed"),
          Import(id: "i", state: .done, clubs: ["a", "b"], title: "A feed"),
        ]
      }
      let seen = try rig.show(.addFeed)
      XCTAssertEqual(seen.progress, [])
      try XCTUnwrap(seen.entries.first).type("example.org/feed")
      try XCTUnwrap(seen.button("Add")).click()
      try rig.settle()
      XCTAssertTrue(seen.says("Fetching…"), "\(seen.texts)")
      XCTAssertEqual(seen.progress.count, 1)
      try look()
      XCTAssertTrue(seen.says("Reading 1 of 4") && seen.says("A feed"), "\(seen.texts)")
      XCTAssertEqual(seen.progress, [0.25])
      try look()
      XCTAssertEqual(seen.progress, [0.75])
      XCTAssertEqual(seen.button("Cancel")?.isSensitive, true)
      try look()
      XCTAssertEqual(seen.progress, [])
      XCTAssertNotNil(seen.button("Show the fan clubs"))
      rig.close()
    }
  }
}
