import Driver
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
    try app.startInVain(
      data + app.faults(#"{"fault": "drop"}"#) + ["matinee://fanclubs/\(club.id)"], "is in use by another running program.")
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
