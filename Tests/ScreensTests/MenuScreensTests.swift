import AppCore
import Foundation
import MenuFeature
import TestSupport
import XCTest

@testable import Gtk
@testable import Screens

/// What the main menu leads to.
final class MenuScreensTests: ScreensTestCase {
  func testAboutSaysWhatItIsMadeOfAndCanBeCopied() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let seen = try rig.show(.about)
      for text in [
        "Version 1.2.3 (4.0.abc)", "Apache License 2.0 (Apache-2.0)", "GTK 4.8.3", "SQLite 3.40.1", "/home/reader/data",
      ] { XCTAssertTrue(seen.says(text), text) }
      for name in ["Read the license", "Open folder", "Homepage", "Report a problem", "Close"] {
        try XCTUnwrap(seen.button(name), name).click()
      }
      XCTAssertEqual(
        rig.outputs,
        [
          "openWeb(\"https://www.apache.org/licenses/LICENSE-2.0\")", "openFolder(\"/home/reader/data\")",
          "openWeb(\"https://matinee.org\")", "openWeb(\"https://matinee.org/issues\")", "close",
        ])
      XCTAssertEqual(seen.button("Close")?.focus(), true)
      for key in ["<Control>a", "<Control>c"] { XCTAssertTrue(seen.pressAtFocus(key), key) }
      let copied = try XCTUnwrap(seen.copied)
      for part in ["Version 1.2.3 (4.0.abc)", "GTK 4.8.3\nSQLite 3.40.1", "/home/reader/data"] {
        XCTAssertTrue(copied.contains(part), "\(part) is not in \(copied)")
      }
      rig.close()
    }
  }

  func testThePathOfAFolderIsReadableInANarrowWindow() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(width: 360, height: 640)
      let path = "/home/reader/.local/share/matinee/at/" + String(repeating: "long-name-of-a-publication.", count: 5)
      let seen = try rig.show(Screen(AboutViewModel(.init(version: "1.2.3", dataFolder: path)) { _ in }))
      let label = try XCTUnwrap(seen.label(path))
      XCTAssertFalse(label.isCut)
      XCTAssertGreaterThan(label.lines.count, 2)
      XCTAssertLessThanOrEqual(seen.leastWidth, 360 - 2 * 36)
      rig.close()
    }
  }

  func testAboutHasNoButtonsThatLeadNowhere() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let about = AboutViewModel(.init(version: "1.2.3")) { _ in }
      let seen = try rig.show(Screen(about))
      for name in ["Open folder", "Homepage", "Report a problem"] { XCTAssertNil(seen.button(name), name) }
      rig.close()
    }
  }

  func testEveryKeyIsListed() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let seen = try rig.show(.shortcuts)
      for shortcut in Shortcut.allCases {
        XCTAssertTrue(seen.says(shortcut.action), shortcut.action)
        XCTAssertTrue(seen.says(shortcut.labels.joined(separator: ", ")), "\(shortcut.labels)")
      }
      try XCTUnwrap(seen.button("Close")).click()
      XCTAssertEqual(rig.outputs, ["close"])
      rig.close()
    }
  }

  /// What GTK does not understand would be bound to nothing.
  func testGTKUnderstandsEveryKey() throws {
    MainActor.assumeIsolated {
      let owner = Window(nil, title: "Test")
      let keys = KeyOwner()
      for key in Shortcut.allCases.flatMap(\.keys) { XCTAssertNotNil(owner.addShortcut(key, keys) { _ in }, key) }
      keys.scope.close()
      owner.destroy()
    }
  }
}

@MainActor private final class KeyOwner: SignalOwner { let scope = Scope() }
