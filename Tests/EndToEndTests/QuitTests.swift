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
}
