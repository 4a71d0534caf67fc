import Driver
import Foundation
import XCTest

/// Step 8: links, in every state the app can be in.
final class DeepLinkTests: EndToEndCase {
  private func link() throws -> (uri: String, title: String) {
    let post = try Sample.current.get().firstPost(premium: false)
    return ("matinee://posts/\(post.id)", post.title)
  }

  func testWhileStopped() throws {
    try app.startSignedIn()
    app.kill()
    try app.start([link().uri])
    try app.waitForScreen("article")
    XCTAssertEqual(app.screens, ["curtain", "article"])
    try app.waitForText(link().title)
  }

  func testWhileSignedOutItIsOpenedAfterTheLogin() throws {
    try app.start([link().uri])
    try app.waitForScreen("login")
    try app.press("Use the sample account")
    try app.waitForScreen("article")
    try app.waitForText(link().title)
  }

  func testWhileOpenItIsHandedOver() throws {
    let club = try XCTUnwrap(Sample.current.get().fanClubs.first)
    try app.startSignedIn()
    let second = try app.runBeside(["matinee://fanclubs/\(club.id)"])
    XCTAssertEqual(second.status, 0)
    try app.waitForScreen("fanclub")
    try app.waitForText(club.name)
    try keepsItsColors([])
  }

  func testAMessageThatComesUnderAPointerAtRestGoes() throws {
    try app.startSignedIn()
    func message() throws -> Element {
      XCTAssertEqual(try app.runBeside(["matinee://nowhere"]).status, 0)
      return try app.wait(for: "the message") {
        app.all { $0.name.contains("“nowhere”") || $0.content?.contains("“nowhere”") == true }.first
      }
    }
    func messageGoes(within seconds: Double = 25) throws {
      try app.wait(for: "the message to go", seconds: seconds) { app.shows("“nowhere”") ? nil : true }
    }
    _ = try message()
    // The pointer stays where the button was.
    try app.click(try app.wait(for: "the button") { app.all { $0.name == "Dismiss message" && $0.frame != nil }.first })
    try messageGoes()
    let shown = try message()
    let time = 5 + 0.15 * Double((shown.content ?? shown.name).count)
    try messageGoes()
    // Pointed at, it stays: the time that it has is over.
    try app.parkMouse()
    try app.point(at: try message())
    XCTAssertThrowsError(try messageGoes(within: time + 2))
    try app.parkMouse()
    try messageGoes()
  }

  /// - Parameter options: those of the app that runs.
  private func keepsItsColors(_ options: [String]) throws {
    let dark = try app.runBeside(options + ["--dark"])
    XCTAssertEqual(dark.status, 0)
    XCTAssertTrue(dark.lines.contains { $0.contains("keeps its colors: --dark") }, "\(dark.lines)")
  }

