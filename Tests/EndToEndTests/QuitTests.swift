import Driver
import XCTest

/// The end of the process, which may come at any time.
final class QuitTests: EndToEndCase {
  /// Threads still make keys and open files then, and the handlers of an ordinary exit took libcrypto from under them: now and then it crashed.
  func testQuittingWhileEverythingIsBeingMade() throws {
    for number in 1...10 {
      try app.start(["--data", app.home.appending(path: "\(number)").path])
      _ = try app.waitForLine("renderer ")
      let process = try XCTUnwrap(app.process)
      process.signal(SIGTERM)
      try app.waitForEnd()
      XCTAssertEqual(process.status, 0, "start \(number)")
    }
  }

  func testWhatIsHalfWrittenIsThereAtTheNextStart() throws {
    let post = try Sample.current.get().firstPost(premium: false)
    try app.startSignedIn(["matinee://posts/\(post.id)/comments"], screen: "comments")
    try app.click(app.wait(for: "the field") { app.all { $0.name == "Your comment" }.first })
    try app.type("Half a thought")
    try app.waitForText("Half a thought")
    // At once: nothing waits for a pause.
    try app.key("ctrl+q")
    try app.waitForEnd()
    try app.start(["matinee://posts/\(post.id)/comments"])
    try app.waitForScreen("comments")
    try app.waitForText("Half a thought")
  }
}
