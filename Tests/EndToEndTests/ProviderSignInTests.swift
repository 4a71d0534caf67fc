import Driver
import Foundation
import TestSupport
import XCTest

/// Signing in at an OpenID provider that is not ours: the app opens the desktop's browser, a script plays it, and the server verifies what
/// came of it.
final class ProviderSignInTests: ServerCase {
  private var provider: RealProvider?
  /// What the browser was asked to open.
  private var opened: String { app.home.appending(path: "opened").path }

  override func tearDownWithError() throws {
    provider?.stop()
    try super.tearDownWithError()
  }

  /// - Parameters:
  ///   - browses: whether the browser signs the reader in at once; otherwise it only opens the page.
  ///   - user: who signs in there.
  private func start(browses: Bool = true, user: String = "other", _ options: String...) throws {
    try XCTSkipUnless(RealProvider.Kind.django.isHere, "django-oauth-toolkit is not here")
    let provider = try RealProvider(.django, options)
    self.provider = provider
    let entry = [["issuer": provider.registration.issuer, "name": "Example", "clientID": provider.registration.clientID]]
    let file = app.home.appending(path: "providers.json")
    try FileManager.default.createDirectory(at: app.home, withIntermediateDirectories: true)
    try JSONSerialization.data(withJSONObject: entry).write(to: file)
    try installBrowser(browses: browses, ["--user", user] + (options.contains("--consent") ? ["--deny"] : []))
    try add(Self.first)
    try app.start(["--publication", try serve(["--identity-providers", file.path])])
    try app.waitForScreen("login")
    try app.wait(for: "what the publication offers") { app.first(.button, "Sign in with Example") }
  }

  /// The desktop's browser, as GIO finds it.
  private func installBrowser(browses: Bool, _ options: [String]) throws {
    let script = app.home.appending(path: "browser.sh")
    let play = RealProvider.browsing(options).map { "'\($0)'" }.joined(separator: " ")
    try Data("#!/bin/bash\necho \"$1\" >>'\(opened)'\n\(browses ? "\(play) \"$1\" >'\(opened).said' 2>&1" : "")\n".utf8).write(to: script)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
    let applications = app.home.appending(path: "data/applications")
    try FileManager.default.createDirectory(at: applications, withIntermediateDirectories: true)
    let entry = """
      [Desktop Entry]
      Type=Application
      Name=Browser
      Exec=\(script.path) %u
      MimeType=x-scheme-handler/http;x-scheme-handler/https;

      """
    try Data(entry.utf8).write(to: applications.appending(path: "browser.desktop"))
    try Data("[Default Applications]\nx-scheme-handler/http=browser.desktop\n".utf8).write(
      to: applications.appending(path: "mimeapps.list"))
  }

  private var pages: [String] {
    (try? String(contentsOfFile: opened, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
  }

  func testAProvidersPageSignsIn() throws {
    try start()
    try app.press("Sign in with Example")
    try app.waitForScreen("feed")
    try app.waitForRows()
    XCTAssertEqual(pages.count, 1)
    XCTAssertTrue((try String(contentsOfFile: opened + ".said", encoding: .utf8)).contains("Back to Matinee"))
    try app.press("Account")
    try app.waitForScreen("account")
    try app.press("Sign out")
    try app.waitForScreen("login")
    try app.press("Sign in with Example")
    try app.waitForScreen("feed")
  }

  /// An address that is an account's already does not sign in to it.
  func testAnAddressAloneIsNoAccount() throws {
    try add(("reader@example.org", "a password of mine"))
    try start(user: "reader")
    try app.press("Sign in with Example")
    try app.waitForText("There is an account with the address reader@example.org already.")
  }

  func testWhatWasDeclinedOnThePageIsSaid() throws {
    try start("--consent")
    try app.press("Sign in with Example")
    try app.waitForText("Example did not sign you in: that was declined on its page.")
    try introduce(Self.first)
    try app.key("Return")
    try app.waitForScreen("feed")
  }

  /// The reader closes the page, opens it again, and changes their mind.
  func testAPageThatNothingComesFromKeepsNobody() throws {
    try start(browses: false)
    try app.press("Sign in with Example")
    try app.waitForText("Sign in on the page of Example in your browser.")
    try app.wait(for: "the page") { pages.count == 1 ? true : nil }
    try app.press("Open the page of Example again")
    try app.wait(for: "the page again") { pages.count == 2 ? true : nil }
    XCTAssertEqual(pages[0], pages[1], "whichever window of the browser answers")
    try app.press("Cancel")
    try app.wait(for: "the end of the wait") { app.first(.button, "Open the page of Example again") == nil ? true : nil }
    try introduce(Self.first)
    try app.key("Return")
    try app.waitForScreen("feed")
  }
}
