import Driver
import XCTest

/// Step 1: the curtain hides everything that happens before the destination is known.
final class StartTests: EndToEndCase {
  func testFirstStartShowsTheCurtainAndThenTheLogin() throws {
    try app.start()
    try app.waitForScreen("login")
    XCTAssertEqual(app.screens, ["curtain", "login"])
    XCTAssertFalse(app.shows("Your front row seat"))
  }

  /// The login lies beneath the curtain all the time, and nobody sees it.
  func testSlowCheckOfAKeptSessionShowsTheCurtainAndThenTheFeed() throws {
    try app.startSignedIn()
    app.kill()
    try app.start(app.faults(#"{"fault": "delay", "seconds": 3, "method": "POST", "path": "/v1/session/refresh"}"#))
    try app.waitForScreen("feed")
    XCTAssertEqual(app.screens, ["curtain", "feed"])
  }

  func testCheckThatHangsOffersToGoOnOffline() throws {
    try app.startSignedIn()
    app.kill()
    try app.start(app.faults(#"{"fault": "delay", "seconds": 60, "method": "POST", "path": "/v1/session/refresh"}"#))
    try app.waitForScreen("curtain")
    _ = try app.find(.button, "Try again")
    try app.press("Continue offline")
    try app.waitForScreen("feed")
    XCTAssertEqual(app.screens, ["curtain", "feed"])
  }

  func testCheckThatHangsOnceCanBeTriedAgain() throws {
    try app.startSignedIn()
    app.kill()
    try app.start(app.faults(#"{"fault": "delay", "seconds": 60, "method": "POST", "path": "/v1/session/refresh", "count": 1}"#))
    try app.waitForScreen("curtain")
    try app.press("Try again")
    try app.waitForScreen("feed")
    XCTAssertEqual(app.screens, ["curtain", "feed"])
  }

  func testTheWindowOpensAsItWasLeft() throws {
    try app.start()
    try app.waitForScreen("login")
    try app.resize(width: 700, height: 620)
    let left = try app.size()
    XCTAssertNotEqual(left.width, 1000)
    try app.key("ctrl+q")
    try app.waitForEnd()
    try app.start()
    try app.waitForScreen("login")
    let found = try app.size()
    XCTAssertEqual([found.width, found.height], [left.width, left.height])
    // What makes no sense is passed over.
    try app.key("ctrl+q")
    try app.waitForEnd()
    let file = app.home.appending(path: "data/matinee/window.json")
    try Data("{".utf8).write(to: file)
    try app.start()
    try app.waitForScreen("login")
    XCTAssertGreaterThanOrEqual(try app.size().width, 1000)
  }

  func testAMaximizedWindowOpensMaximized() throws {
    try app.start()
    try app.waitForScreen("login")
    try app.key("ctrl+q")
    try app.waitForEnd()
    let file = app.home.appending(path: "data/matinee/window.json")
    try Data(#"{"width":700,"height":620,"isMaximized":true}"#.utf8).write(to: file)
    try app.start()
    try app.waitForScreen("login")
    XCTAssertGreaterThan(try app.size().width, 1000)
    try app.key("ctrl+q")
    try app.waitForEnd()
    let stored = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    XCTAssertEqual(stored["isMaximized"] as? Bool, true)
    XCTAssertEqual([stored["width"] as? Int, stored["height"] as? Int], [700, 620])
  }

  /// From the desktop there is no terminal that says why.
  func testAFolderThatCannotBeUsedIsExplainedInAWindow() throws {
    let file = app.home.appending(path: "a-file")
    try Data().write(to: file)
    try app.startExpectingFailure(["--data", file.path], "is a file, not a folder.")
  }
}
