import Driver
import Foundation

/// The way through the app, with a picture at each stop.
struct Tour {
  let app: AppDriver
  let folder: URL

  func play(_ arguments: [String]) throws {
    try app.start(arguments)
    try app.waitForScreen("login")
    _ = try app.find(.button, "Use the sample account")
    try picture("login")
    try app.press("Use the sample account")
    try app.waitForScreen("feed")
    try picture("feed")
    try act()
    try read()
    try buy()
    try visitOtherPages()
    try app.press("Sign out")
    try app.waitForScreen("login")
  }

  /// Pictures show what people get only where the renderer is theirs, and a warning of GTK's may be the end of the app on another screen.
  func check() throws {
    // Later versions of GTK call theirs GskNglRenderer.
    guard !app.renderers.isEmpty, app.renderers.allSatisfy({ $0.lowercased().contains("gl") }) else {
      throw DriverError.refused("GTK drew by \(app.renderers), and not by GL")
    }
    guard app.complaints.isEmpty else { throw DriverError.refused("GTK complained: \(app.complaints.joined(separator: "; "))") }
  }

  /// A reaction, a bookmark, a follow: the pages after this show them.
  private func act() throws {
    let row = try firstRow(premium: false)
    try app.press("React", in: row)
    try app.press("Bookmark", in: row)
  }

  private func read() throws {
    try open(try firstRow(premium: false))
    try picture("article")
    try app.press("Back")
    try app.waitForScreen("feed")
    try open(try firstRow(premium: true))
    _ = try app.find(.button, "Unlock")
    try picture("premium")
  }

  /// From "Unlock" to the whole text, which opens by itself.
  private func buy() throws {
    try app.press("Unlock")
    try app.waitForScreen("paywall")
    let offer = try app.wait(for: "an offer") { app.all { $0.role == .button && $0.name.contains(", ") && $0.isEnabled }.first }
    try picture("paywall")
    try offer.press()
    try app.waitForScreen("payment")
    _ = try app.wait(for: "Pay") { app.first(.button, "Pay").flatMap { $0.isEnabled ? $0 : nil } }
    try picture("payment")
    try app.press("Pay")
    try app.waitForScreen("article")
    try app.wait(for: "the whole article") { app.first(.button, "Unlock") == nil ? true : nil }
    try picture("unlocked")
    try app.press("Back")
    try app.waitForScreen("feed")
  }

  private func visitOtherPages() throws {
    try app.press("Fan clubs")
    try app.waitForScreen("fanclubs")
    try app.press("Follow", in: try rows()[0])
    try picture("fanclubs")
    try open(try rows()[0], into: "fanclub")
    try picture("fanclub")
    try app.press("Bookmarks")
    try app.waitForScreen("bookmarks")
    try picture("bookmarks")
    try app.press("Account")
    try app.waitForScreen("account")
    try picture("account")
    try app.press("Purchases")
    try app.waitForScreen("purchases")
    try app.waitForText("Paid")
    try picture("purchases")
    try app.press("Back")
    try app.waitForScreen("account")
  }

  private func rows() throws -> [Element] {
    try app.wait(for: "rows") { app.all { $0.role == .list }.first.map(\.children).flatMap { $0.isEmpty ? nil : $0 } }
  }

  private func firstRow(premium: Bool) throws -> Element {
    try app.wait(for: "a row") { try rows().first { $0.name.hasSuffix(", premium") == premium } }
  }

  private func open(_ row: Element, into screen: String = "article") throws {
    try app.click(row)
    try app.waitForScreen(screen)
  }

  /// Waits until the window stops changing: pictures arrive a moment after the rows they belong to.
  private func picture(_ name: String) throws {
    let file = folder.appending(path: "\(name).png")
    try app.parkMouse()
    var last = Data()
    try app.wait(for: "a quiet window") {
      try app.screenshot(to: file)
      let now = try Data(contentsOf: file)
      defer { last = now }
      return now == last ? true : nil
    }
    print("  \(name).png")
  }
}
