import Foundation
import MenuFeature
import NavigationCore
import PublicationAPI
import TestSupport
import XCTest

@testable import AppCore
@testable import Gtk
@testable import Screens

/// The window: shows what the tree says, whatever it was before.
final class MainWindowTests: ScreensTestCase {
  func testAnyTreeShowsItsTopAndNothingThatIsGone() throws {
    try MainActor.assumeIsolated {
      for seed in 1...5 as ClosedRange<UInt64> { try walk(seed: seed, steps: 60) }
    }
  }

  func testTheCurtainCoversEverything() throws {
    try MainActor.assumeIsolated {
      let rig = try WindowRig()
      rig.navigator.change { $0.reset(tabs: Tab.allCases.map(Destination.tab)) }
      rig.navigator.change { $0.present(.paywall("premium")) }
      rig.paint()
      let content = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("curtain") }).place(in: rig.seen)
      for x in stride(from: content.x + 4, to: content.x + content.width - 4, by: 60) {
        for y in stride(from: content.y + 4, to: content.y + content.height - 4, by: 60) {
          XCTAssertTrue(rig.seen.isHit(x, y, style: "curtain"), "\(x), \(y)")
        }
      }
      XCTAssertGreaterThan(content.width, 900)
      XCTAssertGreaterThan(content.height, 600)
      XCTAssertFalse(rig.seen.says("Home"), "no controls yet")
      for key in ["F5", "<Control>r"] { rig.seen.press(key) }
      XCTAssertEqual(rig.fixture.publication.requests, [])
      rig.navigator.change { $0.isCurtainDown = false }
      rig.paint()
      XCTAssertFalse(rig.seen.all.contains { $0.hasStyle("curtain") })
      XCTAssertFalse(rig.seen.isHit(content.x + 100, content.y + 100, style: "curtain"))
      rig.close()
    }
  }

  /// What is slow to draw, and what nobody sees, is left out of the first frame.
  func testTheFirstFrameIsTheCurtainAlone() throws {
    try MainActor.assumeIsolated {
      let rig = try WindowRig()
      XCTAssertFalse(rig.seen.says("Password"), "beneath the curtain")
      // The icons of the title bar are.
      XCTAssertEqual(RenderTree(of: rig.seen).textures.map(\.kind).filter { $0 != "color matrix" }, [])
      rig.navigator.change { $0.isCurtainDown = false }
      rig.paint()
      XCTAssertTrue(rig.seen.says("Password"))
      rig.close()
    }
  }

  func testTheTitleBarIsFilledAfterTheFirstFrame() throws {
    try MainActor.assumeIsolated {
      let rig = try WindowRig(shows: false)
      let probe = FrameProbe()
      rig.navigator.start()
      // Before the window's own.
      rig.window.window.onFrame(probe) { $0.frames.append(rig.seen.icons) }
      rig.window.show()
      rig.paint()
      rig.paint()
      XCTAssertEqual(probe.frames.first, [])
      XCTAssertEqual(probe.frames.last?.contains("window-close-symbolic"), true)
      probe.scope.close()
      rig.close()
    }
  }

  func testControlsAskForNavigationsAndChangeNothing() throws {
    try MainActor.assumeIsolated {
      let rig = try withAPost()
      let before = rig.seen.pixels
      for name in ["Back", "Fan clubs", "Home"] { try XCTUnwrap(rig.seen.button(name), name).click() }
      rig.paint()
      XCTAssertEqual(rig.requested, [.back, .tab(.fanClubs), .tab(.home)])
      XCTAssertTrue(rig.seen.pixels == before)
      for key in ["Escape", "<Alt>Left", "<Alt>4"] { XCTAssertTrue(rig.seen.press(key), key) }
      XCTAssertEqual(rig.requested.suffix(3), [.back, .back, .tab(.account)])
      let requested = rig.fixture.publication.requests.count
      for key in ["F5", "<Control>r"] { XCTAssertTrue(rig.seen.press(key), key) }
      rig.seen.button("Refresh")?.click()
      try rig.settle()
      XCTAssertEqual(rig.fixture.publication.requests.dropFirst(requested), ["GET /v1/posts/p1", "GET /v1/posts/p1", "GET /v1/posts/p1"])
      rig.close()
    }
  }

  func testASheetMovesNothingInTheTitleBar() throws {
    try MainActor.assumeIsolated {
      let rig = try withAPost()
      let names = ["Back", "Home", "Account", "Refresh", "Search"]
      @MainActor func controls() throws -> [Seen] { try names.map { try XCTUnwrap(rig.seen.button($0), $0) } }
      @MainActor func places() throws -> [String] { try controls().map { "\($0.place(in: rig.seen))" } }
      let before = try places()
      rig.navigator.change { $0.present(.paywall("premium")) }
      rig.paint()
      XCTAssertEqual(try places(), before)
      XCTAssertEqual(try controls().map(\.isSensitive), names.map { _ in false }, "the sheet has to be answered first")
      for key in Shortcut.search.keys { rig.seen.press(key) }
      XCTAssertEqual(rig.requested, [])
      rig.navigator.change { $0.dismiss() }
      rig.paint()
      XCTAssertEqual(try controls().map(\.isSensitive), names.map { _ in true })
      rig.close()
    }
  }

  func testTheMainMenuIsThereFromTheLoginOn() throws {
    try MainActor.assumeIsolated {
      let rig = try WindowRig()
      XCTAssertNil(rig.seen.mainMenu, "behind the curtain")
      XCTAssertFalse(rig.seen.press("F10"))
      rig.navigator.change { $0.isCurtainDown = false }
      rig.paint()
      XCTAssertTrue(rig.seen.press("F10"), "at the login")
      eventually("it is open") { !rig.seen.popovers.isEmpty }
      let menu = try XCTUnwrap(rig.seen.popovers.first)
      try XCTUnwrap(menu.button("Quit Ctrl+Q")).click()
      eventually("it is closed") { rig.seen.popovers.isEmpty }
      XCTAssertEqual(rig.requested, [.quit])
      for (name, navigation) in [("Keyboard shortcuts Ctrl+?", Navigation.shortcuts), ("About Matinee", .about)] {
        XCTAssertTrue(rig.seen.press("F10"))
        eventually("it is open") { !rig.seen.popovers.isEmpty }
        try XCTUnwrap(menu.button(name)).click()
        eventually("it is closed") { rig.seen.popovers.isEmpty }
        XCTAssertEqual(rig.requested.last, navigation)
      }
      for key in Shortcut.shortcuts.keys { XCTAssertTrue(rig.seen.press(key), key) }
      XCTAssertEqual(rig.requested.suffix(2), [.shortcuts, .shortcuts])
      rig.navigator.change {
        $0.reset(tabs: Tab.allCases.map(Destination.tab))
        $0.present(.paywall("premium"))
      }
      rig.paint()
      XCTAssertEqual(rig.seen.mainMenu?.isSensitive, false, "a sheet has to be answered first")
      rig.seen.press("F10")
      rig.paint()
      XCTAssertEqual(rig.seen.popovers.count, 0)
      rig.navigator.change { $0.dismiss() }
      rig.paint()
      XCTAssertEqual(rig.seen.mainMenu?.isSensitive, true)
      rig.close()
    }
  }

  func testTheKeyboardComesBackFromTheMainMenu() throws {
    try MainActor.assumeIsolated {
      let rig = try WindowRig()
      rig.navigator.change { $0.isCurtainDown = false }
      rig.paint()
      XCTAssertEqual(rig.seen.entries.first?.hasFocus, true)
      for _ in 1...2 {
        XCTAssertTrue(rig.seen.press("F10"))
        eventually("it is open") { !rig.seen.popovers.isEmpty }
        XCTAssertEqual(rig.seen.entries.first?.hasFocus, false)
        rig.seen.popovers.first?.closePopover()
        eventually("it is back") { rig.seen.entries.first?.hasFocus == true }
      }
      rig.close()
    }
  }

  /// It stays on the tabs while a person moves along them, and goes to a page that a link opens meanwhile.
  func testTheKeyboardLeavesTheTabsForAPageOfALink() throws {
    try MainActor.assumeIsolated {
      let rig = try WindowRig()
      rig.navigator.change {
        $0.isCurtainDown = false
        $0.reset(tabs: Tab.allCases.map(Destination.tab))
      }
      try rig.settle()
      XCTAssertEqual(rig.seen.button("Home")?.focus(), true)
      rig.navigator.change { $0.select(tab: 1) }
      try rig.settle()
      XCTAssertEqual(rig.seen.button("Fan clubs")?.hasFocus, true)
      rig.navigator.change { $0.open(.post("p1")) }
      try rig.settle()
      XCTAssertEqual(rig.seen.button("Fan clubs")?.hasFocus, false)
      rig.close()
    }
  }

  func testASheetAboveTheLoginGivesTheKeyboardBackToIt() throws {
    try MainActor.assumeIsolated {
      let rig = try WindowRig()
      rig.navigator.change { $0.isCurtainDown = false }
      rig.paint()
      XCTAssertEqual(rig.seen.entries.first?.hasFocus, true)
      rig.navigator.change { $0.present(.about) }
      rig.paint()
      XCTAssertEqual(rig.window.shownName, "about")
      XCTAssertTrue(rig.seen.says("GTK 4.8.3"))
      XCTAssertEqual(rig.seen.button("Close")?.hasFocus, true)
      XCTAssertTrue(rig.seen.press("Escape"))
      XCTAssertEqual(rig.requested, [.back])
      rig.navigator.change { $0.back() }
      rig.paint()
      XCTAssertEqual(rig.window.shownName, "login")
      XCTAssertEqual(rig.seen.entries.first?.hasFocus, true)
      rig.close()
    }
  }

  func testASheetTakesTheKeysAndGivesThemBack() throws {
    try MainActor.assumeIsolated {
      let rig = try WindowRig()
      rig.navigator.change {
        $0.isCurtainDown = false
        $0.reset(tabs: Tab.allCases.map(Destination.tab))
        $0.present(.paywall("premium"))
        $0.present(.payment("monthly"))
      }
      rig.paint()
      XCTAssertNil(rig.seen.button("Back"))
      XCTAssertNil(rig.seen.button("Refresh"))
      XCTAssertEqual(rig.seen.button("Fan clubs")?.isSensitive, false)
      XCTAssertTrue(rig.seen.press("Escape"))
      XCTAssertEqual(rig.requested, [.back], "once, not by the sheet and by the window")
      rig.navigator.change { $0.back() }
      rig.paint()
      XCTAssertEqual(rig.window.shownName, "paywall", "the one beneath comes back")
      rig.navigator.change { $0.back() }
      rig.paint()
      XCTAssertEqual(rig.window.shownName, "feed")
      XCTAssertEqual(rig.seen.button("Fan clubs")?.isSensitive, true)
      rig.close()
    }
  }

  func testASheetThatWasOpenedBehindTheCurtainComesWithTheNextChange() throws {
    try MainActor.assumeIsolated {
      let rig = try WindowRig()
      rig.navigator.change {
        $0.reset(tabs: Tab.allCases.map(Destination.tab))
        $0.present(.paywall("premium"))
      }
      rig.navigator.change { $0.isCurtainDown = false }
      rig.paint()
      XCTAssertEqual(rig.window.shownName, "paywall")
      rig.close()
    }
  }

  func testAMessageIsShownAboveTheSheetUntilItIsDismissed() throws {
    try MainActor.assumeIsolated {
      let rig = try WindowRig()
      rig.navigator.change {
        $0.isCurtainDown = false
        $0.reset(tabs: Tab.allCases.map(Destination.tab))
        $0.present(.paywall("premium"))
      }
      rig.navigator.show(message: "One <b>thing</b> & another.")
      rig.paint()
      let text = try XCTUnwrap(rig.seen.label("One <b>thing</b> & another."))
      let place = text.place(in: rig.seen)
      XCTAssertTrue(rig.seen.isHit(place.x + 4, place.y + 4, style: "message-bar"))
      rig.seen.button("Dismiss message")?.click()
      rig.paint()
      XCTAssertNil(rig.seen.label("One <b>thing</b> & another."))
      rig.close()
    }
  }

  func testTheFirstFrameShowsTheCurtainAndOnlyChangesAreTold() throws {
    try MainActor.assumeIsolated {
      let rig = try WindowRig(shows: false)
      rig.navigator.start()
      let painted = Told()
      rig.window.onFrameShows = { painted.names.append($0) }
      Task {
        await rig.window.firstFrame()
        painted.names.append("first frame")
      }
      rig.window.show()
      eventually("the first frame") { painted.names.contains("first frame") }
      rig.navigator.change { $0.isCurtainDown = false }
      rig.paint()
      rig.navigator.change { $0.reset(tabs: Tab.allCases.map(Destination.tab)) }
      rig.paint()
      rig.paint()
      XCTAssertEqual(painted.names, ["curtain", "first frame", "login", "feed"])
      rig.close()
    }
  }

  func testClosingIsAskedForAndNotDone() throws {
    try MainActor.assumeIsolated {
      let rig = try WindowRig()
      rig.window.window.close()
      rig.paint()
      XCTAssertEqual(rig.requested, [.quit])
      XCTAssertTrue(rig.window.window.isMapped)
      rig.close()
    }
  }
}

