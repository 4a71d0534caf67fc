import Driver
import XCTest

/// The same app against `matinee-server` on the loopback network, and two readers one after the other.
final class ServerTests: EndToEndCase {
  private var server: Process?
  private typealias Reader = (email: String, password: String)
  private static let first: Reader = ("first@example.org", "one password")
  private static let second: Reader = ("second@example.org", "another password")

  override func tearDownWithError() throws {
    server?.terminate()
    server?.waitUntilExit()
    try super.tearDownWithError()
  }

  private func program(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = Self.products.appending(path: "matinee-server")
    process.arguments = arguments + ["--data", app.home.appending(path: "server").path]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    return process
  }

  /// Starts the server on a free port and returns its origin.
  private func serve() throws -> String {
    let process = program(["serve", "--port", "0"])
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

  private func add(_ reader: Reader) throws {
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

  private func signIn(_ reader: Reader) throws {
    try app.waitForScreen("login")
    try app.type(reader.email, into: "Email")
    try app.type(reader.password, into: "Password")
    try app.key("Return")
    try app.waitForScreen("feed")
    try app.waitForRows()
  }

  func testNextReaderSeesNothingOfTheLastOne() throws {
    for reader in [Self.first, Self.second] { try add(reader) }
    let origin = try serve()
    let title = try Sample.current.get().firstPost(premium: false).title
    try app.start(["--publication", origin])
    try signIn(Self.first)
    try app.press("Bookmark", in: app.row(title))
    try app.waitUntil("Bookmark", in: app.row(title), isOn: true)
    try app.press("Account")
    try app.press("Sign out")
    try signIn(Self.second)
    try app.waitUntil("Bookmark", in: app.row(title), isOn: false)
    try app.press("Bookmarks")
    try app.waitForText("No bookmarks yet")
    XCTAssertFalse(app.shows(Self.first.email))
  }

  func testServerThatGoesAwayLeavesTheFeedAndSaysSo() throws {
    try add(Self.first)
    let origin = try serve()
    try app.start(["--publication", origin])
    try signIn(Self.first)
    server?.terminate()
    server?.waitUntilExit()
    try app.key("F5")
    try app.waitForText("cannot be reached")
    XCTAssertGreaterThan(app.rowNames.count, 3)
  }
}
