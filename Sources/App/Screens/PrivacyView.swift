import AccountFeature
import Gtk

/// Account → Privacy.
@MainActor final class PrivacyView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: PrivacyViewModel
  private let choices = ChoiceList<AnalyticsChoice>()
  private let folder = Button("Show the file", styles: [.pill, "compact"])

  init(_ viewModel: PrivacyViewModel) {
    self.viewModel = viewModel
    folder.horizontal = .start
    let about = Label(
      "Trials: a change of Matinee may reach some readers first. While one is on, the publication counts whether it works, for readers with "
        + "the change and without: runs of Matinee and their crashes, paywalls seen, and how purchases end. It adds that up at once. By account "
        + "it keeps only whether you had the change, and for a month that a count came, so that none counts twice. What you read or write is "
        + "not in it. There is no switch for this; all other counting is off until you choose it above.",
      styles: [.caption, .dim], wraps: true)
    let part = Box(
      .vertical, spacing: 10, styles: [.card, "padded"],
      children: [Label("How you use Matinee", styles: [.subheading], wraps: true), choices.root, folder])
    let column = Box(
      .vertical, spacing: 16, margin: 24, children: [Label("Privacy", styles: [.title], wraps: true), part, about])
    let scroller = ScrolledWindow(Clamp(maximumWidth: 640, column))
    root = scroller
    root.setStyle(.page)
    scroller.keepFocusInSight(self)
    choices.onChosen = { [weak self] in self?.viewModel.send(.choiceTapped($0)) }
    folder.onClicked(self) { $0.viewModel.send(.folderTapped) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  private func show(_ state: PrivacyViewModel.State) {
    choices.show(state.choices.map { .init(id: $0.id, name: $0.name, detail: $0.detail) }, chosen: state.chosen)
    if !state.hasFile, folder.hasFocus { root.holdKeyboard() }
    folder.isVisible = state.hasFile
  }
}
