import Driver
import XCTest

/// Step 2: the login, by keyboard and by button.
final class LoginTests: EndToEndCase {
  private func account() throws -> Sample.Publication.Account { try Sample.current.get().publication.sampleAccount }

  func testEmptyFieldsSayWhatIsMissing() throws {
    try app.start()
    try app.waitForScreen("login")
    try app.press("Sign in")
    try app.waitForText("Enter your email address.")
    try app.waitForText("Enter your password.")
    XCTAssertEqual(app.screens.last, "login")
  }

  func testWrongPasswordIsSaidBesideTheField() throws {
    try app.start()
    try app.waitForScreen("login")
    try app.type(account().email, into: "Email")
    try app.type("not it", into: "Password")
    try app.key("Return")
    try app.waitForText("Email and password do not match.")
    XCTAssertEqual(app.screens.last, "login")
  }

  func testEnterSignsIn() throws {
    try app.start()
    try app.waitForScreen("login")
    try app.type(account().email, into: "Email")
    try app.key("Tab")
    try app.type(account().password)
    try app.key("Return")
    try app.waitForScreen("feed")
  }

  func testPublicationThatCannotBeReachedIsSaid() throws {
    // Nothing listens on port 1.
    try app.start(["--publication", "http://127.0.0.1:1"])
    try app.waitForScreen("login")
    try app.type("someone@example.org", into: "Email")
    try app.type("secret", into: "Password")
    try app.press("Sign in")
    try app.waitForText("reach")
    XCTAssertNil(app.first(.button, "Use the sample account"), "only a publication offers its sample account")
    XCTAssertEqual(app.screens.last, "login")
  }

  func testWithoutAKeyringTheScreenSaysSoAndTheSessionEndsWithTheApp() throws {
    app.environment["SECRET_BACKEND"] = "service"
    try app.start()
    try app.waitForScreen("login")
    try app.waitForText("This desktop has no keyring service. You stay signed in only until you quit.")
    try app.press("Use the sample account")
    try app.waitForScreen("feed")
    app.kill()
    try app.start()
    try app.waitForScreen("login")
    XCTAssertEqual(app.screens, ["curtain", "login"])
  }

  func testSessionIsKeptOverARestart() throws {
    try app.startSignedIn()
    app.kill()
    try app.start()
    try app.waitForScreen("feed")
    XCTAssertEqual(app.screens, ["curtain", "feed"])
  }
}
