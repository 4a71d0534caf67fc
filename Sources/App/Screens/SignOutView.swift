import AccountFeature
import Gtk

/// The sheet that asks before signing out.
@MainActor final class SignOutView: View {
  let scope = Scope()
  var root: Widget { question.root }
  private let question: QuestionView

  init(_ viewModel: SignOutViewModel) {
    question = QuestionView(
      in: scope, question: "Sign out?", stay: "Stay signed in", leave: "Sign out", onStay: { viewModel.send(.cancelTapped) },
      onLeave: { viewModel.send(.signOutTapped) })
    viewModel.observe { [weak self] in self?.question.show(losses: $0.costs) }
  }
}
