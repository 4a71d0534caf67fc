import CGtk
import Gtk
import XCTest

/// Turns the loop and counts what lives. Bodies run in `MainActor.assumeIsolated`: XCTest calls them on the main thread.
class GtkTestCase: XCTestCase {
  override func setUpWithError() throws {
    let started = MainActor.assumeIsolated { Toolkit.start() }
    guard started else { throw XCTSkip("there is no display") }
    _ = MainActor.assumeIsolated { MainLoop.attachMainActor() }
  }
}

/// What a screen is, at its smallest.
@MainActor final class Probe: SignalOwner {
  let scope = Scope()
  var events: [String] = []
}

/// Lets layout, painting and pending jobs happen.
@MainActor func settle(_ seconds: Double = 0.1) { MainLoop.run(upTo: seconds) }

@MainActor func shown(_ child: Widget, width: Int = 600, height: Int = 400) -> Window {
  let window = Window(nil, title: "Test", width: width, height: height)
  window.child(child)
  window.present()
  MainLoop.run(upTo: 5) { window.isMapped && window.width > 0 }
  return window
}
