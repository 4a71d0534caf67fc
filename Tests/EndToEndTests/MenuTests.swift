import Driver
import Foundation
import XCTest

/// The main menu, by keyboard, with nobody signed in.
final class MenuTests: EndToEndCase {
  func testTheMenuLeadsToWhatTheAppIsMadeOf() throws {
    try app.start()
    try app.waitForScreen("login")
    try app.key("F10")
    try app.press("About Matinee")
    try app.waitForScreen("about")
    for library in ["GTK 4.", "GLib 2.", "libcurl ", "SQLite 3.", "OpenSSL 3.", "libxml2 2.", "libsecret 0."] {
      try app.waitForText(library)
    }
    try app.waitForText("Apache License 2.0 (Apache-2.0)")
    // Not above a sheet: the next key would close the menu.
    try app.key("F10")
    try app.key("Escape")
    try app.waitForScreen("login")
    try app.key("F1")
    try app.waitForScreen("shortcuts")
    try app.waitForText("Ctrl+?, F1")
    // The window has a button of this name too.
    try app.press("Close", in: app.find(.dialog, "Keyboard shortcuts"))
    try app.key("ctrl+comma")
    try app.waitForScreen("preferences")
  }

  func testWhatIsSetIsThereAtTheNextStart() throws {
    let folder = app.home.appending(path: "data")
    try app.start(["--data", folder.path])
    try app.waitForScreen("login")
    for key in ["ctrl+plus", "ctrl+equal"] { try app.key(key) }
    try app.key("ctrl+comma")
    try app.waitForText("125%")
    try app.key("Escape")
    try app.key("ctrl+q")
    try app.waitForEnd()
    let file = folder.appending(path: "preferences.json")
    XCTAssertTrue(try String(contentsOf: file, encoding: .utf8).contains("\"textSize\" : 125"))
    try Data("damaged".utf8).write(to: file)
    try app.start(["--data", folder.path])
    try app.waitForText("The file with your preferences was damaged")
    try app.key("ctrl+comma")
    try app.waitForText("100%")
  }
}
