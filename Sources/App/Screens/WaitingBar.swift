import AppCore
import Gtk

/// Says below every page what waits to be sent.
@MainActor final class WaitingBar: View {
  let scope = Scope()
  let root: Widget
  private let text = Label(styles: ["waiting-text"], wraps: true, lines: 2)
  private let detail = Label(styles: [.caption], wraps: true, lines: 6)
  private let again = Button("Try now", styles: [.pill, "compact"])
  private var model: WaitingViewModel?
  /// Called when the bar goes and takes the focus with it.
  var onKeyboardLeft: (() -> Void)?

  init() {
    let words = Box(.vertical, children: [text, detail])
    words.expandsHorizontally = true
    words.vertical = .center
    again.vertical = .center
    // The button goes below where the text is large.
    let row = Box(.horizontal, spacing: 12, children: [Image(.offline), Wrap(words, again, least: 150, spacing: 12)])
    root = Box(.vertical, styles: ["waiting-bar"], children: [Clamp(maximumWidth: 820, row)])
    root.setAccessibleRole(.alert)
    root.isVisible = false
    again.onClicked(self) { $0.model?.send(.tryNowTapped) }
  }

  func observe(_ model: WaitingViewModel) {
    self.model = model
    model.observe { [weak self] in self?.show($0) }
  }

  private func show(_ state: WaitingViewModel.State) {
    let isLeft = state.text == nil && root.hasFocus
    root.isVisible = state.text != nil
    if isLeft { onKeyboardLeft?() }
    text.text = state.text ?? ""
    root.setAccessibleName(state.text ?? "")
    detail.text = state.detail
    detail.isVisible = !state.detail.isEmpty
    again.label = state.isTrying ? "Trying…" : "Try now"
  }
}
