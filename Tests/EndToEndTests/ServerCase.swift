import Driver
import Foundation
import XCTest

/// One test of the real app against a `matinee-server` of its own on the loopback network.
class ServerCase: EndToEndCase {
  typealias Reader = (email: String, password: String)
  static let first: Reader = ("first@example.org", "one password")
  static let second: Reader = ("second@example.org", "another password")

  private(set) var server: Process?

  override func tearDownWithError() throws {
    stopServer()
    try super.tearDownWithError()
  }

  /// Ends the server and waits until it is gone, also one that stands still.
  func stopServer() {
    server?.terminate()
    // It hears of its end once it goes on.
    if let server { kill(server.processIdentifier, SIGCONT) }
    server?.waitUntilExit()
    server = nil
  }

  /// Does `work` while the server stands still: whoever asks it something has no answer before that is done.
  func whileServerHangs(_ work: () throws -> Void) throws {
    let server = try XCTUnwrap(server)
    kill(server.processIdentifier, SIGSTOP)
    defer { kill(server.processIdentifier, SIGCONT) }
    try work()
  }

  private func program(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = Self.products.appending(path: "matinee-server")
    process.arguments = arguments + ["--data", app.home.appending(path: "server").path]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    return process
  }

  /// Makes the sample publication, unless it was made before.
  private func prepare() throws {
    guard !FileManager.default.fileExists(atPath: app.home.appending(path: "server").path) else { return }
    let process = program(["init", "--sample"])
    try process.run()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
  }

  /// Starts the server on a free port and returns its origin.
  func serve(_ arguments: [String] = []) throws -> String {
    try prepare()
    // Each option once: any port, unless one is asked for.
    let process = program(["serve"] + (arguments.contains("--port") ? [] : ["--port", "0"]) + arguments)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    server = process
    var text = ""
    while !text.contains(/http:\/\/127\.0\.0\.1:\d+\D/) {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw DriverError.refused("the server said only: \(text)") }
      text += String(decoding: data, as: UTF8.self)
    }
    return String(try XCTUnwrap(text.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)).output)
  }

  func add(_ reader: Reader) throws {
    try prepare()
    let process = program(["user", "add"])
    process.arguments = (process.arguments ?? []) + [reader.email, "Reader"]
    let input = Pipe()
    process.standardInput = input
    try process.run()
    input.fileHandleForWriting.write(Data((reader.password + "\n").utf8))
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
  }

  /// Adds a feed in the dialog, from the page of fan clubs.
  func addFeed(_ address: String) throws {
    try app.press("Add feed")
    try app.waitForScreen("addfeed")
    try app.type(address, into: "Address of the feed")
    try app.press("Add")
  }

  /// Types who it is and presses nothing.
  func introduce(_ reader: Reader) throws {
    try app.waitForScreen("login")
    try app.type(reader.email, into: "Email")
    try app.type(reader.password, into: "Password")
  }

  func signIn(_ reader: Reader) throws {
    try introduce(reader)
    try app.key("Return")
    try app.waitForScreen("feed")
    try app.waitForRows()
  }
}
