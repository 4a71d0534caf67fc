import Driver
import Foundation
import XCTest

/// Step 6: what a reader does with posts beside reading them.
final class ContentTests: EndToEndCase {
  private func firstPost() throws -> Sample.Post { try Sample.current.get().firstPost(premium: false) }

  func testACommentIsWrittenByKeyboardAndDeleted() throws {
    try app.startSignedIn()
    try app.open(firstPost().title)
    try app.waitForScreen("article")
    try app.press("Write a comment")
    try app.waitForScreen("comments")
    try app.waitForText("No comments yet")
    try app.click(app.wait(for: "the field") { app.all { $0.name == "Your comment" }.first })
    try app.type("Well ")
    // The mouse's own way back.
    try app.input(["click", "8"])
    try app.waitForScreen("article")
    try app.press("Continue your comment")
    try app.waitForScreen("comments")
    try app.click(app.wait(for: "the field") { app.all { $0.name == "Your comment" }.first })
    try app.key("ctrl+End")
    try app.type("said")
    try app.key("ctrl+Return")
    try app.press("Delete", in: app.row("You: Well said"))
    try app.press("Delete the comment")
    try app.waitForText("No comments yet")
  }

  func testSearchFindsWhileOneTypesAndLeadsToThePost() throws {
    let title = try firstPost().title
    try app.startSignedIn()
    try app.key("ctrl+f")
    try app.waitForScreen("search")
    try app.type(title, into: "Search")
    try app.open(title)
    try app.waitForScreen("article")
    _ = try app.window(named: "\(NSRegularExpression.escapedPattern(for: title)) — Matinee")
    try app.key("Escape")
    try app.waitForScreen("search")
    try app.key("Escape")
    try app.waitForScreen("feed")
  }

  /// The page takes the arrow keys first, but not those that are for its menu.
  func testTheMenuOfAnArticleIsWalkedByArrows() throws {
    let post = try Sample.current.get().firstPost(premium: false)
    try app.startSignedIn()
    XCTAssertEqual(try app.runBeside(["matinee://posts/\(post.id)"]).status, 0)
    try app.waitForScreen("article")
    try app.waitForText(post.title)
    func canCopy() throws -> Bool {
      try app.key("shift+F10")
      return try app.wait(for: "the menu") { app.all { $0.role == .button && $0.name == "Copy" }.first }.isEnabled
    }
    XCTAssertFalse(try canCopy())
    try app.key("Down")
    try app.key("Return")
    try app.wait(for: "the menu to close") { app.all { $0.role == .button && $0.name == "Copy" }.isEmpty ? true : nil }
    XCTAssertTrue(try canCopy(), "all is selected")
  }

  func testAnotherKindOfReactionIsChosenInTheMenuOfARow() throws {
    let title = try firstPost().title
    try app.startSignedIn()
    try app.press("More", in: app.row(title))
    try app.press("Funny")
    try app.waitUntil("React", in: app.row(title), isOn: true)
    try app.open(title)
    try app.waitForScreen("article")
    try app.waitUntil("Funny", isOn: true)
    try app.waitUntil("Love", isOn: false)
  }

  func testReadPostsLoseTheirMark() throws {
    let title = try firstPost().title
    try app.startSignedIn()
    XCTAssertEqual(app.rowNames.first { $0.hasPrefix(title) }, "\(title), unread")
    try app.open(title)
    // It is read once its text is there.
    try app.waitForText("Write a comment")
    try app.key("Escape")
    try app.waitForScreen("feed")
    try app.wait(for: "the mark to go") { app.rowNames.contains(title) ? true : nil }
  }

  func testWhatCannotBeSentIsSaidToWait() throws {
    let title = try firstPost().title
    try app.startSignedIn(app.faults(#"{"fault": "refuse", "method": "PUT", "path": "/v1/posts/"}"#))
    try app.press("React", in: app.row(title))
    try app.waitForText("1 change waiting")
    try app.waitUntil("React", in: app.row(title), isOn: true)
    _ = try app.find(.button, "Try now")
  }
}
