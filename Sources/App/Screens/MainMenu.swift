import Gtk
import MenuFeature

/// The menu at the end of the title bar: what concerns the app and no page of it. A click only reports.
@MainActor final class MainMenu: SignalOwner {
  /// A line of the menu.
  enum Item: CaseIterable {
    case preferences, shortcuts, about, quit

    var title: String {
      switch self {
      case .preferences: "Preferences"
      case .shortcuts: "Keyboard shortcuts"
      case .about: "About Matinee"
      case .quit: "Quit"
      }
    }

    /// The keys that do the same.
    var shortcut: Shortcut? {
      switch self {
      case .preferences: .preferences
      case .shortcuts: .shortcuts
      case .about: nil
      case .quit: .quit
      }
    }
  }

  let scope = Scope()
  let root: MenuButton
  /// Told what was chosen.
  var onChosen: ((Item) -> Void)?

  init() {
    let lines = Box(.vertical, spacing: 2)
    root = MenuButton(icon: .menu, name: "Main menu", popover: Popover(lines), isPrimary: true)
    for item in Item.allCases { lines.append(line(item)) }
  }

  private func line(_ item: Item) -> Button {
    let title = Label(item.title)
    title.expandsHorizontally = true
    let words = Box(.horizontal, spacing: 24, children: [title])
    if let key = item.shortcut?.labels.first { words.append(Label(key, styles: [.caption, .dim])) }
    let button = Button(words, name: item.title, styles: [.flat, "menu-item"])
    button.contentAlignment = .fill
    button.onClicked(self) { menu in
      // First, so that the keyboard is back on the page that a sheet will cover.
      menu.root.close()
      menu.onChosen?(item)
    }
    return button
  }
}

extension Widget {
  /// Binds all keys of a shortcut.
  func addShortcut<Owner: SignalOwner>(
    _ shortcut: Shortcut, _ owner: Owner, when isFor: @escaping @MainActor (Owner) -> Bool = { _ in true },
    _ body: @escaping @MainActor (Owner) -> Void
  ) {
    for key in shortcut.keys + shortcut.aliases { addShortcut(key, owner, when: isFor, body) }
  }
}
