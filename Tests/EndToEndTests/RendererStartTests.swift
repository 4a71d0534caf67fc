import Driver
import Foundation
import XCTest

/// Starts as people have them: with GTK's default renderer and its transitions, with a window manager and without. A slowdown of 8 lets
/// software rendering draw as many frames of a transition as a display of 60 Hz shows.
///
/// `MATINEE_STARTS` says how often each start is tried.
final class RendererStartTests: EndToEndCase {
  private let starts = ProcessInfo.processInfo.environment["MATINEE_STARTS"].flatMap(Int.init) ?? 1

  func testWithAWindowManager() throws { try start(slowdown: 1) }
  func testSlowlyWithAWindowManager() throws { try start(slowdown: 8) }
  func testWithoutAWindowManager() throws { try withBareDisplay { try start(slowdown: 1, display: $0) } }
  func testSlowlyWithoutAWindowManager() throws { try withBareDisplay { try start(slowdown: 8, display: $0) } }

  /// The first start shows the login, all others the feed.
  private func start(slowdown: Int, display: String? = nil) throws {
    let settings = app.home.appending(path: "config/gtk-4.0")
    try FileManager.default.createDirectory(at: settings, withIntermediateDirectories: true)
    try Data("[Settings]\ngtk-enable-animations=1\n".utf8).write(to: settings.appending(path: "settings.ini"))
    app.environment["XDG_CONFIG_HOME"] = app.home.appending(path: "config").path
    app.environment["GTK_SLOWDOWN"] = "\(slowdown)"
    app.environment["DISPLAY"] = display
    try app.startSignedIn()
    XCTAssertEqual(app.log.first { $0.hasPrefix("renderer ") }, "renderer GskGLRenderer")
    for number in 1...starts {
      try quit(number)
      try app.start()
      try app.waitForScreen("feed")
      XCTAssertEqual(app.screens, ["curtain", "feed"])
    }
    try quit(starts + 1)
  }

  private func quit(_ number: Int) throws {
    let process = try XCTUnwrap(app.process)
    process.signal(SIGTERM)
    try app.waitForEnd()
    XCTAssertEqual(process.status, 0, "start \(number)")
  }

  private func withBareDisplay(_ body: (String) throws -> Void) throws {
    let server = try BareDisplay()
    defer { server.end() }
    try body(server.name)
  }
}

/// An X server of its own, without a window manager.
private final class BareDisplay {
  let name: String
  private let process = Process()

  init() throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["Xvfb", "-displayfd", "1", "-noreset", "-nolisten", "tcp", "-screen", "0", "1440x1000x24"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    // Its number.
    name = try ":" + pipe.firstLine()
    XCTAssertNotEqual(name, ":", "Xvfb did not start")
  }

  /// Asked, and not killed: only then it takes its lock away.
  func end() {
    process.terminate()
    process.waitUntilExit()
  }
}
