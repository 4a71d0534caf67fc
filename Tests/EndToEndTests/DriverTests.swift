import Driver
import Foundation
import XCTest

final class DriverTests: EndToEndCase {
  /// `FileHandle.readabilityHandler` does not hear one in thirty of such ends,.
  func testTheEndOfAProgramThatEndsAtOnceIsHeard() throws {
    let echo = try AppDriver(executable: URL(filePath: "/bin/echo"), home: app.home)
    for _ in 0..<150 { XCTAssertEqual(try echo.runBeside(["line"]).lines, ["line"]) }
  }
}
