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
  public var root: Widget { box }
  /// Called with what was clicked.
  public var onSelected: (@MainActor (ID) -> Void)?
  /// The page that is shown; nil marks none.
  public var selected: ID? {
    didSet { for (id, button) in buttons { mark(button, id == selected) } }
  }

  private let box: Box
  private var buttons: [(ID, Button)] = []

  /// - Parameter name: what the pages are, for screen readers.
  public init(_ tabs: [Tab], name: String) {
    box = Box(.horizontal, spacing: 4, styles: ["tab-bar"])
    box.setAccessibleRole(.tabList)
    box.setAccessibleName(name)
    for tab in tabs {
      let label = Box(.horizontal, spacing: 6) {
        Image(tab.icon)
        Label(tab.title)
      }
      let button = Button(label, name: tab.title, styles: [.flat])
      button.setAccessibleRole(.tab)
      button.onClicked(self) { $0.onSelected?(tab.id) }
      mark(button, false)
      buttons.append((tab.id, button))
      box.append(button)
    }
  }

  /// Acts as if a tab had been clicked; for tests.
  public func click(_ id: ID) { buttons.first { $0.0 == id }?.1.click() }

  private func mark(_ button: Button, _ isSelected: Bool) {
    button.setStyle(.on, isSelected)
    button.setAccessibleSelected(isSelected)
  }
}
