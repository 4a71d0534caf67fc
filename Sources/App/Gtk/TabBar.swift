/// Buttons to choose one of a few pages. A click only reports: what is chosen is set from a state.
@MainActor public final class TabBar<ID: Hashable & Sendable>: View {
  /// One page to choose.
  public struct Tab {
    let id: ID
    let title: String
    let icon: Icon

    /// - Parameter title: shown beside the icon, and the tab's name.
    public init(_ id: ID, title: String, icon: Icon) {
      self.id = id
      self.title = title
      self.icon = icon
    }
  }

  /// Ends the bar's own connections with the bar.
  public let scope = Scope()
  /// What goes into the window.
  public var root: Widget { either }
  /// Called with what was clicked.
  public var onSelected: (@MainActor (ID) -> Void)?
  /// The page that is shown; nil marks none.
  public var selected: ID? {
    didSet { for (id, button) in buttons { mark(button, id == selected) } }
  }

  private let either: Either
  private var buttons: [(ID, Button)] = []

  /// - Parameter name: what the pages are, for screen readers.
  public init(_ tabs: [Tab], name: String) {
    let wide = tabs.map { tab in
      let button = Button(Box(.horizontal, spacing: 6, children: [Image(tab.icon), Label(tab.title)]), name: tab.title, styles: [.flat])
      return (tab.id, button)
    }
    // Where there is less room first the icons go, and then the words.
    let words = tabs.map { ($0.id, Button(Label($0.title), name: $0.title, styles: [.flat])) }
    let icons = tabs.map { ($0.id, Button(icon: $0.icon, name: $0.title)) }
    either = Either(
      wide: Self.bar(wide.map(\.1), name),
      narrow: Either(wide: Self.bar(words.map(\.1), name), narrow: Self.bar(icons.map(\.1), name, styles: ["compact"])))
    buttons = wide + words + icons
    for (id, button) in buttons {
      button.setAccessibleRole(.tab)
      button.onClicked(self) { $0.onSelected?(id) }
      mark(button, false)
    }
  }

  private static func bar(_ buttons: [Button], _ name: String, styles: [Style] = []) -> Box {
    let bar = Box(.horizontal, spacing: styles.isEmpty ? 4 : 0, styles: ["tab-bar"] + styles, children: buttons)
    bar.setAccessibleRole(.tabList)
    bar.setAccessibleName(name)
    return bar
  }

  /// Puts the keyboard on the tab that is chosen.
  public func takeKeyboard() {
    // One of the three that stand for it is shown.
    for (id, button) in buttons where id == selected && button.isMapped { button.focus() }
  }

  /// Acts as if a tab had been clicked; for tests.
  public func click(_ id: ID) { buttons.first { $0.0 == id }?.1.click() }

  private func mark(_ button: Button, _ isSelected: Bool) {
    button.setStyle(.on, isSelected)
    button.setAccessibleSelected(isSelected)
  }
}
