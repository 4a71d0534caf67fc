import AppCore
import Foundation
import Gtk
import XCTest

@testable import Screens

/// Draws every screen wide and narrow, light and dark. With `MATINEE_PICTURES=FOLDER` the pictures are kept there, to be looked at.
final class LookTests: ScreensTestCase {
  func testEveryScreenFitsAWideWindow() throws { try visit(width: 1000, height: 720, .light, "wide-light") }
  func testEveryScreenFitsAWideDarkWindow() throws { try visit(width: 1000, height: 720, .dark, "wide-dark") }
  func testEveryScreenFitsANarrowWindow() throws { try visit(width: 360, height: 640, .light, "narrow-light") }
  func testEveryScreenFitsANarrowDarkWindow() throws { try visit(width: 360, height: 640, .dark, "narrow-dark") }

  func testEveryTransitionInAWideWindow() throws { try visit(width: 1600, height: 900, .light, "moving-light", animates: true) }
  func testEveryTransitionInANarrowDarkWindow() throws { try visit(width: 360, height: 640, .dark, "moving-dark", animates: true) }

  /// - Parameter animates: whether transitions are drawn, as most desktops have them.
  private func visit(width: Int, height: Int, _ scheme: Theme.Scheme, _ name: String, animates: Bool = false) throws {
    try MainActor.assumeIsolated {
      Theme.use(scheme)
      setting("gtk-enable-animations", animates)
      // Narrow with everything that takes room: the badge, and every way to pay.
      let rig = try AppRig(width: width, height: height, storeBadge: width < 600 ? "Test store: nothing is charged" : nil)
      let visit = Visit(rig: rig, width: width, name: name)
      let watch = FrameWatch(rig.window.window)
      try rig.start()
      try visit.look("login")
      rig.seen.button("Sign in")?.click()
      try visit.look("login-errors")
      try rig.signIn()
      try visit.look("feed")
      rig.seen.scroll(to: 0.1)
      rig.seen.button("React")?.click()
      rig.seen.button("Bookmark")?.click()
      try visit.look("feed-scrolled")
      let (free, locked) = try XCTUnwrap(visit.posts)
      try rig.go(.search("ro"))
      try visit.look("search")
      try rig.go(.comments(free))
      rig.seen.textArea?.write("What a thought, and how it goes on over more than one line of a narrow window.")
      try visit.look("comments-writing")
      rig.seen.button("Send")?.click()
      try visit.look("comments")
      try rig.go(.notifications)
      rig.seen.switches.dropFirst().first?.flip()
      try visit.look("notifications")
      try rig.go(.post(free))
      try visit.look("article")
      rig.seen.scroll(to: 1)
      try visit.look("article-end")
      try rig.go(.post(locked))
      rig.seen.scroll(to: 1)
      try visit.look("article-locked")
      rig.seen.button("Unlock")?.click()
      try visit.look("paywall")
      let product = try XCTUnwrap(visit.product)
      try rig.go(.payment(product))
      try visit.look("payment")
      rig.seen.button("Declined test card The bank says no.")?.click()
      rig.seen.button(visit.payName)?.click()
      try visit.look("payment-declined")
      if let card = rig.seen.buttonNames.first(where: { $0.hasPrefix("Test card to confirm") }) {
        rig.seen.button(card)?.click()
        // The price stands behind it.
        try XCTUnwrap(rig.seen.button(XCTUnwrap(rig.seen.buttonNames.first { $0.hasPrefix("Try again") }))).click()
        eventually("the bank asks") { rig.seen.button("Open your bank's page") != nil }
        try visit.look("payment-to-confirm")
        try rig.go(.dismiss)
        try rig.go(.purchases(order: nil))
        eventually("it is listed") { rig.seen.button("Check now") != nil }
        try visit.look("purchases-to-confirm")
        try rig.go(.back)
      } else {
        try rig.go(.dismiss)
      }
      try rig.go(.payment("passes.5"))
      rig.seen.button(visit.payName)?.click()
      eventually("the passes are there") { rig.seen.buttonNames.contains { $0.hasPrefix("Unlock with a pass") } }
      try visit.look("article-passes")
      try rig.go(.payment("premium.monthly"))
      try visit.look("payment-monthly")
      rig.seen.button(visit.payName)?.click()
      try rig.settle()
      try rig.go(.purchases(order: nil))
      try visit.look("purchases")
      try rig.go(.tab(.fanClubs))
      try visit.look("fanclubs")
      rig.seen.button("Follow")?.click()
      rig.seen.all.first { $0.text == visit.clubName }?.enclosing("row")?.activate()
      try visit.look("fanclub")
      try rig.go(.tab(.bookmarks))
      try visit.look("bookmarks")
      try rig.go(.tab(.account))
      try visit.look("account")
      rig.line.isCut = true
      try rig.go(.tab(.bookmarks))
      rig.seen.button("React")?.click()
      rig.seen.button("Refresh")?.click()
      try visit.look("list-offline")
      try rig.go(.post(try XCTUnwrap(visit.lastPost)))
      try visit.look("article-opening")
      try rig.go(.signOut)
      try visit.look("signout")
      try rig.go(.dismiss)
      try rig.go(.post("unknown"))
      try visit.look("article-offline")
      rig.seen.button("Refresh")?.click()
      rig.window.show(message: "This link belongs to another publication, https://example.org, and cannot be opened here.")
      try visit.look("message")
      rig.line.isCut = false
      rig.seen.button("Try again")?.click()
      try visit.look("article-gone")
      XCTAssertEqual(watch.tooLarge, [], "textures of more than twice the window, in \(watch.frames) frames")
      XCTAssertGreaterThan(watch.frames, 100)
      watch.scope.close()
      try rig.close()
      Theme.use(.light)
    }
  }
}

