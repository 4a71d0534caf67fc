import Driver
import XCTest

/// Step 4: reactions, bookmarks and follows change at once, everywhere, and go back when they are refused.
final class ActTests: EndToEndCase {
  private func firstPost() throws -> Sample.Post { try Sample.current.get().firstPost(premium: false) }

  func testReactionShowsInFeedAndArticle() throws {
    let title = try firstPost().title
    try app.startSignedIn()
    try app.waitUntil("React", in: app.row(title), isOn: false)
    try app.press("React", in: app.row(title))
    try app.waitUntil("React", in: app.row(title), isOn: true)
    try app.open(title)
    try app.waitForScreen("article")
    try app.waitUntil("Love", isOn: true)
    try app.press("Love")
    try app.waitUntil("Love", isOn: false)
    try app.press("Back")
    try app.waitForScreen("feed")
    try app.waitUntil("React", in: app.row(title), isOn: false)
  }

  func testBookmarkShowsAmongTheBookmarks() throws {
    let title = try firstPost().title
    try app.startSignedIn()
    try app.press("Bookmarks")
    try app.waitForScreen("bookmarks")
    try app.waitForText("No bookmarks yet")
    try app.press("Home")
    try app.waitForScreen("feed")
    try app.press("Bookmark", in: app.row(title))
    try app.press("Bookmarks")
    try app.waitForScreen("bookmarks")
    try app.waitUntil("Bookmark", in: app.row(title), isOn: true)
    XCTAssertEqual(app.rowNames, ["\(title), unread"])
  }

  func testAllIsMarkedAsReadWithWhatIsNotLoaded() throws {
    try app.startSignedIn()
    try app.press("Mark all as read")
    try app.wait(for: "rows without a mark") { app.rowNames.contains { $0.hasSuffix(", unread") } ? nil : true }
    try app.press("Unread")
    try app.waitForText("All read")
  }

  func testFollowShowsOnTheFanClubsPage() throws {
    let club = try XCTUnwrap(Sample.current.get().fanClubs.first).name
    try app.startSignedIn()
    try app.press("Fan clubs")
    try app.waitForScreen("fanclubs")
    try app.press("Follow", in: app.row(club))
    try app.waitUntil("Follow", in: app.row(club), isOn: true)
    try app.open(club)
    try app.waitForScreen("fanclub")
    try app.waitUntil("Follow", isOn: true)
  }

  func testAClickGoesToWhatWasScrolledUnderThePointer() throws {
    try app.startSignedIn()
    let title = try Sample.current.get().posts[2].title
    let react = { try self.app.wait(for: "React") { try self.app.all(in: self.app.row(title)) { $0.name == "React" }.first } }
    let place = { try react().frame?.y ?? 0 }
    let list = try app.waitForRows()
    let top = try place()
    try app.scroll(1, over: list)
    let below = try app.wait(for: "the list to scroll") { try place() == top ? nil : try place() }
    try app.scroll(-1, over: list)
    try app.wait(for: "the list to scroll back") { try place() == top ? true : nil }
    try app.point(at: react(), shiftedBy: below - top)
    try app.turnWheel(1)
    try app.wait(for: "the list to scroll again") { try place() == below ? true : nil }
    try app.click()
    try app.waitUntil("React", in: app.row(title), isOn: true)
    XCTAssertEqual(app.screens.last, "feed")
  }

  func testRefusedReactionGoesBackAndSaysWhy() throws {
    let title = try firstPost().title
    let no = #""{\"code\": \"forbidden\", \"title\": \"Not you.\", \"status\": 403}""#
    try app.startSignedIn(app.faults(#"{"fault": "status", "status": 403, "body": \#(no), "method": "PUT", "path": "/v1/posts/"}"#))
    try app.press("React", in: app.row(title))
    try app.waitForText("Your reaction was not saved. Not you.")
    try app.waitUntil("React", in: app.row(title), isOn: false)
  }

  func testReactionShowsWhileTheAnswerIsAwaited() throws {
    let title = try firstPost().title
    try app.startSignedIn(app.faults(#"{"fault": "delay", "seconds": 60, "method": "PUT", "path": "/v1/posts/"}"#))
    let list = try app.waitForRows()
    try app.press("React", in: app.row(title))
    try app.waitUntil("React", in: app.row(title), isOn: true)
    try app.scroll(60, over: list)
    try app.scroll(-60, over: list)
    try app.waitUntil("React", in: app.row(title), isOn: true)
  }
}
