import Driver
import Foundation
import TestSupport
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

  /// The app ends in order, and the next start is where it was, with what was half written.
  /// - Parameter end: what ends the app. It comes at once after the last letter: nothing waits for a pause.
  private func keepsWhatIsHalfWritten(_ end: () throws -> Void) throws {
    let post = try Sample.current.get().firstPost(premium: false)
    try app.startSignedIn(["matinee://posts/\(post.id)/comments"], screen: "comments")
    try app.click(app.wait(for: "the field") { app.all { $0.name == "Your comment" }.first })
    try app.type("Half a thought")
    try app.waitForText("Half a thought")
    try end()
    try app.waitForEnd()
    XCTAssertEqual(app.process?.status, 0)
    try app.start()
    try app.waitForScreen("comments")
    XCTAssertEqual(app.screens, ["curtain", "comments"])
    try app.waitForText("Half a thought")
  }

  func testWhatIsHalfWrittenIsThereAtTheNextStart() throws { try keepsWhatIsHalfWritten { try app.key("ctrl+q") } }

  func testTheCrossOfTheWindowKeepsWhatIsHalfWritten() throws {
    try keepsWhatIsHalfWritten { try app.click(app.find(.button, "Close")) }
  }

  /// By a key that the window manager takes for itself. It asks the window to close as a list of windows does: by WM_DELETE_WINDOW.
  func testAWindowManagerThatClosesTheWindowKeepsWhatIsHalfWritten() throws { try keepsWhatIsHalfWritten { try app.key("alt+F4") } }

  /// GLib sends a program whose session bus is gone SIGTERM.
  func testASessionBusThatIsKilledEndsTheAppInOrder() throws {
    let bus = try OwnBus(in: app.home)
    defer { bus.crash() }
    app.environment.merge(bus.environment) { $1 }
    try keepsWhatIsHalfWritten {
      bus.crash()
      // The next start is on the bus that all tests share.
      for name in bus.environment.keys { app.environment[name] = nil }
    }
  }
}

/// A session bus of its own, which can be killed without ending the other programs of the desktop.
private final class OwnBus {
  /// What has a program use it. The accessibility bus stays that of the desktop: by that one the program is driven.
  let environment: [String: String]
  private let process = Process()

  /// - Parameter folder: for its files.
  init(in folder: URL) throws {
    let accessibility = try Self.accessibilityBus()
    let configuration = try SessionBus.writeConfiguration(in: folder)
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["dbus-daemon", "--config-file=\(configuration.path)", "--nofork", "--nopidfile", "--print-address=1"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let address = try pipe.firstLine()
    environment = ["DBUS_SESSION_BUS_ADDRESS": address, "AT_SPI_BUS_ADDRESS": accessibility]
    XCTAssertNotEqual(address, "", "dbus-daemon did not start")
  }

  /// The address that the desktop's session bus knows.
  private static func accessibilityBus() throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "dbus-send", "--session", "--print-reply=literal", "--dest=org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Ends it without warning, and waits until it is gone.
  func crash() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }
}