@MainActor private struct Visit {
  let rig: AppRig
  let width: Int
  let name: String

  private var screens: [Screen] { rig.screens }

  /// A free post and a locked one of the feed.
  var posts: (free: String, locked: String)? {
    for case .feed(let feed) in screens {
      let rows = feed.state.posts.ids.compactMap { feed.row(for: $0) }
      if let free = rows.first(where: { !$0.isLocked }), let locked = rows.first(where: \.isLocked) { return (free.id, locked.id) }
    }
    return nil
  }
  /// The last post of the feed, which nobody opened.
  var lastPost: String? {
    for case .feed(let feed) in screens { return feed.state.posts.ids.last }
    return nil
  }
  var product: String? {
    for case .paywall(let paywall) in screens { return paywall.state.offers.first?.id }
    return nil
  }
  var payName: String {
    for case .payment(let payment) in screens { return payment.state.payTitle }
    return "Pay"
  }
  var clubName: String {
    for case .fanClubs(let clubs) in screens { return clubs.state.clubs.ids.first.flatMap { clubs.row(for: $0)?.name } ?? "" }
    return ""
  }

  /// Checks that nothing is cut off at the sides, and keeps a picture.
  func look(_ screen: String, file: StaticString = #filePath, line: UInt = #line) throws {
    try rig.settle()
    let window = rig.seen
    XCTAssertLessThanOrEqual(rig.window.window.width, width, "\(name) \(screen): too wide", file: file, line: line)
    for part in window.all {
      if part.hasStyle("sheet") {
        let place = part.place(in: window)
        XCTAssertLessThanOrEqual(place.x + place.width, Double(width), "\(name) \(screen): the sheet is cut off", file: file, line: line)
      }
      if let child = part.childThatSticksOut {
        XCTFail("\(name) \(screen): \(child.texts) do not fit into what they are in", file: file, line: line)
      }
      guard let text = part.text, !text.isEmpty else { continue }
      let place = part.place(in: window)
      XCTAssertGreaterThanOrEqual(place.x, 0, "\(name) \(screen): \(text)", file: file, line: line)
      XCTAssertLessThanOrEqual(place.x + place.width, Double(width) + 0.5, "\(name) \(screen): \(text)", file: file, line: line)
    }
    guard let folder = ProcessInfo.processInfo.environment["MATINEE_PICTURES"], let png = rig.window.window.png() else { return }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try png.write(to: URL(fileURLWithPath: "\(folder)/\(screen)-\(name).png"))
  }
}
