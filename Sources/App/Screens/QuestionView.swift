import Gtk

/// The content of a sheet that asks before something is lost: the question, what is lost, and two buttons. The harmless one is first, and
/// so has the focus: Enter loses nothing.
@MainActor final class QuestionView: SignalOwner {
  let scope: Scope
  let root: Box
  private let question = Label(styles: [.heading], wraps: true)
  private let losses = Box(.vertical, spacing: 10)
  private var shown: [String]?

  /// - Parameter scope: ends the connections.
  init(in scope: Scope, question: String, stay: String, leave: String, onStay: @escaping () -> Void, onLeave: @escaping () -> Void) {
    self.scope = scope
    self.question.text = question
    let (cancel, confirm) = (Button(stay, styles: [.pill, "compact"]), Button(leave, styles: [.destructive, .pill, "compact"]))
    let buttons = Box(.horizontal, spacing: 10, children: [cancel, confirm])
    buttons.horizontal = .end
    root = Box(.vertical, spacing: 16, children: [self.question, losses, buttons])
    cancel.onClicked(self) { _ in onStay() }
    confirm.onClicked(self) { _ in onLeave() }
  }

  func show(losses sentences: [String]) {
    guard sentences != shown else { return }
    shown = sentences
    losses.replaceAll(sentences.map { Label($0, wraps: true) })
  }
}
