import AppCore
import CGtk
import FeatureKit
import Foundation
import MenuFeature
import TestSupport
import XCTest

@testable import Gtk
@testable import Screens

/// What the main menu leads to.
final class MenuScreensTests: ScreensTestCase {
  func testAboutSaysWhatItIsMadeOfAndCanBeCopied() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let seen = try rig.show(.about)
      for text in [
        "Version 1.2.3 (4.0.abc)", "Apache License 2.0 (Apache-2.0)", "GTK 4.8.3", "SQLite 3.40.1", "/home/reader/data",
      ] { XCTAssertTrue(seen.says(text), text) }
      for name in ["Read the license", "Open folder", "Homepage", "Report a problem", "Close"] {
        try XCTUnwrap(seen.button(name), name).click()
      }
      XCTAssertEqual(
        rig.outputs,
        [
          "openWeb(\"https://www.apache.org/licenses/LICENSE-2.0\")", "openFolder(\"/home/reader/data\")",
          "openWeb(\"https://matinee.org\")", "openWeb(\"https://matinee.org/issues\")", "close",
        ])
      XCTAssertEqual(seen.button("Close")?.focus(), true)
      for key in ["<Control>a", "<Control>c"] { XCTAssertTrue(seen.pressAtFocus(key), key) }
      let copied = try XCTUnwrap(seen.copied)
      for part in ["Version 1.2.3 (4.0.abc)", "GTK 4.8.3\nSQLite 3.40.1", "/home/reader/data"] {
        XCTAssertTrue(copied.contains(part), "\(part) is not in \(copied)")
      }
      rig.close()
    }
  }

  func testThePathOfAFolderIsReadableInANarrowWindow() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(width: 360, height: 640)
      let path = "/home/reader/.local/share/matinee/at/" + String(repeating: "long-name-of-a-publication.", count: 5)
      let seen = try rig.show(Screen(AboutViewModel(.init(version: "1.2.3", dataFolder: path)) { _ in }))
      let label = try XCTUnwrap(seen.label(path))
      XCTAssertFalse(label.isCut)
      XCTAssertGreaterThan(label.lines.count, 2)
      XCTAssertLessThanOrEqual(seen.leastWidth, 360 - 2 * 36)
      rig.close()
    }
  }

  func testAboutHasNoButtonsThatLeadNowhere() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let about = AboutViewModel(.init(version: "1.2.3")) { _ in }
      let seen = try rig.show(Screen(about))
      for name in ["Open folder", "Homepage", "Report a problem"] { XCTAssertNil(seen.button(name), name) }
      rig.close()
    }
  }

  func testEveryKeyIsListed() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let seen = try rig.show(.shortcuts)
      for shortcut in Shortcut.allCases {
        XCTAssertTrue(seen.says(shortcut.action), shortcut.action)
        XCTAssertTrue(seen.says(shortcut.labels.joined(separator: ", ")), "\(shortcut.labels)")
      }
      try XCTUnwrap(seen.button("Close")).click()
      XCTAssertEqual(rig.outputs, ["close"])
      rig.close()
    }
  }

  func testNotificationsStandBelowAHeadingOfTheirOwnAndThePercentSignBehindItsNumber() throws {
    try MainActor.assumeIsolated {
      defer { gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR) }
      for direction in [GTK_TEXT_DIR_LTR, GTK_TEXT_DIR_RTL] {
        gtk_widget_set_default_direction(direction)
        let rig = ReaderRig()
        let seen = try rig.show(.preferences)
        let texts = seen.texts
        let place = try XCTUnwrap(texts.firstIndex(of: "Notifications…"))
        XCTAssertEqual(texts[place - 1], "New posts", "\(texts)")
        let size = try XCTUnwrap(seen.label("100%"))
        XCTAssertLessThan(try XCTUnwrap(size.place(of: "100")), try XCTUnwrap(size.place(of: "%")))
        rig.close()
      }
    }
  }

  func testPreferencesShowTheStateAndNothingElse() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let screen = rig.screen(.preferences)
      let seen = try rig.show(screen)
      guard let model = screen.model as? PreferencesViewModel else { return XCTFail("no preferences") }
      XCTAssertTrue(seen.says("100%"))
      try XCTUnwrap(seen.button("A+")).click()
      XCTAssertTrue(seen.says("110%"))
      try XCTUnwrap(seen.button("110%")).click()
      XCTAssertTrue(seen.says("100%"))
      XCTAssertEqual(seen.button("100%")?.isSensitive, false)
      for (menu, choice) in zip(seen.menus, ["Dark", "Wide", "With serifs", "64 MiB at most", "1 GiB at most"]) {
        menu.openMenu()
        eventually("it is open") { !seen.popovers.isEmpty }
        try XCTUnwrap(seen.popovers.first?.button(choice), choice).click()
        eventually("it is closed") { seen.popovers.isEmpty }
        XCTAssertTrue(seen.says(choice), choice)
      }
      var expected = Preferences.Values()
      (expected.appearance, expected.articleWidth, expected.articleFont) = (.dark, .wide, .serif)
      (expected.pictureLimit, expected.contentLimit) = (64, 1024)
      XCTAssertEqual(model.state.values, expected)
      XCTAssertEqual(seen.all.filter { $0.isButton && $0.texts == ["Clear"] }.map(\.isSensitive), [false, false])
      for name in ["Notifications…", "Close"] { try XCTUnwrap(seen.button(name), name).click() }
      XCTAssertEqual(rig.outputs, ["openNotifications", "close"])
      rig.close()
    }
  }

  func testTextGrowsByKeysOnEveryPageAndBehindSheets() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      defer { Theme.useText(size: 1, articlesHaveSerifs: false) }
      try rig.start()
      @MainActor func height() -> Double { rig.seen.label("Email").map { $0.height } ?? 0 }
      let usual = height()
      for key in ["<Control>plus", "<Control>equal", "<Control>KP_Add"] { XCTAssertTrue(rig.seen.press(key), key) }
      rig.window.window.painted()
      XCTAssertEqual(rig.preferences.values.textSize, 150)
      XCTAssertEqual(height() / usual, 1.5, accuracy: 0.15)
      XCTAssertEqual(Theme.textScale, 1.5, accuracy: 0.01)
      try rig.go(.about)
      XCTAssertTrue(rig.seen.press("<Control>minus"))
      try rig.go(.dismiss)
      XCTAssertEqual(height() / usual, 1.25, accuracy: 0.15)
      XCTAssertTrue(rig.seen.press("<Control>0"))
      rig.window.window.painted()
      XCTAssertEqual(height(), usual)
      try rig.close()
    }
  }

  /// The desktop's size counts too, also when it changes later.
  func testOnesOwnTextSizeIsOnTopOfTheDesktops() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let seen = try rig.show(.about)
      defer {
        setting("gtk-xft-dpi", 1024 * 96)
        Theme.useText(size: 1, articlesHaveSerifs: false)
      }
      @MainActor func height() -> Double { seen.label("License").map { $0.height } ?? 0 }
      let usual = height()
      Theme.useText(size: 1.5, articlesHaveSerifs: false)
      rig.window.painted()
      XCTAssertEqual(height() / usual, 1.5, accuracy: 0.15)
      setting("gtk-xft-dpi", 1024 * 96 * 2)
      rig.window.painted()
      XCTAssertEqual(height() / usual, 3, accuracy: 0.2)
      XCTAssertEqual(Theme.textScale, 3, accuracy: 0.01)
      rig.close()
    }
  }

  /// While it is removed the button cannot be pressed, and would take the keyboard with it.
  func testTheKeyboardStaysBesideWhatWasCleared() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      try rig.go(.preferences)
      @MainActor func clear() -> Seen? { rig.seen.all.first { $0.isButton && $0.texts == ["Clear"] && $0.isSensitive } }
      eventually("it can be cleared") { clear() != nil }
      let button = try XCTUnwrap(clear())
      XCTAssertTrue(button.focus())
      button.click()
      XCTAssertFalse(button.isSensitive)
      XCTAssertTrue(rig.seen.all.contains { $0.isFocus && $0.texts.contains { $0.hasSuffix("at most") } }, "on a limit")
      try rig.settle()
      try rig.close()
    }
  }

  /// The keys that scroll reach it, whatever opened it.
  func testTheListOfKeysIsScrolledByKeys() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 600, height: 400)
      try rig.start()
      XCTAssertTrue(rig.seen.press("F1"))
      try rig.settle()
      let sheet = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("sheet") })
      let before = sheet.position
      XCTAssertTrue(rig.seen.pressAtFocus("End"))
      eventually("it is scrolled") { sheet.position > before + 100 }
      try rig.close()
    }
  }

  /// What opens above a page is no smaller than the page.
  func testMenusGrowWithText() throws {
    try MainActor.assumeIsolated {
      defer { Theme.useText(size: 1, articlesHaveSerifs: false) }
      let rig = try AppRig()
      try rig.start()
      @MainActor func width() throws -> Double {
        XCTAssertTrue(rig.seen.press("F10"))
        eventually("the menu is open") { !rig.seen.popovers.isEmpty }
        let popover = try XCTUnwrap(rig.seen.popovers.first)
        rig.window.window.painted()
        let width = try XCTUnwrap(popover.label("Ctrl+,")).width
        popover.closePopover()
        eventually("the menu is closed") { rig.seen.popovers.isEmpty }
        return width
      }
      let usual = try width()
      Theme.useText(size: 2, articlesHaveSerifs: false)
      XCTAssertEqual(try width() / usual, 2, accuracy: 0.1)
      try rig.close()
    }
  }

  func testPicturesInitialsAndIconsGrowWithText() throws {
    try MainActor.assumeIsolated {
      defer { Theme.useText(size: 1, articlesHaveSerifs: false) }
      let rig = ReaderRig(clubs: [.sample("c1")])
      let clubs = try rig.show(.tab(.fanClubs))
      let account = try rig.show(.tab(.account))
      @MainActor func sizes() throws -> [Double] {
        let initials = try XCTUnwrap(clubs.all.first { $0.hasStyle("initials") })
        let frame = try XCTUnwrap(clubs.all.first { $0.hasStyle("picture-frame") })
        let icon = try XCTUnwrap(account.all.first { $0.hasStyle("large-icon") })
        return [frame.width, initials.height, icon.place(in: account).height]
      }
      let usual = try sizes()
      Theme.useText(size: 1.5, articlesHaveSerifs: false)
      try rig.settle()
      for (size, usual) in zip(try sizes(), usual) { XCTAssertEqual(size / usual, 1.5, accuracy: 0.15) }
      Theme.useText(size: 1, articlesHaveSerifs: false)
      try rig.settle()
      for (size, usual) in zip(try sizes(), usual) { XCTAssertEqual(size, usual, accuracy: 1) }
      rig.close()
    }
  }

  func testPicturesOfAnArticleAreAsWideAsItsLines() throws {
    try MainActor.assumeIsolated {
      let (large, small) = (Samples.picture(side: 600), Samples.picture(side: 120))
      let server = PictureServer { $0 == "/small" ? small : large }
      let body = #"<p>Text.</p><img src="http://127.0.0.1/large" width="900" height="900">"#
      let rig = ReaderRig(posts: [.pictured(1, "/large", body: body), .pictured(2, "/small")], pictureServer: server, width: 1600)
      @MainActor func widths(_ article: Seen) throws -> [Double] {
        try rig.settle()
        return article.all.filter { $0.hasStyle("picture-frame") }.map(\.width)
      }
      let article = try rig.show(.post("p1"))
      XCTAssertEqual(try widths(article), [720 - 48, 720 - 48])
      // The text asks for 900 pixels, and the picture above it takes what the lines have.
      rig.preferences.change { $0.articleWidth = .wide }
      XCTAssertEqual(try widths(article), [1000 - 48, 900])
      rig.preferences.change { $0.articleWidth = .narrow }
      XCTAssertEqual(try widths(article), [560 - 48, 560 - 48])
      // One that would be blurred has its own size.
      XCTAssertEqual(try widths(rig.show(.post("p2"))), [120])
      rig.close()
    }
  }

  func testArticlesAreAsWideAsIsSetAndInTheFontThatIsSet() throws {
    try MainActor.assumeIsolated {
      defer { Theme.useText(size: 1, articlesHaveSerifs: false) }
      let text = Array(repeating: "Some words that go on.", count: 60).joined(separator: " ")
      let rig = ReaderRig(posts: [.sample(1, body: "<p>\(text)</p><pre>let x = 1</pre>")], width: 1600)
      let article = try rig.show(.post("p1"))
      let paragraph = try XCTUnwrap(article.label(text))
      @MainActor func width() -> Double {
        rig.window.painted()
        return paragraph.width
      }
      let medium = width()
      XCTAssertEqual(medium, 720 - 48, accuracy: 2)
      rig.preferences.change { $0.articleWidth = .narrow }
      XCTAssertEqual(width(), 560 - 48, accuracy: 2)
      rig.preferences.change { $0.articleWidth = .wide }
      XCTAssertEqual(width(), 1000 - 48, accuracy: 2)
      rig.preferences.change { $0.textSize = 125 }
      XCTAssertEqual(width(), 1250 - 48, accuracy: 2)
      let code = try XCTUnwrap(article.label("let x = 1"))
      let sans = (paragraph.fontFamily, code.fontFamily)
      Theme.useText(size: 1, articlesHaveSerifs: true)
      rig.window.painted()
      XCTAssertEqual(paragraph.fontFamily, "serif")
      XCTAssertEqual(article.label("Title 1")?.fontFamily, "serif")
      XCTAssertNotEqual(sans.0, "serif")
      XCTAssertEqual(code.fontFamily, sans.1, "code stays as it is")
      rig.close()
    }
  }

  func testColorsFollowAtOnceUnlessTheStartSaidOthers() throws {
    MainActor.assumeIsolated {
      defer { Theme.use(.light) }
      let rig = ReaderRig()
      for (started, expected) in [(nil, [Theme.Scheme.light, .dark, .desktop]), (Appearance.dark, [.dark, .dark, .dark])] {
        let preferences = Preferences(startAppearance: started)
        let curtain = CurtainViewModel(effects: rig.fixture.effects, clock: rig.fixture.clock)
        let window = MainWindow(nil, curtain: curtain, pictures: rig.pictures, preferences: preferences)
        var schemes: [Theme.Scheme] = []
        for appearance in [Appearance.light, .dark, .system] {
          preferences.change { $0.appearance = appearance }
          schemes.append(Theme.scheme)
        }
        XCTAssertEqual(schemes, expected)
        window.window.destroy()
      }
      rig.close()
    }
  }

  /// What GTK does not understand would be bound to nothing.
  func testGTKUnderstandsEveryKey() throws {
    MainActor.assumeIsolated {
      let owner = Window(nil, title: "Test")
      let keys = KeyOwner()
      for key in Shortcut.allCases.flatMap(\.keys) { XCTAssertNotNil(owner.addShortcut(key, keys) { _ in }, key) }
      keys.scope.close()
      owner.destroy()
    }
  }
}

@MainActor private final class KeyOwner: SignalOwner { let scope = Scope() }
