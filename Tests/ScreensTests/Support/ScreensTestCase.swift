import CGtk
import CGtkShims
import Foundation
import Patience
import TestSupport
import XCTest

@testable import Gtk

/// Draws with the app's style sheet and without animations (where a test wants them, each takes four times as long, so that a machine that
/// draws slowly draws several frames of it), and fails a test in which the toolkit complained.
///
/// Bodies run in `MainActor.assumeIsolated`: XCTest calls them on the main thread.
class ScreensTestCase: XCTestCase {
  override func setUpWithError() throws {
    // Read by the toolkit when it starts.
    setenv("GTK_SLOWDOWN", "\(4 * patience)", 1)
    let started = MainActor.assumeIsolated { Toolkit.start() }
    guard started else { throw XCTSkip("there is no display") }
    MainActor.assumeIsolated {
      MainLoop.attachMainActor()
      Theme.install()
      Theme.use(.light)
      Diagnostics.collectComplaints()
      setting("gtk-enable-animations", false)
      setting("gtk-cursor-blink", false)
    }
  }

  override func tearDown() {
    MainActor.assumeIsolated { Theme.use(.desktop) }
    XCTAssertEqual(Diagnostics.takeComplaints(), [], "the toolkit complained")
  }
}

/// Changes one of the toolkit's settings, for this process.
@MainActor func setting(_ name: String, _ isOn: Bool) {
  guard let settings = gtk_settings_get_default() else { return }
  matinee_object_set_boolean(UnsafeMutableRawPointer(settings), name, isOn ? 1 : 0)
}

/// The same for a text.
/// - Returns: what it was.
@MainActor @discardableResult func setting(_ name: String, _ text: String) -> String {
  guard let settings = gtk_settings_get_default().map({ Object(lasting: UnsafeMutableRawPointer($0)) }) else { return "" }
  defer { settings.setString(name, text) }
  return settings.text(name)
}

/// The same for a number.
@MainActor func setting(_ name: String, _ number: Int) {
  guard let settings = gtk_settings_get_default() else { return }
  var value = GValue()
  g_value_init(&value, GType(6 << 2))  // G_TYPE_INT, a macro that Swift does not see
  g_value_set_int(&value, gint(number))
  g_object_set_property(UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self), name, &value)
  g_value_unset(&value)
}

/// Turns the loop until asynchronous work is done.
/// - Throws: what the work throws, and `TimedOut`.
@MainActor @discardableResult func finish<Value: Sendable>(
  upTo seconds: Double = 30, _ work: @escaping @MainActor () async throws -> Value
) throws -> Value {
  let answer = Answer<Value>()
  Task {
    do { answer.result = .success(try await work()) } catch { answer.result = .failure(error) }
  }
  MainLoop.run(upTo: seconds * patience) { answer.result != nil }
  guard let result = answer.result else { throw TimedOut() }
  return try result.get()
}

struct TimedOut: Error {}

@MainActor private final class Answer<Value> {
  var result: Result<Value, any Error>?
}

/// Turns the loop until what is asked for has come about.
@MainActor func eventually(
  _ what: String, upTo seconds: Double = 10, file: StaticString = #filePath, line: UInt = #line, _ condition: () -> Bool
) {
  XCTAssertTrue(MainLoop.run(upTo: seconds * patience, until: condition), "did not happen: \(what)", file: file, line: line)
}

extension Window {
  /// Returns when what was changed has been laid out and painted.
  @MainActor func painted() {
    let frames = Frames()
    onFrame(frames) { $0.count += 1 }
    // Layout of one frame may ask for another: rows that are bound change their height.
    for _ in 0..<3 {
      let seen = frames.count
      gtk_widget_queue_draw(widget)
      MainLoop.run(upTo: 10) { frames.count > seen }
    }
    frames.scope.close()
  }
}

@MainActor private final class Frames: SignalOwner {
  let scope = Scope()
  var count = 0
}
