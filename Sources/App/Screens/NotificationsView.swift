import AccountFeature
import Gtk

/// Account → Notifications.
@MainActor final class NotificationsView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: NotificationsViewModel
  private let all = SwitchRow("New posts", detail: "In fan clubs that you follow, while the app runs.")
  private let quiet = SwitchRow("Quiet hours", detail: "")
  private let from = TimeField(name: "Quiet from")
  private let to = TimeField(name: "Quiet until")
  private let hours: Box
  private let clubs = Box(.vertical, spacing: 10)
  private let none = Label(styles: [.dim], wraps: true)
  private let clubPart: Box
  private var rows: [(id: String, row: SwitchRow)] = []
  /// How many fan clubs have a row at most: some readers follow thousands. More get one as the end of the page comes near.
  private var limit = NotificationsView.step
  static let step = 50

  init(_ viewModel: NotificationsViewModel) {
    self.viewModel = viewModel
    let lines = [("From", from), ("Until", to)].map { word, field in
      let label = Label(word)
      // As wide as each other, so that the fields stand below each other.
      label.setMinimumWidth(characters: 6)
      return Wrap(label, field.root)
    }
    hours = Box(.vertical, spacing: 8, children: lines)
    clubPart = Box(
      .vertical, spacing: 10, styles: [.card, "padded"], children: [Label("Fan clubs", styles: [.subheading]), none, clubs])
    let column = Box(
      .vertical, spacing: 16, margin: 24,
      children: [
        Label("Notifications", styles: [.title], wraps: true),
        Box(.vertical, spacing: 14, styles: [.card, "padded"], children: [all.root, Separator(), quiet.root, hours]), clubPart,
      ])
    let scroller = ScrolledWindow(Clamp(maximumWidth: 640, column))
    root = scroller
    root.setStyle(.page)
    scroller.onNearEnd(self) { $0.showMoreClubs() }
    all.control.onToggled(self) { $0.viewModel.send(.onTapped) }
    quiet.control.onToggled(self) { $0.viewModel.send(.quietHoursTapped) }
    from.onChanged = { [weak self] in self?.viewModel.send(.quietFromChanged($0)) }
    to.onChanged = { [weak self] in self?.viewModel.send(.quietToChanged($0)) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  private func show(_ state: NotificationsViewModel.State) {
    all.control.isOn = state.isOn
    quiet.control.isOn = state.hasQuietHours
    quiet.root.isSensitive = state.isOn
    quiet.show(detail: state.hasQuietHours ? state.quietSentence : "Hours in which nothing is said.")
    hours.isVisible = state.hasQuietHours
    hours.isSensitive = state.isOn
    from.show(state.quietFrom)
    to.show(state.quietTo)
    none.text = state.clubsSentence ?? ""
    none.isVisible = state.clubsSentence != nil
    clubPart.isSensitive = state.isOn
    show(state.clubs.prefix(limit))
    clubs.isVisible = !rows.isEmpty
  }

  private func showMoreClubs() {
    guard rows.count < viewModel.state.clubs.count else { return }
    limit = rows.count + Self.step
    show(viewModel.state.clubs.prefix(limit))
  }

  private func show(_ shown: ArraySlice<NotificationsViewModel.State.Club>) {
    if !shown.map(\.id).starts(with: rows.map(\.id)) {
      rows = []
      clubs.replaceAll([])
    }
    for club in shown.dropFirst(rows.count) {
      let row = SwitchRow(club.name, detail: "")
      row.control.onToggled(self) { $0.viewModel.send(.clubTapped(club.id)) }
      rows.append((club.id, row))
      clubs.append(row.root)
    }
    for (club, (_, row)) in zip(shown, rows) {
      row.name.text = club.name
      row.control.isOn = club.isOn
    }
  }
}

/// A switch, and what it is about.
@MainActor private final class SwitchRow {
  let root: Box
  let name: Label
  let control: Switch
  private let detail: Label

  init(_ name: String, detail: String) {
    self.name = Label(name, wraps: true, direction: .ofText)
    self.detail = Label(detail, styles: [.caption, .dim], wraps: true)
    control = Switch(name: name)
    let words = Box(.vertical, spacing: 2, children: [self.name, self.detail])
    words.expandsHorizontally = true
    words.vertical = .center
    root = Box(.horizontal, spacing: 12, children: [words, control])
    show(detail: detail)
  }

  func show(detail: String) {
    self.detail.text = detail
    self.detail.isVisible = !detail.isEmpty
  }
}
