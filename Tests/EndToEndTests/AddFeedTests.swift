import Driver
import Foundation
import XCTest

/// A reader adds feeds to a publication that lets them, through the dialog.
final class AddFeedTests: ServerCase {
  private var site: FeedSite!

  override func setUpWithError() throws {
    try super.setUpWithError()
    site = try FeedSite()
    site.publish("The first post", at: Date(timeIntervalSinceNow: -3600))
    try add(Self.first)
    try app.start(["--publication", try serve(["--readers-add-feeds"])])
    try signIn(Self.first)
    try app.press("Fan clubs")
    try app.waitForScreen("fanclubs")
  }

  override func tearDownWithError() throws {
    site?.release()
    try super.tearDownWithError()
  }

  func testAFeedLeadsToItsFanClub() throws {
    try addFeed(site.address("feed.xml"))
    try app.waitForScreen("fanclub")
    try app.waitForText("The Site")
    _ = try app.row("The first post")
    try app.open("The first post")
    try app.waitForScreen("article")
    try app.waitForText("All about The first post.")
  }

  func testAWrongFeedIsTakenBackOnItsPage() throws {
    try addFeed(site.address("feed.xml"))
    try app.waitForScreen("fanclub")
    _ = try app.row("The first post")
    try app.press("Remove feed…")
    try app.press("Remove feed")
    try app.waitForScreen("fanclubs")
    try app.waitForRows()
    XCTAssertFalse(app.rowNames.contains { $0.hasPrefix("The Site") })
    try app.press("Home")
    try app.waitForScreen("feed")
    try app.waitForRows()
    XCTAssertFalse(app.rowNames.contains { $0.hasPrefix("The first post") })
  }

  func testAListOfFeedsMakesFanClubsWhosePostsComeWhenAskedFor() throws {
    site.hold()
    try addFeed(site.address("list.opml"))
    try app.waitForText("Fetching…")
    // The second Enter of an impatient reader cancels nothing.
    try app.key("Return", "Return")
    try app.input(["sleep", "0.5"])
    site.release()
    try app.waitForText("“My feeds” names 2 feeds, which are fan clubs now.")
    XCTAssertEqual(site.requested, ["/list.opml"], "no feed is fetched before somebody asks for it")
    try app.press("Show the fan clubs")
    try app.waitForScreen("fanclubs")
    _ = try app.row("Elsewhere")
    try app.open("The Site")
    try app.waitForScreen("fanclub")
    try app.press("Fetch posts")
    _ = try app.row("The first post")
  }

  func testTheAddressOfAPageLeadsToItsFeed() throws {
    try addFeed(site.address("one.html"))
    try app.waitForScreen("fanclub")
    try app.waitForText("The Site")
    _ = try app.row("The first post")
  }

  func testOfSeveralFeedsOfAPageTheReaderChooses() throws {
    try addFeed(site.address("two.html"))
    try app.waitForText("This page names 2 feeds. Which one do you want?")
    try app.press("Feed at feed.xml")
    try app.waitForScreen("fanclub")
    try app.waitForText("The Site")
  }

  func testThePostsOfAWholeListAreFetchedAtOnce() throws {
    try addFeed(site.address("list.opml"))
    try app.waitForText("“My feeds” names 2 feeds, which are fan clubs now.")
    try app.press("Fetch all")
    try app.waitForText("The posts of 1 of 2 fan clubs are there.")
    try app.waitForText("other.xml: the server answered with status 404.")
    try app.press("Show the fan clubs")
    try app.waitForScreen("fanclubs")
    try app.open("The Site")
    try app.waitForScreen("fanclub")
    _ = try app.row("The first post")
  }

  /// - Parameter leave: leads from the page of the feed's fan club to where the refresh is asked for.
  private func refreshAsksTheFeed(_ leave: () throws -> Void = {}) throws {
    try addFeed(site.address("feed.xml"))
    try app.waitForScreen("fanclub")
    _ = try app.row("The first post")
    try leave()
    site.publish("The second post", at: Date(timeIntervalSinceNow: -1800))
    try app.key("F5")
    _ = try app.row("The second post")
    XCTAssertEqual(site.requested, ["/feed.xml", "/feed.xml"])
  }

  func testARefreshAsksTheFeedItself() throws { try refreshAsksTheFeed() }

  func testARefreshOfHomeAsksTheFeedBehindIt() throws {
    try refreshAsksTheFeed {
      try app.press("Home")
      try app.waitForScreen("feed")
      // Among the sample's posts, whose fan clubs have no feeds.
      _ = try app.row("The first post")
    }
  }

  func testWhatIsCancelledLeavesNothingBehind() throws {
    site.hold()
    try addFeed(site.address("feed.xml"))
    try app.waitForText("Fetching…")
    try app.wait(for: "the request") { site.requested == ["/feed.xml"] ? true : nil }
    try app.press("Cancel")
    try app.wait(for: "the address, ready to be added") { app.first(.button, "Add").flatMap { $0.isEnabled ? true : nil } }
    site.release()
    try app.key("Escape")
    try app.waitForScreen("fanclubs")
    try app.key("F5")
    try app.waitForRows()
    XCTAssertFalse(app.rowNames.contains { $0.hasPrefix("The Site") })
  }

  func testABrokenFeedIsOneClearSentenceAndCanBePutRight() throws {
    try addFeed(site.address("broken.xml"))
    try app.waitForText("broken.xml, line 4")
    try app.type(site.address("feed.xml"), into: "Address of the feed")
    try app.press("Add")
    try app.waitForScreen("fanclub")
    try app.waitForText("The Site")
  }
}