/// The window of somebody who reads a post.
@MainActor private func withAPost() throws -> WindowRig {
  let rig = try WindowRig()
  rig.navigator.change {
    $0.isCurtainDown = false
    $0.reset(tabs: Tab.allCases.map(Destination.tab))
    $0.open(.post("p1"))
  }
  try rig.settle()
  return rig
}

@MainActor private final class Told { var names: [String] = [] }

/// Changes a tree at random and compares what is shown with what it says.
@MainActor private func walk(seed: UInt64, steps: Int) throws {
  var chance = Chance(seed)
  let rig = try WindowRig()
  let navigator = rig.navigator
  for step in 1...steps {
    navigator.change { change(&$0, &chance) }
    let tree = navigator.tree
    let what = "seed \(seed), step \(step): \(tree)"
    XCTAssertEqual(rig.window.shownName, tree.isCurtainDown ? "curtain" : tree.top.destination.name, what)
    let page = tree.isCurtainDown ? nil : tree.tabs.isEmpty ? nil : tree.tabs[tree.selectedTab].last
    let isDeep = page.map { $0.id != tree.tabs[tree.selectedTab].first?.id } ?? false
    XCTAssertEqual(rig.seen.button("Back") != nil, isDeep, what)
    XCTAssertEqual(rig.seen.button("Refresh") != nil, page.flatMap(navigator.screen)?.canRefresh == true, what)
    XCTAssertEqual(rig.seen.button("Search")?.isSensitive, page == nil ? nil : tree.sheets.isEmpty, what)
    XCTAssertEqual(rig.seen.button("Home") != nil, !tree.isCurtainDown && !tree.tabs.isEmpty, what)
    XCTAssertEqual(rig.seen.all.count { $0.hasStyle("sheet") }, tree.sheets.last.flatMap(navigator.screen) == nil ? 0 : 1, what)
    guard step.isMultiple(of: 6) else { continue }
    try rig.settle()
    if case .post(let id) = tree.top.destination, !tree.isCurtainDown { XCTAssertTrue(rig.seen.says("Title \(id.dropFirst())"), what) }
    let open = tree.nodes.count { navigator.screen($0) != nil }
    eventually("only open screens live, \(what)") { rig.liveModels == open }
  }
  rig.close()
}

