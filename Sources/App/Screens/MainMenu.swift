import Gtk
import MenuFeature

/// The menu at the end of the title bar: entries about the app as a whole. A click only reports.
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
  /// Called with the choice.
  var onChosen: ((Item) -> Void)?
  /// What had the keyboard when a key opened the menu.
  private var focus: RememberedFocus?

  init() {
    let lines = Box(.vertical, spacing: 2)
    let popover = Popover(lines)
    root = MenuButton(icon: .menu, name: "Main menu", popover: popover)
    for item in Item.allCases { lines.append(line(item)) }
    // Not at once: the toolkit gives the keyboard to the button after it.
    popover.onHidden(self) { menu in MainLoop.after(seconds: 0) { [weak menu] in menu?.restoreFocus() } }
  }

  /// Opens it by a key; the keyboard comes back to where it was.
  /// - Parameter page: what the keyboard is in.
  func open(from page: Widget) {
    focus = RememberedFocus(in: page)
    root.open()
  }

  /// The toolkit would leave the keyboard on the button.
  private func restoreFocus() {
    focus?.restore()
    focus = nil
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
      menu.restoreFocus()
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
