import AppCore
import CGtk
import FanClubFeature
import FeedFeature
import Foundation
import Patience
import PaymentFeature
import PaywallFeature
import Runtime
import XCTest

@testable import Gtk
@testable import Screens

/// Draws every screen at every width, light, dark and in high contrast: in each ``turn`` one of them, another one at the next width. With
/// `MATINEE_PICTURES=FOLDER` the pictures are kept there, to be looked at.
final class LookTests: ScreensTestCase {
  func testEveryScreenFits360Pixels() throws { try visit(width: 360, height: 640, .light) }
  func testEveryScreenFits600Pixels() throws { try visit(width: 600, height: 800, .dark) }
  func testEveryScreenFits990Pixels() throws { try visit(width: 990, height: 720, .contrast) }
  func testEveryScreenFits1600Pixels() throws { try visit(width: 1600, height: 900, .light) }

  /// As a desktop has it that shows text twice as large.
  func testEveryScreenFits360PixelsWithLargeText() throws { try visit(width: 360, height: 640, .dark, textScale: 2) }

  func testEveryTransitionInAWideWindow() throws { try Self.visit(width: 1600, height: 900, .light, animates: true) }
  func testEveryTransitionInANarrowDarkWindow() throws { try Self.visit(width: 360, height: 640, .dark, animates: true) }

  fileprivate enum Look: String, CaseIterable {
    case light, dark, contrast

    /// Those that this turn draws, where the first turn draws this one.
    var inTurn: [Look] { turn.map { [Self.allCases[((Self.allCases.firstIndex(of: self) ?? 0) + $0) % 3]] } ?? Self.allCases }
  }

  /// A phone that is held across.
  func testEveryScreenFitsTheSmallestWindow() throws { try Self.visit(width: 360, height: 400, .light, animates: false) }

  private func visit(width: Int, height: Int, _ first: Look, textScale: Int = 1) throws {
    for look in first.inTurn { try Self.visit(width: width, height: height, look, animates: false, textScale: textScale) }
  }

  /// - Parameters:
  ///   - animates: whether transitions are drawn, as most desktops have them.
  ///   - textScale: how many times its usual size text has on the desktop.
  ///   - ownTextSize: what the person set besides, in percent.
  fileprivate static func visit(width: Int, height: Int, _ look: Look, animates: Bool, textScale: Int = 1, ownTextSize: Int = 100) throws {
    try MainActor.assumeIsolated {
      setting("gtk-xft-dpi", 1024 * 96 * textScale)
      defer { setting("gtk-xft-dpi", 1024 * 96) }
      Theme.use(look == .dark ? .dark : .light)
      let theme = setting("gtk-theme-name", look == .contrast ? "HighContrast" : "Adwaita")
      setting("gtk-enable-animations", animates)
      let name =
        "\(width)-\(look)\(animates ? "-moving" : "")\(textScale > 1 ? "-text-\(textScale)" : "")\(ownTextSize > 100 ? "-own-text" : "")"
      // Narrow with everything that takes room: the badge, and every way to pay.
      let rig = try AppRig(
        width: width, height: height, storeBadge: width < 600 ? "Test store: nothing is charged" : nil, addsFeeds: true)
      defer { Theme.useText(size: 1, articlesHaveSerifs: false) }
      rig.preferences.change {
        $0.textSize = ownTextSize
        $0.articleFont = ownTextSize > 100 ? .serif : .system
      }
      let visit = Visit(rig: rig, width: width, height: height, name: name)
      try visit.signIn()
      try visit.readAndWrite()
      try visit.buy()
      try visit.lookAround()
      try visit.addFeed()
      try visit.goOffline()
      try visit.end(animates: animates)
      try visitCurtain(after: rig, width: width, height: height, name)
      setting("gtk-theme-name", theme)
      Theme.use(.light)
    }
  }

