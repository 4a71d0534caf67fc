import Driver
import Foundation
import XCTest

/// The ways through the app that the tests share, in the words of whoever uses it.
extension AppDriver {
  /// Starts the app and signs in to the sample account.
  /// - Parameter screen: where that leads; elsewhere than to the feed by a link among the arguments.
  func startSignedIn(_ arguments: [String] = [], screen: String = "feed") throws {
    try start(arguments)
    try waitForScreen("login")
    try press("Use the sample account")
    try waitForScreen(screen)
    if screen == "feed" { try waitForRows() }
  }

  /// The list on the visible page, once it has rows.
  @discardableResult
  func waitForRows(atLeast count: Int = 1) throws -> Element {
    try wait(for: "a list with \(count) rows") { all { $0.role == .list }.first { $0.children.count >= count } }
  }

  /// The names of the rows on the visible page.
  var rowNames: [String] { all { $0.role == .list }.first?.namedChildren.map(\.name) ?? [] }

  /// The row whose name begins with `title`, once it is there.
  func row(_ title: String) throws -> Element {
    try wait(for: "the row \"\(title)\"") { all { $0.role == .list }.first?.namedChildren.first { $0.name.hasPrefix(title) }?.element }
  }

  /// Opens a row by a real click on it.
  func open(_ title: String) throws { try click(try row(title)) }

  /// Waits until the button `name` in `place` is on or off.
  func waitUntil(_ name: String, in place: Element? = nil, isOn: Bool) throws {
    try wait(for: "\(name) \(isOn ? "on" : "off")") {
      all(in: place) { $0.name == name && $0.role == .toggle || $0.name == name && $0.role == .button }.first?.isPressed == isOn
        ? true : nil
    }
  }

  /// Writes a plan of faults for `--faults` and returns the arguments.
  func faults(_ rules: String...) throws -> [String] {
    let file = home.appending(path: "faults-\(UUID().uuidString.prefix(8)).json")
    try Data("{\"rules\": [\(rules.joined(separator: ", "))]}".utf8).write(to: file)
    return ["--faults", file.path]
  }
}

/// The sample publication as it is written.
struct Sample: Decodable {
  struct Post: Decodable {
    let id: String
    let title: String
    let premium: Bool
  }

  struct Publication: Decodable {
    struct Account: Decodable {
      let email: String
      let password: String
    }

    let name: String
    let sampleAccount: Account
  }

  struct Club: Decodable {
    let id: String
    let name: String
  }

  let publication: Publication
  let fanClubs: [Club]
  let posts: [Post]

  static let current = Result {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appending(path: "Resources/sample-publication/publication.json")
    return try JSONDecoder().decode(Sample.self, from: Data(contentsOf: file))
  }

  func firstPost(premium: Bool) throws -> Post { try XCTUnwrap(posts.first { $0.premium == premium }) }
}
