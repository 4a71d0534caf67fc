import CGtk
import CGtkShims
import XCTest

@testable import Gtk

/// Turns the loop and counts what lives, and fails a test in which the toolkit complained.
///
/// Bodies run in `MainActor.assumeIsolated`: XCTest calls them on the main thread.
class GtkTestCase: XCTestCase {
  override func setUpWithError() throws {
    let started = MainActor.assumeIsolated { Toolkit.start() }
    guard started else { throw XCTSkip("there is no display") }
    before = MainActor.assumeIsolated {
      MainLoop.attachMainActor()
      Diagnostics.collectComplaints()
      return (Diagnostics.liveSignals, Diagnostics.liveObjects)
    }
  }

  /// What a test let go of is gone before the next one counts what lives, also where the machine is busy. Whatever the toolkit keeps from
  /// its first time on is not waited for long.
  override func tearDown() {
    let before = before
    MainActor.assumeIsolated {
      _ = MainLoop.run(upTo: 3) { Diagnostics.liveSignals <= before.signals && Diagnostics.liveObjects <= before.objects }
    }
    XCTAssertEqual(Diagnostics.takeComplaints(), [], "the toolkit complained")
  }

  private var before = (signals: 0, objects: 0)
}

/// Runs a body and waits until nothing of it lives. What was there before may go meanwhile.
@MainActor func leavesNothing(file: StaticString = #filePath, line: UInt = #line, _ body: () -> Void) {
  let (signals, objects) = (Diagnostics.liveSignals, Diagnostics.liveObjects)
  autoreleased(body)
  MainLoop.run(upTo: 10) { Diagnostics.liveSignals <= signals && Diagnostics.liveObjects <= objects }
  XCTAssertLessThanOrEqual(Diagnostics.liveSignals, signals, "signals", file: file, line: line)
  XCTAssertLessThanOrEqual(Diagnostics.liveObjects, objects, "objects", file: file, line: line)
}

/// What a screen is, at its smallest.
@MainActor final class Probe: SignalOwner {
  let scope = Scope()
  var events: [String] = []
}

/// Lets layout, painting and pending jobs happen.
@MainActor func settle(_ seconds: Double = 0.1) {
  MainLoop.run(upTo: seconds)
  // On a busy machine that passes without a frame, and the layout of one may ask for another.
  for _ in 0..<3 { paint() }
}

/// Returns when each window that is shown has painted a frame.
@MainActor private func paint() {
  let frames = Probe()
  let windows = gtk_window_get_toplevels()
  for index in 0..<g_list_model_get_n_items(windows) {
    guard let window = g_list_model_get_object(windows, index) else { continue }
    let widget = UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWidget.self)
    defer { g_object_unref(window) }
    guard gtk_widget_get_mapped(widget) != 0, let clock = gtk_widget_get_frame_clock(widget) else { continue }
    frames.events.append("")
    let place = frames.events.count - 1
    Object(borrowed: UnsafeMutableRawPointer(clock)).connect("after-paint", owner: frames) { $0.events[place] = "painted" }
    gtk_widget_queue_draw(widget)
  }
  MainLoop.run(upTo: 10) { frames.events.allSatisfy { $0 == "painted" } }
  frames.scope.close()
}

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
