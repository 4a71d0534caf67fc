import AppCore
import Gtk

/// Says below every page what waits to be sent.
@MainActor final class WaitingBar: View {
  let scope = Scope()
  let root: Widget
  private let text = Label(styles: ["waiting-text"], lines: 1)
  private let detail = Label(styles: [.caption], lines: 3)
  private let again = Button("Try now", styles: [.pill, "compact"])
  private var model: WaitingViewModel?
  /// Told when the bar goes and takes the keyboard with it.
  var onKeyboardLeft: (() -> Void)?

  init() {
    let words = Box(.vertical, children: [text, detail])
    words.expandsHorizontally = true
    words.vertical = .center
    again.vertical = .center
    let row = Box(.horizontal, spacing: 12, children: [Image(.offline), words, again])
    root = Box(.vertical, styles: ["waiting-bar"], children: [Clamp(maximumWidth: 820, row)])
    root.setAccessibleRole(.alert)
    root.isVisible = false
    again.onClicked(self) { $0.model?.tryNowTapped() }
  }

  func follow(_ model: WaitingViewModel) {
    self.model = model
    model.onChange = { [weak self] in self?.show($0) }
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
