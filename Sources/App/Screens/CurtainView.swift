import AppCore
import Gtk

/// The brand, and behind it the start-up check.
@MainActor final class CurtainView: View {
  let scope = Scope()
  let root: Widget
  private let spinner = Spinner(isSpinning: false, name: "Starting")

  init(_ viewModel: CurtainViewModel) {
    spinner.setMinimumSize(width: 32, height: 32)
    let middle = Box(.vertical, spacing: 16, margin: 24) { [spinner] in
      Label("Matinee", styles: ["brand"], alignment: .center)
      Label("Your front row seat", styles: ["curtain-text"], alignment: .center)
      spinner
    }
    middle.vertical = .center
    middle.horizontal = .center
    middle.expandsVertically = true
    middle.expandsHorizontally = true
    root = Box(.vertical, styles: [.curtain]) { middle }
    viewModel.onChange = { [weak self] in self?.show($0) }
  }

  private func show(_ state: CurtainViewModel.State) {
    // Kept in the layout, so that the brand does not jump when it comes.
    spinner.opacity = state.showsSpinner ? 1 : 0
    spinner.isSpinning = state.showsSpinner
  }
}
