import Driver
import XCTest

/// Step 3: the feed.
final class FeedTests: EndToEndCase {
  func testPostsAreThereNewestFirstAndPremiumOnesAreMarked() throws {
    let posts = try Sample.current.get().posts
    try app.startSignedIn()
    let names = app.rowNames
    XCTAssertEqual(names.prefix(10).map { String($0) }, posts.prefix(10).map { "\($0.title), unread" + ($0.premium ? ", premium" : "") })
  }

  func testFurtherPagesComeAsOneScrolls() throws {
    let posts = try Sample.current.get().posts
    try app.startSignedIn()
    let list = try app.waitForRows(atLeast: 20)
    XCTAssertLessThan(list.children.count, posts.count)
    try app.scroll(60, over: list)
    try app.waitForRows(atLeast: posts.count)
  }

  func testOfflineSaysWhatToDo() throws {
    try app.start(app.faults(#"{"fault": "refuse", "method": "GET", "path": "/v1/posts"}"#))
    try app.waitForScreen("login")
    try app.press("Use the sample account")
    try app.waitForScreen("feed")
    try app.waitForText("Not on this computer yet")
    try app.press("Try again")
    try app.waitForText("Not on this computer yet")
  }

  func testFailureSaysWhatToDo() throws {
    try app.start(app.faults(#"{"fault": "status", "status": 500, "method": "GET", "path": "/v1/posts", "count": 1}"#))
    try app.waitForScreen("login")
    try app.press("Use the sample account")
    try app.waitForScreen("feed")
    try app.waitForText("This did not work")
    try app.press("Try again")
    try app.waitForRows(atLeast: 10)
  }
}
