import AppCore
import Foundation
import MenuFeature
import TestSupport
import XCTest

@testable import Gtk
@testable import Screens

/// What the main menu leads to.
final class MenuScreensTests: ScreensTestCase {
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
