import CGtk
import CGtkShims
import XCTest

@testable import Gtk

/// Turns the loop and counts what lives. Bodies run in `MainActor.assumeIsolated`: XCTest calls them on the main thread.
class GtkTestCase: XCTestCase {
  override func setUpWithError() throws {
    let started = MainActor.assumeIsolated { Toolkit.start() }
    guard started else { throw XCTSkip("there is no display") }
    _ = MainActor.assumeIsolated { MainLoop.attachMainActor() }
  }

  /// What a test let go of is gone before the next one counts what lives.
  override func tearDown() { MainActor.assumeIsolated { settle() } }
}

/// What a screen is, at its smallest.
@MainActor final class Probe: SignalOwner {
  let scope = Scope()
  var events: [String] = []
}

/// Lets layout, painting and pending jobs happen.
@MainActor func settle(_ seconds: Double = 0.1) { MainLoop.run(upTo: seconds) }

extension TextEntry {
  /// Changes the text as a person does.
  @MainActor func type(_ text: String) {
    var position: gint = 0
    gtk_editable_delete_text(opaque, 0, -1)
    gtk_editable_insert_text(opaque, text, gint(text.utf8.count), &position)
  }
}

extension Label {
  /// Presses Enter on the link that has the keyboard.
  @MainActor func activateFocusedLink() { matinee_emit(raw, "activate-current-link") }
}

@MainActor func shown(_ child: Widget, width: Int = 600, height: Int = 400) -> Window {
  let window = Window(nil, title: "Test", width: width, height: height)
  window.child(child)
  window.present()
  MainLoop.run(upTo: 5) { window.isMapped && window.width > 0 }
  return window
}
