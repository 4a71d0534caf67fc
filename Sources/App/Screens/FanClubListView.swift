import FanClubFeature
import FeatureKit
import Gtk

/// All fan clubs.
@MainActor final class FanClubListView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: FanClubListViewModel
  private let stack = Stack()
  private lazy var status = StatusView(in: stack, over: "rows")
  private let message = MessageBar()
  let messages: Overlay?
  private let followed = FilterButton("Followed", explanation: "Only fan clubs that you follow")
  private let addFeed = Button(
    Box(.horizontal, spacing: 6, children: [Image(.add), Label("Add feed")]), name: "Add feed", styles: [.flat, "choice"])
  private let export = Button("Export…", styles: [.flat, "choice"])
  private let chooser = FileChooser()
  private let note = Label(styles: [.caption, .dim, "note"], wraps: true, alignment: .center)
  private let progress = ProgressLine()
  private var list: ListView<String, FanClubRowView>!

  init(_ viewModel: FanClubListViewModel, pictures: Pictures) {
    self.viewModel = viewModel
    stack.expandsVertically = true
    note.isVisible = false
    let filler = Box(.horizontal)
    filler.expandsHorizontally = true
    // Below each other where the text is large.
    let bar = Wrap(followed.root, Box(.horizontal, children: [filler, Wrap(export, addFeed, spacing: 6)]), spacing: 6)
    bar.setStyle("list-bar")
    for button in [followed.root, export] { button.horizontal = .start }
    let rows = Overlay(stack, above: [message.root])
    messages = rows
    root = Box(.vertical, styles: [.page], children: [Clamp(maximumWidth: 844, bar), note, rows, progress.root])
    followed.root.onClicked(self) { $0.viewModel.send(.followedOnlyTapped) }
    addFeed.onClicked(self) { $0.viewModel.send(.addFeedTapped) }
    export.onClicked(self) { $0.viewModel.send(.exportTapped) }
    root.onHidden(self) { $0.chooser.close() }
    list = ListView(
      self, row: { view in FanClubRowView(viewModel: view.viewModel, pictures: pictures) },
      bind: { view, row, id in
        if let value = view.viewModel.row(for: id) { row.show(value) }
      })
    list.setStyle(.plainList)
    list.takesKeys(from: bar, self)
    stack.add(list, name: "rows")
    list.onActivated(self) { $0.viewModel.send(.clubTapped($1)) }
    list.onNearEnd(self) { $0.viewModel.send(.reachedEnd) }
    progress.retry.onClicked(self) { $0.viewModel.send(.retryTapped) }
    status.onAction(self) { view, _ in view.viewModel.send(.retryTapped) }
    message.onDismissed = { [weak self] in self?.viewModel.send(.messageDismissed) }
    viewModel.onRowsChanged = { [weak self] ids in self?.list.update(ids) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  private func chooseExportFile() {
    chooser.save(title: "Export the feeds that you follow", button: "Export", name: "fan-clubs.opml", over: root) { [weak self] in
      self?.viewModel.send($0.map { .exportChosen($0) } ?? .exportCancelled)
    }
  }

  /// On the rows; what stands above them is a step back.
  func takeKeyboard() {
    switch viewModel.state.clubs.phase {
    case .loading: break
    case .ready: list.focusRow()
    case .empty, .offline, .failed: root.focusFirst()
    }
  }

  private func show(_ state: FanClubListViewModel.State) {
    followed.isOn = state.isFollowedOnly
    for button in [export, addFeed] { button.isVisible = state.canAddFeeds }
    if state.isChoosingExportFile { chooseExportFile() }
    note.text = state.clubs.note ?? ""
    note.isVisible = state.clubs.showsNote
    list.show(state.clubs.ids)
    progress.show(state.clubs)
    message.message = state.clubs.message
    status.show(state.statusPage)
  }
}

/// A fan club in the list of all.
@MainActor final class FanClubRowView: ListRow {
  let scope = Scope()
  let root: Widget
  private let viewModel: FanClubListViewModel
  private let pictures: Pictures
  private let picture = PictureView(width: 56, ratio: 1, growsWithText: true)
  private let name = Label(styles: [.subheading], wraps: true, lines: 2, direction: .ofText)
  private let unread = Label(styles: [.badge, "unread", "numeric"])
  private let about = Label(styles: [.dim], wraps: true, lines: 2, direction: .ofText)
  private let numbers = Label(styles: [.caption, .dim], wraps: true, lines: 3)
  private let waiting = WaitingMark()
  private let follow = Button("Follow", styles: [.pill, "compact"])
  private var id: String?

  init(viewModel: FanClubListViewModel, pictures: Pictures) {
    self.viewModel = viewModel
    self.pictures = pictures
    follow.vertical = .center
    // Beside the name: on the picture it would cover the initials.
    unread.vertical = .start
    name.expandsHorizontally = true
    let text = Box(
      .vertical, spacing: 4,
      children: [Box(.horizontal, spacing: 8, children: [name, unread]), about, Box(.horizontal, children: [numbers, waiting.root])])
    text.expandsHorizontally = true
    text.vertical = .center
    root = Clamp(
      maximumWidth: 820,
      Box(.horizontal, spacing: 14, styles: [.card, "post-row"], children: [picture.root, Wrap(text, follow, least: 220, spacing: 10)]))
    follow.onClicked(self) { view in if let id = view.id { view.viewModel.send(.followTapped(id)) } }
  }

  private(set) var accessibleName = ""

  func show(_ row: FanClubRow) {
    id = row.id
    name.text = row.name
    accessibleName = row.unread.isEmpty ? row.name : "\(row.name), \(row.unread) unread"
    unread.text = row.unread
    // A reader who does not follow a club does not wait for its posts.
    unread.isVisible = row.isFollowed && !row.unread.isEmpty
    about.text = row.about
    about.isVisible = !row.about.isEmpty
    numbers.text = row.numbers
    waiting.show(row.waiting)
    follow.label = row.isFollowed ? "Following" : "Follow"
    follow.setAccessibleName("Follow")
    follow.isOn = row.isFollowed
    picture.show(row.picture, or: row.emblem, from: pictures)
  }

  func unbind() {
    id = nil
    picture.clear()
  }
}
