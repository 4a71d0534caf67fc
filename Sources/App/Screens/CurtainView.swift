import AppCore
import Gtk

/// The brand, and behind it the start-up check.
@MainActor final class CurtainView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: CurtainViewModel
  private let spinner = Spinner(isSpinning: false, name: "Starting")
  private let notice = Label(styles: ["curtain-text"], wraps: true, alignment: .center)
  private let choice: Box

  init(_ viewModel: CurtainViewModel) {
    self.viewModel = viewModel
    let tryAgain = Button("Try again", styles: [.pill, "curtain-button"])
    let offline = Button("Continue offline", styles: [.pill, "curtain-button"])
    choice = Box(.horizontal, spacing: 12) {
      tryAgain
      offline
    }
    choice.horizontal = .center
    spinner.setMinimumSize(width: 32, height: 32)
    let middle = Box(.vertical, spacing: 16, margin: 24) { [spinner, notice, choice] in
      Label("Matinee", styles: ["brand"], alignment: .center)
      Label("Your front row seat", styles: ["curtain-text"], alignment: .center)
      spinner
      notice
      choice
    }
    middle.vertical = .center
    middle.horizontal = .center
    middle.expandsVertically = true
    middle.expandsHorizontally = true
    root = Box(.vertical, styles: [.curtain]) { middle }
    tryAgain.onClicked(self) { $0.viewModel.tryAgainTapped() }
    offline.onClicked(self) { $0.viewModel.continueOfflineTapped() }
    viewModel.onChange = { [weak self] in self?.show($0) }
  }

  private func show(_ state: CurtainViewModel.State) {
    // Kept in the layout, so that the brand does not jump when it comes.
    spinner.opacity = state.showsSpinner ? 1 : 0
    spinner.isSpinning = state.showsSpinner
    notice.text = state.notice ?? ""
    notice.isVisible = state.notice != nil
    choice.isVisible = state.offersChoice
  }
}