  func testTheTesterPanelFits() throws {
    try MainActor.assumeIsolated {
      for look in Look.allCases {
        Theme.use(look == .dark ? .dark : .light)
        let theme = setting("gtk-theme-name", look == .contrast ? "HighContrast" : "Adwaita")
        let panel = TesterWindow(nil, makePanel(try makeStore(), Effects()))
        panel.toggle()
        let (watch, seen) = (FrameWatch(panel.window), Seen(panel.window))
        eventually("it is drawn") { seen.button("Stopped") != nil }
        panel.window.painted()
        checkFit(seen, width: 540, height: 720, least: 540, "\(look) tester")
        XCTAssertEqual(watch.tooLarge, [])
        try keepPicture(of: seen, "tester-\(look)")
        watch.scope.close()
        panel.close()
        setting("gtk-theme-name", theme)
      }
    }
  }
}

/// Text as large as a person can set it, with serifs. Its name has it come first: once a desktop's resolution has changed, GTK 4.8 measures
/// labels of other sizes a pixel wrong for the rest of the process, and complains of them.
final class LargestTextTests: ScreensTestCase {
  func testEveryScreenFits360Pixels() throws {
    for look in LookTests.Look.contrast.inTurn { try LookTests.visit(width: 360, height: 640, look, animates: false, ownTextSize: 200) }
  }
}

/// A start that nobody answers.
@MainActor private func visitCurtain(after former: AppRig, width: Int, height: Int, _ name: String) throws {
  let rig = try AppRig(width: width, height: height, after: former)
  let visit = Visit(rig: rig, width: width, height: height, name: name)
  rig.line.hold("POST /v1/session/refresh")
  rig.begin()
  rig.wait(for: "going on offline is offered") { rig.seen.button("Continue offline") != nil }
  rig.window.window.painted()
  let place = try XCTUnwrap(rig.seen.button("Continue offline")).place(in: rig.seen)
  XCTAssertLessThanOrEqual(place.y + place.height, rig.seen.height, "\(name): the offer is cut off")
  try visit.look("curtain-offer", settles: false)
  rig.line.isCut = true
  rig.line.release()
  rig.seen.button("Continue offline")?.click()
  eventually("the curtain lifts") { rig.shown == "feed" }
  try visit.look("feed-offline")
  try visit.end(animates: false)
  try visitNotice(after: rig, width: width, height: height, name)
}

/// A start while the publication is being maintained.
@MainActor private func visitNotice(after former: AppRig, width: Int, height: Int, _ name: String) throws {
  let rig = try AppRig(width: width, height: height, after: former)
  let visit = Visit(rig: rig, width: width, height: height, name: name)
  rig.line.isCut = false
  rig.line.isMaintained = true
  rig.begin()
  rig.wait(for: "the sheet") { rig.shown == "servicenotice" }
  try visit.look("notice")
  rig.line.isMaintained = false
  try XCTUnwrap(rig.seen.button("Try again")).click()
  eventually("it goes by itself") { rig.shown == "feed" }
  try visit.end(animates: false)
}

/// Checks that nothing is cut off at the sides, or drawn over something else, and that a window of the least width, and of the height that
/// this one is to have, has room for all of it.
@MainActor private func checkFit(
  _ seen: Seen, width: Int, height: Int, least: Int = 360, _ name: String, file: StaticString = #filePath, line: UInt = #line
) {
  let leastHeight = seen.leastHeight(width: width)
  XCTAssertLessThanOrEqual(leastHeight, height, "\(name) has to be higher: \(seen.highest(width: width))", file: file, line: line)
  // Where nothing composes windows, the frame is part of them.
  XCTAssertTrue((Double(width) - 12...Double(width)).contains(seen.width), "\(name): \(seen.width) wide", file: file, line: line)
  XCTAssertLessThanOrEqual(seen.leastWidth, least, "\(name) has to be wider: \(seen.widest)", file: file, line: line)
  for part in seen.all where part.enclosing("popover") == nil {
    if part.hasStyle("sheet") {
      let place = part.place(in: seen)
      XCTAssertLessThanOrEqual(place.x + place.width, Double(width), "\(name): the sheet is cut off", file: file, line: line)
    }
    if let child = part.childThatSticksOut {
      XCTFail("\(name): \(child.description) with \(child.texts) does not fit into \(part.description)", file: file, line: line)
    }
    guard let text = part.text, !text.isEmpty else { continue }
    let place = part.place(in: seen)
    XCTAssertGreaterThanOrEqual(place.x, 0, "\(name): \(text)", file: file, line: line)
    XCTAssertLessThanOrEqual(place.x + place.width, Double(width) + 0.5, "\(name): \(text)", file: file, line: line)
  }
}

