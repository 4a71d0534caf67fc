import Driver
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
}
