import Foundation
import MenuFeature
import Testing

@Suite struct ShortcutTests {
  @Test func keysReadAsTheyArePrintedOnKeyboards() {
    #expect(Shortcut.tabs.labels == ["Alt+1", "Alt+2", "Alt+3", "Alt+4"])
    #expect(Shortcut.back.labels == ["Alt+Left", "Escape"])
    #expect(Shortcut.testerPanel.labels == ["Ctrl+Shift+T"])
    #expect(Shortcut.sendComment.labels == ["Ctrl+Enter"])
    #expect(Shortcut.scroll.labels == ["Space", "Shift+Space", "Page Up", "Page Down", "Home", "End"])
  }

  @Test func noKeyDoesTwoThings() {
    let keys = Shortcut.allCases.flatMap(\.keys)
    #expect(Set(keys).count == keys.count)
  }

  /// The manual prints the table: all of it, in its order, in its words.
  @Test func theReadersManualListsTheTable() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let manual = try String(contentsOf: root.appending(path: "docs/readers.md"), encoding: .utf8)
    let chapter = try #require(manual.components(separatedBy: "\n## Keys\n").last?.components(separatedBy: "\n## ").first)
    let rows = chapter.split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2).map { row in
      // A link is its words.
      row.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.output.1) }
    }
    #expect(
      rows
        == Shortcut.Group.allCases.flatMap { group in
          Shortcut.allCases.filter { $0.group == group }.map { "| \($0.labels.joined(separator: ", ")) | \($0.action) |" }
        })
  }
}
