import Driver
import TestSupport
import XCTest

/// What the program answers without opening a window.
final class ConsoleTests: EndToEndCase {
  func testVersion() throws {
    let answer = try app.runBeside(["--version"])
    XCTAssertEqual(answer.status, 0)
    let version = try XCTUnwrap(answer.lines.first)
    XCTAssertNotNil(version.wholeMatch(of: Checkout.version), version)
  }
}
