import AccountFeature
import Gtk

/// The sheet that asks before signing out.
@MainActor final class SignOutView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: SignOutViewModel
  private let costs = Box(.vertical, spacing: 10)
  private var shown: [String] = []

  init(_ viewModel: SignOutViewModel) {
    self.viewModel = viewModel
    // First, and so with the keyboard: Enter loses nothing.
    let cancel = Button("Stay signed in", styles: [.pill, "compact"])
    let signOut = Button("Sign out", styles: [.destructive, .pill, "compact"])
    let buttons = Box(.horizontal, spacing: 10, children: [cancel, signOut])
    buttons.horizontal = .end
    root = Box(.vertical, spacing: 16, children: [Label("Sign out?", styles: [.heading]), costs, buttons])
    cancel.onClicked(self) { $0.viewModel.send(.cancelTapped) }
    signOut.onClicked(self) { $0.viewModel.send(.signOutTapped) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  private func show(_ state: SignOutViewModel.State) {
    guard state.costs != shown else { return }
    shown = state.costs
    costs.replaceAll(state.costs.map { Label($0, wraps: true) })
  }
}
