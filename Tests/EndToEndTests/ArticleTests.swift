import Driver
import Foundation
import XCTest

/// Step 5: articles.
final class ArticleTests: EndToEndCase {
  func testFreeArticleIsReadToTheEnd() throws {
    let post = try Sample.current.get().firstPost(premium: false)
    try app.startSignedIn()
    try app.open(post.title)
    try app.waitForScreen("article")
    try app.waitForText(post.title)
    XCTAssertNil(app.first(.button, "Unlock"))
    try app.key("Escape")
    try app.waitForScreen("feed")
  }

  func testPremiumArticleShowsItsOpeningAndTheWay() throws {
    let post = try Sample.current.get().firstPost(premium: true)
    try app.startSignedIn()
    try app.open(post.title)
    try app.waitForScreen("article")
    try app.waitForText(post.title)
    _ = try app.find(.button, "Unlock")
  }

  /// Opens a post with a text of its own, as somebody who imported it.
  private func openPost(_ body: String) throws {
    let file = app.home.appending(path: "feed.xml")
    try FileManager.default.createDirectory(at: app.home, withIntermediateDirectories: true)
    let feed = """
      <?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Own feed</title><id>own</id><entry><title>Own post</title>
      <id>post</id><updated>\(Date().ISO8601Format())</updated><content type="html"><![CDATA[\(body)]]></content></entry></feed>
      """
    try Data(feed.utf8).write(to: file)
    XCTAssertEqual(try app.runBeside(["--import", file.path]).status, 0)
    try app.startSignedIn()
    try app.open("Own post")
    try app.waitForScreen("article")
  }

  private func paragraph(_ text: String) throws -> Element {
    try app.wait(for: "the paragraph \(text)") { app.all { $0.content == text || $0.name == text }.first }
  }

  /// Where a paragraph is.
  private func frame(_ text: String) throws -> Frame {
    // The text may be drawn again meanwhile.
    try app.wait(for: "the place of the paragraph \(text)") { try paragraph(text).frame }
  }

  private func mouse(to place: (x: Int, y: Int), _ more: String...) throws {
    try app.input(["mousemove", "--window", "%", "\(place.x)", "\(place.y)"] + more)
  }

  /// Copies what is selected, and waits until the field of the search has it after pasting.
  private func copy(expecting what: String, _ isRight: (String) -> Bool) throws {
    try app.key("ctrl+c")
    try app.key("ctrl+f")
    try app.waitForScreen("search")
    try app.key("ctrl+a", "ctrl+v")
    try app.wait(for: what) { try isRight(app.entry("Search").content ?? "") ? true : nil }
    try app.key("Escape")
    try app.waitForScreen("article")
  }

  func testTextIsSelectedWithTheMouseAndCopied() throws {
    try openPost(
      "<p>Alpha is the first paragraph.</p><p>Beta is the second one.</p><p><a href=\"https://example.org/\">Gamma</a> leads on.</p>")
    let (alpha, beta) = (try frame("Alpha is the first paragraph."), try frame("Beta is the second one."))
    // Two clicks select a word, three a paragraph.
    try mouse(to: (beta.x + 8, beta.y + 8), "click", "--repeat", "2", "--delay", "60", "1")
    try copy(expecting: "a word") { $0 == "Beta" }
    try mouse(to: (beta.x + 8, beta.y + 8), "click", "--repeat", "3", "--delay", "60", "1")
    try copy(expecting: "the second paragraph") { $0 == "Beta is the second one." }
    // From the beginning of one to the end of the other.
    try mouse(to: (alpha.x + 1, alpha.y + 8), "mousedown", "1")
    for x in [40, 200, beta.width - 2] { try mouse(to: (beta.x + x, beta.y + 8)) }
    try app.input(["mouseup", "1"])
    try copy(expecting: "both paragraphs") { $0.hasPrefix("Alpha is the first paragraph.") && $0.hasSuffix("Beta is the second one.") }
    // The other button opens the text's own menu, on a link too.
    let gamma = try frame("Gamma leads on.")
    try mouse(to: (gamma.x + 8, gamma.y + 8), "click", "3")
    _ = try app.find(.button, "Copy article")
    XCTAssertNotNil(app.first(.button, "Copy"))
    XCTAssertNotNil(app.first(.button, "Select all"))
    XCTAssertTrue(app.all { $0.name.contains("Cut") || $0.name.contains("Paste") }.isEmpty)
    try app.key("Escape")
    try app.wait(for: "the menu to close") { app.first(.button, "Copy article") == nil ? true : nil }
    XCTAssertEqual(app.screens.last, "article")
  }

  func testTheMousesBackButtonLeadsFromAnArticleToTheList() throws {
    try openPost("<p>Alpha is the first paragraph.</p>")
    // On the text, which listens to the mouse itself.
    let alpha = try frame("Alpha is the first paragraph.")
    try mouse(to: (alpha.x + 8, alpha.y + 8), "click", "8")
    try app.waitForScreen("feed")
    // From there it leads nowhere. The key comes after it.
    try app.input(["click", "8"])
    try app.key("alt+2")
    try app.waitForScreen("fanclubs")
    XCTAssertEqual(app.screens.suffix(3), ["article", "feed", "fanclubs"])
  }

  private static let manyParagraphs = (1...60).map { "<p>Paragraph \($0) of this text.</p>" }.joined()

  func testTheNextStartShowsTheArticleWhereItWasLeft() throws {
    try openPost(Self.manyParagraphs)
    let text = "Paragraph 30 of this text."
    let paragraph = try paragraph(text)
    let middle = try app.size().height / 2
    var place = try frame(text).y
    XCTAssertGreaterThan(place, middle, "otherwise this shows nothing")
    try app.point(at: self.paragraph("Paragraph 1 of this text."))
    while place > middle {
      let before = place
      // A turn of the wheel moves the text at once: what has moved is at rest.
      try app.turnWheel(1)
      place = try app.wait(for: "the text to scroll") { paragraph.frame.flatMap { $0.y == before ? nil : $0.y } }
    }
    try app.key("ctrl+q")
    try app.waitForEnd()
    try app.start()
    try app.waitForScreen("article")
    XCTAssertEqual(app.screens, ["curtain", "article"])
    // Where the edge of the page was between two paragraphs, it is at the lower one now: they are 14 pixels apart, and a line is higher.
    try app.wait(for: "the paragraph at \(place), where it was left") { try abs(frame(text).y - place) <= 15 ? true : nil }
  }

  func testASelectionScrollsPastTheEdgeOfTheWindow() throws {
    try openPost(Self.manyParagraphs)
    let first = try frame("Paragraph 1 of this text.")
    let height = try app.size().height
    try mouse(to: (first.x + 1, first.y + 8), "mousedown", "1")
    for y in [first.y + 60, height - 60, height + 20] { try mouse(to: (first.x + 60, y)) }
    try app.wait(for: "the text to scroll") { try frame("Paragraph 30 of this text.").y < height / 2 ? true : nil }
    try app.input(["mouseup", "1"])
    try copy(expecting: "what was scrolled by") {
      $0.hasPrefix("Paragraph 1 of this text.") && $0.contains("Paragraph 30 of this text.")
    }
  }
}