  func testInstanceOfItsOwnIsHandedOverToByAStartWithTheSameOptions() throws {
    let club = try XCTUnwrap(Sample.current.get().fanClubs.first)
    let data = ["--data", app.home.appending(path: "own").path]
    try app.startSignedIn(data)
    let second = try app.runBeside(data + ["matinee://fanclubs/\(club.id)"])
    XCTAssertEqual(second.status, 0, "\(second.lines)")
    try app.waitForScreen("fanclub")
    try app.waitForText(club.name)
    let again = try app.runBeside(data)
    XCTAssertEqual(again.status, 0)
    XCTAssertFalse(again.lines.contains { $0.contains("colors") }, "\(again.lines)")
    try keepsItsColors(data)
    // What it was to do differently cannot be done here.
    try app.startExpectingFailure(
      data + app.faults(#"{"fault": "drop"}"#) + ["matinee://fanclubs/\(club.id)"], "is in use by another running program.")
  }

  // MARK: Good, unknown and malformed, in each state

  private static let unknown = "matinee://posts/none"
  private static let malformed = "matinee://posts/"
  private static let gone = "This post is no longer here."
  private static let notHere = "This link leads to something that is not here, or no longer."
  private static let noLink = "This link names nothing that could be opened"

  /// What cannot be opened is explained, and `screen` stays; then the good link opens its article.
  private func linksChangeOnlyWhatTheyShould(on screen: String, with options: [String] = []) throws {
    for (uri, sentence) in [(Self.malformed, Self.noLink), (Self.unknown, Self.notHere)] {
      XCTAssertEqual(try app.runBeside(options + [uri]).status, 0)
      try app.waitForText(sentence)
      XCTAssertEqual(app.screens.last, screen, uri)
    }
    XCTAssertEqual(try app.runBeside(options + [link().uri]).status, 0)
    try app.waitForScreen("article")
    try app.waitForText(link().title)
  }

  func testWhatIsWrongWithTheLinkOfAStartIsSaidWhereItLeads() throws {
    try app.startSignedIn()
    for (uri, sentence, screen) in [(Self.malformed, Self.noLink, "feed"), (Self.unknown, Self.gone, "article")] {
      app.kill()
      try app.start([uri])
      try app.waitForScreen(screen)
      try app.waitForText(sentence)
    }
  }

  func testLinksBehindTheCurtainWaitForIt() throws {
    let options = try app.faults(#"{"fault": "delay", "seconds": 4, "path": "/v1/session/refresh"}"#)
    try app.startSignedIn(options)
    for (uri, sentence, screen) in [
      (Self.malformed, Self.noLink, "feed"), (Self.unknown, Self.gone, "article"), (try link().uri, try link().title, "article"),
    ] {
      // At the place where the last start was left otherwise.
      try app.key("alt+1")
      try app.waitForScreen("feed")
      try app.key("ctrl+q")
      try app.waitForEnd()
      try app.start(options)
      try app.waitForScreen("curtain")
      XCTAssertEqual(try app.runBeside(options + [uri]).status, 0)
      try app.waitForScreen(screen)
      try app.waitForText(sentence)
    }
  }

  func testLinksAtTheLoginWaitForTheReader() throws {
    try app.start()
    try app.waitForScreen("login")
    XCTAssertEqual(try app.runBeside([Self.malformed]).status, 0)
    try app.waitForText(Self.noLink)
    XCTAssertEqual(app.screens.last, "login")
    XCTAssertEqual(try app.runBeside([Self.unknown]).status, 0)
    try app.press("Use the sample account")
    try app.waitForScreen("article")
    try app.waitForText(Self.gone)
  }

  func testLinksAboveAPaywall() throws {
    try app.startSignedIn()
    XCTAssertEqual(try app.runBeside(["matinee://paywall/premium"]).status, 0)
    try app.waitForScreen("paywall")
    try linksChangeOnlyWhatTheyShould(on: "paywall")
  }

  func testLinksBesideAHalfWrittenCommentAndAnOpenArticle() throws {
    try app.startSignedIn()
    try app.open(link().title)
    try app.waitForScreen("article")
    try linksChangeOnlyWhatTheyShould(on: "article")
    // The article was there already, so that nothing on the screen says when its link is done with. A later link does, and the way back
    // from there says that no second page was opened.
    XCTAssertEqual(try app.runBeside([link().uri + "/comments"]).status, 0)
    try app.waitForScreen("comments")
    for screen in ["article", "feed"] {
      try app.key("alt+Left")
      try app.waitForScreen(screen)
    }
    XCTAssertEqual(try app.runBeside([link().uri]).status, 0)
    try app.waitForScreen("article")
    try app.press("Write a comment")
    try app.waitForScreen("comments")
    try app.click(app.wait(for: "the field") { app.all { $0.name == "Your comment" }.first })
    try app.type("Half a thought")
    try linksChangeOnlyWhatTheyShould(on: "comments")
    try app.press("Continue your comment")
    try app.waitForScreen("comments")
    try app.waitForText("Half a thought")
  }

  func testBackThroughTenScreens() throws {
    try app.startSignedIn()
    let sample = try Sample.current.get()
    let posts = sample.posts.prefix(5).map { ("matinee://posts/\($0.id)", $0.title) }
    let pages = posts.flatMap { [$0, ($0.0 + "/comments", "Comments")] }
    for (uri, title) in pages {
      XCTAssertEqual(try app.runBeside([uri]).status, 0)
      _ = try app.window(named: NSRegularExpression.escapedPattern(for: title) + " — Matinee")
    }
    for (_, title) in pages.dropLast().reversed() {
      try app.key("alt+Left")
      _ = try app.window(named: NSRegularExpression.escapedPattern(for: title) + " — Matinee")
    }
    try app.key("alt+Left")
    try app.waitForScreen("feed")
    try app.key("alt+Left", "Escape")
    try app.waitForRows()
    XCTAssertEqual(app.screens.last, "feed")
  }

  func testPaywallHasALinkToo() throws {
    try app.startSignedIn()
    _ = try app.runBeside(["matinee://paywall/premium"])
    try app.waitForScreen("paywall")
  }

  func testWhatIsNoLinkIsExplainedAndChangesNothing() throws {
    try app.startSignedIn()
    for (uri, sentence) in [
      ("matinee://nowhere/1", "This link leads to “nowhere”, which Matinee does not know."),
      ("matinee://posts/", "This link names nothing that could be opened"),
    ] {
      _ = try app.runBeside([uri])
      try app.waitForText(sentence)
      XCTAssertEqual(app.screens.last, "feed")
    }
  }
}

/// The address of a post's page at the publication, as a browser shows it.
final class PageAddressTests: ServerCase {
  func testAPostIsOpenedByTheAddressOfItsPage() throws {
    let post = try Sample.current.get().firstPost(premium: false)
    try add(Self.first)
    let options = ["--publication", try serve()]
    let page = "\(options[1])/posts/\(post.id)"
    try app.start(options + [page])
    try introduce(Self.first)
    try app.key("Return")
    try app.waitForScreen("article")
    try app.waitForText(post.title)
    try app.press("Home")
    try app.waitForScreen("feed")
    XCTAssertEqual(try app.runBeside(options + [page]).status, 0)
    try app.waitForScreen("article")
    try app.waitForText(post.title)
    _ = try app.runBeside(options + ["https://elsewhere.example/posts/\(post.id)"])
    try app.waitForText("This link belongs to another publication, https://elsewhere.example.")
    // No page of a post: whoever types that is told where they typed it.
    let other = try app.runBeside(options + ["\(options[1])/about"])
    XCTAssertNotEqual(other.status, 0)
    XCTAssertTrue(other.lines.contains { $0.contains("\(options[1])/about") }, "\(other.lines)")
    XCTAssertEqual(app.screens.last, "article")
  }
}
