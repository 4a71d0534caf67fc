import Gtk
import TesterFeature

/// The tester panel, in a window of its own beside the app's.
@MainActor public final class TesterWindow: SignalOwner {
  /// Connections of the window itself; each section has a scope of its own.
  public let scope = Scope()
  let window: Window
  private let viewModel: TesterViewModel
  private let problem = Label(styles: [.error], wraps: true)
  private let column = Box(.vertical, spacing: 20)
  private var sections: [TesterSectionView] = []

  /// - Parameters:
  ///   - application: which the window belongs to; nil in tests.
  ///   - viewModel: what it shows.
  public init(_ application: Application?, _ viewModel: TesterViewModel) {
    self.viewModel = viewModel
    window = Window(application, title: "Tester panel", width: 520, height: 760)
    problem.isVisible = false
    let page = Box(.vertical, spacing: 16, margin: 16, children: [problem, column])
    let scroller = ScrolledWindow(page)
    scroller.setStyle(.page)
    window.titlebar(HeaderBar())
    window.child(scroller)
    // Hidden and shown again: closing it must neither end the app nor lose the choices.
    window.onCloseRequest(self) {
      $0.hide()
      return false
    }
    window.addShortcut("Escape", self) { $0.hide() }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  /// Whether it can be seen.
  public var isShown: Bool { window.isVisible }

  /// Shows it, or takes it out of sight.
  public func toggle() { if isShown { hide() } else { show() } }

  /// Removes it permanently, before the application ends.
  public func close() {
    viewModel.disappear()
    for section in sections { section.scope.close() }
    sections = []
    scope.close()
    window.destroy()
  }

  private func show() {
    viewModel.appear()
    window.present()
  }

  private func hide() {
    viewModel.disappear()
    window.isVisible = false
  }

  private func show(_ state: TesterViewModel.State) {
    problem.text = state.problem ?? ""
    problem.isVisible = state.problem != nil
    while sections.count > state.sections.count {
      let last = sections.removeLast()
      last.scope.close()
      column.remove(last.root)
    }
    while sections.count < state.sections.count {
      let section = TesterSectionView { [weak self] in self?.viewModel.send($0) }
      sections.append(section)
      column.append(section.root)
    }
    for (view, section) in zip(sections, state.sections) { view.show(section) }
  }
}

/// A heading, lines, and rows of buttons. Drawn again only when it changed, so that a button keeps the focus while others' state changes.
@MainActor private final class TesterSectionView: SignalOwner {
  private(set) var scope = Scope()
  let root = Box(.vertical, spacing: 8)
  private let tapped: (TesterViewModel.State.Action) -> Void
  private var shown: TesterViewModel.State.Section?

  init(_ tapped: @escaping (TesterViewModel.State.Action) -> Void) { self.tapped = tapped }

  func show(_ section: TesterViewModel.State.Section) {
    guard section != shown else { return }
    shown = section
    scope.close()
    scope = Scope()
    var children: [Widget] = [Label(section.id, styles: [.subheading], wraps: true)]
    for line in section.lines { children.append(Label(line, styles: [.dim], wraps: true)) }
    for group in section.groups {
      if !group.caption.isEmpty { children.append(Label(group.caption, styles: [.caption, .dim])) }
      for start in stride(from: 0, to: group.controls.count, by: group.columns) {
        let row = Box(.horizontal, spacing: 6)
        row.isHomogeneous = true
        for index in start..<start + group.columns {
          // What is missing in the last row leaves its room, so that buttons stand below each other.
          row.append(index < group.controls.count ? button(group.controls[index]) : Box(.horizontal))
        }
        children.append(row)
      }
    }
    root.replaceAll(children)
  }

  private func button(_ control: TesterViewModel.State.Control) -> Button {
    let button = Button(control.title, styles: control.isOn ? [.suggested] : [])
    button.isOn = control.isOn
    button.onClicked(self) { $0.tapped(control.action) }
    return button
  }
}
