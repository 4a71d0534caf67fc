import Gtk
import MenuFeature

/// The keys of the app.
@MainActor final class ShortcutsView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: ShortcutsViewModel
  private let sections = Box(.vertical, spacing: 18)
  private let close = Button("Close", styles: [.flat])
  private let scroller: FittingScroller

  init(_ viewModel: ShortcutsViewModel) {
    self.viewModel = viewModel
    scroller = FittingScroller(sections)
    scroller.scrollsByKeyboard(name: "Keyboard shortcuts")
    let title = Label("Keyboard shortcuts", styles: [.heading], wraps: true, alignment: .center)
    root = Box(.vertical, spacing: 10, children: [title, scroller, close])
    close.onClicked(self) { $0.viewModel.send(.closeTapped) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  /// On the list, which the keys scroll; Escape closes it.
  func takeKeyboard() { scroller.holdKeyboard() }

  private func show(_ state: ShortcutsViewModel.State) {
    sections.replaceAll(state.sections.map { Self.part($0) })
  }

  private static func part(_ section: ShortcutsViewModel.State.Section) -> Widget {
    let part = Box(.vertical, spacing: 10, children: [Label(section.title, styles: [.subheading], wraps: true)])
    for shortcut in section.shortcuts { part.append(line(shortcut)) }
    return part
  }

  private static func line(_ shortcut: Shortcut) -> Widget {
    let keys = Label(shortcut.labels.joined(separator: ", "), styles: [.caption, .dim], wraps: true)
    return Box(.vertical, spacing: 2, children: [Label(shortcut.action, wraps: true), keys])
  }
}
