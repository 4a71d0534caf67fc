import AppConfig
import Driver
import XCTest

/// Step 2 with the desktop's real keyring: the token is there, and nowhere else.
final class KeyringTests: EndToEndCase {
  private static let daemon = "/usr/bin/gnome-keyring-daemon"
  private static let tool = "/usr/bin/secret-tool"
  private var keyring: Process?

  override func setUpWithError() throws {
    try super.setUpWithError()
    for program in [Self.daemon, Self.tool] {
      try XCTSkipUnless(FileManager.default.isExecutableFile(atPath: program), "\(program) is not installed")
    }
    try startKeyring()
    app.environment["SECRET_BACKEND"] = "service"
  }

  override func tearDownWithError() throws {
    keyring?.terminate()
    keyring?.waitUntilExit()
    try super.tearDownWithError()
  }

  /// An unlocked keyring on the session bus, with files of its own.
  private func startKeyring() throws {
    let process = Process()
    process.executableURL = URL(filePath: Self.daemon)
    process.arguments = ["--unlock", "--components=secrets", "--foreground", "--control-directory=\(app.home.path)/control"]
    var environment = ProcessInfo.processInfo.environment
    environment["HOME"] = app.home.path
    environment["XDG_DATA_HOME"] = app.home.appending(path: "keyrings").path
    process.environment = environment
    let password = Pipe()
    process.standardInput = password
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    keyring = process
    password.fileHandleForWriting.write(Data("for tests only".utf8))
    try password.fileHandleForWriting.close()
    try app.wait(for: "the keyring") { try self.secrets().status == 0 ? true : nil }
  }

  /// What the keyring has of the app. Status 0 also when there is nothing, as long as the keyring answers.
  private func secrets() throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(filePath: Self.tool)
    process.arguments = ["search", "--all", "xdg:schema", Config().identity]
    let (output, complaints) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = complaints
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = String(decoding: complaints.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (complaint.contains("org.freedesktop.secrets") ? 1 : 0, text)
  }

  private struct Record: Decodable { let token: String }

  private func token() throws -> String? {
    guard let line = try secrets().text.split(separator: "\n").first(where: { $0.hasPrefix("secret = ") }) else { return nil }
    return try JSONDecoder().decode(Record.self, from: Data(line.dropFirst("secret = ".count).utf8)).token
  }

  func testTokenIsInTheKeyringAndNowhereElse() throws {
    try app.start()
    try app.waitForScreen("login")
    XCTAssertFalse(app.shows("keyring"))
    try app.press("Use the sample account")
    try app.waitForScreen("feed")
    let token: String = try app.wait(for: "the token in the keyring") { try self.token() }
    XCTAssertGreaterThan(token.count, 15)
    app.kill()
    try app.start()
    try app.waitForScreen("feed")
    XCTAssertEqual(app.screens, ["curtain", "feed"])

    let files = FileManager.default.enumerator(at: app.home, includingPropertiesForKeys: [.isRegularFileKey])
    var read = 0
    for case let file as URL in try XCTUnwrap(files) {
      guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
      read += 1
      XCTAssertNil(try Data(contentsOf: file).range(of: Data(token.utf8)), "\(file.path) holds the token")
    }
    XCTAssertGreaterThan(read, 2)
    XCTAssertFalse(app.wholeLog.contains { $0.contains(token) })

    try app.press("Account")
    try app.press("Sign out")
    try app.waitForScreen("login")
    try app.wait(for: "the keyring without the token") { try self.token() == nil ? true : nil }
  }

  /// After five seconds the login is there, and the keyring's answer still counts.
  func testAStartIsNotBlockedByAKeyringThatHangs() throws {
    let keyring = try XCTUnwrap(keyring)
    try app.start()
    try app.waitForScreen("login")
    try app.press("Use the sample account")
    try app.waitForScreen("feed")
    try app.wait(for: "the token in the keyring") { try self.token() }
    app.kill()
    XCTAssertEqual(kill(keyring.processIdentifier, SIGSTOP), 0)
    defer { kill(keyring.processIdentifier, SIGCONT) }
    try app.start()
    try app.waitForScreen("login")
    try app.waitForText("keyring has not answered yet")
    XCTAssertEqual(kill(keyring.processIdentifier, SIGCONT), 0)
    try app.waitForScreen("feed")
    XCTAssertEqual(app.screens.suffix(3), ["curtain", "login", "feed"])
  }

  /// The feed is there while the keyring still hangs, and the token as soon as it answers.
  func testNobodyWaitsForAKeyringThatHangs() throws {
    let keyring = try XCTUnwrap(keyring)
    try app.start()
    try app.waitForScreen("login")
    XCTAssertEqual(kill(keyring.processIdentifier, SIGSTOP), 0)
    defer { kill(keyring.processIdentifier, SIGCONT) }
    try app.press("Use the sample account")
    try app.waitForScreen("feed")
    XCTAssertEqual(kill(keyring.processIdentifier, SIGCONT), 0)
    let token: String = try app.wait(for: "the token in the keyring") { try self.token() }
    XCTAssertGreaterThan(token.count, 15)
  }

  /// Signs in and quits with a keyring that hangs: the window is gone, and the process waits for the keyring.
  private func quitSlowly(_ arguments: [String]) throws {
    try app.start(arguments)
    try app.waitForScreen("login")
    XCTAssertEqual(kill(try XCTUnwrap(keyring).processIdentifier, SIGSTOP), 0)
    try app.press("Use the sample account")
    try app.waitForScreen("feed")
    try app.key("ctrl+q")
  }

  private func letKeyringAnswer() throws { kill(try XCTUnwrap(keyring).processIdentifier, SIGCONT) }

  /// A click on its icon, or on a link, is not lost.
  func testAStartWhileTheAppIsQuittingFollows() throws {
    defer { try? letKeyringAnswer() }
    try quitSlowly([])
    XCTAssertEqual(try app.runBeside(["matinee://search?q=rain"]).status, 0)
    try letKeyringAnswer()
    try app.wait(for: "another start") { app.log.count { $0.contains("renderer ") } == 2 ? true : nil }
    try app.waitForScreen("search")
  }

  /// Nor does the folder's lock keep it from starting.
  func testAStartWithTheSameOptionsWaitsForTheFolder() throws {
    defer { try? letKeyringAnswer() }
    let options = ["--data", app.home.appending(path: "own").path]
    try quitSlowly(options)
    let first = try XCTUnwrap(app.process)
    try app.start(options)
    XCTAssertTrue(first.isRunning, "otherwise this shows nothing")
    try letKeyringAnswer()
    try app.waitForScreen("feed")
    XCTAssertFalse(first.isRunning)
  }
}