@MainActor private func keepPicture(of seen: Seen, _ name: String) throws {
  guard let folder = ProcessInfo.processInfo.environment["MATINEE_PICTURES"] else { return }
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  seen.draw(into: "\(folder)/\(name).png")
}

/// The way through every screen.
@MainActor private struct Visit {
  let rig: AppRig
  let width: Int
  let height: Int
  let name: String
  let watch: FrameWatch

  init(rig: AppRig, width: Int, height: Int, name: String) {
    (self.rig, self.width, self.height, self.name) = (rig, width, height, name)
    watch = FrameWatch(rig.window.window)
  }

  func signIn() throws {
    try rig.start()
    try look("login")
    try openMenu("login-main") { rig.seen.mainMenu?.openMenu() }
    for (place, name) in [(Navigation.about, "about"), (.shortcuts, "shortcuts"), (.preferences, "preferences")] {
      try rig.go(place)
      XCTAssertEqual(rig.shown, name)
      try look(name)
      if place == .preferences { try openMenu(name + "-colors") { rig.seen.menus.first?.openMenu() } }
      rig.seen.all.first { $0.hasStyle("sheet") }?.scroll(to: 1)
      try look(name + "-end")
      try rig.go(.dismiss)
    }
    rig.seen.button("Sign in")?.click()
    try look("login-errors")
    if let way = rig.seen.button("Sign in with \(AppRig.providerName)") {
      try lookWhileWaiting(after: way, "login-waiting", "login-cancelled")
    }
    if let forgot = rig.seen.button("Forgot your password?") {
      rig.seen.entries.first?.type("reader@example.org")
      forgot.click()
      eventually("it is mailed") { rig.seen.button("Sign in with a password") != nil }
      try look("login-code")
      rig.seen.button("Sign in with a password")?.click()
    }
    try rig.signIn()
    try look("feed")
    rig.seen.scroll(to: 0.1)
    rig.seen.button("React")?.click()
    rig.seen.button("Bookmark")?.click()
    try look("feed-scrolled")
    try openMenu("feed-main") { rig.seen.press("F10") }
    try openMenu("feed-more") { rig.seen.button("More")?.click() }
  }

  /// Presses a button that opens a provider's page, and changes its mind.
  private func lookWhileWaiting(after button: Seen, _ waiting: String, _ cancelled: String) throws {
    button.click()
    rig.wait(for: "its page is waited for") { rig.seen.button("Cancel") != nil }
    rig.window.window.painted()
    try look(waiting, settles: false)
    rig.seen.button("Cancel")?.click()
    try look(cancelled)
  }

  func readAndWrite() throws {
    let (free, locked) = try XCTUnwrap(posts)
    try rig.go(.search("ro"))
    try look("search")
    try rig.go(.comments(free))
    rig.seen.textArea?.write("What a thought, and how it goes on over more than one line of a narrow window.")
    try look("comments-writing")
    rig.seen.button("Send")?.click()
    try look("comments")
    try openMenu("comments-delete") { rig.seen.button("Delete")?.click() }
    try rig.go(.notifications)
    rig.seen.switches.dropFirst().first?.flip()
    try look("notifications")
    try rig.go(.sessions)
    try look("sessions")
    if let add = rig.seen.button("Add") { try lookWhileWaiting(after: add, "sessions-adding", "sessions-cancelled") }
    try rig.go(.privacy)
    try look("privacy")
    try rig.go(.changePassword)
    try look("password")
    rig.seen.button("Change password")?.click()
    try look("password-errors")
    try rig.go(.dismiss)
    try rig.go(.post(free))
    try look("article")
    try openMenu("article-copy") { rig.seen.pressAtFocus("<Shift>F10") }
    rig.seen.scroll(to: 1)
    try look("article-end")
    try rig.go(.post(locked))
    rig.seen.scroll(to: 1)
    try look("article-locked")
  }

