import Driver
import XCTest

/// What testers have beside the app.
final class TesterPanelTests: EndToEndCase {
  func testThePanelShowsWhatHappensInTheApp() throws {
    try app.startSignedIn()
    try app.key("ctrl+shift+t")
    try app.waitForText("Tester panel")
    func waitForEvent(_ words: String) throws {
      try app.wait(for: "the event “\(words)”") { app.all { $0.name.contains(words) }.first }
    }
    // The latest comes first; what it may be read for stands behind it.
    try waitForEvent(" signed_in (analytics)")
    // The panel has taken the keyboard.
    try app.activate()
    try app.press("Account")
    try app.waitForScreen("account")
    try waitForEvent(" screen_seen account (analytics)")
    try app.press("Unlock premium")
    try app.waitForScreen("paywall")
    try waitForEvent(" paywall_seen")
    // The same keys put it away, and the app goes on.
    try app.key("ctrl+shift+t")
    try app.wait(for: "the panel to go") { app.all { $0.name == "Tester panel" && $0.isVisible }.isEmpty ? true : nil }
    XCTAssertEqual(app.process?.isRunning, true)
  }
}
