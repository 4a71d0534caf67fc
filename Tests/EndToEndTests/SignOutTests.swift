import Driver
import XCTest

/// Step 7: signing out leads to the login, and nothing of the reader stays.
final class SignOutTests: EndToEndCase {
  func testSignOutLeadsToTheLoginAndTheNextStartToo() throws {
    try app.startSignedIn()
    try app.press("Account")
    try app.waitForScreen("account")
    try app.press("Sign out")
    try app.waitForScreen("login")
    XCTAssertFalse(app.shows(try Sample.current.get().publication.sampleAccount.email))
    // The keyring has forgotten the session by the time that the app has ended in order.
    try app.key("ctrl+q")
    try app.waitForEnd()
    try app.start()
    try app.waitForScreen("login")
    XCTAssertEqual(app.screens, ["curtain", "login"])
  }

  /// Whatever is open: nothing of it is there for the next reader, and none of it is a step back.
  func testSignOutFromEachScreen() throws {
    let post = try Sample.current.get().firstPost(premium: false)
    let club = try XCTUnwrap(Sample.current.get().fanClubs.first)
    try app.startSignedIn()
    func signOut(from screen: String) throws {
      try app.press("Sign out")
      try app.waitForScreen("login")
      try app.press("Use the sample account")
      try app.waitForScreen("feed")
      try app.waitForRows()
      try app.key("alt+Left")
      XCTAssertEqual(app.screens.last, "feed", screen)
    }
    for (link, screen) in [
      ("matinee://posts/\(post.id)", "article"), ("matinee://posts/\(post.id)/comments", "comments"),
      ("matinee://fanclubs/\(club.id)", "fanclub"), ("matinee://search?q=post", "search"), ("matinee://purchases", "purchases"),
      ("matinee://paywall/premium", "paywall"),
    ] {
      XCTAssertEqual(try app.runBeside([link]).status, 0)
      try app.waitForScreen(screen)
      if screen == "paywall" { try app.key("Escape") }
      try app.key("alt+4")
      try app.waitForScreen("account")
      try signOut(from: screen)
    }
    // What opens from them is a sheet: its question is whether anything of it outlives the sign-out.
    XCTAssertEqual(try app.runBeside(["matinee://paywall/premium"]).status, 0)
    try app.waitForScreen("paywall")
    try app.press(startingWith: "Yearly")
    try app.waitForScreen("payment")
    try app.key("Escape")
    try app.waitForScreen("paywall")
    try app.key("Escape")
    try app.key("alt+4")
    try app.waitForScreen("account")
    try signOut(from: "payment")
    try app.key("alt+2")
    try app.waitForScreen("fanclubs")
    try app.press("Add feed")
    try app.waitForScreen("addfeed")
    try app.key("Escape")
    try app.key("alt+4")
    try app.waitForScreen("account")
    try signOut(from: "addfeed")
    for (keys, screen) in [("alt+1", "feed"), ("alt+2", "fanclubs"), ("alt+3", "bookmarks")] {
      try app.key(keys)
      try app.waitForScreen(screen)
      try app.key("alt+4")
      try app.waitForScreen("account")
      try signOut(from: screen)
    }
    for (row, screen) in [
      ("Notifications", "notifications"), ("Privacy", "privacy"), ("Sessions", "sessions"), ("Change password", "password"),
    ] {
      try app.key("alt+4")
      try app.waitForScreen("account")
      try app.press(row)
      try app.waitForScreen(screen)
      // The key of the tab that one is in leads back to its first page.
      try app.key(screen == "password" ? "Escape" : "alt+4")
      try app.waitForScreen("account")
      try signOut(from: screen)
    }
  }
}