  func buy() throws {
    rig.seen.button("Unlock")?.click()
    try look("paywall")
    try rig.go(.payment(try XCTUnwrap(product)))
    try look("payment")
    rig.seen.button("Declined test card The bank says no.")?.click()
    rig.seen.button(payName)?.click()
    try look("payment-declined")
    if let card = rig.seen.buttonNames.first(where: { $0.hasPrefix("Test card to confirm") }) {
      rig.seen.button(card)?.click()
      // Another way to pay is not another try of the first.
      try XCTUnwrap(rig.seen.button(payName)).click()
      eventually("the bank asks") { rig.seen.button("Open your bank's page") != nil }
      try look("payment-to-confirm")
      try rig.go(.dismiss)
      try rig.go(.purchases(order: nil))
      eventually("it is listed") { rig.seen.button("Check now") != nil }
      try look("purchases-to-confirm")
      try rig.go(.back)
    } else {
      try rig.go(.dismiss)
    }
    try rig.go(.payment("passes.5"))
    rig.seen.button(payName)?.click()
    eventually("the passes are there") { rig.seen.buttonNames.contains { $0.hasPrefix("Unlock with a pass") } }
    try look("article-passes")
    try rig.go(.payment("premium.monthly"))
    try look("payment-monthly")
    rig.seen.button(payName)?.click()
    try rig.settle()
    try rig.go(.purchases(order: nil))
    try look("purchases")
  }

  func lookAround() throws {
    try rig.go(.tab(.fanClubs))
    try look("fanclubs")
    rig.seen.button("Follow")?.click()
    rig.seen.all.first { $0.text == clubName }?.enclosing("row")?.activate()
    try look("fanclub")
    try rig.go(.tab(.bookmarks))
    try look("bookmarks")
    try rig.go(.tab(.account))
    try look("account")
  }

  /// A feed comes, cannot be fetched again, and could go.
  func addFeed() throws {
    try rig.go(.addFeed(nil))
    try look("addfeed")
    for address in ["https://example.org/unknown", Web.feed] {
      try XCTUnwrap(rig.seen.entries.first).type(address)
      try XCTUnwrap(rig.seen.button("Add")).click()
      if address == Web.feed { try look("addfeed-adding") }
      rig.wait(for: "an answer") { rig.shown == "fanclub" || rig.seen.button("Add")?.isSensitive == true }
      if address != Web.feed { try look("addfeed-problem") }
    }
    try look("fanclub-added")
    try openMenu("fanclub-remove") { rig.seen.button("Remove feed…")?.click() }
    rig.web.isGone = true
    try rig.go(.tab(.home))
    // From the purchases, and what is beneath them.
    for _ in 0..<20 where rig.shown != "feed" { try rig.go(.back) }
    try openMenu("feed-choice") { rig.seen.menus.first?.openMenu() }
    rig.seen.button("Refresh")?.click()
    try look("feed-fetching")
    rig.wait(for: "it cannot be fetched") { rig.seen.says("The feed could not be fetched.") }
    try look("feed-not-fetched")
    try XCTUnwrap(rig.seen.button("Dismiss message")).click()
  }

