import AppConfig
import Driver
import Foundation
import FoundationNetworking
import Synchronization
import XCTest

/// New posts of followed fan clubs, on the desktop of a session bus: from the server to the click.
final class NotificationTests: ServerCase {
  /// Somebody else has the server fetch a feed, in place of the hour after which it does so by itself.
  private func fetch(_ feed: String, at origin: String, as reader: Reader) throws {
    let session = try send("POST", origin + "/v1/session", ["email": reader.email, "password": reader.password])
    let token = try XCTUnwrap(session["accessToken"] as? String)
    let begun = try send("PUT", origin + "/v1/imports/\(UUID())", ["url": feed], token: token)
    let id = try XCTUnwrap(begun["id"] as? String)
    try app.wait(for: "the import") {
      let state = try send("GET", origin + "/v1/imports/" + id, token: token)["state"] as? String
      if state == "failed" { throw DriverError.refused("the feed was not imported") }
      return state == "done" ? true : nil
    }
  }

  private func send(_ method: String, _ url: String, _ body: [String: String]? = nil, token: String? = nil) throws -> [String: Any] {
    var request = URLRequest(url: try XCTUnwrap(URL(string: url)))
    request.httpMethod = method
    request.httpBody = try body.map { try JSONEncoder().encode($0) }
    if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    let answered = expectation(description: "\(method) \(url)")
    let answer = Mutex<Data?>(nil)
    URLSession.shared.dataTask(with: request) { data, _, _ in
      answer.withLock { $0 = data }
      answered.fulfill()
    }.resume()
    wait(for: [answered], timeout: 60)
    return try XCTUnwrap(JSONSerialization.jsonObject(with: XCTUnwrap(answer.withLock { $0 })) as? [String: Any])
  }

  func testANewPostIsToldOnceAndAClickOpensIt() throws {
    let desktop = try NotificationDesktop()
    let site = try FeedSite()
    site.publish("An old post", at: Date(timeIntervalSinceNow: -3600))
    for reader in [Self.first, Self.second] { try add(reader) }
    let origin = try serve(["--readers-add-feeds"])
    try app.start(["--publication", origin])
    try signIn(Self.first)
    try app.press("Fan clubs")
    try addFeed(site.address("feed.xml"))
    try app.waitForScreen("fanclub")
    _ = try app.row("An old post")
    try app.press("Account")
    try app.waitForScreen("account")
    // The tester panel: nobody waits for five minutes.
    try app.key("ctrl+shift+t")
    try app.press("Look for new posts")
    // A minute ahead, so that it is newer than the club's being followed whatever the seconds say.
    site.publish("Fish & chips", at: Date(timeIntervalSinceNow: 60))
    try fetch(site.address("feed.xml"), at: origin, as: Self.second)
    try app.press("Look for new posts")
    let told = try app.wait(for: "a notification") { desktop.shown.first }
    XCTAssertEqual([told.title, told.body], ["Fish & chips", "The Site"])
    desktop.click(told)
    try app.waitForScreen("article")
    try app.waitForText("All about Fish")
    try app.press("Look for new posts")
    try app.press("Account")
    try app.waitForScreen("account")
    XCTAssertEqual(desktop.shown, [told], "an old post was told, or one twice")
    XCTAssertEqual(desktop.present, [])
  }

  /// What the desktop does with a click on a notification of a program that has ended.
  func testAClickStartsTheProgramWithThePost() throws {
    let post = try Sample.current.get().firstPost(premium: false)
    try app.startSignedIn()
    app.kill()
    try app.start(["--gapplication-service"])
    let link = "matinee://posts/\(post.id)?publication=embedded"
    let desktop = try NotificationDesktop()
    try app.wait(for: "the program on the bus") { desktop.click("open-link", of: Config().identity, with: link) ? true : nil }
    try app.waitForScreen("article")
    XCTAssertEqual(app.screens, ["curtain", "article"])
    try app.waitForText(post.title)
  }
}
