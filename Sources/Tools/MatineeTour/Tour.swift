import Driver
import Foundation

/// The way through the app, with a picture at each stop.
struct Tour {
  let app: AppDriver
  let folder: URL

  mutating func play(_ arguments: [String]) throws {
    try app.start(arguments)
    try app.waitForScreen("login")
    try picture("login")
    try app.press("Use the sample account")
    try app.waitForScreen("feed")
    try picture("feed")
  }

  private func picture(_ name: String) throws {
    let file = folder.appending(path: "\(name).png")
    try app.screenshot(to: file)
    print("  \(name).png")
  }
}