  func goOffline() throws {
    rig.line.isCut = true
    try rig.go(.tab(.bookmarks))
    rig.seen.button("React")?.click()
    rig.seen.button("Refresh")?.click()
    try look("list-offline")
    try rig.go(.post(try XCTUnwrap(lastPost)))
    try look("article-opening")
    try rig.go(.signOut)
    try look("signout")
    rig.window.show(message: "Your reaction was not saved. The publication cannot be reached.")
    try look("message-sheet")
    try XCTUnwrap(rig.seen.button("Dismiss message")).click()
    try rig.go(.dismiss)
    try rig.go(.post("unknown"))
    try look("article-offline")
    rig.seen.button("Refresh")?.click()
    rig.window.show(message: "This link belongs to another publication, https://example.org, and cannot be opened here.")
    try look("message")
    rig.line.isCut = false
    rig.seen.button("Try again")?.click()
    try look("article-gone")
  }

  func end(animates: Bool) throws {
    XCTAssertEqual(watch.tooLarge, [], "\(name): textures of more than twice the window, in \(watch.frames) frames")
    if animates {
      XCTAssertGreaterThan(watch.transitions.count, 20, "\(name): \(watch.transitions)")
      // A busy machine and a sanitized program draw fewer of some.
      XCTAssertGreaterThan(watch.transitions.count { $0 > 2 }, 20, "\(name): frames of a transition: \(watch.transitions)")
      XCTAssertGreaterThan(watch.transitions.min() ?? 0, 0, "\(name): frames of a transition: \(watch.transitions)")
    }
    watch.scope.close()
    try rig.close()
  }

  private var screens: [Screen] { rig.screens }

  /// A free post and a locked one of the feed.
  private var posts: (free: String, locked: String)? {
    for case let feed as FeedViewModel in screens.map(\.model) {
      let rows = feed.state.posts.ids.compactMap { feed.row(for: $0) }
      if let free = rows.first(where: { !$0.isLocked }), let locked = rows.first(where: \.isLocked) { return (free.id, locked.id) }
    }
    return nil
  }
  /// The last post of the feed, which nobody opened.
  private var lastPost: String? {
    for case let feed as FeedViewModel in screens.map(\.model) { return feed.state.posts.ids.last }
    return nil
  }
  private var product: String? {
    for case let paywall as PaywallViewModel in screens.map(\.model) { return paywall.state.products.first?.id }
    return nil
  }
  private var payName: String {
    for case let payment as PaymentViewModel in screens.map(\.model) { return payment.state.payTitle }
    return "Pay"
  }
  private var clubName: String {
    for case let clubs as FanClubListViewModel in screens.map(\.model) {
      return clubs.state.clubs.ids.first.flatMap { clubs.row(for: $0)?.name } ?? ""
    }
    return ""
  }

  /// Opens a menu, or a question, and closes it again.
  private func openMenu(_ screen: String, by open: () -> Void, file: StaticString = #filePath, line: UInt = #line) throws {
    open()
    eventually("\(name) \(screen): it is open", file: file, line: line) { !rig.seen.popovers.isEmpty }
    try look(screen, file: file, line: line)
    let popover = try XCTUnwrap(rig.seen.popovers.first)
    watch.read(popover)
    for part in popover.all {
      guard let text = part.text, !text.isEmpty else { continue }
      let place = part.place(in: popover)
      XCTAssertTrue(place.x >= 0 && place.x + place.width <= popover.width, "\(name) \(screen): \(text)", file: file, line: line)
    }
    try keepPicture(of: popover, "\(screen)-menu-\(name)")
    popover.closePopover()
    eventually("\(name) \(screen): it is closed", file: file, line: line) { rig.seen.popovers.isEmpty }
  }

  /// Checks what is shown, and keeps a picture.
  func look(_ screen: String, settles: Bool = true, file: StaticString = #filePath, line: UInt = #line) throws {
    if settles { try rig.settle() }
    checkFit(rig.seen, width: width, height: height, "\(name) \(screen)", file: file, line: line)
    try keepPicture(of: rig.seen, "\(screen)-\(name)")
  }
}
