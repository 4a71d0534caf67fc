import AccountFeature
import Gtk

/// The sheet that changes the reader's password.
@MainActor final class ChangePasswordView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: ChangePasswordViewModel
  private let current = PasswordEntry(placeholder: "Current password", name: "Current password")
  private let currentError = Label(styles: [.caption, .error], wraps: true)
  private let new = PasswordEntry(placeholder: "At least ten characters", name: "New password")
  private let newError = Label(styles: [.caption, .error], wraps: true)
  private let formError = Label(styles: [.error], wraps: true)
  private let wait = Label(styles: [.dim], wraps: true)
  private let loading: LoadingWords
  private let change = Button("Change password", styles: [.suggested, .pill, "compact"])
  private let cancel = Button("Cancel", styles: [.pill, "compact"])

  init(_ viewModel: ChangePasswordViewModel) {
    self.viewModel = viewModel
    // The button says that it is under way; the words come when it takes long.
    loading = LoadingWords(wait)
    wait.isVisible = false
    let buttons = Wrap(cancel, change, spacing: 10)
    buttons.horizontal = .end
    change.expandsHorizontally = true
    let column = Box(
      .vertical, spacing: 14,
      children: [
        Label("Change password", styles: [.heading], wraps: true),
        Label("All other sessions end with the old one.", styles: [.dim], wraps: true),
        Box(.vertical, spacing: 6, children: [Label("Current password", styles: [.caption]), current, currentError]),
        Box(.vertical, spacing: 6, children: [Label("New password", styles: [.caption]), new, newError]), formError, wait,
      ])
    // The fields scroll where a window is low, and the buttons stay.
    root = Box(.vertical, spacing: 14, children: [FittingScroller(column), buttons])
    for field in [current, new] { field.setStyle("large") }
    current.onChanged(self) { $0.viewModel.send(.currentChanged(.init($1))) }
    new.onChanged(self) { $0.viewModel.send(.newChanged(.init($1))) }
    for field in [current, new] { field.onSubmit(self) { $0.viewModel.send(.submitTapped) } }
    change.onClicked(self) { $0.viewModel.send(.submitTapped) }
    cancel.onClicked(self) { $0.viewModel.send(.cancelTapped) }
    loading.onExplained = { [weak self] in self?.wait.isVisible = true }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  func takeKeyboard() { current.focus() }

  private func show(_ state: ChangePasswordViewModel.State) {
    for (sentence, label) in [(state.currentError, currentError), (state.newError, newError), (state.formError, formError)] {
      label.text = sentence ?? ""
      label.isVisible = sentence != nil
    }
    let wasWrong = current.isWrong || new.isWrong
    current.isWrong = state.currentError != nil
    new.isWrong = state.newError != nil
    // The first that has to be corrected.
    if !wasWrong, !state.isWorking {
      if current.isWrong { current.focusAll() } else if new.isWrong { new.focusAll() }
    }
    for field in [current, new] { field.isEditable = !state.isWorking && state.canChange }
    change.isSensitive = !state.isWorking && state.canChange
    loading.show(state.isWorking ? "Changing…" : nil)
    if !state.isWorking { wait.isVisible = false }
    change.label = state.isWorking ? "Changing…" : "Change password"
    change.setAccessibleName("Change password")
    // What is under way is not called off by it.
    cancel.label = state.isWorking ? "Close" : "Cancel"
  }
}
