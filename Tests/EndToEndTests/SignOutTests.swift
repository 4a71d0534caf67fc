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
}
