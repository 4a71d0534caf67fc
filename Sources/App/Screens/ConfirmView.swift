import Gtk
import MenuFeature

/// The sheet that asks before something is left that cannot be kept.
@MainActor final class ConfirmView: View {
  let scope = Scope()
  var root: Widget { question.root }
  private let question: QuestionView

  init(_ viewModel: ConfirmViewModel) {
    let state = viewModel.state
    question = QuestionView(
      in: scope, question: state.question, stay: "Stay", leave: state.action, onStay: { viewModel.send(.cancelTapped) },
      onLeave: { viewModel.send(.confirmTapped) })
    viewModel.observe { [weak self] in self?.question.show(losses: [$0.loss]) }
  }
}
