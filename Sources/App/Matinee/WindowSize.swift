import AppCore
import Foundation
import Gtk

/// How large the window was when it was closed, in a file of the data folder. Read before the window is shown, so it is no database.
struct WindowSize: Codable {
  /// In pixels, as it is when it is not maximized.
  var width: Int
  var height: Int
  var isMaximized: Bool

  private static func file(in folder: String) -> URL { URL(filePath: folder).appending(path: "window.json") }

  /// The size that was saved; nil where there is none, or an invalid one.
  init?(savedIn folder: String) {
    guard let data = try? Data(contentsOf: Self.file(in: folder)), let saved = try? JSONDecoder().decode(Self.self, from: data),
      (1...20_000).contains(saved.width), (1...20_000).contains(saved.height)
    else { return nil }
    self = saved
  }

  /// What a window would open with if it were opened again now.
  @MainActor init(of window: Window) {
    (width, height) = window.unmaximizedSize
    isMaximized = window.isMaximized
  }

  /// - Throws: Foundation's error when the file cannot be written.
  func save(in folder: String) throws { try JSONEncoder().encode(self).write(to: Self.file(in: folder), options: .atomic) }

  /// Gives a window this size; it has to be one that is not shown yet.
  @MainActor func apply(to window: Window) {
    window.setUnmaximizedSize(width: width, height: height)
    if isMaximized { window.maximize() }
  }
}