@MainActor private func change(_ tree: inout NavigationTree<Destination>, _ chance: inout Chance) {
  switch Int.random(in: 0..<20, using: &chance) {
  case 0: tree.isCurtainDown.toggle()
  case 1: tree.reset(tabs: [])
  case 2, 3: tree.reset(tabs: Tab.allCases.map(Destination.tab))
  case 4...7: tree.open(.post("p\(Int.random(in: 1...3, using: &chance))"))
  case 8, 9: tree.open(.fanClub("c\(Int.random(in: 1...2, using: &chance))"))
  case 10...12: tree.select(tab: Int.random(in: 0..<4, using: &chance))
  case 13: tree.present(.paywall("premium"))
  case 14: tree.present(.payment("monthly"))
  case 15: tree.dismiss()
  case 16:
    // Several at once, as a link does that was waiting for the curtain.
    tree.isCurtainDown = false
    tree.reset(tabs: Tab.allCases.map(Destination.tab))
    tree.open(.post("p1"))
    tree.present(.paywall("premium"))
  default: tree.back()
  }
}

/// The window alone, over a navigator that a test changes itself.
@MainActor private final class WindowRig {
  let window: MainWindow
  let navigator: Navigator<Destination, Screen>
  private(set) var requested: [Navigation] = []
  private let reader: ReaderRig
  private let models = Models()

