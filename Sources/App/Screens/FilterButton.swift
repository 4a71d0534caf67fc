import Gtk

/// A button that leaves only some rows in a list: ticked while it does.
@MainActor final class FilterButton {
  let root: Button
  private let tick = Image(.done)

  /// - Parameter explanation: what it leaves, as tooltip.
  init(_ name: String, explanation: String) {
    root = Button(Box(.horizontal, spacing: 6, children: [tick, Label(name)]), name: name, styles: ["choice"])
    root.tooltip = explanation
    tick.isVisible = false
  }

  var isOn: Bool {
    get { root.isOn }
    set {
      root.isOn = newValue
      tick.isVisible = newValue
    }
  }
}
