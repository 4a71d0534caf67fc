import Driver
import Foundation
import XCTest

/// Signing in, and setting another password, by a code that the server mails.
final class MailedCodeTests: ServerCase {
  private var mails: String { app.home.appending(path: "mails").path }

  /// The codes that were mailed, oldest first.
  private func codes() -> [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: mails)) ?? []
    let dated = files.filter { $0.hasSuffix(".eml") }.compactMap { file -> (Date, String)? in
      let path = mails + "/" + file
      guard let text = FileManager.default.contents(atPath: path).map({ String(decoding: $0, as: UTF8.self) }),
        let code = text.firstMatch(of: /Subject: (\d{6}) is your code/)?.1,
        let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
      else { return nil }
      return (date, String(code))
    }
    return dated.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private func code(_ number: Int) throws -> String {
    try app.wait(for: "mail \(number)") { codes().count >= number ? codes()[number - 1] : nil }
  }

  private func start() throws {
    try add(Self.first)
    try app.start(["--publication", try serve(["--mail-folder", mails])])
    try app.waitForScreen("login")
    try app.wait(for: "what the publication offers") { app.first(.button, "Mail me a code") }
  }

  func testACodeSignsInWithoutAPassword() throws {
    try start()
    try app.press("Mail me a code")
    try app.waitForText("Enter your email address.")
    try app.type(Self.first.email, into: "Email")
    try app.press("Mail me a code")
    try app.waitForText("If \(Self.first.email) is a reader’s address")
    let code = try code(1)
    // The keyboard is in the field of the code.
    try app.type(code == "111111" ? "222222" : "111111")
    try app.key("Return")
    try app.waitForText("You have 4 tries left.")
    try app.type(code, into: "Code")
    try app.key("Return")
    try app.waitForScreen("feed")
    try app.waitForRows()
  }

  func testAForgottenPasswordIsReplacedAndTheOldOneIsNoMore() throws {
    try start()
    try app.type(Self.first.email, into: "Email")
    try app.type("not it at all", into: "Password")
    try app.press("Forgot your password?")
    try app.waitForText("If \(Self.first.email) is a reader’s address")
    try app.type(code(1), into: "Code")
    try app.type("short", into: "New password")
    try app.press("Set the password")
    try app.waitForText("A password has at least 10 characters.")
    try app.type("a password that is new", into: "New password")
    try app.press("Set the password")
    try app.waitForScreen("feed")
    try app.press("Account")
    try app.waitForScreen("account")
    try app.press("Sign out")
    try app.waitForScreen("login")
    try introduce(Self.first)
    try app.key("Return")
    try app.waitForText("Email and password do not match.")
    try app.type("a password that is new", into: "Password")
    try app.key("Return")
    try app.waitForScreen("feed")
  }

  /// Whoever changes their mind is not stuck.
  func testTheWayBackToThePasswordIsAlwaysThere() throws {
    try start()
    try app.type(Self.first.email, into: "Email")
    try app.press("Mail me a code")
    try app.waitForText("If \(Self.first.email) is a reader’s address")
    try app.press("Mail another code")
    _ = try code(2)
    try app.press("Sign in with a password")
    try introduce(Self.first)
    try app.key("Return")
    try app.waitForScreen("feed")
  }
}
