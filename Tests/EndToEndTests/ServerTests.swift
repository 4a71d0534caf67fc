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

  func testServerThatGoesAwayLeavesTheFeedAndSaysSo() throws {
    try add(Self.first)
    let origin = try serve()
    try app.start(["--publication", origin])
    try signIn(Self.first)
    stopServer()
    try app.key("F5")
    try app.waitForText("cannot be reached")
    XCTAssertGreaterThan(app.rowNames.count, 3)
  }
}
