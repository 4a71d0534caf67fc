import Foundation
import Gtk

/// A button that shows the choice and opens a menu of others. A click only reports: the choice is set from a state.
@MainActor final class ChoiceMenu<ID: Hashable>: SignalOwner {
  let scope = Scope()
  let root: MenuButton
  /// Called with the choice.
  var onChosen: ((ID) -> Void)?
  private let popover: Popover
  private let list = Box(.vertical, spacing: 2)
  private var buttons: [(id: ID, button: Button)] = []
  private var options: [(id: ID, name: String)] = []

  /// - Parameter name: what is chosen here, for screen readers.
  init(name: String) {
    // Some ten lines: no menu is as high as the screen.
    let scroller = FittingScroller(list, tallest: 400)
    popover = Popover(scroller)
    root = MenuButton("", name: name, popover: popover, styles: ["choice"])
    popover.onShown(self) { $0.fill() }
    // GTK focuses the first button; the chosen one takes the focus instead, unless the person has moved it already.
    popover.onDrawn(self) { menu in
      menu.typed = ("", 0)
      guard !menu.buttons.dropFirst().contains(where: \.button.hasFocus) else { return }
      menu.buttons.first { $0.id == menu.chosen }?.button.focus()
    }
    // Otherwise they only scroll, and Return chooses what is out of sight.
    for key in ["Home", "KP_Home"] { list.addShortcut(key, self, inside: true) { $0.buttons.first?.button.focus() } }
    for key in ["End", "KP_End"] { list.addShortcut(key, self, inside: true) { $0.buttons.last?.button.focus() } }
    list.onTyped(self) { $0.find($1, at: ProcessInfo.processInfo.systemUptime) }
  }

  /// Goes to the first that begins with what was typed in one go.
  /// - Parameter now: in seconds.
  /// - Returns: whether there is one.
  @discardableResult func find(_ character: Character, at now: Double) -> Bool {
    typed = ((now - typed.at > Self.pause ? "" : typed.text) + String(character), now)
    let found = buttons.first {
      $0.button.label.range(of: typed.text, options: [.anchored, .caseInsensitive, .diacriticInsensitive, .widthInsensitive]) != nil
    }
    return found?.button.focus() ?? false
  }

  private static var pause: Double { 1 }
  private var typed = (text: "", at: 0.0)

  /// - Parameter label: what the button says; `nil` for the name of what is chosen.
  func show(_ options: [(id: ID, name: String)], chosen: ID, label: String? = nil) {
    let name = label ?? options.first { $0.id == chosen }?.name ?? ""
    root.label = name
    root.setAccessibleDescription(name)
    self.options = options
    self.chosen = chosen
    if popover.isMapped { fill() }
  }
  private var chosen: ID?

  /// Only when it is opened: a choice may be long.
  private func fill() {
    if options.map(\.id) != buttons.map(\.id) || options.map(\.name) != buttons.map(\.button.label) {
      buttons = options.map { option in
        let button = Button(option.name, styles: [.flat, "menu-item"])
        button.contentAlignment = .start
        button.onClicked(self) { menu in
          menu.root.close()
          menu.onChosen?(option.id)
        }
        return (option.id, button)
      }
      list.replaceAll(buttons.map(\.button))
    }
    for (id, button) in buttons { button.isOn = id == chosen }
  }
}
