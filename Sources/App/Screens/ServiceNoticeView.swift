import Gtk
import MenuFeature

/// The sheet that says why the publication does not serve this app.
@MainActor final class ServiceNoticeView: View {
  let scope = Scope()
  let root: Widget
  private let heading = Label(styles: [.heading], wraps: true, alignment: .center)
  private let sentence = Label(wraps: true)
  private let action = Button("", styles: [.suggested, .pill])
  private let close = Button("Close", styles: [.flat])

  init(_ viewModel: ServiceNoticeViewModel) {
    let words = FittingScroller(sentence)
    words.scrollsByKeyboard(name: "Notice")
    root = Box(.vertical, spacing: 14, children: [heading, words, action, close])
    action.onClicked(self) { [weak viewModel] _ in viewModel?.send(.actionTapped) }
    close.onClicked(self) { [weak viewModel] _ in viewModel?.send(.closeTapped) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  func takeKeyboard() { (action.isVisible ? action : close).focus() }

  private func show(_ state: ServiceNoticeViewModel.State) {
    heading.text = state.heading
    sentence.text = state.sentence
    action.isVisible = state.action != nil
    if let label = state.action { action.label = state.isChecking ? "Asking…" : label }
    action.setAccessibleName(state.action ?? "")
  }
}