  private final class Models { var all: [() -> AnyObject?] = [] }

  init(shows: Bool = true) throws {
    let reader = ReaderRig(posts: (1...3).map { .sample($0) }, clubs: [.sample("c1"), .sample("c2")])
    let models = models
    let clock = reader.fixture.clock
    window = MainWindow(
      nil, curtain: CurtainViewModel(effects: reader.fixture.effects, clock: clock), pictures: reader.pictures,
      preferences: reader.preferences)
    navigator = Navigator(root: .login, presenter: window) { destination in
      let screen = reader.screen(destination)
      models.all.append { [weak model = screen.model] in model }
      return screen
    }
    self.reader = reader
    window.perform = { [weak self] in self?.requested.append($0) }
    guard shows else { return }
    navigator.start()
    window.show()
    paint()
  }

  var fixture: ReaderFixture { reader.fixture }
  var seen: Seen { Seen(window.window) }
  var liveModels: Int { models.all.count { $0() != nil } }

  func paint() { window.window.painted() }
  func settle() throws {
    try reader.settle()
    paint()
  }
  func close() {
    window.window.destroy()
    reader.close()
  }
}

/// SplitMix64 of Sebastiano Vigna: the same numbers for a seed everywhere.
private struct Chance: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// The icons of each frame.
@MainActor private final class FrameProbe: SignalOwner {
  let scope = Scope()
  var frames: [[String]] = []
}
