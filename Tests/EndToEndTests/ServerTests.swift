import Driver
import XCTest

/// The same app against `matinee-server` on the loopback network, and two readers one after the other.
final class ServerTests: ServerCase {
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

  /// The desktop hands a link to the app that all starts share, and it is for the one beside it that shows the publication.
  func testALinkFindsTheAppThatShowsItsPublication() throws {
    let club = try XCTUnwrap(Sample.current.get().fanClubs.first)
    try add(Self.first)
    let origin = try serve()
    try app.start(["--publication", origin, "--data", app.home.appending(path: "own").path])
    try signIn(Self.first)
    let second = try app.runBeside(["matinee://fanclubs/\(club.id)?publication=\(origin)"])
    XCTAssertEqual(second.status, 0, "\(second.lines)")
    try app.waitForScreen("fanclub")
    try app.waitForText(club.name)
    // And so is the address of a page, which is what another reader sends.
    let post = try Sample.current.get().firstPost(premium: false)
    XCTAssertEqual(try app.runBeside(["\(origin)/posts/\(post.id)"]).status, 0)
    try app.waitForScreen("article")
    try app.waitForText(post.title)
  }

  /// The button shows that something happens, and a second press does nothing.
  func testSignInCannotBePressedTwice() throws {
    try add(Self.first)
    try app.start(["--publication", serve()])
    try introduce(Self.first)
    try whileServerHangs {
      try app.key("Return")
      try app.waitForText("Signing in…")
      let button = try app.find(.button, "Sign in")
      XCTAssertFalse(button.isEnabled)
      XCTAssertThrowsError(try button.press())
    }
    try app.waitForScreen("feed")
  }

  func testF5AndTheButtonRefresh() throws {
    try add(Self.first)
    try app.start(["--publication", serve()])
    try signIn(Self.first)
    for refresh in [{ try self.app.key("F5") }, { try self.app.press("Refresh") }] {
      try whileServerHangs {
        try refresh()
        try app.waitForText("Refreshing…")
      }
      try app.wait(for: "the refresh to end") { app.shows("Refreshing…") ? nil : true }
    }
    XCTAssertGreaterThan(app.rowNames.count, 3)
  }

  func testServerThatGoesAwayLeavesTheFeedAndSaysSo() throws {
    try add(Self.first)
    let origin = try serve()
    try app.start(["--publication", origin])
    try signIn(Self.first)
    stopServer()
    try app.key("F5")
    try app.waitForText("The list could not be refreshed.")
    try app.waitForText("The publication cannot be reached: nothing answers at its address.")
    XCTAssertGreaterThan(app.rowNames.count, 3)
    // And takes that back once it is there again.
    _ = try serve(["--port", XCTUnwrap(origin.split(separator: ":").last.map(String.init))])
    try app.wait(for: "the message to go") { app.shows("could not be refreshed") ? nil : true }
  }

  /// A test that fails while its server stands still would wait for ever.
  func testAServerThatStandsStillIsStopped() throws {
    _ = try serve()
    kill(try XCTUnwrap(server).processIdentifier, SIGSTOP)
    stopServer()
    XCTAssertNil(server)
  }

  func testSigningOutBesideAServerThatStandsStillAsksFirst() throws {
    try add(Self.first)
    try app.start(["--publication", try serve()])
    try signIn(Self.first)
    try app.press("Account")
    try app.waitForScreen("account")
    let process = try XCTUnwrap(server).processIdentifier
    kill(process, SIGSTOP)
    try app.press("Sign out")
    try app.waitForText("The publication cannot be reached. Until it can you cannot sign in again")
    try app.press("Stay signed in")
    try app.waitForScreen("account")
    kill(process, SIGCONT)
    try app.press("Sign out")
    try app.waitForScreen("login")
  }

  func testSigningOutWithChangesThatWaitAsksFirst() throws {
    try add(Self.first)
    let origin = try serve()
    let title = try Sample.current.get().firstPost(premium: false).title
    try app.start(["--publication", origin])
    try signIn(Self.first)
    stopServer()
    try app.press("Bookmark", in: app.row(title))
    try app.waitForText("1 change waiting")
    try app.press("Account")
    try app.waitForScreen("account")
    try app.press("Sign out")
    try app.waitForText("1 change waits to be sent. It stays on this computer")
    try app.press("Stay signed in")
    try app.waitForScreen("account")
    try app.press("Sign out")
    // Beside it: the page beneath has a button of that name too.
    let stay = try app.find(.button, "Stay signed in")
    try app.press("Sign out", in: XCTUnwrap(stay.parent))
    try app.waitForScreen("login")
  }
}
